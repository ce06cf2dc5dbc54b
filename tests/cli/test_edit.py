"""Tests cli/commands/edit.py and cli/edit_text.py against specs/cli.md (X-16, X-17)."""

from __future__ import annotations

import os
import pty
import re
import shlex
import stat
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.edit_text import read_back, written_out
from ledger.errors import UsageError
from ledger.memory import IMPORTANCES, Memory, record_fault
from tests.cli.driver import ROOT, Result, run


@pytest.fixture(autouse=True)
def ledger(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's ledger, seen from an empty folder; temporary files lie below it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    run("init", "--scope", "user").ok()
    return isolated / ".muniment"


def left(tmp_path: Path) -> list[Path]:
    return list((tmp_path / "tmp").iterdir())


def editor(tmp_path: Path, code: str) -> dict[str, str]:
    """Return the environment with an editor that runs `code` on `text`, the file as it is, and on `path`."""
    script = tmp_path / "editor.py"
    script.write_text(
        "import pathlib, sys\npath = pathlib.Path(sys.argv[1])\ntext = path.read_bytes().decode()\n"
        f"{code}\npath.write_bytes(text.encode())\n"
    )
    return {"EDITOR": shlex.join([sys.executable, str(script)])}


def edit(tmp_path: Path, code: str, *args: object) -> Result:
    return run("edit", *args, env=editor(tmp_path, code), terminal=True)


def show(id_: str) -> dict[str, Any]:
    entry: dict[str, Any] = run("show", id_, "--json").ok().json
    return entry


def test_a_process_at_a_terminal_stores_what_was_edited(tmp_path: Path) -> None:
    one = run("add", "port 5432", "--tag", "db").id
    master, slave = pty.openpty()
    env = {**os.environ, "PYTHONPATH": str(ROOT), **editor(tmp_path, "text = text.replace('5432', '5433')")}
    done = subprocess.run(
        [sys.executable, "-m", "cli", "edit", one], stdin=slave, capture_output=True, env=env, timeout=60
    )
    os.close(master)
    os.close(slave)
    assert done.returncode == 0, done.stderr
    id_ = done.stdout.decode().split()[0]
    assert done.stdout.decode() == f"{id_}  supersedes {one}  port 5432\n"
    assert (show(id_)["text"], show(id_)["tags"]) == ("port 5433", ["db"])


def test_a_text_that_is_not_changed_makes_no_event(tmp_path: Path) -> None:
    one = run("add", "tabs", "--body", "no line end", "--confidence", "0.8").id
    assert edit(tmp_path, "", one).ok().out == f"{one}  unchanged; nothing was stored\n"
    assert edit(tmp_path, "", one, "--json").ok().json["changed"] is False
    assert edit(tmp_path, "text = text.rstrip()", one).ok().out.endswith("nothing was stored\n")
    assert not left(tmp_path)


def test_the_file_is_private_and_gone_afterwards(tmp_path: Path) -> None:
    one = run("add", "tabs").id
    code = "pathlib.Path('mode').write_text(oct(path.stat().st_mode)); text = text.replace('tabs', 'spaces')"
    edit(tmp_path, code, one).ok()
    assert stat.S_IMODE(int(Path("mode").read_text(), 8)) == 0o600
    assert not left(tmp_path)


def test_every_member_can_be_edited(tmp_path: Path) -> None:
    one = run("add", "tabs", "--candidate").id
    (tmp_path / "new.md").write_text(
        "---\ntext: 'no'\ndetails:\n- '1.10'\n- two\nsection: Mine\ntype: decision\nimportance: high\n"
        "tags: x\ntopic: a/b\ntitle: T\nwhen_to_use: []\ntier: committed\nconfidence: 0.5\n"
        "inferred: yes\nsource: auto\nstatus: candidate\ncategory: tool-usage\n---\n\n    indented\n\nbody\n"
    )
    new = show(edit(tmp_path, "text = pathlib.Path('new.md').read_text()", one).ok().id)
    expected = {
        "text": "no", "details": ["1.10", "two"], "section": "Mine", "type": "decision", "importance": "high",
        "tags": ["x"], "topic": "a/b", "title": "T", "when_to_use": [], "tier": "committed",
        "confidence": 0.5, "inferred": True, "source": "auto", "status": "candidate",
        "category": "tool-usage",
        "body": "    indented\n\nbody",
    }  # fmt: skip
    assert {name: new[name] for name in expected} == expected


def test_the_result_is_one_json_document_whatever_the_editor_prints(tmp_path: Path) -> None:
    one = run("add", "tabs").id
    env = {**os.environ, "PYTHONPATH": str(ROOT), **editor(tmp_path, "print('hello'); text += 'more'")}
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "cli", "edit", one, "--json"]
    done = subprocess.run(command, stdin=slave, capture_output=True, env=env, timeout=60)
    os.close(master)
    os.close(slave)
    assert done.stdout.startswith(b"{"), done
    assert b"hello" in done.stderr


@pytest.mark.parametrize(
    ("code", "exit_code", "said"),
    [
        ("text = text.replace('type: fact', 'type: rumour')", 5, "type is 'rumour'"),
        ("text = text.replace('text: tabs', 'text: ')", 2, "text is missing"),
        ("text = text.replace(\"'1.00'\", '7')", 5, "confidence"),
        ("text = text.replace('tabs', 'password=Tr0ub4dor&3x9')", 6, "looks like a secret"),
        ("path.write_bytes(b'\\xff'); sys.exit()", 2, "no longer UTF-8"),
        ("path.write_text('half'); sys.exit(3)", 2, "ended with code 3"),
    ],
)
def test_what_cannot_be_stored_is_kept_and_named(
    tmp_path: Path, code: str, exit_code: int, said: str
) -> None:
    """X-17: nothing that a person typed is lost."""
    one = run("add", "tabs").id
    done = edit(tmp_path, code, one)
    assert (done.code, said in done.err) == (exit_code, True), done.err
    (kept,) = left(tmp_path)
    assert f"what you wrote is kept in {kept}" in done.err
    assert run("list", "--json").json_lines[0]["text"] == "tabs"


def test_what_cannot_be_read_is_named() -> None:
    """X-17."""
    text = written_out(Memory("tabs"))
    for changed, said in (
        (text.replace("text: tabs", "text: ["), "cannot be read near line"),
        (text.replace("text: tabs", "words: tabs"), "'words' is not a member"),
        (text.replace("text: tabs", "text: [a]"), "text must be one text"),
        (text.replace("tags: []", "tags: {a: b}"), "tags must be a list"),
        (text.replace("confidence: ", "confidence: very "), "confidence is"),
        (text.replace("inferred: ", "inferred: x"), "inferred is"),
        ("just words", "the two lines ---"),
        ("---\n- a\n---\n", "not `name: value` lines"),
    ):
        with pytest.raises(UsageError, match=re.escape(said)):
            read_back(changed, Memory("tabs"))


def test_redact_stores_the_rest(tmp_path: Path) -> None:
    one = run("add", "tabs").id
    code = "text = text.replace('tabs', 'use password=Tr0ub4dor&3x9')"
    assert "[redacted:" in show(edit(tmp_path, code, one, "--redact").ok().id)["text"]


def test_without_a_terminal_supersede_is_named(tmp_path: Path) -> None:
    one = run("add", "tabs").id
    done = run("edit", one, env=editor(tmp_path, ""))
    assert done.code == 2
    assert f"muniment supersede {one}" in done.err


def test_without_an_editor_supersede_is_named(tmp_path: Path) -> None:
    one = run("add", "tabs").id
    done = run("edit", one, env={"PATH": str(tmp_path)}, terminal=True)
    assert (done.code, f"muniment supersede {one}" in done.err) == (2, True)


def test_an_editor_that_is_not_there_is_said_and_leaves_no_file(tmp_path: Path) -> None:
    one = run("add", "tabs").id
    done = run("edit", one, env={"VISUAL": "no-such-editor --wait"}, terminal=True)
    assert (done.code, "no-such-editor cannot be started" in done.err) == (2, True)
    assert not left(tmp_path)


def test_visual_wins_over_editor(tmp_path: Path) -> None:
    one = run("add", "tabs").id
    env = {"VISUAL": editor(tmp_path, "text = text.replace('tabs', 'spaces')")["EDITOR"], "EDITOR": "false"}
    assert show(run("edit", one, env=env, terminal=True).ok().id)["text"] == "spaces"


def test_a_deleted_memory_comes_back_and_a_superseded_one_names_its_successor(tmp_path: Path) -> None:
    one = run("add", "tabs").id
    two = run("supersede", one, "spaces").id
    assert two in edit(tmp_path, "", one).err
    run("delete", two).ok()
    assert "brings back" in edit(tmp_path, "text = text.replace('spaces', 'tabs')", two).ok().out


def test_an_erased_memory_has_nothing_to_edit(tmp_path: Path) -> None:
    one = run("add", "tabs").id
    run("erase", one, "--yes").ok()
    assert edit(tmp_path, "", one).code == 4


# --- the text itself ---

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=20)
LINES = TEXTS.filter(lambda text: record_fault({"text": text}) is None)
MEMORIES = st.builds(
    partial(Memory),
    text=LINES,
    details=st.lists(LINES, max_size=3).map(tuple),
    title=st.one_of(st.just(""), LINES),
    body=st.lists(st.sampled_from(["---\n", "a\r\n", "\n", "    b\n", "text: x\n", "c"])).map("".join),
    when_to_use=st.lists(LINES, max_size=2).map(tuple),
    importance=st.sampled_from(IMPORTANCES),
    inferred=st.booleans(),
    confidence=st.integers(0, 100).map(lambda n: n / 100),
    extra=st.one_of(st.just(""), st.just("a: 1\nb:\n- x\n"), TEXTS),
)  # fmt: skip


@given(MEMORIES)
def test_what_is_written_out_is_read_back(memory: Memory) -> None:
    """X-16: a text that nobody changed says the same."""
    assert read_back(written_out(memory), memory) == memory


@given(MEMORIES)
def test_all_that_is_written_out_can_be_read_without_the_memory(memory: Memory) -> None:
    """X-16: nothing of it comes from what stood before, but the line end after a body."""
    again = read_back(written_out(memory), Memory("other", body="b\n" if memory.body.endswith("\n") else ""))
    assert again == memory.with_changes(body=memory.body if memory.body.strip() else "")


def test_a_member_that_is_taken_out_stays_as_it_was() -> None:
    base = Memory("a", tags=("t",), importance="high")
    assert read_back("---\ntext: b\n---\n", base) == base.with_changes(text="b")


def test_windows_line_ends_of_an_editor_are_understood() -> None:
    text = written_out(Memory("a", body="x")).replace("\n", "\r\n")
    assert read_back(text, Memory("b", body="x")) == Memory("a", body="x")


def test_the_text_of_a_message_names_the_line() -> None:
    with pytest.raises(UsageError, match="near line 4"):
        read_back("---\ntext: a\ntags: [\n---\n", Memory("a"))
