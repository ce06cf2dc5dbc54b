"""A real browser for tests: started once, driven through driver.mjs, skipped with a reason where it is absent."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.report.verifier import BROWSER, HERE, node

NAMES = {"chromium": ("chromium", "chromium-browser", "google-chrome"), "firefox": ("firefox", "firefox-esr")}


class BrowserError(Exception):
    """The browser could not do what was asked."""


class Browser:
    """A browser with one page; `name` is "chromium" or "firefox"."""

    def __init__(self, name: str, process: subprocess.Popen[str]) -> None:
        self.name, self._process = name, process

    def do(self, command: str, **given: Any) -> Any:
        """Have driver.mjs run one of its commands; return the value.

        Raises:
            BrowserError: it failed; the message is the browser's.
        """
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps({"do": command, **given}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        answer = json.loads(line) if line else {"error": "the driver ended"}
        if "error" in answer:
            raise BrowserError(answer["error"])
        return answer["value"]

    def open(self, path: Path, **window: Any) -> None:
        """Open a file."""
        self.do("open", url=path.as_uri(), **window)

    def evaluate(self, code: str, argument: Any = None) -> Any:
        """Call a function, given as text, with an argument in the page."""
        return self.do("evaluate", code=code, argument=argument)


@contextmanager
def browser(name: str) -> Iterator[Browser]:
    """Start a browser by its name; skip the test where node, the packages or the browser are absent."""
    found = next(filter(None, map(shutil.which, NAMES[name])), None)
    if found is None:
        pytest.skip(f"there is no {name}")
    runs = node()
    if not (BROWSER / "node_modules" / "puppeteer-core").exists():
        pytest.skip("puppeteer-core is not installed: run npm install in report/browser")
    command = [runs, str(HERE / "driver.mjs"), name, found]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with process:
        yield Browser(name, process)
        assert process.stdin
        process.stdin.close()
