"""The receipt of an erasure: a signed note that lists what was blanked, cleaned and named, but never the text.

Implements specs/erasure.md (Z-19, Z-20, Z-23…Z-27). The note is one of c2sp.org/signed-note by the ledger's own key, under the name
that its checkpoints have. Layout of the text, lines in this order:

    muniment erasure receipt v1
    muniment/<genesis id>/<epoch>
    at <instant>
    erase <event id> <seq> <instant>                       one or more
    target <event id> <seq>                                one or more
    cleaned <what> <path>                                  any number
    named <what> <path>: <what is left>                    any number
    searched before | searched before and behind
    beyond reach: <what nobody can clean from here>        one or more
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ledger import note, reader
from ledger.durable import folder_within, storage_error, write_new
from ledger.errors import FormatError
from ledger.event import Event
from ledger.fold import is_disowned
from ledger.instant import is_instant
from ledger.lazy_pattern import lazy_pattern
from ledger.note import NoteKey
from projections.query import erases_of, events_of
from proofs.checkpoint import Origin

if TYPE_CHECKING:
    from ledger.verify import ChainReport
    from projections.workspace import Workspace

FOLDER = "erasures"
SUFFIX = ".receipt"
TITLE = "muniment erasure receipt v1"
WITHHELD = "(withheld: the path says it)"
BEYOND = (
    "git history of the documents, and every clone of it",
    "backups, snapshots and copies that others made, and free space of the disk",
    "what agents keep: their transcripts and their context",
    "checkpoints, proofs and anchors hold digests alone; a proof that was copied holds the text that it proves",
    "people who have read it: change a leaked secret",
)
"""What no command of this machine can clean, as every receipt says it."""

_UNPRINTABLE = lazy_pattern("[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]")
_LINE = lazy_pattern(r"(at|erase|target|cleaned|named|searched|beyond reach:) (.+)")
_OF_PAYLOADS = frozenset(
    {"payload-missing", "payload-altered", "payload-schema", "payload-unsigned", "erase-incomplete"}
)
_SEARCHED = ("before", "before and behind")


@dataclass(frozen=True, slots=True)
class CopyFound:
    """A file that held the erased text: its kind, its path, and what is left in it (`proofs.erasing.residue.WHOLE`, …).

    `left` is "" if it was cleaned; `why` is what prevented that.
    """

    kind: str
    path: str
    left: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class ErasureReceipt:
    """What a receipt says, read or to be signed; `erases` and `targets` are ids with their seq."""

    origin: str
    at: str
    erases: tuple[tuple[str, int, str], ...]
    targets: tuple[tuple[str, int], ...]
    cleaned: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    searched: str = "before and behind"
    beyond: tuple[str, ...] = BEYOND

    @classmethod
    def of(
        cls,
        events: tuple[tuple[Event, ...], tuple[Event, ...]],
        found: Iterable[CopyFound],
        *,
        behind: bool,
        at: str,
    ) -> ErasureReceipt:
        """Return the receipt of erase `events` and the events that they blanked; `found` are the copies."""
        erases, blanked = events
        newest = erases[-1]
        each = list(found)
        return cls(
            str(Origin(newest.chain, newest.epoch)),
            at,
            tuple((event.id, event.seq, event.ts) for event in erases),
            tuple((event.id, event.seq) for event in blanked),
            tuple(sorted(_line(f"{one.kind} {one.path}") for one in each if not one.left)),
            tuple(sorted(_line(f"{one.kind} {one.path}: {_left(one)}") for one in each if one.left)),
            "before and behind" if behind else "before",
        )

    def text(self) -> bytes:
        """Return the text that is signed."""
        lines = [TITLE, self.origin, f"at {self.at}"]
        lines += [f"erase {id_} {seq} {ts}" for id_, seq, ts in self.erases]
        lines += [f"target {id_} {seq}" for id_, seq in self.targets]
        lines += [f"cleaned {each}" for each in self.cleaned]
        lines += [f"named {each}" for each in self.named]
        lines += [f"searched {self.searched}", *(f"beyond reach: {each}" for each in self.beyond)]
        return "".join(f"{line}\n" for line in lines).encode()


def _left(one: CopyFound) -> str:
    return f"{one.left} ({one.why})" if one.why else one.left


def _line(text: str) -> str:
    return _UNPRINTABLE.sub("\ufffd", text)


def erase_events(
    memory: Workspace, targets: Collection[str]
) -> tuple[tuple[Event, ...], tuple[Event, ...]] | None:
    """Return the erase events that name these targets, and the targets; None if there is none."""
    index = memory.index
    erases = events_of(index, memory.chain, erases_of(index, targets))
    return (tuple(erases), tuple(events_of(index, memory.chain, targets))) if erases else None


def keep(memory: Workspace, receipt: ErasureReceipt) -> Path:
    """Sign a receipt with the current key and keep it in the ledger's folder; return its path.

    Raises:
        LedgerError: there is no key, or the disk fails.
    """
    text = receipt.text()
    data = note.Note(text, (note.sign(text, receipt.origin, memory.ledger.signing_key()),)).encode()
    path = memory.place.directory / FOLDER / f"{receipt.erases[0][0][:16]}{SUFFIX}"
    try:
        folder_within(path.parent)
        with suppress(FileExistsError):  # a process that died had written it, and knew more
            write_new(path, data)
    except OSError as error:
        left = "the erase is stored, and the next command that can writes the receipt"
        raise storage_error(error, "storing the receipt", path, left=left) from error
    return path


def parse(data: bytes) -> tuple[ErasureReceipt, note.Note]:
    """Return the contents of a receipt, unverified, and its note.

    Raises:
        FormatError: it is not a receipt.
    """
    parsed = note.parse(data)
    lines = parsed.text.decode().split("\n")[:-1]
    if lines[:1] != [TITLE] or len(lines) < 2 or Origin.of(lines[1]) is None:
        raise _malformed("it does not begin as one")
    values: dict[str, list[str]] = {}
    for line in lines[2:]:
        found = _LINE.fullmatch(line)
        if not found:
            raise _malformed("a line does not belong to it")
        values.setdefault(found[1], []).append(found[2])
    try:
        (at,), (searched,) = values["at"], values["searched"]
        receipt = ErasureReceipt(
            lines[1],
            at,
            tuple((id_, int(seq), ts) for id_, seq, ts in _words(values["erase"])),
            tuple((id_, int(seq)) for id_, seq in _words(values["target"])),
            tuple(values.get("cleaned", ())),
            tuple(values.get("named", ())),
            searched,
            tuple(values["beyond reach:"]),
        )
    except (KeyError, ValueError):
        raise _malformed("a line is missing or doubled") from None
    if receipt.text() != parsed.text:
        raise _malformed("its lines are out of order")
    if not is_instant(at) or searched not in _SEARCHED:
        raise _malformed("an instant, or where was searched, is not written as it must be")
    return receipt, parsed


def _words(values: Iterable[str]) -> Iterator[list[str]]:
    return (value.split(" ") for value in values)


def verify(data: bytes, keys: Iterable[NoteKey]) -> tuple[ErasureReceipt, frozenset[bytes]]:
    """Return a receipt that one of these keys signed under the receipt's own origin, with the public keys that did.

    Raises:
        FormatError: it is none, or no such key signed it.
    """
    receipt, parsed = parse(data)
    signed = note.verify(parsed, [key for key in keys if key.name == receipt.origin])
    return receipt, frozenset(each.key.public for each in signed)


def under(origin: str, key: NoteKey) -> NoteKey:
    """Return a key of the ledger under the name of a receipt: that of another epoch is the same ledger's (T-20)."""
    receipts, given = Origin.of(origin), Origin.of(key.name)
    same = receipts is not None and given is not None and receipts.genesis == given.genesis
    return NoteKey(origin, key.public, key.type) if same else key


def keys_in_chain(origin: str, chain: Path) -> list[NoteKey]:
    """Return every key that was ever in force in a chain, under the name of a receipt."""
    return [
        NoteKey(origin, bytes.fromhex(event.head["key"]))
        for event in reader.events(chain)
        if event.kind in ("genesis", "rotate")
    ]


def may_judge(receipt: ErasureReceipt, report: ChainReport) -> bool | None:
    """Return whether a chain that was verified can be held against a receipt; None if it is another ledger's.

    Only faults of payloads may be in it: what is erased is judged here.
    """
    link, origin = report.link, Origin.of(receipt.origin)
    if link is None or origin is None or link.chain != origin.genesis:
        return None
    return all(each.code in _OF_PAYLOADS for each in report.integrity.findings)


def against_chain(receipt: ErasureReceipt, chain: Path, signers: Collection[bytes]) -> list[str]:
    """Return what a chain says against a receipt that the public keys `signers` signed: one sentence each (Z-24)."""
    erases, targets = {id_: (seq, ts) for id_, seq, ts in receipt.erases}, dict(receipt.targets)
    named, stood = set[str](), set[str]()
    keys: list[tuple[int, bytes]] = []
    disowned: list[tuple[int, int]] = []
    faults, newest = [], 0
    for event in reader.events(chain, signatures=False):
        if event.kind in ("genesis", "rotate"):
            keys.append((event.seq, bytes.fromhex(event.head["key"])))
            disowned += [(event.head["since"], event.seq)] if "since" in event.head else []
        if event.id in erases and event.kind == "erase":
            if erases.pop(event.id) != (event.seq, event.ts) or not targets.keys() & set(event.targets):
                faults.append(f"the erase event {event.id[:12]} is another in the chain (@{event.seq})")
            named.update(event.targets)
            newest = event.seq
        if event.id in targets:
            stood.add(event.id)
            if targets[event.id] != event.seq:
                faults.append(f"{event.id[:12]} is at another place in the chain (@{event.seq})")
            if not event.erased:
                faults.append(f"the text of {event.id[:12]} (@{event.seq}) is in the chain")
    faults += [f"the chain has no erase event {id_[:12]} (@{seq})" for id_, (seq, _) in erases.items()]
    faults += [
        f"the chain has no event {id_[:12]} (@{seq})" for id_, seq in targets.items() if id_ not in stood
    ]
    faults += [f"no erase event of the receipt names {id_[:12]}" for id_ in targets if id_ not in named]
    if not erases and not _could_sign(signers, newest, keys, disowned):
        faults.append(f"the key that signed it was not in force at @{newest} or later, or is disowned there")
    return faults


def _could_sign(
    signers: Collection[bytes],
    seq: int,
    keys: list[tuple[int, bytes]],
    disowned: list[tuple[int, int]],
) -> bool:
    """Return whether one of `signers` was in force at `seq` or later, where no rotate disowns it; `keys` with their first seq."""
    ends = [*(start for start, _ in keys[1:]), seq + 1]
    ends[-1] = max(ends[-1], keys[-1][0] + 1)
    return any(
        key in signers and end > seq and not is_disowned(max(start, seq), disowned)
        for (start, key), end in zip(keys, ends, strict=True)
    )


def _malformed(what: str) -> FormatError:
    return FormatError("Z-20", f"malformed erasure receipt: {what}", code="receipt-malformed")
