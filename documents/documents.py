"""The documents of one ledger: records people's edits, and brings the files up to date with the log.

Implements specs/projections.md (P-56, P-80, P-88) and specs/editing.md (D-15) above the single folder. `documents.adopting`
is imported only if there is an edit, so that no other write waits for it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from documents.edited_documents import concerned, edited
from documents.folders import document_folders, folder_of
from documents.git.repository import Repository
from documents.targets import LEAVING, claim, moved_from, release, why_not
from documents.writing.files import DELETED, EDITED, Outcome
from documents.writing.folder import DocumentFolder
from ledger.command import Command
from ledger.durable import storage_error
from ledger.errors import BusyError, LedgerError, StorageError, UsageError
from ledger.founding import identity_of
from ledger.location import bind, is_joining
from ledger.path_names import path_of
from ledger.steps import reached
from ledger.view import ViewUnavailableError
from projections.render_lock import LEFT
from projections.turns import takes_turns
from writers.counted import others_of

if TYPE_CHECKING:
    from documents.adopting import Adoption
    from projections.workspace import Workspace


@takes_turns
class Documents:
    """The documents of one ledger, in all folders that show it.

    Args:
        workspace: the ledger.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self.turn = workspace.turn
        self._git = Repository(workspace.place.documents)
        self.outcome: Outcome | None = None
        """The result of the last rendering."""
        self.adopted: list[Adoption] = []
        """The edits that the last call recorded."""
        self.on_rendered: Callable[[], None] | None = None
        """Called after a rendering: continues an erasure that a document blocked, which may be writable now (Z-16)."""

    @property
    def git(self) -> Repository:
        """The repository of this place's folder; it forgets its answers when a call ends (D-93)."""
        if self._git.folder != self._workspace.place.documents:
            self._git.close()
            self._git = Repository(self._workspace.place.documents)
        return self._git

    @property
    def folder(self) -> DocumentFolder:
        """The documents of this place."""
        return folder_of(self._workspace, self.git)

    def close(self) -> None:
        """End git's process."""
        self._git.close()

    # --- around a write ---

    def take_in(self, commands: Sequence[Command]) -> None:
        """Record a person's edits in the documents that commands concern, before the commands are checked.

        If nothing was rendered yet, or the documents must move to another folder, this renders them: later nobody could
        tell who wrote the text of a file. Errors go to `outcome`, and the write continues (X-310).
        """
        with self._as_far_as_possible():
            local, folder = self._workspace.local, self._workspace.place.documents
            if local.rendering(folder) is None or self._before():
                self.render()
            else:
                self._adopt_what_concerns(commands)

    def bring_up_to_date(self) -> None:
        """Render after a write; errors go to `outcome`, and a later command renders the rest (X-310)."""
        with self._as_far_as_possible():
            self.render(checked=True)  # the write has just checked the chain

    @contextmanager
    def _as_far_as_possible(self) -> Iterator[None]:
        """Catch errors of documents around a write; `outcome` has the reason."""
        try:
            yield
        except (LedgerError, sqlite3.Error, OSError) as error:
            why = str(error) if "muniment adopt" in str(error) else f"{error}; {LEFT}"
            self.outcome = Outcome(paused={str(self._workspace.place.documents): why})

    def _adopt_what_concerns(self, commands: Sequence[Command]) -> None:
        self.adopted = []
        self._check_folder()
        workspace = self._workspace
        documents = self.folder
        settings = workspace.configuration.render_settings()
        about = concerned(workspace.current.caught_up(), commands, settings, workspace.clock())
        paths = list(edited(documents, workspace.local, about))
        if paths:  # record what came with it, too: an agent must find it
            from documents.adopting import adopt

            every = dict.fromkeys([*paths, *edited(documents, workspace.local)])
            self.adopted = adopt(workspace, self.git, every)
            for each in self.adopted:
                workspace.local.pause(workspace.place.documents, each.path, each.paused)

    # --- rendering ---

    def render(
        self,
        *,
        everything: bool = False,
        overwrite: bool = False,
        paths: Collection[str] | None = None,
        checked: bool = False,
    ) -> Outcome:
        """Bring the documents of this place up to date.

        It first records what a person edited. The outcome names the edits that it cannot record; they stay as they
        are. `checked` means that the caller checked the chain just now. The other arguments and the errors are those
        of `DocumentFolder.render`.
        """
        with self.git:
            self.outcome = done = self._render(everything, overwrite, paths, checked)
            if self.on_rendered is not None:
                self.on_rendered()
                own, elsewhere = str(self._workspace.place.documents), self.outcome.paused
                done.paused.update({path: why for path, why in elsewhere.items() if not path.startswith(own)})
                self.outcome = done
            return done

    def _render(
        self, everything: bool, overwrite: bool, paths: Collection[str] | None, checked: bool
    ) -> Outcome:
        workspace = self._workspace
        _ = workspace.configuration  # fail on an unreadable file before anything moves (F-21)
        self._check_folder(takes=True)
        workspace.current.caught_up(checked=checked)
        instant = workspace.clock()
        if before := self._before():
            from documents.adopting.relocation import move_in

            self.adopted += move_in(workspace, before)
            workspace.current.caught_up()
        done = self.folder.render(instant, everything=everything, overwrite=overwrite, paths=paths)
        if self._took_in_what_paused(done):
            workspace.current.caught_up()
            again = self.folder.render(instant)
            again.written, again.removed = [*done.written, *again.written], [*done.removed, *again.removed]
            again.brought_back = {**done.brought_back, **again.brought_back}
            again.taken_away = {**done.taken_away, **again.taken_away}
            self._took_in_what_paused(again)
            done = again
        if before:
            from documents.adopting.relocation import move_out

            move_out(workspace, before, done)
            if not done.paused and workspace.is_shared(before):
                release(before, self._id())
        return done

    def render_unless_held(self, *, everything: bool = False) -> Outcome:
        """Bring the documents up to date; if another process is writing them, the outcome says so (P-83)."""
        try:
            return self.render(everything=everything)
        except BusyError as error:
            self.outcome = Outcome(paused={str(self._workspace.place.documents): str(error)})
            return self.outcome

    def render_everywhere(self) -> None:
        """Bring the documents of every folder that shows this ledger up to date; `outcome` has whole paths.

        It checks every document, even if the index names no change.
        """
        workspace, everywhere = self._workspace, Outcome()
        for folder in document_folders(workspace):
            try:
                workspace.current.own.follow(workspace.chain)
                with Repository(folder) as git:
                    done = folder_of(workspace, git).render(workspace.clock(), thorough=True)
            except (BusyError, StorageError, UsageError, ViewUnavailableError, sqlite3.Error) as error:
                done = Outcome(paused={"": str(error)})
            everywhere.written += [str(folder / path) for path in done.written]
            everywhere.removed += [str(folder / path) for path in done.removed]
            everywhere.paused.update({str(folder / path): why for path, why in done.paused.items()})
            reached("folder.rendered")
        self.outcome = everywhere

    def replay(self) -> Outcome:
        """Delete the index, build it again from the chain, and bring every document up to date."""
        workspace = self._workspace
        workspace.check_standing()
        index = workspace.current.own
        if index.unfinished_erasures():  # a new index does not know which pages to clear
            workspace.ledger.finish_erasures()
        index.rebuild(workspace.chain)
        if index.unfinished_erasures():
            workspace.ledger.finish_erasures()
        return self.render_unless_held(everything=True)

    # --- edits ---

    def adopt(
        self, paths: Iterable[str] | None = None, *, accept: bool = False, asked: bool = True
    ) -> list[Adoption]:
        """Record the edits of documents of this place in the log, and bring the documents up to date.

        Args:
            paths: of documents, relative to the folder; all by default.
            accept: also record an edit that removes most of a document.
            asked: the command is `adopt`, not another one that found the edits (D-81).

        Returns:
            The result for each edited document; `paused` says why one was not recorded.
        """
        with self.git:
            return self._adopt(paths, accept=accept, asked=asked)

    def _adopt(self, paths: Iterable[str] | None, *, accept: bool, asked: bool) -> list[Adoption]:
        workspace = self._workspace
        self._check_folder()
        moved: list[Adoption] = []
        if self._before():
            self.adopted = []
            self.render()
            moved = self.adopted
        everything = paths is None
        paths = list(edited(self.folder, workspace.local, paths))
        if not paths:
            if everything and self._is_late():
                self.render_unless_held()  # the obstacle may be gone
            return moved
        from documents.adopting import adopt

        workspace.current.caught_up()
        done = adopt(workspace, self.git, paths, accept=accept, asked=asked)
        with self._as_far_as_possible():
            for each in done:  # the next rendering checks it, whatever the result
                workspace.local.pause(workspace.place.documents, each.path, each.paused)
            if workspace.by.role == "agent":
                from documents.adopting.adoption_summary import note

                note(workspace, done)
            if done:
                self.render()
        return [*moved, *done]

    def examined(self, paths: Iterable[str] | None = None, *, accept: bool = False) -> list[Adoption]:
        """Return what `adopt` would do; nothing is written."""
        from documents.adopting import examined

        with self.git as git:
            return list(examined(self._workspace, git, paths, accept=accept))

    def join(self) -> list[Adoption]:
        """Record the documents of a project that is being joined, then bind its root (D-62, D-80).

        If the ledger already has the chains of a team, these are older than the documents: then the documents are read as
        in any other clone (D-37, D-46), and are in `adopted`. If another process joined meanwhile, nothing is returned.

        Raises:
            BusyError: another process is joining.
            StorageError: as `Ledger.write`, or the root cannot be bound.
        """
        from documents.adopting import join

        workspace = self._workspace
        folder, root = workspace.place.documents, workspace.place.root
        with ExitStack() as held:
            try:
                held.enter_context(workspace.local.render_lock.held(folder))
            except BusyError:
                why = "another process joins this project, or writes its documents: run muniment init again"
                raise BusyError(why) from None
            if root is None or not is_joining(workspace.place.directory):
                return []
            workspace.current.caught_up()
            is_told = bool(others_of(workspace.place.directory))
            done = [] if is_told else join(workspace, held.enter_context(self.git))
            for each in done:
                workspace.local.pause(folder, each.path, each.paused)
            bind(workspace.home, root, workspace.place.project)
        self.render_unless_held()
        return done

    def _took_in_what_paused(self, outcome: Outcome) -> bool:
        """Record the edits of documents that were left alone; return whether one of them can be written now."""
        paths = [path for path, why in outcome.paused.items() if why.startswith((EDITED, DELETED))]
        if not paths:
            return False
        from documents.adopting import adopt

        done = adopt(self._workspace, self.git, paths)
        outcome.paused.update({each.path: each.paused for each in done if each.paused})
        self.adopted += done
        return any(not each.paused for each in done)

    def _is_late(self) -> bool:
        """Return whether a document paused, or the last rendering is not current."""
        workspace = self._workspace
        last = workspace.local.rendering(workspace.place.documents)
        paused = bool(workspace.local.paused(workspace.place.documents))
        index = workspace.current.caught_up()
        return paused or (last is not None and last.id != index.id_at(index.newest()))

    # --- the folder ---

    def folder_fault(self) -> str:
        """Return why documents cannot be in the folder that `[render]` names (G-62), or "" if they can or it names none."""
        return "" if self._workspace.place.usual is None else why_not(self._workspace.place, self._id())

    def _check_folder(self, *, takes: bool = False) -> None:
        """Refuse a folder of `[render]` that cannot have documents (G-62); with `takes`, mark it as ours (G-70).

        Raises:
            StorageError: why.
        """
        place = self._workspace.place
        if takes and place.usual is not None and not self.folder_fault() and (own := self._id()):
            try:
                claim(place.documents, own)
            except OSError as error:
                raise storage_error(error, "marking", place.documents, left=LEFT) from error
        if why := self.folder_fault():
            raise StorageError(why)

    def _id(self) -> str:
        """Return the ledger's id, or "" if the chain's first line cannot be read: other checks report that."""
        try:
            return identity_of(self._workspace.chain)[0].id
        except LedgerError:
            return ""

    def _before(self) -> Path | None:
        """Return the folder from which the documents must move after a change of `[render]`, or None (G-25)."""
        workspace = self._workspace
        leaving = workspace.local.fact(LEAVING) if workspace.place.scope == "user" else ""
        return path_of(leaving) if leaving else moved_from(workspace.local, workspace.place)
