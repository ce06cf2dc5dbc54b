"""The viewer, over real HTTP on loopback: its page, what it refuses, and the review queue.

Tests specs/report.md (H-20…H-26).
"""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

import muniment
from ledger.command import Create, Supersede
from ledger.errors import NoLedgerError, UsageError
from ledger.event import By
from ledger.memory import Memory, Provenance
from muniment import MemoryLedger
from projections.query import LogFilter
from report.viewer import Viewer, viewing
from tests.cli.driver import run
from tests.report.asking import ask, post
from tests.report.page_data import data_of

SECRET_TEXT = "Postgres listens on 5433"


@pytest.fixture
def memory(isolated: Path) -> Iterator[MemoryLedger]:
    """A user's ledger with one memory, written by a person through the command line."""
    muniment.init().close()
    place, _ = muniment.locate("user", None)
    with MemoryLedger(place, muniment.home(), by=By("ada", "user", "cli")) as opened:
        opened.store(Memory(SECRET_TEXT))
        yield opened


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def viewer(memory: MemoryLedger, said: list[str]) -> Iterator[Viewer]:
    with viewing(memory, 0, said.append) as started:
        yield started


def candidate(memory: MemoryLedger, text: str, *replaced: str) -> str:
    """Have an agent propose a memory, in the place of others where they are named."""
    made = Memory(text, status="candidate", provenance=Provenance(conversation="c-1"))
    command = Supersede(replaced, made) if replaced else Create(made)
    return memory.write([command], By("claude-code", "agent", "mcp"))[0].id


def queue_of(viewer: Viewer) -> Any:
    return json.loads(data_of(ask(viewer).body.decode(), "rest"))["review"]


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
    "the token after an empty part": ("GET", "//{token}/", {}, 0),
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


@pytest.mark.parametrize("what", REFUSED)
def test_what_the_page_does_not_ask_for_is_refused(viewer: Viewer, what: str) -> None:
    """H-21, H-22: with an empty body, and nothing that lets another origin read it."""
    method, path, headers, code = REFUSED[what]
    place = urlsplit(viewer.address)
    names = {"token": viewer.token, "half": viewer.token[:20], "host": place.netloc, "port": place.port}
    given = {name: value and value.format(**names) for name, value in headers.items()}
    answer = ask(viewer, method, path.format(**names), given)
    assert answer.code == (code or 200)
    if code:
        assert answer.body == b""
        assert not [name for name in answer.headers if name.startswith("Access-Control-")]
        assert "Set-Cookie" not in answer.headers
        assert "Python" not in str(answer.headers)


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


@pytest.mark.parametrize("what", FOREIGN)
def test_a_decision_from_anywhere_else_is_refused(viewer: Viewer, memory: MemoryLedger, what: str) -> None:
    """H-22: and nothing is written."""
    id_ = candidate(memory, "Use tabs")
    headers, code = FOREIGN[what]
    port = urlsplit(viewer.address).port
    given = {name: value and value.format(port=port) for name, value in headers.items()}
    answer = post(viewer, {"id": id_, "answer": "confirm"}, given)
    assert (answer.code, answer.body) == (code, b"")
    assert memory.entry(id_).status == "candidate"


@pytest.mark.parametrize(
    "given", [b"", b"{", b"\xff", b"[]", {}, {"id": "x"}, {"id": 1, "answer": "confirm"}, {"id": "x", "answer": "confirm", "by": "eve"}]
)  # fmt: skip
def test_what_is_no_answer_is_refused(viewer: Viewer, given: Any) -> None:
    answer = post(viewer, given)
    assert (answer.code, answer.body) == (400, b"")


def test_the_queue_shows_what_waits_and_what_an_answer_does(viewer: Viewer, memory: MemoryLedger) -> None:
    """H-25: a no brings back what the candidate replaced before anybody agreed."""
    old = memory.store("Use npm", By("claude-code", "agent", "mcp")).id
    id_ = candidate(memory, "Use pnpm", old)
    [item] = queue_of(viewer)["items"]
    assert (item["id"], item["why"], item["text"]) == (id_, "candidate", "Use pnpm")
    assert (item["by"]["role"], item["from"]) == ("agent", {"kind": "conversation", "name": "c-1"})
    assert item["replaces"] == item["restores"] == [{"id": old, "text": "Use npm"}]
    assert f"brought back {old[:12]}" in post(viewer, {"id": id_, "answer": "delete"}).json["said"]
    assert [each.memory.text for each in memory.load_all()] == [SECRET_TEXT, "Use npm"]


def test_requests_are_counted_and_stay_in_the_terminal(viewer: Viewer, memory: MemoryLedger) -> None:
    """H-25."""
    waiting = run("erase", memory.entry("@1").id, "--yes", env={"CLAUDECODE": "1"})
    assert waiting.code == 15
    assert queue_of(viewer) == {"requests": 1, "items": []}


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ({"answer": "confirm"}, "confirm"),
        ({"answer": "delete"}, "delete"),
        ({"answer": "edit", "text": "Use spaces"}, "supersede"),
    ],
)
def test_an_answer_writes_the_event_of_the_command(
    viewer: Viewer, memory: MemoryLedger, said: list[str], answer: dict[str, str], kind: str
) -> None:
    """H-26: by the person at the terminal; it waits no more, and the terminal says what was done."""
    id_ = candidate(memory, "Use tabs")
    done = post(viewer, {"id": id_, **answer})
    assert done.code == 200
    [row] = memory.log(LogFilter(kinds=(kind,)))
    assert (row.name, row.role, row.via, row.targets) == ("ada", "user", "cli", (id_,))
    assert done.json["events"] == [row.id]
    assert said == [done.json["said"]]
    assert queue_of(viewer)["items"] == []


def test_confirming_replaces_what_an_agent_asked_to_replace(viewer: Viewer, memory: MemoryLedger) -> None:
    """X-291: the queue names it before, and the answer after."""
    old = memory.entry("@1").id
    assert run("supersede", old, "Postgres listens on 5434", env={"CLAUDECODE": "1"}).code == 15
    [item] = queue_of(viewer)["items"]
    assert [each["id"] for each in item["replaces"]] == [old]
    done = post(viewer, {"id": item["id"], "answer": "confirm"}).json
    assert f"supersedes {old[:12]}" in done["said"]
    assert [each.memory.text for each in memory.load_all()] == ["Postgres listens on 5434"]
    assert memory.entry(old).superseded_by == tuple(done["events"])


def test_an_edit_is_taken_and_says_the_new_text(viewer: Viewer, memory: MemoryLedger) -> None:
    """H-26, X-105: all else stays as it was."""
    id_ = memory.store(Memory("Use tabs", status="candidate", tags=("style",))).id
    done = post(viewer, {"id": id_, "answer": "edit", "text": " Use spaces\n"}).json
    now = memory.entry(done["events"][0])
    assert (now.status, now.memory.text, now.memory.tags) == ("active", "Use spaces", ("style",))


REFUSALS = {
    "a secret": ({"answer": "edit", "text": "The key is AKIAIOSFODNN7EXAMPLR"}, "secret"),
    "the same text": ({"answer": "edit", "text": "Use tabs"}, "unchanged"),
    "no text": ({"answer": "edit"}, "text"),
    "another verb": ({"answer": "erase"}, "confirm, edit or delete"),
}


@pytest.mark.parametrize("what", REFUSALS)
def test_what_the_ledger_refuses_is_said_and_it_waits_on(
    viewer: Viewer, memory: MemoryLedger, what: str
) -> None:
    """H-26: in the sentence that the command would say."""
    given, words = REFUSALS[what]
    id_ = candidate(memory, "Use tabs")
    answer = post(viewer, {"id": id_, **given})
    assert answer.code == 409
    assert words in answer.json["error"]
    assert "AKIA" not in answer.json["error"]
    assert memory.entry(id_).status == "candidate"


def test_what_somebody_decided_meanwhile_is_not_decided_again(viewer: Viewer, memory: MemoryLedger) -> None:
    id_ = candidate(memory, "Use tabs")
    memory.confirm([id_])
    answer = post(viewer, {"id": id_, "answer": "delete"})
    assert (answer.code, "meanwhile" in answer.json["error"]) == (409, True)
    assert memory.entry(id_).status == "active"


def test_what_does_not_wait_cannot_be_deleted(viewer: Viewer, memory: MemoryLedger) -> None:
    """The page decides on the queue alone."""
    id_ = memory.entry("@1").id
    assert post(viewer, {"id": id_, "answer": "delete"}).code == 409
    assert memory.entry(id_).status == "active"


def test_after_its_end_nothing_listens(memory: MemoryLedger) -> None:
    """H-20."""
    with viewing(memory, 0, print) as started:
        port = urlsplit(started.address).port or 0
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=20).close()


def test_a_port_in_use_is_named(viewer: Viewer, memory: MemoryLedger) -> None:
    port = urlsplit(viewer.address).port or 0
    with pytest.raises(UsageError, match="--port"), viewing(memory, port, print):
        pass


def test_without_a_ledger_there_is_nothing_to_view(isolated: Path) -> None:
    place, _ = muniment.locate("user", None)
    with MemoryLedger(place, muniment.home()) as none, pytest.raises(NoLedgerError), viewing(none, 0, print):
        pass
