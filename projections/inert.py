"""Turns a text of unknown origin into one line that is only text of its own bullet.

Implements specs/projections.md (P-33). A memory may come from a person, an agent, a web page that the agent
read, or somebody's commit. In a prompt it must not open or close a block, nor speak in a role.
"""

from __future__ import annotations

import re
import unicodedata

from ledger.hidden_characters import INVISIBLE
from ledger.lazy_pattern import lazy_pattern

__all__ = ["NOTHING", "inert"]

NOTHING = "(nothing visible)"
"""Replaces a text that is empty after cleaning."""

# Controls, line ends and lone surrogates separate words; characters without width or for direction do not.
_PARTING = lazy_pattern("[\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ud800-\udfff]+")
_INVISIBLE = lazy_pattern(rf"[{INVISIBLE}\u200c\u200d]+")
_CHOOSERS = lazy_pattern(
    "(?<![\xa9\xae\u203c-\u2fff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff])[\ufe00-\ufe0f]+(?!\u20e3)"
    "|[\ufe00-\ufe0f]{2,}"
)
"""One selects the look of an emoji; elsewhere it splits words invisibly, and several in a row hide a text."""
_SUSPECT = lazy_pattern(r"[^ -~]|  |^\d|[-<>\[:`~#*+=_|]|\((?:local|project|user)\)\W*$", re.IGNORECASE)
_FENCE = lazy_pattern(r"`{3,}|~{3,}")
_LINE_END = lazy_pattern("[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_ROLES = "(?i:system|human|assistant|user|developer|tool|ai)"
_TAG = lazy_pattern(
    rf"<(?=[A-Za-z/!?|\u2581]|\s*/?\s*{_ROLES}\b)|[\u02c2\u2039\u2329\u276e\u27e8\u3008](?=\W*{_ROLES}\b)"
)
_INSTRUCTION = lazy_pattern(r"(\[)/?(?i:INST|SYS)\w*(\])")
_ROLE_FIRST = lazy_pattern(rf"^[\W\d_]*{_ROLES}[\W_]*?(:+)")
_ROLE_INSIDE = lazy_pattern(rf"(?<![^\W_])(?=[a-z]*[A-Z]){_ROLES}[\W_]*?(:+)")
_STALE_MARK = lazy_pattern(r"^\s*(\[)\s*\?+\s*(\])")
_SCOPE_LABEL = lazy_pattern(r"(\()\s*(?i:local|project|user)\s*(\))\W*$")
_LEADING = lazy_pattern(r">|[#*+\-=_~|]+(?:\s|$)|\[[^\]]*\]:")
_NUMBERED = lazy_pattern(r"(\d{1,9})(?=[.)](?:\s|$))")
_OTHER = lazy_pattern("[^\x00-\x7f]")
_COLONS = dict.fromkeys(map(ord, "\u02d0\u02f8\u0589\u05c3\u2236\ua789"), ":")


def inert(text: str) -> str:
    """Return a text as one line that is only text of its own bullet (P-33).

    It removes line ends, controls, invisible and direction characters, and disarms headings, lists, quotes, rules,
    fences, tags, role markers, stale marks and scope labels. Plain words stay as they are.
    """
    text = text.strip()
    if not _SUSPECT.search(text):
        return text
    if not text.isascii():
        text = _CHOOSERS.sub("", _INVISIBLE.sub("", text))
    lines = (_without(_ROLE_FIRST, line, " -") for line in _LINE_END.split(text))
    text = _PARTING.sub(" ", " ".join(lines)).strip()
    text = _FENCE.sub(lambda fence: fence[0][:2], text)
    if "<" in text or not text.isascii():
        text = _without(_TAG, text, "&lt;")
    if "[" in text or not text.isascii():
        text = _without(_INSTRUCTION, text, "(", ")")
    text = _without(_ROLE_INSIDE, _without(_ROLE_FIRST, text, " -"), " -").replace("  ", " ")
    text = _without(_SCOPE_LABEL, _without(_STALE_MARK, text, "(", ")"), "[", "]")
    return (
        f"\\{text}"
        if _LEADING.match(text)
        else _NUMBERED.sub(r"\1\\", text)
        if _NUMBERED.match(text)
        else text
    )


def _without(sign: re.Pattern[str], text: str, *said: str) -> str:
    """Replace each group of a match, or all of it without groups; look-alike characters match too."""
    pieces, end = [], 0
    for match in sign.finditer(_seen(text)):
        for group, other in enumerate(said, start=1 if sign.groups else 0):
            pieces += [text[end : match.start(group)], other]
            end = match.end(group)
    return "".join([*pieces, text[end:]])


def _seen(text: str) -> str:
    """Return a text as it looks, character by character: full-width, small and ornate forms become ASCII."""
    if text.isascii():
        return text
    return _OTHER.sub(lambda found: _form(found[0]), text)


def _form(char: str) -> str:
    form = _COLONS.get(ord(char)) or unicodedata.normalize("NFKC", char)
    return form if len(form) == 1 else char
