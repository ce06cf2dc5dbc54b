"""Lists files in the folder of documents by their names: documents, and other markdown files.

Implements specs/editing.md (D-36). Git brought them or a person made them. It reads only names, and follows no link.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from ledger.lazy_pattern import lazy_pattern
from ledger.memory import MAX_SLUG, TOPIC
from projections.layout import MEMORY_FILE, is_day, topic_of_path

_SLUG = lazy_pattern(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_ENDINGS = (".md", ".mdc")
FOLDERS = ("memory", "memories")
"""The folders of all documents except MEMORY.md."""
_README = "readme.md"


def is_document(path: str) -> bool:
    """Return whether a path, relative to the folder, can be that of a document (P-4)."""
    if path == MEMORY_FILE:
        return True
    *folders, name = path.split("/")
    stem = name.removesuffix(".md")
    if name in (stem, _README):
        return False
    if folders == ["memory"]:
        return is_day(stem) or _SLUG.fullmatch(stem) is not None
    if folders == ["memory", "archive"]:
        return is_day(stem)
    topic = topic_of_path(path)
    return TOPIC.fullmatch(topic) is not None and all(len(part) <= MAX_SLUG for part in topic.split("/"))


def is_day_note(path: str) -> bool:
    """Return whether a path, relative to the folder, can be that of a daily note."""
    return (
        is_document(path) and is_day(path.rpartition("/")[2].removesuffix(".md")) and not topic_of_path(path)
    )


def documents_in(folder: Path, *, shared: bool = False) -> Iterator[str]:
    """Yield the paths of the documents in a folder, by their names; links are skipped.

    In a folder `shared` with another program (specs/doors.md, G-25), only MEMORY.md and the daily notes.
    """
    if os.path.isfile(folder / MEMORY_FILE):  # noqa: PTH113 - False if the folder cannot be searched
        yield MEMORY_FILE
    yield from filter(is_day_note if shared else is_document, _notes_in(folder))


def strays_in(folder: Path) -> Iterator[str]:
    """Yield the paths of markdown files among documents that do not have the name of a document."""
    for path in _notes_in(folder):
        if not is_document(path) and path.rpartition("/")[2].casefold() != _README:
            yield path


def _notes_in(folder: Path) -> Iterator[str]:
    """Yield the markdown files below the folders of documents, in the order of their paths, without hidden ones."""
    todo = [name for name in FOLDERS[::-1] if not os.path.islink(folder / name)]  # noqa: PTH114 - as above
    while todo:
        below = todo.pop()
        try:
            with os.scandir(folder / below) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if entry.is_file(follow_symlinks=False) and entry.name.lower().endswith(_ENDINGS):
                yield f"{below}/{entry.name}"
        todo += [
            f"{below}/{entry.name}"
            for entry in reversed(entries)
            if not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False)
        ]
