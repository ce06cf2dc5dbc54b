"""Makes the test vectors: `python -m specs.vectors.make_vectors` in the repository's root writes them anew.

Implements specs/verification.md (V-2) as data that any verifier can be run against; README.md beside it
describes the files. Keys, clock and salts are fixed, so the files come out the same on every machine.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from specs.vectors.cases import Case
from specs.vectors.hostile_cases import hostile_cases, valid_hostile_cases
from specs.vectors.invalid_chain_cases import chain_cases
from specs.vectors.invalid_line_cases import line_cases
from specs.vectors.invalid_payload_cases import payload_cases
from specs.vectors.valid_cases import valid_cases

HERE = Path(__file__).resolve().parent


def files() -> Iterator[tuple[str, bytes]]:
    """Give every file of the vectors: its path in this folder, and its bytes."""
    valid = chain(valid_cases(), valid_hostile_cases())
    invalid = chain(line_cases(), payload_cases(), chain_cases(), hostile_cases())
    for folder, cases in (("valid", valid), ("invalid", invalid)):
        for case in cases:
            yield f"{folder}/{case.name}.jsonl", case.data
            yield f"{folder}/{case.name}.json", _json(case)


def _json(case: Case) -> bytes:
    return json.dumps(case.expected(), indent=2, ensure_ascii=False).encode() + b"\n"


def write(into: Path) -> int:
    """Write all files below `into`, drop what is no longer among them, and return how many there are."""
    made = dict(files())
    for name, data in made.items():
        path = into / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    for folder in ("valid", "invalid"):
        for path in (into / folder).glob("*.json*"):
            if f"{folder}/{path.name}" not in made:
                path.unlink()
    return len(made)


if __name__ == "__main__":
    sys.stdout.write(f"{write(HERE)} files\n")
