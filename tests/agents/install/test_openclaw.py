"""Tests agents/install/openclaw.py by running what it installs with the real node (specs/doors.md G-24, G-67…G-69)."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import muniment
from agents.install.host import InstallPlace
from agents.install.installing import apply, installing, uninstalling
from agents.install.openclaw import HOST, state_of, text_of, workspace_of
from muniment import Memory
from tests.cli.driver import ROOT, run
from tests.learning.transcripts.test_openclaw_records import OLDER

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="OpenClaw is a program of node's")

_DRIVER = """
const { default: handler } = await import(process.argv[2]);
let text = "";
for await (const part of process.stdin) text += part;
const told = [];
for (const event of JSON.parse(text)) {
  const begin = performance.now();
  const answer = await handler(event);
  told.push({ event, answer: answer === undefined ? null : answer, ms: performance.now() - begin });
}
console.log(JSON.stringify(told));
"""
PRIVATE = "agent:main:main"


class Gateway:
    """OpenClaw's part: imports the handler that was installed, and sends it events.

    Args:
        home: the person's home folder.
        program: the path of muniment.
    """

    def __init__(self, home: Path, program: Path) -> None:
        self.place = InstallPlace("user", home, home, {}, program=str(program))
        for change in installing(HOST, self.place):
            apply(change)
        self.hook = home / ".openclaw" / "hooks" / "muniment"
        self.workspace = home / ".openclaw" / "workspace"
        self.workspace.mkdir(parents=True)

    def send(self, *events: Any, **environment: str) -> list[dict[str, Any]]:
        """Send events in one process of node's, as JSON; return what became of each."""
        driver = self.hook.parent / "driver.mjs"
        driver.write_text(_DRIVER)
        done = subprocess.run(
            [str(NODE), str(driver), str(self.hook / "handler.js")],
            input=json.dumps(events),
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, **environment},
        )
        assert (done.returncode, done.stderr) == (0, "")
        return list(json.loads(done.stdout))

    def event(self, what: str, key: str = PRIVATE, **context: Any) -> dict[str, Any]:
        """Return an event as OpenClaw makes it."""
        kind, _, action = what.partition(":")
        where = {"workspaceDir": str(self.workspace), **context}
        return {
            "type": kind,
            "action": action,
            "sessionKey": key,
            "timestamp": "2026-11-20T15:11:00.000Z",
            "context": where,
            "messages": [],
        }

    def bootstrap(self, key: str = PRIVATE, memory: str | None = None, **environment: str) -> list[Any]:
        """Return the bootstrap files of a session after the handler saw them."""
        files = [{"name": "AGENTS.md", "path": "AGENTS.md", "missing": False, "content": "agents"}]
        if memory is not None:
            path = str(self.workspace / "MEMORY.md")
            files.append({"name": "MEMORY.md", "path": path, "missing": False, "content": memory})
        (told,) = self.send(self.event("agent:bootstrap", key, bootstrapFiles=files), **environment)
        return list(told["event"]["context"]["bootstrapFiles"])


@pytest.fixture
def gateway(isolated: Path, tmp_path: Path) -> Gateway:
    """A gateway with a muniment that is run from this checkout, and a user's ledger with two memories."""
    program = tmp_path / "bin dir" / "muniment"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m cli "$@"\n')
    program.chmod(0o755)
    with muniment.init() as memory:
        memory.store(Memory("Use pnpm, not npm"))
        memory.store(Memory("Prefers short answers", type="preference"))
    return Gateway(isolated, program)


def until(holds: Callable[[], bool]) -> bool:
    """Wait for what is done in the background; say whether it was."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.1)
    return False


# --- telling ---


def test_the_private_session_is_told_what_is_known(gateway: Gateway) -> None:
    """G-67: as one more file, beside those that were there, once."""
    files = gateway.bootstrap()
    assert [each["name"] for each in files] == ["AGENTS.md", "MUNIMENT.md"]
    assert (files[0]["content"], files[1]["missing"]) == ("agents", False)
    assert files[1]["path"] == str(gateway.workspace / "MUNIMENT.md")
    assert "## Persistent Memories" in files[1]["content"]
    assert "Use pnpm, not npm" in files[1]["content"]
    again = gateway.event("agent:bootstrap", bootstrapFiles=files)
    (told,) = gateway.send(again)
    assert [each["name"] for each in told["event"]["context"]["bootstrapFiles"]] == [
        "AGENTS.md",
        "MUNIMENT.md",
    ]


def test_nobody_else_is_told(gateway: Gateway) -> None:
    """G-67: what is known of a person is not for a group, a guest or a subagent."""
    keys = (
        "agent:main:telegram:group:-100",
        "agent:main:discord:channel:7",
        "agent:main:subagent:5f",
        "agent:main:main:subagent:5f",
        "cron:job",
        "hook:x",
        "",
    )
    events = [gateway.event("agent:bootstrap", key, bootstrapFiles=[]) for key in keys]
    told = gateway.send(*events, gateway.event("agent:bootstrap", bootstrapFiles=[]))
    assert [len(each["event"]["context"]["bootstrapFiles"]) for each in told] == [0] * len(keys) + [1]


def test_what_the_workspace_shares_is_not_told_twice(gateway: Gateway) -> None:
    """G-67, G-25: MEMORY.md there is the ledger's own document."""
    home = muniment.home().path
    (home / "config.toml").write_text("[render]\nopenclaw = true\n")
    run("add", "Learned after").ok()
    shared = (gateway.workspace / "MEMORY.md").read_text()
    assert "- Learned after" in shared
    assert [each["name"] for each in gateway.bootstrap(memory=shared)] == ["AGENTS.md", "MEMORY.md"]
    own = gateway.bootstrap(memory="# Notes of OpenClaw\n")
    assert [each["name"] for each in own] == ["AGENTS.md", "MEMORY.md", "MUNIMENT.md"]


def test_an_empty_ledger_and_a_missing_program_say_nothing(gateway: Gateway, tmp_path: Path) -> None:
    """G-68: silently, and at once."""
    shutil.rmtree(muniment.home().path)
    assert [each["name"] for each in gateway.bootstrap()] == ["AGENTS.md"]
    (tmp_path / "bin dir" / "muniment").unlink()
    files = [{"name": "AGENTS.md"}]
    for told in gateway.send(
        gateway.event("agent:bootstrap", bootstrapFiles=files), gateway.event("command:new")
    ):
        assert told["answer"] is None
        assert told["event"]["context"].get("bootstrapFiles", files) == files


def test_a_program_that_hangs_is_not_waited_for(gateway: Gateway, tmp_path: Path) -> None:
    """G-68: 3 seconds at most, here a tenth of that, however long it sleeps; one that prints without end is cut off."""
    program = tmp_path / "bin dir" / "muniment"
    program.write_text("#!/bin/sh\nexec sleep 600\n")
    handler = gateway.hook / "handler.js"
    patience = "PATIENCE_MS = 3000;"
    assert patience in handler.read_text()
    handler.write_text(handler.read_text().replace(patience, "PATIENCE_MS = 300;"))
    (told,) = gateway.send(gateway.event("agent:bootstrap", bootstrapFiles=[]))
    assert 290 < told["ms"] < 3000
    assert told["event"]["context"]["bootstrapFiles"] == []
    program.write_text("#!/bin/sh\nexec yes\n")
    (told,) = gateway.send(gateway.event("agent:bootstrap", bootstrapFiles=[]))
    assert told["event"]["context"]["bootstrapFiles"] == []


def test_a_long_section_is_cut_at_a_line(gateway: Gateway, tmp_path: Path) -> None:
    """G-67: OpenClaw would cut a file at 20,000 characters in the middle."""
    program = tmp_path / "bin dir" / "muniment"
    program.write_text("#!/bin/sh\nseq -f 'line %06g is here' 1 3000\n")
    content = gateway.bootstrap()[1]["content"]
    assert len(content) <= 18_000
    assert all(len(line) == len("line 000001 is here") for line in content.rstrip("\n").split("\n"))


# --- handing over ---


@pytest.mark.parametrize("what", ["command:reset", "session:compact:before"])
def test_a_session_that_ends_is_learned_from_in_the_background(
    gateway: Gateway, tmp_path: Path, what: str
) -> None:
    """G-69: the handler is back before; the writer is no agent, whatever the gateway's environment says."""
    file = tmp_path / "agents" / "s 1.jsonl"
    file.parent.mkdir()
    header = {
        "type": "session",
        "id": "s1",
        "cwd": str(gateway.workspace),
        "timestamp": "2026-11-20T15:00:00Z",
    }
    said = {"role": "user", "content": [{"type": "text", "text": "Remember that we deploy on Fridays only."}]}
    line = {
        "type": "message",
        "id": "m1",
        "parentId": None,
        "timestamp": "2026-11-20T15:01:00Z",
        "message": said,
    }
    name = f"{file.name}.reset.2026-11-20T15-11-00Z" if what == "command:reset" else file.name
    (file.parent / name).write_text("".join(json.dumps(each) + "\n" for each in (header, line)))
    entry = {"sessionId": "s1", "sessionFile": str(file)}
    begin = time.monotonic()
    (told,) = gateway.send(gateway.event(what, previousSessionEntry=entry), OPENCLAW_AGENT="main")
    assert (told["ms"] < 1000, told["answer"]) == (True, None)
    assert until(lambda: "deploy on Fridays" in run("list").ok().out), time.monotonic() - begin
    with muniment.open(scope="user") as memory:
        (found,) = [each for each in memory.load_all() if "Fridays" in each.memory.text]
    assert found.by.role != "agent"


# What the export of 2026.9.6 has: a session that OpenClaw keeps in its database.
_EVENT = {
    "traceSchema": "openclaw-trajectory",
    "schemaVersion": 1,
    "source": "transcript",
    "ts": "2026-11-23T14:58:32.098Z",
    "sessionId": "45c06a0c",
    "sessionKey": PRIVATE,
    "workspaceDir": "$WORKSPACE_DIR",
}
_SAID = {"role": "user", "content": "Remember that we deploy on Fridays only."}
_DID = "Understood. I moved the settings into config/db.yml."
_EXPORT: list[dict[str, Any]] = [
    {**_EVENT, "type": "session.started", "source": "runtime", "seq": 1},
    {**_EVENT, "type": "user.message", "seq": 2, "entryId": "e1", "data": {"message": _SAID}},
    {
        **_EVENT,
        "type": "assistant.message",
        "seq": 3,
        "entryId": "e2",
        "data": {"message": {"role": "assistant", "content": [{"type": "text", "text": _DID}]}},
    },
]
_OPENCLAW = """#!/bin/sh
echo "$@" >> '{log}'
test "$1 $2 $3 $4 $5 $7" = 'sessions export-trajectory --session-key agent:main:main --workspace --output' || exit 3
mkdir -p "$6/.openclaw/trajectory-exports/$8"
cp '{events}' "$6/.openclaw/trajectory-exports/$8/events.jsonl"
"""


@pytest.fixture
def openclaw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program `openclaw` on PATH that exports that session, and writes down with which words; return where."""
    folder = tmp_path / "openclaw"
    folder.mkdir()
    (folder / "events.jsonl").write_text("".join(json.dumps(each) + "\n" for each in _EXPORT))
    program = folder / "openclaw"
    program.write_text(_OPENCLAW.format(log=folder / "log", events=folder / "events.jsonl"))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return folder


def test_a_session_in_openclaws_database_is_exported_and_learned_from(
    gateway: Gateway, openclaw: Path
) -> None:
    """G-69: what was said last feeds the session buffer; nothing of the export is left."""
    entry = {"sessionId": "45c06a0c", "sessionFile": "sqlite:agent:main:45c06a0c"}
    gateway.send(gateway.event("session:auto-reset", previousSessionEntry=entry))
    assert until(lambda: "deploy on Fridays" in run("list", "--status", "all").ok().out)
    buffer = muniment.home().path / "session-buffer.md"
    assert until(lambda: buffer.exists() and _DID in buffer.read_text())
    assert "session: 45c06a0c\n" in buffer.read_text()
    with muniment.open(scope="user") as memory:
        (found,) = [each for each in memory.load_all() if "Fridays" in each.memory.text]
    assert found.by.role != "agent"
    exports = muniment.home().state / "hooks" / "exports"
    assert until(lambda: not list(exports.rglob("*.jsonl")))
    assert len((openclaw / "log").read_text().splitlines()) == 1
    assert "cannot be exported" not in run("doctor").out


@pytest.mark.parametrize(
    ("program", "told"),
    [
        (None, "openclaw does not start (No such file or directory)"),
        ("#!/bin/sh\necho 'error: unknown command' >&2; exit 2\n", "export-trajectory ended with code 2"),
    ],
)
def test_doctor_says_that_a_session_cannot_be_exported(
    gateway: Gateway, openclaw: Path, program: str | None, told: str
) -> None:
    """G-69, G-2: an OpenClaw that is not found, and one that has no such command."""
    if program is None:
        (openclaw / "openclaw").unlink()
    else:
        (openclaw / "openclaw").write_text(program)
    gateway.send(gateway.event("command:new"))
    assert until(lambda: "cannot be exported" in run("doctor").out)
    assert told in run("doctor").out


def test_a_session_without_a_word_is_no_fault(gateway: Gateway, openclaw: Path) -> None:
    """G-69: OpenClaw has none yet by that key."""
    text = "#!/bin/sh\ntouch '{}'; echo 'Session not found: agent:main:main.' >&2; exit 1\n"
    (openclaw / "openclaw").write_text(text.format(openclaw / "ran"))
    gateway.send(gateway.event("command:new"))
    assert until((openclaw / "ran").exists)
    spool = muniment.home().state / "hooks" / "spool"
    assert until(lambda: not list(spool.glob("*.json")))
    assert "cannot be exported" not in run("doctor").out


def test_the_buffer_and_the_documents_are_looked_after(gateway: Gateway) -> None:
    """G-69, D-81: without a session's file too; a day in the workspace is taken in where the person lets scripts act."""
    home = muniment.home().path
    (home / "config.toml").write_text("scripts = true\n[render]\nopenclaw = true\n")
    run("add", "Move in").ok()
    (home / "session-buffer.md").write_text("- 14:05 Decided to use PostgreSQL\n")
    (gateway.workspace / "memory").mkdir(exist_ok=True)
    (gateway.workspace / "memory" / "2026-11-19.md").write_text("# 2026-11-19\n\n- Met Anna\n")
    gateway.send(gateway.event("command:new"))
    assert until(lambda: {"Met Anna", "14:05 Decided to use PostgreSQL"} <= _texts())


def test_a_groups_session_is_not_learned_from(gateway: Gateway, tmp_path: Path) -> None:
    """G-69: its words are not the person's."""
    file = tmp_path / "group.jsonl"
    file.write_bytes(OLDER)
    flag = tmp_path / "ran"
    (tmp_path / "bin dir" / "muniment").write_text(f"#!/bin/sh\necho \"$@\" >> '{flag}'\n")
    key = "agent:main:telegram:group:-100"
    gateway.send(gateway.event("command:new", key, previousSessionEntry={"sessionFile": str(file)}))
    gateway.send(gateway.event("command:new", previousSessionEntry={"sessionFile": str(file)}))
    assert until(lambda: flag.exists() and flag.read_text().endswith("adopt\n"))
    assert flag.read_text() == "hook openclaw\ncheckpoint\nadopt\n"


def _texts() -> set[str]:
    with muniment.open(scope="user") as memory:
        return {each.memory.text for each in memory.load_all()}


# --- whatever comes ---


UNFORESEEN: list[Any] = [
    None,
    3,
    "x",
    [],
    {},
    {"type": "agent", "action": "bootstrap"},
    {"type": "agent", "action": "bootstrap", "sessionKey": PRIVATE, "context": None},
    {"type": "agent", "action": "bootstrap", "sessionKey": PRIVATE, "context": {"bootstrapFiles": "x"}},
    {
        "type": "agent",
        "action": "bootstrap",
        "sessionKey": PRIVATE,
        "context": {"bootstrapFiles": [None, 3]},
    },
    {"type": "agent", "action": "bootstrap", "sessionKey": {"a": 1}, "context": {"bootstrapFiles": []}},
    {"type": "command", "action": "new", "sessionKey": PRIVATE},
    {"type": "command", "action": "new", "sessionKey": PRIVATE, "context": {"workspaceDir": 7}},
    {
        "type": "command",
        "action": "new",
        "sessionKey": PRIVATE,
        "context": {"workspaceDir": "/no/where", "previousSessionEntry": {"sessionFile": "/no/x.jsonl"}},
    },
    {
        "type": "command",
        "action": "new",
        "sessionKey": PRIVATE,
        "context": {"sessionEntry": {"sessionFile": 3}},
    },
    {"type": "message", "action": "received", "sessionKey": PRIVATE, "context": {}},
    {"type": "gateway", "action": "startup", "sessionKey": "", "context": {}},
]


def test_no_event_breaks_the_gateway(gateway: Gateway) -> None:
    """G-68: missing members, wrong types, unknown events: it answers nothing, and never fails."""
    told = gateway.send(*UNFORESEEN)
    assert [each["event"] for each in told if each["answer"] is not None] == []
    assert len(told) == len(UNFORESEEN)


def test_it_loads_whatever_stands_above(gateway: Gateway) -> None:
    """G-68: a package of modules in the state directory, and a require in place of an import."""
    (gateway.hook.parents[1] / "package.json").write_text('{"type": "module"}')
    assert len(gateway.send(*UNFORESEEN[:3])) == 3
    code = f"const h = require({json.dumps(str(gateway.hook / 'handler.js'))}); console.log(typeof h, typeof h.default)"
    done = subprocess.run([str(NODE), "-e", code], capture_output=True, text=True, check=True)
    assert done.stdout == "function function\n"


# --- installing ---


def test_the_hook_says_what_openclaw_reads(gateway: Gateway) -> None:
    """G-24: name, description, and events that there are; what it needs, where it is known by its name alone."""
    yaml: Any = importlib.import_module("yaml")  # as the project has no types of its own for it
    front = yaml.safe_load((gateway.hook / "HOOK.md").read_text().split("---\n")[1])
    assert front["name"] == "muniment"
    assert set(front["metadata"]["openclaw"]) == {"events"}
    events = {
        "agent:bootstrap",
        "command:new",
        "command:reset",
        "session:auto-reset",
        "session:compact:before",
    }
    assert set(front["metadata"]["openclaw"]["events"]) == events
    by_name = yaml.safe_load(text_of("HOOK.md", "muniment").split("---\n")[1])
    assert by_name["metadata"]["openclaw"]["requires"] == {"bins": ["muniment"]}


def test_installing_twice_is_once_and_uninstalling_leaves_nothing(gateway: Gateway) -> None:
    """G-20."""
    assert {change.did for change in installing(HOST, gateway.place)} == {"unchanged"}
    for change in uninstalling(HOST, gateway.place):
        apply(change)
    assert not gateway.hook.exists()
    assert (gateway.hook.parents[1] / "workspace").is_dir()


def test_the_command_installs_it(isolated: Path) -> None:
    """G-20, G-24: and says what to do next."""
    done = run("install", "openclaw", "--yes", env={"OPENCLAW_STATE_DIR": str(isolated / "claw")}).ok()
    assert (isolated / "claw" / "hooks" / "muniment" / "handler.js").is_file()
    assert "openclaw hooks enable muniment" in done.err
    assert "muniment upkeep schedule --install" in done.err
    assert run("install", "openclaw", "--scope", "project").code == 2


@pytest.mark.parametrize(
    ("environ", "state", "workspace", "named"),
    [
        ({}, ".openclaw", ".openclaw/workspace", "openclaw = true"),
        ({"OPENCLAW_PROFILE": "default"}, ".openclaw", ".openclaw/workspace", "openclaw = true"),
        ({"OPENCLAW_PROFILE": "work"}, ".openclaw-work", ".openclaw/workspace-work", "memory = "),
        ({"OPENCLAW_WORKSPACE_DIR": "/w", "OPENCLAW_STATE_DIR": "/s"}, "/s", "/w", 'memory = "/w"'),
    ],
)
def test_where_openclaw_keeps_its_folders(
    tmp_path: Path, environ: dict[str, str], state: str, workspace: str, named: str
) -> None:
    """G-24: the variables that move them; the advice names the workspace so that every job finds it."""
    place = InstallPlace("user", tmp_path, tmp_path, environ)
    assert (state_of(place), workspace_of(place)) == (tmp_path / state, tmp_path / workspace)
    assert any(named in line for line in HOST.advice(place))
