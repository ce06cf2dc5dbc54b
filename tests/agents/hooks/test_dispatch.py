"""Whatever a hook is given, it exits with 0, says nothing on stderr and breaks nothing (specs/doors.md G-1…G-4, G-9)."""

from __future__ import annotations

import itertools
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.hooks import dispatch, session_notes, user_folders
from agents.hooks import fault_log as faults_of
from ledger.location import Home
from tests.agents.hooks.calling import context, event, faults, hook, spool
from tests.cli.driver import command_line, environment, run

WORD = "zanzibar-the-secret-word"
_A_HANG = 120
_NEVER_GIVES_UP = """
import signal, sys
signal.alarm = lambda _: 0
from agents.hooks import dispatch
dispatch.main(sys.argv[1])
"""


@pytest.fixture(autouse=True)
def ledger(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's ledger with one memory, seen from an empty folder."""
    monkeypatch.chdir(tmp_path)
    run("init", "--scope", "user").ok()
    run("add", "Use pnpm, not npm").ok()
    return isolated / ".muniment"


GOOD: dict[str, dict[str, Any]] = {
    "SessionStart": {"source": "startup", "model": "m"},
    "UserPromptSubmit": {"prompt": f"remember {WORD} please", "prompt_id": "p1", "source": "user"},
    "PreCompact": {"trigger": "manual", "custom_instructions": f"keep {WORD}"},
    "Stop": {"stop_hook_active": False, "last_assistant_message": f"All about {WORD} is done now."},
    "SubagentStop": {"agent_id": "a1", "agent_type": "Explore", "agent_transcript_path": "/none.jsonl"},
    "SessionEnd": {"reason": "other"},
}


def good(name: str) -> dict[str, Any]:
    return {**event(name, transcript_path="/nowhere/none.jsonl"), **GOOD[name]}


NOT_AN_EVENT: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "the event is not JSON"),
    "not a JSON": (b"{'hook_event_name': 'Stop'}", "the event is not JSON"),
    "cut": (json.dumps({"hook_event_name": "Stop"}).encode()[:-1], "the event is not JSON"),
    "no UTF-8": (b'{"hook_event_name": "Stop\xff\xfe"}', "the event is not JSON"),
    "zeroes": (b"\0" * 1000, "the event is not JSON"),
    "deep": (b"[" * 200_000, "the event is not JSON"),
    "a list": (b"[]", "the event is not a JSON object"),
    "a number": (b"17", "the event is not a JSON object"),
    "null": (b"null", "the event is not a JSON object"),
    "no name": (b"{}", "hook_event_name is missing"),
    "a number for a name": (b'{"hook_event_name": 3, "was": "Stop"}', "hook_event_name is not a text"),
    "huge": (
        b'{"hook_event_name": "Stop", "x": "' + b"y" * (9 << 20) + b'"}',
        "the event has more than 8 MiB",
    ),
}


def test_what_is_no_event_is_a_fault_and_no_failure() -> None:
    """G-1, G-2."""
    for name, (data, what) in NOT_AN_EVENT.items():
        assert hook(data).out == ""
        assert faults()[-1]["what"] == what, name
    assert len(faults()) == len(NOT_AN_EVENT)


@pytest.mark.parametrize("program", dispatch.PROGRAMS)
def test_an_unknown_event_looks_at_nothing(program: str) -> None:
    """G-3: also where everything else of it is wrong."""
    for name in ("Notification", "PreToolUse", "", "stop", "PostCompact", "BeforeModel"):
        assert hook({"hook_event_name": name, "session_id": [], "cwd": 7}, program).out == ""
    assert hook(b'{"hook_event_name": "Notification", "broken').out == ""  # not even parsed
    assert not faults()
    assert not spool()


@pytest.mark.usefixtures("no_worker")
@pytest.mark.parametrize("name", GOOD)
def test_any_member_of_a_wrong_type_or_missing_breaks_nothing(name: str) -> None:
    """G-1, G-2: one process an event; the others of a kind in the property below."""
    members = [member for member in (*good(name), "agent_id") if member != "hook_event_name"]
    wrong = itertools.cycle((None, 7, ["x"], "\ud800\x00", {"a": 1}))
    for member in members:
        _answer({**good(name), member: next(wrong)})
        _answer({key: value for key, value in good(name).items() if key != member})
    _answer({**good(name), **dict.fromkeys(members, "x" * 200_000)})
    _answer({key: value for key, value in good(name).items() if key != "hook_event_name"})
    assert WORD not in (Path(user_folders.state()) / "hooks.log").read_text()
    assert run("verify").code == 0


ALONE = {"copilot": "additionalContext", "cursor": "additional_context"}
"""The member of the answer in which these programs take context; the others take it within hookSpecificOutput."""


def _answer(value: object, program: str = "claude") -> str:
    """Answer an event in a fork of this process, so that a property can ask for many; return what it printed."""
    with tempfile.TemporaryFile() as given_, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given_.write(value if isinstance(value, bytes) else json.dumps(value).encode())
        given_.seek(0)
        child = os.fork()
        if child == 0:
            for number, file in enumerate((given_, out, err)):
                os.dup2(file.fileno(), number)
            try:
                dispatch.main(program)
            finally:
                os._exit(99)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        out.seek(0)
        err.seek(0)
        assert err.read() == b""
        printed = out.read().decode()
    if printed:
        answer = json.loads(printed)
        if program in ALONE:
            assert list(answer) == [ALONE[program]]
        else:
            assert list(answer) == ["hookSpecificOutput"]
            assert list(answer["hookSpecificOutput"]) == ["hookEventName", "additionalContext"]
    return printed


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.usefixtures("no_worker")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from(sorted(GOOD)),
    program=st.sampled_from(dispatch.PROGRAMS),
    others=st.dictionaries(
        st.sampled_from(
            sorted(
                {key for one in GOOD.values() for key in one}
                | {"session_id", "cwd", "transcript_path", "agent_id"}
            )
        ),
        JSON,
        max_size=4,
    ),
    dropped=st.sets(st.sampled_from(["session_id", "cwd", "transcript_path", "prompt"])),
)
def test_no_event_breaks_anything(name: str, program: str, others: dict[str, Any], dropped: set[str]) -> None:
    """G-1, G-3, G-4: for any values of any members."""
    made = {**good(name), **others}
    if name == "UserPromptSubmit" and others.get("prompt") is None:
        made["prompt"] = "what is the time?"  # what is heard at once has tests of its own
    _answer({key: value for key, value in made.items() if key not in dropped}, program)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200))
def test_no_bytes_break_anything(data: bytes) -> None:
    """G-1."""
    assert _answer(data) == ""


def test_closed_streams_and_a_reader_that_went_away() -> None:
    """G-1: no descriptor is taken for granted."""
    for closed in (">&-", "<&- >&- 2>&-"):
        command = f"exec {shlex.quote(sys.executable)} -m cli hook claude {closed}"
        data = json.dumps(good("SessionStart")).encode()
        done = subprocess.run(["sh", "-c", command], input=data, capture_output=True, env=environment())
        assert (done.returncode, done.stderr) == (0, b"")
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        command_line("hook", "claude"),
        input=json.dumps(good("SessionStart")).encode(),
        stdout=write,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")
    assert faults()[-1]["what"].startswith("BrokenPipeError")


def test_a_disk_that_refuses_costs_the_event_alone(ledger: Path) -> None:
    """G-1: a state directory that cannot be made, and a ledger that is none."""
    state = Path(user_folders.state())
    state.parent.mkdir(parents=True, exist_ok=True)
    for name in GOOD:
        with_file = {"MUNIMENT_STATE": str(ledger / "config.toml")}
        hook(good(name), env=with_file)
    (ledger / "memory.db").write_bytes(b"no database")
    assert "pnpm" in context(hook(good("SessionStart")))
    (ledger / "chain.jsonl").write_bytes(b"no chain\n")
    for name in GOOD:
        hook(good(name))


def test_without_a_ledger_nothing_is_made(tmp_path: Path) -> None:
    """G-2, G-3."""
    empty = {
        "HOME": str(tmp_path),
        "MUNIMENT_HOME": str(tmp_path / "m"),
        "MUNIMENT_STATE": str(tmp_path / "s"),
    }
    for data in (b"no JSON", *(json.dumps(good(name)).encode() for name in GOOD)):
        assert hook(data, env=empty).out == ""
    assert not list(tmp_path.iterdir())


def test_switched_off_and_subagents_do_nothing(ledger: Path) -> None:
    """G-3."""
    for name in GOOD:
        if name != "SubagentStop":
            assert hook({**good(name), "agent_id": "a1"}).out == ""
    (ledger / "config.toml").write_text("enabled = false # for now\n")
    for name in GOOD:
        assert hook(good(name)).out == ""
    assert not Path(user_folders.hooks()).exists()
    (ledger / "config.toml").write_text("[decay]\nenabled = false\n")
    assert "pnpm" in context(hook(good("SessionStart")))


def test_codex_says_the_same() -> None:
    """G-9."""
    assert context(hook(good("SessionStart"), "codex")) == context(hook(good("SessionStart")))
    assert hook({**good("SessionStart"), "transcript_path": None}, "codex").out
    assert [json.loads(path.read_text())["kind"] for path in spool()] == ["shown"] * 3


@pytest.mark.usefixtures("no_worker")
def test_gemini_is_heard_under_its_own_names() -> None:
    """G-82: the answer has the name of its event; what it put around the typed words is nobody's."""
    run("add", "Read @.env first").ok()
    start = {**event("SessionStart", transcript_path="/none.jsonl"), "source": "startup"}
    done = hook(start, "gemini")
    assert "Use pnpm, not npm" in context(done)
    assert "Read \\@.env first" in context(done)
    assert done.json["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    prompt = (
        "<hook_context>remember that I am a context &lt;b&gt;</hook_context>\n\nRemember: I use zsh. @a.txt"
        "\n--- Content from referenced files ---\nContent from @a.txt:\nRemember: I am a file"
        "\n--- End of content ---"
    )
    done = hook(event("BeforeAgent", prompt=prompt), "gemini")
    assert done.json["hookSpecificOutput"]["hookEventName"] == "BeforeAgent"
    assert "remembered: “I use zsh" in context(done)
    said = run("list").ok().out
    assert "zsh" in said
    assert "context" not in said
    assert "file" not in said
    assert context(hook(event("BeforeAgent", prompt="What is the time?"), "gemini")) == ""
    for name, more in (
        ("AfterAgent", {"prompt": prompt, "prompt_response": "I have told you the time."}),
        ("PreCompress", {"trigger": "manual"}),
        ("SessionEnd", {"reason": "exit"}),
    ):
        assert hook(event(name, transcript_path="/none.jsonl", **more), "gemini").out == ""
    told = [each for path in spool() if (each := json.loads(path.read_text()))["kind"] == "transcript"]
    assert [each["event"] for each in told] == ["Stop", "PreCompact", "SessionEnd"]
    assert told[0]["said"] == "I have told you the time."
    assert {(each["program"], each["transcript"]) for each in told} == {("gemini", "/none.jsonl")}
    assert not faults()


@pytest.mark.usefixtures("no_worker")
def test_members_of_a_wrong_type_break_nothing_for_gemini() -> None:
    """G-1, G-82."""
    for name in ("SessionStart", "BeforeAgent", "AfterAgent", "PreCompress", "SessionEnd"):
        for wrong in (7, None, ["x"], "\ud800"):
            made = dict.fromkeys(("prompt", "prompt_response", "session_id", "cwd", "transcript_path"), wrong)
            _answer({**event(name), **made}, "gemini")


def test_a_stdin_that_never_ends_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """G-1, G-2: the process ends by itself, with 0, and names the line that waited, not that of the alarm."""
    monkeypatch.setattr(dispatch, "PATIENCE", 1)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(read, 0)
        signal.alarm(0)
        dispatch.main("claude")
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    os.close(read)
    os.close(write)
    (fault,) = faults()
    where, _, number = fault["what"].rpartition(":")
    assert where == f"TooLong at {Path(dispatch.__file__).name}"
    assert "os.read(" in Path(dispatch.__file__).read_text().splitlines()[int(number) - 1]


def test_pipes_in_the_place_of_our_own_files_are_not_waited_for() -> None:
    """G-1, G-2: neither of the log of faults, by doctor neither, nor of what a session was told."""
    pipes = [Path(faults_of.log()), Path(session_notes.path_of("s1"))]
    for pipe in pipes:
        pipe.parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(pipe)
    prompt = json.dumps(event("UserPromptSubmit", prompt="nothing of note")).encode()
    for said, program in ((b"no event", "claude"), (b"", "nix"), (prompt, "claude")):
        command = [sys.executable, "-c", _NEVER_GIVES_UP, program]
        done = subprocess.run(command, input=said, env=environment(), timeout=_A_HANG, check=False)
        assert done.returncode == 0, said
    command = command_line("doctor")
    done = subprocess.run(command, env=environment(), capture_output=True, timeout=60, check=False)
    assert b"no hook failed in the last 7 days" in done.stdout


def test_a_hook_loads_what_it_needs_and_no_more() -> None:
    """G-5: neither click nor what signs; a no-op only json."""
    heavy = {
        "click",
        "nacl",
        "sqlite3",
        "orjson",
        "uuid",
        "platform",
        "pathlib",
        "dataclasses",
        "subprocess",
        "muniment",
        "typing",
    }
    if sys.version_info < (3, 13):  # from then on a dataclass needs inspect, which imports ast
        heavy.add("ast")
    for program, name, loaded in (
        ("claude", "Nothing", set()),
        ("claude", "SessionEnd", set()),
        (
            "claude",
            "SessionStart",
            {"sqlite3", "pathlib", "typing"},
        ),  # the last for a config.toml with settings
        ("gemini", "BeforeModel", set()),
        ("gemini", "AfterAgent", set()),
    ):
        code = (
            f"import sys, os; sys.argv = ['muniment', 'hook', '{program}']; out = os.dup(2)\n"
            "leave = os._exit\n"
            "def ended(code):\n"
            "    os.write(out, ' '.join(sys.modules).encode()); leave(code)\n"
            "os._exit = ended\n"
            "from cli.program import main; main()"
        )
        made = json.dumps({**event(name), "reason": "other"}).encode()
        done = subprocess.run(
            [sys.executable, "-c", code], input=made, capture_output=True, env=environment()
        )
        assert set(done.stderr.decode().split()) & heavy == loaded, name
        assert ("agents.hooks.gemini_events" in done.stderr.decode()) is (name == "AfterAgent")


def test_where_a_hook_looks_is_where_the_ledger_lies(monkeypatch: pytest.MonkeyPatch) -> None:
    """G-5: F-1, said once more for who cannot wait."""
    for variables in (
        {},
        {"MUNIMENT_HOME": "~/x", "MUNIMENT_STATE": "y/../z"},
        {"MUNIMENT_HOME": "", "XDG_STATE_HOME": "/var/state", "MUNIMENT_STATE": ""},
        {"HOME": "/somewhere", "MUNIMENT_HOME": "", "XDG_STATE_HOME": "", "MUNIMENT_STATE": ""},
    ):
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        home = Home.from_environment(os.environ)
        assert os.path.normpath(home.path) == user_folders.home()
        assert os.path.normpath(home.state) == user_folders.state()
