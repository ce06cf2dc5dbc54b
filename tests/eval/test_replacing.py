"""An agent that is shown what is known names what is no longer true (K-287)."""

from __future__ import annotations

from eval.replacing import found


def test_an_agents_answers_replace_what_is_over_and_nothing_else() -> None:
    scores = {each.kind: each for each in found()}
    assert sum(each.pairs for each in scores.values()) == 210
    assert all(each.passes for each in scores.values())
    assert scores["unrelated"].right == scores["unrelated"].pairs == 120
