"""The README's beginning, played by a newcomer with Claude Code alone: the real program, an empty home, an installed muniment."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.agents.claude_program import INSTALLED, claude, messages_api
from tests.agents.hooks.calling import faults, settled
from tests.cli.driver import ROOT
from tests.test_wheel import built as built  # noqa: PLC0414 - a fixture
from tests.test_wheel import by_pipx as by_pipx  # noqa: PLC0414 - a fixture
from tests.test_wheel import wheel as wheel  # noqa: PLC0414 - a fixture
from tests.test_wheel import wheelhouse as wheelhouse  # noqa: PLC0414 - a fixture

pytestmark = [INSTALLED, pytest.mark.no_scripts]


def test_the_second_session_knows_what_the_first_was_told(
    isolated: Path, by_pipx: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three commands of the README and two sessions; pipx is given the checkout's wheel, and a yes takes the place of an answer."""
    shown = (ROOT / "README.md").read_text("utf-8").partition("To install it")[2].partition("\n\n")[0]
    first, *commands = re.findall("`((?:pipx|muniment) [^`]+)`", shown)
    (said,) = re.findall('"(Remember: [^"]+)"', " ".join(shown.split()))
    assert first == "pipx install ."
    assert len(commands) == 2
    monkeypatch.setenv("PATH", f"{by_pipx}{os.pathsep}{os.environ['PATH']}")
    project = tmp_path / "project"
    subprocess.run(["git", "init", "--quiet", project], check=True)
    for command in commands:
        words = shlex.split(command)
        done = subprocess.run(
            [*words, "--yes"] if "install" in words else words,
            cwd=project,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert done.returncode == 0, done.stdout

    with messages_api() as (address, asked):
        claude("-p", said, cwd=project, ANTHROPIC_BASE_URL=address)
        before = len(asked)
        claude("-p", "How do I install it?", cwd=project, ANTHROPIC_BASE_URL=address)
    assert 0 < before < len(asked)
    memory = f"- {said.removeprefix('Remember: ')}"
    assert memory not in json.dumps(asked[:before])
    assert memory in json.dumps(asked[before:])
    settled()
    assert faults() == []
