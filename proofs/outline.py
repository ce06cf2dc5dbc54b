"""What is kept of a chain that was read when a checkpoint was signed, so that proofs need not read it again.

Implements specs/proofs.md (T-35). The file: 64 bytes of signature by the key in force, over the prefix and the JSON that
follows. It is believed for what the ledger's key says of its own chain, as far as the chain still is what it was.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import orjson

from ledger.durable import replace_file
from ledger.named_tuple import NamedTuple
from ledger.signing import SigningKey, verify_signature

_PREFIX = b"memory-ledger/v1 outline\n"
_SIGNATURE = 64


class Outline(NamedTuple):
    """The tiles of a chain from its beginning: where each ends, in bytes, and its hash.

    `keys` are the seqs of genesis and rotates in them, `anchors` those of anchor events.
    """

    ends: list[int]
    hashes: list[bytes]
    keys: list[int]
    anchors: list[int]


def load(path: Path, key: bytes) -> Outline | None:
    """Return the outline in a file, or None unless the public key `key` signed it."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    signature, body = data[:_SIGNATURE], data[_SIGNATURE:]
    if not verify_signature(key, _PREFIX + body, signature):
        return None
    kept = orjson.loads(body)
    return Outline(**{**kept, "hashes": [bytes.fromhex(each) for each in kept["hashes"]]})


def save(path: Path, outline: Outline, key: SigningKey) -> None:
    """Keep an outline; where the disk refuses, the chain is read from its beginning once more."""
    body = orjson.dumps({**outline._asdict(), "hashes": [each.hex() for each in outline.hashes]})
    with suppress(OSError):
        replace_file(path, key.sign(_PREFIX + body) + body, 0o600)
