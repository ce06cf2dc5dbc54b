"""Tests learning/merging.py: what may become one memory, and that it says all that the others said."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.likeness import HARD, pairs
from language.likeness import likeness, read
from learning.merging import Proposals, candidates, merged_of, proposals
from ledger.fold import Entry
from ledger.memory import IMPORTANCES, Memory, Place, Provenance
from tests.projections.made_up import entry, memories

WORDS = re.compile(r"\w+")


def texts_of(found: Proposals) -> list[list[str]]:
    return [[each.memory.text for each in merge.entries] for merge in found.merges]


def test_what_says_the_same_is_merged_and_what_contradicts_is_only_listed() -> None:
    """P-155: "port 5433" and "port 5432" stay two."""
    found = proposals(
        [
            entry("Prefers concise answers", 1, type="preference"),
            entry("User prefers answers to be concise", 2, type="preference"),
            entry("Always use tabs", 3, type="preference"),
            entry("Never use tabs", 4, type="preference"),
            entry("Postgres listens on port 5433", 5),
            entry("Postgres listens on port 5432", 6),
            entry("Use dark mode", 7, type="preference"),
            entry("Use monospace font", 8, type="preference"),
        ]
    )
    assert texts_of(found) == [["Prefers concise answers", "User prefers answers to be concise"]]
    named = [[one.memory.text, other.memory.text] for one, other in found.contradictions]
    assert named == [
        ["Always use tabs", "Never use tabs"],
        ["Postgres listens on port 5433", "Postgres listens on port 5432"],
    ]


@pytest.mark.parametrize(
    "changes",
    [
        {"section": "Corrections"},
        {"topic": "build/tools"},
        {"tier": "committed"},
        {"tier": "daily"},
        {"type": "note", "body": "Use pnpm."},
        {"extra": "a: 2\n"},
        {"body": "Of another thing."},
        {"unknown": {"new": 2}},
    ],
)
def test_what_is_not_of_one_kind_and_place_is_never_merged(changes: dict[str, object]) -> None:
    """P-155: nor is a candidate, a daily note or a block of prose."""
    there = entry("Use pnpm", 1, extra="a: 1\n", body="Because.", unknown={"new": 1, "from": ["a"]})
    assert not proposals([there, entry("Use pnpm", 2, **changes)]).merges
    assert proposals([there, entry("Use pnpm", 2, unknown={"from": ["b"]})]).merges


@pytest.mark.parametrize(
    ("one", "other", "type_"),
    [
        ({"type": "fact"}, {"type": "note"}, "fact"),
        ({"type": "note"}, {"type": "fact"}, "fact"),
        ({"type": "fact"}, {"type": "preference", "section": "Project Conventions"}, "fact"),
        ({"type": "note"}, {"type": "preference", "section": "Project Conventions"}, "preference"),
    ],
)
def test_what_says_the_same_is_merged_whatever_its_type(
    one: dict[str, str], other: dict[str, str], type_: str
) -> None:
    """P-155, P-157: a note beside a fact."""
    (merge,) = proposals([entry("Use pnpm", 1, **one), entry("Use pnpm", 2, **other)]).merges
    assert (merge.memory.type, merge.memory.body, merge.memory.details) == (type_, "", ())
    assert merge.memory.effective_section == "Project Conventions"


def test_entries_of_a_list_are_no_contradictions() -> None:
    """P-155: real memory files hold lists of runs, files and dates; naming each pair would bury the others."""
    series = [entry(f"Backup: backup/shard-{n}.tar", n) for n in range(10, 18)]
    pair = [entry("Postgres listens on port 5433", 1), entry("Postgres listens on port 5432", 2)]
    alone = proposals([*series, *pair])
    assert [[each.id for each in pair] for pair in alone.contradictions] == [[each.id for each in pair]]
    assert alone.series == len(series)


def test_a_candidate_is_left_alone() -> None:
    assert not proposals([entry("Use pnpm", 1), entry("Use pnpm.", 2, status="candidate")]).merges


def test_likeness_is_no_bridge() -> None:
    """P-155: of three, where only neighbours can be one, the two at the ends do not become one."""
    plain, one, other = (
        entry("Use pnpm", n, extra=extra) for n, extra in enumerate(("", "a: 1\n", "b: 2\n"))
    )
    (merge,) = proposals([plain, one, other]).merges
    assert [each.id for each in merge.entries] == [plain.id, one.id]


def test_one_event_replaces_sixteen_at_most() -> None:
    found = proposals([entry("Use pnpm", n) for n in range(40)])
    assert [len(merge.entries) for merge in found.merges] == [16, 16, 8]
    for merge in found.merges:
        for one, other in itertools.combinations(merge.entries, 2):
            assert likeness(one.memory.text, other.memory.text) == "same"


def test_the_merged_memory_takes_the_best_of_both() -> None:
    """P-157: the place of the earlier, the provenance of the newest, the highest of what is ranked."""
    earlier = Memory(
        "Run the tests before a commit",
        details=("all of them",),
        tags=("ci", "test"),
        importance="high",
        confidence=0.6,
        inferred=True,
        source="auto",
        place=Place("MEMORY.md", None),
        section="Own",
        provenance=Provenance(session="one"),
    )
    newer = Memory(
        "Always run the tests before a commit!",
        details=("with make", "all of them"),
        tags=("test", "git"),
        confidence=0.9,
        section="Own",
        provenance=Provenance(agent="claude", session="two"),
        body="Because.",
    )
    assert merged_of(earlier, newer) == Memory(
        "Always run the tests before a commit!",
        details=("with make", "all of them", "Run the tests before a commit"),
        tags=("ci", "test", "git"),
        importance="high",
        confidence=0.9,
        place=Place("MEMORY.md", None),
        section="Own",
        provenance=Provenance(agent="claude", session="two"),
        body="Because.",
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Bob manages Alice", "Alice manages Bob"),
        ("Only admins can deploy", "Admins can only deploy"),
        ("Should we use tabs?", "We should use tabs"),
        ("Use `git commit -s`", "Use `git commit -S`"),
        ("Class is Foo", "Class is foo"),
        ("Lint src/.", "Lint src/"),
        ("Use *args", "Use args"),
        ("Prefers concise answers", "User prefers answers to be concise"),
    ],
)
def test_a_text_that_is_not_the_same_text_becomes_a_detail(one: str, other: str) -> None:
    """P-157: whatever likeness says of them; order, case, signs and questions are not lost."""
    for merged in (merged_of(Memory(one), Memory(other)), merged_of(Memory(other), Memory(one))):
        assert {merged.text, *merged.details} == {one, other}


@pytest.mark.parametrize("other", ["use pnpm", " Use  pnpm", "Use pnpm.", "Use pnpm!"])
def test_the_same_text_is_no_detail(other: str) -> None:
    """P-157: nor is it one twice."""
    merged = merged_of(Memory("Use pnpm", details=("Use it",)), Memory(other, details=("use it",)))
    assert merged.details in (("Use it", "use it"), ("use it", "Use it"))
    third = merged_of(merged_of(Memory("Prefers pnpm always"), Memory(other)), Memory("Use pnpm"))
    assert third.details == (other,)


@given(memories, memories)
def test_every_word_and_line_of_both_stands_in_the_merged_one(one: Memory, other: Memory) -> None:
    """P-157, whatever they say: nothing is dropped."""
    merged = merged_of(one, other)
    lines = {merged.text, merged.title, *merged.details, *merged.body.splitlines()}
    said = " ".join(lines).casefold()
    for memory in (one, other):
        assert set(memory.details) <= lines
        assert {line for line in memory.body.splitlines() if line.strip()} <= lines
        assert not memory.title or memory.title in lines
        for word in WORDS.findall(memory.text.casefold()):
            assert word in said
        assert set(memory.tags) <= set(merged.tags)
        assert set(memory.when_to_use) <= set(merged.when_to_use)
        assert IMPORTANCES.index(merged.importance) >= IMPORTANCES.index(memory.importance)
        assert merged.confidence >= memory.confidence
    assert merged.text in (one.text, other.text)


@given(st.lists(memories, max_size=8), st.randoms())
def test_the_order_in_which_memories_are_given_does_not_matter(
    given_memories: list[Memory], rng: object
) -> None:
    entries = [entry(memory.text, n, section="Own") for n, memory in enumerate(given_memories)]
    shuffled = entries.copy()
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    assert proposals(shuffled) == proposals(entries)


def test_what_is_the_same_or_contradicts_is_near() -> None:
    """P-156: of our labelled pairs none that likeness has a verdict on is passed over."""
    judged = 0
    for pair in [*pairs(), *pairs(HARD)]:
        one, other = read(pair.one), read(pair.other)
        if likeness(one, other) != "different":
            judged += 1
            assert list(candidates([one, other])) == [(0, 1)]
    assert judged > 400


def test_many_memories_are_compared_with_few_others() -> None:
    """P-156: no quadratic work."""
    entries = [entry(f"Use tool-{n % 70} for job {n}", n) for n in range(300)]
    found = proposals(entries)
    assert found.compared < 80 * len(entries)


def test_a_record_that_cannot_hold_both_is_not_proposed() -> None:
    details = [tuple(f"{side} {n}" for n in range(150)) for side in "ab"]
    entries: list[Entry] = [entry("Use pnpm", n, details=details[n]) for n in range(2)]
    assert not proposals(entries).merges
