"""Tests that patterns which are looked for in lower case can be found, however a sentence is written (K-23, K-28, K-47, K-49)."""

from __future__ import annotations

import re

import pytest

from learning.detection import earnest, forgetting, replacing, rewriting, sorting

LOWER = [
    (module, name)
    for module, names in (
        (earnest, ("_MERE_WORDS", "_MERE_OPENING", "_LAUGHTER")),
        (forgetting, ("_SPEAKS_OF_MEMORY",)),
        (replacing, ("_CHANGE", "_TAKES_BACK")),
        (rewriting, ("_TAILS", "_EVER_WITHIN")),
        (sorting, ("_LOCAL", "_LOCAL_PATH", "_FIRST_PERSON_ELSEWHERE", "_TO_AGENT", "_REVIEWER", "_RUNS", "_INSTRUCTS",
                   "_CRITICAL", "_DECIDES", "_IS_DECIDED", "_LIKES", "_DONE_FOR_ME", "_IS_IDENTITY")),
    )
    for name in names
]  # fmt: skip


@pytest.mark.parametrize(("module", "name"), LOWER, ids=lambda each: each if isinstance(each, str) else "")
def test_a_pattern_for_lower_case_has_no_capital(module: object, name: str) -> None:
    pattern: re.Pattern[str] = getattr(module, name)
    letters = re.sub(r"\\.", "", pattern.pattern)
    assert letters == letters.lower()


def test_capitals_change_nothing() -> None:
    assert replacing.takes_back("ACTUALLY, I use Vim Now")
    assert replacing.takes_back("We Moved to Kiel")
    assert not replacing.takes_back("From Now on it is Vim")
    assert not earnest.is_meant("Never IS misspelt in Line 4")
    assert not earnest.is_meant("I've Never seen that")
    assert not earnest.is_meant("Is it Normal that it Hums?")
    assert forgetting.is_order_to_memory("Forget THE thing with Redis")
    assert rewriting.stand_alone("Use Tabs From Now On, PLEASE") == "Use Tabs"
    assert rewriting.stand_alone("Use İstanbul time THANKS") == "Use İstanbul time"


@pytest.mark.parametrize(
    "said",
    ["ON THIS MACHINE the port is 81", "it is in /Users/ada/src", "it is in C:\\\\src", "see $HOME/bin", "the disk is at /DEV/sda"],
)  # fmt: skip
def test_what_is_local_is_known_in_any_case(said: str) -> None:
    assert sorting.sort(said, said, frozenset()).scope == "local"
