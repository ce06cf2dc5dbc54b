"""`make site`: pages whose links lead somewhere, and that load nothing from elsewhere."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.cli.driver import ROOT

pytestmark = [
    pytest.mark.skipif(
        find_spec("mkdocs") is None, reason="mkdocs is not installed: `make extras` installs it"
    ),
    pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed"),
]


@pytest.fixture(scope="module")
def site() -> Path:
    """The site, built without a warning by the packages of this environment."""
    venv = os.path.relpath(sys.prefix, ROOT)  # make takes no path with a space
    done = subprocess.run(
        ["make", "--no-print-directory", "--old-file", f"{venv}/ready", "site", f"SITE_VENV={venv}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return ROOT / "build" / "site"


def test_every_page_is_built(site: Path) -> None:
    """One for each page of docs and specs, and the names of Python with what they do."""
    sources = [
        path.relative_to(ROOT) for folder in ("docs", "specs") for path in (ROOT / folder).rglob("*.md")
    ]
    built = {path.with_suffix("") for path in (each.relative_to(site) for each in site.rglob("*.html"))}
    names = {path.with_suffix("") for path in sources if path.name != "README.md"}
    assert names <= built
    python = (site / "docs" / "python.html").read_text("utf-8")
    assert 'id="muniment.MemoryLedger.store"' in python
    assert 'id="muniment.MemoryLedger.write"' not in python


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    """No font, style, script or picture of another host."""
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8")
        assert not re.search(r"<(?:script|img|iframe)[^>]*\ssrc=\"?(?:https?:)?//", text), page.name
        assert not re.search(r"<link[^>]*\shref=\"?(?:https?:)?//", text), page.name
    for sheet in site.rglob("*.css"):
        assert not re.search(r"url\(\"?(?:https?:)?//", sheet.read_text("utf-8")), sheet.name
