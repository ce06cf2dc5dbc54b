"""Tests documents/writing/overflow.py, overflow_groups.py and links.py: what moves out of MEMORY.md, with what, and where to."""

from __future__ import annotations

import itertools
import os
import random
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

import muniment
from documents.reading.blocks import split_blocks
from documents.reading.memory_file import is_our_link
from documents.writing.every_document import group_pages, render_all
from documents.writing.links import link_lines, summary_of
from documents.writing.markdown import joined, memory_pieces
from documents.writing.overflow import group_of, select
from documents.writing.overflow_groups import MEMBERS, groups_of
from ledger import reader
from ledger.command import Create
from ledger.event import By
from ledger.fold import Entry
from ledger.instant import DAY
from ledger.memory import SECTIONS, Memory
from muniment import MemoryLedger
from projections.index_source import IndexSource
from projections.layout import GROUPS, MEMORY, DocumentKey, RankKey, rank_key, tag_of
from projections.settings import RenderSettings
from tests.documents.writing.test_markdown import ListSource
from tests.ledger.reference import INITIAL, State, apply
from tests.projections.house import build, tree
from tests.projections.made_up import NOW, entry, folded, logs, texts
from tests.projections.reference import StateSource, memory_files

SETTINGS = RenderSettings()
Act = tuple[str, int, str, tuple[str, ...]]
FAR = NOW + 10_000 * DAY
"""As of then all entries are stale."""
TAGS = ("postgres", "Deploy", "ci/cd", "ui", "c++")


def files_of(
    entries: Sequence[Entry], settings: RenderSettings = SETTINGS, topics: int = 0
) -> Mapping[str, list[str]]:
    """Return the ids of the entries in each file."""
    source = ListSource(list(entries), topics)
    selection = select(source, settings)
    found = {"MEMORY.md": [piece.id for piece in memory_pieces(selection, 0, settings, NOW) if piece.id]}
    for path, pieces in group_pages(source, selection, selection.overflow, settings, NOW):
        found[path] = [piece.id for piece in pieces if piece.id]
    return found


@st.composite
def stands(draw: DrawFn) -> list[Entry]:
    """Give up to 150 entries: a few sections and tags, some critical, some large, in any order."""
    rng = random.Random(draw(st.integers(0, 10**6)))
    count, tagged = draw(st.integers(0, 150)), draw(st.sampled_from([0.0, 0.5, 1.0]))
    found = []
    for number in range(count):
        tags = tuple(rng.sample(TAGS, rng.randint(1, 2))) if rng.random() < tagged else ()
        details = tuple(f"d{n}" for n in range(rng.choice([0, 0, 0, 2, 70])))
        section = rng.choice([*SECTIONS, "Own", ""])
        importance = rng.choice(["medium"] * 9 + ["critical"])
        text = f"memory {number} {'x' * rng.choice([0, 40, 400])}"
        found.append(entry(text, number, section=section, tags=tags, details=details, importance=importance))
    rng.shuffle(found)
    return found


LIMITS = st.builds(
    partial(RenderSettings),
    max_lines=st.integers(10, 220),
    max_bytes=st.one_of(st.integers(400, 3000), st.just(25_000)),
)


@given(stands(), LIMITS, st.integers(0, 3))
def test_limits_hold_and_every_entry_stands_in_one_file(
    entries: list[Entry], settings: RenderSettings, topics: int
) -> None:
    """P-17, P-19, P-153: whatever stands, with however many groups."""
    source = ListSource(entries, topics)
    selection = select(source, settings)
    for as_of in (0, NOW):
        data = joined(memory_pieces(selection, topics, settings, as_of))
        assert data.count(b"\n") <= settings.max_lines
        assert len(data) <= settings.max_bytes
    files = files_of(entries, settings, topics)
    assert sorted(id_ for ids in files.values() for id_ in ids) == sorted(each.id for each in entries)
    overflowing = {f"memory/{group}.md": count for group, count in selection.overflow.items()}
    assert {path: len(ids) for path, ids in files.items() if path != "MEMORY.md"} == overflowing


@given(stands(), st.integers())
def test_the_order_in_which_entries_are_given_does_not_matter(entries: list[Entry], seed: int) -> None:
    settings = RenderSettings(max_lines=60, max_bytes=3000)
    shuffled = entries.copy()
    random.Random(seed).shuffle(shuffled)
    assert files_of(shuffled, settings) == files_of(entries, settings)


@given(stands())
def test_what_moves_is_the_lowest_of_each_group(entries: list[Entry]) -> None:
    """P-151: nothing that fits is passed over for something of its group that ranks lower."""
    small = [each for each in entries if len(each.memory.details) < 10]
    source = ListSource(small)
    selection = select(source, RenderSettings(max_lines=60, max_bytes=25_000))
    shown = {each.id for each in selection.shown}
    for group in selection.overflow:
        members = sorted(source.group(group, selection.groups.tags), key=rank_key)
        kept = [each.id in shown for each in members]
        assert kept == sorted(kept), group


@given(stands(), LIMITS)
def test_nothing_moves_from_a_document_under_its_limits(
    entries: list[Entry], settings: RenderSettings
) -> None:
    """P-185: where something moves, all together, each marked stale, would be over a limit."""
    if select(ListSource(entries), settings).overflow:
        everything = select(ListSource(entries), RenderSettings(overflow=False))
        data = joined(memory_pieces(everything, 0, settings, FAR))
        assert data.count(b"\n") > settings.max_lines or len(data) > settings.max_bytes


def test_of_what_a_document_brought_the_beginning_stays(tmp_path: Path) -> None:
    """P-5: its first lines leave MEMORY.md last; what is said later the same hour stands."""
    house, _ = build(tmp_path)
    lines = [Create(Memory(f"Line {n}", section="Own")) for n in range(300)]
    house.write(lines, By("tester", "user", "import"))
    house.store(Memory("Said by hand", section="Workflow"))
    shown = select(IndexSource(house.workspace.index), SETTINGS).shown
    texts = [each.memory.text for each in sorted(shown, key=lambda each: each.seq)]
    assert texts == [*[f"Line {n}" for n in range(len(texts) - 1)], "Said by hand"]
    assert len(texts) > 150
    house.close()


def test_a_group_that_was_begun_last_stays_together() -> None:
    """P-151: the older half moves group by group, the one that was begun first before the others."""
    rng = random.Random(1)
    old = [entry(f"old {n}", n, section="Workflow") for n in range(60)]
    mixed = [entry(f"new {n}", 60 + n, section=rng.choice(["Workflow", "Tool Usage"])) for n in range(180)]
    selection = select(ListSource([*old, *mixed]), SETTINGS)
    assert set(selection.overflow) == {"workflow"}


def test_the_newest_stay_whatever_their_group_and_corrections_before_all() -> None:
    """P-151: half of the room belongs to the newest, after Corrections and what is critical."""
    rng = random.Random(2)
    sections = ["Workflow", "Tool Usage", "Error Patterns", "Corrections"]
    entries = [entry(f"x {n}", n, section=rng.choice(sections), tags=(rng.choice(TAGS),)) for n in range(700)]
    corrections = [each for each in entries if each.memory.section == "Corrections"]
    others = [each for each in entries if each not in corrections]
    shown = select(ListSource([*others, *corrections[:60]]), SETTINGS).shown
    assert list(shown[:110]) == [*corrections[:60][::-1], *others[-50:][::-1]]
    many = select(ListSource(entries), RenderSettings(max_lines=120)).shown
    assert list(many) == corrections[-len(many) :][::-1]


@pytest.mark.parametrize("tagged", [0.0, 0.7])
def test_one_change_moves_few_entries(tagged: float) -> None:
    """P-151: a memory more, less or changed moves about one other; it was measured, and this holds it."""
    rng = random.Random(3)
    moved: list[int] = []
    entries: list[Entry] = []
    before: dict[str, str] = {}
    for number in range(310):
        act = rng.random() if number > 230 else 1.0
        if act < 0.2:
            entries.pop(rng.randrange(len(entries)))
        else:
            if act < 0.4:
                entries.pop(rng.randrange(len(entries)))
            section = rng.choice(["User Preferences", "Workflow", "Tool Usage", "Error Patterns"])
            tags = (rng.choice(TAGS),) if rng.random() < tagged else ()
            entries.append(entry(f"memory {number}", number, section=section, tags=tags))
        if number < 220:
            continue
        now = {id_: path for path, ids in files_of(entries).items() for id_ in ids}
        if before:
            moved.append(sum(now[id_] != path for id_, path in before.items() if id_ in now))
        before = now
    assert sum(moved) / len(moved) < 1.5
    assert sorted(moved)[int(0.98 * len(moved))] <= 3


# --- groups ---


@pytest.mark.parametrize(
    ("tags", "slug"),
    [
        ((), ""),
        (("postgres", "db"), "postgres"),
        (("#CI / CD",), "ci-cd"),
        (("c++", "лог", "build"), "build"),
        (("../../etc/passwd",), ""),
        (("Workflow",), "tag-workflow"),
        (("other",), "tag-other"),
        (("2026-11-20",), "tag-2026-11-20"),
        (("2026/11/20",), "tag-2026-11-20"),
    ],
)
def test_a_tags_file_has_a_name_that_nothing_else_has(tags: tuple[str, ...], slug: str) -> None:
    """P-150: no section's file, no daily note, nothing outside of the folder."""
    assert tag_of(DocumentKey(MEMORY, "workflow"), tags) == slug
    assert not tag_of(DocumentKey(MEMORY, "corrections"), tags)
    assert not tag_of(DocumentKey("topic", "workflow"), tags)
    assert not tag_of(None, tags)


def test_few_tags_with_many_entries_have_files() -> None:
    """P-150: five entries at least, and one tag for ten lines of the limit."""
    entries = [entry(f"x {n}", n, tags=(f"t{n % 30}",)) for n in range(30 * MEMBERS)]
    entries += [entry(f"rare {n}", 900 + n, tags=("rare",)) for n in range(MEMBERS - 1)]
    groups = groups_of(ListSource(entries), SETTINGS)
    assert len(groups.tags) == 20
    assert "rare" not in groups.tags
    assert sum(groups.counts.values()) == len(entries)
    assert not groups_of(ListSource(entries), RenderSettings(max_lines=9)).tags


def test_tags_that_grow_side_by_side_do_not_change_places() -> None:
    """P-150, P-151: where one of them can have a file, it keeps it until the other is twice as large."""
    settings = RenderSettings(max_lines=10)
    chosen = []
    for size in range(MEMBERS, 60):
        entries = [entry(f"x {n}", n, tags=("abba"[n % 4],)) for n in range(2 * size)]
        chosen += [groups_of(ListSource(entries[:end]), settings).tags for end in (2 * size - 1, 2 * size)]
    changes = sum(one != other for one, other in itertools.pairwise(chosen))
    assert changes <= 2 * 4


def test_a_tag_draws_from_all_sections_but_corrections() -> None:
    sections = ["Workflow", "Corrections", "Own", "Tool Usage"]
    entries = [entry(f"x {n}", n, section=sections[n % 4], tags=("db",)) for n in range(40)]
    groups = groups_of(ListSource(entries), SETTINGS)
    assert groups.counts == {"corrections": 10, "db": 30}
    assert Counter(group_of(each, groups) for each in entries) == groups.counts


@settings(max_examples=settings().max_examples // 2)
@given(logs())
def test_groups_are_together_everything(log: list[object]) -> None:
    state = StateSource(folded(log))  # type: ignore[arg-type]
    apart = frozenset(tag for _, tag in state.tag_counts())
    names = [*GROUPS, *apart]
    rest = [each.id for name in names for each in state.group(name, apart)]
    assert sorted(rest) == sorted(each.id for each in state.ranked())
    for name in names:
        highest = [each.id for each in state.highest(name, apart, RankKey(9, "", ""))]
        assert highest == [each.id for each in state.lowest(name, apart)][::-1]


# --- links ---


@given(
    st.lists(texts, max_size=3),
    st.sampled_from([*GROUPS, "postgres", "tag-2026-11-20"]),
    st.integers(1, 10**6),
    st.booleans(),
)
def test_a_line_of_links_is_one_bounded_line_that_we_know_again(
    said: list[str], group: str, count: int, folded_: bool
) -> None:
    """P-153, P-154: whatever the texts hold."""
    summary = summary_of(text[:1000] for text in said[:2])
    assert len(summary.encode()) < 130
    for line in link_lines({group: count}, {group: summary}, 1, folded=folded_):
        (block,) = split_blocks(line.encode())
        assert is_our_link("Links", block), line


def test_what_a_person_writes_into_links_is_not_taken_for_ours() -> None:
    ours = "- [db](memory/db.md) — 2 more entries: “a”, “b”"
    for theirs in (f"{ours} and mine", f"{ours}, “c”", "- [db](memory/db.md) — see there"):
        (block,) = split_blocks(f"{theirs}\n".encode())
        assert not is_our_link("Links", block)


def test_extracts_are_cut_between_words() -> None:
    long = "Run `pnpm test` before every commit, since the hook on the server refuses what fails"
    assert summary_of([long, "x" * 90, "a\u200bb\u202ec"]) == (
        f"“Run pnpm test before every commit, since the…”, “{'x' * 48}…”, “a b c”"
    )


def test_many_groups_fold_into_one_line() -> None:
    """P-153: where a line for each group would take half of a limit."""
    sections = [*SECTIONS, "Own"]
    entries = [entry(f"memory {n}", n, section=sections[n % 9]) for n in range(90)]
    settings = RenderSettings(max_lines=20)
    text = joined(memory_pieces(select(ListSource(entries), settings), 0, settings, NOW)).decode()
    shown = text.count("] memory ")
    line = f"- [More](memory/) — {90 - shown} more entries in {8 if shown == 10 else 9} files\n"
    assert text.endswith(f"\n## Links\n\n{line}")


# --- in the folder ---


def state_of(house: muniment.MemoryLedger) -> State:
    """Return the fold of a ledger's chain, which no index was asked for."""
    state = INITIAL()
    for each in reader.events(house.workspace.chain):
        state = apply(state, each)
    return state


@pytest.mark.parametrize("seed", [0, *(pytest.param(each, marks=pytest.mark.soak) for each in (1, 2))])
def test_a_folder_that_is_kept_up_is_as_one_that_is_made_anew(tmp_path: Path, seed: int) -> None:
    """P-58: entries go between MEMORY.md, sections' files and tags' files, and none is forgotten."""
    rng = random.Random(seed)
    house, clock = build(tmp_path / "ledger")
    (house.workspace.place.directory / "config.toml").write_text(
        "max_lines_per_file = 30\n[decay]\ndays = 3\n"
    )
    ids: list[str] = []
    seen: set[str] = set()
    for number in range(45):
        act = rng.random()
        if act < 0.15 and ids:
            house.delete([ids.pop(rng.randrange(len(ids)))], "no more")
        elif act < 0.2 and ids:
            house.erasures.erase([ids.pop(rng.randrange(len(ids)))], "a test")
        else:
            section = rng.choice(["Workflow", "Tool Usage", "Corrections"])
            tags = tuple(rng.sample(["db", "ui", "ci"], rng.choice([0, 1, 1, 1])))
            details = tuple(f"d{n}" for n in range(rng.choice([0, 0, 0, 9, 14])))
            memory = Memory(f"memory {number}", section=section, tags=tags, details=details)
            if act < 0.35 and ids:
                target = ids.pop(rng.randrange(len(ids)))
                ids.append(house.supersede([target], memory).id)
            else:
                ids.append(house.store(memory).id)
        clock.pass_days(0.2)
        house.documents.render()
        now = clock() - clock() % 86_400_000_000
        fresh = render_all(
            IndexSource(house.workspace.index), house.workspace.configuration.render_settings(), now
        )
        assert tree(house.workspace.place.documents) == fresh
        of_fold = memory_files(state_of(house), now, house.workspace.configuration.render_settings())
        assert of_fold == fresh
        seen |= fresh.keys() & {"memory/db.md", "memory/ui.md", "memory/ci.md"}
    assert seen
    house.close()


ACTS = st.tuples(
    st.sampled_from(["delete", "erase", "add", "supersede"]),
    st.integers(0, 99),
    st.sampled_from(["Workflow", "Tool Usage", "Corrections", "My own"]),
    st.sampled_from([(), ("db",), ("ui",)]),
)


@settings(max_examples=settings().max_examples // 4)
@given(st.lists(ACTS, min_size=3, max_size=12))
def test_whatever_happens_a_folder_stays_as_one_that_is_made_anew(acts: list[Act]) -> None:
    """P-58: small sections lose their last entry with a tag, and the tag's file loses it too."""
    with tempfile.TemporaryDirectory() as folder:
        house, clock = build(Path(folder) / "ledger")
        (house.workspace.place.directory / "config.toml").write_text("max_lines_per_file = 20\n")
        rare = [
            Memory(f"rare {number}", section=section, tags=tags)
            for number, (_, _, section, tags) in enumerate(acts)
        ]
        common = [Memory(f"common {number}", tags=("db",)) for number in range(7)]
        newer = [Memory(f"newer {number}", section="Tool Usage") for number in range(14)]
        made = house.write([Create(memory) for memory in [*rare, *common, *newer]])
        ids = [each.id for each in made]
        for number, (what, which, section, tags) in enumerate(acts):
            old = ids.pop(which % (len(acts) if which % 2 else len(ids)) % len(ids))
            memory = Memory(f"act {number}", section=section, tags=tags)
            if what == "delete":
                house.delete([old], "no more")
            elif what == "erase":
                house.erasures.erase([old], "a test")
            elif what == "supersede":
                ids.append(house.supersede([old], memory).id)
            else:
                ids += [old, house.store(memory).id]
            now = clock() - clock() % 86_400_000_000
            fresh = render_all(
                IndexSource(house.workspace.index), house.workspace.configuration.render_settings(), now
            )
            assert tree(house.workspace.place.documents) == fresh
        house.close()


@pytest.mark.parametrize("way", ["delete", "erase"])
def test_the_last_of_a_section_with_a_tag_leaves_the_file_of_the_tag(tmp_path: Path, way: str) -> None:
    house, _ = build(tmp_path / "ledger")
    (house.workspace.place.directory / "config.toml").write_text("max_lines_per_file = 20\n")
    going = house.store(Memory("Rotates on ghostday", section="Workflow", tags=("pg",))).id
    house.write([Create(Memory(f"pg fact {number}", tags=("pg",))) for number in range(6)])
    house.write([Create(Memory(f"newer {number}", section="Tool Usage")) for number in range(14)])
    assert b"ghostday" in tree(house.workspace.place.documents)["memory/pg.md"]
    house.delete([going], "") if way == "delete" else house.erasures.erase([going], "")
    assert b"ghostday" not in b"".join(tree(house.workspace.place.documents).values())
    house.close()


def test_an_erasure_cleans_a_document_that_no_event_has_changed_since(tmp_path: Path) -> None:
    """X-31: a copy of an earlier rendering was put back, and what it shows was deleted before it is erased."""
    house, _ = build(tmp_path / "ledger")
    going = house.store(Memory("Rotates on ghostday", topic="code/auth")).id
    house.store(Memory("Tokens live an hour", topic="code/auth"))
    path = house.workspace.place.documents / "memories" / "code" / "auth.md"
    earlier = path.read_bytes()
    house.delete([going], "")
    path.write_bytes(earlier)
    os.utime(path, (0, 0))
    edited = house.workspace.place.documents / "MEMORY.md"
    edited.write_bytes(edited.read_bytes() + b"mine\n")
    house.erasures.erase([going], "")
    assert b"ghostday" not in path.read_bytes()
    assert b"Tokens live an hour" in path.read_bytes()
    assert edited.read_bytes().endswith(b"mine\n")
    assert not house.erasures.cleaning
    house.close()


def crowded(directory: Path) -> MemoryLedger:
    """Return a ledger of 24 memories with one tag, more than MEMORY.md has lines for."""
    house, _ = build(directory)
    (house.workspace.place.directory / "config.toml").write_text("max_lines_per_file = 20\n")
    for number in range(24):
        house.store(Memory(f"memory {number}", section="Workflow", tags=("db",)))
    return house


def test_an_entry_that_moved_is_not_taken_for_deleted(tmp_path: Path) -> None:
    """An edit in a tag's file, from a buffer that was opened before entries moved, deletes none of these."""
    house = crowded(tmp_path / "ledger")
    path = house.workspace.place.documents / "memory" / "db.md"
    buffer = path.read_text()
    for number in range(24, 34):
        house.store(Memory(f"memory {number}", section="Workflow", tags=("db",)))
    path.write_text(f"{buffer}- typed by hand\n")
    house.documents.adopt()
    said = sorted(each.memory.text for each in house.load_all())
    assert said == sorted([*(f"memory {number}" for number in range(34)), "typed by hand"])
    house.close()


def test_an_older_memory_md_changes_nothing_of_what_left_it_since(tmp_path: Path) -> None:
    """A buffer that still shows what moved to an overflow file adds what was typed, and that alone."""
    house = crowded(tmp_path / "ledger")
    path = house.workspace.place.documents / "MEMORY.md"
    buffer = path.read_text()
    agent = By("claude", "agent", "mcp")
    for number in range(24, 30):
        house.store(Memory(f"memory {number}", section="Workflow", tags=("db",)), agent)
    before = {each.id for each in house.load_all()}
    path.write_text(buffer.replace("## Links", "- typed by hand\n\n## Links"))
    (adopted,) = house.documents.adopt()
    assert adopted.counts() == {"new": 1}
    after = {each.id: each.memory.text for each in house.load_all()}
    assert [after[id_] for id_ in after.keys() - before] == ["typed by hand"]
    assert before <= after.keys()
    house.close()
