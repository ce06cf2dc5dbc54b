"""Judges the receipts of a ledger's checkpoints by whom a person trusts.

Implements specs/anchors.md (W-60…W-62, W-64) and specs/verification.md (V-40…V-42). `anchoring` asks for the receipts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ledger.errors import LedgerError, UsageError
from ledger.extras import how_to_install
from ledger.location import Home
from ledger.verify import ChainReport, Verdict
from projections.configuration import CONFIG_NAME, load
from proofs import receipts
from proofs.completeness import Completeness, with_checkpoints
from proofs.evidence import (
    Evidence,
    TrustedParties,
    headers_of,
    judged,
    time_verdict,
    witness_key,
)
from proofs.policy import parse
from proofs.proving import Proofs
from proofs.rfc3161 import roots_of

if TYPE_CHECKING:
    from projections.workspace import Workspace

T = TypeVar("T")

EXTRA = "anchors"
_MOST = 1 << 20


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
    configuration = load(
        home.path / CONFIG_NAME
    )  # never that of a ledger's directory: it lies beside the chain
    return trust_of(
        policy=policy or _path(configuration.anchor_policy),
        witnesses=[*witnesses] or [each for each in (configuration.anchor_witness,) if each],
        roots=roots or _path(configuration.anchor_roots),
        headers=headers or _path(configuration.anchor_headers),
    )


def evidence(compared: Completeness, trust: TrustedParties) -> list[Evidence]:
    """Return what the receipts of every checkpoint show that the chain reaches.

    Args:
        compared: what came of comparing the chain with its checkpoints.
        trust: whom the person trusts.
    """
    where = {each.get("file"): each.get("where", "") for each in compared.anchored}
    found: list[Evidence] = []
    for each in compared.reached:
        for one in receipts.beside(each.path):
            some = judged(one, each.checkpoint, trust)
            found += [replace(shown, where=where.get(shown.file, "")) for shown in some]
    return sorted(found, key=lambda each: each.size)


@dataclass(frozen=True, slots=True)
class Timed:
    """What receipts show of a chain: the verdicts *completeness* and *time*, and what each receipt shows."""

    completeness: Verdict
    time: Verdict
    evidence: tuple[Evidence, ...] = ()


def judge_time(
    workspace: Workspace, proofs: Proofs, chain: ChainReport, trusted: TrustedParties | None
) -> Timed:
    """Judge a verified chain by the checkpoints that were signed here (V-30), and its time by their receipts (V-40, V-41).

    Without `trusted`, config.toml in HOME says whom the person trusts; when it cannot be used, *time* says so.
    """
    unsound = Verdict("not checked", "Time not checked: the chain itself is not sound.")
    whole = chain.completeness
    if chain.link is None or chain.integrity.findings:
        return Timed(whole, unsound)
    try:
        compared = proofs.compared()
    except LedgerError as error:
        whole = replace(whole, sentence=f"{whole.sentence} Checkpoints were not compared: {error}.")
        return Timed(whole, Verdict("not checked", f"Time not checked: {error}."))
    whole = with_checkpoints(whole, compared)
    if whole.findings:
        return Timed(whole, unsound)
    try:
        trusted = trusted if trusted is not None else trust(workspace.home)
        found = evidence(compared, trusted)
    except LedgerError as error:
        return Timed(whole, Verdict("not checked", f"Time not checked: {error}."))
    said = time_verdict(found, len(compared.anchored))
    return Timed(_trusted(whole, found), said, tuple(found))


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
    if find_spec(module) is None:
        raise UsageError(f"this needs the extra muniment[{EXTRA}]: {how_to_install(EXTRA)}")


def _trusted(verdict: Verdict, found: Sequence[Evidence]) -> Verdict:
    """Return the verdict *completeness*, naming who stands behind the largest checkpoint that is trusted (V-40)."""
    held = [each for each in found if each.state == "held"]
    if verdict.state != "sound" or not held:
        return verdict
    size = max(each.size for each in held)
    by = ", ".join(dict.fromkeys(each.source for each in held if each.size == size))
    return replace(verdict, sentence=f"{verdict.sentence} Its first {size} events are confirmed by {by}.")


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
