"""Hooks of one session that meet: as real processes, at once or around a worker at work (specs/doors.md G-3, G-6, G-11)."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from agents.hooks import handover, session_notes, spool_learning
from agents.hooks.spool import batch, discard
from documents.session_buffer import BUFFER_NAME
from tests.agents.hooks.calling import event, faults, hook, settled, spool
from tests.cli.driver import run
from tests.learning.transcripts.writing import claude, jsonl, person

pytestmark = pytest.mark.usefixtures("ledger")  # seen from an empty folder


def at_once(*events: dict[str, object]) -> list[str]:
    """Call a hook for each event, all at the same time; return what each printed."""
    with ThreadPoolExecutor(len(events)) as threads:
        return [done.out for done in threads.map(hook, events)]


def texts() -> list[str]:
    return [one["text"] for one in run("list", "--json").json_lines]


def test_a_prompt_that_nobody_said_is_passed_over_though_its_word_came_after_the_worker_looked() -> None:
    """G-6: the transcript is read to its end, and has what came meanwhile; the hook's spool file was there before it."""
    said, path = "Remember that I use pnpm, never npm", Path("t.jsonl").absolute()
    held = handover.lock()
    assert held is not None
    hook(event("Stop", transcript_path=str(path)))
    waiting = batch(set())
    hook(event("UserPromptSubmit", prompt=said, transcript_path=str(path), source="system"))
    path.write_bytes(jsonl(person(said, uuid="u1"), claude("assistant", "I will.", uuid="u2")))
    assert spool_learning.learn(str(Path.cwd()), waiting)
    assert texts() == []
    for each in waiting:
        discard(each.path)
    assert spool() == []
    again = jsonl(person("Fine.", uuid="u3"), person(said, uuid="u4"))
    with path.open("ab") as stream:
        stream.write(again)
    hook(event("Stop", transcript_path=str(path)))
    assert spool_learning.learn(str(Path.cwd()), batch(set()))
    assert texts() == ["I use pnpm, never npm"]
    os.close(held)


def test_prompts_at_once_that_nobody_said_are_not_learned_and_the_persons_are() -> None:
    """G-6: eight sessions, each with its Stop at the same moment as the next system prompt."""
    paths = [Path(f"t{number}.jsonl").absolute() for number in range(8)]
    places = "Oslo Bern Rome Paris Kyiv Lima Cairo Quito".split()
    own = [f"Remember that the office in {place} closes at noon" for place in places]
    made = [f"Remember that the store in {place} opens at dawn" for place in places]
    at_once(
        *(
            event(
                "UserPromptSubmit",
                f"s{n}",
                prompt=made[n],
                transcript_path=str(path),
                source="system",
            )
            for n, path in enumerate(paths)
        )
    )
    for n, path in enumerate(paths):
        path.write_bytes(
            jsonl(
                person(own[n], uuid=f"a{n}", sessionId=f"s{n}"),
                person(made[n], uuid=f"b{n}", sessionId=f"s{n}"),
            )
        )
    at_once(*(event("Stop", f"s{n}", transcript_path=str(path)) for n, path in enumerate(paths)))
    settled()
    found = texts()
    assert sorted(place for place in places for text in found if place in text) == sorted(places)
    assert not any("store" in text for text in found)
    assert not faults()


def test_digests_at_once_are_whole_lines_and_each_stands_once(ledger: Path) -> None:
    """G-11: PreCompact and Stop of six sessions at the same moment."""
    events = [
        event(name, f"s{number}", transcript_path="", **{member: f"{word} the parser of part {number} now"})
        for number in range(6)
        for name, member, word in (
            ("PreCompact", "custom_instructions", "Keep"),
            ("Stop", "last_assistant_message", "Rewrote"),
        )
    ]
    at_once(*events)
    settled()
    lines = (ledger / BUFFER_NAME).read_text().splitlines()
    bullets = [line for line in lines if line.startswith("- ")]
    assert sorted(line[19:] for line in bullets) == sorted(
        [f"before compacting: Keep the parser of part {n} now" for n in range(6)]
        + [f"Rewrote the parser of part {n} now" for n in range(6)]
    )
    assert all(line.startswith(("- ", "session: s")) for line in lines)
    assert not faults()


def test_prompts_of_one_session_at_once_leave_a_note_that_can_be_read() -> None:
    """G-3: a topic may be told twice then, and never again; another one's is told still."""
    run("add", "Tokens live for 15 minutes", "--topic", "auth/tokens", "--when", "login timeout").ok()
    run("add", "Retries wait for 3 seconds", "--topic", "net/retries", "--when", "retry backoff").ok()
    told = at_once(*[event("UserPromptSubmit", prompt="fix the login timeout")] * 6)
    assert any("15 minutes" in each for each in told)
    assert len(session_notes.load("s1").shown) == 1
    assert at_once(event("UserPromptSubmit", prompt="fix the login timeout")) == [""]
    (later,) = at_once(event("UserPromptSubmit", prompt="fix the retry backoff"))
    assert "3 seconds" in later
    assert not faults()
