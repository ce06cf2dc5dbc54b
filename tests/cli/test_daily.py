"""muniment daily runs its verbs as their old names do (X-333)."""

from __future__ import annotations

from pathlib import Path

from tests.cli.driver import run


def test_a_verb_answers_as_its_old_name(ledger: Path) -> None:
    """Code and output, also with the options before the verb."""
    old = run("checkpoint", "--dry-run", "--json").ok()
    assert run("daily", "checkpoint", "--dry-run", "--json").ok().out == old.out
    assert run("daily", "--json", "checkpoint", "--dry-run").ok().out == old.out
