"""Tests ledger/extras.py: the hint that names an extra is right for how the program was installed (specs/files.md F-40)."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.cli.driver import ROOT

_ASK = "import sys; sys.path.insert(0, sys.argv[1]); from ledger.extras import how_to_install as how; print(how('mcp'))"


@pytest.fixture
def prefix(tmp_path: Path) -> Path:
    """An environment of its own, without pip."""
    folder = tmp_path / "my tools"
    venv.create(folder, symlinks=True, with_pip=False)
    return folder


def told(prefix: Path) -> str:
    done = subprocess.run(
        [prefix / "bin" / "python", "-c", _ASK, ROOT], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_pipx_has_an_environment_that_pip_alone_does_not_find(prefix: Path) -> None:
    (prefix / "pipx_metadata.json").write_text("{}")
    assert told(prefix) == "pipx runpip muniment install 'muniment[mcp]'"


def test_an_environment_is_named_by_its_python(prefix: Path) -> None:
    """One of uv's has no pip; another `pip` may stand first on PATH."""
    python = f"'{prefix / 'bin' / 'python'}'"
    assert told(prefix) == f"uv pip install --python {python} 'muniment[mcp]'"
    site = next((prefix / "lib").glob("python*/site-packages"))
    (site / "pip").mkdir()
    (site / "pip" / "__init__.py").touch()
    assert told(prefix) == f"{python} -m pip install 'muniment[mcp]'"
    assert sys.executable not in told(prefix)
