"""Cuts a stream of bytes into lines and reads their JSON; the size of both is bounded.

Implements specs/capture.md (K-6, K-12, K-13). Pure.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

import orjson

from ledger.named_tuple import NamedTuple

LONGEST_LINE = 32 << 20
"""A longer line or JSON document is not read; in bytes."""
_CHUNK = 1 << 18


class TranscriptLine(NamedTuple):
    """One line: its offset, the offset of the next line, its bytes (None: too long), and whether it has a line end."""

    start: int
    end: int
    data: bytes | None
    ended: bool


def lines(stream: Iterable[bytes], start: int) -> Iterator[TranscriptLine]:
    """Yield the lines of a stream whose first byte is at offset `start` of its file; read a file in pieces.

    A line that is too long needs no memory beyond the limit.
    """
    parts: list[bytes] = []
    begin = at = start
    size = 0
    for chunk in _chunks(stream):
        here = 0
        while (stop := chunk.find(b"\n", here)) >= 0:
            size += stop - here
            data = None if size > LONGEST_LINE else b"".join((*parts, chunk[here:stop]))
            here = stop + 1
            yield TranscriptLine(begin, at + here, data, True)
            parts, size, begin = [], 0, at + here
        rest = chunk[here:] if here else chunk
        size += len(rest)
        if size > LONGEST_LINE:
            parts = []
        elif rest:
            parts.append(rest)
        at += len(chunk)
    if size:
        yield TranscriptLine(begin, at, None if size > LONGEST_LINE else b"".join(parts), False)


def _chunks(stream: Iterable[bytes]) -> Iterable[bytes]:
    """Return pieces of bounded size if the stream is a file, since its lines may have any length."""
    read = getattr(stream, "read1", None) or getattr(stream, "read", None)
    return stream if read is None else iter(lambda: read(_CHUNK), b"")


def value_of(data: bytes) -> object:
    """Return the JSON value of these bytes. Halves of surrogate pairs, which programs cut off, become question marks.

    Raises:
        ValueError: they are not JSON.
    """
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        try:
            value = json.loads(data.decode("utf-8-sig", "replace"))
            return orjson.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
        except RecursionError:
            raise ValueError("it is nested too deep") from None


def opens_document(data: bytes) -> bool:
    """Return whether a line that is not JSON may begin a JSON document of many lines."""
    text = data.strip()
    return text[:1] in (b"[", b"{") and (len(text) < 3 or text.endswith((b"{", b"[", b",", b"}")))
