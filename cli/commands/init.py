"""muniment init: make a ledger, or join the one that a project names.

Implements specs/cli.md (X-37…X-42); the work is `binding`, and `adopting` where one joins (X-193).
"""

from __future__ import annotations

from pathlib import Path

import click

import muniment
from agents.install.hosts import HOSTS
from cli.app import App, common_options
from cli.key_places import TAKE_OFF
from cli.options import Verb, option
from cli.show_entry import count_of
from documents.adopting import Adoption
from language.printable import plain, short
from ledger.errors import UsageError
from ledger.location import git_root
from ledger.memory import SLUG
from muniment import MemoryLedger
from projections.binding import BOUND, JOINED, MADE, Founded, chosen_place, make


@click.command("init", cls=Verb)
@option("--name", metavar="SLUG", default="", help="The ledger's name (default: after the folder).")
@common_options
def command(app: App, name: str) -> None:
    """Make a ledger, or join a project's.

    Creates a key pair, a signed chain, and the documents that you and your agents read. In a git work tree the
    ledger is the project's, otherwise your own. An existing ledger is never modified.

    If .muniment/project.toml names a ledger that is not on this machine, init joins it: your own commits, and
    those of authors in trust_git, count at once; everything else waits as candidates. If that ledger is already
    on this machine, init only links this folder to it.

    \b
    Examples:
      muniment init                    in a repository: the project's ledger
      muniment init --scope user       your own, for everything else
      muniment init --scope local      of this project, but not shared
    """
    if name and not SLUG.fullmatch(name):
        raise UsageError(f"--name {name!r} is not a slug: use a-z, 0-9, . _ and -, at most 64")
    home, by = muniment.home(), app.by()
    place, word = chosen_place(home, Path(), app.scope, app.directory)
    if word:
        app.note(word)
    founded = make(home, place, by, name)
    with MemoryLedger(founded.place, home, by=by) as memory:
        came = memory.documents.join() if founded.did == JOINED else []
        paused = memory.documents.render_unless_held().paused
    app.report_paused({name: why for name, why in paused.items() if name == str(founded.place.documents)})
    waiting = [path for name in paused if (path := founded.place.documents / name).is_file()]
    if app.json:
        app.emit(_as_json(founded, came, waiting))
    else:
        _print(app, founded)
    _say(app, founded, came, waiting)


_SENTENCES = {
    MADE: "made the {scope} ledger {name}",
    JOINED: "joined the {scope} ledger {name}: created your own chain under the project's id",
    BOUND: "bound this folder to the {scope} ledger {name}, which already existed here",
}


def _print(app: App, founded: Founded) -> None:
    place, identity = founded.place, founded.identity
    app.line(_SENTENCES[founded.did].format(scope=identity.scope, name=identity.name))
    app.line(f"  id         {identity.id}  (genesis {short(founded.genesis)})")
    app.line(f"  chain      {plain(str(place.chain))}")
    app.line(f"  documents  {plain(str(place.documents))}")
    for root in founded.others:
        app.line(f"  also at    {plain(str(root))}")
    if founded.did != BOUND:
        app.line(f"  next key   {founded.next_key}")


def _say(app: App, founded: Founded, came: list[Adoption], waiting: list[Path]) -> None:
    """Print the next steps: for documents that `came` with git, and for those `waiting` to be imported."""
    if founded.did != BOUND:
        app.note(
            f"the next key is {founded.next_key}: use it to get the ledger back if the key in use is lost or stolen"
        )
        app.note(f"it gives no protection on the same disk as the key: {TAKE_OFF}")
    documents = founded.place.documents
    for done in came:
        if done.guard or done.held:
            app.note(f"{documents / done.path}: {done.paused}")
    if taken := _count(came, "new"):
        app.note(
            f"took in {count_of(taken, 'memory', 'memories')} that you, or authors whom trust_git names, committed"
        )
    if proposed := _count(came, "proposed"):
        app.note(
            f"{count_of(proposed, 'memory', 'memories')} of others came with git as candidates: muniment review goes through them, "
            "muniment adopt --accept accepts them all, muniment confirm ID one"
        )
    elif waiting and founded.did != JOINED:
        names = " ".join(map(str, waiting))
        app.note(f"left unchanged, since it is yours: {names}; run muniment import {names} to import it")
    root = founded.place.root
    if root is not None and founded.place.scope == "project" and founded.did == MADE and git_root(root):
        app.note(
            f"for git: git add {documents.relative_to(root)} && git commit; it contains neither keys nor chain"
        )
    if founded.did != BOUND:
        app.note(
            f'run muniment install {"|".join(HOSTS)} to connect your agent, or muniment add "TEXT" to add a memory'
        )


def _count(came: list[Adoption], what: str) -> int:
    return sum(done.counts().get(what, 0) for done in came)


def _as_json(founded: Founded, came: list[Adoption], waiting: list[Path]) -> dict[str, object]:
    place, identity = founded.place, founded.identity
    return {
        "did": founded.did,
        "ledger": identity.id,
        "name": identity.name,
        "scope": identity.scope,
        "genesis": founded.genesis,
        "directory": str(place.directory),
        "documents": str(place.documents),
        "root": str(place.root) if place.root else None,
        "also_at": [str(root) for root in founded.others],
        "next_key": str(founded.next_key),
        "taken": _count(came, "new"),
        "candidates": _count(came, "proposed"),
        "refused": sum(len(done.held) + bool(done.guard) for done in came),
        "to_import": [str(path) for path in waiting],
    }
