"""Compares a verified chain with checkpoints that were signed of it: what was cut off or rewritten since shows.

Implements specs/verification.md (V-30, V-31) with specs/proofs.md (T-36). The caller has verified the chain.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from ledger.canonical import decode
from ledger.event import event_id, is_blanked, split_line
from ledger.finding import Finding
from ledger.verify import Verdict
from proofs.checkpoint import Origin
from proofs.heads import ReadChain
from proofs.signed_checkpoints import Stored, difference, epoch_at, is_opened, keys_of
from writers.roster import ANCHOR_METHOD

SEEN_METHOD = "seen"
"""The `method` of an anchor event with the digest of what agents were shown on a day (H-46); it anchors nothing in time."""


@dataclass(slots=True)
class Completeness:
    """What became of checkpoints: those that the chain reaches, and findings.

    `anchored` are the payloads of the chain's anchor events, oldest first, without those that were erased, name a roster or a day (H-46).
    """

    reached: list[Stored] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    anchored: list[dict[str, Any]] = field(default_factory=list)


def compared(stored: Iterable[Stored], chain: ReadChain) -> Completeness:
    """Compare a chain with its own stored checkpoints (V-30): one that a recover gave up explicitly is not a finding."""
    result = Completeness(anchored=list(_anchored(chain)))
    keys = keys_of(chain)
    for each in stored:
        if not is_opened(each.data, each.checkpoint, keys):  # no key of this chain signed it
            continue
        if not (fault := difference(each.checkpoint, chain)):
            result.reached.append(each)
        elif not each.origin or each.origin.epoch >= epoch_at(chain, len(chain) - 1):
            result.findings.append(finding(each, fault))
    return result


def _anchored(chain: ReadChain) -> Iterator[dict[str, Any]]:
    for seq in chain.anchors:
        payload = split_line(chain.line(seq)).payload
        if payload is not None and not is_blanked(payload):
            said = decode(payload, "the anchor")
            if said.get("method") not in (ANCHOR_METHOD, SEEN_METHOD):
                yield said


def compared_with(each: Stored, chain: ReadChain) -> Completeness:
    """Compare a chain with a checkpoint that somebody brings (V-31): here everything else is a finding."""
    keys = keys_of(chain)
    origin, genesis = each.origin, event_id(chain.head(0))
    if origin != Origin(genesis, origin.epoch if origin else 0):
        fault = f"it is of another ledger ({each.checkpoint.origin[:80]!r})"
    elif not is_opened(each.data, each.checkpoint, keys):
        fault = "no key of this chain that was in force at its end signed it"
    else:
        fault = difference(each.checkpoint, chain)
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
