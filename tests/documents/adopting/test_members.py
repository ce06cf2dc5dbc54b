"""Bullets that a person joined, split, drew in, wrapped, cut or numbered keep what the document does not show."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.fold import Entry
from muniment import Memory, MemoryLedger
from tests.documents.adopting.editing import adopted, document, edit, leave_only_the_log, texts
from tests.documents.adopting.machine import cloned, founded
from tests.projections.house import build, reopen

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


# --- joined and split ---


@pytest.mark.parametrize(
    "line",
    [
        f"- {MONDAY}, {FRIDAY.casefold()}\n",
        f"- {FRIDAY}; {MONDAY}\n",
        f"- {MONDAY}\n  - {FRIDAY}\n",
        f"- {MONDAY}\n\n  {FRIDAY}\n",
        f"{MONDAY}. {FRIDAY}.\n",
        f"- {MONDAY}, **never** release after\n  lunch\n",
    ],
)
def test_bullets_that_were_made_one_have_what_both_had(taught: MemoryLedger, line: str) -> None:
    """D-74: one supersede names both."""
    old = {entry.memory.text: entry.id for entry in taught.load_all()}
    edit(taught, f"- {MONDAY}\n- {FRIDAY}\n", line)
    assert adopted(taught).counts() == {"changed": 1}
    entry = one(taught, "ondays only")
    assert entry.supersedes == (old[MONDAY], old[FRIDAY])
    assert members(entry)[1:] == ("critical", ("ops", "ask"))
    assert entry.memory.type == ("decision" if line.startswith("- ") else "note")
    rebuilt(taught)


def test_many_that_were_made_one_are_all_named(taught: MemoryLedger) -> None:
    """D-74: also where no one of them is alike what they became."""
    line = "; ".join([MONDAY, FRIDAY, LONG])
    edit(taught, f"- {MONDAY}\n- {FRIDAY}\n- {LONG}\n", f"- {line}\n")
    assert adopted(taught).counts() == {"changed": 1}
    entry = one(taught, line)
    assert (len(entry.supersedes), members(entry)) == (3, ("decision", "critical", ("ops", "ask", "infra")))


def test_one_that_was_drawn_in_below_another_section_is_joined_to_it(taught: MemoryLedger) -> None:
    """D-74: wherever it stood."""
    edit(taught, f"- {MONDAY}\n", "")
    edit(taught, "- Use pnpm, not npm\n", f"- Use pnpm, not npm\n  - {MONDAY}\n")
    assert adopted(taught).counts() == {"changed": 1}
    entry = one(taught, MONDAY)
    assert (entry.memory.text, members(entry)) == ("Use pnpm, not npm", ("fact", "critical", ("ops",)))


def test_a_short_one_is_drawn_in_far_away_too(taught: MemoryLedger) -> None:
    """D-74: as a line of its own; two words in a longer one are none."""
    taught.store(Memory("Use tabs", section="Tool Usage", importance="critical"))
    edit(taught, "\n## Tool Usage\n\n- Use tabs\n", "")
    edit(taught, "- Use pnpm, not npm\n", "- Use pnpm, not npm\n  - Use tabs\n")
    assert adopted(taught).counts() == {"changed": 1}
    assert one(taught, "Use tabs").memory.importance == "critical"


def test_a_half_is_a_part_of_the_line_that_has_its_words_and_not_of_one_that_is_a_little_alike(
    taught: MemoryLedger,
) -> None:
    """D-74: where another line was taken out beside it."""
    taught.store(Memory("The queue of the cache uses login", section="Corrections", importance="critical"))
    taught.store(Memory("The nginx of the redis uses schema", section="Workflow", tags=("web",)))
    edit(taught, "- The queue of the cache uses login\n", "")
    lines = f"- {MONDAY}\n- {FRIDAY}\n- {LONG}\n- The nginx of the redis uses schema\n"
    edit(taught, lines, "- The nginx of the\n- redis uses schema\n")
    adopted(taught)
    for half in ("The nginx of the", "redis uses schema"):
        assert first(taught, one(taught, half)) == "The nginx of the redis uses schema"


def test_a_strangers_half_takes_nothings_place(isolated: Path, tmp_path: Path) -> None:
    """D-74, D-25: what they split stands, also when one half of theirs is confirmed."""
    here = founded(tmp_path / "a" / "house", LONG)
    there = cloned(here, tmp_path / "b", ("Mallory", "mallory@example.org"))
    path = there.folder / "MEMORY.md"
    path.write_text(path.read_text().replace(" on the second", "\n- on the second"))
    there.commit("split")
    here.git("pull", "-q", str(there.root), "main")
    assert here("adopt").code == 1
    assert here.texts() == [LONG]
    half = next(row for row in here("list", "--json").json_lines if row["text"].startswith("on the"))
    here("confirm", half["id"]).ok()
    here("adopt")
    assert set(here.texts()) == {LONG, half["text"]}


def test_a_bullet_that_was_taken_out_beside_a_changed_one_is_no_part_of_it(taught: MemoryLedger) -> None:
    """D-74: words that the changed one had before do not count."""
    taught.store(Memory("Use tabs in Go", section="Tool Usage", importance="low"))
    taught.store(Memory("Use tabs", section="Tool Usage", importance="critical"))
    edit(taught, "- Use tabs in Go\n- Use tabs\n", "- Use tabs in Go files\n")
    assert adopted(taught).counts() == {"changed": 1, "taken out": 1}
    assert one(taught, "Go files").memory.importance == "low"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (f"- {LONG}\n", "- The cache lives in redis\n- On the second host of the cluster\n"),
        (f"- {LONG}\n", "- on the second host of the cluster\n- The cache lives in redis\n"),
        (f"- {LONG}\n", "- The cache lives in redis\n\nIt is on the second host of the cluster.\n\n"),
    ],
)
def test_one_that_was_split_goes_on_in_both(taught: MemoryLedger, old: str, new: str) -> None:
    """D-74: each is a supersede of it."""
    edit(taught, old, new)
    assert adopted(taught).counts() == {"changed": 2}
    for text in ("The cache lives in redis", "the second host of the cluster"):
        entry = one(taught, text)
        assert members(entry)[1:] == ("low", ("infra",))
        assert (first(taught, entry), entry.conflict) == (LONG, False)
    rebuilt(taught)


def test_a_detail_that_was_drawn_out_is_a_part_and_one_that_was_drawn_in_before_is_what_it_was(
    taught: MemoryLedger,
) -> None:
    """D-74: with its own type, tags and importance again."""
    edit(taught, f"- {FRIDAY}\n", f"  - {FRIDAY}\n  - of the fleet\n")
    adopted(taught)
    edit(taught, f"  - {FRIDAY}\n  - of the fleet\n", f"- {FRIDAY}\n- of the fleet\n")
    assert adopted(taught).counts() == {"changed": 3}
    assert members(one(taught, FRIDAY)) == ("preference", "high", ("ask",))
    assert members(one(taught, "of the fleet")) == ("decision", "critical", ("ops", "ask"))
    rebuilt(taught)


# --- cut and pasted ---


@pytest.mark.parametrize(
    "paste",
    [
        lambda text: text.replace("- Use pnpm", f"- {MONDAY}\n- Use pnpm"),
        lambda text: text + f"- {MONDAY}\n",
        lambda text: text + f"\n## Mine\n\n*   {MONDAY}\n",
        lambda text: text + f"\n\n1. {MONDAY}\n",
        lambda text: text + "- Deploy on\n  Mondays only\n",
        lambda text: text + "- Deploy on **Mondays** only\n",
        lambda text: text + "- Deploy on Mondays only!\n  - of the fleet\n",
    ],
)
def test_a_line_that_was_cut_and_is_pasted_later_is_the_memory_that_it_was(
    taught: MemoryLedger, paste: Callable[[str], str]
) -> None:
    """D-11, D-73: in its new place and form."""
    old = one(taught, MONDAY)
    edit(taught, f"- {MONDAY}\n", "")
    assert adopted(taught).counts() == {"taken out": 1}
    taught.store(Memory("Learned meanwhile", section="Workflow"))
    mine = paste(document(taught).read_text())
    document(taught).write_text(mine)
    assert adopted(taught).counts() == {"brought back": 1}
    entry = one(taught, "Mondays") if "\n  Mondays" not in mine else one(taught, MONDAY)
    assert entry.supersedes == (old.id,)
    assert members(entry)[1:] == ("critical", ("ops",))
    there = document(taught).read_text()
    assert (mine.index("eploy on") < mine.index("pnpm")) == (there.index("eploy on") < there.index("pnpm"))
    assert (mine.index("eploy on") < mine.index("meanwhile")) == (
        there.index("eploy on") < there.index("meanwhile")
    )
    rebuilt(taught)


def test_a_line_that_moves_to_another_document_in_two_saves_is_what_it_was(taught: MemoryLedger) -> None:
    """D-73: into a daily note."""
    taught.store(Memory("Met Ada", tier="daily"))
    edit(taught, f"- {MONDAY}\n", "")
    adopted(taught)
    (note,) = (taught.workspace.place.documents / "memory").glob("20*.md")
    note.write_text(note.read_text() + f"- {MONDAY}\n")
    assert adopted(taught).counts() == {"brought back": 1}
    entry = one(taught, MONDAY)
    assert (entry.memory.tier, members(entry)) == ("daily", ("decision", "critical", ("ops",)))
    assert note.read_text().endswith(f"- Met Ada\n- {MONDAY}\n")


def test_a_line_in_whose_place_another_came_is_what_it_was_when_it_is_pasted(taught: MemoryLedger) -> None:
    """D-73: what was typed over it stays, too."""
    edit(taught, MONDAY, "Releases are tagged by hand")
    adopted(taught)
    edit(taught, "- Releases are tagged", f"- {MONDAY}\n- Releases are tagged")
    adopted(taught)
    assert members(one(taught, MONDAY)) == ("decision", "critical", ("ops",))
    assert "Releases are tagged by hand" in texts(taught)
    rebuilt(taught)


def test_a_change_that_was_taken_back_is_a_change_of_the_same_memory(taught: MemoryLedger) -> None:
    """D-73: however little alike."""
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


def test_after_a_day_a_line_that_is_only_alike_is_new(tmp_path: Path) -> None:
    """D-73."""
    house, clock = build(tmp_path / "ledger")
    house.store(Memory(MONDAY, importance="critical"))
    edit(house, f"- {MONDAY}\n", "- Another\n- And more\n")
    adopted(house)
    clock.pass_days(2)
    document(house).write_text(document(house).read_text() + f"- {MONDAY}!\n")
    assert adopted(house).counts() == {"new": 1}
    house.close()


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
        ("- The cache lives in redis on\n  the second host\n  of the cluster\n", {}),
        ("* The cache lives in redis on\nthe second host of the cluster\n", {}),
        ("- The **cache** lives in `redis` on the second host of the cluster\n", {"changed": 1}),
        ("- The cache lives in redis on\n  the third host of the cluster\n", {"changed": 1}),
        (
            "- The cache lives in redis on\n  the second host of the cluster\n  - and\n    waits\n",
            {"changed": 1},
        ),
    ],
)
def test_a_bullet_with_other_signs_or_wrapped_is_the_bullet_that_it_was(
    taught: MemoryLedger, new: str, counts: dict[str, int]
) -> None:
    """D-72, D-75: on one line."""
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


def test_other_signs_around_a_short_word_are_no_other_memory(house: MemoryLedger) -> None:
    """D-75: though nearly all signs are new, and another line came beside it."""
    id_ = house.store(Memory("make", section="Workflow", importance="critical")).id
    edit(house, "- make\n", "- Another thing\n- `make`\n")
    assert adopted(house).counts() == {"changed": 1, "new": 1}
    assert one(house, "`make`").supersedes == (id_,)


@pytest.mark.parametrize(
    "block",
    [
        "- a line that was\n  wrapped when it came\n",
        "- a line with a break  \n  that is meant\n",
        "- a line\\\n  with another break\n",
    ],
)
def test_a_wrapped_line_that_is_new_stays_as_it_was_typed(taught: MemoryLedger, block: str) -> None:
    """D-72: and when a word in it is changed."""
    whole = edit(taught, f"- {LONG}\n", f"- {LONG}\n\n{block}")
    adopted(taught)
    assert document(taught).read_text() == whole
    whole = edit(taught, "- a line", "- the line")
    assert adopted(taught).counts() == {"changed": 1}
    assert document(taught).read_text() == whole


def test_a_bullet_with_a_hard_line_break_is_no_wrapped_one(taught: MemoryLedger) -> None:
    """D-72: it is a block of prose, with all that it had but the type."""
    whole = edit(taught, "in redis on the", "in redis  \n  on the")
    assert adopted(taught).counts() == {"changed": 1}
    assert document(taught).read_text().replace("\n\n- The cache", "\n- The cache") == whole
    assert members(one(taught, "cluster")) == ("note", "low", ("infra",))


def test_a_bullet_that_was_numbered_and_is_one_again_has_its_type(taught: MemoryLedger) -> None:
    """D-60: also several that were one list between."""
    lines = f"- {MONDAY}\n- {FRIDAY}\n"
    edit(taught, lines, f"1. {MONDAY}\n2. {FRIDAY}\n")
    assert adopted(taught).counts() == {"changed": 1}
    edit(taught, f"1. {MONDAY}\n2. {FRIDAY}\n", lines)
    adopted(taught)
    assert members(one(taught, MONDAY)) == ("decision", "critical", ("ops", "ask"))
    assert members(one(taught, FRIDAY)) == ("preference", "high", ("ask",))
    edit(taught, f"- {LONG}\n", f"\n1. {LONG}\n")
    adopted(taught)
    edit(taught, f"\n1. {LONG}\n", f"- {LONG}\n")
    adopted(taught)
    assert members(one(taught, LONG)) == ("commitment", "low", ("infra",))


def test_through_the_command_line_a_pasted_line_keeps_its_importance(isolated: Path, tmp_path: Path) -> None:
    """D-73: as a person sees it."""
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
