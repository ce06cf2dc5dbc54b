"""What a prompt comes to: topics, what is heard at once, and answers (specs/doors.md G-3, G-6, G-7)."""

from __future__ import annotations

import fcntl
import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agents.hooks import prompt_requests
from agents.hooks.session_notes import Session
from agents.hooks.user_prompt import ASKS
from documents.proposal import Proposal
from learning.outcome import ProposalOutcome, Taken
from ledger.memory import Memory
from tests.agents.hooks.calling import context, event, faults, hook, settled
from tests.cli.driver import run
from tests.forking import run_python
from tests.learning.transcripts.writing import claude, jsonl, person

pytestmark = pytest.mark.usefixtures("ledger")  # seen from an empty folder


def prompted(prompt: str, **more: Any) -> str:
    return context(hook(event("UserPromptSubmit", prompt=prompt, **more)))


def texts(*options: str) -> list[str]:
    return [one["text"] for one in run("list", "--json", *options).json_lines]


def test_a_topic_is_told_once_in_a_session() -> None:
    """G-3: with the prompt that it matches; a new session, or one that was cleared, is told again."""
    run("add", "Tokens live for 15 minutes", "--topic", "auth/tokens", "--when", "login timeout").ok()
    run("add", "Use pnpm, not npm").ok()
    assert prompted("what a nice day") == ""
    told = prompted("fix the login timeout")
    assert told.startswith("## Background Knowledge from Previous Runs")
    assert "15 minutes" in told
    assert "pnpm" not in told
    assert prompted("the login timeout is still there") == ""
    assert "15 minutes" in prompted("fix the login timeout", session_id="s2")
    hook(event("SessionStart", source="clear"))
    assert "15 minutes" in prompted("fix the login timeout")


def test_only_a_person_is_heard() -> None:
    """G-6 (K-1): no program that speaks in their place."""
    for source in ("sdk", "system", "hook"):
        assert prompted("remember that I use pnpm", source=source) == ""
    assert texts() == []
    assert "remembered" in prompted("remember that I use pnpm", source="user")
    assert texts() == ["I use pnpm"]


def test_what_no_person_said_is_not_learned_from_the_transcript_either() -> None:
    """G-6 (K-1): there it looks like any other prompt."""
    said, path = "Remember that I use pnpm, never npm", Path("t.jsonl").absolute()
    assert prompted(said, transcript_path=str(path), source="system") == ""
    path.write_bytes(jsonl(person(said, uuid="u1"), claude("assistant", "I will.", uuid="u2")))
    hook(event("Stop", transcript_path=str(path)))
    settled()
    assert texts() == []
    assert not faults()


def test_what_a_program_put_beside_a_persons_words_is_cut_out() -> None:
    """G-6, G-7 (K-9): as in the transcript, so that the same words are not heard twice."""
    said, path = "[Image #1] Remember that I use pnpm, never npm", Path("t.jsonl").absolute()
    told = prompted(said, transcript_path=str(path))
    run("delete", told.partition("ID ")[2][:12], "--reason", "no").ok()
    path.write_bytes(jsonl(person(said, uuid="u1"), claude("assistant", "I will.", uuid="u2")))
    hook(event("Stop", transcript_path=str(path)))
    settled()
    assert texts() == []
    assert prompted("<task-notification>x</task-notification>\n\nRemember that I use zsh.") == ""


def test_what_was_heard_at_once_is_passed_over_by_the_transcripts_reader() -> None:
    """G-7: a correction said once is said once; said again in another message it is said twice."""
    said = "Remember that I use pnpm, never npm"
    path = Path("t.jsonl").absolute()
    assert "remembered" in prompted(said, transcript_path=str(path), prompt_id="p1")
    path.write_bytes(jsonl(person(said, uuid="u1"), claude("assistant", "I will.", uuid="u2")))
    hook(event("Stop", transcript_path=str(path)))
    settled()
    assert [line["kind"] for line in run("log", "--json").json_lines] == ["genesis", "create"]


def test_what_was_heard_at_once_and_deleted_since_does_not_come_back_with_the_transcript() -> None:
    """G-7: the prompt has another id there, so that nothing but the note of it knows that it was heard."""
    said = "Remember that I use pnpm, never npm"
    path = Path("t.jsonl").absolute()
    prompted(said, transcript_path=str(path), prompt_id="p1")
    run("delete", run("list", "--json").json_lines[0]["id"]).ok()
    path.write_bytes(jsonl(person(said, uuid="u1"), claude("assistant", "I will.", uuid="u2")))
    hook(event("Stop", transcript_path=str(path)))
    settled()
    assert texts() == []
    assert not faults()


@pytest.mark.parametrize("learned", [False, True])
def test_a_prompt_whose_hook_was_killed_is_heard_once(learned: bool) -> None:
    """G-7: programs kill what takes them too long; whether it had learned by then the log knows."""
    said, path = "Remember that I use pnpm", Path("t.jsonl").absolute()
    given = event("UserPromptSubmit", prompt=said, transcript_path=str(path), prompt_id="p1")
    code = f"""
import os
from agents.hooks import prompt_requests, session_notes
hear = prompt_requests.Listener.hear
def dying(listener, turn):
    {"hear(listener, turn)" if learned else ""}
    os._exit(9)
prompt_requests.Listener.hear = dying
prompt_requests.hear("claude", {given!r}, session_notes.Session("s1"), asks=True)
"""
    assert run_python(["-c", code]).returncode == 9
    assert texts() == (["I use pnpm"] if learned else [])
    path.write_bytes(jsonl(person(said, uuid="u1"), claude("assistant", "I will.", uuid="u2")))
    hook(event("Stop", transcript_path=str(path)))
    settled()
    assert texts() == ["I use pnpm"]
    assert [line["kind"] for line in run("log", "--json").json_lines] == ["genesis", "create"]
    assert not faults()


@pytest.mark.parametrize("name", ["local.db", "memory.db"])
def test_databases_that_are_written_just_now_are_not_waited_for(ledger: Path, name: str) -> None:
    """G-6: each for a quarter of a second, as the chain; it is learned all the same, and once."""
    said, path = "Remember that I use pnpm", Path("t.jsonl").absolute()
    run("list").ok()
    path.write_bytes(jsonl(person(said, uuid="u1"), claude("assistant", "I will.", uuid="u2")))
    given = event("UserPromptSubmit", prompt=said, transcript_path=str(path), prompt_id="p1")
    with closing(sqlite3.connect(ledger / name, isolation_level=None)) as db:
        db.execute("BEGIN IMMEDIATE")
        prompt_requests.hear("claude", given, Session("s1"), asks=True)
    hook(event("Stop", transcript_path=str(path)))
    settled()
    assert texts() == ["I use pnpm"]
    assert [line["kind"] for line in run("log", "--json").json_lines] == ["genesis", "create"]


def test_a_ledger_that_is_held_is_not_waited_for(ledger: Path) -> None:
    """G-6, K-73: the outbox has it, and the worker writes it later."""
    with (ledger / "chain.jsonl").open("rb") as chain:
        fcntl.flock(chain, fcntl.LOCK_EX)
        assert "as soon as the ledger is available" in prompted("remember that I use pnpm")
    assert texts() == []
    hook(event("Stop"))
    settled()
    assert texts() == ["I use pnpm"]


@pytest.mark.parametrize(
    "said",
    [
        "Remember that my wifi password is {}",
        "remember the db password is {}",
        "Remember my password: {}. Then run the tests.",
    ],
)
def test_who_asks_to_keep_a_secret_is_told_that_it_is_not_kept(said: str) -> None:
    """G-6: in one line without the secret; else the agent says "I will remember it"."""
    secret = "Tr0ub4dor&3xyzQ"
    told = prompted(said.format(secret))
    assert told.count("\n") == 0
    assert "stored" in told
    assert "what looks like a secret, and muniment keeps none" in told
    assert secret not in told
    assert texts() == []
    assert prompted(f"run it with the password {secret}, yes") == ""


def test_a_secret_beside_what_is_remembered_is_told_too() -> None:
    """G-6: else the agent says that it remembers both."""
    secret = "Tr0ub4dor&3xyzQ"
    first, second = prompted(f"remember that I use pnpm. The db password is {secret}").split("\n")
    assert "remembered: \u201cI use pnpm\u201d" in first
    assert second.startswith("muniment: not stored: ")
    assert "it has what looks like a secret" in second
    assert secret not in first + second


@pytest.mark.parametrize("outcome", ["refused", "older", "unwritten"])
def test_what_is_not_kept_is_told_with_the_reason(outcome: ProposalOutcome) -> None:
    """G-6: also where another session said otherwise a moment later, or the disk is full."""
    proposal = Proposal("create", Memory("Use tabs"), basis="asked")
    line = prompt_requests.line_of({}, Taken(proposal, outcome, why="the reason"))
    assert line == "muniment: not stored: \u201cUse tabs\u201d: the reason"


def test_a_refusal_says_why() -> None:
    """G-6: as where a limit is reached."""
    Path(os.environ["MUNIMENT_HOME"], "config.toml").write_text("[limits]\nper_conversation = 1\n")
    assert "remembered" in prompted("remember that I use pnpm")
    told = prompted("remember that I use vim")
    assert told.startswith("muniment: not stored: ")
    assert "limit" in told


def test_a_secret_is_not_remembered_nor_repeated() -> None:
    """G-6: refused in one line without it."""
    secret = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"
    told = prompted(f"remember that the deploy token is {secret}")
    assert secret not in told
    assert texts() == []


def test_a_no_lets_it_stand() -> None:
    """G-6, K-71."""
    run("add", "Answer in French").ok()
    path = Path("t.jsonl").absolute()
    path.write_bytes(jsonl(person("forget what I said about French")))
    assert "ask the user whether to forget" in prompted(
        "forget what I said about French", transcript_path=str(path)
    )
    assert prompted("no, keep it", transcript_path=str(path)) == ""
    assert prompted("yes", transcript_path=str(path)) == ""
    assert texts() == ["Answer in French"]


@pytest.mark.parametrize(
    ("asked", "goes"),
    [
        ("Shall I forget “Answer in French”?", True),
        ("Do you really want that?", False),
    ],
)
def test_a_yes_is_to_what_the_agent_asked_last(asked: str, goes: bool) -> None:
    """G-6, K-71: whether or not the worker has read it already."""
    run("add", "Answer in French").ok()
    path, said = Path("t.jsonl").absolute(), "forget what I said about French"
    assert "ask the user whether to forget" in prompted(said, transcript_path=str(path))
    path.write_bytes(jsonl(person(said), claude("assistant", asked)))
    prompted("yes", transcript_path=str(path))
    assert texts() == ([] if goes else ["Answer in French"])


@pytest.mark.parametrize(("reply", "stands"), [("yes please", "active"), ("no", ""), ("why?", "candidate")])
def test_a_yes_or_no_to_the_question_that_the_section_asked(reply: str, stands: str) -> None:
    """G-6, P-170: only where the agent asked about that one candidate in its last message."""
    run("add", "Use tabs in Makefiles", "--candidate", "--source", "auto").ok()
    assert "Should I remember that" in context(hook(event("SessionStart", source="startup")))
    path = Path("t.jsonl").absolute()
    asked = claude("assistant", "Hello! Should I remember that “Use tabs in Makefiles”?")
    path.write_bytes(jsonl(person("hi"), claude("assistant", "Hello!")))
    assert prompted("yes", transcript_path=str(path)) == ""
    path.write_bytes(jsonl(person("hi"), asked))
    told = prompted(reply, transcript_path=str(path))
    statuses = [one["status"] for one in run("export", "--json").json_lines]
    assert statuses == ([stands] if stands else [])
    assert ("Use tabs" in told) == (stands != "candidate")


def test_a_long_prompt_and_one_without_words_are_left_to_the_transcript() -> None:
    """G-6."""
    assert prompted("remember that I use pnpm. " + "x " * 20_000) == ""
    assert prompted(" \n ") == ""
    assert texts() == []


ASKED_FOR = (
    "Remember that we use pnpm in this project",
    "Please remember that the tests of this repo run with pytest -q",
    "Remember that on this machine Postgres listens on port 5433",
    "Remember that I prefer short answers",
)


def test_what_a_person_asks_for_stands_at_once_outside_of_a_project() -> None:
    """K-70: in their own ledger, whatever it belongs to."""
    for number, said in enumerate(ASKED_FOR):
        assert "muniment: remembered: " in prompted(said, prompt_id=f"p-{number}")
    assert len(run("list", "--json", "--status", "active").json_lines) == len(ASKED_FOR)
    assert run("list", "--json", "--status", "candidate").json_lines == []


def test_what_takes_a_memory_back_restores_what_it_replaced() -> None:
    """K-70: the hook names that command."""
    prompted("remember that the API is in Go")
    told = prompted("remember: the API is in Rust now")
    (command,) = re.findall(r"; muniment (.*) takes it back", told)
    run(*command.split()).ok()
    assert texts() == ["the API is in Go"]


def test_in_a_project_it_stands_in_the_ledger_that_it_belongs_to(tmp_path: Path) -> None:
    """K-70: that of this machine is made by the first memory of it, without a command."""
    (tmp_path / ".git").mkdir()
    run("init", "--scope", "project").ok()
    for number, said in enumerate(ASKED_FOR):
        assert "muniment: remembered: " in prompted(said, prompt_id=f"p-{number}")
    found = {
        scope: len(run("list", "--json", "--status", "active", "--scope", scope).ok().json_lines)
        for scope in ("user", "project", "local")
    }
    assert found == {"user": 1, "project": 2, "local": 1}
    assert "Postgres" in context(hook(event("SessionStart", "s2", source="startup")))


def test_a_wish_to_forget_that_is_not_understood_is_answered(tmp_path: Path) -> None:
    """G-6, K-140: the agent hears which memory may be meant; a yes to its question forgets it."""
    wish = "please forget: Use pnpm, not npm"
    run("add", "Use pnpm, not npm", terminal=True).ok()
    run("add", "Answer in French", terminal=True).ok()
    told = prompted(wish)
    assert "muniment: nothing was forgotten." in told
    assert "\u201cUse pnpm, not npm\u201d (ID " in told
    assert "French" not in told
    assert prompted("Forget the failing step for now, use the cache") == ""
    file = tmp_path / "t.jsonl"
    question = claude("assistant", "Should I forget \u201cUse pnpm, not npm\u201d?")
    file.write_bytes(jsonl(person(wish), question))
    prompted(wish)
    assert "muniment: forgotten (" in prompted("yes", transcript_path=str(file))
    assert texts() == ["Answer in French"]


@pytest.mark.parametrize(
    "wish",
    [
        "Forget pnpm",
        "the memory about pnpm is wrong, delete it",
    ],
)
def test_an_order_to_delete_a_memory_is_heard_as_a_wish_to_forget_it(tmp_path: Path, wish: str) -> None:
    """G-6: the agent is told to ask, and a yes deletes the memory."""
    run("add", "Use pnpm, not npm", terminal=True).ok()
    run("add", "Answer in French", terminal=True).ok()
    file = tmp_path / "t.jsonl"
    told = prompted(wish, transcript_path=str(file))
    assert "ask the user whether to forget \u201cUse pnpm, not npm\u201d (ID " in told
    file.write_bytes(
        jsonl(person(wish), claude("assistant", "Should I forget \u201cUse pnpm, not npm\u201d?"))
    )
    assert "muniment: forgotten (" in prompted("yes", transcript_path=str(file))
    assert texts() == ["Answer in French"]


@pytest.mark.parametrize(
    "said",
    [
        "remove the parser, it is too slow",
        "the memory leak is still there",
        "how much memory does the parser use?",
    ],
)
def test_other_prompts_load_nothing_that_hears(said: str) -> None:
    """G-6: neither word alone asks for anything."""
    assert not ASKS.search(said)


def test_what_a_person_asks_for_makes_their_own_ledger(
    tmp_path: Path, isolated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """K-70: where only the project has one; what an agent says they asked makes none."""
    monkeypatch.setenv("MUNIMENT_HOME", str(isolated / "another"))
    monkeypatch.setenv("MUNIMENT_STATE", str(isolated / "another state"))
    (tmp_path / ".git").mkdir()
    run("init", "--scope", "project").ok()
    chain = isolated / "another" / "chain.jsonl"
    assert "muniment: remembered: " in prompted("Remember: this repository uses pnpm")
    assert not chain.exists()
    assert "muniment: remembered: " in prompted("Remember: I prefer short answers")
    assert chain.exists()
    assert texts("--scope", "user") == ["I prefer short answers"]
    run("verify", "--scope", "user").ok()


def test_an_agent_asks_about_what_was_only_noted_and_a_yes_takes_it(tmp_path: Path) -> None:
    """G-6: without a terminal."""
    noted = _noted_as_candidate()
    file = tmp_path / "t.jsonl"
    question = claude("assistant", f"Should I keep that? (ID {noted})")
    file.write_bytes(jsonl(person("hello"), question))
    told = prompted("yes", transcript_path=str(file))
    assert "muniment: remembered: " in told
    assert run("show", noted, "--json").ok().json["status"] == "active"


def _noted_as_candidate() -> str:
    """State what belongs to a project, outside of one and unasked; return its id as the agent is told it."""
    told = prompted("Do you remember? We use Postgres 16 in this project.", prompt_id="p-1")
    found = re.search(r"noted; ask the user, with the ID, whether to keep it.*\(ID ([0-9a-f]{12})\)", told)
    assert found, told
    return found[1]
