"""Compares the estimate of tokens with what real tokenizers counted.

Implements specs/projections.md (P-32). The counts were made once, with the tokenizers that the first line of the
data names; they ship their vocabularies, so that nothing is downloaded here or by muniment. The texts are our own.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from eval.likeness import HALVES, half_of
from language.token_estimate import estimate_tokens

TEXTS = Path(__file__).parent / "data" / "tokens.jsonl"
ENGLISH_AND_CODE = ("english", "memories", "python", "config", "commands", "tables")
"""The classes that have to be within 15 %; other scripts are only reported."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text, its class, and how many tokens it has by each tokenizer."""

    kind: str
    text: str
    tokens: dict[str, int]

    @property
    def half(self) -> str:
        """The rule was fitted on `tuned`."""
        return half_of(self.text)


def tokenizers() -> dict[str, str]:
    """Return the tokenizers that counted, each with its package and version."""
    with TEXTS.open(encoding="utf-8") as lines:
        named: dict[str, str] = json.loads(next(lines))["tokenizers"]
    return named


def texts() -> list[Text]:
    """Read the texts and their counts."""
    rows = [json.loads(line) for line in TEXTS.read_text("utf-8").splitlines()[1:]]
    return [Text(row["class"], row["text"], row["tokens"]) for row in rows]


def errors(
    chosen: Iterable[Text], estimate: Callable[[str], int] = estimate_tokens
) -> dict[str, dict[str, float]]:
    """Return by class, and for English and code in all, how far the estimate is from each tokenizer's count.

    0.1 is a tenth too many, -0.1 a tenth too few.
    """
    estimated: Counter[str] = Counter()
    counted: dict[str, Counter[str]] = {}
    for one in chosen:
        for kind in (one.kind, "english and code") if one.kind in ENGLISH_AND_CODE else (one.kind,):
            estimated[kind] += estimate(one.text)
            counted.setdefault(kind, Counter()).update(one.tokens)
    return {
        kind: {name: estimated[kind] / count - 1 for name, count in by.items()}
        for kind, by in counted.items()
    }


def found() -> dict[str, dict[str, dict[str, float]]]:
    """Return the errors of each half and of all."""
    every = texts()
    halves = {half: errors(one for one in every if one.half == half) for half in HALVES}
    return {**halves, "all": errors(every)}


def report(_misses: bool = False) -> tuple[str, bool]:
    """Return a table for each half and for all; the floor is a test's."""
    lines = ["counted with " + ", ".join(f"{name}: {by}" for name, by in tokenizers().items())]
    return "\n".join([*lines, *(_table(name, by_class) for name, by_class in found().items())]), True


def _table(name: str, by_class: dict[str, dict[str, float]]) -> str:
    columns = list(tokenizers())
    lines = [f"{name}: estimate against count", "  " + f"{'':<18}" + "".join(f"{c:>13}" for c in columns)]
    lines += [
        f"  {kind:<18}" + "".join(f"{error[column]:>+13.1%}" for column in columns)
        for kind, error in by_class.items()
    ]
    return "\n".join(lines) + "\n"
