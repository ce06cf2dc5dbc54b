"""muniment anchor evm: a transaction that carries a checkpoint's digest, for a wallet to sign.

Implements specs/cli.md (X-273) and specs/anchors.md (W-40…W-42).
"""

from __future__ import annotations

import click

from cli.app import App, common_options
from language.printable import plain
from ledger.errors import UsageError
from proofs.evm import CHAINS, NOWHERE, Fees

_WEI = click.IntRange(min=0)


@click.command("evm")
@click.option("--chain", type=click.Choice(list(CHAINS)), required=True, help="The chain to sign it for.")
@click.option("--to", default=NOWHERE, metavar="ADDRESS", help="Its receiver (default: the zero address).")
@click.option("--nonce", type=_WEI, metavar="N", help="How many transactions the sender has sent.")
@click.option("--max-fee", type=_WEI, metavar="WEI", help="The highest price for one gas.")
@click.option(
    "--priority-fee", type=_WEI, metavar="WEI", help="How much of that goes to the block's producer."
)
@click.option("--calldata", is_flag=True, help="Print the data alone, as hex.")
@click.option("--receipt", metavar="TXHASH", help="Record the hash of the transaction that you sent.")
@common_options
def command(  # noqa: PLR0917 - click passes them by name
    app: App,
    chain: str,
    to: str,
    nonce: int | None,
    max_fee: int | None,
    priority_fee: int | None,
    calldata: bool,
    receipt: str | None,
) -> int:
    """Write an unsigned transaction with a checkpoint's digest, for your own wallet to sign and send.

    Nothing is sent, no wallet's key is read, and no network is used. The file has the transaction in the terms
    of JSON-RPC, and the bytes to sign (EIP-1559). Nonce and fees that you do not give are 0: your wallet sets
    them. After sending, record the hash with --receipt; nothing here looks up whether it is on the chain.

    \b
    Examples:
      muniment anchor evm --chain base
      muniment anchor evm --chain base --calldata
      muniment anchor evm --chain base --receipt 0x5c50…
    """
    memory = app.memory()
    if receipt is not None:
        if calldata or to != NOWHERE or (nonce, max_fee, priority_fee) != (None, None, None):
            raise UsageError("--receipt records a transaction that was sent: give it alone, with --chain")
        from cli.anchors.anchor_report import tell

        given = memory.anchors.record_evm(chain, receipt)
        tell(app, given)
        if not given.id:
            app.note("it was recorded before")
        return 0
    given, data = memory.anchors.export_evm(chain, to, Fees(nonce or 0, max_fee or 0, priority_fee or 0))
    made = given.checkpoint
    if app.json:
        app.emit(
            {
                "chain": CHAINS[chain],
                "size": made.size,
                "calldata": f"0x{data.hex()}",
                "file": str(given.path),
            }
        )
    elif calldata:
        app.line(f"0x{data.hex()}")
    else:
        app.line(f"{made.size} events  {made.root.hex()[:16]}…  {plain(str(given.path))}")
    app.note(f"nothing was sent: sign the transaction in {plain(str(given.path))} with your wallet")
    app.note(f"then: muniment anchor evm --chain {chain} --receipt TXHASH")
    return 0
