"""The vectors are what the specs promise: made anew they are the same bytes, and all verifiers agree on them.

Tests specs/verification.md (V-1…V-11, V-13, V-14) and specs/vectors/.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from ledger import reader
from ledger.check import LineChecker
from ledger.finding import Finding
from ledger.mark import Mark
from ledger.schema import KINDS
from ledger.verify import ChainReport, Expectation, Verdict, verify_chain
from specs.vectors import make_vectors
from specs.vectors.cases import HEAD_CODES
from tests.specs.independent_verifier import verify

HERE = Path(make_vectors.__file__).parent
CASES = sorted(path.relative_to(HERE).with_suffix("") for path in HERE.glob("*valid/*.json"))


@cache
def expected(case: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((HERE / case).with_suffix(".json").read_text("utf-8"))
    return value


@cache
def reported(case: Path) -> ChainReport:
    given = expected(case)["given"]
    mark = Mark(**given["mark"]) if given["mark"] else None
    return verify_chain(
        (HERE / case).with_suffix(".jsonl"),
        Expectation(given["genesis"], given["ledger"], mark),
        since=mark if given["since_mark"] else None,
    )


def as_vector(report: ChainReport) -> dict[str, Any]:
    """Return the part of a vector's JSON that a report decides."""
    return {
        "integrity": _verdict(report.integrity),
        "completeness": _verdict(report.completeness),
        "events": report.events,
        "erased": report.erased,
        **({"disowned": [list(each) for each in report.disowned]} if report.disowned else {}),
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {"state": verdict.state, "findings": [_finding(finding) for finding in verdict.findings]}


def _finding(finding: Finding) -> dict[str, Any]:
    return {name: getattr(finding, name) for name in ("code", "line", "seq", "id")}


def test_made_anew_the_vectors_are_the_same_bytes() -> None:
    """No file is missing, changed, or left over from an earlier version."""
    files = list(make_vectors.files())
    made = dict(files)
    assert len(made) == len(files), "two cases share a name"
    found = {
        f"{path.parent.name}/{path.name}": path.read_bytes()
        for folder in ("valid", "invalid")
        for path in (HERE / folder).iterdir()
    }
    how = "run python -m specs.vectors.make_vectors"
    assert sorted(found) == sorted(made), how
    assert [name for name in made if made[name] != found[name]] == [], how


def test_writing_drops_what_is_no_longer_made(tmp_path: Path) -> None:
    (tmp_path / "valid").mkdir()
    (tmp_path / "valid" / "old.jsonl").touch()
    assert make_vectors.write(tmp_path) == len(list(tmp_path.glob("*/*.json*")))
    assert not (tmp_path / "valid" / "old.jsonl").exists()


def test_verify_reports_what_the_vectors_say() -> None:
    for case in CASES:
        found = as_vector(reported(case))
        assert found == {name: expected(case)[name] for name in found}, case


def test_a_verifier_written_from_the_text_alone_agrees() -> None:
    """The specs' text and the vectors let a stranger write a verifier."""
    for case in CASES:
        wanted = expected(case)
        report = verify((HERE / case).with_suffix(".jsonl").read_bytes(), wanted["given"])
        assert report.integrity == wanted["integrity"]["findings"], case
        assert report.completeness == wanted["completeness"]["findings"], case
        assert report.states == {name: wanted[name]["state"] for name in report.states}, case
        assert set(report.states) == {"integrity", "completeness"}
        assert report.ids == wanted["ids"], case
        assert sum(id_ is not None for id_ in report.ids) == wanted["events"], case
        assert report.erased == wanted["erased"], case
        assert report.disowned == wanted.get("disowned", []), case


def test_the_checker_gives_every_line_its_id() -> None:
    for case in CASES:
        if "since-mark" not in case.name:
            assert _checked_ids(case) == expected(case)["ids"], case


def _checked_ids(case: Path) -> list[str | None]:
    checker = LineChecker()
    ids: list[str | None] = []
    with reader.opened((HERE / case).with_suffix(".jsonl")) as fd:
        for line in reader.lines(fd):
            if len(ids) == len(expected(case)["ids"]):
                break  # what a killed writer left is no line (V-10)
            taken = None if checker.lost else checker.take(line.raw)
            ids.append(taken.id if taken else None)
    return ids


def test_valid_vectors_are_sound_and_invalid_ones_have_one_verdict_with_findings() -> None:
    for case in CASES:
        states = {expected(case)[name]["state"] for name in ("integrity", "completeness")}
        assert ("findings" in states) == (case.parts[0] == "invalid"), case


def test_every_code_of_the_table_has_a_vector_and_every_other_is_unknown() -> None:
    """V-2: the table in specs/verification.md is complete."""
    text = (HERE.parent / "verification.md").read_text("utf-8")
    table = {
        line.split("`")[1] for line in text.splitlines() if line.startswith("| `") and line.count("|") == 5
    }
    shown = {
        finding["code"]
        for case in CASES
        for name in ("integrity", "completeness")
        for finding in expected(case)[name]["findings"]
    }
    assert shown == table
    assert table >= HEAD_CODES


def test_every_finding_cites_a_rule_of_its_row() -> None:
    text = (HERE.parent / "verification.md").read_text("utf-8")
    rows = [line.split("|") for line in text.splitlines() if line.startswith("| `") and line.count("|") == 5]
    rules = {row[1].strip(" `"): {rule.strip() for rule in row[3].split(",")} for row in rows}
    for case in CASES:
        report = reported(case)
        for finding in report.integrity.findings + report.completeness.findings:
            assert finding.rule in rules[finding.code], (case, finding)


def test_the_worked_example_shows_every_kind() -> None:
    """E-22: specs/event.md refers to it."""
    lines = (HERE / "valid/every-kind.jsonl").read_bytes().splitlines()
    kinds = {json.loads(line)["event"]["kind"] for line in lines}
    assert kinds == set(KINDS), (
        "add the kind to _every_kind in specs/vectors/valid_cases.py, then run python -m specs.vectors.make_vectors"
    )
    assert None not in expected(Path("valid/every-kind"))["ids"]
