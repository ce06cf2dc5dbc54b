"""A run of `team join` that dies at any step is completed by the same command (specs/team.md TM-20, specs/editing.md D-80)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.computers import Computer
from tests.forking import run_python
from tests.observing import watched

KILLED = (
    "import sys; from cli import main; from tests.observing import kill_at; "
    "kill_at(sys.argv[1], int(sys.argv[2])); main.run(sys.argv[3:])"
)
STEPS = (
    "genesis.renamed",
    "append.locked",
    "team.asked",
    "copy.written",
    "team.exchanged",
    "index.applied 2",
    "document.taken",
)
"""Steps at which a run is killed, and the how-manieth of it; the first if it is not said."""


@pytest.fixture
def shop(tmp_path: Path) -> Computer:
    """A computer with a project, whose team is in a folder, and whose committed documents are older than its memory."""
    laptop = Computer(tmp_path, "laptop")
    laptop.git("init", "--quiet", "shop")
    laptop.cwd /= "shop"
    laptop.run("init").ok()
    laptop.run("add", "Use npm").ok()
    laptop.run("add", "The port is 5433").ok()
    laptop.git("add", "--all")
    laptop.git("commit", "--quiet", "--message", "What we know")
    laptop.run("supersede", next(iter(laptop.memories())), "Use pnpm").ok()
    laptop.run("team", "init", f"folder:{tmp_path / 'share'}").ok()
    return laptop


def fresh(shop: Computer, desk: Computer) -> None:
    """Let the other computer have a new clone, and nothing else."""
    for path in (
        desk.cwd,
        desk.state,
        *(each for each in desk.directory.iterdir() if each.name != "config.toml"),
    ):
        shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
    desk.cwd.parent.mkdir(exist_ok=True)
    shop.git("clone", "--quiet", shop.cwd, desk.cwd)


def test_a_run_that_dies_is_completed_by_the_same_command(shop: Computer, tmp_path: Path) -> None:
    desk = Computer(tmp_path, "desk")
    desk.cwd = desk.home / "shop"
    line = shop.invite("desk")
    fresh(shop, desk)
    with watched() as reached:
        desk.run("team", "join", line).ok()
    assert reached[0] == "root.entered", "nothing that lasts is done before"
    for each in STEPS:
        step, _, time = each.partition(" ")
        fresh(shop, desk)
        done = run_python(
            ["-c", KILLED, step, time or "1", "team", "join", line], cwd=desk.cwd, env=desk.environment()
        )
        assert done.returncode == -9, (each, done.stderr)
        desk.run("team", "join", line).ok()
        assert desk.memories("--status", "all") == shop.memories("--status", "all"), each
        assert desk.documents == shop.documents, each
        assert desk.run("status", "--json").ok().json["chain"]["events"] == 1, each
        shop.run("team", "sync").ok()
        assert desk.run("verify").code == 0, each
