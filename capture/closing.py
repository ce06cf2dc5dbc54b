"""Reads the closing report of an agent: what of it another run would want to know, filed by topic.

Implements specs/capture.md (K-107, K-108). Without a model: statements that name something concrete and say where it lives, what it
must, why it failed or what did not work. What was merely done is no knowledge. Pure.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from capture.personal import personal_in
from capture.proposal import Proposal
from ledger.memory import MAX_LINE, MAX_SLUG, MAX_TEXT, Memory, Provenance

Result = Literal["success", "failure", "partial"]
RESULTS: tuple[Result, ...] = ("success", "failure", "partial")
Subject = Literal["codebase-structure", "patterns", "constraints", "failures"]

MOST = 3
"""So many proposals one report gives at most."""
CONFIDENCE = 0.6
"""An agent's words are a candidate, whatever they sound like."""
_ENOUGH = 3.0
_RELATED = 4
_LONGEST_READ = 100_000
_LONGEST_TITLE = 90


@dataclass(frozen=True, slots=True)
class Report:
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


Extract = Callable[[Report], list[Proposal]]
"""What reads a report: `extract` here, or a model (K-108)."""


@dataclass(frozen=True, slots=True)
class _Statement:
    text: str
    heading: str
    at: int


_SIGNALS: tuple[tuple[Subject, float, re.Pattern[str]], ...] = (
    (
        "failures",
        2.0,
        re.compile(
            r"\b(?:root cause|caused by|the (?:cause|culprit|reason) (?:is|was)|(?:fail(?:s|ed)|breaks?|broke|crash(?:es|ed)|hangs?|hung|times? out) "
            r"(?:when|if|because|unless|with|on|under|as)\b|(?:did(?: not|n't)|does(?: not|n't)|won't) (?:work|help|fix)|turn(?:s|ed) out|"
            r"(?:tried|attempt(?:ed|s)?)\b.{1,120}\b(?:but|without|fail|no effect|did)|dead end|to no avail|misleading|"
            r"workaround|regression|race condition|deadlocks?)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "constraints",
        2.0,
        re.compile(
            r"\b(?:only (?:works?|runs?|builds?|loads?|passes|starts?) (?:if|when|with|on|after|under|in)|must (?:not |never |be |always |first |have |come |run |"
            r"match |stay |use |call |go )|requires?\b|cannot|can(?:not|'t) be|needs? to be .{1,60}\b(?:before|after|first)|has to be|"
            r"is not supported|isn't supported|not compatible|incompatible|limited to|at most|no more than|depends on|assumes?|expects?|"
            r"never (?:call|use|run|edit|import|commit|mutate|delete)|do not (?:call|use|run|edit|import|commit|change|delete)|"
            r"don't (?:call|use|run|edit|import|commit|change|delete))\b",
            re.IGNORECASE,
        ),
    ),
    (
        "codebase-structure",
        2.0,
        re.compile(
            r"\b(?:lives? (?:in|under|at)|resides? in|(?:is|are) (?:defined|implemented|located|declared|stored|configured|registered|generated|"
            r"wired|handled|loaded|built|found|kept) (?:in|by|at|from|under|through)|entry ?point|(?:is|are) the (?:only )?(?:place|module|file|layer)|"
            r"delegates? to|wraps?|inherits? from|goes through|owned by|talks? to|reads? from|writes? to|source of truth)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "patterns",
        2.0,
        re.compile(
            r"\b(?:by convention|conventions?|pattern|(?:all|every|each) (?:\w+[ -]){1,4}(?:uses?|goes|go|follows?|returns?|is|are|has|have|must|inherits?|"
            r"lives?)|are always|is always|follows? the|the project uses|the codebase uses|consistently|naming|idiom|instead of (?:raw|direct|plain))\b",
            re.IGNORECASE,
        ),
    ),
)
_BECAUSE = re.compile(
    r"\b(?:because|since|so that|otherwise|or else|unless|due to|as a result|which means)\b", re.IGNORECASE
)
_HEADINGS: tuple[tuple[Subject, re.Pattern[str]], ...] = (
    (
        "failures",
        re.compile(
            r"root cause|cause|what (?:did ?n[o']t|didn.t|failed)|did ?n[o']t work|dead ends?|fail|gotcha|pitfall|problem|error|lesson|"
            r"blocker|tried",
            re.IGNORECASE,
        ),
    ),
    (
        "constraints",
        re.compile(
            r"constraint|limit|requirement|caveat|watch out|assumption|invariant|warning|important",
            re.IGNORECASE,
        ),
    ),
    (
        "codebase-structure",
        re.compile(
            r"architecture|structure|layout|where|how it works|overview|module|component|finding",
            re.IGNORECASE,
        ),
    ),
    ("patterns", re.compile(r"pattern|convention|practice|style|idiom", re.IGNORECASE)),
)
_DONE = re.compile(
    r"^(?:i(?:'ve| have| also|'ll| will)?\b|we\b|now\b|all \d|all tests|done|added|adds|updated|changed|created|fixed|removed|renamed|refactored|implemented|"
    r"moved|replaced|wrote|ran|verified|tested|committed|pushed|merged|bumped|tests?:|let me|next|here(?:'s| is)|this (?:pr|change|commit|fix|report)|"
    r"the (?:changes?|fix|task|work|implementation) (?:is|are|has|have|was)|successfully|summary|no (?:issues|errors|problems|changes)|"
    r"you can|please|feel free|would you|should i|ready|everything)\b|^[✅✔☑🎉]",
    re.IGNORECASE,
)
_SPAN = re.compile(r"`([^`\n]{2,120})`")
_NAME = re.compile(
    r"(?<![\w/.-])(?:[\w.-]+/)+[\w.-]+|\b\w+\.(?:py|ts|tsx|js|jsx|go|rs|java|kt|rb|c|h|cpp|cs|php|sql|sh|toml|ya?ml|json|md|lock|cfg|ini|css|html)\b|"
    r"\b[a-z]+(?:_[a-z0-9]+)+\b|\b[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+\b|\b[a-z]+(?:[A-Z][a-z0-9]+)+\b|\b[A-Z]{2,}(?:_[A-Z0-9]+)+\b|\bE[A-Z]{4,}\b|"
    r"\b\w+\(\)|(?<!\w)--[a-z][\w-]+"
)
_NUMBER = re.compile(
    r"\b(?:v?\d+(?:\.\d+)+|port \d+|\d+ ?(?:ms|s|seconds|minutes|MB|GB|KB|MiB|bytes|requests|connections|rows|lines))\b"
)
_VAGUE = re.compile(r"^(?:it|this|that|these|those|they|he|she|there)\b", re.IGNORECASE)
_FIRST_PERSON = re.compile(r"^(?:i|we)\b|\b(?:i|i've|i'll|i'd|we've|we'll|let me)\b", re.IGNORECASE)
_GUESS = re.compile(
    r"\b(?:might|maybe|perhaps|probably|possibly|seems?|appears?|i think|i believe|not sure|unclear|could be)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_KEY = re.compile(r"[a-z0-9]+")
_STOP = frozenset(
    """the and for that with from this into when then than only must not are was were has have had its it is in on of to a an as by or be at if but
    do does did no so all any can cannot will would should because since which who what where how why there their they them these those use uses used
    using run runs fix add make task please""".split()
)

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*|[ \t]*\*\*([^*\n]{2,80}?):?\*\*:?[ \t]*")
_BULLET = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_SENTENCE_END = re.compile(r"(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\betc\.)[ \t]+(?=[\"“`A-Z0-9])")
_EMPHASIS = re.compile(r"\*\*|__|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)")


def extract(
    report: Report, unfit: Callable[[str], bool] = lambda text: personal_in(text) is not None
) -> list[Proposal]:
    """Return what of a report is worth a topic, at most three, the most telling first; mostly nothing (K-107).

    Args:
        report: what the agent handed in.
        unfit: says that a text must not be kept; a secret, say.
    """
    statements = [each for each in _statements(report.output[:_LONGEST_READ]) if not unfit(each.text)]
    judged = [
        (value, subject, each) for each in statements for value, subject in [_judged(each, report)] if subject
    ]
    best = sorted((one for one in judged if one[0] >= _ENOUGH), key=lambda one: (-one[0], one[2].at))
    proposals: list[Proposal] = []
    used: set[int] = set()
    for _, subject, statement in best:
        if len(proposals) == MOST:
            break
        if statement.at in used or _says_again(statement, [statements[at] for at in used]):
            continue
        related = [
            each
            for _, kind, each in sorted(judged, key=lambda one: one[2].at)
            if kind == subject
            and each.at not in used
            and each.at != statement.at
            and _belongs(each, statement)
        ][:_RELATED]
        used.update(each.at for each in (statement, *related))
        proposals.append(_proposal(report, subject, statement, related))
    if report.result != "success" and not any(_subject_of(each) == "failures" for each in proposals):
        proposals = [*_of_failure(report, statements, unfit), *proposals][:MOST]
    return proposals


# --- reading ---


def _statements(text: str) -> list[_Statement]:
    """Return the sentences of a report with the headings that they stand under; no code, tables, quotations."""
    found: list[_Statement] = []
    heading = fence = ""
    for paragraph in _lines(text):
        opened = _FENCE.match(paragraph)
        if fence:
            fence = "" if opened and opened[1].startswith(fence) else fence
            continue
        if opened:
            fence = opened[1]
        elif head := _HEADING.fullmatch(paragraph):
            heading = one_line(head[1] or head[2])
        elif not paragraph.lstrip().startswith(("|", ">", "<")):
            label, said = _labelled(_EMPHASIS.sub("", _BULLET.sub("", paragraph)))
            for sentence in _SENTENCE_END.split(said):
                if line := one_line(sentence):
                    found.append(_Statement(line, label or heading, len(found)))
    return found


def _lines(text: str) -> Iterator[str]:
    """Give each line, those of one paragraph or bullet joined."""
    open_line = ""
    fenced = False
    for line in text.splitlines():
        fence = bool(_FENCE.match(line))
        alone = fence or fenced or not line.strip() or _BULLET.match(line) or _HEADING.fullmatch(line)
        if open_line and (alone or line.lstrip().startswith(("|", ">"))):
            yield open_line
            open_line = ""
        if fence or fenced or _HEADING.fullmatch(line):
            yield line
        elif line.strip():
            open_line = f"{open_line} {line.strip()}" if open_line else line
        fenced = fenced != fence
    if open_line:
        yield open_line


def _labelled(text: str) -> tuple[str, str]:
    """Return the label that a line begins with (`Root cause: …`) and the rest; the label stays where it names no subject."""
    label, colon, rest = text.partition(": ")
    if colon and len(label) <= 40 and any(pattern.search(label) for _, pattern in _HEADINGS):
        return one_line(label), rest
    return "", text


# --- judging ---


def _judged(statement: _Statement, report: Report) -> tuple[float, Subject | None]:
    """Return how much a statement is worth keeping, and as what; None for no subject."""
    text = statement.text
    words = _WORD.findall(text)
    if not 5 <= len(words) <= 70 or text.endswith(("?", ":")):
        return 0.0, None
    said = [(weight, subject) for subject, weight, pattern in _SIGNALS if pattern.search(text)]
    under = next((subject for subject, pattern in _HEADINGS if pattern.search(statement.heading)), None)
    if not said and not (under and under != "codebase-structure" and _concrete(text)):
        return 0.0, None
    subject = under if under in [each for _, each in said] else said[0][1] if said else under
    value = max((weight for weight, _ in said), default=1.0) + 0.5 * (len(said) - 1 if said else 0)
    value += 1.0 if under else 0.0
    value += min(1.5, 0.75 * _concrete(text))
    value += 0.5 if _BECAUSE.search(text) else 0.0
    value -= 1.5 if _VAGUE.match(text) else 0.0
    value -= 1.0 if _FIRST_PERSON.search(text) else 0.0
    value -= 1.5 if _GUESS.search(text) else 0.0
    if _DONE.match(text) and not (subject == "failures" and (_BECAUSE.search(text) or under == "failures")):
        value -= 2.5
    if report.result != "success" and subject == "failures":
        value += 0.5
    return (value, subject) if _concrete(text) or under else (0.0, None)


def _concrete(text: str) -> int:
    """Return how many things a text names: code, paths, identifiers, versions, amounts."""
    names = {*_SPAN.findall(text), *_NAME.findall(_SPAN.sub(" ", text)), *_NUMBER.findall(text)}
    return len(names)


def _says_again(statement: _Statement, others: Sequence[_Statement]) -> bool:
    mine = _keys(statement.text)
    return any(
        len(mine & _keys(other.text)) * 3 >= 2 * min(len(mine), len(_keys(other.text)) or 1)
        for other in others
    )


def _belongs(one: _Statement, other: _Statement) -> bool:
    """Say whether a statement goes with another: below the same heading and near it, or of the same things."""
    same_names = set(_SPAN.findall(one.text)) & set(_SPAN.findall(other.text))
    return bool(same_names) or (
        bool(one.heading) and one.heading == other.heading and abs(one.at - other.at) <= 3
    )


def _keys(text: str) -> set[str]:
    return {word for word in _KEY.findall(text.casefold()) if len(word) > 2 and word not in _STOP}


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
    report: Report, subject: Subject, statement: _Statement, related: Sequence[_Statement]
) -> Proposal:
    text = statement.text[:MAX_TEXT]
    about = _about(text, report.task)
    weighty = report.result != "success" or (
        subject in ("constraints", "failures") and bool(_BECAUSE.search(text))
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
    report: Report, statements: Sequence[_Statement], unfit: Callable[[str], bool]
) -> list[Proposal]:
    """Return a proposal of the error that ended the task, where it says something that is worth knowing (K-107)."""
    error = next(
        (line for line in map(one_line, report.error.splitlines()) if _tells(line) and not unfit(line)), ""
    )
    if not error or not report.task.strip():
        return []
    tried = [
        each
        for each in statements
        if re.search(r"\b(?:tried|attempted|without|instead)\b", each.text, re.IGNORECASE)
    ]
    task = _cut(one_line(report.task), 120)
    if unfit(task):
        return []
    verb = "failed" if report.result == "failure" else "was not finished"
    statement = _Statement(_cut(f"“{task}” {verb}: {error}", 600), "", -1)
    return [_proposal(report, "failures", statement, tried[:_RELATED])]


def _tells(line: str) -> bool:
    words = _WORD.findall(line)
    return (
        len(words) >= 4
        and (bool(_concrete(line)) or len(words) >= 7)
        and not line.startswith(("at ", "File ", "Traceback"))
    )


def _subject_of(proposal: Proposal) -> str:
    return proposal.memory.topic.partition("/")[0] if proposal.memory else ""


def _about(text: str, task: str) -> str:
    """Return what a statement is about: the first thing that it names, else its telling words, else those of the task."""
    for name in (*_SPAN.findall(text), *_NAME.findall(text)):
        if len(_slug(name)) >= 3 and len(name) <= 60:
            return str(name)
    telling = [word for word in _WORD.findall(text) if word.casefold() not in _STOP and len(word) > 3]
    return " ".join(telling[:4]) or _cut(one_line(task), 60)


def _title(subject: Subject, about: str) -> str:
    return _cut(f"{_TITLES[subject]}: {about}", _LONGEST_TITLE)


def _when(text: str, related: Sequence[_Statement], report: Report) -> tuple[str, ...]:
    """Return phrases by which the topic is found again: what is named, and what the task was about."""
    names = [
        name
        for each in (text, *(one.text for one in related))
        for name in (*_SPAN.findall(each), *_NAME.findall(each))
    ]
    telling = [word for word in _WORD.findall(report.task) if word.casefold() not in _STOP and len(word) > 3]
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
    return "-".join(_KEY.findall(last.casefold()))[: MAX_SLUG - 4].strip("-")


def one_line(text: str) -> str:
    """Return a text on one line, without what no record holds."""
    return " ".join(text.replace("\x00", " ").split())


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    cut = text.rfind(" ", most // 2, most)
    return f"{text[: cut if cut > 0 else most].rstrip(' ,;:')}…"
