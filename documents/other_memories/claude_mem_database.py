"""Reads the database of claude-mem: its observations in sessions of coding agents, and its summaries.

Implements specs/import.md (I-35).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from documents.memory_chain.javascript_json import parse
from documents.other_memories import source_files
from documents.other_memories.foreign_records import (
    ForeignSource,
    LeftOut,
    fits,
    metadata,
    origin_line,
    readable,
    text_and_body,
)
from ledger.errors import FormatError
from ledger.memory import Memory, Provenance

TOOL = "claude-mem"
USUAL = "claude-mem's database, usually ~/.claude-mem/claude-mem.db"
_NEEDED = ("id", "memory_session_id", "project", "created_at")
_SUMMARY = {
    "request": "",
    "investigated": "Investigated: ",
    "learned": "Learned: ",
    "completed": "Completed: ",
    "next_steps": "Next steps: ",
    "notes": "Notes: ",
}
"""The parts of a summary in their order, each with its prefix."""

_LISTS = ("concepts", "files_read", "files_modified", "files_edited")

Sessions = Mapping[str, tuple[str, str]]
"""The conversation and the agent of each session, by claude-mem's id."""


def read_claude_mem(path: Path) -> ForeignSource:
    """Read a database.

    Raises:
        NotFoundError, StorageError, FormatError: as `source_files`; nothing of it was read.
    """
    if not source_files.is_database(path, USUAL):
        raise FormatError(
            source_files.RULE, f"{path} is not a SQLite database, and nothing was imported; give {USUAL}"
        )
    left_out, projects = LeftOut(), Counter[str]()
    found: list[tuple[int | None, Memory]] = []
    with source_files.database(path, USUAL) as db:
        sessions = _sessions(db)
        tables = (
            ("observations", "observation", ("type", "title"), _observation),
            ("session_summaries", "summary", ("request",), _summary),
        )
        for table, word, more, read in tables:
            for row in db.rows(table, (*_NEEDED, *more)):
                record = f"{word} {row['id']}"
                if memory := read(row):
                    found.append((None, _with_origin(memory, row, record, path, sessions)))
                    projects[str(row["project"])] += 1
                else:
                    left_out.add("without a text that can be read; left out", record)
        for _ in db.rows("user_prompts", ()) if db.columns("user_prompts") else ():
            left_out.add("typed as prompts, and left out; muniment capture learns from the transcripts")
    warnings: tuple[str, ...] = ()
    if len(projects) > 1:
        named = ", ".join(f"{name} ({count})" for name, count in projects.most_common())
        warnings = (f"{path}: memories of {len(projects)} projects go to one ledger: {named}",)
    return ForeignSource(path, TOOL, found, left_out, warnings)


def _sessions(db: source_files.ForeignDatabase) -> Sessions:
    rows = db.rows("sdk_sessions", ()) if db.columns("sdk_sessions") else ()
    return {
        str(row.get("memory_session_id")): (
            origin_line(row.get("content_session_id")),
            origin_line(row.get("platform_source")),
        )
        for row in rows
    }


def _observation(row: Mapping[str, Any]) -> Memory | None:
    """Return an observation: its title, its facts as details, the rest as body; decisions are curated, others are daily."""
    words = [readable(row.get(name)) for name in ("title", "text", "subtitle", "narrative")]
    facts = [readable(each).strip() for each in _list(row.get("facts"))]
    details = [each for each in facts if each]
    if not fits(details=details):
        words, details = [*words, "\n".join(f"- {each}" for each in details)], []
    text, body = text_and_body("\n\n".join(filter(None, words)))
    if not text:
        return None
    kind, tier = ("decision", "curated") if row["type"] == "decision" else ("episode", "daily")
    kind = "fact" if row["type"] == "discovery" else kind
    return Memory(text, details=tuple(details), body=body, type=kind, tier=tier)


def _summary(row: Mapping[str, Any]) -> Memory | None:
    """Return the summary of a session as an episode in a daily note."""
    parts = [f"{word}{said}" for name, word in _SUMMARY.items() if (said := readable(row.get(name)))]
    text, body = text_and_body("\n\n".join(parts))
    return Memory(text, body=body, type="episode", tier="daily") if text else None


def _with_origin(
    memory: Memory, row: Mapping[str, Any], record: str, path: Path, sessions: Sessions
) -> Memory:
    id_ = str(row["memory_session_id"])
    conversation, agent = sessions.get(id_, ("", ""))
    at = origin_line(row["created_at"])
    said = {name: each for name in _LISTS if (each := _list(row.get(name)))}
    kind = {"type": row["type"]} if isinstance(row.get("type"), str) else {}
    project = origin_line(row["project"])
    is_daily = memory.tier == "daily"
    return memory.with_changes(
        source="auto",
        section=project if is_daily and fits(section=project) else "",
        extra=metadata({"project": project, **kind, **said}),
        provenance=Provenance(
            message=record,
            session=conversation or origin_line(id_),
            agent=agent,
            tool=TOOL,
            file=origin_line(path.name),
            date=at[:10] if is_daily else at,
        ),
    )


def _list(value: object) -> list[Any]:
    """Return the texts of a JSON list; none for anything else."""
    try:
        given = parse(value) if isinstance(value, str) else []
    except ValueError:
        return []
    return [each for each in given if readable(each)] if isinstance(given, list) else []
