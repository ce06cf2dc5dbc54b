"""Where the user's folders lie, and whether there is a ledger at all: what every hook asks first.

Implements specs/doors.md (G-3, G-5). As `ledger.location` has it (F-1), whose import a hook that does nothing would pay for; a test
compares the two.
"""

from __future__ import annotations

import os

HOOKS = "hooks"
"""The folder of hooks in the state directory."""


def home() -> str:
    """Return the folder of the user's ledger."""
    return _absolute(os.environ.get("MUNIMENT_HOME") or os.path.join(_user(), ".muniment"))


def state() -> str:
    """Return the user's state directory."""
    base = os.environ.get("XDG_STATE_HOME") or os.path.join(_user(), ".local", "state")
    return _absolute(os.environ.get("MUNIMENT_STATE") or os.path.join(base, "muniment"))


def hooks() -> str:
    """Return the folder in which hooks keep what they hand over."""
    return os.path.join(state(), HOOKS)


def make_folder(path: str) -> None:
    """Make one of our folders below the state directory, and those above it, for their owner alone under any umask (G-80).

    Raises:
        OSError: it cannot be made.
    """
    for folder in (state(), hooks(), path):
        os.makedirs(folder, mode=0o700, exist_ok=True)


def is_founded() -> bool:
    """Return whether this user has a ledger, of whatever scope."""
    folder = home()
    return os.path.exists(os.path.join(folder, "chain.jsonl")) or os.path.isdir(
        os.path.join(folder, "projects")
    )


def is_off() -> bool:
    """Return whether the user's own config.toml plainly switches muniment off; what it says less plainly is read later."""
    try:
        number = os.open(os.path.join(home(), "config.toml"), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(number, "rb") as file:  # a pipe is empty to who does not wait
            lines = (file.read(1 << 16) or b"").splitlines()
    except OSError:
        return False
    for line in lines:
        words = line.split(b"#")[0].replace(b"=", b" = ").split()
        if words[:1] and words[0].startswith(b"["):
            return False
        if words == [b"enabled", b"=", b"false"]:
            return True
    return False


def _user() -> str:
    return os.environ.get("HOME") or os.path.expanduser("~")


def _absolute(path: str) -> str:
    return os.path.abspath(os.path.expanduser(path))
