"""AGENTS.md: a marked block that tells any agent how to use muniment (specs/doors.md G-24)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from agents.install.host import Host, HostFile, InstallPlace
from agents.install.marked_block import put, take

TEXT = """\
## Memory (muniment)

Where the command `muniment` is not on PATH, ignore this section.

- At the start of a task: `muniment inject --task "WHAT THE TASK IS"` prints what is known here.
- When the user corrects you, states a preference or a convention, or a mistake cost time and has a cause that will come
  back: `muniment add "ONE PLAIN SENTENCE" --candidate`. The user takes it with `muniment review`; you cannot.
- Never store secrets, greetings, or what the code itself says. `muniment search WORDS` first: what is known needs no
  second memory.
- To forget something the user wants forgotten: `muniment search WORDS`, then `muniment delete ID --reason "WHY"`.
"""


def host_file(path: Path, host: str, within: Path | None) -> HostFile:
    """Return the part that is a file of instructions with the block in it, which names the host that it is for."""
    return HostFile(path, lambda before: put(before, TEXT, host), lambda data: take(data, host), within)


def _parts(place: InstallPlace) -> Sequence[HostFile]:
    folder = place.root if place.scope == "project" else place.folder_of("CODEX_HOME", ".codex")
    within = folder if place.scope == "user" else None
    return [host_file(folder / "AGENTS.md", "agents-md", within)]


def _advice(place: InstallPlace) -> Sequence[str]:
    if place.scope == "project":
        return ["for git: commit AGENTS.md; agents without muniment are told to ignore the block"]
    return []


HOST = Host("agents-md", "AGENTS.md", ("project", "user"), ("rules",), _parts, _advice)
