"""What a machine signs once it has nothing left of what was erased.

Implements specs/team.md (TM-64). A receipt is the text of a note that the holder's chain signs (TM-11):

    muniment-receipt/v1 <team id>
    holder <genesis>
    erase <event id>             one or more, sorted
    residue <one sentence>       any number, sorted
"""

from __future__ import annotations

from ledger import note
from ledger.errors import FormatError
from ledger.lazy_pattern import lazy_pattern
from ledger.named_tuple import NamedTuple
from ledger.note import Note
from ledger.signing import SigningKey
from writers.signatures import note_name, signed_note

_RECEIPT = lazy_pattern(
    "muniment-receipt/v1 ([0-9a-f]{32})\nholder ([0-9a-f]{64})\n((?:erase [0-9a-f]{64}\n)+)((?:residue [^\n]+\n)*)"
)


class HolderReceipt(NamedTuple):
    """What a holder says: the team, whose machine it is, the erase events, and where the old bytes may still be."""

    team: str
    holder: str
    erases: tuple[str, ...]
    residue: tuple[str, ...] = ()

    def signed(self, key: SigningKey) -> tuple[str, bytes]:
        """Return the note, and the name under which it travels: what somebody else puts there takes no receipt's place."""
        lines = [f"muniment-receipt/v1 {self.team}", f"holder {self.holder}"]
        lines += [f"erase {each}" for each in sorted(self.erases)]
        lines += [f"residue {each}" for each in sorted(self.residue)]
        data = signed_note("".join(f"{line}\n" for line in lines).encode(), self.holder, key)
        return note_name(self.holder, data), data


def receipt_of(data: bytes) -> tuple[HolderReceipt, Note]:
    """Return what a receipt says, and its note; nothing is verified.

    Raises:
        FormatError: it is not a note (T-11), or not a receipt (TM-64).
    """
    found = note.parse(data)
    parts = _RECEIPT.fullmatch(found.text.decode())
    if parts is None:
        raise FormatError(
            "TM-64", "malformed receipt: its lines are not those of one", code="receipt-malformed"
        )
    team, holder, erases, residue = parts.groups()
    return HolderReceipt(team, holder, _said(erases), _said(residue)), found


def _said(lines: str) -> tuple[str, ...]:
    return tuple(line.partition(" ")[2] for line in lines.split("\n")[:-1])
