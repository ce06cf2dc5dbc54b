"""Tests projections/commonmark.py against a CommonMark parser (specs/projections.md P-10…P-15)."""

from __future__ import annotations

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from documents.reading.blocks import unescape_heading
from ledger.hidden_characters import referred, unreferred
from projections.commonmark import (
    closed,
    escape,
    escape_heading,
    guard,
    indented,
    trimmed,
    unescape,
    verbatim,
)
from tests.projections.made_up import bodies, lines, texts

PARSER = MarkdownIt("commonmark").enable("table").disable("inline")
ITEM = ["bullet_list_open", "list_item_open", "paragraph_open", "inline", "paragraph_close"]


def _parse(text: str) -> list[Token]:
    return PARSER.parse(text)


def _is_item(content: str) -> bool:
    """Say whether `- content` is one bullet of one paragraph with just this content."""
    tokens = _parse(f"- {content}\n")
    shape = [token.type for token in tokens]
    return shape == [*ITEM, "list_item_close", "bullet_list_close"] and tokens[3].content == content.strip()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("plain words", "plain words"),
        ("  outer spaces \t", "outer spaces"),
        ("# heading", r"\# heading"),
        ("#hashtag", "#hashtag"),
        ("- item", r"\- item"),
        ("-5 degrees", "-5 degrees"),
        ("--", r"\--"),
        ("* * *", r"\* * *"),
        ("**bold**", "**bold**"),
        ("1. one", r"1\. one"),
        ("1\\. one", r"1\\. one"),
        ("1.5 times", "1.5 times"),
        ("> quote", r"\> quote"),
        ("```", r"\```"),
        ("```a``` b", "```a``` b"),
        ("~~~", r"\~~~"),
        ("<div>", r"\<div>"),
        ("<https://example.org> has it", "<https://example.org> has it"),
        ("<!-- x", r"\<!-- x"),
        ("[a]: b", r"\[a]: b"),
        ("[2026-01-02]: did it well", "[2026-01-02]: did it well"),
        ("[ ] a task", "[ ] a task"),
        ("[?] not ours", r"\[?] not ours"),
        (r"\# escaped", r"\\# escaped"),
        (r"\word", r"\word"),
        (" ", "&#32;"),
        ("&#32;", r"\&#32;"),
    ],
)
def test_a_text_is_escaped_only_where_it_would_be_another_block(text: str, line: str) -> None:
    assert escape(text) == line


@given(texts)
def test_any_text_is_one_paragraph_of_one_bullet(text: str) -> None:
    assert _is_item(escape(text))


@given(lines)
def test_what_is_escaped_is_read_back(text: str) -> None:
    assert unescape(escape(text)) == (text.strip(" \t") or " ")


@given(texts, texts)
def test_two_texts_are_never_written_alike(one: str, other: str) -> None:
    assume(one.strip(" \t") != other.strip(" \t"))
    assert escape(one) != escape(other)


@given(texts)
@example("[a]: b c")
@example("<Foo> bar")
def test_a_line_that_is_a_plain_bullet_keeps_its_bytes(text: str) -> None:
    """A line is changed only where it begins with an escape, our mark, or what resembles a definition."""
    said = text.strip(" \t")
    assume(not said.startswith(("\\", "[", "&", "<!")) and not said.lstrip("0123456789").startswith("\\"))
    if _is_item(said):
        assert escape(text) == referred(said)


@given(st.lists(lines, min_size=1, max_size=3), texts)
def test_details_stay_below_their_bullet(details: list[str], text: str) -> None:
    """Blank ones too: an empty sub-bullet would make the line above it a heading."""
    document = f"- {escape(text)}\n" + "".join(f"  - {escape(detail)}\n" for detail in details) + "- next\n"
    shape = [(token.type, token.level) for token in _parse(document) if token.nesting > 0]
    inner = [("bullet_list_open", 2), *[("list_item_open", 3), ("paragraph_open", 4)] * len(details)]
    item = [("list_item_open", 1), ("paragraph_open", 2)]
    assert shape == [("bullet_list_open", 0), *item, *inner, *item]


@given(texts)
@example("C #")
@example("#")
@example("a ## ##")
def test_a_heading_keeps_all_its_signs(text: str) -> None:
    tokens = _parse(f"## {escape_heading(text)}\n")
    assert [token.type for token in tokens] == ["heading_open", "inline", "heading_close"]
    read = tokens[1].content
    assert unreferred(read.replace("\\#", "#")).strip() == text.strip().replace("\\#", "#")


# --- bodies ---


@pytest.mark.parametrize(
    ("before", "block", "apart"),
    [
        ("- a\n", "  b\n", False),
        ("- a\n", " b\n", True),
        ("- a\n", "\tb\n", False),
        ("- a\n", "  * b\n", False),
        ("  * a\n", "  * b\n", True),
        ("1. a\r\n", "   b\n", False),
        ("1. a\n", "  b\n", True),
        ("words\n", "    code\n", True),
        ("- a\n\n<!-- -->\n", "    code\n", True),
        ("- a\n", "b\n", True),
    ],
)
def test_a_block_is_guarded_where_a_list_would_take_it_in(before: str, block: str, apart: bool) -> None:
    assert guard(before, block) == ("" if apart else "<!-- -->\n\n")


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ("a", "a\n"),
        ("\n \n  a\n\n", "  a\n"),
        ("a\r\nb\r\n\r\n", "a\r\nb\r\n"),
        ("a  \n\n", "a  \n"),
        ("a\r", "a\r\n"),
        (" \t\r\n", ""),
    ],
)
def test_a_body_loses_only_the_blank_lines_around_it(body: str, kept: str) -> None:
    assert trimmed(body) == kept


def test_an_indented_body_keeps_its_line_ends_and_blank_lines() -> None:
    assert indented("a\r\n\r\n\tb\rc\n") == "  a\r\n\r\n  \tb\r  c\n"


@pytest.mark.parametrize(
    ("body", "end"),
    [
        ("```\ncode\n", "```\n"),
        ("~~~~ py\n```\n~~~\n", "~~~~\n"),
        ("```\ncode\n```\n", ""),
        ("    ```\n", ""),
        ("- ```\n  code\n", ""),
        ("  ```\n", "```\n"),
        ("<!-- note\n", "-->\n"),
        ("<!-- a --> b\n", ""),
        ("<pre>\n\nx\n", "</pre>\n"),
        ("<?php\n", "?>\n"),
        ("<div>\n```\n\n```\ncode\n", "```\n"),
        ("words `` ` `` and <b>bold</b>\n", ""),
    ],
)
def test_what_is_left_open_is_closed_with_one_line(body: str, end: str) -> None:
    assert closed(body) == body + end


@given(bodies)
def test_no_body_takes_in_what_follows_it(body: str) -> None:
    assume(trimmed(body))
    tokens = _parse(closed(trimmed(body)) + "\n## After\n\n- one\n\nwords\n")
    after = max(at for at, token in enumerate(tokens) if token.type == "heading_open")
    assert tokens[after].level == 0
    assert tokens[after + 1].content == "After"
    assert [token.type for token in tokens[after + 3 :]] == [
        *ITEM,
        *("list_item_close", "bullet_list_close", "paragraph_open", "inline", "paragraph_close"),
    ]


@given(bodies)
def test_a_body_is_closed_only_where_it_is_open(body: str) -> None:
    body = trimmed(body)
    assume(body and "<!" not in body)
    if closed(body) != body:
        tokens = _parse(f"{body}\n## After\n")
        assert not tokens or tokens[-1].type != "heading_close"


@pytest.mark.parametrize(
    "body",
    [
        "prose\nof two lines\n",
        "# Person's title\n\nwords\n",
        "### Third level\n\n1. a\n2. b\n",
        "- a\n  b\n\n  ```\n  code\n  ```\n",
        "* one\n  1. two\n",
        "|a|b|\n|-|-|\n",
        "Underlined\n---\n",
        "```\n## in code\n- too\n```\n",
        "- - -\n",
    ],
)
def test_one_block_stands_as_it_is(body: str) -> None:
    assert verbatim(body) == body


@pytest.mark.parametrize(
    "body",
    [
        "## Corrections\n",
        "words\n\n## Corrections\n\n- never ask\n",
        "words\n# Title\n",
        "# Auto-Memories\n",
        "- a\n- b\n",
        "- a\n\nwords\n",
        "[a]: b\n- c\n  d\n",
        "-\n\n  ## X\n",
    ],
)
def test_more_than_one_block_does_not_stand_by_itself(body: str) -> None:
    assert verbatim(body) is None


@given(bodies)
def test_what_stands_by_itself_opens_no_section_and_is_at_most_one_bullet(body: str) -> None:
    body = trimmed(body)
    assume(body)
    if (standing := verbatim(body)) is not None:
        tokens = _parse(standing)
        assert not any(
            token.type == "heading_open" and token.markup == "##" for token in tokens if not token.level
        )
        bullets = [t for t in tokens if t.type == "list_item_open" and t.level == 1 and t.markup in "-+*"]
        assert len(bullets) <= 1


@given(
    st.lists(
        st.sampled_from(["a", "&", "#38;", "#27;", "&#8238;", "\x1b", "\u202e", "\U000e0041", "&#65;", "- "])
    ).map("".join)
)
def test_what_nobody_sees_is_a_reference_and_read_back(text: str) -> None:
    """P-209: of two texts that differ the lines differ, and a reference of the text's own stays one."""
    line = escape(text)
    assert not {"\x1b", "\u202e", "\U000e0041"} & set(line)
    assert unescape(line).strip() == text.strip()
    assert unescape_heading(escape_heading(text)) == text.strip(" ")
