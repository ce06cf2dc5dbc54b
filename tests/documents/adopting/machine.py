"""A clone of a project with a ledger of its own, driven as a person drives it: by commands, git and an editor."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from tests.cli.driver import Result, run
from tests.documents.adopting.in_git import ME, begun, git


class Machine:
    """A clone of a project, with a ledger of its own."""

    def __init__(self, root: Path, who: tuple[str, str] = ME, env: Mapping[str, str] | None = None) -> None:
        self.root = root
        self.who = who
        self.env = env
        self.folder = root / ".muniment"

    def __call__(self, *args: object) -> Result:
        return run(*args, cwd=self.root, env=self.env, terminal=True)

    def git(self, *args: str) -> str:
        """Run git here."""
        return git(self.root, *args, who=self.who)

    def commit(self, said: str = "more") -> None:
        """Commit everything."""
        self.git("add", "-A")
        self.git("commit", "-qm", said)

    def learn(self, bullets: str) -> None:
        """Import bullets of the section Workflow."""
        source = self.root.parent / "source.md"
        source.write_text(f"# M\n\n## Workflow\n\n{bullets}")
        self("import", source).ok()

    def texts(self, status: str = "active") -> list[str]:
        """Return what stands."""
        return [row["text"] for row in self("list", "--json", "--status", status).json_lines]

    def kinds(self) -> list[str]:
        """Return the kinds of all events."""
        return [row["kind"] for row in self("log", "--json").json_lines]

    def read(self, path: str = "MEMORY.md") -> str:
        """Return what a document says, "" where it is not."""
        there = self.folder / path
        return there.read_text() if there.is_file() else ""

    def written(self) -> str:
        """Return what all documents say, but for our Links, which quote what stands elsewhere."""
        files = [path.read_text() for path in sorted(self.folder.rglob("*.md"))]
        return "".join(line for file in files for line in file.splitlines(True) if not line.startswith("- ["))


def founded(root: Path, *texts: str, env: Mapping[str, str] | None = None) -> Machine:
    """Return a project of mine in git, with these memories, each in a commit."""
    begun(root)
    machine = Machine(root, env=env)
    machine("init").ok()
    for text in texts:
        machine("add", text).ok()
        machine.commit(text)
    return machine


def cloned(of: Machine | Path, base: Path, who: tuple[str, str] = ME) -> Machine:
    """Return a clone below `base`, bound to a home of its own there."""
    env = {"MUNIMENT_HOME": str(base / "home"), "MUNIMENT_STATE": str(base / "state")}
    base.mkdir(parents=True, exist_ok=True)
    git(base, "clone", "-q", str(of.root if isinstance(of, Machine) else of), "house")
    git(base / "house", "config", "user.email", who[1])
    machine = Machine(base / "house", who, env)
    machine("init").ok()
    return machine


Builder = Callable[[Path, Mapping[str, str]], Machine]
"""Makes a project at this path whose home these variables lead to."""


@cache
def _built(build: Builder) -> tuple[Path, Machine]:
    """Build a project once in a process; return a copy of its folder, and the project."""
    base = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, base)
    folder = base / "project"
    env = {"MUNIMENT_HOME": str(folder / "home"), "MUNIMENT_STATE": str(folder / "state")}
    machine = build(folder / "house", env)
    shutil.copytree(folder, base / "kept", symlinks=True)
    return base / "kept", machine


def brought_back(build: Builder) -> Machine:
    """Return a project as it was built, in its place: a ledger knows its root by its path."""
    kept, machine = _built(build)
    shutil.rmtree(machine.root.parent)
    shutil.copytree(kept, machine.root.parent, symlinks=True)
    return machine


def write(root: Path, files: Mapping[str, str]) -> None:
    """Make files below a folder."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
