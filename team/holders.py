"""Publishes receipts that this machine holds no erased text, and reads those of the others.

Implements specs/team.md (TM-64). A receipt counts if the chain of a member signed it with the key in force there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from ledger.errors import FormatError
from ledger.named_tuple import NamedTuple
from projections.workspace import Workspace
from team.signed_rosters import signing_key
from transports.protocol import TakenError, Transport
from writers.chain_keys import newest_key
from writers.counted import label_of
from writers.holder_receipt import HolderReceipt, receipt_of
from writers.signatures import is_signed
from writers.team_folder import TeamFolder

KIND = "receipt"
GONE, NOT_YET, OUT_OF_REACH = "gone", "not yet", "out of reach"
_AT_ONCE = 1000
_ERASES = (
    "SELECT DISTINCT e.id FROM events e JOIN edges x ON x.id = e.id AND x.kind = 'erase' "
    "JOIN events t ON t.id = x.target AND t.writer = e.writer WHERE e.kind = 'erase' ORDER BY e.id"
)


class Holder(NamedTuple):
    """A member's machine, and whether it has what was erased gone: `gone`, `not yet` or `out of reach`."""

    name: str
    id: str
    state: str
    residue: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """How the machine is shown (TM-2)."""
        return label_of(self.name, self.id)


class HolderReceipts:
    """The receipts of one team.

    Args:
        folder: what is known of the team here.
        workspace: the ledger.
    """

    def __init__(self, folder: TeamFolder, workspace: Workspace) -> None:
        self._folder = folder
        self._workspace = workspace

    @property
    def may_send(self) -> bool:
        """Whether neither index nor documents may still hold what was erased."""
        return self._workspace.current.is_clean() and not self._workspace.local.erasures.cleaning()

    def missing(self, transport: Transport) -> list[str]:
        """Return the known erases for which the transport has no receipt of ours by the current key."""
        erases = [id_ for (id_,) in self._workspace.index.connection().execute(_ERASES)]
        if not erases:
            return []
        said = {each for found in self._by(transport, self._own_key()) for each in found.erases}
        return [each for each in erases if each not in said]

    def send(self, transport: Transport, erases: Sequence[str], residue: Iterable[str]) -> None:
        """Sign that this machine has nothing left of what these erases took, and what the transport may still have.

        Raises:
            KeyFileError: our key is not here.
        """
        key = signing_key(self._workspace)
        team, left = self._folder.settings.team, tuple(" ".join(each.split()) for each in residue)
        for at in range(0, len(erases), _AT_ONCE):
            some = tuple(erases[at : at + _AT_ONCE])
            with suppress(TakenError):
                transport.put_note(KIND, *HolderReceipt(team, self._folder.genesis, some, left).signed(key))

    def holders(self, transport: Transport, erase: str) -> list[Holder]:
        """Return each machine of the team, by name, with what it says of an erase."""
        members, copies = self._folder.membership().members, self._folder.copies()
        here = [each.genesis for each in members if each.until is None]
        keys = {each: key for each in here if (key := newest_key(copies.path(each)))} | self._own_key()
        said: dict[str, set[str]] = {}
        for found in self._by(transport, keys):
            if erase in found.erases:
                said.setdefault(found.holder, set()).update(found.residue)
        states = {genesis: GONE if genesis in said else NOT_YET for genesis in here}
        return [
            Holder(
                each.name,
                each.genesis,
                states.get(each.genesis, OUT_OF_REACH),
                tuple(sorted(said.get(each.genesis, ()))),
            )
            for each in sorted(members, key=lambda each: (each.name, each.genesis))
        ]

    def _own_key(self) -> dict[str, bytes]:
        mark = self._workspace.state.mark_of(self._folder.settings.team).read()
        return {self._folder.genesis: bytes.fromhex(mark.key)} if mark else {}

    def _by(self, transport: Transport, keys: Mapping[str, bytes]) -> Iterator[HolderReceipt]:
        """Give the receipts of this team that these chains signed by these keys; whatever else stands there says nothing."""
        for name, data in transport.notes(KIND):
            if name.split(".")[0] not in keys:
                continue
            with suppress(FormatError):
                found, signed = receipt_of(data)
                key = keys.get(found.holder)
                is_ours = found.team == self._folder.settings.team
                if key and is_ours and is_signed(signed, found.holder, key):
                    yield found
