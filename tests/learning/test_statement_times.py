"""Words that were said before what stands change nothing, in whatever order files are read (K-270, K-271)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import muniment
from documents.proposal import Proposal
from learning.conversations import Conversations
from learning.detection.detector import LearningDetector
from learning.intake import Taken
from learning.listening import Listener
from learning.statement_times import instant_of
from learning.turn import Turn
from ledger.event import split_line
from ledger.instant import DAY, written
from muniment import Memory, MemoryLedger, Provenance
from tests.learning.taking_in import AGENT, ledger, said, taking, texts

NOON = 1_763_812_800_000_000
"""2025-11-22T12:00:00Z, which is long ago."""


@pytest.fixture
def memory(isolated: Path, tmp_path: Path) -> Iterator[MemoryLedger]:
    """An empty ledger."""
    with ledger(tmp_path) as opened:
        yield opened


def at(day: int, proposal: Proposal) -> Proposal:
    """Return what was said on a day, in a conversation of that day."""
    date = written(NOON + day * DAY)
    if proposal.memory is None:
        return proposal._replace(date=date)
    origin = proposal.memory.provenance._replace(conversation=f"c{day}", message=f"m{day}")
    return proposal._replace(memory=proposal.memory._replace(provenance=origin), date=date)


def take(memory: MemoryLedger, day: int, proposal: Proposal) -> Taken:
    """Take in what was said on a day."""
    return taking(memory).take([at(day, proposal)])[0]


def dates(memory: MemoryLedger) -> list[str]:
    return [entry.memory.provenance.date for entry in memory.load_all()]


# --- when it was said ---


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("2025-11-22T12:00:00Z", "2025-11-22T12:00:00.000000Z"),
        ("2025-11-22T13:00:00.5+01:00", "2025-11-22T12:00:00.500000Z"),
        ("1763812800", "2025-11-22T12:00:00.000000Z"),
        ("1763812800123", "2025-11-22T12:00:00.123000Z"),
        ("", ""),
        ("2025-11-22", ""),
        ("yesterday", ""),
        ("9999-12-31T23:59:59Z", ""),
        ("99999999999999999999", ""),
    ],
)
def test_a_memory_says_when_it_was_said(memory: MemoryLedger, given: str, told: str) -> None:
    """K-270: in UTC; nothing where that is no instant, or lies in the future."""
    taking(memory).take([said("The user prefers tabs")._replace(date=given)])
    assert dates(memory) == [told]


def test_a_confirm_and_a_delete_say_it_too(memory: MemoryLedger) -> None:
    """K-270."""
    by = taking(memory)
    first = by.take([at(0, said("The user prefers tabs"))])[0]
    clock = memory.workspace.clock
    memory.workspace.clock = lambda: clock() + 2 * DAY
    by.take([at(1, said("The user prefers tabs"))])
    wish = Proposal("delete", None, (first.id,), date=written(NOON + 2 * DAY))
    by.forget(Taken(wish, "asked", targets=(first.id,)), Provenance("c2", "m2"))
    told = [
        orjson.loads(split_line(memory.recall.line(row.id)).payload or b"")
        for row in memory.recall.said_of(first.id)
    ]
    assert [each["provenance"]["date"][:10] for each in told] == ["2025-11-23", "2025-11-24"]


def test_what_no_instant_is_is_none() -> None:
    assert instant_of("0") is None
    assert instant_of("9" * 40) is None


# --- older words ---


def test_older_words_replace_nothing(memory: MemoryLedger) -> None:
    """K-271: the finding: an older file that is read later overruled what was said since."""
    now = take(memory, 5, said("Always use tabs"))
    late = take(memory, 1, said("Never use tabs"))
    assert (late.outcome, late.id, late.targets) == ("older", "", (now.id,))
    assert late.why == f"said 2025-11-23, before the current one: {now.id[:12]} (Always use tabs)"
    assert texts(memory) == ["Always use tabs"]
    assert len(list(memory.log())) == 2


def test_newer_words_replace_what_was_said_before(memory: MemoryLedger) -> None:
    """K-271: also where both were read long after."""
    take(memory, 1, said("Never use tabs"))
    assert take(memory, 5, said("Always use tabs")).outcome == "superseded"


def test_older_words_refresh_nothing(memory: MemoryLedger) -> None:
    """K-271."""
    take(memory, 5, said("Always use tabs"))
    clock = memory.workspace.clock
    memory.workspace.clock = lambda: clock() + 2 * DAY
    assert take(memory, 1, said("Always use tabs")).outcome == "older"
    assert take(memory, 6, said("Always use tabs")).outcome == "confirmed"


def test_what_a_person_wrote_is_of_when_they_wrote_it(memory: MemoryLedger) -> None:
    """K-271: whatever its provenance says that an edit took over."""
    memory.store(Memory("Always use tabs", provenance=Provenance(date=written(NOON))))
    assert take(memory, 5, said("Never use tabs")).outcome == "older"


def test_a_confirm_counts_from_its_words(memory: MemoryLedger) -> None:
    """K-271: not from when they were read; so a word between is older, and one behind it is not."""
    clock = memory.workspace.clock
    take(memory, 1, said("Always use tabs"))
    memory.workspace.clock = lambda: clock() + 2 * DAY
    assert take(memory, 5, said("Always use tabs")).outcome == "confirmed"
    assert take(memory, 3, said("Never use tabs")).outcome == "older"
    assert take(memory, 7, said("Never use tabs")).outcome == "superseded"


def test_a_persons_confirm_counts_from_now(memory: MemoryLedger) -> None:
    """K-271."""
    now = take(memory, 1, said("Always use tabs"))
    memory.confirm([now.id])
    assert take(memory, 5, said("Never use tabs")).outcome == "older"


def test_an_undated_turn_of_the_same_conversation_is_not_later(memory: MemoryLedger) -> None:
    """K-271: a program may note a time only beside some of its lines."""
    proposal = said("Always use tabs", conversation="c5")
    taking(memory).take([proposal])
    assert take(memory, 5, said("Never use tabs")).outcome == "superseded"


def test_undated_words_are_said_now(memory: MemoryLedger) -> None:
    take(memory, 5, said("Always use tabs"))
    assert taking(memory).take([said("Never use tabs")])[0].outcome == "superseded"


def test_an_older_wish_forgets_nothing_that_was_said_since(memory: MemoryLedger) -> None:
    """K-271: neither the wish nor the yes."""
    now = take(memory, 5, said("The staging server is bluebird"))
    wish = said("", action="delete", basis="asked", about="staging server")
    assert take(memory, 1, wish).outcome == "older"
    agreed = Proposal("delete", None, (now.id,), date=written(NOON))
    assert taking(memory).forget(Taken(agreed, "asked", targets=(now.id,))).outcome == "older"
    assert texts(memory) == ["The staging server is bluebird"]


def test_a_candidate_is_promoted_in_either_order(memory: MemoryLedger) -> None:
    """K-271: it was said twice; but not past what was said since."""
    take(memory, 5, said("Always use tabs", confidence=0.6))
    assert take(memory, 1, said("Always use tabs", confidence=0.6)).outcome == "promoted"
    take(memory, 8, said("Deploy from main", confidence=0.6))
    take(memory, 9, said("Never deploy from main"))
    assert take(memory, 7, said("Deploy from main", confidence=0.6)).outcome == "older"


def test_what_was_deleted_since_does_not_come_back(memory: MemoryLedger) -> None:
    """K-271."""
    now = take(memory, 5, said("Always use tabs"))
    memory.delete([now.id], "no longer")
    assert take(memory, 1, said("Always use tabs")).outcome == "older"
    assert texts(memory) == []


def test_an_agents_old_words_are_older_too(memory: MemoryLedger) -> None:
    take(memory, 5, said("Always use tabs"))
    assert taking(memory, AGENT).take([at(1, said("Never use tabs"))])[0].outcome == "older"


# --- two files, in both orders ---

SENTENCES = (
    "From now on use pnpm in this project",
    "From now on use npm in this project",
    "From now on use yarn in this project",
    "From now on always use tabs",
    "From now on never use tabs",
    "I prefer dark mode",
    "I prefer light mode",
    "Remember that the staging port is 5433",
    "Remember that the staging port is 5434",
    "My cat's name is Luna",
    "Maybe we should squash merge",
    "No, use vitest, not jest",
)
SESSIONS = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=4)


def _transcript(folder: Path, name: str, day: int, sentences: list[str]) -> Path:
    path = folder / f"{name}.jsonl"
    lines = [
        {
            "role": "user",
            "content": sentence,
            "id": f"{name}-{number}",
            "conversation_id": name,
            "timestamp": written(NOON + day * DAY + number * 60_000_000),
        }
        for number, sentence in enumerate(sentences)
    ]
    path.write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
    return path


def _learned(folder: Path, name: str, files: list[Path]) -> list[str]:
    with muniment.init(folder / name) as opened:
        for path in files:  # each in a run of its own
            detector = LearningDetector()
            Conversations(taking(opened), detector, opened.workspace.local).file(path)
        return sorted(texts(opened))


@given(SESSIONS, SESSIONS)
@example(["From now on always use tabs"], ["From now on never use tabs"])
@example(["Maybe we should squash merge"], ["Maybe we should squash merge"])
@settings(
    max_examples=settings().max_examples // 3, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_two_files_end_with_the_same_memories_in_either_order(
    isolated: Path, tmp_path_factory: pytest.TempPathFactory, first: list[str], second: list[str]
) -> None:
    """K-271."""
    folder = tmp_path_factory.mktemp("both")
    old = _transcript(folder, "old", 0, first)
    new = _transcript(folder, "new", 1, second)
    assert _learned(folder, "forth", [old, new]) == _learned(folder, "back", [new, old])


def test_a_turn_of_a_programs_own_conversation_is_dated(memory: MemoryLedger) -> None:
    """K-79, K-270."""
    turn = Turn("user", "I prefer tabs over spaces", "c", "c", "m", at="2025-11-22T12:00:00Z")
    Listener(taking(memory), LearningDetector()).hear(turn)
    assert dates(memory) == ["2025-11-22T12:00:00.000000Z"]
