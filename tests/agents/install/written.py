"""Settings files as people write them, and a plain reading of them to compare with: for property tests.

The reading is made without the code under test: comments and last commas are cut out, the rest is read by `json`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from random import Random
from typing import Any

from hypothesis import strategies as st

FOREIGN: list[dict[str, Any]] = [
    {"type": "command", "command": "say done"},
    {"type": "command", "command": "grep -q 'muniment hook claude' x // y"},
    {"type": "command", "command": "/opt/x", "args": ["hook", "claude"], "timeout": 3},
    {"type": "prompt", "prompt": "Is it /* done */?"},
    {"command": "echo a; muniment hook claude"},
    {"command": ["muniment", "hook"]},
]
"""Handlers that are not ours, however like ours they look."""

OURS: list[dict[str, Any]] = [
    {"type": "command", "command": "muniment hook claude"},
    {"type": "command", "command": "/old/place/muniment", "args": ["hook", "claude"], "timeout": 60},
    {"type": "command", "command": "command -v muniment >/dev/null 2>&1 || exit 0; muniment hook claude"},
]
"""What earlier releases, or people, may have written."""

_EVENTS = ("SessionStart", "Stop", "PreToolUse", "Notification", "SessionEnd", "UserPromptSubmit")
_TOKEN = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)


def comments(text: str) -> list[str]:
    """Return the comments of a file, in order."""
    return [found[0].rstrip() for found in _TOKEN.finditer(text) if not found[1]]


def value(text: str) -> Any:
    """Return what a file with comments says."""
    bare = _TOKEN.sub(lambda found: found[1] or " ", text.removeprefix("\ufeff"))
    text_in_quotes = r'"(?:[^"\\]|\\.)*"'
    strings = re.findall(text_in_quotes, bare)
    marked = re.sub(text_in_quotes, "\0", bare)
    marked = re.sub(r",(\s*[\]}])", r"\1", marked)
    left = iter(strings)
    return json.loads(re.sub("\0", lambda _: next(left), marked))


def _scalars() -> st.SearchStrategy[Any]:
    words = st.sampled_from(["opus", "", "a // b", "/* c */", 'q"\\', "ü – 🙂", "{", "x,]", "\u2028"])
    return st.none() | st.booleans() | st.integers(-5, 10**6) | words


def _values() -> st.SearchStrategy[Any]:
    return st.recursive(
        _scalars(),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
        ),
        max_leaves=6,
    )


def _groups(handlers: list[dict[str, Any]]) -> st.SearchStrategy[Any]:
    group = st.fixed_dictionaries(
        {"hooks": st.lists(st.sampled_from(handlers), max_size=3)},
        optional={"matcher": st.sampled_from(["", "Bash", "startup|resume"])},
    )
    return st.lists(group, max_size=3)


def settings(*, ours: bool = False) -> st.SearchStrategy[dict[str, Any]]:
    """Return what settings files may say; with handlers of ours in them where that is asked for."""
    handlers = FOREIGN + (OURS if ours else [])
    hooks = st.dictionaries(st.sampled_from(_EVENTS), _groups(handlers), max_size=4)
    others = st.dictionaries(
        st.sampled_from(["model", "permissions", "env", "$schema", "ü"]), _values(), max_size=3
    )
    return st.builds(
        lambda other, hooks, first: (hooks | other) if first else (other | hooks),
        others,
        st.just({}) | st.builds(lambda each: {"hooks": each}, hooks),
        st.booleans(),
    )


@st.composite
def files(draw: st.DrawFn, *, ours: bool = False) -> str:
    """Return a settings file: any line ends, indentation, comments, commas before a bracket."""
    end = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    unit = draw(st.sampled_from(["  ", "\t", "    ", "   ", ""]))
    kind = draw(st.sampled_from(["lines", "one line", "odd"]))
    said, by_chance = iter(range(1000)), Random(draw(st.integers(0, 2**32)))

    def blank(depth: int, *, new_line: bool = True) -> str:
        if kind == "one line":
            return ""
        if kind == "lines":
            return f"{end}{unit * depth}" if new_line else ""
        picked = by_chance.choice(["", " ", "line", "line", "comment", "block", "above", "empty"])
        line = f"{end}{unit * depth}"
        return {
            "line": line,
            "comment": f' // {next(said)} " , }}{line}',
            "block": f"/* {next(said)} // */",
            "above": f"{line}// {next(said)} ]{line}",
            "empty": f"{end}{line}",
        }.get(picked, picked)

    last_comma = draw(st.booleans()) and kind != "one line"

    def text(each: Any, depth: int) -> str:
        if each in OURS:
            return json.dumps(each)
        if isinstance(each, dict):
            items = [
                f"{json.dumps(key)}{blank(depth) if kind == 'odd' else ''}: {text(item, depth + 1)}"
                for key, item in each.items()
            ]
            return bracketed("{}", items, depth)
        if isinstance(each, list):
            return bracketed("[]", [text(item, depth + 1) for item in each], depth)
        return json.dumps(each, ensure_ascii=by_chance.random() < 0.5)

    def bracketed(pair: str, items: list[str], depth: int) -> str:
        if not items:
            return f"{pair[0]}{blank(depth) if kind == 'odd' else ''}{pair[1]}"
        parts = [
            f"{blank(depth + 1)}{item}{blank(depth + 1, new_line=False) if kind == 'odd' else ''}"
            for item in items
        ]
        comma = "," if last_comma and (kind != "odd" or by_chance.random() < 0.5) else ""
        return f"{pair[0]}{','.join(parts)}{comma}{blank(depth)}{pair[1]}"

    head = draw(st.sampled_from(["", "", "\ufeff"])) + blank(0, new_line=False)
    return f"{head}{text(draw(settings(ours=ours)), 0)}{draw(st.sampled_from(['', end, end * 2]))}"


def pruned(said: Any, is_ours: Callable[[dict[str, Any]], bool]) -> Any:
    """Return settings without handlers of ours, nor what is empty for their lack or by itself below `hooks`."""
    hooks = {}
    for event, groups in said.get("hooks", {}).items():
        left = []
        for group in groups:
            handlers = [each for each in group["hooks"] if not is_ours(each)]
            if handlers:
                left.append(group | {"hooks": handlers})
        if left:
            hooks[event] = left
    rest = {key: item for key, item in said.items() if key != "hooks"}
    return rest | ({"hooks": hooks} if hooks else {})
