"""mem0's `Memory` on a signed ledger; `frameworks.mem0` gives it the name that programs import.

Implements specs/frameworks.md (FW-10…FW-15). The methods take what those of mem0ai 2.2 take and return the same shapes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from types import TracebackType
from typing import Any, Self

from frameworks import mem0_shapes as shapes
from frameworks.framework_records import FrameworkRecords, deletes, one_at_a_time, saved
from frameworks.inferring import inferred
from frameworks.mem0_shapes import EXPIRES, IDS, NAME, MessageRecord
from language.printable import redacted
from learning.detection.detector import LearningDetector
from learning.turn import Turn
from ledger.command import Create
from ledger.errors import AmbiguousIdError, NotFoundError, UsageError
from ledger.fold import Entry
from ledger.instant import written
from muniment import MemoryLedger
from projections.query import LogFilter

_UNSET: Any = object()


class Mem0Memory:
    """What mem0 calls a `Memory`.

    Args:
        ledger: the ledger to write to; by default the one that a command would use in this folder.
    """

    def __init__(self, ledger: MemoryLedger | None = None) -> None:
        self._records = FrameworkRecords(NAME, ledger)
        self._detector = LearningDetector()

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> Self:  # noqa: ARG003
        """Return a memory in the ledger that a command would use; the models and stores of a configuration are not used."""
        return cls()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the ledger if it was opened here."""
        self._records.close()

    # --- writing ---

    @one_at_a_time
    def add(
        self,
        messages: str | Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        timestamp: object = None,
        expiration_date: date | str | None = None,
        infer: bool = True,
        memory_type: str | None = None,
        prompt: str | None = None,
    ) -> dict[str, Any]:
        """Learn from a text or from messages: all of it, or nothing where one part is refused.

        With `infer`, no language model is asked. The detector of `muniment capture` finds the user's sentences that are
        worth keeping, and they are stored as the user wrote them; what others say is not learned. It misses much ("User
        prefers dark mode" is nobody's own sentence), and what it is not sure of is a candidate: `search` finds it, but
        coding agents are not shown it before a person agrees. `infer=False` stores each message as given, except those
        of the system.

        Raises:
            ValueError: no id says whose memory it is, or something is not supported here.
            LedgerError: as `MemoryLedger.store`, among them SecretError.
        """
        for name, value in (("timestamp", timestamp), ("memory_type", memory_type), ("prompt", prompt)):
            if value is not None:
                raise ValueError(f"{name} is not supported by muniment.frameworks.mem0: leave it out")
        ids = shapes.checked_ids({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        given = {key: value for key, value in (metadata or {}).items() if key not in IDS}
        if expiration_date is not None:
            given[EXPIRES] = shapes.day(expiration_date)
        found = shapes.messages_in(messages)
        said = list(self._inferred(found, ids) if infer else shapes.as_given(found))
        kept = [{k: v for k, v in each.message.items() if v and (k, v) != ("role", "user")} for each in said]
        records = [shapes.scoped(each.record, ids, given | own) for each, own in zip(said, kept, strict=True)]
        results = []
        for one, each in zip(self._records.write([Create(record) for record in records]), said, strict=True):
            entry = self._records.ledger.entry(one.id)
            event = {"event": "NONE" if one.known else "ADD"}
            results.append({"id": entry.order[1], "memory": shapes.said_by(entry), **event, **each.message})
        return {"results": results}

    def _inferred(
        self, messages: Sequence[Mapping[str, Any]], ids: Mapping[str, str]
    ) -> Iterator[MessageRecord]:
        settings = self._records.ledger.workspace.configuration
        for message in messages:
            turn = Turn(message["role"], message["content"], "/".join(shapes.tags_of(ids)))
            for memory in inferred(self._detector, turn, settings):
                yield MessageRecord(memory, {})

    @one_at_a_time
    def update(
        self,
        memory_id: str,
        text: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        expiration_date: date | str | None = _UNSET,
        data: str | None = None,
    ) -> dict[str, str]:
        """Replace a memory by a new version, which keeps its id; metadata is added to what it has.

        Raises:
            ValueError: no memory of mem0 has the id, or nothing is to be changed.
            LedgerError: as `MemoryLedger.supersede`; what a person wrote waits for that person.
        """
        text = data if text is None else text
        if text is None and metadata is None and expiration_date is _UNSET:
            raise ValueError("nothing is to be changed: give text, metadata or expiration_date")
        entry = self._found(memory_id)
        changed = shapes.metadata_of(entry) | {k: v for k, v in (metadata or {}).items() if k not in IDS}
        if expiration_date is None:
            changed.pop(EXPIRES, None)
        elif expiration_date is not _UNSET:
            changed[EXPIRES] = shapes.day(expiration_date)
        record = shapes.scoped(
            entry.memory if text is None else shapes.worded(text), shapes.ids_of(entry), changed
        )
        if command := saved(entry, record):
            self._records.write([command])
        return {"message": "Memory updated successfully!"}

    @one_at_a_time
    def delete(self, memory_id: str) -> dict[str, str]:
        """Take a memory out of every view; its history stays.

        Raises:
            ValueError: no memory of mem0 has the id.
            LedgerError: as `MemoryLedger.delete`.
        """
        self._records.write(deletes([self._found(memory_id)]))
        return {"message": "Memory deleted successfully!"}

    @one_at_a_time
    def delete_all(
        self, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None
    ) -> dict[str, str]:
        """Delete all memories that have these ids, or none where one of them waits for a person.

        Raises:
            ValueError: no id is given.
            LedgerError: as `MemoryLedger.delete`.
        """
        ids = shapes.checked_ids({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        self._records.write(deletes(self._those(ids)))
        return {"message": "Memories deleted successfully!"}

    # --- questions ---

    @one_at_a_time
    def get(self, memory_id: str) -> dict[str, Any] | None:
        """Return the newest version of a memory, None where there is none."""
        entry = self._current(memory_id)
        return None if entry is None else shapes.item(entry)

    @one_at_a_time
    def get_all(
        self,
        /,
        *,
        filters: Mapping[str, Any] | None = None,
        top_k: int = 20,
        show_expired: bool = False,
        **kwargs: object,
    ) -> dict[str, list[dict[str, Any]]]:
        """Return the memories that have the ids, and the metadata, of `filters`, oldest first.

        Raises:
            ValueError: `filters` has no id, or compares by more than equality.
        """
        ids, wanted = shapes.split_filters(filters, kwargs)
        today = "" if show_expired else self._today()
        found = [each for each in self._those(ids) if shapes.fits(each, wanted, today)]
        return {"results": [shapes.item(each) for each in found[: shapes.counted(top_k)]]}

    @one_at_a_time
    def search(
        self,
        /,
        query: str,
        *,
        top_k: int = 20,
        filters: Mapping[str, Any] | None = None,
        threshold: float | None = 0.1,
        rerank: bool = False,  # noqa: ARG002 - there is no reranker
        explain: bool = False,
        reference_date: object = None,
        show_expired: bool = False,
        **kwargs: object,
    ) -> dict[str, list[dict[str, Any]]]:
        """Return the best memories for the words of a query; the best has the score 1, and `threshold` is a share of it.

        Raises:
            ValueError: the query is blank, `filters` has no id, or something is not supported here.
        """
        if reference_date is not None:
            raise ValueError("reference_date is not supported by muniment.frameworks.mem0: leave it out")
        if not query.strip():
            raise ValueError("the query is blank: give at least one word")
        ids, wanted = shapes.split_filters(filters, kwargs)
        hits = self._records.search(query, max(4 * shapes.counted(top_k), 60), shapes.tags_of(ids))
        hits = [each for each in hits if shapes.is_of(each.entry, ids)]
        today = "" if show_expired else self._today()
        found = []
        for hit in hits:
            score = hit.score / (hits[0].score or 1.0)
            if score >= (threshold or 0.0) and shapes.fits(hit.entry, wanted, today):
                why = {"score_details": {"why": [[each.kind, each.said] for each in hit.why]}}
                found.append({**shapes.item(hit.entry), "score": score, **(why if explain else {})})
        return {"results": found[:top_k]}

    @one_at_a_time
    def history(self, memory_id: str) -> list[dict[str, Any]]:
        """Return what was done to a memory, oldest first: ADD, UPDATE, DELETE."""
        versions = self._versions(memory_id)
        if not versions or versions[-1].status != "deleted":
            return shapes.history_rows(memory_id, versions, None)
        last = LogFilter(memory=versions[-1].id, kinds=("delete",))
        event = self._records.ledger.log(last)[-1]
        return shapes.history_rows(memory_id, versions, (event.id, event.at))

    # --- finding ---

    def _today(self) -> str:
        return written(self._records.ledger.workspace.clock())[:10]

    def _versions(self, memory_id: str) -> list[Entry]:
        try:
            versions = self._records.ledger.history(memory_id)
        except (NotFoundError, UsageError, AmbiguousIdError):
            return []
        return versions if any(NAME in each.memory.tags for each in versions) else []

    def _current(self, memory_id: str) -> Entry | None:
        versions = self._versions(memory_id)
        return versions[-1] if versions and versions[-1].live else None

    def _found(self, memory_id: str) -> Entry:
        entry = self._current(memory_id)
        if entry is None:
            raise ValueError(f"no memory of mem0 has the id {redacted(str(memory_id))}")
        return entry

    def _those(self, ids: Mapping[str, str]) -> list[Entry]:
        return [each for each in self._records.standing(tags=shapes.tags_of(ids)) if shapes.is_of(each, ids)]
