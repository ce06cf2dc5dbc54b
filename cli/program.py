"""The program `muniment`: what is run in a process of its own, before anything else of ours is imported.

Implements specs/cli.md (X-4) and specs/doors.md (G-5): Ctrl-C stops it with code 130 and no traceback from its first moment on.
"""

from __future__ import annotations

import gc
import signal
import sys

_COLLECT_AFTER = 50_000
"""So many new objects let garbage be collected; at the usual 700 a command spends a bare Python start on its imports alone."""


def memory_chain() -> None:
    """Run the command `memory-chain` (specs/doors.md G-50)."""
    main(".memory_chain")


def main(command_line: str = ".main") -> None:
    """Run the command line and exit. While it is being imported, Ctrl-C ends the process as it ends any other."""
    gc.set_threshold(_COLLECT_AFTER)
    # Not where it is ignored, as in a shell's background.
    heard = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if heard:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if command_line == ".main" and sys.argv[1:2] == ["hook"]:
        _answer_hook(sys.argv[2:])
    from importlib import import_module

    from ledger.lazy_modules import let_wait

    let_wait()
    line = import_module(command_line, __package__)
    if heard:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        line.main()
    except SystemExit as end:
        if end.code and _means_hook(sys.argv[1:]):
            from agents.hooks import dispatch

            dispatch.turn_away("the command line of a hook cannot be read")
        raise


def _means_hook(arguments: list[str]) -> bool:
    """Return whether a command line that failed was to answer an agent's hook: an agent takes code 2 as a refusal."""
    from agents.hooks.dispatch import PROGRAMS
    from cli.catalogue import ALIASES, COMMANDS

    at = arguments.index("hook") if "hook" in arguments else len(arguments)
    known = {name for group in COMMANDS.values() for name in group} | {*ALIASES}
    return arguments[at + 1 : at + 2] in [[each] for each in PROGRAMS] and known.isdisjoint(arguments[:at])


def _answer_hook(arguments: list[str]) -> None:
    """Answer an agent's hook and exit (specs/doors.md G-5); return where somebody else asks, as for the help."""
    if arguments[:1] == ["work"]:
        from agents.hooks import worker

        worker.main()
    elif not {"-h", "--help"} & set(arguments):
        from agents.hooks import dispatch

        dispatch.main(arguments[0] if arguments else "")
