"""Checks signatures in processes beside this one, which checks everything else meanwhile.

Belongs to specs/verification.md (V-11). A worker says only whether all were good: if one was not, or the worker died, the
caller checks once more by itself, so that what is found does not depend on workers. A worker ends when its
input does, also where this process was killed.
"""

from __future__ import annotations

import marshal
import os
import select
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import IO

from ledger.canonical import unb64
from ledger.errors import ChainError
from ledger.signing import verify_signature

WORTHWHILE = 4 << 20
"""So many bytes of a chain take longer to check than a worker to start."""
Later = Callable[[bytes, bytes, bytes], None]
"""Takes key, message and signature of an event, to have it checked."""
_AT_ONCE = 64
_MOST = 3
"""As much as one process can keep busy."""


class SignatureWorkers:
    """Takes signatures to check; `good` says in the end whether all of them are."""

    def __init__(self, pipes: list[IO[bytes]]) -> None:
        self._pipes = pipes
        self._batch: list[tuple[bytes, bytes, bytes]] = []
        self.good = bool(pipes)

    def add(self, key: bytes, message: bytes, signature: bytes) -> None:
        """Have a signature checked, which is in base64url."""
        self._batch.append((key, message, signature))
        if len(self._batch) == _AT_ONCE:
            self.give()

    def give(self) -> None:
        """Give the collected signatures to a worker; if all are busy, check them here."""
        batch, self._batch = self._batch, []
        free = select.select([], self._pipes, [], 0)[1]
        try:
            if free:
                marshal.dump(batch, free[0])
                free[0].flush()
            else:
                self.good = self.good and all(_is_good(*each) for each in batch)
        except OSError:  # a worker found one that is not good, or was killed
            self.good = False


@contextmanager
def signature_workers(size: int) -> Iterator[SignatureWorkers]:
    """Start workers for `size` bytes of a chain; `good` is final after the block, and False without workers."""
    many = min(len(os.sched_getaffinity(0)) - 1, _MOST) if hasattr(os, "sched_getaffinity") else 1
    workers: list[tuple[int, IO[bytes]]] = []
    with suppress(OSError, ValueError):  # those that can be started have to do
        workers.extend(_started() for _ in range(many if size >= WORTHWHILE else 0))
    found = SignatureWorkers([pipe for _, pipe in workers])
    try:
        yield found
        found.give()
    finally:
        for pid, pipe in workers:
            with suppress(OSError):
                pipe.close()
            found.good = _is_done(pid) and found.good


@contextmanager
def checked_beside(size: int) -> Iterator[Later | None]:
    """Yield a checker for the signatures of `size` bytes of chains; None if the caller must check them.

    Raises:
        ChainError: at the end, if not all are known to be good: the caller must check once more by itself.
    """
    with signature_workers(size) as workers:
        later = workers.add if workers.good else None
        yield later
    if later and not workers.good:
        raise ChainError("a signature is not good, or who checked them was killed; run muniment verify")


def _started() -> tuple[int, IO[bytes]]:
    """Start a worker; return its process and what to write to it."""
    source, sink = os.pipe()
    command = [sys.executable, "-P", "-m", __name__]
    streams = [(os.POSIX_SPAWN_DUP2, source, 0), (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with os.fdopen(source, "rb"), ExitStack() as unless_started:
        pipe = unless_started.enter_context(os.fdopen(sink, "wb"))
        pid = os.posix_spawn(command[0], command, environment, file_actions=streams)
        unless_started.pop_all()
    return pid, pipe


def _is_done(pid: int) -> bool:
    """Wait for a worker; return whether all its signatures were good."""
    with suppress(ChildProcessError):  # the program around us has waited for it
        return os.waitpid(pid, 0)[1] == 0
    return False


def _is_good(key: bytes, message: bytes, signature: bytes) -> bool:
    raw = unb64(signature, 64)
    return raw is not None and verify_signature(key, message, raw)


def _work(source: IO[bytes]) -> bool:
    """Check what comes, up to the end or the first bad one; return whether all are good."""
    while source.peek(1):  # type: ignore[attr-defined]
        if not all(_is_good(*each) for each in marshal.load(source)):  # noqa: S302 - of the process that started this one
            return False
    return True


if __name__ == "__main__":
    sys.exit(not _work(sys.stdin.buffer))
