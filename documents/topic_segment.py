"""Turns a name from another program into one segment of a topic, different for each name.

Implements specs/frameworks.md (FW-4). Pure.
"""

from __future__ import annotations

from blake3 import blake3

from ledger.lazy_pattern import lazy_pattern
from ledger.memory import MAX_SLUG

_NO_SLUG = lazy_pattern(r"[^a-z0-9]+")
_HASH_DIGITS = 32
"""Enough that nobody finds two names with one hash: two users with one topic would read each other's memories."""
_LIKE_A_HASH = lazy_pattern(rf"(?:.*-)?[0-9a-f]{{{_HASH_DIGITS}}}")


def segment(name: str) -> str:
    """Return the segment for a name: itself if it is a slug, else a slug like it with 32 digits of its hash."""
    slug = _NO_SLUG.sub("-", name.lower()).strip("-")
    if slug == name and len(name) <= MAX_SLUG and not _LIKE_A_HASH.fullmatch(name):
        return slug
    digest = blake3(name.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_DIGITS]
    return f"{slug[: MAX_SLUG - _HASH_DIGITS - 1].strip('-')}-{digest}".lstrip("-")
