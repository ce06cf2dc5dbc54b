"""Looks back: a ledger as it was, what became of it between two instants, and whose the lines of a document are.

Implements specs/projections.md (P-94…P-97); what is pure of it stands in `blame` and `difference`. Changes
nothing, not even counters.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from documents.blame import BlamedLine, blame, document_at, lines_that_went, on_disk
from documents.writing.folder import day_begin
from documents.writing.shown import contents, digest, unpacked
from ledger.errors import UsageError
from ledger.fold import Entry
from ledger.instant import written
from projections.difference import Difference, difference
from projections.index_source import IndexSource
from projections.local import Local
from projections.query import LogRow, event, touched_since
from projections.reading import Reading

if TYPE_CHECKING:
    from projections.configuration import Configuration
    from projections.index import Index


class Past(Reading):
    """What `present` answered at the instant `moment` (µs), of which `index` is the history."""

    def __init__(self, present: Reading, index: Index, moment: int) -> None:
        self.place = present.place
        self.clock = lambda: moment
        self._present = present
        self._index = index
        self._local = _LocalThen(present.place.directory, written(moment))

    @property
    def chain(self) -> Path:
        """The chain file, which goes on after the instant."""
        return self._present.chain

    @property
    def index(self) -> Index:
        """The index of the history up to the instant."""
        return self._index

    @property
    def local(self) -> Local:
        """What is still known of what this machine had observed by then."""
        return self._local

    @property
    def configuration(self) -> Configuration:
        """The settings as they are now: the log does not hold them."""
        return self._present.configuration

    @property
    def readable_configuration(self) -> Configuration:
        """The settings as they are now, as far as they can be read."""
        return self._present.readable_configuration

    def check_standing(self) -> None:
        """Refuse nothing: who made the index did."""

    def close(self) -> None:
        """Close the local state."""
        self._local.close()


class _LocalThen(Local):
    """The archive marks of then; no uses, of which only the number of now is known."""

    def __init__(self, directory: Path, then: str) -> None:
        super().__init__(directory)
        self._then = then

    def count(self, ids: Iterable[str], *, injected: bool = False) -> None:
        """Count nothing."""

    def uses(self, ids: Sequence[str] | None = None) -> dict[str, int]:  # noqa: ARG002 - as it is now
        """Return none."""
        return {}

    def archived(self) -> dict[str, tuple[str, str]]:
        """Return those of the ids that are archived now that were so by then."""
        return {id_: (at, why) for id_, (at, why) in super().archived().items() if at <= self._then}


# --- whose the lines are ---

SAME, EDITED, OLDER, MISSING, PAST = "same", "edited", "an earlier rendering", "missing", "past"


@dataclass(frozen=True, slots=True)
class Blamed:
    """The lines of one document, and how the file on disk stands to what the log renders to.

    `file` is same; edited (then the lines are the file's); an earlier rendering, missing or past (then they are
    the log's).
    """

    path: str
    lines: tuple[BlamedLine, ...]
    file: str


def blamed(ledger: Reading, name: str) -> Blamed:
    """Return the lines of a document, each with whose it is.

    Args:
        ledger: of the past, the document as the log rendered it then; of now, as the file says.
        name: its path in the documents' folder, the last part of it, or any path that leads to the file.

    Raises:
        NotFoundError, AmbiguousIdError: no document, or several, have the name.
        OSError: the file cannot be read.
    """
    settings = ledger.readable_configuration.render_settings()
    source = IndexSource(ledger.index)
    folder = ledger.place.documents
    last = None if isinstance(ledger, Past) else ledger.local.rendering(folder)
    as_of = last.as_of if last else day_begin(ledger.clock())
    path, key = document_at(source, settings, as_of, *_names(folder, name))
    lines = blame(source, settings, as_of, key)
    if isinstance(ledger, Past):
        return Blamed(path, tuple(lines), PAST)
    try:
        data = contents(folder / path)
    except FileNotFoundError:
        return Blamed(path, tuple(lines), MISSING)
    if data == "".join(line.text for line in lines).encode():
        return Blamed(path, tuple(lines), SAME)
    if ledger.local.is_rendering(folder, path, digest(data)):
        return Blamed(path, tuple(lines), OLDER)
    gone = lines_that_went(_shown_last(ledger, folder, path), settings, as_of, key)
    return Blamed(path, tuple(on_disk(lines, data.decode("utf-8", "surrogateescape"), gone)), EDITED)


def _names(folder: Path, typed: str) -> list[str]:
    """Return what a document may be called: of a path that leads into the folder the part below it, and what was typed."""
    paths = {Path(typed).absolute(), Path(os.path.realpath(typed))}
    homes = {folder.absolute(), Path(os.path.realpath(folder))}
    inside = [path.relative_to(home).as_posix() for path in paths for home in homes if home in path.parents]
    return [*dict.fromkeys(inside), typed]


def _shown_last(ledger: Reading, folder: Path, path: str) -> Iterable[Entry]:
    """Give the memories that the last rendering of a document showed."""
    for _, blocks in ledger.local.shown(folder, path)[:1]:
        for block in unpacked(blocks):
            ids = ledger.index.ids(block.id)
            entry = ledger.index.entry(ids[0]) if len(ids) == 1 else None
            if entry is not None:
                yield entry


# --- what lies between ---


@dataclass(frozen=True, slots=True)
class Instant:
    """The newest event of a history (-1: before the first), and the time (as written) as of which it is looked at."""

    seq: int
    at: str


@dataclass(frozen=True, slots=True)
class Between:
    """What lies between two instants, and the events that ended what was forgotten or erased, by memory."""

    first: Instant
    second: Instant
    found: Difference
    ends: dict[str, LogRow]


def between(ledger: Reading, first: str, second: str | None = None) -> Between:
    """Return what lies between two instants, each @N or a time; `second` is now by default.

    Raises:
        UsageError: `first` is the later one, or one of them is neither @N nor a time.
        NotFoundError: there is no such event.
    """
    with ExitStack() as opened:
        old, began = opened.enter_context(ledger.as_of(first))
        if second is None:
            new, ended = ledger.index, ledger.clock()
        else:
            new, ended = opened.enter_context(ledger.as_of(second))
        since, until = (
            Instant(old.seq(), written(began)),
            Instant(new.seq(), written(ended)),
        )
        if since.seq > until.seq:
            raise UsageError(f"{first} is later than {second}: give the earlier one first")
        touched, erased = touched_since(new, old)
        found = difference(touched, erased, old.entry, new.entry)
        ends = {each.entry.id: each.by for each in found.forgotten if each.by}
        rows = {id_: event(new, by, ledger.chain) for id_, by in ends.items()}
        return Between(since, until, found, {id_: row for id_, row in rows.items() if row})
