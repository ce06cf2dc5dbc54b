"""Work that may take long shows how far it is at a terminal, and only there (specs/cli.md X-9)."""

from __future__ import annotations

import pytest

from cli import progress
from ledger.memory import Memory
from muniment import MemoryLedger
from tests.cli.driver import run

LONG = {
    "reading the log": ("list", "--as-of", "today"),
    "comparing": ("diff", "@0"),
    "comparing memories": ("consolidate", "--dry-run"),
    "reading memories": ("doctor", "--injection"),
}


@pytest.mark.parametrize("what", LONG)
def test_long_work_shows_how_far_it_is(
    memory: MemoryLedger, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """The bar is taken away before the result; a pipe gets the same result without one."""
    for text in ("Use pnpm", "Use uv for Python"):
        memory.store(Memory(text))
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 0.0)
    shown, piped = run(*LONG[what], terminal=True).ok(), run(*LONG[what]).ok()
    assert f"\r\x1b[K{what} " in shown.err
    assert shown.err.rstrip("\n").split("\r\x1b[K")[-1].isprintable()
    assert (shown.out, "\x1b" in piped.err) == (piped.out, False)
