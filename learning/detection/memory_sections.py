"""Recognises sections of memories by any writer, since shown memories are nobody's statement and must not be learned.

Implements specs/capture.md (K-22, K-166). A heading or a label marks a section, or lines in the form of memory tools. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ledger.lazy_pattern import lazy_pattern

_HEADING = lazy_pattern(r"(#{1,6})[ \t]+(.*)")
BULLET = lazy_pattern(r"[ \t]*(?:[-*+•‣]|\d{1,3}[.)])[ \t]+")
_TAIL = lazy_pattern(
    r"records of earlier sessions|should i remember\b|\d+ more (?:are|is) left out", re.IGNORECASE
)

_LABEL = lazy_pattern(
    r"""[ \t>]*(?:\#{1,6}[ \t]+)?(?:[-*][ \t]+(?=\*\*))?(?P<open>[\[*_=<(\-—\s]*)
        (?P<title>[^\n:\[\]*=<>]{3,90}?)(?P<close>[\])*_=>\-—\s]*:?[\])*_\s]*)$""",
    re.VERBOSE,
)
_TITLE = lazy_pattern(
    r"""(?:^|.*\b)(?:
        memor(?:y|ies)\b(?!\ (?:leak|usage|limit|footprint|error|alloc\w*|pressure|bound|safety|model|heap|intensive|is|of\ the\ process))
      | background\ knowledge\ from\ previous\ runs | questions\ for\ the\ (?:user|person|human)
      | (?:things|facts|what|all)\ (?:that\ )?(?:I|we|you|the\ \w+|claude|chatgpt)\ (?:\w+\ )?(?:remember|know|learn|recall)\w*\b.*
      | (?:user|customer|human|person)(?:'s)?[\ _-]?(?:\w+\ )?(?:profile|facts?|preferences|context|info\w*|details|model|traits|summary)
      | (?:known|remembered|recalled|retrieved|stored|saved|learned|previous|past|earlier)\ (?:\w+\ )?
          (?:facts?|context|notes|information|preferences|knowledge|observations|conversations?|sessions?|chats?)
      | (?:context|notes|facts|knowledge|information|summary|profile|preferences|details)\b.*\b(?:carried\ over|session\ \d+|the\ user|
          (?:previous|past|earlier|prior|last|other|older|former)\ (?:\w+\ )?(?:conversations?|sessions?|chats?|runs?|threads?))
      | (?:contents?|text|excerpts?|dump|copy|lines)\ (?:of|from)\ (?:[\w-]+\ ){0,2}?\S*\.(?:mdx?|mdc|txt|rst|json|ya?ml|toml)
      | about\ the\ user | model\ set\ context | bio\ tool
    )(?:\W.*)?$""",
    re.VERBOSE | re.IGNORECASE,
)
_ADDRESSED = lazy_pattern(
    r"""(?:[^a-z]*(?:(?:can|could|would|will)\ you|please|pls|hey|and|also|so|ok|now|i\ want\ you\ to),?\ )*
      (?:remember|save|add|put|store|keep|commit|note|update|use|forget|delete|remove|clear|look|check|show|list|here\ are|learn)\b""",
    re.VERBOSE | re.IGNORECASE,
)
"""A person's order to an agent about its memory."""
_ANNOUNCES = lazy_pattern(
    r"\s*(?:the following|below|here)\s(?:is|are)\b[^\n]*\buser\b[^\n]*[.:]\s*$", re.IGNORECASE
)
_ENTRY = lazy_pattern(
    r"""[ \t]*(?:[-*+•‣]|\d{1,3}[.)])?[ \t]*(?:
        \[(?:\d{4}-\d\d-\d\d[^\]\n]{0,20}|mem[\w:.\- ]*|id:[^\]\n]{1,40}|(?:conf\w*|score|importance)[:= ][^\]\n]{1,20}|
          fact|preference|user|project)\]
      | \(\d{4}-\d\d-\d\d[^)\n]{0,20}\) | \d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d\S*)?\s?[:–—|-]
      | (?:the\ )?user(?:'s)?\ (?:prefers|likes|dislikes|hates|is|has|lives|works|wants|uses|loves|name|asked|said|always|never)\b
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_STARTS_ENTRY = lazy_pattern(r"[ \t]*(?:[-*+•‣]|\d{1,3}[.)])")


LABEL = 7
"""The level of a label, below every heading."""


def title(line: str) -> int:
    """Return the level of a line that is the heading of a memory section; 7 for a label, 0 for any other line."""
    heading = _HEADING.match(line)
    if heading is None and len(line) > 100:
        return 0
    found = _LABEL.match(line)
    if found is None:
        return 0
    if (
        heading is None
        and not _ANNOUNCES.match(line)
        and not (":" in found["close"] or (found["open"].strip() and found["close"].strip()))
    ):
        return 0
    said = found["title"].strip()
    if _ADDRESSED.match(said) or _TITLE.match(said) is None:
        return 0
    return len(heading[1]) if heading is not None else LABEL


def is_entry(line: str) -> bool:
    """Return whether a list line has the form that memory tools write: dated, tagged, or about "the user"."""
    return _STARTS_ENTRY.match(line) is not None and _ENTRY.match(line) is not None


def below(level: float, heading: int, before: str) -> float:
    """Return the level of a memory section after a heading, 0 if the section ends there.

    Headings right below a label belong to the section, and so do further headings of that level (K-166).
    """
    if level == LABEL and title(before) == LABEL:
        return heading - 0.5
    return level if heading > level else 0


def goes_on(line: str, before: str, *, after_blank: bool) -> bool:
    """Return whether a line still belongs to a memory section; a paragraph after a list does not."""
    if (
        not after_blank
        or line.startswith(("#", " ", "\t"))
        or before.startswith("#")
        or title(before) == LABEL
    ):
        return True
    return BULLET.match(line) is not None or any(map(_TAIL.match, (line, before)))


def marked(lines: Sequence[str]) -> list[bool]:
    """Return for each line of a text whether it belongs to a memory section, headings included."""
    found: list[bool] = []
    level: float = 0
    blank, before = False, ""
    for line in lines:
        after_blank, blank = blank, not line.strip()
        if level and not blank and not goes_on(line, before, after_blank=after_blank):
            level = 0
        above, before = before, before if blank else line
        if (named := title(line)) and not (level and named > level):
            level = named
        elif (heading := _HEADING.match(line)) is not None:
            level = below(level, len(heading[1]), above)
        found.append(bool(level) or is_entry(line))
    return found


def memories_in(text: str) -> list[str]:
    """Return the lines of the memory sections of a text, without headings and bullets (K-22)."""
    lines = text.splitlines()
    found = []
    for line, remembered in zip(lines, marked(lines), strict=True):
        if remembered and line.strip() and not title(line) and _HEADING.match(line) is None:
            bullet = BULLET.match(line)
            found.append(line[bullet.end() if bullet else 0 :].strip())
    return found
