"""Whose words a transcript's are depends on the door by which it came (K-275)."""

from __future__ import annotations

import pytest

from cli import learning_run
from cli.app import App
from learning.authorship import Door, writer
from learning.intake import Taking
from ledger.event import By
from muniment import Memory, MemoryLedger
from tests.cli.driver import run
from tests.learning.taking_in import AGENT, said, texts


@pytest.mark.parametrize(
    ("door", "under_agent", "role"),
    [
        ("cli", False, "system"),
        ("cli", True, "agent"),
        ("hook", False, "system"),
        ("hook", True, "system"),
        ("library", True, "agent"),
    ],
)
def test_only_a_hook_hears_a_person_in_an_agents_environment(
    door: Door, under_agent: bool, role: str
) -> None:
    assert writer(door, under_agent=under_agent) == By("capture", role, door)


def test_a_command_never_writes_as_a_hook(monkeypatch: pytest.MonkeyPatch) -> None:
    """K-275: whatever its arguments and its environment say."""
    monkeypatch.setenv("CLAUDECODE", "1")
    assert learning_run.writer(App()) == By("capture", "agent", "cli")
    assert learning_run.writer(App(by_name="ada")) == By("ada", "agent", "cli")
    assert run("capture", "--door", "hook", "talk.jsonl").code == 2
    assert "hook" not in run("capture", "--help").out


def _agents_candidate(memory: MemoryLedger) -> None:
    record = Memory("Use tabs", status="candidate", source="auto")
    memory.store(record, by=AGENT)


def test_a_persons_words_that_a_hook_heard_promote_what_an_agent_filed(memory: MemoryLedger) -> None:
    """K-275, S-10; the same transcript by the command line, in the same environment, does not."""
    _agents_candidate(memory)
    by_command = Taking({"": memory.scope}, writer("cli", under_agent=True))
    assert by_command.take([said("Use tabs", conversation="c-2")])[0].outcome == "known"
    by_hook = Taking({"": memory.scope}, writer("hook", under_agent=True))
    assert by_hook.take([said("Use tabs", conversation="c-2")])[0].outcome == "promoted"
    newest = next(iter(memory.load_all()))
    assert (newest.status, newest.by.role, newest.by.via) == ("active", "system", "hook")


def test_a_persons_plain_words_that_a_hook_heard_replace_what_they_wrote(memory: MemoryLedger) -> None:
    """K-275, K-63."""
    memory.store(Memory("Always use tabs"))
    by_command = Taking({"": memory.scope}, writer("cli", under_agent=True))
    assert by_command.take([said("Never use tabs", conversation="c-2")])[0].outcome == "candidate"
    by_hook = Taking({"": memory.scope}, writer("hook", under_agent=True))
    later = said("Never use tabs", conversation="c-3", message="m-3")
    assert by_hook.take([later])[0].outcome == "promoted"
    assert texts(memory) == ["Never use tabs"]


def test_a_hook_is_limited_as_every_door_is(memory: MemoryLedger) -> None:
    """K-275, K-68."""
    by = Taking({"": memory.scope}, writer("hook", under_agent=True))
    animals = "otter lynx heron badger weasel raven viper gecko bison tapir marmot".split()
    sentences = [f"The {name} service is written in Rust" for name in animals]
    done = by.take([said(text, message=text) for text in sentences])
    assert [each.outcome for each in done].count("refused") == 1
