"""Team checkpoints: what a member signs to say "these are the chains of our team".

Implements specs/team.md (TM-50). The text is that of a checkpoint (T-20) with a chain for each leaf:

    muniment-team/<team id> LF
    <number of chains, decimal> LF
    <base64 of the root, 32 bytes> LF
    roster <hash of a roster in force, hex> LF                                    (one or more)
    chain <genesis> <epoch> <size> <base64 of the root of that chain's tree> LF   (one each)

A leaf is genesis (32 bytes) ‖ epoch (8) ‖ size (8) ‖ root (32), numbers big-endian. Each kind of line is sorted.
"""

from __future__ import annotations

import base64
from operator import attrgetter

from ledger import note
from ledger.errors import FormatError
from ledger.lazy_pattern import lazy_pattern
from ledger.named_tuple import NamedTuple
from ledger.note import Note
from ledger.signing import SigningKey
from proofs.checkpoint import Checkpoint, parse_text
from proofs.merkle import TILE, TILE_LEVEL, Tree, leaf_hash, levels_of
from writers.signatures import name_of, signed_note

_ORIGIN = lazy_pattern(r"muniment-team/([0-9a-f]{32})")
_ROSTER = lazy_pattern(r"roster ([0-9a-f]{64})")
_CHAIN = lazy_pattern(r"chain ([0-9a-f]{64}) (0|[1-9][0-9]{0,14}) ([1-9][0-9]{0,14}) ([A-Za-z0-9+/]{43}=)")
_NAME = lazy_pattern(name_of("([0-9a-f]{64})"))


class ChainRoot(NamedTuple):
    """One chain: the id of its genesis, the epoch of its newest event, how many events it has, and the root of their tree."""

    genesis: str
    epoch: int
    size: int
    root: bytes

    def leaf(self) -> bytes:
        """Return the hash of this chain as a leaf."""
        numbers = self.epoch.to_bytes(8, "big") + self.size.to_bytes(8, "big")
        return leaf_hash(bytes.fromhex(self.genesis) + numbers + self.root)


class TeamCheckpoint(NamedTuple):
    """The chains of a team, by the id of the team, and the hashes of the rosters in force."""

    team: str
    rosters: tuple[str, ...]
    chains: tuple[ChainRoot, ...]

    def text(self) -> bytes:
        """Return the one text that says this; its lines are sorted here."""
        chains = sorted(self.chains, key=attrgetter("genesis"))
        rosters = [f"roster {each}" for each in sorted(self.rosters)]
        lines = [
            f"chain {each.genesis} {each.epoch} {each.size} {base64.b64encode(each.root).decode()}"
            for each in chains
        ]
        root = _root([each.leaf() for each in chains])
        return Checkpoint(f"muniment-team/{self.team}", len(chains), root, (*rosters, *lines)).text()


def sign(made: TeamCheckpoint, genesis: str, key: SigningKey) -> bytes:
    """Return the checkpoint as a note, signed as the writer with this genesis id signs (TM-11)."""
    return signed_note(made.text(), genesis, key)


def parse(data: bytes) -> tuple[TeamCheckpoint, Note]:
    """Return the team checkpoint in a note, and the note, none of whose signatures is verified.

    Raises:
        FormatError: it is none, or its root is not that of its chains.
    """
    found = note.parse(data)
    said = parse_text(found.text)
    origin = _ORIGIN.fullmatch(said.origin)
    rosters = [each[1] for line in said.extensions if (each := _ROSTER.fullmatch(line))]
    chains = [_chain(*each.groups()) for line in said.extensions if (each := _CHAIN.fullmatch(line))]
    if origin is None or not rosters or len({each.genesis for each in chains}) < len(chains):
        raise _malformed("its lines are not those of one")
    made = TeamCheckpoint(origin[1], tuple(rosters), tuple(chains))
    if made.text() != found.text:
        raise _malformed("its root is not that of its chains, or its lines are others or in another order")
    return made, found


def signers_of(found: Note) -> list[str]:
    """Return the genesis ids of the writers in whose names the note is signed; nothing is verified."""
    return [each[1] for line in found.signatures if (each := _NAME.fullmatch(line.name))]


def _chain(genesis: str, epoch: str, size: str, root: str) -> ChainRoot:
    return ChainRoot(genesis, int(epoch), int(size), base64.b64decode(root))


def _root(leaves: list[bytes]) -> bytes:
    tiles = [levels_of(leaves[at : at + TILE]) for at in range(0, len(leaves), TILE)]
    whole = [each[TILE_LEVEL][0] for each in tiles if len(each[0]) == TILE]
    return Tree(whole, tiles.__getitem__).root(len(leaves))


def _malformed(what: str) -> FormatError:
    return FormatError("TM-50", f"malformed team checkpoint: {what}", code="checkpoint-malformed")
