"""In which state each payload is that was signed, once every line of a chain was checked.

Implements specs/verification.md (V-7, V-14, V-50). While lines are checked only the places of blank and altered payloads
and the ids that erases name are kept. Where they contradict each other, the lines concerned are looked at again under a
shared lock: an erasure may have been at work while we read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from ledger import reader
from ledger.check import CheckedLine, LineChecker, decoded
from ledger.errors import FormatError
from ledger.event import LineParts, event_id, is_blanked, split_line
from ledger.finding import MAX_FINDINGS, Finding
from ledger.named_tuple import NamedTuple
from ledger.reader import RawLine


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

    def count(self, state: str, by: int = 1) -> None:
        """Count one more (or fewer) in this state; "" is none."""
        if state:
            setattr(self, state, getattr(self, state) + by)

    def to_json(self) -> dict[str, int]:
        """Return the counts as a JSON-ready object."""
        return asdict(self)

    def __str__(self) -> str:
        words = (f"{count} {name.replace('_', ' ')}" for name, count in self.to_json().items() if count)
        return "payloads: " + ", ".join(words)


class _Place(NamedTuple):
    """Where the line of a payload stands, and the payload's state."""

    line: int
    offset: int
    size: int
    id: str
    seq: int
    state: str


class Payloads:
    """The payloads of the lines that were checked; `states` counts them, once settled."""

    def __init__(self) -> None:
        self.states = PayloadStates()
        self._blank: dict[str, _Place] = {}
        self._altered: dict[str, _Place] = {}
        self._named: set[str] = set()

    def add(self, number: int, line: RawLine, checked: CheckedLine, code: str) -> None:
        """Add a line with a good head and this number; `code` is that of its finding, or ""."""
        if checked.head["kind"] == "erase":
            self._named.update(checked.head["targets"])
        if checked.state == "ok" or code == "payload-schema":
            self.states.present += 1
            return
        place = _Place(number, line.offset, len(line.raw), checked.id, checked.head["seq"], "")
        if code == "payload-missing":
            self.states.missing += 1
        elif code == "payload-altered":
            self._altered[checked.id] = place
        elif checked.state == "blank":
            self._blank[checked.id] = place

    def settle(
        self, fd: int, start: int, stop: int, end: LineChecker, findings: Sequence[Finding]
    ) -> tuple[list[Finding], int]:
        """Judge each payload that is blank without an erase, is there in spite of one, or did not match.

        Args:
            fd: the open chain.
            start: where the first checked line begins.
            stop: where the last one ends.
            end: the checker, after that one.
            findings: the findings of these lines.

        Returns:
            The findings as they are now, in order, and how many payloads beyond `MAX_FINDINGS` have one as well.
        """
        listed = {finding.id for finding in findings if finding.code == "payload-altered"}
        altered = list(self._settled(self._altered, "altered", "present_after_erase"))
        others = [each for each in self._settled(self._blank, "missing", "erased") if each.state == "missing"]
        others += self._standing(fd, start, stop, {f.line for f in findings if not _of_payload(f)})
        others.sort()
        places = sorted([*(each for each in altered if each.id in listed), *others[:MAX_FINDINGS]])
        judged = self._look_again(fd, start, stop, end, places) if places else {}
        kept = [f for f in findings if f.line not in judged or not f.code.startswith("payload-")]
        kept += [finding for finding in judged.values() if finding]
        kept.sort(key=lambda f: (f.line or end.line + 1, f.code == "missing-lf"))
        return kept, len(others[MAX_FINDINGS:])

    def _settled(self, places: dict[str, _Place], state: str, if_named: str) -> Iterator[_Place]:
        """Yield these places with their state, which depends on whether an erase names the event; count them."""
        for id_, place in places.items():
            settled = place._replace(state=if_named if id_ in self._named else state)
            self.states.count(settled.state)
            yield settled

    def _standing(self, fd: int, start: int, stop: int, bad_heads: set[int | None]) -> Iterator[_Place]:
        """Yield the places of events that an erase names and whose payload is still there."""
        named = self._named - self._blank.keys() - self._altered.keys()
        for number, line in enumerate(reader.lines(fd, 0, stop) if named else (), 1):
            parts = _parts(line.raw)
            if parts is None or parts.payload is None or is_blanked(parts.payload) or number in bad_heads:
                continue
            id_, seq = event_id(parts.head), _seq_of_payload(parts)
            if id_ in named and seq is not None:
                self.states.present_after_erase += 1
                self.states.present -= line.offset >= start  # one before these lines was not counted
                yield _Place(number, line.offset, len(line.raw), id_, seq, "present_after_erase")

    def _look_again(
        self, fd: int, start: int, stop: int, end: LineChecker, places: Sequence[_Place]
    ) -> dict[int, Finding | None]:
        """Judge these payloads while no writer is at work (V-14); say by line what holds now."""
        judged: dict[int, Finding | None] = {}
        with reader.shared_lock(fd):
            named = self._named | _named_later(fd, stop, end)
            for place in places:
                parts = _parts(reader.line_at(fd, place.offset, place.offset + place.size))
                if parts is None or parts.payload is None:
                    continue
                blank = is_blanked(parts.payload)
                if place.id in named:
                    judged[place.line] = None if blank else _incomplete(place)
                    now = "erased" if blank else "present_after_erase"
                elif blank:
                    judged[place.line] = _unexplained(place)
                    now = "missing"
                else:
                    continue
                self.states.count(place.state, -1)
                self.states.count("" if now == "erased" and place.offset < start else now)
        return judged


def _of_payload(finding: Finding) -> bool:
    return finding.code.startswith(("payload-", "missing-lf"))


def _parts(raw: bytes) -> LineParts | None:
    try:
        return split_line(raw)
    except FormatError:
        return None


def _named_later(fd: int, stop: int, end: LineChecker) -> set[str]:
    """Return what good erase events name that were appended after the checked lines."""
    named: set[str] = set()
    checker = LineChecker(end.link, end.line)
    for line in reader.lines(fd, stop) if end.link else ():
        taken = checker.take(line.raw) if line.ended else None
        if taken and taken.head["kind"] == "erase":
            named.update(taken.head["targets"])
    return named


def _seq_of_payload(parts: LineParts) -> int | None:
    """Return the seq of an event that was signed with a payload, else None."""
    try:
        head = decoded(parts.event)
    except FormatError:
        return None
    return head["seq"] if "commit" in head else None


def _unexplained(place: _Place) -> Finding:
    message = "the payload was blanked, but no erase event says so"
    return Finding("payload-missing", "V-7", message, place.line, place.seq, place.id)


def _incomplete(place: _Place) -> Finding:
    message = "an erase names this event, but its payload is still there (the next append finishes it)"
    return Finding("erase-incomplete", "V-7", message, place.line, place.seq, place.id)
