"""Patches an overflow file: inserts and removes only the lines of the memories that changed.

Implements specs/projections.md (P-58). Only a *plain* file can be patched: it has only bullets below fixed headings, and
no person placed one of them. `local.db` remembers which memories it shows in which order; the bytes are those of the last
rendering. If anything is not as expected, the whole file is rendered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from documents.writing.entry_lines import block_of, is_plain
from documents.writing.markdown import DocumentPiece
from ledger.fold import Entry
from ledger.named_tuple import NamedTuple
from projections import commonmark
from projections.index import Index
from projections.layout import RANK, order_key
from projections.shown_blocks import BLOCK_SIZE, ShownBlock, packed, position_of, unpacked

_ALWAYS = "~"
"""Sorts after every `fresh_since`, so that each is stale."""


class EntryChange(NamedTuple):
    """A changed memory of a file: whether the file may have had it (`stood`), and has it now (`stands`)."""

    entry: Entry
    stood: bool
    stands: bool


class Patched(NamedTuple):
    """A patched file: its bytes, its packed blocks for local.db, and the new ones among them."""

    data: bytes
    shown: bytes
    new: list[ShownBlock]


class DrawnPage:
    """A document to be written. Its pieces are drawn when they are first needed.

    Args:
        draw: its pieces, or a function that returns them and whether the document is plain.
        changes: the memories that may have changed since it was written; None if they are unknown.
        entries: how many entries it shows.
    """

    def __init__(
        self,
        draw: Callable[[], tuple[Iterable[DocumentPiece], bool]] | list[DocumentPiece],
        changes: Sequence[EntryChange] | None = None,
        entries: int = 0,
    ) -> None:
        self.changes = changes
        self.entries = entries
        self._draw = draw

    @cached_property
    def _drawn(self) -> tuple[list[DocumentPiece], bool]:
        if isinstance(self._draw, list):
            return self._draw, False
        pieces, plain = self._draw()
        return list(pieces), plain

    def forget(self) -> None:
        """Forget the pieces, which are large; they can be drawn again."""
        self.__dict__.pop("_drawn", None)

    @property
    def pieces(self) -> list[DocumentPiece]:
        """The whole document."""
        return self._drawn[0]

    @property
    def plain(self) -> bool:
        """Whether it can be patched."""
        return self._drawn[1]


class _UnsureError(Exception):
    """The lines of a memory are not where they are expected."""


class Drawing(NamedTuple):
    """The context for drawing lines: a caught-up index, the function for keys of blocks, and the limit of staleness."""

    source: Index
    key: Callable[[str], bytes]
    stale_before: str


def patched(page: DrawnPage, data: bytes, shown: bytes, drawing: Drawing) -> Patched | None:
    """Return a patched plain file, or None if the whole file must be rendered.

    Args:
        page: the document to write.
        data: the bytes of its last rendering.
        shown: its blocks, packed.
        drawing: the context for drawing lines.
    """
    changes = page.changes
    if changes is None or 4 * len(changes) * BLOCK_SIZE > len(shown):
        return None
    if not is_plain(change.entry for change in changes if change.stands):
        return None
    lines = _Lines(data, shown, drawing)
    try:
        for entry, stood, stands in changes:
            if stood:
                lines.take_out(entry)
            if stands:
                lines.put_in(entry)
    except _UnsureError:
        return None
    done = lines.done()
    return done if len(done.shown) == page.entries * BLOCK_SIZE else None


class _Lines:
    """A plain file while it is changed."""

    def __init__(self, data: bytes, shown: bytes, drawing: Drawing) -> None:
        self._data, self._shown = data, shown
        self._index, self._key, self._stale_before = drawing.source, drawing.key, drawing.stale_before
        self._new: dict[str, ShownBlock] = {}

    def done(self) -> Patched:
        return Patched(self._data, self._shown, list(self._new.values()))

    def take_out(self, entry: Entry) -> None:
        """Take the lines of a memory out, if it has any."""
        at = position_of(entry.id, self._shown)
        if at < 0:
            return
        if entry.status == "erased":
            self._cut_out(at)
        else:
            heading, text = self._at(at)
            above, below = self._beside(at - 1, heading), self._beside(at + 1, heading)
            self._replace(heading, (above, text, below), "", at_end=at + 1 == self._many)
        self._shown = self._shown[: at * BLOCK_SIZE] + self._shown[(at + 1) * BLOCK_SIZE :]

    def _cut_out(self, at: int) -> None:
        """Cut out the lines between two blocks of one heading, if they have the key of the erased block."""
        if not 0 < at < self._many - 1:
            raise _UnsureError
        (heading, above), (other, below) = self._at(at - 1), self._at(at + 1)
        start = self._only(f"\n{above}".encode()) + len(above.encode()) + 1
        end = self._data.find(f"\n{below}".encode(), start) + 1
        text = self._data[start:end].decode()
        (block,) = unpacked(self._shown[at * BLOCK_SIZE : (at + 1) * BLOCK_SIZE])
        if heading != other or not text or self._key(text) != block.key:
            raise _UnsureError
        self._data = self._data[:start] + self._data[end:]

    def _only(self, wanted: bytes) -> int:
        """Return the position of these bytes, which must occur once in the file."""
        at = self._data.find(wanted)
        if at < 0 or self._data.find(wanted, at + 1) >= 0:
            raise _UnsureError
        return at

    def put_in(self, entry: Entry) -> None:
        """Insert the lines of a memory."""
        at = self._place_of(entry)
        heading = entry.memory.heading
        above, below = self._beside(at - 1, heading), self._beside(at, heading)
        text = block_of(entry, self._stale_before).text
        self._replace(heading, (above, "", below), text, at_end=at == self._many)
        block = ShownBlock(entry.id[:32], self._key(text), entry.fresh_since < self._stale_before)
        cut = at * BLOCK_SIZE
        self._shown = self._shown[:cut] + packed([block], plain=True) + self._shown[cut:]
        self._new[block.id] = block

    def _place_of(self, entry: Entry) -> int:
        """Return the position for a memory; the search starts at the end, where most belong."""
        wanted = (RANK[entry.memory.heading], *_flat(entry))
        low = high = self._many
        step = 1
        while low and not self._order_at(low - 1) < wanted:
            high, low, step = low - 1, max(low - step, 0), step * 2
        while low < high:
            middle = (low + high) // 2
            if self._order_at(middle) < wanted:
                low = middle + 1
            else:
                high = middle
        return low

    def _order_at(self, at: int) -> tuple[int, str, str, str, str]:
        """Return the sort key of the block at a position."""
        found = self._index.order_of(self._shown[at * BLOCK_SIZE :][:16].hex())
        if found is None or found[0] not in RANK:
            raise _UnsureError
        return RANK[found[0]], *found[1:]

    def _at(self, at: int) -> tuple[str, str]:
        """Return the heading and the lines of the block at a place."""
        (block,) = unpacked(self._shown[at * BLOCK_SIZE : (at + 1) * BLOCK_SIZE])
        ids = self._index.ids(block.id)
        entry = next(iter(self._index.memories(ids)), None) if len(ids) == 1 else None
        if entry is None or not is_plain([entry]):
            raise _UnsureError
        text = block_of(entry, _ALWAYS if block.stale else "").text
        if self._key(text) != block.key:
            raise _UnsureError
        return entry.memory.heading, text

    def _beside(self, at: int, heading: str) -> str:
        """Return the lines of the block at a place, or ""."""
        if not 0 <= at < self._many:
            return ""
        found, text = self._at(at)
        return text if found == heading else ""

    @property
    def _many(self) -> int:
        """How many blocks there are."""
        return len(self._shown) // BLOCK_SIZE

    def _replace(self, heading: str, there: tuple[str, str, str], new: str, *, at_end: bool) -> None:
        """Replace the middle of `there` by `new`; `there` has the lines above (or ""), those of a memory, and those below.

        The last lines of a file (`at_end`) are not searched for: they are its end.
        """
        above, old, below = there
        if not above and not below:
            raise _UnsureError  # the heading comes or goes
        first = above or f"\n## {commonmark.escape_heading(heading)}\n\n"
        wanted = f"\n{first}{old}{below}".encode()
        at = len(self._data) - len(wanted)
        if not at_end or not self._data.endswith(wanted):
            at = self._only(wanted)
        self._data = b"".join(
            (self._data[:at], f"\n{first}{new}{below}".encode(), self._data[at + len(wanted) :])
        )


def _flat(entry: Entry) -> tuple[str, str, str, str]:
    """Return the sort key of an entry in its section, in the form of the index (P-6)."""
    (order_ts, order_id), ts, id_ = order_key(entry)
    return order_ts, order_id, ts, id_
