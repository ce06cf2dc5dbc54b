"""A message that is read once more comes to nothing new, whatever became of what it said (K-62, K-220, K-221)."""

from __future__ import annotations

from learning.detection.detector import LearningDetector
from learning.intake import DAY
from learning.limits import HOUR
from learning.listening import Listener
from learning.turn import Turn
from muniment import MemoryLedger
from tests.learning.taking_in import said, taking, texts


def hear(memory: MemoryLedger, conversation: str, *texts_: str) -> list[str]:
    """Hear a whole conversation as a process of its own; return the outcomes."""
    listener = Listener(taking(memory), LearningDetector())
    turns = [
        Turn("user", text, conversation=conversation, message=f"m-{number}")
        for number, text in enumerate(texts_)
    ]
    return [taken.outcome for turn in turns for taken in listener.hear(turn)]


def test_what_was_deleted_does_not_come_back_by_reading_again(memory: MemoryLedger) -> None:
    talk = ("Remember that my cat is called Luna", "From now on answer in French")
    assert hear(memory, "c-1", *talk) == ["created", "created"]
    memory.delete([memory.load_all()[0].id])
    assert hear(memory, "c-1", *talk) == ["known", "known"]
    assert texts(memory) == ["Answer in French"]
    assert hear(memory, "c-2", *talk[:1]) == ["created"], "who says it again means it"


def test_what_was_replaced_is_not_said_anew_by_reading_again(memory: MemoryLedger) -> None:
    """Nor does it use up the conversation's limit (K-68), so that its last word would be refused."""
    talk = ("From now on answer in French", "From now on answer in German")
    assert hear(memory, "c-1", *talk) == ["created", "superseded"]
    before = memory.workspace.chain.read_bytes()
    for _ in range(4):
        assert hear(memory, "c-1", *talk) == ["known"] * 2
    assert memory.workspace.chain.read_bytes() == before


def test_what_a_person_edited_is_kept_when_its_conversation_is_read_again(memory: MemoryLedger) -> None:
    talk = ("Remember that my cat is called Luna",)
    hear(memory, "c-1", *talk)
    old = memory.load_all()[0]
    memory.supersede(
        [old.id], old.memory.with_changes(text="The user's cat is called Lunette", source="manual")
    )
    assert hear(memory, "c-1", *talk) == ["known"]
    assert texts(memory) == ["The user's cat is called Lunette"]


def test_a_yes_that_is_read_again_forgets_nothing_that_was_learned_since(memory: MemoryLedger) -> None:
    talk = ("Remember that my cat is called Luna", "Forget what I said about my cat", "yes")
    assert hear(memory, "c-1", *talk) == ["created", "asked", "forgotten"]
    assert hear(memory, "c-2", talk[0]) == ["created"]
    assert hear(memory, "c-1", *talk) == ["known", "asked", "known"]
    assert texts(memory) == ["my cat is called Luna"]
    assert hear(memory, "c-3", *talk[1:]) == ["asked", "forgotten"], "another yes is another one"


def test_a_second_yes_of_a_conversation_is_done(memory: MemoryLedger) -> None:
    talk = (
        "Remember that my cat is called Luna",
        "Forget what I said about my cat",
        "yes",
        "Remember that my dog is called Rex",
        "Forget what I said about my dog",
        "yes",
    )
    assert hear(memory, "c-1", *talk) == ["created", "asked", "forgotten"] * 2


def test_a_conversation_confirms_a_memory_once(memory: MemoryLedger) -> None:
    """K-62: however long it lasts, and however often it is read."""
    now = memory.workspace.clock()
    memory.workspace.clock = lambda: now
    taking(memory).take([said("Answer in French")])
    for day, outcome in ((1, "confirmed"), (2, "known"), (9, "known")):
        memory.workspace.clock = lambda day=day: now + day * (DAY + HOUR)  # type: ignore[misc]
        again = said("Answer in French", conversation="c-2", message=f"m-{day}")
        assert [t.outcome for t in taking(memory).take([again])] == [outcome]
