"""muniment archive runs its verbs as their old names do (X-333)."""

from __future__ import annotations

from pathlib import Path

from tests.cli.driver import run


def test_a_verb_answers_as_its_old_name(ledger: Path) -> None:
    """Code and output, also with the options before the verb."""
    old = run("gc", "--dry-run", "--json").ok()
    assert run("archive", "unused", "--dry-run", "--json").ok().out == old.out
    assert run("archive", "--json", "unused", "--dry-run").ok().out == old.out
