"""Observes the durable steps of ledger/steps.py in this process, and lets it die at one of them."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ledger import steps

STEPS = (
    "root.entered",
    "genesis.written",
    "genesis.synced",
    "genesis.renamed",
    "append.locked",
    "append.read",
    "append.written",
    "append.synced",
    "append.marked",
    "torn.copied",
    "torn.cut",
    "copies.cleaned",
    "erasure.noted",
    "erase.appended",
    "erase.blanked",
    "erase.synced",
    "rotate.stored",
    "rotate.renamed",
    "rotate.settled",
    "passphrase.put",
    "index.discarded",
    "index.begun",
    "index.cleared",
    "index.applied",
    "index.committed",
    "index.blanked",
    "index.overwritten",
    "index.finished",
    "document.taken",
    "file.swept",
    "file.known",
    "file.kept",
    "file.noted",
    "file.written",
    "file.exchanged",
    "file.renamed",
    "file.settled",
    "file.removed",
    "file.forgotten",
    "file.recorded",
    "folder.rendered",
    "receipt.written",
    "team.settled",
    "team.asked",
    "copy.written",
    "copy.blanked",
    "copy.marked",
    "team.exchanged",
    "rejoin.signed",
    "rejoin.planned",
    "rejoin.placed",
    "rejoin.keyed",
    "rejoin.pinned",
    "rejoin.said",
)
"""All steps, in the order in which a command meets them."""


@contextmanager
def observed(observer: Callable[[str], None]) -> Iterator[None]:
    """Tell `observer` each step that is reached."""
    steps.observer = observer
    try:
        yield
    finally:
        steps.observer = None


@contextmanager
def watched() -> Iterator[list[str]]:
    """Give the list of the steps that are reached, in order."""
    reached: list[str] = []
    with observed(reached.append):
        yield reached


class DeathError(BaseException):
    """Ends everything at once, as a kill does."""


@contextmanager
def dying_at(step: str) -> Iterator[None]:
    """Die when `step` is reached, which it must be; what the dead one held is still there."""

    def die(reached: str) -> None:
        if reached == step:
            raise DeathError

    with observed(die):
        try:
            yield
        except DeathError:
            return
    raise AssertionError(f"{step} was not reached")


def kill_at(step: str, occurrence: int) -> None:
    """Have this process killed at the given occurrence (from 1) of a step."""
    count = 0

    def die(reached: str) -> None:
        nonlocal count
        count += reached == step
        if count == occurrence:
            os.kill(os.getpid(), signal.SIGKILL)

    steps.observer = die
