"""muniment verify of a proof file or a checkpoint: what is read, and how it is told.

Implements specs/cli.md (X-265) and specs/proofs.md (T-45…T-53). Needs no ledger, and reads nothing but the files
that are named.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cli import verifiable_files
from cli.app import App
from language.dates import moment
from language.printable import plain, short, who
from ledger.errors import FormatError, NotFoundError, UsageError
from ledger.note import NoteKey
from proofs import policy, proof, proof_judgement
from proofs.proof_judgement import SHOWN, UNCHECKED, Judgement, Receipts, VerifierTrust

_COLORS = {SHOWN: "green", UNCHECKED: "yellow", proof_judgement.WRONG: "red"}
_CODES = {
    proof_judgement.SOUND: 0,
    proof_judgement.FINDINGS: 1,
    proof_judgement.UNKNOWN_SIGNER: NotFoundError.exit_code,
}
_RESULTS = {
    proof_judgement.SOUND: (
        "green",
        "Signed by the ledger whose key you named; everything that was checked holds.",
    ),
    proof_judgement.FINDINGS: ("red", "Do not rely on it: something in it is wrong."),
    proof_judgement.UNKNOWN_SIGNER: (
        "yellow",
        "Anybody can have made it: get the key from the ledger's owner, and run muniment verify FILE --key VKEY.",
    ),
}
_NEVER = (
    "that it is true; who wrote it (names are self-reported); that it still counts (later events may "
    "have replaced, deleted or erased it); that the key's owner shows everybody the same history (for that, ask a witness)"
)


def read(path: Path, what: str, most: int = proof.MAX_BYTES) -> bytes:
    """Return a file's bytes; raises UsageError where it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(most + 1)
    except OSError as error:
        raise UsageError(f"cannot read the {what} {path}: {error.strerror}") from None


def trust_of(keys: Sequence[str], policy_file: Path | None) -> VerifierTrust:
    """Return whom `--key` and `--policy` say to trust.

    Raises:
        UsageError: the policy cannot be read.
        FormatError: a key or the policy is malformed.
    """
    return VerifierTrust(
        tuple(NoteKey.from_vkey(key) for key in keys), _policy(policy_file) if policy_file else None
    )


def _policy(path: Path) -> policy.Policy:
    try:
        return policy.parse(read(path, "policy", policy.MAX_BYTES))
    except FormatError as error:
        raise FormatError(error.rule, f"{path}: {error}", code=error.code) from None


def verify(app: App, path: Path, trust: VerifierTrust, receipts: Receipts | None = None) -> int:
    """Judge a proof file and print what it shows; return the exit code of the result (X-265)."""
    with verifiable_files.told(path, verifiable_files.PROOF):
        parsed = proof.parse(read(path, "proof"))
    judged = proof_judgement.judge(parsed, trust, receipts)
    if app.json:
        app.emit(as_json(judged))
    else:
        _print(app, judged)
    return _CODES[judged.result]


def as_json(judged: Judgement) -> dict[str, Any]:
    """Return a judgement as `--json` prints it; text and event are there only if they were shown."""
    made = judged.checkpoint
    return {
        "result": judged.result,
        "sound": judged.result == proof_judgement.SOUND,
        "id": judged.id or None,
        "index": judged.index,
        "event": judged.event,
        "payload": judged.payload,
        "checkpoint": {"origin": made.origin, "size": made.size, "root": made.root.hex()},
        "vkey": judged.vkey or None,
        "items": [item.to_json() for item in judged.items],
        "never_shown": _NEVER,
    }


def _print(app: App, judged: Judgement) -> None:
    color, sentence = _RESULTS[judged.result]
    app.line(f"{'proof':<10}  {app.style(f'{judged.result:<11}', fg=color)}  {sentence}")
    if judged.event is not None:
        event = judged.event
        by = who(*(event["by"][name] for name in ("name", "role", "via")))
        at = moment(event.get("at", event["ts"]))
        app.line(
            plain(
                f"{event['kind']}  {short(judged.id)}  @{judged.index}  {at} by its own clock  by {by}, as they say"
            )
        )
    for line in _said(judged):
        app.line(f"  {plain(line)}")
    for item in judged.items:
        state = app.style(f"{item.state:<11}", fg=_COLORS[item.state])
        app.line(f"{item.name:<10}  {state}  {plain(item.sentence)}")
    app.line(f"{'never':<10}  {'not shown':<11}  {_NEVER}")
    if judged.vkey:
        app.note(f"the checkpoint's key, as the file itself says: {judged.vkey}")


def _said(judged: Judgement) -> list[str]:
    payload = judged.payload or {}
    said = [str(payload[name]) for name in ("title", "text", "reason", "method") if payload.get(name)]
    body = payload.get("body")
    return [*said, *(body.splitlines() if isinstance(body, str) else [])]
