"""Finds what of a message a person says in their own words, cut into sentences.

Implements specs/capture.md (K-20…K-22, K-165, K-173). Code, quotations, logs, tags of programs and sections of memories are no one's
statement. Knows nothing of what is worth remembering. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from learning.detection import invisible, memory_sections
from learning.detection.markup import without_blocks
from learning.detection.memory_sections import BULLET
from ledger.lazy_pattern import lazy_pattern

MAX_MESSAGE = 2_000
"""Of a longer message only its two ends are read: what stands between was pasted, for the most part (K-20)."""
END = 500
"""So many characters at each end of a long message are read."""
MAX_SENTENCE = 400
"""A longer sentence is no statement."""
MOST_SENTENCES = 40

_NO_PROSE = lazy_pattern(
    r"""\s*(?:
        > | \$\s | >>>\s | \|.*\|\s*$                                    # quotation, shell, Python, table
      | \[?\d{4}-\d\d-\d\d[T\ ]\d\d:\d\d | \[?\d\d:\d\d:\d\d               # the line of a log
      | at\s[\w.$<>]+\( | File\s"[^"]+",\ line\s\d | Traceback\s\(most     # a stack trace
      | [\w.$]*(?:Error|Exception)(?:\s\[\w+\])?:\s
      | diff\s--git\s | @@\s-\d | [+-](?![\s+-]).*[;{}()=]                 # a diff
    )""",
    re.VERBOSE,
)
_HEADER = lazy_pattern(
    r"(?:From|To|Cc|Subject|Von|An|Betreff|De|Objet|Asunto)\s?:\s\S|-{3,}\s*(?:original|forwarded)",
    re.IGNORECASE,
)
_ANNOUNCES = lazy_pattern(r":\s*$")
_END = lazy_pattern(r"(?<=[.!?…])[\"'”’)\]]*\s+(?=\S)|(?<=[。！？])")
_ABBREVIATION = lazy_pattern(
    r"(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|dr|mr|mrs|ms|prof|st|ca|bzw|z\.\s?b|d\.\s?h|usw|p\.\s?ex|nr|no|[a-z]|\d{1,2})\.$",
    re.IGNORECASE,
)
_QUOTED = lazy_pattern(r"""(?:"[^"]*"|“[^”]*”|«[^»]*»|„[^“”]*[“”]|'[^']*'|‘[^’]*’)[.,;!?]*$""")
_LETTERS = lazy_pattern(r"[^\W\d_]{2}|[^\x00-\u02ff]")
_EDGE = " \t*_"


class Sentence(NamedTuple):
    """One sentence on one line; `sure` is false where it may be somebody else's text that the person handed over."""

    text: str
    sure: bool = True


def sentences(text: str) -> list[Sentence]:
    """Return the sentences that the person says themselves, in their order (K-20, K-21)."""
    if not text.isascii():
        if invisible.smuggles(text):
            return []
        text = invisible.visible(text)
    is_long = len(text) > MAX_MESSAGE
    if is_long:
        text = f"{text[:END]}\n\n{text[-END:]}"
    found = [
        Sentence(said, sure and not is_long)
        for line, sure in _lines(text)
        for said in _cut(line)
        if _is_statement(said)
    ]
    return found[:MOST_SENTENCES]


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """Give the lines that may be the person's, those that were wrapped as one, each with whether it is surely theirs."""
    lines = (without_blocks(text) if "<" in text else text).split("\n")
    of_memory = memory_sections.marked(lines)
    fence, sure = "", True
    waiting, waits_sure = "", True
    for line, remembered in zip(lines, of_memory, strict=True):
        plain = line.strip()
        mark = plain[:3]
        if mark in ("```", "~~~"):
            fence = "" if fence == mark else fence or mark
        is_code = bool(fence) or mark in ("```", "~~~")
        if is_code or remembered or not plain or plain.startswith("#") or _NO_PROSE.match(line):
            if waiting:
                yield waiting, waits_sure
            waiting = ""
            sure = sure or not plain
            continue
        if _HEADER.match(plain):
            sure = False
        bullet = BULLET.match(line)
        if (
            waiting
            and bullet is None
            and len(waiting) >= 60
            and waiting[-1] not in ".!?:;"
            and plain[0].islower()
        ):
            waiting = f"{waiting} {plain}"
        else:
            if waiting:
                yield waiting, waits_sure
            waiting, waits_sure = line[bullet.end() if bullet else 0 :].strip(), sure
        sure = sure and not _ANNOUNCES.search(plain)
    if waiting:
        yield waiting, waits_sure


def _cut(line: str) -> Iterator[str]:
    """Give the sentences of a line; code and quotations are never cut."""
    begin = 0
    for end in _END.finditer(line):
        said = line[begin : end.start()]
        if _ABBREVIATION.search(said.rstrip()) or said.count("`") % 2 or said.count('"') % 2:
            continue
        yield line[begin : end.end()].strip(_EDGE)
        begin = end.end()
    yield line[begin:].strip(_EDGE)


def _is_statement(said: str) -> bool:
    return len(said) <= MAX_SENTENCE and _LETTERS.search(said) is not None and _QUOTED.match(said) is None
