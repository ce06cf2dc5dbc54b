"""Senders of tests: one who puts line after line, whatever happens to the server, and several at the same moment."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Self

from tests.transports.places import Place, lines
from transports.protocol import TakenError, Transport, UnreachableError

_LONGEST = 60.0
_TRIES = 50


class Sender:
    """Puts the next line of a chain again and again, in a thread, while the block lasts; closes the transport then."""

    def __init__(self, transport: Transport, chain: str) -> None:
        self._transport, self._chain = transport, chain
        self._thread = threading.Thread(target=self._run)
        self._changed = threading.Condition()
        self._ended = False
        self.acknowledged = 0
        self.failures = 0

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended = True
        self._thread.join()
        self._transport.close()

    def _run(self) -> None:
        while not self._ended:
            try:
                self._transport.put(self._chain, [lines(self.acknowledged)])
            except UnreachableError:
                self._note(failures=1)
            else:
                self._note(acknowledged=1)

    def _note(self, acknowledged: int = 0, failures: int = 0) -> None:
        with self._changed:
            self.acknowledged += acknowledged
            self.failures += failures
            self._changed.notify_all()

    def acknowledges(self, more: int) -> None:
        """Wait until so many more lines are acknowledged."""
        with self._changed:
            wanted = self.acknowledged + more
            assert self._changed.wait_for(lambda: self.acknowledged >= wanted, _LONGEST)

    def fails(self) -> None:
        """Wait until it fails once more."""
        with self._changed:
            known = self.failures
            assert self._changed.wait_for(lambda: self.failures > known, _LONGEST)


def race(place: Place, count: int, put: Callable[[Transport, int], None]) -> list[TakenError | None]:
    """Let machines put something at the same moment; return for each how it ended."""

    def run(number: int) -> TakenError | None:
        racer = place.at(f"racer {number}")
        try:
            put(racer, number)
        except TakenError as error:
            return error
        finally:
            racer.close()
        return None

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


def insist(put: Callable[[], None]) -> None:
    """Do something again until it succeeds: on a busy machine one who waits for a moment alone may give up too early."""
    for _ in range(_TRIES):
        with contextlib.suppress(UnreachableError):
            put()
            return
    put()
