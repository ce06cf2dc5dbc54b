"""Fork proofs: two events that do not stand in one chain, both signed by the key that was in force there.

Implements specs/team.md (TM-40). Pure. A proof is one line of canonical JSON that anybody can check alone:

    {"a":HEAD,"b":HEAD,"keys":[HEAD,…],"v":1}

Both events have one seq, or one has the next and does not name the other with `prev`. A HEAD is the line of an event
without its payload, so a proof holds no text that an erase could name. `keys` are the genesis and the rotates; those
before the fork prove the key there, and the last one says who may sign rosters after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ledger.canonical import decode, encode
from ledger.check import CheckedLine, LineChecker, Link
from ledger.errors import FormatError
from ledger.event import split_line
from ledger.named_tuple import NamedTuple

VERSION = 1
_MEMBERS = {"a", "b", "keys", "v"}


class Fork(NamedTuple):
    """A fork that is proved: whose chain, the seq at which it parts, the id before it, the lines of its keys, and the newest key."""

    chain: str
    seq: int
    before: str
    keys: tuple[bytes, ...]
    key: bytes
    data: bytes

    def outdoes(self, other: Fork) -> bool:
        """Return whether this proof says more of the same chain: a lower seq, or the same one and more keys."""
        return self._order() < other._order()

    def _order(self) -> tuple[int, int, bytes]:
        return self.seq, -len(self.keys), self.data


def proof(keys: Iterable[bytes], one: bytes, other: bytes) -> bytes:
    """Return the proof that two lines make; nothing is checked.

    Args:
        keys: the lines of the chain's genesis and rotates, in order.
        one: a line.
        other: another line.
    """
    first, second = sorted(map(_bare, (one, other)))
    value = {"a": first, "b": second, "keys": [_bare(each) for each in keys], "v": VERSION}
    return encode(value) + b"\n"


def checked(data: bytes, team: str) -> Fork:
    """Return the fork that a proof proves.

    Raises:
        FormatError: it proves none in this team.
    """
    value = decode(data.removesuffix(b"\n"), "the fork proof", _shape_fault)
    lines = sorted((value[name].encode() for name in ("a", "b")), key=_seq_of)
    keys = tuple(each.encode() for each in value["keys"])
    links = _links(keys, team)
    first = _seq_of(lines[0])
    in_force = [link for link in links if link.seq < first]
    if not in_force:
        raise _refused("its two events do not come after the genesis")
    one, other = (_good(line, in_force[-1]) for line in lines)
    follows = other.head["seq"] == first + 1 and other.head["prev"] != one.id
    if one.id == other.id or not (other.head["seq"] == first or follows):
        raise _refused("its two events can be in one chain")
    return Fork(links[0].chain, first, str(one.head["prev"]), keys, links[-1].key, data)


def with_keys(fork: Fork, keys: Sequence[bytes], team: str) -> Fork:
    """Return the same fork with the lines of the genesis and rotates that a holder of the chain knows, if these are more."""
    if len(keys) <= len(fork.keys):
        return fork
    value = decode(fork.data.removesuffix(b"\n"), "the fork proof")
    try:
        return checked(proof(keys, value["a"].encode(), value["b"].encode()), team)
    except FormatError:
        return fork  # the two histories parted before the fork


def keys_along(lines: Sequence[bytes], team: str) -> list[bytes]:
    """Return the public keys of a chain, from the lines of its genesis and rotates.

    Raises:
        FormatError: they do not follow each other.
    """
    return [link.key for link in _links(lines, team)]


def _bare(line: bytes) -> str:
    return (split_line(line).head + b"}").decode(errors="replace")  # such a line proves nothing


def _shape_fault(value: Mapping[str, object]) -> str | None:
    keys = value.get("keys")
    if set(value) != _MEMBERS or value["v"] != VERSION:
        return "it has other members than a fork proof of version 1"
    if not isinstance(keys, list) or not keys:
        return "it names no keys"
    return (
        None
        if all(isinstance(each, str) for each in (value["a"], value["b"], *keys))
        else "a line is not a text"
    )


def _links(keys: Sequence[bytes], team: str) -> list[Link]:
    """Return the state after the genesis and after each rotate, which follow each other by their keys."""
    checker = LineChecker()
    genesis = checker.take(keys[0])
    if genesis is None or checker.link is None or genesis.head["ledger"]["id"] != team:
        raise _refused("it does not begin with the genesis of a chain of this team")
    links = [checker.link]
    for line in keys[1:]:
        before = links[-1]
        checker = LineChecker(before._replace(broken=True), before.seq + 1)
        rotate = checker.take(line)
        if (
            rotate is None
            or checker.link is None
            or rotate.head["kind"] != "rotate"
            or checker.link.seq <= before.seq
        ):
            raise _refused("its keys do not follow each other")
        links.append(checker.link)
    return links


def _seq_of(line: bytes) -> int:
    seq = decode(split_line(line).event, "the event").get("seq")
    return seq if isinstance(seq, int) else -1


def _good(line: bytes, link: Link) -> CheckedLine:
    """Check that the key in force signed a line, whatever its place."""
    found = LineChecker(link._replace(broken=True), link.seq + 1).take(line)
    if found is None:
        raise _refused("the key in force did not sign both events")
    return found


def _refused(why: str) -> FormatError:
    return FormatError("TM-40", f"this proves no fork: {why}", code="fork-proof")
