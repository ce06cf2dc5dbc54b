"""Runs git on documents of a ledger as several people do, whoever sits here."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from muniment import MemoryLedger
from tests.documents.adopting.editing import document

ME, GRACE = ("Me", "me@example.org"), ("Grace Hopper", "grace@example.org")


def git(folder: Path, *arguments: str, who: tuple[str, str] = ME, fails: bool = False) -> str:
    """Run git as somebody, with nobody's settings."""
    names = {f"GIT_{what}_NAME": who[0] for what in ("AUTHOR", "COMMITTER")}
    names |= {f"GIT_{what}_EMAIL": who[1] for what in ("AUTHOR", "COMMITTER")}
    environment = {**os.environ, **names, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    done = subprocess.run(
        ["git", "-C", folder, "-c", "core.editor=true", "-c", "protocol.file.allow=always", *arguments],
        check=False,
        capture_output=True,
        env=environment,
        text=True,
    )
    assert (done.returncode != 0) == fails, done.stderr + done.stdout
    return done.stdout


@cache
def _template() -> Path:
    """Return an empty repository of mine, made once in a process: a copy of it costs less than git."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    git(folder, "init", "-q", "-b", "main", "--template=")
    git(folder, "config", "user.email", ME[1])
    return folder


def begun(folder: Path) -> None:
    """Make an empty repository of mine of a folder."""
    shutil.copytree(_template(), folder, dirs_exist_ok=True)


def committed(house: MemoryLedger) -> MemoryLedger:
    """Commit the documents of a ledger to git, as me; return the ledger."""
    folder = house.workspace.place.documents
    begun(folder)
    git(folder, "add", "MEMORY.md")
    git(folder, "commit", "-qm", "one")
    return house


def pulled(house: MemoryLedger, old: str, new: str, who: tuple[str, str] = GRACE) -> str:
    """Have somebody change the document in a clone, and pull it from there; return the whole."""
    folder = house.workspace.place.documents
    clone = folder.parent / "clone"
    shutil.rmtree(clone, ignore_errors=True)
    git(folder, "clone", "-q", ".", str(clone))
    path = clone / "MEMORY.md"
    assert path.read_text().count(old) == 1
    path.write_text(path.read_text().replace(old, new))
    git(clone, "commit", "-qam", "theirs", who=who)
    git(folder, "pull", "-q", str(clone), "main")
    return document(house).read_text()
