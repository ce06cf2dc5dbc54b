"""What is near a text is found whatever else there is, and whether its full-text row is there yet (P-159)."""

from __future__ import annotations

from pathlib import Path

import pytest

import muniment
from ledger.command import Create
from muniment import Memory, MemoryLedger
from projections.similar_memories import near, resembling


@pytest.fixture
def memory(isolated: Path, tmp_path: Path) -> MemoryLedger:
    """A ledger with five hundred memories whose words are common."""
    made = muniment.init(tmp_path / "ledger")
    words = "build deploy cache token session index parser branch".split()
    texts = [f"The {words[n % 8]} {words[n // 8 % 8]} {words[n // 64 % 8]} step {n}" for n in range(500)]
    made.workspace.append([Create(Memory(text)) for text in texts])
    return made


@pytest.mark.parametrize(
    ("stands", "said"),
    [
        ("Deploy the parser from the release branch", "Never deploy the parser from a release branch"),
        ("測試使用日文字串", "測試不使用日文字串"),
    ],
)
def test_what_is_near_comes_first(memory: MemoryLedger, stands: str, said: str) -> None:
    """Among many that share common words."""
    wanted = memory.store(Memory(stands)).id
    assert near(memory.workspace.index, said)[0].id == wanted


def test_only_what_stands_is_near(memory: MemoryLedger) -> None:
    """Candidates too; what was deleted or replaced, and daily notes, are not."""
    texts = ["Use zig for tools", "Use zig for the tools", "Use zig for all tools", "Use zig for our tools"]
    one, two, three, four = (memory.store(Memory(text)).id for text in texts)
    memory.delete([one])
    five = memory.supersede([two], Memory("Use zig for small tools")).id
    memory.store(Memory("Use zig for tools today", tier="daily"))
    six = memory.store(Memory("Use zig for tools, maybe", status="candidate")).id
    assert {entry.id for entry in near(memory.workspace.index, "zig tools")} == {three, four, five, six}


def test_a_text_of_common_words_has_neighbours(memory: MemoryLedger) -> None:
    """Those that share most of them, and not just the newest."""
    found = near(memory.workspace.index, "The parser branch index")
    assert found
    assert {"parser", "branch", "index"} <= set(found[0].memory.text.split())


def test_what_resembles_is_in_its_place(memory: MemoryLedger) -> None:
    """The same words in another section are no hint."""
    memory.store(Memory("Prefers concise answers", section="Workflow"))
    stands = memory.store(Memory("Prefers concise answers", type="preference"))
    new = memory.store(Memory("User prefers answers to be concise", type="preference"))
    found = resembling(memory.workspace.index, memory.entry(new.id))
    assert found.same is not None
    assert (found.same.id, found.otherwise) == (stands.id, None)
    other = memory.store(Memory("Never prefers concise answers", type="preference"))
    found = resembling(memory.workspace.index, memory.entry(other.id))
    assert found.otherwise is not None
    assert found.otherwise.id == new.id
