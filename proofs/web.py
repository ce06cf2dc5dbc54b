"""One question to an address that a person typed: bounded in time and size, and asked of nobody else.

Implements specs/anchors.md (W-10…W-13). No redirect, no proxy, no cookie, no second try. Sockets are loaded when one is needed:
verify reads this module for what it bounds.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ledger.errors import OutsideError, UsageError
from ledger.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    import socket
    import threading
    from collections.abc import Callable, Sequence
    from http.client import HTTPConnection

PATIENCE = 20.0
"""Seconds that one exchange may take altogether."""

MAX_ANSWER = 64 * 1024
MAX_ADDRESS = 1000
_SAID = 200
_TYPED = lazy_pattern(r"[!-~]+")
_AGENT = "muniment"


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """What came back: the status, the Content-Type without its parameters, and the body."""

    address: str
    status: int
    kind: str
    body: bytes

    def refusal(self, what: str) -> OutsideError:
        """Return the error that says what was asked of this address, and what it answered."""
        said = printable(self.body)
        return OutsideError(
            f"{self.address} {what}: it answered {self.status}{f' ({said})' if said else ''}; nothing was stored"
        )


def printable(body: bytes) -> str:
    """Return the beginning of what a stranger answered as one line that no terminal takes for a command."""
    text = "".join(chr(byte) if 32 <= byte < 127 else " " for byte in body[: 4 * _SAID])
    return " ".join(text.split())[:_SAID]


def checked(address: str) -> str:
    """Return an address as it was typed.

    Raises:
        UsageError: it is none that is asked (W-11).
    """
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if (
        parts.scheme not in ("http", "https")
        or not parts.hostname
        or port == 0
        or len(address) > MAX_ADDRESS
        or not _TYPED.fullmatch(address)
    ):
        raise UsageError(
            "an address is http://HOST or https://HOST, of at most 1,000 printable ASCII characters"
        )
    if "@" in parts.netloc or "#" in address:
        raise UsageError(
            "an address with a user, a password or a fragment is not asked: it would be recorded"
        )
    return address


def joined(address: str, path: str) -> str:
    """Return the address of `path` below a prefix that was typed with or without a slash at its end."""
    return f"{address.rstrip('/')}/{path}"


def ask(
    address: str,
    body: bytes | None = None,
    headers: dict[str, str] | None = None,
    *,
    patience: float = PATIENCE,
) -> HttpResponse:
    """Send one request (POST where there is a body, else GET) and return the whole answer.

    Args:
        address: as `checked` takes it.
        body: what is posted.
        headers: beside our own.
        patience: seconds for all of it.

    Raises:
        UsageError: it is no address.
        OutsideError: nobody answered in time, or the answer is too long, cut off or no HTTP.
    """
    import http.client
    import ssl
    import threading
    import time

    parts = urlsplit(checked(address))
    host, target = parts.hostname or "", (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    connection: http.client.HTTPConnection
    if parts.scheme == "https":
        context = ssl.create_default_context()
        connection = http.client.HTTPSConnection(host, parts.port, timeout=patience, context=context)
    else:
        connection = http.client.HTTPConnection(host, parts.port, timeout=patience)
    begun, late = time.monotonic(), threading.Event()
    connection._create_connection = _reaching(begun + patience)  # type: ignore[attr-defined]
    held: list[socket.socket] = []
    watch = threading.Timer(patience, _hang_up, (connection, held, late))
    watch.daemon = True
    watch.start()
    try:
        sent = {"User-Agent": _AGENT, "Accept-Encoding": "identity", "Connection": "close", **(headers or {})}
        connection.connect()
        held.append(connection.sock)  # an answer that ends with the connection takes it away from there
        connection.request("GET" if body is None else "POST", target, body=body, headers=sent)
        with connection.getresponse() as response:
            data = response.read(MAX_ANSWER + 1)
        if len(data) > MAX_ANSWER:
            raise OutsideError(f"{address} answered more than {MAX_ANSWER} bytes; nothing was stored")
        if late.is_set():  # a body without a length that was hung up on looks like a whole one
            raise TimeoutError
        if response.length:
            raise http.client.IncompleteRead(data, response.length)
        kind = (response.getheader("Content-Type") or "").partition(";")[0].strip().lower()
        return HttpResponse(address, response.status, kind, data)
    except (OSError, http.client.HTTPException, ValueError) as error:
        late_by_now = isinstance(error, TimeoutError) or time.monotonic() - begun >= patience
        why = f"did not answer within {patience:g} seconds" if late_by_now else _why(error)
        raise OutsideError(f"{address} {why}; nothing was stored") from None
    finally:
        watch.cancel()
        connection.close()


def _reaching(until: float) -> Callable[..., socket.socket]:
    """Return what connects to the addresses of a host one after the other, all of them until then."""
    import socket
    import time

    def connect(where: tuple[str, int], *_: object) -> socket.socket:
        failed: OSError = OSError("it has no address")
        for found in _resolved(where, until):
            left = until - time.monotonic()
            if left <= 0:
                raise TimeoutError
            try:
                return socket.create_connection((str(found[4][0]), where[1]), left)
            except OSError as error:
                failed = error
        raise failed

    return connect


def _resolved(where: tuple[str, int], until: float) -> Sequence[tuple[Any, ...]]:
    """Return what a resolver says of a host; one that says nothing until then is left behind in its thread.

    Raises:
        TimeoutError: it did not answer in time.
        OSError, UnicodeError: there is no such host, or it cannot be asked for.
    """
    import queue
    import socket
    import threading
    import time

    answers: queue.SimpleQueue[Sequence[tuple[Any, ...]] | Exception] = queue.SimpleQueue()

    def resolve() -> None:
        try:
            answers.put(socket.getaddrinfo(*where, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as error:
            answers.put(error)

    threading.Thread(target=resolve, daemon=True).start()  # no call of the system ends it
    try:
        answer = answers.get(timeout=max(until - time.monotonic(), 0))
    except queue.Empty:
        raise TimeoutError from None
    if isinstance(answer, Exception):
        raise answer
    return answer


def _hang_up(connection: HTTPConnection, held: list[socket.socket], late: threading.Event) -> None:
    """End an exchange that takes too long, in whatever call it waits."""
    import socket

    late.set()
    for sock in filter(None, (connection.sock, *held)):
        with suppress(OSError):
            socket.socket.shutdown(sock, socket.SHUT_RDWR)  # not TLS's own, which would talk first


def _why(error: Exception) -> str:
    import http.client
    import ssl

    if isinstance(error, ssl.SSLCertVerificationError):
        return f"has a certificate that this machine does not trust ({error.verify_message})"
    if isinstance(error, http.client.IncompleteRead):
        return "was cut off in the middle of its answer"
    if isinstance(error, OSError):
        return f"could not be reached ({error.strerror or error})"
    return f"answered what is no HTTP ({type(error).__name__})"
