"""HTTP servers of tests, on a free port of the loopback, which end with a block.

`serving` answers every request by one function, `raw` says what it likes, and `served` is for a server that a test makes.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

Reply = tuple[int, bytes] | tuple[int, bytes, dict[str, str]]
"""Status, body, and the headers that matter."""


class Request(NamedTuple):
    method: str
    path: str
    body: bytes
    headers: dict[str, str]


@contextlib.contextmanager
def serving(answer: Callable[[Request], Reply]) -> Iterator[str]:
    """Serve `answer`; give its address without a slash at the end."""

    class Handler(BaseHTTPRequestHandler):
        def _do(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, data, *more = answer(Request(self.command, self.path, body, dict(self.headers.items())))
            headers = {"Content-Type": "application/octet-stream", "Content-Length": str(len(data))}
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                self.send_response(status)
                for name, value in (headers | more[0] if more else headers).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

        do_GET = do_POST = _do  # noqa: N815 - the names that http.server calls

        def log_message(self, format: str, *args: object) -> None:
            pass

    with served(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as address:
        yield address


@contextlib.contextmanager
def served(server: ThreadingHTTPServer) -> Iterator[str]:
    """Run a server in a thread; give its address without a slash at the end."""
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextlib.contextmanager
def raw(send: Callable[[Callable[[bytes], None], threading.Event], None]) -> Iterator[str]:
    """Serve one connection at a time that says what `send` says, whatever it is asked."""
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
