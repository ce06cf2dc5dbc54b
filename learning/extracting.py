"""Files what an agent's closing report is worth: candidates in topics, by the agent, for somebody to confirm.

Implements specs/capture.md (K-107…K-109). An assistant's words become memory through this door only. Whatever reads the
report, rules or a model, is asked for proposals and believed nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, cast

from documents.proposal import Proposal
from documents.scope import Scope
from learning.admitting import unfit
from learning.detection.closing import MOST, RESULTS, ClosingReport, Extract, ReportedResult, extract
from learning.detection.invisible import smuggles, visible
from learning.intake import Taken, Taking
from learning.transcripts.transcript_reader import read
from learning.turn import Turn
from ledger.errors import LedgerError, RecordError
from ledger.event import By
from ledger.memory import MAX_SLUG, SLUG, Memory, one_line

_NAMES: Mapping[str, tuple[str, ...]] = {
    "agent": ("agent", "agent_type", "agent_id"),
    "task": ("task",),
    "output": ("output", "agentOutput", "last_assistant_message"),
    "error": ("error",),
    "conversation": ("conversation", "session_id", "session"),
    "session": ("session", "session_id"),
    "message": ("message",),
    "date": ("date",),
}
"""The members of a report as they may be called: ours first, then as SPEC-0005 and hooks of agents say it."""


def report_of(value: Any) -> ClosingReport:
    """Return the report that a JSON object holds.

    Raises:
        RecordError: it is none: no object, a member of another type, an unknown result.
    """
    if not isinstance(value, dict):
        raise RecordError("the report is not a JSON object: give agent, task, output, result and error")
    said: dict[str, str] = {}
    for name, names in _NAMES.items():
        found = next((value[each] for each in names if value.get(each) is not None), "")
        if not isinstance(found, str):
            raise RecordError(
                f"{name} of the report is not a text: give agent, task, output and error as texts"
            )
        said[name] = found
    result = value.get("result") or ("failure" if said["error"] else "success")
    if result not in RESULTS:
        raise RecordError(f"result of the report is {result!r}: it must be one of {', '.join(RESULTS)}")
    return ClosingReport(result=cast("ReportedResult", result), **said)


def report_of_transcript(stream: Iterable[bytes], name: str) -> ClosingReport:
    """Return the report of a finished transcript: its last message of the assistant, and how it ended.

    The task is the first thing that was asked. It failed in part where the last call of a tool did.

    Raises:
        RecordError: the transcript holds no message of an assistant.
    """
    task: Turn | None = None
    last: Turn | None = None
    tool: Turn | None = None
    for turn, _ in read(stream, name=name):
        if turn.role in ("user", "system") and task is None and turn.text.strip():
            task = turn
        elif turn.role == "assistant" and turn.text.strip():
            last = turn
        elif turn.role == "tool":
            tool = turn
    if last is None:
        raise RecordError(
            f"{name} holds no message of an assistant: give a finished transcript, or the report as JSON on "
            "standard input"
        )
    failed = tool is not None and bool(tool.failed) and not tool.rejected
    return ClosingReport(
        last.agent,
        task.text if task else "",
        last.text,
        "partial" if failed else "success",
        tool.text if tool is not None and failed else "",
        last.conversation,
        last.session,
        last.message,
        last.at[:10],
    )


def agent_of(report: ClosingReport, otherwise: str) -> By:
    """Return the agent as the writer through an agent's door, whoever runs the command (K-109, S-10).

    An agent whose name makes no slug is recorded as `otherwise`.
    """
    name = re.sub(r"[^a-z0-9._-]+", "-", report.agent.casefold()).strip("-._")[:MAX_SLUG]
    return By(name if SLUG.fullmatch(name) else otherwise, "agent", "hook")


def by_rules(report: ClosingReport) -> list[Proposal]:
    """Return what the rules find worth a topic, without what must not be kept."""
    return extract(report, unfit)


def file_report(
    scopes: Mapping[str, Scope],
    report: ClosingReport,
    by: By,
    *,
    using: Extract = by_rules,
    dry: bool = False,
) -> list[Taken]:
    """File what a report is worth as candidates; return what became of each proposal, nothing if it is worth none.

    Args:
        scopes: the ledgers by scope, as for `Taking`.
        report: what the agent handed in.
        by: the agent.
        using: what reads the report, by default rules.
        dry: decide, and write nothing.
    """
    if any(smuggles(text) for text in (report.task, report.output, report.error)):
        return []
    report = replace(
        report, task=visible(report.task), output=visible(report.output), error=visible(report.error)
    )
    taking = Taking(scopes, by, dry=dry)
    done: list[Taken] = []
    for proposal in using(report)[:MOST]:
        good = validated(proposal, report)
        if good is None:
            continue
        known = _known(scopes, good)
        done += [known] if known else taking.take([good])
    return done


def validated(proposal: Proposal, report: ClosingReport) -> Proposal | None:
    """Return a proposal as a report's may be: a candidate of a topic, attributed; None for what cannot be one (K-109)."""
    memory = proposal.memory
    if memory is None or proposal.action != "create" or not memory.topic:
        return None
    record = memory._replace(
        text=one_line(memory.text),
        part=None,
        place=None,
        tier="curated",
        status="candidate",
        source="auto",
        provenance=report.origin,
        extra="",
    )
    try:
        record.to_payload()
    except LedgerError:
        return None
    texts = (record.text, record.title, record.body, *record.details, *record.when_to_use, *record.tags)
    if any(text and unfit(text) for text in texts):
        return None
    return Proposal(
        "create",
        record,
        reason=proposal.reason,
        date=report.date,
        scope=proposal.scope if proposal.scope in ("user", "project", "local") else "project",
        basis="stated",
        why=proposal.why,
    )


def _known(scopes: Mapping[str, Scope], proposal: Proposal) -> Taken | None:
    """Return the outcome that a topic already has just this, active or waiting."""
    record = proposal.memory or Memory("")
    for scope, memory in scopes.items():
        if id_ := memory.workspace.index.same(record):
            return Taken(proposal, "known", id_, scope=scope, why="the topic has it")
    return None
