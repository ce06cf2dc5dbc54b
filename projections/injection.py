"""Joins the scopes: the memories of several ledgers for an agent's prompt; one ledger may be refused.

Implements specs/projections.md (P-30, P-31) for ledgers, and specs/cli.md (X-60, X-88). A scope that cannot be
read is left out and named: an agent must not lose the other scopes' memory. Everything heavy is imported when
it is first needed, because hooks wait for this.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from contextlib import closing, suppress

from language.token_estimate import Estimate, estimate_tokens
from ledger.errors import (
    BusyError,
    ChainError,
    FormatError,
    LedgerError,
    StorageError,
    UsageError,
)
from ledger.fold import Entry
from projections.patterns import TaskContext
from projections.prompt import Injection, Skipped, render_prompt
from projections.prompt_questions import IN_TERMINAL
from projections.prompt_source import Drawn, caught_up, draw, introduced_in, pending_in
from projections.recall import Recall
from projections.scope_merge import ScopedEntry

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from projections.prompt_explanation import Trace
    from projections.seen import Sighting
    from projections.source import Source

_UNREADABLE = (ChainError, FormatError, StorageError, BusyError)
"""Errors that make one scope unreadable; the others may still be read."""


def inject(
    scopes: Sequence[Source],
    task: str = "",
    *,
    agent: str = "",
    budget: int | None = None,
    as_of: str | None = None,
    count: bool = True,
    estimate: Estimate = estimate_tokens,
    explain: bool = False,
    behind: int = 0,
    topics_but: Collection[str] | None = None,
    answered: str | None = None,
    shown_to: Sighting | None = None,
) -> Injection:
    """Return the prompt section of several scopes, given from the most local to the user's own.

    The most local scope's configuration applies to all: `enabled`, `scopes.*`, the budget and the age of stale memories. A
    malformed file sets nothing, and `faults` says so (F-21). `skipped` names each unreadable scope with the reason.

    Args:
        scopes: ledgers that exist.
        task: the agent's next task, "" if unknown.
        agent: the agent's name, "" if unknown; topics match it too.
        budget: tokens; by default the configuration's.
        as_of: @N (of one scope alone) or a time; by default now.
        count: count the shown memories as used; never for the past or for an explanation.
        estimate: returns the tokens of a text; by default a rule of thumb (P-32).
        explain: say in `explained` why each memory is shown or not; reads all memories.
        behind: the most events that an index may lack and still answer for its scope.
        answered: how the user answers a question; by default in a terminal (P-171).
        topics_but: show only matching topics, without these ids.
        shown_to: the agent and session for the record (H-40); tokens and ids are filled in.

    Raises:
        UsageError: `as_of` is malformed.
        ChainError, FormatError, StorageError, BusyError: no scope could be read; the first scope's error.
    """
    if not scopes:
        return Injection("")
    configuration = scopes[0].readable_configuration
    off = configuration.switched_off([one.place.scope for one in scopes])
    wanted = [one for one in scopes if not {"enabled", f"scopes.{one.place.scope}"} & set(off)]
    settings = configuration.render_settings()
    if budget is not None:
        settings = settings._replace(token_budget=budget)
    trace = None
    if explain:
        from projections.prompt_explanation import Trace

        trace = Trace()
    asked = TaskContext(task, agent)
    sought = task if topics_but is None else ""
    if as_of is not None:
        found, moment = _past(wanted, as_of, asked, sought, trace, budget=settings.token_budget)
    else:
        first = _found_first(wanted, sought)
        found = _present(wanted, asked, behind, first, trace, budget=settings.token_budget)
        found.first = first
        moment = scopes[0].clock()
    if topics_but is not None:
        found = found.topics_alone(topics_but)
    told = [(one.place.scope, entries) for one, entries in found.read]
    injection = render_prompt(
        told,
        asked,
        settings,
        moment,
        estimate=estimate,
        more=found.more,
        candidates=found.candidates if configuration.injection_questions else (),
        first=found.first,
        introduced=found.introduced,
        answered=answered or IN_TERMINAL,
        trace=trace,
    )
    shown, before = set(injection.shown), settings.stale_before(moment)
    old = {e.id for _, some in found.read for e in some if e.id in shown and e.fresh_since < before}
    if count and as_of is None and not explain:
        for one, entries in found.read:
            if used := [entry.id for entry in entries if entry.id in shown]:
                one.local.count(used, injected=True)
                if shown_to:
                    _record(one, shown_to._replace(ids=tuple(used), tokens=estimate(injection.text)))
    stale = tuple(id_ for id_ in injection.shown if id_ in old)
    return injection._replace(
        skipped=tuple(found.skipped),
        stale=stale,
        scopes=tuple(one.place.scope for one, _ in found.read),
        switched_off=off,
        faults=scopes[0].configuration_faults,
    )


def _record(scope: Source, sighting: Sighting) -> None:
    from projections.showing import note  # a hook's worker records

    note(scope, sighting)


class _Found:
    """The entries of each readable scope, and the unreadable scopes.

    `more` counts the memories that take part and were left out already. The user may be asked about `candidates`.
    `introduced` gives the note that introduces an entry; `first` are the ids that a search for the task finds.
    """

    def __init__(self) -> None:
        self.read: list[tuple[Source, list[Entry]]] = []
        self.skipped: list[Skipped] = []
        self.more = 0
        self.candidates: list[ScopedEntry] = []
        self.introduced: dict[str, Entry] = {}
        self.first: list[str] = []

    def add(self, scope: Source, drawn: Drawn) -> None:
        """Add the memories drawn from a scope."""
        self.read.append((scope, drawn.entries))
        self.more += drawn.more
        self.candidates += [ScopedEntry(entry, scope.place.scope) for entry in drawn.candidates]
        self.introduced |= drawn.introduced

    def skip(self, scope: Source, error: LedgerError) -> None:
        self.skipped.append(Skipped(scope.place.scope, error))

    def topics_alone(self, but: Collection[str]) -> _Found:
        """Return the entries of topics, without these ids."""
        found = _Found()
        found.read = [
            (one, [e for e in some if e.memory.topic and e.id not in but]) for one, some in self.read
        ]
        found.skipped = self.skipped
        return found

    def checked(self) -> _Found:
        """Return itself; raise the first error where no scope could be read."""
        if self.skipped and not self.read:
            raise self.skipped[0].error
        return self


_FIRST = 10
"""The number of memories found by a search for the task that come first (P-36)."""
_SOUGHT = 1_000
_NO_SIGN = str.maketrans('"*:', "   ")


def _found_first(scopes: Sequence[Source], task: str) -> list[str]:
    """Return the ids that a search for the task finds outside of topics, the best of each scope in turn."""
    words = " ".join(task[:_SOUGHT].translate(_NO_SIGN).split())
    if not any(map(str.isalnum, words)):
        return []
    from projections.query import Filter

    found: list[tuple[int, int, str]] = []
    for number, scope in enumerate(scopes):
        try:
            hits = Recall(scope).search(
                words, Filter(statuses=("active",)), limit=3 * _FIRST, count=False, by_meaning=False
            )
        except LedgerError:
            continue  # reading the scope reports why
        plain = [hit.id for hit in hits if not hit.memory.topic]
        found += [(place, number, id_) for place, id_ in enumerate(plain[:_FIRST])]
    return [id_ for _, _, id_ in sorted(found)[:_FIRST]]


def _present(
    scopes: Sequence[Source],
    asked: TaskContext,
    behind: int,
    first: Sequence[str],
    trace: Trace | None,
    *,
    budget: int,
) -> _Found:
    """Return the memories that the prompt can show; all of them for an explanation."""
    found = _Found()
    for scope in scopes:
        try:
            found.add(
                scope, _explained(scope, trace) if trace else _drawn(scope, asked, budget, behind, first)
            )
        except _UNREADABLE as error:
            found.skip(scope, error)
    return found.checked()


def _drawn(scope: Source, asked: TaskContext, budget: int, behind: int, first: Sequence[str]) -> Drawn:
    """Draw from the index as it is if it covers the chain; else update it first.

    Raises:
        ChainError, FormatError, StorageError, BusyError: the scope cannot be read.
    """
    hidden = scope.local.archived()
    if not scope.local.has_unfinished():  # updating the index finishes it (Z-16)
        db = caught_up(scope.place.directory, scope.chain, behind)
        if db is not None:
            with closing(db), suppress(sqlite3.DatabaseError):
                return draw(db, asked, budget, hidden, first)
    return draw(scope.index.connection(), asked, budget, hidden, first)


def _explained(scope: Source, trace: Trace) -> Drawn:
    """Return all current memories of a scope, candidates too, and note the archived ones."""
    entries, hidden = Recall(scope).load_all(archived=True), scope.local.archived()
    for entry in entries:
        if entry.id in hidden:
            trace.note(entry, scope.place.scope, "archived")
    told, db = [entry for entry in entries if entry.id not in hidden], scope.index.connection()
    return Drawn(told, 0, pending_in(db, hidden), introduced_in(db, told, hidden))


def _past(
    scopes: Sequence[Source], as_of: str, asked: TaskContext, task: str, trace: Trace | None, *, budget: int
) -> tuple[_Found, int]:
    """Return the memories as of an instant, and the instant in µs; a younger ledger has none (P-93).

    Memories that were archived by then are left out (P-94). Candidates are included only for an explanation.
    """
    if as_of.startswith("@") and len(scopes) > 1:
        raise UsageError(f"{as_of} counts the events of one ledger: name it with --scope, or give a time")
    found, moment = _Found(), 0
    for scope in scopes:
        try:
            with Recall(scope).at(as_of) as found_then:
                then = found_then.source
                moment = then.clock()
                first = _found_first([then], task)
                hidden = then.local.archived()
                found.add(
                    scope,
                    _explained(then, trace)
                    if trace
                    else draw(then.index.connection(), asked, budget, hidden, first),
                )
                found.first += first
        except _UNREADABLE as error:
            found.skip(scope, error)
    return found.checked(), moment
