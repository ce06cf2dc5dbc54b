"""The page that ships is what its source builds (specs/report.md H-2)."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "report" / "browser"


def test_the_page_in_the_repository_is_what_its_source_builds(tmp_path: Path) -> None:
    """Byte for byte, and not over 250 kB."""
    if not shutil.which("node") or not (SOURCE / "node_modules").is_dir():
        pytest.skip("Node, or what builds the page, is not installed: make page")
    built = tmp_path / "page.html"
    subprocess.run(["node", "build.mjs", built], cwd=SOURCE, check=True)
    shipped = SOURCE.parent / "page.html"
    assert built.read_bytes() == shipped.read_bytes(), "run make page"
    assert shipped.stat().st_size <= 250_000
