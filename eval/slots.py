"""Scores `language.slots.compare` over labelled pairs of a memory and what a person says later.

Implements specs/capture.md (K-131).
"""

from __future__ import annotations

import json
from pathlib import Path

from language.slots import compare

DATA = Path(__file__).parent / "data" / "slots"
EXPECTED = {"changes": "changes", "negations": "changes", "same": "same", "unrelated": "apart"}


def main() -> None:
    for name, verdict in EXPECTED.items():
        rows = [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text("utf-8").splitlines()]
        given = [compare(row["new"], row["old"]) for row in rows]
        print(f"{name}: {given.count(verdict)} of {len(rows)}")
        for row, got in zip(rows, given, strict=True):
            if got != verdict:
                print(f"   {got:8} {row['old']} | {row['new']}")


if __name__ == "__main__":
    main()
