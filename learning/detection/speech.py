"""Finds the sentences of a message that a person said in their own words.

Implements specs/capture.md (K-20…K-22, K-165, K-167, K-173). Code, quotations, logs, tags of programs and memory sections are not a
person's statements. Does not judge what is worth remembering. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from learning.detection import invisible, memory_sections
from learning.detection.memory_sections import BULLET
from ledger.lazy_pattern import lazy_pattern
from ledger.named_tuple import NamedTuple

MAX_MESSAGE = 2_000
"""Only the two ends of a longer message are read, since its middle is mostly pasted (K-20)."""
END = 500
"""How many characters at each end of a long message are read."""
MAX_SENTENCE = 400
"""A longer sentence is not a statement."""
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
    r"(?:From|To|Cc|Subject|Von|An|Betreff|De|Objet|Asunto)\s?:\s\S|[-=*_]{3,}\s*(?:$|original|forwarded)|"
    r"you\s+are\s+(?:a|an|the)\s|\[?\d{1,2}:\d\d(?:\s?[ap]m)?[\],]\s|(?:\S+\s+){1,2}\d{1,2}:\d\d(?:\s?[ap]m)?\s*$",
    re.IGNORECASE,
)
"""Mails, chats, a horizontal rule, the opening of a system prompt: the text after it is somebody else's."""
_ANNOUNCES = lazy_pattern(r":\s*[|>]?$")
_END = lazy_pattern(r"(?<=[.!?…])[\"'”’)\]]*\s+(?=\S)|(?<=[。！？])")
_ABBREVIATION = lazy_pattern(
    r"(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|dr|mr|mrs|ms|prof|st|ca|bzw|z\.\s?b|d\.\s?h|usw|p\.\s?ex|nr|no|[a-z]|\d{1,2})\.$",
    re.IGNORECASE,
)
_QUOTED = lazy_pattern(r"""(?:"[^"]*"|“[^”]*”|«[^»]*»|„[^“”]*[“”]|'[^']*'|‘[^’]*’)[.,;!?]*$""")
_LETTERS = lazy_pattern(r"[^\W\d_]{2}|[^\x00-\u02ff]")
_EMPHASIS = lazy_pattern(r"(\*{1,3}|_{1,3})(?=[^\s*_])((?:(?!\1).)*)\1")
_FENCE = lazy_pattern(r"(?:`{3,}(?=[^`]*$)|~{3,})")
_CUT = lazy_pattern(r"\n|[.!?…]\s|[。！？]")
_TELLING = 4
"""So many words between two tags on one line are a text; fewer are the person's own words in markup."""
_PROGRAMS = (
    r"(?:[a-z]\w*(?:[-_:]\w+)+|system|memory|memories|context|documents?|reminder|instructions?|rules?|prompt|example|files?|email|"
    r"message|logs?|output|quote|transcript|selection|pasted?|details|pre|code|blockquote|user|assistant|human|note)"
)
_REST = r"(?:\s[^<>\n]*)?>"
_NOBODYS = (
    lazy_pattern(r"<!--[\s\S]*?(?:-->|\Z)|<!\[CDATA\[[\s\S]*?(?:\]\]>|\Z)"),
    lazy_pattern(rf"`[^`\n]*`|<({_PROGRAMS}){_REST}[\s\S]*?</\1>", re.IGNORECASE),
    lazy_pattern(rf"`[^`\n]*`|<([A-Za-z][\w:.-]*){_REST}(?P<inside>[\s\S]*?)</\1>"),
    lazy_pattern(rf"^[ \t]*<{_PROGRAMS}{_REST}(?=[^\n]*\n\s*\S)[\s\S]*", re.IGNORECASE | re.MULTILINE),
    lazy_pattern(rf"(?:(?!\n\n)[\s\S])*</{_PROGRAMS}>(?!`)", re.IGNORECASE),
)
"""Comments; text between tags of programs; between other tags; after a program's tag that begins a line and has no end;
and the paragraph before an end tag without a beginning."""


class Sentence(NamedTuple):
    """One sentence on one line.

    `sure` is false if it is probably somebody else's text that the person passed on. Sentences after the first `paragraph`
    may be such text too, since a mail that was pasted below a question looks like the person's words.
    """

    text: str
    sure: bool = True
    paragraph: int = 0


def sentences(text: str) -> list[Sentence]:
    """Return the person's own sentences, in their order (K-20, K-21)."""
    if not text.isascii():
        if invisible.smuggles(text):
            return []
        text = invisible.visible(text)
    is_long = len(text) > MAX_MESSAGE
    if is_long:
        text = f"{_whole(text[:END], last=True)}\n\n{_whole(text[-END:], last=False)}"
    found = [
        Sentence(said, sure and not is_long, paragraph)
        for line, sure, paragraph in _lines(text)
        for said in _cut(line)
        if _is_statement(said)
    ]
    return found[:MOST_SENTENCES]


def _whole(text: str, *, last: bool) -> str:
    """Return a text without the sentence that was cut, since half a sentence, or half a secret, says something else."""
    cuts = [found.end() for found in _CUT.finditer(text)]
    if not cuts:
        return ""
    return text[: cuts[-1]] if last else text[cuts[0] :]


def _lines(text: str) -> Iterator[tuple[str, bool, int]]:
    """Yield the lines that may be the person's, wrapped lines joined, each with `sure` and `paragraph` as in `Sentence`."""
    lines = (_without_blocks(text) if "<" in text else text).split("\n")
    of_memory = memory_sections.marked(lines)
    fence, sure, handed_over = "", True, False
    paragraph, begun, announced = 0, False, False
    waiting, waits_sure = "", True
    for line, remembered in zip(lines, of_memory, strict=True):
        plain = line.strip()
        was_code, fence = bool(fence), _fenced(fence, plain)
        is_code = was_code or bool(fence)
        if is_code or remembered or not plain or plain.startswith("#") or _NO_PROSE.match(line):
            if waiting:
                yield waiting, waits_sure, paragraph
            waiting = ""
            if plain:
                sure, begun = sure and is_code, True
            elif begun and not announced:
                sure, begun, paragraph = not handed_over, False, paragraph + 1
            continue
        if _HEADER.match(plain):
            sure, handed_over = False, True
        begun = True
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
                yield waiting, waits_sure, paragraph
            waiting, waits_sure = line[bullet.end() if bullet else 0 :].strip(), sure
        announced = _ANNOUNCES.search(plain) is not None
        sure = sure and not announced and not plain.count('"') % 2
    if waiting:
        yield waiting, waits_sure, paragraph


def _fenced(fence: str, line: str) -> str:
    """Return the fence that is open after a line, or ""; a fence of at least the same length closes it."""
    if not fence:
        found = _FENCE.match(line)
        return found[0] if found else ""
    return "" if line.startswith(fence) and not line.strip(fence[0]) else fence


def _cut(line: str) -> Iterator[str]:
    """Yield the sentences of a line, without cutting code and quotations."""
    begin = 0
    for end in _END.finditer(line):
        said = line[begin : end.start()]
        if _ABBREVIATION.search(said.rstrip()) or said.count("`") % 2 or said.count('"') % 2:
            continue
        if said.count("“") > said.count("”") and "”" in line[end.start() :]:
            continue
        yield _plain(line[begin : end.end()])
        begin = end.end()
    yield _plain(line[begin:])


def _plain(said: str) -> str:
    """Return a sentence without emphasis around all of it; names such as `__init__.py` stay unchanged."""
    said = said.strip()
    found = _EMPHASIS.fullmatch(said)
    return found[2].strip() if found and " " in found[2] else said


def _is_statement(said: str) -> bool:
    return len(said) <= MAX_SENTENCE and _LETTERS.search(said) is not None and _QUOTED.match(said) is None


def _without_blocks(text: str) -> str:
    """Replace text between tags by line ends, and keep code."""
    for pattern in _NOBODYS:
        text = pattern.sub(_blank, text)
    return text


def _blank(found: re.Match[str]) -> str:
    inside = found.groupdict().get("inside")
    few = inside is not None and "\n" not in inside and len(inside.split()) < _TELLING
    return found[0] if few or found[0].startswith("`") else "\n" * len(found[0])
