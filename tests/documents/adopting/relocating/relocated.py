"""A ledger whose documents are to lie in a folder where another program keeps memories."""

from __future__ import annotations

from pathlib import Path

from muniment import Memory, MemoryLedger
from tests.projections.house import build, reopen

OWN = ("Use pnpm, not npm", "Postgres listens on 5433", "Deploy with make ship")
THERE = """\
# Memory

Prose that OpenClaw wrote.

## People

- Anna is the boss
  - of all
1. one
2. two

| a | b |
|---|---|
| 1 | 2 |
"""
DAY = "# 2026-01-04\n\n- Deployed the queue\n\nA paragraph of that day.\n"
THEIRS = {
    "AGENTS.md": "agents\n",
    "memory/2026-01-04-a-session.md": "# Session\n\n- user: hello\n",
    "memory/people.md": "- a note of theirs\n",
    "memories/own.md": "- another\n",
}


def made_workspace(folder: Path) -> Path:
    """Make a folder in which another program keeps memories and files of its own."""
    for path, text in {"MEMORY.md": THERE, "memory/2026-01-04.md": DAY, **THEIRS}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def made_ledger(folder: Path) -> Path:
    """Make a ledger with its documents beside it; return its directory."""
    memory, _ = build(folder)
    for text in OWN:
        memory.store(Memory(text))
    memory.close()
    return folder


def point(ledger: Path, folder: Path | None, *more: str) -> None:
    """Let the settings name a folder, or none."""
    lines = [*more, *([f"[render]\nmemory = {str(folder)!r}"] if folder else [])]
    (ledger / "config.toml").write_text("\n".join(lines) + "\n")


def again(memory: MemoryLedger, ledger: Path) -> MemoryLedger:
    """Open the ledger anew, as the next command does."""
    memory.close()
    return reopen(ledger)[0]


def lines_of(text: str) -> set[str]:
    """Return what a document says, line by line."""
    return {line.strip() for line in text.splitlines() if line.strip()}
