"""Bullets that a person cut and pasted, or gave other signs, keep what the document does not show."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.fold import Entry
from muniment import Memory, MemoryLedger
from tests.documents.adopting.editing import adopted, document, edit, leave_only_the_log
from tests.documents.adopting.machine import founded
from tests.projections.house import reopen

MONDAY = "Deploy on Mondays only"
FRIDAY = "Never release after lunch"
LONG = "The cache lives in redis on the second host of the cluster"


@pytest.fixture
def taught(house: MemoryLedger) -> MemoryLedger:
    """A ledger with three more memories that have all members."""
    house.store(Memory(MONDAY, section="Workflow", type="decision", importance="critical", tags=("ops",)))
    house.store(Memory(FRIDAY, section="Workflow", type="preference", importance="high", tags=("ask",)))
    house.store(
        Memory(LONG, section="Workflow", type="commitment", importance="low", tags=("infra",), confidence=0.8)
    )
    return house


def one(house: MemoryLedger, text: str) -> Entry:
    """Return the one memory that stands and has these words."""
    (entry,) = [
        each
        for each in house.load_all()
        if text in " ".join([each.memory.text, *each.memory.details, each.memory.body])
    ]
    return entry


def members(entry: Entry) -> tuple[str, str, tuple[str, ...]]:
    """Return what a document does not show."""
    return entry.memory.type, entry.memory.importance, entry.memory.tags


def first(house: MemoryLedger, entry: Entry) -> str:
    """Return the text with which its history begins."""
    return house.history(entry.id)[0].memory.text


def rebuilt(house: MemoryLedger) -> None:
    """Hold the document against what the log alone gives; a second look finds nothing."""
    shown = document(house).read_text()
    assert house.documents.adopt() == []
    leave_only_the_log(house, document(house))
    again, _ = reopen(house.workspace.place.directory)
    again.documents.replay()
    assert document(again).read_text() == shown
    again.close()


# --- cut and pasted ---


@pytest.mark.parametrize(
    "paste",
    [
        lambda text: text.replace(f"- {FRIDAY}\n", f"- {FRIDAY}\n- {MONDAY}\n"),
        lambda text: text + f"- {MONDAY}\n",
        lambda text: text + f"*   {MONDAY}\n",
    ],
)
def test_a_line_that_was_cut_and_is_pasted_later_is_the_memory_that_it_was(
    taught: MemoryLedger, paste: Callable[[str], str]
) -> None:
    """D-11: in its new place."""
    old = one(taught, MONDAY)
    edit(taught, f"- {MONDAY}\n", "")
    assert adopted(taught).counts() == {"taken out": 1}
    taught.store(Memory("Learned meanwhile", section="Workflow"))
    mine = paste(document(taught).read_text())
    document(taught).write_text(mine)
    assert adopted(taught).counts() == {"brought back": 1}
    entry = one(taught, MONDAY)
    assert entry.supersedes == (old.id,)
    assert members(entry)[1:] == ("critical", ("ops",))
    there = document(taught).read_text()
    assert (mine.index("eploy on") < mine.index("pnpm")) == (there.index("eploy on") < there.index("pnpm"))
    assert (mine.index("eploy on") < mine.index("meanwhile")) == (
        there.index("eploy on") < there.index("meanwhile")
    )
    rebuilt(taught)


def test_a_change_that_was_taken_back_is_a_change_of_the_same_memory(taught: MemoryLedger) -> None:
    """D-3: it stands where the other stood."""
    edit(taught, MONDAY, "Quite another sentence")
    adopted(taught)
    edit(taught, f"- {FRIDAY}\n", f"- {FRIDAY}\n- And one more\n")
    edit(taught, "- Quite another sentence\n", f"- {MONDAY}\n")
    assert adopted(taught).counts() == {"changed": 1, "new": 1}
    assert len(taught.history(one(taught, MONDAY).id)) == 3


def test_what_an_agent_deleted_and_a_person_types_again_is_what_it_was(taught: MemoryLedger) -> None:
    """D-11: and a line that is only alike is new, where no person took that out."""
    taught.delete([one(taught, MONDAY).id])
    document(taught).write_text(document(taught).read_text() + f"- {MONDAY}!\n")
    assert adopted(taught).counts() == {"new": 1}
    document(taught).write_text(document(taught).read_text() + f"- {MONDAY}\n")
    assert adopted(taught).counts() == {"brought back": 1}


def test_a_document_that_came_brings_back_what_was_deleted(taught: MemoryLedger) -> None:
    """D-11, D-37: with all that it had."""
    taught.delete([one(taught, MONDAY).id])
    (taught.workspace.place.documents / "memory").mkdir(exist_ok=True)
    (taught.workspace.place.documents / "memory" / "deploy.md").write_text(
        f"# Deploy\n\n## Workflow\n\n- {MONDAY}\n"
    )
    taught.documents.adopt()
    assert members(one(taught, MONDAY))[1:] == ("critical", ("ops",))


# --- other signs, other lines ---


@pytest.mark.parametrize(
    ("new", "counts"),
    [
        (f"* {LONG}\n", {}),
        (f"+   {LONG}\n", {}),
        (f" - {LONG}\n", {}),
        ("- The **cache** lives in `redis` on the second host of the cluster\n", {"changed": 1}),
    ],
)
def test_a_bullet_with_other_signs_is_the_bullet_that_it_was(
    taught: MemoryLedger, new: str, counts: dict[str, int]
) -> None:
    """D-3: what it says is the same."""
    edit(taught, f"- {LONG}\n", new)
    assert adopted(taught).counts() == counts
    entry = one(taught, "cluster")
    assert members(entry) == ("commitment", "low", ("infra",))
    assert (entry.memory.body, entry.memory.confidence, entry.memory.text.count(" ")) == (
        "",
        0.8,
        LONG.count(" "),
    )
    assert f"- {entry.memory.text}\n" in document(taught).read_text()
    rebuilt(taught)


@pytest.mark.parametrize(
    "block",
    [
        "- a line that was\n  wrapped when it came\n",
        "- a line with a break  \n  that is meant\n",
        "- a line\\\n  with another break\n",
    ],
)
def test_a_wrapped_line_that_is_new_stays_as_it_was_typed(taught: MemoryLedger, block: str) -> None:
    """I-13: and when a word in it is changed."""
    whole = edit(taught, f"- {LONG}\n", f"- {LONG}\n\n{block}")
    adopted(taught)
    assert document(taught).read_text() == whole
    whole = edit(taught, "- a line", "- the line")
    assert adopted(taught).counts() == {"changed": 1}
    assert document(taught).read_text() == whole


def test_through_the_command_line_a_pasted_line_keeps_its_importance(isolated: Path, tmp_path: Path) -> None:
    """D-11: as a person sees it."""
    here = founded(tmp_path / "house")
    here("add", MONDAY, "--importance", "critical", "--tag", "ops").ok()
    path = here.folder / "MEMORY.md"
    whole = path.read_text()
    path.write_text(whole.replace(f"- {MONDAY}\n", "- Something else\n"))
    here("adopt", "--accept").ok()
    path.write_text(whole)
    here("adopt", "--accept").ok()
    (row,) = here("list", "--json").json_lines
    assert (row["text"], row["importance"], row["tags"]) == (MONDAY, "critical", ["ops"])


@pytest.mark.parametrize(
    "typed", [("- Pin Node 22\n", "- Pin Node 24\n"), ("- Pin Node 22\n", "- Pin Node 22\n- A new one\n")]
)
def test_a_line_typed_again_beside_another_edit_is_learned(
    house: MemoryLedger, typed: tuple[str, str]
) -> None:
    """D-2: whose hand took it out has seen that; the document is no old buffer."""
    house.store(Memory("Pin Node 22", section="Workflow"))
    house.store(Memory("Deploy on Fridays", section="Workflow", importance="high", tags=("ops",)))
    edit(house, "- Deploy on Fridays\n", "")
    adopted(house)
    old, new = typed
    mine = edit(house, old, f"{new}- Deploy on Fridays\n")
    adopted(house)
    assert document(house).read_text() == mine
    (back,) = [entry.memory for entry in house.load_all() if entry.memory.text == "Deploy on Fridays"]
    assert (back.importance, back.tags) == ("high", ("ops",))
