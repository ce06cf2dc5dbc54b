"""A finding: one thing that is wrong with a chain, said the same way in text, in JSON and in tests.

Implements specs/verification.md (V-1, V-2).
"""

from __future__ import annotations

from typing import Any

from ledger.named_tuple import NamedTuple

MAX_FINDINGS = 1000
"""At most so many findings of a verdict are listed; the others are counted (V-11)."""


class Finding(NamedTuple):
    """One fault.

    `code` is the stable name of the kind of fault (specs/verification.md lists all), `rule` the spec rule
    that is broken. `line` counts from 1 (None for what concerns no line); `seq` and `id` are the event's
    where they could be read.
    """

    code: str
    rule: str
    message: str
    line: int | None = None
    seq: int | None = None
    id: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the finding as a JSON-ready object."""
        return self._asdict()

    def __str__(self) -> str:
        where = f"line {self.line}: " if self.line is not None else ""
        return f"{where}{self.message} [{self.code}, {self.rule}]"
