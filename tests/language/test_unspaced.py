"""Tests language/unspaced.py: words, and pieces of those that are written without spaces."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.unspaced import indexed, is_unspaced, parts_of_name, wanted, wanted_in_order, words_of
from projections.index_schema import TOKENIZE

UNSPACED = "数据库端口的データベースログひらがな데이터베이스ฐานข้อมูลពាក្យ"


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("数据库", "数据 据库 库"),
        ("用pnpm不要npm", "用 pnpm 不要 要 npm"),
        ("ポート", "ポー ート ト"),
        ("ﾎﾟｰﾄ", "ポー ート ト"),
        ("ＡＰＩキー", "API キー ー"),
        ("ราคา", "ราค าคา คา า"),
        ("어느 포트", "어느 느 포트 트"),
        ("plain words, café, база", ""),
        ("see getUserById here", "get User By Id"),
        ("在getUserById里", "在 getUserById 里"),
    ],
)
def test_a_text_is_cut_into_pieces(text: str, pieces: str) -> None:
    """P-100."""
    assert indexed([text]) == pieces


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("getUserById", ["get", "User", "By", "Id"]),
        ("OrderStateMachine", ["Order", "State", "Machine"]),
        ("parseHTTP2Frame", ["parse", "HTTP", "2", "Frame"]),
        *((word, []) for word in ("JavaScript", "iOS", "GitHub", "pnpm", "MAX", "größeÄndern", "")),
    ],
)
def test_a_name_of_several_words_is_known_by_its_capitals(word: str, parts: list[str]) -> None:
    """P-100: names of products are one word."""
    assert parts_of_name(word) == parts


@pytest.mark.parametrize(
    ("word", "pieces"),
    [
        ("数据库", ["数据", "据库"]),
        ("库", ["库*"]),
        ("คา", ["คา*"]),
        ("用pnpm", ["pnpm"]),
        ("消してログ", ["消し", "てロ", "ログ"]),
        ("してください", ["して", "てく", "くだ", "ださ", "さい"]),
    ],
)
def test_a_query_looks_for_pieces_that_say_something(word: str, pieces: list[str]) -> None:
    """P-100: one and two characters are the beginning of a piece; hiragana alone and single characters say little."""
    assert wanted(word) == pieces


def matches(text: str, expression: str) -> bool:
    db = sqlite3.connect(":memory:")
    quoted = TOKENIZE.replace("'", "''")
    db.execute(f"CREATE VIRTUAL TABLE f USING fts5 (pieces, tokenize = '{quoted}')")
    db.execute("INSERT INTO f VALUES (?)", (indexed([text]),))
    return bool(db.execute("SELECT count(*) FROM f WHERE f MATCH ?", (expression,)).fetchone()[0])


def expression(pieces: list[str], joined: str) -> str:
    return joined.join(f'"{piece[:-1]}" *' if piece.endswith("*") else f'"{piece}"' for piece in pieces)


@given(st.text(UNSPACED + "ab1", min_size=1, max_size=12), st.data())
def test_any_part_of_an_unspaced_word_is_found(text: str, data: st.DataObject) -> None:
    """P-100: wherever it is cut, as pieces and as a phrase."""
    (*_, word) = words_of(text) or [""]
    begin = data.draw(st.integers(0, len(word)))
    part = word[begin : data.draw(st.integers(begin, len(word)))]
    if not is_unspaced(part) or part[0] in "ab1" or part[-1] in "ab1":  # of a Latin word the whole is needed
        return
    assert matches(text, expression(wanted(part), " AND "))
    assert matches(text, expression(wanted_in_order(part), " + "))


@given(st.text())
def test_words_are_those_of_the_full_text(text: str) -> None:
    """P-69: letters, numbers and marks; no sign that FTS5 could take for its own."""
    for word in words_of(text):
        assert word
        assert not set(word) & set("\"'*^:()+-{} \t\n")
