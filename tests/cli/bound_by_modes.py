"""A program that gives up the power over file modes that root has, and then runs a module, or opens a file."""

from __future__ import annotations

import ctypes
import os
import runpy
import sys
from pathlib import Path

_DROP_FROM_BOUNDING_SET = 24
_OVERRIDE, _READ_SEARCH = 1, 2
_VERSION = 0x20080522
"""Of the structures of capset(2), whose numbers are of 32 bits: header, then effective, permitted and inheritable powers, twice."""


def _give_up_powers() -> None:
    """Let file modes bind this process, and what it starts."""
    system = ctypes.CDLL(None, use_errno=True)
    header, powers = (ctypes.c_uint32 * 2)(_VERSION, 0), (ctypes.c_uint32 * 6)()
    done = [system.prctl(_DROP_FROM_BOUNDING_SET, power, 0, 0, 0) for power in (_OVERRIDE, _READ_SEARCH)]
    done.append(system.capget(header, powers))
    for at in range(3):
        powers[at] &= ~(1 << _OVERRIDE | 1 << _READ_SEARCH)
    done.append(system.capset(header, powers))
    if any(done):
        raise OSError(ctypes.get_errno(), "a power cannot be given up")


if __name__ == "__main__":
    if os.geteuid() == 0:
        _give_up_powers()
    program, *arguments = sys.argv[1:]
    if program == "open":
        Path(arguments[0]).open().close()
    else:
        sys.argv[1:] = arguments
        runpy.run_module(program, run_name="__main__", alter_sys=True)
