"""Maps an entry of a memory-chain to a memory: type, tier, text, body and origin.

Implements specs/doors.md (G-51, G-54, G-55).
"""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType

from documents.memory_chain.checking import CHAIN, CheckedChain, MemoryChainEntry, read_config
from documents.memory_chain.javascript_json import parse
from documents.other_memories.foreign_records import LeftOut, metadata, origin_line, text_and_body
from ledger.memory import SOURCES, Memory, Provenance

TYPES = MappingProxyType(
    {"memory": "fact", "identity": "identity", "decision": "decision", "relationship": "fact"}
)
"""The types of entries; memory-chain itself never writes `relationship`, but other writers may."""

TIERS = MappingProxyType({"committed": "committed", "relationship": "curated", "ephemeral": "daily"})
TOOL = "memory-chain"
PEOPLE = "People & Roles"
_REDACTION = "redaction"
_SESSIONS = ("session", "sessionId", "session_id")


def memories(chain: CheckedChain, left_out: LeftOut) -> Iterator[tuple[MemoryChainEntry, Memory]]:
    """Yield the memories of a checked chain in its order.

    Raises:
        FormatError: a text changed since it was checked.
    """
    agent = _agent(chain)
    redacted = {_target(chain, entry) for entry in chain.entries if entry.type == _REDACTION}
    for entry in chain.entries:
        if _is_genesis(entry) or entry.type == _REDACTION:
            continue
        content = chain.content(entry)
        if entry.seq in redacted:
            left_out.add("redacted there, and left out")
        elif content is None:
            left_out.add("without a text, though nothing there says that it was redacted; left out")
        elif (record := memory_of(content, entry.type, entry.tier)) is None:
            left_out.add("without visible text; left out")
        else:
            if entry.type not in TYPES or entry.tier not in TIERS:
                left_out.add("of a type or tier that is not known, taken as a fact or as curated")
            yield entry, _with_origin(record, entry, agent)


def memory_of(content: str, type_: str, tier: str) -> Memory | None:
    """Return the memory of a text with a type and tier of memory-chain; None if it has no visible text."""
    text, body = text_and_body(content)
    if not text:
        return None
    section = PEOPLE if type_ == "relationship" else ""
    return Memory(
        text, body=body, type=TYPES.get(type_, "fact"), tier=TIERS.get(tier, "curated"), section=section
    )


def _with_origin(record: Memory, entry: MemoryChainEntry, agent: str) -> Memory:
    """Return a memory with its origin from the entry.

    A daily note gets only the day, so that two equal entries of a day are one memory (M-8).
    """
    said = entry.metadata
    session = next((said[name] for name in _SESSIONS if isinstance(said.get(name), str)), "")
    provenance = Provenance(
        message=entry.hash,
        session=origin_line(session),
        agent=agent,
        tool=TOOL,
        file=CHAIN,
        date=entry.ts[:10] if record.tier == "daily" else origin_line(entry.ts),
    )
    source = said.get("source")
    return record.with_changes(
        source=source if source in SOURCES else "auto",
        provenance=provenance,
        extra=metadata(said),
    )


def _is_genesis(entry: MemoryChainEntry) -> bool:
    return entry.seq == 0 and entry.metadata.get("genesis") is True


def _agent(chain: CheckedChain) -> str:
    """Return the agent's name from the first entry, which is signed, or else from the settings."""
    said: object = None
    if chain.entries and _is_genesis(chain.entries[0]):
        said = _member(chain.content(chain.entries[0]), "agentName")
    said = said if isinstance(said, str) else read_config(chain.folder).get("agentName")
    return origin_line(said) if isinstance(said, str) else ""


def _target(chain: CheckedChain, entry: MemoryChainEntry) -> int | None:
    """Return the seq of the entry whose text a redaction removed."""
    said = entry.metadata.get("target_seq", _member(chain.content(entry), "target_seq"))
    return int(said) if isinstance(said, float) and said.is_integer() else None


def _member(text: str | None, name: str) -> object:
    try:
        value = parse(text or "")
    except ValueError:
        return None
    return value.get(name) if isinstance(value, dict) else None
