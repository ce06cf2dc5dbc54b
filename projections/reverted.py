"""What a person's own commits took out of a document, where git brought the rendering from before.

Implements specs/editing.md (D-38). A revert makes the very bytes of an earlier rendering, as a checkout does; only the
history of HEAD tells them apart. Asked of a document that git set back, and of no other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from projections.committed import own_address, versions

Names = Callable[[bytes], tuple[str, ...]]


def taken_out(
    folder: Path, path: str, now: str, shown: Mapping[str, Sequence[bytes]], names: Names
) -> dict[bytes, int]:
    """Return the keys of the blocks that this user's commits took out of a document, each with when (seconds).

    Args:
        folder: where it lies.
        path: its path in it.
        now: the digest of its bytes; nothing is returned where HEAD has others.
        shown: the keys of the blocks of our renderings, by their digests.
        names: gives the digests under which a version that git has may be known here.
    """
    history = versions(folder, path)
    own = own_address(folder).casefold()
    if not own or not history or now not in names(history[0].data):
        return {}
    known = [
        next((set(shown[name]) for name in names(each.data) if name in shown), set[bytes]())
        for each in history
    ]
    found = dict[bytes, int]()
    for older, newer in zip(range(1, len(history)), history, strict=False):
        if newer.merges or newer.aside or history[older].aside:
            break  # what came in by a merge may be anybody's
        mine = newer.author.email.casefold() == own
        for key in known[older] - known[0]:
            found.setdefault(key, newer.at if mine else 0)
    return {key: at for key, at in found.items() if at}
