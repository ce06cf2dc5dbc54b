"""What one edited document changes: a value that `examining` makes and `applying` carries out.

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
    """A change from git that nobody has accepted or refused yet.

    `line` is 0 for a removal; `targets` are the entries that it changes or removes, none for an addition;
    `candidate` is the id of the candidate in the log that says the same, or "".
    """

    line: int
    hand: Hand
    targets: tuple[str, ...] = ()
    candidate: str = ""

    @property
    def target(self) -> str:
        """The entry that it replaces, or ""."""
        return self.targets[0] if self.targets else ""


@dataclass(slots=True)
class Adoption:
    """What one edited document changes.

    `commands` are the commands for the current log; `lines` has the line of each (from 1, 0 for a removal) and `hands`
    its author. `held` has the lines that contain a secret, with the rule; `waiting` the changes by others; `restored`
    the deleted memories that come back. `status` is that of the file, None if there is none. `guard` says why nothing
    is recorded, or is "".
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
    """What an agent asks to replace or delete (D-84): the line (0 for none), the memories, and the agent."""
    undone: bool = False
    """Whether a part of the edit is dropped: the document is then written again without it."""
    unpromoted: list[str] = field(default_factory=list)
    """The candidates in the document; only a person may confirm them, with `adopt` in a terminal (D-85)."""
    guard: str = ""
    unread: bool = False
    """Whether it cannot be read, so that its content is unknown."""
    explained: bool = False
    """Whether git put a committed version there (D-45), even if somebody edited it since (D-77)."""
    unseen: list[str] = field(default_factory=list)
    """The ids of the entries that it lacks because its writer did not see them: they come back."""
    fresh: set[int] = field(default_factory=set)
    """The lines of old entries from git without the stale mark: somebody confirmed them (D-66)."""
    past: list[str] = field(default_factory=list)
    """The texts of entries that were deleted or replaced here since: they are removed (D-46)."""
    ids: list[str] = field(default_factory=list)
    """The prefixes of the ids of its entries, once they are recorded."""
    came: bool = False
    """Whether this copy never put it there: all of it is new (D-37)."""
    style: Style = PLAIN
    doubled: dict[int, int] = field(default_factory=dict)
    """The lines of bullets that repeat another one in their list, with the line of that one (D-70)."""
    units: Sequence[Unit] = field(default_factory=list)
    base: Sequence[Shown] = field(default_factory=list)
    entries: dict[bytes, str] = field(default_factory=dict)
    """The ids of the entries of the base by the keys of their blocks."""
    gone: dict[bytes, str] = field(default_factory=dict)
    """Those entries that the document lacks, including moved ones."""

    def compare(self, base: Sequence[Shown], units: Sequence[Unit], edits: Iterable[Edit]) -> None:
        """Note the units of the document, the entries of its base, and the entries that it lacks."""
        self.units, self.base = units, base
        self.doubled = doubled(units, base)
        self.entries = {shown.key: shown.id for shown in base if shown.key}
        keys = {id_: key for key, id_ in self.entries.items()}
        gone = [edit.proposal.targets[0] for edit in edits if edit.proposal.action == "delete"]
        self.gone = {keys[id_]: id_ for id_ in gone if id_ in keys}

    def add(self, command: Command, line: int, hand: Hand) -> None:
        """Add a command."""
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
        """Name by id the memories that accepting replaces or removes (X-194); a stored reason must not contain texts (D-1)."""
        replaced = [id_ for each in self.waiting if each.line for id_ in each.targets]
        gone = [id_ for each in self.waiting if not each.line for id_ in each.targets]
        parts = [f"replacing {_some(replaced)}"] if replaced else []
        parts += [f"taking out {_some(gone)}"] if gone else []
        return f" ({', '.join(parts)})" if parts else ""

    def counts(self) -> dict[str, int]:
        """Count the memories that are new, changed, confirmed, taken out, brought back and proposed; leave out zeros."""
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
