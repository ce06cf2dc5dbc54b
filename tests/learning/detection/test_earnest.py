"""What is said but not meant, not of the person, or only in a game.

Tests specs/capture.md (K-47, K-48).
"""

from __future__ import annotations

import pytest

from learning.detection.detector import LearningDetector
from learning.detection.earnest import is_meant
from learning.turn import Turn


@pytest.mark.parametrize(
    "sentence",
    [
        "suppose we always deployed from tags",
        "if we moved everything to Bazel, builds would be faster",
        "imagine I prefer Perl",
        "angenommen wir nutzen immer Tabs",
        "hahaha and from now on I answer only in verse",
        "jajaja siempre lo mismo",
        "I'm the queen of Denmark",
        "my colleague always forgets the changelog",
        "my old landlord never drank coffee",
        "Ravi from sales says they decided on Salesforce",
        "Mira's project uses Gradle 6 and never updates",
        "never is spelled wrong, never is misspelled in the banner",
        "never in my life have I waited so long",
        "write a limerick about a man who says 'I live in Bern and I hate snow.'",
        "put this into the banner: “we never sell your data to anybody”",
        "Never push to main.'",
        "Use <result></result> tags",
        "put your answer between <final> and </final>",
        "Respond only inside <json> tags.",
    ],
)
def test_what_is_not_meant_is_heard_as_such(sentence: str) -> None:
    assert not is_meant(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "I always take the 7:12 train",
        "my daughter never eats fish",
        "our manager wants us to sign every commit",
        "Anna reviews all migrations",
        "the footer must always say 'made by the people of Ghent'",
        "we're on the developers' branch",
        "If tests fail, never push",
        "never call that endpoint without a token lol",
    ],
)
def test_what_is_meant_is_not_lost(sentence: str) -> None:
    assert is_meant(sentence)


@pytest.mark.parametrize(
    "opening",
    [
        "let's play: you guard the gate",
        "you're a dragon and I'm a baker from Gouda",
        "my character is a smuggler, go",
        "pretend you're my butler",
    ],
)
def test_of_a_game_nothing_is_learned_until_it_is_left(opening: str) -> None:
    detector = LearningDetector()
    heard = [
        detector.analyze(Turn("user", text, conversation="c", message=str(at)))
        for at, text in enumerate(
            [opening, "I prefer silver. From now on call me Sir Loin.", "ok stop", "I prefer tabs"]
        )
    ]
    assert [len(each) for each in heard] == [0, 0, 0, 1]
