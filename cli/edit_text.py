"""A memory as a text that a person edits: its members as YAML above, its body below; and back.

Implements specs/cli.md (X-16). Knows neither files nor editors. Every scalar is read as its text,
so `1.10` is not a number and `no` is not false.
"""

from __future__ import annotations

import importlib
import re
from typing import Any

from frontmatter.default_handlers import YAMLHandler

from ledger.errors import UsageError
from ledger.memory import CATEGORIES, IMPORTANCES, SOURCES, STATUSES, TIERS, TYPES, Memory

_HANDLER = YAMLHandler(fm_boundary=re.compile(r"^---[ \t]*(?:\r?\n|\Z)", re.MULTILINE))

_LINES = ("text", "title", "topic", "section", "category", "type", "tier", "importance", "source", "status")
_LISTS = ("details", "when_to_use", "tags")
_ORDER = (
    "text", "details", "section", "type", "importance", "tags", "topic", "title", "when_to_use", "tier",
    "confidence", "inferred", "source", "status", "category",
)  # fmt: skip
_WIDE = 1 << 20
_TRUTH = {"true": True, "yes": True, "false": False, "no": False, "": False}

_HEAD = f"""\
# Change what you like, save and close the editor; without a change nothing is stored.
# type: {", ".join(TYPES)}
# importance: {", ".join(IMPORTANCES)}; tier: {", ".join(TIERS)}
# source: {", ".join(SOURCES)}; status: {", ".join(STATUSES)}; confidence: 0.00 to 1.00
# category: empty, or {", ".join(CATEGORIES)}
# section: a heading of MEMORY.md; empty is that of the type. Below the second --- stands the body.
"""


def written_out(memory: Memory) -> str:
    """Return a memory as a text to edit."""
    members: dict[str, Any] = {}
    for name in _ORDER:
        value = getattr(memory, name)
        members[name] = list(value) if isinstance(value, tuple) else value
    members["confidence"] = f"{memory.confidence:.2f}"
    if memory.extra:
        members["extra"] = memory.extra
    front = _HANDLER.export(members, sort_keys=False, width=_WIDE)
    end = "\n" if memory.body and not memory.body.endswith("\n") else ""
    return f"---\n{_HEAD}{front}\n---\n\n{memory.body}{end}"


def read_back(text: str, base: Memory) -> Memory:
    """Return what an edited text says; what it does not show stays as `base` has it.

    Raises:
        UsageError: it cannot be read; the message says why and, where known, in which line.
    """
    try:
        front, body = _HANDLER.split(text)
    except ValueError:  # fewer than two boundaries
        raise UsageError("the two lines --- around the members are gone: put them back") from None
    members = _mapping(front)
    changes: dict[str, Any] = {"body": _body(body, base.body)}
    for name, value in members.items():
        if name in _LISTS:
            changes[name] = _items(name, value)
        elif not isinstance(value, str):
            raise UsageError(f"{name} must be one text")
        elif name in _LINES or name == "extra":
            changes[name] = value
        elif name == "confidence":
            changes[name] = _number(value)
        elif name == "inferred" and value.lower() in _TRUTH:
            changes[name] = _TRUTH[value.lower()]
        elif name == "inferred":
            raise UsageError(f"inferred is {value!r}; it must be true or false")
        else:
            raise UsageError(f"{name!r} is not a member that can be edited: {', '.join(_ORDER)} are")
    if not changes.get("text"):
        raise UsageError("text is missing; to take the memory away use muniment delete")
    return base.with_changes(**changes)


def _mapping(front: str) -> dict[str, Any]:
    yaml = importlib.import_module("yaml")  # carries no types of its own
    try:
        members = _HANDLER.load(front, Loader=yaml.BaseLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" near line {mark.line + 2}" if mark else ""
        what = getattr(error, "problem", None) or "it is not YAML"
        raise UsageError(f"the members cannot be read{where}: {what}; put the value in quotes") from None
    if not isinstance(members, dict):
        raise UsageError("the members are not `name: value` lines")
    return {str(name): value for name, value in members.items()}


def _items(name: str, value: Any) -> tuple[str, ...]:
    """Return the texts of a list; one text is a list of one."""
    if isinstance(value, str):
        return (value,) if value else ()
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(item for item in value if item)
    raise UsageError(f"{name} must be a list of texts")


def _number(value: str) -> float:
    try:
        return round(float(value or "1"), 2)
    except ValueError:
        raise UsageError(f"confidence is {value!r}; it must be a number from 0 to 1") from None


def _body(typed: str, before: str) -> str:
    """Return the body without the blank line above it and the line end that an editor puts at the end."""
    body = typed[2:] if typed.startswith("\r\n") else typed.removeprefix("\n")
    if not before.endswith("\n"):
        body = body[:-2] if body.endswith("\r\n") else body.removesuffix("\n")
    return body if body.strip() or body == before else ""
