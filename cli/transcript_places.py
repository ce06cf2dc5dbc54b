"""Where coding agents usually keep their transcripts, and how many lie there.

Implements specs/cli.md (X-158). Looks at names alone.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_MOST = 10_000
"""So many files are counted at most."""


@dataclass(frozen=True, slots=True)
class TranscriptPlace:
    """A pattern of files of one agent; `count` is None where nobody can count them."""

    agent: str
    pattern: str
    count: int | None
    hint: str = ""

    @property
    def said(self) -> str:
        """How many there are, in words."""
        if self.count is None:
            return self.hint
        files = "1 file" if self.count == 1 else f"{self.count} files"
        return f"{files}; {self.hint}" if self.hint else files

    def as_json(self) -> dict[str, Any]:
        """Return it as a JSON-ready object."""
        return {"agent": self.agent, "pattern": self.pattern, "files": self.count}


def places() -> list[TranscriptPlace]:
    """Return the places, whether or not there is anything."""
    claude = _folder("CLAUDE_CONFIG_DIR", ".claude") / "projects"
    slug = re.sub(r"[^A-Za-z0-9]", "-", str(Path.cwd()))
    here = claude / slug
    codex = _folder("CODEX_HOME", ".codex") / "sessions"
    openclaw = _folder("OPENCLAW_STATE_DIR", ".openclaw")
    older = openclaw / "agents"
    return [
        TranscriptPlace(
            "Claude Code", _shown(claude / "*" / "*.jsonl"), _count(claude, "*/*.jsonl"),
            f"of this folder: {_shown(here / '*.jsonl')}" if here.is_dir() else "",
        ),
        TranscriptPlace("Codex", _shown(codex / "*" / "*" / "*" / "rollout-*.jsonl"), _count(codex, "*/*/*/rollout-*.jsonl")),
        TranscriptPlace("OpenClaw", "events.jsonl of openclaw sessions export-trajectory", None, "made by that command"),
        TranscriptPlace("OpenClaw, older", _shown(older / "*" / "sessions" / "*.jsonl"), _count(older, "*/sessions/*.jsonl")),
    ]  # fmt: skip


def _folder(variable: str, name: str) -> Path:
    return Path(os.environ.get(variable) or Path.home() / name).expanduser()


def _shown(path: Path) -> str:
    home = str(Path.home())
    return "~" + str(path)[len(home) :] if str(path).startswith(home + "/") else str(path)


def _count(folder: Path, pattern: str) -> int:
    count = 0
    try:
        for _ in folder.glob(pattern):
            count += 1
            if count >= _MOST:
                break
    except OSError:
        pass
    return count
