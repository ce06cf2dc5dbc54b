"""What tests of redaction share: the names of the rules, which of them hit, and what may not be left."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ledger import redaction_rules
from ledger.redaction import findings
from ledger.redaction_named import NAMED_SECRET, PASSWORD
from ledger.redaction_rules import PRIVATE_KEY

RULES = {PRIVATE_KEY, PASSWORD, NAMED_SECRET} | {
    row[0]
    for table in (redaction_rules.TOKENS, redaction_rules.PATTERNS, redaction_rules.SHAPES)
    for row in table
}
"""The names of all rules of ours."""


def rules_in(value: Any) -> list[str]:
    """Return the names of the rules that hit in a JSON-like value, each once."""
    return list(dict.fromkeys(finding.rule for finding in findings(value)))


def fragments(secret: str, size: int = 12) -> Iterator[str]:
    """Yield pieces of a secret that must not be left anywhere."""
    core = secret[len(secret) // 2 :]
    yield from (core[at : at + size] for at in range(0, max(1, len(core) - size), size))
