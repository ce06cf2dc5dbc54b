"""The line by which a person invites another machine or member.

Implements specs/team.md (TM-17):

    muniment-team:1:<address>#<base64url of team id (16 bytes) ‖ SHA-256 of roster 0 (32) ‖ secret (16)>

A line has one spelling. Who has it can read what the transport gives them anyway, and can ask to join.
"""

from __future__ import annotations

import base64

from ledger.errors import UsageError
from ledger.lazy_pattern import lazy_pattern
from ledger.named_tuple import NamedTuple

SECRET_BYTES = 16

_FORM = "muniment-team:"
_TEAM_BYTES, _HASH_BYTES = 16, 32
_CODE = lazy_pattern("[A-Za-z0-9_-]{86}")
_WITH_PASSWORD = lazy_pattern(r"(?i:https?://[^/]*|[a-z0-9+.-]+://[^/@]*:[^/]*)@")
_CUT = "copy all of it again, as one line without spaces or line breaks at its ends, in quotes"


class Invitation(NamedTuple):
    """What an invitation says: the transport's address, the team's id, the hash of roster 0, and a secret of 16 bytes."""

    address: str
    team: str
    first: str
    secret: bytes


def line_of(invitation: Invitation) -> str:
    """Return the line that says this.

    Raises:
        UsageError: the address cannot stand in a line, or has a password in it.
    """
    _check_address(invitation.address)
    raw = bytes.fromhex(invitation.team) + bytes.fromhex(invitation.first) + invitation.secret
    return f"{_FORM}1:{invitation.address}#{base64.urlsafe_b64encode(raw).rstrip(b'=').decode()}"


def invitation_of(line: str) -> Invitation:
    """Return what an invitation says.

    Raises:
        UsageError: the line is none, or a part of it is missing.
    """
    if not line.startswith(_FORM):
        raise UsageError(
            f"this is not an invitation, which begins with {_FORM}1: and comes from `muniment team invite`"
        )
    if not line.startswith(f"{_FORM}1:"):
        raise UsageError("a newer version of muniment made this invitation: update muniment")
    address, _, code = line.removeprefix(f"{_FORM}1:").rpartition("#")
    if not address or not _CODE.fullmatch(code):
        raise UsageError(f"the invitation is incomplete or was broken: {_CUT}")
    raw = base64.urlsafe_b64decode(f"{code}==")
    team, first, secret = raw[:_TEAM_BYTES], raw[_TEAM_BYTES:-SECRET_BYTES], raw[-SECRET_BYTES:]
    found = Invitation(address, team.hex(), first.hex(), secret)
    if line_of(found) != line:
        raise UsageError(f"a letter of the invitation was changed: {_CUT}")
    return found


def _check_address(address: str) -> None:
    if not address or not address.isprintable():
        raise UsageError(
            f"the address in the invitation is empty or has a line break or control character: {_CUT}"
        )
    if _WITH_PASSWORD.match(address):
        raise UsageError(
            "the address has a password or token in it, which everybody who is invited would learn: "
            "use an address without one, and let git ask for it or keep it"
        )
