"""Whole documents as bytes, of the pieces that `documents.writing` gives."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from documents.writing.daily import day_pieces
from documents.writing.markdown import DocumentPiece, joined, memory_pieces, overflow_pieces
from documents.writing.topics import topic_pieces


def _rendering(pieces: Callable[..., Iterable[DocumentPiece]]) -> Callable[..., bytes]:
    def render(*given: Any) -> bytes:
        return joined(pieces(*given))

    return render


render_day, render_memory = _rendering(day_pieces), _rendering(memory_pieces)
render_overflow, render_topic = _rendering(overflow_pieces), _rendering(topic_pieces)
