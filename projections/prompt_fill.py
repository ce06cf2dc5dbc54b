"""Writes entries as bullets and fills one part of the prompt with whole entries, within its tokens.

Implements specs/projections.md (P-33, P-34, P-36, P-42). `projections.prompt` selects the
candidates for a part.
"""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence

from language.token_estimate import Estimate
from ledger.fold import Entry
from ledger.lazy_pattern import lazy_pattern
from ledger.memory import IMPORTANCES, Memory
from ledger.named_tuple import NamedTuple
from projections import commonmark
from projections.inert import NOTHING, inert
from projections.layout import arrange, rank_key
from projections.relevance import relevance_to
from projections.scope_merge import MergeGroup, Ruling, ScopedEntry
from projections.settings import RenderSettings

__all__ = ["FOR_TASK", "Filled", "Filler", "PromptPart", "Step", "is_bare", "written_out"]

_STALE_NOTICE = " `[?]`: not confirmed for a long time."
BY_STOLEN_KEY = "[by a compromised key] "
"""Prefix of memories that only a disowned key signed (N-27)."""
FOR_TASK = "For this task"
"""The heading of the entries that a search for the task finds, whatever their section."""
_MISSES = 8
"""The number of entries in a row that do not fit after which the budget counts as full."""
_IMPORTANCE = {importance: rank for rank, importance in enumerate(IMPORTANCES)}

PromptPart = Sequence[tuple[str, MergeGroup]]
"""Headings with their entries, in order."""

_IS_STALE = lazy_pattern(r"^- \[\?\] ", re.MULTILINE)
_LINES = lazy_pattern(r"[^\r\n]+")
_BODY_LINE = lazy_pattern(r"([ \t]*)(?:#{1,6}\s+|((?:[-*+]|\d{1,9}[.)])\s+)?)(.*)", re.DOTALL)
_RULE = lazy_pattern(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*")
_FENCE_LINE = lazy_pattern(r"[ \t]*(?:`{3,}|~{3,})[^`~]*")


class Step(NamedTuple):
    """One examined entry: its cost in tokens, and whether it is shown."""

    found: ScopedEntry
    tokens: int
    shown: bool


class Filled(NamedTuple):
    """One part of the prompt: its text, the examined entries in order, the rulings, its tokens, the number of bare ones (P-34)."""

    text: str = ""
    steps: tuple[Step, ...] = ()
    rulings: tuple[Ruling, ...] = ()
    tokens: int = 0
    bare: int = 0

    @property
    def shown(self) -> tuple[str, ...]:
        """The ids in it."""
        return tuple(step.found.entry.id for step in self.steps if step.shown)


class Filler(NamedTuple):
    """Writes groups of whole entries under headings, within a number of tokens.

    With `labels` each bullet ends in its scope's name. `introduced` gives the note that introduces an entry, by the
    entry's id. `most` bounds the number of examined entries.
    """

    settings: RenderSettings
    stale_before: str
    estimate: Estimate
    wanted: frozenset[str]
    labels: bool
    introduced: Mapping[str, Entry]
    most: int = sys.maxsize

    def fill(self, head: str, part: PromptPart, limit: int, first: Sequence[str] = ()) -> Filled:
        """Return what fits into `limit` tokens (P-36).

        Args:
            head: the text above it all.
            part: the sections, in the order of their headings.
            limit: tokens.
            first: the ids that come before all others, in this order.

        It skips an entry that does not fit; several in a row end the part. It examines at most a quarter as many entries
        as the budget has tokens.
        """
        left = limit - self.estimate(head + _STALE_NOTICE)
        chosen: dict[str, list[ScopedEntry]] = {}
        texts: dict[str, str] = {}
        steps: list[Step] = []
        rulings: list[Ruling] = []
        seen: set[str] = set()
        misses = bare = 0
        looked_at = max(min(self.settings.token_budget // 4, self.most), 0)
        for heading, group, one in itertools.islice(self._in_turn(part, first), looked_at):
            found = one
            while ruling := group.ruling(found):
                rulings.append(ruling)
                found = ruling.winner  # the winner takes the loser's place (P-125)
            if found.entry.id in seen:
                continue
            seen.add(found.entry.id)
            if is_bare(found.entry, with_tables=heading != FOR_TASK):
                bare += 1
                continue
            # An introduction is printed once, with the first section that it introduces.
            note = self.introduced.get(found.entry.id)
            new = [ScopedEntry(note, found.scope)] if note and note.id not in texts else []
            said = {each.entry.id: self._text(each) for each in (*new, found)}
            costs = {id_: self.estimate(text) for id_, text in said.items()}
            title = 0 if heading in chosen else self.estimate(_heading(heading))
            fits = title + sum(costs.values()) <= left
            steps += [
                Step(each, costs[each.entry.id], fits) for each in ((*new, found) if fits else (found,))
            ]
            if fits:
                chosen.setdefault(heading, []).extend((*new, found))
                texts |= said
                seen |= said.keys()
                left -= title + sum(costs.values())
                misses = 0
            elif (misses := misses + 1) == _MISSES:
                break
        given_way = tuple({each.loser.entry.id: each for each in rulings}.values())
        if not texts:
            return Filled("", tuple(steps), given_way, 0, bare)
        stale = _STALE_NOTICE if any(map(_IS_STALE.search, texts.values())) else ""
        written = [f"{head}{stale}\n"]
        for heading in (FOR_TASK, *(heading for heading, _ in part)):
            if told := chosen.pop(heading, None):
                entries = [found.entry for found in told]
                in_order = entries if heading == FOR_TASK else arrange(entries)
                written += [_heading(heading), *(texts[entry.id] for entry in in_order)]
        return Filled("".join(written), tuple(steps), given_way, limit - left, bare)

    def _in_turn(
        self, part: PromptPart, first: Sequence[str]
    ) -> Iterator[tuple[str, MergeGroup, ScopedEntry]]:
        if first:
            there = {found.entry.id: (group, found) for _, group in part for found in group.found}
            yield from ((FOR_TASK, *there[id_]) for id_ in first if id_ in there)
        for heading, group in part:
            for found in _ranked(group.found, self.wanted):
                yield heading, group, found

    def _text(self, found: ScopedEntry) -> str:
        label = f" ({inert(found.scope)})" if self.labels else ""
        text = _entry_text(found.entry, label, self.stale_before)
        if not found.entry.memory.body:
            return text
        body = _body_text(found.entry.memory)
        if self.estimate(body) * 4 <= self.settings.token_budget:
            return text + body
        return f"{text}  ({body.count(chr(10))} lines more: `muniment show {found.entry.id[:12]}`)\n"


def _heading(heading: str) -> str:
    return f"\n### {inert(heading) or NOTHING}\n\n"


def is_bare(entry: Entry, *, with_tables: bool = True) -> bool:
    """Return whether a note has no sentence: only titles and rules, and with `with_tables` tables (P-34)."""
    memory = entry.memory
    is_note = memory.type == "note" and not memory.topic and bool(memory.body)
    return is_note and commonmark.is_bare(memory.body, with_tables=with_tables)


def _ranked(found: Iterable[ScopedEntry], wanted: frozenset[str]) -> Iterator[ScopedEntry]:
    """Yield entries by relevance, importance, and rank (P-36); lazy, as the budget ends before most lists do.

    The class of a rank does not count: a topic has entries of several sections, and so of several classes.
    """
    piles: dict[tuple[int, int], list[ScopedEntry]] = {}
    for each in found:
        memory = each.entry.memory
        relevance = relevance_to(memory, wanted) if wanted else 0
        piles.setdefault((relevance, _IMPORTANCE[memory.importance]), []).append(each)
    for pile in sorted(piles, reverse=True):
        yield from sorted(piles[pile], key=lambda each: rank_key(each.entry)[1:], reverse=True)


def written_out(entry: Entry, stale_before: str, label: str = "") -> str:
    """Return an entry as a bullet with details and its whole body, each line inert (P-33, P-34).

    `label` follows its text; `stale_before` is as `RenderSettings.stale_before` returns it.
    """
    text = _entry_text(entry, label, stale_before)
    return text + _body_text(entry.memory) if entry.memory.body else text


def _entry_text(entry: Entry, label: str, stale_before: str) -> str:
    """Return an entry as a bullet, without its body (P-34)."""
    memory = entry.memory
    said = inert(memory.text) or NOTHING
    if memory.topic and (title := inert(memory.title)) and title != said:
        said = inert(f"{memory.title}: {memory.text}")
    mark = "[?] " if entry.fresh_since < stale_before else ""
    if entry.compromised:
        mark = BY_STOLEN_KEY
    details = "".join([f"  - {inert(detail) or NOTHING}\n" for detail in memory.details])
    return f"- {mark}{said}{label}\n{details}"


def _body_text(memory: Memory) -> str:
    """Return a body as lines inside its bullet: without heading signs, fences and rules; lists stay (P-34)."""
    lines = []
    text = inert(memory.text)
    for at, line in enumerate(_LINES.findall(memory.body)):
        begins_note = at == 0 and memory.type == "note" and not memory.topic
        if _RULE.fullmatch(line) or (begins_note and commonmark.is_bare(line)):
            continue
        match = None if _FENCE_LINE.fullmatch(line) else _BODY_LINE.fullmatch(line)
        if match and (said := inert(match[3])) and said != text:
            margin = " " * min(len(match[1].expandtabs(4)), 8)
            lines.append(f"  {margin}{match[2].strip() + ' ' if match[2] else ''}{said}\n")
    return "".join(lines)
