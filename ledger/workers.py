"""Gives worker processes to who has much of a chain to read, where forking is safe.

Belongs to specs/verification.md (V-11): any number of workers finds the same.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

_Piece = TypeVar("_Piece")
_Made = TypeVar("_Made")


def cores() -> int:
    """Return how many processor cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS
        return os.cpu_count() or 1


def processes(jobs: int) -> Executor | None:
    """Return that many forked processes; None where forking is not safe, since other threads run.

    A spawned process would run the caller's main module once more, which a library must not do.
    """
    if sys.platform != "linux" or not _alone():
        return None
    from concurrent.futures import ProcessPoolExecutor  # who never needs workers does not wait for it
    from multiprocessing import get_context

    return ProcessPoolExecutor(jobs, get_context("fork"), _begin, (os.getpid(),))


def _alone() -> bool:
    """Say whether no other thread runs; one that was just joined may take a moment to go."""
    for _ in range(10):
        if len(os.listdir("/proc/self/task")) == 1:
            return True
        if threading.active_count() > 1:
            return False
        time.sleep(0.002)
    return False


def in_order(
    pool: Executor, ahead: int, work: Callable[[_Piece], _Made], pieces: Iterable[_Piece]
) -> Generator[tuple[_Piece, _Made | None]]:
    """Give each piece, in order, with what a worker made of it; None where workers died or could not be started.

    At most `ahead` pieces are given out before the first of them is taken. Closes the pool in the end.
    """
    from concurrent.futures import BrokenExecutor

    rest = iter(pieces)
    waiting: deque[tuple[_Piece, Future[_Made] | None]] = deque()

    def submit() -> None:
        for piece in islice(rest, ahead - len(waiting)):
            try:
                waiting.append((piece, pool.submit(work, piece)))
            except (BrokenExecutor, OSError):
                waiting.append((piece, None))

    try:
        submit()
        while waiting:
            piece, future = waiting.popleft()
            try:
                made = future.result() if future else None
            except BrokenExecutor:
                made = None
            yield piece, made
            submit()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _begin(parent: int) -> None:
    """Leave Ctrl-C to the parent, and end soon after it where it was killed."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)
