"""Keeps index and documents up to date with the log: after each write, around an erase, and when they are asked for.

Implements specs/projections.md (P-56, P-80, P-88) and specs/editing.md (D-15) above the single folder: what a
person typed goes into the log first. A part of the composition root beside opening.py (specs/adr/0001), which
brings the parts; `ledger.writing` and `projections.reading` are its neighbours.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

from documents.writing.render_lock import LEFT
from ledger.durable import storage_error
from ledger.errors import BusyError, LedgerError, StorageError, UsageError
from ledger.event import By
from ledger.instant import Clock
from ledger.path_names import path_of
from ledger.steps import reached
from ledger.writing import Writing
from projections.reading import Reading

if TYPE_CHECKING:
    from documents.adopting import Adoption
    from documents.writing.files import Outcome
    from documents.writing.folder import DocumentFolder
    from ledger.command import Command, Written
    from ledger.ledger import Ledger
    from ledger.location import Home, Location
    from projections.current import CurrentIndex
    from proofs.erasing.erasure import Erasure

T = TypeVar("T")

ERASING = "erasing"
"""The fact in `local.db` that notes an erasure of which no receipt was written yet (specs/erasure.md, Z-16)."""


class Keeping(Reading, Writing):
    """Writing with its projections; who inherits brings the ledger, the index and the local state."""

    place: Location
    home: Home
    by: By
    clock: Clock
    outcome: Outcome | None
    """What the last rendering of documents did."""
    erasure: Erasure | None = None
    """What became of the copies at the last erase."""
    adopted: list[Adoption]
    """What the edits came to that the last call took in."""
    _index: CurrentIndex

    @property
    @abstractmethod
    def ledger(self) -> Ledger:
        """The ledger itself, for writing."""

    @abstractmethod
    def beside(self, scope: Literal["local", "user"]) -> Keeping:
        """Return the local or the user's ledger beside this project's, which is made where there is none; closed with this one.

        Raises:
            LedgerError, OSError: it cannot be made.
        """

    def documents(self, folder: Path | None = None) -> DocumentFolder:
        """Return the documents in `folder`, by default those of this place."""
        from documents.writing.folder import DocumentFolder

        folder = folder or self.place.documents
        settings = self.configuration.render_settings()
        return DocumentFolder(folder, self._index.own, self.local, settings, shared=self.is_shared(folder))

    def is_shared(self, folder: Path) -> bool:
        """Say whether others keep files of their own in a folder of documents: `[render]` names it, or did (G-25)."""
        if self.place.scope != "user" or folder == self.place.own_folder:
            return False
        return folder == self.place.documents or self.local.is_shared(folder)

    # --- writing ---

    def wait_at_most(self, seconds: float) -> None:
        """Wait no longer than so for a process that writes index or local state just now; before either is asked."""
        self.local.database.patience = self._index.own.patience = seconds

    def write(
        self,
        commands: Sequence[Command],
        by: By | None = None,
        *,
        redact: bool = False,
        render: bool = True,
        timeout: float | None = None,
    ) -> list[Written]:
        """Carry out commands in one batch and bring the projections up to date.

        `timeout` bounds the seconds to wait for another process. Raises as `Ledger.write` does.

        Once the events are acknowledged, documents that cannot be written now are named in `outcome` and
        written by the next command: what was learned must not look lost.
        """
        ledger = self.ledger
        if render:
            with self._as_far_as_possible():
                if self.local.rendering(self.place.documents) is None or self._before():
                    self.render()  # what stands there now may be ours; after the write nobody could tell
                else:
                    self._adopt_first(commands)
        results = ledger.write(commands, by or self.by, redact=redact, timeout=timeout)
        if render:
            with self._as_far_as_possible():
                self.render(checked=True)  # by what was just written behind the mark
        return results

    @contextmanager
    def _as_far_as_possible(self) -> Iterator[None]:
        """Let what is derived fail around a write: it comes later, `outcome` says why, and the write counts (X-310)."""
        import sqlite3

        from documents.writing.files import Outcome

        try:
            yield
        except (LedgerError, sqlite3.Error, OSError) as error:
            why = str(error) if "muniment adopt" in str(error) else f"{error}; {LEFT}"
            self.outcome = Outcome(paused={str(self.place.documents): why})

    def erase(
        self,
        ids: Iterable[str],
        reason: str,
        by: By | None = None,
        *,
        family: bool = True,
        saying: str = "",
    ) -> Written:
        """Blank what events (ids, prefixes or @N) say, and clean every copy of ours (specs/erasure.md).

        With `family` all versions, parts and reasons of these memories go, else these events alone; `saying` is the
        text for which they go, where a person named one. Documents that could not be cleaned stand in
        `outcome.paused`, by their whole path; what became of all other copies, and the receipt, in `erasure`.
        """
        from proofs.erasing.alone import alone

        targets = self.resolved(ids)
        with alone(self.place.directory):
            return self._erase(targets, reason, by, saying, family=family)

    def _erase(
        self, targets: tuple[str, ...], reason: str, by: By | None, saying: str, *, family: bool
    ) -> Written:
        from ledger.command import Erase, Written
        from projections.put_back import put_back
        from proofs.erasing import receipt

        if self.local.cleaning() or self.local.fact(ERASING):
            self._finish_cleaning()  # of one that died: what it had noted is for its own receipt
        index = self._index.caught_up()
        if back := put_back(index, self.chain):
            self._erasing(back, "", self._blank_again)
        left = index.family(targets) if family else index.places(targets)
        if not left and (named := receipt.erase_events(self, targets)):
            events, gone = named
            if {event.id for event in gone if event.erased}.issuperset(targets):  # a second time is none
                return Written(events[-1].id, known=True, erased=tuple(back))
        going = [place.id for place in left] if family else targets
        command = Erase(targets, reason, family)
        return self._erasing(going, saying, lambda: self.write([command], by, render=False)[0])

    def _erasing(self, going: Sequence[str], saying: str, blank: Callable[[], T]) -> T:
        """Clean the copies of events, have them blanked, look once more, and keep the receipt."""
        from proofs.erasing.erasure import Erasing, end

        erasing = Erasing(self, going, saying)
        # if we die, whoever opens the ledger next cleans the documents of every root
        self.local.note_cleaning(going, self._index.own.first_seq(going))
        erasing.look()
        erasing.note_draft()
        result = blank()
        clean = self._clean()
        erasing.look_behind(clean=clean)
        end(self, clean=clean, left=erasing.erasure.documents)
        self.erasure = erasing.erasure
        return result

    def _blank_again(self) -> None:
        """Blank what was erased and stands again (C-20)."""
        from projections.put_back import put_back

        index = self._index.caught_up()
        if back := put_back(index, self.chain):
            index.doubt(back)
            self.ledger.finish_erasures()

    @property
    def cleaning(self) -> bool:
        """Whether index or documents may still hold what was erased: something hindered the cleaning."""
        return self.local.cleaning()

    def index_is_clean(self) -> bool:
        """Say whether our index is known to hold nothing of what was erased."""
        return self._index.is_clean()

    def finish_cleaning(self) -> None:
        """Clear index and documents of what was erased; what hinders that stands in `outcome.paused`.

        What is not done then stays noted, and whoever opens the ledger next tries again. The receipt of an erasure that
        died is written. What another process erases just now is left to it.
        """
        from proofs.erasing.alone import alone

        with suppress(BusyError), alone(self.place.directory, patience=0):
            self._finish_cleaning()

    def _finish_cleaning(self) -> None:
        from proofs.erasing.erasure import end, finish

        clean = self._clean()
        finish(self)
        end(self, clean=clean, left=self.local.left_by_erasure())

    def _clean(self) -> bool:
        """Clear chain, index and documents; say whether nothing hindered it."""
        from ledger.view import ViewUnavailableError

        with suppress(ViewUnavailableError):
            self._blank_again()
        self.render_everywhere()
        if not self._index.is_clean():
            self.ledger.finish_erasures()  # an index that was busy just now still has to
        folders = {str(folder) for folder in self.document_folders()}
        hindered = self.outcome and folders & set(self.outcome.paused)
        return not hindered and self._index.is_clean()

    # --- projections ---

    def render(
        self,
        *,
        everything: bool = False,
        overwrite: bool = False,
        paths: Collection[str] | None = None,
        as_of: int | None = None,
        checked: bool = False,
    ) -> Outcome:
        """Bring the documents of this place up to date.

        What a person edited is taken in first; what cannot be is left alone and named in the outcome. `checked` says
        that the chain was found to stand just now. The other arguments are those of `DocumentFolder.render`, and so is
        what is raised.
        """
        _ = (
            self.configuration
        )  # a file that cannot be read names no other folder: nothing moves for it (F-21)
        self._check_folder(takes=True)
        self._index.caught_up(checked=checked)
        instant = self.clock() if as_of is None else as_of
        if before := self._before():
            from documents.adopting.moving_in import move_in

            self.adopted += move_in(self, before)
            self._index.caught_up()
        done = self.documents().render(instant, everything=everything, overwrite=overwrite, paths=paths)
        if self._adopted(done):
            self._index.caught_up()
            again = self.documents().render(instant)
            again.written, again.removed = [*done.written, *again.written], [*done.removed, *again.removed]
            again.brought_back = {**done.brought_back, **again.brought_back}
            again.taken_away = {**done.taken_away, **again.taken_away}
            self._adopted(again)
            done = again
        if before:
            from documents.adopting.moving_in import move_out

            move_out(self, before, done)
            if not done.paused and self.is_shared(before):
                from documents.targets import release

                release(before, self._id())
        if self.local.cleaning():
            self.finish_cleaning()
            elsewhere = self.outcome.paused if self.outcome else {}
            own = str(self.place.documents)
            done.paused.update({path: why for path, why in elsewhere.items() if not path.startswith(own)})
        elif self.local.fact(ERASING):  # a receipt that could not be kept then
            from proofs.erasing.erasure import finish

            finish(self)
        self.outcome = done
        return done

    def folder_fault(self) -> str:
        """Return why documents cannot lie in the folder that `[render]` names (G-62), "" where they can or it names none."""
        if self.place.usual is None:
            return ""
        from documents.targets import why_not

        return why_not(self.place, self._id())

    def _check_folder(self, *, takes: bool = False) -> None:
        """Refuse a folder that `[render]` names and in which no documents can lie (G-62); `takes` marks it as ours (G-70).

        Raises:
            StorageError: why.
        """
        if takes and self.place.usual is not None and not self.folder_fault() and (own := self._id()):
            from documents.targets import claim

            try:
                claim(self.place.documents, own)
            except OSError as error:
                raise storage_error(error, "marking", self.place.documents, left=LEFT) from error
        if why := self.folder_fault():
            raise StorageError(why)

    def _id(self) -> str:
        """Return the ledger's id, "" where the chain's first line cannot be read: other checks say so."""
        from ledger.founding import identity_of

        try:
            return identity_of(self.place.chain)[0].id
        except LedgerError:
            return ""

    def _before(self) -> Path | None:
        """Return the folder from which the documents are to move to the one that `[render]` names, or from it (G-25)."""
        from documents.targets import LEAVING, moved_from

        leaving = self.local.fact(LEAVING) if self.place.scope == "user" else ""
        return path_of(leaving) if leaving else moved_from(self.local, self.place)

    def render_unless_held(self, *, everything: bool = False, overwrite: bool = False) -> Outcome:
        """Bring the documents up to date behind what is written; one that another process holds is named in the outcome (P-83)."""
        from documents.writing.files import Outcome

        try:
            return self.render(everything=everything, overwrite=overwrite)
        except BusyError as error:
            self.outcome = Outcome(paused={str(self.place.documents): str(error)})
            return self.outcome

    def _is_late(self) -> bool:
        """Say whether a document paused, or the last rendering could not be made."""
        last = self.local.rendering(self.place.documents)
        paused = bool(self.local.paused(self.place.documents))
        index = self._index.caught_up()
        return paused or (last is not None and last.id != index.id_at(index.seq()))

    def _adopted(self, outcome: Outcome) -> bool:
        """Take in the edits of documents that were left alone; say whether one of them can be written now."""
        from documents.writing.files import DELETED, EDITED

        paths = [path for path, why in outcome.paused.items() if why.startswith((EDITED, DELETED))]
        if not paths:
            return False
        from documents.adopting import adopt

        done = adopt(self, self.place.documents, paths)
        outcome.paused.update({each.path: each.paused for each in done if each.paused})
        self.adopted += done
        return any(not each.paused for each in done)

    def adopt(
        self, paths: Iterable[str] | None = None, *, accept: bool = False, asked: bool = True
    ) -> list[Adoption]:
        """Take what was changed in documents of this place into the log, and bring them up to date.

        Args:
            paths: of documents, relative to the folder; all by default.
            accept: also an edit that takes most of a document out.
            asked: somebody asked for just this; else it is as at any other command of who acts here (D-81).

        Returns:
            What each edited document came to; `paused` says why one was not taken in.
        """
        from documents.edited import edited

        self._check_folder()
        moved: list[Adoption] = []
        if self._before():
            self.adopted = []
            self.render()
            moved = self.adopted
        everything = paths is None
        paths = list(edited(self.documents(), self.local, paths))
        if not paths:
            if everything and self._is_late():
                self.render_unless_held()  # what hindered it may be over
            return moved
        from documents.adopting import adopt

        self._index.caught_up()
        done = adopt(self, self.place.documents, paths, accept=accept, asked=asked)
        with self._as_far_as_possible():
            for each in done:  # whatever became of it, the next rendering looks at it
                self.local.pause(self.place.documents, each.path, each.paused)
            if self.by.role == "agent":
                from documents.adopting.telling import note

                note(self, done)
            if done:
                self.render()
        return [*moved, *done]

    def join(self) -> list[Adoption]:
        """Take in the documents that came with a project that is joined, then bind its root (D-62, D-80).

        Nothing is returned where another process has done that meanwhile.

        Raises:
            BusyError: another process is at it.
            StorageError: as `Ledger.write`, and where the root cannot be bound.
        """
        from documents.adopting import join
        from ledger.location import bind, is_joining

        folder, root = self.place.documents, self.place.root
        with ExitStack() as held:
            try:
                held.enter_context(self.local.render_lock.held(folder))
            except BusyError:
                why = "another process joins this project, or writes its documents: run muniment init again"
                raise BusyError(why) from None
            if root is None or not is_joining(self.place.directory):
                return []
            self._index.caught_up()
            done = join(self, folder)
            for each in done:
                self.local.pause(folder, each.path, each.paused)
            bind(self.home, root, self.place.project)
        self.render_unless_held()
        return done

    def _adopt_first(self, commands: Sequence[Command]) -> None:
        """Take in what a person changed in the documents that commands are about, before these are judged."""
        from documents.edited import concerned, edited

        self.adopted = []
        self._check_folder()
        documents = self.documents()
        settings = self.configuration.render_settings()
        about = concerned(self._index.caught_up(), commands, settings, self.clock())
        paths = list(edited(documents, self.local, about))
        if paths:  # what came with it is taken in with it: an agent must find it
            from documents.adopting import adopt

            every = dict.fromkeys([*paths, *edited(documents, self.local)])
            self.adopted = adopt(self, self.place.documents, every)
            for each in self.adopted:
                self.local.pause(self.place.documents, each.path, each.paused)

    def render_everywhere(self) -> None:
        """Bring the documents of every folder that shows this ledger up to date, whole paths in `outcome`.

        Every document is looked at, whatever the index says has changed.
        """
        import sqlite3

        from documents.writing.files import Outcome
        from ledger.view import ViewUnavailableError

        everywhere = Outcome()
        for folder in self.document_folders():
            try:
                self._index.own.follow(self.chain)
                done = self.documents(folder).render(self.clock(), thorough=True)
            except (BusyError, StorageError, UsageError, ViewUnavailableError, sqlite3.Error) as error:
                done = Outcome(paused={"": str(error)})
            everywhere.written += [str(folder / path) for path in done.written]
            everywhere.removed += [str(folder / path) for path in done.removed]
            everywhere.paused.update({str(folder / path): why for path, why in done.paused.items()})
            reached("folder.rendered")
        self.outcome = everywhere

    def document_folders(self) -> list[Path]:
        """Return the folders that show this ledger: this place's, those of bound roots and of their worktrees."""
        from ledger.location import folders_that_show

        folders = folders_that_show(self.place, self.home, self.local.folders())
        if (
            self.place.scope == "user"
        ):  # [render] named others before, or what lay in our own could not be taken away
            known = [self.place.own_folder, *self.local.shared()]
            folders += [
                folder for folder in known if folder.is_dir() and self.local.rendering(folder) is not None
            ]
        return list(dict.fromkeys(folders))

    def throw_index_away(self, reason: str) -> None:
        """Delete the index, which is damaged; the next question makes it again."""
        self._index.own.throw_away(reason)

    def replay(self, *, overwrite: bool = False) -> Outcome:
        """Throw the index away, make it again from the chain, and bring every document up to date."""
        self.check_standing()
        index = self._index.own
        if index.unfinished_erasures():  # an index that is made anew knows nothing of pages to be cleared
            self.ledger.finish_erasures()
        index.rebuild(self.chain)
        if index.unfinished_erasures():
            self.ledger.finish_erasures()
        return self.render_unless_held(everything=True, overwrite=overwrite)
