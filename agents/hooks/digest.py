"""Appends what an agent said it did to the session buffer: one line an event.

Implements specs/doors.md (G-3, G-11). The buffer is a person's file as well: it is appended to in one write, and no link is followed.
"""

from __future__ import annotations

import os
import re
import stat
import time
from typing import TYPE_CHECKING

from documents.session_buffer import BUFFER_NAME
from learning.daily_checkpoint import MOST_BYTES
from ledger.actor import session_in
from ledger.lazy_pattern import lazy_pattern
from ledger.redaction import redact

if TYPE_CHECKING:
    from agents.hooks.spool import Spooled
    from muniment import MemoryLedger

LONGEST = 240
_LEAST_WORDS = 4
_TAIL = 4096
_FENCED = lazy_pattern(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)", re.MULTILINE | re.DOTALL)
_MARKS = lazy_pattern(r"^[ \t]*(?:[-*+>]|\d+[.)]|#{1,6}|\|)[ \t]+")
_END = lazy_pattern(r"(?<=[.!?])\s")
_SESSION = lazy_pattern(rb"^session: (\S+)$", re.MULTILINE)
_SLUG = lazy_pattern(r"[\w.:@/-]{2,128}")


def append(memory: MemoryLedger, batch: list[Spooled]) -> None:
    """Append a line for each event that says something.

    Raises:
        OSError: the buffer cannot be written.
    """
    for each in batch:
        if each.kind == "transcript" and (line := line_of(each.text("event"), each.text("said"))):
            _append(memory, each.text("session"), line)


def line_of(event: str, said: str) -> str:
    """Return the content of an event's buffer, or ""; secrets are cut out."""
    for line in _FENCED.sub("", said).splitlines():
        text = " ".join(_MARKS.sub("", line).split())
        text = _END.split(text)[0] if len(text) > LONGEST // 2 else text
        if len(text.split()) >= _LEAST_WORDS:
            text = text if len(text) <= LONGEST else f"{text[: LONGEST - 1].rsplit(' ', 1)[0]}…"
            before = "before compacting: " if event == "PreCompact" else ""
            return before + redact(text)
    return ""


def _append(memory: MemoryLedger, session: str, line: str) -> None:
    path = memory.workspace.place.documents / BUFFER_NAME
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    number = os.open(path, flags, 0o600)
    try:
        status = os.fstat(number)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MOST_BYTES:
            return
        tail = os.pread(number, _TAIL, max(0, status.st_size - _TAIL))
        if tail.endswith(f"{line}\n".encode()):
            return  # it was said already
        text = "" if not tail or tail.endswith(b"\n") else "\n"
        named = session if _SLUG.fullmatch(session) and session_in(session) == session else ""
        if named and _SESSION.findall(tail)[-1:] != [named.encode()]:
            text += f"session: {named}\n"
        text += f"- {time.strftime('%Y-%m-%d %H:%M', time.gmtime())} {line}\n"
        os.write(number, text.encode("utf-8", "replace"))
    finally:
        os.close(number)
