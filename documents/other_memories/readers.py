"""Names the reader of each program whose memory is imported.

Implements specs/import.md (I-31).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from documents.memory_chain import mapping as memory_chain
from documents.memory_chain.checking import CHAIN, USUAL, read_chain
from documents.other_memories import (
    basic_memory_notes,
    chatgpt_memories,
    claude_mem_database,
    mem0_export,
    server_memory_graph,
)
from documents.other_memories.foreign_records import ForeignSource, LeftOut
from documents.reading.any_document import OnError
from ledger.signing import verify_signature
from projections import commonmark


class ForeignReader(NamedTuple):
    """A reader, and a description of the PATH that it takes."""

    usual: str
    read: Callable[[Path, OnError], Iterable[ForeignSource]]


def _memory_chain(path: Path, _on_error: OnError) -> list[ForeignSource]:
    """Read a folder that passes the checks of G-52; each text is read when it is imported."""
    chain, left_out = read_chain(path, verify_signature), LeftOut()
    found = ((entry.line, memory) for entry, memory in memory_chain.memories(chain, left_out))
    return [ForeignSource(chain.folder / CHAIN, memory_chain.TOOL, found, left_out)]


def _of_one_file(usual: str, read: Callable[[Path], ForeignSource]) -> ForeignReader:
    return ForeignReader(usual, lambda path, _on_error: [read(path)])


READERS: Mapping[str, ForeignReader] = MappingProxyType(
    {
        memory_chain.TOOL: ForeignReader(f"the folder of a memory-chain, usually {USUAL}", _memory_chain),
        mem0_export.TOOL: _of_one_file(mem0_export.USUAL, mem0_export.read_mem0),
        basic_memory_notes.TOOL: ForeignReader(
            basic_memory_notes.USUAL,
            lambda path, on_error: basic_memory_notes.read_basic_memory(path, on_error, commonmark.unescape),
        ),
        claude_mem_database.TOOL: _of_one_file(
            claude_mem_database.USUAL, claude_mem_database.read_claude_mem
        ),
        server_memory_graph.TOOL: _of_one_file(
            server_memory_graph.USUAL, server_memory_graph.read_server_memory
        ),
        chatgpt_memories.TOOL: _of_one_file(chatgpt_memories.USUAL, chatgpt_memories.read_chatgpt_memories),
    }
)
"""The programs by their names in `import --from`, in the order of its help."""
