"""Records which entries of the session buffer repeat an erased note, so that they are not noted again.

Implements specs/capture.md (K-93) and specs/erasure.md (Z-30). Light, because an erase loads it without learning.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable

import orjson

from documents.session_buffer import BUFFER_NAME, read_buffer
from ledger.durable import read_file
from projections.notes import notes_after
from projections.workspace import Workspace

_FACT = "erased entries of the session buffer"


def matcher(workspace: Workspace) -> Callable[[str, Iterable[str]], bool]:
    """Return a function that tells by an entry's text and details whether it was erased."""
    known = _known(workspace)
    return lambda text, details: bool(known) and _digest(workspace, text, details) in known


def note(workspace: Workspace, ids: Collection[str] = ()) -> None:
    """Record the entries whose notes are about to be erased, and forget those that left the buffer."""
    said = {
        _digest(workspace, each.memory.text, each.memory.details)
        for each in (notes_after(workspace.index, -1) if ids else ())
        if each.id in ids and each.memory.provenance.file == BUFFER_NAME
    }
    known = _known(workspace)
    if not (said or known):
        return
    try:
        entries = read_buffer(read_file(workspace.place.own_folder / BUFFER_NAME))
    except FileNotFoundError:
        entries = []
    left = (said | known) & {_digest(workspace, each.text, each.details) for each in entries}
    if left != known:
        workspace.local.note(_FACT, orjson.dumps(sorted(left)).decode() if left else "")


def _known(workspace: Workspace) -> set[str]:
    return set(orjson.loads(workspace.local.fact(_FACT) or b"[]"))


def _digest(workspace: Workspace, text: str, details: Iterable[str]) -> str:
    """Return the digest of an entry under the ledger's local secret."""
    said = "\n".join((text, *details)).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(said, key=workspace.local.secret(), digest_size=8).hexdigest()
