"""muniment key: the keys of a ledger, rotated, moved and put under a passphrase.

Implements specs/cli.md (X-250…X-256, X-290); the work is `ledger.rotation`, `ledger.next_key` and `ledger.protection`. No
option takes a seed or a passphrase: arguments are visible in every list of processes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from cli import person_only
from cli.app import App, common_options
from cli.command_group import CommandGroup
from cli.key_places import BOTH_HERE, key_said, next_advice, next_said, places_json
from cli.options import option
from cli.show_entry import count_of, fields
from language.dates import moment
from language.printable import plain, short
from ledger import protection
from ledger.errors import KeyFileError, LedgerError, UsageError, WaitingError
from ledger.key_places import KeyPlaces, key_places
from ledger.keys import KeyDirectory, StoredKey
from ledger.next_key import export_next as export
from ledger.next_key import import_next as bring
from ledger.passphrase import NEW_FILE_VARIABLE, NEW_VARIABLE, from_environment
from muniment import MemoryLedger
from projections.event_names import refuse_others
from projections.requests import ROTATE
from proofs.public_keys import KeyTerm, PublicKeys, public_keys
from writers.counted import label_of


@click.group("key", cls=CommandGroup, invoke_without_command=True)
@common_options
@click.pass_context
def command(ctx: click.Context, app: App) -> None:
    """Show, rotate and protect the keys.

    Each ledger has a current key and a next key, to which the chain is committed. A thief who gets the current
    key still cannot rotate; you can, using the next key. Without a subcommand, shows `key status`.

    \b
    Examples:
      muniment key export-next /media/stick
      muniment key rotate
      muniment key rotate --stolen --first @212
    """
    if ctx.invoked_subcommand is None:
        _status(app)


@command.command("show", short_help="Show the public keys, and the vkey for others")
@common_options
def show(app: App) -> None:
    """Show the public keys, and the vkey for others.

    Shows the current key, the commitment to the next, and all earlier ones. vkey is the current key in the form that
    muniment verify accepts: give it to those who check your proofs and receipts, but not along with them.

    \b
    Examples:
      muniment key show
      muniment key show --json | jq -r .vkey
    """
    known = public_keys(app.memory().recall)
    rows = {
        "ledger": known.ledger,
        "genesis": known.terms[0].id,
        "key": known.newest.key,
        "next": known.next,
        "vkey": known.vkey,
    }
    if app.json:
        app.emit({**rows, "keys": [each._asdict() for each in known.terms]})
        return
    app.lines(fields([*rows.items()]))
    app.line()
    app.lines(_history(known.terms))


@command.command("status", short_help="Show where the private keys are")
@common_options
def status(app: App) -> None:
    """Show where the private keys are, and whether they are the right ones; opens none.

    \b
    Examples:
      muniment key status
      muniment key status --scope user --json
    """
    _status(app)


@command.command("export-next", short_help="Move the next key off this machine")
@click.argument("into", metavar="FILE", type=click.Path(path_type=Path))
@common_options
def export_next(app: App, into: Path) -> None:
    """Move the next key off this machine, to FILE or into a folder, for example on a USB stick.

    The copy is read back before the key is removed here. Anyone with this key and the current one controls the
    ledger: keep it away from this machine's disk. Agents are refused, and so are scripts without scripts = true.

    \b
    Examples:
      muniment key export-next /media/stick
      muniment key export-next /media/stick/work.next
    """
    memory = app.memory()
    if person_only.is_nobody(app):
        raise WaitingError(
            "nothing was done: only a person may move the next key off this machine, "
            "with muniment key export-next in a terminal"
        )
    done = export(memory.workspace.ledger, into)
    if app.json:
        app.emit({"path": str(done.path), "same_disk": done.same_disk})
    else:
        app.line(f"the next key is now in {plain(str(done.path))} only")
    if done.same_disk:
        app.note(f"that is the same disk: {BOTH_HERE}")


@command.command("import-next", short_help="Bring the next key back, for a rotation")
@click.argument("source", metavar="FILE", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@common_options
def import_next(app: App, source: Path) -> None:
    """Bring the next key back, for a rotation; FILE stays where it is.

    \b
    Examples:
      muniment key import-next /media/stick/0123456789abcdef0123456789abcdef.next
    """
    path = bring(app.memory().workspace.ledger, source)
    if app.json:
        app.emit({"path": str(path)})
    else:
        app.line(f"the next key is here again: {plain(str(path))}")
    app.note("run muniment key rotate to make it the current key")


@command.command("rotate", short_help="Replace the current key with the next one")
@option("--lost", is_flag=True, help="The current key is lost.")
@option("--stolen", is_flag=True, help="The current key was stolen; needs --first.")
@option("--first", metavar="ID", help="The first event that you did not make: @N, or an id.")
@common_options
def rotate(app: App, *, lost: bool, stolen: bool, first: str | None) -> None:
    """Replace the current key with the next one, and create a new next key.

    With --stolen, everything that the old key signed from --first on is shown as signed by a compromised key; none
    of it is removed. Confirm the memories that are yours; delete or revert undoes what the thief did. If an agent or
    a script asks, the request waits in muniment review.

    \b
    Examples:
      muniment key rotate
      muniment key rotate --lost
      muniment key rotate --stolen --first @212
    """
    if lost and stolen:
        raise UsageError("give --lost or --stolen, not both: use --stolen if somebody may have the lost key")
    if stolen != (first is not None):
        raise UsageError(
            "--stolen goes with --first @N, the first event that you did not make: see muniment log"
        )
    memory = app.memory()
    since = None if first is None else _own_seq(memory, first)
    if person_only.is_nobody(app):
        person_only.file(app, memory, ROTATE, lost=lost, since=since)
        person_only.wait(app, "the next key would become the current key")
    members = _members(memory)
    done = memory.upkeep.rotate_key(lost=lost, since=since)
    found = _where(memory, public_keys(memory.recall))
    if app.json:
        app.emit(
            {
                "id": done.id, "seq": done.seq, "key": done.key, "proved": done.proved, "since": since,
                "disowned": done.disowned, "passphrase": done.sealed, "next": str(found.next.path),
            }
        )  # fmt: skip
    else:
        app.line(f"rotated at @{done.seq} {short(done.id)}: the current key is {done.key[:16]}…")
        app.line(f"  next key   {plain(next_said(found.next))}")
    if done.disowned:
        some = count_of(done.disowned, "event")
        app.note(
            f"{some} from @{since} on by a compromised key: run muniment log --compromised to list what it signed"
        )
    if gone := members - _members(memory):
        app.note(_no_members(gone))
    for text in next_advice(found.next):
        app.note(text)


def _members(memory: MemoryLedger) -> set[str]:
    """Return the members of the team, as people name them; empty without a team, or if it cannot be read."""
    with suppress(LedgerError):
        if memory.team.folder.exists:
            return {label_of(each.name, each.genesis) for each in memory.team.members.all().members}
    return set()


def _no_members(gone: set[str]) -> str:
    """Return what happened to members whose roster the stolen key had signed (specs/team.md TM-11)."""
    return (
        f"the stolen key had signed that {', '.join(sorted(gone))} belongs to the team, which no longer counts: accept them again "
        "with muniment team members accept NAME --fingerprint DIGITS; if muniment team members shows nobody, the team has "
        "ended, and each machine moves its folder team/ away and begins another with muniment team init or join"
    )


@command.command("passphrase", short_help="Set, change or remove the passphrase of the keys")
@option("--remove", is_flag=True, help="Remove the passphrase.")
@common_options
def passphrase(app: App, remove: bool) -> None:
    """Set, change or remove the passphrase of the private keys on this machine.

    Asks at a terminal. Elsewhere MUNIMENT_PASSPHRASE_FILE names a file with the current passphrase, and
    MUNIMENT_NEW_PASSPHRASE_FILE one with the new one (or MUNIMENT_PASSPHRASE and MUNIMENT_NEW_PASSPHRASE contain
    them). Agents' hooks cannot ask: without the variables, what they learn waits in the outbox. Agents are refused,
    and so are scripts without scripts = true.

    \b
    Examples:
      muniment key passphrase
      muniment key passphrase --remove
    """
    memory = app.memory()
    if person_only.is_nobody(app):
        raise WaitingError(
            "nothing was done: only a person may change or remove the passphrase of the keys, "
            "with muniment key passphrase in a terminal"
        )
    found = protection.opened(memory.workspace.ledger)
    new = "" if remove else _new_passphrase(memory, protection.SHORTEST)
    if new or any(stored.sealed for stored, _ in found):
        protection.change(memory.workspace.ledger, found, new)
    _tell_sealed(app, found, under=bool(new))


def _tell_sealed(app: App, found: Sequence[tuple[StoredKey, Any]], *, under: bool) -> None:
    """Report for each key whether it is under the passphrase now, and whether it was before."""
    if app.json:
        app.emit({"passphrase": under, "paths": [str(stored.path) for stored, _ in found]})
    else:
        for stored, _ in found:
            open_ = (
                "no longer under a passphrase"
                if stored.sealed
                else "not under a passphrase: nothing to remove"
            )
            app.line(f"{plain(str(stored.path))} is {'under the passphrase' if under else open_}")
    if under and not all(stored.sealed for stored, _ in found):
        app.note(
            "backups made with --keys, and freed blocks of the disk, may still contain the unprotected keys"
        )
    if under:
        app.note(
            "agents' hooks need MUNIMENT_PASSPHRASE_FILE; without it, what they learn waits in the outbox"
        )


def _new_passphrase(memory: MemoryLedger, shortest: int) -> str:
    """Return the new passphrase, from the environment or from a person who gives it twice."""
    given = from_environment(NEW_VARIABLE, NEW_FILE_VARIABLE)
    if given is not None:
        return given[0]
    if memory.workspace.on_passphrase is None:
        raise KeyFileError(
            f"this is not a terminal, so nobody can be asked for the new passphrase: set {NEW_FILE_VARIABLE}"
        )
    new = memory.workspace.on_passphrase(f"New passphrase (at least {shortest} characters): ")
    if memory.workspace.on_passphrase("The same again: ") != new:
        raise KeyFileError("the two passphrases differ; nothing was changed")
    return new


# --- what is known ---


def _own_seq(memory: MemoryLedger, id_: str) -> int:
    """Return the seq of an event of our own chain; what another writer's key signed is for that machine to disown."""
    row = memory.recall.event(id_)
    refuse_others(memory.workspace.index, row, "muniment key rotate")
    return row.seq


def _history(terms: Sequence[KeyTerm]) -> Iterator[str]:
    for each in terms:
        how = {
            None: "",
            True: ", proved by the previous key",
            False: ", without a proof by the previous key",
        }[each.proved]
        since = each.disowned_since
        stolen = f"; what it signed from @{since} on is disowned" if since else ""
        yield f"{moment(each.at)}  @{each.seq}  {each.key[:16]}…{how}{stolen}"


def _where(memory: MemoryLedger, known: PublicKeys) -> KeyPlaces:
    """Return where the private keys lie, given what is public of them."""
    keys = KeyDirectory(memory.workspace.home.keys)
    return key_places(keys, known.ledger, known.newest.key, known.next)


def _status(app: App) -> None:
    memory = app.memory()
    known = public_keys(memory.recall)
    found = _where(memory, known)
    newest = known.newest
    if app.json:
        value = {"ledger": known.ledger, "public": newest.key, "commitment": known.next}
        app.emit({**value, **places_json(found)})
        return
    rows = [
        ("in use", f"{newest.key[:16]}… since @{newest.seq} ({moment(newest.at)})"),
        ("key", plain(key_said(found.current))),
        ("next key", plain(next_said(found.next))),
    ]
    app.lines(fields(rows))
    for text in next_advice(found.next):
        app.note(text)
