"""Tests documents/reading/blocks.py: splitting without loss, and what counts as which block.

Rules I-3, I-6, I-7, I-9 and I-14 of specs/import.md.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.reading.blocks import BOM, MAX_BULLET_BYTES, Block, split_blocks, split_lines, summary
from ledger.errors import RecordError
from ledger.memory import MAX_TEXT, record_fault
from tests.documents.reading.made_up import marked, wild_documents


def split(text: str) -> list[Block]:
    return [block for block in split_blocks(text.encode()) if block.kind != "blank"]


def kinds(text: str) -> list[tuple[str, str]]:
    return [(block.kind, block.source) for block in split_blocks(text.encode())]


def bullets(text: str) -> list[tuple[str, tuple[str, ...]] | None]:
    """Return text and details of each bullet, None for one that is not simple."""
    return [(b.text, b.details) if b.simple else None for b in split(text) if b.kind == "bullet"]


@given(wild_documents(), st.booleans())
def test_blocks_joined_are_the_document_byte_for_byte(text: str, bom: bool) -> None:
    data = marked(text, bom)
    assert "".join(block.source for block in split_blocks(data)).encode() == data


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_any_text_is_split_without_loss(text: str) -> None:
    assert "".join(block.source for block in split_blocks(text.encode())) == text


@given(wild_documents(), st.booleans())
def test_positions_lead_to_the_source(text: str, bom: bool) -> None:
    data = marked(text, bom)
    for block in split_blocks(data):
        assert data.startswith(block.source.encode(), block.offset)
        before = data[: block.offset].decode().removeprefix(BOM)
        assert block.line == 1 + len(re.findall(r"\r\n|\n|\r", before))


@given(wild_documents())
def test_a_simple_bullet_can_be_a_record_and_all_other_blocks_say_nothing(text: str) -> None:
    for block in split(text):
        if block.simple:
            assert block.kind == "bullet"
            assert record_fault({"text": block.text, "details": list(block.details)}) is None
        else:
            assert block.details == ()
            assert block.text == "" or block.kind == "heading"


def test_each_kind_of_block_is_recognised() -> None:
    text = (
        "\ufeff---\ntitle: x\n---\n\n# One\nwords\nmore\n- a\n  - b\n* c\n\n1. d\n2. e\n\n"
        "| a |\n|---|\n| b |\n- f\n> q\n<!-- c\n\nd -->\n```\n- g\n\n# h\n```\n***\n[r]: /u\n"
    )
    assert kinds(text) == [
        ("bom", "\ufeff"),
        ("frontmatter", "---\ntitle: x\n---\n"),
        ("blank", "\n"),
        ("heading", "# One\n"),
        ("verbatim", "words\nmore\n"),
        ("bullet", "- a\n  - b\n"),
        ("bullet", "* c\n"),
        ("blank", "\n"),
        ("verbatim", "1. d\n2. e\n"),
        ("blank", "\n"),
        ("verbatim", "| a |\n|---|\n| b |\n"),
        ("bullet", "- f\n"),
        ("verbatim", "> q\n"),
        ("verbatim", "<!-- c\n\nd -->\n"),
        ("verbatim", "```\n- g\n\n# h\n```\n"),
        ("verbatim", "***\n"),
        ("verbatim", "[r]: /u\n"),
    ]


def test_a_heading_has_its_level_and_words_without_closing_signs() -> None:
    headings = [
        (b.level, b.text) for b in split("# a\n## b ##\n###### c #d\n##\n#e\n") if b.kind == "heading"
    ]
    assert headings == [(1, "a"), (2, "b"), (6, "c #d"), (2, "")]


def test_a_table_is_a_block_of_its_own() -> None:
    assert kinds("words\n| a |\n|---|\n") == [("verbatim", "words\n"), ("verbatim", "| a |\n|---|\n")]


def test_an_underlined_heading_is_verbatim() -> None:
    assert kinds("Words\n---\n- a\n") == [("verbatim", "Words\n---\n"), ("bullet", "- a\n")]


@pytest.mark.parametrize(
    ("text", "front"),
    [
        ("---\na: b\n---\n# x\n", "---\na: b\n---\n"),
        (
            "---  \r\n# why\r\n\r\nwhen-to use: b\r\n---\t\r\n",
            "---  \r\n# why\r\n\r\nwhen-to use: b\r\n---\t\r\n",
        ),
        ('---\n"a b": c\n---', '---\n"a b": c\n---'),
        ("---\r\na:\r\n  - b\r\n---\r\n", "---\r\na:\r\n  - b\r\n---\r\n"),
        ("---\n\na: b\n---\n", None),
        ("---\na: b\n", None),
        ("---\nwords\n---\n", None),
        ("---\nhttp://x\n---\n", None),
        ("---\n---\n", None),
        (" ---\na: b\n---\n", None),
        ("x\n---\na: b\n---\n", None),
    ],
)
def test_a_frontmatter_stands_first_and_looks_like_yaml(text: str, front: str | None) -> None:
    found = [block.source for block in split(text) if block.kind == "frontmatter"]
    assert found == ([] if front is None else [front])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- a\n", ("a", ())),
        ("*\ta b \t\r\n", ("a b", ())),
        ("   +   a\n", ("a", ())),
        ("- a", ("a", ())),
        ("- a\r- b", ("a", ())),
        ("- a\n\n  - b\n\n\n  * c\n", ("a", ("b", "c"))),
        ("- a\n\t- b\tc\n", ("a", ("b\tc",))),
        ("- [ ] a\n  - [x] b\n", ("[ ] a", ("[x] b",))),
        ("- **a** `- b` <b> [r](u)\n", ("**a** `- b` <b> [r](u)", ())),
        ("- \u3000a\u00a0\n", ("\u3000a\u00a0", ())),
        ("- a\x07b\n  - b\x1bc\n", ("a\x07b", ("b\x1bc",))),
        ("- a\n  - \u00a0\n", ("a", ("\u00a0",))),
        ("- " + "x" * MAX_TEXT + "\n", ("x" * MAX_TEXT, ())),
    ],
)
def test_a_bullet_of_one_line_with_one_level_below_it_is_simple(text: str, expected: object) -> None:
    assert bullets(text)[0] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- a\n\n  second paragraph\n", ("a", (), "second paragraph\n")),
        ("- a\n  - b\n\n  after\n", ("a", ("b",), "after\n")),
        ("- a\r\n\r\n  ```\r\n  b\r\n\r\n  ```\r\n", ("a", (), "```\r\nb\r\n\r\n```\r\n")),
        ("- a\n\n      code\n\t\n  - x\n", ("a", (), "    code\n\t\n- x\n")),
        ("- a\n\n  [r]: /u\n", ("a", (), "[r]: /u\n")),
    ],
)
def test_a_bullet_with_a_body_below_a_blank_line_is_simple(text: str, expected: object) -> None:
    """I-26."""
    (block,) = split(text)
    assert (block.text, block.details, block.body) == expected
    assert (block.source, block.simple) == (text, True)


@pytest.mark.parametrize(
    "text",
    [
        "*   a\n\n    para\n",
        "- a\n\n\tb\n",
        "- a\n  more\n\n  b\n",
        "- a\n  - b\n    more\n\n  c\n",
        "- # a\n\n  b\n",
        "- a\n  - > b\n\n  c\n",
        "- a\nlazy\n",
        "- a\n  goes on\n",
        "- a\n  - b\n    goes on\n",
        "- a\n  - b\n    - c\n",
        "- a\n  1. b\n",
        "- a\n  ```\n  b\n  ```\n",
        "- a\n  <!-- b -->\n",
        "- a\n  > b\n",
        "- a\n  [r]: /u\n",
        "- a\n  -\n",
        "- a\n  - # b\n",
        "- a\n  - > b\n",
        "- a\n  - b\n    - c\n    - d\n",
        "-\n  a\n",
        "- a\n  -\n    b\n",
        "-\n",
        "- \u00a0\n",
        "- # a\n",
        "- - a\n",
        "- 1. a\n",
        "- ```\n",
        "- > a\n",
        "-     a\n",
        "- [r]: /u\n",
        "- a\u2028b\n",
        "- a\x85b\n",
        "- " + "x" * (MAX_TEXT + 1) + "\n",
        "- a\n" + "  - b\n" * 201,
        "- a\n" + ("  - " + "x" * 999 + "\n") * (MAX_BULLET_BYTES // 999 + 1),
    ],
)
def test_any_other_bullet_is_not_simple_and_keeps_its_source(text: str) -> None:
    blocks = split(text)
    assert [(block.kind, block.source, block.simple) for block in blocks] == [("bullet", text, False)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("*   a\n\n  para\n", [None]),
        ("   - a\n   1. b\n", [None]),
        ("  - a\n  - b\n    more\n", [None, None]),
        ("- z\n\n1. c\n\n  - a\n  - b\n    more\n", [("z", ()), None, None]),
        ("- a\n\npara\n", [("a", ())]),
        (" - a\n\n para\n", [("a", ())]),
        ("  - a\n  - b\n", [("a", ()), ("b", ())]),
    ],
)
def test_a_bullet_is_not_simple_if_it_would_swallow_what_follows(text: str, expected: object) -> None:
    assert bullets(text) == expected


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b"\xff", r"byte 0 \(line 1\)"),
        (b"a\r\nb\rc\xc3", r"byte 6 \(line 3\)"),
        ("a\n".encode("utf-16"), r"byte 0 "),
    ],
)
def test_bytes_that_are_not_utf_8_are_refused_with_their_place(data: bytes, place: str) -> None:
    with pytest.raises(RecordError, match=f"^notes.md: not UTF-8 at {place}") as caught:
        split_blocks(data, "notes.md")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("text", "line"), [("\0", 1), ("a\r\nb\n\0", 3), ("a\n\0b\n\0", 2)])
def test_u_0000_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(RecordError, match=rf"^notes.md: line {line} holds U\+0000"):
        split_blocks(text.encode(), "notes.md")


def test_lines_end_where_commonmark_ends_them_and_nowhere_else() -> None:
    assert split_lines("a\nb\r\nc\rd\x0be\x0cf\x85g\u2028h") == [
        "a\n",
        "b\r\n",
        "c\r",
        "d\x0be\x0cf\x85g\u2028h",
    ]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("\n## Why  this\nmore\n", "Why this"),
        ("> **Note:** x\n", "**Note:** x"),
        ("---\n| a | b |\n|---|---|\n", "a | b |"),
        ("```python\nx = 1\n```\n", "x = 1"),
        ("```python\n```\n", "```python"),
        ("<!-- aside -->\n", "aside"),
        ("1. first\n2. second\n", "first"),
        ("* - a\tb\u2028c\x07d\n", "a b c d"),
        ("***\n", "***"),
        ("#tag\n", "#tag"),
        ("\u4f60\u597d\n", "\u4f60\u597d"),
        (" \x0c\u00a0\n", ""),
        ("", ""),
        ("x" * 200, "x" * 200),
        ("x" * 201, "x" * 199 + "…"),
        ("word " * 60, ("word " * 39).strip() + "…"),
        ("ab " + "x" * 300, "ab " + "x" * 196 + "…"),
    ],
)
def test_the_summary_is_the_first_telling_line_without_markers(source: str, said: str) -> None:
    assert summary(source) == said


@given(wild_documents())
def test_a_summary_fits_into_a_record_wherever_there_is_something_to_see(text: str) -> None:
    said = summary(text)
    assert len(said) <= 200
    if said:
        assert record_fault({"text": said}) is None
