"""One ledger to work with: its place, its writer, and its parts, each opened when it is first needed.

Implements specs/adr/0031. Services get a workspace as a value. It answers from the index, keeps this machine's
observations, and writes events. It neither adopts edits nor renders documents: `documents.scope` does that around a write.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ledger.durable import swept
from ledger.errors import LedgerError, StorageError
from ledger.event import By
from ledger.instant import Clock, system_clock
from ledger.location import IGNORE_FILE, LOCAL_NAME, SHOWN_OUTSIDE, Home, Location
from ledger.progress import Progress, ShowProgress, unseen
from projections.current_index import CurrentIndex
from projections.turns import ThreadTurns

if TYPE_CHECKING:
    from ledger.command import Command, Written
    from ledger.ledger import Ledger
    from ledger.mark import StateDirectory
    from ledger.memory import Memory
    from projections.configuration import Configuration
    from projections.index import Index
    from projections.local import Local
    from projections.vectors.embedder import Embedder
    from projections.vectors.vector_search import VectorSearch


class Workspace:
    """The parts of one ledger. A thread that uses one while others may holds `turn`.

    Args:
        place: the ledger's place.
        home: the user's folders.
        by: the writer of calls that name nobody.
        clock: gives the time in µs since 1970.
    """

    def __init__(self, place: Location, home: Home, by: By, clock: Clock = system_clock) -> None:
        self.place = place
        self.home = home
        self.by = by
        self.clock = clock
        self.turn = ThreadTurns()
        """The lock of the threads that share the ledger (see `projections.turns`)."""
        self.on_wait: Callable[[Path], None] | None = None
        """Called with the chain's path when another process holds it for longer than a second."""
        self.on_progress: ShowProgress = unseen
        """Shows the progress of long work."""
        self.on_passphrase: Callable[[str], str] | None = None
        """Asks a person for the passphrase of a key; None when nobody sits at a terminal."""
        self.on_unfinished: Callable[[], None] | None = None
        """Called once, after the first check of the chain, if the local state notes an unfinished erasure."""
        self.configuration_faults: tuple[str, ...] = ()
        """The faults of the settings that `readable_configuration` lacks."""
        self.current = CurrentIndex(place, self.check_standing, self._shown)
        self._ledger: Ledger | None = None
        self._local: Local | None = None
        self._configuration: Configuration | None = None
        self._readable: Configuration | None = None
        self._vectors: VectorSearch | None = None
        self._embedder_chosen = False
        self._used = False

    def close(self) -> None:
        """Close the databases; everything acknowledged is on disk already."""
        self.current.close()
        if self._local is not None:
            self._local.close()

    def _shown(self, what: str) -> AbstractContextManager[Progress]:
        return self.on_progress(what)  # read at the call: it may be set later

    # --- parts ---

    @property
    def chain(self) -> Path:
        """The chain file."""
        return self.place.chain

    @property
    def state(self) -> StateDirectory:
        """The folder of marks and pins."""
        from ledger.mark import StateDirectory

        return StateDirectory(self.home.state)

    @property
    def is_founded(self) -> bool:
        """Whether there is, or was, a chain here; an unreadable folder counts as one."""
        try:
            return self.chain.exists() or self.state.pin_of(self.place.directory) is not None
        except PermissionError:
            return True

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
            keys = KeyDirectory(self.home.keys, self.on_passphrase)
            self._ledger = open_ledger(
                self.place.directory, keys, self.state, view=self.current.own, clock=self.clock
            )
            self._ledger.chain.on_wait = self.on_wait
        return self._ledger

    @property
    def acknowledged(self) -> list[str]:
        """The ids of the events that this object wrote; they are kept, whatever failed afterwards."""
        return self._ledger.acknowledged if self._ledger else []

    def _keep_keys_out_of_git(self) -> None:
        """Restore HOME's .gitignore when it is missing (F-18)."""
        if self.home.path.is_dir() and not os.path.lexists(self.home.path / IGNORE_FILE):
            from projections.binding import keep_out_of_git

            with suppress(StorageError):  # the memory is more important, and doctor reports the missing file
                keep_out_of_git(self.home)

    @property
    def index(self) -> Index:
        """The index, up to date.

        Raises:
            NoLedgerError: there is no ledger here.
            ChainError: a new line of the chain does not verify, or the chain is missing, cut or another one.
        """
        return self.current.answering()

    def was_proposed(self, memory: Memory) -> bool:
        """Return whether a text is or was a candidate (S-13); false if the index cannot answer."""
        from ledger.view import ViewUnavailableError

        try:
            return self.index.proposed(memory)
        except (ViewUnavailableError, sqlite3.Error):
            return False

    @property
    def local(self) -> Local:
        """This machine's observations."""
        if self._local is None:
            from projections.local import Local

            self._local = Local(self.place.directory)
        return self._local

    @property
    def configuration(self) -> Configuration:
        """The settings of user and project.

        Raises:
            UsageError: a file of settings cannot be read, or a setting is wrong.
        """
        if self._configuration is None:
            from projections.configuration import load

            self._configuration = load(*self._settings_files())
        return self._configuration

    @property
    def readable_configuration(self) -> Configuration:
        """The settings as far as they can be read, for questions (F-21); `configuration_faults` names the rest."""
        if self._readable is None:
            from projections.configuration import load_to_read

            self._readable, self.configuration_faults = load_to_read(*self._settings_files())
        return self._readable

    @property
    def vectors(self) -> VectorSearch | None:
        """The vectors of the memories; None if the settings name no model that can be loaded."""
        if not self._embedder_chosen:
            from projections.vectors.embedder import chosen

            self.embed_with(chosen(self.readable_configuration).embedder)
        return self._vectors

    def embed_with(self, embedder: Embedder | None) -> None:
        """Compare meanings by this model from now on, whatever the settings name; None compares words alone."""
        self._embedder_chosen, self._vectors = True, None
        if embedder is not None:
            from projections.vectors.vector_search import VectorSearch

            self._vectors = VectorSearch(
                self.place.directory, lambda: self.index, self.local.archived, embedder
            )

    def _settings_files(self) -> tuple[Path, Path | None]:
        from projections.configuration import CONFIG_NAME

        own = self.place.directory if self.place.scope == "user" else self.home.path
        return own / CONFIG_NAME, self.place.root / ".muniment" / CONFIG_NAME if self.place.root else None

    # --- state ---

    def check_standing(self) -> None:
        """Refuse a chain that is missing, cut or another one; see `ledger.chain_identity`.

        Raises:
            NoLedgerError: there is no ledger here, and never was one.
            ChainError: it is not the chain that was acknowledged here.
        """
        from ledger.chain_identity import check_standing

        check_standing(self.chain, self.state)
        if not self._used:
            self._used = True
            for folder in self._swept_folders():
                with suppress(OSError):
                    swept(folder)
            if self.on_unfinished is not None and self._has_unfinished():
                self.on_unfinished()

    def _has_unfinished(self) -> bool:
        if not (self.place.directory / LOCAL_NAME).is_file():
            return False
        try:
            return self.local.has_unfinished()
        except (LedgerError, OSError, sqlite3.Error):
            return False  # `trouble` names the fault

    def _swept_folders(self) -> Iterator[Path]:
        """Yield the folders where a dead process may have left half a file; a rendering sweeps those of documents."""
        yield self.home.keys  # it may be a private key that no passphrase seals (N-23)
        yield from (self.place.directory / name for name in SHOWN_OUTSIDE)
        yield self.home.state / "hooks" / "spool"

    def is_shared(self, folder: Path) -> bool:
        """Return whether a folder of documents also holds other people's files: `[render]` names it, or did (G-25)."""
        if self.place.scope != "user" or folder == self.place.own_folder:
            return False
        return folder == self.place.documents or self.local.is_shared(folder)

    def wait_at_most(self, seconds: float) -> None:
        """Wait at most this long for a process that writes index or local state; call it before either is used."""
        self.local.database.patience = self.current.own.patience = seconds

    def mended(self) -> str:
        """Return the fault of a local state that was just set aside, "" without one; each fault is returned once."""
        if self._local is None:
            return ""
        database = self._local.database
        damaged, database.damaged = database.damaged, ""
        return damaged

    @property
    def trouble(self) -> str:
        """Why the local state could not be used so far, "" if it could or nobody needed it."""
        return self._local.database.trouble if self._local else ""

    # --- writing ---

    def append(
        self,
        commands: Sequence[Command],
        by: By | None = None,
        *,
        redact: bool = False,
        timeout: float | None = None,
    ) -> list[Written]:
        """Append one batch of events; documents are not read.

        Args:
            commands: what to write.
            by: the writer; the workspace's own writer by default.
            redact: whether secrets are replaced instead of refused.
            timeout: seconds to wait for another process.

        Raises:
            As `Ledger.write` does.
        """
        return self.ledger.write(commands, by or self.by, redact=redact, timeout=timeout)
