"""Sets up a second machine from a backup: a chain of its own, and the backup's as the first copy.

Implements specs/team.md (TM-82). Existing parts are reused, so the same call completes a run that died. The
backup brings the team's address and rosters, but no invitation, so the accepting admin compares the machine's fingerprint.
"""

from __future__ import annotations

import os
from pathlib import Path

from ledger.archive_names import seal_name
from ledger.backup_archive import Unpacked
from ledger.errors import ChainError, UsageError
from ledger.event import By
from ledger.location import Home, Location
from ledger.mark import StateDirectory
from projections.binding import Founded, make_known
from team.chain_segments import segments
from team.seal_keys import keep_keys, keys_in
from writers.copies import Copies
from writers.invitation import Invitation
from writers.team_folder import ROSTERS, SETTINGS, Settings, TeamFolder, settings_of


def begun(found: Unpacked, home: Home, place: Location, by: By) -> tuple[Founded, Invitation]:
    """Create our own chain beside the one of a checked backup, and return the input of `Team.ask`.

    Args:
        found: the backup, taken apart.
        home: the user's folders.
        place: where the memory belongs on this machine.
        by: who writes.

    Raises:
        UsageError: the ledger in the backup has no team.
        LedgerExistsError: another ledger stands there; nothing was touched.
        ChainError: the chain of the backup does not pass as a copy.
    """
    settings = _settings(found)
    made = make_known(home, place, by, found.manifest.ledger)
    folder = TeamFolder(place.directory, StateDirectory(home.state), made.genesis)
    folder.settle(settings)
    for name in sorted(found.names):
        if name.startswith(f"team/{ROSTERS}/"):
            folder.keep_roster((found.folder / name).read_bytes())
    keep_brought(found, StateDirectory(home.state).seals_of(settings.team))
    if fault := taken_as_copy(folder.copies(), found.manifest.genesis, found.chain, found.manifest.seq + 1):
        raise ChainError(f"the chain in the backup cannot be taken as a copy: {fault}")
    return made, uninvited(settings)


def bring_team(found: Unpacked, place: Location, home: Home) -> bool:
    """Pin the team of a restored backup, and keep its keys (F-14); return whether there is one.

    The next sync fetches the other members' chains.
    """
    manifest, state = found.manifest, StateDirectory(home.state)
    folder = TeamFolder(place.directory, state, manifest.genesis)
    folder.pin_restored(manifest.ledger.id)
    if folder.exists:
        keep_brought(found, state.seals_of(manifest.ledger.id))
    return folder.exists


def keep_brought(found: Unpacked, folder: Path) -> None:
    """Keep the keys of the team that a backup brings, in the team's folder in STATE.

    Raises:
        StorageError: the state directory cannot be written.
    """
    paths = (found.folder / name for name in found.names if name == seal_name(Path(name).name))
    keep_keys(folder, keys_in(paths))


def taken_as_copy(copies: Copies, chain: str, path: Path, end: int) -> str:
    """Take the lines of a chain file before the seq `end` as a copy, and return why one was not taken, "" if all were."""
    for segment in segments(path, copies.next(chain), end):
        if fault := copies.add(chain, segment.first, segment.data).fault:
            return fault
    return ""


def uninvited(settings: Settings) -> Invitation:
    """Return the input of `Team.ask` without an invitation: no secret of another machine proves the request."""
    return Invitation(settings.address, settings.team, settings.first, os.urandom(16))


def _settings(found: Unpacked) -> Settings:
    path = found.member(f"team/{SETTINGS}")
    if path is None:
        raise UsageError(
            "the memory in this backup has no team: run muniment team init ADDRESS on its machine, and back it up again, or "
            "restore it without --as where it is to go on"
        )
    return settings_of(path)
