"""What all adapters share: a framework's own records in a ledger, and who writes them.

Implements specs/frameworks.md (FW-1…FW-5).
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Coroutine, Iterable, Sequence
from contextlib import suppress
from functools import wraps
from typing import Any, ParamSpec, Protocol, TypeVar, cast

import muniment
from language.printable import redacted
from language.unspaced import words_of
from ledger.command import Command, Create, Delete, OfTargets, Supersede, Written
from ledger.errors import StateError
from ledger.event import By
from ledger.fold import Entry
from ledger.memory import Memory, Provenance
from ledger.schema import MAX_TARGETS
from muniment import MemoryLedger
from projections.query import Filter
from projections.search import Hit

_TRIES = 20
LONGEST = 200_000
"""Characters of one text or file: a model reads it whole (FW-25)."""


F = TypeVar("F", bound=Callable[..., Any])
P = ParamSpec("P")
T = TypeVar("T")


class FrameworkRecords:
    """The records of one framework in one ledger: they carry its tag, and an agent writes them.

    Args:
        framework: its name, a slug.
        ledger: where they are; by default the one that a command would use in this folder, which `close` then closes.
        agent: the agent that writes, for the provenance.
        session: its session.
    """

    def __init__(
        self, framework: str, ledger: MemoryLedger | None, *, agent: str = "", session: str = ""
    ) -> None:
        self.framework = framework
        self.by = By(framework, "agent", "library")
        self.origin = Provenance(agent=agent, session=session, tool=framework)
        self.ledger = muniment.open() if ledger is None else ledger
        self._is_ours = ledger is None

    def close(self) -> None:
        """Close the ledger if it was opened here."""
        if self._is_ours:
            self.ledger.close()

    def note(self, text: str, body: str, topic: str) -> Memory:
        """Return the record of something with a name: `text` is the name, `body` the content."""
        return Memory(
            text,
            body=body,
            topic=topic,
            tags=(self.framework,),
            type="note",
            source="auto",
            provenance=self.origin,
        )

    def standing(self, topic: str = "", tags: Sequence[str] = (), limit: int | None = None) -> list[Entry]:
        """Return those that stand, oldest first; with a topic or tags only those that have them, with a limit the newest."""
        wanted = Filter(topic=topic, tags=(self.framework, *tags))
        return self.ledger.load_all(wanted, archived=True, limit=limit)

    def named(self, names: Iterable[str]) -> dict[str, list[Entry]]:
        """Return those with these names: of each name one, or several where two programs made it at once, the newest last."""
        found: dict[str, list[Entry]] = {name: [] for name in names}
        if found:
            wanted = Filter(tags=(self.framework,), texts=tuple(found))
            for entry in self.ledger.load_all(wanted, archived=True):
                found[entry.memory.text].append(entry)
        return found

    def search(self, query: str, limit: int, tags: Sequence[str] = (), topic: str = "") -> list[Hit]:
        """Return the best for the words of a text, best first; a colon or a quotation mark in it means nothing."""
        words = " ".join(words_of(query))
        wanted = Filter(topic=topic, tags=(self.framework, *tags))
        return self.ledger.search(words, wanted, limit=limit, archived=True) if words and limit > 0 else []

    def write(self, commands: Sequence[Command]) -> list[Written]:
        """Write all of these events or none.

        Raises:
            ChangedMeanwhileError: another process replaced or deleted one that they change; `one_at_a_time` answers it.
            LedgerError: as `MemoryLedger.write`.
        """
        try:
            return self.ledger.write(commands, self.by) if commands else []
        except StateError as error:
            targets = [id_ for each in commands if isinstance(each, OfTargets) for id_ in each.targets]
            if all(self.ledger.entry(id_).live for id_ in targets):
                raise
            raise ChangedMeanwhileError(str(error)) from error


class ChangedMeanwhileError(StateError):
    """Another process changed what a call read before the call wrote."""


class Adapter(Protocol):
    """Whatever has records."""

    _records: FrameworkRecords


def one_at_a_time(method: F) -> F:
    """Let one thread at a time run such methods of all adapters of a ledger: what one reads is so when it writes (FW-5).

    Another process may still be faster. Then the method runs again, and reads what that one wrote.
    """

    @wraps(method)
    def alone(self: Adapter, *args: Any, **kwargs: Any) -> Any:
        with self._records.ledger.turn:
            for _ in range(_TRIES):
                with suppress(ChangedMeanwhileError):
                    return method(self, *args, **kwargs)
            return method(self, *args, **kwargs)

    return cast("F", alone)


def in_a_thread(method: Callable[P, T]) -> Callable[P, Coroutine[Any, Any, T]]:
    """Return the coroutine of a method: a write waits for the disk, and the program's other tasks go on."""

    @wraps(method)
    async def call(*args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.to_thread(method, *args, **kwargs)

    return call


def saved(entry: Entry | None, record: Memory) -> Command | None:
    """Return the command after which a record is what `entry` was, None if it says that already.

    What the adapters know nothing of stays: what a person or a later program added to the memory.
    """
    if entry is None:
        return Create(record)
    old = entry.memory
    new = old.with_changes(
        text=record.text,
        body=record.body,
        details=record.details,
        topic=record.topic,
        part=None,
        source=record.source,
        status=entry.status,
        provenance=record.provenance,
    )
    same = (new.text, new.body, new.details, new.topic) == (old.text, old.body, old.details, old.topic)
    return None if same else Supersede((entry.id,), new)


def deletes(entries: Sequence[Entry]) -> list[Command]:
    """Return the commands that delete these."""
    ids = [entry.id for entry in entries]
    return [Delete(tuple(ids[at : at + MAX_TARGETS])) for at in range(0, len(ids), MAX_TARGETS)]


def as_json(value: Any, what: str) -> str:
    """Return a body that shows a JSON value as a block of code.

    Raises:
        ValueError: it is not JSON value.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{redacted(what)} cannot be stored: {error}; give values that JSON has") from None
    return f"```json\n{text}\n```\n"


def from_json(entry: Entry) -> Any:
    """Return the JSON value that a body shows.

    Raises:
        ValueError: somebody edited it, and it is no longer JSON.
    """
    text = re.sub(r"\A\s*```\w*\n|\n```\s*\Z", "", entry.memory.body)
    try:
        return json.loads(text)
    except ValueError as error:
        raise ValueError(
            f"{entry.memory.text} is no longer JSON ({error}): repair it with muniment edit {entry.id[:12]}"
        ) from None
