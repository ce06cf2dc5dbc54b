"""Checks that proposals account for a document: every line of it once, in order, and under its own heading.

Written against specs/import.md alone: it looks at lines with a few patterns and never asks
the readers' splitter.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from documents.proposal import Proposal
from ledger.memory import SECTIONS, Memory

_HEADING = re.compile(r" {0,3}##(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*")
_TITLE = re.compile(r" {0,3}#(?:[ \t].*)?")
_MARKS = re.compile(r"[-*+][ \t]+(?:\[\?\][ \t]+)*")
_AUTO = re.compile(r"[ \t]*<!--[ \t]*auto:[^<>]*-->$")


def lines_of(text: str) -> Iterator[str]:
    """Yield the lines in which something can be seen, without their ends."""
    for line in re.split(r"\r\n|\n|\r", text):
        if any(not c.isspace() and unicodedata.category(c) != "Cc" for c in line):
            yield line


def plain(line: str) -> str:
    """Return a line without a bullet's marker and without the marks that I-11 and I-15 take away."""
    said = line.strip(" \t")
    if marks := _MARKS.match(said):
        said = _AUTO.sub("", said[marks.end() :])
    return said


def said_by(memory: Memory) -> Iterator[str]:
    """Yield the lines that a rendering would show of a memory, plain."""
    if memory.type != "note":
        yield from (plain(f"- {line}") for line in (memory.text, *memory.details))
    yield from map(plain, lines_of(memory.body))


def heading_key(heading: str) -> str:
    """Return the words of a heading by which I-10 recognises a fixed section."""
    words = re.findall(r"\w+", heading.casefold())
    key = " ".join(word.removesuffix("s") for word in words if word != "and")
    return key if key in _FIXED else heading


_FIXED = {"user preference", "project convention", "error pattern", "tool usage", "architecture decision"} | {
    "correction",
    "workflow",
    "people role",
}
assert len(_FIXED) == len(SECTIONS)


def unaccounted(text: str, proposals: Iterable[Proposal], title: str) -> list[str]:
    """Return what is wrong: lines of the document that no proposal says in their place, or the reverse.

    Args:
        text: the document without its byte-order mark.
        proposals: what a reader of I-10…I-16, I-18 returned.
        title: the first-level heading that the rendering writes itself.
    """
    memories = [p.memory for p in proposals if p.memory is not None]
    sections = {heading_key(m.section) for m in memories}
    said = [(line, m) for m in memories for line in said_by(m)]
    faults, at, current = [], 0, ""
    for line in lines_of(text):
        match = _HEADING.fullmatch(line)
        heading = (match[1] or "") if match else None
        if at < len(said) and said[at][0] == plain(line):
            memory = said[at][1]
            at += 1
            if _TITLE.fullmatch(line) and not memory.section:
                current = ""
            if heading is not None and memory.section in ("", heading[:99].rstrip() + "…"):
                current = heading_key(memory.section)
            if heading_key(memory.section) != current:
                faults.append(f"under {memory.section!r}, not {current!r}: {line!r}")
        elif heading and heading_key(heading) in sections | _FIXED:
            current = heading_key(heading)
        elif line.strip(" \t").strip("#").strip(" \t") == title and _TITLE.fullmatch(line):
            current = ""
        else:
            faults.append(f"in no proposal at its place: {line!r}")
    return faults + [f"in the document only before, or not at all: {line!r}" for line, _ in said[at:]]


def rendered(proposals: Iterable[Proposal], title: str) -> str:
    """Return the memories as one document: frontmatter, fixed sections, own ones, blank lines between."""
    memories = [p.memory for p in proposals if p.memory is not None]
    front = memories.pop(0).body if memories and memories[0].body.startswith("---") else ""
    daily = any(m.tier == "daily" for m in memories)
    names = dict.fromkeys([*([] if daily else SECTIONS), *(_shelf(m, daily=daily) for m in memories)])
    parts = [front, f"# {title}\n"]
    for name in sorted(names, key=lambda name: name != "") if daily else names:
        inside = [m for m in memories if _shelf(m, daily=daily) == name]
        if inside and name:
            parts.append(f"\n## {name}\n\n")
        parts += [_block(m) for m in inside]
    return "".join(parts)


def _shelf(memory: Memory, *, daily: bool) -> str:
    return memory.section if daily else memory.effective_section


def _block(memory: Memory) -> str:
    body = memory.body + ("" if not memory.body or memory.body.endswith(("\n", "\r")) else "\n")
    if memory.type == "note":
        return "\n" + body + "\n"
    bullet = "".join([f"- {memory.text}\n", *(f"  - {detail}\n" for detail in memory.details)])
    return f"\n{bullet}\n{indented(body)}\n" if body else bullet


def indented(body: str) -> str:
    """Return a body as it stands below a bullet: two columns in, blank lines as they are."""
    lines = re.findall(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+", body)
    return "".join("  " + line if line.strip(" \t\r\n") else line for line in lines)
