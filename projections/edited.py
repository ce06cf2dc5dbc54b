"""Which documents somebody edited, asked of all or of those that a command is about.

Implements specs/editing.md (D-13, D-15). Cheap: every write asks, and reads no document that it is not about.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ledger.command import Command, Create, Supersede
from ledger.instant import written
from projections.committed import is_tracked
from projections.files import DocumentFolder
from projections.index import Index
from projections.layout import MEMORY_FILE, document_key, path_of
from projections.local import Local
from projections.settings import RenderSettings


def edited(folder: DocumentFolder, local: Local, paths: Iterable[str] | None = None) -> Iterator[str]:
    """Give the documents of a folder, or those of `paths`, that somebody edited and that can be taken in.

    In a folder where nothing was rendered yet, a new worktree, they are those of the ledger's other folders.
    """
    if paths is None:
        paths = list(local.rendered(folder.folder)) or local.rendered_anywhere()
    for path in paths:
        try:
            data = (folder.folder / path).read_bytes()
        except OSError:
            continue
        if folder.is_edit(path, data) and _has_base(folder, local, path):
            yield path


def _has_base(folder: DocumentFolder, local: Local, path: str) -> bool:
    """Say whether an edit of a document can be told: from a rendering here, or elsewhere where git carries them."""
    if local.has_shown(folder.folder, path):
        return True
    return bool(local.shown_elsewhere(folder.folder, path)) and is_tracked(folder.folder, path)


def concerned(index: Index, commands: Iterable[Command], settings: RenderSettings, as_of: int) -> list[str]:
    """Return the documents in which what commands are about stands, or will stand; MEMORY.md in any case."""
    keys = set()
    for command in commands:
        if not isinstance(command, Create):
            keys |= {key for id_ in command.targets if (key := index.key_of(id_))}
        if isinstance(command, Create | Supersede):
            said = command.memory
            day, learned = said.provenance.date, written(as_of)
            key = document_key("active", said.tier, said.topic, said.effective_section, day, learned)
            keys |= {key} if key else set()
    return list(dict.fromkeys([MEMORY_FILE, *(path_of(key, as_of, settings) for key in sorted(keys))]))
