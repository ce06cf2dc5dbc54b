"""The option --as-of: the ledger as it was, and the word that says which instant is looked at.

Implements specs/cli.md (X-95).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from cli.app import App
from cli.options import option
from language.dates import moment, span
from ledger.instant import written
from projections.recall import Recall

F = TypeVar("F", bound=Callable[..., Any])


def as_of_option(function: F) -> F:
    """Add the option; the command gets it as `as_of`."""
    text = "As it was at the end of a day (yesterday, monday, 2026-11-20), at a time (7d, '2026-11-20 15:00'), or at event @N."
    return option("--as-of", metavar="WHEN", help=text)(function)


@contextmanager
def looked_at(app: App, as_of: str | None) -> Iterator[Recall]:
    """Yield the ledger that the options mean, now or as it was at `as_of`; which instant that is, stderr says.

    Raises:
        UsageError: neither a time nor @N.
        NotFoundError: there is no such event.
    """
    with app.memory().recall.at(as_of) as memory:
        if as_of is not None:
            newest = up_to(memory.source.index.position(), "up to event @")
            app.note(f"as of {moment(written(memory.source.clock()))}, {newest}")
        yield memory


def up_to(seq: int, lead: str = "@") -> str:
    """Return which event was the newest, or that there was none yet (P-93)."""
    return f"{lead}{seq}" if seq >= 0 else "before the ledger began"


def say_when(app: App, scopes: Sequence[Recall], as_of: str | None) -> None:
    """Print on stderr at which instant one or several ledgers were looked at."""
    if as_of is None or not scopes:
        return
    if as_of.startswith("@"):
        from projections.history_cut import cut_at

        instant = cut_at(scopes[0].source.chain, as_of)[1]
    else:
        instant = span(as_of).last
    app.note(f"as of {moment(written(instant))}")
