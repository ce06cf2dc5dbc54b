"""Tests projections/layout.py: documents, paths, rank and order (specs/projections.md P-3…P-6)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.fold import Entry
from ledger.instant import DAY
from ledger.memory import SECTIONS, Place, Provenance
from projections.layout import (
    GROUPS,
    DocumentKey,
    arrange,
    document_key,
    document_of,
    order_key,
    path_of,
    rank_key,
)
from projections.settings import RenderSettings
from tests.projections.made_up import NOW, START, entry, event, folded, id_of, logs
from tests.projections.reference import StateSource


@pytest.mark.parametrize(
    ("members", "kind", "name"),
    [
        ({}, "memory", "project-conventions"),
        ({"type": "preference"}, "memory", "user-preferences"),
        ({"section": "People & Roles"}, "memory", "people-roles"),
        ({"section": "corrections"}, "memory", "other"),
        ({"section": "My own"}, "memory", "other"),
        ({"tier": "committed"}, "memory", "project-conventions"),
        ({"topic": "a/b", "tier": "daily", "section": "Workflow"}, "topic", "a/b"),
        ({"tier": "daily", "provenance": Provenance(date="2024-02-29")}, "daily", "2024-02-29"),
        (
            {"tier": "daily", "provenance": Provenance(date="2024-02-29T23:59:59+05:00")},
            "daily",
            "2024-02-29",
        ),
        ({"tier": "daily", "provenance": Provenance(date="2023-02-29")}, "daily", "2023-11-14"),
        ({"tier": "daily", "provenance": Provenance(date="20240229")}, "daily", "2023-11-14"),
        ({"tier": "daily", "provenance": Provenance(date="2024-W09-4")}, "daily", "2023-11-14"),
        ({"tier": "daily", "provenance": Provenance(date="../../../x")}, "daily", "2023-11-14"),
        (
            {"tier": "daily", "provenance": Provenance(date="\u0662\u0660\u0662\u0664-02-01")},
            "daily",
            "2023-11-14",
        ),
        ({"tier": "daily"}, "daily", "2023-11-14"),
    ],
)
def test_a_memory_belongs_to_one_document(members: dict[str, Any], kind: str, name: str) -> None:
    assert document_of(entry(**members)) == DocumentKey(kind, name)


@pytest.mark.parametrize("status", ["candidate", "superseded", "deleted", "erased"])
def test_only_what_is_active_stands_in_documents(status: str) -> None:
    assert document_of(entry(status=status)) is None
    assert document_key(status, "daily", "a", "Workflow", "", "2023-11-14T00:00:00.000000Z") is None


def test_there_are_nine_groups_whatever_headings_people_invent() -> None:
    keys = {document_of(entry(section=section)) for section in (*SECTIONS, "One", "Two", "corrections")}
    assert keys == {DocumentKey("memory", group) for group in GROUPS}
    assert len(GROUPS) == 9


def test_paths_are_those_of_the_spec() -> None:
    assert path_of(DocumentKey("topic", "code/auth"), NOW) == "memories/code/auth.md"
    assert path_of(DocumentKey("memory", "other"), NOW) == "memory/other.md"


@pytest.mark.parametrize(("days", "archived"), [(0, False), (30, False), (31, True)])
def test_a_daily_note_older_than_the_archive_days_lies_in_the_archive(days: int, archived: bool) -> None:
    path = path_of(DocumentKey("daily", "2023-11-14"), START + days * DAY, RenderSettings(archive_days=30))
    assert path == ("memory/archive/2023-11-14.md" if archived else "memory/2023-11-14.md")


def test_rank_puts_corrections_and_critical_first_and_then_the_newest() -> None:
    ranked = sorted(
        [
            entry(number=4, section="Workflow"),
            entry(number=1, section="Corrections"),
            entry(number=2, importance="critical"),
            entry(number=3, importance="high"),
        ],
        key=rank_key,
        reverse=True,
    )
    assert [each.seq for each in ranked] == [2, 1, 4, 3]


# --- order ---


def _placed(number: int, after: int | None) -> Entry:
    return entry(number=number, place=Place("MEMORY.md", None if after is None else id_of(after)))


def _numbers(entries: list[Entry]) -> list[int]:
    return [each.seq for each in entries]


@pytest.mark.parametrize(
    ("entries", "order"),
    [
        ([entry(number=2), entry(number=1)], [1, 2]),
        ([entry(number=1), entry(number=2), _placed(3, 1)], [1, 3, 2]),
        ([entry(number=1), entry(number=2), _placed(3, 1), _placed(4, 1)], [1, 4, 3, 2]),
        ([entry(number=1), entry(number=2), _placed(3, 1), _placed(4, 3)], [1, 3, 4, 2]),
        ([entry(number=1), _placed(2, None), _placed(3, None), _placed(4, 2)], [3, 2, 4, 1]),
        ([entry(number=1), _placed(2, 99), entry(number=3)], [1, 2, 3]),
        ([entry(number=1), _placed(2, 2), entry(number=3)], [1, 2, 3]),
        ([_placed(1, 2), _placed(2, 1), entry(number=3)], [1, 2, 3]),
        ([_placed(1, 3), _placed(2, 1), _placed(3, 2), _placed(4, 3), entry(number=5)], [1, 2, 3, 4, 5]),
        ([_placed(1, 3), _placed(2, 3), _placed(3, 2)], [2, 3, 1]),
    ],
    ids=[
        "learned",
        "placed",
        "latest-first",
        "chain",
        "first",
        "unknown",
        "itself",
        "ring",
        "ring-and-tail",
        "tail-and-ring",
    ],
)
def test_what_a_person_placed_follows_its_anchor(entries: list[Entry], order: list[int]) -> None:
    assert _numbers(arrange(entries)) == order


def test_an_anchor_is_found_again_in_what_replaced_it() -> None:
    """By its first name the anchor is the lineage, by its second what the newest replaced."""
    newest = entry(number=3, order=(entry(number=1).ts, id_of(1)), supersedes=(id_of(2),))
    other = entry(number=9)
    for after in (1, 2, 3):
        assert _numbers(arrange([other, newest, _placed(10, after)])) == [3, 10, 9]


@given(st.lists(st.one_of(st.none(), st.just(-1), st.integers(0, 12)), max_size=12), st.randoms())
def test_order_loses_nobody_and_does_not_depend_on_the_order_given(
    afters: list[int | None], random: Any
) -> None:
    """Rings, chains and unknown anchors alike: every entry once, always in the same place."""
    entries = [
        entry(number=n) if after is None else _placed(n, None if after < 0 else after)
        for n, after in enumerate(afters)
    ]
    arranged = arrange(entries)
    shuffled = entries.copy()
    random.shuffle(shuffled)
    assert arrange(shuffled) == arranged
    assert sorted(arranged, key=order_key) == sorted(entries, key=order_key)
    assert arrange(arranged) == arranged


def test_ten_thousand_entries_each_behind_the_one_before_are_no_deep_recursion() -> None:
    chain = [entry(number=0), *(_placed(n, n - 1) for n in range(1, 10_000))]
    assert _numbers(arrange(reversed(chain))) == list(range(10_000))


# --- the source over a state ---


@settings(max_examples=settings().max_examples // 2)
@given(logs())
def test_the_source_gives_every_active_entry_in_exactly_one_document(log: list[Any]) -> None:
    state = folded(log)
    source = StateSource(state)
    ranked = list(source.entries(source.ranked()))
    groups = [each for group in GROUPS for each in source.group(group)]
    topics = [each for topic in source.topics() for each in source.topic(topic)]
    days = [each for day in source.days() for each in source.day(day)]
    active = sorted(each.id for each in state.entries() if each.status == "active")
    assert sorted(each.id for each in (*groups, *topics, *days)) == active
    assert sorted(groups, key=rank_key, reverse=True) == ranked
    assert sum(source.group_counts().values()) == len(groups)
    assert source.topic_count() == len(source.topics())


def test_a_source_without_entries_is_empty() -> None:
    source = StateSource(folded([event("genesis", 0)]))
    assert (list(source.ranked()), source.topics(), source.days(), source.group("other")) == ([], [], [], [])
