"""Reads the notes of basic-memory: each observation becomes a memory, and the rest of a note another one.

Implements specs/import.md (I-34). It reads a note as `import` reads a topic file, and changes no word.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from documents.other_memories.foreign_records import ForeignSource
from documents.reading.any_document import OnError, Unescape, read_documents
from documents.reading.blocks import Block, split_blocks, trimmed
from documents.reading.memory_file import DocumentContext, read_memory_file
from ledger.lazy_pattern import lazy_pattern
from ledger.memory import Memory
from projections import commonmark

TOOL = "basic-memory"
USUAL = "the folder of a project of basic-memory, usually ~/basic-memory"
_CATEGORY = lazy_pattern(r"\[([^\[\]()]+)\][ \t]+\S")
_CLOCK = lazy_pattern(r"\d{1,3}:\d{2}.*")
_TAG = lazy_pattern(r"(?:^|\s)#\S")
_NO_OBSERVATION = ("[[", "[ ]", "[x]", "[-]")
_TYPES = frozenset({"preference", "decision", "identity", "commitment"})
"""Categories that are also types of memories; for any other category the memory is a fact."""


def read_basic_memory(path: Path, on_error: OnError, unescape: Unescape) -> Iterator[ForeignSource]:
    """Read the notes of a folder, or one note.

    Args:
        path: the folder or the note.
        on_error: called for each note that cannot be read; the others are read.
        unescape: as in `read_documents`.

    Raises:
        NotFoundError: there is no such path.
    """
    for document in read_documents([path], on_error, unescape):
        source = ForeignSource(document.path, TOOL, [], warnings=document.warnings)
        said = [memory for proposal in document.proposals if (memory := proposal.memory) is not None]
        apart = [each for memory in said for each in _taken_apart(memory, unescape)]
        kept = [each for each in apart if not commonmark.is_bare(each.body or each.text)]
        source.titles = len(apart) - len(kept)
        source.memories = [(None, _of_an_agent(each)) for each in kept]
        yield source


def _taken_apart(memory: Memory, unescape: Unescape) -> list[Memory]:
    """Return the rest of a note and its observations."""
    blocks = split_blocks(memory.body.encode()) if memory.topic else ()
    observed = [block for block in blocks if _is_observation(block)]
    if not observed:
        return [memory]
    rest = trimmed([block.source for block in blocks if block not in observed])
    page = DocumentContext(memory.provenance.file, unescape=unescape)
    found = [each.memory for each in read_memory_file(observed, page) if each.memory is not None]
    found = [each.with_changes(topic=memory.topic, tags=memory.tags) for each in found]
    if not commonmark.is_bare(rest):
        return [memory.with_changes(body=rest), *found]
    # The note has nothing else: the rest counts as a title, and its fields go to the first observation.
    title = memory.with_changes(body=rest or f"# {memory.text}")
    return [title, found[0].with_changes(extra=memory.extra), *found[1:]]


def _is_observation(block: Block) -> bool:
    """Return whether a bullet is an observation for basic-memory: one line with a category or a tag."""
    if block.kind != "bullet" or not block.simple or block.text.startswith(_NO_OBSERVATION):
        return False
    return bool(_category(block.text) or _TAG.search(block.text))


def _category(text: str) -> str:
    """Return the category in brackets at the beginning of an observation; times and marks of tasks are not categories."""
    found = _CATEGORY.match(text)
    name = found[1].strip() if found else ""
    is_mark = len(name) == 1 and (not name.isalnum() or name in "xX")
    return "" if is_mark or _CLOCK.fullmatch(name) else name


def _of_an_agent(memory: Memory) -> Memory:
    kind = _category(memory.text).casefold()
    return memory.with_changes(
        type=kind if kind in _TYPES else memory.type,
        source="auto",
        provenance=memory.provenance._replace(tool=TOOL),
    )
