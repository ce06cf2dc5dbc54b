"""Reads the closing report of an agent, and files by topic the parts that a later run needs.

Implements specs/capture.md (K-107, K-108). Without a model: keeps sentences that name something concrete and say where it lives,
what must hold, why it failed or what did not work. A list of finished work is not knowledge. Pure.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from documents.proposal import Proposal
from language.printable import shortened
from language.stop_words import content_words
from ledger.lazy_pattern import lazy_pattern
from ledger.memory import MAX_LINE, MAX_SLUG, MAX_TEXT, Memory, Provenance, one_line

ReportedResult = Literal["success", "failure", "partial"]
Subject = Literal["codebase-structure", "patterns", "constraints", "failures"]
RESULTS: tuple[ReportedResult, ...] = get_args(ReportedResult)

MOST = 3
"""One report gives at most so many proposals."""
CONFIDENCE = 0.6
"""An agent's words become a candidate, however sure they sound."""
SECTIONS: Mapping[Subject, str] = {
    "codebase-structure": "Project Conventions",
    "patterns": "Project Conventions",
    "constraints": "Project Conventions",
    "failures": "Error Patterns",
}
"""The subjects, and the section of each."""
_TITLES: Mapping[Subject, str] = {
    "codebase-structure": "Where things are",
    "patterns": "How it is done here",
    "constraints": "What must hold",
    "failures": "What did not work",
}
_RELATED = 4
_LONGEST_READ = 100_000
_LONGEST_TITLE = 90

_SIGNALS: tuple[tuple[Subject, re.Pattern[str]], ...] = (
    (
        "failures",
        lazy_pattern(
            r"\b(?:root cause|caused by|the (?:cause|reason) (?:is|was)|(?:fail(?:s|ed)|breaks?|broke|crash(?:es|ed)|hangs?) "
            r"(?:when|if|because|with|on|under|as)|(?:did|does)(?: not|n't) (?:work|help|fix)|turn(?:s|ed) out|workaround|"
            r"(?:tried|attempted)\b.{1,120}\b(?:but|without)|race condition)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "constraints",
        lazy_pattern(
            r"\b(?:only (?:works?|runs?|builds?|passes|starts?) (?:if|when|with|on|after|under|in)|must (?:not |never |be |always |"
            r"have |run |match |stay )|requires?|cannot|has to be|not supported|incompatible|limited to|at most|depends on|"
            r"(?:never|do not|don't) (?:call|use|run|edit|import|commit|change|delete))\b",
            re.IGNORECASE,
        ),
    ),
    (
        "codebase-structure",
        lazy_pattern(
            r"\b(?:lives? (?:in|under|at)|(?:is|are) (?:defined|implemented|located|stored|configured|generated|handled|loaded) "
            r"(?:in|by|at|from|under)|entry ?point|delegates? to|inherits? from|goes through|reads?(?: \w+){0,3} from|"
            r"writes?(?: \w+){0,3} to|source of truth)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "patterns",
        lazy_pattern(
            r"\b(?:conventions?|pattern|(?:all|every|each) (?:\w+[ -]){1,4}(?:uses?|goes?|follows?|returns?|is|are|has|have|must)|"
            r"(?:is|are) always|follows? the|the (?:project|codebase) uses|consistently)\b",
            re.IGNORECASE,
        ),
    ),
    ("failures", lazy_pattern(r"\b(?:because|due to)\b", re.IGNORECASE)),
)
"""The patterns that assign a sentence to a subject, the clearest first."""
_UNFIT = lazy_pattern(
    r"[?:]$|^(?:it|this|that|these|those|they|there|now|done|added|updated|changed|created|fixed|removed|renamed|refactored|"
    r"implemented|moved|replaced|ran|verified|tested|all tests|everything (?:is|works)|let me|you can|please|next)\b|"
    r"\b(?:I|we|I've|I'll|might|maybe|perhaps|probably|possibly|seems?|appears?|not sure|unclear|could be)\b",
    re.IGNORECASE,
)
"""Finished work, guesses, questions, and sentences that need the one before."""
_NAME = lazy_pattern(
    r"`([^`\n]{2,120})`|((?<![\w/.-])(?:[\w.-]+/)+[\w.-]*\w|\b\w+\.(?:py|tsx?|jsx?|go|rs|java|rb|c|cpp|sql|sh|toml|ya?ml|json|md)\b|"
    r"\b[a-z]+(?:_[a-z0-9]+)+\b|\b[A-Za-z][a-z0-9]+(?:[A-Z][a-z0-9]+)+\b|\b[A-Z]{2,}(?:_[A-Z0-9]+)*\b|(?<!\w)--[a-z][\w-]+|"
    r"\b[A-Z][A-Za-z.]+ v?\d+(?:\.\d+)*\b)"
)
"""Something concrete: code, a path, an identifier."""
_NO_PROSE = lazy_pattern(
    r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)|^[ \t]*#{1,6}[ \t].*?$", re.DOTALL | re.MULTILINE
)
_BLOCK = lazy_pattern(r"\n\s*\n|\n(?=\s*(?:[-*+•]|\d{1,3}[.)]|[|>])\s)")
_BULLET = lazy_pattern(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_LABEL = lazy_pattern(r"^[\w ]{3,30}:\s+(?=\S)")
_SENTENCE_END = lazy_pattern(r"(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)\s+(?=[\"“`A-Z0-9])")
_WORD = lazy_pattern(r"[^\W\d_][\w'’-]*")
_KEY = lazy_pattern(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class ClosingReport:
    """The end of an agent's work: its task, its closing report in markdown, the result, the error if there was one.

    `conversation`, `session` and `message` are the ids of the report's place, as far as they are known.
    """

    agent: str
    task: str
    output: str
    result: ReportedResult = "success"
    error: str = ""
    conversation: str = ""
    session: str = ""
    message: str = ""
    date: str = ""

    @property
    def origin(self) -> Provenance:
        """Return the origin of a memory of this report; without a conversation, a digest of the report names it."""
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
"""The port that reads a report: `extract` here, or a model (K-108)."""


def extract(report: ClosingReport, unfit: Callable[[str], bool]) -> list[Proposal]:
    """Return the parts of a report that are worth a topic, at most three, the clearest first; often none (K-107).

    Args:
        report: the agent's report.
        unfit: returns whether a text must not be kept, such as a secret.
    """
    topics: dict[tuple[Subject, str], list[str]] = {}
    if (failed := _failure(report)) and not unfit(failed):
        topics["failures", _about(failed.partition(": ")[2])] = [failed]
    for text in statements(report.output[:_LONGEST_READ]):
        subject = next((each for each, signal in _SIGNALS if signal.search(text)), None)
        if subject and 5 <= len(text.split()) <= 70 and not unfit(text) and (about := _about(text)):
            known = topics.setdefault((subject, about), [])
            if text not in known:
                known.append(text)
    best = sorted(topics.items(), key=lambda each: -max(map(_weight, each[1])))[:MOST]
    return [_proposal(report, subject, about, texts) for (subject, about), texts in best]


def statements(text: str) -> Iterator[str]:
    """Yield the sentences of a report that state something, without code, tables, quotations and headings."""
    for block in _BLOCK.split(_NO_PROSE.sub("\n\n", text)):
        plain = _BULLET.sub("", block.replace("**", ""))
        if not plain.lstrip().startswith(("|", ">")):
            for sentence in _SENTENCE_END.split(one_line(_LABEL.sub("", plain))):
                if not _UNFIT.search(sentence):
                    yield sentence


def _failure(report: ClosingReport) -> str:
    """Return the error that ended the task, "" if it says nothing useful."""
    lines = map(one_line, report.error.splitlines())
    error = next((line for line in lines if len(_WORD.findall(line)) >= 4 and _about(line)), "")
    if report.result == "success" or not error or not report.task.strip():
        return ""
    verb = "failed" if report.result == "failure" else "was not finished"
    return shortened(f"“{shortened(one_line(report.task), 120)}” {verb}: {error}", 600)


def _weight(text: str) -> int:
    return len(_NAME.findall(text)) + text.startswith("“")


def _about(text: str) -> str:
    """Return the first name in a sentence, or ""."""
    names = (code or name for code, name in _NAME.findall(text))
    return next((name for name in names if len(_slug(name)) >= 3 and len(name) <= 60), "")


def _proposal(report: ClosingReport, subject: Subject, about: str, texts: list[str]) -> Proposal:
    body = "\n".join(f"- {text}" for text in texts[1 : 1 + _RELATED])
    names = [code or name for text in texts for code, name in _NAME.findall(text)]
    task = " ".join([*content_words(_WORD.findall(report.task))][:3]).casefold()
    phrases = [*[one_line(name) for name in names if 3 <= len(name) <= 60][:5], *([task] if task else [])]
    memory = Memory(
        texts[0][:MAX_TEXT],
        title=shortened(f"{_TITLES[subject]}: {about}", _LONGEST_TITLE),
        body=f"{body}\n" if body else "",
        topic=f"{subject}/{_slug(about)}",
        when_to_use=tuple(dict.fromkeys(phrases)),
        tags=tuple(dict.fromkeys((subject, *filter(None, (_slug(report.agent),))))),
        section=SECTIONS[subject],
        importance="high" if report.result != "success" else "medium",
        confidence=CONFIDENCE,
        source="auto",
        status="candidate",
        category="error-pattern" if subject == "failures" else "project-pattern",
        provenance=report.origin,
    )
    reason = f"from the closing report of {report.origin.agent or 'an agent'}"
    return Proposal("create", memory, reason=reason, date=report.date, scope="project", basis="stated")


def _slug(text: str) -> str:
    """Return a text as one segment of a topic; for a path, its last part without the ending."""
    last = re.sub(r"\(\)|\.\w{1,5}$", "", text.strip("/ ").rpartition("/")[2])
    last = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", last)
    return "-".join(_KEY.findall(last.casefold()))[: MAX_SLUG - 4].strip("-")
