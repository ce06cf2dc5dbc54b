"""Asks a language model for the parts of an agent's closing report that later runs need.

Implements specs/capture.md (K-119). `reader` returns a function from a report to proposals, which replaces the rules
(K-108). The report is data. Only valid items of the answer are accepted, and only if the report supports them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from documents.proposal import Proposal
from learning.detection.closing import CONFIDENCE, MOST, SECTIONS, ClosingReport, Extract
from learning.detection.language_model import AskModel, ModelError, Question
from learning.detection.model_answers import DATA_IS_DATA, IMPORTANCES, ItemList, as_data, supported
from ledger.errors import RecordError
from ledger.memory import MAX_TEXT, TOPIC, Memory

LONGEST_READ = 40_000
_LONGEST = {"title": 90, "text": 400, "body": 4_000, "reasoning": 400}
_LONGEST_PHRASE = 80
_MOST_PHRASES = 8


_SYSTEM = f"""\
You read the closing report of an AI agent and decide whether something in it is worth keeping for later agents that work on
the same project: how the code is laid out, patterns, constraints, failures and what did not work. What was merely done is
not worth keeping. Mostly nothing is: then the list is empty. At most {MOST}.
{DATA_IS_DATA}

Each entry: subject; title: a few words; text: one line that says it and stands alone, with names, paths and numbers as the
report has them; body: further sentences in markdown, or empty; whenToUse: phrases that name the work for which it
matters; tags; importance; reasoning: one sentence, why it is worth keeping."""

_TEXTS = {"type": "array", "items": {"type": "string"}}
FORM = ItemList(
    "entries",
    {
        "subject": {"type": "string", "enum": list(SECTIONS)},
        "title": {"type": "string"},
        "text": {"type": "string"},
        "body": {"type": "string"},
        "whenToUse": _TEXTS,
        "tags": _TEXTS,
        "importance": {"type": "string", "enum": list(IMPORTANCES)},
        "reasoning": {"type": "string"},
    },
)


def reader(
    ask: AskModel,
    redact: Callable[[str], str],
    rules: Extract,
    on_fault: Callable[[ModelError], None] = lambda _: None,
) -> Extract:
    """Return a function that reads a report with a model, and with the rules if the model gives no answer.

    Args:
        ask: asks the model a question.
        redact: removes secrets from a text; the model sees only redacted texts.
        rules: reads a report without a model.
        on_fault: is called with the reason why there was no answer.
    """

    def read(report: ClosingReport) -> list[Proposal]:
        try:
            return judged(report, ask(question(report, redact)))
        except ModelError as error:
            on_fault(error)
            return rules(report)

    return read


def question(report: ClosingReport, redact: Callable[[str], str]) -> Question:
    """Return the question about a report."""
    told = {name: redact(getattr(report, name)) for name in ("agent", "task", "result", "error", "output")}
    return Question(
        _SYSTEM, as_data([{name: text[:LONGEST_READ] for name, text in told.items()}]), FORM.schema
    )


def judged(report: ClosingReport, answer: Any) -> list[Proposal]:
    """Return the valid proposals of an answer, at most three.

    Raises:
        ModelError: the answer has another form, or it has items and none is valid.
    """
    shaped = FORM.items(answer, 4 * MOST, _short_enough)
    found = [proposal for item in shaped if (proposal := _proposal(report, item)) is not None]
    return found[:MOST]


def _short_enough(item: Mapping[str, Any]) -> bool:
    return all(len(item[name]) <= most for name, most in _LONGEST.items())


def _proposal(report: ClosingReport, item: Mapping[str, Any]) -> Proposal | None:
    title, text, reasoning = (" ".join(item[name].split()) for name in ("title", "text", "reasoning"))
    slug = "-".join(re.findall(r"[a-z0-9]+", title.casefold())[:6])
    topic = f"{item['subject']}/{slug}"
    said = " ".join((report.task, report.output, report.error))
    if not text or not TOPIC.fullmatch(topic) or not supported(text, said) or not supported(title, said):
        return None
    body = item["body"].replace("\r\n", "\n").strip()
    memory = Memory(
        text[:MAX_TEXT],
        title=title,
        body=f"{body}\n" if body else "",
        topic=topic,
        when_to_use=_phrases(item["whenToUse"]),
        tags=_phrases(item["tags"]),
        section=SECTIONS[item["subject"]],
        importance=item["importance"],
        confidence=CONFIDENCE,
        source="auto",
        status="candidate",
        provenance=report.origin,
    )
    try:
        memory.to_payload()
    except RecordError:
        return None
    return Proposal("create", memory, reason=reasoning, date=report.date, scope="project", basis="stated")


def _phrases(values: list[str]) -> tuple[str, ...]:
    lines = (" ".join(value.split()) for value in values)
    return tuple(dict.fromkeys(line for line in lines if 0 < len(line) <= _LONGEST_PHRASE))[:_MOST_PHRASES]
