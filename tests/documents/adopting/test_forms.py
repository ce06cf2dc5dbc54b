"""A bullet that a person makes a block of prose, or the other way round, is the same memory (D-60)."""

from __future__ import annotations

from typing import Any

import pytest

from ledger.fold import Entry
from muniment import Memory, MemoryLedger
from tests.documents.adopting.editing import adopted, document, edit, leave_only_the_log


def taught(house: MemoryLedger, text: str, **members: Any) -> str:
    memory = Memory(text, section="Corrections", importance="critical", tags=("ops",), **members)
    return house.store(memory).id


def one_with(house: MemoryLedger, text: str) -> Entry:
    (entry,) = [each for each in house.load_all() if text in "\n".join([each.memory.text, each.memory.body])]
    return entry


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  - of the fleet\n", "  - of the fleet\n    - and not before noon\n"),
        ("- Deploy on Mondays\n  - of the fleet\n", "1. Deploy on Mondays\n"),
        ("- Deploy on Mondays\n  - of the fleet\n", "1. Deploy on Tuesdays\n   - of the fleet\n"),
        ("- Deploy on Mondays\n  - of the fleet\n", "Deploy on Mondays of the fleet\n"),
        ("- Deploy on Mondays\n  - of the fleet\n", "> Deploy on Mondays\n"),
    ],
)
def test_a_bullet_that_becomes_prose_keeps_what_the_document_does_not_show(
    house: MemoryLedger, old: str, new: str
) -> None:
    """D-60."""
    id_ = taught(house, "Deploy on Mondays", details=("of the fleet",))
    edit(house, old, new)
    assert adopted(house).counts() == {"changed": 1}
    entry = one_with(house, "Deploy on")
    assert (entry.supersedes, entry.memory.type) == ((id_,), "note")
    assert (entry.memory.importance, entry.memory.tags, entry.memory.section) == (
        "critical",
        ("ops",),
        "Corrections",
    )
    shown = document(house).read_text()
    assert new.splitlines()[-1] in shown
    leave_only_the_log(house, document(house))
    house.documents.replay()
    assert document(house).read_text() == shown


def test_prose_that_becomes_a_bullet_again_keeps_them_too(house: MemoryLedger) -> None:
    """D-60: it has then the type of a bullet there."""
    first = taught(house, "Deploy on Mondays")
    whole = document(house).read_text()
    edit(house, "- Deploy on Mondays", "1. Deploy on Mondays")
    adopted(house)
    edit(house, "1. Deploy on Mondays", "- Deploy on Mondays")
    assert adopted(house).counts() == {"changed": 1}
    entry = one_with(house, "Deploy on Mondays")
    assert house.history(entry.id)[0].id == first
    assert (entry.memory.type, entry.memory.importance, entry.memory.body) == ("fact", "critical", "")
    assert document(house).read_text() == whole


def test_a_note_without_a_body_is_a_bullet_like_others(house: MemoryLedger) -> None:
    """D-60: it stands as one."""
    id_ = taught(house, "The office is in Bonn", type="note")
    edit(house, "- The office is in Bonn\n", "- The office is in Köln\n")
    assert adopted(house).counts() == {"changed": 1}
    entry = one_with(house, "Köln")
    assert (entry.supersedes, entry.memory.type, entry.memory.tags) == ((id_,), "note", ("ops",))


def test_prose_that_becomes_a_bullet_with_a_body_shows_both(house: MemoryLedger) -> None:
    """D-60: as a note it would show its body alone."""
    taught(house, "x", type="note", body="Deploy on Mondays, of the fleet\n")
    whole = edit(
        house, "Deploy on Mondays, of the fleet\n", "- Deploy on Mondays, of the fleet\n\n  At noon.\n"
    )
    assert adopted(house).counts() == {"changed": 1}
    assert document(house).read_text() == whole


def test_a_long_list_that_is_numbered_is_no_mass_deletion(house: MemoryLedger) -> None:
    """D-60: what one event cannot name is deleted, and its lines stand."""
    for number in range(40):
        house.store(Memory(f"Rule {number:02}: word{number} before thing{number}", section="Workflow"))
    text = document(house).read_text()
    for number in range(40):
        text = text.replace(f"- Rule {number:02}", f"{number + 1}. Rule {number:02}")
    document(house).write_text(text)
    assert adopted(house).paused == ""
    assert document(house).read_text().count(". Rule ") == 40
    assert len([each for each in house.load_all() if each.memory.section == "Workflow"]) == 1


def test_a_bullet_that_goes_while_prose_comes_is_taken_out(house: MemoryLedger) -> None:
    """D-3: other words are another memory."""
    taught(house, "Deploy on Mondays")
    edit(house, "- Deploy on Mondays\n", "The office moved to another town last year.\n")
    assert adopted(house).counts() == {"new": 1, "taken out": 1}
