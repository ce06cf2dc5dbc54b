"""Scores a judgement over a labelled set and prints how often it was right.

`--json` prints the figures as JSON.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from eval import likeness, tokens


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures of a data set; the exit code is 0 whatever they are, but for pairs and memory-writes, which can fail."""
    parser = argparse.ArgumentParser(prog="python -m eval", description=__doc__)
    sets = parser.add_mutually_exclusive_group(required=True)
    sets.add_argument("--all", action="store_true", help="every set, each in turn")
    sets.add_argument(
        "--dataset",
        choices=[
            "likeness",
            "retrieval",
            "tokens",
            "messages",
            "answers",
            "pairs",
            "replacing",
            "memory-writes",
        ],
        help="what is scored",
    )
    parser.add_argument("--half", choices=likeness.HALVES, help="only this half of the set")
    parser.add_argument("--wrong", action="store_true", help="list what was judged otherwise, or not found")
    parser.add_argument(
        "--set", type=Path, metavar="DIR", help="retrieval, memory-writes: another set of the same form"
    )
    parser.add_argument(
        "--misses",
        action="store_true",
        help="pairs, memory-writes: list them, but those of the held-out half",
    )
    parser.add_argument("--fresh", action="store_true", help="pairs: those that were never tuned on")
    parser.add_argument("--json", action="store_true", help="print JSON")
    writes = parser.add_argument_group("memory-writes (exit code 1 unless it passes)")
    writes.add_argument(
        "--extractor", choices=["heuristic", "llm"], default="heuristic", help="what proposes memories"
    )
    writes.add_argument(
        "--model",
        metavar="NAME",
        default="",
        help="the language model of the extractor llm",
    )
    writes.add_argument(
        "--held-out-misses",
        action="store_true",
        help="list all misses: who has seen them cannot tune any more",
    )
    given = parser.parse_args(arguments)
    if given.all:
        return _everything()
    if given.dataset == "memory-writes":
        return _memory_writes(given)
    if given.dataset == "retrieval":
        from eval.retrieval_report import report  # brings the whole program along

        print(report(given.set, given.half, wrong=given.wrong, as_json=given.json))
        return 0
    if given.dataset in ("messages", "answers"):
        return _messages(given.dataset, as_json=given.json)
    if given.dataset == "pairs":
        from eval import pairs  # brings the whole program along

        told, passes = pairs.report(misses=given.misses, as_json=given.json, fresh=given.fresh)
        print(told)
        return 0 if passes else 1
    if given.dataset == "replacing":
        from eval import replacing  # brings the whole program along

        told, passes = replacing.report()
        print(told)
        return 0 if passes else 1
    if given.dataset == "tokens":
        return _tokens(given.half, as_json=given.json)
    found = likeness.all_scores()
    shown = {given.half: found[given.half]} if given.half else found
    if given.json:
        print(
            json.dumps(
                {"dataset": given.dataset, **{name: s.as_json() for name, s in shown.items()}}, indent=2
            )
        )
        return 0
    for name, one in shown.items():
        print(_table(name, one))
    if given.wrong:
        for one in (one for name, one in shown.items() if name != "all"):
            for pair, verdict in one.wrong:
                print(f"{pair.expected:<12} judged {verdict:<12} {pair.one!r}  {pair.other!r}")
    return 0


def _memory_writes(given: argparse.Namespace) -> int:
    from eval.memory_writes.report import run  # brings the whole program along

    try:
        return run(
            folder=given.set,
            half=given.half,
            extractor=given.extractor,
            model=given.model,
            misses=given.misses,
            held_out_misses=given.held_out_misses,
            as_json=given.json,
        )
    except ValueError as error:
        print(f"eval: {error}", file=sys.stderr)
        return 2


def _messages(dataset: str, *, as_json: bool) -> int:
    from eval import answers, messages  # the latter trains a model for each fold of repositories

    if dataset == "answers":
        found, missed = answers.report()
    else:
        found = messages.report()
        missed = messages.missed(found)
    if as_json:
        print(json.dumps({"dataset": dataset, **found, "missed": missed}, indent=2))
    else:
        for name, figures in found.items():
            print(f"{name}: " + ", ".join(f"{what} {value}" for what, value in figures.items()))
        print(*(f"MISSED {line}" for line in missed), sep="\n")
    return int(bool(missed))


def _everything() -> int:
    """Print the figures of every set but memory-writes, which has a gate of its own."""
    failed = 0
    for name in ("messages", "answers", "pairs", "replacing", "likeness", "retrieval", "tokens"):
        print(f"\n== {name}")
        failed |= main(["--dataset", name, *(["--fresh"] if name == "pairs" else [])])
    return failed


def _tokens(half: str | None, *, as_json: bool) -> int:
    found = tokens.found()
    shown = {half: found[half]} if half else found
    if as_json:
        print(json.dumps(tokens.as_json(shown), indent=2))
        return 0
    print("counted with " + ", ".join(f"{name}: {by}" for name, by in tokens.tokenizers().items()))
    for name, by_class in shown.items():
        print(tokens.table(name, by_class))
    return 0


def _table(name: str, one: likeness.Score) -> str:
    lines = [
        f"{name}: {one.confusion.total()} pairs",
        f"  precision of same            {one.precision:.3f}",
        f"  recall of same               {one.recall:.3f}",
        f"  contradictions called same   {one.reversals}",
        f"  {'expected / judged':<18}" + "".join(f"{verdict:>13}" for verdict in likeness.VERDICTS),
    ]
    lines += [
        f"  {expected:<18}" + "".join(f"{one.confusion[expected, given]:>13}" for given in likeness.VERDICTS)
        for expected in likeness.VERDICTS
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
