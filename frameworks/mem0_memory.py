"""mem0's `Memory` on a signed ledger; `frameworks.mem0` gives it the name that programs import.

Implements specs/frameworks.md (FW-10…FW-15). The methods take what those of mem0ai 2.2 take and return the same shapes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from types import TracebackType
from typing import Any, Self

from documents.other_memories.mem0_records import ids_of, metadata_of, said_by, scoped, tags_of, worded
from frameworks import mem0_shapes as shapes
from frameworks.framework_records import deletes, one_at_a_time, saved
from frameworks.inferring import inferred
from frameworks.mem0_filters import fits, split_filters
from frameworks.mem0_lookup import Mem0Records
from frameworks.mem0_shapes import CREATED, EXPIRES, MessageRecord
from learning.detection.detector import LearningDetector
from learning.turn import Turn
from ledger.command import Create
from ledger.memory import Provenance
from muniment import MemoryLedger
from projections.query import LogFilter

_UNSET: Any = object()


class Mem0Memory:
    """What mem0 calls a `Memory`.

    Args:
        config: a configuration of mem0. It names models and stores, and none of them is used.
        ledger: the ledger to write to; by default the one that a command would use in this folder.
    """

    def __init__(self, config: object = None, *, ledger: MemoryLedger | None = None) -> None:
        if isinstance(config, MemoryLedger):
            raise TypeError(
                "the first argument is a configuration of mem0: give the ledger as Memory(ledger=…)"
            )
        self._records = Mem0Records(ledger)
        self._detector = LearningDetector()

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> Self:
        """Return `Memory(config_dict)`."""
        return cls(config_dict)

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
        """Learn from a text or from messages: all of it, or nothing if one part is refused.

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
        given = shapes.given_metadata(metadata)
        if expiration_date is not None:
            given[EXPIRES] = shapes.day(expiration_date)
        found = shapes.messages_in(messages)
        said = list(self._inferred(found, ids) if infer else shapes.as_given(found))
        kept = [{k: v for k, v in each.message.items() if v and (k, v) != ("role", "user")} for each in said]
        records = [
            scoped(each.record, ids, given | own, Provenance()) for each, own in zip(said, kept, strict=True)
        ]
        results = []
        for one, each in zip(self._records.write([Create(record) for record in records]), said, strict=True):
            entry = self._records.ledger.entry(one.id)
            event = {"event": "NONE" if one.known else "ADD"}
            results.append({"id": entry.order[1], "memory": said_by(entry), **event, **each.message})
        return {"results": results}

    def _inferred(
        self, messages: Sequence[Mapping[str, Any]], ids: Mapping[str, str]
    ) -> Iterator[MessageRecord]:
        settings = self._records.ledger.workspace.configuration
        for message in messages:
            turn = Turn(message["role"], message["content"], "/".join(tags_of(ids)))
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
        entry = self._records.found(memory_id)
        changed = metadata_of(entry) | shapes.given_metadata(metadata, CREATED)
        if expiration_date is not _UNSET:
            changed[EXPIRES] = None if expiration_date is None else shapes.day(expiration_date)
        said = entry.memory if text is None else worded(shapes.checked_text(text))
        record = scoped(said, ids_of(entry), changed, entry.memory.provenance)
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
        self._records.write(deletes([self._records.found(memory_id)]))
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
        self._records.write(deletes(self._records.those(ids)))
        return {"message": "Memories deleted successfully!"}

    @one_at_a_time
    def reset(self) -> None:
        """Delete all memories of mem0 in the ledger, of all users; their history stays.

        Raises:
            LedgerError: as `MemoryLedger.delete`; where one waits for a person, none is deleted.
        """
        self._records.write(deletes(self._records.standing()))

    # --- questions ---

    @one_at_a_time
    def get(self, memory_id: str) -> dict[str, Any] | None:
        """Return the newest version of a memory, None if there is none."""
        entry = self._records.current(memory_id)
        return None if entry is None else {**shapes.item(entry), "score": None}

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
            ValueError: `filters` has no id, or a condition that mem0 does not have.
        """
        ids, wanted = split_filters(filters, kwargs)
        today = "" if show_expired else self._records.today()
        found = [each for each in self._records.those(ids) if fits(each, wanted, today)]
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
            ValueError: the query is blank, the threshold is not between 0 and 1, `filters` has no id, or something is not supported here.
        """
        if reference_date is not None:
            raise ValueError("reference_date is not supported by muniment.frameworks.mem0: leave it out")
        query, least = shapes.asked(query, threshold)
        ids, wanted = split_filters(filters, kwargs)
        today = "" if show_expired else self._records.today()
        hits = self._records.hits(query, max(4 * shapes.counted(top_k), 60), ids)
        found = []
        for hit in hits:
            score = hit.score / (hits[0].score or 1.0)
            if score >= least and fits(hit.entry, wanted, today):
                why = {"score_details": {"why": [[each.kind, each.said] for each in hit.why]}}
                found.append({**shapes.item(hit.entry), "score": score, **(why if explain else {})})
        return {"results": found[:top_k]}

    @one_at_a_time
    def history(self, memory_id: str) -> list[dict[str, Any]]:
        """Return what was done to a memory, oldest first: ADD, UPDATE, DELETE."""
        versions = self._records.versions(memory_id)
        if not versions or versions[-1].status != "deleted":
            return shapes.history_rows(memory_id, versions, None)
        last = LogFilter(memory=versions[-1].id, kinds=("delete",))
        event = self._records.ledger.log(last)[-1]
        return shapes.history_rows(memory_id, versions, (event.id, event.at))
