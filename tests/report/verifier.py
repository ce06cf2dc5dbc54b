"""The page's verifier as the tests ask it: built once, and run by node.

Everything here is skipped with a reason if node or the page's packages are absent.
"""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
BROWSER = ROOT / "report" / "browser"
ESBUILD = BROWSER / "node_modules" / "esbuild" / "bin" / "esbuild"
HERE = Path(__file__).parent

Ask = Callable[[str, list[dict[str, Any]]], list[Any]]
"""Hands cases to a function of cases.js by its name, and gives its answers."""


def node() -> str:
    """Return node; skip the test if it or the packages are absent."""
    found = shutil.which("node")
    if found is None:
        pytest.skip("there is no node")
    if not ESBUILD.exists():
        pytest.skip("the page's packages are not installed: run npm install in report/browser")
    return found


def built(folder: Path) -> Path:
    """Bundle the verifier into a folder as a module and as a script with the global `verifier`; return the folder."""
    command = [node(), str(ESBUILD), "src/verify/index.ts", "--bundle", "--log-level=error"]
    for out, options in (
        ("verify.mjs", ["--format=esm"]),
        ("verify.js", ["--format=iife", "--global-name=verifier"]),
    ):
        subprocess.run([*command, *options, f"--outfile={folder / out}"], cwd=BROWSER, check=True)
    return folder


def in_node(bundle: Path, *, bare: bool = False) -> Ask:
    """Return what asks the verifier in node; `bare` takes WebCrypto from it."""

    def ask(name: str, cases: list[dict[str, Any]]) -> list[Any]:
        given = json.dumps({"ask": name, "cases": cases})
        command = [node(), str(HERE / "in_node.mjs"), str(bundle / "verify.mjs"), *(["bare"] if bare else [])]
        done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        answers: list[Any] = json.loads(done.stdout)
        return answers

    return ask


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()
