"""Attacks by whoever hands out a report: specs/attacks.md AT-127."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import muniment
from report.contents import contents
from report.page_file import page
from tests.attacks.conftest import Victim
from tests.attacks.rows import row
from tests.report.browsers import Browser, browser


@pytest.fixture(params=["chromium", "firefox"])
def window(request: pytest.FixtureRequest) -> Iterator[Browser]:
    with browser(request.param) as started:
        yield started


@pytest.mark.browser
@row("AT-127")
def test_a_file_that_says_that_it_is_served_makes_nobody_known(
    victim: Victim, window: Browser, tmp_path: Path
) -> None:
    place, _ = muniment.locate("user", None)
    with muniment.MemoryLedger(place, muniment.home()) as memory:
        data = page(contents(memory, live=True))
    (tmp_path / "report.html").write_bytes(data)
    window.open(tmp_path / "report.html")
    window.do("wait", expression="/✓|✗/.test(document.querySelector('.state')?.textContent)")
    assert window.evaluate("() => document.querySelector('.state').textContent") == "✓ sound, signer unknown"
    assert "Review" not in window.evaluate("() => document.querySelector('nav').textContent")
