"""Reads the memory that Claude Code keeps for a project by itself: an index MEMORY.md, and a file a topic.

Implements specs/doors.md (G-63). Each file is read as `import` reads it. An entry of the index that only links to another
file is skipped, and so is a title alone. An agent wrote these memories, so their `source` is auto.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from documents.reading.any_document import Document, OnError, Unescape, read_documents
from ledger.lazy_pattern import lazy_pattern
from ledger.memory import Memory

AGENT = "claude-code"
"""The name of the agent that wrote them, and of the folder's kind."""

_LEADS_TO = lazy_pattern(r"\[[^\]]*\]\((?:\./)?(?P<file>[^)\s#]+\.mdc?)\)(?:\s*(?:[—–:-]|-{2}).*)?")
_TITLE = lazy_pattern(r"#[ \t][^\r\n]*[\r\n]*")
_TYPE = lazy_pattern(r"^[ \t]*type:[ \t]*[\"']?(?P<type>[a-z]+)", re.MULTILINE)
_TYPES = {"user": "preference", "feedback": "preference"}
"""What the types of Claude Code's own frontmatter are here; `project` and `reference` are facts."""


def read_claude_memory(
    folder: Path, on_error: OnError | None = None, unescape: Unescape = str
) -> Iterator[tuple[Document, list[Memory]]]:
    """Yield each document of the folder with its memories.

    Args:
        folder: `projects/<slug>/memory` of Claude Code's.
        on_error: as in `read_documents`.
        unescape: as in `read_documents`.

    Raises:
        NotFoundError, RecordError, StorageError: as `read_documents`.
    """
    documents = list(read_documents([folder], on_error, unescape))
    names = {document.path.name for document in documents}
    for document in documents:
        said = [proposal.memory for proposal in document.proposals if proposal.memory is not None]
        yield document, [_as_agents(memory) for memory in said if not _says_nothing(memory, names)]


def _says_nothing(memory: Memory, names: set[str]) -> bool:
    """Return whether a block is only a title, or only links to another file of the folder."""
    if memory.topic:
        return False
    if memory.body:
        return _TITLE.fullmatch(memory.body) is not None
    leads = _LEADS_TO.fullmatch(memory.text)
    return leads is not None and leads["file"] in names and not memory.details


def _as_agents(memory: Memory) -> Memory:
    where = memory.provenance._replace(file=f"memory/{memory.provenance.file}", agent=AGENT)
    kind = memory.type
    if memory.topic and kind == "fact" and (named := _TYPE.search(memory.extra)):
        kind = _TYPES.get(named["type"], kind)
    return memory._replace(source="auto", type=kind, provenance=where)
