"""Documents that people and agents really wrote survive being read, rendered, read and rendered again.

The documents are not ours and lie beside the checkout. Tests specs/projections.md (P-8…P-15, P-23…P-27).
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from documents.reading.any_document import read_documents
from documents.reading.blocks import split_blocks
from documents.reading.memory_file import DocumentContext, read_memory_file
from documents.reading.topic_files import read_topic_file
from documents.writing.overflow import Selection
from ledger.errors import RecordError
from ledger.hidden_characters import referred
from ledger.memory import Memory
from projections.settings import RenderSettings
from tests.documents.real_files import FOLDER, each_of
from tests.documents.writing.rendering import render_memory, render_topic
from tests.projections.made_up import NOW, standing

FILES = (
    sorted(path for path in FOLDER.rglob("*") if path.suffix in (".md", ".mdc")) if FOLDER.is_dir() else []
)
UNCUT = RenderSettings(overflow=False, decay=False)

needs_data = pytest.mark.skipif(not FILES, reason="the real documents are not beside this checkout")


def _read(data: bytes) -> list[Memory]:
    proposals = read_memory_file(split_blocks(data), DocumentContext("MEMORY.md"))
    return [proposal.memory for proposal in proposals if proposal.memory is not None]


def _rendered(memories: list[Memory]) -> bytes:
    entries = [standing(memory, number) for number, memory in enumerate(memories)]
    return render_memory(Selection(tuple(entries)), 0, UNCUT, NOW)


@needs_data
@each_of(FILES)
def test_a_rendering_read_again_renders_to_the_same_bytes(path: Path) -> None:
    try:
        memories = _read(path.read_bytes())
    except RecordError:
        pytest.skip("not UTF-8")
    rendering = _rendered(memories)
    assert _rendered(_read(rendering)) == rendering


@needs_data
@each_of(FILES)
def test_no_line_of_a_document_is_lost(path: Path) -> None:
    """Every word of it stands in the rendering as often as before."""
    try:
        memories = _read(path.read_bytes())
    except RecordError:
        pytest.skip("not UTF-8")
    said = Counter(referred(word) for memory in memories for word in _words(memory))
    shown = Counter(_rendered(memories).decode().split())
    missing = {word: count for word, count in said.items() if shown[word] < count}
    assert not missing


def _words(memory: Memory) -> list[str]:
    if memory.type == "note":
        return memory.body.split()
    return " ".join((memory.text, *memory.details)).split()


@needs_data
def test_the_fields_of_topic_files_are_read_back() -> None:
    read = [d for d in read_documents([FOLDER], lambda _path, _error: None) if d.kind == "topic"]
    single = [d.proposals[0].memory for d in read if len(d.proposals) == 1 and not d.warnings]
    memories = [memory for memory in single if memory is not None and memory.title]
    assert memories
    for memory in memories:
        data = render_topic(memory.topic, [standing(memory, 1)], UNCUT, NOW)
        proposals, warnings = read_topic_file(data, "x.md", memory.topic)
        again = proposals[0].memory
        assert again is not None
        assert warnings == ()
        assert (again.title, again.when_to_use, again.tags) == (memory.title, memory.when_to_use, memory.tags)
        assert (again.importance, again.extra) == (memory.importance, memory.extra)
