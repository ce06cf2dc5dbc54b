"""Tests documents/reading/topic_files.py: records of frontmatter and markdown (specs/import.md I-19…I-23)."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.reading.topic_entries import Frontmatter
from documents.reading.topic_files import MAX_FRONT_BYTES, read_front, read_topic_file, topic_of
from ledger.errors import RecordError
from ledger.memory import TOPIC, Memory, Provenance

RAWKO = """\
---
# how rawko writes it
title: "Auth module: where things are"
whenToUse:
  - "auth|login"  # any of them
  - When it is about sessions
tags: [auth, structure]
importance: high
discoveredAt: 2026-01-23T10:30:00Z
discoveredBy: planner
discoveredIn: "Task: log in"
source: "File: src/auth.ts"
relatedMemories:
  - jwt
---

# Auth

Tokens are checked in `src/auth.ts`.

"""


def read(text: str, topic: str = "a/b") -> list[Memory]:
    return [p.memory for p in read_topic_file(text.encode(), "a/b.md", topic)[0] if p.memory is not None]


def front(text: str) -> Frontmatter:
    found = read_front(text)
    assert isinstance(found, Frontmatter), found
    return found


def members(text: str) -> tuple[dict[str, Any], str]:
    found = front(text)
    return found.members, "".join(found.extra)


def test_a_record_is_read_field_by_field() -> None:
    (proposal,) = read_topic_file(RAWKO.encode(), "memories/a/b.md", "a/b")[0]
    assert proposal.memory == Memory(
        "Auth module: where things are",
        title="Auth module: where things are",
        body="# Auth\n\nTokens are checked in `src/auth.ts`.\n",
        topic="a/b",
        when_to_use=("auth|login", "When it is about sessions"),
        tags=("auth", "structure"),
        importance="high",
        provenance=Provenance(
            file="memories/a/b.md", agent="planner", task="Task: log in", date="2026-01-23T10:30:00Z"
        ),
        extra=(
            '# how rawko writes it\n# any of them\nsource: "File: src/auth.ts"\nrelatedMemories:\n  - jwt\n'
        ),
    )
    assert proposal.action == "create"
    assert proposal.date == "2026-01-23T10:30:00Z"


def test_several_records_in_a_file_are_memories_of_one_topic() -> None:
    text = "---\ntitle: One\n---\nfirst\n---\n\n## Update\n\nmore\n\n---\ntitle: Two\n---\nsecond\n---\n"
    assert [(m.title, m.body, m.topic) for m in read(text)] == [
        ("One", "first\n---\n\n## Update\n\nmore\n", "a/b"),
        ("Two", "second\n---\n", "a/b"),
    ]


@pytest.mark.parametrize(
    "body",
    [
        "```\n---\ntitle: x\n---\n```\n",
        "~~~~\n~~~\n---\ntitle: x\n---\n~~~~\n",
        "```\n~~~\n---\ntitle: x\n---\n```\n",
        "~~~\n~~~ x\n---\ntitle: x\n---\n~~~\n",
        "---\nnote: x\n---\n",
        "---\n\ntitle: x\n---\n",
        "---\nwords\n  title: x\n---\n",
        "---\ntitle: x\n",
    ],
)
def test_a_rule_or_an_example_in_the_body_is_no_record(body: str) -> None:
    (memory,) = read(f"---\ntitle: One\n---\n{body}")
    assert memory.body == body


@pytest.mark.parametrize("body", ["```a``` b\n", "```\nx\n```\n", "- a\n", ""])
def test_a_record_after_other_markdown_is_found(body: str) -> None:
    assert [m.title for m in read(f"---\ntitle: One\n---\n{body}---\nwhen_to_use: x\ntitle: Two\n---\n")] == [
        "One",
        "Two",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("whenToUse: a|b\n", ("a|b",)),
        ("when_to_use: [a, b]\n", ("a", "b")),
        ("when-to-use:\n- pattern: a\n- b\n", ("a", "b")),
        ("whentouse:\n- pattern: a, b\n", ("a, b",)),
        ("read_when:\n  - a\n", ("a",)),
        ("readWhen: a\nwhenToUse: [b]\n", ("a", "b")),
        ("whenToUse: [1, true, 1.10]\n", ("1", "true", "1.10")),
    ],
)
def test_when_to_use_is_read_in_all_its_spellings(text: str, expected: tuple[str, ...]) -> None:
    assert members(text) == ({"when_to_use": expected}, "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tags: a, b ,c\n", {"tags": ("a", "b", "c")}),
        ("Tags: [a]\n", {"tags": ("a",)}),
        ("importance: CRITICAL\n", {"importance": "critical"}),
        ("name: A thing\n", {"title": "A thing"}),
        ("title: >-\n  folded\n  words\n", {"title": "folded words"}),
        ("discovered_by: me\ndiscovered_at: 2026-01-02\n", {"agent": "me", "date": "2026-01-02"}),
        ("tags: []\ntitle: ''\nimportance:\nwhenToUse: {}\n", {}),
    ],
)
def test_fields_are_read_into_members(text: str, expected: dict[str, Any]) -> None:
    assert members(text) == (expected, "")


@pytest.mark.parametrize(
    "text",
    [
        "importance: 0.8\n",
        "tags: [a, {b: c}]\n",
        "tags: ['']\n",
        "whenToUse:\n  - weight: 2\n",
        "title: |\n  two\n  lines\n",
        "title: [a]\n",
        f"title: {'x' * 201}\n",
        'title: "\\ud800"\n',
        'discoveredBy: "\\e[31m"\n',
        f"discoveredIn: {'x' * 501}\n",
        f"tags: [{'x' * 65}]\n",
    ],
)
def test_what_a_member_cannot_hold_is_kept_as_a_comment(text: str) -> None:
    commented = "".join(f"# {line}\n" for line in text.splitlines())
    assert members(text) == ({}, commented)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("whenToUse:\n  - pattern: zeta|eta\n    flags: i\n", ("zeta|eta",)),
        ("whenToUse: [{pattern: rho}, {regex: sigma}, tau]\n", ("rho", "tau")),
        ("read_when:\n- a\n- [b]\n", ("a",)),
    ],
)
def test_what_can_be_read_of_a_list_is_and_the_rest_is_named(text: str, expected: tuple[str, ...]) -> None:
    """I-20."""
    commented = "".join(f"# {line}\n" for line in text.splitlines())
    assert members(text) == ({"when_to_use": expected}, commented)
    proposals, [warning] = read_topic_file(f"---\n{text}---\nb\n".encode(), "a.md", "a")
    assert "a.md: line 1: " in warning
    assert "kept as a comment too" in warning
    [memory] = [proposal.memory for proposal in proposals]
    assert memory is not None
    assert (memory.when_to_use, memory.extra) == (expected, commented)


def test_a_field_that_is_given_twice_is_kept_as_a_comment_both_times() -> None:
    assert members("title: a\nx: 1\ntitle: b\nx: 2\n") == ({}, "# title: a\nx: 1\n# title: b\nx: 2\n")
    assert members("whenToUse: a\nimportance: low\nImportance: high\n") == (
        {"when_to_use": ("a",), "importance": "low"},
        "# Importance: high\n",
    )


def test_custom_fields_stay_as_they_are_written() -> None:
    custom = (
        "description: >\n  a\n  b\nglobs: ['*.py']\r\nmetadata:\n  # why\n  type: project # aside\n\nx:   1\n"
    )
    assert members("# top\n" + custom + "title: t # c\n# after\n") == (
        {"title": "t"},
        f"# top\n{custom}# c\n# after\n",
    )


def test_comments_in_what_is_read_are_kept_and_signs_in_texts_are_none() -> None:
    text = "tags: # first\n  - 'a # b' # second\n  # third\n  - c#d\ntitle: '#x' # fourth\n"
    assert members(text) == (
        {"tags": ("a # b", "c#d"), "title": "#x"},
        "# first\n# second\n# third\n# fourth\n",
    )


def test_a_name_beside_a_title_is_a_custom_field() -> None:
    assert members("name: slug\ntitle: Words\n") == ({"title": "Words"}, "name: slug\n")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("---\ndescription: One\n  line\ntitle: T\n---\nbody\n", "One line"),
        ("---\nsummary: S\ndescription: D\n---\nbody\n", "S"),
        (f"---\ndescription: {'word ' * 300}\n---\nbody\n", ("word " * 39).strip() + "…"),
        ("---\ntitle: T\n---\nbody\n", "T"),
        ("---\nx: 1\n---\n\n## Head\nbody\n", "Head"),
        ("---\nx: 1\n---\n", "how it works"),
        ("---\ndescription:\ntitle: ' '\n---\n", "how it works"),
    ],
)
def test_the_text_is_the_description_else_the_title_else_the_body(text: str, said: str) -> None:
    assert [m.text for m in read(text, "a/how-it-works")] == [said]


def test_a_type_of_ours_is_taken_and_stays_in_extra() -> None:
    assert [(m.type, m.extra) for m in read("---\ntype: decision\n---\nx\n")] == [
        ("decision", "type: decision\n")
    ]
    assert [(m.type, m.extra) for m in read("---\ntype: [user]\n---\nx\n")] == [("fact", "type: [user]\n")]


@pytest.mark.parametrize(
    ("yaml", "reason"),
    [
        ("title: a: b\n", r"mapping values are not allowed here \(line 2\)"),
        ("x: 1\nother: *.ts\n", r"\(line 3\)"),
        ("a: &x 1\nb: *x\n", "anchors or tags"),
        ("a: !!python/object/apply:os.system [id]\n", "anchors or tags"),
        ("title: 'open\n", r"\(line 3\)"),
        ("a: 1\n? [b]\n: 2\n", "not a block|unhashable"),
        ("a: \x07\n", "special characters"),
        ("a: x\u2028b: y\n", "not a block"),
        (f"a: {'[' * 1000}\n", "nested too deeply|expected"),
        (f"a: {'x' * MAX_FRONT_BYTES}\n", "longer than"),
    ],
    ids=lambda value: value[:20],
)
def test_a_frontmatter_that_cannot_be_read_is_kept_in_the_body_with_a_warning(yaml: str, reason: str) -> None:
    text = f"---\n{yaml}---\n\n# Words\n\n"
    proposals, warnings = read_topic_file(text.encode(), "a/b.md", "a/b")
    (memory,) = [p.memory for p in proposals if p.memory is not None]
    assert memory == Memory(
        "Words", body=f"---\n{yaml}---\n\n# Words\n", topic="a/b", provenance=Provenance(file="a/b.md")
    )
    (warning,) = warnings
    assert re.search(rf"^a/b\.md: line 1: .*(?:{reason})", warning)
    assert "\n" not in warning


def test_a_warning_names_the_line_of_the_record() -> None:
    _, warnings = read_topic_file(b"---\ntitle: a\n---\nx\n---\ntags: [\n---\n", "a.md", "a")
    assert [warning.split(": the")[0] for warning in warnings] == ["a.md: line 5"]


def test_line_ends_stay_in_the_body_and_a_byte_order_mark_goes() -> None:
    text = "\ufeff---\r\ntitle: T\r\ncustom: 1\r\n---\r\n\r\none\r\ntwo\r\n"
    assert [(m.title, m.extra, m.body) for m in read(text)] == [("T", "custom: 1\r\n", "one\r\ntwo\r\n")]


def test_what_is_no_utf_8_is_refused() -> None:
    with pytest.raises(RecordError, match=r"a\.md: not UTF-8 at byte 12"):
        read_topic_file(b"---\na: 1\n---\xff\n", "a.md", "a")


@pytest.mark.parametrize(
    ("parts", "topic"),
    [
        (["x"], "x"),
        (["docs", "x"], "docs/x"),
        (["home", "memories", "Code Base", "Auth_Module"], "code-base/auth-module"),
        (["memory", "memories", "x"], "x"),
        ([".claude", "agent-memory", "architect", "x"], "architect/x"),
        (["memories"], "memories"),
        (["a", "b", "c", "d", "e", "f"], "c/d/e/f"),
        (["caf\u00e9", "\ufb01x"], "cafe/fix"),
        (["\u8bb0\u5fc6"], "t-" + hashlib.sha256(b"\xe8\xae\xb0\xe5\xbf\x86").hexdigest()[:8]),
        (["x" * 63 + "-y"], "x" * 63),
    ],
)
def test_the_topic_is_a_slug_path_below_the_folder_for_memories(parts: list[str], topic: str) -> None:
    assert topic_of(parts) == topic


@given(st.lists(st.text(min_size=1), min_size=1, max_size=6))
def test_every_path_has_a_topic(parts: list[str]) -> None:
    topic = topic_of(parts)
    assert TOPIC.fullmatch(topic)
    assert all(len(part) <= 64 for part in topic.split("/"))


LINES = st.sampled_from(
    [
        "title: Tango",
        "name: november",
        "tags: [alfa, bravo] # charlie",
        "whenToUse:",
        "  - xray|yankee",
        "  - pattern: zulu # whisky",
        "# delta",
        "importance: echoes",
        "custom: 'victor'",
        "  more: uniform",
        "description: |",
        "  # sierra",
        "",
        "a: &anchor foxtrot",
        "b: *anchor",
        "---",
        "```",
        "hotel india",
        "read_when: 'romeo",
        "Tags: quebec, papa",
    ]
)
READ = {"title", "name", "tags", "Tags", "whenToUse", "pattern", "read_when"}


@given(st.lists(LINES, max_size=12), st.sampled_from(["\n", "\r\n"]))
def test_no_word_of_a_topic_file_is_lost(lines: list[str], end: str) -> None:
    text = end.join(["---", "k: v", *lines, "---", "end", ""])
    held: Counter[str] = Counter()
    for memory in read(text):
        memory.to_payload()
        said = [memory.body, memory.extra, memory.title, *memory.when_to_use, *memory.tags]
        held.update(re.findall(r"\w+", " ".join(said)))
    written = Counter(word for word in re.findall(r"\w+", " ".join(lines)) if word not in READ)
    assert written - held == Counter()


def test_globs_as_cursor_writes_them_are_read() -> None:
    """I-23: a star at the beginning is no YAML."""
    (memory,) = read("---\ndescription: Rules\nglobs: *\nalwaysApply: true\n---\n\nUse strict.\n", "rules")
    assert (memory.text, memory.extra) == ("Rules", 'description: Rules\nglobs: "*"\nalwaysApply: true\n')


def test_patterns_and_descriptions_are_read() -> None:
    """I-20: each says when the topic is needed."""
    text = "---\ntitle: T\nwhenToUse:\n- pattern: a|b\n  description: When task mentions auth\n- description: Login\n---\nx\n"
    (memory,) = read(text, "t")
    assert memory.when_to_use == ("a|b", "When task mentions auth", "Login")
