"""Which documents somebody edited, asked of all or of those that a command is about.

Implements specs/editing.md (D-13, D-15). Cheap: every write asks, and reads no document that it is not about.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ledger.command import Command, Create, Supersede
from ledger.instant import written
from projections.files import DocumentFolder
from projections.index import Index
from projections.layout import MEMORY_FILE, document_key, path_of
from projections.local import Local
from projections.settings import RenderSettings

_TOPICS = "memories/"


def edited(folder: DocumentFolder, local: Local, paths: Iterable[str] | None = None) -> Iterator[str]:
    """Give the documents of a folder, or those of `paths`, that somebody edited and that can be taken in."""
    for path in paths if paths is not None else local.rendered(folder.folder):
        if path.startswith(_TOPICS):
            continue
        try:
            data = (folder.folder / path).read_bytes()
        except OSError:
            continue
        if folder.is_edit(path, data) and local.has_shown(path):
            yield path


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
