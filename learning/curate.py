"""Curates the daily notes of a week: distils memories, commits lasting ones, archives old notes.

Implements specs/capture.md (K-96…K-102). The newest event at the last run marks how far notes were reviewed. A second run
does nothing; without that mark it finds all its memories already current.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import orjson

from documents.proposal import Proposal
from documents.scope import Scope
from language.durability import model
from learning.detection.distilling import MANUAL, DailyNote, Distilled, distil, standing_rank
from learning.intake import Taken, Taking
from ledger.command import Supersede
from ledger.event import By
from ledger.fold import Entry
from ledger.instant import DAY, written
from ledger.named_tuple import NamedTuple
from projections.layout import day_of
from projections.notes import notes_after, notes_of_days, standing_notes, uncommitted
from projections.recall import Recall
from projections.weekly_jobs import CURATE

WEEK = 7
_FACT = "curated"


@dataclass(frozen=True, slots=True)
class Curated:
    """The result of a curate.

    `taken` has the outcome of each distilled item; `committed` has (old, new id) of each memory that moved to the
    committed tier, the new id "" if nothing was written; `archived` has notes with the reason; `reviewed` counts
    the reviewed notes.
    """

    reviewed: int = 0
    taken: list[tuple[Distilled, Taken]] = field(default_factory=list)
    committed: list[tuple[Entry, str]] = field(default_factory=list)
    archived: list[tuple[Entry, str]] = field(default_factory=list)


class _Pointer(NamedTuple):
    """The last event whose notes were reviewed, and the day before which notes were archived (K-102)."""

    seq: int = -1
    id: str = ""
    archived_before: str = ""


def curate(scope: Scope, by: By, *, dry: bool = False) -> Curated:
    """Review the notes of the last week and those that came since the last time.

    Args:
        scope: the ledger.
        by: the author.
        dry: decide, and write nothing.

    Raises:
        LedgerError: as `Scope.write` does.
    """
    scope.workspace.index  # noqa: B018 - a missing ledger is reported before anything is created in its folder (K-273)
    pointer = _pointer(scope)
    now = scope.workspace.clock()
    notes = _notes(scope, pointer, written(now - WEEK * DAY)[:10])
    fresh = any(note.fresh for note in notes)
    taken = _taken(scope, distil(notes, _lasting), by, dry=dry) if fresh else []
    committed = _committed(scope, pointer, by, dry=dry)
    archived = _archived(scope, pointer, now, dry=dry)
    if not dry:
        seq = pointer.seq if any(_is_late(each) for _, each in taken) else scope.workspace.index.newest()
        before = scope.workspace.configuration.render_settings().archived_before(now)
        now_at = _Pointer(seq, _id_at(scope, seq), before)
        if now_at != pointer:
            scope.workspace.local.note(_FACT, orjson.dumps(now_at._asdict()).decode())
        CURATE.note_done(scope.workspace)
    return Curated(len(notes), taken, committed, archived)


def _is_late(taken: Taken) -> bool:
    """Return whether a limit refused something, which a later run may accept."""
    return taken.outcome == "refused" and "limits." in taken.why


# --- the notes under review ---


def _notes(scope: Scope, pointer: _Pointer, since: str) -> list[DailyNote]:
    entries = {entry.id: entry for entry in notes_of_days(scope.workspace.index, since)}
    if pointer.seq >= 0:
        came = (
            entry for entry in notes_after(scope.workspace.index, pointer.seq) if entry.status == "active"
        )
        entries.update((entry.id, entry) for entry in came)
    return [
        DailyNote(
            entry.id,
            entry.memory.text,
            day_of(entry.memory.provenance.date, entry.learned),
            entry.n,
            standing_rank(entry.memory),
            entry.memory.section,
            entry.memory.provenance.session,
            entry.memory.type,
            fresh=entry.n > pointer.seq,
            noted=entry.learned[:10],
        )
        for entry in entries.values()
        if entry.memory.type != "episode" and not entry.memory.topic and not entry.memory.body
        if not entry.compromised  # it needs a person's confirmation (N-29)
    ]


def _lasting(sentence: str) -> float:
    """Return the probability that a sentence by itself says something lasting, by the model."""
    return model().probability(sentence)


# --- memories and the archive ---


def _taken(
    scope: Scope, distilled: Sequence[Distilled], by: By, *, dry: bool
) -> list[tuple[Distilled, Taken]]:
    by_proposal = {id(each.proposal): each for each in distilled}

    def gives_way(proposal: Proposal, entry: Entry) -> bool | None:
        each = by_proposal.get(id(proposal))
        if each is None:
            return None  # it waited in the outbox
        standing = standing_rank(entry.memory)
        return standing < MANUAL and (
            standing < each.rank or (standing == each.rank and _is_later(each, entry))
        )

    taking = Taking({"": scope}, by, dry=dry, gives_way=gives_way)
    done = []
    for each in distilled:
        if why := _forgotten_since(scope, each):
            done.append((each, Taken(each.proposal, "discarded", why=why)))
        else:
            done += [(each, taken) for taken in taking.take([each.proposal])]
    return done


def _is_later(distilled: Distilled, entry: Entry) -> bool:
    """Return whether one of the notes is newer than the current memory's last repetition, and of no earlier day."""
    return any(note.seq > entry.n and note.day >= entry.fresh_since[:10] for note in distilled.notes)


def _forgotten_since(scope: Scope, distilled: Distilled) -> str:
    """Return why notes do not bring a memory back: somebody deleted it after the newest of them; else ""."""
    record = distilled.proposal.memory
    gone = scope.workspace.index.deleted_same(record) if record is not None else None
    if gone is None:
        return ""
    newest = max(note.seq for note in distilled.notes)
    deleted = max(
        (row.n for row in Recall(scope.workspace).said_of(gone) if row.kind == "delete"), default=-1
    )
    return f"{gone[:12]} said so and was deleted since" if deleted > newest else ""


def _committed(scope: Scope, pointer: _Pointer, by: By, *, dry: bool) -> list[tuple[Entry, str]]:
    """Move lasting memories that were learned automatically to the committed tier (K-100)."""
    least = scope.workspace.configuration.min_confidence
    entries = [
        entry
        for entry in uncommitted(scope.workspace.index, pointer.seq)
        if entry.memory.confidence >= least and entry.memory.part is None and not entry.compromised
    ]
    if dry or not entries:
        return [(entry, "") for entry in entries]
    commands = [
        Supersede((entry.id,), entry.memory.with_changes(tier="committed"), reason="for good: curated")
        for entry in entries
    ]
    return list(zip(entries, [done.id for done in scope.write(commands, by)], strict=True))


def _archived(scope: Scope, pointer: _Pointer, now: int, *, dry: bool) -> list[tuple[Entry, str]]:
    """Hide the notes of days that moved to the archive since the last run (K-101)."""
    before = scope.workspace.configuration.render_settings().archived_before(now)
    known = scope.workspace.local.archived()
    days = scope.workspace.configuration.daily_archive_days
    found = []
    for entry in standing_notes(scope.workspace.index, before):
        day = day_of(entry.memory.provenance.date, entry.learned)
        is_due = day >= pointer.archived_before or entry.n > pointer.seq
        if is_due and entry.id not in known and entry.memory.type != "episode":
            found.append((entry, f"a note of {day}, more than {days} days ago"))
    if found and not dry:
        scope.workspace.local.archive({entry.id: why for entry, why in found}, now)
        scope.documents.render_unless_held()  # the notes of these days move to memory/archive/ (P-4)
    return found


# --- the pointer ---


def _pointer(scope: Scope) -> _Pointer:
    """Return the stored pointer, an empty one if the log is another one now."""
    try:
        pointer = _Pointer(**orjson.loads(scope.workspace.local.fact(_FACT) or b"{}"))
        return pointer if _id_at(scope, pointer.seq) == pointer.id else _Pointer()
    except (ValueError, TypeError):
        return _Pointer()


def _id_at(scope: Scope, seq: int) -> str:
    return scope.workspace.index.id_at(seq) if seq >= 0 else ""
