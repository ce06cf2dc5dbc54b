"""What the agents of one framework remember of one user: sentences, shown to a model as a prompt section.

Implements specs/frameworks.md (FW-50…FW-54).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from documents.topic_segment import segment
from frameworks.framework_records import FrameworkRecords, deletes, one_at_a_time, saved
from frameworks.inferring import inferred
from language import replacing
from language.printable import redacted
from language.token_estimate import estimate_tokens
from learning.detection.detector import LearningDetector
from learning.limits import HOUR
from learning.turn import Turn
from ledger.command import Command, Create, Supersede
from ledger.errors import LedgerError, NotFoundError, RecordError, SecretError
from ledger.fold import Entry
from ledger.instant import written
from ledger.memory import MAX_TEXT, RECORD_RULES, Memory
from ledger.schema import MAX_TARGETS
from muniment import MemoryLedger
from projections import showing
from projections.prompt import render_prompt
from projections.query import Filter

_FIRST = 10
"""How many results of a search come first in the prompt section."""
_SOUGHT = 1_000
"""So many characters of a message are searched for."""
_SHORTEST_ID = 8


class UserMemories:
    """The memories of one user.

    Args:
        framework: its name, a slug.
        user: whose memory it is; each name has a memory of its own.
        ledger: where it is; by default the ledger that a command would use in this folder, which `close` then closes.
        agent: the agent that writes, for the provenance.

    Raises:
        ValueError: the user has no name.
    """

    def __init__(self, framework: str, user: str, ledger: MemoryLedger | None, *, agent: str = "") -> None:
        if not user.strip():
            raise ValueError("say whose memory it is: give a user's name or id")
        self._records = FrameworkRecords(framework, ledger, agent=agent)
        self._user = user
        self._topic = f"{framework}/{segment(user)}"
        self._detector = LearningDetector()

    def close(self) -> None:
        """Close the ledger if it was opened here."""
        self._records.close()

    # --- questions ---

    @one_at_a_time
    def prompt(self, task: str, session: str = "") -> str:
        """Return the section for a prompt, or ""; what a search for the task finds comes first.

        The ledger notes which memories the session was shown (`muniment log --seen`).
        """
        records, workspace = self._records, self._records.ledger.workspace
        first = [each.id for each in self._found(task, _FIRST)]
        told = [
            each._replace(status="active", memory=each.memory.with_changes(topic=""))
            for each in self._standing()
        ]
        settings = workspace.readable_configuration.render_settings()
        section = render_prompt(
            [(workspace.place.scope, told)], task, settings, workspace.clock(), first=first
        )
        agent = showing.shown_by(records.by, records.origin.agent, session, task)
        showing.note(workspace, agent._replace(tokens=estimate_tokens(section.text), ids=section.shown))
        return section.text

    @one_at_a_time
    def search(self, query: str, limit: int) -> list[Entry]:
        """Return the best memories for the words of a query, best first."""
        return self._found(query, limit)

    # --- writing ---

    @one_at_a_time
    def save(self, text: str, replaced: str = "", session: str = "") -> str:
        """Remember a sentence, in place of the memory with the id `replaced` if one is given; return its id.

        Raises:
            NotFoundError: no memory of this user has the id.
            RecordError: it is not one line.
            LedgerError: a limit forbids it (K-68), or as `MemoryLedger.store`, among them SecretError.
        """
        if RECORD_RULES["text"](text):
            raise RecordError(
                f"a memory is one line of 1 to {MAX_TEXT} characters: save one sentence, and each further one by another call"
            )
        entry = self._with_id(replaced) if replaced else None
        command = saved(entry, self._record(Memory(text), session))
        if command is None:
            return replaced
        known = isinstance(command, Create) and any(each.memory.text == text for each in self._standing())
        if not known:
            self._check_limits(session)
        return self._records.write([command])[0].id

    @one_at_a_time
    def forget(self, id_: str) -> None:
        """Delete a memory; the ledger's history keeps it.

        Raises:
            NotFoundError: no memory of this user has the id.
            LedgerError: as `MemoryLedger.delete`; what a person edited waits for that person.
        """
        self._records.write(deletes([self._with_id(id_)]))

    @one_at_a_time
    def learn(self, messages: Sequence[str], session: str = "") -> None:
        """Learn from what the user wrote. A sentence with a secret is left out.

        Raises:
            LedgerError: as `MemoryLedger.store`.
        """
        settings = self._records.ledger.workspace.configuration
        for text in messages:
            for memory in inferred(self._detector, Turn("user", text, session=session), settings):
                try:
                    self._records.write(self._learned(self._record(memory, session)))
                except SecretError as error:
                    logging.getLogger(__name__).warning("a sentence is not learned: %s", error)

    def _learned(self, memory: Memory) -> list[Command]:
        """Return what learns a sentence: it replaces what it changes, unless a person wrote that; nothing if it is known."""
        surer = memory.status == "active"
        replaced: list[str] = []
        doubted: list[Entry] = []
        for entry in self._standing():
            verdict = replacing.compare(memory.text, entry.memory.text)
            if verdict == "same" and (entry.status == "active" or not surer):
                return []
            if verdict == "apart" or entry.by.role != "agent":
                continue
            if entry.status == memory.status:
                replaced.append(entry.id)
            elif surer:
                doubted.append(
                    entry
                )  # to supersede it would be to agree to it, which only a person may (S-10)
        new = Supersede(tuple(replaced[:MAX_TARGETS]), memory) if replaced else Create(memory)
        return [*deletes(doubted), new]

    def _check_limits(self, session: str) -> None:
        """Raise LedgerError if one more memory is too many for this session, or for this user in an hour (K-68)."""
        workspace = self._records.ledger.workspace
        settings = workspace.configuration
        every = self._records.ledger.load_all(Filter(topic=self._topic, statuses=()), archived=True)
        own = [each for each in every if each.by == self._records.by]
        here = sum(session == each.memory.provenance.session for each in own) if session else 0
        if here >= settings.limits_per_conversation:
            raise LedgerError(
                f"this conversation has {here} memories, as many as limits.per_conversation allows: stop saving, "
                "and tell the user what was not saved"
            )
        since = written(workspace.clock() - HOUR)
        newest = sum(each.learned >= since for each in own)
        if newest >= settings.limits_per_hour:
            raise LedgerError(
                f"this hour has {newest} memories, as many as limits.per_hour allows: try again in an hour, "
                "and tell the user what was not saved"
            )

    # --- finding ---

    def _record(self, memory: Memory, session: str) -> Memory:
        records = self._records
        return memory.with_changes(
            topic=self._topic,
            tags=(records.framework,),
            source="auto",
            provenance=records.origin._replace(conversation=self._user, session=session),
        )

    def _standing(self) -> list[Entry]:
        return self._records.standing(self._topic)

    def _found(self, query: str, limit: int) -> list[Entry]:
        return [each.entry for each in self._records.search(query[:_SOUGHT], limit, topic=self._topic)]

    def _with_id(self, id_: str) -> Entry:
        found = [each for each in self._standing() if each.id.startswith(id_)]
        if len(id_) < _SHORTEST_ID or len(found) != 1:
            raise NotFoundError(f"no memory here has the id {redacted(id_)}: a search gives the ids")
        return found[0]
