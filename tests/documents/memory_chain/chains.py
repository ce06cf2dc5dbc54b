"""Memory-chains for tests: the golden one, copies of it to spoil, and chains that a JavaScript program signs."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from documents.memory_chain.checking import CheckedChain, read_chain
from ledger.signing import verify_signature

HERE = Path(__file__).resolve().parent
GOLDEN = HERE / "golden"
"""Written by `writer.mjs` from `golden.json`; thirteen entries, one redacted, one whose text is gone."""

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="there is no JavaScript here to be compared with")


def copy_of(folder: Path) -> Path:
    """Return a copy of the golden chain in a folder."""
    return Path(shutil.copytree(GOLDEN, folder / "memory-chain"))


def read(folder: Path) -> CheckedChain:
    """Read and check with the real Ed25519."""
    return read_chain(folder, verify_signature)


def writer(*arguments: object, given: str = "") -> str:
    """Run the JavaScript program and return what it prints."""
    assert NODE is not None
    command = [NODE, str(HERE / "writer.mjs"), *map(str, arguments)]
    return subprocess.run(command, input=given.encode(), capture_output=True, check=True).stdout.decode()


def signed(folder: Path, steps: Sequence[dict[str, Any]]) -> Path:
    """Return the folder of a chain of these entries, signed by the JavaScript program."""
    writer("write", folder, given=json.dumps(steps))
    return folder


def is_valid(folder: Path) -> bool:
    """Say whether the JavaScript program finds a chain valid."""
    return bool(json.loads(writer("check", folder))["valid"])
