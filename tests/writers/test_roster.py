"""The text of a roster: one spelling, and nothing else is read.

Tests specs/team.md (TM-10, TM-11, TM-14).
"""

from __future__ import annotations

import re
from base64 import b64encode
from operator import attrgetter
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import FormatError, StateError
from ledger.note import Note
from ledger.signing import SigningKey
from tests.writers.chains import TEAM, Writer, by, roster, sha
from writers.roster import NEVER, STANDINGS, Member, Roster, Signer, admins_of, parse, signed, text_of
from writers.seal import Seal
from writers.signatures import is_signed, signed_note

KEY = SigningKey(b"\x01" * 32)
A, B, C = sorted(map(sha, "abc"))
E1, E2 = sha("event 1"), sha("event 2")
P1, P2 = sorted((sha("roster 1"), sha("roster 2")))

TEXT = f"""\
muniment-team/v1 {TEAM}
version 4
prev {P1}
prev {P2}
threshold 2
policy agent=stands
signer {A} 17 {E1}
signer {B} 0 {B}
member {A} ada person admin
member {B} ci.bot agent writer until 9 {E2}
member {C} eve person reader until 0 -
"""
ROSTER = Roster(
    TEAM,
    4,
    (P1, P2),
    2,
    (Signer(A, 17, E1), Signer(B, 0, B)),
    (
        Member(A, "ada", "person", "admin"),
        Member(B, "ci.bot", "agent", "writer", (9, E2)),
        Member(C, "eve", "person", "reader", NEVER),
    ),
    "stands",
)


def note_of(text: str) -> bytes:
    return signed_note(text.encode(), A, KEY)


def test_a_roster_is_read_and_written_as_specified() -> None:
    found, note = parse(note_of(TEXT))
    assert found == ROSTER
    assert text_of(found) == note.text == TEXT.encode()
    assert found.hash == sha(TEXT)


def test_members_and_signers_are_written_in_order() -> None:
    turned = ROSTER._replace(
        prev=ROSTER.prev[::-1], signers=ROSTER.signers[::-1], members=ROSTER.members[::-1]
    )
    assert text_of(turned) == TEXT.encode()
    assert turned.hash == ROSTER.hash


def changed(old: str, new: str) -> str:
    assert old in TEXT
    return TEXT.replace(old, new, 1)


LINES = TEXT.splitlines(keepends=True)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(changed("version 4", "version 04"), id="a leading zero"),
        pytest.param(changed("version 4", "version -4"), id="a negative number"),
        pytest.param(changed("version 4", "version ٤"), id="a digit of another script"),
        pytest.param(changed("version 4", "version 1" + "0" * 15), id="a number of 16 digits"),
        pytest.param(changed("version 4", "version 0"), id="version 0 that follows another"),
        pytest.param(re.sub("prev .*\n", "", TEXT), id="version 4 that follows none"),
        pytest.param(changed("threshold 2", "threshold 0"), id="a threshold of none"),
        pytest.param(changed("threshold 2\n", ""), id="no threshold"),
        pytest.param(changed("policy agent=stands\n", ""), id="no policy"),
        pytest.param(changed("agent=stands", "agent=admins"), id="another policy"),
        pytest.param(changed(TEAM, TEAM.upper()), id="capitals in the team's id"),
        pytest.param(changed(P1, P1.upper()), id="capitals in a hash"),
        pytest.param(changed(f"prev {P1}\n", f"prev {P2}\n"), id="a roster before named twice"),
        pytest.param(changed(f"prev {P1}\nprev {P2}", f"prev {P2}\nprev {P1}"), id="prev in another order"),
        pytest.param("".join(LINES[:5] + LINES[6:4:-1] + LINES[7:]), id="signers in another order"),
        pytest.param("".join(LINES[:7] + LINES[:6:-1]), id="members in another order"),
        pytest.param(TEXT + LINES[-1], id="a member twice"),
        pytest.param("".join(LINES[:6] + LINES[5:]), id="a signer twice"),
        pytest.param("".join(LINES[:5] + LINES[7:]), id="no signer"),
        pytest.param("".join(LINES[:7]), id="no member"),
        pytest.param("".join(LINES[:5] + LINES[7:] + LINES[5:7]), id="signers after members"),
        pytest.param(changed("eve person reader", "eve person owner"), id="an unknown role"),
        pytest.param(changed("eve person reader", "eve robot reader"), id="an unknown kind"),
        pytest.param(changed("eve", "Eve"), id="a name that is no slug"),
        pytest.param(changed("eve", "e" * 65), id="a name of 65"),
        pytest.param(changed("until 0 -", "until 9 -"), id="none counts, spelt otherwise"),
        pytest.param(changed("until 0 -", "until"), id="until without a place"),
        pytest.param(changed("person admin", "person  admin"), id="two spaces"),
        pytest.param(changed("person admin", "person admin "), id="a space at the end"),
        pytest.param(changed("threshold 2", "policy person=stands\nthreshold 2"), id="another line"),
        pytest.param(f"{TEXT}box {A} AAAA\n", id="a box without a key"),
        pytest.param(f"{TEXT}seal {A}\nbox {A} AAAA\nwas {A} AAAA\n", id="boxes before earlier keys"),
        pytest.param(f"{TEXT}seal {A}\nwas {B} AAAA\nwas {A} AAAA\n", id="earlier keys in another order"),
        pytest.param(f"{TEXT}seal {A}\nbox {A} AAAA\nbox {A} AAAA\n", id="a box twice"),
        pytest.param(f"{TEXT}seal {A}\nseal {B}\n", id="two keys"),
        pytest.param("\n" + TEXT, id="a blank line before"),
        pytest.param(TEXT + "\n", id="a blank line behind"),
        pytest.param("anything\n", id="another text"),
    ],
)
def test_any_other_text_is_refused(text: str) -> None:
    with pytest.raises(FormatError) as caught:
        parse(note_of(text))
    assert (caught.value.rule, caught.value.code) == ("TM-10", "roster-malformed")


def test_a_newer_version_is_named_as_the_reason() -> None:
    with pytest.raises(FormatError, match="update muniment"):
        parse(note_of(changed("muniment-team/v1", "muniment-team/v2")))


def test_what_is_no_note_is_no_roster() -> None:
    with pytest.raises(FormatError, match="blank line"):
        parse(TEXT.encode())


def test_the_signatures_of_several_admins_are_added_one_by_one() -> None:
    ada, bob = Writer("ada"), Writer("bob")
    made = roster([ada.member("admin"), bob.member("admin")], [ada, bob], threshold=2)
    once = signed(made, ada.genesis, ada.key)
    _, note = parse(once)
    assert is_signed(note, ada.genesis, ada.key.public)
    assert not is_signed(note, bob.genesis, bob.key.public)
    _, both = parse(signed(made, bob.genesis, bob.key, note.signatures))
    assert is_signed(both, ada.genesis, ada.key.public)
    assert is_signed(both, bob.genesis, bob.key.public)
    assert signed(made, ada.genesis, ada.key, note.signatures) == once


def test_a_signature_is_of_one_writer() -> None:
    """The same key under another writer's name, or another key under this name, is another signature."""
    ada, bob = Writer("ada"), Writer("bob")
    _, note = parse(by(roster([ada.member("admin")], [ada]), ada))
    assert not is_signed(note, bob.genesis, ada.key.public)
    assert not is_signed(note, ada.genesis, bob.key.public)


def test_nobody_signs_without_a_signer_line() -> None:
    ada, bob = Writer("ada"), Writer("bob")
    made = roster([ada.member("admin"), bob.member("admin")], [ada])
    with pytest.raises(StateError, match="make a new version"):
        signed(made, bob.genesis, bob.key)


def test_what_nobody_could_read_is_not_signed() -> None:
    ada = Writer("ada")
    with pytest.raises(FormatError):
        signed(roster([ada.member("owner")], [ada]), ada.genesis, ada.key)
    with pytest.raises(FormatError):
        signed(roster([ada.member("admin"), ada.member("reader")], [ada]), ada.genesis, ada.key)


def test_an_admin_whose_membership_ended_signs_no_more() -> None:
    ada, bob, eve = Writer("ada"), Writer("bob"), Writer("eve")
    members = [ada.member("admin"), bob.member("admin", until=(0, bob.genesis)), eve.member("writer")]
    assert admins_of(members) == {ada.genesis}


HASHES = st.integers(0, 30).map(lambda number: sha(str(number)))
SEALED = st.binary(min_size=3, max_size=9).map(lambda raw: b64encode(raw).decode())
KEYED = st.dictionaries(HASHES, SEALED, max_size=3).map(lambda some: tuple(sorted(some.items())))
SEALS = st.none() | st.builds(Seal, HASHES, KEYED, KEYED)
SEQS = st.integers(0, 10**15 - 1)
SLUGS = st.from_regex(r"[a-z0-9][a-z0-9._-]{0,63}", fullmatch=True)
UNTILS = st.none() | st.just(NEVER) | st.tuples(SEQS, HASHES)
MEMBERS = st.builds(
    Member,
    HASHES,
    SLUGS,
    st.sampled_from(["person", "agent"]),
    st.sampled_from(["admin", "writer", "reader"]),
    UNTILS,
)


One = TypeVar("One", Member, Signer)


def unique(each: st.SearchStrategy[One]) -> st.SearchStrategy[tuple[One, ...]]:
    """Give some, each of another writer, in their order."""
    some = st.lists(each, min_size=1, max_size=5, unique_by=attrgetter("genesis"))
    return some.map(lambda found: tuple(sorted(found, key=attrgetter("genesis"))))


@given(
    st.builds(
        Roster,
        st.just(TEAM),
        st.integers(1, 10**15 - 1),
        st.sets(HASHES, min_size=1, max_size=3).map(lambda some: tuple(sorted(some))),
        st.integers(1, 10**15 - 1),
        unique(st.builds(Signer, HASHES, SEQS, HASHES)),
        unique(MEMBERS),
        st.sampled_from(STANDINGS),
        SEALS,
    )
)
def test_every_roster_comes_back(made: Roster) -> None:
    found, note = parse(signed(made, made.signers[0].genesis, KEY))
    assert found == made
    assert note == Note(text_of(made), note.signatures)


PIECES = st.sampled_from([*LINES, "member ", " until 0 -", "\n", "version 0\n", f"prev {P1}\n", " ", "x"])


@given(st.lists(PIECES, max_size=12).map("".join))
def test_pieces_of_rosters_put_together_anyhow_are_one_or_an_error(text: str) -> None:
    try:
        found, note = parse(note_of(text or "\n"))
    except FormatError:
        return
    assert text_of(found) == note.text
