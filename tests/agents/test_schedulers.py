"""A program without a command line plans, shows and makes a change of a schedule: G-35, G-37."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents import schedulers
from agents.schedules import Runner

_CRONTAB = '#!/bin/sh\nif [ "$1" = -l ]; then cat "$SPOOL"; else cat > "$SPOOL"; fi\n'


def test_a_change_is_planned_and_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program, spool = tmp_path / "crontab", tmp_path / "spool"
    program.write_text(_CRONTAB)
    program.chmod(0o755)
    spool.write_text("# mine\n")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("SPOOL", str(spool))
    runner = Runner("/opt/bin/muniment", ("--scope", "user"))
    change = schedulers.planned("crontab", runner, install=True)
    assert len([line for line in change.diff() if line.startswith("+*/30 ")]) == 1
    assert spool.read_text() == "# mine\n"
    assert list(schedulers.carry_out(change)) == []
    assert spool.read_text().startswith("# mine\n# muniment: begin")
    assert schedulers.planned("crontab", runner, install=True).texts == {}
    assert list(schedulers.carry_out(schedulers.planned("crontab", runner, install=False))) == []
    assert spool.read_text() == "# mine\n"
