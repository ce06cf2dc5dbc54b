"""specs/vectors/by_hand.sh recomputes an event and a checkpoint with public tools.

Tests specs/proofs.md (T-70). Where b3sum is not installed, a script with the blake3 package stands in for it, so that the rest
is tried all the same.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from base64 import b64encode
from pathlib import Path

import pytest

from proofs.merkle import leaf_hash
from tests.proofs.world import Shown

SCRIPT = Path(__file__).resolve().parents[2] / "specs" / "vectors" / "by_hand.sh"
STAND_IN = """\
#!/bin/sh
exec "{python}" -c '
import sys
from blake3 import blake3
context, path = sys.argv[2], sys.argv[4]
print(blake3(open(path, "rb").read(), derive_key_context=context).hexdigest())
' "$@"
"""
"""A shell's script, since a path with a space cannot stand behind #!."""


@pytest.fixture
def tools(tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """A PATH with everything that the commands call."""
    missing = [name for name in ("openssl", "xxd", "sed") if shutil.which(name) is None]
    version = (
        subprocess.run(["openssl", "version"], capture_output=True, text=True).stdout if not missing else ""
    )
    if missing or not version.startswith("OpenSSL 3"):
        pytest.skip(f"needs OpenSSL 3, xxd and sed: {missing or version}")
    if request.param == "b3sum":
        if shutil.which("b3sum") is None:
            pytest.skip("b3sum is not installed")
        return os.environ["PATH"]
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "b3sum").write_text(STAND_IN.format(python=sys.executable))
    (folder / "b3sum").chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


@pytest.mark.parametrize("tools", ["b3sum", "stand-in"], indirect=True)
@pytest.mark.parametrize("seq", [1, 2])
def test_the_commands_in_the_spec_come_to_what_stands_in_the_chain(
    tmp_path: Path, tools: str, seq: int
) -> None:
    world = Shown(tmp_path / "world")
    world.fill('He said "sig":" and \\ "payload": {}', "Deploy on Mondays", "three")
    world.sign()
    script = SCRIPT.read_text("utf-8").replace("N=1 ", f"N={seq} ")
    done = subprocess.run(
        ["sh", "-eu", "-c", script],
        cwd=world.directory,
        env={**os.environ, "PATH": tools},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    computed, prev, committed, commit, first, leaf, second = done.stdout.split("\n")[:7]
    event = world.events()[seq]
    with world.reading() as chain:
        head = chain.head(seq)
    assert computed == prev == event.id
    assert committed == commit == event.head["commit"]
    assert "Verified Successfully" in first
    assert "Verified Successfully" in second
    assert leaf == b64encode(leaf_hash(head)).decode()
