"""The demo shows what holds, and stops where something does not."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from demo import run as demo
from tests.cli.driver import ROOT
from tests.forking import run_python


def _demo(*args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "demo" / "run.py"), *args],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        timeout=300,
        check=False,
    )


def _forked(
    command: list[str], *, env: dict[str, str] | None = None, cwd: Path | None = None, **more: Any
) -> subprocess.CompletedProcess[str]:
    if env is None or cwd is None:
        return subprocess.run(command, **more)  # git
    return run_python(command[1:], env={**env, "PYTHONPATH": str(ROOT)}, cwd=cwd)


def test_it_runs_through_and_leaves_nothing_behind(
    isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every claim is made by a check, and the person's own home stays empty. Its commands are forked, not started."""
    before = sorted(isolated.rglob("*"))
    monkeypatch.setattr(demo, "subprocess", SimpleNamespace(run=_forked, DEVNULL=subprocess.DEVNULL))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["run.py"])
    demo.main()
    said = capsys.readouterr().out
    for claim in (
        "importing twice is the same as once",
        "every event is what was signed, and none is missing",
        "a correction that was said once is a candidate",
        "the secret was refused, and is nowhere in the log",
        "the later wish replaced the earlier one",
        "not one document is left",
        "documents are the same, byte for byte",
        "it is caught, in line",
        "but the mark of this machine knows of more",
        "of all memories one is in the file",
        "the file alone shows what was said",
        "anyone with a checkpoint knows that it was cut",
        "Everything did what it says",
    ):
        assert claim in said
    assert sorted(isolated.rglob("*")) == before
    assert list(tmp_path.iterdir()) == []


_LIARS = {
    "fails": "import sys; sys.exit(1)",
    "says nothing": "",
    "counts more each time": """
import time
print('{"events": %d}' % time.time_ns())
""",
    "always calls it sound": """
import sys
from runpy import run_path
if "verify" in sys.argv:
    print('{"sound": true, "complete": true, "integrity": {"state": "sound", "findings": []}, '
          '"completeness": {"state": "sound"}}')
    sys.exit(0)
sys.path.insert(0, ROOT)
from cli.main import main
main()
""",
}
_SLOW = {"always calls it sound"}
"""A lie that is caught after fifty commands that tell the truth."""


@pytest.mark.parametrize(
    "liar", [pytest.param(name, marks=pytest.mark.soak) if name in _SLOW else name for name in _LIARS]
)
def test_a_command_that_does_not_do_what_it_says_ends_it(tmp_path: Path, liar: str) -> None:
    """Exit code 1, and no word of success."""
    package = tmp_path / "liar"
    package.mkdir()
    (package / "__main__.py").write_text(f"ROOT = {str(ROOT)!r}\n" + _LIARS[liar])
    code = (ROOT / "demo" / "run.py").read_text("utf-8").replace('else "cli"', 'else "liar"')
    (tmp_path / "run.py").write_text(code)
    (tmp_path / "sample").symlink_to(ROOT / "demo" / "sample")
    done = subprocess.run(
        [sys.executable, str(tmp_path / "run.py")],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT)))},
        timeout=300,
        check=False,
    )
    assert done.returncode == 1
    assert "the demo found a fault" in done.stderr
    assert "Everything did what it says" not in done.stdout


def test_documents_that_are_not_there_are_named(tmp_path: Path) -> None:
    """A person's own folder may be misspelled."""
    done = _demo(str(tmp_path / "nowhere"))
    assert done.returncode == 1
    assert "nowhere" in done.stderr


@pytest.mark.soak
def test_the_real_documents_go_through_as_well() -> None:
    """Memory files of public repositories, where they lie beside the checkout."""
    documents = ROOT.parent / "shared" / "data" / "memory-files"
    if not documents.is_dir():
        pytest.skip("the collection of real memory files is not beside this checkout")
    done = _demo(str(documents))
    assert done.returncode == 0, done.stdout + done.stderr
