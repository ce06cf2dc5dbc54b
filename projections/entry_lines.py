"""One entry as it stands in a document of sections: a bullet, a bullet with its body, or a verbatim block.

Implements specs/projections.md (P-9, P-13, P-15). Pure.
"""

from __future__ import annotations

from typing import NamedTuple

from ledger.fold import Entry
from projections import commonmark

STALE = "[?] "


class Block(NamedTuple):
    """An entry in a section: whole lines, if blank lines go around them, if they are indented."""

    text: str
    loose: bool = False
    indented: bool = False


def bullet_lines(entry: Entry, stale_before: str) -> list[str]:
    """Return an entry as a bullet with its sub-bullets, a line each, without line ends (P-9).

    Args:
        entry: any entry.
        stale_before: as `RenderSettings.stale_before` returns it.
    """
    memory = entry.memory
    mark = STALE if entry.fresh_since < stale_before else ""
    lines = [f"- {mark}{commonmark.escape(memory.text)}"]
    if memory.details:
        lines += [f"  - {commonmark.escape(detail)}" for detail in memory.details]
    return lines


def block_of(entry: Entry, stale_before: str) -> Block:
    """Return an entry as it stands in a section: a bullet, a bullet with its body, or a verbatim block.

    A note whose body is blank is a block without lines: only the heading that it keeps is seen.
    """
    memory = entry.memory
    if not memory.body:
        return Block("\n".join(bullet_lines(entry, stale_before)) + "\n")
    body = commonmark.trimmed(memory.body)
    if memory.type == "note":
        if not body:
            return Block("")
        if (standing := commonmark.verbatim(body)) is not None:
            is_item = standing.startswith("- ") and standing.count("\n") == 1
            return Block(standing, loose=not is_item, indented=body[0] in " \t")
    bullet = "\n".join(bullet_lines(entry, stale_before)) + "\n"
    return Block(f"{bullet}\n{commonmark.indented(body)}", loose=True) if body else Block(bullet)
