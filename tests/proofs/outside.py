"""Real authorities on loopback, for tests of anchors.

`authority` is `openssl ts`; `Calendar` an OpenTimestamps calendar with a block of its own making; `headers_file` what a
person would give of it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.loopback import Reply, Request, serving

# --- an authority: openssl ts -------------------------------------------------------------------------------

_CONFIGURATION = """
[tsa]
default_tsa = one
[one]
serial = {folder}/serial
crypto_device = builtin
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
accuracy = secs:{accuracy}
[ca]
basicConstraints = critical,CA:true
keyUsage = critical,keyCertSign,cRLSign
subjectKeyIdentifier = hash
[leaf]
basicConstraints = critical,CA:false
extendedKeyUsage = critical,{purpose}
keyUsage = critical,digitalSignature
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
"""


@dataclass
class Authority:
    """`openssl ts` with a root and a signer of its own, in `folder`."""

    folder: Path

    @property
    def root(self) -> Path:
        return self.folder / "root.pem"

    def answer(self, query: bytes, *more: str) -> bytes:
        (self.folder / "query").write_bytes(query)
        _openssl(
            self.folder, "ts", "-reply", "-config", "conf", "-section", "one", "-queryfile", "query",
            "-signer", "leaf.pem", "-inkey", "leaf.key", "-out", "reply", *more,
        )  # fmt: skip
        return (self.folder / "reply").read_bytes()

    def reply(self, request: Request) -> Reply:
        assert request.headers["Content-Type"] == "application/timestamp-query"
        return 200, self.answer(request.body), {"Content-Type": "application/timestamp-reply"}


def authority(folder: Path, purpose: str = "timeStamping", accuracy: int = 1) -> Authority:
    """Make a timestamping authority in a new folder."""
    folder.mkdir()
    (folder / "serial").write_text("01\n")
    (folder / "conf").write_text(
        "[req]\ndistinguished_name = dn\n[dn]\n"
        + _CONFIGURATION.format(folder=folder, purpose=purpose, accuracy=accuracy)
    )
    new = (
        "req",
        "-config",
        "conf",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-sha256",
    )
    _openssl(
        folder, *new, "-x509", "-days", "30", "-subj", "/CN=Test Root", "-extensions", "ca",
        "-keyout", "root.key", "-out", "root.pem",
    )  # fmt: skip
    _openssl(folder, *new, "-subj", "/CN=Test TSA", "-keyout", "leaf.key", "-out", "leaf.csr")
    _openssl(
        folder, "x509", "-req", "-in", "leaf.csr", "-CA", "root.pem", "-CAkey", "root.key", "-set_serial", "7",
        "-days", "30", "-sha256", "-extfile", "conf", "-extensions", "leaf", "-out", "leaf.pem",
    )  # fmt: skip
    return Authority(folder)


def _openssl(folder: Path, *words: str) -> None:
    done = subprocess.run(["openssl", *words], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session")
def tsa(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return authority(tmp_path_factory.mktemp("tsa") / "one")


# --- a calendar with a block of its own making -----------------------------------------------------------------


@dataclass
class Calendar:
    """Takes digests, and once `mine` was called answers with the path to a fabricated block's Merkle root."""

    height: int = 900_000
    time: int = 1_790_000_000
    header: bytes = b""
    uri: str = ""
    asked: list[Request] = field(default_factory=list)
    _taken: list[bytes] = field(default_factory=list)
    _salt: bytes = field(default_factory=lambda: os.urandom(8))

    def reply(self, request: Request) -> Reply:
        self.asked.append(request)
        if request.method == "POST" and request.path.endswith("/digest"):
            self._taken.append(request.body)
            return 200, self._promise(request.body)
        commitment = bytes.fromhex(request.path.rpartition("/timestamp/")[2])
        if not self.header:
            return 404, b"Pending confirmation in Bitcoin blockchain"
        return 200, self._proof(commitment)

    def _promise(self, digest: bytes) -> bytes:
        from opentimestamps.core.notary import PendingAttestation
        from opentimestamps.core.op import OpPrepend, OpSHA256
        from opentimestamps.core.timestamp import Timestamp

        stamp = Timestamp(digest)
        stamp.ops.add(OpPrepend(self._salt)).ops.add(OpSHA256()).attestations.add(
            PendingAttestation(self.uri)
        )
        return serialized(stamp)

    def commitment(self, digest: bytes) -> bytes:
        return hashlib.sha256(self._salt + digest).digest()

    def mine(self) -> None:
        """Put the newest digest into a block whose root is the double SHA-256 of it and a neighbour."""
        left = self.commitment(self._taken[-1])
        root = hashlib.sha256(hashlib.sha256(left + b"\x11" * 32).digest()).digest()
        self.header = (
            (4).to_bytes(4, "little") + b"\x22" * 32 + root + self.time.to_bytes(4, "little") + b"\xff\xff\x00\x1d\0\0\0\0"
        )  # fmt: skip

    def _proof(self, commitment: bytes) -> bytes:
        from opentimestamps.core.notary import BitcoinBlockHeaderAttestation
        from opentimestamps.core.op import OpAppend, OpSHA256
        from opentimestamps.core.timestamp import Timestamp

        stamp = Timestamp(commitment)
        end = stamp.ops.add(OpAppend(b"\x11" * 32)).ops.add(OpSHA256()).ops.add(OpSHA256())
        end.attestations.add(BitcoinBlockHeaderAttestation(self.height))
        return serialized(stamp)


def serialized(stamp: object) -> bytes:
    from opentimestamps.core.serialize import BytesSerializationContext

    context = BytesSerializationContext()
    stamp.serialize(context)  # type: ignore[attr-defined]  # the library has no types
    return bytes(context.getbytes())


@contextlib.contextmanager
def calendar() -> Iterator[Calendar]:
    """Serve a calendar under its own address."""
    one = Calendar()
    with serving(one.reply) as address:
        one.uri = address
        yield one
