"""Tests cli/commands/add.py against specs/cli.md (X-7, X-11, X-14, X-15, X-22, X-23)."""

from __future__ import annotations

import contextlib
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger.chain import PATIENCE, WORD_AFTER
from tests.cli.driver import command_line, environment, run, run_process
from tests.ledger.secret_fakes import tokens

SECRET = next(iter(tokens(7).values()))


pytestmark = pytest.mark.usefixtures("ledger")


def test_a_process_stores_a_memory_and_prints_its_id_alone(ledger: Path) -> None:
    done = run_process("add", "Use pnpm, not npm", "--type", "preference").ok()
    assert len(done.out.strip()) == 12
    assert done.err == ""
    (entry,) = run("list", "--json").json_lines
    assert entry["id"].startswith(done.id)
    assert (entry["text"], entry["section"]) == ("Use pnpm, not npm", "User Preferences")
    assert "- Use pnpm, not npm\n" in (ledger / "MEMORY.md").read_text()


def test_every_option_reaches_its_member(tmp_path: Path) -> None:
    (tmp_path / "body.md").write_bytes(b"# Flow\r\n\r\nlogin, then token\n")
    run(
        *("add", "Auth flow", "--type", "decision", "--section", "Own words", "--topic", "code/auth"),
        *("--title", "Auth", "-F", "body.md", "--detail", "one", "--detail", "two", "--when", "login bugs"),
        *("--tag", "auth", "--importance", "high", "--tier", "committed", "--confidence", "0.8"),
        *("--candidate", "--inferred", "--source", "auto", "--category", "project-pattern"),
        *("--conversation", "c1", "--message", "m1", "--session", "s1", "--agent", "a1", "--task", "t1"),
    ).ok()
    (entry,) = run("list", "--json").json_lines
    expected = {
        "text": "Auth flow", "type": "decision", "section": "Own words", "topic": "code/auth",
        "title": "Auth",
        "body": "# Flow\r\n\r\nlogin, then token\n", "details": ["one", "two"],
        "when_to_use": ["login bugs"],
        "tags": ["auth"], "importance": "high", "tier": "committed", "confidence": 0.8, "status": "candidate",
        "inferred": True, "source": "auto", "category": "project-pattern",
        "provenance": {"conversation": "c1", "message": "m1", "session": "s1", "agent": "a1", "task": "t1"},
    }  # fmt: skip
    assert {name: entry[name] for name in expected} == expected


def test_text_from_standard_input_loses_its_last_line_end() -> None:
    done = run("add", "-", input="Grüße\r\n").ok()
    assert run("show", done.id, "--json").json["text"] == "Grüße"


def test_a_text_that_stands_is_known_and_makes_no_event() -> None:
    """X-14."""
    first = run("add", "port 5433", "--section", "Tool Usage", "--json").ok().json
    again = run("add", "port 5433", "--section", "Tool Usage").ok()
    assert again.out == f"{first['id'][:12]}  known already\n"
    assert run("add", "port 5433", "--section", "Tool Usage", "--json").json == {
        "id": first["id"], "known": True, "redacted": [],
    }  # fmt: skip
    assert len(run("list", "--json").json_lines) == 1


def test_the_same_text_in_another_section_is_another_memory() -> None:
    assert run("add", "port 5433").id != run("add", "port 5433", "--section", "Tool Usage").id


def test_a_known_memory_with_other_members_names_the_command_that_changes_it() -> None:
    """X-15."""
    one = run("add", "tabs").ok()
    again = run("add", "tabs", "--importance", "high", "--tag", "style").ok()
    assert f"its importance, tags stayed as before: muniment supersede {one.id}" in again.err
    assert run("add", "tabs").ok().err == ""


def test_a_known_candidate_names_confirm() -> None:
    """X-15."""
    one = run("add", "tabs", "--candidate").ok()
    assert f"muniment confirm {one.id}" in run("add", "tabs").ok().err


def test_a_secret_is_refused_by_rule_and_leaves_no_trace(ledger: Path) -> None:
    """X-23."""
    before = (ledger / "chain.jsonl").read_bytes()
    done = run("add", f"the token is {SECRET}")
    assert done.code == 6
    assert SECRET not in done.out + done.err
    assert (ledger / "chain.jsonl").read_bytes() == before


def test_redact_stores_the_rest_and_names_the_rule() -> None:
    """X-23."""
    done = run("add", f"deploy with {SECRET} please", "--redact", "--json").ok()
    (rule,) = done.json["redacted"]
    assert f"[redacted:{rule}]" in run("show", done.json["id"], "--json").json["text"]
    assert rule in done.err
    assert SECRET not in done.err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["two\nlines"], 2, "TEXT has 2 lines"),
        (["x", "--body", "b", "--file", "f"], 2, "--body or --file"),
        (["-", "--file", "-"], 2, "standard input"),
        (["x", "--file", "nowhere.md"], 3, "nowhere.md"),
        (
            ["x" * 1001],
            5,
            "text has 1001 characters; 1 to 1000 are allowed: put the rest into details or body",
        ),
        ([" "], 2, "TEXT is empty"),
        (["x", "--topic", "Not A Slug"], 5, "topic must be a slug path"),
        (["x", "--type", "rumour"], 2, "rumour"),
        (["x", "--by", "Ada Lovelace"], 2, "is not a slug"),
    ],
)
def test_what_cannot_be_stored_is_one_line_with_a_code(arguments: list[str], code: int, said: str) -> None:
    done = run("add", *arguments)
    assert done.code == code
    assert said in done.err
    assert done.err.count("\n") == 1
    assert not run("list", "--json").out


def test_input_that_is_not_utf8_is_refused() -> None:
    assert "not UTF-8 (byte 2)" in run("add", "-", input=b"a\xff").err


def test_a_person_at_a_terminal_is_a_user_and_an_agent_is_not() -> None:
    """X-7."""
    run("add", "one", "--by", "ada", terminal=True).ok()
    run("add", "two", terminal=True, env={"CLAUDECODE": "1"}).ok()
    run("add", "three").ok()
    by = {entry["text"]: entry["by"] for entry in run("list", "--json").json_lines}
    assert by["one"] == {"name": "ada", "role": "user", "via": "cli"}
    assert (by["two"]["role"], by["three"]["role"]) == ("agent", "system")


def test_an_edited_document_is_taken_in_first_and_that_is_said(ledger: Path) -> None:
    """X-90: on stderr; what cannot be taken in is left alone, and the memory is stored all the same."""
    run("add", "Use npm").ok()
    path = ledger / "MEMORY.md"
    path.write_text(path.read_text() + "\nA note of mine.\n")
    done = run("add", "Use pnpm").ok()
    assert done.err.endswith("muniment: recorded from MEMORY.md, which was edited: 1 new\n")
    assert "A note of mine.\n\n- Use pnpm\n" in path.read_text()
    path.write_bytes(b"caf\xe9\n")
    done = run("add", "Use yarn").ok()
    assert "MEMORY.md was not rewritten" in done.err
    assert path.read_bytes() == b"caf\xe9\n"


def test_a_document_that_cannot_be_written_does_not_make_the_memory_look_lost(ledger: Path) -> None:
    """X-22: the event was acknowledged."""
    (ledger / "memories").write_text("a file where a folder must be")
    done = run("add", "one", "--topic", "a/b").ok()
    assert len(done.id) == 12
    assert "was not rewritten" in done.err
    assert "nothing was acknowledged" not in done.err
    assert run("show", done.id, "--json").json["text"] == "one"


def test_a_daily_note_without_a_date_is_given_todays(ledger: Path) -> None:
    run("add", "met the team", "--tier", "daily").ok()
    (entry,) = run("list", "--json").json_lines
    assert (ledger / f"memory/{entry['provenance']['date']}.md").is_file()


def test_a_busy_index_costs_no_memory(ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """X-22: whoever holds memory.db, the event is signed, and the next command catches up."""
    monkeypatch.setattr("projections.index.PATIENCE", 0.02)
    run("add", "one").ok()
    with contextlib.closing(sqlite3.connect(ledger / "memory.db", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        done = run("add", "two").ok()
        assert "was not rewritten" in done.err
    run("add", "three").ok()
    assert (ledger / "MEMORY.md").read_text().endswith("- one\n- two\n- three\n")


def test_a_damaged_index_costs_no_memory(ledger: Path) -> None:
    """X-22."""
    run("add", "one").ok()
    (ledger / "memory.db").write_bytes(b"no database at all" * 500)
    run("add", "two").ok()
    assert (ledger / "MEMORY.md").read_text().endswith("- one\n- two\n")


def test_an_id_that_cannot_be_printed_is_said_on_stderr(ledger: Path) -> None:
    """X-4: what was acknowledged stays, and is named."""
    line = [*command_line("add", "Disk full beside us"), "--json"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(line, stdout=full, stderr=subprocess.PIPE, env=environment(), check=False)
    (entry,) = run("list", "--json").json_lines
    assert done.returncode == 9
    assert done.stderr.decode() == (
        f"muniment: stored before the command stopped: {entry['id'][:12]}; see muniment log\n"
        "muniment: the result cannot be printed: No space left on device; what was done is stored\n"
    )


def test_a_text_that_begins_with_a_hyphen_stands_behind_two(ledger: Path) -> None:
    done = run("add", "- dash")
    assert (done.code, done.out) == (2, "")
    run("add", "--", "- dash").ok()
    run("add", "-", input="- another").ok()
    assert {entry["text"] for entry in run("list", "--json").json_lines} == {"- dash", "- another"}
    assert "no such option '--bogus'" in run("add", "x", "--bogus").err


HOLD = (
    "import fcntl, sys, time; f = open(sys.argv[1], 'rb'); fcntl.flock(f, fcntl.LOCK_EX); "
    "print(flush=True); time.sleep(60)"
)


@contextlib.contextmanager
def held(chain: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Let another process hold the chain's lock."""
    with subprocess.Popen([sys.executable, "-c", HOLD, str(chain)], stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        try:
            yield other
        finally:
            other.kill()


def test_waiting_for_another_process_is_said_and_ends(ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """C-25: exit code 13, and nothing was written."""
    chain = ledger / "chain.jsonl"
    before = chain.read_bytes()
    monkeypatch.setattr("ledger.chain.WORD_AFTER", 0.05)
    monkeypatch.setattr("ledger.chain.PATIENCE", 0.3)
    with held(chain):
        done = run("add", "one")
    assert (done.code, done.out, chain.read_bytes()) == (13, "", before)
    waiting, gave_up = done.err.splitlines()
    assert waiting == f"muniment: waiting for another process that holds {chain}"
    assert "nothing was written, try again" in gave_up


def test_who_waited_goes_on_when_the_lock_is_free(ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """C-25: after a second there is a word, once; a moment's wait is no news."""
    chain = ledger / "chain.jsonl"
    assert (PATIENCE, WORD_AFTER) == (30, 1)
    for word_after, told in ((20, 0), (0.05, 1)):
        monkeypatch.setattr("ledger.chain.WORD_AFTER", word_after)
        with held(chain) as other:
            timer = threading.Timer(0.2, other.kill)
            timer.start()
            done = run("add", f"a word after {word_after}").ok()
            timer.join()
        assert done.err.count("waiting for another process") == told


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Answer in German", "Answer in French"),
        ("Use pnpm, not npm", "Use npm, not pnpm"),
        ("Use npm", "We don't use npm"),
    ],
)
def test_what_a_memory_says_otherwise_is_named_and_both_stay(old: str, new: str) -> None:
    """X-15."""
    first = run("add", old).id
    done = run("add", new).ok()
    assert done.out == f"{done.id}\n"
    assert f"muniment: {first} contradicts it: {old}\n" in done.err
    assert f"muniment delete {first}" in done.err
    assert [entry["text"] for entry in run("list", "--json").json_lines] == [old, new]


def test_what_is_of_another_topic_or_matter_is_not_named() -> None:
    """X-15."""
    run("add", "Answer in German", "--topic", "people/ada").ok()
    assert "otherwise" not in run("add", "Answer in French", "--topic", "people/grace").ok().err
    assert "otherwise" not in run("add", "Answer in short sentences", "--topic", "people/ada").ok().err


def test_what_says_the_same_in_other_words_is_named_and_both_stay(ledger: Path) -> None:
    """X-15: a hint, never a refusal; "never" is no duplicate of "always"."""
    first = run("add", "Prefers concise answers", "--type", "preference").id
    again = run("add", "User prefers answers to be concise", "--type", "preference").ok()
    assert f"{first[:12]} says the same: Prefers concise answers" in again.err
    assert "consolidate" in again.err
    assert len(run("list", "--json").json_lines) == 2
    run("search", "concise").ok()  # now it stands in the full text, and is found there as well
    for text, options in (
        ("Prefers concise answers in reviews", ()),
        ("Never prefers concise answers", ()),
        ("prefers concise answers", ("--section", "Corrections")),
        ("Prefers answers concise", ("--candidate",)),
    ):
        assert "says the same" not in run("add", text, "--type", "preference", *options).ok().err
    assert "says the same" in run("add", "The user prefers concise answers", "--type", "preference").ok().err


def test_when_needs_a_topic(ledger: Path) -> None:
    """X-14: without one it would never be looked at."""
    done = run("add", "x", "--when", "foo")
    assert done.code == 2
    assert "--when says when a topic is shown: name the topic too" in done.err


def test_a_process_loads_only_what_storing_takes() -> None:
    """A person waits for each module: specs/adr/0041."""
    code = (
        "import sys\nfrom cli import program\nsys.argv[1:] = ['add', 'Use pnpm, not npm']\n"
        "try:\n    program.main()\nfinally:\n    print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert loaded >= {"ledger.chain", "documents.writing.folder"}
    assert sorted(loaded & {"ast", "dis", "tokenize"}) == []  # of inspect, which click asks for
    others = {
        "documents.left_to_a_person",
        "documents.writing.topics",
        "projections.query",
        "projections.recall",
    }
    assert sorted(loaded & others) == []
