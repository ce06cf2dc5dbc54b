"""What a person's own commits took out of a document, where git brought the rendering from before.

Implements specs/editing.md (D-38). A revert makes the very bytes of an earlier rendering, as a checkout does; only the
history of HEAD tells them apart. Asked of a document that git set back, and of no other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from projections.committed import own_address, versions
from projections.style import Style, styled

Digest = Callable[[bytes], str]


def taken_out(
    folder: Path, path: str, now: str, shown: Mapping[str, Sequence[bytes]], style: Style, digest: Digest
) -> dict[bytes, int]:
    """Return the keys of the blocks that this user's commits took out of a document, each with when (seconds).

    Args:
        folder: where it lies.
        path: its path in it.
        now: the digest of its bytes; nothing is returned where HEAD has others.
        shown: the keys of the blocks of our renderings, by their digests.
        style: how its lines end here.
        digest: makes the digest of a document's bytes.
    """
    history = versions(folder, path)
    known = [_keys(each.data, shown, style, digest) for each in history]
    own = own_address(folder).casefold()
    if not own or not history or now not in {digest(history[0].data), digest(styled(history[0].data, style))}:
        return {}
    there, found = set(known[0] or ()), dict[bytes, int]()
    for older, newer in zip(range(1, len(history)), history, strict=False):
        if newer.merges or newer.aside or history[older].aside:
            break  # what came in by a merge may be anybody's
        mine = newer.author.email.casefold() == own
        for key in set(known[older] or ()) - there:
            found.setdefault(key, newer.at if mine else 0)
    return {key: at for key, at in found.items() if at}


def _keys(
    data: bytes, shown: Mapping[str, Sequence[bytes]], style: Style, digest: Digest
) -> Sequence[bytes] | None:
    return shown.get(digest(data)) or shown.get(digest(styled(data, style)))
