"""Settles which payloads are blank and which should be, once every line of a chain was checked.

Implements specs/verification.md (V-7, V-14, V-50). While lines are checked only ids are kept: 32 bytes for each
blank payload and for each one that an erase names. Where the two differ, or a payload did not match, the
lines concerned are looked at again under a shared lock: an erasure may have been at work while we read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, KeysView, Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple

from ledger import reader
from ledger.check import LineChecker, Link
from ledger.errors import FormatError
from ledger.event import LineParts, event_id, is_blanked, split_line
from ledger.finding import Finding
from ledger.spans import CheckedSpan

_ID = 32


class Ids:
    """A large collection of 32-byte ids, in buckets by first byte: little more memory than their bytes."""

    def __init__(self) -> None:
        self._buckets: defaultdict[int, bytearray] = defaultdict(bytearray)

    def add(self, ids: bytes | bytearray) -> None:
        """Take in ids that stand one after the other."""
        for at in range(0, len(ids), _ID):
            self._buckets[ids[at]] += ids[at : at + _ID]

    @property
    def first_bytes(self) -> KeysView[int]:
        """The bytes with which ids begin."""
        return self._buckets.keys()

    def beginning_with(self, byte: int) -> set[bytes]:
        """Return the ids with this first byte."""
        bucket = self._buckets.get(byte, b"")
        return {bytes(bucket[at : at + _ID]) for at in range(0, len(bucket), _ID)}


@dataclass(frozen=True, slots=True)
class CheckedStretch:
    """Which lines were checked: those from offset `start` to `stop`; `line` and `link` are the last one's."""

    start: int
    stop: int
    line: int
    link: Link | None


@dataclass(slots=True)
class PayloadStates:
    """How many of the payloads that were signed are in which state (V-50)."""

    present: int = 0
    erased: int = 0
    missing: int = 0
    altered: int = 0
    present_after_erase: int = 0

    @property
    def plain(self) -> bool:
        """Whether every one is present."""
        return not (self.erased or self.missing or self.altered or self.present_after_erase)

    def to_json(self) -> dict[str, int]:
        """Return the counts as a JSON-ready object."""
        return asdict(self)

    def __str__(self) -> str:
        words = (f"{count} {name.replace('_', ' ')}" for name, count in self.to_json().items() if count)
        return "payloads: " + ", ".join(words)


class _Place(NamedTuple):
    line: int
    offset: int
    size: int
    id: bytes
    state: str


class Blanks:
    """Ids of blank and altered payloads and of erased events; `states` counts the payloads, once settled."""

    def __init__(self) -> None:
        self.states = PayloadStates()
        self._blank = Ids()
        self._named = Ids()
        self._altered = Ids()

    def add(self, span: CheckedSpan) -> None:
        """Take in what checking some lines gave."""
        self._blank.add(span.blank)
        self._named.add(span.erased)
        self._altered.add(span.altered)
        self.states.present += span.present
        self.states.missing += span.gone

    def settle(
        self, fd: int, checked: CheckedStretch, findings: Sequence[Finding], limit: int
    ) -> tuple[list[Finding], int]:
        """Judge each payload that is blank without an erase, stands in spite of one, or did not match.

        Args:
            fd: the open chain.
            checked: which of its lines were checked.
            findings: what was found in them.
            limit: how many payloads are judged, beside those that did not match.

        Returns:
            The findings as they are now, in order, and how many payloads beyond the limit have one as well.
        """
        unexplained, named, altered = self._differences()
        doubtful = {bytes.fromhex(f.id) for f in findings if f.code == "payload-altered" and f.id}
        if not (unexplained or named or doubtful):
            return list(findings), 0
        bad_heads = {f.line for f in findings if not f.code.startswith(("payload-", "missing-lf"))}
        places: list[_Place] = []
        omitted = 0
        for place in _places(fd, checked, unexplained, named, doubtful):
            if place.line in bad_heads:
                continue
            if place.state == "present_after_erase":
                self._count_standing(place.offset >= checked.start, place.id in altered)
            if place.id in doubtful or len(places) < limit:
                places.append(place)
            else:
                omitted += 1
        judged = self._look_again(fd, checked, places, named) if places else {}
        kept = [f for f in findings if f.line not in judged or not f.code.startswith("payload-")]
        kept += [finding for finding in judged.values() if finding]
        return sorted(kept, key=lambda f: (f.line or checked.line + 1, f.code == "missing-lf")), omitted

    def _differences(self) -> tuple[set[bytes], set[bytes], set[bytes]]:
        """Return the ids that are blank and not named, those named and not seen blank, and which of these were altered.

        Counts what is erased, missing and altered so far.
        """
        unexplained: set[bytes] = set()
        standing: set[bytes] = set()
        named_altered: set[bytes] = set()
        states = self.states
        for byte in self._blank.first_bytes | self._named.first_bytes | self._altered.first_bytes:
            blank, named = self._blank.beginning_with(byte), self._named.beginning_with(byte)
            altered = self._altered.beginning_with(byte)
            states.erased += len(blank & named)
            states.altered += len(altered)
            unexplained |= blank - named
            standing |= named - blank
            named_altered |= altered & named
        states.missing += len(unexplained)
        return unexplained, standing, named_altered

    def _count_standing(self, checked: bool, altered: bool) -> None:
        """Count a payload that stands in spite of an erase; one before the checked lines was not counted yet."""
        self.states.present_after_erase += 1
        if altered:
            self.states.altered -= 1
        elif checked:
            self.states.present -= 1

    def _look_again(
        self, fd: int, checked: CheckedStretch, places: Sequence[_Place], named: set[bytes]
    ) -> dict[int, Finding | None]:
        """Judge these payloads while no writer is at work (C-21); say by line what holds now."""
        judged: dict[int, Finding | None] = {}
        with reader.shared_lock(fd):
            named = named | _named_later(fd, checked)
            for place in places:
                parts = _parts(reader.line_at(fd, place.offset, place.offset + place.size))
                seq = _seq_of_payload(parts)
                if parts is None or parts.payload is None or seq is None:
                    continue
                blank = is_blanked(parts.payload)
                if place.id in named:
                    judged[place.line] = None if blank else _incomplete(place, seq)
                elif blank:
                    judged[place.line] = _unexplained(place, seq)
                else:
                    continue
                _move(self.states, place, judged[place.line], checked)
        return judged


def _move(states: PayloadStates, place: _Place, now: Finding | None, checked: CheckedStretch) -> None:
    """Count a payload as what it is after the second look."""
    after = (
        {"erase-incomplete": "present_after_erase", "payload-missing": "missing"}.get(now.code) if now else ""
    )
    if after != place.state:
        setattr(states, place.state, getattr(states, place.state) - 1)
        if after:
            setattr(states, after, getattr(states, after) + 1)
        elif place.offset >= checked.start:
            states.erased += 1


def _places(
    fd: int, checked: CheckedStretch, unexplained: set[bytes], named: set[bytes], doubtful: set[bytes]
) -> Iterator[_Place]:
    """Find the lines whose payload needs a second look; before `start` only those that an erase names."""
    for number, line in enumerate(reader.lines(fd, 0, checked.stop), 1):
        parts = _parts(line.raw)
        if parts is None or parts.payload is None:
            continue
        id_ = bytes.fromhex(event_id(parts.head))
        standing = id_ in named and not is_blanked(parts.payload)
        if standing:
            signed = _seq_of_payload(parts) is not None
            yield _Place(number, line.offset, len(line.raw), id_, "present_after_erase" if signed else "")
        elif line.offset >= checked.start and (id_ in unexplained or id_ in doubtful):
            state = "missing" if id_ in unexplained else "altered"
            yield _Place(number, line.offset, len(line.raw), id_, state)


def _parts(raw: bytes) -> LineParts | None:
    try:
        return split_line(raw)
    except FormatError:
        return None


def _named_later(fd: int, checked: CheckedStretch) -> set[bytes]:
    """Return what good erase events name that were appended after the checked lines."""
    named: set[bytes] = set()
    if checked.link is None:
        return named
    checker = LineChecker(checked.link, checked.line, payloads=False)
    for line in reader.lines(fd, checked.stop):
        taken = checker.take(line.raw) if line.ended else None
        if taken and taken.head["kind"] == "erase":
            named.update(bytes.fromhex(target) for target in taken.head["targets"])
    return named


def _seq_of_payload(parts: LineParts | None) -> int | None:
    """Return the seq of an event that was signed with a payload, else None."""
    try:
        head = LineChecker().peek(parts) if parts else {}
    except FormatError:
        return None
    return head["seq"] if "commit" in head else None


def _unexplained(place: _Place, seq: int) -> Finding:
    message = "the payload was blanked, but no erase event says so"
    return Finding("payload-missing", "V-7", message, place.line, seq, place.id.hex())


def _incomplete(place: _Place, seq: int) -> Finding:
    message = "an erase names this event, but its payload still stands (the next append finishes it)"
    return Finding("erase-incomplete", "V-7", message, place.line, seq, place.id.hex())
