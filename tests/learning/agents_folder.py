"""Builds the folder of a memory that Claude Code keeps by itself, and changes it as Claude Code does."""

from __future__ import annotations

from pathlib import Path

INDEX = """\
# Memory Index

- [Testing policy](feedback_testing.md) — a real database
- [Not here](elsewhere.md) — kept: it leads nowhere

## Build

- Run `make ship` to deploy
- Postgres listens on 5433
"""
FEEDBACK = """\
---
name: Testing policy
description: Integration tests must hit a real database
type: feedback
---

Integration tests must hit a real database, not mocks.

**Why:** a mock hid a broken migration.
"""


def make(folder: Path) -> Path:
    """Make a project's folder and its memory; return the folder."""
    folder.mkdir()
    memory_of(folder).mkdir(parents=True)
    (memory_of(folder) / "MEMORY.md").write_text(INDEX)
    (memory_of(folder) / "feedback_testing.md").write_text(FEEDBACK)
    return folder


def memory_of(folder: Path) -> Path:
    """Where Claude Code keeps it."""
    slug = "".join(c if c.isascii() and c.isalnum() else "-" for c in str(folder))
    return Path.home() / ".claude" / "projects" / slug / "memory"


def write(shop: Path, old: str, new: str, name: str = "MEMORY.md") -> None:
    """Change a file of the memory as Claude Code does."""
    path = memory_of(shop) / name
    assert path.read_text().count(old) == 1
    path.write_text(path.read_text().replace(old, new))
