"""The shapes of mem0: whose a memory is, its metadata, the items that its methods return. Pure.

Implements specs/frameworks.md (FW-11…FW-14).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any, NamedTuple

from frameworks.framework_records import segment
from language.printable import redacted
from ledger.fold import Entry
from ledger.memory import MAX_SLUG, RECORD_RULES, Memory, Provenance

NAME = "mem0"
IDS = ("user_id", "agent_id", "run_id")
"""Say whose memory it is. A memory keeps them as tags (`user_id=ada`): documents show tags, and edits keep them."""

EXPIRES = "expiration_date"
_OWN = ("actor_id", "role", EXPIRES)
_LONGEST_NAME = 200


class MessageRecord(NamedTuple):
    """A record to store, and what mem0 says of the message that it came from."""

    record: Memory
    message: dict[str, Any]


# --- whose it is ---


def checked_ids(given: Mapping[str, object]) -> dict[str, str]:
    """Return the ids that are given, as text.

    Raises:
        ValueError: none is, or one is blank, holds a space or is too long for a tag.
    """
    ids = {name: str(given[name]).strip() for name in IDS if given.get(name) is not None}
    if not ids:
        raise ValueError("say whose memory it is: give at least one of user_id, agent_id and run_id")
    for name, value in ids.items():
        most = MAX_SLUG - len(name) - 1
        if len(value.split()) != 1 or len(value) > most:
            raise ValueError(f"invalid {name}: give 1 to {most} characters without spaces")
    return ids


def tags_of(ids: Mapping[str, str]) -> tuple[str, ...]:
    """Return the tags of these ids."""
    return tuple(f"{name}={value}" for name, value in ids.items())


def ids_of(entry: Entry) -> dict[str, str]:
    """Return the ids that a memory's tags say."""
    said = dict(tag.split("=", 1) for tag in entry.memory.tags if "=" in tag)
    return {name: said[name] for name in IDS if name in said}


def is_of(entry: Entry, ids: Mapping[str, str]) -> bool:
    """Say whether a memory has all these ids, in this spelling: a search by tags takes Ada for ada."""
    return ids.items() <= ids_of(entry).items()


def scoped(record: Memory, ids: Mapping[str, str], metadata: Mapping[str, Any]) -> Memory:
    """Return a record as the memory of these ids: the same words of another user are another memory."""
    tags = tags_of(ids)
    return record.with_changes(
        topic="/".join([NAME, *(segment(f"{name[:-3]}-{value}") for name, value in ids.items())]),
        tags=(NAME, *tags),
        details=details_of(metadata),
        source="auto",
        provenance=origin_of(ids),
    )


def origin_of(ids: Mapping[str, str]) -> Provenance:
    """Return the provenance that these ids stand for."""
    said = [ids.get(name, "") for name in IDS]
    return Provenance(conversation=said[0], agent=said[1], session=said[2], tool=NAME)


# --- what it says ---


def worded(content: object) -> Memory:
    """Return the record of a text: what is no line of at most 1,000 characters is the body below its first words.

    Raises:
        ValueError: it is no text, or blank.
    """
    if not isinstance(content, str) or not content.strip():
        raise ValueError(
            "a memory is a text that is not blank: give the words that an image or a call stands for"
        )
    if RECORD_RULES["text"](content) is None:
        return Memory(content)
    return Memory(content.split("\n\n")[0].strip().splitlines()[0][:_LONGEST_NAME].strip(), body=content)


def messages_in(given: Any) -> list[Mapping[str, Any]]:
    """Return what is given as messages that have a role and a text.

    Raises:
        ValueError: something is no message; it is named by its place, since it may hold a secret (R-2).
    """
    if isinstance(given, str):
        given = {"role": "user", "content": given}
    messages = [given] if isinstance(given, Mapping) else list(given)
    for n, each in enumerate(messages, 1):
        if not isinstance(each, Mapping) or not isinstance(each.get("content"), str) or not each.get("role"):
            raise ValueError(
                f"message {n} of {len(messages)} cannot be stored: give a text, or messages with a role and a text as content"
            )
    return messages


def as_given(messages: Sequence[Mapping[str, Any]]) -> Iterator[MessageRecord]:
    """Give each message as a record, except those of the system."""
    for message in messages:
        if message["role"] != "system":
            said = {"actor_id": message.get("name"), "role": message["role"]}
            yield MessageRecord(worded(message["content"]), said)


def said_by(entry: Entry) -> str:
    """Return the text that a memory was given as."""
    return entry.memory.body or entry.memory.text


def details_of(metadata: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the lines below a memory that keep its metadata: one JSON object a key.

    Raises:
        ValueError: a value is none of JSON.
    """
    try:
        lines = [json.dumps({key: value}, ensure_ascii=False) for key, value in metadata.items()]
    except (TypeError, ValueError) as error:
        raise ValueError(f"metadata cannot be stored: {error}; give values that JSON has") from None
    return tuple(line if len(line.splitlines()) == 1 else json.dumps(json.loads(line)) for line in lines)


def metadata_of(entry: Entry) -> dict[str, Any]:
    """Return the metadata that a memory's lines keep; a person's own lines are none."""
    found: dict[str, Any] = {}
    for line in entry.memory.details:
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            found |= value
    return found


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


# --- filters and items ---


def split_filters(
    filters: Mapping[str, Any] | None, others: Mapping[str, object]
) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the ids and the metadata that a filter asks for.

    Raises:
        ValueError: it has no id, compares by more than equality, or ids stand beside it.
    """
    if others:
        raise ValueError(f"unknown: {redacted(', '.join(others))}; put ids into filters={{'user_id': …}}")
    filters = filters or {}
    wanted = {key: value for key, value in filters.items() if key not in IDS}
    if unknown := [key for key, value in filters.items() if isinstance(value, dict | list)]:
        name = redacted(str(unknown[0]))
        raise ValueError(f"the filter {name} is not supported here: only equality is, {{'key': value}}")
    return checked_ids(filters), wanted


def fits(entry: Entry, wanted: Mapping[str, Any], today: str) -> bool:
    """Say whether a memory has this metadata and has not expired before `today`; "" asks for expired ones, too."""
    metadata = metadata_of(entry)
    has_expired = EXPIRES in metadata and str(metadata[EXPIRES]) < today
    return not has_expired and all(metadata.get(key) == value for key, value in wanted.items())


def counted(top_k: object) -> int:
    """Return how many are asked for. Raises ValueError for what is no number of them."""
    if not isinstance(top_k, int) or isinstance(top_k, bool) or top_k < 0:
        raise ValueError("top_k must be a whole number of at least 0")
    return top_k


def item(entry: Entry) -> dict[str, Any]:
    """Return a memory as mem0 returns one; its id is that of its first version."""
    metadata = metadata_of(entry)
    return {
        "id": entry.order[1],
        "memory": said_by(entry),
        "hash": hashlib.md5(said_by(entry).encode(), usedforsecurity=False).hexdigest(),
        "metadata": {key: value for key, value in metadata.items() if key not in _OWN} or None,
        "created_at": entry.order[0],
        "updated_at": entry.learned,
        "role": "user",
        **ids_of(entry),
        **{key: metadata[key] for key in _OWN if key in metadata},
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
                "created_at": versions[0].learned,
                "updated_at": at,
                "is_deleted": event == "DELETE",
                "actor_id": metadata_of(versions[0]).get("actor_id"),
                "role": metadata_of(versions[0]).get("role", "user"),
            }
        )
        old = new
    return rows
