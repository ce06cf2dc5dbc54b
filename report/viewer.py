"""The viewer: serves the report's page of one ledger on this machine's loopback, and takes a person's answers to what waits.

Implements specs/report.md (H-20…H-24). A browser brings every site's pages to this server, so each request must prove that it
comes from our own page: it knows the token, names our own host, and a write comes from our own origin. A request that does
not is refused with nothing of the ledger. The ledger itself is asked by one request at a time.
"""

from __future__ import annotations

import hmac
import secrets
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from typing import Any

import orjson

from language.printable import plain
from ledger.errors import LedgerError, StateError, UsageError
from ledger.founding import identity_of
from muniment import MemoryLedger
from report.contents import contents
from report.page_file import page, policy
from report.review_queue import decide

LOOPBACK = "127.0.0.1"
MOST = 64 << 10
"""The longest answer of a person that is read, in bytes."""
_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_NOTHING = "default-src 'none'"


class Viewer(ThreadingTCPServer):
    """A server of one ledger, bound to a port; `viewing` runs it.

    Args:
        memory: the ledger.
        port: the port, 0 for any free one.
        decided: called after each decision with what was done.

    Raises:
        NoLedgerError: there is no chain.
        UsageError: the port cannot be had.
    """

    daemon_threads = True
    allow_reuse_address = True  # else --port waits for the closed connections of the last run

    def __init__(self, memory: MemoryLedger, port: int, decided: Callable[[str], None]) -> None:
        identity_of(memory.workspace.chain)  # that there is one, before anybody is told an address
        try:
            super().__init__((LOOPBACK, port), _Request)
        except OSError as error:
            raise UsageError(
                f"port {port} cannot be used ({error.strerror}): choose another --port"
            ) from None
        self.memory, self.decided = memory, decided
        self.turn, self.ended = threading.Lock(), False
        self.token = secrets.token_urlsafe(32)
        self.hosts = tuple(f"{name}:{self.server_address[1]}" for name in (LOOPBACK, "localhost"))

    @property
    def address(self) -> str:
        """The page's address: anyone who knows it can read the memory and decide on pending items."""
        return f"http://{self.hosts[0]}/{self.token}/"

    @contextmanager
    def asking(self) -> Iterator[MemoryLedger]:
        """Yield the ledger to one request at a time.

        Raises:
            StateError: the server has ended; a browser's connection may outlive it.
        """
        with self.turn:
            if self.ended:
                raise StateError("muniment view has ended: run it again")
            yield self.memory

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a broken connection."""


@contextmanager
def viewing(memory: MemoryLedger, port: int, decided: Callable[[str], None]) -> Iterator[Viewer]:
    """Serve a ledger until the block ends; a decision that is being stored is finished first.

    Raises as `Viewer` does.
    """
    with Viewer(memory, port, decided) as viewer:
        thread = threading.Thread(target=viewer.serve_forever, args=(0.1,), daemon=True)
        thread.start()
        try:
            yield viewer
        finally:
            viewer.shutdown()
            thread.join()
            with viewer.turn:
                viewer.ended = True
                viewer.server_close()


class _Request(BaseHTTPRequestHandler):
    """One request. Whatever is not asked for exactly as our own page does is refused."""

    server: Viewer
    timeout = 30
    """So many seconds a connection may say nothing."""

    def do_GET(self) -> None:
        if refused := self._refused(""):
            self.send_error(refused)
            return
        try:
            with self.server.asking() as memory:
                whole = page(contents(memory, live=True))
        except (LedgerError, sqlite3.Error, OSError) as error:
            self._send(500, plain(str(error)).encode(), "text/plain; charset=utf-8")
        else:
            self._send(200, whole, "text/html; charset=utf-8", policy(whole))

    def do_POST(self) -> None:
        refused = self._refused("review") or self._foreign() or self._too_long()
        given = None if refused else _answer(self.rfile.read(int(self.headers["Content-Length"])))
        if given is None:
            self.send_error(refused or 400)
            return
        try:
            with self.server.asking() as memory:
                done = decide(memory, *given)
                with suppress(OSError):  # whatever the terminal says: it is stored
                    self.server.decided(done["said"])
        except (LedgerError, sqlite3.Error, OSError) as error:
            self._send(409, orjson.dumps({"error": plain(str(error))}), "application/json")
        else:
            self._send(200, orjson.dumps(done), "application/json")

    def _refused(self, wanted: str) -> int:
        """Return why a request is not for this page: 403 for another host, as after DNS rebinding, 404 without the token; else 0."""
        if self.headers.get_all("Host", []) not in [[host] for host in self.server.hosts]:
            return 403
        token = self.path.removeprefix("/").partition("/")[0]
        known = hmac.compare_digest(token.encode(), self.server.token.encode())
        return 0 if known and self.path == f"/{token}/{wanted}" else 404

    def _foreign(self) -> int:
        """Return 403 for a write that another site's page could have sent, 415 for one that is not JSON; else 0."""
        if self.headers.get_all("Origin", []) != [f"http://{self.headers['Host']}"]:
            return 403
        if self.headers.get_all("Sec-Fetch-Site", ["same-origin"]) != ["same-origin"]:
            return 403
        return 0 if self.headers.get_content_type() == "application/json" else 415

    def _too_long(self) -> int:
        """Return 411 for a body that does not say how long it is, 413 for one that is longer than is read; else 0."""
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()):
            return 411
        return 413 if len(length) > len(str(MOST)) or int(length) > MOST else 0

    def send_error(self, code: int, *_: Any, **__: Any) -> None:
        """Refuse: the code, and not a word of the request or the ledger."""
        self._send(int(code), b"", "text/plain; charset=utf-8")

    def _send(self, code: int, body: bytes, kind: str, allowed: str = _NOTHING) -> None:
        self.send_response(code)
        headers = {"Content-Security-Policy": f"{allowed}; frame-ancestors 'none'", **_HEADERS}
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def version_string(self) -> str:
        """Name neither Python nor its version."""
        return "muniment"

    def log_message(self, format: str, *args: Any) -> None:
        """Keep no log: it would hold the token."""


def _answer(body: bytes) -> tuple[str, ...] | None:
    """Return the id and the answer of a person, with the text of an edit; None if the body is something else."""
    try:
        given = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(given, dict):
        return None
    names = ("id", "answer", "text") if "text" in given else ("id", "answer")
    values = tuple(value for name in names if isinstance(value := given.get(name), str))
    return values if given.keys() == set(names) and len(values) == len(names) else None
