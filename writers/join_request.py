"""What a newcomer publishes to become a member, and which of these requests wait.

Implements specs/team.md (TM-16, TM-18). A request is the text of a note that the newcomer's chain signs (TM-11):

    muniment-team-join/v1 <team id>
    member <genesis> <slug> <person|agent>
    key <the public key in the newcomer's genesis, hex>
    secret <HMAC-SHA-256, hex, of the lines before, under the invitation's secret>
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Collection, Iterable
from contextlib import suppress

from ledger import note
from ledger.errors import FormatError
from ledger.lazy_pattern import lazy_pattern
from ledger.memory import SLUG
from ledger.named_tuple import NamedTuple
from ledger.note import Note
from ledger.signing import SigningKey
from writers.invitation import Invitation
from writers.roster import KINDS
from writers.signatures import is_signed, signed_note

MAX_BYTES = 4096
MAX_WAITING = 100
FINGERPRINT_DIGITS = 16

_REQUEST = lazy_pattern(
    "(muniment-team-join/v1 ([0-9a-f]{32})\n"
    f"member ([0-9a-f]{{64}}) ({SLUG.pattern}) ({'|'.join(KINDS)})\nkey ([0-9a-f]{{64}})\n)"
    "secret ([0-9a-f]{64})\n"
)


class JoinRequest(NamedTuple):
    """What a newcomer says: the team, the id, name, kind and public key of the writer; and the HMAC. Nothing is verified."""

    team: str
    genesis: str
    name: str
    kind: str
    key: str
    proof: str

    @property
    def fingerprint(self) -> str:
        """What a person compares to know whose request it is (TM-19)."""
        return self.genesis[:FINGERPRINT_DIGITS]


def requested(invitation: Invitation, genesis: str, name: str, kind: str, key: SigningKey) -> bytes:
    """Return the note by which the writer with this genesis asks to join, signed by the key in its genesis.

    Raises:
        FormatError: the name or the kind is not allowed.
    """
    request = JoinRequest(invitation.team, genesis, name, kind, key.public.hex(), "")
    said = _said(request)
    data = signed_note(f"{said}secret {_proof(said, invitation.secret)}\n".encode(), genesis, key)
    request_of(data)
    return data


def request_of(data: bytes) -> tuple[JoinRequest, Note]:
    """Return what a join request says, and its note; nothing is verified.

    Raises:
        FormatError: it is longer than 4,096 bytes (TM-16), no note (T-11), or no join request (TM-18).
    """
    if len(data) > MAX_BYTES:
        raise FormatError("TM-16", f"the join request has more than {MAX_BYTES} bytes", code="join-malformed")
    found = note.parse(data)
    parts = _REQUEST.fullmatch(found.text.decode())
    if parts is None:
        raise FormatError(
            "TM-18", "malformed join request: its lines are not those of one", code="join-malformed"
        )
    return JoinRequest(*parts.groups()[1:]), found


def is_by_newcomer(request: JoinRequest, found: Note, key: bytes) -> bool:
    """Return whether the newcomer's chain signed the note; `key` is the one that the chain's genesis brings."""
    return request.key == key.hex() and is_signed(found, request.genesis, key)


def is_invited(request: JoinRequest, secret: bytes) -> bool:
    """Return whether the request's author knows this invitation's secret."""
    return hmac.compare_digest(_proof(_said(request), secret), request.proof)


class WaitingRequest(NamedTuple):
    """A request, its note, and the note's bytes."""

    request: JoinRequest
    note: Note
    data: bytes


def waiting(
    team: str, notes: Iterable[bytes], secrets: Collection[bytes], members: Collection[str]
) -> list[WaitingRequest]:
    """Return the requests to join this team by others than `members`, at most 100: first those that one of the `secrets` proves.

    A stranger who floods the transport with requests so hides none that was invited here.
    """
    found = []
    for data in set(notes):
        with suppress(FormatError):
            request, note = request_of(data)
            if request.team == team and request.genesis not in members:
                is_strange = not any(is_invited(request, secret) for secret in secrets)
                found.append((is_strange, request, data, note))
    return [WaitingRequest(request, note, data) for _, request, data, note in sorted(found)[:MAX_WAITING]]


def _said(request: JoinRequest) -> str:
    member = f"member {request.genesis} {request.name} {request.kind}\nkey {request.key}\n"
    return f"muniment-team-join/v1 {request.team}\n{member}"


def _proof(said: str, secret: bytes) -> str:
    return hmac.new(secret, said.encode(), hashlib.sha256).hexdigest()
