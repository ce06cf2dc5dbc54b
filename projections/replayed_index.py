"""An index rebuilt in the same order as another one: verify compares the two.

Implements specs/verification.md (V-15) and specs/team.md (TM-7). The order of the chains decides only the numbers of rows, no
memory; the same order makes rows comparable.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path

from ledger import reader
from ledger.named_tuple import NamedTuple
from ledger.progress import ShowProgress, unseen
from projections.index import Index
from projections.index_chains import OWN, ChainRun, runs
from projections.read_only import opened_to_read
from writers.counted import Other, Writers, writers_of


class Order(NamedTuple):
    """The order of an index's events, and the writers whose events count, with their numbers there."""

    runs: Sequence[ChainRun]
    writers: Writers = Writers()

    @property
    def own_end(self) -> int:
        """The byte after the last event of our own chain."""
        return max((run.end for run in self.runs if run.writer == OWN), default=0)


def order_of(database: Path, chain: Path, newest: int = sys.maxsize) -> Order:
    """Return the order in which an index folded its events, up to the number `newest`.

    For a missing or damaged index it is the order of our own chain alone.
    """
    waits, others = writers_of(chain.parent)
    if not others and newest < sys.maxsize:
        return Order([ChainRun(OWN, _end_of(chain, newest))], Writers(waits))
    with suppress(sqlite3.DatabaseError), closing(opened_to_read(database)) as db:
        numbers = dict(db.execute("SELECT id, number FROM writers"))
        numbered = [other._replace(number=numbers[other.id]) for other in others if other.id in numbers]
        there = {
            OWN,
            *(other.number for other in numbered),
        }  # whose copy is gone is missing from what is replayed
        order = [run for run in runs(db, newest) if run.writer in there]
        order += _behind_the_last(db, numbered) if newest == sys.maxsize else []
        return Order(order, Writers(waits, numbered))
    return Order([ChainRun(OWN, _end_of(chain, newest))], Writers(waits))


def _behind_the_last(db: sqlite3.Connection, others: Sequence[Other]) -> list[ChainRun]:
    """Return how far the copies were read of writers whose later events do not count: those events make no rows."""
    ends = dict(db.execute('SELECT writer, "end" FROM cursor'))
    return [
        ChainRun(other.number, ends[other.number])
        for other in others
        if other.until >= 0 and other.number in ends
    ]


def retaken(chain: Path, into: Path, order: Order, shown: ShowProgress = unseen) -> Index:
    """Return an index in the folder `into` with this order of events; the chains were verified a moment ago."""
    index = Index(into, trusted=True, shown=shown)
    index.retake(chain, order.runs, order.writers)
    return index


def _end_of(chain: Path, seq: int) -> int:
    """Return the byte after the line with this seq, 0 if there is none."""
    line = reader.numbered(chain, seq)
    return line.end if line else 0
