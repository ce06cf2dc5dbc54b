"""The anchor at a witness: asks one to cosign a checkpoint, and takes only what it signed of that very text.

Implements specs/anchors.md (W-50…W-54), the client of c2sp.org/tlog-witness. Layout of a request:

    old <size that the witness cosigned last> LF
    <base64 of a hash of the consistency proof> LF        (none from size 0)
    LF
    <the checkpoint, with the log's own signature>
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Collection, Sequence

from ledger import note
from ledger.errors import FormatError, LedgerError, OutsideError
from ledger.lazy_pattern import lazy_pattern
from ledger.note import NoteKey, NoteSignature
from proofs import web

AHEAD = 5 * 60
"""Seconds that a witness's clock may be ahead of ours."""

_SIZE_KIND = "text/x.tlog.size"
_SIZE = lazy_pattern(rb"(0|[1-9][0-9]{0,15})\n")
_HELP = {
    400: "says that the request is malformed",
    403: "trusts another key for this ledger: it must be given the vkey of the key in force",
    404: "does not know this ledger: its operator must add the origin and the vkey of muniment anchor checkpoint",
    422: "knows another history of this ledger: the proof from what it cosigned does not lead to ours",
}

Prove = Callable[[int], Sequence[bytes]]
"""Returns the consistency proof from that many events to the checkpoint."""


def cosign(
    address: str, own: bytes, size: int, *, old: int, prove: Prove, keys: Collection[NoteKey], now: int
) -> list[NoteSignature]:
    """Ask the witness at `address` to cosign a checkpoint; return its signature lines, which were verified.

    Args:
        address: its submission prefix.
        own: the checkpoint's note, signed by the log alone.
        size: of the checkpoint.
        old: the size that it cosigned last, as far as we know.
        prove: makes a consistency proof.
        keys: the witness's keys, as the person knows them.
        now: seconds since 1970.

    Raises:
        UsageError: it is not an address.
        OutsideError: it did not answer, refused, or its answer does not verify.
    """
    web.checked(address)
    answer = _ask(address, own, old, prove)
    if answer.status == 409:
        known = _known(answer, size, old)
        answer = _ask(address, own, known, prove)
        if answer.status == 409:
            raise answer.refusal(
                f"cosigned other checkpoints meanwhile, or another tree than ours of {known} events"
            )
    if answer.status != 200:
        raise answer.refusal(_HELP.get(answer.status, "did not cosign"))
    return _cosigned(answer, own, keys, now)


def _ask(address: str, own: bytes, old: int, prove: Prove) -> web.HttpResponse:
    proof = list(prove(old)) if old else []
    body = b"old %d\n" % old + b"".join(base64.b64encode(each) + b"\n" for each in proof) + b"\n" + own
    return web.ask(web.joined(address, "add-checkpoint"), body, {"Content-Type": "text/plain; charset=utf-8"})


def _known(answer: web.HttpResponse, size: int, old: int) -> int:
    """Return the size that a witness says it cosigned last, from which another try is worth it."""
    found = _SIZE.fullmatch(answer.body)
    if found is None or answer.kind != _SIZE_KIND:
        raise answer.refusal("said that the size is another one, but not which")
    known = int(found[1])
    if known > size:
        raise OutsideError(
            f"{answer.address} has cosigned {known} events of this ledger, but {size} are here: "
            "events are missing here, or another copy of it continues elsewhere; nothing was stored"
        )
    if known == old:
        raise OutsideError(
            f"{answer.address} has cosigned another tree of {known} events of this ledger than the one that is here: "
            "the history here is not the one that it knows; nothing was stored"
        )
    return known


def _cosigned(
    answer: web.HttpResponse, own: bytes, keys: Collection[NoteKey], now: int
) -> list[NoteSignature]:
    text = note.parse(own).text
    try:
        lines = note.parse_signatures(answer.body)
        by_known = [line for line in lines if any(_names(key, line) for key in keys)]
        said = note.verify(note.Note(text, tuple(by_known)), keys)
    except LedgerError as error:
        raise OutsideError(
            f"{answer.address} answered no cosignature: {_plain(error)}; nothing was stored"
        ) from None
    if any(each.time is None or each.time > now + AHEAD for each in said):
        raise OutsideError(
            f"{answer.address} cosigned at a time in the future: compare the clocks; nothing was stored"
        )
    return by_known


def _names(key: NoteKey, line: NoteSignature) -> bool:
    return key.type == note.COSIGNATURE and (key.name, key.key_id) == (line.name, line.key_id)


def _plain(error: LedgerError) -> str:
    if isinstance(error, FormatError) and error.code == "note-unknown-key":
        return "none of the given witness keys signed it"
    return web.printable(str(error).encode())


def added(data: bytes, lines: Collection[NoteSignature]) -> bytes:
    """Return a note with further signature lines; of one key the newest alone stays."""
    parsed = note.parse(data)
    new = {(each.name, each.key_id) for each in lines}
    kept = [each for each in parsed.signatures if (each.name, each.key_id) not in new]
    return note.Note(parsed.text, (*kept, *lines)).encode()
