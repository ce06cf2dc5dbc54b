"""Scores a judgement over a labelled set and prints how often it was right; exits with 1 if a set has a floor and misses it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence

from eval import answers, likeness, messages, pairs, replacing, retrieval, tokens

REPORTS: Mapping[str, Callable[[bool], tuple[str, bool]]] = {
    "messages": messages.report,
    "answers": answers.report,
    "pairs": pairs.report,
    "replacing": replacing.report,
    "likeness": likeness.report,
    "retrieval": retrieval.report,
    "tokens": tokens.report,
}
"""The sets, each with what measures it: given whether misses are listed, it returns what is printed, and whether the set passes."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures of a set, or of every one."""
    parser = argparse.ArgumentParser(prog="python -m eval", description=__doc__)
    sets = parser.add_mutually_exclusive_group(required=True)
    sets.add_argument("--all", action="store_true", help="every set, each in turn")
    sets.add_argument("--dataset", choices=list(REPORTS), help="what is scored")
    parser.add_argument(
        "--misses", action="store_true", help="list what was judged otherwise, or not found, where a set can"
    )
    given = parser.parse_args(arguments)
    failed = False
    for name in REPORTS if given.all else [given.dataset]:
        told, passes = REPORTS[name](given.misses)
        print(f"== {name}\n{told}\n")
        failed |= not passes
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
