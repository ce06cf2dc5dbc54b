"""The shapes of mem0: what its methods take, and the items that they return. Pure.

Implements specs/frameworks.md (FW-11…FW-14).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any, NamedTuple

from documents.other_memories.mem0_records import IDS, OWN, ids_of, metadata_of, said_by, worded
from frameworks.framework_records import LONGEST
from ledger.fold import Entry
from ledger.memory import MAX_LINE, Memory

EXPIRES = "expiration_date"
CREATED = "created_at"
"""In the metadata of a new memory, when it was made elsewhere."""
_OURS = (*IDS, "actor_id", "role")
"""What the ids and the messages say, whatever stands in the metadata."""


class MessageRecord(NamedTuple):
    """A record to store, and what mem0 says of the message that it came from."""

    record: Memory
    message: dict[str, Any]


# --- whose it is ---


def checked_ids(given: Mapping[str, object]) -> dict[str, str]:
    """Return the ids that are given, as text.

    Raises:
        ValueError: none is, or one is blank, holds a space or is too long.
    """
    ids = {name: str(given[name]).strip() for name in IDS if given.get(name) is not None}
    if not ids:
        raise ValueError("say whose memory it is: give at least one of user_id, agent_id and run_id")
    for name, value in ids.items():
        if len(value.split()) != 1 or len(value) > MAX_LINE:
            raise ValueError(f"invalid {name}: give 1 to {MAX_LINE} characters without spaces")
    return ids


# --- what it says ---


def checked_text(content: object) -> str:
    """Return a text that can be stored.

    Raises:
        ValueError: it is not a text, blank, or too long.
    """
    if not isinstance(content, str) or not content.strip():
        raise ValueError("a memory is a text that is not blank: give its words")
    if len(content) > LONGEST:
        raise ValueError(
            f"a memory of {len(content)} characters is too long; at most {LONGEST} are allowed: split it into several memories"
        )
    return content


def messages_in(given: Any) -> list[Mapping[str, Any]]:
    """Return what is given as messages that have a role and a text; one without a text, such as a call or an image, is none.

    Raises:
        ValueError: something is not a message; it is named by its place, since it may hold a secret (R-2).
    """
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    if not isinstance(given, Mapping | list | tuple):
        raise ValueError("what is given cannot be stored: give a text, a message or a list of messages")  # noqa: TRY004 - as mem0
    messages = [given] if isinstance(given, Mapping) else given
    found: list[Mapping[str, Any]] = []
    for n, each in enumerate(messages, 1):
        content = _text_in(each.get("content")) if isinstance(each, Mapping) and each.get("role") else None
        if content is None:
            raise ValueError(
                f"message {n} of {len(messages)} cannot be stored: give a text, or messages with a role and a text as content"
            )
        if content.strip():
            found.append({**each, "content": content})
    return found


def _text_in(content: object) -> str | None:
    """Return the text of a message's content, "" if it has none; None if it is not content."""
    if content is None or isinstance(content, str):
        return content or ""
    parts = [content] if isinstance(content, Mapping) else content
    if not isinstance(parts, list):
        return None
    texts = [each.get("text") for each in parts if isinstance(each, Mapping) and each.get("type") == "text"]
    return " ".join(each for each in texts if isinstance(each, str))


def as_given(messages: Sequence[Mapping[str, Any]]) -> Iterator[MessageRecord]:
    """Yield each message as a record, except those of the system."""
    for message in messages:
        if message["role"] != "system":
            said = {"actor_id": message.get("name"), "role": message["role"]}
            yield MessageRecord(worded(checked_text(message["content"])), said)


def given_metadata(metadata: Mapping[str, Any] | None, *fixed: str) -> dict[str, Any]:
    """Return the metadata that a program gives, without what is `fixed`, whose a memory is and who spoke."""
    return {key: value for key, value in (metadata or {}).items() if key not in {*_OURS, *fixed}}


def day(value: date | str) -> str:
    """Return a day as it is written.

    Raises:
        ValueError: it is none.
    """
    if isinstance(value, datetime):
        value = value.date()
    try:
        return date.fromisoformat(str(value)).isoformat()
    except ValueError:
        raise ValueError(f"{EXPIRES} is not a day: give one such as 2026-12-31") from None


# --- what is asked, and what is answered ---


def asked(query: object, threshold: object) -> tuple[str, float]:
    """Return the query and the threshold of a search.

    Raises:
        ValueError: the query is not a text, or blank, or the threshold is not a number from 0 to 1.
    """
    if not isinstance(query, str) or not query.strip():
        raise ValueError("the query is blank: give at least one word")
    threshold = 0.1 if threshold is None else threshold
    if not isinstance(threshold, int | float) or not 0 <= threshold <= 1:
        raise ValueError("threshold is not a share of the best score: give a number from 0 to 1")
    return query, threshold


def counted(top_k: object) -> int:
    """Return the number of results asked for. Raises ValueError if it is invalid."""
    if not isinstance(top_k, int) or isinstance(top_k, bool) or top_k < 0:
        raise ValueError("top_k must be a whole number of at least 0")
    return top_k


def _created(entry: Entry) -> str:
    """Return when a memory was made, in mem0 if it comes from there."""
    return metadata_of(entry).get(CREATED) or entry.memory.provenance.date or entry.order[0]


def item(entry: Entry) -> dict[str, Any]:
    """Return a memory as mem0 returns one; its id is that of its first version."""
    metadata = metadata_of(entry)
    return {
        "id": entry.order[1],
        "memory": said_by(entry),
        "hash": hashlib.md5(said_by(entry).encode(), usedforsecurity=False).hexdigest(),
        "metadata": {key: value for key, value in metadata.items() if key not in (*OWN, CREATED)} or None,
        "created_at": _created(entry),
        "updated_at": entry.learned,
        "role": "user",
        **ids_of(entry),
        **{key: metadata[key] for key in OWN if key in metadata},
    }


def history_rows(
    memory_id: str, versions: Sequence[Entry], deleted: tuple[str, str] | None
) -> list[dict[str, Any]]:
    """Return what was done to a memory, oldest first; `deleted` is the event that deleted it, and when."""
    steps: list[tuple[str, str, str, str | None]] = [
        (each.id, each.learned, "UPDATE" if n else "ADD", said_by(each)) for n, each in enumerate(versions)
    ]
    steps += [(*deleted, "DELETE", None)] if deleted else []
    rows = []
    old: str | None = None
    for id_, at, event, new in steps:
        rows.append(
            {
                "id": id_,
                "memory_id": memory_id,
                "old_memory": old,
                "new_memory": new,
                "event": event,
                "created_at": _created(versions[0]),
                "updated_at": at,
                "is_deleted": event == "DELETE",
                "actor_id": metadata_of(versions[0]).get("actor_id"),
                "role": metadata_of(versions[0]).get("role", "user"),
            }
        )
        old = new
    return rows
