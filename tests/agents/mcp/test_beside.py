"""Another memory server's calls are recorded, and nothing of the conversation changes.

Tests specs/doors.md (G-92…G-97) with a small server in plain lines; a real one is in test_beside_server_memory.py.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from blake3 import blake3

import muniment
from ledger.fold import Entry
from projections.query import Filter
from tests.cli.driver import Result, command_line, environment, run, run_process, user_ledger

STAND_IN = [sys.executable, str(Path(__file__).with_name("stand_in_server.py"))]
SECRET = "AKIA" + "QYLPMN5HFIQR7XYA"


EVERY = Filter(statuses=())


def message(method: str, params: Any = None, id_: int | str | None = 1) -> bytes:
    """Return a line; with `id_` None it is a notification."""
    value = {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}
    return json.dumps({name: each for name, each in value.items() if each is not None}).encode() + b"\n"


def call(tool: str, arguments: Any = None, id_: int | str = 7, **meta: Any) -> bytes:
    """Return the line of a call."""
    return message("tools/call", {"name": tool, "arguments": arguments or {}, "_meta": meta}, id_)


HELLO = message("initialize", {"clientInfo": {"name": "Test Agent"}}, 0) + message("tools/list", id_="list")


def beside(*lines: bytes, server: str = "shelf", options: tuple[str, ...] = ()) -> Result:
    """Say these lines, after HELLO, to the stand-in through muniment, and leave."""
    done = run_process("mcp", *options, "--beside", *STAND_IN, server, input=HELLO + b"".join(lines))
    assert done.code == 0, done.err
    return done


def recorded() -> list[Entry]:
    """Return the memories of the user's ledger, all versions, oldest first."""
    with muniment.open(scope="user") as memory:
        return memory.load_all(EVERY)


class Kept:
    """muniment beside the stand-in, as a process that is talked to line by line."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process

    def say(self, line: bytes) -> None:
        """Say a line."""
        assert self.process.stdin is not None
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def hear(self) -> Any:
        """Return the next answer; None when it is gone."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        return json.loads(line) if line else None

    def ended(self) -> tuple[int, str]:
        """Wait for its end; return the exit code and what it said on stderr."""
        assert self.process.stderr is not None
        said = self.process.stderr.read().decode()
        return self.process.wait(60), said


@contextmanager
def kept() -> Iterator[Kept]:
    """Give a conversation that has said HELLO and heard both answers."""
    process = subprocess.Popen(
        command_line("mcp", "--beside", *STAND_IN, "shelf"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    with process:
        talk = Kept(process)
        try:
            talk.say(HELLO)
            assert [talk.hear()["id"], talk.hear()["id"]] == [0, "list"]
            yield talk
        finally:
            process.kill()


# --- what passes ---


def test_both_see_each_other_byte_for_byte(isolated: Path) -> None:
    """G-92: schemas, annotations, structured results, errors, unknown methods, notifications, what is no message."""
    user_ledger()
    said = HELLO + b"".join(
        [
            call("write", {"text": "ü \u2028 \ud800", "n": 1.50}),
            call("look", id_="eight"),
            call("refuse"),
            call("no such tool"),
            message("sampling/odd"),
            message("notifications/progress", {"progress": 1}, None),
            b"[1, 2]\nnot a message\n{}\n\xc3\xa9 \n",
            b"[" * 100_000 + b"\n",
            call("write", {"text": "x" * 3_000_000}),
        ]
    )
    alone = subprocess.run(
        [*STAND_IN, "shelf"], input=said, capture_output=True, env=environment(), check=True
    )
    through = subprocess.run(
        command_line("mcp", "--beside", *STAND_IN, "shelf"),
        input=said,
        capture_output=True,
        env=environment(),
        check=True,
    )
    assert through.stdout == alone.stdout
    assert through.stderr == b""
    assert [each.memory.provenance.tool for each in recorded()].count("shelf/unreadable") == 3
    assert len(recorded()) == 8


def test_a_write_is_a_signed_event(isolated: Path) -> None:
    """G-93, G-94: server, tool, arguments, answer, who and when; `log`, `show`, `search` and `verify` have it."""
    user_ledger()
    beside(call("write", {"text": "Ada uses pnpm"}, sessionId="s-1"), call("refuse", {"id": 5}))
    wrote, refused = recorded()
    memory, origin = wrote.memory, wrote.memory.provenance
    assert (wrote.by.name, wrote.by.role, wrote.by.via) == ("test-agent", "agent", "mcp")
    assert (origin.tool, origin.agent, origin.session, origin.conversation) == (
        "shelf/write",
        "test-agent",
        "s-1",
        "s-1",
    )
    assert memory.title == f"write, {origin.date}"
    assert (memory.type, memory.tier, memory.topic) == (
        "episode",
        "daily",
        f"memory-servers/shelf/{origin.date[:10]}",
    )
    arguments = '{\n "text": "Ada uses pnpm"\n}'
    assert memory.body.strip() == f"```json\n{arguments}\n```"
    assert memory.details[0].startswith("answered: write done (")
    assert memory.details[1] == f"arguments: 28 bytes, BLAKE3 {blake3(arguments.encode()).hexdigest()}"
    assert refused.memory.details[0].startswith("refused: no such entity (")
    assert refused.memory.provenance.session != "s-1"
    assert 'write: { "text": "Ada uses pnpm" }' in run("log").ok().out
    assert "shelf/write" in run("show", wrote.id).ok().out
    assert wrote.id[:12] in run("search", "pnpm", "--status", "all").ok().out
    assert run("verify").code == 0


def test_a_read_is_the_same_signed_event(isolated: Path) -> None:
    """G-93: whatever the server says of its tool; what was looked for and what was found is in `log`."""
    user_ledger()
    beside(call("look", {"query": "umbrella"}, sessionId="s-1"))
    (entry,) = recorded()
    assert (entry.by.name, entry.memory.provenance.tool) == ("test-agent", "shelf/look")
    assert entry.memory.text == 'look: { "query": "umbrella" }'
    assert entry.memory.details[0].startswith("answered: look done (")
    assert entry.memory.text in run("log").ok().out
    with muniment.open(scope="user") as memory:
        assert memory.seen() == []


def test_what_is_read_without_a_tool_is_recorded_too(isolated: Path) -> None:
    """G-93: resources and prompts give what the server keeps."""
    user_ledger()
    about = {"sessionId": "s-1"}
    read = message("resources/read", {"uri": "memory://graph", "_meta": about}, 8)
    odd = message("resources/read", None, 9).replace(b'"resources/read"', b'["resources/read"]')
    beside(read, message("prompts/get", {"name": "recent"}, 10), message("resources/list", {}, 11), odd)
    first, second = recorded()
    assert first.memory.text == 'resources/read: { "uri": "memory://graph" }'
    assert first.memory.provenance.tool == "shelf/resources/read"
    assert first.memory.provenance.session == "s-1"
    assert first.memory.details[0].startswith("refused: ")
    assert second.memory.text == 'prompts/get: { "name": "recent" }'


def test_the_calls_of_a_day_are_versions_of_one_memory(isolated: Path) -> None:
    """G-93: so a hundred reads hide nothing from `list` and `search`, and `show --history` has them in order."""
    user_ledger("We use pnpm, not npm")
    reads = [call("look", {"query": f"pnpm {n}"}) for n in range(20)]
    beside(*reads, call("write", {"text": "w " * 60_000}), call("look", {"query": "pnpm last"}))
    texts = [each["text"] for each in run("list", "--json").json_lines]
    assert texts == ["We use pnpm, not npm", 'look: { "query": "pnpm last" }']
    assert len(run("search", "pnpm", "--json").json_lines) == 2
    found = run("search", "pnpm 7", "--status", "all", "--json").json_lines
    assert 'look: { "query": "pnpm 7" }' in [each["text"] for each in found]
    history = run("show", "--history", "--json", recorded()[-1].id).ok().out
    assert all(f'{{ \\"query\\": \\"pnpm {n}\\" }}' in history for n in range(20))
    beside(call("look"))
    assert len(run("list", "--json").json_lines) == 3
    assert run("verify").code == 0


def test_what_a_person_does_to_a_record_costs_no_call(isolated: Path) -> None:
    """G-93: they correct one, and erase another; each time the next call begins a new memory."""
    directory = user_ledger()
    with kept() as talk:
        talk.say(call("look", {"n": 1}))
        talk.hear()
        (document,) = directory.glob("memories/memory-servers/shelf/*.md")
        document.write_text(document.read_text().replace("look: {", "What it read: {"))
        run("adopt").ok()
        talk.say(call("look", {"n": 2}))
        talk.hear()
        run("erase", recorded()[-1].id, "--yes").ok()
        talk.say(call("look", {"n": 3}))
        talk.hear()
        assert talk.process.stdin is not None
        talk.process.stdin.close()
        assert talk.ended() == (0, "")
    standing = [each["text"] for each in run("list", "--json").json_lines]
    assert standing == ['What it read: { "n": 1 }', 'look: { "n": 3 }']
    kinds = [each["kind"] for each in run("log", "--json").json_lines]
    assert kinds == ["genesis", "create", "supersede", "create", "erase", "create"]


def test_no_prompt_tells_what_was_recorded(isolated: Path) -> None:
    """G-93: it is an audit; the memory of the other server is the other server's."""
    user_ledger("Ada writes Python")
    beside(call("write", {"text": "Ada uses pnpm"}))
    told = run("inject", "--task", "write for Ada with pnpm").ok().out
    assert "Ada writes Python" in told
    assert "pnpm" not in told


def test_a_secret_arrives_and_is_never_signed(isolated: Path) -> None:
    """G-94: in arguments, in names, in the answer and in a tool's name; no digest of a text that has it is signed, either."""
    directory = user_ledger()
    arguments = {"text": f"the key is {SECRET}", "db_password": "Tr0ub4dor&3x", SECRET: 1}
    done = beside(call("write", arguments), call(SECRET))
    assert json.loads(done.out.splitlines()[2])["result"]["structuredContent"]["got"] == arguments
    for path in directory.rglob("*"):
        if path.is_file():
            assert SECRET.encode() not in path.read_bytes(), path
            assert b"Tr0ub4dor" not in path.read_bytes(), path
    kept = recorded()[0].memory
    whole = kept.body.strip().removeprefix("```json\n").removesuffix("\n```")
    assert "[redacted:" in whole
    assert kept.details[1].endswith(blake3(whole.encode()).hexdigest())


def test_of_long_arguments_the_digest_is_of_all(isolated: Path) -> None:
    """G-94: 100,000 characters are there, in parts; whoever has the rest can show that it was that."""
    user_ledger()
    long = "umbrella " * 40_000
    beside(call("write", {"text": long}))
    (entry,) = recorded()
    whole = json.dumps({"text": long}, indent=1)
    with muniment.open(scope="user") as memory:
        body = memory.entry(entry.id).memory.body
    assert body.strip() == f"```json\n{whole[:100_000]}\n```"
    assert entry.memory.details[1] == (
        f"arguments: {len(whole):,} bytes, BLAKE3 {blake3(whole.encode()).hexdigest()}; here are the first 100,000 characters"
    )


def test_no_limit_and_no_equal_call_leaves_one_out(isolated: Path) -> None:
    """G-95: 30 equal calls in a second, two in one line, two with one id; and they use up no limit of what agents save."""
    user_ledger()
    equal = b"".join(call("write", {"text": "again"}, sessionId="c") for _ in range(30))
    together = json.dumps([json.loads(call("hang", id_=1)), json.loads(call("hang", id_=1))]).encode() + b"\n"
    beside(equal, together)
    done = recorded()
    assert len(done) == 32
    assert sum(each.memory.details[0].startswith("no answer") for each in done) == 2
    with muniment.open(scope="user") as memory:
        turn = muniment.Turn("user", "Remember that Ada likes tea.", conversation="c", message="m")
        assert [each.outcome for each in memory.process_turn(turn)] == ["created"]


def test_deeply_nested_arguments_are_a_call_too(isolated: Path) -> None:
    """G-94: what is nested too deeply to be looked through for secrets is not there, but the call is."""
    user_ledger()
    deep: list[Any] = []
    for _ in range(900):
        deep = [deep]
    beside(call("write", {"text": deep}), call("write"))
    first, second = recorded()
    assert "nested too deeply" in first.memory.body
    assert second.memory.body.strip() == "```json\n{}\n```"


def test_the_writer_may_be_named(isolated: Path, ledger: Path) -> None:
    """G-92: `--by`, `--ledger`, and a client of the newer protocol that names itself in each request."""
    about: dict[str, Any] = {"io.modelcontextprotocol/clientInfo": {"name": "Modern One"}}
    beside(call("write", **about), options=("--ledger", str(ledger)))
    beside(call("write"), options=("--ledger", str(ledger), "--by", "nightly"))
    with muniment.open(ledger) as memory:
        assert [each.by.name for each in memory.load_all(EVERY)] == ["modern-one", "nightly"]


# --- what goes wrong ---


def test_a_busy_ledger_costs_no_answer_and_no_event(isolated: Path) -> None:
    """G-96: the next call records both."""
    user_ledger()
    with muniment.open(scope="user") as memory, kept() as talk:
        with memory.workspace.ledger.chain.locked():
            talk.say(call("write", {"n": 1}))
            assert talk.hear()["id"] == 7
        talk.say(call("write", {"n": 2}))
        assert talk.hear()["id"] == 7
        assert talk.process.stdin is not None
        talk.process.stdin.close()
        code, said = talk.ended()
    assert code == 0
    assert said.startswith("muniment: 1 call is not recorded yet; the next call tries again: ")
    assert len(said.splitlines()) == 1
    assert [each.memory.text for each in recorded()] == ['write: { "n": 1 }', 'write: { "n": 2 }']


def test_a_ledger_that_cannot_be_written_costs_no_answer(isolated: Path) -> None:
    """G-96: and what is not recorded is named."""
    user_ledger()
    with muniment.open(scope="user") as memory:
        for key in memory.workspace.home.keys.glob("*.key"):
            key.unlink()
    done = beside(call("write"), call("write"))
    assert len(done.out.splitlines()) == 4
    assert "muniment: 2 calls are not recorded, and will not be: " in done.err
    assert recorded() == []


def test_switched_off_it_only_passes_on(isolated: Path) -> None:
    """G-96."""
    directory = user_ledger()
    (directory / "config.toml").write_text("enabled = false\n")
    done = beside(call("write"))
    assert len(done.out.splitlines()) == 3
    assert done.err == "muniment: calls are passed on and not recorded: enabled = false in config.toml\n"
    assert recorded() == []


def test_a_server_that_dies_is_named_and_its_call_recorded(isolated: Path) -> None:
    """G-97: nobody knows whether the call was done; the code is 14."""
    user_ledger()
    with kept() as talk:
        talk.say(call("die", {"text": "last words"}))
        assert talk.hear() is None
        code, said = talk.ended()
    assert code == 14
    assert said.startswith("muniment: the memory server ended by itself, with exit code 7: run ")
    assert "Traceback" not in said
    assert [each.memory.details[0] for each in recorded()] == ["no answer: nobody knows whether it was done"]


@pytest.mark.parametrize("sign", [signal.SIGTERM, None])
def test_a_client_that_leaves_ends_both(isolated: Path, sign: signal.Signals | None) -> None:
    """G-97: by the end of stdin or by SIGTERM, with code 0; a call without an answer is recorded."""
    user_ledger()
    with kept() as talk:
        talk.say(call("hang") + call("look", id_=8))
        assert talk.hear()["id"] == 8
        if sign is None:
            assert talk.process.stdin is not None
            talk.process.stdin.close()
        else:
            talk.process.send_signal(sign)
        assert talk.ended() == (0, "")
    looked, hung = recorded()
    assert looked.memory.text == "look: {}"
    assert hung.memory.details[0] == "no answer: nobody knows whether it was done"


def test_what_cannot_start_is_one_sentence(isolated: Path, tmp_path: Path) -> None:
    """G-97: no command, no such command, no ledger."""
    missing = tmp_path / "no-such-server"
    done = run_process("mcp", "--beside", missing)
    assert (done.code, done.err) == (
        3,
        "muniment: there is no ledger to record calls in: run muniment init --scope user\n",
    )
    user_ledger()
    done = run_process("mcp", "--beside", missing, "--by", "not ours")
    assert done.code == 14
    assert done.err == (
        f"muniment: the memory server cannot be started ({missing}: {os.strerror(2)}): "
        "check the command behind --beside by running it alone\n"
    )
    assert run("mcp", "--beside").code == 2
    assert run("mcp", "npx").code == 2
