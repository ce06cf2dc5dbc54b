"""muniment: memory that agents and the people who run them can trust.

The public Python face: it finds a ledger and gives one object, `MemoryLedger`, to work with.

    import muniment

    muniment.init().close()  # once, as `muniment init --scope user` does

    with muniment.open(scope="user") as memory:
        written = memory.store(muniment.Memory("Use pnpm, not npm", type="preference"))
        print(memory.search("pnpm"))

It puts the parts together and has no rules of its own (specs/adr/0031). Each name, and each service, is imported when it
is first used: an agent's hooks import this module, too, and wait for what it costs.
"""

from __future__ import annotations

from functools import cached_property

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType
    from typing import Self

    from documents.documents import Documents
    from documents.reverting import Undone
    from documents.scope import Scope
    from learning.learning import Learning
    from learning.outcome import Taken
    from learning.review import Review
    from learning.turn import Turn
    from ledger.command import Command, Written
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
        OutsideError,
        PlatformError,
        RecordError,
        RollbackError,
        SecretError,
        StateError,
        StorageError,
        UsageError,
        WaitingError,
    )
    from ledger.event import By
    from ledger.fold import Entry
    from ledger.instant import Clock
    from ledger.location import Home, Location
    from ledger.memory import Memory, Provenance
    from projections.prompt import Injection
    from projections.query import Filter, LogFilter, LogRow
    from projections.recall import Recall
    from projections.search import Hit
    from projections.seen import SeenFilter, Sighting
    from projections.workspace import Workspace
    from proofs.anchoring import Anchors
    from proofs.erasing.erasures import Erasures
    from proofs.proving import Proofs
    from proofs.upkeep import Upkeep
    from proofs.verify_report import VerifyReport
    from team.team import Team

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
    "OutsideError",
    "PlatformError",
    "Provenance",
    "RecordError",
    "RollbackError",
    "SecretError",
    "SeenFilter",
    "StateError",
    "StorageError",
    "Taken",
    "Turn",
    "UsageError",
    "VerifyReport",
    "WaitingError",
    "__version__",
    "init",
    "inject",
    "open",
]

__version__ = "0.1.0"


class MemoryLedger:
    """One ledger. Every write takes edits of documents in, appends events, and renders.

    Threads may share one: a call waits for the one before it. A forked process opens its own. Close it, or use it in a
    `with` statement.

    Args:
        place: where the ledger lies; `locate` finds it.
        folders: the user's folders; `home` gives them.
        by: who writes, where a call does not name anybody.
        clock: gives the time in µs since 1970; the system's by default.
    """

    def __init__(
        self, place: Location, folders: Home, *, by: By | None = None, clock: Clock | None = None
    ) -> None:
        from documents.targets import located
        from ledger.instant import system_clock
        from projections.workspace import Workspace

        self.workspace: Workspace = Workspace(
            located(place), folders, by or _library(), clock or system_clock
        )
        self.turn = self.workspace.turn
        self.workspace.on_unfinished = self._finish_what_died

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the databases; everything acknowledged is on disk already."""
        with self.turn:
            if "scope" in self.__dict__:
                self.scope.close()
            self.workspace.close()

    @property
    def unfinished(self) -> str:
        """Why an interrupted erasure could not be finished here, or ""."""
        return self.erasures.unfinished if "erasures" in self.__dict__ else ""

    def _finish_what_died(self) -> None:
        self.erasures.finish_what_died()

    def _go_on_erasing(self) -> None:
        if self.workspace.local.erasures.is_erasing():
            self.erasures.go_on()

    # --- services, made when first needed ---

    @cached_property
    def recall(self) -> Recall:
        """Find and show memories and events."""
        from projections.recall import Recall

        return Recall(self.workspace)

    @cached_property
    def scope(self) -> Scope:
        """The ledger with its documents, as services take it that write."""
        from documents.scope import Scope

        scope = Scope(self.workspace)
        scope.documents.on_rendered = self._go_on_erasing
        return scope

    @property
    def documents(self) -> Documents:
        """Documents: adopt edits, render."""
        return self.scope.documents

    @cached_property
    def proofs(self) -> Proofs:
        """Checkpoints and proofs."""
        from proofs.proving import Proofs

        return Proofs(self.workspace)

    @cached_property
    def anchors(self) -> Anchors:
        """What others confirm: witnesses, timestamps, transactions."""
        from proofs.anchoring import Anchors

        return Anchors(self.scope, self.proofs)

    @cached_property
    def erasures(self) -> Erasures:
        """Blanks what events say, and cleans every copy."""
        from learning.learning_copies import LearnedCopies
        from proofs.erasing.erasures import Erasures

        return Erasures(self.workspace, self.documents, [LearnedCopies()])

    @cached_property
    def learning(self) -> Learning:
        """Learns from conversations, and merges what says the same."""
        from learning.learning import Learning

        return Learning(self.scope)

    @cached_property
    def review(self) -> Review:
        """What waits for a person, and what their answers do."""
        from learning.review import Review

        return Review(self.scope)

    @cached_property
    def team(self) -> Team:
        """Other machines and people that write this memory."""
        from team.team import Team

        return Team(self.scope)

    @cached_property
    def upkeep(self) -> Upkeep:
        """Verify, gc, backup, recovery, rotation of keys."""
        from proofs.upkeep import Upkeep

        return Upkeep(self.workspace, self.documents, self.proofs, self.anchors)

    # --- writing ---

    def write(
        self,
        commands: Sequence[Command],
        by: By | None = None,
        *,
        redact: bool = False,
        timeout: float | None = None,
    ) -> list[Written]:
        """Take in edits, write one batch of events, render; see `documents.scope.Scope.write`."""
        return self.scope.write(commands, by, redact=redact, timeout=timeout)

    def store(
        self, memory: Memory | str, by: By | None = None, *, reason: str = "", redact: bool = False
    ) -> Written:
        """Learn a memory, or what a text alone says; `known` says that it stood already.

        A daily one without a date is given today's (UTC).

        Raises as `Ledger.write` does.
        """
        from ledger import verbs

        command = verbs.create(memory, self.workspace.clock(), reason)
        return self.write([command], by, redact=redact)[0]

    def supersede(
        self,
        ids: Iterable[str],
        memory: Memory | str,
        by: By | None = None,
        *,
        reason: str = "",
        redact: bool = False,
    ) -> Written:
        """Replace memories (ids, prefixes or @N) by a new one, or by a text alone; `reason` says why.

        Raises:
            StateError: the new one is a candidate and one of them is active, which would leave every view at
                once, before anyone agreed: store the candidate beside it.
        """
        from ledger import verbs

        replaced = [self.recall.entry(id_) for id_ in _each(ids)]
        command = verbs.supersede(replaced, memory, self.workspace.clock(), reason)
        return self.write([command], by, redact=redact)[0]

    def delete(
        self, ids: Iterable[str], reason: str = "", by: By | None = None, *, redact: bool = False
    ) -> Written:
        """Take memories (ids, prefixes or @N) out of every view; history keeps them."""
        from ledger.command import Delete

        return self.write([Delete(self.recall.resolve_all(_each(ids)), reason)], by, redact=redact)[0]

    def confirm(self, ids: Iterable[str], reason: str = "", by: By | None = None) -> Written:
        """Confirm that memories (ids, prefixes or @N) are still true."""
        from ledger.command import Confirm

        return self.write([Confirm(self.recall.resolve_all(_each(ids)), reason)], by)[0]

    def revert(self, ids: Iterable[str], reason: str = "", by: By | None = None) -> Undone:
        """Undo events (ids, prefixes or @N) with new ones; see `documents.reverting.revert`."""
        from documents import reverting

        with self.turn:
            return reverting.revert(self.scope, self.recall.resolve_all(_each(ids)), reason, by)

    def process_turn(self, turn: Turn) -> list[Taken]:
        """Learn from one turn of a conversation; see `learning.learning.Learning.process_turn`."""
        return self.learning.process_turn(turn)

    # --- questions ---

    def search(
        self,
        text: str,
        wanted: Filter | None = None,
        *,
        limit: int = 10,
        archived: bool = False,
        count: bool = True,
    ) -> list[Hit]:
        """Return the best memories for a query, best first; see `projections.recall.Recall.search`."""
        return self.recall.search(text, wanted, limit=limit, archived=archived, count=count)

    def entry(self, id_: str) -> Entry:
        """Return one memory (id, prefix or @N); see `projections.recall.Recall.entry`."""
        return self.recall.entry(id_)

    def load_all(
        self, wanted: Filter | None = None, *, archived: bool = False, limit: int | None = None
    ) -> list[Entry]:
        """Return the current memories (or those that `wanted` describes), oldest first; with a limit the newest that many."""
        return self.recall.load_all(wanted, archived=archived, limit=limit)

    def history(self, id_: str) -> list[Entry]:
        """Return all versions of a memory, oldest first."""
        return self.recall.history(id_)

    def log(self, wanted: LogFilter | None = None) -> list[LogRow]:
        """Return the timeline, oldest first."""
        return self.recall.log(wanted)

    def seen(self, wanted: SeenFilter | None = None) -> list[Sighting]:
        """Return what agents were shown of this ledger on this machine, newest first: which session, when, which ids."""
        return self.recall.seen(wanted)

    def format_for_prompt(
        self,
        task: str = "",
        *,
        agent: str = "",
        budget: int | None = None,
        count: bool = True,
        estimate: Callable[[str], int] | None = None,
    ) -> Injection:
        """Return the prompt section of this scope alone; `muniment.inject` merges several scopes.

        Args: as for `muniment.inject`.
        """
        return inject([self], task, agent=agent, budget=budget, count=count, estimate=estimate)


# --- finding and making ledgers ---


def home(environ: Mapping[str, str] | None = None) -> Home:
    """Return the user's folders as the environment names them."""
    import os

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
    from pathlib import Path

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
        UsageError: project or local scope outside of a bound project. A missing ledger raises at the first question or write.
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

    If a project names a ledger that is not here, it is joined: commits of this user and of authors in `trust_git`
    count at once, others wait as candidates. If that ledger is already here, the root is only bound to it.

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
    from pathlib import Path

    from projections.binding import JOINED, chosen_place, make

    folders, writer = home(), by or _library()
    place, _ = chosen_place(folders, Path(start), scope, Path(directory) if directory else None)
    founded = make(folders, place, writer, name)
    opened = MemoryLedger(founded.place, folders, by=by)
    if founded.did == JOINED:
        opened.documents.join()  # a file that cannot be read waits where it is
    return opened


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
    answered: str | None = None,
    session: str = "",
) -> Injection:
    """Return the prompt section of several scopes, given from the most local to the user's own.

    A scope that cannot be read stands in `skipped`. `estimate` says how many tokens a text has, by default a rule
    of thumb. Who is shown it is recorded (`seen`): `agent` if it is a slug, else who writes, and `session`, by default
    the one that the program names which started this process.
    The other arguments and what is raised: `projections.injection.inject`.
    """
    from contextlib import ExitStack

    from language.token_estimate import estimate_tokens
    from projections import injection
    from projections.showing import shown_by

    with ExitStack() as turns:
        for each in sorted(scopes, key=id):  # in one order, so that two threads never wait for each other
            turns.enter_context(each.turn)
        return injection.inject(
            [each.workspace for each in scopes],
            task,
            agent=agent,
            budget=budget,
            as_of=as_of,
            count=count,
            estimate=estimate or estimate_tokens,
            explain=explain,
            answered=answered,
            shown_to=shown_by(scopes[0].workspace.by, agent, session, task) if scopes else None,
        )


def _library() -> By:
    from ledger.event import By

    return By("library", "system", "library")


def _each(ids: Iterable[str]) -> tuple[str, ...]:
    return (ids,) if isinstance(ids, str) else tuple(ids)


if not TYPE_CHECKING:  # a type checker would take it for any name

    def __getattr__(name: str) -> object:
        """Import a name that this module gives, and keep it."""
        if name.endswith("Error") and name in __all__:
            from ledger import errors as origin
        elif name == "By":
            from ledger import event as origin
        elif name in ("Memory", "Provenance"):
            from ledger import memory as origin
        elif name in ("Filter", "LogFilter"):
            from projections import query as origin
        elif name == "SeenFilter":
            from projections import seen as origin
        elif name == "VerifyReport":
            from proofs import verify_report as origin
        elif name == "Taken":
            from learning import outcome as origin
        elif name == "Turn":
            from learning import turn as origin
        else:
            raise AttributeError(f"module 'muniment' has no attribute {name!r}")
        found = globals()[name] = getattr(origin, name)
        return found

    def __dir__() -> list[str]:
        """Return what this module gives beside what every module has."""
        return sorted({*globals(), *__all__})
