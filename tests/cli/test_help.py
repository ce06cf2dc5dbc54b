"""muniment help explains a command, as its --help does (X-332)."""

from __future__ import annotations

import pytest

from tests.cli.driver import run


@pytest.mark.parametrize("names", [("add",), ("forget",), ("anchor",), ("anchor", "ots")])
def test_help_of_a_command_is_its_help(names: tuple[str, ...]) -> None:
    """Of an alias, a group and a group in a group, too."""
    shown = run("help", *names).ok().out
    asked = run(*names, "--help").ok().out
    assert shown.partition("\n")[2] == asked.partition("\n")[2]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("serch",), "did you mean search?"),
        (("add", "text"), "muniment add has no commands"),
        (("add", "--all"), "not both"),
    ],
)
def test_what_help_does_not_know_is_a_usage_error(arguments: tuple[str, ...], words: str) -> None:
    """With what was meant perhaps."""
    done = run("help", *arguments)
    assert (done.code, words in done.err) == (2, True), done.err


def test_what_lists_every_command_does_not_name_itself() -> None:
    """X-332."""
    assert "help --all" in run("help").ok().out
    assert "help --all" not in run("help", "--all").ok().out
