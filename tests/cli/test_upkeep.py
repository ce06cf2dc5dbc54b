"""muniment upkeep groups its verbs (X-333)."""

from __future__ import annotations

from pathlib import Path

from tests.cli.driver import run


def test_the_weekly_run_is_not_due_twice(home: Path) -> None:
    """G-31."""
    assert home.exists()
    assert run("upkeep", "run", "--json").ok().json["verify"]["sound"] is True
    assert "not due" in run("upkeep", "run", "--if-due").ok().err
