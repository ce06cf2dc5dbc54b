"""Keeps a ledger in order: checks it, clears it up, backs it up, and goes on after damage.

What a person does now and then, by a command each: specs/verification.md, specs/projections.md (gc, consolidation,
decay), specs/files.md (backup) and specs/chain.md (recovery). A part of the composition root beside opening.py
(specs/adr/0001), which brings the parts.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from keeping import Keeping
from ledger.errors import ChainError, LedgerError, NoLedgerError, StateError, UsageError
from ledger.event import By

if TYPE_CHECKING:
    from learning.merging import Proposals
    from ledger.archive import Manifest
    from ledger.ledger import Ledger
    from ledger.mark import StateDirectory
    from ledger.recovery import Recovered, Standing
    from ledger.rotation import Rotated
    from ledger.verify import ChainReport, Progress, Verdict
    from projections.checkout import Checkout
    from projections.decay import Doubt
    from projections.gc import Collected
    from projections.query import Filter
    from proofs.evidence import Evidence


@dataclass(frozen=True, slots=True)
class Report:
    """The verdicts of verify (specs/verification.md); `evidence` is what each receipt shows, for the verdict *time*."""

    chain: ChainReport
    projections: Verdict
    time: Verdict | None = None
    evidence: tuple[Evidence, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether no verdict has findings."""
        faults = self.time is not None and self.time.findings
        return self.chain.sound and not self.projections.findings and not faults


class Upkeep(Keeping):
    """What keeps a ledger in order; who inherits brings the ledger, and where its marks lie."""

    _ledger: Ledger | None
    on_passphrase: Callable[[str], str] | None

    @property
    @abstractmethod
    def state(self) -> StateDirectory:
        """Where marks and pins lie."""

    # --- checking ---

    def verify(
        self,
        *,
        jobs: int = 1,
        since_mark: bool = False,
        ledger_id: str | None = None,
        progress: Progress | None = None,
    ) -> Report:
        """Check chain, completeness and projections; see specs/verification.md.

        Raises:
            NoLedgerError: there is no chain and never was one here.
        """
        from ledger.known import verify_known
        from ledger.verify import Verdict
        from projections.local import has_died

        if has_died(self.place.directory):
            with suppress(LedgerError):
                self.check_standing()  # finishes it
        chain = verify_known(
            self.chain, self.state, jobs=jobs, since_mark=since_mark, ledger_id=ledger_id, progress=progress
        )
        if since_mark:
            why = "--since-mark looks at new events only"
        elif not chain.sound:
            why = "the chain itself is not sound"
        else:
            return Report(chain, self._drift())
        return Report(chain, Verdict("not checked", f"Projections not checked: {why}."))

    def _drift(self) -> Verdict:
        from documents.verdict import judge
        from ledger.verify import Verdict
        from projections.heads import trusted

        try:
            settings = self.configuration.render_settings()
        except UsageError as error:
            return Verdict("not checked", f"Projections not checked: {error}.")
        return judge(self.place, self.chain, settings, trusted, homeless=self.folder_fault())

    # --- memories that are not worth showing, say the same, or are doubtful ---

    def gc(self, *, dry_run: bool = False) -> Collected:
        """Archive the listed memories that are not worth showing; only what may go is looked at, one by one.

        The chain is not opened for writing.
        """
        from ledger.instant import DAY, written
        from projections.gc import Collected, plan
        from projections.query import collectable, listed

        settings, now, hidden, index = self.configuration, self.clock(), self.local.archived(), self.index
        oldest = written(now - int(settings.gc_max_age_days * DAY))
        verdicts = plan(
            collectable(index, hidden, oldest),
            self.local.uses(),
            now,
            threshold=settings.gc_threshold,
            max_age_days=settings.gc_max_age_days,
        )
        archived = [verdict for verdict in verdicts if verdict.archive]
        kept = listed(index, hidden) - len(archived)
        if not dry_run:
            self.local.archive({v.entry.id: v.why for v in archived}, now)
        return Collected(archived, kept)

    def consolidate(self, *, dry_run: bool = False) -> Proposals:
        """Merge memories of one section that say the same; what contradicts each other is only named.

        Each merge is one supersede of all that it replaces, and says all that they say.

        Raises:
            StateError: something was replaced meanwhile; otherwise as `Ledger.write` does.
        """
        from learning.consolidating import proposed, write

        found = proposed(self)
        if not dry_run:
            write(self, found.merges)
        return found

    def decay_check(self, wanted: Filter | None = None, *, archived: bool = False) -> list[Doubt]:
        """Return the memories that are stale, or name what their project has no more, the longest unconfirmed first.

        Nothing is changed: `confirm` makes a memory fresh, `delete` takes it out.

        Args:
            wanted: which memories; by default all that are active.
            archived: also what gc has archived.
        """
        return self.doubts(wanted, archived=archived, project=self.checkout())

    def checkout(self) -> Checkout | None:
        """Return the project's root as it is looked at for `decay_check`; None for the user's own ledger."""
        if self.place.root is None:
            return None
        from projections.checkout import Checkout

        return Checkout(self.place.root)

    def unarchive(self, *ids: str) -> list[str]:
        """Show archived memories (ids, prefixes or @N) again, all or none; return their full ids.

        Raises:
            NotFoundError: nothing has one of the ids, or it is no memory.
            StateError: one is not archived, or would not be shown all the same: deleted, superseded, erased.
        """
        from projections.gc import why_not_shown

        hidden = self.local.archived()
        entries = {entry.id: entry for entry in map(self.entry, ids)}
        for id_, entry in entries.items():
            if why := why_not_shown(entry):
                raise StateError(why)
            if id_ not in hidden:
                raise StateError(f"{id_[:12]} is not archived: muniment list shows it")
        for id_ in entries:
            self.local.unarchive(id_)
        return list(entries)

    # --- the whole of it, kept and brought back ---

    def backup(
        self, into: Path, *, keys: bool = False, replace: bool = False, progress: Progress | None = None
    ) -> Manifest:
        """Make one archive of the ledger, verified first; with `keys` the private keys go in as well (F-12).

        Raises:
            NoLedgerError: there is no ledger here.
            ChainError: the chain is gone or not sound, so that no restore would take it.
            KeyFileError: the keys are asked for and are not here.
            UsageError: a file stands at `into` and `replace` is false.
            StorageError: the disk refused, or the local state cannot be read; no backup was made.
        """
        from ledger import archive
        from ledger.workers import cores
        from projections import given
        from projections.snapshot import copied_local

        self.check_standing()
        if keys:
            self.ledger.settle_keys()
        with copied_local(self.place.directory) as local:
            source = archive.source_of(self.place, self.home, local, keys=keys)
            with given.giving(self.local, into, given.BACKUP):
                manifest = archive.write(
                    source, into, replace=replace, jobs=cores(), clock=self.clock, progress=progress
                )
        return manifest

    def rotate_key(self, by: By | None = None, *, lost: bool = False, since: int | None = None) -> Rotated:
        """Let the next key take over; see `ledger.rotation`. What it disowns is marked in the documents."""
        from ledger import rotation

        done = rotation.rotate(self.ledger, by or self.by, lost=lost, since=since)
        self.render_unless_held()
        return done

    def examine(self, backup: Path | None = None) -> Standing:
        """Say what of the chain stands, before a recovery; with `backup`, even of a chain that is gone."""
        from ledger.recovery import examine

        return examine(self._to_recover(backup))

    def _to_recover(self, backup: Path | None) -> Ledger:
        """Return the ledger; where its chain has no good beginning, as `backup` says who it is."""
        try:
            return self.ledger
        except (ChainError, NoLedgerError):
            if backup is None:
                raise
        from ledger.founding import open_without_chain
        from ledger.keys import KeyDirectory

        keys = KeyDirectory(self.home.keys, self.on_passphrase)
        self._ledger = open_without_chain(
            self.place.directory, backup, keys, self.state, view=self._index.own, clock=self.clock
        )
        return self._ledger

    def recover(
        self, reason: str, by: By | None = None, *, backup: Path | None = None, behind: bool = False
    ) -> Recovered:
        """Go on after damage or a rollback; with `backup` (a chain file) take its longer chain.

        `behind`: although the chain is whole, since a checkpoint knows of more. See `ledger.recovery`.
        """
        from ledger import recovery
        from projections.snapshot import kept_projections

        ledger = self._to_recover(backup)
        documents = self.place.documents
        with kept_projections(self.chain, documents, self.local.rendered(documents), self.clock()):
            if backup is None:
                done = recovery.recover(ledger, by or self.by, reason, behind=behind)
            else:
                done = recovery.recover_from(ledger, backup, by or self.by, reason)
        self.render_unless_held(everything=True)
        return done
