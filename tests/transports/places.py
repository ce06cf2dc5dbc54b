"""Real places for tests of transports: a folder, a git repository, one whose host accepts branches alone, and servers."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Protocol

from transports.choose import opened
from transports.protocol import Segment, Transport

TEAM = "5eed" * 8
ADA, BEN = "ada0" * 16, "be17" * 16

_REFUSES = """#!/bin/sh
case "$1" in refs/muniment/*) echo "$1" >> refused; echo "only branches here" >&2; exit 1;; esac
"""


def git(folder: Path, *arguments: str, given: bytes = b"") -> str:
    """Run git as any other program would, and return what it prints."""
    identity = {"GIT_AUTHOR_NAME": "x", "GIT_AUTHOR_EMAIL": "x@localhost"}
    identity |= {"GIT_COMMITTER_NAME": "x", "GIT_COMMITTER_EMAIL": "x@localhost"}
    done = subprocess.run(
        ["git", "-C", folder, *arguments],
        input=given,
        capture_output=True,
        check=True,
        env=os.environ | identity,
    )
    return done.stdout.decode().strip()


def bare(path: Path) -> Path:
    """Make a bare repository."""
    subprocess.run(["git", "init", "--quiet", "--bare", path], check=True, capture_output=True)
    return path


def refusing(path: Path) -> Path:
    """Make a bare repository that refuses all refs of ours but branches; it lists them in the file `refused`."""
    hook = bare(path) / "hooks" / "update"
    hook.write_text(_REFUSES)
    hook.chmod(0o755)
    return path


def lines(first: int, count: int = 1, word: str = "line") -> Segment:
    """Return a segment whose lines say their seqs."""
    return Segment(first, b"".join(b"%s %d\n" % (word.encode(), seq) for seq in range(first, first + count)))


class Engine(Protocol):
    """A server that tests may look into."""

    @property
    def address(self) -> str:
        """What `opened` takes."""

    def empty(self) -> None:
        """Remove all that it holds of a team."""

    def lose(self, chain: str, first: int) -> None:
        """Delete a segment."""


class Place:
    """One address, and the caches of the machines that use it.

    Args:
        kind: `folder`, `git`, `branches`, or the name of an engine.
        root: an empty folder.
        engine: the server of that name; what it held is gone.
    """

    def __init__(self, kind: str, root: Path, engine: Engine | None = None) -> None:
        self.kind, self.root, self.path = kind, root, root / "place"
        self._engine = engine
        self._opened: list[Transport] = []
        if engine:
            self.address = engine.address
            engine.empty()
            founder = opened(self.address, TEAM, root, create=True)
            founder.heads()
            founder.close()
        elif kind == "folder":
            self.path.mkdir()
            self.address = f"folder:{self.path}"
        else:
            (bare if kind == "git" else refusing)(self.path)
            self.address = f"git:{self.path}"

    def at(self, machine: str) -> Transport:
        """Open the place on a machine."""
        self._opened.append(opened(self.address, TEAM, self.root / machine))
        return self._opened[-1]

    def close(self) -> None:
        """Close what was opened."""
        for each in self._opened:
            each.close()

    def ref(self, chain: str) -> str:
        """Return the ref of a chain, or of the notes, in a git place."""
        return f"refs/{'heads/' if self.kind == 'branches' else ''}muniment/{TEAM}/{chain[:40]}"

    def lose(self, chain: str, first: int) -> None:
        """Delete a segment behind the transport's back."""
        if self._engine:
            self._engine.lose(chain, first)
            return
        if self.kind == "folder":
            (self.path / TEAM / "chains" / chain / f"{first:010d}.jsonl").unlink()
            return
        listed = git(self.path, "ls-tree", "-r", self.ref(chain)).splitlines()
        left = [entry for entry in listed if not entry.endswith(f"/{first:010d}.jsonl")]
        self.stand(chain, {entry.partition("\t")[2]: entry.split()[2] for entry in left})

    def stand(self, chain: str, blobs: dict[str, str]) -> None:
        """Let a git place hold these files, by their objects, and a history of its own."""
        index = self.root / "index"
        index.unlink(missing_ok=True)
        given = "".join(f"100644 {blob}\t{path}\n" for path, blob in blobs.items())
        environment = os.environ | {"GIT_INDEX_FILE": str(index)}
        subprocess.run(
            ["git", "-C", self.path, "update-index", "--index-info"],
            input=given.encode(),
            check=True,
            env=environment,
        )
        tree = subprocess.run(
            ["git", "-C", self.path, "write-tree"], check=True, env=environment, capture_output=True
        ).stdout.decode()
        git(
            self.path, "update-ref", self.ref(chain), git(self.path, "commit-tree", tree.strip(), "-m", chain)
        )
