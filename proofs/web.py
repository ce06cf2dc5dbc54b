"""One question to an address that a person typed: bounded in time and size, and asked of nobody else.

Implements specs/anchors.md (W-10…W-13). No redirect, no proxy, no cookie, no second try. Sockets are loaded when one is needed:
verify reads this module for what it bounds.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from urllib.parse import urlsplit

from ledger.errors import OutsideError, UsageError
from ledger.lazy_pattern import lazy_pattern

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
        """Return the error that names the request to this address, and its answer."""
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
        UsageError: it is not allowed (W-11).
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
        UsageError: it is not an address.
        OutsideError: no answer in time, or the answer is too long, cut off or not HTTP.
    """
    import queue
    import threading

    answers: queue.SimpleQueue[HttpResponse | Exception] = queue.SimpleQueue()

    def exchange() -> None:
        try:
            answers.put(_exchange(address, body, headers or {}, patience))
        except Exception as error:  # noqa: BLE001 - raised below, in the thread that asked
            answers.put(error)

    checked(address)
    threading.Thread(
        target=exchange, daemon=True
    ).start()  # nothing else ends a resolver's call, or an answer that drips
    try:
        answer = answers.get(timeout=patience)
    except queue.Empty:
        answer = TimeoutError()
    if isinstance(answer, HttpResponse):
        return answer
    if isinstance(answer, TimeoutError):
        raise OutsideError(f"{address} did not answer within {patience:g} seconds; nothing was stored")
    raise OutsideError(f"{address} {_why(answer)}; nothing was stored") from None


def _exchange(address: str, body: bytes | None, headers: dict[str, str], patience: float) -> HttpResponse:
    """Send one request and return the answer; raises what sockets and HTTP raise, and ValueError for one that is too long."""
    import http.client
    import ssl

    parts = urlsplit(address)
    host, target = parts.hostname or "", (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    connection: http.client.HTTPConnection
    if parts.scheme == "https":
        context = ssl.create_default_context()
        connection = http.client.HTTPSConnection(host, parts.port, timeout=patience, context=context)
    else:
        connection = http.client.HTTPConnection(host, parts.port, timeout=patience)
    sent = {"User-Agent": _AGENT, "Accept-Encoding": "identity", "Connection": "close", **headers}
    with closing(connection):
        connection.request("GET" if body is None else "POST", target, body=body, headers=sent)
        with connection.getresponse() as response:
            data = response.read(MAX_ANSWER + 1)
            if len(data) > MAX_ANSWER:
                raise ValueError(f"answered more than {MAX_ANSWER} bytes")
            if response.length:
                raise http.client.IncompleteRead(data, response.length)
            kind = (response.getheader("Content-Type") or "").partition(";")[0].strip().lower()
            return HttpResponse(address, response.status, kind, data)


def _why(error: Exception) -> str:
    import http.client
    import ssl

    if isinstance(error, ssl.SSLCertVerificationError):
        return f"has a certificate that this machine does not trust ({error.verify_message})"
    if isinstance(error, http.client.IncompleteRead):
        return "was cut off in the middle of its answer"
    if isinstance(error, OSError):
        return f"could not be reached ({error.strerror or error})"
    if type(error) is ValueError:
        return str(error)
    return f"answered something that is not HTTP ({type(error).__name__})"
