"""The golden set has the form that its README states, and is what it says it is.

Tests specs/capture.md (K-120).
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from eval.memory_writes.golden import (
    CATEGORIES,
    DATA,
    HALVES,
    Conversation,
    Expected,
    conversations,
)
from tests.eval.memory_writes.talks import row

CONVERSATIONS = conversations()


def is_negative(conversation: Conversation) -> bool:
    """Whether nothing has to be written of it."""
    return all(each.optional for each in conversation.expected)


def test_the_quotas_are_held() -> None:
    total = len(CONVERSATIONS)
    assert total >= 200
    assert len({each.id for each in CONVERSATIONS}) == total
    assert sum(each.genre == "coding" for each in CONVERSATIONS) * 2 >= total
    assert sum(each.hard and is_negative(each) for each in CONVERSATIONS) >= 0.4 * total
    assert 0.4 * total <= sum(len(each.turns) == 1 for each in CONVERSATIONS) <= 0.6 * total


@pytest.mark.parametrize("half", HALVES)
def test_each_category_is_in_each_half(half: str) -> None:
    found = Counter(each.category for each in CONVERSATIONS if each.half == half)
    assert set(found) == set(CATEGORIES)
    assert min(found.values()) >= 6


def test_no_conversation_stands_in_both_halves() -> None:
    """Nor twice in one, by what is said."""
    said = [tuple(turn.text for turn in each.turns) for each in CONVERSATIONS]
    assert len(set(said)) == len(said)


def test_of_the_category_none_nothing_has_to_be_written() -> None:
    assert all(is_negative(each) for each in CONVERSATIONS if each.category == "none")


def test_what_must_not_be_said_is_not_asked_for() -> None:
    """No text could hold a phrase and not hold it."""
    for each in CONVERSATIONS:
        for expected in each.expected:
            words = " ".join(choice for choice in expected.says if "|" not in choice)
            assert not any(never.casefold() in words.casefold() for never in expected.never), each.id


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"category": "gossip"}, "category is"),
        ({"turns": [{"role": "user", "text": "a", "mood": "b"}]}, "mood"),
        ({"seed": [{"text": "Use npm"}]}, "scope"),
        ({"expect": [{"op": "save", "turn": 0, "scope": "user", "type": "fact"}]}, "says is"),
        ({"expect": [{"op": "save", "turn": 9, "scope": "user", "type": "fact", "says": ["a"]}]}, "turn is 9"),
        ({"expect": [{"op": "confirm", "turn": 0, "of": 3}]}, "of is 3"),
        ({"expect": [{"op": "erase", "turn": 0}]}, "op is 'erase'"),
    ],
)  # fmt: skip
def test_another_form_is_refused(change: dict[str, Any], fault: str, tmp_path: Path) -> None:
    """With the file and the line."""
    (tmp_path / "tuned.jsonl").write_text(f"{json.dumps(row())}\n{json.dumps(row() | change)}\n", "utf-8")
    with pytest.raises(ValueError, match=rf"tuned\.jsonl, line 2: .*{fault}"):
        conversations(tmp_path)


@pytest.mark.parametrize(
    ("says", "never", "text", "holds"),
    [
        (["pnpm"], [], "Use PNPM, not npm", True),
        (["pnpm", "npm|yarn"], [], "Use pnpm, not Yarn", True),
        (["pnpm", "bun|yarn"], [], "Use pnpm, not npm", False),
        (["pnpm"], ["yarn|bun"], "Use pnpm, not bun", False),
        (["don't  use"], [], "Don’t use var", True),
    ],
)
def test_a_text_is_recognised_by_what_it_says(
    says: list[str], never: list[str], text: str, holds: bool
) -> None:
    assert Expected("save", 0, "user", "fact", tuple(says), tuple(never)).is_said_by(text) is holds


def test_the_readme_names_every_member_and_category() -> None:
    readme = (DATA / "README.md").read_text("utf-8")
    assert all(f"`{name}`" in readme for name in (*row(), "op", "turn", "says", "never", "of", "optional"))
    assert ", ".join(CATEGORIES) in readme
