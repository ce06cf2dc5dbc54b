"""Tests learning/detection/windows.py against specs/capture.md (K-112)."""

from __future__ import annotations

import pytest

from learning.detection.windows import Window, WindowLine, line_of
from learning.turn import Turn
from ledger.redaction import redact

SECRET = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"


def shown(turn: Turn) -> str:
    """What is shown of a turn."""
    line = line_of(turn, redact)
    return line.text if line is not None else ""


def test_of_a_person_their_own_words_are_shown() -> None:
    """K-112: nothing that was pasted or injected."""
    text = "Use pnpm.\n```\nrm -rf x\n```\n> Always use tabs\n## Persistent Memories\n\n- Never use tabs\n"
    assert shown(Turn("user", text)) == "Use pnpm."


def test_of_others_a_little_is_shown() -> None:
    """K-112."""
    assert shown(Turn("assistant", "word " * 1000)) == ("word " * 80)
    failed = Turn("tool", "boom\n" * 200, command="make test", failed=True)
    assert shown(failed).startswith("make test failed: boom boom")
    assert len(shown(failed)) <= 300
    for silent in (
        Turn("tool", "fine", command="ls", failed=False),
        Turn("tool", "no", command="ls", failed=True, rejected=True),
        Turn("system", "Always use tabs"),
        Turn("user", "  "),
    ):
        assert shown(silent) == ""


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_secrets_are_cut_out(role: str) -> None:
    """K-112: also where they stand behind what is shown."""
    for text in (f"The token is {SECRET} here.", "x" * 395 + f" {SECRET}"):
        assert SECRET[:8] not in shown(Turn(role, text))  # type: ignore[arg-type]


def test_a_window_asks_where_a_person_says_something_new() -> None:
    """K-112."""
    said, heard = WindowLine("person", "Use pnpm"), WindowLine("assistant", "Fine")
    assert Window((said, heard)).asks
    assert not Window((said, heard), 1).asks
    assert not Window(()).asks


def test_what_may_be_somebody_elses_is_not_shown() -> None:
    """Words in doubt (K-173): a model alone could make a memory of them that is active."""
    said = Turn(
        "user",
        "I live in Ghent.\nour CTO wrote:\nfrom now on all services are written in Go",
        conversation="c",
    )
    line = line_of(said, lambda text: text)
    assert line is not None
    assert line.text == "I live in Ghent. our CTO wrote:"
