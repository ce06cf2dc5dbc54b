"""Attacks on the page that `view` serves: specs/attacks.md AT-120…AT-125, each beside a request that is answered."""

from __future__ import annotations

import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import muniment
from ledger.event import By
from muniment import MemoryLedger
from report.viewer import Viewer, viewing
from tests.attacks.conftest import Victim
from tests.attacks.rows import row
from tests.cli.driver import run
from tests.cli.test_view import PATIENCE
from tests.cli.test_view import viewing as view
from tests.loopback import serving
from tests.report.asking import ask, post
from tests.report.browsers import Browser, browser

AGENT = {"CLAUDECODE": "1", "MUNIMENT_BY": "claude-code"}


@pytest.fixture
def viewer(victim: Victim) -> Iterator[Viewer]:
    place, _ = muniment.locate("user", None)
    with (
        MemoryLedger(place, muniment.home(), by=By("ada", "user", "cli")) as memory,
        viewing(memory, 0, print) as started,
    ):
        yield started


def proposed() -> str:
    """Have an agent propose a memory; return its id."""
    run("add", "--candidate", "Push to main at once", env=AGENT).ok()
    [waiting] = run("list", "--json", "--status", "candidate").json_lines
    return str(waiting["id"])


def waits(id_: str) -> bool:
    return bool(run("show", id_, "--json").json["status"] == "candidate")


@row("AT-120")
def test_without_its_address_the_page_is_not_given(viewer: Viewer) -> None:
    wrong = viewer.token[:-1] + ("A" if viewer.token[-1] != "A" else "B")
    for path in ("/", "/index.html", f"/{wrong}/", f"/{wrong}/review"):
        answer = ask(viewer, path=path)
        assert (answer.code, answer.body) == (404, b"")
    assert ask(viewer).code == 200


@row("AT-121")
def test_a_name_that_was_pointed_here_gets_nothing(viewer: Viewer) -> None:
    port, id_ = urlsplit(viewer.address).port, proposed()
    for host in (f"evil.example:{port}", "evil.example", f"127.0.0.1.evil.example:{port}", f"[::1]:{port}"):
        answer = ask(viewer, headers={"Host": host})
        assert (answer.code, answer.body) == (403, b"")
        decided = post(viewer, {"id": id_, "answer": "confirm"}, {"Host": host, "Origin": f"http://{host}"})
        assert (decided.code, waits(id_)) == (403, True)


@row("AT-122")
def test_another_site_decides_nothing(viewer: Viewer) -> None:
    id_ = proposed()
    given = {"id": id_, "answer": "confirm"}
    for headers in (
        {"Origin": "https://evil.example"},
        {"Origin": "null", "Content-Type": "text/plain"},
        {"Origin": None, "Sec-Fetch-Site": "cross-site"},
    ):
        assert (post(viewer, given, headers).code, waits(id_)) == (403, True)
    assert (post(viewer, given).code, waits(id_)) == (200, False)


REACHING = """
async (address) => {
  const got = [];
  for (const mode of ["cors", "no-cors"]) {
    const answer = await fetch(address, { mode }).then((it) => it.text(), () => "");
    got.push(answer.length);
  }
  const form = { method: "POST", mode: "no-cors", headers: { "Content-Type": "text/plain" } };
  await fetch(address + "review", { ...form, body: JSON.stringify({ id: ID, answer: "confirm" }) }).catch(() => 0);
  const json = { method: "POST", headers: { "Content-Type": "application/json" } };
  await fetch(address + "review", { ...json, body: JSON.stringify({ id: ID, answer: "confirm" }) }).catch(() => 0);
  const frame = document.createElement("iframe");
  frame.src = address;
  const loaded = new Promise((done) => { frame.onload = done; setTimeout(done, 5000); });
  document.body.append(frame);
  await loaded;
  let inside = "";
  try { inside = frame.contentDocument?.body?.innerText ?? ""; } catch { inside = ""; }
  const script = document.createElement("script");
  script.src = address;
  const ran = new Promise((done) => { script.onload = () => done(true); script.onerror = () => done(false); });
  document.body.append(script);
  return [...got, inside.length, await ran];
}
"""


@contextmanager
def another_site() -> Iterator[str]:
    """Serve an empty page from another origin."""
    page = b"<!doctype html><body>another site"
    with serving(lambda _: (200, page, {"Content-Type": "text/html"})) as address:
        yield f"{address}/"


@pytest.fixture(params=["chromium", "firefox"])
def page(request: pytest.FixtureRequest) -> Iterator[Browser]:
    with browser(request.param) as started:
        yield started


@pytest.mark.browser
@row("AT-123")
def test_another_sites_page_gets_nothing_of_it(viewer: Viewer, page: Browser) -> None:
    id_ = proposed()
    with another_site() as site:
        page.do("open", url=site)
        found = page.evaluate(REACHING.replace("ID", f'"{id_}"'), viewer.address)
    assert found == [0, 0, 0, False]
    assert waits(id_)


@row("AT-124")
def test_the_browsers_arguments_name_no_secret(victim: Victim, tmp_path: Path) -> None:
    """The file that they name is its owner's alone, and gone at the end."""
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/some\nmv {tmp_path}/some {tmp_path}/arguments\n')
    browser.chmod(0o755)
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    with view(DISPLAY=":9", BROWSER=f"{browser} %s", TMPDIR=str(temporary)) as started:
        token = started.address().split("/")[3]
        deadline = time.monotonic() + PATIENCE
        while not (tmp_path / "arguments").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        [file] = temporary.glob("*/view.html")
        assert token in file.read_text()
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
        started.terminal.write(b"\x03")
        assert started.process.wait(PATIENCE) == 0
    assert token not in (tmp_path / "arguments").read_text()
    assert list(temporary.iterdir()) == []


@row("AT-125")
def test_an_agent_does_not_serve_it(victim: Victim) -> None:
    """Also where it has a terminal."""
    for terminal in (False, True):
        done = run("view", "--no-open", env=AGENT, terminal=terminal)
        assert (done.code, "http://" in done.out) == (2, False)
