"""memledger: memory that agents and the people who run them can trust.

The public Python face and the composition root: it finds a ledger, wires chain, index and documents together,
and gives one object to work with.

    import memledger

    memledger.init().close()  # once, as `memledger init --scope user` does

    with memledger.open(scope="user") as memory:
        written = memory.store(memledger.Memory("Use pnpm, not npm", type="preference"))
        print(memory.search("pnpm"))

Everything heavy is imported when it is first needed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from keeping import Keeping
from ledger.errors import (
    AmbiguousIdError,
    BusyError,
    ChainError,
    ForeignChainError,
    FormatError,
    KeyFileError,
    LedgerError,
    LedgerExistsError,
    NoLedgerError,
    NotFoundError,
    PlatformError,
    RecordError,
    RollbackError,
    SecretError,
    StateError,
    StorageError,
    UsageError,
)
from ledger.event import By
from ledger.instant import Clock, system_clock
from ledger.memory import Memory, Provenance
from projections.current import CurrentIndex

if TYPE_CHECKING:
    from adopting import Adoption
    from checkout import Checkout
    from ledger.archive import Manifest
    from ledger.ledger import Ledger
    from ledger.location import Home, Location
    from ledger.mark import StateDirectory
    from ledger.recovery import Recovered, Standing
    from ledger.verify import ChainReport, Progress, Verdict
    from projections.configuration import Configuration
    from projections.decay import Doubt
    from projections.files import Outcome
    from projections.gc import Verdict as GcVerdict
    from projections.index import Index
    from projections.local import Local
    from projections.merging import Proposals
    from projections.prompt import Injection
    from projections.query import Filter, LogFilter

__all__ = [
    "AmbiguousIdError",
    "BusyError",
    "By",
    "ChainError",
    "Filter",
    "ForeignChainError",
    "FormatError",
    "KeyFileError",
    "LedgerError",
    "LedgerExistsError",
    "LogFilter",
    "Memory",
    "MemoryLedger",
    "NoLedgerError",
    "NotFoundError",
    "PlatformError",
    "Provenance",
    "RecordError",
    "Report",
    "RollbackError",
    "SecretError",
    "StateError",
    "StorageError",
    "UsageError",
    "__version__",
    "init",
    "inject",
    "open",
]

__version__ = "0.1.0"

if not TYPE_CHECKING:  # a type checker would take it for any name

    def __getattr__(name: str) -> object:
        """Import the filters when they are first asked for: they bring the index along."""
        if name in {"Filter", "LogFilter"}:
            from projections import query

            return getattr(query, name)
        raise AttributeError(f"module 'memledger' has no attribute {name!r}")


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
    """Make a ledger as the command line's `init` does, and open it; the first write makes the documents.

    Where a project names a ledger that is not here, it is joined: the documents that came with git become
    candidates. Where that ledger is here already, the root is only bound to it.

    Args:
        directory: a ledger directory; by default the scope's.
        scope: user, project or local.
        start: the folder to look for the project's root from.
        name: the ledger's name, a slug; by default after its folder.
        by: who writes.

    Raises:
        LedgerExistsError: one stands there, or stood there and is gone.
        UsageError: the scope is not possible here, or a file that is to be written is a link.
    """
    from binding import JOINED, chosen_place, make
    from importing import join

    folders, writer = home(), by or _somebody()
    place, _ = chosen_place(folders, Path(start), scope, Path(directory) if directory else None)
    founded = make(folders, place, writer, name)
    opened = MemoryLedger(founded.place, folders, by=by)
    if founded.did == JOINED:
        join(opened, lambda _path, _error: None)  # a file that cannot be read waits where it is
    return opened


def _somebody() -> By:
    return By("library", "system", "library")


class MemoryLedger(Keeping):
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
        self.on_wait: Callable[[Path], None] | None = None
        """Told, with the chain's path, when another process holds it for longer than a second."""
        self._ledger: Ledger | None = None
        self._index = CurrentIndex(place, self.check_standing)
        self._local: Local | None = None
        self._configuration: Configuration | None = None
        self.outcome: Outcome | None = None
        self.adopted: list[Adoption] = []

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

            self._keep_keys_out_of_git()
            self._ledger = open_ledger(
                self.place.directory,
                KeyDirectory(self.home.keys),
                self.state,
                view=self._index.own,
                clock=self.clock,
            )
            self._ledger.chain.on_wait = self.on_wait
        return self._ledger

    def _keep_keys_out_of_git(self) -> None:
        """Bring HOME's .gitignore back where it is gone (F-18)."""
        from ledger.location import IGNORE_FILE

        if self.home.path.is_dir() and not os.path.lexists(self.home.path / IGNORE_FILE):
            from binding import keep_out_of_git

            with suppress(StorageError):  # the memory counts for more, and doctor says that it is missing
                keep_out_of_git(self.home)

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

        check_standing(self.chain, self.state)

    @property
    def local(self) -> Local:
        """What this machine observed."""
        if self._local is None:
            from projections.local import Local

            self._local = Local(self.place.directory)
        return self._local

    @property
    def trouble(self) -> str:
        """Why the local state could not be used so far, "" where it could or was not asked for."""
        return self._local.trouble if self._local else ""

    @property
    def configuration(self) -> Configuration:
        """The settings of user and project."""
        if self._configuration is None:
            from projections.configuration import CONFIG_NAME, load

            committed = self.place.root / ".memledger" / CONFIG_NAME if self.place.root else None
            self._configuration = load(self._own_settings, committed)
        return self._configuration

    @property
    def own_configuration(self) -> Configuration:
        """The settings of the user alone, for who must go on where a project's are malformed."""
        from projections.configuration import load

        return load(self._own_settings)

    @property
    def _own_settings(self) -> Path:
        from projections.configuration import CONFIG_NAME

        return (self.place.directory if self.place.scope == "user" else self.home.path) / CONFIG_NAME

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
        self,
        task: str = "",
        *,
        agent: str = "",
        budget: int | None = None,
        count: bool = True,
        estimate: Callable[[str], int] | None = None,
    ) -> Injection:
        """Return the prompt section of this scope alone; `memledger.inject` merges several scopes.

        Args: as for `memledger.inject`.
        """
        return inject([self], task, agent=agent, budget=budget, count=count, estimate=estimate)

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

    def consolidate(self, *, dry_run: bool = False) -> Proposals:
        """Merge memories of one section that say the same; what contradicts each other is only named.

        Each merge is one supersede of all that it replaces, and says all that they say.

        Raises:
            StateError: something was replaced meanwhile; otherwise as `Ledger.write` does.
        """
        from consolidating import proposed, write

        found = proposed(self)
        if not dry_run:
            write(self, found.merges)
        return found

    def decay_check(self, wanted: Filter | None = None, *, archived: bool = False) -> list[Doubt]:
        """Return the memories that are stale, or name what their project has no more, the longest unconfirmed first.

        Nothing is changed: `confirm` makes a memory fresh, `delete` takes it out.

        Args:
            wanted: which memories; by default all that are active.
            archived: also what gc has archived.
        """
        return self.doubts(wanted, archived=archived, project=self.checkout())

    def checkout(self) -> Checkout | None:
        """Return the project's root as it is looked at for `decay_check`; None for the user's own ledger."""
        if self.place.root is None:
            return None
        from checkout import Checkout

        return Checkout(self.place.root)

    def unarchive(self, *ids: str) -> list[str]:
        """Show archived memories (ids, prefixes or @N) again, all or none; return their full ids.

        Raises:
            NotFoundError: nothing has one of the ids, or it is no memory.
            StateError: one is not archived, or would not be shown all the same: deleted, superseded, erased.
        """
        from projections.gc import why_not_shown

        hidden = self.local.archived()
        entries = {entry.id: entry for entry in map(self.entry, ids)}
        for id_, entry in entries.items():
            if why := why_not_shown(entry):
                raise StateError(why)
            if id_ not in hidden:
                raise StateError(f"{id_[:12]} is not archived: memledger list shows it")
        for id_ in entries:
            self.local.unarchive(id_)
        return list(entries)

    def backup(
        self, into: Path, *, keys: bool = False, replace: bool = False, progress: Progress | None = None
    ) -> Manifest:
        """Make one archive of the ledger, verified first; with `keys` the private keys go in as well (F-12).

        Raises:
            NoLedgerError: there is no ledger here.
            ChainError: the chain is gone or not sound, so that no restore would take it.
            KeyFileError: the keys are asked for and are not here.
            UsageError: a file stands at `into` and `replace` is false.
            StorageError: the disk refused, or the local state cannot be read; no backup was made.
        """
        from ledger import archive
        from projections.heads import cores
        from projections.snapshot import copied_local

        self.check_standing()
        with copied_local(self.place.directory) as local:
            source = archive.source_of(self.place, self.home, local, keys=keys)
            return archive.write(
                source, into, replace=replace, jobs=cores(), clock=self.clock, progress=progress
            )

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
    agent: str = "",
    budget: int | None = None,
    as_of: str | None = None,
    count: bool = True,
    estimate: Callable[[str], int] | None = None,
    explain: bool = False,
) -> Injection:
    """Return the prompt section of several scopes, given from the most local to the user's own.

    A scope that cannot be read stands in `skipped`. `estimate` says how many tokens a text has, by default a rule
    of thumb. The other arguments and what is raised: `projections.injection.inject`.
    """
    from projections import injection
    from projections.tokens import estimate_tokens

    return injection.inject(
        scopes,
        task,
        agent=agent,
        budget=budget,
        as_of=as_of,
        count=count,
        estimate=estimate or estimate_tokens,
        explain=explain,
    )
