"""What a test vector is: a chain, what a verifier is given beside it, and what it must report.

Implements specs/verification.md (V-2, V-6, V-7) as data: codes and lines are stated by hand for each case;
ids, seqs and counts follow from the chain's bytes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ledger.event import event_id, split_line
from specs.vectors.builder import Chain, Mark

HEAD_CODES = frozenset(
    {
        "line-too-long",
        "raw-control",
        "bom",
        "blank-line",
        "framing",
        "unsupported-version",
        "not-canonical",
        "schema",
        "genesis",
        "seq",
        "prev",
        "time",
        "epoch",
        "key",
        "signature",
    }
)
PLACE_CODES = frozenset({"genesis", "seq", "prev", "time", "epoch", "key", "signature", "foreign-chain"})
PAYLOAD_CODES = frozenset(
    {"payload-unsigned", "payload-missing", "payload-altered", "payload-schema", "erase-incomplete"}
)

Found = tuple[str, int | None]


@dataclass(frozen=True)
class Case:
    """One vector. `integrity` lists (code, line) in order; `completeness` is a code or empty.

    `pin`, `ledger` and `mark` are what the verifier is given; with `since` it checks what follows the mark
    only. `disowned` are pairs of seqs: from which on a rotate disowns, and its own (V-20).
    """

    name: str
    what: str
    data: bytes
    integrity: Sequence[Found] = ()
    completeness: str = ""
    pin: str | None = None
    ledger: str | None = None
    mark: Mark | None = None
    since: bool = False
    erased: int = 0
    disowned: Sequence[tuple[int, int]] = ()

    def expected(self) -> dict[str, Any]:
        """Return the content of the JSON file beside the chain."""
        *lines, tail = self.data.split(b"\n")
        if tail and not (self.mark and len(self.data) - len(tail) >= self.mark.end):  # V-10
            lines.append(tail)
        ids = self._ids(lines)
        return {
            "what": self.what,
            "given": {
                "genesis": self.pin,
                "ledger": self.ledger,
                "mark": asdict(self.mark) if self.mark else None,
                "since_mark": self.since,
            },
            "integrity": {
                "state": self._integrity(),
                "findings": [_finding(code, line, lines) for code, line in self.integrity],
            },
            "completeness": {
                "state": "findings" if self.completeness else "sound" if self.mark else "not checked",
                "findings": [self._of_mark()] if self.completeness else [],
            },
            "events": sum(id_ is not None for id_ in ids),
            "erased": self.erased,
            **({"disowned": [list(each) for each in self.disowned]} if self.disowned else {}),
            "ids": ids,
        }

    def _integrity(self) -> str:
        if self.since and self.completeness == "rollback":
            return "not checked"
        return "findings" if self.integrity else "sound"

    def _of_mark(self) -> dict[str, Any]:
        mark = self.mark
        return {"code": self.completeness, "line": None, "seq": mark and mark.seq, "id": mark and mark.id}

    def _ids(self, lines: list[bytes]) -> list[str | None]:
        bad = {line for code, line in self.integrity if code in HEAD_CODES}
        first = 1
        if ("no-key", None) in self.integrity or self._integrity() == "not checked":
            first = len(lines) + 1
        elif self.since and self.mark:
            first = self.mark.seq + 2
        return [None if number < first or number in bad else _id(raw) for number, raw in enumerate(lines, 1)]


def _id(raw: bytes) -> str:
    return event_id(split_line(raw).head)


def _finding(code: str, line: int | None, lines: list[bytes]) -> dict[str, Any]:
    seq, id_ = None, None
    if line and code in PLACE_CODES | PAYLOAD_CODES:
        seq, id_ = json.loads(split_line(lines[line - 1]).event)["seq"], _id(lines[line - 1])
    return {"code": code, "line": line, "seq": seq, "id": id_}


Maker = Callable[[], Case]


def started(count: int = 2) -> Chain:
    """Return a chain of a genesis and this many memories."""
    chain = Chain()
    chain.genesis()
    for number in range(1, count + 1):
        chain.create(f"The staging database listens on port {5432 + number}.")
    return chain
