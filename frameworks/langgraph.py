"""A `BaseStore` for LangGraph on a signed ledger: each item is a memory whose body is its value.

Implements specs/frameworks.md (FW-30…FW-34). Needs the extra `langgraph`.

    from muniment.frameworks.langgraph import LedgerStore

    graph = builder.compile(store=LedgerStore())
"""

from __future__ import annotations

import asyncio
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any
from urllib.parse import quote, unquote

from documents.topic_segment import segment
from frameworks.framework_records import (
    FrameworkRecords,
    as_json,
    deletes,
    from_json,
    one_at_a_time,
    saved,
)
from language.printable import redacted
from ledger.command import Command
from ledger.fold import Entry
from ledger.lazy_pattern import lazy_pattern
from muniment import MemoryLedger

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        MatchCondition,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        validate_op_namespace,
    )
except ImportError as error:
    raise ImportError("langgraph is not installed: pip install 'muniment[langgraph]'") from error

NAME = "langgraph"
Namespace = tuple[str, ...]

_NOT_IN_A_NAME = lazy_pattern(r"[%/\s\x00-\x1f\x7f-\x9f]")
_MOST_HITS = 100_000
_OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {
    "$eq": operator.eq,
    "$ne": operator.ne,
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


class LedgerStore(BaseStore):
    """The items of a LangGraph store on a ledger.

    Args:
        ledger: the ledger to write to; by default the one that a command would use in this folder.
        agent: the agent that writes, for the provenance.
        session: its session, which LangGraph calls a thread.
    """

    def __init__(self, ledger: MemoryLedger | None = None, *, agent: str = "", session: str = "") -> None:
        self._records = FrameworkRecords(NAME, ledger, agent=agent, session=session)

    def close(self) -> None:
        """Close the ledger if it was opened here."""
        self._records.close()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Answer questions from what was there before, then write all that is put as one batch.

        Raises:
            ValueError: a namespace or a value is none, a filter has an unknown operator, or a person's edit made a value invalid.
            LedgerError: as `MemoryLedger.write`, among them SecretError and WaitingError; nothing was written.
        """
        asked = list(ops)
        for op in asked:
            validate_op_namespace(op)
        return self._done(asked)

    @one_at_a_time
    def _done(self, asked: Sequence[Op]) -> list[Result]:
        there = self._records.named(
            _name(op.namespace, op.key) for op in asked if isinstance(op, GetOp | PutOp)
        )
        answers = [self._answer(op, there) for op in asked]
        puts = {(op.namespace, op.key): op for op in asked if isinstance(op, PutOp)}
        self._records.write([command for op in puts.values() for command in self._changes(op, there)])
        return answers

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do the same in a thread, since a write waits for the disk."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _answer(self, op: Op, there: Mapping[str, list[Entry]]) -> Result:
        if isinstance(op, GetOp):
            entries = there[_name(op.namespace, op.key)]
            return Item(**_members(entries[-1])) if entries else None
        if isinstance(op, SearchOp):
            if min(op.limit, op.offset) < 0:
                raise ValueError("limit and offset of a search must be 0 or more")
            return [*islice(self._found(op), op.offset, op.offset + op.limit)]
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        return None

    def _changes(self, op: PutOp, there: Mapping[str, list[Entry]]) -> list[Command]:
        name = _name(op.namespace, op.key)
        entries = there[name]
        if op.value is None:
            return deletes(entries)
        record = self._records.note(name, as_json(dict(op.value), name), _topic(op.namespace))
        change = saved(entries[-1] if entries else None, record)
        return [change] if change else []

    def _newest(self) -> dict[str, Entry]:
        return {entry.memory.text: entry for entry in self._records.standing()}

    def _found(self, op: SearchOp) -> Iterator[SearchItem]:
        """Yield the items below a namespace: the best for a query's words first, without a query the newest."""
        newest = self._newest()
        scored: Iterable[tuple[Entry, float | None]] = ((entry, None) for entry in reversed(newest.values()))
        if op.query:
            scored = ((hit.entry, hit.score) for hit in self._records.search(op.query, _MOST_HITS))
        for entry, score in scored:
            if newest.get(entry.memory.text) != entry or not _is_below(entry, op.namespace_prefix):
                continue
            item = SearchItem(**_members(entry), score=score)
            if all(_fits(item.value.get(key), wanted) for key, wanted in (op.filter or {}).items()):
                yield item

    def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        every = {_path(name)[:-1] for name in self._newest()}
        fitting = [each for each in every if all(_matches(one, each) for one in op.match_conditions or ())]
        return sorted({each[: op.max_depth] for each in fitting})[op.offset : op.offset + op.limit]


# --- names ---


def _name(namespace: Namespace, key: str) -> str:
    """Return the text of an item: its namespace and key with slashes between; a slash in one of them is escaped."""
    return "/".join(
        _NOT_IN_A_NAME.sub(lambda sign: quote(sign[0], safe=""), each) for each in (*namespace, key)
    )


def _path(name: str) -> Namespace:
    return tuple(map(unquote, name.split("/")))


def _topic(namespace: Namespace) -> str:
    """Return the topic of a namespace; its third segment covers all labels from the third on."""
    labels = _name(namespace, "").split("/")[:-1]
    return "/".join(
        [NAME, *map(segment, labels[:2]), *([segment("/".join(labels[2:]))] if labels[2:] else [])]
    )


def _is_below(entry: Entry, prefix: Namespace) -> bool:
    return _path(entry.memory.text)[:-1][: len(prefix)] == tuple(prefix)


def _members(entry: Entry) -> dict[str, Any]:
    *namespace, key = _path(entry.memory.text)
    return {
        "value": from_json(entry),
        "key": key,
        "namespace": tuple(namespace),
        "created_at": datetime.fromisoformat(entry.order[0]),
        "updated_at": datetime.fromisoformat(entry.learned),
    }


# --- conditions ---


def _fits(value: Any, wanted: Any) -> bool:
    """Return whether a value is as a filter wants it: equal, or by operators; what cannot be compared is not."""
    if not isinstance(wanted, dict):
        return bool(value == (list(wanted) if isinstance(wanted, tuple) else wanted))
    if not any(str(name).startswith("$") for name in wanted):
        return isinstance(value, dict) and all(_fits(value.get(name), each) for name, each in wanted.items())
    if unknown := wanted.keys() - _OPERATORS.keys():
        names = redacted(", ".join(map(str, unknown)))
        raise ValueError(f"unknown in a filter: {names}; it takes {', '.join(_OPERATORS)}")
    try:
        return all(_OPERATORS[name](value, each) for name, each in wanted.items())
    except TypeError:
        return False


def _matches(condition: MatchCondition, namespace: Namespace) -> bool:
    path = condition.path
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[-len(path) :]
    return len(part) == len(path) and all(
        wanted in ("*", label) for wanted, label in zip(path, part, strict=True)
    )
