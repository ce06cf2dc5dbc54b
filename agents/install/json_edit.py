"""Edits the text of a JSON settings file: finds the place of each value, inserts values and removes them.

Implements specs/doors.md (G-21). Takes JSON with comments (`//`, `/* */`) and commas before a closing bracket, as
people write in settings. The standard library reads what it says; here only the places of its values are found.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agents.install.host import UnreadableError, decoded
from ledger.lazy_pattern import lazy_pattern

_STRING = r'"(?:[^"\\]|\\.)*"'
_COMMENT = lazy_pattern(rf"({_STRING})|//[^\n]*|/\*.*?\*/", re.DOTALL)
_LAST_COMMA = lazy_pattern(rf"({_STRING})|,(?=\s*[\]}}])", re.DOTALL)
_TOKEN = lazy_pattern(rf"{_STRING}|[^\s,:\[\]{{}}\"]+|[,\[\]{{}}]", re.DOTALL)
_BOM = "\ufeff"
_BLANK = " \t\r\n"
_MOST_DIGITS = 4000
_FIRST_INDENT = lazy_pattern(r"\n([ \t]+)\S")


@dataclass(slots=True)
class JsonNode:
    """One value, from `start` to `end` in the text.

    `kind` is `{`, `[` or empty for what has nothing in it. `keys` are the members' names of an object, `starts` where each
    item begins (an object's at its key), `commas` the places of the commas that follow items.
    """

    kind: str
    start: int
    end: int = 0
    value: Any = None
    keys: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    items: list[JsonNode] = field(default_factory=list)
    commas: list[int] = field(default_factory=list)

    def number_of(self, key: str) -> int:
        """Return which item of an object has a key, -1 for none."""
        return self.keys.index(key) if key in self.keys else -1


class JsonText:
    """A settings file's text, read; each edit reads it again."""

    def __init__(self, data: bytes | None) -> None:
        """Read a file; one that is missing or blank is read as an empty object.

        Raises:
            UnreadableError: it is not UTF-8, not JSON or not an object; the message says line and reason.
        """
        text = decoded(data or b"")
        self._bom, text = text[: text.startswith(_BOM)], text.removeprefix(_BOM)
        self.was_blank = not text.strip(_BLANK)
        self.text = "{}\n" if self.was_blank else text
        self.root = self._read()
        if self.root.kind != "{":
            raise self.fault(self.root.start, "is not an object of settings")

    @property
    def data(self) -> bytes:
        """The file's bytes as they are now."""
        return (self._bom + self.text).encode()

    def _read(self) -> JsonNode:
        text = self.text
        bare = _COMMENT.sub(lambda found: found[1] or re.sub(r"[^\n]", " ", found[0]), text)
        try:
            json.loads(_LAST_COMMA.sub(lambda found: found[1] or " ", bare), parse_int=_number)
            self._tokens = _TOKEN.finditer(bare)
            return self._node(next(self._tokens))
        except json.JSONDecodeError as error:
            raise self.fault(error.pos, f"is not JSON ({error.msg})") from None
        except RecursionError:
            raise self.fault(0, "too many brackets in each other") from None

    def fault(self, at: int, why: str) -> UnreadableError:
        """Return the error that names the line of a place in the text."""
        return UnreadableError(f"line {self.text.count(chr(10), 0, at) + 1}: {why}")

    def _node(self, token: re.Match[str]) -> JsonNode:
        """Return the value that begins with a token of a text that is known to be JSON."""
        if token[0] not in ("{", "["):
            return JsonNode("", token.start(), token.end(), json.loads(token[0], parse_int=_number))
        node = JsonNode(token[0], token.start())
        while (token := next(self._tokens))[0] not in ("}", "]"):
            if token[0] == ",":
                node.commas.append(token.start())
                continue
            node.starts.append(token.start())
            if node.kind == "{":
                key = json.loads(token[0])
                if key in node.keys:
                    raise self.fault(token.start(), f"{token[0]} is twice in one object")
                node.keys.append(key)
                token = next(self._tokens)
            node.items.append(self._node(token))
        values = [item.value for item in node.items]
        node.value = dict(zip(node.keys, values, strict=True)) if node.kind == "{" else values
        node.end = token.end()
        return node

    def at(self, path: Sequence[str | int]) -> JsonNode | None:
        """Return the value that keys and numbers lead to from the root; None if there is none."""
        node = self.root
        for step in path:
            at = step if isinstance(step, int) else node.number_of(step)
            if not 0 <= at < len(node.items):
                return None
            node = node.items[at]
        return node

    def container(self, path: Sequence[str], kind: str) -> JsonNode | None:
        """Return the object or list, as `kind` says, that keys lead to; None if there is nothing.

        Raises:
            UnreadableError: something else is there.
        """
        node = self.at(path)
        if node is not None and node.kind != kind:
            what = "an object" if kind == "{" else "a list"
            raise self.fault(node.start, f"{'.'.join(path)} is not {what}")
        return node

    def append(self, path: Sequence[str | int], value: Any, key: str = "") -> None:
        """Put a value behind the last one of an array, or under a new key of an object, in the way of its neighbours."""
        node, text = self._named(path), self.text
        inside, close = self._indent_in(node, path), node.end - 1
        new = f"{json.dumps(key, ensure_ascii=False)}: " if node.kind == "{" else ""
        new += self._as_text(value, inside)
        filled = node.start + 1 + len(text[node.start + 1 : close].rstrip(_BLANK))  # behind comments, too
        if inside is not None:
            new = f"{self._line_end()}{inside}{new}"
        elif filled > node.start + 1:
            new = f" {new}"
        if node.items and len(node.commas) == len(node.items):
            self._edit((filled, filled, f"{new},"))
        elif node.items:
            self._edit((filled, filled, new), (node.items[-1].end, node.items[-1].end, ","))
        elif inside is None or "\n" in text[filled:close]:
            self._edit((filled, filled, new))
        else:
            self._edit((filled, close, f"{new}{self._line_end()}{self._indent_at(node)}"))

    def remove(self, path: Sequence[str | int]) -> None:
        """Take a value out, with its key, the comma that joined it, and the line or the blanks that it alone had."""
        above, at = self._item(path)
        text, start, end = self.text, above.starts[at], above.items[at].end
        edits = []
        if at < len(above.commas) and not text[end : above.commas[at]].strip():
            end = above.commas[at] + 1
        elif above.commas:
            comma = above.commas[at if at < len(above.commas) else at - 1]
            edits.append((comma, comma + 1, ""))
        before = text[:start].rstrip(" \t")
        behind = len(text) - len(text[end:].lstrip(" \t"))
        above_it = before.removesuffix("\n").removesuffix("\r")
        next_is = text[behind : behind + 1]
        is_commented = any(
            found[0].startswith("//") and found.end() == len(above_it)
            for found in _COMMENT.finditer(above_it)
        )
        if before.endswith("\n") and (
            next_is in ("\r", "\n", "") or (next_is in ("]", "}") and not is_commented)
        ):
            start = len(above_it)
        elif before.endswith("\n") or len(before) == above.start + 1:
            end = behind
        else:
            start = len(before)
        self._edit(*edits, (start, end, ""))

    def remove_if_empty(self, path: Sequence[str | int]) -> None:
        """Take a container out if it has neither a value nor a comment."""
        node = self.at(path)
        if node is not None and not node.items and not self.has_comment(path):
            self.remove(path)

    def left(self, head: Mapping[str, Any]) -> bytes | None:
        """Return the file's bytes; None if it has no comment, and no settings but `head`."""
        return None if self.root.value in ({}, head) and not self.has_comment(()) else self.data

    def has_comment(self, path: Sequence[str | int]) -> bool:
        """Return whether a value, or the space between it and its key, contains a comment; () means the whole file."""
        text = self.text
        if path:
            above, at = self._item(path)
            text = text[above.starts[at] : above.items[at].end]
        return any(not found[1] for found in _COMMENT.finditer(text))

    def _named(self, path: Sequence[str | int]) -> JsonNode:
        node = self.at(path)
        assert node is not None
        return node

    def _item(self, path: Sequence[str | int]) -> tuple[JsonNode, int]:
        """Return the container of a value, and which of its items that is."""
        above, last = self._named(path[:-1]), path[-1]
        return above, last if isinstance(last, int) else above.number_of(last)

    def _edit(self, *edits: tuple[int, int, str]) -> None:
        """Put texts in the places of stretches that do not overlap, and read the whole again."""
        for start, end, new in sorted(edits, key=lambda edit: edit[0], reverse=True):
            self.text = self.text[:start] + new + self.text[end:]
        self.root = self._read()

    # --- how it is written ---

    def _line_end(self) -> str:
        first = self.text.find("\n")
        return "\r\n" if first > 0 and self.text[first - 1] == "\r" else "\n"

    def _unit(self) -> str:
        """Return one step of indentation: that of the first indented line."""
        found = _FIRST_INDENT.search(self.text)
        return found[1] if found else "  "

    def _indent_at(self, node: JsonNode) -> str:
        """Return the indentation of the line on which a value begins."""
        line = self.text[self.text.rfind("\n", 0, node.start) + 1 : node.start]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def _indent_in(self, node: JsonNode, path: Sequence[str | int]) -> str | None:
        """Return the indentation for a new item of a container; None if its items are on one line."""
        if node.items:
            line = self.text[self.text.rfind("\n", 0, node.starts[-1]) + 1 : node.starts[-1]]
            if "\n" in self.text[node.start : node.starts[-1]] and not line.strip(" \t"):
                return line
            is_on_one_line = (
                "\n" not in self.text[node.start : node.starts[-1]] + self.text[node.items[-1].end : node.end]
            )
        else:
            is_on_one_line = bool(path) and "\n" not in self.text.strip()
        return None if is_on_one_line else self._indent_at(node) + self._unit()

    def _as_text(self, value: Any, indent: str | None) -> str:
        if indent is None:
            return json.dumps(value, ensure_ascii=False)
        lines = json.dumps(value, indent=self._unit(), ensure_ascii=False).split("\n")
        return f"{self._line_end()}{indent}".join(lines)


def _number(digits: str) -> int | str:
    """Return a whole number; one of more digits than Python takes as its text."""
    return int(digits) if len(digits) < _MOST_DIGITS else digits
