"""Reads the pairs of a memory and what is said later, as the model of `language.replacing` learns from them.

Implements specs/capture.md (K-286). `data/pairs/README.md` says what the kinds are.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from language.likeness import likeness
from language.replacement_features import features
from language.statement_reading import read, share_nothing

DATA = Path(__file__).with_name("data") / "pairs"
KINDS = ("changes", "negations", "unrelated", "same")
REPLACED = ("changes", "negations")
"""The kinds of pairs of which the new one takes the old one's place."""


class Row(NamedTuple):
    """One pair: its kind, the batch in which it was written, the memory, and what the model weighs of both texts.

    `is_weighed` is False if the model is not asked: the texts share nothing, or are the same.
    """

    kind: str
    batch: str
    old: str
    found: dict[str, float]
    is_weighed: bool = True

    @property
    def replaces(self) -> bool:
        """Whether the new text takes the old one's place."""
        return self.kind in REPLACED


def rows(data: Path = DATA) -> Iterator[Row]:
    """Give the pairs of all files."""
    for kind in KINDS:
        for line in (data / f"{kind}.jsonl").read_text("utf-8").splitlines():
            row = json.loads(line)
            old, new = row["old"], row["new"]
            known = likeness(new, old)
            is_weighed = known != "same" and not share_nothing(read(new), read(old))
            yield Row(kind, row["batch"], old, features(new, old, known), is_weighed)


def digest(data: Path = DATA) -> str:
    """Return the SHA-256 of the files of pairs."""
    return hashlib.sha256(b"".join((data / f"{kind}.jsonl").read_bytes() for kind in KINDS)).hexdigest()
