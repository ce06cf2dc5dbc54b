"""Episodes are written once, and go on with their conversation: K-105, K-106, K-276."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learning.admitting import unfit
from learning.detection.episodes import Gathering
from learning.episodes import Gathered, Remembered
from learning.turn import Speaker, Turn
from ledger.event import By
from muniment import MemoryLedger
from tests.learning.detection.test_episodes import LONG, episodes, talk
from tests.projections.house import build

BY = By("capture", "system", "hook")


@pytest.fixture
def memory(tmp_path: Path) -> MemoryLedger:
    """An empty ledger."""
    return build(tmp_path / "ledger")[0]


def remembered(memory: MemoryLedger, turns: Iterable[Turn], *, dry: bool = False) -> list[Remembered]:
    """Hear a conversation from its beginning, and write its episodes."""
    gathered = Gathered()
    for turn in turns:
        gathered.hear(turn)
    return gathered.remember(memory.scope, BY, dry=dry)


def episodes_of(memory: MemoryLedger) -> list[str]:
    """The texts of the episodes that stand."""
    return [entry.memory.text for entry in memory.load_all() if entry.memory.type == "episode"]


def test_a_conversation_that_grew_supersedes_its_own_episode(memory: MemoryLedger) -> None:
    """And one that did not makes no event (K-106)."""
    [first] = remembered(memory, talk(*LONG))
    assert first.outcome == "created"
    events = memory.workspace.index.newest()
    [same] = remembered(memory, talk(*LONG))
    assert (same.outcome, same.id, memory.workspace.index.newest()) == ("known", first.id, events)
    [grown] = remembered(memory, talk(*LONG, ("u", "Let's keep the old files as they are")))
    assert (grown.outcome, grown.targets) == ("superseded", (first.id,))
    assert len(episodes_of(memory)) == 1
    assert "12 messages" in episodes_of(memory)[0]
    assert "the old files" in (memory.workspace.place.documents / "memory/2026-01-05.md").read_text()


def test_what_a_person_deleted_or_edited_stays_so(memory: MemoryLedger) -> None:
    """Theirs is the last word (K-106)."""
    [first] = remembered(memory, talk(*LONG))
    record = memory.entry(first.id).memory
    edited = memory.supersede([first.id], record._replace(text="About the importer", source="manual")).id
    grown = talk(*LONG, ("u", "Let's keep the old files as they are"))
    assert [each.outcome for each in remembered(memory, grown)] == ["known"]
    memory.delete([edited])
    assert [each.outcome for each in remembered(memory, grown)] == ["forgotten"]
    assert episodes_of(memory) == []


def test_short_and_nameless_conversations_have_none_and_dry_writes_none(memory: MemoryLedger) -> None:
    """Without an id nobody could say where it came from (K-106)."""
    assert remembered(memory, talk(*LONG[:3])) == []
    nameless = [turn._replace(conversation="", session="") for turn in talk(*LONG)]
    assert remembered(memory, nameless) == []
    assert [each.outcome for each in remembered(memory, talk(*LONG), dry=True)] == ["created"]
    assert episodes_of(memory) == []


def test_a_secret_is_never_chosen(memory: MemoryLedger) -> None:
    """Nor does it keep the rest of the episode out (K-104)."""
    secret = "ghp_" + "a8Kd02mLqP7xVz3TnR5wYb1CfH6jGs9EuD4o"
    said = [*LONG, ("u", f"The importer must only use the token {secret} because accounting demands it")]
    [done] = remembered(memory, talk(*said))
    assert done.outcome == "created"
    assert secret not in done.memory.body + done.memory.text


def test_episodes_do_not_use_up_the_limits(memory: MemoryLedger) -> None:
    """A conversation learns as much as before (K-95)."""
    from projections.rates import automatic_in

    remembered(memory, talk(*LONG))
    assert automatic_in(memory.workspace.index, "conv-1") == 0


def _long(count: int, text: str = "") -> Iterator[Turn]:
    for number in range(1, count + 1):
        role: Speaker = "user" if number % 10 == 1 else "assistant"
        said = f"Part {number} of the importer must be rewritten" if role == "user" else f"On it. {text}"
        yield Turn(role, said, "long", "long", f"m-{number}")


def test_a_conversation_has_episodes_up_to_its_end(memory: MemoryLedger) -> None:
    """K-276: the finding: what was said behind the 20,000th message was in none."""
    gathered = Gathered()
    for turn in _long(20_250):
        gathered.hear(turn)
    done = gathered.remember(memory.scope)
    assert len(done) == 203
    assert "Messages 20201 to 20250" in done[-1].memory.body
    assert "Part 20201 of the importer" in done[-1].memory.body
    assert {each.outcome for each in gathered.remember(memory.scope)} == {"known"}


def test_a_long_conversation_takes_no_more_memory_than_a_window() -> None:
    """K-276: 6 MB of text come to a few episodes."""
    gathered = Gathered()
    tracemalloc.start()
    try:
        for turn in _long(3_000, "x" * 1_990):
            gathered.hear(turn)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4_000_000


@given(st.lists(st.sampled_from("uats"), max_size=260))
def test_hearing_is_the_same_wherever_it_is_asked(roles: list[str]) -> None:
    """K-276: episodes that are asked for in between change nothing of those that follow."""
    names: dict[str, Speaker] = {"u": "user", "a": "assistant", "t": "tool", "s": "system"}
    turns = [Turn(names[role], f"Rewrite part {n} now", "c", "c", f"m-{n}") for n, role in enumerate(roles)]
    gathering = Gathering(unfit)
    for turn in turns:
        gathering.hear(turn)
        gathering.episodes()
    assert gathering.episodes() == episodes(turns)
