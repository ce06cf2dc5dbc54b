"""Recorded answers of a language model go through the detector that asks one (K-55)."""

from __future__ import annotations

from eval.answers import GATES, figures, proposed
from eval.messages import missed

SAID = "we moved the tests to Bun, fix the red one"
ITEM = {
    "message": 0,
    "quote": "we moved the tests to Bun",
    "text": "We moved the tests to Bun",
    "kind": "statement",
    "type": "decision",
    "section": "Project Conventions",
    "scope": "project",
    "importance": "medium",
    "confidence": 0.7,
    "replaces": "",
}


def test_an_answer_is_believed_as_the_product_believes_it() -> None:
    """K-113: what nobody said is only implied."""
    [said] = proposed(SAID, {"memories": [ITEM]})
    assert (said.basis, said.memory and said.memory.text) == ("stated", "We moved the tests to Bun")
    [implied] = proposed(SAID, {"memories": [{**ITEM, "quote": "we use Deno", "text": "We use Deno"}]})
    assert implied.basis == "observed"
    assert proposed(SAID, {"memories": []}) == []


def test_the_gates_are_reached() -> None:
    """K-55: on real messages and on written ones."""
    found = figures()
    assert missed(found, GATES) == []
    assert [each["messages"] for each in found.values()] == [400, 600]
