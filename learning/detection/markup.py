"""Blanks out what stands between tags: what programs put there, comments, and texts of others in XML or HTML.

Implements specs/capture.md (K-20, K-167). Nothing moves: what is taken out leaves line ends in its place. Pure.
"""

from __future__ import annotations

import re

from ledger.lazy_pattern import lazy_pattern

_TELLING = 4
"""So many words between two tags of one line are a text; fewer are marked words of the person's own."""
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
"""Comments; between tags of programs; between others; behind a program's tag that begins a line and has no end; and the paragraph
up to one that was never begun."""


def without_blocks(text: str) -> str:
    """Put line ends in the place of what stands between tags; code stays."""
    for pattern in _NOBODYS:
        text = pattern.sub(_blank, text)
    return text


def _blank(found: re.Match[str]) -> str:
    inside = found.groupdict().get("inside")
    few = inside is not None and "\n" not in inside and len(inside.split()) < _TELLING
    return found[0] if few or found[0].startswith("`") else "\n" * len(found[0])
