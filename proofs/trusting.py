"""Says what the receipts of a ledger's checkpoints show to a person, by whom that person trusts.

Implements specs/anchors.md (W-60…W-64) and specs/verification.md (V-40…V-42). `anchoring` asks for the receipts.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ledger.errors import LedgerError, UsageError
from ledger.extras import how_to_install
from proofs.proving import Proofs, reading

if TYPE_CHECKING:
    from ledger.location import Home
    from ledger.verify import ChainReport, Verdict
    from projections.workspace import Workspace
    from proofs.evidence import Evidence, TrustedParties
    from proofs.receipts import Anchored
    from proofs.signed_checkpoints import Stored

T = TypeVar("T")

EXTRA = "anchors"
_MOST = 1 << 20
_ANCHOR = b',"kind":"anchor",'


def trust(
    home: Home,
    *,
    policy: Path | None = None,
    witnesses: Sequence[str] = (),
    roots: Path | None = None,
    headers: Path | None = None,
) -> TrustedParties:
    """Return whom the person trusts: what they give, and for what they do not give, what config.toml in HOME names.

    Raises:
        UsageError: a file is missing, or is not what it should be.
    """
    from projections.configuration import CONFIG_NAME, load

    configuration = load(
        home.path / CONFIG_NAME
    )  # never that of a ledger's directory: it lies beside the chain
    return trust_of(
        policy=policy or _path(configuration.anchor_policy),
        witnesses=[*witnesses] or [each for each in (configuration.anchor_witness,) if each],
        roots=roots or _path(configuration.anchor_roots),
        headers=headers or _path(configuration.anchor_headers),
    )


def evidence(workspace: Workspace, proofs: Proofs, trust: TrustedParties) -> list[Evidence]:
    """Return what the receipts of every checkpoint show that the chain, which was verified, holds."""
    from proofs import receipts
    from proofs.completeness import compared
    from proofs.evidence import judged, missing, weighed

    stored, said = proofs.signed.stored(), anchored(workspace.chain)
    reached: list[Stored] = []
    if stored:
        with reading(workspace.chain, stored, workspace.place.directory) as (fd, tip, lines, tree):
            reached = compared(stored, lines, tree, fd, tip).reached
    where = {each.file: each.where for each in said}
    found: list[Evidence] = []
    looked_at = set()
    for each in reached:
        for one in receipts.beside(each.path) if each.path else ():
            looked_at.add(f"{receipts.FOLDER}/{one.name}")
            some = judged(one, each.checkpoint, trust)
            found += [replace(shown, where=where.get(shown.file, "")) for shown in some]
    folder = proofs.signed.folder
    gone = missing(said, found, looked_at, lambda name: os.path.lexists(folder / name))
    return sorted([*weighed(found, trust), *gone], key=lambda each: each.size)


def anchored(chain: Path) -> list[Anchored]:
    """Return what the anchor events of the chain, which was verified, say, oldest first; of an erased one nothing."""
    from ledger import reader
    from ledger.canonical import decode
    from ledger.event import split_line
    from proofs import heads
    from proofs.receipts import Anchored

    found = []
    with reader.opened(chain) as fd:
        stop = reader.end_of_lines(fd, 0, chain.stat().st_size)
        for _, lines in heads.blocks(fd, 0, stop):
            for raw in lines:
                if _ANCHOR in raw and _ANCHOR in heads.head_of(raw):
                    payload = split_line(raw).payload
                    if payload is not None and payload.startswith(b"{"):
                        found.append(Anchored.from_payload(decode(payload, "the anchor")))
    return found


@dataclass(frozen=True, slots=True)
class Timed:
    """What receipts show of a chain: the verdicts *completeness* and *time*, and what each receipt shows."""

    completeness: Verdict
    time: Verdict
    evidence: tuple[Evidence, ...] = ()


def judge_time(
    workspace: Workspace, proofs: Proofs, chain: ChainReport, trusted: TrustedParties | None
) -> Timed:
    """Judge the time of a verified chain by its receipts (V-40, V-41).

    Without `trusted`, config.toml in HOME says whom the person trusts; when it cannot be used, *time* says so.
    """
    from ledger.verify import Verdict
    from proofs.evidence import time_verdict

    whole = chain.completeness
    if chain.link is None or not chain.sound:
        return Timed(whole, Verdict("not checked", "Time not checked: the chain itself is not sound."))
    try:
        trusted = trusted if trusted is not None else trust(workspace.home)
        found, said = evidence(workspace, proofs, trusted), len(anchored(workspace.chain))
    except LedgerError as error:
        return Timed(whole, Verdict("not checked", f"Time not checked: {error}."))
    return Timed(_trusted(whole, found, trusted), time_verdict(found, said, trusted), tuple(found))


def trust_of(
    *,
    policy: Path | None = None,
    witnesses: Sequence[str] = (),
    roots: Path | None = None,
    headers: Path | None = None,
) -> TrustedParties:
    """Return whom these files and witness keys say to trust.

    Raises:
        UsageError: a file is missing, or is not what it should be.
    """
    from proofs.evidence import TrustedParties, headers_of, witness_key
    from proofs.policy import parse
    from proofs.rfc3161 import roots_of

    if roots:
        needs("rfc3161_client")
    return TrustedParties(
        tuple(map(witness_key, witnesses)),
        _of_file(policy, parse) if policy else None,
        tuple(_of_file(roots, roots_of)) if roots else (),
        _of_file(headers, headers_of) if headers else {},
    )


def needs(module: str) -> None:
    """Raise UsageError where a library of the extra `anchors` is missing."""
    from importlib.util import find_spec

    if find_spec(module) is None:
        raise UsageError(f"this needs the extra muniment[{EXTRA}]: {how_to_install(EXTRA)}")


def _trusted(verdict: Verdict, found: Sequence[Evidence], trust: TrustedParties) -> Verdict:
    """Return the verdict *completeness*, naming who stands behind the largest checkpoint that is trusted (V-40)."""
    if verdict.state != "sound":
        return verdict
    for size in sorted({each.size for each in found}, reverse=True):
        held = [each for each in found if each.size == size and each.state == "held"]
        cosigned = [each for each in held if each.key]
        behind = [each.source for each in held if not each.key]
        if trust.vouches([each.key for each in cosigned if each.key]):
            behind = [*(each.source for each in cosigned), *behind]
        if behind:
            by = ", ".join(dict.fromkeys(behind))
            return replace(
                verdict, sentence=f"{verdict.sentence} Its first {size} events are confirmed by {by}."
            )
    return verdict


def _path(text: str) -> Path | None:
    return Path(text).expanduser() if text else None


def _of_file(path: Path, read: Callable[[bytes], T]) -> T:
    """Read a file of trust; what is wrong with it is said with its path."""
    try:
        with path.open("rb") as stream:
            data = stream.read(_MOST + 1)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    if len(data) > _MOST:
        raise UsageError(f"{path} has more than {_MOST} bytes")
    try:
        return read(data)
    except LedgerError as error:
        raise UsageError(f"{path}: {error}") from None
