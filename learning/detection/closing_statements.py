"""Cuts a closing report into statements, and judges what each is worth to another run.

Implements specs/capture.md (K-107). A statement is worth something where it names something concrete and says where it lives, what
must hold, why it failed, or what did not work. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ledger.lazy_pattern import lazy_pattern

Result = Literal["success", "failure", "partial"]
Subject = Literal["codebase-structure", "patterns", "constraints", "failures"]
ENOUGH = 2.75
"""What a statement must be worth at least."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence of a report, with the heading that it stands under; `at` counts them."""

    text: str
    heading: str
    at: int


_SIGNALS: tuple[tuple[Subject, float, re.Pattern[str]], ...] = (
    (
        "failures",
        2.0,
        lazy_pattern(
            r"\b(?:root cause|caused by|the (?:cause|culprit|reason) (?:is|was)|(?:fail(?:s|ed)|breaks?|"
            r"broke|crash(?:es|ed)|hangs?|hung|times? out) "
            r"(?:when|if|because|unless|with|on|under|as)\b|(?:did(?: not|n't)|does(?: not|n't)|"
            r"won't) (?:work|help|fix)|turn(?:s|ed) out|"
            r"(?:tried|attempt(?:ed|s)?)\b.{1,120}\b(?:but|without|fail|no effect|did)|dead end|"
            r"to no avail|misleading|"
            r"workaround|regression|race condition|deadlocks?|"
            r"(?:setting|adding|using|running|pinning|passing|disabling|enabling|switching|downgrading|upgrading) .{1,80} "
            r"(?:fixe[sd]|solve[sd]|resolve[sd]|avoid(?:s|ed)|works around))\b",
            re.IGNORECASE,
        ),
    ),
    (
        "constraints",
        2.0,
        lazy_pattern(
            r"\b(?:only (?:works?|runs?|builds?|loads?|passes|starts?) (?:if|when|with|on|after|under|in)|"
            r"must (?:not |never |be |always |first |have |come |run |"
            r"match |stay |use |call |go )|requires?\b|cannot|can(?:not|'t) be|"
            r"needs? to be .{1,60}\b(?:before|after|first)|has to be|"
            r"is not supported|isn't supported|not compatible|incompatible|limited to|at most|"
            r"no more than|depends on|assumes?|expects?|"
            r"never (?:call|use|run|edit|import|commit|mutate|delete)|do not (?:call|use|run|edit|import|"
            r"commit|change|delete)|"
            r"don't (?:call|use|run|edit|import|commit|change|delete))\b",
            re.IGNORECASE,
        ),
    ),
    (
        "codebase-structure",
        2.0,
        lazy_pattern(
            r"\b(?:lives? (?:in|under|at)|resides? in|(?:is|are) (?:defined|implemented|located|declared|"
            r"stored|configured|registered|generated|"
            r"wired|handled|loaded|built|found|kept) (?:in|by|at|from|under|through)|entry ?point|(?:is|"
            r"are) the (?:only )?(?:place|module|file|layer)|"
            r"delegates? to|wraps?|inherits? from|goes through|owned by|talks? to|reads?(?: \w+){0,3} from|"
            r"writes?(?: \w+){0,3} to|source of truth)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "patterns",
        2.0,
        lazy_pattern(
            r"\b(?:by convention|conventions?|pattern|(?:all|every|each) (?:\w+[ -]){1,4}(?:uses?|goes|go|"
            r"follows?|returns?|is|are|has|have|must|inherits?|"
            r"lives?)|are always|is always|follows? the|the project uses|the codebase uses|consistently|naming|idiom|"
            r"instead of (?:raw|direct|plain))\b",
            re.IGNORECASE,
        ),
    ),
)
BECAUSE = lazy_pattern(
    r"\b(?:because|since|so that|otherwise|or else|unless|due to|as a result|which means)\b", re.IGNORECASE
)
_HEADINGS: tuple[tuple[Subject, re.Pattern[str]], ...] = (
    (
        "failures",
        lazy_pattern(
            r"root cause|cause|what (?:did ?n[o']t|didn.t|failed)|did ?n[o']t work|dead ends?|fail|gotcha|"
            r"pitfall|problem|error|lesson|"
            r"blocker|tried",
            re.IGNORECASE,
        ),
    ),
    (
        "constraints",
        lazy_pattern(
            r"constraint|limit|requirement|caveat|watch out|assumption|invariant|warning|important",
            re.IGNORECASE,
        ),
    ),
    (
        "codebase-structure",
        lazy_pattern(
            r"architecture|structure|layout|where|how it works|overview|module|component|finding",
            re.IGNORECASE,
        ),
    ),
    ("patterns", lazy_pattern(r"pattern|convention|practice|style|idiom", re.IGNORECASE)),
)
_DONE = lazy_pattern(
    r"^(?:i(?:'ve| have| also|'ll| will)?\b|we\b|now\b|all \d|all tests|done|added|adds|updated|changed|"
    r"created|fixed|removed|renamed|refactored|implemented|"
    r"moved|replaced|wrote|ran|verified|tested|committed|pushed|merged|bumped|tests?:|let me|next|"
    r"here(?:'s| is)|this (?:pr|change|commit|fix|report)|"
    r"the (?:changes?|fix|task|work|implementation) (?:is|are|has|have|was)|successfully|summary|"
    r"no (?:issues|errors|problems|changes)|"
    r"you can|please|feel free|would you|should i|ready|"
    r"everything (?:is (?:now )?(?:green|fine|done|ready|good|working)|works|passes|builds|looks|now))\b|^[✅✔☑🎉]",
    re.IGNORECASE,
)
SPAN = lazy_pattern(r"`([^`\n]{2,120})`")
NAME = lazy_pattern(
    r"(?<![\w/.-])(?:[\w.-]+/)+[\w.-]*\w|\b\w+\.(?:py|ts|tsx|js|jsx|go|rs|java|kt|rb|c|h|cpp|cs|php|sql|sh|"
    r"toml|ya?ml|json|md|lock|cfg|ini|css|html)\b|"
    r"\b[a-z]+(?:_[a-z0-9]+)+\b|\b[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+\b|\b[a-z]+(?:[A-Z][a-z0-9]+)+\b|"
    r"\b[A-Z]{2,}(?:_[A-Z0-9]+)+\b|\bE[A-Z]{4,}\b|"
    r"\b\w+\(\)|(?<!\w)--[a-z][\w-]+|"
    r"\b(?!(?:Step|Phase|Part|Section|Chapter|Day|Week|Test|Case|Table|Figure|Task|Issue|Option|Round|Version)\b)"
    r"[A-Z][A-Za-z.]+ v?\d+(?:\.\d+)*\b"
)
_NUMBER = lazy_pattern(
    r"\b(?:v?\d+(?:\.\d+)+|port \d+|\d+ ?(?:ms|s|seconds|minutes|MB|GB|KB|MiB|bytes|requests|connections|"
    r"rows|lines))\b"
)
_PROPER = lazy_pattern(
    r"(?<=[\w,] )(?!(?:I|OK|TODO|FIXME|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)\b)"
    r"(?:[A-Z][a-z]+[A-Z]?\w*|[A-Z]{2,}\d?)\b"
)
"""A proper name or an acronym within a sentence: Redis, TLS."""
_CAUSES = lazy_pattern(r"root cause|gotcha|pitfall|lessons? learned|dead ends?", re.IGNORECASE)
"""What stands under such a label or heading is what it says, whether it names a thing or not."""
_VAGUE = lazy_pattern(r"^(?:it|this|that|these|those|they|he|she|there)\b", re.IGNORECASE)
_FIRST_PERSON = lazy_pattern(r"^(?:i|we)\b|\b(?:i|i've|i'll|i'd|we've|we'll|let me)\b", re.IGNORECASE)
_GUESS = lazy_pattern(
    r"\b(?:might|maybe|perhaps|probably|possibly|seems?|appears?|i think|i believe|not sure|unclear|could be|we'd|we would|would need)\b",
    re.IGNORECASE,
)
WORD = lazy_pattern(r"[^\W\d_][\w'’-]*")
KEY = lazy_pattern(r"[a-z0-9]+")
STOP = frozenset(
    """the and for that with from this into when then than only must not are was were has have had its it
    is in on of to a an as by or be at if but do does did no so all any can cannot will would should
    because since which who what where how why there their they them these those use uses used using run
    runs fix add make task please""".split()
)

_FENCE = lazy_pattern(r"[ \t]*(`{3,}|~{3,})")
_HEADING = lazy_pattern(r" {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*|[ \t]*\*\*([^*\n]{2,80}?):?\*\*:?[ \t]*")
_BULLET = lazy_pattern(r"\A[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_SENTENCE_END = lazy_pattern(r"(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\betc\.)[ \t]+(?=[\"“`A-Z0-9])")
_EMPHASIS = lazy_pattern(r"\*\*|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)")


def one_line(text: str) -> str:
    """Return a text on one line, without what no record holds."""
    return " ".join(text.replace("\x00", " ").split())


# --- reading ---


def statements(text: str) -> list[Statement]:
    """Return the sentences of a report with the headings that they stand under; no code, tables, quotations."""
    found: list[Statement] = []
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
            label, said = _labelled(_EMPHASIS.sub("", _BULLET.sub("", paragraph, count=1)))
            for sentence in _SENTENCE_END.split(said):
                if line := one_line(sentence):
                    found.append(Statement(line, label or heading, len(found)))
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


def judged(statement: Statement, *, failed: bool) -> tuple[float, Subject | None]:
    """Return how much a statement is worth keeping, and as what; None for no subject."""
    text = statement.text
    words = WORD.findall(text)
    if not 5 <= len(words) <= 70 or text.endswith(("?", ":")):
        return 0.0, None
    said = [(weight, subject) for subject, weight, pattern in _SIGNALS if pattern.search(text)]
    under = next((subject for subject, pattern in _HEADINGS if pattern.search(statement.heading)), None)
    if not said and _CAUSES.search(statement.heading):
        said = [(2.0, "failures")]
    if not said and not (under and under != "codebase-structure" and concrete(text)):
        return 0.0, None
    subject = under if under in [each for _, each in said] else said[0][1] if said else under
    value = max((weight for weight, _ in said), default=1.0) + 0.5 * (len(said) - 1 if said else 0)
    value += 1.0 if under else 0.0
    value += min(1.5, 0.75 * concrete(text))
    value += 0.5 if BECAUSE.search(text) else 0.0
    value -= 1.5 if _VAGUE.match(text) else 0.0
    value -= 1.0 if _FIRST_PERSON.search(text) else 0.0
    value -= 1.5 if _GUESS.search(text) else 0.0
    if _DONE.match(text) and not (subject == "failures" and (BECAUSE.search(text) or under == "failures")):
        value -= 2.5
    if failed and subject == "failures":
        value += 0.5
    return (value, subject) if concrete(text) or under else (0.0, None)


def concrete(text: str) -> int:
    """Return how many things a text names: code, paths, identifiers, versions, amounts, proper names."""
    plain = SPAN.sub(" ", text)
    names = {*SPAN.findall(text), *NAME.findall(plain), *_NUMBER.findall(text)}
    return len(names) or min(1, len(_PROPER.findall(plain)))


def says_again(statement: Statement, others: Sequence[Statement]) -> bool:
    """Say whether a statement has most of its words in common with one of the others."""
    mine = _keys(statement.text)
    return any(
        len(mine & _keys(other.text)) * 3 >= 2 * min(len(mine), len(_keys(other.text)) or 1)
        for other in others
    )


def belong(one: Statement, other: Statement) -> bool:
    """Say whether a statement goes with another: below the same heading and near it, or of the same things."""
    same_names = set(SPAN.findall(one.text)) & set(SPAN.findall(other.text))
    return bool(same_names) or (
        bool(one.heading) and one.heading == other.heading and abs(one.at - other.at) <= 3
    )


def _keys(text: str) -> set[str]:
    return {word for word in KEY.findall(text.casefold()) if len(word) > 2 and word not in STOP}
