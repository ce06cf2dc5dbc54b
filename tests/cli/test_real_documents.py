"""Documents that people and agents really wrote, taken in whole: what MEMORY.md keeps of them.

The documents are not ours and lie beside the checkout. Tests specs/projections.md (P-5, P-185).
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.driver import run

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data" / "memory-files"
FILES = (
    sorted(path for path in FOLDER.rglob("*") if path.suffix in (".md", ".mdc")) if FOLDER.is_dir() else []
)
LONG = [path for path in FILES if 200 < path.read_bytes().count(b"\n") < 600]

needs_data = pytest.mark.skipif(not FILES, reason="the real documents are not beside this checkout")


def _overflow(ledger: Path) -> list[str]:
    return sorted(path.name for path in (ledger / "memory").glob("*.md"))


@needs_data
@pytest.mark.parametrize("path", FILES[::3], ids=lambda path: path.relative_to(FOLDER).as_posix())
def test_what_fits_stays_whole(path: Path, ledger: Path) -> None:
    """P-185: a document of fewer lines than MEMORY.md may have loses none of them to another file."""
    source = path.read_text("utf-8", "replace")
    if source.count("\n") >= 190:
        pytest.skip("it may not fit beside our own title and blank lines")
    shutil.copy(path, "CLAUDE.md")
    assert run("import", "CLAUDE.md").code in {0, 5, 6}
    assert _overflow(ledger) == []


@needs_data
@pytest.mark.parametrize("path", LONG, ids=lambda path: path.relative_to(FOLDER).as_posix())
def test_the_beginning_of_what_does_not_fit_stays(path: Path, ledger: Path) -> None:
    """P-5, P-151: what leaves MEMORY.md is not the top of the document."""
    shutil.copy(path, "CLAUDE.md")
    assert run("import", "CLAUDE.md").code in {0, 5, 6}
    assert _overflow(ledger)
    shown = (ledger / "MEMORY.md").read_text()
    said = [line.strip().lstrip("-*").strip() for line in path.read_text("utf-8-sig").splitlines()]
    top = [line for line in said if line and not line.startswith(("#", "|"))][:20]
    assert [line for line in top if line not in shown] == []
