"""Finds the documents that somebody edited, among all or among those that a command concerns.

Implements specs/editing.md (D-13, D-15, D-36). It is cheap, because every write asks: it reads only
the documents that the command concerns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from documents.writing.folder import DocumentFolder
from ledger.command import Command, Create, Supersede
from ledger.durable import read_file
from ledger.instant import written
from projections.index import Index
from projections.layout import MEMORY, MEMORY_FILE, DocumentKey, document_key, path_of, tag_of
from projections.local import Local
from projections.settings import RenderSettings


def edited(folder: DocumentFolder, local: Local, paths: Iterable[str] | None = None) -> Iterator[str]:
    """Yield the edited and new documents of a folder, or among `paths` (D-36).

    In a folder without a rendering, such as a new worktree, the documents of the ledger's other folders are checked.
    """
    if paths is None:
        from documents.foreign_files import documents_in

        known = list(local.rendered(folder.folder)) or local.rendered_anywhere()
        paths = dict.fromkeys([*known, *documents_in(folder.folder, shared=folder.shared)])
    for path in paths:
        try:
            data = read_file(folder.folder / path)
        except FileNotFoundError:
            if local.settled_at(folder.folder, path) and local.has_shown(folder.folder, path):
                yield path
            continue
        except OSError:
            continue
        if folder.is_edit(path, data):
            yield path


def concerned(index: Index, commands: Iterable[Command], settings: RenderSettings, as_of: int) -> list[str]:
    """Return the documents that have or will have the memories of these commands, and MEMORY.md in any case."""
    places: set[tuple[DocumentKey, str]] = set()
    for command in commands:
        if not isinstance(command, Create):
            places |= {place for id_ in command.targets if (place := index.place_of(id_))}
        if isinstance(command, Create | Supersede):
            said = command.memory
            day, learned = said.provenance.date, written(as_of)
            key = document_key("active", said.tier, said.topic, said.effective_section, day, learned)
            places |= {(key, tag_of(key, said.tags))} if key else set()
    keys = {key for key, _ in places} | {DocumentKey(MEMORY, tag) for _, tag in places if tag}
    return list(dict.fromkeys([MEMORY_FILE, *(path_of(key, as_of, settings) for key in sorted(keys))]))
