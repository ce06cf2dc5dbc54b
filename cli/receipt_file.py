"""Verifies the receipt of an erasure for `muniment verify`: by keys that are given, else by the ledger here.

Implements specs/cli.md (X-281) and specs/erasure.md (Z-23, Z-24).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cli import verifiable_files
from cli.app import App
from cli.show_entry import count_of
from language.dates import moment
from language.printable import plain
from ledger.errors import LedgerError, UsageError
from ledger.note import NoteKey
from muniment import MemoryLedger
from proofs.erasing import erasure_receipt
from proofs.erasing.erasure_receipt import ErasureReceipt

_MOST = 1 << 20


def verify_receipt(app: App, path: Path, vkeys: Sequence[str]) -> int:
    """Check a receipt and print what it says; return 0 if nothing speaks against it, else 1.

    Raises:
        FormatError: it is not a receipt, or none of the keys signed it.
        UsageError: the ledger's key is unknown: no key was given, and the ledger is not here.
    """
    with verifiable_files.told(path, verifiable_files.RECEIPT):
        with path.open("rb") as file:
            data = file.read(_MOST + 1)
        said, _ = erasure_receipt.parse(data)
    memory = _ledger_of(app, said)
    keys = [erasure_receipt.under(said.origin, NoteKey.from_vkey(vkey)) for vkey in vkeys]
    if not keys:
        if memory is None:
            raise UsageError(
                f"the ledger that {path} is of is not here: give the key by which it is to be verified, --key VKEY"
            )
        keys = erasure_receipt.keys_in_chain(said.origin, memory.workspace.chain)
    with verifiable_files.told(path, verifiable_files.RECEIPT):
        said, signers = erasure_receipt.verify(data, keys)
    faults = erasure_receipt.against_chain(said, memory.workspace.chain, signers) if memory else []
    _print(app, said, faults, compared=memory is not None)
    return 1 if faults else 0


def _ledger_of(app: App, said: ErasureReceipt) -> MemoryLedger | None:
    """Return the ledger that is opened here, if the receipt is of it and every head of its chain is sound."""
    try:
        memory = app.memory()
        can = erasure_receipt.may_judge(said, memory.upkeep.verify().chain)
    except LedgerError:
        return None
    if can is False:
        app.note("the ledger here is not sound, so nothing is compared with it: see muniment verify")
    return memory if can else None


def _print(app: App, said: ErasureReceipt, faults: Sequence[str], *, compared: bool) -> None:
    if app.json:
        app.emit({
            "sound": not faults,
            "compared": compared,
            "origin": said.origin,
            "at": said.at,
            "erases": [{"id": id_, "seq": seq, "ts": ts} for id_, seq, ts in said.erases],
            "targets": [{"id": id_, "seq": seq} for id_, seq in said.targets],
            "cleaned": list(said.cleaned),
            "named": list(said.named),
            "searched": said.searched,
            "beyond_reach": list(said.beyond),
            "findings": list(faults),
        })  # fmt: skip
        return
    sound = "findings" if faults else "sound"
    against = "the ledger here agrees" if compared and not faults else "the ledger here does not agree"
    where = against if compared else "it was compared with no ledger"
    state = app.style(f"{sound:<11}", fg="red" if faults else "green")
    app.line(f"{'receipt':<12}  {state}  Signed by the ledger's own key; {where}.")
    for fault in faults:
        app.line(f"  {fault}")
    blanked, by = count_of(len(said.targets), "event"), count_of(len(said.erases), "erase event")
    app.line(f"  {blanked} blanked by {by} at {moment(said.at)}; copies searched {said.searched} that")
    app.lines(
        plain(f"  {what} {each}")
        for what, all_ in (("cleaned", said.cleaned), ("named", said.named))
        for each in all_
    )
    app.lines(plain(f"  beyond reach: {each}") for each in said.beyond)
