"""The text of a roster: who the members of a team are, and which admins sign that.

Implements specs/team.md (TM-10, TM-11, TM-14). A roster is the text of a signed note:

    muniment-team/v1 <team id>
    version <n>
    prev <SHA-256 of the text of the roster before, hex>                        (none in version 0, several in a merge)
    threshold <k>
    policy agent=<stands|waits>
    signer <genesis> <seq> <event id>                                           (one or more)
    member <genesis> <slug> <person|agent> <admin|writer|reader> [until <seq> <event id>|until 0 -]
    seal <SHA-256 of the key that lines are sealed with, hex>                   (these three only in a sealed team, TM-61)
    was <SHA-256 of an earlier key, hex> <that key under this one, base64>      (none or more)
    box <genesis> <the key for this member, base64>                             (none or more)

Each kind of line is sorted and names nothing twice, so a roster has one text, and its SHA-256 is its name. Whether a
roster counts is not decided here but in writers/membership.py.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from operator import attrgetter

from ledger import note
from ledger.errors import FormatError, StateError
from ledger.lazy_pattern import lazy_pattern
from ledger.memory import SLUG
from ledger.named_tuple import NamedTuple
from ledger.note import Note, NoteSignature
from ledger.signing import SigningKey
from writers.seal import Seal
from writers.signatures import signed_note

KINDS = ("agent", "person")
ROLES = ("reader", "writer", "admin")
STANDINGS = ("waits", "stands")
"""What members of kind agent write under a policy (TM-24). All three from the least rights up."""

ANCHOR_METHOD = "team-roster"
"""The `method` of an anchor event that names a roster (TM-15); it anchors nothing in time."""

NEVER = (0, "-")
"""The `until` of a member of whom no event counts."""

_FORM = "muniment-team/v"
_genesis = attrgetter("genesis")
_NUMBER = "(?:0|[1-9][0-9]{0,14})"
_HASH = "[0-9a-f]{64}"
_PREV = f"prev ({_HASH})\n"
_SIGNER = f"signer ({_HASH}) ({_NUMBER}) ({_HASH})\n"
_MEMBER = (
    f"member ({_HASH}) ({SLUG.pattern}) ({'|'.join(KINDS)}) ({'|'.join(ROLES)})"
    f"(?: until ({_NUMBER} {_HASH}|0 -))?\n"
)
_SEALED = f"({_HASH}) ([A-Za-z0-9+/]{{4,400}}={{0,2}})\n"
_PREVS, _SIGNERS, _MEMBERS = lazy_pattern(_PREV), lazy_pattern(_SIGNER), lazy_pattern(_MEMBER)
_WAS, _BOXES = lazy_pattern(f"was {_SEALED}"), lazy_pattern(f"box {_SEALED}")
_ROSTER = lazy_pattern(
    f"{_FORM}1 ([0-9a-f]{{32}})\nversion ({_NUMBER})\n((?:{_PREV})*)"
    f"threshold (?P<threshold>[1-9][0-9]{{0,14}})\n"
    f"policy agent=(?P<agents>{'|'.join(STANDINGS)})\n((?:{_SIGNER})+)((?:{_MEMBER})+)"
    f"(?:seal (?P<seal>{_HASH})\n((?:was {_SEALED})*)((?:box {_SEALED})*))?"
)


class Member(NamedTuple):
    """One writer or reader.

    Args:
        genesis: the id of the chain's genesis, which is the writer's id.
        name: a slug, for people.
        kind: `person` or `agent`.
        role: `admin`, `writer` or `reader`.
        until: the seq and id of the last event that counts; NEVER where none does, None if all do.
    """

    genesis: str
    name: str
    kind: str
    role: str
    until: tuple[int, str] | None = None


class Signer(NamedTuple):
    """An admin who may sign the roster, with the newest event of their chain when it was made."""

    genesis: str
    seq: int
    id: str


class Roster(NamedTuple):
    """What a roster says. `prev` are the names of the rosters that it follows, `threshold` how many admins must sign.

    `agents` says whether what members of kind agent write stands, or waits for a person (TM-24); `seal` is None in a team
    whose lines are not sealed.
    """

    team: str
    version: int
    prev: tuple[str, ...]
    threshold: int
    signers: tuple[Signer, ...]
    members: tuple[Member, ...]
    agents: str = STANDINGS[0]
    seal: Seal | None = None

    @property
    def hash(self) -> str:
        """The roster's name: the SHA-256 of its text, in hex."""
        return hashlib.sha256(text_of(self)).hexdigest()


def admins_of(members: Iterable[Member]) -> frozenset[str]:
    """Return the ids of those who may sign rosters: the admins whose membership has not ended."""
    return frozenset(each.genesis for each in members if each.role == "admin" and each.until is None)


def text_of(roster: Roster) -> bytes:
    """Return the one text that says this; its lines are sorted here."""
    lines = [f"{_FORM}1 {roster.team}", f"version {roster.version}"]
    lines += [f"prev {each}" for each in sorted(roster.prev)]
    lines += [f"threshold {roster.threshold}", f"policy agent={roster.agents}"]
    lines += [f"signer {each.genesis} {each.seq} {each.id}" for each in sorted(roster.signers, key=_genesis)]
    for each in sorted(roster.members, key=_genesis):
        until = f" until {each.until[0]} {each.until[1]}" if each.until else ""
        lines += [f"member {each.genesis} {each.name} {each.kind} {each.role}{until}"]
    if roster.seal is not None:
        lines += [f"seal {roster.seal.key}"]
        lines += [f"was {name} {under}" for name, under in roster.seal.was]
        lines += [f"box {genesis} {box}" for genesis, box in roster.seal.boxes]
    return "".join(f"{line}\n" for line in lines).encode()


def parse(data: bytes) -> tuple[Roster, Note]:
    """Return the roster in a note, and the note, whose signatures are not verified.

    Raises:
        FormatError: it is not a note (T-11) or its text is not a roster (TM-10).
    """
    found = note.parse(data)
    return _roster_of(found.text.decode()), found


def signed(roster: Roster, genesis: str, key: SigningKey, beside: Iterable[NoteSignature] = ()) -> bytes:
    """Return the roster as a note with the signatures `beside`, which it has already, and that of this admin.

    Raises:
        StateError: no `signer` line of the roster stands for this admin.
        FormatError: the roster breaks TM-10, or would have too many signatures.
    """
    if genesis not in {each.genesis for each in roster.signers}:
        raise StateError(
            f"version {roster.version} of the roster has no signer line for {genesis[:8]}: "
            "make a new version that has one"
        )
    data = signed_note(text_of(roster), genesis, key, beside)
    parse(data)
    return data


def _roster_of(text: str) -> Roster:
    if text.startswith(_FORM) and not text.startswith(f"{_FORM}1 "):
        raise _malformed("a newer version of muniment wrote it: update muniment")
    found = _ROSTER.fullmatch(text)
    if found is None:
        raise _malformed("its lines are not those of a roster, or are in another order")
    prev = tuple(_PREVS.findall(text))
    signers = tuple(Signer(genesis, int(seq), id_) for genesis, seq, id_ in _SIGNERS.findall(text))
    members = tuple(_member(*each) for each in _MEMBERS.findall(text))
    _check_order("prev", prev)
    _check_order("signer", [each.genesis for each in signers])
    _check_order("member", [each.genesis for each in members])
    seal = _seal(text, found["seal"]) if found["seal"] else None
    version = int(found[2])
    if (version == 0) != (not prev):
        raise _malformed("version 0 alone follows no other roster")
    return Roster(found[1], version, prev, int(found["threshold"]), signers, members, found["agents"], seal)


def _member(genesis: str, name: str, kind: str, role: str, until: str) -> Member:
    seq, _, id_ = until.partition(" ")
    return Member(genesis, name, kind, role, (int(seq), id_) if until else None)


def _seal(text: str, key: str) -> Seal:
    was, boxes = tuple(_WAS.findall(text)), tuple(_BOXES.findall(text))
    _check_order("was", [name for name, _ in was])
    _check_order("box", [genesis for genesis, _ in boxes])
    return Seal(key, was, boxes)


def _check_order(kind: str, names: Sequence[str]) -> None:
    if list(names) != sorted(set(names)):
        raise _malformed(f"its {kind} lines are not sorted, or name one twice")


def _malformed(what: str) -> FormatError:
    return FormatError("TM-10", f"malformed roster: {what}", code="roster-malformed")
