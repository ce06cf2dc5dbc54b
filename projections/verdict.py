"""The verdict *projections* as one value: are index and documents what the log replays to?

Implements specs/verification.md (V-15). Gathers what `projections.drift` finds. Judges without changing
anything: local.db, which opening could mend, is judged by a copy.
"""

from __future__ import annotations

import sqlite3
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ledger.finding import Finding
from ledger.verify import Verdict
from projections.drift import document_findings, index_findings
from projections.index import Check
from projections.index_schema import INDEX_NAME
from projections.local import LOCAL_NAME, Local
from projections.settings import RenderSettings
from projections.snapshot import copy_database
from projections.targets import lying_in

if TYPE_CHECKING:
    from ledger.location import Location


def judge(
    place: Location, chain: Path, settings: RenderSettings, verify: Check, *, homeless: str = ""
) -> Verdict:
    """Compare the projections of a sound chain with what it replays to.

    Args:
        place: where index, local state and documents lie.
        chain: the chain file.
        settings: what the documents depend on.
        verify: says that a stretch of the chain is good; it was verified just now.
        homeless: why documents cannot lie in the folder that `[render]` names (specs/doors.md G-62), "" where they can.
    """
    directory = place.directory
    found = list(index_findings(directory, chain, verify))
    with tempfile.TemporaryDirectory() as scratch:
        local = Local(Path(scratch))
        try:
            copy_database(directory / LOCAL_NAME, local.path)
        except sqlite3.DatabaseError as error:
            local.path.unlink(missing_ok=True)
            found.append(_damaged(directory / LOCAL_NAME, error))
        documents = lying_in(local, place)
        if homeless:
            found.append(
                Finding("documents-homeless", "G-62", f"documents have no folder to lie in: {homeless}")
            )
        if not homeless or documents != place.documents:
            found += document_findings(documents, local, chain, settings, verify)
        count = len(local.rendered(documents))
        if local.cleaning():
            found.insert(0, _unfinished(directory / INDEX_NAME))
        local.close()
    if found:
        return Verdict("findings", f"{len(found)} finding{'s' if len(found) > 1 else ''}.", tuple(found))
    what = f"{count} document{'s' if count != 1 else ''}"
    return Verdict("sound", f"Index and {what} equal what the log replays to.")


def _unfinished(index: Path) -> Finding:
    message = f"an erasure is not finished: {index} or a document may hold what was erased; the next write cleans it"
    return Finding("erasure-unfinished", "C-20", message)


def _damaged(path: Path, error: sqlite3.DatabaseError) -> Finding:
    message = f"{path} cannot be read ({error}); the next command sets it aside and begins anew"
    return Finding("local-damaged", "P-64", message)
