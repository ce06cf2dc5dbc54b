"""A proposal: one change to memory that a reader suggests; only the ledger can turn it into an event.

Implements specs/import.md (I-4, I-5) and specs/capture.md (K-4). Two proposals have the same key if they say the same, and so
have a proposal and a memory in the ledger.
"""

from __future__ import annotations

import json
from typing import Literal

from ledger.memory import Memory
from ledger.named_tuple import NamedTuple

Action = Literal["create", "supersede", "delete", "confirm"]
Basis = Literal["", "stated", "asked", "fixed", "observed", "hedged"]
"""Why a detector proposes (K-4): a person stated it, asked to remember it, an error had a fix that worked, it was observed,
or said with a hedge. "" is not from a detector."""


class Proposal(NamedTuple):
    """One suggested change.

    `memory` is the content of a create or a supersede; `targets` are the ids of the memories that a supersede, delete or
    confirm concerns; `date` is the day on which it was learned (`2026-01-02`, or a timestamp as written), empty if
    unknown.

    A detector (K-4) also sets: `scope`, which is user, project or local; `about`, the words that name the memory to
    replace or forget if no id is known; `basis`, its reason; and `why`, the features that counted, each with its weight,
    the strongest first.
    """

    action: Action
    memory: Memory | None
    targets: tuple[str, ...] = ()
    reason: str = ""
    date: str = ""
    scope: str = ""
    about: str = ""
    basis: Basis = ""
    why: tuple[tuple[str, float], ...] = ()

    @property
    def key(self) -> str:
        """Return 64 hex characters that are equal for equal suggestions, on every machine (I-5)."""
        if self.action == "create" and self.memory is not None:
            return memory_key(self.memory)
        said = memory_key(self.memory) if self.memory is not None else ""
        return _digest([self.action, said, *self.targets])


def memory_key(memory: Memory) -> str:
    """Return the key of a memory's statement, read from a file or from the ledger: 64 hex characters.

    Only what a reader sees counts: the place (section, topic, the day of a daily note) and the words. Provenance,
    confidence and status do not count, nor does the line end after a body's last line, which a rendering adds (I-5).
    The parts of a body in the ledger must be joined before.
    """
    day = memory.provenance.date if memory.tier == "daily" else ""
    return _digest(
        [
            memory.effective_section,
            memory.type,
            day,
            memory.topic,
            memory.title,
            memory.text,
            list(memory.details),
            memory.body.rstrip("\r\n") if memory.body.strip() else "",
        ]
    )


def _digest(parts: list[object]) -> str:
    import hashlib  # of OpenSSL, which takes a quarter of a bare start

    packed = json.dumps(parts, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    return hashlib.sha256(packed).hexdigest()
