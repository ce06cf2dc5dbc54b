"""An operator of NATS with one account and one user, whose signed tokens a server checks."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

from nacl.signing import SigningKey

_KINDS = {"operator": 14 << 3, "account": 0, "user": 20 << 3}
_SEED = 18 << 3
_LIMITS = (
    "subs",
    "data",
    "payload",
    "imports",
    "exports",
    "conn",
    "leaf",
    "mem_storage",
    "disk_storage",
    "streams",
    "consumer",
)


class NatsAccounts:
    """Keys and tokens; `config` is for a server, and `credentials` is the user's file."""

    def __init__(self) -> None:
        operator, account, system, user = (SigningKey.generate() for _ in range(4))
        limits = {"limits": dict.fromkeys(_LIMITS, -1) | {"wildcards": True}}
        accounts = ", ".join(
            f"{_public('account', each)}: {_token('operator', operator, 'account', each, says)}"
            for each, says in ((account, limits), (system, {}))
        )
        says = {"system_account": _public("account", system)}
        self.config = (
            f"operator: {_token('operator', operator, 'operator', operator, says)}\n"
            f"resolver: MEMORY\nresolver_preload: {{ {accounts} }}\n"
        )
        token = _token(
            "account", account, "user", user, {"pub": {}, "sub": {}, "subs": -1, "data": -1, "payload": -1}
        )
        self.credentials = (
            f"-----BEGIN NATS USER JWT-----\n{token}\n------END NATS USER JWT------\n\n"
            f"-----BEGIN USER NKEY SEED-----\n{_seed(user)}\n------END USER NKEY SEED------\n"
        )


def _encoded(raw: bytes) -> str:
    checksum = 0
    for byte in raw:
        checksum ^= byte << 8
        for _ in range(8):
            checksum = (checksum << 1 ^ (0x1021 if checksum & 0x8000 else 0)) & 0xFFFF
    return base64.b32encode(raw + checksum.to_bytes(2, "little")).decode().rstrip("=")


def _public(kind: str, key: SigningKey) -> str:
    return _encoded(bytes([_KINDS[kind]]) + bytes(key.verify_key))


def _seed(key: SigningKey) -> str:
    kind = _KINDS["user"]
    return _encoded(bytes([_SEED | kind >> 5, (kind & 31) << 3]) + bytes(key))


def _token(issuer: str, signer: SigningKey, kind: str, key: SigningKey, says: dict[str, Any]) -> str:
    """Return a JWT in which the signer says something about a key."""
    claims = {"iat": 1, "iss": _public(issuer, signer), "sub": _public(kind, key), "name": kind}
    claims["nats"] = {**says, "type": kind, "version": 2}
    claims["jti"] = (
        base64.b32encode(hashlib.sha256(json.dumps(claims).encode()).digest()).decode().rstrip("=")
    )
    parts = [json.dumps(each).encode() for each in ({"typ": "JWT", "alg": "ed25519-nkey"}, claims)]
    text = ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)
    return f"{text}.{base64.urlsafe_b64encode(signer.sign(text.encode()).signature).decode().rstrip('=')}"
