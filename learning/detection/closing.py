"""Reads the closing report of an agent: what of it another run would want to know, filed by topic.

Implements specs/capture.md (K-107, K-108). Without a model: statements that name something concrete and say where it lives, what it
must, why it failed or what did not work. What was merely done is no knowledge. Pure.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from documents.proposal import Proposal
from learning.detection.closing_statements import (
    BECAUSE,
    ENOUGH,
    KEY,
    NAME,
    SPAN,
    STOP,
    WORD,
    Result,
    Statement,
    Subject,
    belong,
    concrete,
    judged,
    one_line,
    says_again,
    statements,
)
from learning.detection.personal import personal_in
from ledger.memory import MAX_LINE, MAX_SLUG, MAX_TEXT, Memory, Provenance

RESULTS: tuple[Result, ...] = ("success", "failure", "partial")

MOST = 3
"""So many proposals one report gives at most."""
CONFIDENCE = 0.6
"""An agent's words are a candidate, whatever they sound like."""
_RELATED = 4
_LONGEST_READ = 100_000
_LONGEST_TITLE = 90


@dataclass(frozen=True, slots=True)
class ClosingReport:
    """What an agent did: its task, its closing report in markdown, how it ended, the error if there was one.

    `conversation`, `session` and `message` say where the report stands, as far as that is known.
    """

    agent: str
    task: str
    output: str
    result: Result = "success"
    error: str = ""
    conversation: str = ""
    session: str = ""
    message: str = ""
    date: str = ""

    @property
    def origin(self) -> Provenance:
        """Return where a memory of this report comes from; one without a conversation is named by what it says."""
        said = "\n".join((self.agent, self.task, self.output, self.result, self.error))
        named = f"report {hashlib.sha256(said.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
        return Provenance(
            conversation=one_line(self.conversation or self.session)[:MAX_LINE] or named,
            message=one_line(self.message)[:MAX_LINE] or named,
            session=one_line(self.session)[:MAX_LINE],
            agent=one_line(self.agent)[:MAX_LINE],
            task=one_line(self.task)[:MAX_LINE],
            date=self.date[:10],
        )


Extract = Callable[[ClosingReport], list[Proposal]]
"""What reads a report: `extract` here, or a model (K-108)."""


def extract(
    report: ClosingReport, unfit: Callable[[str], bool] = lambda text: personal_in(text) is not None
) -> list[Proposal]:
    """Return what of a report is worth a topic, at most three, the most telling first; mostly nothing (K-107).

    Args:
        report: what the agent handed in.
        unfit: says that a text must not be kept; a secret, say.
    """
    told = [each for each in statements(report.output[:_LONGEST_READ]) if not unfit(each.text)]
    failed = report.result != "success"
    weighed = [
        (value, subject, each) for each in told for value, subject in [judged(each, failed=failed)] if subject
    ]
    best = sorted((one for one in weighed if one[0] >= ENOUGH), key=lambda one: (-one[0], one[2].at))
    proposals: list[Proposal] = []
    used: set[int] = set()
    for _, subject, statement in best:
        if len(proposals) == MOST:
            break
        if statement.at in used or says_again(statement, [each for each in told if each.at in used]):
            continue
        related = [
            each
            for _, kind, each in sorted(weighed, key=lambda one: one[2].at)
            if kind == subject and each.at not in used and each.at != statement.at and belong(each, statement)
        ][:_RELATED]
        used.update(each.at for each in (statement, *related))
        proposals.append(_proposal(report, subject, statement, related))
    if failed and not any(_subject_of(each) == "failures" for each in proposals):
        proposals = [*_of_failure(report, told, unfit), *proposals][:MOST]
    return proposals


# --- proposing ---

_TITLES: Mapping[Subject, str] = MappingProxyType(
    {
        "codebase-structure": "Where things are",
        "patterns": "How it is done here",
        "constraints": "What must hold",
        "failures": "What did not work",
    }
)
_SECTIONS: Mapping[Subject, str] = MappingProxyType(
    {
        "codebase-structure": "Project Conventions",
        "patterns": "Project Conventions",
        "constraints": "Project Conventions",
        "failures": "Error Patterns",
    }
)


def _proposal(
    report: ClosingReport, subject: Subject, statement: Statement, related: Sequence[Statement]
) -> Proposal:
    text = statement.text[:MAX_TEXT]
    about = _about(text, report.task)
    weighty = report.result != "success" or (
        subject in ("constraints", "failures") and bool(BECAUSE.search(text))
    )
    body = "\n".join(f"- {each.text}" for each in related)
    memory = Memory(
        text,
        title=_title(subject, about),
        body=f"{body}\n" if body else "",
        topic=f"{subject}/{_slug(about) or _slug(_TITLES[subject])}",
        when_to_use=_when(text, related, report),
        tags=tuple(dict.fromkeys((subject, *filter(None, (_slug(report.agent),))))),
        section=_SECTIONS[subject],
        importance="high" if weighty else "medium",
        confidence=CONFIDENCE,
        source="auto",
        status="candidate",
        category="error-pattern" if subject == "failures" else "project-pattern",
        provenance=report.origin,
    )
    reason = f"from the closing report of {report.origin.agent or 'an agent'}"
    return Proposal("create", memory, reason=reason, date=report.date, scope="project", basis="stated")


def _of_failure(
    report: ClosingReport, told: Sequence[Statement], unfit: Callable[[str], bool]
) -> list[Proposal]:
    """Return a proposal of the error that ended the task, where it says something that is worth knowing (K-107)."""
    error = next(
        (line for line in map(one_line, report.error.splitlines()) if _tells(line) and not unfit(line)), ""
    )
    if not error or not report.task.strip():
        return []
    tried = [
        each
        for each in told
        if re.search(r"\b(?:tried|attempted|without|instead)\b", each.text, re.IGNORECASE)
    ]
    task = _cut(one_line(report.task), 120)
    if unfit(task):
        return []
    verb = "failed" if report.result == "failure" else "was not finished"
    statement = Statement(_cut(f"“{task}” {verb}: {error}", 600), "", -1)
    return [_proposal(report, "failures", statement, tried[:_RELATED])]


def _tells(line: str) -> bool:
    words = WORD.findall(line)
    return (
        len(words) >= 4
        and (bool(concrete(line)) or len(words) >= 7)
        and not line.startswith(("at ", "File ", "Traceback"))
    )


def _subject_of(proposal: Proposal) -> str:
    return proposal.memory.topic.partition("/")[0] if proposal.memory else ""


def _about(text: str, task: str) -> str:
    """Return what a statement is about: the first thing that it names, else its telling words, else those of the task."""
    for name in (*SPAN.findall(text), *NAME.findall(text)):
        if len(_slug(name)) >= 3 and len(name) <= 60:
            return str(name)
    telling = [word for word in WORD.findall(text) if word.casefold() not in STOP and len(word) > 3]
    return " ".join(telling[:4]) or _cut(one_line(task), 60)


def _title(subject: Subject, about: str) -> str:
    return _cut(f"{_TITLES[subject]}: {about}", _LONGEST_TITLE)


def _when(text: str, related: Sequence[Statement], report: ClosingReport) -> tuple[str, ...]:
    """Return phrases by which the topic is found again: what is named, and what the task was about."""
    names = [
        name
        for each in (text, *(one.text for one in related))
        for name in (*SPAN.findall(each), *NAME.findall(each))
    ]
    telling = [word for word in WORD.findall(report.task) if word.casefold() not in STOP and len(word) > 3]
    phrases = [one_line(name) for name in names if 3 <= len(name) <= 60][:5]
    if telling:
        phrases.append(" ".join(telling[:3]).casefold())
    return tuple(dict.fromkeys(phrases))


def _slug(text: str) -> str:
    """Return a text as one segment of a topic; of a path its last part without the ending."""
    last = (
        re.sub(r"\(\)|\.\w{1,5}$", "", text.strip("/ ").rpartition("/")[2])
        if "/" in text or "." in text
        else text
    )
    last = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", last)
    return "-".join(KEY.findall(last.casefold()))[: MAX_SLUG - 4].strip("-")


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    cut = text.rfind(" ", most // 2, most)
    return f"{text[: cut if cut > 0 else most].rstrip(' ,;:')}…"
