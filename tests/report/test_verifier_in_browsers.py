"""The page's verifier says the same in Chromium and in Firefox, whose WebCrypto are two.

Tests specs/verification.md (V-2…V-10) and specs/event.md (E-10).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.report.browsers import Browser, browser
from tests.report.judging import differing, from_page, signatures, vectors
from tests.report.verifier import HERE

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module", params=["chromium", "firefox"])
def page(request: pytest.FixtureRequest, bundle: Path) -> Iterator[Browser]:
    """A browser with a page, opened from its file, that holds the verifier."""
    scripts = [(bundle / "verify.js").read_text("utf-8"), (HERE / "cases.js").read_text("utf-8")]
    file = bundle / "verifier.html"
    file.write_text("".join(f"<script>{each}</script>" for each in ["", *scripts]), "utf-8")
    with browser(request.param) as started:
        started.open(file)
        yield started


def ask(page: Browser, name: str, cases: list[dict[str, Any]]) -> list[Any]:
    code = f"given => cases.{name}(verifier, given)"
    answers: list[Any] = page.evaluate(code, cases)
    return answers


def test_of_every_vector_it_says_what_verify_says(page: Browser) -> None:
    judged = list(vectors())
    assert differing(judged, map(from_page, ask(page, "reports", [each.case for each in judged]))) == {}


def test_of_hostile_signatures_it_says_what_libsodium_says(page: Browser) -> None:
    hostile = list(signatures())
    assert differing(hostile, ask(page, "holding", [each.case for each in hostile])) == {}


def test_the_browser_computes_itself(page: Browser) -> None:
    """A page from a file may use WebCrypto, which is what makes it fast."""
    assert page.evaluate("() => isSecureContext && typeof crypto.subtle") == "object"
