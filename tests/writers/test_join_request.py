"""Requests to join: whose they are, who knew a secret, and how many wait.

Tests specs/team.md (TM-16, TM-18, TM-19).
"""

from __future__ import annotations

import hashlib
import hmac
from pathlib import Path

import pytest

from ledger.errors import FormatError
from ledger.ledger import Identity
from ledger.note import Note
from tests.ledger.world import World
from tests.writers.chains import TEAM, Writer, sha
from writers.invitation import Invitation
from writers.join_request import (
    MAX_BYTES,
    MAX_WAITING,
    JoinRequest,
    is_by_newcomer,
    is_invited,
    request_of,
    requested,
    waiting,
)
from writers.signatures import signed_note

SECRET, OTHER = b"s" * 16, b"o" * 16
INVITATION = Invitation("/srv/team", TEAM, sha("roster 0"), SECRET)
BOB = Writer("bob")
DATA = requested(INVITATION, BOB.genesis, "bob", "person", BOB.key)


def test_a_request_is_written_as_specified() -> None:
    said = f"muniment-team-join/v1 {TEAM}\nmember {BOB.genesis} bob person\nkey {BOB.key.public.hex()}\n"
    proof = hmac.new(SECRET, said.encode(), hashlib.sha256).hexdigest()
    request, note = request_of(DATA)
    assert note.text.decode() == f"{said}secret {proof}\n"
    assert request == JoinRequest(TEAM, BOB.genesis, "bob", "person", BOB.key.public.hex(), proof)
    assert request.fingerprint == BOB.genesis[:16]


def test_the_secret_of_the_invitation_proves_it() -> None:
    request, _ = request_of(DATA)
    assert is_invited(request, SECRET)
    assert not is_invited(request, OTHER)


@pytest.mark.parametrize(
    "changed",
    [
        {"team": "f" * 32},
        {"genesis": sha("eve")},
        {"name": "eve"},
        {"kind": "agent"},
        {"key": "0" * 64},
        {"proof": "0" * 64},
    ],
)
def test_the_proof_is_of_every_word(changed: dict[str, str]) -> None:
    """Who reads the transport cannot use another's proof for themselves."""
    request, _ = request_of(DATA)
    assert not is_invited(request._replace(**changed), SECRET)


def test_the_newcomers_chain_signed_it(tmp_path: Path) -> None:
    """A ledger that was just founded with the team's id, and the key that its genesis brings."""
    world = World(tmp_path, identity=Identity(TEAM, "work", "project"))
    key = world.open().signing_key()
    request, note = request_of(requested(INVITATION, world.genesis, "bob", "person", key))
    brought = bytes.fromhex(world.events()[0].head["key"])
    assert is_by_newcomer(request, note, brought)
    assert not is_by_newcomer(request, note, BOB.key.public)


def test_a_request_for_another_chain_is_not_by_it() -> None:
    eve = Writer("eve")
    request, note = request_of(requested(INVITATION, BOB.genesis, "bob", "person", eve.key))
    assert is_invited(request, SECRET)
    assert not is_by_newcomer(request, note, BOB.key.public)


TEXT = request_of(DATA)[1].text.decode()


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(TEXT.replace("/v1", "/v2"), id="another version"),
        pytest.param(TEXT.replace(TEAM, TEAM[:-1]), id="a short id"),
        pytest.param(TEXT.replace("bob", "Bob"), id="a name that is no slug"),
        pytest.param(TEXT.replace("person", "robot"), id="an unknown kind"),
        pytest.param(TEXT.replace("key ", "key 0"), id="a long key"),
        pytest.param(TEXT.replace("person", "person admin"), id="a role of one's own"),
        pytest.param(f"{TEXT}{TEXT}", id="twice"),
        pytest.param(TEXT.replace("secret", "member"), id="no proof"),
        pytest.param(f"{TEXT}note hello\n", id="another line"),
        pytest.param(f"muniment-team/v1 {TEAM}\n", id="another note"),
    ],
)
def test_any_other_text_is_refused(text: str) -> None:
    with pytest.raises(FormatError) as caught:
        request_of(signed_note(text.encode(), BOB.genesis, BOB.key))
    assert caught.value.rule == "TM-18"


@pytest.mark.parametrize(
    ("name", "kind"), [("Bob", "person"), ("bob\n", "person"), ("bob", "admin"), ("", "agent")]
)
def test_what_nobody_could_read_is_not_asked(name: str, kind: str) -> None:
    with pytest.raises(FormatError):
        requested(INVITATION, BOB.genesis, name, kind, BOB.key)


def test_a_long_request_is_not_looked_at() -> None:
    _, note = request_of(DATA)
    lines = len(note.signatures[0].line())
    room = (MAX_BYTES - len(DATA)) // lines
    assert request_of(Note(note.text, note.signatures * (1 + room)).encode())
    with pytest.raises(FormatError, match="more than 4096 bytes"):
        request_of(Note(note.text, note.signatures * (2 + room)).encode())


def test_no_byte_of_a_request_can_be_changed() -> None:
    for at in range(len(DATA)):
        for byte in {DATA[at] ^ 1, DATA[at] ^ 0x20, ord("0"), ord("\n")} - {DATA[at]}:
            try:
                request, note = request_of(DATA[:at] + bytes([byte]) + DATA[at + 1 :])
            except FormatError:
                continue
            assert not (is_invited(request, SECRET) and is_by_newcomer(request, note, BOB.key.public))


def test_the_requests_of_strangers_hide_none_that_was_invited() -> None:
    strange = Invitation("/srv/team", TEAM, sha("roster 0"), OTHER)
    flood = [requested(strange, sha(str(n)), "bob", "person", BOB.key) for n in range(2 * MAX_WAITING)]
    found = waiting(TEAM, [*flood, DATA], [SECRET], [])
    assert found[0] == (*request_of(DATA), DATA)
    assert len(found) == MAX_WAITING
    assert waiting(TEAM, [DATA, *flood[::-1], DATA], [SECRET], []) == found


def test_what_is_no_request_to_this_team_does_not_wait() -> None:
    other = requested(INVITATION._replace(team="f" * 32), BOB.genesis, "bob", "person", BOB.key)
    assert [each.data for each in waiting(TEAM, [b"nonsense", other, DATA], [], [])] == [DATA]
    assert waiting(TEAM, [DATA], [SECRET], [BOB.genesis]) == []  # a member asks for nothing
