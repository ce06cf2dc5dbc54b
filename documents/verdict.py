"""The verdict *projections* as one value: do index and documents equal the replay of the log?

Implements specs/verification.md (V-15, V-21). It gathers the findings of `documents.drift`, changes nothing,
and judges copies of one instant while others may write.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
import time
from contextlib import closing, suppress
from pathlib import Path

from documents.drift import SeenDocuments, document_findings, index_findings, seen_in
from documents.targets import lying_in
from ledger import reader
from ledger.finding import Finding
from ledger.location import Location
from ledger.progress import ShowProgress, unseen
from ledger.verify import Verdict
from projections.index_schema import INDEX_NAME
from projections.local import LOCAL_NAME, Local
from projections.local_erasure import CLEANING
from projections.read_only import opened_to_read
from projections.render_lock import LOCK_NAME, RenderLock
from projections.replayed_index import order_of
from projections.settings import RenderSettings
from projections.snapshot import copy_database
from writers.counted import copies_in

_LOOKS = 3
PATIENCE, _PAUSE = 2.0, 0.02
"""Seconds to wait for an erasure to end, and seconds between two checks."""
_ERASE = b'"kind":"erase"'
"""The line of an erase has this; if the text of another event has it, that costs one more look."""


def judge(
    place: Location,
    chain: Path,
    settings: RenderSettings,
    *,
    homeless: str = "",
    shown: ShowProgress = unseen,
) -> Verdict:
    """Compare the projections of a sound chain with its replay.

    Others may write meanwhile: each projection is judged as of one instant. Only an erasure, or a change of the copy of
    another chain, changes the replay up to that instant; then everything is checked again.

    Args:
        place: the place of index, local state and documents.
        chain: the chain file.
        settings: the settings of the documents.
        homeless: why documents cannot be in the folder that `[render]` names (specs/doors.md G-62), or "".
        shown: reports progress.
    """
    erased, verdict = False, Verdict("not checked", "Projections not checked.")
    for _ in range(_LOOKS):
        ended = _erasures_ended(place.directory / LOCAL_NAME)
        before, copies = _file_of(chain), _copies_beside(chain)
        verdict, rendered = _judged(place, chain, settings, homeless, shown)
        if not verdict.findings or not ended:
            return verdict
        erased = _was_erased_from(chain, before, rendered)
        if not erased and _file_of(chain) == before and _copies_beside(chain) == copies:
            return verdict
    if erased:
        busy = "an erasure is under way or was cut off. The next write finishes it; then try again"
        return Verdict("not checked", f"Projections not checked: {busy}.")
    return verdict


def _judged(
    place: Location, chain: Path, settings: RenderSettings, homeless: str, shown: ShowProgress
) -> tuple[Verdict, int]:
    """Return the verdict; if it has findings, also the byte of the chain up to which the documents were rendered."""
    directory = place.directory
    with tempfile.TemporaryDirectory() as scratch:
        found = index_findings(directory, chain, Path(scratch), shown)
        events = 0 if found else _events_in(Path(scratch) / INDEX_NAME)
        local = Local(Path(scratch))
        seen: SeenDocuments | None = None
        with RenderLock(directory / LOCK_NAME).without_renderings() as died:
            try:
                copy_database(directory / LOCAL_NAME, local.database.path)
            except sqlite3.DatabaseError as error:
                local.database.path.unlink(missing_ok=True)
                found.append(_damaged(directory / LOCAL_NAME, error))
            documents = lying_in(local, place)
            if died is not None:
                seen = seen_in(documents, local, died)
        if homeless:
            found.append(Finding("documents-homeless", "G-62", f"documents have no folder: {homeless}"))
        if seen and (not homeless or documents != place.documents):
            found += document_findings(seen, local, chain, settings, Path(scratch), shown=shown)
        count = len(local.rendered(documents))
        if local.erasures.cleaning():
            found.insert(0, _unfinished(directory / INDEX_NAME))
        last = local.rendering(documents) if found else None
        local.close()
    if found:
        verdict = Verdict("findings", f"{len(found)} finding{'s' if len(found) > 1 else ''}.", tuple(found))
        return verdict, _rendered(chain, last.seq) if last else _file_of(chain)[2]
    if seen is None:
        busy = "The index equals what the log replays to; documents not checked: another process is writing them."
        return Verdict("not checked", busy), 0
    what = (
        f"Index of {events} event{'s' if events != 1 else ''} and {count} document{'s' if count != 1 else ''}"
    )
    late = " Writing documents did not finish: the next write does it." if seen.cut_off else ""
    return Verdict("sound", f"{what} equal what the log replays to.{late}"), 0


def _rendered(chain: Path, newest: int) -> int:
    """Return the byte of our own chain up to which documents show it if they were rendered after the event `newest`."""
    return order_of(chain.parent / INDEX_NAME, chain, newest).own_end


def _events_in(index: Path) -> int:
    with closing(sqlite3.connect(index)) as db:
        return int(db.execute("SELECT count(*) FROM events").fetchone()[0])


def _erasures_ended(path: Path) -> bool:
    """Wait for an erasure to end, since it changes chain, index and documents; return whether none is under way."""
    deadline = time.monotonic() + PATIENCE
    with suppress(sqlite3.DatabaseError):
        while time.monotonic() < deadline and path.exists():
            with closing(opened_to_read(path)) as db:
                if not db.execute("SELECT 1 FROM facts WHERE name = ?", (CLEANING,)).fetchone():
                    return True
            time.sleep(_PAUSE)
    return time.monotonic() < deadline


def _file_of(chain: Path) -> tuple[int, int, int]:
    with reader.opened(chain) as fd:
        status = os.fstat(fd)
        return status.st_dev, status.st_ino, status.st_size


def _copies_beside(chain: Path) -> list[tuple[int, int, int]]:
    """Return the inode, size and time of each copy of another chain, which a sync or an erasure changes."""
    found = []
    for path in copies_in(chain.parent):
        with suppress(FileNotFoundError):
            status = path.stat()
            found.append((status.st_ino, status.st_size, status.st_mtime_ns))
    return found


def _was_erased_from(chain: Path, before: tuple[int, int, int], rendered: int) -> bool:
    """Return whether the chain has an erase after the byte `rendered` or since the state `before`.

    If another file replaced the chain, that counts as an erase.
    """
    with reader.opened(chain) as fd:
        status = os.fstat(fd)
        if (status.st_dev, status.st_ino) != before[:2]:
            return True
        start = reader.end_of_lines(fd, 0, min(before[2], rendered))
        return any(_ERASE in line.raw for line in reader.lines(fd, start))


def _unfinished(index: Path) -> Finding:
    message = f"an erasure is under way or was cut off: {index} or a document may hold what was erased; the next write cleans it"
    return Finding("erasure-unfinished", "C-20", message)


def _damaged(path: Path, error: sqlite3.DatabaseError) -> Finding:
    message = f"{path} cannot be read ({error}); the next command sets it aside and starts again"
    return Finding("local-damaged", "P-64", message)
