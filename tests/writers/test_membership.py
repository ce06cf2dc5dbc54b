"""Who is a member after which rosters: a function of the set, and what does not count takes nothing away.

Tests specs/team.md (TM-11…TM-16).
"""

from __future__ import annotations

import hashlib
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.note import Note
from tests.writers.chains import TEAM, Chains, Writer, by, roster, sha
from writers.membership import Membership, in_force
from writers.roster import NEVER, Member, Roster, parse
from writers.signatures import signed_note

OTHER_TEAM = "f" * 32


class Team:
    """Ada founds it alone; Bob, Eve and Zoe have chains."""

    def __init__(self) -> None:
        self.ada, self.bob, self.eve, self.zoe = map(Writer, ("ada", "bob", "eve", "zoe"))
        self.chains = Chains(self.ada, self.bob, self.eve, self.zoe)
        self.first = roster([self.ada.member("admin")], [self.ada])
        self.notes = [by(self.first, self.ada)]

    def after(self, *notes: bytes) -> Membership:
        """Return what holds after roster 0 and these notes."""
        return in_force(TEAM, self.first.hash, [*self.notes, *notes], self.chains.key_at)

    def two_admins(self, threshold: int = 1) -> Roster:
        """Publish a roster in which Bob is an admin too, and return it."""
        members = [self.ada.member("admin"), self.bob.member("admin"), self.eve.member()]
        made = roster(members, [self.ada, self.bob], [self.first], threshold)
        self.notes.append(by(made, self.ada, self.bob))
        return made


@pytest.fixture
def team() -> Team:
    return Team()


def names(held: Membership) -> dict[str, str]:
    return {each.name: each.role for each in held.members}


def why(held: Membership, refused: Roster) -> str:
    return dict(held.refused)[refused.hash]


def test_the_first_roster_is_the_team(team: Team) -> None:
    held = team.after()
    assert held == Membership(
        TEAM, (team.ada.member("admin"),), 1, (team.first.hash,), 0, (team.ada.genesis,), ()
    )


def test_without_the_first_roster_nobody_is_a_member(team: Team) -> None:
    made = team.two_admins()
    held = in_force(TEAM, team.first.hash, [team.notes[1]], team.chains.key_at)
    assert (held.members, held.threshold, held.heads, held.chains) == ((), 0, (), ())
    assert "missing" in why(held, made)


def test_another_first_roster_founds_another_team(team: Team) -> None:
    """TM-12: even by the same admin, under the same id."""
    other = roster([team.ada.member("admin"), team.eve.member("admin")], [team.ada, team.eve])
    held = team.after(by(other, team.ada, team.eve))
    assert held.heads == (team.first.hash,)
    assert "founds another team" in why(held, other)


def test_the_first_roster_is_signed_by_all_its_admins(team: Team) -> None:
    both = roster([team.ada.member("admin"), team.bob.member("admin")], [team.ada, team.bob])
    one = in_force(TEAM, both.hash, [by(both, team.ada)], team.chains.key_at)
    assert one.members == ()
    assert "1 of the 2 signatures" in why(one, both)
    assert one.chains == tuple(
        sorted([team.ada.genesis, team.bob.genesis])
    )  # else nobody could ever verify it
    assert names(in_force(TEAM, both.hash, [by(both, team.ada, team.bob)], team.chains.key_at))


def test_an_admin_adds_and_ends_memberships(team: Team) -> None:
    made = team.two_admins()
    until = (0, team.eve.genesis)
    ended = roster(
        [team.ada.member("admin"), team.eve.member(until=until), team.zoe.member("reader", "agent")],
        [team.ada],
        [made],
    )
    held = team.after(by(ended, team.ada))
    assert names(held) == {"ada": "admin", "eve": "writer", "zoe": "reader"}
    assert team.eve.member(until=until) in held.members
    assert (held.version, held.heads) == (2, (ended.hash,))
    assert held.chains == tuple(
        sorted(team.chains.writers)
    )  # the chain of Bob, who signed, is needed to verify


def test_the_same_roster_again_changes_nothing(team: Team) -> None:
    team.two_admins()
    assert team.after(*team.notes) == team.after()


def test_a_roster_of_another_team_is_refused(team: Team) -> None:
    """An admin of two teams: what was signed for one is nothing in the other."""
    members = [team.ada.member("admin"), team.eve.member("admin")]
    foreign = roster(members, [team.ada, team.eve], [team.first], team=OTHER_TEAM)
    held = team.after(by(foreign, team.ada, team.eve))
    assert names(held) == {"ada": "admin"}
    assert "another team" in why(held, foreign)


def test_a_version_is_one_more_than_the_highest_before(team: Team) -> None:
    made = team.two_admins()
    merge = roster([team.ada.member("admin")], [team.ada], [team.first, made])
    for wrong in (made._replace(version=2), made._replace(version=7), merge._replace(version=3)):
        assert "its version is" in why(team.after(by(wrong, team.ada)), wrong)
    assert why(team.after(by(low := merge._replace(version=1), team.ada)), low)
    assert team.after(by(merge, team.ada)).version == 2


def test_what_follows_a_refused_roster_is_refused(team: Team) -> None:
    forged = roster([team.eve.member("admin")], [team.eve], [team.first])
    after = roster([team.eve.member("admin")], [team.eve], [forged])
    held = team.after(by(forged, team.eve), by(after, team.eve))
    assert held.heads == (team.first.hash,)
    assert "does not count" in why(held, after)
    assert team.eve.genesis not in held.chains


def test_a_member_who_is_no_admin_signs_in_vain(team: Team) -> None:
    made = team.two_admins()
    forged = roster([team.eve.member("admin")], [team.eve, team.ada], [made])
    assert "0 of the 1" in why(team.after(by(forged, team.eve)), forged)


def test_a_signature_under_an_admins_name_by_another_key_does_not_count(team: Team) -> None:
    forged = roster([team.ada.member("admin"), team.eve.member("admin")], [team.ada], [team.first])
    data = signed_note(parse(by(forged, team.ada))[1].text, team.ada.genesis, team.eve.key)
    assert "0 of the 1" in why(team.after(data), forged)


def test_signatures_are_of_one_text(team: Team) -> None:
    made = team.two_admins()
    forged = made._replace(threshold=1, version=2, prev=(made.hash,), members=(team.eve.member("admin"),))
    _, note = parse(team.notes[1])
    _, own = parse(by(forged, team.bob))
    data = Note(own.text, tuple(each for each in note.signatures if team.ada.genesis in each.name)).encode()
    assert "0 of the 1" in why(team.after(data), forged)


def test_the_threshold_counts_admins_not_signatures(team: Team) -> None:
    made = team.two_admins(threshold=2)
    more = roster([*made.members, team.zoe.member()], [team.ada, team.bob], [made], 2)
    once = by(more, team.ada)
    text, lines = once.split(b"\n\n")
    held = team.after(once, text + b"\n\n" + lines + lines)
    assert held.heads == (made.hash,)
    assert "1 of the 2 signatures" in why(held, more)
    assert team.after(by(more, team.ada, team.bob)).heads == (more.hash,)


def test_the_signatures_of_two_notes_count_together(team: Team) -> None:
    """Two admins who sign at the same time, each on their machine, need nobody to put the notes together."""
    made = team.two_admins(threshold=2)
    more = roster([*made.members, team.zoe.member()], [team.ada, team.bob], [made], 2)
    assert team.after(by(more, team.ada), by(more, team.bob)).heads == (more.hash,)


def test_a_line_of_nonsense_takes_no_signature_away(team: Team) -> None:
    """Whoever stores a note can add lines to it."""
    made = team.two_admins()
    more = roster([*made.members, team.zoe.member()], [team.ada], [made])
    _, note = parse(by(more, team.ada))
    own = note.signatures[0]
    bad = own.__class__(own.name, own.key_id, b"\0" * 64)
    held = team.after(Note(note.text, (bad, own)).encode())
    assert held.heads == (more.hash,)


def test_a_lower_threshold_needs_the_higher_one(team: Team) -> None:
    made = team.two_admins(threshold=2)
    lower = roster(made.members, [team.ada, team.bob], [made], 1)
    assert "1 of the 2" in why(team.after(by(lower, team.ada)), lower)
    assert team.after(by(lower, team.ada, team.bob)).threshold == 1


def test_a_higher_threshold_is_met_by_its_own_admins(team: Team) -> None:
    """Else one admin could freeze the team with a threshold that nobody meets."""
    made = team.two_admins()
    for threshold, members in ((2, made.members), (2, [team.ada.member("admin"), team.bob.member()])):
        higher = roster(members, [team.ada, team.bob], [made], threshold)
        assert f"1 of the {threshold}" in why(team.after(by(higher, team.ada)), higher)


def test_a_new_admin_whose_chain_did_not_come_is_waited_for(team: Team) -> None:
    """TM-16: the chain is named as one to fetch, and once it is there the roster counts."""
    made = team.two_admins(threshold=2)
    chains = Chains(team.ada)
    held = in_force(TEAM, team.first.hash, team.notes, chains.key_at)
    assert held.heads == (team.first.hash,)
    assert team.bob.genesis in held.chains
    chains.writers[team.bob.genesis] = team.bob
    assert in_force(TEAM, team.first.hash, team.notes, chains.key_at).heads == (made.hash,)


def test_a_signer_line_names_an_event_of_the_chain(team: Team) -> None:
    """Another branch of a forked chain has another event there."""
    made = roster([team.ada.member("admin")], [team.ada], [team.first])
    for wrong in (made.signers[0]._replace(id=sha("other")), made.signers[0]._replace(seq=9)):
        forged = made._replace(signers=(wrong,))
        assert "0 of the 1" in why(team.after(by(forged, team.ada)), forged)


def test_a_disowned_key_signs_nothing_but_what_stood_before(team: Team) -> None:
    """TM-11: the thief signs at an event that the owner disowns, and at one before it."""
    made = team.two_admins()
    team.ada.anchor(team.first)
    team.ada.anchor(made)
    stolen, early = team.ada.key, team.ada.signer()
    members = [team.ada.member("admin"), team.eve.member("admin")]
    team.ada.append()
    at_the_end = roster(members, [team.ada], [made])
    at_the_time = at_the_end._replace(signers=(early,))
    forged = [
        signed_note(parse(by(each, team.ada))[1].text, team.ada.genesis, stolen)
        for each in (at_the_end, at_the_time)
    ]
    team.ada.anchor(at_the_time)
    assert len(team.after(*forged).heads) == 2
    team.ada.rotate(since=early.seq + 1)
    held = team.after(*forged)
    assert held.heads == (made.hash,)
    assert "0 of the 1" in why(held, at_the_end)
    assert "0 of the 1" in why(held, at_the_time)


def test_a_retired_key_signs_nothing_new(team: Team) -> None:
    """TM-11: what was anchored before the rotation stays; what is dated back to it has no anchor there."""
    made = team.two_admins()
    team.ada.anchor(team.first)
    team.ada.anchor(made)
    old, seen = team.ada.key, team.ada.signer()
    team.ada.rotate()
    forged = roster([team.ada.member("admin")], [team.ada], [made])._replace(signers=(seen,))
    data = signed_note(parse(by(forged, team.ada))[1].text, team.ada.genesis, old)
    held = team.after(data)
    assert held.heads == (made.hash,)
    assert "0 of the 1" in why(held, forged)
    later = roster([team.ada.member("admin")], [team.ada], [made])
    assert team.after(by(later, team.ada)).heads == (later.hash,)


def test_two_heads_leave_what_both_give(team: Team) -> None:
    """TM-13: strong removal, the least rights, the smallest place, the largest threshold."""
    made = team.two_admins()
    ada, bob, eve, zoe = team.ada, team.bob, team.eve, team.zoe
    early, late = (3, sha("early")), (8, sha("late"))
    left = roster(
        [ada.member("admin"), bob.member("writer"), eve.member(until=late), zoe.member()], [ada], [made]
    )
    right = roster(
        [
            ada.member("admin")._replace(name="ida"),
            bob.member("admin", "agent"),
            eve.member("reader", until=early),
        ],
        [ada, bob],
        [made],
        threshold=2,
    )
    held = team.after(by(left, ada), by(right, ada, bob))
    assert held.heads == tuple(sorted([left.hash, right.hash]))
    assert held.threshold == 2
    wanted = [ada.member("admin"), bob.member("writer", "agent"), eve.member("reader", until=early)]
    assert held.members == tuple(sorted(wanted))


@pytest.mark.parametrize("until", [(5, sha("place")), NEVER])
def test_an_end_that_one_head_names_counts(team: Team, until: tuple[int, str]) -> None:
    made = team.two_admins()
    left = roster([team.ada.member("admin"), team.eve.member(until=until)], [team.ada], [made])
    right = roster([team.ada.member("admin"), team.eve.member("admin")], [team.ada], [made])
    held = team.after(by(left, team.ada), by(right, team.ada))
    assert team.eve.member("writer", until=until) in held.members


def test_no_event_is_less_than_the_first(team: Team) -> None:
    made = team.two_admins()
    left = roster([team.ada.member("admin"), team.eve.member(until=NEVER)], [team.ada], [made])
    first = roster(
        [team.ada.member("admin"), team.eve.member(until=(0, team.eve.genesis))], [team.ada], [made]
    )
    assert team.eve.member(until=NEVER) in team.after(by(left, team.ada), by(first, team.ada)).members


def test_a_merge_ends_the_fork(team: Team) -> None:
    made = team.two_admins()
    left = roster([team.ada.member("admin"), team.zoe.member()], [team.ada], [made])
    right = roster(
        [team.ada.member("admin"), team.bob.member("admin"), team.eve.member()], [team.bob], [made]
    )
    forked = [by(left, team.ada), by(right, team.bob)]
    assert names(team.after(*forked)) == {"ada": "admin"}
    members = [*left.members, team.bob.member()]
    merge = roster(members, [team.ada], [left, right])
    held = team.after(*forked, by(merge, team.ada))
    assert (held.heads, names(held)) == ((merge.hash,), {"ada": "admin", "zoe": "writer", "bob": "writer"})


def test_a_merge_needs_the_admins_of_each_side(team: Team) -> None:
    made = team.two_admins()
    left = roster([team.ada.member("admin")], [team.ada], [made])
    right = roster([team.bob.member("admin")], [team.bob], [made])
    merge = roster([team.ada.member("admin")], [team.ada, team.bob], [left, right])
    notes = [by(left, team.ada), by(right, team.bob)]
    assert "0 of the 1" in why(team.after(*notes, by(merge, team.ada)), merge)
    assert team.after(*notes, by(merge, team.ada, team.bob)).heads == (merge.hash,)


def test_what_cannot_be_read_is_listed_by_the_hash_of_its_bytes(team: Team) -> None:
    held = team.after(b"nonsense")
    assert [each for each, _ in held.refused] == [hashlib.sha256(b"nonsense").hexdigest()]
    assert held._replace(refused=()) == team.after()


def test_no_byte_of_a_roster_can_be_changed(team: Team) -> None:
    """Each changed note is refused as a whole, or counts as it did."""
    made = team.two_admins()
    without = in_force(TEAM, team.first.hash, team.notes[:1], team.chains.key_at)
    data = team.notes[1]
    for at in range(len(data)):
        for byte in {data[at] ^ 1, data[at] ^ 0x80, ord("\n")} - {data[at]}:
            flipped = data[:at] + bytes([byte]) + data[at + 1 :]
            held = in_force(TEAM, team.first.hash, [team.notes[0], flipped], team.chains.key_at)
            if held.heads == (made.hash,):  # Bob's line is not needed
                assert held == team.after()
            else:
                assert held.refused
                assert held._replace(refused=()) == without


def test_no_byte_of_the_only_signature_can_be_changed(team: Team) -> None:
    data = team.notes[0]
    start = data.index("—".encode())
    for at in range(start, len(data)):
        for byte in set(b"Aa0+/=\n ") - {data[at]}:
            flipped = data[:at] + bytes([byte]) + data[at + 1 :]
            assert in_force(TEAM, team.first.hash, [flipped], team.chains.key_at).members == ()


WRITERS = tuple(Writer(name) for name in ("ada", "bob", "eve", "zoe"))
CHAINS = Chains(*WRITERS)
FOUNDERS = st.sets(st.sampled_from(WRITERS[:3]), min_size=1)


@st.composite
def members(draw: st.DrawFn) -> list[Member]:
    """Give some of the writers, mostly admins, in roles of their own."""
    some = draw(st.sets(st.sampled_from(WRITERS), min_size=1))
    untils = st.sampled_from([None, None, None, (0, sha("x")), (4, sha("x")), (4, sha("y")), NEVER])
    roles, kinds = (
        st.sampled_from(["admin", "admin", "writer", "reader"]),
        st.sampled_from(["person", "agent"]),
    )
    return [each.member(draw(roles), draw(kinds), draw(untils)) for each in some]


@st.composite
def histories(draw: st.DrawFn) -> tuple[str, list[bytes]]:
    """Give the hash of a first roster, and notes: forks, merges, too few signatures, wrong versions and teams."""
    founders = sorted(draw(FOUNDERS), key=lambda each: each.name)
    made = [roster([each.member("admin") for each in founders], founders)]
    notes = [by(made[0], *founders)]
    for _ in range(draw(st.integers(0, 6))):
        before = draw(st.lists(st.sampled_from(made), min_size=1, max_size=2, unique=True))
        new = roster(draw(members()), WRITERS, before, draw(st.sampled_from([1, 1, 2])))
        new = draw(st.sampled_from([new, new, new, new._replace(version=9), new._replace(team=OTHER_TEAM)]))
        made.append(new)
        signers = draw(st.lists(st.sampled_from(WRITERS), min_size=1, unique=True))
        split = draw(st.integers(0, len(signers)))
        notes += [by(new, *some) for some in (signers[:split], signers[split:]) if some]
    return made[0].hash, notes


@given(histories(), st.randoms(use_true_random=False))
def test_the_order_of_the_notes_never_matters(history: tuple[str, list[bytes]], random: Random) -> None:
    first, notes = history
    held = in_force(TEAM, first, notes, CHAINS.key_at)
    turned = [*notes, *random.choices(notes, k=2)]
    random.shuffle(turned)
    assert in_force(TEAM, first, iter(turned), CHAINS.key_at) == held


@given(histories())
def test_what_is_refused_takes_nothing_away(history: tuple[str, list[bytes]]) -> None:
    """Without the refused notes the same holds; and no roster that counted is refused for one that came later."""
    first, notes = history
    held = in_force(TEAM, first, notes, CHAINS.key_at)
    refused = {each for each, _ in held.refused}
    good = [each for each in notes if parse(each)[0].hash not in refused]
    alone = in_force(TEAM, first, good, CHAINS.key_at)
    assert alone._replace(chains=()) == held._replace(refused=(), chains=(), pending=(), void=())
    for size in range(len(notes)):
        some = in_force(TEAM, first, notes[:size], CHAINS.key_at)
        counted = {parse(each)[0].hash for each in notes[:size]} - {each for each, _ in some.refused}
        assert not counted & refused


@given(histories())
def test_each_head_gives_at_least_what_holds(history: tuple[str, list[bytes]]) -> None:
    first, notes = history
    held = in_force(TEAM, first, notes, CHAINS.key_at)
    by_hash = {found.hash: found for found, _ in map(parse, notes)}
    rank = ["reader", "writer", "admin"]
    for head in held.heads:
        named = {each.genesis: each for each in by_hash[head].members}
        assert held.threshold >= by_hash[head].threshold
        for member in held.members:
            there = named[member.genesis]
            assert rank.index(member.role) <= rank.index(there.role)
            assert there.until is None or (member.until is not None and member.until <= there.until)
            assert member.kind == "agent" or there.kind == "person"
