"""Computers of one person: each with a home and a state of its own, on which commands run in this process."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.cli.driver import Result, environment, run, run_process

SSH = '#!/bin/sh\ncd {root} || exit 1\nfor last; do :; done\nexec sh -c "$last"\n'
"""In place of ssh: runs what git wants run on the host, in a folder of this machine."""


class Computer:
    """One computer below `root`, on which scripts act for its owner.

    Args:
        root: a folder that other computers may share.
        name: its name; the author of what is written on it is `ada`.
        git: who commits on it.
    """

    def __init__(self, root: Path, name: str, git: str = "Ada") -> None:
        self.home = root / name
        self.directory = self.home / ".muniment"
        self.state = self.home / ".local/state/muniment"
        self.directory.mkdir(parents=True, mode=0o700, exist_ok=True)
        (self.directory / "config.toml").write_text("scripts = true\n")
        (self.home / ".gitconfig").write_text(f"[user]\nname = {git}\nemail = {git.lower()}@example.org\n")
        self.variables: dict[str, str] = {
            "HOME": str(self.home),
            "MUNIMENT_HOME": str(self.directory),
            "MUNIMENT_STATE": str(self.state),
            "XDG_STATE_HOME": str(self.home / ".local/state"),
            "MUNIMENT_BY": "ada",
        }
        self.cwd = self.home

    def run(self, *words: object, env: Mapping[str, str] | None = None) -> Result:
        """Run a command in this process."""
        return run(*words, cwd=self.cwd, env={**self.variables, **(env or {})})

    def run_process(self, *words: object, env: Mapping[str, str] | None = None) -> Result:
        """Run a command as a process of its own."""
        return run_process(*words, cwd=self.cwd, env={**self.variables, **(env or {})})

    def environment(self) -> dict[str, str]:
        """Return the environment of a process of its own that runs muniment from the checkout."""
        return environment(self.variables)

    def copied(self, name: str) -> Computer:
        """Return another computer with all that this one has, keys and state included."""
        shutil.copytree(self.home, self.home.parent / name)
        return Computer(self.home.parent, name)

    def git(self, *words: object) -> str:
        """Run git."""
        done = subprocess.run(
            ["git", *map(str, words)],
            cwd=self.cwd,
            env={**os.environ, **self.variables},
            capture_output=True,
            check=True,
            text=True,
        )
        return done.stdout

    def memories(self, *options: str) -> dict[str, str]:
        """Return the ids and texts of the current memories, in their order."""
        return {row["id"]: row["text"] for row in self.run("list", "--json", *options).ok().json_lines}

    def invite(self, name: str) -> str:
        """Return the line of an invitation for another machine of the same person."""
        line: str = self.run("team", "invite", name, "--role", "admin", "--json").ok().json["line"]
        return line

    @property
    def documents(self) -> dict[str, bytes]:
        """The rendered documents of the folder that is worked in, or of the home."""
        folder = self.cwd / ".muniment"
        found = [folder / "MEMORY.md", *folder.glob("memory/**/*.md"), *folder.glob("memories/**/*.md")]
        return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def ssh_to(root: Path, into: Path) -> dict[str, str]:
    """Return variables by which git reaches every host in the folder `root`; the program for it is put into `into`."""
    program = into / "ssh"
    program.write_text(SSH.format(root=root))
    program.chmod(0o755)
    return {"GIT_SSH_COMMAND": str(program), "GIT_SSH_VARIANT": "ssh"}


def bare(path: Path) -> Path:
    """Make an empty bare repository."""
    subprocess.run(["git", "init", "--quiet", "--bare", str(path)], check=True)
    return path


def value_of(computer: Computer, *words: str) -> Any:
    """Return the JSON document that a command prints."""
    return json.loads(computer.run(*words, "--json").ok().out)


def with_team(root: Path) -> Computer:
    """Return a computer with a user's ledger of one memory, which has a team in a folder beside it.

    Teams are founded once, beside the folder `root` of the first test that asks for one; each test has a copy.
    """
    founded = root.parent / "with-team"
    if not founded.exists():
        laptop = Computer(founded, "laptop")
        laptop.run("init").ok()
        laptop.run("add", "Use npm").ok()
        laptop.run("team", "init", f"folder:{founded / 'share'}", "--name", "laptop").ok()
    _copy(founded, root)
    return Computer(root, "laptop")


def with_member(root: Path, name: str, *options: str) -> tuple[Computer, Computer]:
    """Return a computer as `with_team` does, and a member that was invited with these options and knows the same."""
    founded = root.parent / f"with-{name}"
    if not founded.exists():
        founded.mkdir()
        joined(with_team(founded), name, *options)
    _copy(founded, root)
    return Computer(root, "laptop"), Computer(root, name)


def with_two(root: Path) -> tuple[Computer, Computer]:
    """Return a computer as `with_team` does, and another one in its team that knows the same; both sign for the team."""
    return with_member(root, "desk", "--role", "admin")


def joined(laptop: Computer, name: str, *options: str) -> Computer:
    """Return another computer that was invited with these options and accepted."""
    other = Computer(laptop.home.parent, name)
    line = laptop.run("team", "invite", name, *options, "--json").ok().json["line"]
    other.run("team", "join", line).ok()
    laptop.run("team", "members", "accept", name).ok()
    other.run("team", "sync").ok()
    return other


def _copy(founded: Path, root: Path) -> None:
    """Copy the computers and the folder of a team; what this machine noted of their places is noted anew."""
    shutil.copytree(founded, root, dirs_exist_ok=True)
    for pins in root.glob("*/.local/state/muniment/pins"):
        shutil.rmtree(pins)
    for file in root.glob("*/.muniment/team/transport.json"):
        file.write_text(file.read_text().replace(str(founded), str(root)))
