"""Documents that somebody moved, renamed or copied: what they say moves with them, and nothing is undone silently."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.documents.adopting.machine import Machine, founded, write


@pytest.fixture
def here(isolated: Path, tmp_path: Path) -> Machine:
    """A project of mine with one memory."""
    return founded(tmp_path / "a" / "house", "Use pnpm")


def topics(here: Machine) -> None:
    """Learn entries of a topic, a daily note and three conventions, and commit."""
    for at in range(4):
        text = f"Topic entry {at} about queue number {at}"
        here("add", text, "--topic", "infra/queue", "--title", f"Q{at}").ok()
    here("add", "Daily thing one", "--tier", "daily").ok()
    here("add", "Beta rule two").ok()
    here("add", "Gamma rule three").ok()
    here.commit("topics")


@pytest.mark.parametrize(
    ("to", "way"), [("memories/infra/broker.md", "git mv"), ("memories/ops/queue.md", "committed")]
)
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
    assert here.read(to).count("Topic entry") == 4
    rows = [row for row in here("list", "--json").json_lines if "Topic entry" in row["text"]]
    assert {row["topic"] for row in rows} == {to.removeprefix("memories/").removesuffix(".md")}
    assert here("adopt").ok().out == "no document was edited\n"
    assert here("verify").code == 0


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


# --- copies, and files that are removed ---


def test_what_is_taken_out_beside_a_copy_stays_out_and_the_copy_stays(here: Machine) -> None:
    """D-48: a copy is no move, since what it was copied from still stands; the file is left, and named."""
    topics(here)
    whole = here.read()
    write(here.folder, {"memory/backup.md": whole})
    (here.folder / "MEMORY.md").write_text(whole.replace("- Beta rule two\n", ""))
    told = here("adopt").out
    assert "memory/backup.md: it is a copy of MEMORY.md" in told
    assert "Beta rule two" not in here.texts()
    assert here.read("memory/backup.md") == whole
    here("add", "Another").ok()
    assert "Beta rule two" not in here.texts()
    assert here.read("memory/backup.md") == whole


def test_a_document_that_adoption_removes_is_named_with_where_its_lines_went(here: Machine) -> None:
    """D-49: by adopt, before it by --dry-run, and by any write."""
    write(here.folder, {"memory/one.md": "- One thing\n"})
    assert "memory/one.md will be removed" in here("adopt", "--dry-run").out
    assert "memory/one.md was removed: what it said stands in MEMORY.md" in here("adopt").err
    write(here.folder, {"memory/two.md": "- Another thing\n"})
    (here.folder / "MEMORY.md").write_text(here.read() + "- Typed\n")
    assert "memory/two.md was removed: what it said stands in MEMORY.md" in here("add", "Third").ok().err


def test_an_overflow_file_that_was_renamed_is_named_when_it_goes_back(here: Machine) -> None:
    """D-49: its name is ours; nothing is lost, and nothing happens in silence."""
    (here.folder / "config.toml").write_text("max_lines_per_file = 14\n")
    for at in range(14):
        section = ("Workflow", "Tool Usage")[at % 2]
        here("add", f"Service number {at} listens behind proxy {at * 7}", "--section", section).ok()
    here.commit("services")
    before = sorted(here.texts())
    here.git("mv", ".muniment/memory/tool-usage.md", ".muniment/memory/renamed-notes.md")
    assert "renamed-notes.md was removed: what it said stands in memory/tool-usage.md" in here("adopt").err
    assert sorted(here.texts()) == before


# --- frontmatter where none is read ---


def test_the_frontmatter_of_a_made_document_becomes_no_frontmatter_of_ours(here: Machine) -> None:
    """D-51: two of them lose nothing either."""
    write(here.folder, {"memory/one.md": "---\nowner: ada\n---\n\n- One bullet\n"})
    write(here.folder, {"memory/two.md": "---\nowner: bob\ntags: [x]\n---\n\n# Two\n\n- Two bullet\n"})
    here("adopt").ok()
    text = here.read()
    assert text.startswith("# Auto-Memories\n")
    assert "```yaml\nowner: ada\n```\n" in text
    assert "```yaml\nowner: bob\ntags: [x]\n```\n" in text
    assert {"One bullet", "Two bullet", "Use pnpm"} <= set(here.texts())
    assert here("adopt").ok().out == "no document was edited\n"
    assert here("verify").code == 0


def test_a_topic_file_that_was_moved_to_the_notes_loses_nothing(here: Machine) -> None:
    """D-51: also with --accept, and where it was edited on the way."""
    topics(here)
    before = sorted(here.texts())
    (here.folder / "memories/infra/queue.md").rename(here.folder / "memory/queue.md")
    said = here.read("memory/queue.md").replace("Topic entry 1 about", "Topic entry 1, edited, about")
    write(here.folder, {"memory/queue.md": said.replace("tags", "labels")})
    text = here.read("memory/queue.md")
    told = here("adopt")
    assert (told.code, "memory/queue.md: it is the topic file memories/infra/queue.md" in told.out) == (
        1,
        True,
    )
    here("adopt", "--accept")
    assert sorted(here.texts()) == before
    assert here.read("memory/queue.md") == text
    assert "delete" not in here.kinds()
