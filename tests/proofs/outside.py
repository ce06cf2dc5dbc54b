"""Somebody outside, on loopback: a small HTTP server that answers as a test says, and real authorities behind it.

`serving` answers every request by one function; `authority` is `openssl ts`; `Calendar` an OpenTimestamps calendar with
a block of its own making; `headers_file` what a person would give of it.
"""

from __future__ import annotations

import contextlib
import hashlib
import http.server
import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import pytest

Reply = tuple[int, bytes] | tuple[int, bytes, str]
"""Status, body, and the Content-Type where it matters."""


class Request(NamedTuple):
    method: str
    path: str
    body: bytes
    headers: dict[str, str]


@contextlib.contextmanager
def serving(answer: Callable[[Request], Reply]) -> Iterator[str]:
    """Serve `answer` on a free port of the loopback; give its address without a slash at the end."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def _do(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, data, *kind = answer(Request(self.command, self.path, body, dict(self.headers.items())))
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                self.send_response(status)
                self.send_header("Content-Type", kind[0] if kind else "application/octet-stream")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        do_GET = do_POST = _do  # noqa: N815 - the names that http.server calls

        def log_message(self, format: str, *args: object) -> None:
            pass

    with _served(http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as server:
        yield f"http://127.0.0.1:{server.server_port}"


@contextlib.contextmanager
def _served(server: http.server.ThreadingHTTPServer) -> Iterator[http.server.ThreadingHTTPServer]:
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextlib.contextmanager
def raw(send: Callable[[Callable[[bytes], None], threading.Event], None]) -> Iterator[str]:
    """Serve one connection at a time that says what `send` says, whatever it is asked."""
    import socket

    stop = threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(0.05)

    def serve() -> None:
        while not stop.is_set():
            with contextlib.suppress(OSError):
                connection, _ = listener.accept()
                with connection:
                    connection.settimeout(5)
                    connection.recv(65536)
                    send(connection.sendall, stop)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        stop.set()
        thread.join()
        listener.close()


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
        return 200, self.answer(request.body), "application/timestamp-reply"


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
