"""How a change looks, by word or by line: with signs everywhere, and in red and green as well on a terminal.

Implements specs/cli.md (X-59, X-323) and specs/projections.md (P-98).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cli.app import App
from language.printable import plain
from ledger.memory import Memory
from projections.difference import MemberDifference, changed_members
from projections.word_diff import CAME, SAME, WENT, Stretch, changed_lines, word_changes

_MARKS = {WENT: ("[-", "-]"), CAME: ("{+", "+}")}
_COLORS = {WENT: "red", CAME: "green"}


def plus_line(app: App, line: str) -> str:
    """Return a line that comes, or came."""
    return f"{app.style('+', fg=_COLORS[CAME])} {line}"


def minus_line(app: App, line: str) -> str:
    """Return a line that goes, or went."""
    return f"{app.style('-', fg=_COLORS[WENT])} {line}"


def marked(app: App, changes: Iterable[Stretch]) -> str:
    """Return what was kept, what went and what came as one line."""
    return "".join(_marked(app, kind, plain(text)) for kind, text in changes)


def marked_text(app: App, old: str, new: str) -> str:
    """Return what became of a text of one line."""
    return marked(app, word_changes(old, new))


def member_lines(app: App, old: Memory, new: Memory) -> Iterator[str]:
    """Yield what became of all members but the text: a line each, and of longer ones the lines that changed."""
    for member in changed_members(old, new):
        if member.name != "text":
            yield from _of_member(app, member)


def _of_member(app: App, member: MemberDifference) -> Iterator[str]:
    name = member.name.replace("_", " ")
    lines = [marked(app, line) for line in changed_lines(word_changes(member.old, member.new))]
    if "\n" in member.old.rstrip("\n") or "\n" in member.new.rstrip("\n"):
        yield f"{name}:"
        yield from (f"  {line}" for line in lines)
    else:
        yield f"{name}: {''.join(lines)}"


def _marked(app: App, kind: str, text: str) -> str:
    if kind == SAME:
        return text
    begin, end = _MARKS[kind]
    return app.style(f"{begin}{text}{end}", fg=_COLORS[kind])
