"""Tests documents/adopting/settling.py: what an edit comes to where the log went on without it (specs/editing.md)."""

from __future__ import annotations

from documents import adopting
from ledger.command import Supersede
from muniment import Memory, MemoryLedger
from tests.documents.adopting.editing import adopted, document, edit, texts


def test_taking_an_edit_in_twice_is_the_same_as_once(house: MemoryLedger) -> None:
    """D-12: as after a crash before the document was written."""
    edit(house, "5433", "5434")
    edit(house, "- Use pnpm, not npm\n", "- Brand new\n")
    first = adopting.examine(house.workspace, house.documents.git, "MEMORY.md")
    house.workspace.append(first.commands)
    again = adopting.examine(house.workspace, house.documents.git, "MEMORY.md")
    assert (first.counts() != {}, again.counts()) == (True, {})


def test_what_was_deleted_comes_back_as_a_restore(house: MemoryLedger) -> None:
    """D-11."""
    (gone,) = [entry.id for entry in house.load_all() if "pnpm" in entry.memory.text]
    house.delete([gone])
    edit(house, "- Deploy with make ship\n", "- Deploy with make ship\n- Use pnpm, not npm\n")
    adopted(house)
    (entry,) = [each for each in house.load_all() if "pnpm" in each.memory.text]
    assert entry.supersedes == (gone,)


def test_a_line_that_an_agent_proposed_is_confirmed_by_typing_it(house: MemoryLedger) -> None:
    """D-11."""
    proposed = house.store(Memory("Maybe use bun", status="candidate")).id
    document(house).write_text(document(house).read_text() + "- Maybe use bun\n")
    assert adopted(house).counts() == {"confirmed": 1}
    assert house.entry(proposed).status == "active"
    assert "- Maybe use bun\n" in document(house).read_text()


def test_a_change_of_what_was_replaced_meanwhile_is_a_conflict_and_both_stand(house: MemoryLedger) -> None:
    """D-12, S-6."""
    (old,) = [entry.id for entry in house.load_all() if "5433" in entry.memory.text]
    edit(house, "5433", "5434")
    house.workspace.ledger.write([Supersede((old,), Memory("Postgres listens on 5435"))], house.workspace.by)
    adopted(house)
    found = [entry for entry in house.load_all() if "Postgres" in entry.memory.text]
    assert sorted(entry.memory.text[-4:] for entry in found) == ["5434", "5435"]


def test_an_erased_text_does_not_come_back_from_an_edited_document(house: MemoryLedger) -> None:
    """D-2: as long as a document says it still that somebody had edited, it is known there."""
    secret = house.store(Memory("The vault is behind the mirror")).id
    document(house).write_text(document(house).read_text() + "- typed now\n")
    house.erasures.erase([secret], "leaked")
    assert house.workspace.local.erasures.cleaning()
    adopted(house)
    house.store(Memory("said later"))
    assert not house.workspace.local.erasures.cleaning()
    assert "mirror" not in document(house).read_text()
    assert "mirror" not in house.workspace.chain.read_text()
    assert "typed now" in texts(house)


def test_who_writes_an_erased_text_again_says_it_anew(house: MemoryLedger) -> None:
    """D-2: nothing here knows any more that it was erased (Z-30), whoever puts an old document back types what it says."""
    secret = house.store(Memory("Mario lives in Via Roma 7")).id
    old = document(house).read_text()
    for number in range(20):
        house.store(Memory(f"number {number}"))
    house.erasures.erase([secret], "asked to")
    document(house).write_text(old + "- note\n")
    adopted(house, accept=True)
    assert {"Mario lives in Via Roma 7", "note"} <= set(texts(house))
