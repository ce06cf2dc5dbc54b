"""What waits because it could not be written, or because no language model answered, and what trying it again does.

Implements specs/cli.md (X-160, X-161, X-183) and specs/capture.md (K-73, K-119). Prints nothing: `muniment upkeep retry` does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from documents.scope import Scope
from learning.authorship import home_of
from learning.detection.language_model import Ask, ModelError
from learning.intake import Taken, Taking
from learning.outbox import Outbox, WaitingProposal
from learning.waiting_files import OUTBOX
from learning.waiting_windows import WaitingWindow, WaitingWindows, ask_again
from learning.writer import ledger_id
from ledger.errors import UsageError


@dataclass(frozen=True, slots=True)
class Left:
    """What waits for the ledgers that learn together: proposals, and parts of conversations that wait for a model."""

    proposals: list[WaitingProposal]
    windows: list[WaitingWindow]

    @property
    def unreadable(self) -> list[tuple[Path, str]]:
        """The files that cannot be read, each with the reason."""
        files = [(each.path, each.fault) for each in self.proposals]
        files += [(each.path, each.fault) for each in self.windows]
        return [(path, fault) for path, fault in files if fault]

    @property
    def unwritten(self) -> int:
        """How many proposals wait; a file that cannot be read does not count."""
        return sum(not each.fault for each in self.proposals)

    @property
    def unanswered(self) -> int:
        """How many parts wait; a file that cannot be read does not count."""
        return sum(not each.fault for each in self.windows)


@dataclass(frozen=True, slots=True)
class Retried:
    """What became of what waited, what still waits, and why a model gave no answer ("" if each did)."""

    taken: list[Taken]
    left: Left
    no_answer: str = ""


def left(scopes: Mapping[str, Scope]) -> Left:
    """Return what waits for these ledgers, the oldest first."""
    proposals = [
        each
        for scope in scopes.values()
        for each in Outbox(scope.workspace.home.state, ledger_id(scope)).waiting()
    ]
    return Left(proposals, list(WaitingWindows.of(scopes).waiting()))


def retried(taking: Taking, ask_for: Callable[[str], Ask]) -> Retried:
    """Write what waits and ask the models again; `ask_for` returns what asks the model of a name."""
    taken, no_answer = list(taking.retry()), ""
    try:
        for each in asked_again(taking, ask_for):
            taken.append(each)  # noqa: PERF402 - what was taken before an error counts
    except (ModelError, UsageError) as error:
        no_answer = str(error)
    return Retried(taken, left(taking.scopes), no_answer)


def asked_again(taking: Taking, ask_for: Callable[[str], Ask]) -> Iterator[Taken]:
    """Ask the models again about the parts that wait; raises as `learning.waiting_windows.ask_again` does."""
    yield from ask_again(WaitingWindows.of(taking.scopes), cache(ask_for), taking)


def other_ledgers(scopes: Mapping[str, Scope]) -> int:
    """Return for how many other ledgers of this user proposals wait (X-161)."""
    own = {ledger_id(each) for each in scopes.values()}
    folder = home_of(scopes).workspace.home.state / OUTBOX
    try:
        return sum(
            one.name not in own and next(one.glob("*.json"), None) is not None for one in folder.iterdir()
        )
    except OSError:
        return 0
