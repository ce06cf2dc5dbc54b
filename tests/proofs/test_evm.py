"""The unsigned transaction: its bytes, its cost, and what a wallet makes of it.

Tests specs/anchors.md (W-40…W-42). eth-account signs it where it is installed (`make extras`).
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import FormatError, UsageError
from proofs import evm

DIGEST = hashlib.sha256(b"a checkpoint").digest()


def test_the_data_is_a_tag_and_the_digest() -> None:
    assert len(evm.TAG) == 18
    assert evm.calldata(DIGEST) == b"muniment/anchor/v1" + DIGEST
    with pytest.raises(ValueError, match="32"):
        evm.calldata(b"short")


def test_the_gas_is_the_floor_for_data() -> None:
    assert evm.gas(b"\x01" * 50) == 21_000 + 50 * 40
    assert evm.gas(b"\x01" * 49 + b"\0\0") == 22_980


def test_the_transaction_says_what_is_to_be_signed() -> None:
    fees = evm.Fees(nonce=7, max_fee=10**9, priority_fee=10**6)
    fields = evm.transaction(DIGEST, "base", to="0x" + "aB" * 20, fees=fees)
    assert fields == {
        "type": "0x2",
        "chainId": "0x2105",
        "nonce": "0x7",
        "maxPriorityFeePerGas": "0xf4240",
        "maxFeePerGas": "0x3b9aca00",
        "gas": hex(evm.gas(evm.calldata(DIGEST))),
        "to": "0x" + "aB" * 20,
        "value": "0x0",
        "data": "0x" + (evm.TAG + DIGEST).hex(),
        "accessList": [],
    }
    raw = evm.unsigned(fields)
    assert raw[0] == 2
    assert raw.endswith(b"\x80" + b"\xb2" + evm.TAG + DIGEST + b"\xc0")


@pytest.mark.parametrize(
    ("chain", "to", "fees"),
    [
        ("bass", evm.NOWHERE, evm.Fees()),
        ("base", "0x12", evm.Fees()),
        ("base", "ab" * 21, evm.Fees()),
        ("base", evm.NOWHERE, evm.Fees(nonce=-1)),
        ("base", evm.NOWHERE, evm.Fees(nonce=2**64)),
        ("base", evm.NOWHERE, evm.Fees(max_fee=2**256)),
        ("base", evm.NOWHERE, evm.Fees(max_fee=1, priority_fee=2)),
    ],
)
def test_what_no_chain_would_take_is_refused(chain: str, to: str, fees: evm.Fees) -> None:
    with pytest.raises(UsageError):
        evm.transaction(DIGEST, chain, to=to, fees=fees)


@pytest.mark.parametrize(
    ("value", "encoded"),
    [
        (b"dog", "83646f67"),
        ([b"cat", b"dog"], "c88363617483646f67"),
        (b"", "80"),
        ([], "c0"),
        (0, "80"),
        (b"\0", "00"),
        (15, "0f"),
        (1024, "820400"),
        ([[], [[]], [[], [[]]]], "c7c0c1c0c3c0c1c0"),
        (b"x" * 56, "b838" + "78" * 56),
        ([b"x" * 56], "f83ab838" + "78" * 56),
    ],
)
def test_rlp_gives_the_published_examples(value: Any, encoded: str) -> None:
    assert evm.rlp(value).hex() == encoded


@pytest.mark.parametrize(
    "text", ["", "0x", "0x12", "zz" * 32, "0x" + "a" * 65, "\n" + "a" * 64, "a" * 64 + "\n"]
)
def test_what_is_no_hash_is_no_receipt(text: str) -> None:
    with pytest.raises(UsageError):
        evm.receipt(text, "base")


def test_a_receipt_names_chain_and_transaction() -> None:
    assert evm.receipt("AB" * 32, "base") == "eip155:8453:0x" + "ab" * 32


@pytest.fixture(scope="module")
def wallet() -> Any:
    """A key of eth-account, which changes the recursion limit where it is first used."""
    account = pytest.importorskip("eth_account", reason="needs eth-account: make extras").Account
    made = account.from_key(b"\x07" * 32)
    made.sign_transaction(evm.transaction(DIGEST, "base"))
    return made


@given(st.binary(min_size=32, max_size=32), st.integers(0, 2**64 - 2), st.integers(0, 2**96))
def test_a_wallet_signs_it_and_signer_and_data_are_recovered(
    wallet: Any, digest: bytes, nonce: int, fee: int
) -> None:
    """What eth-account would sign is byte for byte what we export; a signed one gives back who and what."""
    from eth_account import Account
    from eth_account.typed_transactions import TypedTransaction
    from eth_utils import keccak
    from hexbytes import HexBytes

    fees = evm.Fees(nonce=nonce, max_fee=fee, priority_fee=fee // 2)
    fields = evm.transaction(digest, "base", to=wallet.address, fees=fees)
    assert TypedTransaction.from_dict(dict(fields)).hash() == keccak(evm.unsigned(fields))
    signed = wallet.sign_transaction(dict(fields))
    assert Account.recover_transaction(signed.raw_transaction) == wallet.address
    sent = TypedTransaction.from_bytes(HexBytes(signed.raw_transaction)).as_dict()
    assert sent["data"] == evm.TAG + digest
    assert (sent["chainId"], sent["value"]) == (8453, 0)


@pytest.mark.parametrize("sent", [None, "0x", [1]])
def test_an_exported_transaction_names_what_was_sent_in_texts(sent: object) -> None:
    """W-40: anything else is refused."""
    good = json.loads(evm.document(evm.transaction(DIGEST, "base"), ["0x"]))
    assert evm.parsed(json.dumps(good).encode())[1] == ["0x"]
    with pytest.raises(FormatError, match="not an exported transaction"):
        evm.parsed(json.dumps({**good, "sent": sent}).encode())
