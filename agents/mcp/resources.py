"""Resources that a client can read or attach, and the prompts: the injected section, and the end of a session.

Implements specs/doors.md (G-43). Everything is read when it is asked for.
"""

from __future__ import annotations

from typing import Annotated, Any

import orjson
from pydantic import Field

import muniment
from agents.mcp.call_ledgers import Ledgers
from agents.mcp.elicitation import can_ask
from agents.mcp.inert_documents import document
from agents.mcp.read_tools import get
from agents.mcp.schemas import event_of, timeline_line
from agents.mcp.serving import CallContext, MemoryServer, caller_of, server_of
from ledger.errors import NotFoundError
from projections.event_names import writer_json
from projections.prompt_questions import BY_TOOL
from projections.query import LogFilter

NEWEST = 200
"""So many events of the timeline are given."""

MARKDOWN, JSON = "text/markdown", "application/json"


def memory_md(ledgers: Ledgers) -> str:
    """Return MEMORY.md of every scope."""
    with ledgers.opened() as now:
        return _text(document(now, "MEMORY.md").lines)


def topic(slug: str, ctx: CallContext) -> str:
    """Return what is known of one topic; slug is its path, as codebase-structure/auth-module."""
    with server_of(ctx).ledgers.opened() as now:
        return _text(document(now, f"memories/{slug}.md").lines)


def event(id: str, ctx: CallContext) -> str:
    """Return one event of the log, and the memory that it made, if it made one."""
    with server_of(ctx).ledgers.opened() as now:
        for memory in now.scopes.values():
            try:
                row = memory.recall.event(id)
            except NotFoundError:
                continue
            told: dict[str, Any] = {"id": row.id, "scope": memory.workspace.place.scope, "seq": row.seq}
            told["writer"] = writer_json(memory.workspace.index, row)
            told |= event_of(row).model_dump() | {"targets": list(row.targets)}
            if memory.workspace.index.entry(row.id) is not None:
                told["memory"] = get(now, caller_of(ctx), row.id).model_dump(exclude={"id", "scope"})
            return orjson.dumps(told, option=orjson.OPT_INDENT_2).decode()
    raise NotFoundError(f"no event has an id that begins with {id}: memory://timeline shows the newest")


def timeline(ledgers: Ledgers) -> str:
    """Return the newest events of all scopes, the newest last."""
    with ledgers.opened() as now:
        found = [
            (
                row.at,
                timeline_line(
                    row, scope, entry.status if (entry := memory.workspace.index.entry(row.id)) else ""
                ),
            )
            for scope, memory in now.reading()
            for row in memory.log(LogFilter(limit=NEWEST))
        ]
        found.sort(key=lambda each: each[0])
        return _text([line for _, line in found[-NEWEST:]])


def memories(
    ctx: CallContext,
    task: Annotated[str, Field(description="What you are about to do; selects what matters for it.")] = "",
) -> str:
    """Return what is remembered for a task, as muniment inject prints it."""
    with server_of(ctx).ledgers.opened() as now:
        answered = BY_TOOL if can_ask(ctx) else None
        scopes, asked = list(now.scopes.values()), caller_of(ctx)
        injection = muniment.inject(scopes, task, agent=asked.name, answered=answered, session=asked.session)
        return injection.text or "Nothing is remembered for this yet."


def end_of_session() -> str:
    """Ask the agent to go through the session and to propose once what it taught."""
    return (
        "Go through this conversation. List what the user said that would change what an agent does or knows weeks from now: "
        "preferences, standing instructions, conventions, decisions, corrections, facts. Leave out tasks, questions, plans for "
        "today, what you said yourself, what was pasted, and secrets. Look up each one with memory_search. Leave out what is already "
        "stored. If an item makes a memory untrue, put that memory's id in `replaces`. Then call propose_memories once with "
        "what is left, in the user's own words. If nothing is left, say so and call nothing."
    )


def add_to(server: MemoryServer) -> None:
    """Register resources and prompts."""
    ledgers = server.ledgers  # the SDK tells only a template of the request
    about = "What is remembered, in every scope, each with its id."
    server.resource("memory://memory.md", name="memory.md", description=about, mime_type=MARKDOWN)(
        lambda: memory_md(ledgers)
    )
    about = f"The newest {NEWEST} events: what was learned, changed and forgotten, when, and by whom."
    server.resource("memory://timeline", name="timeline", description=about, mime_type=MARKDOWN)(
        lambda: timeline(ledgers)
    )
    about = "What is known about one topic; slug is its path, such as codebase-structure/auth-module."
    server.resource("memory://topic/{+slug}", name="topic", description=about, mime_type=MARKDOWN)(topic)
    about = "One event of the log by 8 digits or more of its id, with the memory that it made."
    server.resource("memory://event/{id}", name="event", description=about, mime_type=JSON)(event)
    server.prompt("memories", title="Memories for a task")(memories)
    server.prompt("end_of_session", title="Remember what this session taught")(end_of_session)


def _text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
