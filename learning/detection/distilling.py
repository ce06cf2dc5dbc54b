"""Distils a week of daily notes: finds those that are worth keeping beyond their day.

Implements specs/capture.md (K-97…K-99). Keeps notes that are repeated on another day, and decisions, preferences, identities
and commitments by their words or heading; a single fact only if the model is sure. Pure.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from documents.proposal import Proposal
from language.likeness import PreparedText, likeness, read
from learning.detection.personal import personal_in
from ledger.lazy_pattern import lazy_pattern
from ledger.memory import FROM, MOST_FROM, Memory, Provenance

NoteKind = Literal["decision", "preference", "identity", "commitment", "fact"]
Score = Callable[[str], float]
"""Returns the probability that a sentence says something lasting, 0 to 1."""

AUTOMATIC, DETECTED, MANUAL = 0, 1, 2
"""The author of a note: a session on its own, a detector that read a person's words, a person (K-99)."""

COMMITTED: frozenset[NoteKind] = frozenset(("identity", "decision", "commitment"))
"""The kinds that go to the committed tier."""

SURE, SURE_OF_ONE, SURE_BY_MODEL = 0.9, 0.8, 0.65
"""Confidence of a person's note; of a session's plain or repeated note; of a note that only the model finds lasting."""
LASTING = 0.5
"""The model must find at least this probability for a fact that was noted once."""
_COMPARED = 8
"""A note is compared with so many groups, those that share the most words."""


@dataclass(frozen=True, slots=True)
class DailyNote:
    """One daily note. `seq` orders the notes of one day; `fresh` means that it came since the last run.

    `noted` is the day of its event, "" if unknown: a note is never later than that, whatever its day says.
    """

    id: str
    text: str
    day: str
    seq: int
    rank: int = AUTOMATIC
    section: str = ""
    session: str = ""
    type: str = "note"
    fresh: bool = True
    noted: str = ""

    @property
    def when(self) -> tuple[str, int]:
        """The sort key for the time of a note."""
        return (min(self.day, self.noted or self.day), self.seq)


@dataclass(frozen=True, slots=True)
class Distilled:
    """One proposal, and the notes that say it, the leading note first."""

    proposal: Proposal
    notes: tuple[DailyNote, ...]

    @property
    def rank(self) -> int:
        """The rank of the leading note (K-99)."""
        return self.notes[0].rank


@dataclass(slots=True)
class _Group:
    """Notes that say the same."""

    notes: list[DailyNote]
    reading: PreparedText
    against: set[int] = field(default_factory=set)

    @property
    def leading(self) -> DailyNote:
        return max(self.notes, key=lambda note: (note.rank, note.when))

    @property
    def days(self) -> list[str]:
        return sorted({note.day for note in self.notes})


_LABELS: Mapping[str, NoteKind] = {
    **dict.fromkeys(("decision", "decided", "architecture decision"), "decision"),
    **dict.fromkeys(
        ("preference", "user preference", "correction", "convention", "project convention", "rule"),
        "preference",
    ),
    **dict.fromkeys(("identity", "people & role", "people"), "identity"),
    **dict.fromkeys(("commitment", "committed", "promise", "promised", "deadline"), "commitment"),
}
"""The kind of the text after a heading or a label with a colon."""

_LABEL = lazy_pattern(r"\**([A-Za-z][A-Za-z& ]{2,24}?)\**[ \t]*:\**[ \t]+(?=\S)")
_CLOCK = lazy_pattern(r"(?:[01]?\d|2[0-3]):[0-5]\d(?::\d{2})?[ \t]+(?:[-–][ \t]+)?")
_HEDGED = lazy_pattern(
    r"\b(?:maybe|perhaps|might|could be|not sure|unsure|probably|thinking (?:about|of)|consider(?:ing)?|wonder(?:ing)?|proposal|option|"
    r"undecided|tbd|to be decided|for now|temporar(?:y|ily)|until|today)\b|\?\s*$|"
    r"\b(?:not|n[o']t|never|have to|need to|must|should) (?:yet )?(?:been )?(?:decided?|chosen?|agreed?)\b|"
    r"\b(?:decide|choose|agree) (?:on|whether|if|which|how)\b",
    re.IGNORECASE,
)
_KINDS: tuple[tuple[NoteKind, re.Pattern[str]], ...] = (
    (
        "identity",
        lazy_pattern(
            r"\buser(?:'s name is| is (?:called|named|an?\b|the\b|based in|from\b)| works? (?:as|at|for|in)\b| lives? in\b|"
            r"'s (?:role|job|title|pronouns?|company|employer|team|time ?zone) (?:is|are)\b)|\bmy (?:name|role|job|title) is\b|"
            r"\bi work (?:as|at|for)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "commitment",
        lazy_pattern(
            r"\b(?:promised?|promises? to|committed to|guaranteed|deadline(?: is| for)?|(?:is|are) due (?:on|by)|"
            r"(?:(?:will|shall|must|to)|(?:i|we|they)['’]ll) (?:be )?(?:deliver|ship|send|sent|finish|releas|submit|complet|migrat|done|"
            r"ready|launch|present)\w*\b[^.;]{0,60}\b(?:by|before|until)\s+(?:the\s+)?"
            r"(?:\d|(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*|end of|next|q[1-4]|eod|eow))\b",
            re.IGNORECASE,
        ),
    ),
    (
        "decision",
        lazy_pattern(
            r"\b(?:decided|agreed (?:that|on|to)|settled on|chose|opted (?:for|to)|went with|going with|"
            r"we(?:'ll| will| are going to) (?:use|go with|keep|switch|move|drop|adopt)|will use|(?:has|have|was|were) (?:been )?chosen|"
            r"switch(?:ed|ing) (?:from .{1,60} )?to|standardi[sz]ed? on|decision)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "preference",
        lazy_pattern(
            r"\b(?:prefers?|preferred|would rather|likes? (?:to|short|long|the|an?|its?|\w+ing)|from now on|does(?:n't| not) (?:like|want)|"
            r"(?:wants?|asked|told) (?:\w+ ){0,2}?(?:to )?(?:always|never|not to)|dislikes?|hates?)\b|"
            r"^(?:always|never|don't|do not|avoid)\b|^use\b.{1,80}\b(?:not|instead of|rather than|over)\b",
            re.IGNORECASE,
        ),
    ),
)
_KEPT_TYPES: Mapping[str, NoteKind] = {kind: kind for kind, _ in _KINDS}
_DONE = lazy_pattern(
    r"^(?:ran|run|fixed|added|updated|merged|pushed|committed(?! to\b)|deployed|released|tested|refactored|renamed|removed|reviewed|opened|"
    r"closed|started|finished|completed|implemented|investigat\w+|debugg\w+|read|wrote|created|moved|bumped|rebased|checked|"
    r"todo|fixme|next|wip|blocked|still|(?:tests?|build) (?:pass|fail)\w*|session (?:start|end)\w*)\b",
    re.IGNORECASE,
)
"""The first words of notes about finished or planned work, which do not last even if they are repeated."""
_WORD = lazy_pattern(r"[^\W_]{3,}")


def distil(notes: Sequence[DailyNote], score: Score | None = None) -> list[Distilled]:
    """Return the notes of a week that are worth keeping, in their order.

    Args:
        notes: in any order; a group without a fresh note is skipped.
        score: a model's judgement, if there is one.
    """
    groups = _grouped(sorted(notes, key=lambda note: (note.seq, note.id)))
    standing = [group for at, group in enumerate(groups) if not _gives_way(at, groups)]
    kept = [
        distilled
        for group in standing
        if any(note.fresh for note in group.notes) and (distilled := _distilled(group, score)) is not None
    ]
    return sorted(kept, key=lambda each: min(note.seq for note in each.notes))


def _grouped(notes: Sequence[DailyNote]) -> list[_Group]:
    """Group notes that say the same, and note which groups contradict each other."""
    groups: list[_Group] = []
    having: dict[str, list[int]] = defaultdict(list)
    for note in notes:
        text = bare(note.text)
        words = {word.casefold()[:6] for word in _WORD.findall(text)}
        shared = Counter(at for word in words for at in having[word][-64:])
        reading = read(text)
        home: int | None = None
        rivals: list[int] = []
        for at, _ in sorted(shared.items(), key=lambda item: (-item[1], item[0]))[:_COMPARED]:
            verdict = likeness(reading, groups[at].reading)
            if verdict == "same" and home is None:
                home = at
            elif verdict == "contradicts":
                rivals.append(at)
        if home is None:
            home = len(groups)
            groups.append(_Group([], reading))
        groups[home].notes.append(note)
        for rival in rivals:
            groups[home].against.add(rival)
            groups[rival].against.add(home)
        for word in words:
            if not having[word] or having[word][-1] != home:
                having[word].append(home)
    return groups


def _gives_way(at: int, groups: Sequence[_Group]) -> bool:
    """Return whether a group of a higher rank, or a later one of the same rank, contradicts this one (K-99)."""

    def weight(group: _Group) -> tuple[int, tuple[str, int]]:
        return (group.leading.rank, max(note.when for note in group.notes))

    return any(weight(groups[other]) > weight(groups[at]) for other in groups[at].against)


def _distilled(group: _Group, score: Score | None) -> Distilled | None:
    leading = group.leading
    text = bare(leading.text)
    if not _may_last(text):
        return None
    kind = kind_of(text, leading.section, leading.type)
    again = len(group.days) > 1
    if kind is not None:
        confidence = SURE if leading.rank == MANUAL else SURE_OF_ONE
    elif _DONE.match(text):
        return None
    elif again:
        kind, confidence = "fact", SURE_OF_ONE
    elif score is not None and score(text) >= LASTING:
        kind, confidence = "fact", SURE_BY_MODEL
    else:
        return None
    notes = (leading, *(note for note in group.notes if note is not leading))
    memory = Memory(
        _shown(text),
        type=kind,
        tier="committed" if kind in COMMITTED else "curated",
        confidence=confidence,
        importance="high" if kind in COMMITTED else "medium",
        source="auto",
        provenance=Provenance(session=leading.session, file=f"memory/{leading.day}.md", date=group.days[0]),
        unknown={FROM: [note.id for note in notes[:MOST_FROM]]},
    )
    reason = f"noted on {_listed(group.days)} ({', '.join(note.id[:12] for note in notes[:6])})"
    return Distilled(Proposal("create", memory, reason=reason, date=group.days[0], basis="stated"), notes)


def kind_of(text: str, section: str = "", type_: str = "note") -> NoteKind | None:
    """Return the kind of a lasting note, by its type, its heading or its words; None if it does not last."""
    if type_ in _KEPT_TYPES:
        return _KEPT_TYPES[type_]
    if _HEDGED.search(text):
        return None
    label = _LABEL.match(text)
    by_words = (kind for kind, pattern in _KINDS if pattern.search(text))
    return (_named(label[1]) if label else None) or next(by_words, None) or _named(section)


def _named(label: str) -> NoteKind | None:
    """Return the kind that a label or heading gives to the text after it."""
    name = label.strip().casefold()
    return _LABELS.get(name) or _LABELS.get(name.removesuffix("s"))


def bare(text: str) -> str:
    """Return a note without a time at its beginning."""
    clock = _CLOCK.match(text)
    return text[clock.end() :] if clock else text


def _may_last(text: str) -> bool:
    words = _WORD.findall(text)
    return len(words) >= 2 and not text.rstrip().endswith("?") and personal_in(text) is None


def _shown(text: str) -> str:
    """Return the text of a note for a memory: without a label that names its kind, with a capital first letter."""
    label = _LABEL.match(text)
    if label and _named(label[1]):
        text = text[label.end() :]
    first = text.split(" ", 1)[0]
    return text[:1].upper() + text[1:] if first.isalpha() and first.islower() else text


def _listed(days: Sequence[str]) -> str:
    return days[0] if len(days) == 1 else f"{', '.join(days[:-1])} and {days[-1]}"


def standing_rank(memory: Memory) -> int:
    """Return the rank of a current memory, by its source (K-99)."""
    if memory.source == "manual":
        return MANUAL
    return DETECTED if memory.provenance.message else AUTOMATIC
