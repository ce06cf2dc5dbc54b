"""What a person types at the end of MEMORY.md, below the Links that we wrote, is a memory of the section above them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from muniment import Memory, MemoryLedger
from tests.projections.house import build

TOPICS = "- [Topics](memories/) \u2014 1 topic file, read when its whenToUse matches\n"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[MemoryLedger]:
    """A ledger with two sections and a topic, so that MEMORY.md ends in Links."""
    memory, _ = build(tmp_path / "ledger")
    memory.store(Memory("Prefers short answers", type="preference"))
    memory.store(Memory("Deploy with make ship", section="Workflow"))
    memory.store(Memory("Tokens live an hour", topic="code/auth", when_to_use=("login",)))
    assert document(memory).read_text().endswith(f"\n## Links\n\n{TOPICS}")
    yield memory
    memory.close()


def document(house: MemoryLedger) -> Path:
    return house.workspace.place.documents / "MEMORY.md"


def typed(house: MemoryLedger, text: str) -> dict[str, str]:
    """Append a text as `>>` does, take it in, and return the sections of what stands by text."""
    with document(house).open("a", encoding="utf-8") as file:
        file.write(text)
    (done,) = house.documents.adopt()
    assert not done.paused
    return {entry.memory.text: entry.memory.effective_section for entry in house.load_all()}


def test_a_bullet_below_our_links_stands_in_the_section_above(house: MemoryLedger) -> None:
    """D-30: and no section Links of its own comes of it."""
    said = typed(house, "- Ask before force-pushing\n  - on main\n")
    assert said["Ask before force-pushing"] == "Workflow"
    assert len(said) == 4
    assert document(house).read_text() == (
        "# Auto-Memories\n\n## User Preferences\n\n- Prefers short answers\n\n## Workflow\n\n"
        f"- Deploy with make ship\n- Ask before force-pushing\n  - on main\n\n## Links\n\n{TOPICS}"
    )
    assert not list(house.documents.adopt())


def test_prose_and_bullets_below_our_links_keep_their_order(house: MemoryLedger) -> None:
    """D-30: through a rebuild as well."""
    typed(house, "\nProse of mine.\n\n- First\n- Second\n")
    text = document(house).read_text()
    assert (
        text.index("make ship") < text.index("Prose of mine.") < text.index("- First") < text.index("- Sec")
    )
    assert text.endswith(f"- Second\n\n## Links\n\n{TOPICS}")
    document(house).unlink()
    house.documents.render(everything=True)
    assert document(house).read_text() == text


@pytest.mark.parametrize("below", ["  - Read it first\n", "\n  Read it first.\n", "\n    Read it first.\n"])
def test_what_somebody_typed_as_a_part_of_our_link_stays(house: MemoryLedger, below: str) -> None:
    """D-30: the line is theirs from then on; ours is written again."""
    text = document(house).read_text()
    typed(house, below)
    assert document(house).read_text().startswith(text + below)
    assert not list(house.documents.adopt())


def test_a_bullet_between_our_links_is_one_as_well(house: MemoryLedger) -> None:
    """D-30."""
    text = document(house).read_text()
    document(house).write_text(text + f"- Mine\n{TOPICS}", "utf-8")
    house.documents.adopt()
    assert document(house).read_text() == text.replace("make ship\n", "make ship\n- Mine\n")


def test_a_section_below_our_links_is_a_section(house: MemoryLedger) -> None:
    """D-4: a heading of the person's own opens one, and a smaller one is a note in the section above."""
    said = typed(house, "- Above\n\n### Small\n\n## House rules\n\n- Be kind\n")
    assert (said["Be kind"], said["Above"], said["Small"]) == ("House rules", "Workflow", "Workflow")


def test_where_nothing_stands_above_it_is_the_preamble(tmp_path: Path) -> None:
    """D-30."""
    memory, _ = build(tmp_path / "ledger")
    memory.store(Memory("Tokens live an hour", topic="code/auth", when_to_use=("login",)))
    typed(memory, "- Ask first\n")
    assert document(memory).read_text() == f"# Auto-Memories\n\n- Ask first\n\n## Links\n\n{TOPICS}"
    memory.close()


def test_a_persons_own_links_stay_a_section_of_theirs(house: MemoryLedger) -> None:
    """D-30: which stands before ours."""
    text = document(house).read_text()
    mine = "## Links\n\n- [Handbook](https://example.org/handbook)\n\n"
    document(house).write_text(text.replace("## Links\n", f"{mine}## Links\n"), "utf-8")
    house.documents.adopt()
    assert f"{mine}## Links\n\n{TOPICS}" in document(house).read_text()
    said = typed(house, "- Another\n")
    assert said["[Handbook](https://example.org/handbook)"] == said["Another"] == "Links"
    assert document(house).read_text().endswith(f"handbook)\n- Another\n\n## Links\n\n{TOPICS}")


def test_a_document_that_came_with_a_line_under_our_links_twice_says_it_once(house: MemoryLedger) -> None:
    """D-30, D-12: taken in twice is the same as once."""
    typed(house, "- Ask before force-pushing\n")
    before = house.log()
    with document(house).open("a", encoding="utf-8") as file:
        file.write("\n")
    house.documents.adopt()
    assert house.log() == before
