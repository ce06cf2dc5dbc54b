"""Reads a chain file as the tree of its heads, checked link by link.

Implements specs/proofs.md (T-1, T-33). A line ends where an LF does, and a head where the quote after its signature
stands (specs/event.md, E-11).
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterator, Sequence
from functools import cached_property

from ledger import reader
from ledger.errors import ChainError, NotFoundError
from ledger.event import event_id, split_line
from ledger.lazy_pattern import lazy_pattern
from ledger.progress import Progress
from proofs.merkle import Tree, leaf_hash

_SIG = b',"sig":"'
_AFTER = len(_SIG) + 86 + 1
"""From where `,"sig":"` begins to the end of the head."""
_PREV = b',"prev":'
_ROTATE = b',"kind":"rotate",'
_ANCHOR = b',"kind":"anchor",'
_SEQ = lazy_pattern(rb'"seq":(0|[1-9][0-9]{0,15}),')


class ReadChain:
    """A chain file, read once from its beginning: where its lines stand, and the tree of its heads.

    `keys` are the seqs of the genesis and of every rotate, `anchors` those of the anchor events, `tip` is the id of the
    newest event.

    Args:
        fd: the file, which must be open as long as lines are asked for.
        stop: the byte to read up to, where a line ends; by default the end of the last whole line.
        progress: told of the bytes read.

    Raises:
        ChainError: a line does not name the one before it.
        NotFoundError: there is none.
        StorageError: the disk cannot read it.
    """

    def __init__(self, fd: int, stop: int | None = None, progress: Progress | None = None) -> None:
        self._fd = fd
        self._ends = array("Q", [0])
        self._leaves: list[bytes] = []
        self.keys: list[int] = []
        self.anchors: list[int] = []
        self.tip = ""
        stop = reader.end_of_lines(fd, 0, os.fstat(fd).st_size) if stop is None else stop
        for lines in _blocks(fd, stop):
            for raw in lines:
                self._take(raw)
            if progress:
                progress(self._ends[-1], stop)
        if not self._leaves:
            raise NotFoundError("the chain has no event")

    def _take(self, raw: bytes) -> None:
        """Take in a line.

        When the last id is known to be right, every head is the one that was signed. The name `prev` stands in no
        other place of a head, and no string of a head holds a quote (E-17, E-18).
        """
        head = raw[: raw.find(_SIG) + _AFTER]
        link = b',"prev":"%s",' % self.tip.encode() if self.tip else b',"prev":null,'
        if not head.startswith(link, head.find(_PREV)):
            raise ChainError("the chain changed, or is not linked: run muniment verify")
        if not self.tip or _ROTATE in head:
            self.keys.append(len(self._leaves))
        elif _ANCHOR in head:
            self.anchors.append(len(self._leaves))
        self.tip = event_id(head)
        self._leaves.append(leaf_hash(head))
        self._ends.append(self._ends[-1] + len(raw) + 1)

    def __len__(self) -> int:
        """Return the number of events."""
        return len(self._leaves)

    @cached_property
    def tree(self) -> Tree:
        """The tree of the heads."""
        return Tree(self._leaves)

    def line(self, seq: int) -> bytes:
        """Return the line with this number, without its LF; raises NotFoundError where there is none."""
        if not 0 <= seq < len(self):
            raise NotFoundError(f"the chain has no event @{seq}")
        return reader.line_at(self._fd, self._ends[seq], self._ends[seq + 1])

    def head(self, seq: int) -> bytes:
        """Return the head of the line with this number; raises NotFoundError where there is none."""
        return split_line(self.line(seq)).head


def _blocks(fd: int, stop: int) -> Iterator[Sequence[bytes]]:
    """Give the lines up to the byte `stop`, where one ends, in lists."""
    at, rest = 0, b""
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
