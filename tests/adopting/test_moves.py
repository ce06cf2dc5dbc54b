"""Documents that somebody moved, renamed or copied: what they say moves with them, and nothing is undone silently."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adopting.test_arrivals import Machine
from tests.adopting.test_history import made, read


@pytest.fixture
def here(isolated: Path, tmp_path: Path) -> Machine:
    """A project of mine with one memory."""
    return made(tmp_path / "a" / "house")


def topics(here: Machine) -> None:
    """Learn entries of a topic, a daily note and three conventions, and commit."""
    for at in range(4):
        text = f"Topic entry {at} about queue number {at}"
        here("add", text, "--topic", "infra/queue", "--title", f"Q{at}").ok()
    here("add", "Daily thing one", "--tier", "daily").ok()
    here("add", "Beta rule two").ok()
    here("add", "Gamma rule three").ok()
    here.commit("topics")


@pytest.mark.parametrize("to", ["memories/infra/broker.md", "memories/ops/queue.md"])
@pytest.mark.parametrize("way", ["mv", "git mv", "committed"])
def test_a_topic_file_that_was_moved_moves_its_memories(here: Machine, to: str, way: str) -> None:
    """D-47: with the same words, once, and the old file stays away."""
    topics(here)
    old = here.folder / "memories/infra/queue.md"
    (here.folder / to).parent.mkdir(exist_ok=True)
    if way == "git mv":
        here.git("mv", str(old), str(here.folder / to))
    else:
        old.rename(here.folder / to)
    if way == "committed":
        here.commit("mv")
    before = sorted(here.texts())
    here("adopt").ok()
    assert sorted(here.texts()) == before
    here("add", "Another").ok()
    assert not old.exists()
    assert "delete" not in here.kinds()
    assert read(here, to).count("Topic entry") == 4
    rows = [row for row in here("list", "--json").json_lines if "Topic entry" in row["text"]]
    assert {row["topic"] for row in rows} == {to.removeprefix("memories/").removesuffix(".md")}
    assert here("adopt").ok().out == "no document was edited\n"
    assert here("replay", "--check").code == 0


def test_a_daily_note_that_was_moved_moves_its_memories(here: Machine) -> None:
    """D-47."""
    topics(here)
    (old,) = (here.folder / "memory").glob("*.md")
    new = old.with_name("2026-11-01.md")
    old.rename(new)
    before = sorted(here.texts())
    here("adopt").ok()
    here("add", "Another").ok()
    assert sorted(here.texts()) == sorted([*before, "Another"])
    assert not old.exists()
    assert new.read_text() == "# 2026-11-01\n\n- Daily thing one\n"
