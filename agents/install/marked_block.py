"""A block between two marks in a markdown file: put in, rewritten in place, taken out (specs/doors.md G-24).

What stands outside of the marks keeps its bytes, and the block has the file's own line ends.
"""

from __future__ import annotations

import re

from agents.install.host import UnreadableError, decoded
from ledger.lazy_pattern import lazy_pattern

BEGIN = "<!-- muniment: begin; `muniment install agents-md` writes what stands here -->"
END = "<!-- muniment: end -->"
_MARK = lazy_pattern(rb"^[ \t]*(<!-- muniment: (begin|end)\b[^\r\n]*-->)[ \t]*(\r?\n|\r|\Z)", re.MULTILINE)


def put(before: bytes | None, text: str) -> bytes:
    """Return the file with the block in it: in the place of an old one, else at its end.

    Raises:
        UnreadableError: a mark stands alone, or twice; or the file is not UTF-8.
    """
    data = before or b""
    end = _line_end(data)
    block = f"{BEGIN}\n{text.rstrip()}\n{END}".replace("\n", end).encode()
    if (found := _block(data)) is not None:
        start, stop, closing = found
        return data[:start] + block + closing + data[stop:]
    if not data.strip(b" \t\r\n"):
        return data + block + end.encode()
    gap = end * (
        1 if data.endswith(b"\n") else 2
    )  # one empty line, always, so that `take` knows what to take
    return data + gap.encode() + block + end.encode()


def take(data: bytes) -> bytes | None:
    """Return the file without the block and the empty line before it; None where nothing is left.

    Raises:
        UnreadableError: as by `put`.
    """
    found = _block(data)
    if found is None:
        return data
    start, stop, _ = found
    head, tail = data[:start], data[stop:]
    if head.endswith((b"\n\n", b"\r\n\r\n")):
        head = head[: -2 if head.endswith(b"\r\n") else -1]
    left = head + tail
    return left if left.strip(b" \t\r\n") else None


def _block(data: bytes) -> tuple[int, int, bytes] | None:
    """Return where the block begins and ends, and the line end behind it; None where there is none."""
    decoded(data)
    marks = list(_MARK.finditer(data))
    if not marks:
        return None
    if [mark[2] for mark in marks] != [b"begin", b"end"]:
        expected = (b"begin", b"end", b"nothing")
        alone = next((mark for mark, kind in zip(marks, expected, strict=False) if mark[2] != kind), marks[0])
        line = data.count(b"\n", 0, alone.start()) + 1
        said = alone[2].decode()
        raise UnreadableError(
            f"line {line}: the mark `muniment: {said}` stands alone or twice; mend it by hand"
        )
    return marks[0].start(1), marks[1].end(), marks[1][3]


def _line_end(data: bytes) -> str:
    first = data.find(b"\n")
    return "\r\n" if first > 0 and data[first - 1 : first] == b"\r" else "\n"
