"""Reads conversations.json of ChatGPT's data export as messages, for the detection in transcripts.

Implements specs/import.md (I-38). Each conversation is a tree; it reads only the branch that was shown last.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from documents.other_memories import source_files
from documents.other_memories.chatgpt_memories import USUAL
from documents.other_memories.foreign_records import LeftOut
from ledger.errors import FormatError
from ledger.lazy_pattern import lazy_pattern

_BEGIN = lazy_pattern(rb"(?:\xef\xbb\xbf)?\s*(?:\[\s*(?:\{|\])|\{)")
_LOOKED_AT = 4096
_ROLES = ("user", "assistant")
_CONTENTS = ("text", "multimodal_text")


def is_conversations(path: Path) -> bool:
    """Return whether a file is JSON by its name or its beginning; a list of memories is plain text."""
    if path.suffix.lower() == ".json":
        return True
    try:
        with path.open("rb") as stream:
            return _BEGIN.match(stream.read(_LOOKED_AT)) is not None
    except OSError:
        return False  # reading it reports why


def read_conversations(path: Path, left_out: LeftOut) -> list[bytes]:
    """Return each conversation as a line of JSON with its messages, the earliest conversation first.

    Raises:
        NotFoundError, StorageError: as `source_files`.
        FormatError: it is not complete JSON, or has no conversations.
    """
    value = source_files.json_of(path, source_files.bytes_of(path, USUAL), USUAL)
    found = value if isinstance(value, list) else [value]
    if found and not any(isinstance(each, dict) and isinstance(each.get("mapping"), dict) for each in found):
        raise FormatError(
            source_files.RULE, f"{path} holds no conversation, and nothing was learned of it; give {USUAL}"
        )
    timed: list[tuple[float, bytes]] = []
    for number, each in enumerate(found, 1):
        messages = list(_messages(each)) if isinstance(each, dict) else []
        if messages:
            line = orjson.dumps({"messages": messages}) + b"\n"
            timed.append((_seconds(each.get("create_time")) or 0.0, line))
        else:
            left_out.add("without a message that can be read; left out", f"conversation {number}")
    return [line for _, line in sorted(timed, key=lambda each: each[0])]


def _messages(conversation: dict[str, Any]) -> Iterator[dict[str, str]]:
    name = next(
        (id_ for key in ("conversation_id", "id") if isinstance(id_ := conversation.get(key), str)), ""
    )
    for id_, message in reversed(list(_branch(conversation))):
        author, content, about = (_object(message.get(key)) for key in ("author", "content", "metadata"))
        is_said = author.get("role") in _ROLES and content.get("content_type") in _CONTENTS
        is_shown = message.get("recipient", "all") == "all" and not about.get(
            "is_visually_hidden_from_conversation"
        )
        parts = content.get("parts")
        text = "\n".join(part for part in parts if isinstance(part, str)) if isinstance(parts, list) else ""
        if not (is_said and is_shown and text.strip()):
            continue
        at = _seconds(message.get("create_time"))
        yield {
            "role": author["role"],
            "content": text.encode("utf-8", "replace").decode(),
            "id": id_,
            "conversation_id": name,
            "created_at": datetime.fromtimestamp(at, UTC).isoformat() if at else "",
        }


def _branch(conversation: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the messages of the branch that was shown last, from its end to its beginning."""
    tree, at = _object(conversation.get("mapping")), conversation.get("current_node")
    seen: set[str] = set()
    while isinstance(at, str) and at in tree and at not in seen:
        seen.add(at)
        node = _object(tree[at])
        yield at, _object(node.get("message"))
        at = node.get("parent")


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _seconds(value: object) -> float | None:
    return value if isinstance(value, float) and 0 < value < 1e11 else None
