"""The erasures of one ledger: blanks what events say, cleans every copy, and keeps the receipt.

Implements specs/erasure.md (Z-1…Z-16) and specs/team.md (TM-23): the order of the steps, one erasure at a time. What it
looks at stands in `erasure`.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from documents.folders import document_folders
from ledger.command import Erase, Written
from ledger.durable import storage_error
from ledger.errors import BusyError, LedgerError, StateError
from ledger.event import By
from ledger.view import ViewUnavailableError
from projections import output_files
from projections.copy_places import CopyPlaces
from projections.event_names import EventWriter, named
from projections.query import event
from projections.recall import Recall
from projections.restored_payloads import put_back
from projections.text_occurrences import Matches, events_that_say
from projections.turns import takes_turns
from projections.workspace import Workspace
from proofs.erasing import erasure_receipt
from proofs.erasing.erasure import Erasing, Erasure, end, finish
from proofs.erasing.erasure_receipt import CopyFound
from writers.counted import copies_in, others_of

if TYPE_CHECKING:
    from documents.documents import Documents

T = TypeVar("T")

_PATIENCE = 30.0
"""Seconds to wait for another erasure."""
_PAUSE = 0.02


@takes_turns
class Erasures:
    """The erasures of one ledger.

    Args:
        workspace: the ledger.
        documents: its documents, which are cleaned.
        places: who else keeps copies.
    """

    def __init__(self, workspace: Workspace, documents: Documents, places: Sequence[CopyPlaces]) -> None:
        self._workspace = workspace
        self.turn = workspace.turn
        self._documents = documents
        self._places = places
        self._died = False
        self._hindered = ""
        self.last: Erasure | None = None
        """What became of the copies at the last erase."""

    def erase(
        self,
        ids: Iterable[str],
        reason: str,
        by: By | None = None,
        *,
        family: bool = True,
        saying: str = "",
    ) -> Written:
        """Blank what events say, and clean every copy of ours (specs/erasure.md).

        Documents that could not be cleaned stand in `Documents.outcome.paused`, by their whole path; what became of all
        other copies, and the receipt, in `last`.

        Args:
            ids: full ids, prefixes or @N.
            reason: why, for the log.
            by: who erases.
            family: all versions, parts and reasons of these memories go, else these events alone.
            saying: the text for which they go, if a person named one.

        Raises:
            StateError: another machine wrote some of it; nothing was erased (TM-23).
        """
        targets = Recall(self._workspace).resolve_all(ids)
        self._check_own(targets, family=family)
        with alone(self._workspace.place.directory):
            return self._erase(targets, reason, by, saying, family=family)

    def _erase(
        self, targets: tuple[str, ...], reason: str, by: By | None, saying: str, *, family: bool
    ) -> Written:
        workspace = self._workspace
        if workspace.local.erasures.is_erasing():
            self._finish()  # of one that died: what it had noted is for its own receipt
        index = workspace.current.caught_up()
        if back := put_back(index, workspace.chain):
            self._erasing(back, "", self._blank_again)
        left = index.family(targets) if family else index.places(targets)
        if not left and (named := erasure_receipt.erase_events(workspace, targets)):
            events, gone = named
            if {event.id for event in gone if event.erased}.issuperset(targets):  # a second time is none
                return Written(events[-1].id, known=True, erased=tuple(back))
        going = [place.id for place in left] if family else targets
        command = Erase(targets, reason, family)

        def blank() -> Written:
            return workspace.append([command], by)[0]

        return self._erasing(going, saying, blank)

    def _erasing(self, going: Sequence[str], saying: str, blank: Callable[[], T]) -> T:
        """Clean the copies of events, have them blanked, look once more, and keep the receipt."""
        local = self._workspace.local
        erasing = Erasing(self._workspace, going, saying, places=self._places)
        # if we die, the next opening of the ledger cleans the documents of every root
        local.erasures.note_cleaning(going, self._workspace.current.own.first_of(going))
        erasing.look()
        erasing.note_draft()
        result = blank()
        clean = self._clean()
        erasing.look_behind(clean=clean, paused=() if clean else self._paused())
        end(self._workspace, clean=clean, left=erasing.erasure.documents)
        self.last = erasing.erasure
        return result

    def _blank_again(self) -> None:
        """Blank what was erased and stands again (C-20)."""
        index = self._workspace.current.caught_up()
        if back := put_back(index, self._workspace.chain):
            index.doubt(back)
            self._workspace.ledger.finish_erasures()

    # --- what would go ---

    def _check_own(self, ids: Sequence[str], *, family: bool) -> None:
        """Refuse what another machine wrote, before anything is blanked (TM-23).

        Raises:
            StateError: some of these events, or of their family, stand in another writer's chain.
        """
        index = self._workspace.index
        others = index.written_by_others(ids, family=family)
        rows = [row for id_ in others if (row := event(index, id_))]
        if not rows:
            return
        names = ", ".join(named(index, row) for row in rows)
        if index.family(ids) if family else index.places(ids):
            raise StateError(
                f"{names} belongs to it and was written on another machine; nothing was erased: run muniment erase "
                "--match TEXT on each machine"
            )
        raise StateError(
            f"{names} was written on another machine; nothing was erased: run muniment erase there"
        )

    def said_by_others(self, text: str) -> list[str]:
        """Return the events of other writers' chains that say a text, as a person names them; they stay.

        Raises:
            ChainError: a copy cannot be read.
        """
        directory = self._workspace.place.directory
        names = {other.id: other.name for other in others_of(directory)}
        return [
            f"{EventWriter(0, path.stem, names.get(path.stem, ''))}@{seq}"
            for path in copies_in(directory)
            for seq in events_that_say(path, text).seqs
        ]

    def said_alike_by_others(self, ids: Iterable[str]) -> list[str]:
        """Return what other machines wrote that says the same as one of these memories, as a person names it; it stays (TM-30)."""
        index = self._workspace.index
        twins = (event(index, twin) for id_ in ids for twin in index.twins(id_))
        return [named(index, row) for row in twins if row]

    def that_say(self, text: str) -> Matches:
        """Return the events that say a text; what is new is verified first. Raises as `Workspace.index` does."""
        self._workspace.index.newest()
        return events_that_say(self._workspace.chain, text)

    def would_blank(self, ids: Sequence[str], *, family: bool = True) -> list[str]:
        """Return the events that an erase of these full ids would blank; of erased ones, those whose text is back.

        Raises:
            StateError: another machine wrote some of them.
        """
        self._check_own(ids, family=family)
        index = self._workspace.index
        places = index.family(ids) if family else index.places(ids)
        if places:
            return [place.id for place in places]
        rows = {id_: event(index, id_) for id_ in ids}
        return [id_ for id_, row in rows.items() if row is None or not row.erased]

    def that_hold(self, text: str) -> list[CopyFound]:
        """Finish an erasure that was hindered, if there is one, and return the files that hold a text that no event says."""
        if self.cleaning or self._workspace.index.unfinished_erasures():
            self.finish()
        erasing = Erasing(self._workspace, (), text, places=self._places)
        erasing.look(change=False)
        erasing.look_in_the_ledger(paused=self._paused() if self.cleaning else ())
        return list(erasing.erasure.found.values())

    def _paused(self) -> Iterable[str]:
        return self._documents.outcome.paused if self._documents.outcome else ()

    # --- what is not finished ---

    @property
    def cleaning(self) -> bool:
        """Whether index or documents may still hold what was erased: something hindered the cleaning."""
        return self._workspace.local.erasures.cleaning()

    def finish(self) -> None:
        """Clear index and documents of erased texts; obstacles are in `Documents.outcome.paused`.

        What is not done stays noted, and the next opening of the ledger tries again. The receipt of an erasure that
        died is written. An erasure that another process is doing now is left to it.
        """
        with suppress(BusyError), alone(self._workspace.place.directory, patience=0):
            self._finish()

    def _finish(self) -> None:
        clean = self._clean()
        finish(self._workspace, clean=clean)
        end(self._workspace, clean=clean, left=self._workspace.local.erasures.left_by_erasure())

    def _clean(self) -> bool:
        """Clear chain, index and documents; say whether nothing hindered it."""
        workspace = self._workspace
        with suppress(ViewUnavailableError):
            self._blank_again()
            if others := workspace.current.own.erased_by_others():
                workspace.current.own.erased(others)
        self._documents.render_everywhere()
        with suppress(ViewUnavailableError):  # then it is not clean
            if not workspace.current.is_clean():
                workspace.ledger.finish_erasures()  # an index that was busy just now still has to
        folders = {str(folder) for folder in document_folders(workspace)}
        return not folders.intersection(self._paused()) and workspace.current.is_clean()

    def finish_what_died(self) -> None:
        """Finish an erasure whose process died, and sweep what one left that made a file (Z-16, Z-9)."""
        workspace = self._workspace
        self._died = True
        try:
            output_files.sweep(workspace.local)
            if self.cleaning:
                self.finish()
        except (LedgerError, OSError, sqlite3.Error) as error:
            self._hindered = str(error)

    def go_on(self) -> None:
        """Finish what something hindered, or write the receipt that could not be kept then."""
        if self.cleaning:
            self.finish()
        else:
            finish(self._workspace, clean=True)

    @property
    def unfinished(self) -> str:
        """Why an erasure that was begun could not be finished here, "" if none was begun, or it was finished."""
        if not self._died or not self.cleaning:
            return ""
        outcome = self._documents.outcome
        paused = outcome.paused if outcome else {}
        return self._hindered or next((f"{path}: {why}" for path, why in paused.items()), "") or "it is busy"


@contextmanager
def alone(directory: Path, *, patience: float = _PATIENCE) -> Iterator[None]:
    """Hold the lock of a ledger's folder while something is erased.

    Raises:
        BusyError: another process, or thread, erases something for longer than we wait.
        StorageError: the folder cannot be opened or locked.
    """
    deadline = time.monotonic() + patience
    with ExitStack() as stack:
        try:
            fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            stack.callback(os.close, fd)
            while not _is_locked(fd):
                if time.monotonic() >= deadline:
                    why = f"another process erases something in {directory}; nothing was erased: try again"
                    raise BusyError(why)
                time.sleep(_PAUSE)
        except OSError as error:
            raise storage_error(
                error, "locking the ledger's folder", directory, left="nothing was erased"
            ) from error
        yield


def _is_locked(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
