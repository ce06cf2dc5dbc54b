"""What a proposal means beside the memories that stand: it is one of them again, or against some of them.

Implements specs/capture.md (K-62, K-64). Reads the index; likeness judges each pair, and for what a person takes back in
so many words ("actually", "now") also who stands in the same place of the same sentence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from documents.proposal import Proposal
from documents.scope import Scope
from language.likeness import Likeness, are_apart, likeness, read
from language.stop_words import content_words
from language.unspaced import words_of
from learning import places, restatement, superseded_tastes, supersession
from learning.detection import replacing
from learning.dry_run import Near, Supposed
from learning.same_attribute import is_given_otherwise
from ledger.fold import Entry
from ledger.lazy_pattern import lazy_pattern
from projections.index import Index
from projections.similar_memories import near

MOST_TARGETS = 16
_SPAN = 3
"""So many words of a sentence may be others in one that takes its place."""
_LONG = 14
_TELLING_ENDS = 2
"""So many telling words at least two sentences share that begin otherwise: "use spaces in Python" is not about "prefers Python"."""
_BESIDE = 3
"""So many telling words a memory may say beside what a person takes back."""
_AGAIN = 2
_STEM = 5
_FILLERS = frozenset(
    "always everywhere generally usually still again really please just also immer toujours siempre".split()
)
_DENIES = lazy_pattern(
    r"\b(?:no|not|never|none|nothing|without|neither|nor|kein\w*|nicht|nie|pas|jamais|sin|sem|nunca|não)\b|n[’']t\b",
    re.IGNORECASE,
)
_WHO = lazy_pattern(r"^(?:the )?user (?=\w)|^please |,? please$", re.IGNORECASE)
_WHERE = lazy_pattern(
    r"(?:,? ?\b(?:in|for|on|of) (?:this|the|our) (?:project|repo|repository|codebase|code base)\b)",
    re.IGNORECASE,
)


_PLACE = lazy_pattern(
    r"\b(?:here|(?:this|the|our) (?:project|repo|repository|codebase|code base|app|service))\b", re.IGNORECASE
)
_SAID = frozenset(("stated", "asked", "repeated"))


@dataclass(frozen=True, slots=True)
class Relation:
    """The memory that says the same, or None, and the active ones that say the opposite, the best first."""

    same: Entry | None = None
    against: tuple[Entry, ...] = ()
    surely: bool = False
    """Whether a person tells in so many words that what these say has changed (K-138)."""


def compared(index: Index, proposal: Proposal, find: Near = near) -> Relation:
    """Compare a create or supersede with what stands in one ledger, where `find` looks for it."""
    memory = proposal.memory
    if memory is None:
        return Relation()
    changes = proposal.action == "supersede"
    others = _asked(index, memory.text, proposal, find)
    same: list[Entry] = []
    against: list[Entry] = []
    tastes: list[tuple[Entry, superseded_tastes.Differing]] = []
    verdict_on = _Verdicts(memory.text, changes=changes)
    for entry in others.values():
        text = entry.memory.text
        verdict = verdict_on(text)
        if verdict == "same" and not proposal_differs(proposal, entry):
            same.append(entry)
        elif entry.status == "active" and not places.are_apart(memory.text, text):
            if verdict != "contradicts" and changes and (differing := _taste(proposal, text)):
                tastes.append((entry, differing))
            elif verdict == "contradicts" or _is_replaced(proposal, entry):
                against.append(entry)
    against += superseded_tastes.replaced(proposal, tastes)
    surely = False
    if changes and not against:
        apart = [*same, *(entry for entry, _ in tastes)]
        against = _in_the_place_of(proposal, [entry for entry in others.values() if entry not in apart])
        surely = bool(against)
    best = min(same, key=lambda entry: (entry.status != "active", entry.ts, entry.id), default=None)
    if changes and proposal.targets:
        return _naming(index, proposal, best, against)
    return Relation(best, tuple(against[:MOST_TARGETS]), surely)


class _Verdicts:
    """Judges what a proposal says beside one memory after the other; what it says is read once."""

    def __init__(self, text: str, *, changes: bool) -> None:
        self._text, self._changes = text, changes
        self._core = core(text)
        self._said = self._without_frame = read(text)
        if self._core != text:
            self._without_frame = read(self._core)
        self._main = core(restatement.main(self._core))

    def __call__(self, stands: str) -> Likeness:
        there, there_core = read(stands), core(stands)
        verdict = judged = likeness(self._said, there)
        if verdict == "different" and (self._core != self._text or there_core != stands):
            verdict = likeness(self._without_frame, there if there_core == stands else there_core)
        whole = self._said
        if verdict == "contradicts" and not self._changes and self._main != self._core:
            # what follows from it contradicts nothing
            verdict = judged = likeness(read(self._main), there_core)
        if verdict == "different" and _says_again(self._text, stands):
            verdict = "same"
        elif verdict == "different" and (
            restatement.restates(self._main, there_core)
            or (self._main != self._core and _says_again(self._main, stands))
            or (not self._changes and restatement.says_again(self._core, there_core))
        ):
            verdict, whole = "same", read(self._main)
        return "different" if verdict == "same" != judged and are_apart(whole, stands) else verdict


def _naming(index: Index, proposal: Proposal, same: Entry | None, against: Sequence[Entry]) -> Relation:
    """Return what a supersede is about that names its targets: these, whatever they say, and what it contradicts.

    What says the same and is active goes with them, so that it does not stand twice.
    """
    targets = [entry for id_ in proposal.targets if (entry := index.entry(id_)) is not None]
    again = [same] if same is not None and same.status == "active" else []
    every = {entry.id: entry for entry in (*targets, *again, *against)}
    return Relation(None, tuple(every.values())[:MOST_TARGETS])


def _asked(index: Index, text: str, proposal: Proposal, find: Near) -> dict[str, Entry]:
    """Return the memories that a proposal may be about, by id."""
    asked = [text, proposal.about]
    if proposal.action == "supersede":
        asked += [*replacing.all_given_up(proposal.reason), *supersession.asked_for(text)]
    return {entry.id: entry for words in dict.fromkeys(asked) if words for entry in find(index, words)}


def is_surely_about(proposal: Proposal, entry: Entry) -> bool:
    """Say whether a proposal says a memory with another value, denies it, or names it as over (K-63)."""
    memory, stands = proposal.memory, entry.memory.text
    if memory is None:
        return False
    new, about = core(memory.text), proposal.about
    if entry.id in proposal.targets or (about and _says_little_more(stands, memory.text, about, 0)):
        return True
    if about and supersession.strength(new, core(stands), about) == supersession.NAMED:
        return True
    return is_given_otherwise(new, core(stands))


def _in_the_place_of(proposal: Proposal, others: Sequence[Entry]) -> list[Entry]:
    """Return the memories whose place a change takes that a person tells of in other words: the surest alone."""
    memory = proposal.memory
    assert memory is not None
    overs = dict.fromkeys((proposal.about, *replacing.all_given_up(proposal.reason)))
    strengths = {
        entry.id: max(
            supersession.strength(core(memory.text), core(entry.memory.text), over) for over in overs
        )
        for entry in others
        if entry.status == "active" and not places.are_apart(memory.text, entry.memory.text)
    }
    most = max(strengths.values(), default=0)
    return [entry for entry in others if most and strengths.get(entry.id) == most]


def proposal_differs(proposal: Proposal, entry: Entry) -> bool:
    """Say whether a memory of the same words is another one: of a topic, or with a body of its own."""
    memory = proposal.memory
    return memory is not None and bool(entry.memory.body or entry.memory.topic != memory.topic)


def _is_replaced(proposal: Proposal, entry: Entry) -> bool:
    memory = proposal.memory
    assert memory is not None
    text, takes_back = entry.memory.text, proposal.action == "supersede"
    if proposal.about and _says_little_more(text, memory.text, proposal.about, _BESIDE if takes_back else 0):
        return True
    return takes_back and _is_rival(_words(core(memory.text)), _words(core(text)))


def _says_little_more(text: str, new: str, about: str, most: int) -> bool:
    """Say whether a text is what `about` names, and says at most so many words that neither it nor the new one says."""
    if likeness(about, text) == "same":
        return True
    said, meant = _telling(text), _telling(about)
    if not meant or not meant <= said or said <= _telling(new):
        return False
    return len(said - meant - _telling(new)) <= most


def _says_again(new: str, stands: str) -> bool:
    """Say whether a text says what stands in fewer words, in their order, and nothing beside it.

    "We squash merge" says "Pull requests are squash merged" again. One telling word alone is no restatement, and what
    is denied in one and not in the other is none.
    """
    said = _stems(new)
    rest = iter(_stems(stands))
    if len(said) < _AGAIN or not all(stem in rest for stem in said):
        return False
    return len(_DENIES.findall(new)) == len(_DENIES.findall(stands))


@lru_cache(maxsize=256)
def _stems(text: str) -> tuple[str, ...]:
    words = [word for word in content_words(_words(core(text))) if word not in _FILLERS]
    return tuple(word if any(map(str.isdigit, word)) else word[:_STEM] for word in words)


def elsewhere(scopes: Mapping[str, Scope], home: str, proposal: Proposal, supposed: Supposed) -> str:
    """Return the scope in which what a proposal is about stands, though it was proposed for another; "" for none (K-142)."""
    memory = proposal.memory
    if memory is None or home not in scopes or proposal.basis not in _SAID:
        return ""
    for scope, keeping in scopes.items():
        if not scope or home in (scope, "local"):
            continue
        found = compared(keeping.workspace.index, proposal, supposed.near(keeping.workspace))
        if found.same is not None:
            return scope
        takes_place = found.surely or (proposal.action == "supersede" and bool(found.against))
        if takes_place and scope != "local" and _PLACE.search(memory.text) is None:
            return scope
    return ""


def core(text: str) -> str:
    """Return a text without who says it and without where it holds, which its scope tells."""
    return _WHERE.sub("", _WHO.sub("", text)).strip() or text


def _taste(proposal: Proposal, text: str) -> superseded_tastes.Differing | None:
    """Return what two texts say otherwise that share a taste's verb alone, where the person does not name what is over."""
    assert proposal.memory is not None
    if proposal.about and replacing.frame(proposal.about) is None:
        return None
    parted = _parted(_words(core(proposal.memory.text)), _words(core(text)))
    return parted[1] if parted is not None and superseded_tastes.is_only_a_taste(parted[0]) else None


def _is_rival(one: Sequence[str], other: Sequence[str]) -> bool:
    """Say whether two sentences are one but for a few words in one place: "answers in Python", "answers in Rust"."""
    parted = _parted(one, other)
    if parted is None:
        return False
    shared, differing = parted
    if superseded_tastes.names_a_value(shared) or superseded_tastes.name_other_kinds(*differing):
        return False
    only_ends_so = one[0] != other[0] and len(shared) < _TELLING_ENDS
    return not only_ends_so or superseded_tastes.are_of_one_matter(*differing)


def _parted(one: Sequence[str], other: Sequence[str]) -> tuple[list[str], superseded_tastes.Differing] | None:
    """Return the telling words that two sentences share, and the few in one place that differ; None where it is not so."""
    if one == other or max(len(one), len(other)) > _LONG:
        return None
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    end = 0
    while end < min(len(one), len(other)) - start and one[-1 - end] == other[-1 - end]:
        end += 1
    mine, theirs = len(one) - start - end, len(other) - start - end
    shared = content_words([*one[:start], *one[len(one) - end :]])
    if not (1 <= mine <= _SPAN and 1 <= theirs <= _SPAN and shared):
        return None
    return shared, (one[start : len(one) - end], other[start : len(other) - end])


def _words(text: str) -> list[str]:
    return [word.casefold() for word in words_of(text)]


def _telling(text: str) -> set[str]:
    words = _words(text)
    return {word[:-1] if word.endswith("s") and len(word) > 3 else word for word in content_words(words)}
