"""The viewer, over real HTTP on loopback: its page, and what it refuses.

Tests specs/report.md (H-20…H-24).
"""

from __future__ import annotations

import re
import socket
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

import muniment
from ledger.errors import NoLedgerError, UsageError
from ledger.memory import Memory
from muniment import MemoryLedger
from report.viewer import Viewer, viewing
from tests.cli.driver import run
from tests.report.asking import ask, candidate, post
from tests.report.page_data import data_of


def test_the_page_has_the_ledger_as_it_is_now(viewer: Viewer, memory: MemoryLedger) -> None:
    """H-24: a reload shows what is new."""
    assert data_of(ask(viewer).body.decode(), "chain-0") == memory.workspace.chain.read_bytes()
    memory.store(Memory("Deploy with make ship"))
    answer = ask(viewer)
    assert (answer.code, answer.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert data_of(answer.body.decode(), "chain-0") == memory.workspace.chain.read_bytes()


def test_the_page_may_ask_its_own_server_and_nothing_else(viewer: Viewer) -> None:
    """H-23: that is all by which its policy differs from a report's; the header says the same, and forbids frames."""
    [own] = re.findall(r'Content-Security-Policy" content="([^"]*)"', ask(viewer).body.decode())
    [report] = re.findall(r'Content-Security-Policy" content="([^"]*)"', run("report", "-o", "-").ok().out)
    assert own == report.replace("default-src 'none';", "default-src 'none'; connect-src 'self';")
    headers = ask(viewer).headers
    assert headers["Content-Security-Policy"] == f"{own}; frame-ancestors 'none'"
    assert headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cross-Origin-Opener-Policy"] == headers["Cross-Origin-Resource-Policy"] == "same-origin"


def test_each_start_has_a_token_of_its_own(memory: MemoryLedger) -> None:
    """H-21."""
    with viewing(memory, 0, print) as one, viewing(memory, 0, print) as two:
        assert one.token != two.token
        assert len(one.token) >= 43  # 256 bits in base64
        assert ask(one, path=f"/{two.token}/").code == 404


def test_localhost_is_a_name_of_it(viewer: Viewer) -> None:
    port = urlsplit(viewer.address).port
    assert ask(viewer, headers={"Host": f"localhost:{port}"}).code == 200


REFUSED: dict[str, tuple[str, str, dict[str, str | None], int]] = {
    "no token": ("GET", "/", {}, 404),
    "the token in part": ("GET", "/{half}/", {}, 404),
    "the token without its end": ("GET", "/{token}", {}, 404),
    "the token after something": ("GET", "/x/{token}/", {}, 404),
    "a whole address": ("GET", "http://{host}/{token}/", {}, 404),
    "the page's source": ("GET", "/{token}/page.html", {}, 404),
    "a way out": ("GET", "/{token}/../../../etc/passwd", {}, 404),
    "an escaped way out": ("GET", "/{token}/%2e%2e/chain.jsonl", {}, 404),
    "the chain": ("GET", "/{token}/chain.jsonl", {}, 404),
    "a query": ("GET", "/{token}/?x", {}, 404),
    "the review by GET": ("GET", "/{token}/review", {}, 404),
    "the page by POST": ("POST", "/{token}/", {}, 404),
    "another host": ("GET", "/{token}/", {"Host": "evil.example"}, 403),
    "another host with the port": ("GET", "/{token}/", {"Host": "evil.example:{port}"}, 403),
    "our host without the port": ("GET", "/{token}/", {"Host": "127.0.0.1"}, 403),
    "no host": ("GET", "/{token}/", {"Host": None}, 403),
    "HEAD": ("HEAD", "/{token}/", {}, 501),
    "OPTIONS": ("OPTIONS", "/{token}/review", {"Origin": "https://evil.example"}, 501),
    "PUT": ("PUT", "/{token}/", {}, 501),
    "DELETE": ("DELETE", "/{token}/review", {}, 501),
    "TRACE": ("TRACE", "/{token}/", {}, 501),
}


def test_what_the_page_does_not_ask_for_is_refused(viewer: Viewer) -> None:
    """H-21, H-22: with an empty body, and nothing that lets another origin read it."""
    place = urlsplit(viewer.address)
    names = {"token": viewer.token, "half": viewer.token[:20], "host": place.netloc, "port": place.port}
    for what, (method, path, headers, code) in REFUSED.items():
        given = {name: value and value.format(**names) for name, value in headers.items()}
        answer = ask(viewer, method, path.format(**names), given)
        assert (answer.code, answer.body) == (code, b""), what
        assert not [name for name in answer.headers if name.startswith("Access-Control-")], what
        assert "Set-Cookie" not in answer.headers, what
        assert "Python" not in str(answer.headers), what


def test_slashes_before_the_token_are_one(viewer: Viewer) -> None:
    """Python's server reads them so, and no redirect to another host comes of it."""
    assert ask(viewer, path=f"//{viewer.token}/").code == 200


def test_two_hosts_are_refused(viewer: Viewer) -> None:
    place = urlsplit(viewer.address)
    with socket.create_connection(("127.0.0.1", place.port or 0), timeout=20) as connection:
        connection.sendall(
            f"GET {place.path} HTTP/1.1\r\nHost: {place.netloc}\r\nHost: evil.example\r\n\r\n".encode()
        )
        with connection.makefile("rb") as answer:
            assert answer.read().split()[1] == b"403"


FOREIGN: dict[str, tuple[dict[str, str | None], int]] = {
    "another site": ({"Origin": "https://evil.example"}, 403),
    "another port of this machine": ({"Origin": "http://127.0.0.1:1"}, 403),
    "our other name": ({"Origin": "http://localhost:{port}"}, 403),
    "a page from a file": ({"Origin": "null"}, 403),
    "no origin": ({"Origin": None}, 403),
    "a browser that says it is another site": ({"Sec-Fetch-Site": "cross-site"}, 403),
    "a form": ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
    "plain text": ({"Content-Type": "text/plain"}, 415),
    "no type": ({"Content-Type": None}, 415),
    "no length": ({"Content-Length": None}, 411),
    "a negative length": ({"Content-Length": "-1"}, 411),
    "too long": ({"Content-Length": "65537"}, 413),
    "a length of many digits": ({"Content-Length": "9" * 5000}, 413),
}


def test_a_decision_from_anywhere_else_is_refused(viewer: Viewer, memory: MemoryLedger) -> None:
    """H-22: and nothing is written."""
    id_, port = candidate(memory, "Use tabs"), urlsplit(viewer.address).port
    for what, (headers, code) in FOREIGN.items():
        given = {name: value and value.format(port=port) for name, value in headers.items()}
        answer = post(viewer, {"id": id_, "answer": "confirm"}, given)
        assert (answer.code, answer.body) == (code, b""), what
        assert memory.entry(id_).status == "candidate", what


def test_what_is_no_answer_is_refused(viewer: Viewer) -> None:
    odd: list[Any] = [b"", b"{", b"\xff", b"[]", {}, {"id": "x"}, {"id": 1, "answer": "confirm"}]
    for given in (*odd, {"id": "x", "answer": "confirm", "by": "eve"}):
        answer = post(viewer, given)
        assert (answer.code, answer.body) == (400, b""), given


def test_after_its_end_nothing_listens(memory: MemoryLedger) -> None:
    """H-20."""
    with viewing(memory, 0, print) as started:
        port = urlsplit(started.address).port or 0
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=20).close()


def test_a_connection_that_outlives_it_gets_nothing(memory: MemoryLedger) -> None:
    """H-20: browsers open some before they need them."""
    with viewing(memory, 0, print) as started:
        place = urlsplit(started.address)
        connection = socket.create_connection(("127.0.0.1", place.port or 0), timeout=20)
        ask(started)  # the server has taken the connection before
    with connection, connection.makefile("rb") as answer:
        connection.sendall(f"GET {place.path} HTTP/1.1\r\nHost: {place.netloc}\r\n\r\n".encode())
        got = answer.read()
    assert (got.split()[1], b"run it again" in got, b"script" in got) == (b"500", True, False)


def test_a_port_in_use_is_named(viewer: Viewer, memory: MemoryLedger) -> None:
    port = urlsplit(viewer.address).port or 0
    with pytest.raises(UsageError, match="--port"), viewing(memory, port, print):
        pass


def test_without_a_ledger_there_is_nothing_to_view(isolated: Path) -> None:
    place, _ = muniment.locate("user", None)
    with MemoryLedger(place, muniment.home()) as none, pytest.raises(NoLedgerError), viewing(none, 0, print):
        pass
