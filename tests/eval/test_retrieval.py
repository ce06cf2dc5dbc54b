"""The floor of search over our own memories and questions, and that the figures are counted as they are named.

Tests specs/projections.md (P-112).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from eval.__main__ import main
from eval.likeness import HALVES
from eval.retrieval import Finder, Question, finders, learned, questions, score, told


@pytest.fixture(scope="module", params=[True, False], ids=["conversations", "no conversations"])
def compared(request: pytest.FixtureRequest) -> Iterator[dict[str, Finder]]:
    """What is compared, over our own set, whose memories say where they were learned or do not."""
    with learned(told(), origins=request.param) as (index, keys):
        yield {name: cache(finder) for name, finder in finders(index, keys).items()}


@pytest.mark.parametrize("half", HALVES)
def test_each_half_reaches_the_floor(compared: dict[str, Finder], half: str) -> None:
    """P-112, on the half that was tuned on and on the one that was not."""
    asked = [one for one in questions() if one.half == half]
    reached = score(asked, compared["importance, recency"])
    plain = score(asked, compared["plain bm25"])
    assert reached.recall[10] >= 0.85
    assert reached.mrr >= 0.80
    assert reached.recall[10] >= plain.recall[10] + 0.1
    if "meaning" in compared:  # its model is installed by `make extras`
        by_meaning = score(asked, compared["meaning"])
        assert by_meaning.recall[10] >= 0.95
        assert by_meaning.mrr >= 0.90


def test_the_set_is_large_and_each_answer_is_in_it() -> None:
    """P-112: at least 400 memories and 150 questions, none twice, each kind in both halves."""
    memories, asked = told(), questions()
    assert len(memories) >= 400
    assert len(asked) >= 150
    assert len({one.key for one in memories}) == len({one.text for one in memories}) == len(memories)
    assert len({one.query for one in asked}) == len(asked)
    assert {answer for one in asked for answer in one.answers} <= {one.key for one in memories}
    for half in HALVES:
        for kind in ("direct", "paraphrase", "neighbour", "identifier", "script"):
            assert sum(one.kind == kind and one.half == half for one in asked) >= 8


def test_recall_and_rank_are_counted_as_they_are_named() -> None:
    """P-112, on an example that a person can check."""
    asked = [Question("k", "q", ("a", "b")), Question("k", "r", ("c",))]
    found = {"q": ["x", "a", *"123456", "b"], "r": ["x"] * 11 + ["c"]}
    reached = score(asked, lambda query: found[query])
    assert reached.recall == {5: 0.25, 10: 0.5, 20: 1.0}
    assert reached.mrr == pytest.approx((1 / 2 + 1 / 12) / 2)


def test_the_command_prints_a_table_and_what_was_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """P-112, on a set that a person can check."""
    (tmp_path / "retrieval_memories.txt").write_text(
        "= c | me | 2026-01-01 | t\n1 one two\n2 three\n", "utf-8"
    )
    (tmp_path / "retrieval_queries.tsv").write_text(
        "k\tone\tc.1\nk\tthree\tc.2\nk\tgardening\tc.2\n", "utf-8"
    )
    monkeypatch.setattr("eval.retrieval.DATA", tmp_path)
    assert main(["--dataset", "retrieval", "--misses"]) == 0
    table = capsys.readouterr().out
    assert "2 memories, 3 questions" in table
    assert re.search(r"kind k: 3 questions.*\n  plain bm25 +0.667 +0.667 +0.667 +0.667\n", table)
    assert "'gardening' misses c.2" in table
