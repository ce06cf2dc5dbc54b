"""memledger list: the memories that stand."""

from __future__ import annotations

import click

from cli.app import App, common_options
from cli.show_entry import entry_json, one_line
from ledger.memory import SECTIONS, SOURCES, TIERS, TYPES
from projections.query import Filter

STATUSES = ("active", "candidate", "superseded", "deleted", "erased", "all")


@click.command("list")
@click.option("--section", metavar="HEADING", default="", help=f"{', '.join(SECTIONS)}, or your own.")
@click.option("--type", "type_", type=click.Choice(TYPES), help="Of this type.")
@click.option("--tag", default="", help="With this tag.")
@click.option("--topic", metavar="PATH", default="", help="Of this topic.")
@click.option("--tier", type=click.Choice(TIERS), help="Of this tier.")
@click.option(
    "--status",
    "statuses",
    type=click.Choice(STATUSES),
    multiple=True,
    help="Default: active and candidate; may be given again.",
)
@click.option("--source", type=click.Choice(SOURCES), help="Learned automatically or written by a person.")
@click.option("--conversation", metavar="ID", default="", help="Learned in this conversation.")
@click.option("--archived", is_flag=True, help="Also what gc has archived.")
@common_options
def command(
    app: App,
    section: str,
    type_: str | None,
    tag: str,
    topic: str,
    tier: str | None,
    statuses: tuple[str, ...],
    source: str | None,
    conversation: str,
    archived: bool,
) -> None:
    """List memories by section, oldest first; filters narrow it down."""
    memory = app.memory()
    wanted = Filter(section, type_ or "", tag, tier or "", source or "", topic, conversation)
    if statuses:
        wanted = Filter(
            section,
            type_ or "",
            tag,
            tier or "",
            source or "",
            topic,
            conversation,
            statuses=() if "all" in statuses else statuses,
        )
    entries = memory.load_all(wanted, archived=archived)
    if app.json:
        app.emit_lines(entry_json(entry) for entry in entries)
        return
    stale_before = memory.configuration.render_settings().stale_before(memory.clock())
    order = {name: i for i, name in enumerate(SECTIONS)}
    by_section: dict[str, list[str]] = {}
    for entry in entries:
        lines = by_section.setdefault(entry.memory.effective_section, [])
        lines.append(one_line(app, entry, stale=entry.live and entry.fresh_since < stale_before))
    for heading in sorted(by_section, key=lambda name: (order.get(name, len(order)), name)):
        app.line(app.style(heading, bold=True))
        for line in by_section[heading]:
            app.line(f"  {line}")
    if not entries:
        app.note("nothing to list here yet: memledger add TEXT stores a first memory")
