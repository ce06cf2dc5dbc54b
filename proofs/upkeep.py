"""Keeps a ledger in order: verifies it, cleans it up, backs it up, and recovers it after damage.

Each is an occasional task with its own command: specs/verification.md, specs/projections.md (gc, decay),
specs/files.md (backup) and specs/chain.md (recovery).
"""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from documents.verdict import judge
from ledger import backup_archive, reader, recovery, rotation
from ledger.backup_archive import Manifest
from ledger.errors import LedgerError, StateError, StorageError, UsageError
from ledger.event import By
from ledger.founding import identity_of
from ledger.instant import DAY, written
from ledger.pin_check import verify_known
from ledger.progress import Progress
from ledger.recovery import Recovered
from ledger.rotation import Rotated
from ledger.verify import ChainReport, Verdict
from projections import output_files
from projections.checkout import Checkout
from projections.gc import Collected, plan, why_not_shown
from projections.local import has_died
from projections.memory_counts import listed
from projections.query import Filter, collectable
from projections.recall import Recall
from projections.snapshot import copied_local, kept_projections
from projections.turns import takes_turns
from projections.weekly_jobs import MAINTAIN
from proofs import due_anchor
from proofs.due_anchor import DueAnchor
from proofs.evidence import TrustedParties
from proofs.ledger_status import VERIFIED, LastVerify, LedgerStatus, status_of
from proofs.members import MembersReport, judge_members
from proofs.proving import Proofs
from proofs.recovery_outlook import RecoveryOutlook, good_behind
from proofs.trusting import judge_time
from proofs.verify_report import VerifyReport

if TYPE_CHECKING:
    from documents.documents import Documents
    from projections.decay import Doubt
    from projections.workspace import Workspace
    from proofs.anchoring import Anchors


@dataclass(frozen=True, slots=True)
class Maintained:
    """What the weekly work found, and what became of the anchor."""

    report: VerifyReport
    anchor: DueAnchor
    vectors: str
    """One sentence about the vectors, "" without a model."""
    seen: str
    """One sentence about the days whose record of what agents were shown was anchored, "" if none was."""


@takes_turns
class Upkeep:
    """What keeps one ledger in order.

    Args:
        workspace: the ledger.
        documents: its documents.
        proofs: its checkpoints.
        anchors: its anchors.
    """

    def __init__(self, workspace: Workspace, documents: Documents, proofs: Proofs, anchors: Anchors) -> None:
        self._workspace = workspace
        self.turn = workspace.turn
        self._documents = documents
        self._proofs = proofs
        self._anchors = anchors

    def maintain(self, *, progress: Progress | None = None) -> Maintained:
        """Do the weekly work: verify the ledger, make the anchor if it is due, embed, and note when that was done.

        An anchor that fails is in the answer and never raised (W-72); nothing is repaired. Arguments and errors are
        those of `verify`. Whether the work is due says `projections.weekly_jobs.MAINTAIN`.
        """
        report = self.verify(progress=progress)
        self.note_verified(report)
        seen = self._anchor_seen() if report.own_sound else ""
        anchor = due_anchor.make(self._workspace, self._proofs, self._anchors, sound=report.own_sound)
        vectors = self._embed() if report.chain.sound else ""
        MAINTAIN.note_done(self._workspace)
        return Maintained(report, anchor, vectors, seen)

    def _anchor_seen(self) -> str:
        """Anchor what agents were shown on days that are over (H-46); return one sentence about it."""
        try:
            days = self._anchors.anchor_seen()
        except LedgerError as error:
            return f"not anchored: {error}"
        return f"anchored: {', '.join(days)}" if days else ""

    def _embed(self) -> str:
        """Embed all memories that have no vector (P-223); return one sentence about it."""
        if (vectors := self._workspace.vectors) is None:
            return ""
        try:
            with self._workspace.on_progress("embedding memories") as progress:
                vectors.bring_up(progress=progress)
        except (LedgerError, OSError, sqlite3.Error) as error:
            return f"not all memories could be embedded: {error}"
        return "every memory has a vector"

    # --- checking ---

    def verify(
        self,
        *,
        since_mark: bool = False,
        progress: Progress | None = None,
        trust: TrustedParties | None = None,
    ) -> VerifyReport:
        """Check chain, completeness, projections and time; see specs/verification.md.

        Args:
            since_mark: only at the events behind the mark.
            progress: told of the bytes read.
            trust: whose receipts count; by default config.toml in HOME says it.

        Raises:
            NoLedgerError: there is no chain and never was one here.
        """
        workspace = self._workspace
        if has_died(workspace.place.directory):
            with suppress(LedgerError):
                workspace.check_standing()  # finishes it
        chain = verify_known(workspace.chain, workspace.state, since_mark=since_mark, progress=progress)
        members = self._members(chain, progress) if chain.sound and not since_mark else None
        if since_mark:
            drift = _not_checked("--since-mark looks at new events only")
        elif not chain.sound:
            drift = _not_checked("the chain itself is not sound")
        elif members and members.damaged:
            drift = _not_checked(
                f"the copy of what {', '.join(members.damaged)} wrote is not known to be sound"
            )
        else:
            drift = self._drift()
        timed = judge_time(workspace, self._proofs, chain, trust)
        chain = replace(chain, completeness=timed.completeness)
        verdict = members.verdict if members else None
        return VerifyReport(chain, drift, timed.time, timed.evidence, verdict)

    def note_verified(self, report: VerifyReport, *, since_mark: bool = False) -> None:
        """Remember for `status` what `verify` found; good news of a part alone is not noted."""
        if (since_mark and report.sound) or not self._workspace.place.directory.is_dir():
            return
        link, local = report.chain.link, self._workspace.local
        done = LastVerify(written(self._workspace.clock()), report.sound, link.seq if link else None)
        with suppress(sqlite3.Error, StorageError, OSError):
            local.note(VERIFIED, orjson.dumps(done._asdict()).decode())
            if any(each.code == "erase-incomplete" for each in report.chain.integrity.findings):
                local.erasures.note_cleaning()  # an index that had seen it blank would never look again (C-20)

    def status(self) -> LedgerStatus:
        """Return how the ledger stands on this machine, and what is left to do; see `proofs.ledger_status`."""
        return status_of(self._workspace, self._documents)

    def _members(self, chain: ChainReport, progress: Progress | None) -> MembersReport | None:
        workspace = self._workspace
        if chain.link is None:
            return None
        identity, genesis = identity_of(workspace.chain)
        return judge_members(workspace.place.directory, workspace.state, identity.id, genesis, progress)

    def _drift(self) -> Verdict:
        workspace = self._workspace
        try:
            settings = workspace.configuration.render_settings()
        except UsageError as error:
            return _not_checked(str(error))
        homeless = self._documents.folder_fault()
        shown = workspace.on_progress
        return judge(workspace.place, workspace.chain, settings, homeless=homeless, shown=shown)

    # --- memories that are not worth showing, say the same, or are doubtful ---

    def gc(self, *, dry_run: bool = False) -> Collected:
        """Archive the listed memories that are not worth showing; only what may go is looked at, one by one.

        The chain is not opened for writing.
        """
        settings, now, index = self._workspace.configuration, self._workspace.clock(), self._workspace.index
        hidden = self._workspace.local.archived()
        oldest = written(now - int(settings.gc_max_age_days * DAY))
        verdicts = plan(
            collectable(index, hidden, oldest),
            self._workspace.local.uses(),
            now,
            threshold=settings.gc_threshold,
            max_age_days=settings.gc_max_age_days,
        )
        archived = list(verdicts)
        kept = listed(index, hidden) - len(archived)
        if not dry_run:
            self._workspace.local.archive({v.entry.id: v.why for v in archived}, now)
        return Collected(archived, kept)

    def decay_check(self, wanted: Filter | None = None, *, archived: bool = False) -> list[Doubt]:
        """Return the memories that are stale, or name something that their project no longer has, the longest unconfirmed first.

        Nothing is changed: `confirm` makes a memory fresh, `delete` takes it out.

        Args:
            wanted: which memories; by default all that are active.
            archived: also what gc has archived.
        """
        return Recall(self._workspace).doubts(wanted, archived=archived, project=self.checkout())

    def checkout(self) -> Checkout | None:
        """Return the project's root as it is looked at for `decay_check`; None for the user's own ledger."""
        root = self._workspace.place.root
        return None if root is None else Checkout(root)

    def unarchive(self, *ids: str) -> list[str]:
        """Show archived memories (ids, prefixes or @N) again, all or none; return their full ids.

        Raises:
            NotFoundError: nothing has one of the ids, or it is not a memory.
            StateError: one is not archived, or would stay hidden anyway: deleted, superseded, erased.
        """
        hidden = self._workspace.local.archived()
        entries = {entry.id: entry for entry in map(Recall(self._workspace).entry, ids)}
        for id_, entry in entries.items():
            if why := why_not_shown(entry):
                raise StateError(why)
            if id_ not in hidden:
                raise StateError(f"{id_[:12]} is not archived: muniment list shows it")
        for id_ in entries:
            self._workspace.local.unarchive(id_)
        return list(entries)

    # --- the whole of it, kept and brought back ---

    def backup(
        self, into: Path, *, keys: bool = False, replace: bool = False, progress: Progress | None = None
    ) -> Manifest:
        """Make one archive of the ledger, verified first; with `keys` the private keys go in as well (F-12).

        Raises:
            NoLedgerError: there is no ledger here.
            ChainError: the chain is gone or unsound, so no restore would accept it.
            KeyFileError: the keys are asked for and are not here.
            UsageError: a file stands at `into` and `replace` is false.
            StorageError: the disk refused, or the local state cannot be read; no backup was made.
        """
        self._workspace.check_standing()
        if keys:
            self._workspace.ledger.settle_keys()
        with copied_local(self._workspace.place.directory) as local:
            source = backup_archive.source_of(self._workspace.place, self._workspace.home, local, keys=keys)
            with output_files.giving(self._workspace.local, into, output_files.BACKUP):
                manifest = backup_archive.write(
                    source,
                    into,
                    replace=replace,
                    clock=self._workspace.clock,
                    progress=progress,
                )
        return manifest

    def rotate_key(self, *, lost: bool = False, since: int | None = None) -> Rotated:
        """Let the next key take over; see `ledger.rotation`. What it disowns is marked in the documents."""
        done = rotation.rotate(self._workspace.ledger, self._workspace.by, lost=lost, since=since)
        self._documents.render_unless_held()
        return done

    def examine(self, copy: Path | None = None) -> RecoveryOutlook:
        """Return what a recovery would do; with `copy`, a chain file, also the good part of that one."""
        ours = recovery.examine(self._workspace.ledger)
        theirs, contradicted = None, list[str]()
        if copy is not None:
            with reader.opened(copy) as fd:
                theirs = recovery.stand(fd, ours.mark)
        elif ours.whole and not ours.blank:
            contradicted = self._proofs.behind()
        good = good_behind(self._workspace.chain, ours)
        return RecoveryOutlook(ours, theirs, good, tuple(contradicted))

    def recover(
        self, reason: str, by: By | None = None, *, backup: Path | None = None, behind: bool = False
    ) -> Recovered:
        """Go on after damage or a rollback; with `backup` (a chain file) take its longer chain.

        `behind`: although the chain is whole, since a checkpoint knows of more. See `ledger.recovery`.
        """
        ledger = self._workspace.ledger
        documents = self._workspace.place.documents
        with kept_projections(
            self._workspace.chain,
            documents,
            self._workspace.local.rendered(documents),
            self._workspace.clock(),
        ):
            if backup is None:
                done = recovery.recover(ledger, by or self._workspace.by, reason, behind=behind)
            else:
                done = recovery.recover_from(ledger, backup, by or self._workspace.by, reason)
        self._documents.render_unless_held(everything=True)
        return done


def _not_checked(why: str) -> Verdict:
    return Verdict("not checked", f"Projections not checked: {why}.")
