"""The review queue of the page, in Chromium and in Firefox, with the keyboard.

Tests specs/report.md (H-23, H-25, H-26).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import muniment
from ledger.event import By
from ledger.memory import Memory
from muniment import MemoryLedger
from report.viewer import Viewer, viewing
from tests.report.browsers import Browser, browser
from tests.report.verifier import BROWSER

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror=document.title='owned'>\u202e"
TEXTS = ("Use tabs", "Push to main", "Ask ada", HOSTILE)


@pytest.fixture
def viewer(isolated: Path) -> Iterator[Viewer]:
    """A ledger in which an agent proposed four memories."""
    muniment.init().close()
    place, _ = muniment.locate("user", None)
    with MemoryLedger(place, muniment.home(), by=By("ada", "user", "cli")) as memory:
        for text in TEXTS:
            memory.store(Memory(text, status="candidate"), By("claude-code", "agent", "mcp"))
        with viewing(memory, 0, print) as started:
            yield started


@pytest.fixture(scope="module", params=["chromium", "firefox"])
def page(request: pytest.FixtureRequest) -> Iterator[Browser]:
    with browser(request.param) as started:
        yield started


FOCUS = """
({ text, name }) => {
  const card = [...document.querySelectorAll("section.waiting")].find((each) => each.innerText.includes(text));
  [...card.querySelectorAll("button")].find((each) => each.innerText === name).focus();
}
"""
SHOWN = "() => [...document.querySelectorAll('section.waiting .waiting-text')].map((each) => each.innerText)"


def press(page: Browser, text: str, name: str) -> None:
    """Press a button of a card by the keyboard."""
    page.evaluate(FOCUS, {"text": text, "name": name})
    page.do("press", keys=["Enter"])


def wait_for_cards(page: Browser, number: int) -> None:
    page.do("wait", expression=f"document.querySelectorAll('section.waiting').length === {number}")


def test_a_person_decides_in_the_page(viewer: Viewer, page: Browser) -> None:
    """What was decided leaves the list; a refusal is said, and its text stays in the field; nothing breaks the policy."""
    page.do("open", url=f"{viewer.address}#/review")
    wait_for_cards(page, 4)
    press(page, "Use tabs", "Confirm")
    wait_for_cards(page, 3)
    press(page, "Push to main", "Delete")
    page.do("press", keys=["Enter"])  # "Yes, delete it" has the focus
    wait_for_cards(page, 2)
    press(page, "Ask ada", "Edit")
    press(page, "Ask ada", "Save")
    page.do(
        "wait",
        expression="document.querySelector('[role=alert]:not(:empty)')?.innerText.includes('unchanged')",
    )
    page.evaluate("() => document.querySelector('textarea').focus()")
    page.do("press", keys=["End", *" first"])
    press(page, "Ask ada", "Save")
    wait_for_cards(page, 1)
    [rest] = page.evaluate(SHOWN)
    assert rest.startswith("<img src=x onerror=")
    assert "\u202e" not in rest
    press(page, "onerror", "Skip")
    wait_for_cards(page, 0)
    texts = {each.memory.text: each.status for each in viewer.memory.load_all()}
    assert texts == {"Use tabs": "active", "Ask ada first": "active", HOSTILE: "candidate"}
    assert page.evaluate("() => document.title") != "owned"
    assert [line for line in page.do("said") if "409" not in line] == []  # the refusal, as Chromium notes it


def test_a_reload_shows_what_is_new(viewer: Viewer, page: Browser) -> None:
    """H-24: and what was decided waits no more."""
    page.do("open", url=f"{viewer.address}#/review")
    wait_for_cards(page, 4)
    viewer.memory.store(Memory("Use spaces", status="candidate"))
    page.evaluate("() => location.reload()")
    wait_for_cards(page, 5)


def test_after_the_end_of_the_server_the_page_says_so(viewer: Viewer, page: Browser) -> None:
    """Whether the browser still has a connection to it or not."""
    with viewing(viewer.memory, 0, print) as ended:
        page.do("open", url=f"{ended.address}#/review")
        wait_for_cards(page, 4)
    press(page, "Use tabs", "Confirm")
    page.do(
        "wait",
        expression="document.querySelector('[role=alert]:not(:empty)')?.innerText.includes('muniment view')",
    )
    assert {each.status for each in viewer.memory.load_all()} == {"candidate"}


def test_nothing_serious_stands_in_the_way_of_a_screen_reader(viewer: Viewer, page: Browser) -> None:
    """By axe-core, with a card that asks and one that is edited."""
    axe = BROWSER / "node_modules" / "axe-core" / "axe.min.js"
    if not axe.exists():
        pytest.skip("axe-core is not installed: run npm install in report/browser")
    page.do("open", url=f"{viewer.address}#/review")
    wait_for_cards(page, 4)
    press(page, "Use tabs", "Delete")
    press(page, "Ask ada", "Edit")
    page.evaluate(f"() => {{ {axe.read_text('utf-8')} }}")
    found = page.evaluate(
        "async () => (await axe.run()).violations.map((each) => [each.impact, each.id, each.nodes[0].html])"
    )
    assert [each for each in found if each[0] in {"serious", "critical"}] == []
