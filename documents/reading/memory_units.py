"""Reads MEMORY.md, an overflow file or a daily note as units, one for each possible entry, with their lines.

Implements specs/editing.md (D-4, D-6, D-30). Unlike an import, it keeps the source of each unit, to compare it with the
block of a rendering.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from documents.reading.blocks import Block, split_blocks, summary_of_note, without_blanks
from documents.reading.memory_file import (
    LINKS,
    DocumentContext,
    MemoryFileReading,
    is_marked,
    is_our_link,
    without_links,
)
from ledger.memory import SECTIONS, Memory

_GUARD = "<!-- -->"
_LONGEST = 64
"""How many blocks a note of a rendering has at most."""

Key = Callable[[str], bytes]
"""Returns the key of a block's text, the same whatever its line ends and the blank lines around it."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A possible entry: its source, its key, its first line (from 1), its memory; `stale` if it has the stale mark."""

    source: str
    key: bytes
    line: int
    memory: Memory
    stale: bool = False


def read_units(
    data: bytes, page: DocumentContext, key: Key, known: Collection[bytes]
) -> tuple[list[Unit], dict[str, int]]:
    """Return a document's units in its order, and the person's own headings with their lines (from 1).

    Args:
        data: the document.
        page: the context of the document.
        key: makes the key of a block.
        known: the keys of the rendering's blocks: adjacent text is cut at each of them.

    Raises:
        RecordError: as `documents.reading.blocks.decode`.
    """
    blocks = list(without_links(split_blocks(data, page.file), replace(page, is_imported=lambda _: True)))
    reading = _Units(page, key, known, _our_links(blocks))
    for block in blocks:
        reading.take(block)
    reading.flush()
    return reading.units, reading.headings


def _our_links(blocks: Sequence[Block]) -> int:
    """Return the line of the heading of our own Links, 0 if there is none: the last such heading before a link of ours."""
    line = 0
    for at, block in enumerate(blocks):
        if block.kind == "heading" and block.level == 2 and block.text == LINKS:
            first = next((each for each in blocks[at + 1 :] if each.kind != "blank"), None)
            if first is not None and first.kind == "bullet" and is_our_link(LINKS, first):
                line = block.line
    return line


class _Units:
    def __init__(self, page: DocumentContext, key: Key, known: Collection[bytes], our_links: int) -> None:
        self._page = page
        self._our_links = our_links
        self._in_our_links = False
        self._key = key
        self._known = known
        self._reading = MemoryFileReading(page)
        self._pending: list[Block] = []
        self.headings: dict[str, int] = {}
        self.units: list[Unit] = []

    def take(self, block: Block) -> None:
        """Take the next block."""
        if block.kind == "heading":
            self.flush()
            self._heading(block)
        elif block.kind == "bullet":
            self.flush()
            if is_our_link(LINKS if self._in_our_links else self._reading.section, block):
                return
            memory = self._reading.read_bullet(block) if block.simple else None
            if memory is None:
                self._add([block])
            else:
                self.units.append(
                    Unit(block.source, self._key_of(block), block.line, memory, is_marked(block))
                )
        elif block.kind == "frontmatter":
            self._add([block])
        elif block.kind == "verbatim" or (block.kind == "blank" and self._pending):
            self._pending.append(block)

    def _key_of(self, block: Block) -> bytes:
        """Return the key of a simple bullet as a rendering writes it, whatever its signs and indents (P-9)."""
        if block.body:
            return self._key(block.source)
        return self._key("".join([f"- {block.text}\n", *(f"  - {detail}\n" for detail in block.details)]))

    def _heading(self, block: Block) -> None:
        """Open a section; any other heading is the first line of a note in the section that is open (D-4).

        The heading of our Links opens no section: text below it belongs to the section above (D-30).
        """
        if block.line == self._our_links:
            self._in_our_links = True
            return
        self._in_our_links = self._in_our_links and block.level > 2
        if block.level == 1 and block.text == self._page.title:
            return
        if block.level == 2 and self._reading.opens(block):
            if self._page.day or self._reading.section not in SECTIONS:
                self.headings.setdefault(self._reading.section, block.line)
            return
        self._pending = [block]

    def flush(self) -> None:
        """Make units of the text since the last bullet or heading (D-6)."""
        blocks, self._pending = self._pending, []
        while blocks and blocks[-1].kind == "blank":
            blocks.pop()
        if blocks and blocks[0].source.strip() == _GUARD and len(blocks) > 1:
            blocks = blocks[2:] if blocks[1].kind == "blank" else blocks[1:]
        for stretch in self._cut(blocks):
            self._add(stretch)

    def _cut(self, blocks: Sequence[Block]) -> Iterator[Sequence[Block]]:
        """Cut a stretch at the blocks of the rendering; the text between two of them is one note."""
        begin = at = 0
        while at < len(blocks):
            end = self._end_of_known(blocks, at)
            if end is None:
                at += 1
                continue
            if begin < at:
                yield blocks[begin:at]
            yield blocks[at:end]
            begin = at = end
        if begin < len(blocks):
            yield blocks[begin:]

    def _end_of_known(self, blocks: Sequence[Block], at: int) -> int | None:
        if blocks[at].kind == "blank":
            return None
        for end in range(min(len(blocks), at + _LONGEST), at, -1):
            if blocks[end - 1].kind == "blank":
                continue
            if self._key("".join(block.source for block in blocks[at:end])) in self._known:
                return end
        return None

    def _add(self, blocks: Sequence[Block]) -> None:
        blocks = without_blanks(blocks)
        body = "".join(block.source for block in blocks)
        if text := summary_of_note(body):
            memory = self._reading.stand(Memory(text, body=body, type="note"))
            self.units.append(Unit(body, self._key(body), blocks[0].line, memory))
