"""What is held back until a person says so: mass deletion, what cannot be read, secrets (specs/editing.md D-16, D-17)."""

from __future__ import annotations

import pytest

from muniment import Memory, MemoryLedger
from tests.documents.adopting.editing import TITLE, adopted, document, edit, texts


def test_an_emptied_document_takes_nothing_away_until_a_person_says_so(house: MemoryLedger) -> None:
    """D-16."""
    document(house).write_bytes(b"")
    done = adopted(house)
    assert "adopt --accept" in done.paused
    assert (len(texts(house)), document(house).read_bytes()) == (4, b"")
    house.store(Memory("The log goes on"))
    assert document(house).read_bytes() == b""
    assert adopted(house, accept=True).counts() == {"taken out": 4}
    assert texts(house) == ["The log goes on"]


def test_a_deleted_document_takes_nothing_away_until_a_person_says_so(house: MemoryLedger) -> None:
    """D-16, P-85: it stays away; replay brings it back."""
    whole = document(house).read_bytes()
    document(house).unlink()
    done = adopted(house)
    assert "it was deleted" in done.paused
    assert "adopt --accept MEMORY.md" in done.paused
    house.store(Memory("The log goes on"))
    assert house.documents.outcome is not None
    assert "it was deleted" in house.documents.outcome.paused["MEMORY.md"]
    assert not document(house).exists()
    house.documents.replay()
    assert b"The log goes on" in document(house).read_bytes()
    assert len(document(house).read_bytes()) > len(whole)
    document(house).unlink()
    assert adopted(house, accept=True).counts() == {"taken out": 5}
    assert document(house).read_text() == TITLE


def test_taking_out_more_than_half_of_many_is_held_back(house: MemoryLedger) -> None:
    """D-16: five of nine may go, six of ten not."""
    for number in range(6):
        house.store(Memory(f"number {number}"))
    text = document(house).read_text()
    for number in range(6):
        text = text.replace(f"- number {number}\n", "")
    document(house).write_text(text)
    assert "it removes or overwrites 6 of 10 entries" in adopted(house).paused
    document(house).write_text(text + "- number 3\n")
    assert adopted(house).counts() == {"taken out": 5}


def test_another_file_written_over_it_is_held_back(house: MemoryLedger) -> None:
    """D-16: though as many lines came as went."""
    for number in range(6):
        house.store(Memory(f"number {number}"))
    other = "".join(
        f"- {word} something else\n"
        for word in ("Alpha", "Berta", "Caesar", "Dora", "Emil", "Friedrich", "Gustav")
    )
    text = document(house).read_text()
    document(house).write_text(text[: text.index("- Use pnpm")] + other)
    assert "it removes or overwrites" in adopted(house).paused


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"caf\xe9\n", "not UTF-8"),
        (b"<<<<<<< ours\n- a\n=======\n- b\n>>>>>>> theirs\n", "merge conflict"),
        (b"- x\n" * 300_000, "larger than 1 MiB"),
        (b"a\0b\n", "U+0000"),
    ],
)
def test_what_cannot_be_read_is_left_to_the_person(house: MemoryLedger, data: bytes, why: str) -> None:
    """D-16: the document is not touched and the log goes on."""
    document(house).write_bytes(data)
    house.store(Memory("The log goes on"))
    assert house.documents.outcome is not None
    assert why in house.documents.outcome.paused["MEMORY.md"]
    assert document(house).read_bytes() == data
    assert len(texts(house)) == 5


def test_a_line_with_a_secret_stays_unsigned_and_is_named(house: MemoryLedger) -> None:
    """D-17: the rest is taken in."""
    secret = "ghp_" + "Zx8" * 12
    edit(house, "- Postgres", f"- token {secret}\n- Brand new\n- Postgres")
    done = adopted(house)
    assert (done.counts(), list(done.held)) == ({"new": 1}, [10])
    assert secret not in done.paused
    assert secret in document(house).read_text()
    assert secret not in house.workspace.chain.read_text()
    assert "Brand new" in texts(house)
    edit(house, f"- token {secret}\n", "")
    assert adopted(house).paused == ""
