"""Work that may take long shows how far it is at a terminal, and only there (specs/cli.md X-9)."""

from __future__ import annotations

import io
import sys

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
    "exporting": ("export",),
    "building the index": ("verify",),
    "rendering": ("verify", "--json"),
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


def test_a_report_shows_how_far_it_is(memory: MemoryLedger, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page itself has the time in it."""
    memory.store(Memory("Use pnpm"))
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 0.0)
    assert "\r\x1b[Kreading documents " in run("report", "-o", "-", terminal=True).ok().err


def test_what_follows_long_work_is_shown_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The two seconds are over once a bar is drawn, and one within another one leaves the line to it."""
    shown = io.StringIO()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setattr(progress, "is_terminal", lambda _: True)
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 0.0)
    with progress.ProgressBar("verifying") as outer:
        outer(1, 1)
        monkeypatch.setattr(progress, "PATIENCE_SECONDS", 3600.0)
        for what in ("building", "rendering"):
            with progress.ProgressBar(what) as inner:
                inner(1, 2)
            assert f"{what} [" in shown.getvalue().split("\r\x1b[K")[-1]
    assert shown.getvalue().endswith("\r\x1b[K")
