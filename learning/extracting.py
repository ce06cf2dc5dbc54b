"""Files the useful parts of an agent's closing report as candidates in topics, by the agent, for a person to confirm.

Implements specs/capture.md (K-107…K-109). An assistant's words become memory through this door only. Rules or a model read
the report; only their proposals count, and each is checked.
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
"""The accepted names of each member of a report: ours first, then those of SPEC-0005 and of agents' hooks."""


def report_of(value: Any) -> ClosingReport:
    """Return the report in a JSON object.

    Raises:
        RecordError: it is invalid: not an object, a member of another type, an unknown result.
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

    The task is the first request. The result is partial if the last call of a tool failed.

    Raises:
        RecordError: the transcript has no message of an assistant.
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
    """Return the agent as the author through an agent's door, whoever runs the command (K-109, S-10).

    If the agent's name gives no slug, the author is `otherwise`.
    """
    name = re.sub(r"[^a-z0-9._-]+", "-", report.agent.casefold()).strip("-._")[:MAX_SLUG]
    return By(name if SLUG.fullmatch(name) else otherwise, "agent", "hook")


def by_rules(report: ClosingReport) -> list[Proposal]:
    """Return the proposals of the rules, without secrets and personal data."""
    return extract(report, unfit)


def file_report(
    scopes: Mapping[str, Scope],
    report: ClosingReport,
    by: By,
    *,
    using: Extract = by_rules,
    dry: bool = False,
) -> list[Taken]:
    """File the useful parts of a report as candidates; return the outcome of each proposal.

    Args:
        scopes: the ledgers by scope, as for `Taking`.
        report: the agent's report.
        by: the agent.
        using: reads the report, by default by rules.
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
    """Return a proposal as an attributed candidate of a topic, None if it cannot be one (K-109)."""
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
    """Return the outcome `known` if a topic already has the same text, active or waiting; else None."""
    record = proposal.memory or Memory("")
    for scope, memory in scopes.items():
        if id_ := memory.workspace.index.same(record):
            return Taken(proposal, "known", id_, scope=scope, why="the topic has it")
    return None
