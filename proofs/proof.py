"""Proof files: one event, where it stands in a checkpoint's tree, and what is needed to judge it, in one text.

Implements specs/proofs.md (T-40…T-44), as c2sp.org/tlog-proof writes it:

    c2sp.org/tlog-proof@v1 LF
    extra <base64 of canonical JSON> LF
    index <seq> LF
    <base64 of a hash> LF                        (the sibling of the leaf first; none in a tree of one)
    LF
    <the checkpoint>

Parsing a file does not verify it: proofs/proof_judgement.py does.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ledger import note
from ledger.canonical import decode, encode
from ledger.errors import FormatError
from ledger.event import is_blanked, split_line
from ledger.lazy_pattern import lazy_pattern
from proofs import checkpoint, merkle, receipts
from proofs.checkpoint import Checkpoint
from proofs.heads import ReadChain

MAGIC = b"c2sp.org/tlog-proof@v1\n"
MAX_BYTES = 16 << 20
MAX_HASHES = 63
MAX_RECEIPT = 1 << 20
MAX_RECEIPTS = 8
VERSION = 1
_MEMBERS = frozenset({"event", "keys", "payload", "receipts", "v"})
_NESTED = ({"event", "proof"}, {"data", "kind"})
_KIND = lazy_pattern(r"[a-z0-9.]{1,20}")
_INDEX = lazy_pattern(rb"index (0|[1-9][0-9]{0,15})")


@dataclass(frozen=True, slots=True)
class Included:
    """A head with the hashes that show where it stands in the checkpoint's tree."""

    head: bytes
    hashes: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class AnchorReceipt:
    """A statement about the checkpoint by somebody outside: its kind and its bytes."""

    kind: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Proof:
    """A proof file, parsed and not judged.

    `event` is number `index` of the tree; `payload` its payload bytes where the file has them. `keys` are the
    genesis and the rotates before the checkpoint's end, in their order. `note` is the checkpoint's note.
    """

    index: int
    event: Included
    payload: bytes | None
    keys: tuple[Included, ...]
    note: bytes
    receipts: tuple[AnchorReceipt, ...] = ()

    def encode(self) -> bytes:
        """Return the file's bytes."""
        extra: dict[str, Any] = {
            "event": self.event.head.decode(),
            "keys": [
                {
                    "event": key.head.decode(),
                    "proof": [base64.b64encode(each).decode() for each in key.hashes],
                }
                for key in self.keys
            ],
            "v": VERSION,
        }
        if self.payload is not None:
            extra["payload"] = self.payload.decode()
        if self.receipts:
            extra["receipts"] = [
                {"data": base64.b64encode(each.data).decode(), "kind": each.kind} for each in self.receipts
            ]
        lines = [b"extra " + base64.b64encode(encode(extra)), b"index %d" % self.index]
        lines += [base64.b64encode(each) for each in self.event.hashes]
        return MAGIC + b"".join(line + b"\n" for line in lines) + b"\n" + self.note


def parse(data: bytes) -> Proof:
    """Return the proof in a file; there is one spelling, and nothing is skipped.

    Raises:
        FormatError: it is not a proof of ours.
    """
    if len(data) > MAX_BYTES:
        raise _malformed(f"it has more than {MAX_BYTES} bytes")
    if not data.startswith(MAGIC):
        raise _malformed("it does not begin with c2sp.org/tlog-proof@v1")
    top, blank, checkpoint_note = data.removeprefix(MAGIC).partition(b"\n\n")
    if not blank:
        raise _malformed("no blank line stands before the checkpoint")
    lines = top.split(b"\n")
    if not lines[0].startswith(b"extra "):
        raise _malformed("it has no extra line, so the event itself is not in it")
    extra = note.unb64(lines[0].removeprefix(b"extra "))
    index = _INDEX.fullmatch(lines[1]) if len(lines) > 1 else None
    if extra is None or index is None:
        raise _malformed("the lines extra and index are not as they are written")
    if len(lines) - 2 > MAX_HASHES:
        raise _malformed(f"it has more than {MAX_HASHES} hashes")
    checkpoint.parse(checkpoint_note)
    hashes = tuple(_hash(line) for line in lines[2:])
    return _with_extra(int(index[1]), hashes, decode(extra, "the proof's extra line"), checkpoint_note)


def _with_extra(index: int, hashes: tuple[bytes, ...], extra: dict[str, Any], data: bytes) -> Proof:
    if extra.get("v") != VERSION or extra["v"] is True:
        raise _malformed("its extra line is of a version that this muniment cannot read")
    nested = [*_objects(extra.get("keys")), *_objects(extra.get("receipts"))]
    if extra.keys() - _MEMBERS or any(each.keys() not in _NESTED for each in nested):
        raise _malformed("its extra line has an unknown member")
    try:
        keys = tuple(
            Included(_bytes(key["event"]), tuple(_hash(each.encode()) for each in _list(key["proof"])))
            for key in _list(extra["keys"])
        )
        given = _receipts(extra["receipts"]) if "receipts" in extra else ()
        payload = _bytes(extra["payload"]) if "payload" in extra else None
        proof = Proof(index, Included(_bytes(extra["event"]), hashes), payload, keys, data, given)
    except (KeyError, TypeError, AttributeError, ValueError):
        raise _malformed("a member of its extra line is missing, or of another type") from None
    if len(proof.keys) > 1000 or any(len(key.hashes) > MAX_HASHES for key in proof.keys):
        raise _malformed("its extra line holds too much")
    return proof


def make(
    seq: int, chain: ReadChain, made: Checkpoint, data: bytes, given: Sequence[AnchorReceipt] = ()
) -> Proof:
    """Return the proof of event `seq` under a checkpoint, with the events that brought the keys.

    Args:
        seq: of the event, below the checkpoint's size.
        chain: the chain, which has the checkpoint's tree.
        made: the checkpoint.
        data: its note.
        given: what others said of it.

    Raises:
        ValueError: the checkpoint does not reach the event.
    """

    def included(at: int) -> Included:
        return Included(chain.head(at), tuple(chain.tree.inclusion_proof(at, made.size)))

    payload = split_line(chain.line(seq)).payload
    keys = tuple(included(at) for at in chain.keys if at < made.size)
    payload = None if payload is None or is_blanked(payload) else payload
    return Proof(seq, included(seq), payload, keys, data, tuple(given))


def receipts_beside(path: Path) -> tuple[AnchorReceipt, ...]:
    """Return the files beside a stored checkpoint that others gave for it (specs/anchors.md); what cannot be read is left out."""
    found = [
        AnchorReceipt(receipts.METHODS[each.method].removeprefix("."), each.data)
        for each in receipts.beside(path)
        if each.method != "witness" and not each.fault
    ]
    return tuple(found[:MAX_RECEIPTS])


def _receipts(value: object) -> tuple[AnchorReceipt, ...]:
    if not 0 < len(_list(value)) <= MAX_RECEIPTS:
        raise ValueError
    return tuple(map(_receipt, _list(value)))


def _receipt(value: dict[str, Any]) -> AnchorReceipt:
    data = note.unb64(value["data"])
    if data is None or len(data) > MAX_RECEIPT or not _KIND.fullmatch(value["kind"]):
        raise ValueError
    return AnchorReceipt(value["kind"], data)


def _objects(value: object) -> list[dict[str, Any]]:
    """Return the objects in what should be a list of them."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError
    return value


def _bytes(text: object) -> bytes:
    if not isinstance(text, str):
        raise TypeError
    return text.encode()


def _hash(line: bytes) -> bytes:
    raw = note.unb64(line)
    if raw is None or len(raw) != merkle.HASH_BYTES:
        raise _malformed("a hash is not the base64 of 32 bytes")
    return raw


def _malformed(what: str) -> FormatError:
    return FormatError("T-40", f"malformed proof: {what}", code="proof-malformed")
