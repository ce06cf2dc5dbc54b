"""muniment anchor: what a ledger gives to others so that they can check it later.

Implements specs/cli.md (X-261, X-263, X-270…X-274), specs/proofs.md (T-22, T-23) and specs/anchors.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli.app import App, common_options, put
from cli.command_group import CommandGroup
from cli.options import option
from cli.progress import ProgressBar
from cli.show_entry import count_of
from language.printable import plain, short
from ledger.note import NoteKey, parse
from proofs.evidence import NOT_UNIQUE
from proofs.evm import CHAINS, NOWHERE, Fees
from proofs.proof import receipts_beside
from proofs.trusting import trust

if TYPE_CHECKING:
    from proofs.anchoring import AnchorResult

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.group("anchor", cls=CommandGroup)
@common_options
def command(_app: App) -> None:
    """Sign checkpoints for others to keep.

    A checkpoint is a short signed text: the number of events, and one hash over all of them. Anyone who keeps
    one can later detect if an event was changed, removed or inserted. It contains no memory.

    \b
    Examples:
      muniment anchor checkpoint > monday.checkpoint     give it to somebody
      muniment verify --checkpoint monday.checkpoint     later: is all of it unchanged?
    """


def _tell(app: App, given: AnchorResult) -> None:
    """Print what came of an anchor, and what it does not show."""
    if app.json:
        app.emit(given.to_json())
    else:
        app.line(f"{short(given.id) or '-'}  {given.checkpoint.size} events  {plain(str(given.path))}")
        app.lines(f"  {plain(str(each))}" for each in given.evidence)
    app.note(NOT_UNIQUE)


@command.command("checkpoint", short_help="Sign what the ledger holds now")
@common_options
def checkpoint(app: App) -> None:
    """Sign a checkpoint of everything that the ledger holds now, and print it.

    It is a signed note (c2sp.org/tlog-checkpoint); a copy is kept under anchors/ in the ledger's directory. If
    nothing was learned since the last one, that one is printed. A chain that does not continue what was signed
    before is not signed: exit code 7.

    \b
    Examples:
      muniment anchor checkpoint > monday.checkpoint
      muniment anchor checkpoint --json | jq -r .vkey       the key that others check it by
    """
    memory = app.memory()
    with ProgressBar("reading the chain") as progress:
        signed = memory.proofs.checkpoint(progress)
    made = signed.checkpoint
    vkey = NoteKey(made.origin, memory.workspace.ledger.signing_key().public).vkey
    if app.json:
        value = {
            "new": signed.new,
            "size": made.size,
            "root": made.root.hex(),
            "origin": made.origin,
            "vkey": vkey,
            "signatures": len(parse(signed.data).signatures),
            "path": str(signed.path),
            "checkpoint": signed.data.decode(),
        }
        app.emit(value)
    else:
        put(signed.data)
    did = "signed" if signed.new else "nothing was learned since this was signed:"
    app.note(f"{did} {count_of(made.size, 'event')}; kept as {signed.path}")
    app.note(f"others check it by the key {vkey}")


@command.command("list", short_help="List the checkpoints that were signed")
@common_options
def list_(app: App) -> None:
    """List the stored checkpoints that this ledger's keys signed, and what others gave for each.

    \b
    Examples:
      muniment anchor list
      muniment anchor list --json
    """
    proofs = app.memory().proofs
    kept = {each.data for each in proofs.checkpoints(given_up=False)}
    rows: list[dict[str, Any]] = [
        {
            "size": each.checkpoint.size,
            "root": each.checkpoint.root.hex(),
            "origin": each.checkpoint.origin,
            "path": str(each.path) if each.path.exists() else None,
            "cosignatures": len(parse(each.data).signatures) - 1,
            "receipts": [receipt.kind for receipt in receipts_beside(each.path)],
            "given_up": each.data not in kept,
        }
        for each in proofs.checkpoints()
    ]
    if app.json:
        app.emit_lines(rows)
        return
    for row in rows:
        count = row["cosignatures"]
        others = [*([count_of(count, "cosignature")] if count else []), *row["receipts"]]
        where = plain(row["path"]) if row["path"] else "remembered only: its file is gone"
        gone = "  given up by a recover" if row["given_up"] else ""
        app.line(f"{row['size']:>8} events  {row['root'][:16]}…  {', '.join(others) or '-'}  {where}{gone}")
    if not rows:
        app.note("no checkpoint was signed yet: run muniment anchor checkpoint to sign one")


@command.command("witness", short_help="Have a witness cosign a checkpoint")
@click.argument("url")
@option("--vkey", "vkeys", multiple=True, metavar="VKEY", help="The witness's key. May be repeated.")
@option(
    "--policy",
    type=_FILE,
    metavar="FILE",
    help="A policy file that has its key (default: anchor.policy or anchor.witness of your config.toml).",
)
@common_options
def witness(app: App, url: str, vkeys: tuple[str, ...], policy: Path | None) -> None:
    """Have the witness at URL cosign a checkpoint.

    The witness compares the checkpoint with what it saw of this ledger before. URL is its submission prefix
    (c2sp.org/tlog-witness). Its operator must know this ledger's key, which muniment anchor checkpoint prints.
    The witness gets the checkpoint and a proof, but no memory. Its answer is checked with the key that you
    give, and added to the checkpoint's file.

    \b
    Examples:
      muniment anchor witness https://witness.example/ --vkey witness.example+1a2b3c4d+BHu…
      muniment anchor witness https://witness.example/ --policy ~/witnesses.policy
    """
    memory = app.memory()
    trusted = trust(memory.workspace.home, policy=policy, witnesses=vkeys)
    _tell(app, memory.anchors.anchor_witness(url, trusted.witness_keys()))


@command.command("rfc3161", short_help="Have a timestamping authority stamp one")
@click.argument("url")
@option(
    "--roots",
    type=_FILE,
    metavar="PEM",
    help="The authority's root certificates, to check the token with (default: anchor.roots of your config.toml).",
)
@common_options
def rfc3161(app: App, url: str, roots: Path | None) -> None:
    """Have the timestamping authority at URL stamp a checkpoint (RFC 3161), and keep its token.

    It gets a SHA-256 digest and nothing else. Without its root certificates the token is not checked now;
    muniment verify --roots PEM checks it later, offline. Needs the extra muniment[anchors].

    \b
    Examples:
      muniment anchor rfc3161 https://tsa.example/tsr --roots tsa-root.pem
    """
    memory = app.memory()
    _tell(app, memory.anchors.anchor_rfc3161(url, trust(memory.workspace.home, roots=roots)))


@command.group("ots", cls=CommandGroup, short_help="Timestamp one in Bitcoin, by OpenTimestamps")
@common_options
def ots(_app: App) -> None:
    """Timestamp a checkpoint in Bitcoin, with OpenTimestamps calendars.

    A calendar gets a digest that tells it nothing, and promises to put it into a block. Some hours later,
    upgrade fetches the proof, and muniment verify --headers FILE checks it. Only the calendars that you name
    are asked. Needs the extra muniment[anchors].

    \b
    Examples:
      muniment anchor ots stamp https://calendar.example/
      muniment anchor ots upgrade https://calendar.example/
    """


@ots.command("stamp", short_help="Ask calendars for a timestamp of a checkpoint")
@click.argument("urls", nargs=-1, required=True, metavar="URL...")
@common_options
def stamp(app: App, urls: tuple[str, ...]) -> None:
    """Ask the calendars at URL… for a timestamp of a checkpoint; every one of them must answer.

    \b
    Examples:
      muniment anchor ots stamp https://calendar.example/
    """
    _tell(app, app.memory().anchors.anchor_ots(urls))


@ots.command("upgrade", short_help="Fetch the proof once it is in a Bitcoin block")
@click.argument("urls", nargs=-1, required=True, metavar="URL...")
@common_options
def upgrade(app: App, urls: tuple[str, ...]) -> None:
    """Ask the calendars at URL… for the proof that the digest is in a Bitcoin block, and keep it.

    \b
    Examples:
      muniment anchor ots upgrade https://calendar.example/
    """
    done = app.memory().anchors.upgrade_ots(urls)
    if app.json:
        app.emit_lines({**given.to_json(), "new": new} for given, new in done)
        return
    for given, new in done:
        what = f"{count_of(new, 'block')} new" if new else "nothing new"
        app.line(f"{given.checkpoint.size} events  {what}  {plain(str(given.path))}")
        app.lines(f"  {plain(each)}" for each in given.waiting)


@command.command("evm", short_help="Write a transaction with its digest, for your wallet")
@option("--chain", type=click.Choice(list(CHAINS)), required=True, help="The chain to sign it for.")
@option("--receipt", metavar="TXHASH", help="Record the hash of the transaction that you sent.")
@common_options
def evm(app: App, chain: str, receipt: str | None) -> None:
    """Write an unsigned transaction with a checkpoint's digest, for your own wallet to sign and send.

    Nothing is sent, no wallet's key is read, and no network is used. The file has the transaction in the terms
    of JSON-RPC, and the bytes to sign (EIP-1559). Receiver, nonce and fees are 0: your wallet sets them. After
    sending, record the hash with --receipt; nothing here looks up whether it is on the chain.

    \b
    Examples:
      muniment anchor evm --chain base
      muniment anchor evm --chain base --receipt 0x5c50…
    """
    anchors = app.memory().anchors
    if receipt is not None:
        given = anchors.record_evm(chain, receipt)
        _tell(app, given)
        if not given.id:
            app.note("it was recorded before")
        return
    given, data = anchors.export_evm(chain, NOWHERE, Fees())
    made, path = given.checkpoint, plain(str(given.path))
    if app.json:
        value = {
            "chain": CHAINS[chain],
            "size": made.size,
            "calldata": f"0x{data.hex()}",
            "file": str(given.path),
        }
        app.emit(value)
    else:
        app.line(f"{made.size} events  {made.root.hex()[:16]}…  {path}")
    app.note(f"nothing was sent: sign the transaction in {path} with your wallet")
    app.note(f"then: muniment anchor evm --chain {chain} --receipt TXHASH")
