"""Opens a memory in a person's editor, and stores what it says then.

Implements specs/cli.md (X-16, X-17). The text itself is made and read by `cli.edit_text`.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import click

from cli.edit_text import read_back, written_out
from language.printable import short
from ledger.actor import is_terminal
from ledger.command import Written
from ledger.errors import LedgerError, StateError, UsageError
from ledger.fold import Entry
from ledger.memory import Memory
from muniment import MemoryLedger

_COMMON_EDITORS = ("sensible-editor", "nano", "vi")


def edited(
    memory: MemoryLedger, entry: Entry, base: Memory, *, redact: bool = False, quiet: bool = False
) -> Written | None:
    """Let a person edit a memory; return the supersede that came of it, None if nothing was changed.

    Args:
        memory: the ledger.
        entry: the memory that is superseded.
        base: what the editor shows.
        redact: store [redacted:RULE] in place of a secret.
        quiet: stdout is for our result alone.

    Raises:
        StateError: it is erased or superseded, or was settled while the editor was open.
        UsageError: there is no terminal, no editor, or the text cannot be read.
        LedgerError: it cannot be stored. The message of these names the file in which the text is kept.
    """
    _check(entry)
    editor = _editor(entry)
    path = _file(written_out(base))
    try:
        wanted = _typed(editor, path, base, quiet=quiet)
        if wanted is not None:
            _check_meanwhile(memory, entry)
        written = None if wanted is None else memory.supersede([entry.id], wanted, redact=redact)
    except LedgerError as error:
        error.args = (f"{error}; what you wrote is kept in {path}: delete it when you are done",)
        raise
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    path.unlink(missing_ok=True)
    return written


def _check(entry: Entry) -> None:
    if entry.status == "erased":
        raise StateError(f"{short(entry.id)} is erased: nothing is left of it to edit")
    if entry.status == "superseded":
        newer = ", ".join(map(short, entry.superseded_by))
        raise StateError(f"{short(entry.id)} was superseded by {newer}: edit that one")


def _check_meanwhile(memory: MemoryLedger, entry: Entry) -> None:
    """Refuse to bring back what somebody deleted while the editor was open (X-105)."""
    now = memory.entry(entry.id)
    _check(now)
    if now.status == "deleted" != entry.status:
        raise StateError(
            f"{short(entry.id)} was deleted while the editor was open: "
            f"muniment edit {short(entry.id)} brings it back"
        )


def _editor(entry: Entry) -> list[str]:
    """Return the command that opens a file for a person."""
    instead = f'muniment supersede {short(entry.id)} "TEXT" does it without one'
    if not is_terminal(sys.stdin):
        raise UsageError(f"there is no terminal to open an editor in: {instead}")
    named = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if named:
        try:
            return shlex.split(named)
        except ValueError:
            raise UsageError(f"$VISUAL or $EDITOR cannot be read: {named!r}") from None
    found = next((path for name in _COMMON_EDITORS if (path := shutil.which(name))), None)
    if found is None:
        raise UsageError(f"there is no editor: set $EDITOR, or {instead}")
    return [found]


def _file(text: str) -> Path:
    """Return a new file of mode 0600 with this text."""
    fd, name = tempfile.mkstemp(prefix="muniment-", suffix=".md")
    with os.fdopen(fd, "wb") as stream:
        stream.write(text.encode())
    return Path(name)


def _typed(editor: list[str], path: Path, base: Memory, *, quiet: bool) -> Memory | None:
    """Let a person edit the file; return what it says then, None if that is what it said."""
    before = path.read_bytes()
    try:
        # With --json stdout is for the one document: what the editor prints goes to stderr, descriptor 2.
        done = subprocess.run([*editor, str(path)], stdout=2 if quiet else None, check=False)
    except OSError as error:
        path.unlink()
        raise click.UsageError(f"{editor[0]} cannot be started: {error.strerror}; set $EDITOR") from None
    after = path.read_bytes()
    if after == before:
        return None
    if done.returncode:
        raise UsageError(f"the editor ended with code {done.returncode}; nothing was stored")
    try:
        wanted = read_back(after.decode("utf-8"), base)
    except UnicodeDecodeError as error:
        raise UsageError(f"the file is no longer UTF-8 (byte {error.start + 1})") from None
    wanted.to_payload()  # its own faults first, before the ledger is asked
    return None if wanted == base else wanted
