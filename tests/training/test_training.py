"""The model is made from the data of the checkout, and the same data give the same bytes.

Tests specs/capture.md (K-53, K-56, K-57, K-286).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from training.__main__ import main
from training.pair_data import DATA, Row, rows
from training.rows import digest, examples, messages

ROOT = Path(__file__).parents[2]


def test_the_shipped_model_is_of_the_data_that_lies_here(capsys: pytest.CaptureFixture[str]) -> None:
    """K-57."""
    assert main(["--check"]) == 0
    assert "of these data" in capsys.readouterr().out


def both_fitted(folder: str) -> str:
    """Return both models as JSON, one a line: of every 400th message, and of the pairs in `folder`."""
    from training import fitting, pairs  # it takes a second, which whoever only collects does not pay

    said = [one for each in messages()[::400] for one in examples(each)]
    return f"{json.dumps(fitting.fit(said, ('durable',)))}\n{json.dumps(pairs.fit([*rows(Path(folder))]))}"


def test_the_same_sentences_give_the_same_bytes(tmp_path: Path) -> None:
    """K-57: whatever order Python's sets have, here and in a process of its own; of each file of pairs a thirtieth is read."""
    for file in DATA.glob("*.jsonl"):
        (tmp_path / file.name).write_text(
            "\n".join(file.read_text("utf-8").splitlines()[::30]) + "\n", "utf-8"
        )
    code = f"from tests.training.test_training import both_fitted; print(both_fitted({str(tmp_path)!r}))"
    seed = {"PYTHONHASHSEED": "1"}
    made = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env={**os.environ, **seed}, capture_output=True, check=True
    ).stdout.decode()
    assert made == both_fitted(str(tmp_path)) + "\n"
    assert [len(each) > 1000 for each in made.splitlines()] == [True, True]


def test_the_level_lets_few_look_alikes_pass() -> None:
    """K-286: of two hundred unrelated pairs one at most is replaced, the plain ones included."""
    from training import pairs

    found = {"+now": 1.0}
    unrelated = [(Row("unrelated", "a", "Use npm", found), at / 1000) for at in range(1000)]
    change = (Row("changes", "a", "Use npm", found), 0.9999)
    assert 0.994 < pairs.level_of([*unrelated, change]) < 0.995
    plain = (Row("unrelated", "a", "Use npm", {"other value": 1.0}), 0.9)
    assert 0.996 < pairs.level_of([*unrelated, *[plain] * 2, change]) < 0.997
    assert pairs.level_of([*unrelated, *[plain] * 9, change]) > 0.999


def test_a_left_out_batch_is_judged_without_its_memories() -> None:
    """K-286: a pair of another batch that speaks of the same memory teaches nothing then."""
    from training import pairs

    written = {
        "a": (("changes", "npm"), ("unrelated", "tabs")),
        "b": (("changes", "npm"), ("changes", "jq"), ("unrelated", "vim")),
    }
    told = [
        Row(kind, batch, f"Use {tool}", {f"+{tool}": 1.0})
        for batch, pairs_of_batch in written.items()
        for kind, tool in pairs_of_batch * 4
    ]
    assert len({probability for _, probability in pairs.left_out(told, ("a",))}) == 1


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
