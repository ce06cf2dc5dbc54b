"""The common form of transcript records from all programs, and functions to read a record of unknown shape.

Implements specs/capture.md (K-3, K-7, K-8, K-12). A format's module turns one record into parts; `transcript_reader` turns
them into turns. Pure.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from learning.turn import Speaker
from ledger.named_tuple import NamedTuple

LONGEST = 65_536
"""How many characters of a text are kept: its beginning and its end, where errors usually are (K-12)."""
_LONGEST_COMMAND = 2_000
_LONGEST_NAME = 200

Record = Mapping[str, Any]


class Memo(NamedTuple):
    """The state from earlier lines that the next line needs; small, and stored with the offset (K-13).

    `heard` has the latest messages that may come again as another record type; `program` means that no person
    speaks in this conversation.
    """

    kind: str = ""
    conversation: str = ""
    folder: str = ""
    program: bool = False
    heard: tuple[str, ...] = ()


class Utterance(NamedTuple):
    """One message."""

    role: Speaker
    text: str


class Call(NamedTuple):
    """A call of a tool; its result has the same id."""

    id: str
    tool: str
    command: str


class Result(NamedTuple):
    """The result of a call; `failed` is None if unknown."""

    id: str
    text: str
    failed: bool | None = None
    rejected: bool = False


Part = Utterance | Call | Result


class Understood(NamedTuple):
    """A record after reading: its parts, and the members that its turns share."""

    memo: Memo
    parts: tuple[Part, ...] = ()
    message: str = ""
    at: str = ""
    conversation: str = ""
    folder: str = ""


def mapping(value: object) -> Record:
    """Return the value if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[Any]:
    """Return the value if it is a JSON array, else an empty one."""
    return value if isinstance(value, list) else []


def string(value: object) -> str:
    """Return the value if it is a text, else ""."""
    return value if isinstance(value, str) else ""


def type_of(value: object) -> str:
    """Return the type that a record, block or part names, or ""."""
    return string(mapping(value).get("type"))


def name_of(value: object) -> str:
    """Return a name, id or timestamp: one short line; a number is one too."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return " ".join(string(value)[: _LONGEST_NAME * 2].replace("\0", "").split())[:_LONGEST_NAME]


def first_name(record: Record, *members: str) -> str:
    """Return the first of these members of a record that is a name, id or timestamp, or ""."""
    return next((name for member in members if (name := name_of(record.get(member)))), "")


def texts(content: object) -> Iterator[str]:
    """Yield the texts of a message's content: one, or those of its parts, without pictures and thoughts."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for part in content:
            if isinstance(part, str):
                yield part
            elif isinstance(part, dict) and string(part.get("type", "text")) in _TEXT_PARTS:
                yield string(part.get("text"))
    elif isinstance(content, dict):
        parts = content.get("parts")
        yield from texts(parts if isinstance(parts, list) else [content])


_TEXT_PARTS = frozenset(("text", "input_text", "output_text"))


def whole(content: object) -> str:
    """Return the texts of a content as one."""
    return clipped("\n".join(each for each in texts(content) if each))


def uttered(role: Speaker, text: str) -> list[Part]:
    """Return what was said as one part, none if it is blank."""
    return [Utterance(role, text)] if text.strip() else []


def clipped(text: str) -> str:
    """Return a text of bounded length, without characters that a memory must not contain (K-12)."""
    if len(text) > LONGEST:
        text = f"{text[: LONGEST // 2]}\n[…]\n{text[-LONGEST // 2 :]}"
    return text.replace("\0", "") if "\0" in text else text


_TELLING = ("command", "cmd", "file_path", "path", "input")
_SHELLS = frozenset(("sh", "bash", "zsh", "dash", "fish", "powershell", "pwsh", "cmd", "cmd.exe"))


def command_of(given: object) -> str:
    """Return a tool's command on one line: its command line, else its most useful argument (K-8)."""
    if isinstance(given, str):
        decoded = _decoded(given)
        if decoded is None:
            return _one_line(given)
        given = decoded
    if isinstance(given, list):
        return _one_line(_command_line(given))
    for name in _TELLING:
        value = mapping(given).get(name)
        if isinstance(value, str) and value.strip():
            return _one_line(value)
        if isinstance(value, list) and value:
            return _one_line(_command_line(value))
    return ""


def _decoded(text: str) -> object:
    """Return the value of a JSON text, None if it is not an object or array."""
    if text[:1] not in ("{", "["):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None


def _command_line(words: list[Any]) -> str:
    """Return an argument vector as a typed command; if it is a shell with a script, that script."""
    parts = [word for word in words[:200] if isinstance(word, str)]
    if len(parts) >= 3 and parts[0].rpartition("/")[2] in _SHELLS and parts[1].startswith(("-", "/")):
        return parts[-1]
    return shlex.join(parts)


def _one_line(text: str) -> str:
    return " ".join(text[: _LONGEST_COMMAND * 2].replace("\\\n", " ").replace("\0", "").split())[
        :_LONGEST_COMMAND
    ]


def exit_code(value: object) -> bool | None:
    """Return whether a program with this exit code failed; None if it is not a code."""
    return value != 0 if isinstance(value, int) and not isinstance(value, bool) else None
