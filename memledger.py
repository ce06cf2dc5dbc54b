"""memledger: memory that agents and the people who run them can trust.

The public Python face and the composition root: it finds a ledger, wires chain, index and documents together,
and gives one object to work with.

    import memledger

    with memledger.open() as memory:
        written = memory.store(memledger.Memory("Use pnpm, not npm", type="preference"))
        print(memory.search("package manager"))

Everything heavy is imported when it is first needed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from ledger.errors import (
    ChainError,
    LedgerError,
    NoLedgerError,
    StateError,
    StorageError,
    UsageError,
)
from ledger.event import By
from ledger.instant import Clock, system_clock
from ledger.memory import Memory, Provenance
from ledger.steps import reached
from ledger.writing import Writing
from projections.current import CurrentIndex
from projections.reading import Reading

if TYPE_CHECKING:
    from ledger.command import Command, Written
    from ledger.ledger import Ledger
    from ledger.location import Home, Location
    from ledger.mark import StateDirectory
    from ledger.recovery import Recovered, Standing
    from ledger.verify import ChainReport, Progress, Verdict
    from projections.configuration import Configuration
    from projections.files import DocumentFolder, Outcome
    from projections.gc import Verdict as GcVerdict
    from projections.index import Index
    from projections.local import Local
    from projections.prompt import Injection

__all__ = [
    "By",
    "LedgerError",
    "Memory",
    "MemoryLedger",
    "Provenance",
    "Report",
    "__version__",
    "init",
    "inject",
    "open",
]

__version__ = "0.1.0"

_CLEANING = "cleaning"  # a fact of local.db: an erase has begun whose documents may not be clean yet


@dataclass(frozen=True, slots=True)
class Report:
    """The three verdicts of verify (specs/verification.md)."""

    chain: ChainReport
    projections: Verdict

    @property
    def sound(self) -> bool:
        """Whether no verdict has findings."""
        return self.chain.sound and not self.projections.findings


def home(environ: Mapping[str, str] | None = None) -> Home:
    """Return the user's folders as the environment names them."""
    from ledger.location import Home

    return Home.from_environment(os.environ if environ is None else environ)


def locate(
    scope: str | None = None, directory: str | Path | None = None, start: str | Path = "."
) -> tuple[Location, str]:
    """Return where the ledger lies that is meant, and a hint for the person, or "".

    Args:
        scope: user, project or local; None is project inside a bound project, else user.
        directory: a ledger directory; overrides the scope.
        start: the folder to look from.

    Raises:
        UsageError: project or local scope outside of a bound project.
    """
    from ledger import location

    if directory is not None:
        return location.explicit(Path(directory)), ""
    return location.locate(home(), Path(start), scope)


def open(
    directory: str | Path | None = None,
    *,
    scope: str | None = None,
    start: str | Path = ".",
    by: By | None = None,
) -> MemoryLedger:
    """Open a ledger.

    Args:
        directory: a ledger directory; by default the scope's.
        scope: user, project or local; None is project inside a bound project, else user.
        start: the folder to look from.
        by: who writes, where a call does not say.

    Raises:
        UsageError: project or local scope outside of a bound project. That there is no ledger yet is said by the first question or write.
    """
    place, _ = locate(scope, directory, start)
    return MemoryLedger(place, home(), by=by)


def init(
    directory: str | Path | None = None,
    *,
    scope: str = "user",
    start: str | Path = ".",
    name: str = "",
    by: By | None = None,
) -> MemoryLedger:
    """Make a ledger and open it.

    For what the command line's `init` does beside (binding, joining), see `cli/commands/init.py`.

    Raises:
        LedgerExistsError: one stands there.
    """
    from ledger import founding
    from ledger.keys import KeyDirectory
    from ledger.ledger import Identity
    from ledger.mark import StateDirectory

    place, _ = locate(scope, directory, start)
    folders = home()
    own_id = place.project if place.scope == "project" else ""  # a local ledger beside it has keys of its own
    identity = Identity(own_id or os.urandom(16).hex(), name or "memory", place.scope)
    founding.found(
        place.directory,
        identity,
        by or _somebody(),
        KeyDirectory(folders.keys),
        StateDirectory(folders.state),
    )
    return MemoryLedger(place, folders, by=by)


def _somebody() -> By:
    return By("library", "system", "library")


class MemoryLedger(Reading, Writing):
    """One open ledger with its projections.

    Reading catches the index up with the chain first; writing brings index and documents up to date before it
    returns. Objects may be shared by threads of one process.
    """

    def __init__(
        self, place: Location, folders: Home, *, by: By | None = None, clock: Clock = system_clock
    ) -> None:
        self.place = place
        self.home = folders
        self.by = by or _somebody()
        self.clock = clock
        self._ledger: Ledger | None = None
        self._index = CurrentIndex(place, self.check_standing)
        self._local: Local | None = None
        self._configuration: Configuration | None = None
        self.outcome: Outcome | None = None
        """What the last rendering of documents did."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the databases; everything acknowledged is on disk already."""
        self._index.close()
        if self._local is not None:
            self._local.close()

    # --- parts, made when first needed ---

    @property
    def chain(self) -> Path:
        """The chain file."""
        return self.place.chain

    @property
    def state(self) -> StateDirectory:
        """Where marks and pins lie."""
        from ledger.mark import StateDirectory

        return StateDirectory(self.home.state)

    @property
    def ledger(self) -> Ledger:
        """The ledger itself, for writing.

        Raises:
            NoLedgerError, ChainError: see `ledger.founding.open_ledger`.
        """
        if self._ledger is None:
            from ledger.founding import open_ledger
            from ledger.keys import KeyDirectory

            self._ledger = open_ledger(
                self.place.directory,
                KeyDirectory(self.home.keys),
                self.state,
                view=self._index.own,
                clock=self.clock,
            )
        return self._ledger

    @property
    def index(self) -> Index:
        """The index, caught up with the chain.

        Raises:
            NoLedgerError: there is no ledger here.
            ChainError: what is new in the chain does not verify, or the chain is gone, cut or another one.
        """
        return self._index.answering()

    def check_standing(self) -> None:
        """Refuse a chain that is gone, cut or another one; see `ledger.standing`.

        Raises:
            NoLedgerError: there is no ledger here, and never was one.
            ChainError: it is not the chain that was acknowledged here.
        """
        from ledger.standing import check_standing

        try:
            check_standing(self.chain, self.state)
        except NoLedgerError:
            from ledger.founding import open_ledger
            from ledger.keys import KeyDirectory

            open_ledger(
                self.place.directory, KeyDirectory(self.home.keys), self.state
            )  # says where one is gone
            raise

    @property
    def local(self) -> Local:
        """What this machine observed."""
        if self._local is None:
            from projections.local import Local

            self._local = Local(self.place.directory)
        return self._local

    @property
    def configuration(self) -> Configuration:
        """The settings of user and project."""
        if self._configuration is None:
            from projections.configuration import CONFIG_NAME, load

            own = self.place.directory if self.place.scope == "user" else self.home.path
            committed = self.place.root / ".memledger" / CONFIG_NAME if self.place.root else None
            self._configuration = load(own / CONFIG_NAME, committed)
        return self._configuration

    def documents(self, folder: Path | None = None) -> DocumentFolder:
        """Return the documents in `folder`, by default those of this place."""
        from projections.files import DocumentFolder

        return DocumentFolder(
            folder or self.place.documents, self._index.own, self.local, self.configuration.render_settings()
        )

    # --- writing ---

    def write(
        self, commands: Sequence[Command], by: By | None = None, *, redact: bool = False, render: bool = True
    ) -> list[Written]:
        """Carry out commands in one batch and bring the projections up to date.

        Raises as `Ledger.write` does.

        Once the events are acknowledged, documents that cannot be written now are named in `outcome` and
        written by the next command: what was learned must not look lost.
        """
        ledger = self.ledger
        if render and self.local.rendering(self.place.documents) is None:
            self._render_if_possible()  # what stands there now may be ours; after the write nobody could tell
        results = ledger.write(commands, by or self.by, redact=redact)
        if render:
            self._render_if_possible()
        return results

    def _render_if_possible(self) -> None:
        import sqlite3

        from ledger.view import ViewUnavailableError
        from projections.files import Outcome

        try:
            self.render()
        except (StorageError, UsageError, ViewUnavailableError, sqlite3.Error) as error:
            self.outcome = Outcome(paused={str(self.place.documents): str(error)})

    def erase(self, ids: Iterable[str], reason: str, by: By | None = None, *, family: bool = True) -> Written:
        """Blank what events (ids, prefixes or @N) say, and clean index and documents of every bound root.

        With `family` all versions, parts and reasons of these memories go, else these events alone. Documents
        that could not be cleaned stand in `outcome.paused`, by their whole path.
        """
        from ledger.command import Erase

        targets = self.resolved(ids)
        self.local.note(_CLEANING, "1")  # if we die, the next write cleans the documents of every root
        result = self.write([Erase(targets, reason, family)], by, render=False)[0]
        self.render_everywhere()
        self.ledger.finish_erasures()  # what an index that was busy just now still has to clear
        self.local.note(_CLEANING, "")
        return result

    # --- projections ---

    def render(
        self, *, everything: bool = False, overwrite: bool = False, as_of: int | None = None
    ) -> Outcome:
        """Bring the documents of this place up to date.

        Files that a person edited are left alone and named in the outcome.
        """
        self._index.caught_up()
        instant = self.clock() if as_of is None else as_of
        done = self.documents().render(instant, everything=everything, overwrite=overwrite)
        if self.local.fact(_CLEANING):
            self.render_everywhere()
            self.local.note(_CLEANING, "")
            elsewhere = self.outcome.paused if self.outcome else {}
            own = str(self.place.documents)
            done.paused.update({path: why for path, why in elsewhere.items() if not path.startswith(own)})
        self.outcome = done
        return done

    def render_everywhere(self) -> None:
        """Bring the documents of every folder that shows this ledger up to date, whole paths in `outcome`."""
        from ledger.view import ViewUnavailableError
        from projections.files import Outcome

        everywhere = Outcome()
        for folder in self.document_folders():
            try:
                self._index.own.follow(self.chain)
                done = self.documents(folder).render(self.clock())
            except (StorageError, ViewUnavailableError) as error:
                done = Outcome(paused={"": str(error)})
            everywhere.written += [str(folder / path) for path in done.written]
            everywhere.removed += [str(folder / path) for path in done.removed]
            everywhere.paused.update({str(folder / path): why for path, why in done.paused.items()})
            reached("folder.rendered")
        self.outcome = everywhere

    def document_folders(self) -> list[Path]:
        """Return the folders that show this ledger: this place's, those of bound roots and of their worktrees."""
        from ledger.location import folders_that_show

        return folders_that_show(self.place, self.home, self.local.folders())

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
        return self.render(everything=True, overwrite=overwrite)

    def verify(
        self,
        *,
        jobs: int = 1,
        since_mark: bool = False,
        ledger_id: str | None = None,
        progress: Progress | None = None,
    ) -> Report:
        """Check chain, completeness and projections; see specs/verification.md.

        Raises:
            NoLedgerError: there is no chain and never was one here.
        """
        from ledger.known import verify_known
        from ledger.verify import Verdict

        chain = verify_known(
            self.chain, self.state, jobs=jobs, since_mark=since_mark, ledger_id=ledger_id, progress=progress
        )
        if since_mark:
            why = "--since-mark looks at new events only"
        elif not chain.sound:
            why = "the chain itself is not sound"
        else:
            return Report(chain, self._drift())
        return Report(chain, Verdict("not checked", f"Projections not checked: {why}."))

    def _drift(self) -> Verdict:
        from ledger.verify import Verdict
        from projections.heads import trusted
        from projections.verdict import judge

        try:
            settings = self.configuration.render_settings()
        except UsageError as error:
            return Verdict("not checked", f"Projections not checked: {error}.")
        return judge(self.place.directory, self.place.documents, self.chain, settings, trusted)

    # --- the prompt ---

    def format_for_prompt(
        self, task: str = "", *, budget: int | None = None, count: bool = True
    ) -> Injection:
        """Return the prompt section of this scope alone; the command line's `inject` merges the three scopes."""
        return inject([self], task, budget=budget, count=count)

    # --- upkeep ---

    def gc(self, *, dry_run: bool = False) -> list[GcVerdict]:
        """Judge every listed memory and archive the rows that are not worth showing.

        The chain is not opened for writing.
        """
        from projections.gc import plan

        settings = self.configuration
        verdicts = plan(
            self.load_all(),
            self.local.uses(),
            self.clock(),
            threshold=settings.gc_threshold,
            max_age_days=settings.gc_max_age_days,
        )
        if not dry_run:
            self.local.archive({v.entry.id: v.why for v in verdicts if v.archive}, self.clock())
        return verdicts

    def unarchive(self, id_: str) -> str:
        """Show an archived memory again; return its full id.

        Raises:
            StateError: it is not archived.
        """
        full = self.resolve(id_)
        if not self.local.unarchive(full):
            raise StateError(f"{full[:12]} is not archived: memledger list shows it")
        return full

    def examine(self, backup: Path | None = None) -> Standing:
        """Say what of the chain stands, before a recovery; with `backup`, even of a chain that is gone."""
        from ledger.recovery import examine

        return examine(self._to_recover(backup))

    def _to_recover(self, backup: Path | None) -> Ledger:
        """Return the ledger; where its chain has no good beginning, as `backup` says who it is."""
        try:
            return self.ledger
        except (ChainError, NoLedgerError):
            if backup is None:
                raise
        from ledger.founding import open_without_chain
        from ledger.keys import KeyDirectory

        keys = KeyDirectory(self.home.keys)
        self._ledger = open_without_chain(
            self.place.directory, backup, keys, self.state, view=self._index.own, clock=self.clock
        )
        return self._ledger

    def recover(self, reason: str, by: By | None = None, *, backup: Path | None = None) -> Recovered:
        """Go on after damage or a rollback; with `backup` (a chain file) take its longer chain.

        See `ledger.recovery`.
        """
        from ledger import recovery
        from projections.snapshot import keep_projections

        ledger = self._to_recover(backup)
        documents = self.place.documents
        keep_projections(self.place.directory, documents, self.local.rendered(documents), self.clock())
        if backup is None:
            done = recovery.recover(ledger, by or self.by, reason)
        else:
            done = recovery.recover_from(ledger, backup, by or self.by, reason)
        self.render(everything=True)
        return done


def inject(
    scopes: Sequence[MemoryLedger],
    task: str = "",
    *,
    budget: int | None = None,
    as_of: str | None = None,
    count: bool = True,
) -> Injection:
    """Return the prompt section of several scopes, given from the most local to the user's own.

    A scope that cannot be read stands in `skipped`. Arguments and what is raised: `projections.injection.inject`.
    """
    from projections import injection

    return injection.inject(scopes, task, budget=budget, as_of=as_of, count=count)
