"""Compares a verified chain with checkpoints that were signed of it: what was cut off or rewritten since shows.

Implements specs/verification.md (V-30, V-31) with specs/proofs.md (T-36). The caller has verified every head and
link of the chain.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from ledger.event import event_id
from ledger.finding import Finding
from ledger.verify import Verdict
from proofs.checkpoint import Origin
from proofs.heads import EventPlace, LineFinder, head_of
from proofs.signed_checkpoints import Keys, Stored, difference, epoch_at, keys_of, opened
from proofs.tree import TreeCache


@dataclass(slots=True)
class Completeness:
    """What became of checkpoints: those that the chain reaches, findings, and how many say nothing of it.

    `given_up` are of an epoch that a recover has ended; `foreign` those that no key of this chain signed.
    """

    reached: list[Stored] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    given_up: int = 0
    foreign: int = 0


def compared(
    stored: Iterable[Stored], lines: LineFinder, tree: TreeCache, fd: int, tip: EventPlace
) -> Completeness:
    """Compare a chain with its own stored checkpoints (V-30): what a recover gave up in the open is no finding."""
    result = Completeness()
    keys: Keys = ()
    for each in stored:
        keys = keys or keys_of(lines)
        if not opened(each, keys):
            result.foreign += 1
        elif not (fault := difference(each.checkpoint, lines, tree, fd, tip)):
            result.reached.append(each)
        elif each.origin and each.origin.epoch < epoch_at(lines, tip.seq):
            result.given_up += 1
        else:
            result.findings.append(finding(each, fault))
    return result


def compared_with(each: Stored, lines: LineFinder, tree: TreeCache, fd: int, tip: EventPlace) -> Completeness:
    """Compare a chain with a checkpoint that somebody brings (V-31): here everything else is a finding."""
    keys = keys_of(lines)
    origin, genesis = each.origin, _genesis_id(lines)
    if origin != Origin(genesis, origin.epoch if origin else 0):
        fault = f"it is of another ledger ({each.checkpoint.origin[:80]!r})"
    elif not opened(each, keys):
        fault = "no key of this chain that was in force at its end signed it"
    else:
        fault = difference(each.checkpoint, lines, tree, fd, tip)
    return Completeness([], [finding(each, fault)]) if fault else Completeness([each])


def finding(each: Stored, fault: str) -> Finding:
    """Return the finding that a chain does not hold what a checkpoint says."""
    made = each.checkpoint
    message = f"a checkpoint of {made.size} events was signed, but {fault}"
    return Finding("checkpoint", "V-30", message, None, max(0, made.size - 1), None)


def with_checkpoints(verdict: Verdict, result: Completeness) -> Verdict:
    """Return the verdict *completeness*, with what comparing with checkpoints adds to it."""
    if result.findings:
        first = result.findings[0].message
        sentence = verdict.sentence if verdict.findings else f"{first[0].upper()}{first[1:]}."
        return replace(
            verdict, state="findings", sentence=sentence, findings=(*verdict.findings, *result.findings)
        )
    if not result.reached or verdict.findings:
        return verdict
    size = max(each.checkpoint.size for each in result.reached)
    if verdict.state == "not checked":
        return Verdict("sound", f"Reaches the checkpoint of {size} events; there is no high-water mark here.")
    said = f", and the checkpoint of {size} events"  # one that somebody brings may be stored here, too
    return (
        verdict if said in verdict.sentence else replace(verdict, sentence=f"{verdict.sentence[:-1]}{said}.")
    )


def _genesis_id(lines: LineFinder) -> str:
    return event_id(head_of(lines.line(0)))
