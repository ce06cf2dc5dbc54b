"""Listens to a conversation: passes each turn to the detector, and its proposals to `Taking`.

Implements specs/capture.md (K-71, K-76) for every door of a conversation: transcripts, hooks, `process_turn`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Protocol

import orjson

from documents.proposal import Proposal
from documents.scope import Scope
from learning.detection import forgetting
from learning.detection.answers import answer, lets_go, rest
from learning.forget_targets import asks_something, offers, quoted, touches
from learning.intake import Taken, Taking
from learning.turn import Turn
from learning.writer import LATER
from ledger.errors import StorageError
from ledger.memory import Provenance

_ASKED = "asked "
_PERHAPS = "may have asked "
_OFFERED = "was offered "
LONGEST_WISH = 300
"""A longer message is never taken for a request to forget that the rules did not understand."""


class Detector(Protocol):
    """The port that proposes memories of a turn."""

    def analyze(self, turn: Turn) -> list[Proposal]:
        """Return the proposals of a turn, the best first."""


class Listener:
    """Hears the turns of conversations, one after the other.

    Args:
        taking: decides on the proposals and writes them.
        detector: makes them.
        home: the ledger whose local state stores open questions, by default the first of `taking`.
    """

    def __init__(self, taking: Taking, detector: Detector, *, home: Scope | None = None) -> None:
        self._taking = taking
        self._detector = detector
        home = home or next(iter(taking.scopes.values()), None)
        self._local = home.workspace.local if home is not None else None
        self.on_taken: Callable[[Taken], None] | None = None

    def hear(self, turn: Turn) -> list[Taken]:
        """Learn from a turn; return the outcomes.

        After "forget what I said about X", a yes as the next message of the same conversation deletes the named
        memories; any other message keeps them.
        """
        if turn.role == "assistant":
            self.heed(turn)
        taken = self._answered(turn) if turn.role == "user" else []
        if not taken:
            taken = self._learned(turn)
            if turn.role == "user":
                self._heed_a_wish(turn)
        elif more := rest(turn.text):
            taken += self._learned(turn._replace(text=more))
        for each in taken:
            if each.proposal.action == "delete" and each.outcome in ("asked", "discarded"):
                self._note(turn, each.targets)
            if self.on_taken is not None:
                self.on_taken(each)
        return taken

    def _learned(self, turn: Turn) -> list[Taken]:
        said = [each if each.date else each._replace(date=turn.at) for each in self._detector.analyze(turn)]
        return self._taking.take(said)

    def _answered(self, turn: Turn) -> list[Taken]:
        """Carry out what a yes agrees to; the question stays open until it is done or in the outbox (K-151)."""
        names = [f"{kind}{turn.conversation}" for kind in (_ASKED, _OFFERED)]
        asked, offered = map(self._fact, names)
        targets = tuple(orjson.loads(asked or offered or "[]"))
        taken = []
        if targets and answer(turn.text) == "yes" and (asked or lets_go(turn.text)):
            why = "asked to forget it, and said yes"
            proposal = Proposal("delete", None, targets, reason=why, date=turn.at, basis="asked")
            origin = Provenance(turn.conversation, turn.message, turn.session)
            taken = [self._taking.forget(Taken(proposal, "asked", targets=targets), origin)]
        if targets and not any(each.outcome == "unwritten" for each in taken):
            for name in names:
                self._keep(name, "")
        return taken

    def _heed_a_wish(self, turn: Turn) -> None:
        """Note that a person may want something forgotten, though the words are unclear (K-140)."""
        name = f"{_PERHAPS}{turn.conversation}"
        scopes = self._taking.scopes.values()
        wished = False
        if len(turn.text) <= LONGEST_WISH and forgetting.may_ask(turn.text):
            with suppress(*LATER):
                wished = touches(scopes, turn.text)
        if wished or self._fact(name):
            self._keep(name, (turn.message or "?") if wished else "")

    def heed(self, turn: Turn) -> None:
        """Note what the next yes will mean: the memories that the assistant quotes, or else its own question.

        Without an earlier request, the yes must be an order to delete (K-241).
        """
        asked, offered = self._fact(f"{_ASKED}{turn.conversation}"), offers(turn.text)
        if not asked and not offered:
            return
        targets: list[str] = []
        with suppress(*LATER):
            targets = quoted(self._taking.scopes.values(), turn.text)
        if targets:
            wished = asked or self._fact(f"{_PERHAPS}{turn.conversation}")
            self._note(turn, dict.fromkeys(targets), _ASKED if wished else _OFFERED)
        elif asked and not offered and asks_something(turn.text):
            self._note(turn, ())

    def _note(self, turn: Turn, targets: Iterable[str], kind: str = _ASKED) -> None:
        self._keep(f"{kind}{turn.conversation}", orjson.dumps(list(targets)).decode())

    def _fact(self, name: str) -> str:
        return self._local.fact(name) if self._local is not None else ""

    def _keep(self, name: str, value: str) -> None:
        """Note a fact, unless this is a dry run; a failure stops nothing (K-76, K-78)."""
        with suppress(StorageError, sqlite3.Error, OSError):
            if self._local is not None and not self._taking.dry and self._local.fact(name) != value:
                self._local.note(name, value)
