"""The log of what went wrong in a hook: one line of JSON each, never a word of a prompt or a memory.

Implements specs/doors.md (G-2). For `muniment doctor`; losing it loses nothing, so what cannot be written is dropped.
"""

from __future__ import annotations

import os
import time

from agents.hooks import user_folders

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from collections.abc import Callable

LOG_NAME = "hooks.log"
MOST_BYTES = 256 << 10
_LONGEST = 200
GIVES_UP = "give_up"
"""The function that ends a hook which takes too long, wherever it is."""
_APPENDING = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
"""A pipe in the place of the log would wait for who reads it."""


class HookError(Exception):
    """What an event or the machine has wrong, in words that quote nothing of the event."""


def log() -> str:
    """Return the path of the log."""
    return os.path.join(user_folders.state(), LOG_NAME)


def note(program: str, event: str, what: str) -> None:
    """Append a fault; where no ledger is, nothing is made for it."""
    if not user_folders.is_founded():
        return
    import json  # a hook without a fault and without anything to do has no use for it

    line = {
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "program": program,
        "event": event,
        "what": what[:_LONGEST],
    }
    path = log()
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        number = os.open(path, _APPENDING, 0o600)
        try:
            os.write(number, json.dumps(line).encode() + b"\n")
            full = os.fstat(number).st_size > MOST_BYTES
        finally:
            os.close(number)
        if full:
            _cut(path)
    except OSError:
        pass


def attempt(event: str, do: Callable[..., object], *given: object) -> None:
    """Do what an answer can go without, such as noting what was told; note where it fails (F-23)."""
    try:
        do(*given)
    except (HookError, OSError) as error:
        note("muniment", event, said_of(error))


def said_of(error: BaseException) -> str:
    """Return what an error is and where it was raised; its own words may be a memory's or a prompt's."""
    if isinstance(error, HookError):
        return str(error)
    trace, place = error.__traceback__, ""
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_name == GIVES_UP:
            break  # what was waited for says more
        place = f" at {os.path.basename(code.co_filename)}:{trace.tb_lineno}"
        trace = trace.tb_next
    number = getattr(error, "errno", None)
    words = f" ({os.strerror(number)})" if isinstance(number, int) else ""
    return f"{type(error).__name__}{words}{place}"


def _cut(path: str) -> None:
    """Keep the newest half."""
    with open(path, "rb") as file:
        file.seek(-(MOST_BYTES // 2), os.SEEK_END)
        kept = file.read().partition(b"\n")[2]
    beside = f"{path}.{os.getpid()}.tmp"
    number = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(number, "wb") as file:
        file.write(kept)
    os.replace(beside, path)
