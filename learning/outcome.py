"""What became of a proposal: the answer of every door that learns by itself.

Implements specs/capture.md (K-62…K-73, K-151, K-155). Values alone.
"""

from __future__ import annotations

from typing import Literal

from documents.proposal import Proposal
from ledger.named_tuple import NamedTuple

Outcome = Literal[
    "created", "superseded", "confirmed", "promoted", "candidate", "known", "refused", "discarded", "queued", "asked",
    "forgotten", "unwritten", "older",
]  # fmt: skip
WRITTEN: frozenset[Outcome] = frozenset(
    ("created", "superseded", "confirmed", "promoted", "candidate", "forgotten")
)
"""What made an event."""

WAITING: frozenset[Outcome] = frozenset(("queued", "unwritten"))
"""What was not dealt with: it waits in the outbox, or not even that could keep it, and who proposed it must do so again."""


class Taken(NamedTuple):
    """What became of a proposal.

    `id` is the memory that stands for it now, "" for none; `targets` are those that it replaced or would forget;
    `scope` names the ledger; `why` says in a sentence why it was refused, discarded, queued or only filed.
    `replaced` are the texts of the memories that it replaced (K-284).
    """

    proposal: Proposal
    outcome: Outcome
    id: str = ""
    targets: tuple[str, ...] = ()
    scope: str = ""
    why: str = ""
    replaced: tuple[str, ...] = ()
