"""The program `memledger`: what is run in a process of its own, before anything else of ours is imported.

Implements specs/cli.md (X-4): Ctrl-C stops it with code 130 and no traceback from its first moment on.
"""

from __future__ import annotations

import signal
import sys

_SOON = 0.01
"""Seconds until a Ctrl-C that fell into a destructor is heard again."""


def memory_chain() -> None:
    """Run the command `memory-chain` (specs/doors.md G-50)."""
    main(".memory_chain")


def main(command_line: str = ".main") -> None:
    """Run the command line and exit. While it is being imported, Ctrl-C ends the process as it ends any other."""
    # Not where it is ignored, as in a shell's background.
    heard = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if heard:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from importlib import import_module

    line = import_module(command_line, __package__)
    if heard:
        sys.unraisablehook = _heard_again
        signal.signal(signal.SIGINT, signal.default_int_handler)
    line.main()


def _heard_again(unraisable: sys.UnraisableHookArgs) -> None:
    """Let Ctrl-C come again where Python cannot raise it: in a destructor or another callback of the collector's."""
    if not issubclass(unraisable.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)
        return
    import os
    import threading

    again = threading.Timer(_SOON, os.kill, (os.getpid(), signal.SIGINT))
    again.daemon = True
    again.start()
