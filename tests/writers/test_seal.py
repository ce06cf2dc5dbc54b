"""What is sealed opens with its own key and at its own place, and has one spelling.

Tests specs/team.md (TM-60…TM-62).
"""

from __future__ import annotations

from base64 import b64decode

from hypothesis import given
from hypothesis import strategies as st
from nacl.public import SealedBox
from nacl.signing import SigningKey as Ed25519

from ledger.signing import SigningKey
from tests.writers.chains import TEAM, sha
from writers.seal import (
    LineSeal,
    Seal,
    SealKey,
    earlier_keys,
    invited_key,
    invited_note,
    opened_box,
    roster_seal,
)

KEY, OTHER = SealKey(b"k" * 32), SealKey(b"o" * 32)
CHAIN = sha("chain")
LINE = b'{"event":{},"sig":"00"}'
ADA, BOB = SigningKey(b"a" * 32), SigningKey(b"b" * 32)


def sealed(line: bytes = LINE, seq: int = 7, key: SealKey = KEY) -> bytes:
    return LineSeal(TEAM, CHAIN).sealed(key, key.id, seq, line)


def opened(line: bytes, seq: int = 7, *, chain: str = CHAIN, team: str = TEAM, key: SealKey = KEY) -> bytes:
    return LineSeal(team, chain).opened(lambda id_: [key] if id_ == key.id else [], seq, line)


@given(st.binary().map(lambda raw: b"{" + raw.replace(b"\n", b"")), st.integers(0, 2**63))
def test_a_line_comes_back_and_travels_as_one_line(line: bytes, seq: int) -> None:
    travels = sealed(line, seq)
    assert b"\n" not in travels
    assert line not in travels
    assert opened(travels, seq) == line


def test_the_same_line_has_the_same_bytes() -> None:
    assert sealed() == sealed()
    assert len({sealed(), sealed(seq=8), sealed(LINE + b" "), sealed(key=OTHER)}) == 4
    nonces = {b64decode(each)[4:28] for each in (sealed(), sealed(seq=8), sealed(LINE + b" "))}
    assert len(nonces) == 3


def test_a_line_opens_at_its_own_place_alone() -> None:
    line = sealed()
    assert opened(line) == LINE
    assert opened(line, 8) == line
    assert opened(line, chain=sha("another")) == line
    assert opened(line, team=TEAM[::-1]) == line
    assert opened(line, key=OTHER) == line
    assert LineSeal(TEAM, CHAIN).opened(lambda _: [OTHER], 7, line) == line


def test_no_byte_of_a_sealed_line_can_be_changed() -> None:
    line = sealed()
    for at in range(len(line)):
        changed = line[:at] + (b"A" if line[at : at + 1] != b"A" else b"B") + line[at + 1 :]
        assert opened(changed) == changed, at
    for at in range(len(line)):
        assert opened(line[:at]) == line[:at]


def test_a_line_that_is_not_sealed_is_taken_as_it_is() -> None:
    assert opened(LINE) == LINE


def test_a_box_is_libsodiums_and_opens_for_its_member_alone() -> None:
    seal = roster_seal(KEY, [], [("aa", ADA.public), ("bb", BOB.public)])
    assert opened_box(seal, "aa", ADA) == opened_box(seal, "bb", BOB) == KEY
    assert opened_box(seal, "aa", BOB) is None
    assert opened_box(seal, "cc", ADA) is None
    assert opened_box(seal._replace(key=OTHER.name), "aa", ADA) is None, "it is not the key that is named"
    private = Ed25519(ADA.seed).to_curve25519_private_key()
    assert SealedBox(private).decrypt(b64decode(dict(seal.boxes)["aa"])) == KEY.secret
    assert roster_seal(KEY, [], [("aa", ADA.public)]).boxes == seal.boxes[:1]


def test_the_newest_key_opens_all_earlier_ones() -> None:
    older = SealKey(b"x" * 32)
    seal = roster_seal(KEY, [OTHER, older, KEY], [])
    assert set(earlier_keys(seal, KEY)) == {OTHER, older}
    assert list(earlier_keys(seal, OTHER)) == []
    named = Seal(seal.key, tuple((sha("another"), under) for _, under in seal.was), ())
    assert list(earlier_keys(named, KEY)) == [], "a key that is not the one that is named"


def test_the_key_of_an_invitation_opens_with_its_secret_for_its_team() -> None:
    data = invited_note(KEY, TEAM, b"s" * 16)
    assert invited_key(data, TEAM, b"s" * 16) == KEY
    assert invited_key(data, TEAM[::-1], b"s" * 16) is None
    assert invited_key(data, TEAM, b"t" * 16) is None
    assert invited_key(data[:-1], TEAM, b"s" * 16) is None
