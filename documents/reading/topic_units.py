"""Reads a topic file that a person edited: its frontmatter, and its entries with keys to recognize them.

Implements specs/editing.md (D-19, D-20). Unlike an import, it knows the blocks of the renderings that the file
may descend from: each such block is one entry, whatever its body looks like.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from documents.reading.blocks import Block, split_blocks, split_lines, summary, without_blanks
from documents.reading.memory_units import Key, Unit
from documents.reading.topic_entries import Frontmatter, TopicEntry, entry_memory, entry_of, is_head
from documents.reading.topic_files import read_front, record_memory
from ledger.errors import RecordError
from ledger.memory import Memory, Provenance

_LONGEST = 64
"""How many headings an entry of a rendering has at most."""


@dataclass(frozen=True, slots=True)
class TopicUnit(Unit):
    """An entry of a topic file: `memory` if its heading is its text, `as_titled` if its heading is its title."""

    entry: TopicEntry | None = None
    as_titled: Memory | None = None


def read_topic_units(
    data: bytes,
    file: str,
    topic: str,
    key: Key,
    *,
    known: Collection[bytes],
    headings: Collection[str],
    unescape: Callable[[str], str],
) -> tuple[list[TopicUnit], Frontmatter | None]:
    """Return a topic file's entries in its order, and its frontmatter, None if there is none.

    Args:
        data: the document.
        file: its path relative to the folder.
        topic: the slug path.
        key: makes the key of a block.
        known: the keys of the blocks of its renderings.
        headings: second-level headings in the bodies of its entries; they open no entry.
        unescape: as in `documents.reading.any_document.read_document`.

    Raises:
        RecordError: as `documents.reading.blocks.decode`; or the frontmatter cannot be read.
    """
    blocks = [block for block in split_blocks(data, file) if block.kind != "bom"]
    front = None
    if blocks and blocks[0].kind == "frontmatter":
        lines = split_lines(blocks.pop(0).source)
        read = read_front("".join(lines[1:-1]))
        if isinstance(read, str):
            raise RecordError(
                f"{file}: the frontmatter cannot be read: {read}; nothing of it was imported;"
                " fix it and import it again"
            )
        front = read
    where = Provenance(file=file)
    stretch = without_blanks(blocks)
    if front is not None and stretch and _is_record(stretch):
        return [_record(stretch, front, key, topic, file)], front
    reading = _Cutting(blocks, key, known, headings)
    units = [_unit(stretch, key, unescape, topic, where) for stretch in reading.entries()]
    return units, front


def _is_record(blocks: Sequence[Block]) -> bool:
    """Return whether the markdown below a frontmatter is one record by a person, not a rendering (D-19)."""
    return blocks[0].level != 2 and not any(is_head(blocks[at : at + 3]) for at in range(len(blocks)))


def _record(blocks: Sequence[Block], front: Frontmatter, key: Key, topic: str, file: str) -> TopicUnit:
    source = "".join(block.source for block in blocks)
    memory = record_memory(replace(front, members=dict(front.members)), source, file, topic)
    return TopicUnit(source, key(source), blocks[0].line, memory, as_titled=memory)


class _Cutting:
    """Cuts the blocks of a file into those of its entries."""

    def __init__(
        self, blocks: Sequence[Block], key: Key, known: Collection[bytes], headings: Collection[str]
    ) -> None:
        self._blocks = blocks
        self._key = key
        self._known = known
        self._headings = headings
        self._cuts = [at for at, block in enumerate(blocks) if block.level == 2]
        self._cuts.append(len(blocks))

    def entries(self) -> Iterator[Sequence[Block]]:
        """Yield the blocks of each entry, without blank ones around them."""
        yield from self._standing(0, self._cuts[0])
        number = 0
        while number < len(self._cuts) - 1:
            end = self._known_end(number) or self._changed_end(number)
            yield from self._standing(self._cuts[number], self._cuts[end])
            number = end

    def _standing(self, begin: int, end: int) -> Iterator[Sequence[Block]]:
        blocks = without_blanks(self._blocks[begin:end])
        if blocks and summary("".join(block.source for block in blocks)):
            yield blocks

    def _known_end(self, number: int) -> int | None:
        """Return the number of the cut at which a rendered block that begins at this cut ends, or None."""
        for end in range(min(len(self._cuts) - 1, number + _LONGEST), number, -1):
            blocks = without_blanks(self._blocks[self._cuts[number] : self._cuts[end]])
            if self._key("".join(block.source for block in blocks)) in self._known:
                return end
        return None

    def _changed_end(self, number: int) -> int:
        """Return the number of the cut at which an entry that is no rendered block ends."""
        end = number + 1
        while end < len(self._cuts) - 1 and not self._opens(end):
            end += 1
        return end

    def _opens(self, number: int) -> bool:
        """Return whether a heading inside a changed entry begins another entry."""
        at = self._cuts[number]
        if is_head(self._blocks[at : at + 3]) or self._known_end(number) is not None:
            return True
        return self._blocks[at].source.rstrip("\r\n") not in self._headings


def _unit(
    blocks: Sequence[Block], key: Key, unescape: Callable[[str], str], topic: str, where: Provenance
) -> TopicUnit:
    entry = entry_of(blocks)
    stale = is_head(blocks[:3]) and blocks[2].source.startswith("[?] ")
    memory = titled = Memory(summary(entry.source), body=entry.source)
    if entry.heading:
        memory = entry_memory(entry, unescape, titled=False)
        titled = entry_memory(entry, unescape, titled=True)
        if titled.body != entry.source:
            titled = titled._replace(title=titled.title or entry.heading)
    memory, titled = (each._replace(topic=topic, provenance=where) for each in (memory, titled))
    return TopicUnit(
        entry.source, key(entry.source), blocks[0].line, memory, stale, entry=entry, as_titled=titled
    )
