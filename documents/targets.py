"""The folder that `[render]` names for the documents of a user's ledger, instead of the ledger's own (specs/doors.md, G-25).

Every command asks this when it opens a ledger: a config.toml without such a table costs one read.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import time
from collections.abc import Mapping
from pathlib import Path

from ledger.durable import read_file
from ledger.errors import UsageError
from ledger.lazy_pattern import lazy_pattern
from ledger.path_names import name_of, path_of

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from ledger.location import Location
    from projections.local import Local

OPENCLAW_WORKSPACE = "~/.openclaw/workspace"
"""The folder of `openclaw = true`. It ignores the environment: a job without that would render elsewhere."""
_WHERE = "documents in"
"""The name of the fact with the folder of the documents of the user's ledger; without it, they are in its own."""
LEAVING = "leaving documents in"
"""The name of the fact with the folder from which the documents are being removed."""
MARK_NAME = ".muniment-ledger"
"""The file in such a folder with the id of the ledger that owns the documents there (G-70)."""
_ID = lazy_pattern(rb"([0-9a-f]{32})\s*")
_PATIENCE = 2.0
"""Seconds to wait for another process that marks the same folder."""
_SAYS_WHERE = lazy_pattern(rb"^[ \t]*(?:\[[ \t]*)?[\"']?render\b", re.MULTILINE)


def located(place: Location) -> Location:
    """Return the place of a ledger with the folder for its documents that the user's own config.toml names.

    A malformed file changes nothing here: reading a setting from it reports the fault.
    """
    if place.scope != "user":
        return place
    from ledger.location import CONFIG_NAME

    own = place.directory / CONFIG_NAME
    try:
        if not _SAYS_WHERE.search(read_file(own)):
            return place
    except OSError:
        return place
    from projections.configuration import load

    try:
        folder = folder_of(load(own).render)
    except UsageError:
        return place
    if folder is None or folder == Path(os.path.realpath(place.documents)):
        return place
    return place._replace(documents=folder, usual=place.documents)


def folder_of(render: Mapping[str, str | bool]) -> Path | None:
    """Return the folder that the table `[render]` names, with links resolved, or None."""
    named = render.get("memory") or (OPENCLAW_WORKSPACE if render.get("openclaw") else "")
    return Path(os.path.realpath(Path(str(named)).expanduser())) if named else None


def moved_from(local: Local, place: Location) -> Path | None:
    """Return the folder of the documents before the setting changed, None if it did not change."""
    if place.scope != "user":
        return None
    before = path_of(local.fact(_WHERE) or str(place.own_folder))
    return before if before != place.documents else None


def lying_in(local: Local, place: Location) -> Path:
    """Return the current folder of the documents: until they move, the old one (G-61)."""
    return moved_from(local, place) or place.documents


def settle_in(local: Local, place: Location, before: Path) -> None:
    """Note that the documents are in their new folder, and must be removed from the old one."""
    local.note(LEAVING, name_of(before))
    local.note(_WHERE, name_of(place.documents) if place.usual is not None else "")


def owner_of(folder: Path) -> str:
    """Return the id of the ledger whose mark is in a folder, or ""."""
    try:
        number = os.open(folder / MARK_NAME, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return ""
    try:
        return _said_in(number)
    except OSError:
        return ""
    finally:
        os.close(number)


def _said_in(number: int) -> str:
    found = _ID.fullmatch(os.pread(number, 64, 0))
    return found[1].decode() if found else ""


def claim(folder: Path, ledger: str) -> None:
    """Put the mark of a ledger into a folder without one; if two ledgers do this at once, the first gets the folder.

    The mark is read and written under its own lock. An empty mark is still being written, or its writer crashed: then
    this writes it.

    Raises:
        OSError: it cannot be written, or another process holds it.
    """
    mark = folder / MARK_NAME
    while not owner_of(folder):
        number = os.open(mark, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o644)
        try:
            _hold(number)
            if not _said_in(number) and os.path.samestat(os.fstat(number), os.stat(mark)):
                os.ftruncate(number, 0)
                os.pwrite(number, f"{ledger}\n".encode(), 0)
        except FileNotFoundError:
            continue  # somebody removed it meanwhile
        finally:
            os.close(number)


def _hold(number: int) -> None:
    """Lock a mark; other processes hold the lock only while they write."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            return fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise
            time.sleep(0.01)


def release(folder: Path, ledger: str) -> None:
    """Remove a ledger's mark from a folder that no longer holds its documents."""
    if owner_of(folder) == ledger:
        with contextlib.suppress(OSError):
            (folder / MARK_NAME).unlink()


def why_not(place: Location, ledger: str) -> str:
    """Return why a ledger's documents cannot be in the folder that `[render]` names (G-62), or "".

    `ledger` is its id, or "" if that cannot be read.
    """
    folder = place.documents
    if place.usual is None:
        return ""
    from ledger.location import CHAIN_NAME, CONFIG_NAME, PROJECT_FILE, PROJECT_FOLDER

    named = f"{folder}, which [render] in {place.directory / CONFIG_NAME} names,"
    try:
        with os.scandir(folder):
            os.stat(f"{folder}/.")
    except (FileNotFoundError, NotADirectoryError):
        return f"{named} is not a folder: create it, or correct the setting; the log continues meanwhile"
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        return f"{named} cannot be listed ({reason}): make it readable, or correct the setting; the log continues meanwhile"
    home = Path(os.path.realpath(place.directory))
    if folder.is_relative_to(home) or home.is_relative_to(folder):
        return f"{named} and the ledger's own folder overlap: use another one"
    if (folder / CHAIN_NAME).exists() or (folder / PROJECT_FILE).exists() or folder.name == PROJECT_FOLDER:
        return f"{named} has the documents of another ledger: use another one"
    if (owner := owner_of(folder)) and ledger and owner != ledger:
        mark = folder / MARK_NAME
        return f"{named} belongs to the ledger {owner[:8]}…: use another one, or use it here after rm {mark}"
    if not owner and not os.access(folder, os.W_OK):
        return f"{named} cannot be written: make it writable, or correct the setting; the log continues meanwhile"
    return ""
