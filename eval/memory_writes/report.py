"""Measures what an extractor has written of the golden set, and tells it as text or JSON.

Implements specs/capture.md (K-124, K-125, K-128).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from eval.memory_writes.accounting import Account, account
from eval.memory_writes.figures import Figures, Judge, counted
from eval.memory_writes.golden import CATEGORIES, DATA, GENRES, HALVES, Conversation, conversations
from eval.memory_writes.hearing import Extractor, Scratch
from muniment import __version__

EXTRACTORS = ("heuristic", "llm")
HELD_OUT = "held-out"


def run(
    *,
    folder: Path | None = None,
    half: str | None = None,
    extractor: str = "heuristic",
    mlflow: str = "",
    misses: bool = False,
    held_out_misses: bool = False,
    as_json: bool = False,
    model: str = "",
    judge: Judge | None = None,
    tell: Callable[[str], None] = print,
) -> int:
    """Measure, tell, and return the exit code: 0 for a PASS, 1 otherwise.

    Args:
        folder: where the set lies; None is our own.
        half: only this half; it is what has to pass then.
        extractor: one of EXTRACTORS.
        mlflow: the URI of a store that the run is logged to, "" for none; misses go there as they would be listed.
        misses: also each miss of the tuned half, and of the held-out one with `held_out_misses`.
        held_out_misses: as it says; whoever has read them cannot measure with that half any more.
        as_json: JSON in place of tables.
        model: the language model that is the judge, and the extractor where that is llm; "" is none.
        judge: is asked about each memory, in that model's place.
        tell: takes what is to be printed.
    """
    chosen = [each for each in conversations(folder or DATA) if half in (None, each.half)]
    if not chosen:
        raise ValueError(f"{folder or DATA} holds no {half} half")
    if mlflow:
        from eval.memory_writes.tracking import demand

        demand()
    accounts = measured(chosen, extractor_named(extractor, model))
    if model and judge is None:
        from eval.memory_writes.asking import judging, language_model

        judge = judging(language_model(model))
    tables = tabled(accounts, judge)
    open_ = [each for each in accounts if held_out_misses or each.conversation.half != HELD_OUT]
    listed = [line for each in open_ if (line := miss(each))]
    shown = listed if misses or held_out_misses else []
    if as_json:
        leaks = {each.conversation.id: each.heard.leaks for each in accounts if each.heard.leaks}
        told = {"dataset": "memory-writes", "extractor": extractor, "leaks": leaks, "misses": shown}
        tell(json.dumps(told | {name: figures.as_json() for name, figures in tables.items()}, indent=2))
    else:
        tell("\n".join([*text(tables), *(["", *shown] if shown else [])]))
    if mlflow:
        from eval.memory_writes.tracking import log

        params = {"extractor": extractor, "half": half or "all", "muniment": __version__}
        log(mlflow, params, tables, "\n".join(listed))
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
        from eval.memory_writes.asking import extractor, language_model

        return extractor(language_model(model))
    raise ValueError(f"there is no extractor {name!r}: use one of {', '.join(EXTRACTORS)}")


def measured(chosen: Iterable[Conversation], extractor: Extractor) -> list[Account]:
    """Let each conversation be heard, and account for it."""
    with Scratch.made() as scratch:
        return [account(each, scratch.hear(each, extractor)) for each in chosen]


def tabled(accounts: Sequence[Account], judge: Judge | None = None) -> dict[str, Figures]:
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
    return {name: counted(group, judge) for name, group in groups.items()}


def text(tables: Mapping[str, Figures]) -> list[str]:
    """Return the lines that tell the figures to a person."""
    lines = []
    for name in ("all", *HALVES):
        if (one := tables.get(name)) is not None:
            lines += [
                f"{name}: {one.conversations} conversations, {one.messages} messages, {one.writes} writes",
                *(f"  {label:<26}{ratio}" for label, ratio in one.ratios.items()),
                f"  {'leaks':<26}{one.leaks}",
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
        expected = judged.expected
        if judged.met != "met" and not expected.optional:
            wanted = " + ".join(expected.says) or f"seed {expected.of}"
            found = f": {judged.by.text!r}" if judged.by else ""
            lines.append(
                f"  turn {expected.turn}: {judged.met} {expected.op} [{wanted}], {judged.why}{found}"
            )
        elif judged.by is not None and judged.met != "missed":
            off = [
                f"{name} {got}, not {asked}"
                for name, got, asked in (
                    ("scope", judged.by.scope, expected.scope),
                    ("type", judged.by.type, expected.type),
                )
                if asked and got != asked
            ]
            if off:
                lines.append(f"  turn {judged.by.turn}: {'; '.join(off)}: {judged.by.text!r}")
    lines += [
        f"  turn {wrong.write.turn}: wrong {wrong.write.outcome} ({wrong.write.scope}): {wrong.write.text!r}, {wrong.why}"
        for wrong in one.wrong
    ]
    lines += [f"  leak: {leak}" for leak in one.heard.leaks]
    if not lines:
        return ""
    said = [
        f"  {number:>2} {turn.role}: {(turn.command + ' → ' if turn.command else '') + turn.text[:300]!r}"
        for number, turn in enumerate(conversation.turns)
    ]
    return "\n".join(
        [
            f"{conversation.id} ({conversation.half}, {conversation.category}, {conversation.genre})",
            *said,
            *lines,
        ]
    )
