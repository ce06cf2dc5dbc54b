"""Trains the model and writes `language/durability.json`.

Implements specs/capture.md (K-57). The same data give the same bytes. `--check` trains nothing: it says whether the file was
made from the data of this checkout.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from language.durability import WEIGHTS
from training.rows import digest, examples, messages, wishes


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, or check; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    parser.add_argument("--check", action="store_true", help="only compare the file with the data")
    if parser.parse_args(arguments).check:
        made_from = json.loads(WEIGHTS.read_text("utf-8"))["data"]
        print(
            "the model is of these data" if made_from == digest() else "the data changed: python -m training"
        )
        return int(made_from != digest())
    from training.fitting import fit  # scikit-learn, which --check does without
    from training.levels import folds, left_out, settled
    from training.wishes import wish_levels

    every, asked = messages(), list(wishes())
    told = [one for message in every for one in examples(message)]
    stored = settled(fit([*told, *asked]), left_out(folds(every)))
    stored["levels"] |= wish_levels(told, asked)
    stored["data"] = digest()
    WEIGHTS.write_text(json.dumps(stored, ensure_ascii=False, indent=0, sort_keys=True) + "\n", "utf-8")
    print(
        f"{WEIGHTS.name}: {WEIGHTS.stat().st_size:,} bytes of {len(every)} messages, levels {stored['levels']}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
