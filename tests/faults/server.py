"""Runs commands of muniment, each in a forked child in which the n-th call of a kind fails.

`python -m tests.faults.server` is started with the compiled shim.c in LD_PRELOAD. It reads one request a line (JSON) and
answers each with one line. Everything is imported once, so that a run costs a fork and not a start.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from tests.forking import ROOT
from tests.warming import warm

KINDS = ("write", "sync", "name", "open")
"""As shim.c counts them: write and pwrite, fsync and fdatasync, rename and link, open."""
HOWS = {"EIO": errno.EIO, "ENOSPC": errno.ENOSPC, "kill": 0}


@dataclass(frozen=True, slots=True)
class Done:
    """What a run came to: its exit code (negative: killed by that signal), what it printed, and the calls it made by kind."""

    code: int
    out: str
    err: str
    calls: Mapping[str, int]


class Server:
    """The process in which the runs are forked."""

    def __init__(self, shim: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.server"],
            cwd=ROOT,
            env={**os.environ, "LD_PRELOAD": str(shim), "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(
        self,
        *arguments: object,
        home: Path,
        cwd: Path,
        given: str = "",
        fault: tuple[str, int, str] | None = None,
    ) -> Done:
        """Run a command with this process's variables.

        Args:
            arguments: what follows `muniment`.
            home: the folder below which calls count.
            cwd: the folder that it runs in.
            given: what stdin gives.
            fault: the kind of the call that fails, its number, and one of HOWS.
        """
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        request = {
            "arguments": [str(each) for each in arguments],
            "home": str(home),
            "cwd": str(cwd),
            "env": dict(os.environ),
            "given": given,
            "fault": fault,
        }
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        return Done(**json.loads(process.stdout.readline()))

    def close(self) -> None:
        """End the process."""
        with self._process as process:
            assert process.stdin is not None
            process.stdin.close()


def _serve() -> None:
    shim = ctypes.CDLL(None)
    shim.fault_counts.restype = ctypes.POINTER(ctypes.c_int * len(KINDS))
    warm("agents.hooks")
    for line in sys.stdin:
        request = json.loads(line)
        counts = shim.fault_counts()
        with (
            tempfile.TemporaryFile() as given,
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as err,
        ):
            given.write(request["given"].encode())
            given.seek(0)
            child = os.fork()
            if not child:
                _run(shim, request, (given.fileno(), out.fileno(), err.fileno()))
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            said = []
            for stream in (out, err):
                stream.seek(0)
                said.append(stream.read().decode())
        calls = dict(zip(KINDS, counts.contents, strict=True))
        print(json.dumps({"code": code, "out": said[0], "err": said[1], "calls": calls}), flush=True)


def _run(shim: ctypes.CDLL, request: dict[str, Any], streams: tuple[int, int, int]) -> NoReturn:
    """Be the child: run one command with the fault, and exit."""
    from agents.hooks import dispatch
    from cli import main

    code = 99
    try:
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        os.environ.clear()
        os.environ.update(request["env"])
        time.tzset()
        os.chdir(request["cwd"])
        kind, number, how = request["fault"] or (KINDS[0], 0, "EIO")
        shim.fault_arm(os.fsencode(request["home"]), KINDS.index(kind), number, HOWS[how])
        arguments = request["arguments"]
        if arguments[0] == "hook":
            dispatch.main(arguments[1])
        code = main.run(arguments)
    finally:
        os._exit(code)


if __name__ == "__main__":
    _serve()
