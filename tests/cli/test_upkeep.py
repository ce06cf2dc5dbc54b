"""muniment upkeep runs its verbs as their old names do (X-333)."""

from __future__ import annotations

from pathlib import Path

import pytest

from muniment import MemoryLedger
from tests.cli.driver import run


@pytest.mark.parametrize(
    ("old", "verb"), [(("schedule", "--format", "crontab"), "schedule"), (("outbox", "--list"), "retry")]
)
def test_a_verb_answers_as_its_old_name(memory: MemoryLedger, old: tuple[str, ...], verb: str) -> None:
    """Code and output, also with the options before the verb."""
    assert memory.workspace.chain.exists()
    shown = run(*old, "--json").ok().out
    assert run("upkeep", verb, *old[1:], "--json").ok().out == shown
    assert run("upkeep", "--json", verb, *old[1:]).ok().out == shown


def test_the_weekly_run_is_one_for_both_names(home: Path) -> None:
    """G-31: after `upkeep run`, `maintain --if-due` is not due."""
    assert home.exists()
    assert run("upkeep", "run", "--json").ok().json["verify"]["sound"] is True
    assert "not due" in run("maintain", "--if-due").ok().err
