"""The source of answers about a ledger: its parts as they are now, or as they were.

Implements specs/adr/0031: a port that `projections.workspace.Workspace` and `projections.past.Past` fill.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ledger.instant import Clock
    from ledger.location import Location
    from ledger.progress import ShowProgress
    from projections.configuration import Configuration
    from projections.index import Index
    from projections.local import Local
    from projections.turns import ThreadTurns
    from projections.vectors.vector_search import VectorSearch


class Source(Protocol):
    """A source of answers: a `projections.workspace.Workspace` or a `projections.past.Past`."""

    @property
    def turn(self) -> ThreadTurns:
        """The lock of the threads that share the ledger."""

    @property
    def place(self) -> Location:
        """The ledger's place."""

    @property
    def clock(self) -> Clock:
        """The time, in µs since 1970."""

    @property
    def chain(self) -> Path:
        """The chain file."""

    @property
    def index(self) -> Index:
        """The index, up to date."""

    @property
    def local(self) -> Local:
        """This machine's observations."""

    @property
    def on_progress(self) -> ShowProgress:
        """Shows the progress of long work."""

    @property
    def readable_configuration(self) -> Configuration:
        """The settings of user and project as far as they can be read (F-21)."""

    @property
    def configuration_faults(self) -> tuple[str, ...]:
        """The faults of the settings that `readable_configuration` lacks."""

    @property
    def vectors(self) -> VectorSearch | None:
        """The vectors of its memories; None without a model, and of the past."""

    def check_standing(self) -> None:
        """Refuse a chain that is missing, cut or another one (C-15)."""
