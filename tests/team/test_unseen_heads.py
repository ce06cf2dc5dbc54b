"""A transport that hides what others named is found out (specs/team.md TM-43)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from ledger.memory import Memory
from tests.writers.machines import Machine, joined

PATIENCE = 10


class Views(NamedTuple):
    """Two machines and a newcomer, the share that the two use, and the segment that the newcomer's own view of it lacks."""

    laptop: Machine
    desk: Machine
    tablet: Machine
    share: Path
    view: Path
    hidden: Path


@pytest.fixture
def views(tmp_path: Path) -> Iterator[Views]:
    laptop, share, view = Machine(tmp_path, "laptop"), tmp_path / "share", tmp_path / "view"
    laptop.memory.team.init(f"folder:{share}")
    desk = joined(laptop.memory, Machine(tmp_path, "desk"))
    tablet = joined(laptop.memory, Machine(tmp_path, "tablet"))
    laptop.memory.store(Memory("The port is 5433"))
    laptop.memory.team.sync()
    desk.memory.team.sync()
    desk.memory.store(Memory("Use npm"))
    desk.memory.team.sync()
    shutil.copytree(share, view)
    hidden = max(view.glob(f"*/chains/{laptop.genesis}/*"))
    hidden.unlink()
    yield Views(laptop, desk, tablet, share, view, hidden)
    for machine in (laptop, desk, tablet):
        machine.close()


def test_what_is_hidden_is_named_after_some_syncs_and_no_more_once_it_came(views: Views) -> None:
    team = views.tablet.memory.team
    assert team.move(f"folder:{views.view}").findings == []
    for _ in range(PATIENCE - 2):
        assert team.sync().findings == []
    [said] = team.sync().findings
    assert (
        views.laptop.memory.workspace.index.id_at(views.laptop.memory.workspace.index.newest())[:12] in said
    )
    assert "desk/" in said
    assert team.sync().findings == [said], "until it comes"
    assert team.move(f"folder:{views.share}").findings == []
    assert team.sync().findings == []


def test_what_does_not_count_any_more_is_not_hidden(views: Views) -> None:
    """The laptop's chain forked: its twin has the other branch of it, and lacks what the desk machine named."""
    root = views.laptop.directory.parents[1]
    shutil.copytree(root / "laptop", root / "twin")
    twin = Machine(root, "twin")
    views.laptop.memory.store(Memory("Use pnpm"))
    twin.memory.store(Memory("Use yarn"))
    views.laptop.memory.team.sync()
    views.desk.memory.team.sync()
    views.desk.memory.store(Memory("Answer in French"))
    views.desk.memory.team.sync()
    twin.memory.team.sync()
    for _ in range(PATIENCE):
        twin.memory.team.sync()
    [said] = twin.memory.team.sync().findings
    assert "two histories" in said
    twin.close()
