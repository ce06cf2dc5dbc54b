"""Reads a chain file as the tree of its heads, checked link by link.

Implements specs/proofs.md (T-1, T-33, T-35). A line ends where an LF does, and a head where the quote after its signature
stands (specs/event.md, E-11).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache

from ledger import reader
from ledger.errors import ChainError, NotFoundError
from ledger.event import event_id, split_line
from ledger.lazy_pattern import lazy_pattern
from ledger.progress import Progress
from proofs.merkle import TILE, TILE_LEVEL, Levels, Tree, leaf_hash, levels_of
from proofs.outline import Outline

_SIG = b',"sig":"'
_AFTER = len(_SIG) + 86 + 1
"""From where `,"sig":"` begins to the end of the head."""
_PREV = b',"prev":'
_ROTATE = b',"kind":"rotate",'
_ANCHOR = b',"kind":"anchor",'
_CHANGED = "the chain changed, or is not linked: run muniment verify"
_TILES_AT_HAND = 4
_SEQ = lazy_pattern(rb'"seq":(0|[1-9][0-9]{0,15}),')


class ReadChain:
    """A chain file, read once from its beginning: where its lines stand, and the tree of its heads.

    `keys` are the seqs of the genesis and of every rotate, `anchors` those of the anchor events, `tip` is the id of the
    newest event. Of each `TILE` events only the end and the hash over all are kept; they are read again if they are
    asked for, and must have this hash.

    Args:
        fd: the file, which must be open as long as lines are asked for.
        stop: the byte to read up to, where a line ends; by default the end of the last whole line.
        progress: told of the bytes read.
        outline: what was kept of its beginning, which is not read again if it is as it was.

    Raises:
        ChainError: a line does not name the one before it.
        NotFoundError: there is none.
        StorageError: the disk cannot read it.
    """

    def __init__(
        self,
        fd: int,
        stop: int | None = None,
        progress: Progress | None = None,
        outline: Outline | None = None,
    ) -> None:
        self._fd = fd
        self._end = reader.end_of_lines(fd, 0, os.fstat(fd).st_size) if stop is None else stop
        self._tile = lru_cache(_TILES_AT_HAND)(self._read)
        self._leaves: list[bytes] = []
        self.outline, self.tip = Outline([], [], [], []), ""
        if outline and outline.hashes and outline.ends[-1] <= self._end:
            self.outline = outline
            try:
                self.tip = event_id(_head_of(self._tile(len(outline.hashes) - 1)[0][-1]))
            except ChainError:
                self.outline = Outline([], [], [], [])
        at = begun = self.outline.ends[-1] if self.outline.ends else 0
        for lines in _blocks(fd, begun, self._end):
            for raw in lines:
                at += len(raw) + 1
                self._take(raw, at)
            if progress:
                progress(at - begun, self._end - begun)
        if not len(self):
            raise NotFoundError("the chain has no event")

    @property
    def keys(self) -> list[int]:
        """The seqs of the genesis and of every rotate."""
        return self.outline.keys

    @property
    def anchors(self) -> list[int]:
        """The seqs of the anchor events."""
        return self.outline.anchors

    def _take(self, raw: bytes, end: int) -> None:
        """Take in a line, which ends at the byte `end`.

        When the last id is known to be right, every head is the one that was signed. The name `prev` stands in no
        other place of a head, and no string of a head holds a quote (E-17, E-18).
        """
        head = _head_of(raw)
        link = b',"prev":"%s",' % self.tip.encode() if self.tip else b',"prev":null,'
        if not head.startswith(link, head.find(_PREV)):
            raise ChainError(_CHANGED)
        if not self.tip or _ROTATE in head:
            self.keys.append(len(self))
        elif _ANCHOR in head:
            self.anchors.append(len(self))
        self.tip = event_id(head)
        self._leaves.append(leaf_hash(head))
        if len(self._leaves) == TILE:
            self.outline.hashes.append(levels_of(self._leaves)[TILE_LEVEL][0])
            self.outline.ends.append(end)
            self._leaves = []

    def __len__(self) -> int:
        """Return the number of events."""
        return len(self.outline.hashes) * TILE + len(self._leaves)

    @cached_property
    def tree(self) -> Tree:
        """The tree of the heads."""
        return Tree(self.outline.hashes, lambda number: self._tile(number)[1])

    def _read(self, number: int) -> tuple[list[bytes], Levels]:
        """Read a tile again: its lines and its levels; raises ChainError where it has another hash."""
        hashes, ends = self.outline.hashes, self.outline.ends
        start = ends[number - 1] if number else 0
        stop = ends[number] if number < len(ends) else self._end
        lines = [raw for some in _blocks(self._fd, start, stop) for raw in some]
        levels = levels_of([leaf_hash(_head_of(raw)) for raw in lines])
        whole = len(lines) == TILE and number < len(hashes) and levels[TILE_LEVEL] == [hashes[number]]
        if not whole and levels[0] != self._leaves:
            raise ChainError(_CHANGED)
        return lines, levels

    def line(self, seq: int) -> bytes:
        """Return the line with this number, without its LF; raises NotFoundError where there is none."""
        if not 0 <= seq < len(self):
            raise NotFoundError(f"the chain has no event @{seq}")
        return self._tile(seq // TILE)[0][seq % TILE]

    def head(self, seq: int) -> bytes:
        """Return the head of the line with this number; raises NotFoundError where there is none."""
        return split_line(self.line(seq)).head


def _head_of(raw: bytes) -> bytes:
    return raw[: raw.find(_SIG) + _AFTER]


def _blocks(fd: int, at: int, stop: int) -> Iterator[Sequence[bytes]]:
    """Yield the lines from the byte `at` up to `stop`, where one ends, in lists."""
    rest = b""
    while at < stop:
        block = reader.read_at(fd, min(reader.BLOCK, stop - at), at)
        if not block:
            return
        at += len(block)
        lines = block.split(b"\n")
        lines[0] = rest + lines[0]
        rest = lines.pop()
        yield lines


def seq_of(head: bytes) -> int:
    """Return the seq that a head says it has; -1 where it says none."""
    found = _SEQ.search(head)
    return int(found[1]) if found else -1
