"""Writes the episodes of a conversation, and updates them when it has grown.

Implements specs/capture.md (K-105, K-106, K-276). Its conversation and its first message identify an episode. A deleted episode is not
written again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from documents.scope import Scope
from learning.admitting import unfit
from learning.detection.episodes import Gathering
from learning.turn import Turn
from ledger.command import Command, Create, Supersede, Written
from ledger.event import By
from ledger.fold import Entry
from ledger.instant import written
from ledger.memory import Memory
from ledger.schema import MAX_TARGETS
from projections.notes import episodes_of

EpisodeOutcome = Literal["created", "superseded", "known", "forgotten"]
_NEW: tuple[EpisodeOutcome, ...] = ("created", "superseded")


@dataclass(frozen=True, slots=True)
class Remembered:
    """The result for one episode: the id of its current memory, or "", and the ids that it replaced."""

    memory: Memory
    outcome: EpisodeOutcome
    id: str = ""
    targets: tuple[str, ...] = ()


def _remembered(
    scope: Scope,
    conversation: str,
    gathering: Gathering,
    by: By | None,
    *,
    dry: bool,
    timeout: float | None,
) -> list[Remembered]:
    settings = scope.workspace.configuration
    if not conversation or not settings.enabled:
        return []
    made = gathering.episodes(settings.episodes_user_messages, settings.episodes_exchanges)
    today = written(scope.workspace.clock())[:10]
    dated = [
        record.with_changes(
            provenance=record.provenance._replace(
                conversation=conversation, date=record.provenance.date or today
            )
        )
        for record in made
    ]

    standing = episodes_of(scope.workspace.index, conversation) if dated else []
    decided = [_decided(record, standing) for record in dated]
    return decided if dry else _written(scope, decided, by, timeout)


_MOST_TEXT = 2_000
"""Characters of a message; the rest of a longer one is mostly pasted, and says nothing about an episode (K-104)."""
_QUIET = 10 * 60
"""A conversation without a message for so many seconds has ended for now."""


class Gathered:
    """The conversations that were heard: of each its episodes, and the newest messages as the next one needs them (K-276)."""

    def __init__(self) -> None:
        self._heard: dict[str, Gathering] = {}

    def clear(self) -> None:
        """Start again."""
        self._heard.clear()

    def hear(self, turn: Turn) -> None:
        """Keep a turn; of a tool's turn only its role."""
        name = turn.conversation or turn.session
        if not name:
            return
        if name not in self._heard:
            self._heard[name] = Gathering(unfit)
        text = turn.text[: _MOST_TEXT + 1] if turn.role in ("user", "assistant") else ""
        self._heard[name].hear(turn._replace(text=text, command=""))

    def remember(
        self,
        scope: Scope,
        by: By | None = None,
        *,
        quiet_for: float = _QUIET,
        dry: bool = False,
        timeout: float | None = None,
    ) -> list[Remembered]:
        """Write the episodes of all conversations that were gathered.

        A conversation that has an episode and is still active (a message in the last ten minutes) gets a new one only
        when it has grown by as many messages of the person as an episode needs. Otherwise each answer would be an
        event (K-106).

        Args:
            scope: the ledger.
            by: the author.
            quiet_for: seconds since the last message.
            dry: decide, and write nothing.
            timeout: seconds to wait for another process that holds the ledger.

        Raises:
            LedgerError: as `Scope.write` does.
        """
        done: list[Remembered] = []
        for name, gathering in self._heard.items():
            said = gathering.user_messages
            fact = f"episode {name}"
            before = scope.workspace.local.fact(fact)
            grown = said - int(before) if before.isdecimal() else said
            if before and quiet_for < _QUIET and grown < scope.workspace.configuration.episodes_user_messages:
                continue
            remembered = _remembered(scope, name, gathering, by, dry=dry, timeout=timeout)
            if remembered and not dry:
                scope.workspace.local.note(fact, str(said))
            done += remembered
        return done


def _decided(record: Memory, standing: Sequence[Entry]) -> Remembered:
    mine = [entry for entry in standing if entry.memory.provenance.message == record.provenance.message]
    live = [entry for entry in mine if entry.live]
    if not live:
        return Remembered(record, "forgotten" if mine else "created", mine[-1].id if mine else "")
    newest = live[-1]
    if newest.memory.source == "manual" or (newest.memory.text, newest.memory.body) == (
        record.text,
        record.body,
    ):
        return Remembered(record, "known", newest.id)
    return Remembered(record, "superseded", targets=tuple(entry.id for entry in live[-MAX_TARGETS:]))


def _written(scope: Scope, done: list[Remembered], by: By | None, timeout: float | None) -> list[Remembered]:
    commands: list[Command] = []
    for each in done:
        if each.outcome == "created":
            commands.append(Create(each.memory))
        elif each.outcome == "superseded":
            commands.append(Supersede(each.targets, each.memory, reason="the conversation went on"))
    if not commands:
        return done
    results = iter(scope.write(commands, by, timeout=timeout))
    return [_as_written(each, next(results)) if each.outcome in _NEW else each for each in done]


def _as_written(each: Remembered, done: Written) -> Remembered:
    return replace(each, id=done.id, outcome="known" if done.known else each.outcome)
