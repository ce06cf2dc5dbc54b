"""Lets a person's three ledgers hear a conversation, and tells every write that came of it.

Implements specs/capture.md (K-121). Nothing is played: homes, chains, keys, indexes and documents are the real
ones, in a scratch folder.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self
from unittest.mock import patch

import muniment
from documents.proposal import Proposal
from eval.memory_writes.golden import SCOPES, Conversation
from learning.intake import WRITTEN, Outcome, Taken, Taking
from learning.listening import Listener
from learning.turn import Turn
from ledger.command import Create
from ledger.event import By
from ledger.instant import DAY, SECOND, from_iso, written
from ledger.location import Home, locate
from ledger.memory import Memory, Provenance
from muniment import MemoryLedger

CAPTURE = By("capture", "system", "library")
PERSON = By("ada", "user", "library")

_MEMORY = "/dev/shm"  # noqa: S108 - Linux's own name for it
_BEGIN = from_iso("2026-03-02")
_BEFORE = 30 * DAY
_A_MINUTE = 60 * SECOND
_EARLIER = Provenance(conversation="an earlier one", message="an earlier message")


class Detector(Protocol):
    """What makes proposals of turns."""

    def analyze(self, turn: Turn) -> list[Proposal]:
        """Return what is worth remembering of a turn."""


Extractor = Callable[[], Detector]
"""Makes the detector of a session."""


@dataclass(frozen=True, slots=True)
class Write:
    """One event that a turn made in a ledger.

    `id` is the memory that stands for it afterwards, of a deletion the one that is gone; `targets` are the ids of those
    that gave way. `source` says of a memory that is new whether its provenance names this very conversation and turn.
    """

    turn: int
    outcome: Outcome
    scope: str
    id: str
    text: str
    type: str
    targets: tuple[str, ...] = ()
    source: bool | None = None

    @property
    def is_candidate(self) -> bool:
        """Whether it only waits for a person's decision."""
        return self.outcome == "candidate"


@dataclass(frozen=True, slots=True)
class Heard:
    """What came of a conversation: its writes, the ids of the seeds, and what stands in the end."""

    writes: tuple[Write, ...]
    seeds: tuple[str, ...]
    standing: frozenset[str]


class Scratch:
    """A folder in which one conversation after the other finds the same person, who remembers nothing yet.

    Making three ledgers costs more than hearing a conversation: they are made once and copied back to the same place,
    because a project's ledger knows its root by its path.
    """

    def __init__(self, folder: Path) -> None:
        self._person, self._template = folder / "person", folder / "template"
        self._root, home = self._person / "checkout", self._person / "home"
        environment = {"MUNIMENT_HOME": str(home / ".muniment"), "MUNIMENT_STATE": str(home / "state")}
        self._home = Home.from_environment(environment)
        self._root.mkdir(parents=True)
        with patch.dict(os.environ, environment):
            for scope in SCOPES:
                with muniment.init(scope=scope, start=self._root) as ledger:
                    ledger.load_all()  # makes the index, which every copy then has
        self._person.rename(self._template)

    @classmethod
    @contextmanager
    def made(cls) -> Iterator[Self]:
        """Give a scratch that is gone afterwards, in memory where the system has a place for that.

        Most of the time would be spent waiting for a disk, and whether anything survives a crash is measured elsewhere.
        """
        memory = _MEMORY if os.access(_MEMORY, os.W_OK) else None
        with tempfile.TemporaryDirectory(prefix="memory-writes-", dir=memory) as folder:
            yield cls(Path(folder).resolve())

    def hear(self, conversation: Conversation, extractor: Extractor) -> Heard:
        """Let a fresh copy of the three ledgers hear a conversation from its first turn to its last (K-121)."""
        shutil.rmtree(self._person, ignore_errors=True)
        shutil.copytree(self._template, self._person)
        now = [_BEGIN]
        with ExitStack() as open_:
            ledgers = {
                scope: open_.enter_context(MemoryLedger(place, self._home, clock=lambda: now[0]))
                for scope in SCOPES
                for place in [locate(self._home, self._root, scope)[0]]
            }
            now[0] -= _BEFORE
            seeds = tuple(_seeded(ledgers, conversation))
            now[0] = _BEGIN
            writes: list[Write] = []
            for number, taken in _taken(ledgers, conversation, extractor, now):
                known = {*seeds, *(write.id for write in writes)}
                writes += _writes_of(ledgers, number, taken, conversation, known)
            standing = frozenset(
                entry.id
                for ledger in ledgers.values()
                for entry in ledger.load_all()
                if entry.status == "active"
            )
        return Heard(tuple(writes), seeds, standing)


def _taken(
    ledgers: Mapping[str, MemoryLedger], conversation: Conversation, extractor: Extractor, now: list[int]
) -> Iterator[tuple[int, Taken]]:
    """Give what became of each proposal, with the turn's number: a detector a session."""
    taking = Taking({name: each.scope for name, each in ledgers.items()}, CAPTURE)
    session, detector = "", extractor()
    for number, said in enumerate(conversation.turns):
        if session and said.session != session:
            detector = extractor()
            now[0] += DAY
        session = said.session
        now[0] += _A_MINUTE
        turn = Turn(
            said.role,
            said.text,
            conversation=_conversation_id(conversation, session),
            session=session,
            message=f"turn {number}",
            at=written(now[0]),
            agent="eval",
            folder=str(ledgers["project"].workspace.place.root),
            tool=said.tool,
            command=said.command,
            failed=said.failed if said.role == "tool" else None,
            rejected=said.rejected,
        )
        for taken in Listener(taking, detector).hear(turn):
            yield number, taken


def _conversation_id(conversation: Conversation, session: str) -> str:
    return f"{conversation.id}, session {session}"


def _seeded(ledgers: Mapping[str, MemoryLedger], conversation: Conversation) -> Iterator[str]:
    for seed in conversation.seeds:
        automatic = seed.source == "auto"
        memory = Memory(
            seed.text,
            type=seed.type,
            source=seed.source,
            status=seed.status,
            provenance=_EARLIER if automatic else Provenance(),
        )
        by = CAPTURE if automatic else PERSON
        yield ledgers[seed.scope].write([Create(memory)], by)[0].id


def _writes_of(
    ledgers: Mapping[str, MemoryLedger],
    number: int,
    taken: Taken,
    conversation: Conversation,
    known: AbstractSet[str],
) -> Iterator[Write]:
    """Give the writes that an outcome tells of."""
    if taken.outcome not in WRITTEN:
        return
    for id_ in taken.targets if taken.outcome == "forgotten" else (taken.id,):
        scope, entry = next(
            (scope, entry)
            for scope, ledger in ledgers.items()
            if (entry := ledger.workspace.index.entry(id_))
        )
        memory = entry.memory
        source = None
        if entry.id not in known:
            said = conversation.turns[number]
            origin = memory.provenance
            here = (_conversation_id(conversation, said.session), f"turn {number}")
            source = (origin.conversation, origin.message) == here
        text = " ".join((memory.text, *memory.details))
        targets = () if taken.outcome == "forgotten" else taken.targets
        yield Write(number, taken.outcome, scope, id_, text, memory.type, targets, source)
