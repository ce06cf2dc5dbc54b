"""Tells what `eval.retrieval` measured: as tables, or as JSON.

Implements specs/projections.md (P-112).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from eval.retrieval import (
    DATA,
    DEPTHS,
    HALVES,
    Finder,
    Question,
    Score,
    finders,
    learned,
    questions,
    score,
    told,
)

NO_ORIGINS = "no conversations"
"""What a half is called whose memories say neither in which conversation they were learned nor have a topic."""

Table = dict[str, Score]
"""Scores by what was compared."""


def report(folder: Path | None, half: str | None, *, wrong: bool, as_json: bool) -> str:
    """Measure a set and return what is to be printed.

    Args:
        folder: where the set lies; None is our own.
        half: only this half of the questions.
        wrong: also each question of which an answer is not among the first ten.
        as_json: JSON in place of tables.
    """
    memories, asked = told(folder or DATA), questions(folder or DATA)
    halves = {each: [one for one in asked if one.half == each] for each in HALVES if half in (None, each)}
    shown = [one for one in asked if half in (None, one.half)]
    with learned(memories) as (index, keys):
        compared = finders(index, keys)
        tables = {name: scored(chosen, compared) for name, chosen in halves.items()}
        ends = {name: compared[name] for name in (next(iter(compared)), list(compared)[-1])}
        kinds = {
            f"kind {kind}": scored([one for one in shown if one.kind == kind], ends)
            for kind in dict.fromkeys(one.kind for one in shown)
        }
        missed = _missed(shown, list(compared.values())[-1]) if wrong else []
    with learned(memories, origins=False) as (index, keys):
        compared = finders(index, keys)
        tables |= {f"{name}, {NO_ORIGINS}": scored(chosen, compared) for name, chosen in halves.items()}
    if as_json:
        return _json(len(memories), {**tables, **kinds})
    lines = [f"{len(memories)} memories, {len(asked)} questions"]
    for name, table in {**tables, **kinds}.items():
        lines += ["", *_table(name, table)]
    return "\n".join([*lines, *(["", *missed] if missed else [])])


def scored(chosen: Sequence[Question], compared: Mapping[str, Finder]) -> Table:
    """Score the same questions with each of what is compared."""
    return {name: score(chosen, finder) for name, finder in compared.items()}


def _table(name: str, table: Table) -> list[str]:
    number = next(iter(table.values())).questions
    head = "".join(f"{f'recall@{depth}':>11}" for depth in DEPTHS)
    rows = [
        f"  {what:<26}" + "".join(f"{one.recall[depth]:>11.3f}" for depth in DEPTHS) + f"{one.mrr:>8.3f}"
        for what, one in table.items()
    ]
    return [f"{f'{name}: {number} questions':<28}{head}{'MRR':>8}", *rows]


def _json(memories: int, tables: Mapping[str, Table]) -> str:
    figures = {name: {what: one.as_json() for what, one in table.items()} for name, table in tables.items()}
    return json.dumps({"dataset": "retrieval", "memories": memories, **figures}, indent=2)


def _missed(asked: Sequence[Question], finder: Finder) -> list[str]:
    missing = ((one, set(one.answers) - set(finder(one.query)[:10])) for one in asked)
    return [
        f"{one.half:<9} {one.kind:<11} {one.query!r} misses {', '.join(sorted(keys))}"
        for one, keys in missing
        if keys
    ]
