"""Reads back what our own renderings wrote: the same statements, or, where a file cannot tell, the same bytes.

Against specs/import.md (I-11, I-18, I-26…I-28) and specs/projections.md (P-9…P-15, P-23…P-28).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

import muniment
from documents.reading.any_document import read_document
from documents.reading.memory_file import section_name
from documents.writing.overflow import Selection
from learning.importing import Wishes, import_paths
from ledger.event import By
from ledger.fold import Entry
from ledger.memory import Memory, Provenance
from ledger.view import statement_key
from projections import commonmark
from projections.settings import DEFAULTS, RenderSettings
from tests.documents.writing.rendering import render_day, render_memory, render_overflow, render_topic
from tests.projections import made_up
from tests.projections.made_up import NOW, standing

DAY = "2023-11-02"
EVERYTHING = RenderSettings(overflow=False)
BY = By("ada", "user", "import")


def read(data: bytes, name: str) -> list[Memory]:
    """Return what an import of a file with this name would say."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        document = read_document(path, name, unescape=commonmark.unescape)
        said = [proposal.memory for proposal in document.proposals if proposal.memory is not None]
        for memory in said:
            memory.to_payload()
        return said


def keys(memories: Iterable[Memory]) -> list[str]:
    return sorted(map(statement_key, memories))


def without_outer_spaces(memory: Memory) -> Memory:
    """Return a memory as its bullet shows it: outer spaces and tabs go (P-10), the body ends its line (P-15)."""
    details = tuple(detail.strip(" \t") or " " for detail in memory.details)
    return memory.with_changes(
        text=memory.text.strip(" \t"), details=details, body=commonmark.trimmed(memory.body)
    )


def is_told_apart(memory: Memory) -> bool:
    """Tell whether a bullet says its memory alone; what I-24 lists is left out."""
    own = memory.effective_section
    read_as = section_name(own, own_words=memory.tier == "daily")
    text = memory.text.strip(" \t")
    return (
        read_as == own
        and "<!-- auto:" not in text
        and (text + " ".join(memory.details)).isprintable()
        and len(commonmark.escape(text)) <= 1000
        and not (memory.body and not _is_body(memory))
    )


def _is_body(memory: Memory) -> bool:
    """Tell whether a bullet's body is no list of one-line bullets, which reads as the bullet's details."""
    (said, *rest) = read(f"- x\n\n{commonmark.indented(commonmark.trimmed(memory.body))}".encode(), "x.md")
    return not rest and bool(said.body) and not said.details


bullets = st.builds(
    partial(Memory),
    text=made_up.texts,
    details=st.lists(made_up.lines, max_size=2).map(tuple),
    body=st.one_of(st.just(""), st.just(""), made_up.bodies),
    section=made_up.sections.filter(lambda name: name.casefold() != "links"),
).filter(lambda memory: made_up.is_valid(memory) and is_told_apart(memory))


@given(st.lists(bullets, min_size=1, max_size=4))
@example([Memory("# x"), Memory("[?] y"), Memory("1. z"), Memory("\\# w", details=("- a", "&#32;", " "))])
@example([Memory("x", details=("a",), body="- b\n\n  c\n")])
def test_memory_md_says_the_same_when_it_is_read_back(said: list[Memory]) -> None:
    assume(len(set(keys(map(without_outer_spaces, said)))) == len(said))
    said = [memory.with_changes(section=memory.effective_section) for memory in said]
    entries = [standing(memory, number) for number, memory in enumerate(said)]
    data = render_memory(Selection(tuple(entries)), 0, EVERYTHING, NOW)
    assert keys(read(data, "MEMORY.md")) == keys(map(without_outer_spaces, said))


@given(st.lists(bullets, min_size=1, max_size=4))
def test_an_overflow_file_says_the_same_when_it_is_read_back(said: list[Memory]) -> None:
    assume(len(set(keys(map(without_outer_spaces, said)))) == len(said))
    entries = [standing(memory, number) for number, memory in enumerate(said)]
    data = render_overflow(entries, DEFAULTS, NOW)
    assert keys(read(data, "memory/other.md")) == keys(map(without_outer_spaces, said))


@settings(max_examples=settings().max_examples // 2)
@given(st.lists(bullets, min_size=1, max_size=4))
def test_a_daily_note_says_the_same_when_it_is_read_back(said: list[Memory]) -> None:
    where = Provenance(date=DAY)
    said = [memory.with_changes(tier="daily", provenance=where) for memory in said]
    assume(len(set(keys(map(without_outer_spaces, said)))) == len(said))
    entries = [standing(memory, number) for number, memory in enumerate(said)]
    data = render_day(DAY, entries, DEFAULTS, NOW)
    assert keys(read(data, f"memory/{DAY}.md")) == keys(map(without_outer_spaces, said))


notes = made_up.memories.map(lambda memory: memory.with_changes(topic="", place=None, tier="curated"))


@given(st.lists(notes, max_size=3))
def test_what_was_rendered_read_and_rendered_stands_still_from_then_on(said: list[Memory]) -> None:
    """Notes that come to stand together become one (I-24); what a file says no more is lost only once."""
    once = _memory_md(read(_memory_md(said), "MEMORY.md"))
    assert _memory_md(read(once, "MEMORY.md")) == once


def _memory_md(said: Sequence[Memory]) -> bytes:
    entries = [standing(memory, number) for number, memory in enumerate(said)]
    return render_memory(Selection(tuple(entries)), 0, EVERYTHING, NOW)


# --- topic files ---


def topic_file(entries: Sequence[Entry], topic: str) -> bytes:
    return render_topic(topic, entries, EVERYTHING, NOW)


def _is_clear(memory: Memory) -> bool:
    """Tell whether an entry's own lines can be told from the file's; what I-24 lists is left out."""
    where = memory.provenance
    one_lines = [memory.text, memory.title, *memory.details, *memory.when_to_use, *memory.tags]
    if (
        not "".join([*one_lines, where.agent, where.task]).isprintable()
        or "\\#" in memory.title + memory.text
    ):
        return False
    return where.agent == where.agent.strip() and where.date[:10] in ("", DAY)


entries_of_topics = st.lists(made_up.memories.filter(_is_clear), min_size=1, max_size=4)


@settings(max_examples=settings().max_examples // 3, suppress_health_check=[HealthCheck.filter_too_much])
@given(entries_of_topics, st.sampled_from(["build", "code/auth-module"]))
def test_a_topic_file_is_rendered_alike_from_what_was_read_of_it(said: list[Memory], topic: str) -> None:
    """I-27, I-28."""
    said = [memory.with_changes(topic=topic, extra="") for memory in said]
    data = topic_file([standing(memory, number) for number, memory in enumerate(said)], topic)
    back = read(data, f"memories/{topic}.md")
    assert len(back) == len(said)
    again = topic_file([standing(memory, number) for number, memory in enumerate(back)], topic)
    assert again == data


AUTH = """\
---
title: Auth flow
whenToUse:
- login bugs
tags:
- auth
importance: high
discoveredAt: '2026-01-23T10:30:00Z'
discoveredBy: planner
discoveredIn: 'Task: log in'
source: 'File: src/auth.ts'
---

## Sessions live in Redis

*by ada, 2026-01-22*

- for 24 h

They are not in Postgres.

## Auth flow

[?] *by planner, 2026-01-23*

\\# is a comment sign

- one
- \\- two

### Deeper

```
## No heading

*by nobody, 2026-01-01*
```

## Tokens

*by ada, 2026-01-24*
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_topic_file_is_read_entry_by_entry(end: str) -> None:
    shared = {"topic": "code/auth", "when_to_use": ("login bugs",), "tags": ("auth",), "importance": "high"}
    file = "memories/code/auth.md"
    first, second, third = read(AUTH.replace("\n", end).encode(), file)
    assert first == Memory(
        "Sessions live in Redis",
        details=("for 24 h",),
        body=f"They are not in Postgres.{end}",
        extra=(
            f"# discoveredAt: 2026-01-23T10:30:00Z\n# discoveredBy: planner\nsource: 'File: src/auth.ts'{end}"
        ),
        provenance=Provenance(file=file, agent="ada", date="2026-01-22", task="Task: log in"),
        **shared,  # type: ignore[arg-type]
    )
    body = "### Deeper\n\n```\n## No heading\n\n*by nobody, 2026-01-01*\n```\n".replace("\n", end)
    assert (second.title, second.text, second.details, second.body) == (
        "Auth flow", "# is a comment sign", ("one", "- two"), body,
    )  # fmt: skip
    assert (second.provenance.agent, second.provenance.date) == ("planner", "2026-01-23")
    assert third == Memory(
        "Tokens",
        provenance=Provenance(file=file, agent="ada", date="2026-01-24"),
        **shared,  # type: ignore[arg-type]
    )


def test_two_of_our_topic_files_in_one_are_read_one_after_the_other() -> None:
    one = b"---\ntitle: T\ntags: [%b]\n---\n\n## H %b\n\n*by ada, 2026-01-22*\n\n---\ntitle: no record\n---\n"
    back = read(one % (b"a", b"a") + b"\n" + one % (b"b", b"b"), "memories/x.md")
    assert [(memory.text, memory.tags) for memory in back] == [("H a", ("a",)), ("H b", ("b",))]
    assert all(memory.body == "---\ntitle: no record\n---\n" for memory in back)


def test_a_title_that_a_person_changed_stays_as_a_field() -> None:
    """I-28, P-23."""
    data = AUTH.replace("title: Auth flow", "title: Logging in").encode()
    first = read(data, "memories/code/auth.md")[0]
    assert 'title: "Logging in"\n' in first.extra


def test_what_no_record_can_hold_is_kept_as_text() -> None:
    data = f"---\ntitle: T\n---\n\n## {'x' * 1001}\n\n*by ada, 2026-01-22*\n\nbody\n".encode()
    (memory,) = read(data, "memories/x.md")
    assert memory.body == f"## {'x' * 1001}\n\n*by ada, 2026-01-22*\n\nbody\n"
    assert memory.text == "x" * 199 + "…"


# --- through ledgers ---


@settings(max_examples=settings().max_examples // 8)
@given(st.lists(bullets, min_size=1, max_size=3), st.lists(entries_of_topics, max_size=1))
def test_a_fresh_ledger_that_imports_our_documents_renders_the_same(
    said: list[Memory], in_topic: list[list[Memory]]
) -> None:
    dated = Provenance(date=DAY)
    told = [*said, *(memory.with_changes(tier="daily", provenance=dated) for memory in said)]
    told += [
        memory.with_changes(topic="build", extra="", status="active") for some in in_topic for memory in some
    ]
    with tempfile.TemporaryDirectory() as folder:
        one, other = _ledger(Path(folder) / "one"), _ledger(Path(folder) / "other")
        with one, other:
            for memory in told:
                one.store(memory)
            import_paths(other.scope, [one.workspace.place.documents], Wishes(BY), _raise)
            for path in one.workspace.place.documents.rglob("*.md"):
                name = path.relative_to(one.workspace.place.documents)
                assert (other.workspace.place.documents / name).read_bytes() == path.read_bytes(), name


def _ledger(folder: Path) -> muniment.MemoryLedger:
    muniment.init(folder, by=BY).close()
    place, _ = muniment.locate(directory=folder)
    return muniment.MemoryLedger(place, muniment.home(), by=BY)


def _raise(_path: Path, error: Exception) -> None:
    raise error
