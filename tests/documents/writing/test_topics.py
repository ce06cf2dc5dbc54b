"""Tests documents/writing/topics.py: topic files (specs/projections.md P-23…P-27)."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import frontmatter
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from documents.writing.topics import FIELDS, topic_pieces
from ledger.event import By
from ledger.instant import DAY
from ledger.memory import IMPORTANCES, Memory, Provenance
from projections.settings import DEFAULTS
from tests.documents.writing.rendering import render_topic
from tests.projections.made_up import NOW, entry, event, extras, folded, id_of, lines, memories, standing
from tests.projections.reference import topic_files

yaml: Any = importlib.import_module("yaml")
EARLY = NOW - 150 * DAY
PARSER = MarkdownIt("commonmark").disable("inline")


def topic_file(*entries: Any, topic: str = "code/auth-module", as_of: int = EARLY) -> str:
    return render_topic(topic, entries, DEFAULTS, as_of).decode()


def fields_of(text: str) -> dict[str, Any]:
    return dict(frontmatter.loads(text).metadata)


def test_the_whole_form() -> None:
    text = topic_file(
        entry(
            "Tokens live an hour",
            1,
            title="Token lifetime",
            topic="code/auth-module",
            when_to_use=("working on login", "src/auth/**"),
            tags=("auth",),
            details=("refresh before",),
            body="### Why\n\nBecause.\n",
            extra="owner: team blue\n",
            provenance=Provenance(agent="scout", task="ticket 1", date="2026-11-20"),
        ),
        entry("Logout clears all", 2, topic="code/auth-module", tags=("auth", "web"), importance="high"),
    )
    assert text == (
        "---\n"
        "title: Token lifetime\n"
        "whenToUse:\n- working on login\n- src/auth/**\n"
        "tags:\n- auth\n- web\n"
        "importance: high\n"
        "discoveredAt: '2026-11-20'\n"
        "discoveredBy: scout\n"
        "discoveredIn: ticket 1\n"
        "owner: team blue\n"
        "---\n"
        "\n## Token lifetime\n\n*by scout, 2026-11-20*\n\nTokens live an hour\n"
        "\n- refresh before\n\n### Why\n\nBecause.\n"
        "\n## Logout clears all\n\n*by ada, 2023-11-14*\n"
    )


def test_a_topic_without_titles_is_called_by_its_path() -> None:
    assert fields_of(topic_file(entry("x", topic="a/auth-module")))["title"] == "Auth module"


def test_a_stale_entry_is_marked_in_its_byline() -> None:
    assert "\n[?] *by ada, 2023-11-14*\n" in topic_file(entry("x"), as_of=NOW)


def test_entries_stand_in_the_order_learned_whatever_order_they_come_in() -> None:
    first, second = entry("first", 1), entry("second", 2, by=By("bob"))
    assert topic_file(second, first) == topic_file(first, second)
    assert topic_file(second, first).index("first") < topic_file(second, first).index("second")
    assert fields_of(topic_file(second, first))["discoveredBy"] == "ada"


def test_an_open_fence_takes_in_no_other_entry() -> None:
    text = topic_file(entry("one", 1, body="```\ncode"), entry("two", 2))
    headings = [
        token for token in PARSER.parse(text) if token.type == "heading_open" and token.markup == "##"
    ]
    assert len(headings) == 2


# --- our fields ---


@settings(max_examples=settings().max_examples // 2)
@given(st.lists(memories, min_size=1, max_size=5))
def test_the_frontmatter_is_the_union_of_the_entries(given_memories: list[Memory]) -> None:
    """And its bytes are those of PyYAML's own dump of the same fields (P-24)."""
    entries = [
        standing(memory.with_changes(extra="", topic="a/b"), n) for n, memory in enumerate(given_memories)
    ]
    text = topic_file(*entries, topic="a/b")
    first = given_memories[0].provenance
    found_in = first.task or first.conversation or first.session
    expected: dict[str, Any] = {
        "title": next((m.title for m in given_memories if m.title.strip()), "B"),
        "whenToUse": list(dict.fromkeys(when for m in given_memories for when in m.when_to_use)),
        "tags": list(dict.fromkeys(tag for m in given_memories for tag in m.tags)),
        "importance": max((m.importance for m in given_memories), key=IMPORTANCES.index),
        "discoveredAt": first.date or "2023-11-14",
        "discoveredBy": first.agent or "ada",
        "discoveredIn": found_in,
    }
    expected = {name: value for name, value in expected.items() if value}
    dumped = yaml.dump(
        expected, Dumper=yaml.SafeDumper, sort_keys=False, allow_unicode=True, width=sys.maxsize
    )
    assert text.startswith(f"---\n{dumped}---\n\n## ")
    assert yaml.safe_load(dumped) == expected


@given(st.one_of(lines, st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)))
def test_any_tag_is_written_as_yaml_writes_it(tag: str) -> None:
    if len(tag.splitlines()) > 1 or tag != tag.strip("\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029\x00"):
        return
    text = topic_file(entry("x", tags=(tag,)))
    dumped = yaml.dump([tag], Dumper=yaml.SafeDumper, allow_unicode=True, width=sys.maxsize)
    assert f"\ntags:\n{dumped}importance:" in text


@pytest.mark.parametrize(
    "word", ["yes", "No", "TRUE", "off", "null", "1", "1.5", "2026-11-20", "~", "=", "y", ""]
)
def test_a_word_that_yaml_takes_for_something_else_stays_text(word: str) -> None:
    if word:
        assert fields_of(topic_file(entry("x", tags=(word,))))["tags"] == [word]
    assert fields_of(topic_file(entry("x", title=word)))["title"] == (word or "Auth module")


# --- custom fields ---


def test_custom_fields_are_kept_verbatim_and_the_first_entry_wins() -> None:
    text = topic_file(
        entry("a", 1, extra="# about it\nowner:   'blue'  # said so\nlist:\n  - 1\n  - 2\n"),
        entry("b", 2, extra="owner: red\nlevel: 3"),
        entry("c", 3, extra="Owner: green\n"),
    )
    front = text.split("---\n")[1]
    assert front.endswith("# about it\nowner:   'blue'  # said so\nlist:\n  - 1\n  - 2\nlevel: 3\n")


@pytest.mark.parametrize(
    "extra",
    [
        "Title: evil",
        "title: [evil]",
        "when_to_use: [evil]",
        "WhenToUse: evil",
        "importance: critical\n",
        "discovered-by: evil",
    ],
)
def test_a_custom_field_never_takes_a_name_of_ours_but_the_title(extra: str) -> None:
    assert "evil" not in topic_file(entry("x", extra=extra))
    assert fields_of(topic_file(entry("x", extra=extra)))["importance"] == "medium"


def test_a_title_of_the_whole_file_goes_before_those_of_entries() -> None:
    """P-23: it is a custom field of an entry, as it names none of them."""
    whole = topic_file(entry("x", title="One"), entry("y", 2, extra="'title': \"All: of it\"\nowner: me\n"))
    assert fields_of(whole)["title"] == "All: of it"
    assert whole.count("title:") == 1
    assert "owner: me\n" in whole


@pytest.mark.parametrize(
    "extra",
    [
        "a: [",
        "a: b: c",
        "- list",
        "words",
        "{a: 1}",
        "  a: 1\n  b: 2",
        "a: 1\na: 2",
        "a: 1\n---\ntitle: evil",
        "---\na: 1",
        "a: 1\n...\n",
        "%YAML 1.1\n---\na: 1",
        "a: &x 1",
        "a: *x",
        "a: !!python/object/apply:os.system [evil]",
        "a: !mine x",
        "<<: {title: evil}",
        "a: 2026-13-45",
        'a: "x\n---\ntitle: evil"',
        "? [a]\n: b",
        "a: \x01",
        "\ufeffa: 1",
        "a:\u2028---\u2028title: evil",
        "[" * 500,
    ],
)
def test_yaml_that_could_break_the_file_is_commented_out(extra: str) -> None:
    """P-26: all of it stays readable as comments; the frontmatter says what it would say without."""
    text = topic_file(entry("x", extra=extra))
    assert fields_of(text) == fields_of(topic_file(entry("x")))
    front = text.split("\n---\n")[0].splitlines()
    comments = [line for line in front if line.startswith("# ")]
    assert comments
    assert front[: -len(comments)] == topic_file(entry("x")).split("\n---\n")[0].splitlines()


@given(st.lists(extras, min_size=1, max_size=4), lines)
def test_no_extra_and_no_text_breaks_the_frontmatter(given_extras: list[str], text: str) -> None:
    """It always loads; ours are as without extras; nothing of it reaches the body, nothing of the body it."""
    entries = [entry("x" + text.replace("\x00", ""), n, extra=extra) for n, extra in enumerate(given_extras)]
    plain = [entry("x" + text.replace("\x00", ""), n) for n in range(len(given_extras))]
    with_extras, without = topic_file(*entries), topic_file(*plain)
    fields, ours = fields_of(with_extras), fields_of(without)
    own_title = {"title": fields["title"]} if any("title" in extra for extra in given_extras) else {}
    assert {name: fields[name] for name in fields if name in FIELDS} == ours | own_title
    assert isinstance(fields["title"], str)
    assert with_extras.split("\n---\n", 1)[1] == without.split("\n---\n", 1)[1]


@given(
    st.dictionaries(
        st.from_regex(r"[a-z]{4,8}x", fullmatch=True), st.one_of(lines, st.integers()), min_size=1
    )
)
def test_fields_that_yaml_can_read_all_arrive(custom: dict[str, Any]) -> None:
    extra = yaml.safe_dump(custom, allow_unicode=True, sort_keys=False)
    fields = fields_of(topic_file(entry("x", extra=extra)))
    assert {name: fields[name] for name in custom} == custom


def test_pieces_and_render_agree() -> None:
    log = [event("create", n, memory=Memory(f"fact {n}", topic="a")) for n in (1, 2)]
    files = topic_files(folded(log), EARLY)
    entries = folded(log).entries()
    pieces = list(topic_pieces("a", entries, DEFAULTS, EARLY))
    assert files == {"memories/a.md": "".join(piece.text for piece in pieces).encode()}
    assert [piece.id for piece in pieces if piece.id] == [id_of(1), id_of(2)]
