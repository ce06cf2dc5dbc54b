"""memledger inject: what an agent is told.

Implements specs/cli.md (X-60, X-88, X-95).
"""

from __future__ import annotations

import click

import memledger
from cli.app import App, common_options, plain, put
from cli.as_of import say_when


@click.command("inject")
@click.option(
    "--task", default="", metavar="TEXT", help="What the agent is about to do; picks what matters for it."
)
@click.option("--budget", type=click.IntRange(min=0), metavar="N", help="At most N tokens (default: 2000).")
@click.option("--as-of", metavar="WHEN", help="As it was at a time, or (with --scope) at event @N.")
@common_options
def command(app: App, *, task: str, budget: int | None, as_of: str | None) -> None:
    """Print the prompt section: the memories of local, project and user scope that fit the budget.

    Agents and their hooks call this. Where there is no ledger yet, or memory is switched off in config.toml,
    it prints nothing and exits 0, so that a hook goes on. A scope that cannot be read is named on stderr and
    left out; the others are told. What is shown counts as used.

    \b
    Examples:
      memledger inject
      memledger inject --task "fix the login timeout" --budget 800
      memledger inject --scope project --as-of @42
      memledger inject --json | jq .left_out
    """
    scopes = app.scopes()
    if not scopes:
        app.note("nothing to inject: there is no ledger yet; memledger init makes one")
    injection = memledger.inject(scopes, task, budget=budget, as_of=as_of)
    if injection.text:
        say_when(app, scopes, as_of)
    if app.json:
        skipped = [{"scope": one.scope, "why": str(one.error)} for one in injection.skipped]
        names = [scope.place.scope for scope in scopes]
        app.emit(
            {
                "text": injection.text,
                "shown": list(injection.shown),
                "stale": list(injection.stale),
                "left_out": injection.left_out,
                "scopes": [name for name in names if name not in {one.scope for one in injection.skipped}],
                "skipped": skipped,
            }
        )
    elif injection.text:
        put(injection.text)
    for one in injection.skipped:
        see = f"memledger verify --scope {one.scope}"
        app.note(plain(f"the {one.scope} scope was left out: {one.error}; {see} says more"))
    if scopes and not scopes[0].configuration.enabled:
        app.note("memory is switched off: enabled = false in config.toml")
