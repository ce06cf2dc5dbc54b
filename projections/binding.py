"""Creates a ledger for a person: finds its place, founds it, binds a project's root to it.

Implements specs/cli.md (X-37…X-42) and specs/files.md (F-5, F-6, F-18) for `init`, the command's and the
library's. Order: HOME's .gitignore, project.toml, chain, binding, the files beside them; if a run dies, the
next one completes it. `Documents.join` binds a joining root last (specs/editing.md D-80).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ledger import founding, location
from ledger.chain import CHAIN_NAME
from ledger.durable import replace_file, storage_error
from ledger.errors import LedgerExistsError, UsageError
from ledger.event import By
from ledger.keys import NEXT, KeyDirectory
from ledger.lazy_pattern import lazy_pattern
from ledger.ledger import Identity
from ledger.location import IGNORE_FILE, PROJECT_FILE, PROJECT_FOLDER, Home, Location
from ledger.mark import StateDirectory
from ledger.memory import MAX_SLUG, SLUG
from ledger.named_tuple import NamedTuple
from ledger.toml_file import parsed, read_text
from projections.configuration import CONFIG_NAME, TEMPLATE

MADE, JOINED, BOUND = "made", "joined", "bound"

_HOME_IGNORES = (
    "keys/",
    "*.db*",
    "chain.jsonl*",
    "projects/",
    "team/",
    "state/",
    "render.lock",
    "*.edited-*",
    "before-recover-*",
    "session-buffer.md",
)
_PROJECT_IGNORES = (
    "local/",
    "*.db*",
    "chain.jsonl*",
    "keys/",
    "*.edited-*",
    "session-buffer.md",
)
_NOT_SLUG = lazy_pattern(r"[^a-z0-9._-]+")


class Founded(NamedTuple):
    """What init did: `did` is made, joined or bound; `others` are the roots that were bound to the ledger already.

    `Documents.join` imports the documents of a joining root and binds it then.
    """

    did: str
    place: Location
    identity: Identity
    genesis: str
    next_key: Path
    others: Sequence[Path] = ()


# --- where ---


def chosen_place(home: Home, start: Path, scope: str | None, directory: Path | None) -> tuple[Location, str]:
    """Return the place to use, and a sentence for the person or "" (X-37). The id of a new project is "".

    Raises:
        UsageError: the scope is unknown or not possible here.
        LedgerError: a project file exists but cannot be read as one.
    """
    location.check_scope(scope)
    if directory is not None:
        return location.explicit(directory), ""
    if scope == "user":
        return location.user(home), ""
    if scope == "local":
        return _local_place(home, start), ""
    root = _project_root(home, start)
    if root is None and scope is None:
        return location.user(home), ""
    root = root or Path(os.path.realpath(start))
    if _is_home(home, root):
        if scope is not None:
            raise UsageError(f"{root} holds muniment's own files and cannot be a project: use --scope user")
        return location.user(home), f"{root} holds muniment's own files, so this is your own ledger"
    file = root / PROJECT_FOLDER / PROJECT_FILE
    _refuse_link(root / PROJECT_FOLDER)
    _refuse_link(file)
    return location.in_project(home, root, location.read_project_id(file) if file.exists() else ""), ""


def _local_place(home: Home, start: Path) -> Location:
    project = location.find_project(home, start)
    if project is None or not project.bound:
        raise UsageError("a local ledger belongs to a project's: run muniment init --scope project first")
    return location.in_project(home, project.root, project.id, "local")


def _project_root(home: Home, start: Path) -> Path | None:
    """Return the root above `start`: that of an existing project, or of its git work tree."""
    top = location.git_root(start)
    project = location.find_project(home, start)
    if project is not None and (top is None or project.root.is_relative_to(top)):
        return project.root
    return top


def _is_home(home: Home, root: Path) -> bool:
    own = Path(os.path.realpath(home.path))
    return own in (root, root / PROJECT_FOLDER) or root.is_relative_to(own)


# --- making ---


def make(home: Home, place: Location, by: By, name: str) -> Founded:
    """Create the ledger of a place, join it, or bind its root to the existing one (X-38…X-42).

    Raises:
        LedgerExistsError: this place already has its ledger; nothing was changed.
        StorageError: a folder cannot be written.
        UsageError: a file to write is a link.
    """
    keep_out_of_git(home)  # before there is a key that git could take
    founded = _made(home, place, by, name)
    _write_files(home, founded.place)
    return founded


def make_known(home: Home, place: Location, by: By, identity: Identity) -> Founded:
    """Create our own chain of a ledger whose identity came from others, or use the existing one (specs/team.md TM-18).

    Raises:
        LedgerExistsError: another ledger is or was at this place; nothing was changed.
        StorageError: a folder cannot be written.
        UsageError: a file to write is a link.
    """
    keep_out_of_git(home)
    if (place.directory / CHAIN_NAME).exists():
        founded = _taken(home, place)
    elif place.scope == "project":
        founded = _join(home, place, by, identity.name)
    else:
        founded = _found(home, place, identity, by, MADE)
    _write_files(home, founded.place)
    return founded


def _taken(home: Home, place: Location) -> Founded:
    """Use the existing chain at a place; for a project, bind the root to it or continue joining."""
    if place.scope == "project" and not location.is_bound(home, place.root or Path(), place.project):
        return _bind(home, place)
    identity, genesis = founding.identity_of(place.chain)
    return Founded(BOUND, place, identity, genesis, KeyDirectory(home.keys).path_of(identity.id, NEXT))


def _made(home: Home, place: Location, by: By, name: str) -> Founded:
    if place.scope != "project":
        identity = Identity(os.urandom(16).hex(), name or _name_of(place), place.scope)
        return _found(home, place, identity, by, MADE)
    if not place.project:
        return _make_project(home, place, by, name)
    if not (place.directory / CHAIN_NAME).exists():
        return _join(home, place, by, name)
    return _bind(home, place)


def _make_project(home: Home, place: Location, by: By, name: str) -> Founded:
    root = place.root or Path()
    identity = Identity(os.urandom(16).hex(), name or _name_of(place), "project")
    file = root / PROJECT_FOLDER / PROJECT_FILE
    text = (
        "# The memory ledger of this project, made by muniment init. Commit this file: all clones and\n"
        "# worktrees of one person share the ledger that it names.\n"
        f'id = "{identity.id}"\nname = "{identity.name}"\n'
    )
    _write(file, text)
    try:
        founded = _found(home, location.in_project(home, root, identity.id), identity, by, MADE)
    except BaseException:
        if not (home.project(identity.id) / CHAIN_NAME).exists():
            file.unlink(missing_ok=True)
        raise
    location.bind(home, root, identity.id)
    return founded


def _join(home: Home, place: Location, by: By, name: str) -> Founded:
    identity = Identity(place.project, name or _name_of(place), "project")
    founding.refuse_existing(place.directory, identity.id, StateDirectory(home.state))
    location.begin_joining(home, place.root or Path(), identity.id)  # before there is a chain to be bound to
    return _found(home, place, identity, by, JOINED)


def _found(home: Home, place: Location, identity: Identity, by: By, did: str) -> Founded:
    keys = KeyDirectory(home.keys)
    genesis = founding.found(place.directory, identity, by, keys, StateDirectory(home.state))
    return Founded(did, place, identity, genesis, keys.path_of(identity.id, NEXT))


def _bind(home: Home, place: Location) -> Founded:
    """Bind a root to the existing ledger of its id, or continue an interrupted join."""
    root = place.root or Path()
    if location.is_bound(home, root, place.project):
        raise LedgerExistsError(
            f"{root} has its ledger already, in {place.directory}; nothing was changed: see muniment status"
        )
    identity, genesis = founding.identity_of(place.directory / CHAIN_NAME)
    next_key = KeyDirectory(home.keys).path_of(identity.id, NEXT)
    if location.is_joining(place.directory):
        return Founded(JOINED, place, identity, genesis, next_key)
    others = location.bound_roots(place.directory)
    location.bind(home, root, place.project)
    return Founded(BOUND, place, identity, genesis, next_key, others)


def _write_files(home: Home, place: Location) -> None:
    """Write the ignore file and the configuration if they are missing; keep a person's own (X-42)."""
    if place.scope == "project" and place.root is not None:
        _ignore(place.root / PROJECT_FOLDER, _PROJECT_IGNORES)
    elif place.directory != home.path and place.scope == "user":
        _ignore(place.directory, _HOME_IGNORES)
    if place.scope != "local":
        config = place.documents / CONFIG_NAME
        if not os.path.lexists(config):
            _write(config, TEMPLATE)


def keep_out_of_git(home: Home) -> None:
    """Add the missing lines to HOME's .gitignore (F-18).

    Raises:
        StorageError: it cannot be written.
        UsageError: it is a link.
    """
    _private(home.path)
    _ignore(home.path, _HOME_IGNORES)


def not_ignored(home: Home) -> list[str]:
    """Return the lines that HOME's .gitignore lacks (F-18)."""
    return _missing(home.path / IGNORE_FILE, _HOME_IGNORES)


# --- files ---


def _name_of(place: Location) -> str:
    """Return the ledger's default name: the project file's, else one made from its folder."""
    if place.root is None:
        return "memory"
    try:
        name = parsed(read_text(place.root / PROJECT_FOLDER / PROJECT_FILE)).get("name")
    except (OSError, ValueError):
        name = None
    if isinstance(name, str) and SLUG.fullmatch(name):
        return name
    return _NOT_SLUG.sub("-", place.root.name.lower()).strip("-._")[:MAX_SLUG] or "project"


def _ignore(folder: Path, patterns: Sequence[str]) -> None:
    """Add those of these lines that the folder's .gitignore lacks."""
    file = folder / IGNORE_FILE
    _refuse_link(file)
    missing = _missing(file, patterns)
    if missing:
        there = _text_of(file)
        gap = "" if not there or there.endswith("\n") else "\n"
        lines = "# muniment: keys, chain and databases never belong into git\n" + "\n".join(missing)
        _write(file, f"{there}{gap}{lines}\n")


def _missing(file: Path, patterns: Sequence[str]) -> list[str]:
    there = _text_of(file).splitlines()
    return [pattern for pattern in patterns if pattern not in there]


def _text_of(file: Path) -> str:
    return file.read_text("utf-8", "surrogateescape") if file.exists() else ""


def _refuse_link(path: Path) -> None:
    if path.is_symlink():
        raise UsageError(f"{path} is a link, through which nothing is written: remove it first")


def _private(folder: Path) -> None:
    """Create a folder that only its owner may read, if it is missing."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise storage_error(error, "making the folder", folder) from error


def _write(file: Path, text: str) -> None:
    _refuse_link(file.parent)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(file, text.encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise storage_error(error, "writing a file", file, left="run muniment init again") from error
