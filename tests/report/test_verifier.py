"""The page's verifier, in node, says of every chain what `muniment verify` says.

Tests specs/verification.md (V-2…V-10, V-20, V-22, V-50), specs/event.md (E-1…E-24) and
specs/proofs.md (T-12).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ledger.note import COSIGNATURE, NoteKey
from ledger.verify import Expectation, verify_chain
from proofs.signer import by_named_key, genesis_of
from tests.report.judging import (
    VECTORS,
    Judged,
    differing,
    flipped,
    from_ledger,
    from_page,
    odd_heads,
    odd_payloads,
    signatures,
    vectors,
)
from tests.report.verifier import Ask, b64, in_node


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


@pytest.mark.parametrize("made", [odd_payloads, odd_heads])
def test_of_odd_values_it_says_what_verify_says(
    ask_node: Ask, tmp_path: Path, made: Callable[[Path], Judged]
) -> None:
    odd = made(tmp_path / "chain.jsonl")
    reports = ask_node("reports", [odd.case])
    assert differing([odd], map(from_page, reports)) == {}


def test_of_hostile_signatures_it_says_what_libsodium_says(ask_node: Ask) -> None:
    hostile = list(signatures())
    assert differing(hostile, ask_node("holding", [each.case for each in hostile])) == {}


def test_without_webcrypto_it_says_the_same(bundle: Path, judged: list[Judged]) -> None:
    """Slowly; so of the chains only those that are about signatures."""
    ask = in_node(bundle, bare=True)
    hostile = list(signatures())
    assert differing(hostile, ask("holding", [each.case for each in hostile])) == {}
    chosen = [each for each in judged if re.search("/(sig|genesis-key|key-of|rotate)-", each.name)]
    assert len(chosen) > 20
    assert differing(chosen, map(from_page, ask("reports", [each.case for each in chosen]))) == {}


ROTATED = VECTORS / "valid/rotate-with-proof.jsonl"


def keys_of(path: Path) -> list[NoteKey]:
    """Return the keys that a chain brings, as its owner would hand them on."""
    genesis = json.loads(path.with_suffix(".json").read_text("utf-8"))["ids"][0]
    events = [json.loads(line)["event"] for line in path.read_bytes().splitlines()]
    brought = [bytes.fromhex(event["key"]) for event in events if "key" in event]
    return [NoteKey(f"muniment/{genesis}/0", key) for key in brought]


@pytest.mark.parametrize("which", ["first", "newest", "of nobody", "of another chain"])
def test_a_key_from_the_owner_tells_whose_chain_it_is(ask_node: Ask, which: str) -> None:
    """V-22: as `muniment verify --key` says it."""
    first, *_, newest = keys_of(ROTATED)
    keys = {"first": first, "newest": newest, "of nobody": replace(first, public=bytes(range(32)))}
    key = keys.get(which, replace(first, name=f"muniment/{'0' * 64}/0"))
    known = Expectation(genesis_of(ROTATED, [key]))
    right = by_named_key(ROTATED, verify_chain(ROTATED, known), [key])
    (report,) = ask_node("reports", [{"chain": b64(ROTATED.read_bytes()), "given": {"vkey": key.vkey}}])
    assert from_page(report) == from_ledger(right)
    assert report["isKnown"]
    assert right.sound == (which in ("first", "newest"))


def test_what_is_no_key_of_a_ledger_is_refused(ask_node: Ask) -> None:
    """T-12: as the command refuses it."""
    key = keys_of(ROTATED)[0]
    name, _, base64 = replace(key, public=b"\xff" * 32).vkey.rpartition("+")
    url_spelled = f"{name}+{base64.replace('/', '_')}"
    bad = [
        "",
        key.name,
        key.vkey[:-1],
        key.vkey.replace("muniment/", "muniment+"),
        key.vkey.replace("/0+", "/1+"),
        key.vkey + "\n",
        url_spelled,
        replace(key, name="example.org/log").vkey,
        replace(key, type=COSIGNATURE).vkey,
        f"{key.name}+{key.key_id.hex()}+{b64(bytes([1]) + key.public[:31])}",
    ]
    chain = b64(ROTATED.read_bytes())
    answers = ask_node("reports", [{"chain": chain, "given": {"vkey": vkey}} for vkey in bad])
    assert ["error" in answer for answer in answers] == [True] * len(bad)


GOOD = dict.fromkeys(("schema", "hash", "link", "signature", "commitment"), "good")
UNSEEN = dict.fromkeys(GOOD, "not checked")


@pytest.mark.parametrize(
    ("name", "line", "badge"),
    [
        ("valid/minimal", 1, GOOD | {"commitment": "none"}),
        ("valid/every-kind", 2, GOOD),
        ("valid/erased", 3, GOOD | {"commitment": "none"}),
        ("invalid/not-json", 3, UNSEEN | {"schema": "bad"}),
        ("invalid/seq-gap", 3, UNSEEN | {"schema": "good", "hash": "good", "link": "bad"}),
        ("invalid/seq-gap", 4, GOOD | {"link": "not checked"}),
        ("invalid/sig-changed", 3, GOOD | {"signature": "bad", "commitment": "not checked"}),
        ("invalid/rotate-wrong-key", 3, GOOD | {"signature": "bad", "commitment": "not checked"}),
        ("invalid/payload-altered", 3, GOOD | {"commitment": "bad"}),
        ("invalid/payload-unsigned", 3, GOOD | {"commitment": "bad"}),
        ("invalid/payload-text-blank", 3, GOOD | {"schema": "bad"}),
    ],
)
def test_each_line_has_five_checks(
    judged: list[Judged], reports: list[dict[str, Any]], name: str, line: int, badge: dict[str, str]
) -> None:
    """What was not checked is never good."""
    found = {each.name: report for each, report in zip(judged, reports, strict=True)}
    shown = found[name]["lines"][line - 1]
    assert shown["checks"] == badge
    assert shown["ok"] == (not shown["codes"])


def test_lines_cover_the_file(judged: list[Judged], reports: list[dict[str, Any]]) -> None:
    """From where one ends the next one begins."""
    for report in reports:
        ends = [0, *(line["end"] for line in report["lines"])]
        assert [line["start"] for line in report["lines"]] == ends[:-1]
    whole = {
        each.name: report["lines"][-1]["end"]
        for each, report in zip(judged, reports, strict=True)
        if report["lines"]
    }
    assert whole["valid/every-kind"] == (VECTORS / "valid/every-kind.jsonl").stat().st_size
