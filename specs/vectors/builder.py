"""Builds the chains of the test vectors from fixed keys, a fixed clock and fixed salts.

Implements specs/event.md (E-1…E-22) and specs/chain.md (C-1…C-4) for writing: valid events through the
ledger's own encoder, hostile ones byte by byte.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from blake3 import blake3

from ledger.canonical import b64, encode
from ledger.event import (
    ROTATE_PREFIX,
    SIGNED_PREFIX,
    blanked,
    build_line,
    commitment,
    event_id,
    next_key_commitment,
    split_line,
)
from ledger.instant import parsed, written
from ledger.signing import SigningKey

BEGIN = parsed("2026-11-20T15:11:00.000000Z")
SECOND = 1_000_000
LEDGER_ID = "0123456789abcdef0123456789abcdef"
BY = {"name": "alice", "role": "user", "via": "cli"}

Payload = dict[str, Any]
Sign = Callable[[bytes], bytes]


def key(number: int) -> SigningKey:
    """Return the key whose seed is 32 times the byte `number`."""
    return SigningKey(bytes([number]) * 32)


def salt(number: int) -> bytes:
    """Return the salt of the event with this seq."""
    return blake3(b"salt %d" % number).digest()[:16]


@dataclass
class Mark:
    """What a high-water mark says of one line of a chain (C-14)."""

    seq: int
    id: str
    epoch: int
    genesis: str
    key: str
    next_key: str
    start: int
    end: int


@dataclass
class Chain:
    """A chain under construction: `lines` without LF. Hostile lines are added by `raw`, good ones by kind."""

    lines: list[bytes] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    epoch: int = 0
    number: int = 1
    """Of the key in force; the next one is `number` + 1."""

    @property
    def data(self) -> bytes:
        """The file."""
        return b"".join(line + b"\n" for line in self.lines)

    @property
    def genesis_id(self) -> str:
        """The id of the first event."""
        return self.ids[0]

    def mark(self, seq: int) -> Mark:
        """Return the mark of an event of a chain whose lines are all good and whose key was never rotated."""
        start = sum(len(line) + 1 for line in self.lines[:seq])
        following = next_key_commitment(key(self.number + 1).public)
        end = start + len(self.lines[seq]) + 1
        public = key(self.number).public.hex()
        return Mark(seq, self.ids[seq], self.epoch, self.genesis_id, public, following, start, end)

    def members(self, kind: str, **members: Any) -> dict[str, Any]:
        """Return the EVENT of the next event without `commit`; members given as `...` are left out."""
        seq = len(self.lines)
        event: dict[str, Any] = {
            "v": 1,
            "seq": seq,
            "prev": self.ids[-1] if self.ids else None,
            "ts": written(BEGIN + seq * SECOND),
            "kind": kind,
            "epoch": self.epoch,
            "by": BY,
            **members,
        }
        return {name: value for name, value in event.items() if value is not ...}

    def add(self, kind: str, payload: Payload | None = None, **members: Any) -> str:
        """Append a well-formed event and return its id."""
        event = self.members(kind, **members)
        built = build_line(event, payload, salt(len(self.lines)), key(self.number).sign)
        return self._took(built.raw)

    def raw(
        self, event: bytes | dict[str, Any], payload: bytes | None = None, *, by: int | Sign | None = None
    ) -> str:
        """Append a line of these very bytes, signed by the key in force, another key, or a function.

        A dict is spelled as JSON is, canonical or not.
        """
        body = event if isinstance(event, bytes) else spelled(event)
        sign = by if callable(by) else key(by or self.number).sign
        signature = b64(sign(SIGNED_PREFIX + body)).encode()
        line = b'{"event":' + body + b',"sig":"' + signature + b'"'
        return self._took(line + (b"}" if payload is None else b',"payload":' + payload + b"}"))

    def _took(self, line: bytes) -> str:
        self.lines.append(line)
        self.ids.append(event_id(line[: line.index(b',"sig":"') + 95]))
        return self.ids[-1]

    # --- the kinds ---

    def genesis(self, *, by: Sign | None = None, **members: Any) -> str:
        """Append a genesis; it is signed by this function where one is given."""
        own: dict[str, Any] = {
            "key": key(self.number).public.hex(),
            "next": next_key_commitment(key(self.number + 1).public),
            "nonce": b64(bytes(range(16))),
            "ledger": {"id": LEDGER_ID, "name": "vectors", "scope": "project"},
        }
        return self.raw(self.members("genesis", **{**own, **members}), by=by)

    def create(self, text: str, *, record: Payload | None = None, **members: Any) -> str:
        """Append a create of a memory with this text; `record` holds other members of the payload."""
        return self.add("create", {"text": text, **(record or {})}, **members)

    def create_raw(self, payload: bytes | Payload) -> str:
        """Append a create that is right in all but its payload, which is these bytes."""
        raw = payload if isinstance(payload, bytes) else spelled(payload)
        return self.raw(self.members("create", commit=commitment(raw)), raw)

    def rotate(self, *, proof: bool = True, to: int = 0, old: int = 0, **members: Any) -> str:
        """Append a rotate to the next key (or the key `to`), proved by the present one (or the key `old`)."""
        following = to or self.number + 1
        event = self.members(
            "rotate",
            key=key(following).public.hex(),
            next=next_key_commitment(key(following + 1).public),
            **members,
        )
        if proof:
            event["proof"] = b64(key(old or self.number).sign(ROTATE_PREFIX + encode(event)))
        self.number = following
        return self.raw(event)

    def recover(self, payload: Payload | None = None, *, epoch: int | None = None, **members: Any) -> str:
        """Append a recover, in a new epoch unless told otherwise."""
        self.epoch = self.epoch + 1 if epoch is None else epoch
        return self.add("recover", payload, **{"lost": None, "cut": None, **members})

    # --- what happens to lines afterwards ---

    def edit(self, line: int, change: Callable[[bytes], bytes]) -> None:
        """Change the bytes of a line (counted from 1)."""
        before = self.lines[line - 1]
        self.lines[line - 1] = change(before)
        if self.lines[line - 1] == before:
            raise ValueError(f"line {line} was not changed")

    def replace(self, line: int, old: bytes, new: bytes) -> None:
        """Change one place of a line."""
        self.edit(line, lambda raw: raw.replace(old, new, 1))

    def blank(self, line: int, kept: int = 0) -> None:
        """Blank a line's payload as an erasure does, except for its last `kept` bytes."""
        payload = split_line(self.lines[line - 1]).payload or b""
        half = blanked(len(payload) - kept) + payload[len(payload) - kept :]
        self.edit(line, lambda raw: raw[: -1 - len(payload)] + half + b"}")


def spelled(value: dict[str, Any]) -> bytes:
    """Return JSON with sorted keys and without spaces, whatever the values; canonical where they are."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
