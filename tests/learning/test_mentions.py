"""What is said by the way of memories that stand, of scopes, and of what is to be forgotten: K-138, K-140…K-142."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

import muniment
from learning.detection.detector import LearningDetector
from learning.intake import DAY, Taking
from learning.listening import Listener
from learning.turn import Turn
from muniment import Memory, MemoryLedger
from tests.learning.taking_in import CAPTURE, ledger, texts


@pytest.fixture
def memory(isolated: Path, tmp_path: Path) -> MemoryLedger:
    """A ledger that learned four things the week before."""
    made = ledger(tmp_path)
    now = made.workspace.clock()
    made.workspace.clock = lambda: now - 7 * DAY
    for text in (
        "The API listens on port 8000",
        "Never push directly to main",
        "The user is training for a marathon",
        "Feature flags are stored in LaunchDarkly",
    ):
        made.store(Memory(text))
    made.workspace.clock = lambda: now
    return made


def hear(memory: MemoryLedger, *turns: tuple[str, str]) -> list[str]:
    """Let a conversation be heard; return the outcomes, one listener a turn, as hooks do."""
    detector = LearningDetector()
    outcomes: list[str] = []
    for number, (role, text) in enumerate(turns):
        turn = Turn(role, text, conversation="c-1", message=f"m-{number}")  # type: ignore[arg-type]
        taken = Listener(Taking({"": memory.scope}, CAPTURE), detector).hear(turn)
        outcomes += [each.outcome for each in taken]
    return outcomes


@pytest.mark.parametrize(("source", "outcome"), [("auto", "superseded"), ("manual", "candidate")])
def test_a_change_said_by_the_way_takes_the_place_of_what_was_learned(
    isolated: Path, tmp_path: Path, source: Literal["auto", "manual"], outcome: str
) -> None:
    """What a person wrote waits for them, as it is said in other words (K-63, K-138)."""
    memory = muniment.init(tmp_path / "port")
    memory.store(Memory("The API listens on port 8000", source=source))
    said = "the healthcheck fails because the api has moved to 8088, please fix the compose file"
    assert hear(memory, ("user", said)) == [outcome]
    assert ("The API listens on port 8000" in texts(memory)) is (source == "manual")
    assert any("8088" in entry.memory.text for entry in memory.load_all())


def test_what_is_said_again_by_the_way_confirms(memory: MemoryLedger) -> None:
    assert hear(memory, ("user", "commit that, but don't push straight to main, ever. open a PR")) == [
        "confirmed"
    ]
    assert len(texts(memory)) == 4


@pytest.mark.parametrize(
    "said",
    [
        "start the api on port 8088 for now",
        "could the api move to 8088?",
        "someone suggests we should move the api to 8088, thoughts?",
        "the metrics exporter has moved to 9100, fix the scrape config",
        "how do I push to main?",
    ],
)
def test_what_is_asked_thought_of_or_passing_changes_nothing(memory: MemoryLedger, said: str) -> None:
    before = texts(memory)
    hear(memory, ("user", said))
    assert texts(memory)[:4] == before


def test_a_wish_in_any_words_counts_where_the_assistant_asks_and_quotes(memory: MemoryLedger) -> None:
    ask = 'Delete "The user is training for a marathon"?'
    wish = "the marathon thing needn't concern you any longer, I pulled out"
    assert hear(memory, ("user", wish), ("assistant", ask), ("user", "yes do it"))[-1] == "forgotten"
    assert "The user is training for a marathon" not in texts(memory)


@pytest.mark.parametrize(
    ("wish", "ask"),
    [
        ("remove the marathon tag from the page", "Delete 3 files?"),
        ("how long is a marathon?", 'Delete "The user is training for a marathon"?'),
        ("drop the marathon section", 'It says "The user is training for a marathon". Sounds good?'),
    ],
)
def test_a_yes_to_something_else_forgets_nothing(memory: MemoryLedger, wish: str, ask: str) -> None:
    assert "forgotten" not in hear(memory, ("user", wish), ("assistant", ask), ("user", "yes"))
    assert len(texts(memory)) == 4


def test_what_is_out_of_date_is_asked_about(memory: MemoryLedger) -> None:
    said = "that note about LaunchDarkly is out of date, drop it"
    assert hear(memory, ("user", said), ("user", "yes")) == ["asked", "forgotten"]
    assert "Feature flags are stored in LaunchDarkly" not in texts(memory)


def test_a_change_belongs_to_the_scope_of_what_it_changes(isolated: Path, tmp_path: Path) -> None:
    """ "We" speaks of a project, but where the person lives is theirs (K-142); and its type is kept (K-138)."""
    (tmp_path / "p").mkdir()
    user = muniment.init(tmp_path / "user")
    project = muniment.init(tmp_path / "project")
    user.store(Memory("The user lives in Leeds", type="identity", source="auto"))
    taking = Taking({"user": user.scope, "project": project.scope}, CAPTURE)
    said = "We live in Porto now, moved in on Saturday!"
    [taken] = Listener(taking, LearningDetector()).hear(Turn("user", said, conversation="c", message="m"))
    assert (taken.outcome, taken.scope, taken.proposal.scope) == ("superseded", "user", "user")
    [stands] = user.load_all()
    assert stands.memory.type == "identity"
    assert project.load_all() == []
