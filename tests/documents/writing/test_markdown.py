"""Tests documents/writing/markdown.py: MEMORY.md and overflow files (specs/projections.md P-7…P-9, P-13…P-15, P-17…P-22)."""

from __future__ import annotations

import itertools
import random
from collections.abc import Collection, Iterator
from functools import cached_property
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from documents.writing import daily, topics
from documents.writing.entry_lines import block_of
from documents.writing.markdown import memory_pieces, overflow_pieces
from documents.writing.overflow import select
from ledger.fold import Entry
from ledger.instant import DAY, written
from ledger.memory import SECTIONS, Memory, Place
from projections import commonmark
from projections.layout import DocumentKey, RankKey, document_of
from projections.settings import RenderSettings
from tests.documents.writing.rendering import render_memory, render_overflow
from tests.ledger.reference import INITIAL
from tests.projections.made_up import NOW, entry, event, folded, lines, logs, memories, standing, texts
from tests.projections.reference import StateSource, daily_notes, memory_files, topic_files

PARSER = MarkdownIt("commonmark").enable("table").disable("inline")
SETTINGS = RenderSettings()
SMALL = RenderSettings(max_lines=60, max_bytes=2500)


class ListSource(StateSource):
    """Given entries as a Source, counting how many were looked at."""

    def __init__(self, entries: list[Entry], topics: int = 0) -> None:
        super().__init__(INITIAL())
        self.given = entries
        self.looked_at = 0
        self._topics = topics

    @cached_property
    def _documents(self) -> dict[DocumentKey, list[Entry]]:
        documents: dict[DocumentKey, list[Entry]] = {}
        for each in self.given:
            if key := document_of(each):
                documents.setdefault(key, []).append(each)
        return documents

    def entry(self, id_: str) -> Entry | None:
        return next((each for each in self.given if each.id == id_), None)

    def ranked(self) -> Iterator[RankKey]:
        return self._counted(super().ranked())

    def highest(self, name: str, apart: Collection[str], below: RankKey) -> Iterator[RankKey]:
        return self._counted(super().highest(name, apart, below))

    def lowest(self, name: str, apart: Collection[str]) -> Iterator[RankKey]:
        return self._counted(super().lowest(name, apart))

    def _counted(self, ranks: Iterator[RankKey]) -> Iterator[RankKey]:
        for each in ranks:
            self.looked_at += 1
            yield each

    def topic_count(self) -> int:
        return self._topics


def memory_md(*entries: Entry, settings: RenderSettings = SETTINGS, topics: int = 0) -> str:
    selection = select(ListSource(list(entries), topics), settings)
    return render_memory(selection, topics, settings, NOW - 150 * DAY).decode()


# --- form ---


def test_an_empty_ledger_is_the_title_alone() -> None:
    assert memory_md() == "# Auto-Memories\n"


def test_sections_come_in_their_order_and_own_headings_in_that_of_their_first_entry() -> None:
    own = [entry("z", 1, section="Zebra"), entry("a", 3, section="Aardvark"), entry("z2", 5, section="Zebra")]
    fixed = [entry(section, 10 + at, section=section) for at, section in enumerate(reversed(SECTIONS))]
    text = memory_md(*own, *fixed)
    headings = [line[3:] for line in text.splitlines() if line.startswith("## ")]
    assert headings == [*SECTIONS, "Zebra", "Aardvark"]


def test_the_form_of_bullets_details_notes_and_bodies() -> None:
    text = memory_md(
        entry("Use tabs", 1, type="preference", details=("in Makefiles", "- always")),
        entry("# not a heading", 2, type="preference"),
        entry(
            "summary",
            3,
            type="note",
            section="User Preferences",
            body="\nSome *prose*\r\nof two lines.\r\n\n",
        ),
        entry("Port 5433", 4, type="preference", body="Because:\n\n    code\n\nend"),
        entry("last", 5, section="Own #"),
    )
    assert text == (
        "# Auto-Memories\n"
        "\n## User Preferences\n"
        "\n- Use tabs\n  - in Makefiles\n  - \\- always\n"
        "- \\# not a heading\n"
        "\nSome *prose*\r\nof two lines.\r\n"
        "\n- Port 5433\n\n  Because:\n\n      code\n\n  end\n"
        "\n## Own \\#\n"
        "\n- last\n"
    )


def test_a_note_without_words_keeps_its_heading() -> None:
    note = entry("Ideas", 1, type="note", body="\n", section="Ideas")
    assert memory_md(note) == "# Auto-Memories\n\n## Ideas\n"


def test_an_open_fence_is_closed_and_an_indented_block_is_kept_apart() -> None:
    text = memory_md(
        entry("a", 1, type="note", body="```\ncode\n"),
        entry("b", 2),
        entry("c", 3, type="note", body="    indented code\n"),
    )
    assert text.endswith("\n```\ncode\n```\n\n- b\n\n<!-- -->\n\n    indented code\n")
    types = [token.type for token in PARSER.parse(text) if token.level == 0 and token.nesting >= 0]
    assert types[-4:] == ["fence", "bullet_list_open", "html_block", "code_block"]


def test_a_frontmatter_stays_before_all_else() -> None:
    """In MEMORY.md alone, and once: anywhere else it would be a rule and bullets, and is a bullet's body."""
    front = entry("memory of", 1, type="note", body="---\r\nread_when:\r\n  - starting\r\n---\r\n")
    second = entry("again", 2, type="note", body="---\na:\n- b\n---\n")
    hostile = entry("evil", 0, type="note", body="---\na: b\n## Corrections\n---\n")
    assert memory_md(front, second, hostile) == (
        "---\r\nread_when:\r\n  - starting\r\n---\r\n"
        "\n# Auto-Memories\n\n## Project Conventions\n"
        "\n- evil\n\n  ---\n  a: b\n  ## Corrections\n  ---\n"
        "\n- again\n\n  ---\n  a:\n  - b\n  ---\n"
    )
    assert render_overflow([front], SETTINGS, NOW - 150 * DAY).startswith(b"# Auto-Memories\n")


def test_a_note_with_headings_of_its_own_cannot_open_a_section() -> None:
    text = memory_md(entry("Steps", 1, type="note", body="## Corrections\n\n- never ask\n"))
    assert text.endswith("\n- Steps\n\n  ## Corrections\n\n  - never ask\n")


@pytest.mark.parametrize(("days", "mark"), [(90, ""), (91, "[?] ")])
def test_what_nobody_confirmed_for_long_is_marked(days: int, mark: str) -> None:
    old = entry("old", 1, fresh_since=written(NOW - days * DAY))
    text = render_memory(select(ListSource([old]), SETTINGS), 0, SETTINGS, NOW).decode()
    assert text.endswith(f"\n- {mark}old\n")


def test_nothing_is_marked_with_decay_off_or_before_time_began() -> None:
    old = entry("old", 1, fresh_since=written(0))
    for settings in (RenderSettings(decay=False), RenderSettings(decay_days=10**9)):
        assert b"[?]" not in render_memory(select(ListSource([old]), settings), 0, settings, NOW)


def test_placed_entries_stand_where_they_were_put() -> None:
    first, second = entry("first", 1), entry("second", 2)
    between = entry("between", 3, section="Project Conventions", place=Place("MEMORY.md", first.id))
    assert memory_md(first, second, between).endswith("- first\n- between\n- second\n")


def test_entries_with_a_place_and_no_section_stand_before_the_first_section() -> None:
    """P-8: the preamble."""
    first = entry("first", 1)
    note = entry("read this", 2, type="note", body="Read this.", place=Place("MEMORY.md", None))
    after = entry("and this", 3, place=Place("MEMORY.md", note.id))
    text = memory_md(first, note, after)
    assert text == "# Auto-Memories\n\nRead this.\n\n- and this\n\n## Project Conventions\n\n- first\n"


def test_links_name_what_overflows_and_the_topics() -> None:
    many = [entry(f"fact {n}", n) for n in range(1, 100)]
    text = memory_md(*many, entry("own", 0, section="Own"), settings=SMALL, topics=2)
    shown = sum(line.startswith("- fact") for line in text.splitlines())
    assert text.endswith(
        "\n## Links\n\n"
        f"- [Project Conventions](memory/project-conventions.md) — {99 - shown} more entries: “fact 1”, “fact 2”\n"
        "- [Other headings](memory/other.md) — 1 more entry: “own”\n"
        "- [Topics](memories/) — 2 topic files, read when their whenToUse matches\n"
    )
    assert memory_md(topics=1).endswith(
        "- [Topics](memories/) — 1 topic file, read when its whenToUse matches\n"
    )


def test_a_persons_own_links_stand_before_ours() -> None:
    text = memory_md(entry("[x](y)", 1, section="Links"), topics=1)
    assert text.count("## Links\n") == 2
    assert text.index("[x](y)") < text.index("[Topics]")


def test_an_overflow_file_has_the_form_of_memory_md() -> None:
    entries = [entry("b", 2, section="B"), entry("a", 1, section="A"), entry("b2", 3, section="B")]
    text = render_overflow(entries, SETTINGS, NOW - 150 * DAY).decode()
    assert text == "# Auto-Memories\n\n## A\n\n- a\n\n## B\n\n- b\n- b2\n"


def test_every_piece_is_one_entrys_or_nobodys() -> None:
    entries = [
        entry("one", 1),
        entry("two", 2, type="note", body="prose\n"),
        entry("three", 3, section="Own"),
    ]
    selection = select(ListSource(entries, 1), SETTINGS)
    pieces = list(memory_pieces(selection, 1, SETTINGS, NOW))
    assert "".join(piece.text for piece in pieces).encode() == render_memory(selection, 1, SETTINGS, NOW)
    assert [(piece.id, piece.text) for piece in pieces if piece.id] == [
        (entries[0].id, "- [?] one\n"),
        (entries[1].id, "prose\n"),
        (entries[2].id, "- [?] three\n"),
    ]
    assert [piece.id for piece in overflow_pieces(entries, SETTINGS, NOW) if piece.id] == [
        e.id for e in entries
    ]


# --- what fits ---


def test_the_newest_stay_and_corrections_stay_longest() -> None:
    """P-5, P-19: a cap never cuts the newest first, nor a correction before other things."""
    entries = [entry(f"fact {n}", n, section="Corrections" if n < 5 else "") for n in range(300)]
    selection = select(ListSource(entries), SETTINGS)
    numbers = [each.seq for each in selection.shown]
    assert numbers[:5] == [4, 3, 2, 1, 0]
    assert numbers[5:] == list(range(299, 299 - len(numbers) + 5, -1))
    assert selection.overflow == {"project-conventions": 300 - len(numbers)}


def test_no_room_is_wasted_on_bullets() -> None:
    text = memory_md(*(entry(f"fact {n}", n) for n in range(300)))
    assert len(text.splitlines()) == 200


def test_blank_lines_around_notes_count() -> None:
    """Bullets and notes in turn have two blank lines a pair, and the file is still under its limits."""
    entries = [entry(f"fact {n}", n, type="note", body="x" if n % 2 else "") for n in range(300)]
    assert 150 < len(memory_md(*entries).splitlines()) <= 200


def test_what_is_shown_is_not_in_the_overflow_file_too() -> None:
    log = [event("create", n, memory=Memory(f"fact {n}")) for n in range(300)]
    files = memory_files(folded(log), NOW - 150 * DAY)
    assert sorted(files) == ["MEMORY.md", "memory/project-conventions.md"]
    said = [
        line for data in files.values() for line in data.decode().splitlines() if line.startswith("- fact")
    ]
    assert sorted(said) == sorted(f"- fact {n}" for n in range(300))


def test_a_large_entry_that_fits_stays() -> None:
    """P-185: nothing moves for its size alone; a document of 66 lines under a limit of 200 is whole."""
    fence = entry("long fence", 1, type="note", body="```\n" + "cmd\n" * 52 + "```\n")
    many = entry("long list", 2, details=tuple(f"d{n}" for n in range(70)))
    small = entry("small", 3)
    selection = select(ListSource([fence, many, small]), SETTINGS)
    assert selection.shown == (small, many, fence)
    assert not selection.overflow


def test_a_large_entry_that_does_not_fit_is_passed_over() -> None:
    """P-18: at its turn, after what ranks higher; what ranks lower and fits stays."""
    small = [entry(f"small {n}", n) for n in range(60)]
    by_lines = entry("long list", 100, details=tuple(f"d{n}" for n in range(180)), importance="critical")
    by_bytes = entry("big body", 200, body="x" * 24_000)
    newest = entry("long list", 300, details=tuple(f"d{n}" for n in range(120)))
    assert select(ListSource([*small, by_bytes]), SETTINGS).overflow == {}
    shown = select(ListSource([*small, by_lines, by_bytes]), SETTINGS).shown
    assert (shown[0], by_bytes in shown) == (by_lines, False)
    assert 0 < len(shown[1:]) < 20
    assert shown[1:] == tuple(small[: -len(shown) : -1])
    shown = select(ListSource([*small, newest, by_bytes]), SETTINGS).shown
    assert (shown[0], len(shown)) == (newest, 61)
    never = entry("too long", 400, body="x\n" * 300)
    shown = select(ListSource([*small, by_bytes, never]), SETTINGS).shown
    assert (shown[0], never in shown, len(shown) > 10) == (by_bytes, False, True)


def test_a_large_correction_stays_longest() -> None:
    """P-18, P-151: its size is no reason to move before what ranks lower."""
    correction = entry("long", 1, section="Corrections", details=tuple(f"d{n}" for n in range(60)))
    facts = [entry(f"fact {n}", n + 2) for n in range(300)]
    shown = select(ListSource([correction, *facts]), SETTINGS).shown
    assert shown[0] == correction
    assert 120 < len(shown) < 140


def test_with_overflow_off_everything_stays() -> None:
    settings = RenderSettings(overflow=False)
    entries = [entry(f"fact {n}", n) for n in range(500)]
    selection = select(ListSource(entries), settings)
    assert (len(selection.shown), dict(selection.overflow)) == (500, {})


def test_the_cost_of_selecting_does_not_follow_the_history() -> None:
    """P-20: of 5,000 entries no more than four times max_lines are looked at, even if all of them are large."""
    small = ListSource([entry(f"fact {n}", n) for n in range(5000)])
    select(small, SETTINGS)
    assert small.looked_at <= 2 * SETTINGS.max_lines
    large = ListSource([entry("x", n, details=("d",) * 60) for n in range(5000)])
    selection = select(large, SETTINGS)
    assert large.looked_at <= 4 * SETTINGS.max_lines
    assert (len(selection.shown), selection.overflow) == (3, {"project-conventions": 4997})
    larger = ListSource([entry("x", n, details=("d",) * 200) for n in range(5000)])
    selection = select(larger, SETTINGS)
    assert larger.looked_at <= 4 * SETTINGS.max_lines
    assert (selection.shown, selection.overflow) == ((), {"project-conventions": 5000})


def test_time_alone_moves_nothing() -> None:
    entries = [entry("x" * 100, n) for n in range(300)]
    settings = RenderSettings(max_bytes=5000)
    selection = select(ListSource(entries), settings)
    for as_of in (NOW - 190 * DAY, NOW + 1000 * DAY):
        assert len(render_memory(selection, 0, settings, as_of)) <= 5000


@limits(max_examples=limits().max_examples // 2)
@given(
    st.lists(
        memories.map(lambda memory: memory.with_changes(topic="", tier="curated", place=None)), max_size=40
    ),
    st.sampled_from([SETTINGS, SMALL, RenderSettings(max_lines=40), RenderSettings(max_bytes=2000)]),
    st.sampled_from([0, 1, 1000]),
)
def test_limits_hold_and_nothing_is_cut(
    given_memories: list[Memory], settings: RenderSettings, topics: int
) -> None:
    """P-17, P-19: lines and bytes are under the limits; shown and overflow are together everything."""
    entries = [standing(memory, n) for n, memory in enumerate(given_memories)]
    source = ListSource(entries, topics)
    selection = select(source, settings)
    for as_of in (0, NOW):
        data = render_memory(selection, topics, settings, as_of)
        assert data.count(b"\n") <= settings.max_lines
        assert len(data) <= settings.max_bytes
    left = dict(source.group_counts())
    for each in selection.shown:
        key = document_of(each)
        assert key is not None
        left[key.name] -= 1
    assert {group: count for group, count in left.items() if count} == dict(selection.overflow)
    ranked = [each for each in source.entries(source.ranked()) if each in selection.shown]
    assert list(selection.shown) == ranked


# --- properties over logs ---


def all_files(log: list[Any], settings: RenderSettings = SMALL) -> dict[str, bytes]:
    state = folded(log)
    return {
        **memory_files(state, NOW, settings),
        **topic_files(state, NOW, settings),
        **daily_notes(state, NOW, settings),
    }


@given(logs(), st.integers())
def test_the_order_in_which_events_arrive_changes_no_byte(log: list[Any], seed: int) -> None:
    shuffled = log.copy()
    random.Random(seed).shuffle(shuffled)
    assert all_files(shuffled) == all_files(log)


@limits(max_examples=limits().max_examples // 2)
@given(logs())
def test_every_active_entry_stands_in_exactly_one_file(log: list[Any]) -> None:
    """And nothing else does: no candidate, nothing superseded, deleted or erased; and its text is there."""
    state = folded(log)
    files = [data.decode() for data in all_files(log).values()]
    source, selection = StateSource(state), select(StateSource(state), SMALL)
    shown = {each.id for each in selection.shown}
    pieces = [
        memory_pieces(selection, 1, SMALL, NOW),
        *(
            overflow_pieces([e for e in source.group(group) if e.id not in shown], SMALL, NOW)
            for group in selection.overflow
        ),
        *(topics.topic_pieces(name, source.topic(name), SMALL, NOW) for name in source.topics()),
        *(daily.day_pieces(day, source.day(day), SMALL, NOW) for day in source.days()),
    ]
    stand = [piece.id for piece in itertools.chain.from_iterable(pieces) if piece.id]
    active = [each for each in state.entries() if each.status == "active"]
    assert sorted(stand) == sorted(each.id for each in active)
    for each in active:
        assert any(_said(each.memory) in text for text in files), each.memory


def _said(memory: Memory) -> str:
    body = commonmark.trimmed(memory.body)
    if memory.topic:
        if not memory.title.strip():
            return commonmark.escape_heading(memory.text)
        return "" if memory.text.strip() == memory.title.strip() else commonmark.escape(memory.text)
    if memory.type == "note" and memory.body:
        block = commonmark.verbatim(body) if body else ""
        if block is not None:
            return block
    return commonmark.escape(memory.text)


@given(
    st.lists(
        st.tuples(texts, st.sampled_from(["", *SECTIONS, "Own", "Own #"]), st.lists(lines, max_size=2)),
        max_size=8,
    )
)
def test_hostile_texts_open_no_section_and_no_bullet(said: list[tuple[str, str, list[str]]]) -> None:
    """A CommonMark parser sees the sections that were meant, and one bullet an entry."""
    entries = [
        entry(text[:1000], n, section=section, details=tuple(details))
        for n, (text, section, details) in enumerate(said)
    ]
    tokens = PARSER.parse(memory_md(*entries))
    own = dict.fromkeys(
        e.memory.effective_section for e in entries if e.memory.effective_section not in SECTIONS
    )
    used = {e.memory.effective_section for e in entries}
    expected = [*(section for section in SECTIONS if section in used), *own]
    top = [(at, token) for at, token in enumerate(tokens) if token.level == 0 and token.nesting > 0]
    read = [tokens[at + 1].content.replace("\\#", "#") for at, token in top if token.type == "heading_open"]
    assert read == ["Auto-Memories", *expected]
    assert {token.type for _, token in top} <= {"heading_open", "bullet_list_open"}
    assert sum(token.type == "list_item_open" and token.level == 1 for token in tokens) == len(entries)


@limits(max_examples=limits().max_examples // 2)
@given(logs())
def test_hostile_bodies_open_no_section(log: list[Any]) -> None:
    state = folded(log)
    meant = {each.memory.effective_section for each in state.entries()} | {"Links"}
    for path, data in memory_files(state, NOW, SMALL).items():
        tokens = PARSER.parse(data.decode())
        read = [
            tokens[at + 1].content.replace("\\#", "#")
            for at, token in enumerate(tokens)
            if token.type == "heading_open" and token.level == 0 and token.markup == "##"
        ]
        assert set(read) <= {section.strip().replace("\\#", "#") for section in meant}, path
        assert len(read) - len(set(read)) <= (1 if "Links" in read else 0)


@limits(max_examples=limits().max_examples // 2)
@given(st.lists(memories.map(lambda memory: memory.with_changes(topic="", tier="curated")), max_size=6))
def test_every_entry_begins_a_block_of_its_own(given_memories: list[Memory]) -> None:
    """Whatever stands above it: no list, fence or HTML takes in the first line of another entry."""
    entries = [standing(memory, n) for n, memory in enumerate(given_memories)]
    line, lines_of = 0, []
    for piece in overflow_pieces(entries, SETTINGS, NOW):
        if piece.id and piece.text:
            lines_of.append((line, piece.text))
        line += _line_count(piece.text)
    text = "".join(piece.text for piece in overflow_pieces(entries, SETTINGS, NOW))
    begun = _begun(text)
    for number, said in lines_of:
        assert number in begun or 0 not in _begun(said), said


def _line_count(text: str) -> int:
    return text.replace("\r\n", "\n").replace("\r", "\n").count("\n")


def _begun(text: str) -> set[int]:
    """Return the lines at which blocks of the top level, or items of its lists, begin."""
    tokens = [token for token in PARSER.parse(text) if token.map is not None]
    return {
        t.map[0] for t in tokens if t.map and (t.level == 0 or (t.level == 1 and t.type == "list_item_open"))
    }


def test_the_bytes_of_a_log_are_the_same_in_every_run() -> None:
    log = [
        event("create", 1, memory=Memory("one")),
        event("create", 2, memory=Memory("two", section="Own")),
        event("supersede", 3, "0" * 63 + "1", memory=Memory("one, better")),
        event("delete", 4, "0" * 63 + "2"),
    ]
    files = memory_files(folded(log), NOW - 150 * DAY)
    assert files == {"MEMORY.md": b"# Auto-Memories\n\n## Project Conventions\n\n- one, better\n"}
    assert block_of(entry("x"), "").text == "- x\n"
