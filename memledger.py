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
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from ledger.errors import (
    LedgerError,
    NoLedgerError,
    NotFoundError,
    StateError,
    StorageError,
    UsageError,
)
from ledger.event import By
from ledger.instant import Clock, system_clock, written
from ledger.memory import Memory, Provenance
from projections.reading import Reading

if TYPE_CHECKING:
    from tempfile import TemporaryDirectory

    from ledger.command import Command, Written
    from ledger.fold import Entry
    from ledger.ledger import Ledger
    from ledger.location import Home, Location
    from ledger.mark import Mark, StateDirectory
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
    "open",
]

__version__ = "0.1.0"

_CHAIN = "chain.jsonl"  # ledger.chain.CHAIN_NAME; importing that module would cost every reader 30 ms


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


class MemoryLedger(Reading):
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
        self._index: Index | None = None
        self._beside: tuple[TemporaryDirectory[str], Index] | None = None
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
        if self._index is not None:
            self._index.close()
        if self._beside is not None:
            self._beside[1].close()
            self._beside[0].cleanup()
            self._beside = None
        if self._local is not None:
            self._local.close()

    # --- parts, made when first needed ---

    @property
    def chain(self) -> Path:
        """The chain file."""
        return self.place.directory / _CHAIN

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
                view=self._own_index,
                clock=self.clock,
            )
        return self._ledger

    @property
    def _own_index(self) -> Index:
        if self._index is None:
            from projections.heads import verify_heads
            from projections.index import Index

            if not self.place.directory.is_dir():
                raise NoLedgerError(f"there is no ledger at {self.place.directory}: memledger init makes one")
            self._index = Index(self.place.directory, verify_heads)
        return self._index

    @property
    def index(self) -> Index:
        """The index, caught up with the chain.

        Raises:
            NoLedgerError: there is no ledger here.
            ChainError: what is new in the chain does not verify, or the chain is gone, cut or another one.
        """
        from ledger.view import ViewUnavailableError

        try:
            return self._caught_up()
        except ViewUnavailableError:
            return self._index_beside()
        except NoLedgerError:
            from ledger.founding import open_ledger
            from ledger.keys import KeyDirectory

            # Tells a chain that is gone from a ledger that never was.
            open_ledger(self.place.directory, KeyDirectory(self.home.keys), self.state)
            raise

    def _caught_up(self) -> Index:
        """Return our own index, caught up with a chain that stands; raises ViewUnavailableError where it cannot be."""
        from ledger.standing import check_standing

        index = self._own_index
        check_standing(self.chain, self.state)
        index.follow(self.chain)
        return index

    def _index_beside(self) -> Index:
        """Return an index made for this object alone, where ours is locked or cannot be written: no question fails for it."""
        import tempfile

        from projections.heads import verify_heads
        from projections.index import Index

        if self._beside is None:
            scratch = tempfile.TemporaryDirectory()
            self._beside = (scratch, Index(Path(scratch.name), verify_heads))
        self._beside[1].follow(self.chain)
        return self._beside[1]

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
            folder or self.place.documents, self._own_index, self.local, self.configuration.render_settings()
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
        except (StorageError, ViewUnavailableError, sqlite3.Error) as error:
            self.outcome = Outcome(paused={str(self.place.documents): str(error)})

    def store(self, memory: Memory, by: By | None = None, *, redact: bool = False) -> Written:
        """Learn a memory; `known` says that it stood already.

        A daily one without a date is given today's (UTC).

        Raises as `Ledger.write` does.
        """
        from ledger.command import Create

        return self.write([Create(self._dated(memory))], by, redact=redact)[0]

    def _dated(self, memory: Memory) -> Memory:
        if memory.tier != "daily" or memory.provenance.date:
            return memory
        today = written(self.clock())[:10]
        return memory.with_changes(provenance=replace(memory.provenance, date=today))

    def supersede(
        self, ids: Iterable[str], memory: Memory, by: By | None = None, *, redact: bool = False
    ) -> Written:
        """Replace memories (ids, prefixes or @N) by a new one."""
        from ledger.command import Supersede

        return self.write([Supersede(self._full(ids), self._dated(memory))], by, redact=redact)[0]

    def delete(
        self, ids: Iterable[str], reason: str = "", by: By | None = None, *, redact: bool = False
    ) -> Written:
        """Take memories (ids, prefixes or @N) out of every view; history keeps them."""
        from ledger.command import Delete

        return self.write([Delete(self._full(ids), reason)], by, redact=redact)[0]

    def confirm(self, ids: Iterable[str], reason: str = "", by: By | None = None) -> Written:
        """Say that memories (ids, prefixes or @N) are still true."""
        from ledger.command import Confirm

        return self.write([Confirm(self._full(ids), reason)], by)[0]

    def erase(self, ids: Iterable[str], reason: str, by: By | None = None, *, family: bool = True) -> Written:
        """Blank what events (ids, prefixes or @N) say, and clean index and documents of every bound root.

        With `family` all versions, parts and reasons of these memories go, else these events alone. Documents
        that could not be cleaned stand in `outcome.paused`, by their whole path.
        """
        from ledger.command import Erase

        result = self.write([Erase(self._full(ids), reason, family)], by, render=False)[0]
        self.render_everywhere()
        self.ledger.finish_erasures()  # what an index that was busy just now still has to clear
        return result

    def _full(self, ids: Iterable[str]) -> tuple[str, ...]:
        return tuple(self.resolve(id_) for id_ in ids)

    # --- projections ---

    def render(
        self, *, everything: bool = False, overwrite: bool = False, as_of: int | None = None
    ) -> Outcome:
        """Bring the documents of this place up to date.

        Files that a person edited are left alone and named in the outcome.
        """
        self._caught_up()
        instant = self.clock() if as_of is None else as_of
        self.outcome = self.documents().render(instant, everything=everything, overwrite=overwrite)
        return self.outcome

    def render_everywhere(self) -> None:
        """Bring the documents of every folder that shows this ledger up to date, whole paths in `outcome`."""
        from ledger.view import ViewUnavailableError
        from projections.files import Outcome

        everywhere = Outcome()
        for folder in self.document_folders():
            try:
                self._own_index.follow(self.chain)
                done = self.documents(folder).render(self.clock())
            except (StorageError, ViewUnavailableError) as error:
                done = Outcome(paused={"": str(error)})
            everywhere.written += [str(folder / path) for path in done.written]
            everywhere.removed += [str(folder / path) for path in done.removed]
            everywhere.paused.update({str(folder / path): why for path, why in done.paused.items()})
        self.outcome = everywhere

    def document_folders(self) -> list[Path]:
        """Return the folders that show this ledger.

        This place's, those of bound roots and of their worktrees.

        A folder that says now that it is another project's is none of them.
        """
        from ledger.location import bound_roots, documents_of, in_project

        id_, scope = self.place.project, self.place.scope
        if not id_:
            return [self.place.documents]
        roots = bound_roots(self.home.project(id_))
        known = [in_project(self.home, root, id_, scope).documents for root in roots]
        others = [folder for folder in (*known, *self.local.folders()) if documents_of(folder, scope) == id_]
        return list(dict.fromkeys([self.place.documents, *(folder for folder in others if folder.is_dir())]))

    def throw_index_away(self, reason: str) -> None:
        """Delete the index, which is damaged; the next question makes it again."""
        self._own_index.throw_away(reason)

    def replay(self, *, overwrite: bool = False) -> Outcome:
        """Throw the index away, make it again from the chain, and bring every document up to date."""
        self._caught_up()
        self._own_index.rebuild(self.chain)
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
        from ledger.verify import Expectation, Verdict, verify_chain

        pin = self.state.pin_of(self.place.directory)
        mark = self._mark(pin.ledger if pin else ledger_id)
        genesis = pin.genesis if pin else mark.genesis if mark else None
        expect = Expectation(genesis, ledger_id, mark)
        since = mark if since_mark else None
        if since_mark and mark is None:
            raise UsageError("there is no high-water mark here: run memledger verify without --since-mark")
        chain = verify_chain(self.chain, expect, jobs=jobs, since=since, progress=progress)
        if since_mark:
            return Report(
                chain,
                Verdict("not checked", "Projections not checked: --since-mark looks at new events only."),
            )
        if not chain.sound:
            return Report(
                chain, Verdict("not checked", "Projections not checked: the chain itself is not sound.")
            )
        return Report(chain, self._drift())

    def _mark(self, ledger_id: str | None) -> Mark | None:
        if ledger_id is None:
            from ledger.founding import identity_of

            try:
                ledger_id = identity_of(self.chain)[0].id
            except LedgerError:
                return None
        return self.state.mark_of(ledger_id).read()

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

    def examine(self) -> Standing:
        """Say what of the chain stands, before a recovery."""
        from ledger.recovery import examine

        return examine(self.ledger)

    def _keep_before_recovery(self) -> Path:
        """Copy index and documents aside: they may be the last copy of what the chain has lost."""
        import shutil

        stamp = written(self.clock()).replace(":", "").replace("-", "")
        kept = self.place.directory / f"before-recover-{stamp}"
        kept.mkdir(mode=0o700)
        paths = [f"memory.db{suffix}" for suffix in ("", "-wal")]
        sources = [(self.place.directory, path) for path in paths]
        sources += [(self.place.documents, path) for path in self.local.rendered(self.place.documents)]
        for folder, path in sources:
            if (folder / path).is_file():
                (kept / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(folder / path, kept / path)
        return kept

    def recover(self, reason: str, by: By | None = None, *, backup: Path | None = None) -> Recovered:
        """Go on after damage or a rollback; with `backup` (a chain file) take its longer chain.

        See `ledger.recovery`.
        """
        from ledger import recovery

        self._keep_before_recovery()
        if backup is None:
            done = recovery.recover(self.ledger, by or self.by, reason)
        else:
            done = recovery.recover_from(self.ledger, backup, by or self.by, reason)
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

    The most local one's configuration holds for all: `enabled`, `scopes.*`, the budget and what is stale.

    Args:
        scopes: ledgers that exist.
        task: what the agent is about to do, "" if unknown.
        budget: tokens; by default the configuration's.
        as_of: @N (of one scope alone) or a time; by default now.
        count: count what is shown as used; the past is never counted.

    Raises:
        UsageError: the configuration or `as_of` is malformed.
        ChainError: what is new in a chain does not verify.
    """
    from projections.prompt import Injection, render_prompt

    if not scopes:
        return Injection("")
    configuration = scopes[0].configuration
    switches = {name: getattr(configuration, f"scopes_{name}") for name in ("user", "project", "local")}
    scopes = [one for one in scopes if configuration.enabled and switches[one.place.scope]]
    settings = configuration.render_settings()
    if budget is not None:
        settings = replace(settings, token_budget=budget)
    if as_of is not None:
        past, moment = _past(scopes, as_of)
        return render_prompt(past, task, settings, moment)
    found, more = _drawn(scopes, task, settings.token_budget // 4)
    moment = scopes[0].clock() if scopes else 0
    injection = render_prompt(found, task, settings, moment, more=more)
    if count:
        shown = set(injection.shown)
        for scope, (_, entries) in zip(scopes, found, strict=True):
            if used := [entry.id for entry in entries if entry.id in shown]:
                scope.local.count(used, injected=True)
    return injection


def _drawn(
    scopes: Sequence[MemoryLedger], task: str, looks: int
) -> tuple[list[tuple[str, list[Entry]]], int]:
    """Return the memories that the prompt can show, by scope, and the number of those left out already."""
    from projections.prompt_source import drawn_from

    ledgers = [(one.place.scope, one.place.directory, one.chain, one.local.archived()) for one in scopes]
    if drawn := drawn_from(ledgers, task, looks):
        return drawn.scopes, drawn.more
    from projections.query import Filter

    wanted = Filter(statuses=("active",))
    return [(scope.place.scope, scope.load_all(wanted)) for scope in scopes], 0


def _past(scopes: Sequence[MemoryLedger], as_of: str) -> tuple[list[tuple[str, list[Entry]]], int]:
    """Return the memories of each scope as of an instant, and the instant; a younger ledger has none."""
    from projections.query import Filter, entries

    if as_of.startswith("@") and len(scopes) > 1:
        raise UsageError(f"{as_of} counts the events of one ledger: name it with --scope, or give a time")
    found: list[tuple[str, list[Entry]]] = []
    moment = 0
    for scope in scopes:
        try:
            with scope.as_of(as_of) as (index, moment):
                found.append((scope.place.scope, entries(index, Filter(statuses=("active",)))))
        except NotFoundError:
            if as_of.startswith("@"):
                raise
            found.append((scope.place.scope, []))
    return found, moment
