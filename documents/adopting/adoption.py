"""What is to be learned from one edited document: a value, made by `examining` and carried out by `applying`.

Implements specs/editing.md (D-17, D-25).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from documents.adopting.edit_author import Hand
from documents.reading.edits import Edit, doubled
from documents.reading.memory_units import Unit
from documents.reading.shown_entries import Shown
from ledger.command import Command, Confirm, Create, Delete, Supersede
from projections.line_endings import PLAIN, Style

_NAMED = 3
_DIGITS = 12


class WaitingEdit(NamedTuple):
    """A change that came through git and that nobody accepted or refused yet.

    `line` is 0 if it is gone; `targets` are the entries that it changes or removes, none if it was added;
    `candidate` is the one in the log that says it, or "".
    """

    line: int
    hand: Hand
    targets: tuple[str, ...] = ()
    candidate: str = ""

    @property
    def target(self) -> str:
        """The entry in whose place it stands, or ""."""
        return self.targets[0] if self.targets else ""


@dataclass(slots=True)
class Adoption:
    """What is to be learned from one edited document.

    `commands` are what it comes to as the log is now; `lines` the line (from 1, 0 if it is gone) that each
    comes from, `hands` whose they are; `held` the lines that hold a secret, with the rule; `waiting` what others
    changed; `restored` the deleted memories that come back;
    `status` is that of the file that was read, None if there is none; `guard` is why nothing of it is recorded,
    or "".
    """

    path: str
    digest: str
    status: os.stat_result | None
    commands: list[Command] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    hands: list[Hand] = field(default_factory=list)
    held: dict[int, str] = field(default_factory=dict)
    waiting: list[WaitingEdit] = field(default_factory=list)
    restored: set[str] = field(default_factory=set)
    requests: list[tuple[int, tuple[str, ...], Hand]] = field(default_factory=list)
    """What an agent asks to have replaced or deleted (D-84): by which line (0: by none), of which memories, and who."""
    undone: bool = False
    """Whether something in it counts for nothing now: the document is written again without it."""
    unpromoted: list[str] = field(default_factory=list)
    """The candidates that it says and that only a person may take, by `adopt` in a terminal (D-85)."""
    guard: str = ""
    unread: bool = False
    """Whether it cannot be read, so that its content is unknown."""
    explained: bool = False
    """Whether git put it there as a commit has it (D-45), be it that somebody typed into it since (D-77)."""
    unseen: list[str] = field(default_factory=list)
    """The ids of what it lacks and its writer did not see: it comes back."""
    fresh: set[int] = field(default_factory=set)
    """The lines of what git brought that is old, and bears no mark: somebody confirmed it (D-66)."""
    past: list[str] = field(default_factory=list)
    """What it says and was deleted or replaced here since: it goes (D-46)."""
    ids: list[str] = field(default_factory=list)
    """The beginnings of the ids of what it says, once that was taken in."""
    came: bool = False
    """Whether this copy never put it there: all of it is new (D-37)."""
    style: Style = PLAIN
    doubled: dict[int, int] = field(default_factory=dict)
    """The lines of bullets that a list has already, with the line of the one that each is (D-70)."""
    units: Sequence[Unit] = field(default_factory=list)
    base: Sequence[Shown] = field(default_factory=list)
    entries: dict[bytes, str] = field(default_factory=dict)
    """The ids of the entries of the base by the keys of their blocks."""
    gone: dict[bytes, str] = field(default_factory=dict)
    """Those of them that the document lacks, including moved ones."""

    def compare(self, base: Sequence[Shown], units: Sequence[Unit], edits: Iterable[Edit]) -> None:
        """Note what is in the document and in its base, and what it lacks."""
        self.units, self.base = units, base
        self.doubled = doubled(units, base)
        self.entries = {shown.key: shown.id for shown in base if shown.key}
        keys = {id_: key for key, id_ in self.entries.items()}
        gone = [edit.proposal.targets[0] for edit in edits if edit.proposal.action == "delete"]
        self.gone = {keys[id_]: id_ for id_ in gone if id_ in keys}

    def add(self, command: Command, line: int, hand: Hand) -> None:
        """Add what is to be written."""
        self.commands.append(command)
        self.lines.append(line)
        self.hands.append(hand)

    @property
    def paused(self) -> str:
        """Why the document is not written again, or ""."""
        if self.guard:
            return self.guard
        if self.held:
            named = ", ".join(f"line {line} ({rule})" for line, rule in sorted(self.held.items()))
            return f"not recorded, it looks like a secret: {named}; remove it from the file, and revoke it"
        if self.waiting:
            names = ", ".join(dict.fromkeys(each.hand.name for each in self.waiting))
            number = len(self.waiting)
            proposed = {
                line for line, command in zip(self.lines, self.commands, strict=True) if _proposes(command)
            }
            in_review = any(each.candidate or each.line in proposed for each in self.waiting)
            return (
                f"{number} {'change waits' if number == 1 else 'changes wait'} for you, by {names}{self._through_git()}"
                f"{self._replaced()}:"
                f" {'review what was added or changed with muniment review, ' if in_review else ''}accept all with"
                f" muniment adopt --accept {self.path}, refuse all with muniment replay {self.path}"
            )
        return ""

    @property
    def by_git(self) -> bool:
        """Whether git brought all of the edit."""
        return bool(self.hands) and all(hand.via == "git" for hand in self.hands)

    def _through_git(self) -> str:
        return " through git" if any(each.hand.via == "git" for each in self.waiting) else ""

    def _replaced(self) -> str:
        """Name what a yes takes away (X-194), by ids: a reason is remembered, and no text of a memory is (D-1)."""
        replaced = [id_ for each in self.waiting if each.line for id_ in each.targets]
        gone = [id_ for each in self.waiting if not each.line for id_ in each.targets]
        parts = [f"replacing {_some(replaced)}"] if replaced else []
        parts += [f"taking out {_some(gone)}"] if gone else []
        return f" ({', '.join(parts)})" if parts else ""

    def counts(self) -> dict[str, int]:
        """Return how many memories are new, changed, confirmed, taken out, brought back and proposed; not where none."""
        names = {Create: "new", Supersede: "changed", Confirm: "confirmed", Delete: "taken out"}
        found: dict[str, int] = {}
        for command in self.commands:
            name = names.get(type(command), "")
            if _proposes(command):
                name = "proposed"
            if isinstance(command, Supersede) and command.targets[0] in self.restored:
                name = "brought back"
            found[name] = found.get(name, 0) + (len(command.targets) if isinstance(command, Delete) else 1)
        return found


def _proposes(command: Command) -> bool:
    return isinstance(command, Create) and command.memory.status == "candidate"


def _some(ids: Iterable[str]) -> str:
    each = [id_[:_DIGITS] for id_ in dict.fromkeys(ids)]
    return " ".join(each[:_NAMED]) + (" …" if len(each) > _NAMED else "")
