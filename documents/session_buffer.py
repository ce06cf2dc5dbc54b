"""Reads a session buffer: a markdown file to which a running session, its hooks and people append notes.

Implements specs/capture.md (K-90, K-91). It is tolerant: each bullet or line is an entry, headings give day, session and
section, and other text (code, comments, rules) is skipped. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date

from ledger.lazy_pattern import lazy_pattern
from ledger.memory import MAX_TEXT, one_line

BUFFER_NAME = "session-buffer.md"

_HEADING = lazy_pattern(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*")
_BULLET = lazy_pattern(r"([ \t]*)(?:[-*+•]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(.*)")
_FENCE = lazy_pattern(r"[ \t]*(`{3,}|~{3,})")
_RULE = lazy_pattern(r"[ \t]*(?:[-*_=][ \t]*){3,}|[ \t]*\|?[ \t:|-]+\|?")
_DAY = lazy_pattern(r"(?<!\d)(\d{4}-\d{2}-\d{2})(?!\d)")
_STAMP = lazy_pattern(
    r"[\[(]?(?:(\d{4}-\d{2}-\d{2})[T ,]*)?(?:(\d{1,2}:\d{2})(?::\d{2}(?:[.,]\d+)?)?[ ]?(?:Z|UTC|"
    r"[+-]\d{2}:?\d{2})?)?[\])]?"
    r"[ \t]*(?:[-–:|][ \t]+)?"
)
_SESSION = lazy_pattern(
    r"\bsession(?:[ _-]?id)?[ \t]*(?::[ \t]*|#[ \t]*|[ \t](?=[\w.:-]*\d))`?([\w.:@/-]{2,128})`?",
    re.IGNORECASE,
)
_FIELD = lazy_pattern(r"(session(?:[ _-]?id)?|date|day)[ \t]*:[ \t]*(\S+)[ \t]*", re.IGNORECASE)
_TIME_ONLY = lazy_pattern(r"[\W\d_TZ]*|[\W\d_]*(?:UTC|GMT|am|pm)[\W\d_]*", re.IGNORECASE)
_MOST_DETAILS = 100
_LONGEST_SECTION = 100


@dataclass(frozen=True, slots=True)
class BufferEntry:
    """One entry: its text on one line, the lines nested below it, and its day, session and section.

    `day` is "" if neither the entry nor a heading has one; `line` counts from 1.
    """

    text: str
    details: tuple[str, ...] = ()
    day: str = ""
    session: str = ""
    section: str = ""
    line: int = 0


@dataclass(slots=True)
class _Open:
    """An entry that may continue in the next line."""

    lines: list[str]
    day: str
    session: str
    section: str
    line: int
    indent: int

    def closed(self) -> BufferEntry | None:
        day, lines = self.day, [one_line(line) for line in self.lines]
        stamp = _STAMP.match(lines[0])
        if stamp and (stamp[1] or stamp[2]) and _is_time(stamp[1], stamp[2]):
            day = stamp[1] or day
            lines[0] = " ".join(filter(None, (stamp[2], lines[0][stamp.end() :])))
        pieces = [piece for line in lines for piece in _fitting(line)]
        if not pieces or not any(sign.isalpha() for sign in pieces[0]):
            return None
        details = tuple(pieces[1 : 1 + _MOST_DETAILS])
        return BufferEntry(pieces[0], details, day, self.session, self.section, self.line)


@dataclass(slots=True)
class _Reader:
    day: str = ""
    session: str = ""
    section: str = ""
    fence: str = ""
    comment: bool = False
    open: _Open | None = None
    found: list[BufferEntry] = field(default_factory=list)

    def close(self) -> None:
        """End the entry that is open."""
        if self.open is not None and (entry := self.open.closed()):
            self.found.append(entry)
        self.open = None

    def take(self, line: str, number: int) -> None:
        """Read one line."""
        if self._passed_over(line):
            return
        if heading := _HEADING.fullmatch(line):
            self.close()
            self._head(len(heading[1]), heading[2])
        elif known := _FIELD.fullmatch(line.strip()):
            self.close()
            self._know(known[1].lower(), known[2])
        elif _RULE.fullmatch(line):
            self.close()
        else:
            self._say(line, number)

    def _passed_over(self, line: str) -> bool:
        """Return whether a line is blank, code or a comment."""
        if self.fence:
            if line.strip().startswith(self.fence) and not line.strip().strip(self.fence[0]):
                self.fence = ""
            return True
        if self.comment or line.lstrip().startswith("<!--"):
            self.comment = "-->" not in line
            return True
        if fence := _FENCE.match(line):
            self.fence = fence[1]
            return True
        return not line.strip()

    def _head(self, level: int, text: str) -> None:
        day, session = _DAY.search(text), _SESSION.search(text)
        if day and is_day(day[1]):
            self.day, self.section = day[1], ""
        if session:
            self.session, self.section = session[1], ""
        if not (day or session or _TIME_ONLY.fullmatch(text)):
            self.section = "" if level == 1 else one_line(text).lstrip("#").strip()[:_LONGEST_SECTION].strip()

    def _know(self, name: str, value: str) -> None:
        if name.startswith("session"):
            self.session = value[:128]
        elif is_day(value[:10]):
            self.day = value[:10]

    def _say(self, line: str, number: int) -> None:
        bullet = _BULLET.fullmatch(line)
        space = bullet[1] if bullet else line[: len(line) - len(line.lstrip())]
        indent = len(space.expandtabs(4))
        text = (bullet[2] if bullet else line).strip()
        if self.open is not None and indent >= 2 and indent > self.open.indent:
            if bullet:
                self.open.lines.append(text)
            else:
                self.open.lines[-1] += f" {text}"
            return
        self.close()
        quoted = text.lstrip("> ") if not bullet else text
        # only a bullet has lines below it: the next line is another entry
        self.open = _Open(
            [quoted], self.day, self.session, self.section, number, indent if bullet else 1 << 30
        )


def read_buffer(data: bytes) -> list[BufferEntry]:
    """Return the entries of a buffer in their order (K-91), without a last line that has no end yet (K-90)."""
    reader = _Reader()
    for number, line in enumerate(data.split(b"\n")[:-1], 1):
        reader.take(line.decode("utf-8", "replace").rstrip("\r").removeprefix("\ufeff"), number)
    reader.close()
    return reader.found


def ended(data: bytes) -> int:
    """Return the number of bytes in complete lines of a buffer."""
    return data.rfind(b"\n") + 1


def is_day(text: str) -> bool:
    """Return whether a text is a day of the calendar, as `2026-01-02`."""
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _is_time(day: str | None, clock: str | None) -> bool:
    """Return whether a day and a clock time are valid; otherwise they are words of the entry."""
    hour, _, minute = (clock or "0:0").partition(":")
    return (not day or is_day(day)) and int(hour) < 24 and int(minute) < 60


def _fitting(line: str) -> Iterator[str]:
    """Yield a line in pieces that fit a text or detail, cut between words."""
    while len(line) > MAX_TEXT:
        cut = line.rfind(" ", MAX_TEXT // 2, MAX_TEXT)
        cut = cut if cut > 0 else MAX_TEXT
        yield line[:cut].rstrip()
        line = line[cut:].lstrip()
    if line:
        yield line
