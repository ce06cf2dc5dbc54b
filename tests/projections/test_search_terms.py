"""Tests projections/search_terms.py: what a person types is taken apart (specs/projections.md P-66, P-69, P-102, P-103)."""

from __future__ import annotations

import re
import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import UsageError
from projections.index_schema import TOKENIZE
from projections.query import Filter
from projections.search_terms import beginnings, parse


def said(text: str) -> list[tuple[str, str]]:
    return [(term.kind, term.said) for term in parse(text).terms]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("which port does the database use", [("word", "port"), ("word", "database")]),
        ("to be or not to be", [("word", "to"), ("word", "be"), ("word", "or"), ("word", "not")]),
        ("Port PORT port", [("word", "port")]),
        ('"the port" of redis', [("phrase", "the port"), ("word", "redis")]),
        ('"the port" of', [("phrase", "the port")]),
        ("pnp*", [("beginning", "pnp*")]),
        ("feature-flag* x", [("word", "feature"), ("beginning", "flag*"), ("word", "x")]),
        ("* **", []),
        ("数据库端口 redis", [("characters", "数据库端口"), ("word", "redis")]),
        ("库*", [("beginning", "库*")]),
        ('"unclosed phrase', [("word", "unclosed"), ("word", "phrase")]),
        ('say "" nothing', [("word", "nothing")]),
        ("node:fs std::vector http://x.z", [("word", w) for w in "node fs std vector http x z".split()]),
        ('unknown:"two words"', [("phrase", "two words"), ("word", "unknown")]),
        ("error type: ValueError", [("word", "error"), ("word", "type"), ("word", "ValueError")]),
        ("हिन्दी", [("word", "हिन्दी")]),
    ],
)
def test_words_phrases_and_beginnings_are_told_apart(text: str, terms: list[tuple[str, str]]) -> None:
    """P-66, P-102: stop words are left out where others remain; an unknown filter is plain words (P-103)."""
    if not terms:
        with pytest.raises(UsageError, match="at least one word"):
            parse(text)
        return
    assert [(kind, each.lower()) for kind, each in said(text)] == [
        (kind, each.lower()) for kind, each in terms
    ]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("type:decision", Filter(type="decision")),
        ("TYPE:Decision", Filter(type="decision")),
        ('section:"Tool Usage"', Filter(section="Tool Usage")),
        ("tag:js tag:tools", Filter(tags=("js", "tools"))),
        ("author:dana", Filter(author="dana")),
        ("since:2026-11-01", Filter(since="2026-11-01")),
        ("until:2026-11-01", Filter(until="2026-11-01")),
        ("until:2026-11-01T10:00", Filter(until="2026-11-01T10:00")),
        ("since:yesterday", Filter(since="yesterday")),
        ("topic:code/auth tier:daily", Filter(topic="code/auth", tier="daily")),
        ("source:auto importance:high", Filter(source="auto", importance="high")),
        ("status:deleted status:erased", Filter(statuses=("deleted", "erased"))),
        ("status:all", Filter(statuses=())),
        ("conversation:c-1 session:s-1", Filter(conversation="c-1", session="s-1")),
    ],
)
def test_each_filter_stands_inside_the_query(text: str, wanted: Filter) -> None:
    """P-103: with words, before or after them, and alone."""
    assert parse(text).wanted == wanted
    for query in (parse(f"redis {text}"), parse(f"{text} redis")):
        assert (query.wanted, [term.said for term in query.terms]) == (wanted, ["redis"])


def test_options_and_the_query_hold_together() -> None:
    """P-103: what both say must not differ."""
    given_ = Filter(type="fact", tag="js", statuses=("deleted",))
    assert parse("x tag:ts type:fact", given_).wanted == Filter(
        type="fact", tag="js", tags=("ts",), statuses=("deleted",)
    )
    with pytest.raises(UsageError, match="type is asked for twice: fact and decision"):
        parse("x type:decision", given_)
    with pytest.raises(UsageError, match="author is asked for twice"):
        parse("author:dana author:tomas")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("type:decission", "type:decission is not one of fact, preference, decision"),
        ("tier:weekly", "tier:weekly is not one of daily, curated, committed"),
        ("status:gone", "is not one of active, candidate"),
        ("importance:urgent", "is not one of low, medium"),
        ("source:me", "is not one of auto, manual"),
        ("since:soon", "'soon' is not a date or time: use today, yesterday"),
        ('tag:""', "tag: has no value"),
        ('section:"  "', "section: has no value"),
    ],
)
def test_a_malformed_value_is_one_clear_line(text: str, message: str) -> None:
    """P-103."""
    with pytest.raises(UsageError, match=re.escape(message)) as caught:
        parse(f"word {text}")
    assert "\n" not in str(caught.value)


def test_beginnings_are_of_three_letters_or_more() -> None:
    """P-66."""
    found = beginnings(parse('kube go "a b" 数据库').words)
    assert [(term.kind, term.said) for term in found] == [
        ("beginning", "kube*"),
        ("word", "go"),
        ("characters", "数据库"),
    ]


@given(st.text(max_size=60))
def test_no_query_is_a_syntax_error(text: str) -> None:
    """P-69: whatever is typed is understood by FTS5, or refused with one line."""
    try:
        query = parse(text)
    except UsageError:
        return
    db = sqlite3.connect(":memory:")
    quoted = TOKENIZE.replace("'", "''")
    db.execute(f"CREATE VIRTUAL TABLE f USING fts5 (text, tokenize = '{quoted}')")
    for term in (*query.terms, *beginnings(query.words)):
        for expression in (term.every, term.some):
            db.execute("SELECT count(*) FROM f WHERE f MATCH ?", (expression,)).fetchone()
