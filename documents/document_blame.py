"""Returns the author of each line of a document, now or in the past; the pure part is in `blame`.

Implements specs/projections.md (P-95, P-96). Changes nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from documents.blame import BlamedLine, RenderedDocuments, on_disk
from documents.writing.folder import day_begin
from ledger.durable import read_file
from projections.index_source import IndexSource
from projections.past import Past
from projections.shown_blocks import digest

if TYPE_CHECKING:
    from projections.source import Source
    from projections.workspace import Workspace

SAME, EDITED, OLDER, MISSING, PAST = "same", "edited", "an earlier rendering", "missing", "past"


@dataclass(frozen=True, slots=True)
class Blamed:
    """The lines of one document, and how the file on disk compares with the log's rendering.

    `file` is same; edited (then the lines are the file's); an earlier rendering, missing or past (then they are
    the log's).
    """

    path: str
    lines: tuple[BlamedLine, ...]
    file: str


def blamed(source: Source, name: str) -> Blamed:
    """Return the lines of a document, each with its version.

    Args:
        source: of the past: the document as the log rendered it then; of now: the file.
        name: its path in the documents' folder, the last part of it, or any path that leads to the file.

    Raises:
        NotFoundError, AmbiguousIdError: no document or several documents have the name.
        OSError: the file cannot be read.
    """
    rendered = _rendered(source)
    return _blamed(source, rendered, rendered.at(*_names(source.place.documents, name)))


def all_blamed(workspace: Workspace) -> Iterator[Blamed]:
    """Yield the lines of each rendered document that the log still renders, by path.

    Raises:
        OSError: a file cannot be read.
    """
    rendered = _rendered(workspace)
    for path in sorted(workspace.local.rendered(workspace.place.documents)):
        if path in rendered.keys:
            yield _blamed(workspace, rendered, path)


def _rendered(source: Source) -> RenderedDocuments:
    """Return the documents as of the instant of their last rendering."""
    last = None if isinstance(source, Past) else source.local.rendering(source.place.documents)
    as_of = last.as_of if last else day_begin(source.clock())
    return RenderedDocuments(
        IndexSource(source.index), source.readable_configuration.render_settings(), as_of
    )


def _blamed(source: Source, rendered: RenderedDocuments, path: str) -> Blamed:
    lines = rendered.blame(path)
    if isinstance(source, Past):
        return Blamed(path, tuple(lines), PAST)
    folder = source.place.documents
    try:
        data = read_file(folder / path)
    except FileNotFoundError:
        return Blamed(path, tuple(lines), MISSING)
    if data == "".join(line.text for line in lines).encode():
        return Blamed(path, tuple(lines), SAME)
    if source.local.is_rendering(folder, path, digest(data)):
        return Blamed(path, tuple(lines), OLDER)
    return Blamed(path, tuple(on_disk(lines, data.decode("utf-8", "surrogateescape"))), EDITED)


def _names(folder: Path, typed: str) -> list[str]:
    """Return the possible names of a document: the part of a path below the folder, and the typed name."""
    paths = {Path(typed).absolute(), Path(os.path.realpath(typed))}
    homes = {folder.absolute(), Path(os.path.realpath(folder))}
    inside = [path.relative_to(home).as_posix() for path in paths for home in homes if home in path.parents]
    return [*dict.fromkeys(inside), typed]
