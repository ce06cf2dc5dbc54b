"""Reads the entries of a topic file that a rendering of ours wrote: heading, byline, text, sub-bullets, body.

Implements specs/import.md (I-27, I-28); `documents.reading.topic_units` reads one that a person edited. The frontmatter above
is their union: shared members apply to each entry, and members that a file has once go to the first entry.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from documents.reading.blocks import (
    Block,
    is_blank,
    split_blocks,
    split_lines,
    summary,
    trimmed,
    unescape_heading,
)
from documents.reading.memory_file import is_plain, without_guard
from ledger.errors import RecordError
from ledger.lazy_pattern import lazy_pattern
from ledger.memory import Memory, Provenance
from projections.layout import is_day

_SHARED = ("when_to_use", "tags", "importance")
_BYLINE = lazy_pattern(r"(?:\[\?\] )?\*by (\S(?:.*\S)?), (\d{4}-\d{2}-\d{2})\*")


@dataclass(slots=True)
class Frontmatter:
    """A frontmatter: the members that it sets, the lines that stay YAML, its summary, its type, and partly read members."""

    members: dict[str, Any] = field(default_factory=dict)
    extra: list[str] = field(default_factory=list)
    said: str = ""
    kind: str = "fact"
    partly: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class TopicEntry:
    """One entry: the words of its heading, the name and the day of its byline, its source, the blocks below.

    `by` and `day` are "" without a byline, as in a person's own entry.
    """

    heading: str
    by: str
    day: str
    source: str
    below: tuple[Block, ...]


def begins_entries(lines: Sequence[str], at: int) -> bool:
    """Return whether the first lines from `at` that are not blank are an entry's heading and byline (I-27)."""
    said = (line for line in lines[at:] if not is_blank(line))
    heading, byline = next(said, ""), next(said, "")
    return heading.startswith("## ") and _byline(byline) is not None


def read_entries(
    front: Frontmatter, body: str, file: str, topic: str, unescape: Callable[[str], str]
) -> list[Memory]:
    """Return the memories of our topic file in its order; none if it is not one.

    Args:
        front: its frontmatter.
        body: the text below, without blank lines around it.
        file: its relative name, for the provenance.
        topic: the slug path.
        unescape: as in `documents.reading.any_document.read_document`.
    """
    if not begins_entries(split_lines(body), 0):
        return []
    entries = list(_entries(split_blocks(body.encode())))
    if not entries:
        return []
    title = front.members.get("title", "")
    named = next((number for number, entry in enumerate(entries) if _is_title(title, entry)), None)
    is_default = title == topic.rpartition("/")[2].replace("-", " ").capitalize()
    # The frontmatter has the first title, or else the topic's name: entries before the one with that heading
    # have no title, and their heading is their text.
    titled = named if named is not None else len(entries) if is_default else 0
    shared = {name: front.members[name] for name in _SHARED if name in front.members}
    memories = []
    for number, entry in enumerate(entries):
        memory = entry_memory(entry, unescape, title if number == named else "", titled=number >= titled)
        where = Provenance(file=file, agent=entry.by, date=entry.day)
        memories.append(memory._replace(topic=topic, provenance=where, **shared))
    memories[0] = _with_front(
        memories[0], front, entries[0], lost="" if named is not None or is_default else title
    )
    return memories


def _entries(blocks: Sequence[Block]) -> Iterator[TopicEntry]:
    """Cut a body where a heading of the second level and a byline are at the top level."""
    heads = [at for at in range(len(blocks)) if is_head(blocks[at : at + 3])]
    for at, end in zip(heads, [*heads[1:], len(blocks)], strict=True):
        yield entry_of(blocks[at:end])


def entry_of(blocks: Sequence[Block]) -> TopicEntry:
    """Return the entry of these blocks: a heading, a byline, the text below; each may be missing."""
    source = "".join(block.source for block in blocks)
    if not blocks or not _is_heading(blocks[0]):
        return TopicEntry("", "", "", source, tuple(blocks))
    byline, at = ("", ""), 1
    if is_head(blocks[:3]):
        byline, at = _byline(blocks[2].source) or byline, 3
    return TopicEntry(_words(blocks[0]), *byline, source, tuple(_from_words(blocks[at:])))


def is_head(blocks: Sequence[Block]) -> bool:
    """Return whether three blocks are the heading and byline with which a rendering begins an entry (I-27)."""
    if len(blocks) < 3 or not _is_heading(blocks[0]):
        return False
    return [block.kind for block in blocks[1:]] == ["blank", "verbatim"] and _byline(
        blocks[2].source
    ) is not None


def _is_heading(block: Block) -> bool:
    return block.level == 2 and block.source.startswith("## ")


def _byline(line: str) -> tuple[str, str] | None:
    match = _BYLINE.fullmatch(line.rstrip("\r\n"))
    return (match[1], match[2]) if match and is_day(match[2]) else None


def _words(heading: Block) -> str:
    """Return a heading's words without spaces and tabs around them, but with other white space that the parser strips."""
    words = unescape_heading(heading.source.rstrip("\r\n")[2:].strip(" \t"))
    return words if words.strip() == heading.text.strip() else heading.text


def _is_title(title: str, entry: TopicEntry) -> bool:
    return bool(title) and title.strip(" \t") == entry.heading


def entry_memory(
    entry: TopicEntry, unescape: Callable[[str], str], title: str = "", *, titled: bool
) -> Memory:
    """Return the memory of an entry.

    Args:
        entry: it has a heading.
        unescape: as in `documents.reading.any_document.read_document`.
        title: its title from the frontmatter, or "" if it must be found.
        titled: whether its heading is its title if a text of one line follows; otherwise the heading is its text.
    """
    blocks, text = list(entry.below), ""
    if titled and (text := _text(blocks, unescape)) not in ("", entry.heading):
        blocks = list(_from_words(blocks[1:]))
        title = title or entry.heading
    else:
        text = entry.heading
    details = list(takewhile(_is_detail, blocks))
    rest = blocks[len(details) :]
    if rest and rest[0].kind != "blank":
        details, rest = [], blocks
    body = trimmed([line for block in rest for line in split_lines(block.source)])
    if details:
        body = without_guard(body)
    memory = Memory(text, details=tuple(unescape(block.text) for block in details), title=title, body=body)
    try:
        memory.to_payload()
    except RecordError:
        return Memory(summary(entry.source), body=entry.source)
    return memory


def _text(blocks: Sequence[Block], unescape: Callable[[str], str]) -> str:
    """Return the text below a byline: a paragraph of one line; or ""."""
    if not blocks or blocks[0].kind != "verbatim" or (len(blocks) > 1 and blocks[1].kind != "blank"):
        return ""
    line = blocks[0].source.rstrip("\r\n")
    return unescape(line) if is_plain(line) else ""


def _is_detail(block: Block) -> bool:
    return block.simple and not block.details and not block.body and block.source.startswith("- ")


def _from_words(blocks: Sequence[Block]) -> Iterator[Block]:
    """Yield the blocks from the first one that is not blank."""
    at = next((at for at, block in enumerate(blocks) if block.kind != "blank"), len(blocks))
    yield from blocks[at:]


def _with_front(memory: Memory, front: Frontmatter, entry: TopicEntry, *, lost: str) -> Memory:
    """Return the first memory with the members that its file has once: custom fields, time and place of learning.

    A member that contradicts its byline stays as a comment; `lost`, a title without an entry, as a custom field (P-23).
    """
    where, left = memory.provenance, []
    date, agent = front.members.get("date", ""), front.members.get("agent", "")
    if date[:10] == entry.day:
        where = where._replace(date=date)
    elif date:
        left.append(f"# discoveredAt: {date}\n")
    if agent.strip() == entry.by:
        where = where._replace(agent=agent)
    elif agent:
        left.append(f"# discoveredBy: {agent}\n")
    if lost:
        left.append(f"title: {json.dumps(lost, ensure_ascii=False)}\n")
    where = where._replace(task=front.members.get("task", ""))
    extra = "".join([*left, *front.extra])
    return memory._replace(provenance=where, extra=extra if extra.strip() else "", type=front.kind)
