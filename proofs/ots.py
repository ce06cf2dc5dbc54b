"""The anchor in Bitcoin by OpenTimestamps: ask a calendar, upgrade, compare with a block header that a person gives.

Implements specs/anchors.md (W-20…W-23). The library `opentimestamps` (extra `anchors`) reads and writes the format; its
numbers are unbounded and its calendar follows redirects, so the bytes are bounded here first and `proofs.web` asks.
Layout of a file: 31 bytes of magic, 01, 08 (SHA-256), the digest, the tree of operations.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from ledger.errors import FormatError, OutsideError, UsageError
from proofs import web

if TYPE_CHECKING:
    from opentimestamps.core.timestamp import DetachedTimestampFile, Timestamp

MAX_BYTES = 64 * 1024
MAX_DEPTH = 64
MAX_ATTESTATIONS = 256
MAX_NUMBER_BYTES = 10
MAX_HEIGHT = 10**9
HEADER_BYTES = 80
_NONCE_BYTES = 16
_ACCEPT = {"Accept": "application/vnd.opentimestamps.v1"}

NOT_CHECKED = "not checked: the proof of work, and whether the block is in the best chain; its clock may be off by two hours"


class Pending(NamedTuple):
    """A calendar's promise: its own address, and what it was asked to commit to."""

    address: str
    commitment: bytes


class Attested(NamedTuple):
    """What a file says of a Bitcoin block: its height, and what its Merkle root must be."""

    height: int
    root: bytes


@dataclass(frozen=True, slots=True)
class Stamped:
    """What a timestamp file holds; attestations of kinds that are not read here are left out."""

    digest: bytes
    pending: tuple[Pending, ...]
    attested: tuple[Attested, ...]


class Header(NamedTuple):
    """Of a block header: the Merkle root as the file's commitments have it, and the time in seconds since 1970."""

    root: bytes
    time: int


# --- files ---------------------------------------------------------------------------------------------------


def read(data: bytes) -> Stamped:
    """Return what a timestamp file says; nothing in it is checked against a block.

    Raises:
        FormatError: it is none, or beyond the bounds of W-21.
    """
    return _said(_parsed(data))


def _said(file: DetachedTimestampFile) -> Stamped:
    from opentimestamps.core import notary

    pending, attested = [], []
    for message, each in _attestations(file.timestamp):
        if isinstance(each, notary.PendingAttestation):
            pending.append(Pending(each.uri, message))
        elif isinstance(each, notary.BitcoinBlockHeaderAttestation):
            attested.append(Attested(each.height, message))
    return Stamped(file.file_digest, tuple(sorted(pending)), tuple(sorted(attested)))


def _parsed(data: bytes) -> DetachedTimestampFile:
    """Parse a detached file of a SHA-256 digest, within the bounds."""
    from opentimestamps.core.op import OpSHA256
    from opentimestamps.core.timestamp import DetachedTimestampFile

    file = _bounded(data, DetachedTimestampFile.deserialize)
    if not isinstance(file.file_hash_op, OpSHA256):
        raise _malformed("it is not of a SHA-256 digest")
    _count(file.timestamp)
    return file


def _bounded(data: bytes, deserialize: Any) -> Any:
    """Parse all of `data` by the library, whose numbers and depth are bounded here."""
    from opentimestamps.core.serialize import BytesDeserializationContext, DeserializationError

    class Bounded(BytesDeserializationContext):  # type: ignore[misc]  # the library has no types
        def read_varuint(self) -> int:
            value = 0
            for place in range(MAX_NUMBER_BYTES):
                byte = self.fd_read(1)[0]
                value |= (byte & 0x7F) << 7 * place
                if not byte & 0x80:
                    return int(value)
            raise DeserializationError("a number is too long")

    if len(data) > MAX_BYTES:
        raise _malformed(f"it has more than {MAX_BYTES} bytes")
    context = Bounded(data)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PendingDeprecationWarning)  # of an operation that a file may have
            parsed = deserialize(context)
        context.assert_eof()
    except (DeserializationError, ValueError, RecursionError) as error:
        raise _malformed(web.printable(str(error).encode()) or "it is cut off") from None
    return parsed


def _attestations(timestamp: Timestamp, depth: int = 0) -> Iterator[tuple[bytes, Any]]:
    if depth > MAX_DEPTH:
        raise _malformed(f"it is deeper than {MAX_DEPTH} operations")
    for each in timestamp.attestations:
        yield timestamp.msg, each
    for after in timestamp.ops.values():
        yield from _attestations(after, depth + 1)


def _count(timestamp: Timestamp) -> None:
    for number, (_, each) in enumerate(_attestations(timestamp)):
        if number >= MAX_ATTESTATIONS:
            raise _malformed(f"it has more than {MAX_ATTESTATIONS} attestations")
        if getattr(each, "height", 0) > MAX_HEIGHT:  # the library reads it out of bounds of its own
            raise _malformed("the height of a block is too large")


def _written(file: DetachedTimestampFile) -> bytes:
    from opentimestamps.core.serialize import BytesSerializationContext

    context = BytesSerializationContext()
    file.serialize(context)
    data = bytes(context.getbytes())
    _parsed(data)  # what is stored can be read again
    return data


def _malformed(what: str) -> FormatError:
    return FormatError("W-21", f"malformed timestamp: {what}", code="ots-malformed")


# --- calendars -----------------------------------------------------------------------------------------------


def stamp(digest: bytes, addresses: tuple[str, ...], nonce: bytes, before: bytes | None = None) -> bytes:
    """Ask calendars for timestamps of a digest and return the file with all that they answered.

    Args:
        digest: of the checkpoint, 32 bytes.
        addresses: of the calendars; every one must answer.
        nonce: 16 random bytes, which hide the digest from them.
        before: the existing file, whose content is kept.

    Raises:
        UsageError: an address is invalid.
        OutsideError: a calendar did not answer, or not with a timestamp.
        FormatError: `before` is not a timestamp file of this digest.
    """
    from opentimestamps.core.op import OpAppend, OpSHA256
    from opentimestamps.core.timestamp import DetachedTimestampFile, Timestamp

    if len(nonce) != _NONCE_BYTES:
        raise ValueError("a nonce has 16 bytes")
    file = of_digest(before, digest) if before else DetachedTimestampFile(OpSHA256(), Timestamp(digest))
    leaf = file.timestamp.ops.add(OpAppend(nonce)).ops.add(OpSHA256())
    for address in map(web.checked, addresses):
        answer = web.ask(web.joined(address, "digest"), leaf.msg, _ACCEPT)
        if answer.status != 200:
            raise answer.refusal("gave no timestamp")
        leaf.merge(_answered(answer, leaf.msg))
    return _written(file)


def of_digest(data: bytes, digest: bytes) -> DetachedTimestampFile:
    """Return the parsed file, which must be of this digest. Raises FormatError."""
    file = _parsed(data)
    if file.file_digest != digest:
        raise FormatError(
            "W-21", "the timestamp is of another digest than the checkpoint's", code="ots-digest"
        )
    return file


def _answered(answer: web.HttpResponse, message: bytes) -> Timestamp:
    from opentimestamps.core.timestamp import Timestamp

    try:
        found = _bounded(answer.body, lambda context: Timestamp.deserialize(context, message))
        _count(found)
    except FormatError as error:
        raise OutsideError(f"{answer.address} answered no timestamp ({error}); nothing was stored") from None
    return found


def is_pending_at(data: bytes, address: str) -> bool:
    """Return whether something in a timestamp file is pending at just this address. Raises FormatError."""
    return bool(_pending_at(_parsed(data).timestamp, address))


class Upgrade(NamedTuple):
    """What came of asking: the file, how many attestations are new, and what was not there yet."""

    data: bytes
    new: int
    waiting: tuple[str, ...]


def upgrade(data: bytes, digest: bytes, addresses: tuple[str, ...]) -> Upgrade:
    """Ask the calendars at `addresses` about what is pending there.

    Only attestations that name just such an address are asked about (W-22).

    Raises:
        UsageError: nothing is pending at one of the addresses.
        OutsideError: a calendar did not answer, or not with a timestamp.
        FormatError: `data` is not a timestamp file of this digest.
    """
    file = of_digest(data, digest)
    had = _blocks(file)
    waiting = []
    for address in map(web.checked, addresses):
        places = _pending_at(file.timestamp, address)
        if not places:
            known = ", ".join(sorted({each.address for each in _said(file).pending})) or "none at all"
            raise UsageError(f"nothing of this timestamp is pending at {address}; pending is: {known}")
        for place in places:
            answer = web.ask(web.joined(address, f"timestamp/{place.msg.hex()}"), None, _ACCEPT)
            if answer.status == 404:
                waiting.append(f"{address}: {web.printable(answer.body) or 'not there yet'}")
            elif answer.status != 200:
                raise answer.refusal("gave no timestamp")
            else:
                place.merge(_answered(answer, place.msg))
    return Upgrade(_written(file), len(_blocks(file) - had), tuple(waiting))


def _blocks(file: DetachedTimestampFile) -> set[Attested]:
    return set(_said(file).attested)


def _pending_at(timestamp: Timestamp, address: str) -> list[Timestamp]:
    from opentimestamps.core.notary import PendingAttestation

    def here(each: Any) -> bool:
        return isinstance(each, PendingAttestation) and each.uri.rstrip("/") == address.rstrip("/")

    found = [timestamp] if any(here(each) for each in timestamp.attestations) else []
    for after in timestamp.ops.values():
        found += _pending_at(after, address)
    return found


# --- blocks --------------------------------------------------------------------------------------------------


def header(data: bytes) -> Header:
    """Return what a block header says: version 4, previous 32, Merkle root 32, time 4 (little-endian), bits 4, nonce 4.

    Raises:
        UsageError: it has not 80 bytes.
    """
    if len(data) != HEADER_BYTES:
        raise UsageError(f"a block header has {HEADER_BYTES} bytes (160 hex digits)")
    return Header(data[36:68], int.from_bytes(data[68:72], "little"))


def proved(stamped: Stamped, headers: Mapping[int, Header]) -> tuple[list[tuple[int, int]], list[int]]:
    """Return the (height, time) that the given headers prove, earliest first, and the heights that they contradict."""
    held, wrong = [], []
    for each in stamped.attested:
        known = headers.get(each.height)
        if known is not None and known.root == each.root:
            held.append((each.height, known.time))
        elif known is not None:
            wrong.append(each.height)
    return sorted(held, key=lambda pair: pair[1]), wrong
