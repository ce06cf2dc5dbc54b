"""The index of one place, caught up with the chain whenever it is asked for.

Implements specs/projections.md (P-50, P-56) for readers: if our index is locked or cannot be written, a temporary
index of this process answers, so that no question fails.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ledger.errors import NoLedgerError

if TYPE_CHECKING:
    from tempfile import TemporaryDirectory

    from ledger.location import Location
    from ledger.progress import ShowProgress
    from projections.index import Index


class CurrentIndex:
    """Our index, and the temporary one beside it; each is opened when it is first needed.

    Args:
        place: where the ledger lies.
        check_standing: refuses a chain that is missing, cut or another one, before anything is read from it.
        shown: shows the progress of a long update.
    """

    def __init__(self, place: Location, check_standing: Callable[[], None], shown: ShowProgress) -> None:
        self._place = place
        self._check_standing = check_standing
        self._shown = shown
        self._own: Index | None = None
        self._beside: tuple[TemporaryDirectory[str], Index] | None = None

    @property
    def own(self) -> Index:
        """Our index as it is.

        Raises:
            NoLedgerError: its folder is missing.
        """
        if self._own is None:
            from projections.index import Index

            directory = self._place.directory
            if not directory.is_dir():
                raise NoLedgerError(f"there is no ledger at {directory}: run muniment init to create one")
            self._own = Index(directory, shown=self._shown)
        return self._own

    def caught_up(self, *, checked: bool = False) -> Index:
        """Return our index, updated from the chain; `checked` means that the chain was just checked.

        Raises:
            NoLedgerError: there is no ledger here.
            ChainError: new events of the chain do not verify, or the chain is gone, cut or another one.
            ViewUnavailableError: it is locked or cannot be written.
        """
        if not checked:
            self._check_standing()
        self.own.follow(self._place.chain)
        return self.own

    def is_clean(self) -> bool:
        """Return whether our index holds no erased text; an unreadable one may hold some."""
        from ledger.view import ViewUnavailableError

        try:
            index = self.caught_up()
            return not index.unfinished_erasures() and not index.erased_by_others()
        except ViewUnavailableError:
            return False

    def answering(self) -> Index:
        """Return our index, updated, or the temporary one if ours cannot be used.

        Raises:
            NoLedgerError, ChainError: as `caught_up`.
        """
        from ledger.view import ViewUnavailableError

        try:
            return self.caught_up()
        except ViewUnavailableError:
            return self._index_beside()

    def _index_beside(self) -> Index:
        import tempfile

        from projections.index import Index

        if self._beside is None:
            scratch = tempfile.TemporaryDirectory()
            self._beside = (scratch, Index(Path(scratch.name), shown=self._shown))
        self._beside[1].follow(self._place.chain)
        return self._beside[1]

    def close(self) -> None:
        """Close both, and delete the temporary one."""
        if self._own is not None:
            self._own.close()
        if self._beside is not None:
            self._beside[1].close()
            self._beside[0].cleanup()
            self._beside = None
