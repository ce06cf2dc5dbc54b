"""Asks a language model for memories of a conversation, and accepts only the checkable parts of its answer.

Implements specs/capture.md (K-113…K-115). The conversation is data for the model and never an instruction. The answer is
data for us: only the fields below are read, and each is checked. Pure except for the question.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from documents.proposal import Basis, Proposal
from language.likeness import likeness
from learning.detection.language_model import AskModel, Question
from learning.detection.model_answers import DATA_IS_DATA, IMPORTANCES, ItemList, as_data, stands, supported
from learning.detection.standing import CONFIDENCE, INFERRED, SURELY_SAID
from learning.detection.windows import Window, WindowLine
from ledger.errors import RecordError
from ledger.memory import CORRECTIONS, SECTIONS, Memory
from ledger.schema import SCOPES

MAX_PER_TURN = 3
LONGEST = 400
SHORTEST = 4
MOST_ITEMS = 64
"""At most so many proposals of one answer are read."""
BELOW_SURE = SURELY_SAID - 0.01
"""A statement that only the model found never replaces a person's own memory (K-63)."""
TYPES = ("fact", "preference", "decision", "identity", "commitment")
CONVENTIONS = "Project Conventions"
"""A preference that a model files there is a convention of the project, not a person's taste (K-29)."""
KINDS: Mapping[str, Basis] = {
    "statement": "stated",
    "correction": "hedged",
    "hedged": "hedged",
    "implied": "observed",
}
"""The basis for each kind that a model may name. A model cannot claim that a person asked for a memory."""

_SYSTEM = f"""\
You read a part of a conversation between a person and an AI agent, and list what is worth remembering in later sessions.
{DATA_IS_DATA}

Worth remembering: what the person says that would change what an agent does or knows weeks later: preferences, standing
instructions, conventions of the project, decisions, facts about the person or this machine, corrections of the agent.
Not worth remembering: one-off tasks, questions, bug reports, greetings, thanks, praise, plans for today, what the
assistant says, what is quoted or pasted. Most conversations hold nothing: then the list is empty.

Each memory: message: the number n of the person's message that says it. quote: the person's exact words in that message
that say it. text: one line of at most 200 characters that stands alone, in the person's own words and
person ("Use pnpm, not npm", "My cat is named Luna"), commands and paths verbatim. kind: statement (said
plainly), correction (the agent is corrected), hedged (maybe, I think), implied (not said in words). scope: user (the
person, or any work with them), project, local (this machine). confidence: 0 to 1. replaces: what the person says that it
replaces, else empty. Lines with "context": true only explain the others."""

FORM = ItemList(
    "memories",
    {
        "message": {"type": "integer"},
        "quote": {"type": "string"},
        "text": {"type": "string"},
        "kind": {"type": "string", "enum": list(KINDS)},
        "type": {"type": "string", "enum": list(TYPES)},
        "section": {"type": "string", "enum": list(SECTIONS)},
        "scope": {"type": "string", "enum": list(SCOPES)},
        "importance": {"type": "string", "enum": list(IMPORTANCES)},
        "confidence": {"type": "number"},
        "replaces": {"type": "string"},
    },
)


def propose(window: Window, ask: AskModel, *, sure: Sequence[str] = (), name: str = "") -> list[Proposal]:
    """Return the model's proposals for a window, in the order of its messages, at most three for each.

    Args:
        window: the text for the model.
        ask: asks the question.
        sure: plain statements that the rules found there; a model that agrees may be as sure.
        name: the model's name, for `Proposal.why`; "" leaves that empty.

    Raises:
        ModelError: there was no answer, or it had another form.
    """
    return judged(window, ask(question(window)), sure=sure, name=name)


def question(window: Window) -> Question:
    """Return the question about a window."""
    lines = []
    for number, line in enumerate(window.lines):
        row: dict[str, Any] = {"n": number, "who": line.who, "text": line.text}
        if number < window.context:
            row["context"] = True
        lines.append(row)
    return Question(_SYSTEM, as_data(lines), FORM.schema)


def judged(window: Window, answer: Any, *, sure: Sequence[str] = (), name: str = "") -> list[Proposal]:
    """Return the valid proposals of an answer; see `propose`.

    Raises:
        ModelError: the answer has another form, or it has items and none is valid.
    """
    found: list[tuple[int, Proposal]] = []
    for item in FORM.items(answer, MOST_ITEMS, lambda item: 0 <= item["confidence"] <= 1):
        number = item["message"]
        if not window.context <= number < len(window.lines) or window.lines[number].who != "person":
            continue
        proposal = _proposal(window, window.lines[number], item, sure, name)
        if proposal is not None and not any(
            at == number and _text(other) == _text(proposal) for at, other in found
        ):
            found.append((number, proposal))
    found.sort(key=lambda one: (one[0], -_confidence(one[1])))
    counts: Counter[int] = Counter()
    kept = []
    for number, proposal in found:
        counts[number] += 1
        if counts[number] <= MAX_PER_TURN:
            kept.append(proposal)
    return kept


def _proposal(
    window: Window, line: WindowLine, item: Mapping[str, Any], sure: Sequence[str], name: str
) -> Proposal | None:
    text, quote, replaces = (" ".join(item[each].split()) for each in ("text", "quote", "replaces"))
    if not SHORTEST <= len(text) <= LONGEST or text != item["text"].strip():
        return None  # several lines are several memories
    quoted = len(quote) >= SHORTEST and stands(quote, line.text)
    if quoted and likeness(text, quote) == "contradicts":
        return None
    basis, corrects = KINDS[item["kind"]], item["kind"] == "correction"
    if not (quoted and supported(text, quote)):
        basis, replaces, corrects = "observed", "", False
    elif replaces and not supported(replaces, _said_until(window, line)):
        replaces = ""  # a proposal can replace only what the person mentioned
    agreed = any(likeness(text, each) == "same" for each in sure)
    most = min(CONFIDENCE[basis], 1.0 if agreed else BELOW_SURE)
    confidence = round(min(float(item["confidence"]), most), 2)
    convention = item["section"] == CONVENTIONS and item["type"] == "preference"
    memory = Memory(
        text,
        type="fact" if convention else item["type"],
        section=CORRECTIONS if corrects else item["section"],
        importance=item["importance"],
        confidence=confidence,
        inferred=basis in INFERRED,
        source="auto",
        category="repeated-correction" if corrects else "project-pattern" if convention else "",
        provenance=line.origin,
    )
    try:
        memory.to_payload()
    except RecordError:
        return None
    takes_back = bool(replaces) or corrects
    return Proposal(
        "supersede" if takes_back else "create",
        memory,
        reason=quote[:LONGEST] if takes_back else "",
        date=line.at,
        scope=item["scope"],
        about=replaces[:LONGEST],
        basis=basis,
        why=((f"the model {name}", float(item["confidence"])),) if name else (),
    )


def _said_until(window: Window, line: WindowLine) -> str:
    """Return the person's words in a window, up to and including a line."""
    lines = window.lines[: window.lines.index(line) + 1]
    return " ".join(each.text for each in lines if each.who == "person")


def _text(proposal: Proposal) -> str:
    return proposal.memory.text if proposal.memory is not None else ""


def _confidence(proposal: Proposal) -> float:
    return proposal.memory.confidence if proposal.memory is not None else 0.0
