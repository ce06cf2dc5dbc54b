"""The model is made from the data of the checkout, and the same data give the same bytes.

Tests specs/capture.md (K-53, K-56, K-57).
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from training import pairs
from training.__main__ import main
from training.pair_data import Row
from training.rows import digest, examples, messages

ROOT = Path(__file__).parents[2]


def test_the_shipped_model_is_of_the_data_that_lies_here(capsys: pytest.CaptureFixture[str]) -> None:
    """K-57."""
    assert main(["--check"]) == 0
    assert "of these data" in capsys.readouterr().out


_FITTED = {
    "durability": (
        "from training.rows import messages, examples; from training.fitting import fit;"
        "print(json.dumps(fit([one for each in messages()[::400] for one in examples(each)], ('durable',))))"
    ),
    "replacing": (
        "from training.pair_data import rows; from training.pairs import fit; print(json.dumps(fit([*rows()][::10])))"
    ),
}


@pytest.mark.parametrize("program", _FITTED.values(), ids=_FITTED)
def test_the_same_sentences_give_the_same_bytes(program: str) -> None:
    """K-57: whatever order Python's sets have."""
    made = [
        subprocess.run(
            [sys.executable, "-c", f"import json; {program}"],
            cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True,
        ).stdout
        for seed in ("1", "2")
    ]  # fmt: skip
    assert made[0] == made[1]
    assert len(made[0]) > 1000


def test_the_level_lets_few_look_alikes_pass() -> None:
    """K-286: of a hundred pairs of which both stand one at most is over the level, beside the plain ones."""
    found = {"+now": 1.0}
    standing = [(Row("unrelated", "a", found), at / 1000) for at in range(1000)]
    plain = [(Row("unrelated", "a", {"other value": 1.0}), 0.9999)] * 50
    level = pairs.level_of([*standing, *plain, (Row("changes", "a", found), 0.999)])
    assert 0.985 < level < 0.995


def test_a_sentence_is_durable_that_the_label_names() -> None:
    """K-56: of the others in its message none is."""
    several = [list(examples(each)) for each in messages() if each.durable and len(list(examples(each))) > 2]
    assert len(several) > 200
    assert all(sum(bool(one.durable) for one in said) <= len(said) for said in several)
    assert sum(any(one.durable for one in said) for said in several) > 0.9 * len(several)


def test_real_messages_know_their_repository() -> None:
    """K-53: by which they are left out."""
    natural = [each for each in messages() if each.is_natural]
    assert len({each.group for each in natural}) >= 20
    assert not any(each.group.endswith("(looked for)") for each in natural)
    assert len(digest()) == 64
