"""muniment verify: the verdicts on a ledger.

Implements specs/cli.md (X-80, X-81, X-275) and specs/verification.md (V-16, V-22). Reads only.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import muniment
from cli import proof_file, verifiable_files
from cli.app import App, common_options
from cli.options import Verb, option
from cli.progress import ProgressBar
from cli.receipt_file import verify_receipt
from cli.remedies import remedy
from language.printable import plain
from ledger.errors import NotFoundError, UsageError
from ledger.mark import StateDirectory
from ledger.note import NoteKey
from ledger.verify import Verdict
from muniment import MemoryLedger
from proofs.checkpoint import parse
from proofs.evidence import receipt_judges
from proofs.signed_checkpoints import Stored
from proofs.trusting import trust, trust_of
from proofs.verify_report import beside_checkpoint, verified_file

if TYPE_CHECKING:
    from collections.abc import Sequence


SHOWN = 20
"""How many findings of a verdict are listed as text; --json lists all."""

_STRANGER = "Anybody can have made it: get the key from the ledger's owner, and run muniment verify CHAIN_FILE --key VKEY."
_COLORS = {"sound": "green", "findings": "red", "not checked": "yellow"}
_FILE = click.Path(path_type=Path)


@click.command("verify", cls=Verb)
@click.argument("path", required=False, type=_FILE)
@option("--since-mark", is_flag=True, help="Check only what is newer than the high-water mark.")
@option(
    "--checkpoint",
    type=_FILE,
    metavar="FILE",
    help="A checkpoint that was signed earlier: the ledger must continue it.",
)
@option(
    "--key",
    "keys",
    multiple=True,
    metavar="VKEY",
    help="Of a proof, a receipt or a chain file: the ledger's key, from its owner.",
)
@option(
    "--policy",
    type=_FILE,
    metavar="FILE",
    help="Logs and witnesses that are trusted (c2sp.org/tlog-policy).",
)
@option(
    "--witness",
    "witnesses",
    multiple=True,
    metavar="VKEY",
    help="A witness that is trusted. May be repeated.",
)
@option(
    "--roots",
    type=_FILE,
    metavar="PEM",
    help="Root certificates of timestamping authorities that are trusted.",
)
@option(
    "--headers",
    type=_FILE,
    metavar="FILE",
    help="Bitcoin block headers that are trusted: lines HEIGHT HEX.",
)
@common_options
def command(
    app: App,
    path: Path | None,
    *,
    since_mark: bool,
    checkpoint: Path | None,
    keys: tuple[str, ...],
    policy: Path | None,
    witnesses: tuple[str, ...],
    roots: Path | None,
    headers: Path | None,
) -> int:
    """Check that nothing was changed, truncated or forged.

    Reports these results, and exits with 0 if no fault was found, 1 otherwise. Repairs nothing, and names what
    could not be checked.

    integrity: every event is unchanged, signed by the right key, and in the right order. completeness: nothing
    that was acknowledged here was cut off. projections: index and documents match the log. time: the latest
    time by which its checkpoints existed, as receipts under anchors/ show by parties you trust (--witness,
    --policy, --roots, --headers, or [anchor] in your config.toml). members, in a team: the copies of the other
    members' chains are sound, and the members are those of the rosters; a fault there does not affect your own
    chain.

    PATH is another ledger's directory, a chain file (which has no projections), a proof file (muniment prove),
    which needs no ledger here, or the receipt of an erasure.

    The first line on a proof is the result. If neither --key nor a log in --policy identifies the signer, the
    result is "unknown signer", with exit code 3: anybody can make such a file with a key of their own. The same
    applies to a PATH with a chain that this machine knows nothing about.

    \b
    Examples:
      muniment verify
      muniment verify --since-mark          only what is new; quick in a long ledger
      muniment verify /media/copy/chain.jsonl --key "$KEY"
      muniment verify --checkpoint monday.checkpoint
      muniment verify memory.proof --key "$KEY"
      muniment verify --json | jq .sound
    """
    if path is not None and not path.exists() and path.suffix in (".proof", ".receipt"):
        raise NotFoundError(f"there is no file {path}")
    if path is not None and path.is_file():
        kind = verifiable_files.kind_of(path)
        if kind == verifiable_files.PROOF:
            if since_mark or checkpoint or witnesses:
                named = "--key, --policy, --roots and --headers"
                raise UsageError(f"a proof file is judged by {named} alone: leave the other options out")
            return _verify_proof(app, path, keys, policy, roots=roots, headers=headers)
        if kind == verifiable_files.RECEIPT:
            return verify_receipt(app, path, keys)
    if keys and (path is None or path.is_dir() or since_mark):
        raise UsageError("--key is for a file, checked as a whole: muniment verify CHAIN_FILE --key VKEY")
    given = {"policy": policy, "witnesses": witnesses, "roots": roots, "headers": headers}
    with ProgressBar("verifying") as progress:
        brought = _brought(checkpoint) if checkpoint else None
        if path is not None and not path.is_dir():
            chain, state = path, StateDirectory(muniment.home().state)
            own = [NoteKey.from_vkey(key) for key in keys]
            report = verified_file(path, state, own, since_mark=since_mark, progress=progress)
        else:
            memory = app.memory() if path is None else _of_directory(app, path)
            chain = memory.workspace.chain
            report = memory.upkeep.verify(
                since_mark=since_mark,
                progress=progress,
                trust=trust(memory.workspace.home, **given) if any(given.values()) else None,  # type: ignore[arg-type]
            )
        if brought:
            report = beside_checkpoint(report, chain, brought)
        if path is None:
            app.memory().upkeep.note_verified(report, since_mark=since_mark)
    is_stranger = path is not None and not brought and report.sound and report.chain.is_stranger
    _show(app, report, is_stranger=is_stranger)
    return NotFoundError.exit_code if is_stranger else 0 if report.sound else 1


def _show(app: App, report: muniment.VerifyReport, *, is_stranger: bool) -> None:
    """Print the report; for an unknown chain that comes first (X-81)."""
    if app.json:
        app.emit({**as_json(report), "sound": report.sound and not is_stranger, "known": not is_stranger})
        return
    if is_stranger:
        app.line(f"{'chain':<12}  {app.style('unknown signer', fg='yellow')}  {_STRANGER}")
    print_report(app, report)
    _name_remedy(app, report)


def _name_remedy(app: App, report: muniment.VerifyReport) -> None:
    """Print how to remove what an editor or git inserted: it is in every line, and nothing signed is lost (X-56)."""
    found = (each for each in report.chain.integrity.findings if each.code in {"bom", "raw-control"})
    if first := next(found, None):
        app.note(remedy(first))


def _verify_proof(
    app: App,
    path: Path,
    keys: Sequence[str],
    policy: Path | None,
    *,
    roots: Path | None,
    headers: Path | None,
) -> int:

    receipts = receipt_judges(trust_of(roots=roots, headers=headers))
    return proof_file.verify(app, path, proof_file.trust_of(keys, policy), receipts)


def _brought(path: Path) -> Stored:
    """Return the checkpoint in a file, unverified."""
    data = proof_file.read(path, "checkpoint")
    return Stored(path, data, parse(data)[0])


def _of_directory(app: App, directory: Path) -> MemoryLedger:
    if app.directory is not None or app.scope is not None:
        raise UsageError("give PATH, --ledger or --scope, not two of them")
    place, _ = muniment.locate(None, directory)
    memory = MemoryLedger(place, muniment.home(), by=app.by())
    memory.workspace.on_progress = ProgressBar
    return memory


def print_report(app: App, report: muniment.VerifyReport) -> None:
    """Print the verdicts, and under the one on time what each receipt shows."""
    for name, verdict in report.verdicts:
        print_verdict(app, name, verdict)
        if name == "integrity" and verdict.state != "not checked" and not report.chain.payloads.plain:
            app.line(f"  {report.chain.payloads}")
    more = [each for each in report.evidence if each.state != "wrong"]  # what is, is a finding above
    app.lines(f"  {plain(str(each))}" for each in more[-SHOWN:])
    if len(more) > SHOWN:
        app.line(f"  and {len(more) - SHOWN} older: --json lists them")


def print_verdict(app: App, name: str, verdict: Verdict) -> None:
    """Print a verdict and its first findings."""
    state = app.style(f"{verdict.state:<11}", fg=_COLORS[verdict.state])
    app.line(f"{name:<12}  {state}  {verdict.sentence}")
    for finding in verdict.findings[:SHOWN]:
        app.line(f"  {plain(str(finding))}")
    more = len(verdict.findings) - SHOWN + verdict.omitted
    if more > 0:
        app.line(f"  and {more} more{': --json lists them' if not verdict.omitted else ''}")


def as_json(report: muniment.VerifyReport) -> dict[str, Any]:
    """Return a report as `--json` has it."""
    chain, link = report.chain, report.chain.link
    return {
        "sound": report.sound,
        "complete": chain.completeness.state == "sound",
        "events": chain.events,
        "erased": chain.erased,
        "payloads": chain.payloads.to_json(),
        "bytes": chain.size,
        "genesis": link.chain if link else None,
        "compromised": [
            {"since": since, "until": rotate - 1, "rotate": rotate} for since, rotate in chain.disowned
        ],
        "newest": {"seq": link.seq, "id": link.id, "ts": link.ts} if link else None,
        "members": None,
        **{name: verdict.to_json() for name, verdict in report.verdicts},
        "evidence": [each.to_json() for each in report.evidence],
    }
