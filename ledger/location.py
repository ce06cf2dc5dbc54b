"""Where a ledger lies: scopes, projects and the folders that people edit.

Implements specs/files.md (F-1…F-8). The chain never lies under a work tree's version control; what people
read and edit does. A root is bound to a project's ledger only by `init` there, so a clone that names
someone's id gets nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from ledger.durable import keep_file, read_file
from ledger.errors import LedgerError, UsageError
from ledger.lazy_pattern import lazy_pattern
from ledger.named_tuple import NamedTuple
from ledger.steps import reached
from ledger.toml_file import parsed, read_text

CHAIN_NAME, LOCAL_NAME, CONFIG_NAME = "chain.jsonl", "local.db", "config.toml"
"""The chain, the local state and the configuration, each in its folder under this name."""
SCOPES = ("user", "project", "local")
"""As in `ledger.schema`, which is not loaded for it; a test compares the two."""
PROJECT_FOLDER = ".muniment"
IGNORE_FILE = ".gitignore"
SHOWN_OUTSIDE = ("anchors", "erasures", "team", "team/rosters")
"""The folders of what a ledger has signed for others, or was given by them: small files that no chain brings back.

Of a team, whose folder holds copies of other chains too, these are its settings and rosters; copies are fetched again.
"""
PROJECT_FILE = "project.toml"
ROOTS = "roots.json"
"""The file beside a project's chain that says which roots are bound to it."""
_JOINING = "joining"
"""The member of an entry there whose root is not bound yet: its documents are being imported."""
_PROJECT_ID = lazy_pattern(r"[0-9a-f]{32}")


class Home(NamedTuple):
    """The user's folders: `path` holds ledgers, keys and configuration; `state` marks and pins."""

    path: Path
    state: Path

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> Home:
        """Return the folders that MUNIMENT_HOME, MUNIMENT_STATE, XDG_STATE_HOME and HOME name (F-1)."""
        user = Path(environ.get("HOME") or Path.home())
        home = Path(environ.get("MUNIMENT_HOME") or user / ".muniment")
        base = environ.get("XDG_STATE_HOME") or user / ".local" / "state"
        state = Path(environ.get("MUNIMENT_STATE") or Path(base) / "muniment")
        return cls(home.expanduser().absolute(), state.expanduser().absolute())

    @property
    def keys(self) -> Path:
        """Where private keys lie."""
        return self.path / "keys"

    def project(self, id_: str) -> Path:
        """Return the ledger directory of a project's id."""
        return self.path / "projects" / id_


class Location(NamedTuple):
    """One ledger's place: its scope, the directory of chain and index, and the folder that people edit.

    `root` is the project's root, where there is one; `project` its id. `usual` is where the documents lie by
    default, where the user's settings name another folder (specs/doors.md, G-25).
    """

    scope: str
    directory: Path
    documents: Path
    root: Path | None = None
    project: str = ""
    usual: Path | None = None

    @property
    def own_folder(self) -> Path:
        """The folder of ours in which the documents lie by default, and the session buffer always."""
        return self.usual or self.documents

    @property
    def chain(self) -> Path:
        """The chain file."""
        return self.directory / CHAIN_NAME


def explicit(directory: Path) -> Location:
    """Return the location that `--ledger DIR` names: everything in one directory."""
    directory = directory.absolute()
    return Location("user", directory, directory)


def user(home: Home) -> Location:
    """Return the user scope's location."""
    return Location("user", home.path, home.path)


def in_project(home: Home, root: Path, id_: str, scope: str = "project") -> Location:
    """Return the project or local scope's location for a root with this id."""
    directory, documents = home.project(id_), root / PROJECT_FOLDER
    if scope == "local":
        directory, documents = directory / "local", documents / "local"
    return Location(scope, directory, documents, root, id_)


def scopes_at(home: Home, start: Path) -> list[Location]:
    """Return where the ledgers of a folder's scopes lie, the most local first; whether there are any is not asked.

    Raises as `find_project` does.
    """
    project = find_project(home, start)
    if project is None or not project.bound:
        return [user(home)]
    root, id_ = project.root, project.id
    return [*(in_project(home, root, id_, name) for name in ("local", "project")), user(home)]


class Project(NamedTuple):
    """A folder with a `.muniment/project.toml`: its root and id, and whether `init` bound it here."""

    root: Path
    id: str
    bound: bool


def find_project(home: Home, start: Path) -> Project | None:
    """Return the project that contains `start`, looking upwards; None outside of any (F-4).

    Raises:
        LedgerError: a project file is there but cannot be read as one.
    """
    start = Path(os.path.realpath(start))
    own = Path(os.path.realpath(home.path))
    for folder in (start, *start.parents):
        file = folder / PROJECT_FOLDER / PROJECT_FILE
        if own in (folder, folder / PROJECT_FOLDER) or not os.path.isfile(file):
            continue
        id_ = read_project_id(file)
        return Project(folder, id_, is_bound(home, folder, id_))
    return None


def read_project_id(file: Path) -> str:
    """Return the id in a project.toml.

    Raises:
        LedgerError: the file is not readable as one; the message says what to do.
    """
    try:
        id_ = parsed(read_text(file)).get("id")
    except (OSError, ValueError) as error:
        raise LedgerError(f"{file} cannot be read ({error}): restore it from git") from None
    if not isinstance(id_, str) or not _PROJECT_ID.fullmatch(id_):
        raise LedgerError(f"{file} holds no id of 32 hex digits: restore it from git")
    return id_


def documents_of(folder: Path, scope: str) -> str:
    """Return the id of the project whose documents of a scope are in `folder`, or ""."""
    place = folder.parent if scope == "local" else folder
    try:
        return read_project_id(place / PROJECT_FILE)
    except LedgerError:
        return ""


def git_common_directory(root: Path) -> Path | None:
    """Return the git directory that all worktrees of the repository at `root` share, or None. Runs no git.

    What `.git` says is believed only as far as the repository confirms it: it must name this root as a
    worktree of its own. Otherwise any folder could claim to belong to someone's repository, and so to the
    ledger that is bound to it.
    """
    dot = root / ".git"
    if dot.is_symlink():
        return None
    if dot.is_dir():
        return Path(os.path.realpath(dot))
    try:
        gitdir = root / _git_link(dot, "gitdir:")
        common = Path(os.path.realpath(gitdir / _git_link(gitdir / "commondir")))
        back = gitdir / _git_link(gitdir / "gitdir")
    except (OSError, ValueError):
        return None
    confirmed = Path(os.path.realpath(gitdir)).parent == common / "worktrees"
    return common if confirmed and os.path.realpath(back) == os.path.realpath(dot) else None


def _git_link(file: Path, prefix: str = "") -> str:
    """Return the path that a one-line file of git's holds after `prefix`."""
    line = read_file(file).decode().strip()
    if not line.startswith(prefix):
        raise ValueError(f"{file} does not begin with {prefix}")
    return line.removeprefix(prefix).strip()


def git_root(start: Path) -> Path | None:
    """Return the top of the git work tree that contains `start`."""
    start = Path(os.path.realpath(start))
    return next((folder for folder in (start, *start.parents) if (folder / ".git").exists()), None)


# --- bound roots --------------------------------------------------------------------------------------------


def bound_roots(directory: Path) -> list[Path]:
    """Return the roots that are bound to the project ledger in `directory`, existing or not."""
    return [Path(entry["path"]) for entry in _bound(directory)]


def folders_that_show(place: Location, home: Home, rendered: Iterable[Path]) -> list[Path]:
    """Return the folders of documents that show a ledger: its own, those of bound roots, those in `rendered`.

    A folder that now belongs to another project is left out.
    """
    id_, scope = place.project, place.scope
    if not id_:
        return [place.documents]
    known = [in_project(home, root, id_, scope).documents for root in bound_roots(home.project(id_))]
    others = [folder for folder in (*known, *rendered) if documents_of(folder, scope) == id_]
    return list(dict.fromkeys([place.documents, *(folder for folder in others if folder.is_dir())]))


def worktrees_that_show(place: Location, home: Home) -> list[Path]:
    """Return the folders of documents of a project ledger in every worktree that git lists for a bound root's repository.

    Git put them there; nothing of ours may ever have been written into them.
    """
    found: dict[Path, None] = {}
    roots = [*bound_roots(home.project(place.project)), place.root] if place.project else []
    for root in filter(None, roots):
        top = git_root(root)
        common = git_common_directory(top) if top else None
        if top is None or common is None:
            continue
        trees = [common.parent]
        for link in sorted(common.glob("worktrees/*/gitdir")):
            with suppress(OSError, ValueError):
                trees.append((link.parent / _git_link(link)).parent)
        below = Path(os.path.realpath(root)).relative_to(top)
        for tree in trees:
            folder = in_project(home, tree / below, place.project, place.scope).documents
            if git_common_directory(tree) == common and documents_of(folder, place.scope) == place.project:
                found[folder] = None
    return list(found)


def is_bound(home: Home, root: Path, id_: str) -> bool:
    """Return whether `init` bound this root, or a worktree of the same repository, to the id (F-5)."""
    root = Path(os.path.realpath(root))
    known = _bound(home.project(id_))
    if any(entry["path"] == str(root) for entry in known):
        return True
    common = git_common_directory(root)
    return common is not None and any(entry["git"] == str(common) for entry in known)


def bind(home: Home, root: Path, id_: str) -> None:
    """Bind a root to the ledger of an id; joining, where it had begun, is done with that (D-80).

    Raises:
        StorageError: the registry cannot be written.
    """
    _enter(home, root, id_, {})


def begin_joining(home: Home, root: Path, id_: str) -> None:
    """Note that the documents of a root are about to be taken in; until they were, it is not bound (D-80).

    Raises:
        StorageError: the registry cannot be written.
    """
    _enter(home, root, id_, {_JOINING: "begun"})


def _enter(home: Home, root: Path, id_: str, more: Mapping[str, str]) -> None:
    import json

    directory, path = home.project(id_), os.path.realpath(root)
    others = [each for each in _bound(directory) if each["path"] != path]
    entry = {"path": path, "git": str(git_common_directory(Path(path)) or ""), **more}
    data = f"{json.dumps([*others, entry], indent=2)}\n".encode()
    keep_file(directory / ROOTS, data, "binding the project")
    reached("root.entered")


def is_joining(directory: Path) -> bool:
    """Return whether joining the project ledger in `directory` was begun in any root and not finished."""
    return any(_JOINING in entry for entry in _registry(directory))


def _bound(directory: Path) -> list[dict[str, str]]:
    return [entry for entry in _registry(directory) if _JOINING not in entry]


def _registry(directory: Path) -> list[dict[str, str]]:
    import json  # lighter than orjson, which imports it: a hook in a project waits for this

    try:
        return [
            {"path": str(entry["path"]), "git": str(entry.get("git", ""))}
            | ({_JOINING: "begun"} if _JOINING in entry else {})
            for entry in json.loads(read_file(directory / ROOTS))
        ]
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return []


def _lost_root(home: Home, start: Path) -> Path | None:
    """Return the bound root that contains `start` although no project file says so any more."""
    here = Path(os.path.realpath(start))
    lying_in = {here, *here.parents}
    registries = sorted(home.path.glob("projects/*/roots.json"))
    roots = (root for registry in registries for root in bound_roots(registry.parent))
    return next((root for root in roots if root in lying_in), None)


def check_scope(scope: str | None) -> None:
    """Raise UsageError if there is no such scope; None is the default one."""
    if scope not in (None, *SCOPES):
        raise UsageError(f"there is no scope {scope!r}: user, project and local are")


def locate(home: Home, start: Path, scope: str | None) -> tuple[Location, str]:
    """Return the location that `scope` (None: the default) selects in the folder `start`, and a hint, or "".

    Raises:
        UsageError: project or local scope outside of a bound project; there is no such scope.
    """
    check_scope(scope)
    if scope == "user":
        return user(home), ""  # whatever project files say or fail to say
    try:
        project = find_project(home, start)
    except FileNotFoundError:
        raise UsageError(
            "the current folder was deleted: change to another one, or give --scope user"
        ) from None
    if project is None and (root := _lost_root(home, start)):
        raise UsageError(
            f"{root} is bound to a project ledger, but its {PROJECT_FOLDER}/{PROJECT_FILE} is gone: bring it back "
            "from git; --scope user means your own ledger"
        )
    if scope is None and (project is None or not project.bound):
        hint = ""
        if project is not None:
            hint = (
                f"{project.root} names a project ledger that is not bound here: using your own; "
                "run muniment init there to join it"
            )
        return user(home), hint
    if project is None:
        raise UsageError("this folder is not in a muniment project: run muniment init --scope project first")
    if not project.bound:
        raise UsageError(
            f"{project.root} is not bound to its project ledger on this machine: run muniment init there"
        )
    return in_project(home, project.root, project.id, scope or "project"), ""
