"""What a proposal is about: what it names, and what it changes.

Tests specs/doors.md (G-46) and specs/capture.md (K-62…K-64, K-138, K-284).
"""

from __future__ import annotations

import pytest

from documents.proposal import Basis
from learning.turn import Turn
from muniment import Memory, MemoryLedger
from tests.learning.taking_in import AGENT, said, taking, texts


def test_a_supersede_that_names_its_targets_replaces_them(memory: MemoryLedger) -> None:
    """G-46: whatever likeness says of them; what says the same, or is contradicted, goes with them."""
    ids = [
        memory.store(Memory(text, source="auto")).id
        for text in ("Redis runs on db-1", "Always use tabs", "Use spaces in Python", "Answer in German")
    ]
    wanted = said("Never use tabs", action="supersede")._replace(targets=(ids[0],))
    (done,) = taking(memory, AGENT).take([wanted])
    assert (done.outcome, set(done.targets)) == ("superseded", {ids[0], ids[1]})
    assert texts(memory) == ["Use spaces in Python", "Answer in German", "Never use tabs"]
    again = said("Please answer in German", action="supersede", message="m-2")._replace(targets=(ids[2],))
    (done,) = taking(memory, AGENT).take([again])
    assert set(done.targets) == {ids[2], ids[3]}
    assert texts(memory) == ["Never use tabs", "Please answer in German"]


def test_a_persons_own_that_is_named_stays(memory: MemoryLedger) -> None:
    """G-46, K-63: one of several is enough."""
    ids = (memory.store(Memory("Use tabs")).id, memory.store(Memory("Use npm", source="auto")).id)
    wanted = said("Use what the project uses", action="supersede")._replace(targets=ids)
    (done,) = taking(memory, AGENT).take([wanted])
    assert (done.outcome, done.targets) == ("candidate", ids)
    assert texts(memory) == ["Use tabs", "Use npm"]


@pytest.mark.parametrize(
    ("stands", "said_now", "about"),
    [
        ("Lives in Rotterdam", "The user lives in Porto", "Rotterdam"),
        ("Deploy with fly deploy", "Deployments go through the release workflow", "fly"),
        ("Reports go to Ana", "Reports are sent by the nightly job", "Reports go to Ana"),
    ],
)
def test_what_is_named_as_over_gives_way(
    memory: MemoryLedger, stands: str, said_now: str, about: str
) -> None:
    """K-64: by its value, or word for word."""
    memory.store(Memory(stands))
    memory.store(Memory(f"The invoices for {about} were paid twice by the old accountant"))
    [taken] = taking(memory).take([said(said_now, action="supersede", about=about)])
    assert (taken.outcome, taken.replaced) == ("superseded", (stands,))
    assert len(texts(memory)) == 2


@pytest.mark.parametrize("basis", ["fixed", "observed", "hedged"])
def test_what_nobody_says_plainly_waits_beside_what_a_person_wrote(
    memory: MemoryLedger, basis: Basis
) -> None:
    """K-63: the candidate names what stands, with its text."""
    memory.store(Memory("The package manager is npm"))
    [taken] = taking(memory).take([said("We use pnpm", basis=basis)])
    assert (taken.outcome, texts(memory)) == ("candidate", ["The package manager is npm"])
    assert "The package manager is npm" in taken.why
    [shown] = memory.review.contradicted(memory.entry(taken.id))
    assert shown.memory.text == "The package manager is npm"


def test_a_turn_changes_the_slot_that_it_speaks_of_alone(memory: MemoryLedger) -> None:
    """K-62, K-137, K-284: through the whole door."""
    for text in ("Answer in short bullet points", "Keep functions short", "Answer in English"):
        memory.store(Memory(text))
    [taken] = memory.process_turn(
        Turn("user", "From now on answer in French", conversation="c-1", message="m-1")
    )
    assert (taken.outcome, taken.replaced) == ("superseded", ("Answer in English",))
    assert texts(memory)[:2] == ["Answer in short bullet points", "Keep functions short"]


def test_a_change_makes_a_statement_sure(memory: MemoryLedger) -> None:
    """K-138: of what was learned; what a person wrote waits for plainer words."""
    memory.store(Memory("The user's manager is Priya", source="auto"))
    change = said("My manager is Tomasz now", confidence=0.6, action="supersede")
    [taken] = taking(memory).take([change])
    assert (taken.outcome, memory.entry(taken.id).memory.confidence) == ("superseded", 0.8)
    memory.store(Memory("The user's dentist is Weiss"))
    again = said("My dentist is Okafor now", confidence=0.6, action="supersede", message="m-2")
    assert taking(memory).take([again])[0].outcome == "candidate"
