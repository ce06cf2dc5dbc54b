"""Takes away what waits outside of a ledger and says what is erased: proposals in the outbox, windows for a model.

Implements specs/capture.md (K-130…K-133). A file goes whole: half of a proposal or of a window is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import orjson

from learning.outbox import OUTBOX
from learning.waiting_windows import WINDOWS
from ledger.durable import sync_directory
from projections.matches import MIN_LINE, files_with


def forms(texts: Iterable[str]) -> tuple[bytes, ...]:
    """Return what shows that a JSON file says one of these lines: a short one only where it is a whole string."""
    found = (orjson.dumps(text) for text in texts if text)
    return tuple(json[1:-1] if len(json) - 2 >= MIN_LINE else json for json in found)


def contained(text: str) -> tuple[bytes, ...]:
    """Return what shows that a JSON file says this text, anywhere."""
    return (orjson.dumps(text)[1:-1],)


def that_wait(state: Path, ledger: str, wanted: Iterable[bytes]) -> list[Path]:
    """Return the files that wait and hold one of these byte strings, or cannot be read; see `take_away`."""
    return files_with(_waiting(state, ledger), wanted)


def take_away(state: Path, ledger: str, wanted: Iterable[bytes]) -> list[Path]:
    """Delete what waits and holds one of these byte strings; return what could not be read or deleted.

    Args:
        state: the user's state directory.
        ledger: the id of the ledger whose events are erased.
        wanted: what `forms` or `contained` gave.
    """
    left: list[Path] = []
    touched: set[Path] = set()
    for path in that_wait(state, ledger, wanted):
        try:
            path.read_bytes()  # what cannot be read may hold something else: it is named, and stays
            path.unlink()
        except FileNotFoundError:
            continue
        except OSError:
            left.append(path)
        else:
            touched.add(path.parent)
    for folder in touched:
        sync_directory(folder)
    return left


def _waiting(state: Path, ledger: str) -> Iterator[Path]:
    """Give the files that wait for this ledger; of windows, which no ledger is named in, all of this machine."""
    for folder in (state / OUTBOX / ledger, *(state / WINDOWS).glob("*")):
        yield from sorted(path for path in folder.glob("*") if path.is_file() and not path.is_symlink())
