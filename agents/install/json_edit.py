"""A JSON file as text that can be edited: where each value stands, what is put in, what is taken out.

Implements specs/doors.md (G-21). Takes JSON with comments (`//`, `/* */`) and commas before a closing bracket, as
people write in settings; an edit changes no byte beside the value that it is about and the comma that joins it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from agents.install.host import UnreadableError
from ledger.lazy_pattern import lazy_pattern

_DEEPEST = 100
_STRING = lazy_pattern(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_SCALAR = lazy_pattern(
    r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![0-9A-Za-z_.+-])|(?:true|false|null)\b"
)
_TRIVIA = lazy_pattern(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_REST_OF_LINE = lazy_pattern(r"(?:[ \t]*(?:/\*[^\n]*?\*/))*(?:[ \t]*//[^\r\n]*)?")
_REST_IS_BLANK = lazy_pattern(r"[ \t]*(?:\r?\n|\Z)")
_MOST_DIGITS = 4000
_FIRST_INDENT = lazy_pattern(r"\n([ \t]+)\S")


@dataclass(slots=True)
class JsonNode:
    """One value: where it begins and ends in the text, and what is in it.

    `kind` is `{`, `[` or empty for what has nothing in it. `keys` are the members' names of an object with their numbers, and
    `starts` where each item begins: the key's place, or the value's. `commas` are the places of the commas that follow
    the items, one less where the last has none.
    """

    kind: str
    start: int
    end: int = 0
    value: Any = None
    keys: dict[str, int] = field(default_factory=dict)
    starts: list[int] = field(default_factory=list)
    items: list[JsonNode] = field(default_factory=list)
    commas: list[int] = field(default_factory=list)


class JsonText:
    """A file's text, read; each edit reads it again."""

    def __init__(self, text: str) -> None:
        """Read `text`.

        Raises:
            UnreadableError: it is no JSON; the message says line and reason.
        """
        self.text = text
        self.root = self._read(text)

    def _read(self, text: str) -> JsonNode:
        self.text = text
        at = _skip(text, 0)
        root = self._value(at, 0)
        if (at := _skip(text, root.end)) < len(text):
            raise self.fault(at, "something stands behind the end of the JSON")
        return root

    def fault(self, at: int, why: str) -> UnreadableError:
        """Return the error that names the line of a place in the text."""
        return UnreadableError(f"line {self.text.count(chr(10), 0, at) + 1}: {why}")

    # --- reading ---

    def _value(self, at: int, depth: int) -> JsonNode:
        text = self.text
        if depth > _DEEPEST:
            raise self.fault(at, f"more than {_DEEPEST} brackets in each other")
        if text[at : at + 1] in ("{", "["):
            return self._container(at, depth)
        if found := _STRING.match(text, at) or _SCALAR.match(text, at):
            return JsonNode("", at, found.end(), json.loads(found[0], parse_int=_number))
        raise self.fault(at, "no JSON value where one must stand" if at < len(text) else "it ends too early")

    def _container(self, at: int, depth: int) -> JsonNode:
        text, node = self.text, JsonNode(self.text[at], at)
        closing = "}" if node.kind == "{" else "]"
        at = _skip(text, at + 1)
        while text[at : at + 1] != closing:
            node.starts.append(at)
            if node.kind == "{":
                at = self._key(node, at)
            item = self._value(at, depth + 1)
            node.items.append(item)
            at = _skip(text, item.end)
            if text[at : at + 1] == ",":
                node.commas.append(at)
                at = _skip(text, at + 1)
            elif text[at : at + 1] != closing:
                raise self.fault(min(at, len(text) - 1), f"a comma or {closing} is missing")
        node.end = at + 1
        values = [item.value for item in node.items]
        node.value = dict(zip(node.keys, values, strict=True)) if node.kind == "{" else values
        return node

    def _key(self, node: JsonNode, at: int) -> int:
        text = self.text
        found = _STRING.match(text, at)
        if found is None:
            raise self.fault(min(at, len(text) - 1), "no name in quotes where one must stand")
        key = json.loads(found[0])
        if key in node.keys:
            raise self.fault(at, f"{json.dumps(key)} stands twice in one object")
        node.keys[key] = len(node.items)
        at = _skip(text, found.end())
        if text[at : at + 1] != ":":
            raise self.fault(min(at, len(text) - 1), "a colon is missing")
        return _skip(text, at + 1)

    def at(self, path: Sequence[str | int]) -> JsonNode | None:
        """Return the value that keys and numbers lead to from the root; None where nothing stands there."""
        node = self.root
        for step in path:
            if isinstance(step, str):
                if node.kind != "{" or step not in node.keys:
                    return None
                node = node.items[node.keys[step]]
            else:
                if node.kind != "[" or step >= len(node.items):
                    return None
                node = node.items[step]
        return node

    # --- editing ---

    def append(self, path: Sequence[str | int], value: Any, key: str = "") -> None:
        """Put a value behind the last one of an array, or under a new key of an object, in the way of its neighbours."""
        node, text = self._named(path), self.text
        eol, inside = self._line_end(), self._indent_in(node, path)
        new = self._as_text(value, inside)
        if node.kind == "{":
            new = f"{json.dumps(key, ensure_ascii=False)}: {new}"
        if not node.items:
            close = node.end - 1
            blank = text[node.start + 1 : close]
            head = node.start + 1 + len(blank.rstrip(" \t\r\n"))  # behind the comments in it
            if inside is None:
                self._edit((head, head, f" {new}" if blank.strip() else new))
            else:
                tail = text[head:close] if "\n" in text[head:close] else f"{eol}{self._indent_at(node)}"
                self._edit((head, close, f"{eol}{inside}{new}{tail}"))
            return
        ended = len(node.commas) == len(node.items)
        last = node.commas[-1] + 1 if ended else node.items[-1].end
        behind = _REST_OF_LINE.match(text, last)
        at = behind.end() if behind and inside is not None else last
        gap = " " if inside is None else f"{eol}{inside}"
        if ended:
            self._edit((at, at, f"{gap}{new},"))
        elif at == last:
            self._edit((at, at, f",{gap}{new}"))
        else:
            self._edit((last, last, ","), (at, at, f"{gap}{new}"))

    def replace(self, path: Sequence[str | int], value: Any) -> None:
        """Put a value in the place of another, in its indentation."""
        node = self._named(path)
        multi = "\n" in self.text[node.start : node.end]
        self._edit((node.start, node.end, self._as_text(value, self._indent_at(node) if multi else None)))

    def remove(self, path: Sequence[str | int]) -> None:
        """Take a value out, with its key, the comma that joined it, and the blank before it."""
        above, text = self._named(path[:-1]), self.text
        last = path[-1]
        at = above.keys[last] if isinstance(last, str) else last
        start, end = above.starts[at], above.items[at].end
        begin = len(text[:start].rstrip(" \t\r\n"))
        edits = []
        if at < len(above.commas):
            comma = above.commas[at]
            if text[end:comma].strip():  # a comment stands between the value and its comma
                edits.append((comma, comma + 1, ""))
            else:
                end = comma + 1
                if begin == start:  # right behind the bracket: what follows moves up to it
                    end += len(text[end:]) - len(text[end:].lstrip(" \t"))
        elif at:
            comma = above.commas[at - 1]
            edits.append((comma, comma + 1, ""))
        since = max([above.start + 1, *(each + 1 for each in above.commas[:at])])
        if _ends_in_line_comment(text[since:begin]) and not _REST_IS_BLANK.match(text, end):
            begin = text.index("\n", begin) + 1  # the comment's line must end
        self._edit(*edits, (begin, end, ""))

    def is_bare(self, path: Sequence[str | int]) -> bool:
        """Say whether an object or array has nothing in it, no comment either, nor between it and its key."""
        node = self._named(path)
        if not node.kind or node.items or self.text[node.start + 1 : node.end - 1].strip():
            return False
        return not path or not self.has_comment(path)

    def has_comment(self, path: Sequence[str | int]) -> bool:
        """Say whether a comment stands in a value, or between it and its key."""
        above, last = self._named(path[:-1]), path[-1]
        at = above.keys[last] if isinstance(last, str) else last
        text = _STRING.sub("", self.text[above.starts[at] : above.items[at].end])
        return "//" in text or "/*" in text

    def _named(self, path: Sequence[str | int]) -> JsonNode:
        node = self.at(path)
        assert node is not None
        return node

    def _edit(self, *edits: tuple[int, int, str]) -> None:
        """Put texts in the places of stretches that do not overlap, and read the whole again."""
        text = self.text
        for start, end, new in sorted(edits, reverse=True):
            text = text[:start] + new + text[end:]
        self.root = self._read(text)

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
        """Return the indentation for a new item of a container; None where its items stand on one line."""
        if node.items:
            before = self.text[node.start : node.starts[-1]]
            if "\n" not in before:
                return None
            line = before[before.rfind("\n") + 1 :]
            return (
                line[: len(line) - len(line.lstrip(" \t"))]
                if not line.strip(" \t")
                else self._indent_at(node) + self._unit()
            )
        if path and "\n" not in self.text.strip():
            return None
        return self._indent_at(node) + self._unit()

    def _as_text(self, value: Any, indent: str | None) -> str:
        if indent is None:
            return json.dumps(value, ensure_ascii=False)
        return f"{self._line_end()}{indent}".join(written(value, self._unit()).split("\n"))


def written(value: Any, unit: str = "  ") -> str:
    """Return a value as JSON, a member a line; a list of plain values stands on one."""
    if isinstance(value, dict) and value:
        inner = [
            f"{json.dumps(key, ensure_ascii=False)}: {written(item, unit)}" for key, item in value.items()
        ]
    elif isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        inner = [written(item, unit) for item in value]
    else:
        return json.dumps(value, ensure_ascii=False)
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    lines = ",\n".join(inner).replace("\n", f"\n{unit}")
    return f"{opening}\n{unit}{lines}\n{closing}"


def _number(digits: str) -> int | str:
    """Return a whole number; one of more digits than Python takes as its text."""
    return int(digits) if len(digits) < _MOST_DIGITS else digits


def _ends_in_line_comment(trivia: str) -> bool:
    """Say whether the last thing in blanks and comments (or a value and those) is a comment up to the line's end."""
    last = trivia.rpartition("\n")[2]
    without_strings = _STRING.sub("", last)
    return "//" in re.sub(r"/\*.*?\*/", "", without_strings.rpartition("*/")[2])


def _skip(text: str, at: int) -> int:
    """Return the place behind blanks and comments."""
    found = _TRIVIA.match(text, at)
    assert found is not None
    return found.end()
