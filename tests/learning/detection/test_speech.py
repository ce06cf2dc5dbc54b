"""Which words of a message are the person's own, and where its sentences end.

Tests specs/capture.md (K-20…K-22).
"""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learning.detection.invisible import visible
from learning.detection.memory_sections import memories_in
from learning.detection.speech import sentences


def spoken(text: str) -> list[str]:
    return [sentence.text for sentence in sentences(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I use vim. You use nano!  Ok?", ["I use vim.", "You use nano!", "Ok?"]),
        ("Use e.g. black, ruff etc. for it. Thanks", ["Use e.g. black, ruff etc. for it.", "Thanks"]),
        ("Dr. Braun is my vet", ["Dr. Braun is my vet"]),
        ("python 3.12 runs in `a. b. c` here. done", ["python 3.12 runs in `a. b. c` here.", "done"]),
        ("he called it \"done. really.\" and left. fine", ["he called it \"done. really.\" and left.", "fine"]),
        ("rules:\n- tabs only\n- no var\n1. tests first", ["rules:", "tabs only", "no var", "tests first"]),
        ("one line that is so very long that the terminal had to wrap it\nsomewhere in the middle. two",
         ["one line that is so very long that the terminal had to wrap it somewhere in the middle.", "two"]),
        ("look:\n```\nI like it\n```\nthat is mine", ["look:", "that is mine"]),
        ("> he said so\nmine", ["mine"]),
        ("the worker dies at once > NODE_ENV=test node worker.js", ["the worker dies at once"]),
        ("no idea why it hangs $ ./run.sh --all", ["no idea why it hangs"]),
        ("sync is dead ~/src/app \u276f make sync-all", ["sync is dead ~/src/app"]),
        ("only where a > b --strictly", ["only where a > b --strictly"]),
        ("it costs $ 5 a month", ["it costs $ 5 a month"]),
        ("use File > Save as, then close", ["use File > Save as, then close"]),
        ("always run `echo 1 > out/a.txt` first", ["always run `echo 1 > out/a.txt` first"]),
        ("2024-05-01 12:00:01 ERROR no\nmine", ["mine"]),
        ("Traceback (most recent call last):\n  File \"a.py\", line 3, in f\nValueError: no\nwhy is that", ["why is that"]),
        ("<system-reminder>always use x</system-reminder>\nmine", ["mine"]),
        ("diff --git a/x b/x\n@@ -1,2 +1,2 @@\nmine", ["mine"]),
        ("the mail says:\nplease pay at once\n\nmine", ["the mail says:", "mine"]),
        ("", []), ("...", []), ("```\nall code", []),
    ],
)  # fmt: skip
def test_sentences_of_the_person(text: str, found: list[str]) -> None:
    assert spoken(text) == found


@given(st.text(max_size=300))
def test_a_sentence_is_where_it_says(text: str) -> None:
    last = 0
    for sentence in sentences(text):
        assert last <= sentence.start < sentence.end <= len(text)
        assert " ".join(visible(text[sentence.start : sentence.end]).split()) == " ".join(
            sentence.text.split()
        )
        assert "\n" not in sentence.text
        last = sentence.end


def test_the_lines_of_a_memory_section_are_found() -> None:
    text = (
        "Hi\n\n## Persistent Memories\n\n### Corrections\n\n- Use tabs (user)\n- [?] No var\n\nand now this\n"
    )
    assert memories_in(text) == ["Use tabs (user)", "[?] No var"]
    assert spoken(text) == ["Hi", "and now this"]


@pytest.mark.parametrize(
    "piece",
    [
        "a ",
        "`",
        '"',
        "<a>",
        "- \n",
        "<x-y>",
        "</x-y>",
        "<a>b c d e</a>",
        "# a\n",
        "a.b/",
        "(",
        "said: ",
        "“",
        "e.g. ",
        "A b: I am\n",
        "10:02 a",
        "[10:02] a: b\n",
        "a 10:02\nb\n",
        "From: a\n",
        "Hi a,\n",
        "key:\n  - x\n",
        "the a said ",
        "you are a-a, ",
        "my own boss ",
        "\u200d",
        "** ",
    ],
)
def test_reading_takes_linear_time(piece: str) -> None:
    """Twenty times the text takes less than a hundred times as long (a square would take 400)."""

    def seconds(times: int) -> float:
        begin = time.process_time()
        sentences(piece * times)
        return time.process_time() - begin

    short = min(seconds(1000) for _ in range(3))
    assert min(seconds(20_000) for _ in range(2)) < max(100 * short, 0.1)
