"""Measures what an extractor has written of the golden set, and tells it as text or JSON.

Implements specs/capture.md (K-125).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from eval.memory_writes.accounting import Account, account
from eval.memory_writes.figures import Figures, counted
from eval.memory_writes.golden import CATEGORIES, DATA, GENRES, HALVES, Conversation, conversations
from eval.memory_writes.hearing import Extractor, Scratch

EXTRACTORS = ("heuristic", "llm")
HELD_OUT = "held-out"


def run(
    *,
    folder: Path | None = None,
    half: str | None = None,
    extractor: str = "heuristic",
    misses: bool = False,
    held_out_misses: bool = False,
    as_json: bool = False,
    model: str = "",
) -> int:
    """Measure, tell, and return the exit code: 0 for a PASS, 1 otherwise.

    Args:
        folder: where the set lies; None is our own.
        half: only this half; it is what has to pass then.
        extractor: one of EXTRACTORS.
        misses: also each miss of the tuned half, and of the held-out one with `held_out_misses`.
        held_out_misses: as it says; whoever has read them cannot measure with that half any more.
        as_json: JSON in place of tables.
        model: the language model that is the extractor llm.
    """
    chosen = [each for each in conversations(folder or DATA) if half in (None, each.half)]
    if not chosen:
        raise ValueError(f"{folder or DATA} holds no {half} half")
    accounts = measured(chosen, extractor_named(extractor, model))
    tables = tabled(accounts)
    open_ = [each for each in accounts if held_out_misses or each.conversation.half != HELD_OUT]
    shown = [line for each in open_ if (line := miss(each))] if misses or held_out_misses else []
    if as_json:
        told = {"dataset": "memory-writes", "extractor": extractor, "misses": shown}
        print(json.dumps(told | {name: figures.as_json() for name, figures in tables.items()}, indent=2))
    else:
        print("\n".join([*text(tables), *(["", *shown] if shown else [])]))
    return 1 if tables["all"].shortfalls else 0


def extractor_named(name: str, model: str = "") -> Extractor:
    """Return what makes a session's detector.

    Raises:
        ValueError: there is none of that name, or it cannot run here.
    """
    if name == "heuristic":
        from learning.detection.detector import LearningDetector

        return LearningDetector
    if name == "llm":
        from eval.memory_writes.asking import extractor

        return extractor(model)
    raise ValueError(f"there is no extractor {name!r}: use one of {', '.join(EXTRACTORS)}")


def measured(chosen: Iterable[Conversation], extractor: Extractor) -> list[Account]:
    """Let each conversation be heard, and account for it."""
    with Scratch.made() as scratch:
        return [account(each, scratch.hear(each, extractor)) for each in chosen]


def tabled(accounts: Sequence[Account]) -> dict[str, Figures]:
    """Return the figures of all, of each half, each genre, and each category."""
    groups = {"all": list(accounts)}
    for prefix, member, names in (
        ("", "half", HALVES),
        ("genre ", "genre", GENRES),
        ("category ", "category", CATEGORIES),
    ):
        for name in names:
            group = [each for each in accounts if getattr(each.conversation, member) == name]
            groups |= {f"{prefix}{name}": group} if group else {}
    return {name: counted(group) for name, group in groups.items()}


def text(tables: Mapping[str, Figures]) -> list[str]:
    """Return the lines that tell the figures to a person."""
    lines = []
    for name in ("all", *HALVES):
        if (one := tables.get(name)) is not None:
            lines += [
                f"{name}: {one.conversations} conversations, {one.messages} messages, {one.writes} writes",
                *(f"  {label:<26}{ratio}" for label, ratio in one.ratios.items()),
                f"  {'FAIL' if one.shortfalls else 'PASS'}" + "".join(f"; {each}" for each in one.shortfalls),
                "",
            ]
    columns = ("precision", "recall", "recall with candidates", "false positives a message")
    lines.append(
        f"{'':<30}{'talks':>6}{'writes':>8}{'precision':>11}{'recall':>8}{'with candidates':>17}{'wrong':>7}"
    )
    for name, one in tables.items():
        shares = one.ratios
        precision, recall, filed, _ = (_share(shares[each]) for each in columns)
        lines.append(
            f"{name:<30}{one.conversations:>6}{one.writes:>8}{precision:>11}{recall:>8}{filed:>17}{one.wrong:>7}"
        )
    return lines


def _share(ratio: Any) -> str:
    return f"{ratio.value:.3f}" if ratio.whole else "-"


def miss(one: Account) -> str:
    """Return lines that tell what went wrong in a conversation, "" where nothing did."""
    conversation, lines = one.conversation, []
    for judged in one.judged:
        expected, by = judged.expected, judged.by
        wanted = " + ".join(expected.says) or f"seed {expected.of}"
        if judged.met != "met" and not expected.optional:
            found = f": {by.text!r}" if by else ""
            lines.append(f"  turn {expected.turn}: {judged.met} {expected.op} [{wanted}]{found}")
        elif by is not None and (by.scope, by.type) != (expected.scope or by.scope, expected.type or by.type):
            lines.append(
                f"  turn {by.turn}: {by.scope} {by.type}, not {expected.scope} {expected.type}: {by.text!r}"
            )
    for wrong in one.wrong:
        write, lost = wrong.write, ", a seed was lost" if wrong.is_harm else ""
        lines.append(f"  turn {write.turn}: wrong {write.outcome} ({write.scope}): {write.text!r}{lost}")
    said = [
        f"  {number:>2} {turn.role}: {turn.text[:300]!r}" for number, turn in enumerate(conversation.turns)
    ]
    head = f"{conversation.id} ({conversation.half}, {conversation.category}, {conversation.genre})"
    return "\n".join([head, *said, *lines]) if lines else ""
