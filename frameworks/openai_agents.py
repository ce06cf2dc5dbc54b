"""A session for the OpenAI Agents SDK on a signed ledger: each item of a conversation is a memory.

Implements specs/frameworks.md (FW-40…FW-43). It fits the SDK's protocol `Session` and imports nothing of it.

    from muniment.frameworks.openai_agents import LedgerSession

    await Runner.run(agent, "Hi", session=LedgerSession("chat-1"))
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from documents.topic_segment import segment
from frameworks.framework_records import (
    FrameworkRecords,
    as_json,
    deletes,
    from_json,
    in_a_thread,
    one_at_a_time,
)
from ledger.command import Create
from ledger.fold import Entry
from muniment import MemoryLedger

NAME = "openai-agents"
_LONGEST_TITLE = 120
_MARK = 8
"""Random bytes: no two items of one conversation get the same by chance."""


class LedgerSession:
    """One conversation.

    Args:
        session_id: its name; each name is a conversation of its own.
        ledger: the ledger to write to; by default the one that a command would use in this folder.
        agent: the agent that writes, for the provenance.

    Raises:
        ValueError: the name is empty.
    """

    session_settings: Any = None
    """What the SDK's `SessionSettings` says; its `limit` counts where `get_items` is given none."""

    def __init__(self, session_id: str, ledger: MemoryLedger | None = None, *, agent: str = "") -> None:
        if not session_id:
            raise ValueError("a session needs an id: give the conversation's name")
        self.session_id = session_id
        self._records = FrameworkRecords(NAME, ledger, agent=agent, session=session_id)
        self._topic = f"{NAME}/{segment(session_id)}"

    def close(self) -> None:
        """Close the ledger if it was opened here."""
        self._records.close()

    @in_a_thread
    @one_at_a_time
    def get_items(self, limit: int | None = None) -> list[Any]:
        """Return the items, oldest first; with a limit the newest that many.

        Raises:
            ValueError: a person edited an item, and it is no longer JSON.
        """
        limit = getattr(self.session_settings, "limit", None) if limit is None else limit
        limit = None if limit is None or limit < 0 else limit
        entries = self._items(limit)
        first = 0 if limit is None else max(len(entries) - limit, 0)
        return [from_json(entry) for entry in entries[first:]]

    @in_a_thread
    @one_at_a_time
    def add_items(self, items: Sequence[Mapping[str, Any]]) -> None:
        """Add items at the end, all or none of them.

        Raises:
            ValueError: an item holds what JSON does not have.
            LedgerError: as `MemoryLedger.store`, among them SecretError.
        """
        self._records.write(
            [
                Create(self._records.note(_title(item), as_json(item, f"item {n}"), self._topic))
                for n, item in enumerate(items, 1)
            ]
        )

    @in_a_thread
    @one_at_a_time
    def pop_item(self) -> Any:
        """Delete the newest item and return it, None if there is none; the ledger's history keeps it.

        Raises:
            LedgerError: as `MemoryLedger.delete`; what a person edited waits for that person.
        """
        if not (entries := self._items(1)):
            return None
        item = from_json(entries[-1])
        self._records.write(deletes(entries[-1:]))
        return item

    @in_a_thread
    @one_at_a_time
    def clear_session(self) -> None:
        """Delete all items, or none where one waits for a person; the ledger's history keeps them."""
        self._records.write(deletes(self._items()))

    def _items(self, newest: int | None = None) -> list[Entry]:
        """Return the items, oldest first; at least the newest that many."""
        entries = self._records.standing(self._topic, limit=newest)
        if newest is not None and any(entry.supersedes for entry in entries):
            entries = self._records.standing(self._topic)  # one is new, but has its old place
        return sorted(entries, key=lambda entry: entry.order)


def _title(item: Mapping[str, Any]) -> str:
    """Return the line that names an item: a random mark, so that the same words twice are two items, who speaks, and how it begins."""
    content = item.get("content")
    parts = [content] if isinstance(content, str) else content if isinstance(content, list) else []
    words = " ".join(str(each.get("text", "")) if isinstance(each, Mapping) else str(each) for each in parts)
    line = f"{secrets.token_hex(_MARK)} {item.get('role') or item.get('type') or 'item'}: {words}"[
        :_LONGEST_TITLE
    ]
    return " ".join("".join(sign if sign.isprintable() else " " for sign in line).split())
