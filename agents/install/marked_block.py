"""A block between two marks in a file of somebody else's: put in, rewritten in place, taken out (specs/doors.md G-24, G-35).

What stands outside the marks keeps its bytes, and the block has the file's own line ends.
"""

from __future__ import annotations

from agents.install.host import UnreadableError, decoded

BEGIN = "<!-- muniment: begin; `muniment install agents-md` writes what stands here -->"
"""Of the host agents-md; that of another names it."""
END = "<!-- muniment: end -->"


def found(text: str, begin: str, end: str) -> tuple[int, int] | None:
    """Return where a block begins and ends, its marks and its last line end included; None if there is none.

    Raises:
        UnreadableError: a mark stands alone, or twice.
    """
    lines = text.splitlines(keepends=True)
    starts = [at for at, line in enumerate(lines) if line.strip() == begin]
    ends = [at for at, line in enumerate(lines) if line.strip() == end]
    if not starts and not ends:
        return None
    if len(starts) != 1 or len(ends) != 1 or starts[0] > ends[0]:
        raise UnreadableError(
            f"line {min(starts + ends) + 1}: the mark `{begin if starts else end}` stands alone or twice; edit it by hand"
        )
    return sum(map(len, lines[: starts[0]])), sum(map(len, lines[: ends[0] + 1]))


def _begin(host: str) -> str:
    return BEGIN.replace("agents-md", host)


def put(before: bytes | None, text: str, host: str = "agents-md") -> bytes:
    """Return a markdown file with the block in it, which names its host: in the place of an old one, else at its end.

    Raises:
        UnreadableError: a mark stands alone, or twice; or the file is not UTF-8.
    """
    file = decoded(before or b"")
    end = "\r\n" if "\r\n" in file else "\n"
    begin = _begin(host)
    block = f"{begin}\n{text.rstrip()}\n{END}".replace("\n", end)
    if (place := found(file, begin, END)) is not None:
        start, stop = place
        closing = file[len(file[:stop].rstrip("\r\n")) : stop]
        return f"{file[:start]}{block}{closing}{file[stop:]}".encode()
    # One empty line, always, so that `take` knows what to take.
    gap = "" if not file.strip() else end if file.endswith("\n") else end * 2
    return f"{file}{gap}{block}{end}".encode()


def take(data: bytes, host: str = "agents-md") -> bytes | None:
    """Return the file without the block and the empty line before it; None if nothing is left.

    Raises:
        UnreadableError: as by `put`.
    """
    file = decoded(data)
    if (place := found(file, _begin(host), END)) is None:
        return data
    head = file[: place[0]]
    if head.endswith(("\n\n", "\n\r\n")):
        head = head.removesuffix("\n").removesuffix("\r")
    left = head + file[place[1] :]
    return left.encode() if left.strip() else None
