"""One question to one address: bounded in time and size, nobody else is asked, one line where it fails.

Tests specs/anchors.md (W-10…W-13).
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable

import pytest

from ledger.errors import OutsideError, UsageError
from proofs import web
from tests.loopback import Reply, Request, raw, serving

Send = Callable[[bytes], None]


def test_an_answer_is_given_whole() -> None:
    asked: list[Request] = []

    def answer(request: Request) -> Reply:
        asked.append(request)
        return 200, b"x" * web.MAX_ANSWER, {"Content-Type": "text/x.tlog.size; charset=utf-8"}

    with serving(answer) as address:
        got = web.ask(f"{address}/a/b?c=d", b"body", {"Accept": "this"})
        assert (got.status, got.kind, len(got.body)) == (200, "text/x.tlog.size", web.MAX_ANSWER)
        web.ask(address)
    assert (asked[0].method, asked[0].path, asked[0].body) == ("POST", "/a/b?c=d", b"body")
    assert asked[0].headers["Accept"] == "this"
    assert (asked[1].method, asked[1].path) == ("GET", "/")


def test_a_longer_answer_is_refused() -> None:
    with (
        serving(lambda _: (200, b"x" * (web.MAX_ANSWER + 1))) as address,
        pytest.raises(
            OutsideError, match=rf"^{address}/x answered more than 65536 bytes; nothing was stored$"
        ),
    ):
        web.ask(f"{address}/x")


def test_an_answer_without_end_is_not_read() -> None:
    def flood(send: Send, stop: threading.Event) -> None:
        send(b"HTTP/1.1 200 OK\r\n\r\n")
        while not stop.is_set():
            send(b"x" * 65536)

    with raw(flood) as address, pytest.raises(OutsideError, match="more than"):
        web.ask(address, patience=5)


@pytest.mark.parametrize("first", [b"", b"HTTP/1.1 200 OK\r\n\r\n"])
def test_a_dripping_answer_takes_no_longer_than_all_of_it_may(first: bytes) -> None:
    """Each byte comes in time, so a limit for each would never end it."""

    def drip(send: Send, stop: threading.Event) -> None:
        send(first)
        while not stop.wait(0.05):
            send(b"H")

    with raw(drip) as address, pytest.raises(OutsideError, match=r"did not answer within 0\.4 seconds"):
        web.ask(address, patience=0.4)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", "cut off"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nhalf", "cut off"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhalf", "nothing was stored"),
        (b"what?\r\n\r\n", "not HTTP"),
        (b"", "not HTTP|could not be reached"),
    ],
)
def test_half_an_answer_and_none_are_refused(said: bytes, why: str) -> None:
    with raw(lambda send, _: send(said)) as address, pytest.raises(OutsideError, match=why):
        web.ask(address, patience=5)


def test_a_redirect_is_not_followed() -> None:
    asked: list[str] = []

    def elsewhere(request: Request) -> Reply:
        asked.append(request.path)
        return 302, b""

    with serving(elsewhere) as address:
        assert web.ask(f"{address}/one").status == 302
    assert asked == ["/one"]


def test_no_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with serving(lambda _: (200, b"direct")) as address:
        assert web.ask(address).body == b"direct"


def test_nobody_there_is_one_line() -> None:
    with serving(lambda _: (200, b"")) as address:
        assert web.ask(address).status == 200
    with pytest.raises(
        OutsideError, match=rf"^{address} could not be reached \(Connection refused\); nothing"
    ):
        web.ask(address)


def test_a_resolver_that_hangs_takes_no_longer_than_all_of_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    """W-12: the name belongs to the exchange; nothing of the system ends a resolver's call."""
    answered = threading.Event()

    def hang(*_: object, **__: object) -> list[object]:
        answered.wait(10)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", hang)
    with pytest.raises(OutsideError, match=r"did not answer within 0\.4 seconds"):
        web.ask("http://calendar.example/", patience=0.4)
    answered.set()


def test_a_name_that_nobody_has_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> list[object]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(OutsideError, match=r"could not be reached \(Name or service not known\); nothing"):
        web.ask("http://calendar.example/", patience=5)


def test_many_addresses_that_do_not_answer_take_no_longer_than_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """W-12: of a host that names four, each of which lets everybody wait."""
    with contextlib.ExitStack() as stack:
        port, hosts = 0, [f"127.0.0.{end}" for end in range(2, 6)]
        for host in hosts:
            listener = stack.enter_context(socket.socket())
            listener.bind((host, port))
            port = listener.getsockname()[1]
            listener.listen(0)
            for _ in range(3):  # who comes next is not taken
                waiting = stack.enter_context(socket.socket())
                waiting.setblocking(False)
                waiting.connect_ex((host, port))
        known = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (host, port)) for host in hosts]
        real = socket.getaddrinfo
        monkeypatch.setattr(
            socket,
            "getaddrinfo",
            lambda host, *more, **by: known if host == "many" else real(host, *more, **by),
        )
        with pytest.raises(OutsideError, match="did not answer within"):
            web.ask(f"http://many:{port}/", patience=0.6)


@pytest.mark.parametrize(
    "address",
    [
        "", "tsa.example", "ftp://tsa.example", "file:///etc/passwd", "http://", "https:///x", "http://h:99999/",
        "http://user:pw@h/", "http://u@h/", "http://h/#f", "http://h/a b", "http://h/\r\nX: y", "http://hä/",
        "http://[::1", "http://h/" + "x" * 1000,
    ],
)  # fmt: skip
def test_what_is_no_address_is_refused_before_anything_is_opened(address: str) -> None:
    with pytest.raises(UsageError) as refused:
        web.ask(address)
    assert "\n" not in str(refused.value)
    assert "pw" not in str(refused.value)


def test_what_strangers_say_is_told_without_controls() -> None:
    answer = web.HttpResponse("http://h/", 403, "", b"\x1b[31mno\r\nnever " + b"x" * 999)
    assert str(answer.refusal("refused")).startswith("http://h/ refused: it answered 403 ([31mno never xxx")
    assert len(str(answer.refusal("refused"))) < 300
