"""Joins the short segments that a machine sent of its own chain, window by window.

Implements specs/team.md (TM-79). Who erases writes the blank into their own chain before anybody else hears of it, and only the owner
of a chain joins, from that chain. So a joined segment can bring a text back only where another process of the same machine
blanks between the reading and the writing: one lock excludes that.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ledger.durable import open_file, storage_error
from team.chain_segments import segments
from transports.protocol import MOST_LINES, Transport, UnreachableError
from writers.team_folder import TeamFolder

LOCK_NAME = "blanking.lock"


def join_closed(transport: Transport, folder: TeamFolder, sent: range) -> None:
    """Join the window in which the sending of our own lines began, if these reach its end.

    Whatever hinders it leaves short segments, which say the same. The windows behind it were sent whole.
    """
    first = sent.start - sent.start % MOST_LINES
    if first == sent.start or sent.stop < first + MOST_LINES:
        return
    with alone(folder, waits=False) as is_alone, suppress(UnreachableError):
        if is_alone:
            for each in segments(folder.chain, first, first + MOST_LINES):
                transport.compact(folder.genesis, each)


@contextmanager
def alone(folder: TeamFolder, *, waits: bool) -> Iterator[bool]:
    """Keep other processes of this machine from blanking or joining at the transport; say whether that is so."""
    path = folder.path / LOCK_NAME
    try:
        fd = open_file(path, os.O_RDWR | os.O_CREAT)
    except OSError as error:
        raise storage_error(error, "locking what is sent to the transport", path) from error
    try:
        fcntl.flock(fd, fcntl.LOCK_EX if waits else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        is_alone = False
    else:
        is_alone = True
    try:
        yield is_alone
    finally:
        os.close(fd)
