"""Blanks out what stands between tags: what programs put there, comments, and texts of others in XML or HTML.

Implements specs/capture.md (K-20, K-167). Nothing moves: what is taken out leaves line ends in its place. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ledger.lazy_pattern import lazy_pattern

_PROGRAMS = (
    r"[a-z][\w]*(?:[-_:][\w]+)+|(?i:system|memory|memories|context|document|documents|reminder|instructions?|rules?|prompt|"
    r"example|file|files|email|message|log|logs|output|quote|transcript|selection|paste|pasted|details|pre|code|"
    r"blockquote|user|assistant|human|note)"
)
_TAG = lazy_pattern(rf"<(?P<end>/)?(?P<name>{_PROGRAMS})(?P<rest>\s[^<>\n]*)?>", re.IGNORECASE)
_ANY_TAG = lazy_pattern(r"<(?P<end>/)?(?P<name>[A-Za-z][\w:.-]*)(?P<rest>\s[^<>\n]*)?>")
_COMMENT = lazy_pattern(r"<!--[\s\S]*?(?:-->|\Z)")
_CDATA = lazy_pattern(r"<!\[CDATA\[[\s\S]*?(?:\]\]>|\Z)")
_TELLING = 4
"""So many words between two tags of one line are a text; fewer are marked words of the person's own."""


def without_blocks(text: str) -> str:
    """Put line ends in the place of what stands between tags.

    A tag of a program that begins a line and has no end takes all that follows it; one that was never begun, all that
    stands before it in its paragraph. Any other tag that stands alone is text.
    """
    for pattern in (_COMMENT, _CDATA):
        if pattern.pattern[:3] in text:
            text = pattern.sub(lambda found: "\n" * len(found[0]), text)
    parts: list[str] = []
    at = 0
    for begin, end in sorted([*_blocks(text)]):
        if end <= at:
            continue
        parts += (text[at : max(at, begin)], "\n" * (end - max(at, begin)))
        at = end
    return "".join((*parts, text[at:]))


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    yield from _of(text, _TAG, lambda *_: True, open_ended=True)
    yield from _of(text, _ANY_TAG, lambda begin, end: _is_text(text, begin, end), open_ended=False)


def _is_text(text: str, begin: int, end: int) -> bool:
    """Say whether what stands between two tags is a text and no word or two that somebody marked."""
    inside = text[begin:end]
    return "\n" in inside or len(inside.split()) >= _TELLING


def _of(
    text: str, pattern: re.Pattern[str], counts: Callable[[int, int], bool], *, open_ended: bool
) -> Iterator[tuple[int, int]]:
    """Give the places of the outermost pairs of tags of each name."""
    opened: dict[str, list[tuple[int, int]]] = {}
    first = 0
    for tag in pattern.finditer(text):
        name = tag["name"].casefold()
        if not tag["end"]:
            if not (tag["rest"] or "").rstrip().endswith("/") and not _in_code(text, tag.start()):
                opened.setdefault(name, []).append(tag.span())
            continue
        stack = opened.get(name)
        if stack:
            opening = stack.pop()
            if counts(opening[1], tag.start()):
                yield opening[0], tag.end()
                first = tag.end()
        elif open_ended and not _in_code(text, tag.start()):
            yield max(first, text.rfind("\n\n", 0, tag.start())), tag.end()
    if open_ended:
        for stack in opened.values():
            for begin, _ in stack:
                if not text[text.rfind("\n", 0, begin) + 1 : begin].strip() and "\n" in text[begin:].strip():
                    yield begin, len(text)


def _in_code(text: str, at: int) -> bool:
    line = text.rfind("\n", 0, at) + 1
    return text.count("`", line, at) % 2 == 1
