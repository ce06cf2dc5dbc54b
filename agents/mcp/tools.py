"""The nine tools as a client sees them: names, arguments, what each may do, and when an agent is to call it.

Implements specs/doors.md (G-41). Names of arguments are those that memory tools of agents have (`maxResults`, `from`).
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from mcp.server.elicitation import ElicitationResult
from mcp.server.mcpserver import Resolve
from mcp.types import ToolAnnotations
from pydantic import Field

from agents.mcp import elicitation, proposing, read_tools, write_tools
from agents.mcp.schemas import Confirmed, Deleted, History, Hits, Piece, Saved, Verification
from agents.mcp.serving import CallContext, MemoryServer, caller_of, server_of
from agents.mcp.write_tools import Wish
from ledger.memory import MOST_FROM

BasisArgument = Annotated[
    Literal["asked", "stated", "fixed", "observed"],
    Field(
        description="Its basis. asked: the user told you to remember it. stated: the user said it. fixed: an error, "
        "and what made it go away. observed: you found it out; it becomes a candidate that a person must accept."
    ),
]
Text = Annotated[
    str,
    Field(
        description="One line that can be understood alone in a later session: who, what, where; no 'it' or 'today'."
    ),
]
ReasonArgument = Annotated[str, Field(description="Why, in one line: what the user said, or what you saw.")]
Sure = Annotated[
    float | None, Field(ge=0, le=1, description="How sure you are, if less than the basis says.")
]
ScopeArgument = Literal["user", "project", "local"]
Id = Annotated[str, Field(description="8 hex digits or more of a memory's id, as memory_search gives them.")]
Details = Annotated[list[str], Field(description="Lines below the text.")]


def save_memory(
    *,
    text: Text,
    basis: BasisArgument,
    ctx: CallContext,
    scope: Annotated[
        ScopeArgument | None,
        Field(
            description="user: true of the user everywhere; project: of this project; local: of this "
            "machine. Default: project inside of one."
        ),
    ] = None,
    type: Literal["fact", "preference", "decision", "note", "identity", "commitment"] | None = None,
    section: Annotated[
        str,
        Field(
            description="User Preferences, Project Conventions, Error Patterns, Tool Usage, Architecture Decisions, "
            "Workflow, People & Roles, or a heading of its own. Default: by type."
        ),
    ] = "",
    details: Details = [],
    importance: Literal["low", "medium", "high", "critical"] | None = None,
    tags: list[str] = [],
    topic: Annotated[str, Field(description="A slug path (auth/login) for knowledge of one subject.")] = "",
    title: Annotated[str, Field(description="The topic entry's heading.")] = "",
    body: Annotated[str, Field(description="The topic entry's markdown.")] = "",
    whenToUse: Annotated[
        list[str], Field(description="Phrases of tasks for which the topic is worth reading.")
    ] = [],
    confidence: Sure = None,
    reason: ReasonArgument = "",
    from_: Annotated[
        list[str], Field(max_length=MOST_FROM, description="Ids of the memories that you made it from.")
    ] = [],
) -> Saved:
    """Remember something for later sessions.

    Save what the user wants remembered or corrects, and what will hold in a later session: preferences, decisions,
    conventions, errors with their fix. Not: what only this task needs, guesses, secrets, contact data. What contradicts
    an automatic memory replaces it; what contradicts a person's own becomes a candidate. At most 10 a session, 25 an hour.
    """
    members = {
        "type": type,
        "section": section,
        "details": tuple(details),
        "importance": importance,
        "tags": tuple(tags),
        "topic": topic,
        "title": title,
        "body": body,
        "when_to_use": tuple(whenToUse),
    }
    wish = Wish(text, basis, scope or "", confidence, reason, members, from_)
    with server_of(ctx).ledgers.opened() as now:
        return write_tools.save(now, caller_of(ctx), wish)


def supersede_memory(
    *,
    id: Id,
    text: Text,
    basis: BasisArgument,
    ctx: CallContext,
    alsoReplaces: Annotated[list[str], Field(description="Ids of others that become one with it.")] = [],
    details: Annotated[
        list[str] | None, Field(description="Lines below the text; if omitted, they stay.")
    ] = None,
    confidence: Sure = None,
    reason: ReasonArgument = "",
) -> Saved:
    """Replace a memory that is no longer true with the current truth. Its other members stay, its history is kept.

    A person's memory is not replaced: yours becomes a candidate beside it, and the person decides.
    """
    members: dict[str, Any] = {"details": None if details is None else tuple(details)}
    wish = Wish(text, basis, confidence=confidence, reason=reason, members=members)
    with server_of(ctx).ledgers.opened() as now:
        return write_tools.supersede(now, caller_of(ctx), [id, *alsoReplaces], wish)


def propose_memories(
    items: Annotated[list[proposing.SessionItem], Field(min_length=1, max_length=proposing.MOST)],
    ctx: CallContext,
) -> proposing.SessionOutcome:
    """Remember what a whole session taught, in one call: at the end of the work, or before the context is compacted.

    Go through what the user said: preferences, conventions, decisions, corrections, facts that hold in later sessions. Most
    sessions teach one thing or nothing. Search first. If an item makes a memory untrue, put that memory's id in its `replaces`.
    Each item is judged by itself.
    """
    with server_of(ctx).ledgers.opened() as now:
        return proposing.propose(now, caller_of(ctx), items)


def confirm_memory(
    id: Id,
    answer: Annotated[ElicitationResult[elicitation.Agreement], Resolve(elicitation.ask_to_confirm)],
    ctx: CallContext,
    reason: ReasonArgument = "",
) -> Confirmed:
    """Confirm that a memory is still true, because the user said so or you just checked it. Reading it confirms nothing.

    Only a person can accept a candidate, whoever filed it: you, another agent, or a teammate's commit. They are asked
    first; if your client cannot ask, it waits for them.
    """
    with server_of(ctx).ledgers.opened() as now:
        return elicitation.confirm(now, caller_of(ctx), id, reason, answer, asked=elicitation.can_ask(ctx))


def delete_memory(
    id: Id,
    answer: Annotated[ElicitationResult[elicitation.Agreement], Resolve(elicitation.ask)],
    ctx: CallContext,
) -> Deleted:
    """Forget a memory, when the user wants that. The user is asked first; if your client cannot ask, the request waits.

    If something replaces it, use supersede_memory.
    """
    with server_of(ctx).ledgers.opened() as now:
        return elicitation.delete(now, caller_of(ctx), id, answer, asked=elicitation.can_ask(ctx))


def memory_search(
    query: Annotated[
        str,
        Field(
            description='Words, "phrases", beginnings*, and filters: type: section: tag: topic: author: since: until: status:candidate.'
        ),
    ],
    ctx: CallContext,
    maxResults: Annotated[int, Field(ge=1, le=50)] = 10,
    minScore: Annotated[
        float, Field(ge=0, le=1, description="Leave out what scores less; the best has 1.")
    ] = 0,
) -> Hits:
    """Find memories of all scopes by their words, best first. Search before you say that something is not known."""
    with server_of(ctx).ledgers.opened() as now:
        return read_tools.search(now, caller_of(ctx), query, maxResults, minScore)


def memory_get(
    ctx: CallContext,
    id: Annotated[str, Field(description="8 hex digits or more of a memory's id.")] = "",
    path: Annotated[str, Field(description="A document: MEMORY.md, or a path that memory_search gave.")] = "",
    from_: Annotated[int, Field(ge=1, description="The first line, from 1.")] = 1,
    lines: Annotated[int | None, Field(ge=1, le=2000, description="How many; default 400.")] = None,
) -> Piece:
    """Read a memory in full, with where it comes from, or a document, or some of its lines."""
    with server_of(ctx).ledgers.opened() as now:
        return read_tools.get(now, caller_of(ctx), id, path, first=from_, lines=lines or 0)


def memory_history(id: Id, ctx: CallContext) -> History:
    """Show all versions of a memory: when each came, from whom, why, and what was done to it."""
    with server_of(ctx).ledgers.opened() as now:
        return read_tools.history(now, caller_of(ctx), id)


def memory_verify(
    ctx: CallContext,
    scope: Annotated[ScopeArgument | None, Field(description="One ledger; default: all.")] = None,
    sinceMark: Annotated[bool, Field(description="Only what is new; quick in a long ledger.")] = False,
) -> Verification:
    """Check that nothing in the ledgers was changed, cut off or forged. Repairs nothing."""
    with server_of(ctx).ledgers.opened() as now:
        return read_tools.verify(now, scope or "", since_mark=sinceMark)


READS = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
ADDS = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
REPLACES = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=False
)
FORGETS = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False
)
"""Saying a thing again changes nothing; a second supersede of one id is refused; a second delete finds nothing."""
ALWAYS = {"anthropic/alwaysLoad": True}
"""Claude Code shows its model these tools from the start; the others it finds when it looks for them."""


def add_to(server: MemoryServer) -> None:
    """Register the tools."""
    server.add_tool(save_memory, title="Remember", annotations=ADDS, meta=ALWAYS)
    server.add_tool(supersede_memory, title="Replace a memory", annotations=REPLACES)
    server.add_tool(propose_memories, title="Remember a session", annotations=REPLACES)
    server.add_tool(confirm_memory, title="Confirm a memory", annotations=ADDS)
    server.add_tool(delete_memory, title="Forget a memory", annotations=FORGETS)
    server.add_tool(memory_search, title="Search memories", annotations=READS, meta=ALWAYS)
    server.add_tool(memory_get, title="Read a memory or document", annotations=READS)
    server.add_tool(memory_history, title="History of a memory", annotations=READS)
    server.add_tool(memory_verify, title="Verify the ledgers", annotations=READS)
