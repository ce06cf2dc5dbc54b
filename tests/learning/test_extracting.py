"""Closing reports are filed as candidates of the agent: K-108, K-109."""

from __future__ import annotations

from dataclasses import replace

import pytest

from documents.proposal import Proposal
from learning.detection.closing import ClosingReport
from learning.extracting import file_report, report_of, report_of_transcript
from ledger.errors import RecordError, StateError
from ledger.event import By
from muniment import Memory, MemoryLedger
from tests.learning.detection.test_closing import GOOD

CODER = By("coder", "agent", "hook")
REPORT = ClosingReport("coder", "Fix the flaky login test", GOOD)


def test_a_report_is_filed_once_by_the_agent(memory: MemoryLedger) -> None:
    """As candidates, which an agent cannot take; another time it is known (K-109, S-10)."""
    done = file_report({"": memory.scope}, REPORT, CODER)
    assert [each.outcome for each in done] == ["candidate"] * 3
    entry = memory.entry(done[0].id)
    assert (entry.status, entry.by.name, entry.by.role) == ("candidate", "coder", "agent")
    assert entry.memory.provenance.task == "Fix the flaky login test"
    assert entry.memory.provenance.conversation.startswith("report ")
    events = memory.workspace.index.newest()
    assert [each.outcome for each in file_report({"": memory.scope}, REPORT, CODER)] == ["known"] * 3
    assert memory.workspace.index.newest() == events
    with pytest.raises(StateError):
        memory.confirm([entry.id], by=By("coder", "agent", "mcp"))


def test_what_a_person_turned_down_is_not_filed_again(memory: MemoryLedger) -> None:
    """K-220."""
    memory.delete([each.id for each in file_report({"": memory.scope}, REPORT, CODER)])
    assert [each.outcome for each in file_report({"": memory.scope}, REPORT, CODER)] == ["known"] * 3
    assert [entry.status for entry in memory.load_all() if entry.live] == []


def test_what_nobody_sees_is_not_filed(memory: MemoryLedger) -> None:
    """K-224: and nothing is of a report that hides a text."""
    hidden = replace(REPORT, output=f"{GOOD}\U000e0069\U000e0067")
    assert file_report({"": memory.scope}, hidden, CODER) == []
    unseen = replace(REPORT, output=GOOD.replace("a", "a\u200b").replace(" the ", " \u202ethe "))
    texts = {
        each.proposal.memory.text
        for each in file_report({"": memory.scope}, unseen, CODER)
        if each.proposal.memory
    }
    seen = {
        each.proposal.memory.text
        for each in file_report({"": memory.scope}, REPORT, CODER)
        if each.proposal.memory
    }
    assert texts == seen
    assert texts


def test_no_setting_makes_an_agents_words_active(memory: MemoryLedger) -> None:
    """They wait for somebody, however little is asked (K-109)."""
    (memory.workspace.place.documents / "config.toml").write_text(
        "min_confidence = 0.1\nask_confidence = 0.0\n"
    )
    assert {each.outcome for each in file_report({"": memory.scope}, REPORT, CODER)} == {"candidate"}
    assert {entry.status for entry in memory.load_all()} == {"candidate"}


def test_a_models_answer_is_believed_nothing_else(memory: MemoryLedger) -> None:
    """At most three creates of topics, attributed to the agent whatever it says (K-108, K-109)."""
    good = Memory(
        "The cache is warmed by `make warm`", topic="patterns/cache", title="Cache", status="active"
    )

    def answer(_report: ClosingReport) -> list[Proposal]:
        return [
            Proposal("create", good.with_changes(provenance=good.provenance._replace(agent="somebody else"))),
            Proposal("create", good.with_changes(text="without a topic", topic="")),
            Proposal("delete", None, ("0" * 64,)),
            Proposal("create", good.with_changes(text="a fourth")),
        ]

    [done] = file_report({"": memory.scope}, REPORT, CODER, using=answer)
    entry = memory.entry(done.id)
    assert (entry.status, entry.memory.source, entry.memory.provenance.agent) == (
        "candidate",
        "auto",
        "coder",
    )


@pytest.mark.parametrize(
    "change",
    [
        {"text": "x" * 2000},
        {"topic": "No Slug"},
        {"body": "token ghp_" + "a8Kd02mLqP7xVz3TnR5wYb1CfH6jGs9EuD4o"},
        {"when_to_use": ("mail bob@company.io",)},
    ],
)
def test_what_breaks_a_rule_is_dropped(memory: MemoryLedger, change: dict[str, object]) -> None:
    """Broken records, secrets and addresses, in any member (K-109)."""
    good = Memory("The cache is warmed by `make warm`", topic="patterns/cache")
    assert (
        file_report(
            {"": memory.scope},
            REPORT,
            CODER,
            using=lambda _: [Proposal("create", good.with_changes(**change))],
        )
        == []
    )
    assert memory.load_all() == []


def test_dry_writes_nothing(memory: MemoryLedger) -> None:
    """And says the same."""
    done = file_report({"": memory.scope}, REPORT, CODER, dry=True)
    assert [each.outcome for each in done] == ["candidate"] * 3
    assert memory.load_all() == []


def test_reports_are_read_as_agents_say_them() -> None:
    """By our names, else by those of hooks; what is no report is refused (K-107)."""
    assert report_of({"agent": "a", "task": "t", "output": "o", "result": "partial", "error": "e"}) == (
        ClosingReport("a", "t", "o", "partial", "e")
    )
    hook = report_of({"agent_type": "explore", "last_assistant_message": "o", "session_id": "s"})
    assert (hook.agent, hook.output, hook.conversation, hook.session) == ("explore", "o", "s", "s")
    assert report_of({"error": "e"}).result == "failure"
    values: list[object] = [[], "text", {"agent": 3}, {"result": "fine"}]
    for value in values:
        with pytest.raises(RecordError):
            report_of(value)


def test_a_transcript_is_a_report() -> None:
    """Its last words, what was asked first, and whether its last call failed (X-172)."""
    lines = [
        b'{"role":"user","content":"Fix the flaky login test"}\n',
        b'{"role":"assistant","content":"I will look."}\n',
        b'{"role":"assistant","content":"The tokens live in `src/auth/tokens.ts`."}\n',
    ]
    report = report_of_transcript(lines, "c-9")
    assert (report.task, report.result) == ("Fix the flaky login test", "success")
    assert report.output == "The tokens live in `src/auth/tokens.ts`."
    assert report.conversation == "c-9"
    with pytest.raises(RecordError, match="no message of an assistant"):
        report_of_transcript(lines[:1], "c-9")
