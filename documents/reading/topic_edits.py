"""Derives the meaning of a person's edit of a topic file, in its entries and in the frontmatter that applies to all of them.

Implements specs/editing.md (D-20, D-21); `documents.reading.edits` has what holds for every document. Pure.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from documents.reading.edits import Edit, Form, changes, deletions, stood
from documents.reading.memory_units import Unit
from documents.reading.shown_entries import MatchedUnit, Shown
from documents.reading.topic_entries import Frontmatter
from documents.reading.topic_units import TopicUnit
from ledger.memory import IMPORTANCES, Memory

_ORIGIN = ("agent", "task", "date")


@dataclass(frozen=True, slots=True)
class TopicBase:
    """A rendering of a topic file: its entries and its frontmatter.

    `learned` has the ids in the order in which they were learned; `discovered` the name and the day in each entry's
    byline; `named` is the file's title if no entry has one.
    """

    shown: Sequence[Shown]
    front: Frontmatter
    learned: Sequence[str]
    discovered: Mapping[str, tuple[str, str]]
    named: str


def compare_topic(
    units: Sequence[TopicUnit],
    front: Frontmatter | None,
    base: TopicBase,
    *,
    document: str,
    returned: Collection[int] = (),
) -> list[Edit]:
    """Return the edits that turn the entries of a rendering into the edited topic file.

    Args:
        units: the file's, in its order, with their keys.
        front: its frontmatter, or None.
        base: the rendering that it descends from.
        document: its path relative to the folder.
        returned: as in `documents.reading.edits.compare`.

    Returns:
        Edits in the order in which they must become events, as `documents.reading.edits.compare` does.
    """
    shown = [_as_shown(each, base) for each in base.shown]
    standing, gone = stood(units, shown)
    form = _TopicForm(document, returned, standing, replace(base, shown=shown))
    if front is not None:
        form.take(front)
    return [*changes(standing, shown, form), *deletions(gone, shown)]


def _as_shown(shown: Shown, base: TopicBase) -> Shown:
    """Return an entry with the discoverer, day and task in the file: an edit must not change these."""
    if shown.memory is None:
        return shown
    where = shown.memory.provenance
    name, day = base.discovered.get(shown.id, ("", ""))
    found_in = where.task or where.conversation or where.session
    origin = where._replace(agent=where.agent or name, date=where.date or day, task=found_in)
    return replace(shown, memory=shown.memory._replace(provenance=origin))


class _TopicForm(Form):
    """What a topic file shows of a memory: title, text, details, body, byline; the rest in the frontmatter."""

    def __init__(
        self, document: str, returned: Collection[int], standing: Sequence[MatchedUnit], base: TopicBase
    ) -> None:
        super().__init__(document, returned)
        self._base = base
        self._members: dict[str, dict[str, Any]] = {}
        units = {base.shown[each.shown].id: each.unit for each in standing if each.shown is not None}
        memories = {shown.id: shown.memory for shown in base.shown if shown.memory is not None}
        learned = [(id_, memories[id_]) for id_ in base.learned if id_ in memories]
        self._stay = [(id_, memory, units[id_]) for id_, memory in learned if id_ in units]
        self._gone = [memory for id_, memory in learned if id_ not in units]
        self._was_named = _first_title((memory for _, memory in learned), base.named)
        self._is_titled = any(memory.title.strip() for _, memory in learned)

    # --- the frontmatter ---

    def take(self, front: Frontmatter) -> None:
        """Spread a person's changes in the frontmatter over the entries that stay (D-21)."""
        if not self._stay:
            return
        for name in ("when_to_use", "tags"):
            self._take_list(name, list(front.members.get(name, ())))
        self._take_importance(front.members.get("importance", ""))
        for name in _ORIGIN:
            said = front.members.get(name, "")
            if said and said != self._base.front.members.get(name, ""):
                self._set(self._stay[0][0], name, said)
        self._take_extra(front)

    def _take_list(self, name: str, said: list[str]) -> None:
        """Spread a list over the entries; the first entry gets items that no other has, and the person's order."""
        if said == list(self._base.front.members.get(name, ())) and not self._gone:
            return
        left = {id_: tuple(x for x in getattr(memory, name) if x in said) for id_, memory, _ in self._stay}
        for id_, items in left.items():
            self._set(id_, name, items)
        if list(dict.fromkeys(x for items in left.values() for x in items)) != said:
            self._set(self._stay[0][0], name, tuple(said))

    def _take_importance(self, said: str) -> None:
        if not said or said == self._base.front.members.get("importance", ""):
            return
        wanted, highest = IMPORTANCES.index(said), 0
        for id_, memory, _ in self._stay:
            has = IMPORTANCES.index(memory.importance)
            if has > wanted:
                self._set(id_, "importance", said)
            highest = max(highest, min(has, wanted))
        if highest < wanted:
            self._set(self._stay[0][0], "importance", said)

    def _take_extra(self, front: Frontmatter) -> None:
        """Give the first entry the custom fields and comments of the whole file, and the file's own title."""
        was = self._base.front
        extra, title = "".join(front.extra), front.members.get("title", "")
        had_own = was.members.get("title", "") != self._was_named
        lost = any(memory.extra for memory in self._gone)
        if extra == "".join(was.extra) and title == was.members.get("title", "") and not lost:
            return
        named = _first_title((self._read(memory, unit) for _, memory, unit in self._stay), self._base.named)
        touched = title != was.members.get("title", "")
        if title and title != named and (touched or had_own):
            extra = f"title: {json.dumps(title, ensure_ascii=False)}\n{extra}"
        for at, (id_, _, _) in enumerate(self._stay):
            self._set(id_, "extra", extra if at == 0 and extra.strip() else "")

    def _set(self, id_: str, name: str, value: Any) -> None:
        self._members.setdefault(id_, {})[name] = value

    # --- an entry ---

    def heading(self, memory: Memory) -> str:  # noqa: ARG002 - a topic file has no sections
        """Return the heading below which an entry stands: none."""
        return ""

    def said(self, memory: Memory) -> tuple[object, ...]:
        """Return the members of an entry that a topic file shows, in its lines and in the frontmatter."""
        return (
            memory.title.strip(),
            memory.text.strip(" \t"),
            tuple(detail.strip(" \t") for detail in memory.details),
            memory.body.strip("\r\n"),
            memory.when_to_use,
            memory.tags,
            memory.importance,
            memory.extra,
            *(getattr(memory.provenance, name) for name in _ORIGIN),
        )

    def is_touched(self, id_: str) -> bool:
        """Return whether the frontmatter changed an entry."""
        return id_ in self._members

    def created(self, unit: Unit) -> Memory:
        """Return the memory of a new entry; its heading is a title if other entries have titles."""
        memory = unit.memory
        if isinstance(unit, TopicUnit) and unit.as_titled is not None and self._is_titled:
            memory = unit.as_titled
        return memory._replace(provenance=self.where._replace(**_byline(unit)))

    def merged(self, id_: str, old: Memory, unit: Unit) -> Memory:
        """Return the memory with the new content of entry and frontmatter, and all other members unchanged."""
        new, members = self._read(old, unit), dict(self._members.get(id_, {}))
        name, day = self._base.discovered.get(id_, ("", ""))
        origin = {each: getattr(old.provenance, each) for each in _ORIGIN}
        typed = _byline(unit)
        for each, shown in (("agent", name), ("date", day)):
            if typed and typed[each] != shown:
                origin[each] = typed[each]
        origin |= {each: members.pop(each) for each in _ORIGIN if each in members}
        return old._replace(
            title=new.title,
            text=new.text,
            details=new.details,
            body=new.body,
            source="manual",
            inferred=False,
            provenance=self.where._replace(**origin),
            **members,
        )

    def moved(self, memory: Memory, unit: Unit) -> Memory:  # noqa: ARG002
        """Return the memory unchanged: only its place differs."""
        return memory

    def is_first(self, stretch: Sequence[MatchedUnit]) -> bool:  # noqa: ARG002
        """Return False: nothing is above the entries."""
        return False

    @staticmethod
    def _read(old: Memory, unit: Unit) -> Memory:
        titled = unit.as_titled if isinstance(unit, TopicUnit) and old.title.strip() else None
        return titled or unit.memory


def _first_title(memories: Iterable[Memory], named: str) -> str:
    """Return the title of a file with these entries: the first that is not blank, else `named`."""
    return next((memory.title for memory in memories if memory.title.strip()), named)


def _byline(unit: Unit) -> dict[str, str]:
    entry = unit.entry if isinstance(unit, TopicUnit) else None
    return {"agent": entry.by, "date": entry.day} if entry is not None and entry.by else {}


def headings_in(bodies: Iterable[str]) -> set[str]:
    """Return the lines of bodies that look like headings of the second level."""
    return {line for body in bodies for line in body.splitlines() if line.startswith("## ")}
