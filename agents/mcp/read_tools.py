"""Search, get, history and verify for an agent.

Implements specs/doors.md (G-41, G-43, G-48). Reading confirms nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import BaseModel

from agents.mcp.call_ledgers import Open
from agents.mcp.caller import Caller
from agents.mcp.inert_documents import InertDocuments, document
from agents.mcp.schemas import (
    History,
    Hit,
    Hits,
    Piece,
    Verdict,
    Verification,
    Verified,
    Version,
    event_of,
    said,
    writer_of,
)
from language.token_estimate import estimate_tokens
from ledger import verify as checks
from ledger.errors import UsageError
from ledger.fold import Entry, is_stale
from muniment import MemoryLedger
from projections import showing
from projections.inert import inert
from projections.prompt_fill import written_out
from projections.query import Filter
from projections.search import Hit as Match
from projections.seen import Sighting

MOST_LINES = 400
"""So many lines are given at once where nobody says how many."""
_FINDINGS = 20


def search(now: Open, asked: Caller, query: str, most: int, least: float) -> Hits:
    """Return the best memories of all scopes for a query.

    Raises:
        UsageError: the query asks for nothing, or one of its filters is malformed.
    """
    active = Filter(statuses=("active",))
    matches = [(scope, memory, memory.search(query, active, limit=most)) for scope, memory in now.reading()]
    literal = [each for each in matches if not any(match.meant for match in each[2])]
    if any(hits for _, _, hits in literal):
        matches = literal
    found: list[Hit] = []
    for scope, memory, hits in matches:
        best = max((match.score for match in hits), default=0.0) or 1.0
        found += _hits(scope, memory, hits, best)
    found.sort(key=lambda hit: -hit.score)
    meant = next((match.meant for _, _, hits in matches for match in hits if match.meant), "")
    told = Hits(results=[hit for hit in found if hit.score >= least][:most], did_you_mean=inert(meant))
    for scope, memory, _ in matches:
        ids = [hit.id for hit in told.results if hit.scope == scope]
        _record(memory, asked, told, tool="memory_search", why="query", ids=ids)
    return told


def _record(
    memory: MemoryLedger, asked: Caller, told: BaseModel, *, tool: str, why: str, ids: Iterable[str]
) -> None:
    """Record which memories of a ledger an agent was told by a tool (H-40)."""
    tokens = estimate_tokens(told.model_dump_json())
    showing.note(
        memory.workspace, Sighting(asked.name, asked.session, f"mcp {tool}", why, tokens, tuple(ids))
    )


def _hits(scope: str, memory: MemoryLedger, matches: list[Match], best: float) -> list[Hit]:
    documents, old = InertDocuments(memory), memory.recall.stale_before()
    return [
        Hit(
            id=match.id,
            scope=scope,
            path=documents.path(match.entry),
            score=round(match.score / best, 3),
            text=said(match.entry),
            status=match.entry.status,
            section=inert(match.memory.effective_section),
            type=match.memory.type,
            learned=match.entry.learned,
            stale=is_stale(match.entry, old),
            compromised=match.entry.compromised,
            why=[f"{why.kind} {inert(why.said)}" for why in match.why],
        )
        for match in matches
    ]


def get(now: Open, asked: Caller, id_: str, path: str = "", *, first: int = 1, lines: int = 0) -> Piece:
    """Return a memory by its id, or a document by its path, or some of their lines.

    Raises:
        UsageError: neither was given, or both.
        NotFoundError: there is no such one.
    """
    if bool(id_) == bool(path):
        raise UsageError("give either id or path: memory_search gives both")
    if path:
        found = document(now, _path_of(path))
        piece = _piece(found.lines, first, lines, path=path, scope=found.scopes)
        for scope, shown in now.reading():
            _record(shown, asked, piece, tool="memory_get", why="document", ids=found.ids[scope])
        return piece
    one = now.find(id_)
    entry, memory = one.entry, one.memory
    memory.workspace.local.count([entry.id])
    text = "(erased)" if entry.status == "erased" else written_out(entry, memory.recall.stale_before())
    piece = _piece(
        text.splitlines(),
        first,
        lines,
        id=entry.id,
        path=InertDocuments(memory).path(entry),
        scope=memory.workspace.place.scope,
    )
    piece.status, piece.learned, piece.fresh_since = entry.status, entry.learned, entry.fresh_since
    piece.compromised = entry.compromised
    piece.by, piece.source, piece.confidence = writer_of(entry), entry.memory.source, entry.memory.confidence
    piece.provenance = {name: inert(value) for name, value in entry.memory.provenance.to_payload().items()}
    _record(memory, asked, piece, tool="memory_get", why="id", ids=_told([entry]))
    return piece


def _told(entries: Iterable[Entry]) -> Iterable[str]:
    """Return the ids of memories whose texts are told: those that were not erased."""
    return (entry.id for entry in entries if entry.status != "erased")


def _path_of(path: str) -> str:
    """Return the path of a document that was named by its path or its resource."""
    if path.startswith("memory://topic/"):
        return f"memories/{path.removeprefix('memory://topic/')}.md"
    name = path.removeprefix("memory://").removeprefix("./")
    return "MEMORY.md" if name.lower() == "memory.md" else name


def _piece(every: list[str], first: int, lines: int, *, path: str, scope: str, id: str = "") -> Piece:
    begin = max(first, 1)
    some = every[begin - 1 : begin - 1 + (lines or MOST_LINES)]
    return Piece(
        id=id, path=path, scope=scope, first=begin, lines=len(some), total=len(every), content="\n".join(some)
    )


def history(now: Open, asked: Caller, id_: str) -> History:
    """Return all versions of a memory, oldest first.

    Raises:
        NotFoundError: there is no such one.
    """
    found = now.find(id_)
    memory = found.memory
    entries = memory.history(found.entry.id)
    versions = [
        Version(
            version=number,
            id=entry.id,
            status=entry.status,
            text="(erased)" if entry.status == "erased" else said(entry),
            learned=entry.learned,
            by=writer_of(entry),
            reason=inert(entry.reason),
            compromised=entry.compromised,
            replaces=list(entry.supersedes),
            events=[event_of(row) for row in memory.recall.said_of(entry.id) if row.kind != "supersede"],
        )
        for number, entry in enumerate(entries, 1)
    ]
    told = History(scope=memory.workspace.place.scope, versions=versions)
    _record(memory, asked, told, tool="memory_history", why="id", ids=_told(entries))
    return told


def verify(now: Open, scope: str, *, since_mark: bool) -> Verification:
    """Check the ledgers, or that of one scope.

    Raises:
        UsageError: there is no ledger of that scope here.
    """
    chosen = [memory for memory in now.scopes.values() if scope in ("", memory.workspace.place.scope)]
    if not chosen:
        raise UsageError(f"there is no {scope} ledger here: leave scope out to verify all")
    found = [_verified(memory, since_mark=since_mark) for memory in chosen]
    return Verification(sound=all(each.sound for each in found), ledgers=found)


def _verified(memory: MemoryLedger, *, since_mark: bool) -> Verified:
    report = memory.upkeep.verify(since_mark=since_mark)
    return Verified(
        scope=memory.workspace.place.scope,
        sound=report.sound,
        events=report.chain.events,
        integrity=_verdict(report.chain.integrity),
        completeness=_verdict(report.chain.completeness),
        projections=_verdict(report.projections),
        members=_verdict(report.members) if report.members else None,
    )


def _verdict(verdict: checks.Verdict) -> Verdict:
    findings = [inert(str(finding)) for finding in verdict.findings[:_FINDINGS]]
    return Verdict.model_validate(
        {"state": verdict.state, "sentence": verdict.sentence, "findings": findings}
    )
