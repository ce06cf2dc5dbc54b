"""Says which tastes a person's later taste takes the place of: of Python's that of Rust, not that of tea.

Implements specs/capture.md (K-282). "The user prefers …" is no place that has one value at a time: a person prefers dark mode, vim
and tea. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from documents.proposal import Proposal
from language.likeness.tool_kinds import are_of_one_kind, are_of_other_kinds
from language.likeness.vocabulary import canonical
from learning import value_kinds
from learning.detection import replacing
from ledger.fold import Entry

_TASTES = frozenset("prefers likes loves hates dislikes enjoys favors favours wants uses".split())

Differing = tuple[Sequence[str], Sequence[str]]
"""The words in small letters that the later and the earlier text say in one place, where all else is equal."""


def is_only_a_taste(shared: Iterable[str]) -> bool:
    """Say whether the telling words that two texts share are no more than the verb of a taste."""
    return _TASTES.issuperset(shared)


def replaced(proposal: Proposal, tastes: Sequence[tuple[Entry, Differing]]) -> list[Entry]:
    """Return those of the tastes that stand whose place a later one takes.

    Values of one kind do. Where no table knows one of two, it has to be plain which taste is meant: the one that the person
    has just said, or, where they take something back in so many words, the only one; of what a table knows they speak less.
    """
    if sure := [entry for entry, differing in tastes if are_of_one_matter(*differing)]:
        return sure
    unknown = [(entry, there) for entry, (here, there) in tastes if not name_other_kinds(here, there)]
    if just_said := [entry for entry, _ in unknown if _was_just_said(proposal, entry)]:
        return just_said
    if not replacing.takes_back(proposal.reason):
        return []
    meant = [entry for entry, there in unknown if not _kinds(there)] or [entry for entry, _ in unknown]
    return meant if len(meant) == 1 else []


def are_of_one_matter(one: Sequence[str], other: Sequence[str]) -> bool:
    """Say whether words in small letters name values of one kind."""
    return bool(_kinds(one) & _kinds(other)) or are_of_one_kind(map(canonical, one), map(canonical, other))


def names_a_value(words: Sequence[str]) -> bool:
    """Say whether words name a value, so that what stands beside it is what has that value: short *answers*, tabs in *Go*."""
    return bool(_kinds(words))


def name_other_kinds(one: Sequence[str], other: Sequence[str]) -> bool:
    """Say whether words in small letters name values, and none of one kind: French, and short bullet points."""
    if not are_of_one_matter(one, other) and _kinds(one) and _kinds(other):
        return True
    return are_of_other_kinds(map(canonical, one), map(canonical, other))


def _kinds(words: Sequence[str]) -> set[str]:
    return {value.kind for value in value_kinds.values(list(words))}


def _was_just_said(proposal: Proposal, entry: Entry) -> bool:
    """Say whether a taste is the one that its conversation stated last: in the same message, as a name before a name, or taken back."""
    memory, earlier = proposal.memory, entry.memory
    if memory is None or proposal.about != earlier.text:
        return False
    now, then = memory.provenance, earlier.provenance
    return (
        (now.conversation, now.message) == (then.conversation, then.message)
        or replacing.frame(memory.text) == replacing.frame(earlier.text) == replacing.A_NAME
        or replacing.takes_back(proposal.reason)
    )
