"""Tests language/developer_terms.py and its table (specs/projections.md P-212)."""

from __future__ import annotations

from pathlib import Path

import pytest

from language import developer_terms
from language.developer_terms import related

LINES = Path(developer_terms.__file__).with_name("developer_terms.txt").read_text("utf-8").splitlines()
ROWS = [line for line in LINES if line and not line.startswith("#")]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("package manager", "pnpm"),
        ("Package managers", "uv"),
        ("manager of each package", "pnpm"),
        ("database", "postgres"),
        ("language to answer in", "german"),
        ("docs", "documentation"),
        ("where is it cached or caching", "redis"),
        ("documentation", "docs"),
    ],
)
def test_words_mean_terms(said: str, meant: str) -> None:
    """In any order, in the singular or plural."""
    assert meant in related(said.split())


def test_a_term_does_not_mean_its_subject_nor_itself() -> None:
    """Who asks for pnpm does not want npm, and what is said is looked for anyway."""
    assert related(["pnpm"]) == []
    assert related(["manager"]) == []
    assert "database" not in related(["database"])
    assert "postgres" not in related(["database", "postgres"])


def test_the_table_is_short_and_each_line_has_two_terms() -> None:
    """None twice, and all that is read is there."""
    assert len(LINES) <= 120
    for row in ROWS:
        terms = row.replace(": ", ", ").split(", ")
        assert len(terms) == len(set(terms)) >= 2, row
        assert all(term == term.strip() != "" for term in terms), row
