"""Finds the bullets that a person made one, nested or drew in, and the one that was made several or drawn out.

Implements specs/editing.md (D-74). Pure. What an entry says now elsewhere is known by its words, since neither half of a
line is alike the whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from documents.reading.forms import is_block, lines_said, unmarked
from ledger.lazy_pattern import lazy_pattern
from ledger.memory import Memory

if TYPE_CHECKING:
    from documents.reading.shown_entries import MatchedUnit, Shown

ENOUGH = 0.7
"""This part of a text's words, in order, is the text: who joins two lines drops a word or two."""

NEARLY_ALL = 0.9
"""The same where it stood elsewhere in the document, and then of three words or more."""

_WITHIN = 2
"""They stand within so many times its length."""

_UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e00-\u0e7f"
_WORD = lazy_pattern(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")
_MOST_WORDS = 300
"""So many words of an entry are compared: it takes the square of the time."""


def join_words(
    come: Iterable[MatchedUnit],
    went: Sequence[int],
    base: Sequence[Shown],
    left: set[int],
    least: float = ENOUGH,
) -> None:
    """Let bullets that went, and of whose words a unit there has got the `least` part, be joined to it."""
    said = {at: _words(memory) for at in went if (memory := base[at].memory) and not is_block(memory)}
    for each in come:
        if each.unit.memory.topic or (not each.is_new and each.shown is None):
            continue
        rest = _words(_bullet(each))
        for at in [*([] if each.shown is None else [each.shown]), *each.joined]:
            rest = _without(rest, _words(base[at].memory))
        found = []
        for at in went:
            if at in left and _share(said.get(at, []), rest, least):
                found.append(at)
                rest = _without(rest, said[at])
        _add(each, found, left)


def find_parts(
    come: Sequence[MatchedUnit],
    went: Sequence[int],
    base: Sequence[Shown],
    left: set[int],
    least: float = ENOUGH,
) -> None:
    """Let a new unit whose words an entry there has lost be a part of it; or that entry, where nothing else is."""
    new = [each for each in come if each.is_new and not each.unit.memory.topic]
    if not new:
        return
    lost: dict[int, list[str]] = {at: _words(base[at].memory) for at in went}
    for each in come:
        for at in [*([] if each.shown is None else [each.shown]), *each.joined]:
            lost[at] = _without(lost.get(at, _words(base[at].memory)), _words(_bullet(each)))
    for each in new:
        said = _words(_bullet(each))
        shares = {at: _share(said, words, least) for at, words in lost.items()}
        whole = max(shares, key=lambda at: shares[at]) if any(shares.values()) else None
        if whole is not None:
            lost[whole] = _without(lost[whole], said)
            _be_part(each, whole, left)


def join_lines(changed: Iterable[MatchedUnit], base: Sequence[Shown], left: set[int]) -> None:
    """Let bullets that went anywhere, and that are a line of a unit now, be joined to it."""
    gone: dict[str, list[int]] = {}
    for at in sorted(left):
        memory = base[at].memory
        if memory is not None and not is_block(memory) and not memory.topic:
            gone.setdefault(_plain(memory.text), []).append(at)
    for each in changed if gone else ():
        if each.unit.memory.topic:
            continue
        lines = map(_plain, lines_said(_bullet(each)))
        _add(each, [at for line in lines for at in gone.pop(line, [])], left)


def find_lines(changed: Sequence[MatchedUnit], base: Sequence[Shown]) -> None:
    """Let a new bullet anywhere that was a line of an entry, and is none there now, be a part of it."""
    new = {_plain(_bullet(each).text): each for each in changed if each.is_new and not each.unit.memory.topic}
    for each in changed if new else ():
        for at in [*([] if each.shown is None else [each.shown]), *each.joined]:
            memory = base[at].memory
            if memory is None or memory.topic:
                continue
            still = {_plain(line) for line in lines_said(_bullet(each))}
            for line in map(_plain, lines_said(memory)):
                if line not in still and line in new:
                    new.pop(line).part_of = at


def _bullet(each: MatchedUnit) -> Memory:
    return each.unit.unwrapped or each.unit.memory


def _be_part(each: MatchedUnit, at: int, left: set[int]) -> None:
    if at in left:
        each.shown = at
        left.discard(at)
    else:
        each.part_of = at


def _add(each: MatchedUnit, found: Sequence[int], left: set[int]) -> None:
    """Join entries to a unit: the first of all, in the order of the base, is the one that it is (D-61)."""
    if not found:
        return
    for at in found:
        left.discard(at)
    each.part_of = None
    known = [] if each.shown is None else [each.shown]
    first, *each.joined = sorted([*found, *each.joined, *known])
    each.shown = first


def _plain(line: str) -> str:
    return unmarked(line).strip(" \t.,;:").casefold()


def _words(memory: Memory | None) -> list[str]:
    if memory is None:
        return []
    return _WORD.findall(unmarked("\n".join(lines_said(memory))).casefold())[:_MOST_WORDS]


def _share(said: Sequence[str], words: Sequence[str], least: float) -> float:
    """Return how much of a text is among these words, in their order; 0 for less than the `least` part.

    Words count by their letters, since short ones are in every text.
    """
    if not said or (least == NEARLY_ALL and len(said) < 3):
        return 0
    whole = sum(map(len, said))
    if least * whole > sum(map(len, words)):
        return 0
    known = frozenset(words)
    if sum(len(word) for word in said if word in known) / whole < least:  # in any order, much cheaper
        return 0
    blocks = SequenceMatcher(None, said, words, autojunk=False).get_matching_blocks()[:-1]
    share = sum(len(word) for block in blocks for word in said[block.a : block.a + block.size]) / whole
    if share < least:
        return 0
    span = blocks[-1].b + blocks[-1].size - blocks[0].b
    return share if span <= _WITHIN * len(said) else 0  # words of a long text are anywhere


def _without(words: Sequence[str], taken: Sequence[str]) -> list[str]:
    """Return the words that are left of some when those of a text were taken out, in their order."""
    rest: list[str] = []
    at = 0
    for block in SequenceMatcher(None, words, taken, autojunk=False).get_matching_blocks():
        rest += words[at : block.a]
        at = block.a + block.size
    return rest
