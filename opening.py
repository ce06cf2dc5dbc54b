"""Opens ledgers: finds where one lies, and wires chain, index and documents together into one object to work with.

The composition root behind `muniment`, which gives these names to programs. Everything heavy is imported when it is first
needed.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self

from documents.targets import located
from ledger.durable import swept
from ledger.errors import LedgerError, StorageError, UsageError
from ledger.event import By
from ledger.instant import Clock, system_clock
from ledger.location import LOCAL_NAME
from projections.current import CurrentIndex
from proofs.anchoring import Anchoring

if TYPE_CHECKING:
    from documents.adopting import Adoption
    from documents.writing.files import Outcome
    from learning.taking import Taken
    from learning.turn import Turn
    from learning.turns import Turns
    from ledger.ledger import Ledger
    from ledger.location import Home, Location
    from ledger.mark import StateDirectory
    from projections.configuration import Configuration
    from projections.index import Index
    from projections.local import Local
    from projections.prompt import Injection
    from proofs.tree import TreeCache


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

    Where a project names a ledger that is not here, it is joined: what this user and authors of `trust_git` committed
    counts at once, what others did waits as candidates. Where that ledger is here already, the root is only bound to it.

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
    from projections.binding import JOINED, chosen_place, make

    folders, writer = home(), by or _somebody()
    place, _ = chosen_place(folders, Path(start), scope, Path(directory) if directory else None)
    founded = make(folders, place, writer, name)
    opened = MemoryLedger(founded.place, folders, by=by)
    if founded.did == JOINED:
        opened.join()  # a file that cannot be read waits where it is
    return opened


def _somebody() -> By:
    return By("library", "system", "library")


class MemoryLedger(Anchoring):
    """One open ledger with its projections.

    Reading catches the index up with the chain first; writing brings index and documents up to date before it
    returns. Objects may be shared by threads of one process.

    Its questions stand in `projections.reading`, its verbs in `ledger.writing`, what keeps documents up to date in
    `keeping`, verify, gc, consolidate, backup and recover in `upkeep`, checkpoints and proofs in `proving`, anchors in
    `anchoring`. Here is what it is made of.
    """

    def __init__(
        self, place: Location, folders: Home, *, by: By | None = None, clock: Clock = system_clock
    ) -> None:
        self.place = located(place)
        self.home = folders
        self.by = by or _somebody()
        self.clock = clock
        self.on_wait: Callable[[Path], None] | None = None
        """Told, with the chain's path, when another process holds it for longer than a second."""
        self.on_passphrase: Callable[[str], str] | None = None
        """Asks a person for the passphrase of a key; None where nobody sits at a terminal."""
        self._ledger: Ledger | None = None
        self._index = CurrentIndex(place, self.check_standing)
        self._local: Local | None = None
        self._configuration: Configuration | None = None
        self._readable: Configuration | None = None
        self.configuration_faults: tuple[str, ...] = ()
        self.outcome: Outcome | None = None
        self.adopted: list[Adoption] = []
        self._finishing = self._swept = False
        self._unfinished = ""
        self._turns: Turns | None = None
        self._tree: TreeCache | None = None
        self._beside: dict[str, MemoryLedger] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the databases; everything acknowledged is on disk already."""
        for other in self._beside.values():
            other.close()
        self._index.close()
        if self._local is not None:
            self._local.close()
        if self._tree is not None:
            self._tree.close()

    def beside(self, scope: Literal["local", "user"]) -> MemoryLedger:
        """Return the local or the user's ledger beside this project's, which is made where there is none; closed with this one.

        Raises:
            UsageError: this is no project's.
            LedgerError, OSError: it cannot be made.
        """
        from ledger import location
        from ledger.errors import LedgerExistsError
        from projections.binding import make

        if scope not in self._beside:
            root = self.place.root
            if root is None or self.place.scope != "project":
                raise UsageError("only a project's ledger has others beside it")
            local = scope == "local"
            place = (
                location.in_project(self.home, root, self.place.project, "local")
                if local
                else location.user(self.home)
            )
            with suppress(LedgerExistsError):
                make(self.home, place, self.by, "")
            self._beside[scope] = MemoryLedger(place, self.home, by=self.by, clock=self.clock)
        return self._beside[scope]

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
                KeyDirectory(self.home.keys, self.on_passphrase),
                self.state,
                view=self._index.own,
                clock=self.clock,
            )
            self._ledger.chain.on_wait = self.on_wait
            self._ledger.chain.on_append = self._keep_tree
        return self._ledger

    @property
    def acknowledged(self) -> list[str]:
        """The ids of the events that were written through this object; whatever failed behind, they stand."""
        return self._ledger.acknowledged if self._ledger else []

    def _keep_keys_out_of_git(self) -> None:
        """Bring HOME's .gitignore back where it is gone (F-18)."""
        from ledger.location import IGNORE_FILE

        if self.home.path.is_dir() and not os.path.lexists(self.home.path / IGNORE_FILE):
            from projections.binding import keep_out_of_git

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
        self._finish_what_died()

    def _finish_what_died(self) -> None:
        """Finish an erasure whose process died, and sweep what one left that made a file, once (Z-16, Z-31)."""
        if not self._swept:
            self._swept = True
            for folder in self._swept_folders():
                with suppress(OSError):
                    swept(folder)
        if self._finishing or not (self.place.directory / LOCAL_NAME).is_file():
            return
        self._finishing = True
        try:
            if not self.local.has_unfinished():
                self._finishing = False
                return
            from projections.given import sweep

            sweep(self.local)
            if self.local.cleaning():
                self.finish_cleaning()
        except (LedgerError, OSError, sqlite3.Error) as error:
            self._unfinished = str(error)

    def _swept_folders(self) -> Iterator[Path]:
        """Give the folders in which a process that died may have left half of a file; of documents the next rendering sees to it."""
        from ledger.archive_names import SHOWN_OUTSIDE

        yield self.home.keys  # it may be a private key that no passphrase seals (N-23)
        yield from (self.place.directory / name for name in SHOWN_OUTSIDE)
        yield self.home.state / "hooks" / "spool"

    @property
    def unfinished(self) -> str:
        """Why an erasure that was begun could not be finished here, "" where none was, or it was finished."""
        if not self._finishing or not self.local.cleaning():
            return ""
        paused = self.outcome.paused if self.outcome else {}
        return (
            self._unfinished or next((f"{path}: {why}" for path, why in paused.items()), "") or "it is busy"
        )

    @property
    def local(self) -> Local:
        """What this machine observed."""
        if self._local is None:
            from projections.local import Local

            self._local = Local(self.place.directory)
        return self._local

    def mended(self) -> str:
        """Return what was wrong with the local state that was set aside just now, "" where nothing was; said once."""
        damaged, local = (self._local.database.damaged, self._local) if self._local else ("", None)
        if local is not None:
            local.database.damaged = ""
        return damaged

    @property
    def trouble(self) -> str:
        """Why the local state could not be used so far, "" where it could or was not asked for."""
        return self._local.database.trouble if self._local else ""

    @property
    def configuration(self) -> Configuration:
        """The settings of user and project."""
        if self._configuration is None:
            from projections.configuration import load

            self._configuration = load(*self._settings_files())
        return self._configuration

    @property
    def readable_configuration(self) -> Configuration:
        """The settings as far as they can be read, for who only asks (F-21); `configuration_faults` says what cannot."""
        if self._readable is None:
            from projections.configuration import load_to_read

            self._readable, self.configuration_faults = load_to_read(*self._settings_files())
        return self._readable

    def _settings_files(self) -> tuple[Path, Path | None]:
        from projections.configuration import CONFIG_NAME

        own = self.place.directory if self.place.scope == "user" else self.home.path
        return own / CONFIG_NAME, self.place.root / ".muniment" / CONFIG_NAME if self.place.root else None

    # --- learning ---

    def process_turn(self, turn: Turn) -> list[Taken]:
        """Learn from one turn of a conversation, as `muniment capture` does from transcripts (specs/capture.md).

        Give the turns of a conversation in order, and each with the ids of its conversation and message: a memory
        that could not say where it came from is refused. What could not be written waits in the outbox; where the
        outcome is `unwritten` not even that could keep it: give the turn once more.

        Args:
            turn: what was said, or a tool's call with its result; `muniment.Turn`.

        Returns:
            What became of each proposal: mostly none. Nothing is raised for a proposal that is refused.
        """
        if self._turns is None:
            from learning.turns import Turns

            self._turns = Turns(self)
        return self._turns.hear(turn)

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
        """Return the prompt section of this scope alone; `muniment.inject` merges several scopes.

        Args: as for `muniment.inject`.
        """
        return inject([self], task, agent=agent, budget=budget, count=count, estimate=estimate)


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
) -> Injection:
    """Return the prompt section of several scopes, given from the most local to the user's own.

    A scope that cannot be read stands in `skipped`. `estimate` says how many tokens a text has, by default a rule
    of thumb. The other arguments and what is raised: `projections.injection.inject`.
    """
    from language.token_estimate import estimate_tokens
    from projections import injection

    return injection.inject(
        scopes,
        task,
        agent=agent,
        budget=budget,
        as_of=as_of,
        count=count,
        estimate=estimate or estimate_tokens,
        explain=explain,
        answered=answered,
    )
