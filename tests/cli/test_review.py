"""Tests cli/commands/review.py against specs/cli.md (X-103…X-108), at real terminals."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from ledger.command import Supersede
from ledger.memory import Memory, Provenance
from muniment import MemoryLedger
from projections.query import Filter, LogFilter
from tests.cli.driver import Result, environment, run, run_at_terminal, run_process, uncolored
from tests.cli.test_stale import store_past
from tests.documents.adopting.in_git import GRACE
from tests.documents.adopting.machine import Machine, cloned, founded

PROMPT = "[c]onfirm [e]dit [d]elete [s]kip"


def candidate(memory: MemoryLedger, text: str, **origin: str) -> str:
    return memory.store(Memory(text, status="candidate", provenance=Provenance(**origin))).id


def status(memory: MemoryLedger, id_: str) -> str:
    return memory.entry(id_).status


def review(*args: object, keys: Sequence[str], **env: str) -> Result:
    """Review at a terminal, each key with Return, and return what it showed, without colours."""
    done = run(
        "review", *args, input="".join(f"{key}\n" for key in keys), terminal=True, env=environment(env)
    )
    return Result(done.code, uncolored(done.err + done.out), "")


def editor(tmp_path: Path, old: str, new: str) -> dict[str, str]:
    script = tmp_path / "editor.py"
    script.write_text(
        "import pathlib, sys\npath = pathlib.Path(sys.argv[1])\ntext = path.read_text()\n"
        f"path.write_text(text.replace({old!r}, {new!r}))\n"
    )
    return {"EDITOR": shlex.join([sys.executable, str(script)])}


@pytest.mark.parametrize("keys", ["cdysc", ("confirm", "D", "yes", "skip", "c")])
def test_a_letter_or_its_word_decides(memory: MemoryLedger, keys: Sequence[str]) -> None:
    """X-105, X-107: the events are a person's, through the command line."""
    one, two = candidate(memory, "Use tabs"), candidate(memory, "Use spaces, perhaps", file="a.md")
    three = store_past(memory, 100, "Ship by hand")
    four = store_past(memory, 95, "Ask ada")
    done = review(keys=keys)
    assert done.code == 0, done.out
    assert [status(memory, id_) for id_ in (one, two, three, four)] == [
        "active",
        "deleted",
        "active",
        "active",
    ]
    events = memory.log(LogFilter(kinds=("confirm", "delete")))
    assert [(row.kind, row.targets[0], row.role, row.via) for row in events] == [
        ("confirm", one, "user", "cli"),
        ("delete", two, "user", "cli"),
        ("confirm", four, "user", "cli"),
    ]
    assert [row.entry.id for row in memory.upkeep.decay_check()] == [three]
    assert "done: 2 confirmed, 1 deleted, 1 skipped" in done.out
    named = " ".join(row.id[:12] for row in events)
    assert f"to undo it: muniment revert {named}" in done.out
    assert done.out.count(PROMPT) == 4


def test_each_shows_where_it_came_from_and_what_it_replaces(memory: MemoryLedger) -> None:
    """X-104."""
    old = memory.store(Memory("Use npm")).id
    memory.store(Memory("Postgres listens on port 5432"))
    origin = Provenance(conversation="c-7", message="m-1", agent="claude", file="notes.md", author="ada")
    wanted = Memory("Use pnpm", details=("since May",), status="candidate", provenance=origin)
    memory.write([Supersede((old,), wanted)])
    candidate(memory, "Postgres listens on port 5433")
    store_past(memory, 100, "Ship by hand")
    out = review(keys="sss").out
    for said in (
        "1 of 3: a candidate, not shown to agents until you accept it\nUse pnpm\n  - since May\n",
        "conversation  c-7\n",
        "message       m-1\n",
        "agent         claude\n",
        "file          notes.md\n",
        "author        ada\n",
        f"replaces      - {old[:12]}  Use npm\n",
        "2 of 3: a candidate",
        "  Postgres listens on port 5432\n",
        "3 of 3: not confirmed for 100 days\nShip by hand\n",
    ):
        assert said in out, said
    assert "contradicts" in out
    assert "done: 3 skipped" in out


def test_all_of_a_source_are_taken_at_once(memory: MemoryLedger) -> None:
    """X-105: after one more question, in one batch; those of others are asked for."""
    of_one = [candidate(memory, f"one {n}", conversation="c-1") for n in range(3)]
    other = candidate(memory, "two", conversation="c-2")
    late = candidate(memory, "one more", conversation="c-1")
    done = review(keys=["a", "n", "a", "y", "s"])
    assert "take [a]ll 4 of conversation" in done.out
    assert "Take all 4 of conversation c-1? [y/n]" in done.out
    assert "done: 4 confirmed, 1 skipped" in done.out
    assert {status(memory, id_) for id_ in (*of_one, late)} == {"active"}
    assert status(memory, other) == "candidate"
    assert len(memory.log(LogFilter(kinds=("confirm",)))) == 1


def test_the_source_is_the_conversation_else_the_file_else_the_writer(memory: MemoryLedger) -> None:
    """X-105."""
    candidate(memory, "one", conversation="c-1", file="a.md")
    candidate(memory, "two", file="a.md", author="ada")
    candidate(memory, "three", file="a.md", author="bob")
    candidate(memory, "four", author="ada")
    candidate(memory, "five", session="s-1", file="a.md")
    candidate(memory, "six")
    rows = run("review", "--json").ok().json_lines
    assert [(row["from"]["kind"], row["from"]["name"]) for row in rows] == [
        ("conversation", "c-1"),
        ("file", "a.md by ada"),
        ("file", "a.md by bob"),
        ("author", "ada"),
        ("session", "s-1"),
        ("writer", "library"),
    ]


def test_what_is_edited_is_taken(memory: MemoryLedger, tmp_path: Path) -> None:
    """X-105: a supersede; what is closed without a change is asked again."""
    one = candidate(memory, "The port is 5432", conversation="c-1")
    done = review(keys="es", **editor(tmp_path, "nothing", ""))
    assert "unchanged; nothing was stored" in done.out
    assert done.out.count(PROMPT) == 2
    assert status(memory, one) == "candidate"
    done = review(keys="e", **editor(tmp_path, "5432", "5433"))
    assert "done: 1 edited" in done.out
    (found,) = memory.load_all()
    assert (found.memory.text, found.status, found.supersedes) == ("The port is 5433", "active", (one,))
    row = memory.log(LogFilter(kinds=("supersede",)))[0]
    assert (row.role, row.via) == ("user", "cli")


def test_an_edit_that_is_refused_is_said_and_asked_again(memory: MemoryLedger, tmp_path: Path) -> None:
    """X-105: nothing that was typed is lost, and the review goes on."""
    one, two = candidate(memory, "Use tabs"), candidate(memory, "Use spaces", file="a.md")
    done = review(keys="esc", **editor(tmp_path, "tabs", "password=Tr0ub4dor&3x9"))
    assert "looks like a secret" in done.out
    assert "what you wrote is kept in" in done.out
    assert "done: 1 skipped, 1 confirmed" in done.out
    assert [status(memory, id_) for id_ in (one, two)] == ["candidate", "active"]


@pytest.mark.parametrize(("key", "code"), [("\x03", 130), ("q\n", 0), ("\x04", 0)])
def test_whoever_stops_keeps_what_was_decided(memory: MemoryLedger, key: str, code: int) -> None:
    """X-106: Ctrl-C, q and the end of input."""
    one, two = candidate(memory, "Use tabs"), candidate(memory, "Use spaces", file="a.md")
    done = run_at_terminal("review", answers=["c\n", key], enter="")
    assert done.code == code, done.out
    assert [status(memory, id_) for id_ in (one, two)] == ["active", "candidate"]
    word = "stopped; your decisions are stored" if code else "done"
    assert f"{word}: 1 confirmed; 1 left: run muniment review to continue" in done.out
    assert "Traceback" not in done.out
    again = review(keys="c")
    assert "1 of 1" in again.out
    assert status(memory, two) == "active"


def test_other_words_are_asked_again_and_help_explains(memory: MemoryLedger) -> None:
    """X-107."""
    ids = [candidate(memory, text) for text in ("Use tabs", "Use spaces")]
    done = review(keys=["\x1b[Ad", "z", "", "dd", "?", "s", "s"])
    assert "a  all: accept all candidates" in done.out
    assert "done: 2 skipped" in done.out
    assert {status(memory, id_) for id_ in ids} == {"candidate"}


@pytest.mark.parametrize("answer", ["n", "y"])
def test_a_delete_is_asked_once_more_and_brings_back_what_a_candidate_hid(
    memory: MemoryLedger, answer: str
) -> None:
    """X-105: also where a second candidate took the place of the first."""
    old = memory.store(Memory("The port is 5432")).id
    first = memory.write([Supersede((old,), Memory("The port is 5433", status="candidate"))])[0].id
    second = memory.write([Supersede((first,), Memory("The port is 5434", status="candidate"))])[0].id
    done = review(keys=["d", answer, *("" if answer == "y" else "s")])
    assert f"Delete {second[:12]} and bring back {old[:12]}? [y/n]" in done.out
    texts = [entry.memory.text for entry in memory.load_all(Filter(statuses=("active",)))]
    assert texts == (["The port is 5432"] if answer == "y" else [])
    assert status(memory, second) == ("candidate" if answer == "n" else "superseded")


def test_what_is_deleted_while_the_editor_is_open_stays_deleted(memory: MemoryLedger, tmp_path: Path) -> None:
    """X-105: what was typed is kept in a file that is named."""
    one = candidate(memory, "Use tabs")
    script = tmp_path / "editor.py"
    script.write_text(
        "import pathlib, subprocess, sys\npath = pathlib.Path(sys.argv[1])\n"
        "path.write_text(path.read_text().replace('tabs', 'spaces'))\n"
        f"subprocess.run([sys.executable, '-m', 'cli', 'delete', {one!r}], check=True)\n"
    )
    done = review(keys="e", EDITOR=shlex.join([sys.executable, str(script)]))
    assert done.code == 0, done.out
    assert "was deleted while the editor was open" in done.out
    assert "is kept in" in done.out
    assert status(memory, one) == "deleted"
    assert memory.load_all() == []


def test_what_somebody_settled_meanwhile_is_passed_over(memory: MemoryLedger, tmp_path: Path) -> None:
    """X-105: here the editor of the first is somebody who deletes the second."""
    candidate(memory, "Use tabs")
    two = candidate(memory, "Use spaces", file="a.md")
    script = tmp_path / "editor.py"
    script.write_text(
        f"import subprocess, sys\nsubprocess.run([sys.executable, '-m', 'cli', 'delete', {two!r}], check=True)\n"
    )
    done = review(keys="es", EDITOR=shlex.join([sys.executable, str(script)]))
    assert done.code == 0, done.out
    assert "done: 1 skipped" in done.out
    assert status(memory, two) == "deleted"


def test_filters(memory: MemoryLedger) -> None:
    """X-103: archived ones are among them."""
    one = candidate(memory, "one", conversation="c-1", agent="claude")
    two = candidate(memory, "two", file="a.md", author="ada")
    old = store_past(memory, 100, "old", provenance=Provenance(conversation="c-1"))
    memory.workspace.local.archive({one: "unused"}, memory.workspace.clock())

    def ids(*args: str) -> list[str]:
        return [row["id"] for row in run("review", "--json", *args).ok().json_lines]

    assert ids() == [one, two, old]
    assert ids("--candidates", "--stale") == [one, two, old]
    assert ids("--candidates") == [one, two]
    assert ids("--stale") == [old]
    assert ids("--conversation", "c-1") == [one, old]
    for source, found in (
        ("claude", [one]),
        ("ada", [two]),
        ("a.md", [two]),
        ("a.md by ada", [two]),
        ("c-1", [one, old]),
    ):
        assert ids("--source", source) == found, source
    assert ids("--source", "nobody") == []


def test_json_lists_what_waits_and_asks_nothing(memory: MemoryLedger) -> None:
    """X-108."""
    tabs = memory.store(Memory("Always use tabs")).id
    old = memory.store(Memory("Use npm")).id
    new = memory.write([Supersede((old,), Memory("Use yarn", status="candidate"))])[0].id
    never = candidate(memory, "Never use tabs", conversation="c-1")
    done = run_process("review", "--json").ok()
    rows = {row["id"]: row for row in done.json_lines}
    assert list(rows) == [new, never]
    assert rows[new]["replaces"] == [{"id": old, "text": "Use npm"}]
    assert rows[never]["contradicts"] == [{"id": tabs, "text": "Always use tabs"}]
    assert (rows[never]["why"], rows[never]["from"]) == ("candidate", {"kind": "conversation", "name": "c-1"})
    assert (rows[never]["days"], rows[never]["gone"], rows[never]["stale"]) == (0, [], False)
    assert memory.workspace.local.uses() == {}
    assert len(memory.log()) == 5
    assert "left" not in review("--json", keys="").out


def test_where_nobody_can_be_asked_it_says_what_to_do(memory: MemoryLedger) -> None:
    """X-108."""
    candidate(memory, "Use tabs")
    done = run_process("review")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "muniment: this is not a terminal, so nobody can be asked: run muniment review --json to list what waits, "
        "then confirm ID, edit ID or delete ID to decide\n"
    )


def test_where_nothing_waits_it_says_so(memory: MemoryLedger) -> None:
    done = review(keys="")
    assert (done.code, done.out) == (0, "muniment: nothing waits for you\n")
    assert run("review", "--json").ok().err == "muniment: nothing waits for you\n"


def test_hostile_text_reaches_no_terminal(memory: MemoryLedger) -> None:
    """X-8."""
    candidate(memory, "Use \u202etabs", conversation="c\u009b31m", file="a\u202eb.md")
    done = review(keys=["s"])
    assert not set(done.out) & set("\u202e\u009b")


# --- what waits in a document in the place of a memory ---


@pytest.fixture
def ada(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A project of mine, into which I pulled what somebody made of one memory; seen from its root."""
    machine = founded(tmp_path / "a" / "house", "Use pnpm", "Deploy with make")
    theirs = cloned(machine, tmp_path / "b", GRACE)
    path = theirs.folder / "MEMORY.md"
    path.write_text(path.read_text().replace("Use pnpm", "Use yarn"))
    theirs.commit("theirs")
    machine.git("pull", "-q", str(theirs.root), "main")
    monkeypatch.chdir(machine.root)
    return machine


def standing(machine: Machine, text: str) -> str:
    """Return the id of the memory of mine that says this."""
    (row,) = [row for row in machine("list", "--json").json_lines if row["text"] == text]
    return str(row["id"])


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")
def test_what_git_brought_in_the_place_of_a_memory_names_it_everywhere(ada: Machine) -> None:
    """X-194: before a yes in adopt, status, review and show, and with it in confirm."""
    old = standing(ada, "Use pnpm")
    replacing = f"through git (replacing {old[:12]}): review what was added or changed with muniment review"
    assert replacing in ada("status").out
    out = ada("adopt").out
    assert replacing in out
    assert f"  - {old[:12]}  Use pnpm\n  + Use yarn\n" in out
    (row,) = ada("review", "--json").json_lines
    assert row["replaces"] == [{"id": old, "text": "Use pnpm"}]
    assert ada("show", row["id"], "--json").json["replaces"] == row["replaces"]
    assert f"replaces  - {old[:12]}  Use pnpm\n" in ada("show", row["id"]).out
    assert replacing in ada("status").out
    done = ada("confirm", row["id"], "--json").ok().json
    new = standing(ada, "Use yarn")
    assert done["supersedes"] == [{"id": old, "text": "Use pnpm", "by": new}]
    assert sorted(ada.texts()) == ["Deploy with make", "Use yarn"]
    assert ada("show", new, "--json").json["replaces"] == []


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")
def test_a_yes_at_the_keyboard_says_what_it_replaced_and_how_to_take_it_back(ada: Machine) -> None:
    """X-194: the revert names the confirm and the supersede."""
    old = standing(ada, "Use pnpm")
    ada("adopt")
    done = review(keys="c")
    new = standing(ada, "Use yarn")
    assert f"replaces    - {old[:12]}  Use pnpm\n" in done.out
    assert f"{new[:12]}  supersedes {old[:12]}  Use pnpm\n" in done.out
    named = done.out.partition("muniment revert ")[2].split("\n")[0].split()
    assert len(named) == 2
    assert new[:12] in named
    ada("revert", *named).ok()
    assert standing(ada, "Use pnpm")


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")
def test_what_only_came_and_what_stands_no_more_replaces_nothing(ada: Machine) -> None:
    """X-194."""
    path = ada.folder / "MEMORY.md"
    ada("adopt")
    ada("delete", standing(ada, "Use pnpm")).ok()
    (row,) = ada("review", "--json").json_lines
    assert row["replaces"] == []
    assert "Use yarn" in path.read_text()
