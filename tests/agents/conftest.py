"""What tests of the agents' doors share with those of commands, and a muniment for programs to start."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.hooks import handover
from tests.cli.conftest import home as home  # noqa: PLC0414 - a fixture
from tests.cli.conftest import ledger as ledger  # noqa: PLC0414 - a fixture
from tests.cli.conftest import memory as memory  # noqa: PLC0414 - a fixture
from tests.cli.driver import ROOT, user_ledger


@pytest.fixture
def on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The program `muniment`, first on PATH: it is run from this checkout."""
    program = tmp_path / "bin" / "muniment"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\nPYTHONPATH={shlex.quote(str(ROOT))} exec {shlex.quote(sys.executable)} -P -m cli "$@"\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    return program


@pytest.fixture
def at_work(on_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, with `muniment` on PATH and a user's ledger of one memory."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    user_ledger("Use pnpm, not npm")
    return folder


@pytest.fixture
def no_worker() -> Iterator[None]:
    """Hold the worker's lock, so that none is started."""
    held = handover.lock()
    assert held is not None
    yield
    os.close(held)
