"""What tests of `import` share: documents to be imported, and what stands afterwards."""

from __future__ import annotations

from pathlib import Path

from tests.cli.driver import run

SECRET = "Tr0ub4dor&3x9"

MEMORY = """\
# Auto-Memories

## User Preferences

- Use pnpm, not npm
  - also in CI

## Tool Usage

- Postgres listens on 5433

## House rules

Some prose that is no bullet.
"""


def write(name: str, text: str) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def texts(*options: str) -> list[str]:
    return [entry["text"] for entry in run("list", "--json", *options).json_lines]
