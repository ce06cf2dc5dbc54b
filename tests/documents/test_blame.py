"""Whose each line of a document is (P-95, P-96)."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from documents.blame import KNOWN, NOBODY, UNKNOWN, BlamedLine, RenderedDocuments, lines_of, on_disk
from documents.writing.every_document import render_all
from ledger.errors import AmbiguousIdError, NotFoundError
from ledger.event import Event
from ledger.memory import Memory, Place
from projections.settings import RenderSettings
from tests.projections.made_up import NOW, event, folded, id_of, logs
from tests.projections.reference import StateSource

SETTINGS = RenderSettings()
TIGHT = RenderSettings(max_lines=14, max_bytes=900)


def blamed(events: Sequence[Event], path: str = "MEMORY.md") -> list[BlamedLine]:
    """Blame a document of a log."""
    source = StateSource(folded(events))
    rendered = RenderedDocuments(source, SETTINGS, NOW)
    return rendered.blame(rendered.at(path))


def owners(lines: Sequence[BlamedLine]) -> list[tuple[str, str]]:
    """Return the lines that are somebody's, with the number of the version."""
    return [(line.text.strip(), f"v{line.version.seq}") for line in lines if line.version]


@settings(max_examples=settings().max_examples // 3)
@given(logs(max_size=8), st.sampled_from([SETTINGS, TIGHT]))
def test_the_lines_joined_are_the_document(events: list[Event], settings: RenderSettings) -> None:
    """Of every document; and each line's version is in the lineage of an entry that the document shows."""
    source = StateSource(folded(events))
    rendered = RenderedDocuments(source, settings, NOW)
    for path, data in render_all(source, settings, NOW).items():
        assert rendered.at(path) == path
        lines = rendered.blame(path)
        assert "".join(line.text for line in lines).encode() == data
        assert [line.number for line in lines] == list(range(1, len(lines) + 1))
        for line in lines:
            assert line.state == (KNOWN if line.version else NOBODY)
            if line.version:
                entry = source.entry(line.memory)
                assert entry
                assert entry.status == "active"
                assert line.version.ts <= entry.ts
                assert line.text.strip()
        assert on_disk(lines, data.decode()) == lines


@settings(max_examples=settings().max_examples // 2)
@given(
    logs(max_size=6), st.lists(st.tuples(st.integers(0, 30), st.sampled_from(["typed", "", "- b\r", "## H"])))
)
def test_a_file_that_was_edited_is_blamed_as_it_stands(
    events: list[Event], typed: list[tuple[int, str]]
) -> None:
    """Joined, the lines are the file's; every line that is the log's says what the log says."""
    lines = blamed(events)
    texts = [line.text for line in lines]
    for at, text in typed:
        texts.insert(min(at, len(texts)), f"{text}\n")
    text = "".join(texts)
    found = on_disk(lines, text)
    assert "".join(line.text for line in found) == text
    known, shown = (
        [(line.text, line.version) for line in some if line.state == KNOWN] for some in (found, lines)
    )
    assert all(line in shown for line in known)
    assert typed or known == shown
    assert all(line.text.strip() for line in found if line.state == UNKNOWN)


def test_a_line_is_of_the_version_that_last_changed_it() -> None:
    """A correction of one detail leaves the text and the other detail with the first version."""
    events = [
        event("create", 1, memory=Memory("Use pnpm", details=("in CI", "locally"))),
        event("supersede", 2, id_of(1), memory=Memory("Use pnpm", details=("in CI too", "locally"))),
        event(
            "supersede", 3, id_of(2), memory=Memory("Use pnpm", details=("in CI too", "locally", "always"))
        ),
    ]
    assert owners(blamed(events)) == [
        ("- [?] Use pnpm", "v1"),
        ("- in CI too", "v2"),
        ("- locally", "v1"),
        ("- always", "v3"),
    ]


def test_a_line_that_came_back_is_of_who_brought_it_back() -> None:
    """As git blame says of a line that was taken away meanwhile."""
    texts = ("Use npm", "Use yarn", "Use npm")
    events = [
        event("create" if n == 1 else "supersede", n, *([id_of(n - 1)] if n > 1 else []), memory=Memory(text))
        for n, text in enumerate(texts, 1)
    ]
    assert owners(blamed(events)) == [("- [?] Use npm", "v3")]


def test_a_merge_takes_lines_of_all_its_targets() -> None:
    """What it adds is its own."""
    events = [
        event("create", 1, memory=Memory("Use pnpm", details=("never npm",))),
        event("create", 2, memory=Memory("pnpm it is", details=("with a lockfile",))),
        event(
            "supersede",
            3,
            id_of(1),
            id_of(2),
            memory=Memory("Use pnpm", details=("never npm", "with a lockfile", "since 2024")),
        ),
    ]
    assert [who for _, who in owners(blamed(events))] == ["v1", "v1", "v2", "v3"]


def test_another_section_changes_no_line() -> None:
    """Nor another document: what is compared is what both would say there."""
    body = "First.\n\nSecond.\n"
    events = [
        event("create", 1, memory=Memory("A note", body=body, type="note", section="Workflow")),
        event(
            "supersede",
            2,
            id_of(1),
            memory=Memory("A note", body=body + "Third.\n", type="note", section="Own"),
        ),
    ]
    assert owners(blamed(events)) == [("First.", "v1"), ("Second.", "v1"), ("Third.", "v2")]


def test_an_old_version_is_compared_without_the_mark() -> None:
    """What it would be marked with by now is nothing that it said."""
    events = [
        event("create", 1, memory=Memory("Old", details=("x",))),
        event("supersede", 190 * 86_400, id_of(1), memory=Memory("Old", details=("y",))),
    ]
    assert owners(blamed(events)) == [("- Old", "v1"), ("- y", f"v{190 * 86_400}")]


def test_of_two_targets_that_have_a_line_the_first_counts() -> None:
    """As the merge names them."""
    events = [event("create", n, memory=Memory("Use pnpm", details=(f"{n}",))) for n in (1, 2)]
    events.append(event("supersede", 3, id_of(2), id_of(1), memory=Memory("Use pnpm", details=("1", "2"))))
    assert [who for _, who in owners(blamed(events))] == ["v2", "v1", "v2"]


def test_an_erased_version_has_no_lines() -> None:
    """So nothing is said of what it held."""
    events = [
        event("create", 1, memory=Memory("Use pnpm")),
        event("supersede", 2, id_of(1), memory=Memory("Use pnpm", details=("now",))),
        event("erase", 3, id_of(1)),
    ]
    assert [who for _, who in owners(blamed(events))] == ["v2", "v2"]


def test_topics_and_days_and_frontmatter() -> None:
    """The line that says by whom is of the newest version that changed it; a topic's frontmatter is nobody's (P-95)."""
    events = [
        event("create", 1, memory=Memory("Tokens expire", topic="auth/tokens", body="After an hour.\n")),
        event(
            "supersede",
            2,
            id_of(1),
            memory=Memory("Tokens expire", topic="auth/tokens", body="After a day.\n"),
        ),
        event("create", 3, memory=Memory("Met Ada", tier="daily")),
        event(
            "create",
            4,
            memory=Memory("front", body="---\na: b\n---\n", type="note", place=Place("MEMORY.md")),
        ),
    ]
    topic = blamed(events, "tokens")
    assert [who for _, who in owners(topic)] == ["v1", "v1", "v2"]
    assert [line.state for line in topic[:6]] == [NOBODY] * 6
    day = blamed(events, "2023-11-14")
    assert owners(day) == [("- [?] Met Ada", "v3")]
    assert owners(blamed(events))[0] == ("---", "v4")


def test_a_long_line_of_versions_is_no_recursion() -> None:
    """Four hundred corrections of one memory, more than Python calls deep here."""
    deepest = sys.getrecursionlimit()
    events = [event("create", 1, memory=Memory("v1", details=("kept",)))]
    events += [
        event("supersede", n, id_of(n - 1), memory=Memory(f"v{n}", details=("kept",))) for n in range(2, 400)
    ]
    sys.setrecursionlimit(300)
    try:
        assert owners(blamed(events)) == [("- [?] v399", "v399"), ("- kept", "v1")]
    finally:
        sys.setrecursionlimit(deepest)


def test_a_document_is_found_by_its_name() -> None:
    """Path, last part, with and without .md; several are listed, none is refused."""
    events = [
        event("create", n, memory=Memory(f"m{n}", topic=topic))
        for n, topic in enumerate(["a/x", "b/x", "b/y"], 1)
    ]
    at = RenderedDocuments(StateSource(folded(events)), SETTINGS, NOW).at
    assert at("MEMORY") == at("none", "MEMORY.md") == "MEMORY.md"
    assert at("y") == at("y.md") == at("b/y") == at("memories/b/y.md") == "memories/b/y.md"
    with pytest.raises(AmbiguousIdError, match=r"memories/a/x\.md, memories/b/x\.md"):
        at("x")
    with pytest.raises(NotFoundError, match="no document z"):
        at("z")


@given(st.lists(st.sampled_from(["a", "\n", "\r", "\r\n", "\u2028", "\x0c", "\x85"])).map("".join))
def test_only_a_line_feed_ends_a_line(text: str) -> None:
    """As git counts lines; joined they are the text."""
    assert "".join(lines_of(text)) == text
    assert len(lines_of(text)) == text.count("\n") + (not text.endswith("\n") and bool(text))
