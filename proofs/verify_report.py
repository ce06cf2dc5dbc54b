"""What verify reports: of a ledger, of a chain file alone, and beside a checkpoint that somebody brings.

Implements specs/verification.md (V-16, V-22, V-31). Reads only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ledger.mark import StateDirectory
from ledger.note import NoteKey
from ledger.pin_check import verify_known
from ledger.progress import Progress
from ledger.verify import ChainReport, Verdict
from proofs.completeness import with_checkpoints
from proofs.evidence import Evidence
from proofs.proving import compared_with
from proofs.signed_checkpoints import Stored
from proofs.signer import by_named_key, genesis_of


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """The verdicts of verify (specs/verification.md); `evidence` is what each receipt shows, for the verdict *time*.

    `members` is None for a ledger without a team.
    """

    chain: ChainReport
    projections: Verdict
    time: Verdict | None = None
    evidence: tuple[Evidence, ...] = ()
    members: Verdict | None = None

    @property
    def verdicts(self) -> tuple[tuple[str, Verdict], ...]:
        """The verdicts with their names; a chain file alone has none on time, a ledger without a team none on members."""
        three = (
            ("integrity", self.chain.integrity),
            ("completeness", self.chain.completeness),
            ("projections", self.projections),
        )
        more = (("time", self.time), ("members", self.members))
        return (*three, *((name, verdict) for name, verdict in more if verdict is not None))

    @property
    def sound(self) -> bool:
        """Whether no verdict has findings."""
        return self.own_sound and not (self.members is not None and self.members.findings)

    @property
    def own_sound(self) -> bool:
        """Whether no verdict on our own ledger has findings, whatever other writers' chains are."""
        faults = self.time is not None and self.time.findings
        return self.chain.sound and not self.projections.findings and not faults


def verified_file(
    path: Path,
    state: StateDirectory,
    named: Sequence[NoteKey] = (),
    *,
    since_mark: bool = False,
    progress: Progress | None = None,
) -> VerifyReport:
    """Check a chain file alone, against the pin and mark of its ledger where this machine has them, and `named` keys.

    Raises:
        StorageError: it is not a regular file, or cannot be read.
        UsageError: one of the keys is not a key of a ledger.
    """
    genesis = genesis_of(path, named)
    chain = verify_known(path, state, since_mark=since_mark, genesis=genesis, progress=progress)
    return VerifyReport(
        by_named_key(path, chain, named), Verdict("not checked", "A chain file alone has no projections.")
    )


def beside_checkpoint(report: VerifyReport, path: Path, brought: Stored) -> VerifyReport:
    """Return the report on a chain file with what a checkpoint adds that somebody brings; an unsound chain is not compared."""
    chain = report.chain
    if chain.link is None or chain.integrity.findings:
        unsound = "not compared with the checkpoint, since the chain itself is not sound"
        said = replace(chain.completeness, sentence=f"{chain.completeness.sentence} It was {unsound}.")
    else:
        said = with_checkpoints(chain.completeness, compared_with(path, brought))
    return replace(report, chain=replace(chain, completeness=said))
