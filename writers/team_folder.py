"""What a machine knows of its team: where the transport is, the rosters, and whose chains count after them.

Implements specs/team.md (TM-1, TM-5, TM-12, TM-13). The first roster is pinned in the state directory as well, so that nobody
who can write the folder alone makes another team of it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson

from ledger import durable
from ledger.errors import ForeignChainError, FormatError, NotFoundError, UsageError
from ledger.mark import StateDirectory
from ledger.named_tuple import NamedTuple
from ledger.note import Note
from writers import proposals
from writers.chain_keys import keys_in
from writers.copies import Copies
from writers.counted import MEMBERS, TEAM_FOLDER, copy_of
from writers.forks import Fork, checked
from writers.join_request import JoinRequest, waiting
from writers.membership import Membership, cut_at_forks, in_force, membership_of, read_rosters
from writers.roster import NEVER, Roster

SETTINGS = "transport.json"
ROSTERS = "rosters"
FORKS = "forks"
_NOTE = ".note"


class Settings(NamedTuple):
    """The team id, the hash of its first roster, and the address of the transport."""

    team: str
    first: str
    address: str


def settings_of(path: Path) -> Settings:
    """Return what a file of settings says.

    Raises:
        NotFoundError: there is none.
        UsageError: it cannot be read as one.
    """
    try:
        value = orjson.loads(durable.read_file(path))
        return Settings(str(value["team"]), str(value["first"]), str(value["address"]))
    except FileNotFoundError:
        raise NotFoundError(
            "this memory has no team: run muniment team init ADDRESS to create one, or muniment team join LINE to join one"
        ) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{path} cannot be read ({error}): delete it and run muniment team join again"
        ) from None


class TeamFolder:
    """The folder of a team beside one ledger's chain.

    Args:
        directory: where chain.jsonl lies.
        state: the folder of marks and pins.
        genesis: the id of our own chain.
    """

    def __init__(self, directory: Path, state: StateDirectory, genesis: str) -> None:
        self.path = directory / TEAM_FOLDER
        self.chain = directory / "chain.jsonl"
        self.genesis = genesis
        self._directory = directory
        self._state = state

    # --- where ---

    @property
    def exists(self) -> bool:
        """Whether this ledger has a team."""
        return (self.path / SETTINGS).exists()

    @property
    def settings(self) -> Settings:
        """Where the team is.

        Raises:
            NotFoundError: there is no team.
            ForeignChainError: the folder names another team than is pinned here.
        """
        found = self._read()
        if self._pinned(found.team) != found.first:
            raise ForeignChainError(
                f"{self.path / SETTINGS} names another team than was joined on this machine: bring the right file back"
            )
        return found

    def _read(self) -> Settings:
        return settings_of(self.path / SETTINGS)

    def is_pinned(self, team: str) -> bool:
        """Return whether this machine joined, or founded, the team with this id."""
        return bool(self._pinned(team))

    def settle(self, settings: Settings) -> None:
        """Pin a team and note where it is.

        Raises:
            StorageError: a folder cannot be written.
        """
        self._pin(settings)
        durable.keep_file(
            self.path / SETTINGS, orjson.dumps(settings._asdict()) + b"\n", "noting where the team is"
        )

    def pin_restored(self, team: str) -> None:
        """Pin the team that a backup brought with the ledger of the id `team`, if none is pinned here (F-14).

        Raises:
            StorageError: the state directory cannot be written.
        """
        with suppress(NotFoundError, UsageError):  # there is none, or verify reports its fault
            found = self._read()
            if found.team == team and not self.is_pinned(team):
                self._pin(found)

    def _pin(self, settings: Settings) -> None:
        pin = self._state.path / "teams" / settings.team
        durable.keep_file(pin, settings.first.encode() + b"\n", "pinning the team")

    def _pinned(self, team: str) -> str:
        try:
            return durable.read_file(self._state.path / "teams" / team).decode().strip()
        except (OSError, ValueError):
            return ""

    # --- who ---

    def path_of(self, chain: str) -> Path:
        """Return where our own chain, or the copy of another one, lies."""
        return self.chain if chain == self.genesis else copy_of(self._directory, chain)

    def copies(self) -> Copies:
        """Return the copies of the other chains."""
        return Copies(self._directory, self._state, self.settings.team)

    def rosters(self) -> Mapping[str, bytes]:
        """Return all notes of rosters that are known, by the SHA-256 of their bytes."""
        paths = sorted((self.path / ROSTERS).glob(f"*{_NOTE}"))
        return {path.name.removesuffix(_NOTE): durable.read_file(path) for path in paths}

    def rosters_named(self, hashes: Collection[str]) -> list[Roster]:
        """Return the known rosters with these hashes, each once."""
        found = self.read_rosters()
        return [found[each][0] for each in hashes]

    def read_rosters(self) -> Mapping[str, tuple[Roster, Note]]:
        """Return the known rosters by their hashes, each with all signatures under it that are known."""
        return read_rosters(self.rosters().values())[0]

    def keep_roster(self, data: bytes) -> bool:
        """Keep the note of a roster, whether it counts or not; say whether it was new."""
        folder = self.path / ROSTERS
        path = folder / f"{hashlib.sha256(data).hexdigest()}{_NOTE}"
        if path.exists():
            return False
        durable.keep_file(path, data, "keeping a roster")
        return True

    def forks(self) -> Mapping[str, Fork]:
        """Return the forks that are proved here, by their chains."""
        found = {}
        for path in sorted((self.path / FORKS).glob("*.json")):
            with suppress(FormatError, OSError):  # a damaged one comes again with the next sync
                fork = checked(durable.read_file(path), self.settings.team)
                found[fork.chain] = fork
        return found

    @property
    def joins(self) -> Path:
        """The folder of the requests to join."""
        return self.path / "joins"

    def asking(self, held: Membership, secrets: Collection[bytes] = ()) -> list[JoinRequest]:
        """Return the known requests to join, our own included, by machines that are not members.

        Those that one of the `secrets` proves come first.
        """
        notes = (path.read_bytes() for path in self.joins.glob("*") if path.is_file())
        return [each.request for each in waiting(self.settings.team, notes, secrets, held.ids())]

    def keep_fork(self, fork: Fork) -> None:
        """Keep the proof of a fork, in the place of another one of the same chain."""
        path = self.path / FORKS / f"{fork.chain}.json"
        durable.keep_file(path, fork.data, "keeping the proof of a fork")

    def membership(self) -> Membership:
        """Return what holds after all rosters. While neither rosters nor chains change, a file says it (MEMBERS)."""
        of = self._known(self._paths())
        if (noted := self._noted(of)) is not None:
            return noted
        found = self.judged()
        self._note(of, found)
        return found

    def judged(self) -> Membership:
        """Return what holds after all rosters, whatever the file says; nothing is written."""
        settings, forks = self.settings, self.forks()
        keys = keys_in(self._paths(), forks)
        return cut_at_forks(in_force(settings.team, settings.first, self.rosters().values(), keys), forks)

    def is_noted(self, membership: Membership) -> bool:
        """Return whether the file that commands and hooks read says the same as a membership."""
        try:
            value = orjson.loads(durable.read_file(self.path / MEMBERS))
            same = membership_of(value["membership"]) == membership
            return same and value.items() >= self._counted(membership).items()
        except (OSError, ValueError, KeyError, TypeError):
            return False

    def _paths(self) -> Mapping[str, Path]:
        """Return where all chains lie that are here."""
        return {chain: self.path_of(chain) for chain in (*self.copies().chains(), self.genesis)}

    def _known(self, paths: Mapping[str, Path]) -> str:
        """Return what changes with each roster, and with each line of a chain."""
        sizes = sorted((chain, path.stat().st_size) for chain, path in paths.items())
        rosters = sorted(path.name for path in (self.path / ROSTERS).glob(f"*{_NOTE}"))
        forks = {
            path.name: durable.read_file(path).decode("latin-1")
            for path in (self.path / FORKS).glob("*.json")
        }
        value = [sizes, rosters, sorted(forks.items())]
        return hashlib.sha256(orjson.dumps(value)).hexdigest()

    def _noted(self, of: str) -> Membership | None:
        try:
            value = orjson.loads(durable.read_file(self.path / MEMBERS))
            return membership_of(value["membership"]) if value["of"] == of else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _counted(self, membership: Membership) -> dict[str, Any]:
        """Return whose events count beside our own, and how much, as `writers.counted` reads it."""
        waits = {each.genesis: membership.waits_of(each) for each in membership.members}
        counted = [
            {
                "id": each.genesis,
                "name": each.name,
                "until": -1 if each.until is None else each.until[0],
                "waits": waits[each.genesis],
            }
            for each in membership.members
            if each.genesis != self.genesis and each.role != "reader" and each.until != NEVER
        ]
        return {"waits": waits.get(self.genesis, proposals.NEVER), "counted": counted}

    def _note(self, of: str, membership: Membership) -> None:
        value = {"of": of, **self._counted(membership), "membership": membership}
        path = self.path / MEMBERS
        try:
            durable.replace_file(path, f"{json.dumps(value)}\n".encode(), 0o600)
        except OSError as error:
            raise durable.storage_error(error, "noting the members", path) from error
