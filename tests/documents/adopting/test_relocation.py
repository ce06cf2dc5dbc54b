"""Tests documents/adopting/relocation.py against specs/doors.md (G-25): documents that lie in a folder that [render] names."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

import muniment
from documents.targets import MARK_NAME, claim, owner_of
from ledger.event import By
from ledger.founding import identity_of
from muniment import Memory, MemoryLedger, StorageError, UsageError
from tests.documents.adopting.editing import texts
from tests.documents.adopting.in_git import begun, git
from tests.observing import DeathError, observed, watched
from tests.projections.house import build, reopen, tree

OWN = ("Use pnpm, not npm", "Postgres listens on 5433", "Deploy with make ship")
THERE = """\
# Memory

Prose that OpenClaw wrote.

## People

- Anna is the boss
  - of all
1. one
2. two

| a | b |
|---|---|
| 1 | 2 |
"""
DAY = "# 2026-01-04\n\n- Deployed the queue\n\nA paragraph of that day.\n"
THEIRS = {
    "AGENTS.md": "agents\n",
    "memory/2026-01-04-a-session.md": "# Session\n\n- user: hello\n",
    "memory/people.md": "- a note of theirs\n",
    "memories/own.md": "- another\n",
}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A folder in which another program keeps memories and files of its own."""
    folder = tmp_path / "workspace"
    for path, text in {"MEMORY.md": THERE, "memory/2026-01-04.md": DAY, **THEIRS}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    """The directory of a ledger with two conventions, rendered there."""
    memory, _ = build(tmp_path / "ledger")
    for text in OWN:
        memory.store(Memory(text))
    memory.close()
    return tmp_path / "ledger"


@pytest.fixture
def opened(ledger: Path, workspace: Path) -> Iterator[MemoryLedger]:
    """The ledger with its documents named to lie in the workspace; nothing was rendered there yet."""
    point(ledger, workspace)
    memory, _ = reopen(ledger)
    yield memory
    memory.close()


def point(ledger: Path, folder: Path | None, *more: str) -> None:
    """Let the settings name a folder, or none."""
    lines = [*more, *([f"[render]\nmemory = {str(folder)!r}"] if folder else [])]
    (ledger / "config.toml").write_text("\n".join(lines) + "\n")


def again(memory: MemoryLedger, ledger: Path) -> MemoryLedger:
    """Open the ledger anew, as the next command does."""
    memory.close()
    return reopen(ledger)[0]


def lines_of(text: str) -> set[str]:
    """Return what a document says, line by line."""
    return {line.strip() for line in text.splitlines() if line.strip()}


# --- moving in ---


def test_what_stood_there_is_taken_in_and_stands_there_still(opened: MemoryLedger, workspace: Path) -> None:
    """G-25, G-60: every line of MEMORY.md and of the day, beside ours; other files are nobody's documents."""
    opened.store(Memory("Learned after"))
    new = (workspace / "MEMORY.md").read_text()
    assert lines_of(THERE) <= lines_of(new)
    assert {f"- {text}" for text in (*OWN, "Learned after")} <= lines_of(new)
    assert (workspace / "memory" / "2026-01-04.md").read_text() == DAY
    assert {path: (workspace / path).read_text() for path in THEIRS} == THEIRS
    assert {*OWN, "Anna is the boss", "Deployed the queue", "Learned after"} <= {*texts(opened)}
    assert (
        opened.documents.adopt(),
        opened.documents.outcome.paused if opened.documents.outcome else None,
    ) == ([], {})
    assert opened.upkeep.verify().sound


def test_the_ledgers_own_documents_go_once_all_of_it_stands_there(opened: MemoryLedger, ledger: Path) -> None:
    """G-61: in place of the ledger's own ones: a copy that nobody reads would take edits that nobody hears."""
    opened.documents.render()
    assert tree(ledger) == {}


def test_what_was_typed_into_the_own_documents_is_not_lost(opened: MemoryLedger, ledger: Path) -> None:
    """G-61: it is taken in first, as an edit."""
    own = ledger / "MEMORY.md"
    own.write_text(own.read_text().replace("5433", "5434") + "- Typed just now\n")
    opened.documents.render()
    assert {"Postgres listens on 5434", "Typed just now"} <= {*texts(opened)}
    assert "Postgres listens on 5433" not in texts(opened)


def test_a_committed_memory_descends_from_none_of_ours(
    ledger: Path, opened: MemoryLedger, workspace: Path
) -> None:
    """G-60, D-2: what git tracks there lacks most of ours, and has taken out none of it."""
    there = workspace / "MEMORY.md"
    there.write_text(f"# Auto-Memories\n\n## Project Conventions\n\n- {OWN[1]}\n- {OWN[2]}\n\n{THERE}")
    begun(workspace)
    git(workspace, "add", "-A")
    git(workspace, "commit", "-qm", "one")
    assert {each.path: each.came for each in opened.documents.adopt()} == {
        "MEMORY.md": True,
        "memory/2026-01-04.md": True,
    }
    assert {*OWN, "Anna is the boss"} <= {*texts(opened)}
    assert [row.kind for row in opened.log() if row.kind == "delete"] == []
    assert lines_of(THERE) <= lines_of((workspace / "MEMORY.md").read_text())


def test_adopt_moves_in_too(opened: MemoryLedger, ledger: Path) -> None:
    """G-25: and names the documents."""
    done = [each.path for each in opened.documents.adopt()]
    assert sorted(done) == ["MEMORY.md", "memory/2026-01-04.md"]
    assert tree(ledger) == {}


def test_it_is_done_once(opened: MemoryLedger, ledger: Path, workspace: Path) -> None:
    """G-25: the next commands find nothing to do."""
    opened.documents.render()
    before, events = tree(workspace), len(texts(opened))
    memory = again(opened, ledger)
    with watched() as steps:
        memory.documents.render()
    assert (tree(workspace), len(texts(memory)), "documents.left" in steps) == (before, events, False)
    memory.close()


# --- living there ---


def test_edits_there_are_adopted_as_in_the_own_folder(opened: MemoryLedger, workspace: Path) -> None:
    """G-25, D-7: a change, a line that came, one that went; and what the other program appends to a day."""
    opened.documents.render()
    there = workspace / "MEMORY.md"
    text = there.read_text().replace("- Use pnpm, not npm\n", "").replace("5433", "5435")
    there.write_text(text + "- Typed there\n")
    day = workspace / "memory" / "2026-01-04.md"
    day.write_text(day.read_text() + "- And the worker\n")
    opened.store(Memory("Unrelated", tier="daily"))
    said = {*texts(opened)}
    assert {"Postgres listens on 5435", "Typed there", "And the worker"} <= said
    assert said.isdisjoint(OWN[:2])
    assert lines_of(text + "- Typed there\n") <= lines_of(there.read_text())


def test_a_line_that_is_appended_there_lengthens_none_of_ours(opened: MemoryLedger, workspace: Path) -> None:
    """P-99, G-25: whatever the last line there ended in before."""
    there = workspace / "MEMORY.md"
    there.write_text(there.read_text().rstrip("\n"))
    opened.store(Memory("Deploys go on Mondays"))
    with there.open("a") as appending:
        appending.write("- Typed there")
    opened.store(Memory("Keys rotate on Fridays"))
    with there.open("a") as appending:
        appending.write("- And this\n")
    opened.documents.adopt()
    said = ["Deploys go on Mondays", "Typed there", "Keys rotate on Fridays", "And this"]
    assert set(said) <= {*texts(opened)}
    assert opened.upkeep.verify().sound


def test_a_day_that_came_is_named_and_adopted(opened: MemoryLedger, workspace: Path) -> None:
    """G-25, D-36: another program begins a new day."""
    opened.documents.render()
    new = workspace / "memory" / "2026-01-05.md"
    new.write_text("# 2026-01-05\n\n- Met Anna\n")
    assert [each.path for each in opened.documents.adopt()] == ["memory/2026-01-05.md"]
    assert new.read_text() == "# 2026-01-05\n\n- Met Anna\n"


def test_overflow_and_topics_lie_there_and_meet_what_others_have(ledger: Path, workspace: Path) -> None:
    """G-60: a file of theirs at the very path is taken in, since the ledger has something to say there."""
    (workspace / "memory" / "project-conventions.md").write_text("- Theirs, by chance\n")
    point(ledger, workspace, "max_lines_per_file = 24")
    memory, _ = reopen(ledger)
    for number in range(20):
        memory.store(Memory(f"number {number}"))
    memory.store(Memory("A topic says so", topic="queue/retries"))
    files = tree(workspace)
    said = b"".join(files.values()).decode()
    assert {f"- number {number}" for number in range(20)} | {"- Theirs, by chance"} <= lines_of(said)
    assert len(files["MEMORY.md"].splitlines()) <= 24
    assert b"A topic says so" in files["memories/queue/retries.md"]
    assert {path: (workspace / path).read_text() for path in THEIRS} == THEIRS
    assert memory.upkeep.verify().sound
    memory.close()


def test_a_secret_there_is_held_and_the_own_documents_wait(
    opened: MemoryLedger, ledger: Path, workspace: Path
) -> None:
    """G-61, D-17: no line of ours leaves all documents before it stands in the new one."""
    there = workspace / "MEMORY.md"
    held = THERE + "- token ghp_" + "a1B2" * 9 + "\n"
    there.write_text(held)
    opened.documents.render()
    assert there.read_text() == held
    assert {f"- {text}" for text in OWN} <= lines_of((ledger / "MEMORY.md").read_text())
    assert "looks like a secret" in (
        opened.documents.outcome.paused["MEMORY.md"] if opened.documents.outcome else ""
    )
    there.write_text(THERE)
    opened.documents.adopt()
    assert tree(ledger) == {}
    assert {f"- {text}" for text in OWN} <= lines_of(there.read_text())


def test_a_folder_that_is_gone_keeps_the_log_going(
    opened: MemoryLedger, ledger: Path, workspace: Path
) -> None:
    """G-62: as with a disk that is not there; nothing counts as deleted, nothing is made in its place."""
    opened.documents.render()
    away = workspace.rename(workspace.with_name("away"))
    memory = again(opened, ledger)
    memory.store(Memory("Meanwhile"))
    assert not workspace.exists()
    assert "is no folder" in str(memory.documents.outcome.paused if memory.documents.outcome else "")
    away.rename(workspace)
    memory.store(Memory("Afterwards"))
    said = lines_of((workspace / "MEMORY.md").read_text())
    assert {"- Meanwhile", "- Afterwards", *(f"- {text}" for text in OWN)} <= said
    memory.close()


def test_what_is_erased_goes_from_there_and_from_a_folder_that_was_left(
    opened: MemoryLedger, ledger: Path, workspace: Path
) -> None:
    """G-25, P-88."""
    opened.documents.render()
    point(ledger, None)
    memory = again(opened, ledger)
    id_ = memory.store(Memory("Shown in the own folder alone")).id
    mine = next(entry.id for entry in memory.load_all() if entry.memory.text == OWN[0])
    memory.erasures.erase([mine, id_], "wanted")
    assert OWN[0] not in (workspace / "MEMORY.md").read_text()
    assert OWN[0] not in (ledger / "MEMORY.md").read_text()
    memory.close()


def test_a_file_that_another_program_writes_over_a_short_memory_deletes_nothing(
    opened: MemoryLedger, ledger: Path, workspace: Path
) -> None:
    """G-25, D-16: two of three entries are enough there; one of three is an edit."""
    (workspace / "MEMORY.md").unlink()
    opened.documents.render()
    there = workspace / "MEMORY.md"
    said = there.read_text()
    there.write_text(f"# Memory\n\n- {OWN[0]}\n- Anna joined the team\n")
    opened.store(Memory("Meanwhile"))
    assert {*OWN, "Meanwhile"} <= {*texts(opened)}
    assert "it takes out 2 of 3 entries" in str(
        opened.documents.outcome.paused if opened.documents.outcome else ""
    )
    there.write_text(said.replace(f"- {OWN[1]}\n", ""))
    opened.documents.adopt()
    assert OWN[1] not in texts(opened)
    assert {OWN[0], OWN[2]} <= {*texts(opened)}
    opened.store(Memory("Afterwards"))
    assert "- Afterwards" in there.read_text()


# --- leaving ---


def test_leaving_leaves_the_documents_there(opened: MemoryLedger, ledger: Path, workspace: Path) -> None:
    """G-61: they are memory to who reads it; edits up to then are taken in, and the own folder has all again."""
    opened.documents.render()
    there = workspace / "MEMORY.md"
    there.write_text(there.read_text() + "- Typed at the end\n")
    point(ledger, None)
    memory = again(opened, ledger)
    memory.documents.render()
    assert "Typed at the end" in texts(memory)
    assert lines_of((ledger / "MEMORY.md").read_text()) == lines_of(there.read_text())
    there.write_text(there.read_text() + "- Not ours any more\n")
    memory.documents.adopt()
    assert "Not ours any more" not in texts(memory)
    point(ledger, workspace)
    memory = again(memory, ledger)
    memory.store(Memory("Back"))
    assert {"Not ours any more", "Back"} <= {*texts(memory)}
    assert {*OWN} <= {*texts(memory)}
    memory.close()


# --- recovery ---


def test_a_death_at_any_step_of_moving_in_comes_to_the_same(
    ledger: Path, workspace: Path, tmp_path: Path
) -> None:
    """G-61: killed at each of its steps in turn, the next command finishes, and nothing is said twice or lost."""
    own = ledger / "MEMORY.md"
    own.write_text(own.read_text() + "- Typed just now\n")
    kept = tmp_path / "kept"
    shutil.copytree(ledger, kept / "ledger", symlinks=True)
    shutil.copytree(workspace, kept / "workspace")
    point(ledger, workspace)
    memory, _ = reopen(ledger)
    with watched() as steps:
        memory.documents.render()
    wanted = (tree(workspace), sorted(texts(memory)), tree(ledger))
    count = len(steps)
    memory.close()
    assert count > 20, steps
    for at in range(count):
        for path in (ledger, workspace):
            shutil.rmtree(path)
            shutil.copytree(kept / path.name, path, symlinks=True)
        for mark in muniment.home().state.glob("marks/*"):
            mark.unlink()  # this chain is the shorter one of before
        point(ledger, workspace)
        memory, _ = reopen(ledger)
        _die_at(at, memory.documents.render)
        memory = again(memory, ledger)
        memory.documents.render()
        memory.documents.adopt()
        assert (tree(workspace), sorted(texts(memory)), tree(ledger)) == wanted, steps[at]
        memory.close()


def _die_at(number: int, do: Callable[[], object]) -> None:
    seen = 0

    def die(_step: str) -> None:
        nonlocal seen
        if seen == number:
            raise DeathError
        seen += 1

    with observed(die):
        try:
            do()
        except DeathError:
            return
    raise AssertionError(number)


# --- what may be named ---


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[render]\nmemory = 'relative'", "memory = a folder"),
        ("[render]\nmemory = '/x'\nopenclaw = true", "memory = a folder"),
        ("[render]\nclaude = true", "memory = a folder"),
        ("[render]\nopenclaw = '/x'", "memory = a folder"),
    ],
)
def test_what_names_no_folder_is_refused(ledger: Path, text: str, says: str) -> None:
    """G-25, F-11: nothing is rendered anywhere, and the log goes on."""
    (ledger / "config.toml").write_text(text + "\n")
    before = tree(ledger)
    memory, _ = reopen(ledger)
    with pytest.raises(UsageError, match=says):
        memory.documents.render()
    memory.write([], By("tester", "user", "library"))
    assert tree(ledger) == before
    memory.close()


@pytest.mark.parametrize("name", ["ledger/inside", "ledger/..", "other"])
def test_a_folder_that_is_another_ledgers_is_refused(ledger: Path, tmp_path: Path, name: str) -> None:
    """G-62: nor one that has the ledger's own in it."""
    folder = tmp_path / name
    folder.mkdir(exist_ok=True)
    if name == "other":
        build(folder)[0].close()
    before = tree(folder)
    point(ledger, folder)
    memory, _ = reopen(ledger)
    memory.store(Memory("Learned all the same"))
    assert "name another" in str(memory.documents.outcome.paused if memory.documents.outcome else "")
    assert tree(folder) == before
    memory.close()


def test_a_folder_has_the_documents_of_one_ledger(
    opened: MemoryLedger, ledger: Path, workspace: Path, tmp_path: Path
) -> None:
    """G-70: another one is refused in one line that says how to take over; the log goes on; leaving lets it go."""
    opened.documents.render()
    build(tmp_path / "second")[0].close()
    point(tmp_path / "second", workspace)
    before = tree(workspace)
    second, _ = reopen(tmp_path / "second")
    second.store(Memory("Of the second"))
    said = str(second.documents.outcome.paused if second.documents.outcome else "")
    assert f"rm {workspace / MARK_NAME}" in said
    assert "\n" not in said
    with pytest.raises(StorageError, match="is that of the ledger"):
        second.documents.adopt()
    assert tree(workspace) == before
    opened.store(Memory("Of the first"))
    assert "- Of the first" in (workspace / "MEMORY.md").read_text()
    point(ledger, None)
    memory = again(opened, ledger)
    memory.documents.render()
    memory.close()
    assert not (workspace / MARK_NAME).exists()
    second = again(second, tmp_path / "second")
    second.documents.render()
    assert "- Of the second" in (workspace / "MEMORY.md").read_text()
    second.close()


def test_a_folder_is_taken_over_by_removing_its_mark(opened: MemoryLedger, workspace: Path) -> None:
    """G-70: as where the other ledger is gone; a mark that says nothing keeps nobody out."""
    for text in ("0" * 32, "0" * 32 + "\n"):
        (workspace / MARK_NAME).write_text(text)
        with pytest.raises(
            StorageError, match="the ledger 00000000…: name another one, or take it over by rm"
        ):
            opened.documents.render()
    (workspace / MARK_NAME).unlink()
    (workspace / MARK_NAME).touch()
    opened.documents.render()
    assert len((workspace / MARK_NAME).read_text().strip()) == 32


def test_a_mark_that_says_nothing_is_written_anew(opened: MemoryLedger, workspace: Path) -> None:
    """G-70: however long it is; a rest of it would leave the folder everybody's."""
    (workspace / MARK_NAME).write_text("no id, and longer than one\n" * 9)
    opened.documents.render()
    assert owner_of(workspace) == identity_of(opened.workspace.place.chain)[0].id


def test_a_mark_that_cannot_be_written_is_named_and_the_log_goes_on(
    opened: MemoryLedger, workspace: Path
) -> None:
    """G-70, G-62: what was learned is acknowledged all the same, and the line does not say otherwise."""
    (workspace / MARK_NAME).mkdir()
    opened.store(Memory("Learned all the same"))
    said = str(opened.documents.outcome.paused if opened.documents.outcome else "")
    assert "marking failed" in said
    assert "the log has everything" in said


def test_of_two_ledgers_that_claim_a_folder_at_once_one_has_it(tmp_path: Path) -> None:
    """G-70: whoever looks after their claim sees the same owner; so one of them is refused."""
    rounds = [tmp_path / str(number) for number in range(200)]
    for folder in rounds:
        folder.mkdir()
    names = ["a" * 32, "b" * 32]
    together = Barrier(len(names))

    def claims(name: str) -> list[str]:
        found = []
        for folder in rounds:
            together.wait()
            claim(folder, name)
            found.append(owner_of(folder))
        return found

    with ThreadPoolExecutor(len(names)) as pool:
        first, second = pool.map(claims, names)
    assert first == second
    assert set(first) <= {*names}


def test_a_ledger_that_was_moved_is_not_locked_out(
    opened: MemoryLedger, ledger: Path, workspace: Path, tmp_path: Path
) -> None:
    """G-70."""
    opened.documents.render()
    opened.close()
    memory, _ = reopen(Path(shutil.move(ledger, tmp_path / "elsewhere")))
    memory.store(Memory("From elsewhere"))
    assert "- From elsewhere" in (workspace / "MEMORY.md").read_text()
    memory.close()


def test_openclaw_is_its_workspace_whatever_the_environment_says(
    ledger: Path, isolated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """G-25: a job without that environment would render elsewhere."""
    workspace = isolated / ".openclaw" / "workspace"
    workspace.mkdir(parents=True)
    monkeypatch.setenv("OPENCLAW_WORKSPACE_DIR", "/elsewhere")
    (ledger / "config.toml").write_text("[render]\nopenclaw = true\n")
    memory, _ = reopen(ledger)
    memory.documents.render()
    assert {f"- {text}" for text in OWN} <= lines_of((workspace / "MEMORY.md").read_text())
    memory.close()
