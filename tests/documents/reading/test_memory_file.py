"""Tests documents/reading/memory_file.py: what a MEMORY.md-like document becomes (specs/import.md I-4, I-10…I-16)."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from documents.proposal import Proposal
from documents.reading.blocks import Block, split_blocks
from documents.reading.memory_file import OUR_TITLE, DocumentContext, read_memory_file, section_name
from ledger.memory import SECTIONS, Memory, Provenance
from tests.documents.reading.accounting import rendered, unaccounted
from tests.documents.reading.made_up import marked, tidy_documents, wild_documents

LINKS = "## A\n- a\n\n## Links\n\n- [B](memory/b.md)\n- [C d](./memory/c.md) — 12 entries\n"


def propose(text: str, page: DocumentContext | None = None) -> tuple[Proposal, ...]:
    return read_memory_file(split_blocks(text.encode()), page or DocumentContext("MEMORY.md"))


def read(text: str, page: DocumentContext | None = None) -> list[Memory]:
    return [p.memory for p in propose(text, page) if p.memory is not None]


def brief(text: str, page: DocumentContext | None = None) -> list[tuple[str, str]]:
    """Return section and body of each note, section and text of each bullet."""
    return [(m.section, m.body or m.text) for m in read(text, page)]


@given(wild_documents(), st.booleans())
def test_every_line_is_in_one_proposal_in_order_and_under_its_heading(text: str, bom: bool) -> None:
    proposals = read_memory_file(split_blocks(marked(text, bom)), DocumentContext("MEMORY.md"))
    assert unaccounted(text, proposals, OUR_TITLE) == []


@given(wild_documents())
def test_every_memory_can_be_encoded(text: str) -> None:
    for memory in read(text):
        memory.to_payload()


@given(tidy_documents())
def test_importing_a_rendering_of_what_was_imported_adds_nothing(text: str) -> None:
    assume(_sections_stand_once(split_blocks(text.encode())))
    proposals = propose(text)
    again = propose(rendered(proposals, OUR_TITLE))
    assert Counter(p.key for p in again) == Counter(p.key for p in proposals)


def _sections_stand_once(blocks: tuple[Block, ...]) -> bool:
    names = [section_name(block.text) for block in blocks if block.level == 2]
    titles = [block for block in blocks[1:] if block.level == 1]
    return len(set(names)) == len(names) and "" not in names and not titles


def test_a_whole_document_becomes_bullets_and_notes_in_its_order() -> None:
    text = (
        "# Auto-Memories\n\n## User Preferences\n- Prefers tabs\n  - in Go\n  - in make\n* Dark mode\n\n"
        "## Build notes\nTwo lines\nof prose.\n\n| a |\n|---|\n\n- Run make\n1. one\n2. two\n\n"
        "### Deeper\n```\n- x\n```\n"
    )
    file = Provenance(file="MEMORY.md")
    assert read(text) == [
        Memory(
            "Prefers tabs",
            details=("in Go", "in make"),
            type="preference",
            section="User Preferences",
            provenance=file,
        ),
        Memory("Dark mode", type="preference", section="User Preferences", provenance=file),
        Memory(
            "Two lines",
            body="Two lines\nof prose.\n\n| a |\n|---|\n",
            type="note",
            section="Build notes",
            provenance=file,
        ),
        Memory("Run make", section="Build notes", provenance=file),
        Memory("one", body="1. one\n2. two\n", type="note", section="Build notes", provenance=file),
        Memory(
            "Deeper", body="### Deeper\n```\n- x\n```\n", type="note", section="Build notes", provenance=file
        ),
    ]


def test_all_proposals_are_creates_without_targets() -> None:
    assert {(p.action, p.targets, p.reason, p.date) for p in propose("a\n\n- b\n")} == {
        ("create", (), "", "")
    }


@pytest.mark.parametrize(
    ("heading", "section"),
    [
        *((name, name) for name in SECTIONS),
        ("user preferences", "User Preferences"),
        ("\U0001f9e0 User Preference:", "User Preferences"),
        ("People and Role", "People & Roles"),
        ("people, roles", "People & Roles"),
        ("**Tool-Usage**", "Tool Usage"),
        ("WORKFLOWS!", "Workflow"),
        ("Preferences", "Preferences"),
        ("1. Workflow", "1. Workflow"),
        ("\U0001f389", "\U0001f389"),
        ("x" * 100, "x" * 100),
        ("x" * 101, "x" * 99 + "…"),
        ("x" * 98 + " yz", "x" * 98 + "…"),
        ("#tag", ""),
        ("C #", "C #"),
        ("C#", "C#"),
        ("bell \x07", "bell \x07"),
        ("line\x85end", ""),
        ("", ""),
    ],
)
def test_a_heading_names_a_fixed_section_or_is_a_persons_own(heading: str, section: str) -> None:
    assert section_name(heading) == section


def test_the_type_of_a_bullet_follows_from_its_section() -> None:
    found = {m.section: m.type for m in read("".join(f"## {name}\n- a\n" for name in (*SECTIONS, "Own")))}
    special = {
        "User Preferences": "preference",
        "Architecture Decisions": "decision",
        "People & Roles": "identity",
    }
    assert found == dict.fromkeys((*SECTIONS, "Own"), "fact") | special


def test_before_the_first_section_and_after_a_title_there_is_none() -> None:
    text = "intro\n\n- a\n\n## S\n- b\n\n### deeper\n- c\n\n# Title\n- d\n"
    assert brief(text) == [
        ("", "intro\n"),
        ("", "a"),
        ("S", "b"),
        ("S", "### deeper\n"),
        ("S", "c"),
        ("", "# Title\n"),
        ("", "d"),
    ]


def test_a_heading_that_no_section_can_hold_is_kept_as_a_note() -> None:
    assert brief("## S\n- a\n## #tag\nwords\n- b\n") == [("S", "a"), ("", "## #tag\nwords\n"), ("", "b")]


def test_a_long_heading_is_cut_and_kept_whole_as_a_note() -> None:
    heading, cut = "x" * 150, "x" * 99 + "…"
    assert brief(f"## {heading}\n- a\n") == [(cut, f"## {heading}\n"), (cut, "a")]


def test_line_ends_stay_in_bodies_and_leave_bullets() -> None:
    assert brief("one\r\ntwo\rthree\r\n\r\n- a\r\n  - b\r\n") == [("", "one\r\ntwo\rthree\r\n"), ("", "a")]
    assert read("- a\r\n  - b\r\n")[0].details == ("b",)


def test_a_last_line_without_a_line_end_stays_without_one() -> None:
    assert brief("- a\nwords") == [("", "- a\nwords")]
    assert brief("# words\r\nand") == [("", "# words\r\nand")]


def test_a_bullet_that_is_not_simple_is_a_note_of_its_own() -> None:
    text = "- a: 1\n  b: 2\n- c: 3\n  d: 4\n\nwords\n"
    assert brief(text) == [("", "- a: 1\n  b: 2\n"), ("", "- c: 3\n  d: 4\n"), ("", "words\n")]


def test_a_frontmatter_is_a_note_of_its_own() -> None:
    text = "\ufeff---\nsummary: x\n---\nwords\n"
    assert brief(text) == [("", "---\nsummary: x\n---\n"), ("", "words\n")]


def test_a_task_box_is_part_of_the_text() -> None:
    assert [m.text for m in read("- [ ] do\n- [x] done\n")] == ["[ ] do", "[x] done"]


@pytest.mark.parametrize(
    ("line", "text"),
    [("[?] a", "a"), ("[?]  [?] a", "a"), ("[?]", "[?]"), ("a [?] b", "a [?] b"), ("[?]a", "[?]a")],
)
def test_the_stale_mark_is_left_out(line: str, text: str) -> None:
    assert [m.text for m in read(f"- {line}\n")] == [text]


@pytest.mark.parametrize("line", ["- [?] # a\n", "- [?] - a\n", "- --- <!-- auto:confidence=0.5 -->\n"])
def test_a_bullet_that_is_none_without_its_mark_is_kept_whole(line: str) -> None:
    assert brief(line) == [("", line)]


def test_an_empty_own_section_keeps_its_heading_and_an_empty_fixed_one_does_not() -> None:
    text = "## Ideas\n\n## Workflow\n## Later\n## Now\n- a\n## Ideas\n- b\n## Last\n"
    found = [(m.section, m.text, m.body, m.type, m.importance) for m in read(text)]
    assert found == [
        ("Later", "Later", "\n", "note", "low"),
        ("Now", "a", "", "fact", "medium"),
        ("Ideas", "b", "", "fact", "medium"),
        ("Last", "Last", "\n", "note", "low"),
    ]


def test_lines_in_which_nothing_can_be_seen_make_no_note() -> None:
    assert read("\u00a0\n\n\x0c\n") == []


@pytest.mark.parametrize("text", ["# Auto-Memories\n", "# Auto-Memories #\n\n"])
def test_the_title_of_our_own_rendering_is_left_out(text: str) -> None:
    assert read(text) == []
    assert brief("# Auto-Memories\nwords\n") == [("", "words\n")]
    assert brief("# auto-memories\n") == [("", "# auto-memories\n")]


def test_an_auto_comment_sets_what_it_says() -> None:
    comment = "<!-- auto:confidence=0.80,date=2026-01-02,category=user-preference,session=s-1,stale=true -->"
    (proposal,) = propose(f"- Likes tea {comment}\n  - green\n")
    assert proposal.memory == Memory(
        "Likes tea",
        details=("green",),
        confidence=0.8,
        source="auto",
        category="user-preference",
        provenance=Provenance(file="MEMORY.md", session="s-1", date="2026-01-02"),
    )
    assert proposal.date == "2026-01-02"


@pytest.mark.parametrize(
    ("comment", "extra"),
    [
        ("version=2,links=a;b", '"version": "2"\n"links": "a;b"\n'),
        ("confidence=high", '"confidence": "high"\n'),
        ("confidence=1.5", '"confidence": "1.5"\n'),
        ("confidence=nan", '"confidence": "nan"\n'),
        ("category=correction", '"category": "correction"\n'),
        ("date=2026-02-30", '"date": "2026-02-30"\n'),
        ("date=20260102", '"date": "20260102"\n'),
        ('odd "one"', '"odd \\"one\\"": ""\n'),
        ("", ""),
    ],
)
def test_what_an_auto_comment_says_and_no_member_holds_goes_to_extra(comment: str, extra: str) -> None:
    (memory,) = read(f"- a <!--auto:{comment}-->\n")
    assert (memory.text, memory.source, memory.extra) == ("a", "auto", extra)
    assert (memory.confidence, memory.category, memory.provenance.date) == (1.0, "", "")


def test_a_comment_elsewhere_is_text() -> None:
    (memory,) = read("- a <!-- auto:confidence=0.5 --> b\n")
    assert (memory.text, memory.source) == ("a <!-- auto:confidence=0.5 --> b", "manual")


def test_links_to_files_that_are_imported_too_are_left_out() -> None:
    asked: list[str] = []
    page = DocumentContext("MEMORY.md", is_imported=lambda link: not asked.append(link))  # type: ignore[func-returns-value]
    assert brief(LINKS, page) == [("A", "a")]
    assert asked == ["memory/b.md", "memory/c.md"]


@pytest.mark.parametrize(
    "text",
    [
        LINKS + "- [D](elsewhere/d.md)\n",
        LINKS + "- [D](memory/d.md) read this first\n",
        LINKS + "\nprose\n",
        LINKS + "- [D](memory/d.md)\n  - detail\n",
        LINKS + "### deeper\n",
    ],
)
def test_links_with_anything_else_among_them_are_kept(text: str) -> None:
    assert ("Links", "[B](memory/b.md)") in brief(
        text, DocumentContext("MEMORY.md", is_imported=lambda _: True)
    )


def test_an_empty_section_for_links_is_one_like_others() -> None:
    assert brief("## Links\n", DocumentContext("MEMORY.md", is_imported=lambda _: True)) == [("Links", "\n")]


def test_links_are_kept_where_one_file_is_not_imported() -> None:
    page = DocumentContext("MEMORY.md", is_imported=lambda link: link != "memory/c.md")
    assert brief(LINKS, page)[1:] == [
        ("Links", "[B](memory/b.md)"),
        ("Links", "[C d](./memory/c.md) — 12 entries"),
    ]


def test_the_links_that_a_rendering_of_ours_writes_are_left_out() -> None:
    links = (
        "## Workflow\n\n- a\n\n## Links\n\n- [Workflow](memory/workflow.md) — 12 more entries\n"
        "- [Topics](memories/) — 2 topic files, read when their whenToUse matches\n"
    )
    assert brief(links, DocumentContext("MEMORY.md", is_imported=lambda _: True)) == [("Workflow", "a")]
    kept = brief(links, DocumentContext("MEMORY.md", is_imported=lambda _: False))
    assert ("Links", "[Workflow](memory/workflow.md) — 12 more entries") in kept
