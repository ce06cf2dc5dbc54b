"""An index rebuilt in the order in which another one read its events: verify compares with it.

Implements specs/verification.md (V-15) and specs/team.md (TM-7). Which chain's event came first decides about the numbers
of rows, and about no memory; so that rows can be compared, they come as they came.
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
    """In which order events came, and whose count, the others as that index numbers them."""

    runs: Sequence[ChainRun]
    writers: Writers = Writers()

    @property
    def own_end(self) -> int:
        """The byte after the last event of our own chain."""
        return max((run.end for run in self.runs if run.writer == OWN), default=0)


def order_of(database: Path, chain: Path, newest: int = sys.maxsize) -> Order:
    """Return in which order an index took in its events, up to the number `newest`.

    Of one that is missing or damaged, the order of our own chain alone.
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
    """Return how far the copies of writers were read of whom not all events count: what lies behind makes no rows."""
    ends = dict(db.execute('SELECT writer, "end" FROM cursor'))
    return [
        ChainRun(other.number, ends[other.number])
        for other in others
        if other.until >= 0 and other.number in ends
    ]


def retaken(chain: Path, into: Path, order: Order, shown: ShowProgress = unseen) -> Index:
    """Return an index in the folder `into` that goes on as another one did; the chains were verified a moment ago."""
    index = Index(into, trusted=True, shown=shown)
    index.retake(chain, order.runs, order.writers)
    return index


def _end_of(chain: Path, seq: int) -> int:
    """Return the byte after the line with this seq, 0 if there is none."""
    line = reader.numbered(chain, seq)
    return line.end if line else 0
