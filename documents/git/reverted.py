"""What a person's own commits took out of a document, or brought into it again, where git brought the rendering from before.

Implements specs/editing.md (D-38). A revert makes the very bytes of an earlier rendering, as a checkout does; only the
history of HEAD tells them apart. Asked of a document that git set back, and of no other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from documents.git.committed import is_aside, versions
from documents.git.repository import Repository
from ledger.named_tuple import NamedTuple

Names = Callable[[bytes], tuple[str, ...]]


class Reverted(NamedTuple):
    """The keys of blocks that this user's commits took out of a document, and brought into it, each with when (seconds)."""

    out: dict[bytes, int]
    back: dict[bytes, int]


def reverted(
    git: Repository, path: str, now: str, shown: Mapping[str, Sequence[bytes]], names: Names
) -> Reverted:
    """Return what this user's commits took out of a document, and brought into it.

    Args:
        git: what git knows of its folder.
        path: its path in it.
        now: the digest of its bytes; nothing is returned where HEAD has others.
        shown: the keys of the blocks of our renderings, by their digests.
        names: gives the digests under which a version that git has may be known here.
    """
    history = versions(git, path, 16)
    own = git.own_address.casefold()
    if not own or not history or now not in names(history[0].data):
        return Reverted({}, {})
    known = [next((set(shown[name]) for name in names(each.data) if name in shown), None) for each in history]
    out, back = dict[bytes, int](), dict[bytes, int]()
    there = known[0] or set()
    for older, newer in zip(range(1, len(history)), history, strict=False):
        if newer.merges or is_aside(git, newer) or is_aside(git, history[older]):
            break  # what came in by a merge may be anybody's
        at = newer.at if newer.author.email.casefold() == own else 0
        before = known[older]
        for key in (before or set()) - there:
            out.setdefault(key, at)
        for key in there - before if before is not None else ():
            back.setdefault(key, at)
    return Reverted(*({key: at for key, at in found.items() if at} for found in (out, back)))
