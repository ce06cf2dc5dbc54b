"""A sentence is put together of its pieces: nothing is heard otherwise than in the whole.

Tests specs/capture.md (K-23, K-46).
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language import pieces, signals

_NIGHT = pieces.mark_words("night don't zebra")
_NIGHT_RUN = pieces.mark_runs("night don zebra")
_NIGHT_CUE = pieces.mark_cues("night don't zebra")
_NIGHT_PIECE = pieces.mark_pieces("night don't zebra")
_SAID = st.lists(
    st.sampled_from(
        [
            "Night",
            "night,",
            "don’t",
            "don't",
            "zebra",
            "x-zebra",
            "a",
            "-",
            "--",
            "(—)",
            "…",
            ":",
            "3x",
            "'a",
            "b'",
            "_",
            "it's",
        ]
    ),
    max_size=6,
).flatmap(lambda words: st.sampled_from([" ", "  ", "\t"]).map(lambda blank: blank.join(words)))


@given(_SAID)
def test_the_marks_of_pieces_are_those_of_the_whole(said: str) -> None:
    """K-46: a mark tells whether one of its words stands in the sentence."""
    low, has = said.lower().replace("’", "'"), pieces.marks(said)
    assert bool(has & _NIGHT) == any(
        word in ("night", "don't", "zebra") for word in re.findall(r"[^\W\d_]+(?:'[a-z]+)?", low)
    )
    assert bool(has & _NIGHT_RUN) == (
        re.search(r"(?<![^\W\d_])(?:night|don|zebra)(?![^\W\d_])", low) is not None
    )
    assert bool(has & _NIGHT_CUE) == any(
        word in ("night", "don't", "zebra") for word in pieces.cue_words(said)
    )
    assert bool(has & _NIGHT_PIECE) == any(
        word in ("night", "don't", "zebra") for word in said.lower().split()
    )
    assert not re.search(r"[,;:]\s|\s[–—-]\s", said) or has & pieces.PAUSE


@given(_SAID)
def test_the_words_of_pieces_are_those_of_the_whole(said: str) -> None:
    assert signals.words(said) == pieces.cue_words(said)


@pytest.mark.parametrize("name", sorted({name for name, _ in signals.phrases()}))
def test_each_phrase_is_heard(name: str) -> None:
    """K-46: also where only its first two words are looked up, or it is one word and a bit of its piece."""
    for signal, words in signals.phrases():
        plain = ["x" if word == "*" else word for word in words if word not in ("^", "$")]
        if signal != name or pieces.cue_words(" ".join(plain)) != plain:
            continue
        before = () if "^" in words else ("zebra",)
        after = () if "$" in words else ("zebra",)
        assert name in signals.signals(" ".join([*before, *plain, *after])), words


def test_a_mark_that_is_made_later_is_known_of_words_that_were_heard() -> None:
    said = "the okapi sleeps"
    before = pieces.marks(said)
    okapi = pieces.mark_words("okapi")
    assert pieces.marks(said) == before | okapi
