"""Turns a memory of mem0 into a record: text, owner, metadata. The adapter and the import write the same records.

Implements specs/frameworks.md (FW-10, FW-12, FW-14) and specs/import.md (I-33). Pure.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from documents.topic_segment import segment
from ledger.fold import Entry
from ledger.lazy_pattern import lazy_pattern
from ledger.memory import MAX_SLUG, RECORD_RULES, Memory, Provenance

NAME = "mem0"
IDS = ("user_id", "agent_id", "run_id")
"""The ids of a memory's owner. A memory keeps them as tags: documents show tags, and edits keep them."""

OWN = ("actor_id", "role", "expiration_date")
"""The members that mem0 keeps beside a memory's metadata."""

_TAG = lazy_pattern(r"(user|agent|run)(?:_id|\+([1-9]))=(.+)")
_LONGEST_NAME = 200


def worded(content: str) -> Memory:
    """Return the record of a text; unless it is one line of at most 1,000 characters, it is the body below its first words."""
    if RECORD_RULES["text"](content) is None:
        return Memory(content)
    return Memory(content.strip().splitlines()[0][:_LONGEST_NAME].strip(), body=content)


def said_by(entry: Entry) -> str:
    """Return the original text of a memory."""
    return entry.memory.body or entry.memory.text


def scoped(record: Memory, ids: Mapping[str, str], metadata: Mapping[str, Any], origin: Provenance) -> Memory:
    """Return a record as a memory of these ids: the same words of another user are another memory.

    Args:
        record: the record with its text.
        ids: the ids of its owner.
        metadata: its metadata.
        origin: the rest of its origin.

    Raises:
        ValueError: the metadata cannot be stored.
    """
    return record.with_changes(
        topic="/".join([NAME, *(segment(f"{name[:-3]}-{value}") for name, value in ids.items())]),
        tags=(NAME, *tags_of(ids)),
        details=details_of(metadata),
        source="auto",
        provenance=origin._replace(
            conversation=ids.get("user_id", ""),
            agent=ids.get("agent_id", ""),
            session=ids.get("run_id", ""),
            tool=NAME,
        ),
    )


def tags_of(ids: Mapping[str, str]) -> tuple[str, ...]:
    """Return the tags of these ids: `user_id=ada`; the rest of a long one continues in `user+1=…`."""
    found = []
    for name, value in ids.items():
        most = MAX_SLUG - len(name) - 1
        parts = [value[at : at + most] for at in range(0, len(value), most)]
        found += [f"{f'{name[:-3]}+{n}' if n else name}={part}" for n, part in enumerate(parts)]
    return tuple(found)


def ids_of(entry: Entry) -> dict[str, str]:
    """Return the ids in a memory's tags."""
    said = dict.fromkeys(IDS, "")
    for found in sorted(filter(None, map(_TAG.fullmatch, entry.memory.tags)), key=lambda each: each[2] or ""):
        said[f"{found[1]}_id"] += found[3]
    return {name: value for name, value in said.items() if value}


def is_of(entry: Entry, ids: Mapping[str, str]) -> bool:
    """Return whether a memory has all these ids in this spelling: a search by tags ignores case."""
    return ids.items() <= ids_of(entry).items()


def details_of(metadata: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the details of a memory that keep its metadata: one JSON object for each key.

    Raises:
        ValueError: a value is not a JSON value, or is too long.
    """
    try:
        lines = [json.dumps({k: v}, ensure_ascii=False, allow_nan=False) for k, v in metadata.items()]
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"metadata cannot be stored: {error}; give values that JSON has") from None
    lines = [line if len(line.splitlines()) == 1 else json.dumps(json.loads(line)) for line in lines]
    if RECORD_RULES["details"](lines):
        raise ValueError(
            "metadata cannot be stored: there may be 200 values, each with its key of at most 1,000 characters as JSON; "
            "put the rest into the text"
        )
    return tuple(lines)


def metadata_of(entry: Entry) -> dict[str, Any]:
    """Return the metadata in a memory's details; a person's own lines are not metadata."""
    found: dict[str, Any] = {}
    for line in entry.memory.details:
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            found |= value
    return found
