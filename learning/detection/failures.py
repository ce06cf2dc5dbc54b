"""Learns from a command that failed and from what made it work: "`npm test` fails with … until `docker compose up -d` has run".

Implements specs/capture.md (K-36, K-37, K-39). Looks at calls of a shell alone, never at what an assistant says of them, and
only at errors that say that the command or its surroundings were wrong. Pure but for what it keeps of a conversation.
"""

from __future__ import annotations

import re
from collections import deque

from learning.turn import Turn
from ledger.lazy_pattern import lazy_pattern
from ledger.named_tuple import NamedTuple

REMEMBERED = 8
"""So many failures of a conversation wait for what mends them."""
WITHIN = 12
"""A fix comes within so many calls of the failure."""
LONGEST_ERROR = 140
LONGEST_COMMAND = 200

_SHELL = lazy_pattern(r"bash|shell|exec|terminal|command|powershell", re.IGNORECASE)
_WRONG = lazy_pattern(
    r"^.*(?:\bE(?:CONN|ADDR|ACCES|NOENT|NOTFOUND)|connection refused|could not (?:connect|resolve)|permission denied|not found|"
    r"no such (?:option|command|host|container|image|service)|no module named|cannot find module|not (?:installed|recognized|running)|"
    r"\b(?:unknown|invalid|unrecogni[sz]ed) (?:option|command|flag|argument|target)|requires |missing script|already in use).*$",
    re.IGNORECASE | re.MULTILINE,
)
"""The line of an error that says that the command was wrong, or what it needs; a failing test is none."""
_LOOKS = frozenset(
    "cat cd date echo env export find git grep head less ls ps pwd rg sed tail type wc which".split()
)
"""Programs that only look, or whose failures are those of the moment."""


class Fix(NamedTuple):
    """A command that failed, the line of its error, and the command that worked.

    `prepares` says that the latter ran before the same command then worked, rather than in its place.
    """

    failed: str
    error: str
    worked: str
    prepares: bool

    @property
    def line(self) -> str:
        """The memory's one line."""
        if self.prepares:
            return f"`{self.failed}` fails with `{self.error}` until `{self.worked}` has run"
        return f"`{self.failed}` fails with `{self.error}`; `{self.worked}` works"


class _Failure(NamedTuple):
    """A call that failed, and the commands that worked since, "" for an edit."""

    command: str
    error: str
    at: int
    since: list[str]


class Failures:
    """The failures of one conversation that wait for what mends them."""

    def __init__(self) -> None:
        self._waiting: deque[_Failure] = deque(maxlen=REMEMBERED)
        self._calls = 0

    def see(self, turn: Turn) -> Fix | None:
        """Take in a call of a tool; return what it shows to mend an earlier failure (K-36, K-37)."""
        self._calls += 1
        command = " ".join(turn.command.split())
        if not _SHELL.search(turn.tool):
            for failure in self._waiting:
                failure.since.append("")
        elif turn.rejected or not command or len(command) > LONGEST_COMMAND or command.split()[0] in _LOOKS:
            return None
        elif turn.failed:
            if error := _WRONG.search(turn.text[:20_000]):
                said = " ".join(error[0].replace("`", "'").split())[:LONGEST_ERROR]
                self._waiting.append(_Failure(command, said, self._calls, []))
        elif turn.failed is False:
            return self._mended(command)
        return None

    def _mended(self, command: str) -> Fix | None:
        for failure in [one for one in self._waiting if self._calls - one.at <= WITHIN]:
            if command == failure.command:
                self._waiting.remove(failure)
                if failure.since and all(failure.since):
                    return Fix(command, failure.error, failure.since[-1], prepares=True)
            elif _is_changed(failure.command, command):
                self._waiting.remove(failure)
                return Fix(failure.command, failure.error, command, prepares=False)
            else:
                failure.since.append(command)
        return None


def _is_changed(one: str, other: str) -> bool:
    """Say whether a command is another one, changed: it names the same program, and shares half of the words."""
    ours, theirs = one.split(), other.split()
    shared = len({*ours} & {*theirs})
    return (ours[0] in theirs or theirs[0] in ours) and shared * 2 >= min(len({*ours}), len({*theirs}))
