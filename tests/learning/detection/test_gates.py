"""Before a pattern stands a set of words: whatever the pattern finds has one of them (K-178)."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from language.pieces import Mark, marks
from learning.detection import (
    choices,
    first_person,
    forgetting,
    pasted,
    remembering,
    replacing,
    rewriting,
    sorting,
    speech,
)

Gate = Callable[[str], bool]


def _has(mark: Mark) -> Gate:
    return lambda said: bool(marks(said) & mark)


def _began(said: str) -> bool:
    has = marks(said)
    return bool(has & replacing._BEGAN) or any(
        has & one and has & other for one, other in replacing._BEGAN_TOGETHER
    )


def _tells_of_an_end(said: str) -> bool:
    return replacing._TELLS_OF_AN_END.search(said.lower()) is not None


def _lets_go(said: str) -> bool:
    return (
        _has(forgetting._LETTING_GO)(said) or forgetting._IN_OTHER_LANGUAGES.search(said.lower()) is not None
    )


GATES: list[tuple[str, re.Pattern[str], Gate]] = [
    ("a change", replacing._CHANGE, _has(replacing._CHANGES)),
    ("taken back", replacing._TAKES_BACK, _has(replacing._BACK)),
    ("became", replacing._BECAME, _began),
    *((f"given up {at}", pattern, _tells_of_an_end) for at, (_, pattern) in enumerate(replacing._GIVEN_UP)),
    *(
        (f"given up {at} by its words", pattern, _has(words))
        for at, (words, pattern) in enumerate(replacing._GIVEN_UP)
    ),
    *((f"forget {at}", pattern, _has(needed)) for at, (needed, pattern) in enumerate(forgetting._PATTERNS)),
    ("let go", forgetting._LETS_GO, _lets_go),
    ("for ever", rewriting._EVER_WITHIN, _has(rewriting._OF_EVER)),
    ("asks which", choices._ASKS_WHICH, _has(choices._OF_CHOICE)),
    ("liking", sorting._LIKES, _has(sorting._OF_LIKING)),
    ("deciding", sorting._IS_DECIDED, _has(sorting._OF_DECIDING)),
    ("keep", remembering._LEADS, _has(remembering._KEEPS)),
    ("keep that", remembering._THAT, _has(remembering._KEEPS)),
    ("keep a rule", remembering._RULE, _has(remembering._KEEPS)),
    ("keep what was said", remembering._POINTS_BACK, _has(remembering._KEEPS)),
    ("kept to the letter", first_person.KEPT, lambda said: bool(first_person.kept(said))),
    ("aside", rewriting._ASIDE, lambda said: said.startswith("(")),
    ("abbreviation", speech._ABBREVIATION, speech._may_abbreviate),
    ("stamped", pasted._STAMPED, lambda said: pasted._IN_STAMPED.search(said) is not None),
]


@pytest.mark.parametrize(("pattern", "gate"), [each[1:] for each in GATES], ids=[each[0] for each in GATES])
@settings(
    max_examples=settings().max_examples // 8,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(data=st.data())
def test_what_a_pattern_finds_its_gate_lets_pass(
    pattern: re.Pattern[str], gate: Gate, data: st.DataObject
) -> None:
    """K-178: texts are made from the pattern itself, as people write: letters, blanks and plain signs."""
    alphabet = st.characters(codec="ascii", min_codepoint=32, max_codepoint=126)
    said = data.draw(st.from_regex(pattern, alphabet=alphabet) if _plain(pattern) else st.from_regex(pattern))
    flat = " ".join(said.split())
    if pattern.search(flat) is not None:
        assert gate(flat), (pattern.search(flat), flat)


def _plain(pattern: re.Pattern[str]) -> bool:
    return pattern.pattern.isascii()


@pytest.mark.parametrize(
    "asks",
    [
        *sorted(rewriting._ASKS),
        "gibt's",
        *(
            f"{one}{sign}{other}"
            for one, after in rewriting._ASKS_IN_TWO.items()
            for other in after
            for sign in " -"
        ),
    ],
)
def test_what_asks_is_let_pass(asks: str) -> None:
    """K-178: for the words that are looked up behind a clause, not tried as patterns."""
    assert _has(rewriting._ASKING_WORDS)(f"we all eat at seven, {asks} x")


@given(st.text(st.sampled_from("ab'’-. \n\t\u00a0İ"), max_size=12))
def test_the_word_before_blanks_is_the_one_that_a_search_finds(text: str) -> None:
    """K-190: looked for at the end alone, not from every place of the text."""
    found = re.search(r"([\w'’]+)\s+$", text)
    assert first_person._word_at_end(text) == (found[1].lower() if found is not None else "")


@given(st.text(max_size=4))
def test_two_letters_at_the_beginning_are_two_letters(text: str) -> None:
    """K-190: where a text begins with two, no pattern looks for them."""
    assert speech._has_two_letters(text) == (speech._TWO_LETTERS.search(text) is not None)


def test_each_plain_abbreviation_of_three_letters_is_known() -> None:
    """K-178: those of the pattern that have no sign within are the words that the gate lets pass."""
    plain = re.findall(r"(?<=[|:])[a-z]{3,}(?=[|)])", speech._ABBREVIATION.pattern)
    assert set(plain) == speech._SHORT
