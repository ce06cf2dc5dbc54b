"""The anchor on an EVM chain: an unsigned transaction that carries a digest, for a person's wallet to sign.

Implements specs/anchors.md (W-40…W-42). Nothing is sent, and no key of a wallet is read. Layout of what is to be
signed (EIP-1559):

    02 ‖ RLP([chain id, nonce, max priority fee, max fee, gas, to, value 0, data, access list []])
    data = `muniment/anchor/v1` (18 bytes) ‖ the digest (32 bytes)
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from ledger.errors import FormatError, UsageError

CHAINS = MappingProxyType({"base": 8453})
TAG = b"muniment/anchor/v1"

_BASIC_GAS, _GAS_A_TOKEN, _TOKENS_A_BYTE = 21_000, 10, 4
_TYPE = b"\x02"
_MOST = 2**256 - 1
_MOST_NONCE = 2**64 - 2
NOWHERE = "0x" + "00" * 20

Rlp = bytes | int | list["Rlp"]


@dataclass(frozen=True, slots=True)
class Fees:
    """What a wallet decides: in wei, but `nonce`, the number of transactions that the sender has sent."""

    nonce: int = 0
    max_fee: int = 0
    priority_fee: int = 0


def calldata(digest: bytes) -> bytes:
    """Return the data that says `digest` (32 bytes)."""
    if len(digest) != 32:
        raise ValueError("a digest has 32 bytes")
    return TAG + digest


def gas(data: bytes) -> int:
    """Return what it costs to send `data` to an account without code.

    The floor of EIP-7623, 10 gas a token (a zero byte is one, another byte four), which is above the older 4 a token.
    """
    zeros = data.count(0)
    return _BASIC_GAS + _GAS_A_TOKEN * (zeros + _TOKENS_A_BYTE * (len(data) - zeros))


def transaction(digest: bytes, chain: str, *, to: str = NOWHERE, fees: Fees | None = None) -> dict[str, Any]:
    """Return the unsigned transaction by the names of JSON-RPC, every number as hex.

    Args:
        digest: of the checkpoint.
        chain: one of CHAINS.
        to: the receiver, 0x and 40 hex digits, kept as it is spelt (its capitals are a checksum, EIP-55).
        fees: what the wallet would decide; zeros by default.

    Raises:
        UsageError: an unknown chain, no address, a number that does not fit.
    """
    if chain not in CHAINS:
        raise UsageError(f"{chain!r} is not a known chain; use one of: {', '.join(CHAINS)}")
    if not re.fullmatch(r"0x[0-9a-fA-F]{40}", to):
        raise UsageError("the receiver is 0x and 40 hex digits")
    fees = fees or Fees()
    if not (
        0 <= fees.nonce <= _MOST_NONCE and 0 <= fees.priority_fee <= _MOST and 0 <= fees.max_fee <= _MOST
    ):
        raise UsageError("nonce and fees are whole numbers from 0 on")
    if fees.priority_fee > fees.max_fee:
        raise UsageError("the priority fee is a part of the whole fee, and cannot be larger")
    data = calldata(digest)
    return {
        "type": "0x2",
        "chainId": hex(CHAINS[chain]),
        "nonce": hex(fees.nonce),
        "maxPriorityFeePerGas": hex(fees.priority_fee),
        "maxFeePerGas": hex(fees.max_fee),
        "gas": hex(gas(data)),
        "to": to,
        "value": "0x0",
        "data": f"0x{data.hex()}",
        "accessList": [],
    }


def unsigned(fields: dict[str, Any]) -> bytes:
    """Return the bytes of a transaction that are hashed and signed."""
    names = ("chainId", "nonce", "maxPriorityFeePerGas", "maxFeePerGas", "gas")
    numbers: list[Rlp] = [int(fields[name], 16) for name in names]
    to, data = (bytes.fromhex(fields[name].removeprefix("0x")) for name in ("to", "data"))
    return _TYPE + rlp([*numbers, to, int(fields["value"], 16), data, []])


def rlp(value: Rlp) -> bytes:
    """Return the recursive length prefix encoding of bytes, of a number (shortest big-endian) or of a list."""
    if isinstance(value, int):
        value = value.to_bytes((value.bit_length() + 7) // 8, "big")
    if isinstance(value, bytes):
        if len(value) == 1 and value[0] < 0x80:
            return value
        return _prefix(0x80, len(value)) + value
    body = b"".join(map(rlp, value))
    return _prefix(0xC0, len(body)) + body


def _prefix(kind: int, length: int) -> bytes:
    if length <= 55:
        return bytes([kind + length])
    size = length.to_bytes((length.bit_length() + 7) // 8, "big")
    return bytes([kind + 55 + len(size)]) + size


def document(fields: dict[str, Any], sent: Sequence[str] = ()) -> bytes:
    """Return the file that a wallet is given: the transaction, what is to be signed of it, where it was sent."""
    raw = f"0x{unsigned(fields).hex()}"
    value = {"transaction": fields, "unsigned": raw, "sent": list(sent)}
    return json.dumps(value, indent=2).encode() + b"\n"


def parsed(data: bytes) -> tuple[str, list[str]]:
    """Return the data that an exported transaction carries, and the transactions that are recorded of it.

    Raises:
        FormatError: it is not an exported transaction.
    """
    try:
        said = json.loads(data)
        carried, sent = said["transaction"]["data"], said["sent"]
        if (
            isinstance(carried, str)
            and isinstance(sent, list)
            and all(isinstance(each, str) for each in sent)
        ):
            return carried, sent
    except (ValueError, KeyError, TypeError, RecursionError):
        pass  # named below
    raise FormatError("W-40", "it is not an exported transaction", code="evm-malformed")


def sent_of(data: bytes | None) -> list[str]:
    """Return the transactions that are recorded in an exported one; none where there is no such file, or no good one."""
    try:
        return parsed(data)[1] if data is not None else []
    except FormatError:
        return []


def with_sent(data: bytes, where: str) -> bytes:
    """Return an exported transaction with one more that was sent. Raises FormatError."""
    sent = parsed(data)[1]
    return json.dumps({**json.loads(data), "sent": [*sent, where]}, indent=2).encode() + b"\n"


def receipt(text: str, chain: str) -> str:
    """Return the recorded form of a sent transaction's hash: `eip155:<chain id>:0x<64 hex digits>` (W-3).

    Raises:
        UsageError: it is not a hash.
    """
    found = re.fullmatch(r"(?:0x)?([0-9a-fA-F]{64})", text)
    if found is None:
        raise UsageError("the hash of a transaction is 0x and 64 hex digits")
    return f"eip155:{CHAINS[chain]}:0x{found[1].lower()}"
