"""A conversation is heard turn by turn; forgetting takes a yes (K-71)."""

from __future__ import annotations

from pathlib import Path

import pytest

from documents.proposal import Proposal
from learning.listening import Listener
from learning.turn import Turn
from muniment import Memory, MemoryLedger
from tests.learning.taking_in import ledger, said, taking, texts


class Parrot:
    """A detector that remembers what begins with "note ", and forgets what follows "forget "."""

    def analyze(self, turn: Turn) -> list[Proposal]:
        """Return at most one proposal."""
        verb, _, rest = turn.text.partition(" ")
        if turn.role != "user" or verb not in ("note", "forget"):
            return []
        if verb == "forget":
            return [said("", action="delete", about=rest)]
        return [said(rest, conversation=turn.conversation, message=turn.message)]


@pytest.fixture
def memory(isolated: Path, tmp_path: Path) -> MemoryLedger:
    """A ledger that knows two servers."""
    made = ledger(tmp_path)
    made.store(Memory("The staging server is called bluebird"))
    made.store(Memory("The production server is called falcon"))
    return made


def hear(memory: MemoryLedger, *turns: tuple[str, str]) -> list[str]:
    """Let each (role, text) be heard by a listener of its own, as hooks do; return the outcomes."""
    outcomes: list[str] = []
    for number, (role, text) in enumerate(turns):
        listener = Listener(taking(memory), Parrot())
        turn = Turn(role, text, conversation="c-1", message=f"m-{number}")  # type: ignore[arg-type]
        outcomes += [taken.outcome for taken in listener.hear(turn)]
    return outcomes


def test_what_is_said_is_taken_in(memory: MemoryLedger) -> None:
    assert hear(memory, ("user", "hello"), ("user", "note Use tabs"), ("assistant", "note Use spaces")) == [
        "created"
    ]
    assert texts(memory)[-1] == "Use tabs"


def test_a_yes_forgets_what_was_named(memory: MemoryLedger) -> None:
    """Also when an assistant asked in between, and another process hears the answer."""
    done = hear(
        memory, ("user", "forget staging server"), ("assistant", "Forget bluebird?"), ("user", "yes please")
    )
    assert done == ["asked", "forgotten"]
    assert texts(memory) == ["The production server is called falcon"]


@pytest.mark.parametrize("reply", ["no", "hm, what would go?", "note Use tabs"])
def test_anything_else_lets_it_stand(memory: MemoryLedger, reply: str) -> None:
    """And a yes to something later is no yes to this."""
    hear(memory, ("user", "forget staging server"), ("user", reply), ("user", "yes"))
    assert "The staging server is called bluebird" in texts(memory)


def test_a_yes_is_about_what_the_assistant_quotes(memory: MemoryLedger) -> None:
    """Also where the person's own words found nothing, or more than that."""
    ask = 'I have this entry: "The production server is called falcon". Delete it?'
    done = hear(
        memory, ("user", "forget where the site lives"), ("assistant", ask), ("user", "yes, delete it")
    )
    assert done == ["discarded", "forgotten"]
    assert texts(memory) == ["The staging server is called bluebird"]


def test_a_quotation_that_nobody_asked_for_deletes_nothing(memory: MemoryLedger) -> None:
    ask = 'Shall I delete "The production server is called falcon"?'
    assert hear(memory, ("assistant", ask), ("user", "yes")) == []
    assert len(texts(memory)) == 2


@pytest.mark.parametrize(
    "offer",
    [
        "I have 'The production server is called falcon'. Delete it?",
        "I have \u2018The production server is called falcon\u2019. Delete it?",
        "„The production server is called falcon\" – soll ich das löschen?",
        "The production server is called falcon. Shall I remove that?",
        "Shall I delete «The production server is called falcon»?",
    ],
)  # fmt: skip
def test_an_offer_quotes_as_people_write(memory: MemoryLedger, offer: str) -> None:
    """K-241: a yes that says to what is a wish of its own; a mere yes needs one before it."""
    assert hear(memory, ("user", "which names?"), ("assistant", offer), ("user", "yes")) == []
    assert hear(memory, ("user", "which names?"), ("assistant", offer), ("user", "yes, delete it")) == [
        "forgotten"
    ]


def test_a_yes_to_another_question_is_none(memory: MemoryLedger) -> None:
    """K-241."""
    asked = ("assistant", "Noted. Shall I commit the changes to the branch?")
    assert hear(memory, ("user", "forget staging server"), asked, ("user", "yes")) == ["asked"]
    done = hear(
        memory,
        ("user", "what?"),
        ("assistant", "Delete the file falcon.txt too?"),
        ("user", "yes, delete it"),
    )
    assert done == []
    assert len(texts(memory)) == 2


def test_what_follows_the_yes_is_heard(memory: MemoryLedger) -> None:
    """K-240."""
    done = hear(memory, ("user", "forget staging server"), ("user", "Yes, forget it.\nnote Use tabs"))
    assert done == ["asked", "forgotten", "created"]
