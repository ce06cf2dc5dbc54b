"""What a chain says of its keys: which was in force from which event on, and which come next.

Implements specs/cli.md (X-250). From verified events; the private keys are not looked at (`ledger.key_places`).
"""

from __future__ import annotations

from typing import NamedTuple

import orjson

from ledger.event import split_line
from ledger.note import NoteKey
from projections.query import LogFilter
from projections.recall import Recall
from proofs.checkpoint import Origin


class KeyTerm(NamedTuple):
    """A public key (hex), and the event that brought it.

    `proved` says whether the previous key agreed, None of the first key; what the key signed from @`disowned_since` on
    is disowned.
    """

    seq: int
    id: str
    at: str
    key: str
    proved: bool | None
    disowned_since: int | None


class PublicKeys(NamedTuple):
    """The ledger's id, the commitment to its next key, its key as `muniment verify` accepts it, and all terms."""

    ledger: str
    next: str
    vkey: str
    terms: tuple[KeyTerm, ...]

    @property
    def newest(self) -> KeyTerm:
        """The term of the current key."""
        return self.terms[-1]


def public_keys(recall: Recall) -> PublicKeys:
    """Return what the chain says of its keys."""
    rows = recall.log(LogFilter(kinds=("genesis", "rotate"), own=True))
    heads = [orjson.loads(split_line(recall.line(row.id)).event) for row in rows]
    disowned = [head.get("since") for head in heads[1:]] + [None]
    terms = tuple(
        KeyTerm(row.seq, row.id, row.at, head["key"], "proof" in head if place else None, since)
        for place, (row, head, since) in enumerate(zip(rows, heads, disowned, strict=True))
    )
    link = recall.source.index.link
    origin = str(Origin(terms[0].id, link.epoch if link else 0))  # as a checkpoint of now has it (T-12, T-21)
    vkey = NoteKey(origin, bytes.fromhex(terms[-1].key)).vkey
    return PublicKeys(heads[0]["ledger"]["id"], heads[-1]["next"], vkey, terms)
