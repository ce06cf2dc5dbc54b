"""muniment inject: what an agent is told, and why.

Implements specs/cli.md (X-60, X-88, X-95, X-131).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

import muniment
from cli.app import App, common_options, put
from cli.as_of import say_when
from cli.options import Verb, option
from language.printable import plain, short
from language.token_estimate import estimate_tokens

if TYPE_CHECKING:
    from projections.prompt import Injection
    from projections.prompt_explanation import Explained

_WHY = {
    "budget": "no room in the budget",
    "same": "{scope} memory {other} says the same",
    "contradicts": "{scope} memory {other} contradicts it",
    "candidate": "a candidate: muniment confirm {id} accepts it",
    "archived": "archived: muniment archive restore {id} shows it again",
    "topic": "its topic matches neither task nor agent",
    "daily": "a day's note that has nothing to do with the task",
    "bare": "titles, rules or a table without a sentence",
}


@click.command("inject", cls=Verb)
@option(
    "--task", default="", metavar="TEXT", help="What the agent is about to do; selects what matters for it."
)
@option("--agent", default="", metavar="NAME", help="The agent's name; topics match it as well.")
@option(
    "--budget",
    type=click.IntRange(min=0),
    metavar="N",
    help="At most N tokens (default: 2000); some 40 are kept free for notices.",
)
@option(
    "--as-of", metavar="WHEN", help="As it was at the end of a day, at a time, or (with --scope) at event @N."
)
@option("--explain", is_flag=True, help="Print why each memory is shown or left out, not the section.")
@common_options
def command(app: App, *, task: str, agent: str, budget: int | None, as_of: str | None, explain: bool) -> None:
    """Print the memory section given to an agent.

    Prints the memories of local, project and user scope that fit the budget. Agents and their hooks run this.
    If there is no ledger yet, or memory is switched off in config.toml, it prints nothing and exits with 0, so
    that a hook can continue. A scope that cannot be read is named on stderr and skipped. What is shown counts
    as used, and `log --seen` lists it, except with --explain.

    \b
    Examples:
      muniment inject
      muniment inject --task "fix the login timeout" --budget 800
      muniment inject --task "fix the login timeout" --agent reviewer --explain
      muniment inject --scope project --as-of @42
      muniment inject --json | jq .left_out
    """
    scopes = app.scopes()
    if not scopes:
        app.note("nothing to inject: there is no ledger yet; run muniment init to create one")
    injection = muniment.inject(scopes, task, agent=agent, budget=budget, as_of=as_of, explain=explain)
    if injection.text or explain:
        say_when(app, [each.recall for each in scopes], as_of)
    if app.json:
        _print_json(app, injection, explain=explain)
    elif explain:
        app.lines(_explanation(app, injection))
    elif injection.text:
        put(injection.text)
    _say_what_is_missing(app, injection)


def _say_what_is_missing(app: App, injection: Injection) -> None:
    """Name on stderr what keeps memories out, so that nobody takes silence for an empty memory."""
    for one in injection.skipped:
        see = f"muniment verify --scope {one.scope}"
        app.note(plain(f"the {one.scope} scope was left out: {one.error}; see {see}"))
    for setting in injection.switched_off:
        what = f"the {setting.removeprefix('scopes.')} scope" if setting != "enabled" else "memory"
        app.note(f"{what} is switched off: {setting} = false in config.toml")
    if injection.left_out and not injection.text:
        app.note(f"none of {injection.left_out} memories fits the budget: give more tokens with --budget N")


def _print_json(app: App, injection: Injection, *, explain: bool) -> None:
    found = {
        "text": injection.text,
        "shown": list(injection.shown),
        "asked": list(injection.asked),
        "stale": list(injection.stale),
        "left_out": injection.left_out,
        "scopes": list(injection.scopes),
        "skipped": [{"scope": one.scope, "why": str(one.error)} for one in injection.skipped],
    }
    if explain:
        found["explained"] = [each.as_json() for each in injection.explained]
    app.emit(found)


def _explanation(app: App, injection: Injection) -> Iterator[str]:
    """Give the lines for people: what is shown, in its order, then what is not."""
    place = None
    tokens = estimate_tokens(injection.text)
    yield f"shown: {len(injection.shown)}, about {tokens} tokens" + (" with headings" if tokens else "")
    for each in injection.explained:
        if each.why != "shown":
            continue
        if each.place != place:
            place = each.place
            topic = f" (matches {each.pattern!r})" if each.pattern else ""
            yield app.style(plain(f"  {place}{topic}"), bold=True)
        yield plain(f"    {each.rank}. {_line(each)} [{', '.join(_reasons(each))}]")
    asked = [each for each in injection.explained if each.why == "asked"]
    if asked:
        yield f"asked about: {len(asked)}, about {sum(each.tokens for each in asked)} tokens"
        yield from (plain(f"    {_line(each)} [a candidate, {each.tokens} tokens]") for each in asked)
    others = [each for each in injection.explained if each.why not in ("shown", "asked")]
    yield f"left out: {len(others)}"
    for each in others:
        why = _WHY[each.why].format(scope=each.other_scope, other=short(each.other), id=short(each.id))
        yield plain(f"    {_line(each)} [{why}]")


def _line(each: Explained) -> str:
    return f"{short(each.id)} {each.scope}  {each.text}"


def _reasons(each: Explained) -> Iterator[str]:
    if each.relevance:
        yield f"relevant: {' '.join(each.relevance)}"
    yield f"importance {each.importance}"
    yield f"{each.tokens} tokens"
