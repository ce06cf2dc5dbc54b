"""Trains the models and writes `language/durability.json` and `language/replacing.json`.

Implements specs/capture.md (K-57). The same data give the same bytes. `--check` trains nothing: it says whether the files were
made from the data of this checkout.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from language import durability, replacing
from training import pair_data, rows
from training.rows import examples, messages, wishes

MADE_FROM = {durability.WEIGHTS: rows.digest, replacing.WEIGHTS: pair_data.digest}
"""Each file of weights, and what says of which data it is made."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, or check; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    parser.add_argument("--check", action="store_true", help="only compare the file with the data")
    if parser.parse_args(arguments).check:
        stale = [
            file.name
            for file, digest in MADE_FROM.items()
            if json.loads(file.read_text("utf-8"))["data"] != digest()
        ]
        print(
            f"the data of {' and '.join(stale)} changed: python -m training"
            if stale
            else "the models are of these data"
        )
        return int(bool(stale))
    _train_durability()
    _train_replacing()
    return 0


def _train_durability() -> None:
    from training.fitting import fit  # scikit-learn, which --check does without
    from training.levels import folds, left_out, settled
    from training.wishes import wish_levels

    every, asked = messages(), list(wishes())
    told = [one for message in every for one in examples(message)]
    stored = settled(fit([*told, *asked]), left_out(folds(every)))
    stored["levels"] |= wish_levels(told, asked)
    _write(durability.WEIGHTS, stored | {"data": rows.digest()})
    print(f"of {len(every)} messages, levels {stored['levels']}")


def _train_replacing() -> None:
    from training import pairs  # scikit-learn

    stored, shares = pairs.trained()
    _write(replacing.WEIGHTS, stored)
    told = ", ".join(f"{kind} {share:.3f}" for kind, share in shares.items())
    print(f"level {stored['model']['level']}; replaced of pairs whose batch was left out: {told}")


def _write(file: Path, stored: dict[str, Any]) -> None:
    file.write_text(json.dumps(stored, ensure_ascii=False, indent=0, sort_keys=True) + "\n", "utf-8")
    print(f"{file.name}: {file.stat().st_size:,} bytes")


if __name__ == "__main__":
    sys.exit(main())
