"""A call that is made to escape the record of another memory server's calls is recorded.

Tests specs/doors.md (G-93…G-95).
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from blake3 import blake3

from tests.agents.mcp.test_beside import HELLO, SECRET, STAND_IN, beside, call, message, recorded
from tests.cli.driver import run, run_process, user_ledger

TOKEN = "ghp_" + "a1B2" * 9


def with_member(value: str) -> bytes:
    """Return the line of a call that has a further argument, given as JSON."""
    return call("write", {"text": "Ada uses pnpm", "x": 0}).replace(b'"x": 0', b'"x": ' + value.encode())


def test_an_integer_that_python_refuses_hides_no_call(isolated: Path) -> None:
    """G-95: the call is recorded with all its arguments."""
    user_ledger()
    done = beside(with_member("1" * 5_000), call("write", {"n": 2}))
    assert done.err == ""
    first, second = recorded()
    assert first.memory.provenance.tool == "shelf/write"
    assert '"text": "Ada uses pnpm"' in first.memory.body
    assert "1" * 5_000 in first.memory.body
    assert second.memory.text == 'write: { "n": 2 }'


@pytest.mark.parametrize("more", ["[" * 100_000 + "]" * 100_000, '"\udcff"', "nul"])
def test_a_line_that_cannot_be_read_is_an_event(isolated: Path, more: str) -> None:
    """G-95: nested too deeply, no UTF-8, no JSON: its size and its digest, and what could be read is a call as ever."""
    user_ledger()
    line = call("write", {"x": 0}).replace(b'"x": 0', b'"x": ' + more.encode("utf-8", "surrogateescape"))
    beside(b"\n", line, call("write"))
    first, second = recorded()
    assert (first.by.name, first.by.role) == ("test-agent", "agent")
    assert first.memory.provenance.tool == "shelf/unreadable"
    assert first.memory.text == f"unreadable: a line of {len(line):,} bytes"
    assert (
        first.memory.details[1]
        == f"arguments: a line of {len(line):,} bytes, BLAKE3 {blake3(line).hexdigest()}"
    )
    assert second.memory.provenance.tool == "shelf/write"
    assert run("verify").code == 0


@pytest.mark.parametrize("name", [b'"method": "ping", "method"', b'"Method"'])
def test_a_second_method_hides_no_call(isolated: Path, name: bytes) -> None:
    """G-95: a server may take the first of two, or one in capitals."""
    user_ledger()
    line = call("write", {"text": "hidden"})
    beside(
        line.replace(b'"method"', name),
        line.replace(b'"method": "tools/call"', b'"method": "tools/call", "method": "ping"'),
    )
    assert [each.memory.provenance.tool for each in recorded()] == ["shelf/unreadable"] * 2


def test_odd_ids_and_names_cost_no_event(isolated: Path) -> None:
    """G-95: what no request should have as its id or its tool's name."""
    user_ledger()
    deep = "[" * 900 + "]" * 900
    named = call("write").replace(b'"write"', deep.encode())
    identified = call("hang").replace(b'"id": 7', b'"id": ' + deep.encode())
    beside(identified, named, call("hang", id_="next"))
    assert len(recorded()) == 3
    assert json.dumps([each.memory.text for each in recorded()]).count("hang") == 2


@pytest.mark.parametrize("name", [TOKEN, TOKEN.upper(), f"agent {TOKEN}", SECRET])
def test_a_secret_as_the_clients_name_costs_no_event(isolated: Path, name: str) -> None:
    """G-94: the writer has another name; neither the token nor its small letters are anywhere."""
    directory = user_ledger()
    hello = message("initialize", {"clientInfo": {"name": name}}, 0)
    done = beside(hello, call("write"), call("look"))
    assert done.err == ""
    assert [each.memory.text for each in recorded()] == ["write: {}", "look: {}"]
    for path in directory.rglob("*"):
        if path.is_file():
            assert name.rsplit(maxsplit=1)[-1].lower().encode() not in path.read_bytes().lower(), path
    assert run("verify").code == 0


@pytest.mark.parametrize("fails", [False, True])
def test_a_long_answer_is_measured_and_not_searched(isolated: Path, fails: bool) -> None:
    """G-94: it is passed on whole; nothing of it is in a file but its size and its digest."""
    directory = user_ledger()
    told = {"words": 2_000_000, "end": SECRET, "fails": fails}
    done = run_process("mcp", "--beside", *STAND_IN, "shelf", input=HELLO + call("fill", told))
    assert done.code == 0
    line = done.out.splitlines(keepends=True)[-1].encode()
    assert json.loads(line)["result"]["content"][0]["text"].endswith(f"umbrella {SECRET}")
    (entry,) = recorded()
    what = "refused" if fails else "answered"
    measured = f"{len(line):,} bytes, BLAKE3 {blake3(line).hexdigest()}"
    assert entry.memory.details[0] == f"{what}: a line of {measured}"
    for path in directory.rglob("*"):
        assert not path.is_file() or b"umbrella umbrella" not in path.read_bytes(), path


def test_of_long_arguments_only_the_size_and_the_digest_are_recorded(isolated: Path) -> None:
    """G-94: the server gets all of them; no word of them is in a file."""
    directory = user_ledger()
    line = call("refuse", {"text": "umbrella " * 200_000 + SECRET})
    beside(line)
    (entry,) = recorded()
    assert entry.memory.text == f"refuse: a line of {len(line):,} bytes"
    assert entry.memory.details == (
        entry.memory.details[0],
        f"arguments: a line of {len(line):,} bytes, BLAKE3 {blake3(line).hexdigest()}",
    )
    assert entry.memory.details[0].startswith("refused: no such entity (")
    assert entry.memory.body == ""
    for path in directory.rglob("*"):
        assert not path.is_file() or b"umbrella" not in path.read_bytes(), path


def test_a_secret_as_a_sessions_name_is_kept_nowhere(isolated: Path) -> None:
    """G-94: by either member that names it."""
    directory = user_ledger()
    beside(call("look", sessionId=TOKEN), call("write", threadId=TOKEN))
    assert {each.memory.provenance.session for each in recorded()} == {"[redacted:github-token]"}
    for path in directory.rglob("*"):
        assert not path.is_file() or TOKEN.encode() not in path.read_bytes(), path
