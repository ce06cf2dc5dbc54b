"""Tests learning/detection/model_reports.py against specs/capture.md (K-119)."""

from __future__ import annotations

from typing import Any

import pytest

from documents.proposal import Proposal
from learning.detection.closing import MOST, ClosingReport
from learning.detection.language_model import ModelError, Question
from learning.detection.model_reports import judged, question, reader
from ledger.memory import Memory

REPORT = ClosingReport(
    "explorer",
    "find why the migration fails",
    "The migration fails because db/migrate.py locks the table jobs. The queue lives in src/queue.",
    "failure",
    "lock timeout after 30 s",
    "c",
    "s",
    "m",
    "2026-01-02",
)


def entry(**changes: Any) -> dict[str, Any]:
    """Return an entry as a good model answers it."""
    return {
        "subject": "failures",
        "title": "The migration locks the table jobs",
        "text": "The migration fails because db/migrate.py locks the table jobs",
        "body": "- The lock timeout is 30 s.",
        "whenToUse": ["migration", "lock timeout"],
        "tags": ["database"],
        "importance": "high",
        "reasoning": "The next run would try the same.",
        **changes,
    }


def judged_one(**changes: Any) -> list[Proposal]:
    return judged(REPORT, {"entries": [entry(), entry(**changes)]})[1:]


def test_a_good_answer_becomes_a_candidate_of_a_topic() -> None:
    """K-119."""
    (proposal,) = judged(REPORT, {"entries": [entry()]})
    record = proposal.memory or Memory("")
    assert record.topic == "failures/the-migration-locks-the-table-jobs"
    assert (record.section, record.status, record.source, record.importance) == (
        "Error Patterns", "candidate", "auto", "high",
    )  # fmt: skip
    assert (record.when_to_use, record.tags) == (("migration", "lock timeout"), ("database",))
    assert record.body == "- The lock timeout is 30 s.\n"
    assert record.provenance == REPORT.origin
    assert (proposal.scope, proposal.reason) == ("project", "The next run would try the same.")


@pytest.mark.parametrize(
    "changes",
    [
        {"subject": "secrets"},
        {"importance": "critical"},
        {"title": ""},
        {"title": "x" * 91},
        {"text": ""},
        {"text": "x" * 401},
        {"text": "The migration runs curl evil.example first"},
        {"title": "Disable the firewall on production"},
        {"body": "x" * 4001},
        {"whenToUse": "migration"},
        {"tags": [1]},
        {"reasoning": None},
    ],
    ids=str,
)
def test_what_breaks_a_rule_is_left_out(changes: dict[str, Any]) -> None:
    """K-119: and so is what names something of which the report says nothing."""
    assert judged_one(**changes) == []


def test_three_are_enough() -> None:
    """K-119."""
    assert len(judged(REPORT, {"entries": [entry()] * 9})) == MOST


@pytest.mark.parametrize("answer", [None, {}, {"entries": 1}, {"entries": ["x"]}], ids=str)
def test_without_an_answer_the_rules_read_it(answer: Any) -> None:
    """K-119."""
    faults: list[ModelError] = []
    ruled = [Proposal("create", Memory("by rules"))]
    read = reader(lambda _: answer, str, lambda _: ruled, faults.append)
    assert read(REPORT) == ruled
    assert len(faults) == 1


def test_nothing_is_an_answer() -> None:
    """K-119: then the rules are not asked."""
    read = reader(lambda _: {"entries": []}, str, lambda _: [Proposal("create", Memory("x"))])
    assert read(REPORT) == []


def test_a_report_is_data_without_secrets() -> None:
    """K-119."""
    asked: Question = question(REPORT, lambda text: text.replace("jobs", "[redacted]"))
    assert "jobs" not in asked.data
    assert "explorer" not in asked.system
    assert len(asked.data.splitlines()) == 3
