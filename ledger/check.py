"""Checks each line against the ones before it: the core of verify, catch-up and recovery.

Implements specs/verification.md (V-3…V-6). A pure state machine: bytes in, a checked event or findings out;
no I/O. Order of the checks of one line, of which the first that fails is reported: framing, version,
canonical form, members, place in the chain, key, signature; then, on its own, the payload. Only a line
whose head passed moves the state on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ledger.canonical import decode, encode, unb64
from ledger.errors import FormatError
from ledger.event import (
    ROTATE_PREFIX,
    SIGNED_PREFIX,
    Event,
    LineParts,
    commitment,
    control_byte,
    event_id,
    event_value,
    is_blanked,
    next_key_commitment,
    split_line,
)
from ledger.finding import Finding
from ledger.lazy_pattern import lazy_pattern
from ledger.named_tuple import NamedTuple
from ledger.schema import FORMAT_VERSION, event_fault, payload_fault
from ledger.signing import verify_signature

_VERSION = lazy_pattern(rb',"v":([1-9][0-9]*)\}$')
_RARE = frozenset({"genesis", "rotate", "recover"})
"""The kinds that change more of the state than seq, id and ts."""


class Link(NamedTuple):
    """What the next line is checked against: the newest good event, and the keys in force.

    `key` is the public key in force (32 bytes), `next_key` the commitment to the one after it (hex),
    `chain` the genesis id. With `broken` the line before had a head that failed, so the next line's place
    in the chain cannot be judged (V-5).
    """

    seq: int
    id: str
    ts: str
    epoch: int
    key: bytes
    next_key: str
    chain: str
    broken: bool = False


class CheckedLine(NamedTuple):
    """A line whose head is good. `state` is the payload's: "none", "ok", "blank" or "bad"."""

    head: Mapping[str, Any]
    id: str
    payload: Mapping[str, Any] | None
    state: str

    def event(self, chain: str, offset: int, size: int) -> Event:
        """Return it as an Event at `offset` with `size` bytes in the chain `chain`."""
        return event_value(
            self.head,
            self.id,
            self.payload,
            erased=self.state == "blank",
            chain=chain,
            offset=offset,
            size=size,
        )


class LineChecker:
    """Takes a chain's lines in order.

    `findings` collects every fault; a caller that streams may empty it. After a genesis that failed there
    is no key to check by: `lost` is true and further lines are not accepted (V-6).

    Args:
        link: the state to go on from; None before genesis.
        line: the number of the last line taken.
        signatures: False for bytes whose last id was just verified: the links then pin every head.
    """

    def __init__(self, link: Link | None = None, line: int = 0, *, signatures: bool = True) -> None:
        self.line = line
        self.findings: list[Finding] = []
        self.lost = False
        self.signatures = signatures
        self.later: Callable[[bytes, bytes, bytes], None] | None = None
        """Takes key, message and signature of each event in place of the check, for a caller that has them checked."""
        self._begun = link is not None
        self._seq = link.seq if link else -1
        self._id = link.id if link else ""
        self._ts = link.ts if link else ""
        self._epoch = link.epoch if link else 0
        self._key = link.key if link else b""
        self._next = link.next_key if link else ""
        self._chain = link.chain if link else ""
        self._broken = link.broken if link else False

    @property
    def link(self) -> Link | None:
        """The state after the last line taken; None while no good genesis was."""
        if not self._begun:
            return None
        return Link(
            self._seq, self._id, self._ts, self._epoch, self._key, self._next, self._chain, self._broken
        )

    def take(self, raw: bytes) -> CheckedLine | None:
        """Check the next line (without its LF).

        Returns:
            The line if its head is good, else None. What is wrong with head or payload is added to
            `findings`.
        """
        self.line += 1
        head: dict[str, Any] | None = None
        id_ = ""
        try:
            parts = split_line(raw)
            id_ = event_id(parts.head)
            head = decoded(parts.event)
            key = self._check_place(head) if head["kind"] in _RARE or not self._follows(head) else self._key
            if self.signatures:
                self._check_signature(head, parts, key)
            checked, fault = _check_payload(head, id_, parts.payload)
            if fault and (control := control_byte(raw)):
                raise control
        except FormatError as error:
            self._fail(error, raw, head, id_)
            return None
        self._accept(head, id_)
        if fault:
            self._add(fault, head, id_)
        return checked

    def _follows(self, head: Mapping[str, Any]) -> bool:
        """Return whether an event of a common kind is in its place: a short `_check_place`."""
        follows: bool = (
            head["seq"] == self._seq + 1
            and head["prev"] == self._id  # before genesis ours is empty, which no `prev` is
            and head["ts"] > self._ts
            and head["epoch"] == self._epoch
        )
        return follows

    def _check_place(self, head: Mapping[str, Any]) -> bytes:
        """Check the place in the chain, and return the key that must have signed (C-2…C-4, E-20, E-21)."""
        kind = head["kind"]
        if not self._begun:
            if kind != "genesis":
                message = "the chain does not begin with a genesis: its start is missing"
                raise FormatError("C-2", message, code="genesis")
            if head["seq"] != 0 or head["prev"] is not None or head["epoch"] != 0:
                raise FormatError("C-2", "a genesis has seq 0, prev null and epoch 0", code="genesis")
            return bytes.fromhex(head["key"])
        if kind == "genesis":
            raise FormatError("C-2", "a second genesis", code="genesis")
        if not self._broken:
            self._check_order(head)
        if kind != "rotate":
            return self._key
        key = bytes.fromhex(head["key"])
        if next_key_commitment(key) != self._next:
            raise FormatError("E-21", "the new key is not the one that was committed to", code="key")
        return key

    def _check_order(self, head: Mapping[str, Any]) -> None:
        if head["seq"] != self._seq + 1:
            what = "lines are missing, doubled or out of order"
            message = f"seq is {head['seq']} where {self._seq + 1} must follow: {what}"
            raise FormatError("C-3", message, code="seq")
        if head["prev"] != self._id:
            message = "prev is not the id of the line before: one of the two was changed"
            raise FormatError("C-3", message, code="prev")
        if head["ts"] <= self._ts:
            raise FormatError("C-3", f"ts {head['ts']} is not later than {self._ts} before it", code="time")
        expected = self._epoch + (head["kind"] == "recover")
        if head["epoch"] != expected:
            raise FormatError("C-4", f"epoch is {head['epoch']}; it must be {expected}", code="epoch")

    def _check_signature(self, head: Mapping[str, Any], parts: LineParts, key: bytes) -> None:
        """Check the signature over the stored bytes by `key`, and a rotate's proof by the old (E-9, E-21)."""
        message = SIGNED_PREFIX + parts.event
        if self.later:
            self.later(key, message, parts.sig)
        elif (signature := unb64(parts.sig, 64)) is None:
            raise FormatError("E-8", "the signature is not canonical base64url", code="signature")
        elif not verify_signature(key, message, signature):
            fault = "the signature does not match: the line was changed, or signed with another key"
            raise FormatError("E-9", fault, code="signature")
        if "proof" in head:
            bare = encode({name: value for name, value in head.items() if name != "proof"})
            proof = unb64(head["proof"], 64)
            if proof is None or not verify_signature(self._key, ROTATE_PREFIX + bare, proof):
                raise FormatError("E-21", "the old key's proof does not match", code="key")

    def _fail(self, error: FormatError, raw: bytes, head: Mapping[str, Any] | None, id_: str) -> None:
        if error.code != "line-too-long":  # the one check that comes before that of E-3
            error = control_byte(raw) or error
        if error.rule == "E-3":
            head = None
        self._add(error, head, id_)
        self._broken = True
        self.lost = not self._begun

    def _add(self, error: FormatError, head: Mapping[str, Any] | None, id_: str) -> None:
        seq, named = (head["seq"], id_) if head else (None, None)
        self.findings.append(Finding(error.code, error.rule, str(error), self.line, seq, named))

    def _accept(self, head: Mapping[str, Any], id_: str) -> None:
        self._seq, self._id, self._ts, self._epoch = head["seq"], id_, head["ts"], head["epoch"]
        self._broken = False
        if "key" in head:
            self._key, self._next = bytes.fromhex(head["key"]), head["next"]
            if not self._begun:
                self._begun, self._chain = True, id_


def judged(raw: bytes) -> CheckedLine:
    """Check the form and payload of a line of a chain that was verified before, not its place or signature.

    Raises:
        FormatError: it is not an event.
    """
    parts = split_line(raw)
    return _check_payload(decoded(parts.event), event_id(parts.head), parts.payload)[0]


def _check_payload(
    head: Mapping[str, Any], id_: str, raw: bytes | None
) -> tuple[CheckedLine, FormatError | None]:
    """Judge the payload of a line with a good head (V-4)."""
    commit = head.get("commit")
    if raw is None:
        if commit is None:
            return CheckedLine(head, id_, None, "none"), None
        fault = FormatError("E-12", "the payload is gone: the line was shortened", code="payload-missing")
    elif commit is None:
        fault = FormatError("E-12", "a payload that the signature does not cover", code="payload-unsigned")
    elif commitment(raw) == commit:
        try:
            payload = decode(raw, "the payload")
        except FormatError as error:
            fault = FormatError(error.rule, str(error), code="payload-schema")
        else:
            wrong = payload_fault(head["kind"], payload)
            if wrong is None:
                return CheckedLine(head, id_, payload, "ok"), None
            fault = FormatError("M-4", f"the payload breaks the format: {wrong}", code="payload-schema")
    elif is_blanked(raw):
        return CheckedLine(head, id_, None, "blank"), None
    else:
        fault = FormatError("E-12", "the payload is not what was signed", code="payload-altered")
    return CheckedLine(head, id_, None, "bad"), fault


def decoded(raw: bytes) -> dict[str, Any]:
    """Return the members of an EVENT, decoded strictly and checked, for a line whose id is known to be right.

    Raises:
        FormatError: it is not an event of this version; a later one is named before anything else (E-15).
    """
    if (version := _VERSION.search(raw)) and version[1] != b"%d" % FORMAT_VERSION:
        message = f"the event is of format version {version[1][:9].decode()}: update muniment to read it"
        raise FormatError("E-15", message, code="unsupported-version")
    return decode(raw, "the event", event_fault)
