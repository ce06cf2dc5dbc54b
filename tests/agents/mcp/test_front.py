"""A client learns what there is before the SDK is loaded.

Tests specs/doors.md (G-49).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pytest

from docs import first_answers
from docs.first_answers import LISTS, MODERN, hello
from tests import forking
from tests.agents.mcp.talking import LEGACY
from tests.agents.mcp.talking import MODERN as NEW
from tests.cli.driver import ROOT, environment, user_ledger

_PATIENCE = 60

READY = {"method": "notifications/initialized"}
NEW_BEGINNING = [{"id": "d", "method": "server/discover"}, *({"id": each, "method": each} for each in LISTS)]
BEGINNINGS: dict[str, list[dict[str, Any]]] = {
    LEGACY: [hello("2025-06-18"), READY, *({"id": each, "method": each} for each in LISTS)],
    NEW: [each | {"params": {"_meta": MODERN}} for each in NEW_BEGINNING],
}

# The SDK can be imported once the file GATE is there, and not before.
_GATED = """
import sys, time, pathlib

class Gate:
    def find_spec(self, name, path=None, target=None):
        while name == "mcp.server" and not pathlib.Path(sys.argv[1]).exists():
            time.sleep(0.01)

sys.meta_path.insert(0, Gate())
from cli import main
sys.exit(main.run(["mcp"]))
"""

# The table has no answer, so that the SDK gives all of them.
_WITHOUT_ANSWERS = """
import json, pathlib, sys, tempfile
from agents.mcp import front
none = {"versions": [], "lists": {}, "server/discover": {"supportedVersions": []}}
with tempfile.TemporaryDirectory() as folder:
    front.ANSWERS = pathlib.Path(folder) / "answers.json"
    front.ANSWERS.write_text(json.dumps(none))
    from cli import main
    sys.exit(main.run(["mcp"]))
"""


class Wire:
    """A client that writes lines and reads lines."""

    def __init__(self, stdin: IO[str], stdout: IO[str]) -> None:
        self._in, self._out = stdin, stdout

    def say(self, *messages: dict[str, Any]) -> None:
        self._in.writelines(json.dumps({"jsonrpc": "2.0"} | each) + "\n" for each in messages)
        self._in.flush()

    def hear(self) -> dict[str, Any]:
        heard: dict[str, Any] = json.loads(self._out.readline())
        return heard

    def end(self) -> str:
        """Go away; return what was said beside the answers that were heard."""
        self._in.close()
        return self._out.read()


@contextmanager
def server(*command: str) -> Iterator[Wire]:
    with subprocess.Popen(
        [sys.executable, *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment(),
        cwd=ROOT,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield Wire(process.stdin, process.stdout)
            assert process.wait() == 0
        finally:
            process.kill()


@contextmanager
def forked(*command: str) -> Iterator[Wire]:
    """A server that has the SDK already."""
    (stdin, given), (out, stdout) = os.pipe(), os.pipe()
    process = forking.Forked(command, (stdin, stdout, 2), cwd=ROOT, env=environment())
    os.close(stdin)
    os.close(stdout)
    try:
        with os.fdopen(given, "w") as to, os.fdopen(out) as back:
            yield Wire(to, back)
        assert process.wait(_PATIENCE) == 0
    finally:
        process.kill()
        process.close()


def search(mode: str, query: str) -> dict[str, Any]:
    params: dict[str, Any] = {"name": "memory_search", "arguments": {"query": query}}
    return {"id": 77, "method": "tools/call", "params": params | ({"_meta": MODERN} if mode == NEW else {})}


def test_the_table_says_what_the_server_says() -> None:
    """G-49: `make docs` writes it."""
    assert json.loads(first_answers.FILE.read_text("utf-8")) == first_answers.answers()


def test_a_client_has_the_tools_before_the_sdk_is_loaded(isolated: Path, tmp_path: Path) -> None:
    """G-49: what needs a ledger is answered once it is."""
    user_ledger()
    gate = tmp_path / "gate"
    with server("-c", _GATED, str(gate)) as wire:
        for message in BEGINNINGS[LEGACY]:
            wire.say(message)
            if "id" in message:
                heard = wire.hear()
                assert (heard["id"], "result" in heard) == (message["id"], True)
        wire.say(search(LEGACY, "tabs"))
        gate.touch()
        assert wire.hear()["result"]["structuredContent"] == {"results": [], "did_you_mean": ""}
        assert wire.end() == ""


@pytest.mark.parametrize("mode", [LEGACY, NEW])
def test_each_request_is_answered_once_when_all_come_together(mode: str, isolated: Path) -> None:
    """G-49: the SDK hears what was answered before it came, and says nothing to it."""
    user_ledger()
    with forked("-m", "cli", "mcp") as wire:
        wire.say(*BEGINNINGS[mode], search(mode, "tabs"))
        asked = [each["id"] for each in BEGINNINGS[mode] if "id" in each]
        assert [wire.hear()["id"] for _ in range(len(asked) + 1)] == [*asked, 77]
        assert wire.end() == ""


def test_what_the_table_does_not_have_the_sdk_answers(isolated: Path) -> None:
    """G-49: a version that it does not know, an argument."""
    user_ledger()
    for message in (
        hello("2099-01-01"),
        {"id": 1, "method": "tools/list", "params": {"cursor": "x", "_meta": MODERN}},
    ):
        with forked("-m", "cli", "mcp") as wire:
            wire.say(message)
            heard = wire.hear()
            assert heard["id"] == 1
            wire.end()
        assert heard == _by_the_sdk(message)


def _by_the_sdk(message: dict[str, Any]) -> dict[str, Any]:
    with forked("-c", _WITHOUT_ANSWERS) as wire:
        wire.say(message)
        heard = wire.hear()
        wire.end()
    return heard


def test_a_client_that_goes_away_at_once_ends_it(isolated: Path) -> None:
    """G-40, G-49: with code 0, the SDK loaded or not."""
    with server("-m", "cli", "mcp") as wire:
        wire.say(hello("2025-11-25"))
        wire.hear()
        assert wire.end() == ""
