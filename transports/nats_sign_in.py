"""How a machine signs in to NATS: by what the environment says, under the names that the `nats` command uses.

Implements specs/team.md (TM-78).
"""

from __future__ import annotations

import base64
import os
import re
import ssl
from pathlib import Path
from typing import Any

from nacl.exceptions import CryptoError
from nacl.signing import SigningKey

_PART = re.compile(r"-----BEGIN (?:NATS )?USER (JWT|NKEY SEED)-----\s+(\S+)")


def signed_in() -> dict[str, Any]:
    """Return the client's arguments for it.

    Raises:
        OSError: a file that the environment names cannot be read.
    """
    given = os.environ.get
    options: dict[str, Any] = {}
    if path := given("NATS_CREDS"):
        options = _credentials(path)
    elif user := given("NATS_USER"):
        options = {"user": user, "password": given("NATS_PASSWORD", "")}
    if authority := given("NATS_CA"):
        options["tls"] = ssl.create_default_context(cafile=authority)
    return options


def _credentials(path: str) -> dict[str, Any]:
    """Read the file that an operator of NATS hands out: a token, and the seed of the key that is named in it."""
    try:
        parts = dict(_PART.findall(Path(path).read_text("ascii")))
        token, seed = parts["JWT"].encode(), parts["NKEY SEED"]
        key = SigningKey(
            base64.b32decode(seed + "=" * (-len(seed) % 8))[2:34]
        )  # between the kind and a checksum
    except (KeyError, ValueError, CryptoError) as error:
        raise OSError(f"{path} is not a credentials file of NATS") from error
    return {
        "user_jwt_cb": lambda: token,
        "signature_cb": lambda nonce: base64.b64encode(key.sign(nonce.encode()).signature),
    }
