"""The keys that a team's lines are sealed with, as far as this machine knows them.

Implements specs/team.md (TM-61…TM-63). A key comes in a roster's box for this machine, under a later key, or with an
invitation. Once opened it is kept in STATE: never in the folder of the ledger, which people copy and commit.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from ledger import durable
from ledger.errors import FormatError, KeyFileError, StateError
from ledger.ledger import Random
from ledger.signing import SigningKey
from writers.chain_keys import newest_key
from writers.roster import Roster, parse
from writers.seal import (
    KEY_BYTES,
    Seal,
    SealKey,
    earlier_keys,
    invited_key,
    invited_name,
    new_key,
    opened_box,
    roster_seal,
)
from writers.team_folder import TeamFolder

INVITED = "key"
"""The kind of the notes that bring a key to who is invited."""


def keep_keys(folder: Path, keys: Iterable[SealKey]) -> None:
    """Keep keys in the folder of a team in STATE, each in a file of its own, by name.

    Raises:
        StorageError: the folder cannot be written.
    """
    for key in keys:
        durable.keep_file(folder / key.name, f"{key.secret.hex()}\n".encode(), "keeping a key of the team")


def keys_in(paths: Iterable[Path]) -> Iterator[SealKey]:
    """Yield the keys in files of their names; a file that holds another key, or none, is none."""
    for path in paths:
        with suppress(OSError, ValueError):
            key = SealKey(bytes.fromhex(durable.read_file(path).decode().strip()))
            if key.name == path.name and len(key.secret) == KEY_BYTES:
                yield key


class SealKeys:
    """What this machine opens and seals with.

    Args:
        folder: what is known of the team here.
        kept: the folder of its keys in STATE.
        signer: gives the private key of our own chain, which opens our boxes.
    """

    def __init__(self, folder: TeamFolder, kept: Path, signer: Callable[[], SigningKey]) -> None:
        self._folder = folder
        self._kept = kept
        self._signer = signer
        self._known: dict[str, SealKey] | None = None
        self._looked: frozenset[str] = frozenset()
        self.fault = ""

    def with_id(self, id_: bytes) -> Sequence[SealKey]:
        """Return the known keys with an id; where there is none, what the rosters bring is opened first."""
        return self._found(lambda key: key.id == id_)

    def named(self, name: str) -> SealKey | None:
        """Return the key that rosters name so, None if it is not known here."""
        return next(iter(self._found(lambda key: key.name == name)), None)

    def current(self) -> SealKey | None:
        """Return the key that lines are sealed with now; None in a team that is not sealed, or if it is not known here."""
        return next((key for name in self._folder.membership().seals if (key := self.named(name))), None)

    @property
    def is_sealed(self) -> bool:
        """Whether lines of this team are sealed; also while it is not known yet who belongs to it."""
        held = self._folder.membership()
        return bool(held.seals) or not held.heads

    @property
    def may_send(self) -> bool:
        """Whether more than the first line of a chain may be sent: lines are not sealed, or the key for them is known."""
        return not self.is_sealed or self.current() is not None

    @property
    def is_awaited(self) -> bool:
        """Whether the team is sealed from its first roster on, and no key of it is known here."""
        first = self._folder.settings.first
        found = (_sealed(data) for data in self._folder.rosters().values())
        return any(each.hash == first for each in found if each) and not self._found(lambda _: True)

    def take_invited(self, notes: Iterable[tuple[str, bytes]], team: str, secret: bytes) -> None:
        """Keep the key that an invitation with this secret brings; nothing if none of the notes is for it (TM-62)."""
        name = invited_name(secret)
        for each, data in notes:
            if each == name and (key := invited_key(data, team, secret)):
                self.keep(key)

    def keep(self, *keys: SealKey) -> None:
        """Keep keys in STATE; those that are kept already are not written again."""
        new = {key.name: key for key in keys if key.name not in self._all()}
        keep_keys(self._kept, new.values())
        self._known = {**self._all(), **new}

    # --- what rosters say of them ---

    def first_seal(self, public: bytes, random: Random) -> Seal:
        """Return what the first roster of a team says: a new key, for this machine, which has this public key."""
        key = new_key(random=random)
        self.keep(key)
        return roster_seal(key, (), [(self._folder.genesis, public)])

    def next_seal(
        self,
        before: Sequence[Roster],
        readers: Collection[str],
        newcomers: Mapping[str, bytes],
        random: Random,
    ) -> Seal | None:
        """Return what the roster that follows others says; None in a team that is not sealed.

        The key is a new one if they have different ones, or a box for somebody who is to read no longer (TM-63).

        Args:
            before: the rosters that it follows.
            readers: the genesis ids of all members whose membership has not ended.
            newcomers: the public keys of those among them whose chains are not here yet.
            random: gives random bytes.

        Raises:
            StateError: a key of theirs is not known here.
        """
        seals = [each.seal for each in before if each.seal]
        if not seals:
            return None
        names = {seal.key for seal in seals}
        earlier = [self._needed(name) for name in sorted(names.union(*(dict(seal.was) for seal in seals)))]
        boxed = {genesis for seal in seals for genesis, _ in seal.boxes}
        is_same = len(names) == 1 and boxed <= set(readers)
        key = self._needed(*names) if is_same else new_key(random=random)
        self.keep(key)
        publics = {each: newcomers.get(each) or newest_key(self._folder.path_of(each)) for each in readers}
        return roster_seal(key, earlier, [(each, public) for each, public in publics.items() if public])

    def _needed(self, name: str) -> SealKey:
        key = self.named(name)
        if key is None:
            raise StateError(
                f"this machine does not have the key {name[:8]} of the team, so it cannot pass it on: run muniment team "
                "sync, and if that does not help, muniment team join with a new invitation"
            )
        return key

    # --- what is known ---

    def _all(self) -> dict[str, SealKey]:
        if self._known is None:
            self._known = {key.name: key for key in keys_in(sorted(self._kept.glob("*")))}
        return self._known

    def _found(self, is_meant: Callable[[SealKey], bool]) -> Sequence[SealKey]:
        found = [key for key in self._all().values() if is_meant(key)]
        if found or not self._look():
            return found
        return [key for key in self._all().values() if is_meant(key)]

    def _look(self) -> bool:
        """Open what rosters bring that were not looked at yet; say whether there were any."""
        notes = self._folder.rosters()
        if not (new := notes.keys() - self._looked):
            return False
        self._looked = frozenset(notes)
        rosters = [roster for name in new if (roster := _sealed(notes[name]))]
        for roster in sorted(rosters, key=lambda each: each.version, reverse=True):
            self.keep(*self._opened(roster))
        return True

    def _opened(self, roster: Roster) -> Sequence[SealKey]:
        seal = roster.seal
        if seal is None:
            return ()
        key = self._all().get(seal.key)
        if key is None and self._folder.genesis in dict(seal.boxes):
            try:
                key = opened_box(seal, self._folder.genesis, self._signer())
            except KeyFileError as error:
                self.fault = f"the team's new key waits for this machine's own: {error}"
        return (key, *earlier_keys(seal, key)) if key else ()


def _sealed(data: bytes) -> Roster | None:
    try:
        roster, _ = parse(data)
    except FormatError:
        return None
    return roster if roster.seal else None
