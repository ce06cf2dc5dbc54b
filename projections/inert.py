"""Makes a text of unknown origin one line that can be nothing but the words of its own bullet.

Implements specs/projections.md (P-33). A memory was written by a person, an agent, a web page that the agent
read, or somebody's commit; in a prompt it must open nothing, close nothing and speak as nobody.
"""

from __future__ import annotations

import re

__all__ = ["NOTHING", "inert"]

NOTHING = "(nothing visible)"
"""Stands for a text of which nothing is left."""

# Controls, line ends and lone surrogates part words; what has no width, or turns the direction, does not.
_PARTING = re.compile("[\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ud800-\udfff]+")
_INVISIBLE = re.compile(
    "[\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\u2800\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+"
)
_CHOOSERS = re.compile("[\ufe00-\ufe0f]{2,}")
"""One chooses how an emoji looks; several in a row are a hidden text."""
_SUSPECT = re.compile(r"[^ -~]|  |^\d|[-<>\[:`~#*+=_|]")
_FENCE = re.compile(r"`{3,}|~{3,}")
_ROLES = "system|human|assistant|user|developer|tool|ai"
_TAG = re.compile(rf"[<\uff1c\ufe64](?=[A-Za-z/!?|\uff5c\u2581]|\s*/?\s*(?:{_ROLES})\b)", re.IGNORECASE)
_INSTRUCTION = re.compile(r"\[(/?(?:INST|SYS)\w*)\]", re.IGNORECASE)
_ROLE_FIRST = re.compile(rf"^(\W*(?:{_ROLES})[\W_]*?)[:\uff1a]+", re.IGNORECASE)
_ROLE_INSIDE = re.compile(rf"(?<![^\W_])({_ROLES.title()}|{_ROLES.upper()})([*_\"'`)\s]*)[:\uff1a]+")
_LEADING = re.compile(r">|[#*+\-=_~|]+(?:\s|$)|\[[^\]]*\]:")
_NUMBERED = re.compile(r"(\d{1,9})(?=[.)](?:\s|$))")


def inert(text: str) -> str:
    """Return a text as one line that can be nothing but the words of its own bullet (P-33).

    No line end, control, invisible or direction-turning character is left; no heading, list, quote, rule or
    fence; no tag; no role marker. What is plain words stays as it is.
    """
    text = text.strip()
    if not _SUSPECT.search(text):
        return text
    text = _PARTING.sub(" ", _CHOOSERS.sub("", _INVISIBLE.sub("", text))).strip()
    text = _FENCE.sub(lambda fence: fence[0][:2], text)
    text = _INSTRUCTION.sub(r"(\1)", _TAG.sub("&lt;", text))
    text = _ROLE_INSIDE.sub(r"\1\2 -", _ROLE_FIRST.sub(r"\1 -", text)).replace("  ", " ")
    return (
        f"\\{text}"
        if _LEADING.match(text)
        else _NUMBERED.sub(r"\1\\", text)
        if _NUMBERED.match(text)
        else text
    )
