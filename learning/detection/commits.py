"""Finds changes of code (diffs) and commits within a message that somebody pasted.

Implements specs/capture.md (K-196). They are known by how git prints them: headers, hunks, lines that begin with + and -,
indented messages, trailers. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from learning.detection.mails import Whose
from ledger.lazy_pattern import lazy_pattern

_DIFF = lazy_pattern(
    r"diff --(?:git|cc|combined)\s|@@+ -\d|index [0-9a-f]{7,}|(?:\+\+\+|---) (?:[abiwco]/|/dev/null|\S+\t)|"
    r"(?:new|deleted) file mode \d|(?:rename|copy) (?:from|to) \S|similarity index \d"
)
"""A line that only a diff has."""
_OF_DIFF = lazy_pattern(r"[ \t+\-@\\]")
_CHANGED = lazy_pattern(r"(?P<sign>[+-])(?![\s\d]|[+-]{2}|[+-]?$)")
"""A line that was put in or taken out; no blank stands behind the sign, as it does in a list."""
_SPACED = lazy_pattern(r"(?P<sign>[+-])\s+\S")
_COMMIT = lazy_pattern(r"commit\s+[0-9a-f]{3,64}\b(?:\s+\(.*\))?\s*$|Author:\s.*<\S*@\S*>\s*$")
_HEADER = lazy_pattern(
    r"(?:commit|Author|AuthorDate|Commit|CommitDate|Date|Merge|Tagger|Tag)(?::\s|\s+[0-9a-f]{3,}\b)"
)
_ONE_LINE = lazy_pattern(r"[*|\\/_ \t]*(?=[0-9a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}\s+(?:\([^)\n]*\)\s+)?\S")
"""A commit as `git log --oneline` prints it; the name of one has digits and letters."""
_TRAILER = lazy_pattern(
    r"(?:Signed-off-by|Co-authored-by|Reviewed-by|Acked-by|Tested-by|Change-Id|Reported-by):\s\S",
    re.IGNORECASE,
)
_SUBJECT = lazy_pattern(
    r"(?:feat|fix|chore|docs|refactor|perf|test|build|ci|style|revert)(?:\([^)\n]*\))?!?:\s\S"
)  # fmt: skip


def mark(lines: Sequence[str], found: list[Whose]) -> None:
    """Mark the lines of diffs and commits as others'; in doubt where only their look tells."""
    _diffs(lines, found)
    _signed(lines, found)
    _log(lines, found)
    _message(lines, found)


def _put(found: list[Whose], begin: int, end: int, whose: Whose = "others") -> None:
    for at in range(begin, end):
        if found[at] != "others":
            found[at] = whose


def _diffs(lines: Sequence[str], found: list[Whose]) -> None:
    heads = [at for at, line in enumerate(lines) if _DIFF.match(line)]
    if not heads:
        return
    last = heads[-1]
    for at in range(last + 1, len(lines)):
        if _OF_DIFF.match(lines[at]):
            last = at
        elif lines[at].strip():
            break
    _put(found, heads[0], last + 1)


def _signed(lines: Sequence[str], found: list[Whose]) -> None:
    """Lines put in and taken out without a header: with + among them, since a hasty list has only -."""
    kinds: tuple[tuple[re.Pattern[str], Whose], ...] = ((_CHANGED, "others"), (_SPACED, "doubt"))
    for pattern, whose in kinds:
        signs = [(at, line["sign"]) for at, text in enumerate(lines) if (line := pattern.match(text))]
        there = {sign for _, sign in signs}
        if len(signs) > 1 and "+" in there and (whose == "others" or len(there) > 1):
            _put(found, signs[0][0], signs[-1][0] + 1, whose)


def _log(lines: Sequence[str], found: list[Whose]) -> None:
    short = [at for at, line in enumerate(lines) if _ONE_LINE.match(line)]
    for at in short:
        _put(found, at, at + 1)
    begin = next((at for at, line in enumerate(lines) if _COMMIT.match(line)), None)
    if begin is None:
        return
    at = begin
    indented = False
    while at < len(lines):
        line = lines[at]
        inner = line.startswith(("    ", "\t"))
        if line.strip() and not inner and not _HEADER.match(line):
            break
        indented = indented or inner
        at += 1
    _put(found, begin, at)
    if not indented:
        _put(found, at, len(lines), "doubt")


def _message(lines: Sequence[str], found: list[Whose]) -> None:
    """The message of a commit by itself, which ends in a trailer."""
    trailers = [at for at, line in enumerate(lines) if _TRAILER.match(line.strip())]
    if not trailers:
        return
    begin = next((at for at, line in enumerate(lines[: trailers[-1]]) if _SUBJECT.match(line.strip())), None)
    _put(found, begin or 0, trailers[-1] + 1, "doubt" if begin is None else "others")
