"""Removes invisible characters from a text: zero-width and bidirectional controls, tag characters, fillers.

Implements specs/capture.md (K-165). No keyboard types most of these; they hide words from people or from rules. Keeps those
that scripts and emoji need. Pure.
"""

from __future__ import annotations

from ledger.hidden_characters import INVISIBLE
from ledger.lazy_pattern import lazy_pattern

_TAGS = "\U000e0000-\U000e007f"
_SELECTORS = "\U000e0100-\U000e01ef"
_FLAG = lazy_pattern(f"\U0001f3f4[{_TAGS}]{{2,7}}")
"""The flags of England, Scotland and Wales are spelt with tag characters; without them they are plain black flags."""
_SMUGGLED = lazy_pattern(f"[{_TAGS}]|[{_SELECTORS}\ufe00-\ufe0f]{{2}}")
"""A tag outside a flag, or two selectors in a row: both can carry hidden bytes."""
_JOINED = "[\u0600-\u109f\u1780-\u17b3\u1800-\u180a\u2600-\u27bf\ufe0f\U0001f000-\U0001faff]"
_UNSEEN = lazy_pattern(rf"[{INVISIBLE}]|(?<!{_JOINED})[\u200c\u200d]|[\u200c\u200d](?!{_JOINED})")
"""Keeps joiners between characters of the scripts and emoji that need them."""


def smuggles(text: str) -> bool:
    """Return whether a text has characters that carry a hidden text."""
    return not text.isascii() and _SMUGGLED.search(_FLAG.sub("", text)) is not None


def visible(text: str) -> str:
    """Return a text without invisible characters."""
    return text if text.isascii() else _UNSEEN.sub("", text)
