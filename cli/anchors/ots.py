"""muniment anchor ots: OpenTimestamps of a checkpoint: stamp, upgrade, verify.

Implements specs/cli.md (X-274) and specs/anchors.md (W-20…W-23).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.app import App, common_options
from cli.command_group import CommandGroup
from language.dates import moment
from language.printable import plain
from ledger.errors import NotFoundError, UsageError
from ledger.instant import written

if TYPE_CHECKING:
    from proofs.ots import Attested, Header


@click.group("ots", cls=CommandGroup)
@common_options
def command(_app: App) -> None:
    """Timestamp a checkpoint in Bitcoin, with OpenTimestamps calendars.

    A calendar gets a digest that tells it nothing, and promises to put it into a block. Some hours later,
    upgrade fetches the proof. Only the calendars that you name are asked. Needs the extra muniment[anchors].

    \b
    Examples:
      muniment anchor ots stamp https://calendar.example/
      muniment anchor ots upgrade https://calendar.example/
      muniment anchor ots verify 0-41.ots --header 0400…
    """


@command.command("stamp", short_help="Ask calendars for a timestamp of a checkpoint")
@click.argument("urls", nargs=-1, required=True, metavar="URL...")
@common_options
def stamp(app: App, urls: tuple[str, ...]) -> int:
    """Ask the calendars at URL… for a timestamp of a checkpoint; every one of them must answer.

    \b
    Examples:
      muniment anchor ots stamp https://calendar.example/
    """
    from cli.anchors.anchor_report import tell

    tell(app, app.memory().anchors.anchor_ots(urls))
    return 0


@command.command("upgrade", short_help="Ask them whether it is in a block by now")
@click.argument("urls", nargs=-1, required=True, metavar="URL...")
@common_options
def upgrade(app: App, urls: tuple[str, ...]) -> int:
    """Ask the calendars at URL… whether what they promised is in a block by now, and keep the proof.

    \b
    Examples:
      muniment anchor ots upgrade https://calendar.example/
    """
    done = app.memory().anchors.upgrade_ots(urls)
    if app.json:
        app.emit_lines({**given.to_json(), "new": new} for given, new in done)
        return 0
    for given, new in done:
        what = f"{new} block{'s' if new != 1 else ''} new" if new else "nothing new"
        app.line(f"{given.checkpoint.size} events  {what}  {plain(str(given.path))}")
        for each in given.waiting:
            app.line(f"  {plain(each)}")
    return 0


@command.command("verify", short_help="Say what a timestamp file shows")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--header",
    "headers",
    multiple=True,
    metavar="HEX",
    help="A block header, 160 hex digits. May be repeated.",
)
@click.option(
    "--checkpoint",
    "of",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The checkpoint (default: the one beside FILE).",
)
@common_options
def verify(app: App, file: Path, headers: tuple[str, ...], of: Path | None) -> int:
    """Say what a timestamp file shows of its checkpoint, and check it against block headers that you give.

    Get the header of the named block from a node or an explorer that you trust. Its proof of work, and whether
    the block is in the best chain, are not checked here. Exits with 1 if something does not hold. Needs no
    ledger.

    \b
    Examples:
      muniment anchor ots verify ~/.muniment/anchors/0-41.ots
      muniment anchor ots verify 0-41.ots --header 0400e020…
    """
    from proofs import ots, receipts
    from proofs.checkpoint import parse
    from proofs.evidence import NOT_UNIQUE
    from proofs.trusting import needs

    needs("opentimestamps")
    data = _read(file)
    made, _ = parse(_read(of or receipts.path_of(file, "witness")))
    stamped = ots.read(data)
    given = list(map(_header, headers))
    is_ours = stamped.digest == receipts.digest(made.text())
    rows = [
        (each, next((header for header in given if header.root == each.root), None))
        for each in stamped.attested
    ]
    unused = sum(all(header.root != each.root for each in stamped.attested) for header in given)
    if app.json:
        blocks = [
            {
                "height": each.height,
                "root": each.root[::-1].hex(),
                "time": header and written(header.time * 1_000_000),
            }
            for each, header in rows
        ]
        pending = [each.address for each in stamped.pending]
        app.emit({"digest": is_ours, "blocks": blocks, "pending": pending, "headers_unused": unused})
    else:
        if not is_ours:
            app.line("it is of another digest than the checkpoint's")
        for each, header in rows:
            app.line(_block(made.size, each, header))
        for promise in stamped.pending:
            app.line(f"pending at {plain(promise.address)}")
    if unused:
        app.note(f"{unused} of the given headers commits to nothing in this file")
    app.note(f"{ots.NOT_CHECKED}. {NOT_UNIQUE}")
    return 0 if is_ours and not unused else 1


def _block(size: int, each: Attested, header: Header | None) -> str:
    if header is None:
        root = each.root[::-1].hex()
        return f"block {each.height}: not checked; give its header, whose Merkle root must be {root}"
    return f"block {each.height}: {size} events existed by {moment(written(header.time * 1_000_000))}"


def _header(text: str) -> Header:
    from proofs import ots

    try:
        return ots.header(bytes.fromhex(text))
    except ValueError:
        raise UsageError("a block header is written as 160 hex digits") from None


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            return stream.read((1 << 20) + 1)
    except OSError as error:
        raise NotFoundError(f"{path} cannot be read: {error.strerror}") from None
