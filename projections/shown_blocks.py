"""The blocks of a rendering: for each its entry, and a key that recognizes the block.

Implements specs/editing.md (D-1, D-2). The key is a MAC under a secret of this machine, so that nobody can recover an
erased text from the record of an old rendering.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import lru_cache

from blake3 import blake3

from ledger.lazy_pattern import lazy_pattern
from ledger.named_tuple import NamedTuple

_ID, _KEY = 16, 8
BLOCK_SIZE = _ID + _KEY + 1
"""Bytes of a packed block."""
_STALE_MARK, _GONE_MARK, _PLAIN_MARK = 1, 2, 4
_OF_PLAIN = bytes((_PLAIN_MARK, _PLAIN_MARK | _STALE_MARK))
_NO_LINES = bytes(_KEY)
_STALE = lazy_pattern(r"- \[\?\] |## [^\n]*\n\n\[\?\] \*by ")


class ShownBlock(NamedTuple):
    """A block of a rendering.

    The first 32 hex digits of its entry's id, its key (b"" without lines), and whether it was marked as stale; `gone`
    if somebody removed it whose edits do not count yet (D-25).
    """

    id: str
    key: bytes
    stale: bool
    gone: bool = False


def digest(data: bytes) -> str:
    """Return the digest that recognizes a rendered file."""
    return blake3(data).hexdigest()


@lru_cache(maxsize=4)
def key_maker(secret: bytes) -> Callable[[str], bytes]:
    """Return the function from a block's text to its key; it ignores line ends and blank lines around the text."""

    @lru_cache(maxsize=1024)
    def key(text: str) -> bytes:
        lines = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
        return blake3(lines.encode(), key=secret).digest(_KEY)

    return key


def blocks_of(pieces: Iterable[tuple[str, str]], key: Callable[[str], bytes]) -> list[ShownBlock]:
    """Return the blocks of a document, in its order."""
    return [
        ShownBlock(id_[: 2 * _ID], key(text) if text else b"", _STALE.match(text) is not None)
        for id_, text in pieces
        if id_
    ]


def packed(blocks: Iterable[ShownBlock], *, plain: bool = False) -> bytes:
    """Return blocks as bytes, for local.db; `plain` if they are all the blocks of a plain rendering (P-58)."""
    found = bytearray()
    for block in blocks:
        found += bytes.fromhex(block.id[: 2 * _ID]) + (block.key or _NO_LINES)
        found.append(block.stale * _STALE_MARK | block.gone * _GONE_MARK | (_PLAIN_MARK if plain else 0))
    return bytes(found)


def packed_pieces(pieces: Iterable[tuple[str, str]], key: Callable[[str], bytes], *, plain: bool) -> bytes:
    """Return the packed blocks of a document, in its order."""
    return b"".join([_packed_piece(id_, text, key, plain=plain) for id_, text in pieces if id_])


@lru_cache(maxsize=1024)
def _packed_piece(id_: str, text: str, key: Callable[[str], bytes], *, plain: bool) -> bytes:
    return packed(blocks_of([(id_, text)], key), plain=plain)


def not_in(data: bytes, others: bytes) -> bytes:
    """Return the packed blocks that are not among others."""
    known = set(_each(others))
    return b"".join([block for block in _each(data) if block not in known])


def _each(data: bytes) -> list[bytes]:
    return [data[at : at + BLOCK_SIZE] for at in range(0, len(data), BLOCK_SIZE)]


def is_plain(data: bytes) -> bool:
    """Return whether all these blocks were packed as plain and none is gone."""
    return not data[BLOCK_SIZE - 1 :: BLOCK_SIZE].translate(None, _OF_PLAIN)


def position_of(id_: str, data: bytes) -> int:
    """Return the position of a memory's block in packed blocks, -1 without one."""
    wanted = bytes.fromhex(id_[: 2 * _ID])
    at = data.find(wanted)
    while at >= 0 and at % BLOCK_SIZE:
        at = data.find(wanted, at + 1)
    return at // BLOCK_SIZE if at >= 0 else -1


def shows_any(ids: Collection[bytes], data: bytes) -> bool:
    """Return whether packed blocks show one of these memories, each given by the first 16 bytes of its id."""
    return any(data[at : at + _ID] in ids for at in range(0, len(data), BLOCK_SIZE))


def keys_of(blocks: Iterable[ShownBlock]) -> list[tuple[bytes, str]]:
    """Return the keys of blocks that have lines, with the beginnings of their ids."""
    return [(block.key, block.id[: 2 * _ID]) for block in blocks if block.key]


def unpacked(data: bytes) -> list[ShownBlock]:
    """Reverse `packed`: return the blocks in the document's order."""
    found = []
    for at in range(0, len(data) - BLOCK_SIZE + 1, BLOCK_SIZE):
        id_, key, marks = data[at : at + _ID], data[at + _ID : at + _ID + _KEY], data[at + BLOCK_SIZE - 1]
        found.append(
            ShownBlock(
                id_.hex(),
                b"" if key == _NO_LINES else key,
                bool(marks & _STALE_MARK),
                bool(marks & _GONE_MARK),
            )
        )
    return found
