"""The page's verifier, in node, says of every chain what `muniment verify` says.

Tests specs/verification.md (V-2…V-10, V-20, V-22, V-50) and specs/event.md (E-1…E-24).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.report.judging import VECTORS, Judged, differing, flipped, from_page, signatures, vectors
from tests.report.verifier import Ask


@pytest.fixture(scope="module")
def judged() -> list[Judged]:
    return list(vectors())


@pytest.fixture(scope="module")
def reports(ask_node: Ask, judged: list[Judged]) -> list[dict[str, Any]]:
    return ask_node("reports", [each.case for each in judged])


def test_of_every_vector_it_says_what_verify_says(
    judged: list[Judged], reports: list[dict[str, Any]]
) -> None:
    assert differing(judged, map(from_page, reports)) == {}


def test_of_every_vector_it_says_what_the_vector_says(
    judged: list[Judged], reports: list[dict[str, Any]]
) -> None:
    """What is checked from a mark on is left out: the page always verifies whole chains."""
    wrong = []
    for each, report in zip(judged, reports, strict=True):
        wanted = json.loads((VECTORS / f"{each.name}.json").read_text("utf-8"))
        found = as_vector(report, len(wanted["ids"]))
        if not wanted["given"]["since_mark"] and found != {name: wanted.get(name, []) for name in COMPARED}:
            wrong.append(each.name)
    assert wrong == []


COMPARED = ("integrity", "completeness", "events", "erased", "disowned", "ids")


def as_vector(report: dict[str, Any], lines: int) -> dict[str, Any]:
    """Return the part of a vector's JSON that a report decides; lines that were not checked have no id."""
    ids = [line["id"] if line["kind"] else None for line in report["lines"]]
    verdicts = {
        name: {
            "state": report[name]["state"],
            "findings": [
                {member: finding[member] for member in ("code", "line", "seq", "id")}
                for finding in report[name]["findings"]
            ],
        }
        for name in ("integrity", "completeness")
    }
    return {
        **verdicts,
        "events": report["events"],
        "erased": report["payloads"]["erased"],
        "disowned": report["disowned"],
        "ids": ids + [None] * (lines - len(ids)),
    }


def test_of_a_chain_with_one_bit_changed_it_says_what_verify_says(ask_node: Ask, tmp_path: Path) -> None:
    flips = list(flipped(tmp_path / "chain.jsonl", 200))
    reports = ask_node("reports", [each.case for each in flips])
    assert differing(flips, map(from_page, reports)) == {}


def test_of_hostile_signatures_it_says_what_libsodium_says(ask_node: Ask) -> None:
    hostile = list(signatures())
    assert differing(hostile, ask_node("holding", [each.case for each in hostile])) == {}
