"""The verdict *projections*: are they what the log replays to?

Implements specs/verification.md (V-15) and specs/projections.md (P-90…P-92). The index is compared row
by row with one rebuilt from the chain; each document with its rendering as of the instant,
settings and event of its last rendering. It changes nothing that it checks. Others may write
meanwhile: it judges copies of one instant.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from documents.foreign_files import documents_in
from documents.writing.every_document import rendered
from documents.writing.files import EDITED
from ledger.durable import read_file
from ledger.finding import Finding
from ledger.progress import ShowProgress, counted, unseen
from projections.index import INDEX_NAME
from projections.index_schema import EVENT_COLUMNS, MEMORY_COLUMNS, full_text_fault
from projections.index_source import IndexSource
from projections.line_endings import styled
from projections.local import Local
from projections.replayed_index import order_of, retaken
from projections.settings import RenderSettings
from projections.shown_blocks import digest
from projections.snapshot import copy_database

_WHOLE = (
    "events",
    "memories",
    "edges",
    "tags",
    "patterns",
    "parts",
    "disowned",
    "seen",
    "writers",
)
_COMPARED = {name: ("*", name) for name in _WHOLE}
# The rest is bookkeeping of the file writer, or names the file that was read, which the next command repairs.
_COMPARED["documents"] = ("kind, name, entries", "documents WHERE entries > 0")
_COMPARED["unfinished"] = ("id", "unfinished WHERE id IN (SELECT id FROM events WHERE writer = 0)")
_COMPARED["cursor"] = ('writer, seq, id, start, "end", ts, epoch, key, next_key, chain', "cursor")
_MOST = 20


def index_findings(
    directory: Path, chain: Path, into: Path | None = None, shown: ShowProgress = unseen
) -> list[Finding]:
    """Compare memory.db in `directory` with the replay of the chain, which is sound.

    The next command creates a missing memory.db.

    Args:
        directory: the folder of memory.db.
        chain: the chain file.
        into: a folder that keeps the rebuilt index, for `document_findings`.
        shown: shows the progress.
    """
    path = directory / INDEX_NAME
    with tempfile.TemporaryDirectory() as scratch:
        then, folder = Path(scratch) / "then.db", into or Path(scratch)
        try:
            if not copy_database(path, then):
                return [
                    Finding("index-missing", "P-50", f"{path} is missing; the next command creates it again")
                ]
            retaken(chain, folder, order_of(then, chain), shown).close()
            return _differences(then, folder / INDEX_NAME)
        except sqlite3.DatabaseError as error:
            message = f"{path} cannot be read ({error}); run muniment replay to rebuild it"
            return [Finding("index-damaged", "P-50", message)]


def _newest_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as db:
        return int(db.execute("SELECT coalesce(max(n), -1) FROM events").fetchone()[0])


def _differences(then: Path, fresh: Path) -> list[Finding]:
    """Compare a copy of the index with a rebuilt one; this writes to the copy."""
    findings = []
    with closing(sqlite3.connect(then)) as db:
        db.execute("ATTACH DATABASE ? AS fresh", (str(fresh),))
        for table, (columns, rows) in _COMPARED.items():
            for left, right, what in (
                ("main", "fresh", "is not what the log says"),
                ("fresh", "main", "is missing or differs"),
            ):
                query = (
                    _rows_of_one(db, table, left, right)
                    if columns == "*"
                    else (f"SELECT {columns} FROM {left}.{rows} EXCEPT SELECT {columns} FROM {right}.{rows}")
                )
                found = db.execute(f"{query} LIMIT {_MOST}")
                findings += [_row_finding(table, row, what) for row in found]
        db.execute("DETACH DATABASE fresh")
        if not findings and full_text_fault(db):
            message = "the full-text index is not that of the memories; run muniment replay to rebuild it"
            findings.append(Finding("index-drift", "P-52", message))
    return findings[:_MOST]


def _rows_of_one(db: sqlite3.Connection, table: str, left: str, right: str) -> str:
    """Return the query for the rows of a table in `left` that `right` lacks or has with other values.

    It joins by the primary key: both tables are read once in order, without sorting.
    """
    named = db.execute(f"PRAGMA main.table_info({table})").fetchall()
    same = " AND ".join(f"b.{name} = a.{name}" for _, name, *_, key in named if key)
    ours, theirs = (", ".join(f"{side}.{name}" for _, name, *_ in named) for side in "ab")
    return f"SELECT a.* FROM {left}.{table} a LEFT JOIN {right}.{table} b ON {same} WHERE ({ours}) IS NOT ({theirs})"


def _row_finding(table: str, row: tuple[object, ...], what: str) -> Finding:
    columns = {"events": list(EVENT_COLUMNS), "memories": list(MEMORY_COLUMNS)}.get(table)
    seq = row[columns.index("seq")] if table == "events" and columns else None
    id_ = row[columns.index("id")] if columns else None
    message = f"the index's table {table}: a row {what}; run muniment replay to rebuild it"
    line = seq + 1 if isinstance(seq, int) else None
    return Finding(
        "index-drift", "P-52", message, line, seq if isinstance(seq, int) else None, str(id_) if id_ else None
    )


@dataclass(frozen=True, slots=True)
class SeenDocuments:
    """The documents in a folder at one instant.

    `digests` has the digest of each file, or the error of reading it; `came` are the files with the name of a document.
    `cut_off`: a rendering into this folder crashed, so some documents may be newer than the last finished rendering.
    """

    folder: Path
    digests: Mapping[str, str | OSError]
    came: Collection[str]
    cut_off: bool


def seen_in(folder: Path, local: Local, died: str) -> SeenDocuments:
    """Read every document in `folder` while no rendering runs; `died` is the folder in which one crashed."""
    digests: dict[str, str | OSError] = {}
    for path in {*local.rendered(folder), *documents_in(folder)}:
        try:
            digests[path] = digest(read_file(folder / path))
        except FileNotFoundError:
            continue
        except OSError as error:
            digests[path] = error
    came = list(documents_in(folder, shared=local.is_shared(folder)))
    return SeenDocuments(folder, digests, came, died == str(folder))


def document_findings(
    seen: SeenDocuments,
    local: Local,
    chain: Path,
    settings: RenderSettings,
    into: Path,
    *,
    shown: ShowProgress = unseen,
) -> list[Finding]:
    """Compare documents with their last rendering, repeated from the log.

    Args:
        seen: the documents.
        local: the local state at the same instant.
        chain: the chain file.
        settings: the settings of the documents.
        into: a folder with an index of the chain from `index_findings`, to continue with.
        shown: shows the progress.
    """
    last = local.rendering(seen.folder)
    if last is None:
        return []
    with tempfile.TemporaryDirectory() as scratch:
        order = order_of(chain.parent / INDEX_NAME, chain, last.seq)
        begun = (into / INDEX_NAME).exists() and _newest_of(into / INDEX_NAME) <= last.seq
        fresh = retaken(chain, into if begun else Path(scratch), order, shown)
        gone = fresh.id_at(last.seq) != last.id
        with shown("rendering") as progress:
            files = {
                path: digest(styled(data, local.style(seen.folder, path)))
                for path, data in counted(rendered(IndexSource(fresh), settings, last.as_of), progress)
            }
        fresh.close()
    if gone:
        what = f"the documents in {seen.folder} show a history that is no longer this log's"
        return [
            Finding("document-drift", "P-88", f"{what}: the next write, or muniment replay, updates them")
        ]
    findings = []
    for path, wanted in sorted(files.items()):
        findings += _file_findings(seen, local, path, wanted)
    for path in sorted(local.rendered(seen.folder).keys() - files.keys()):
        if path in seen.digests and not _is_late(seen, local, path):
            findings.append(Finding("document-extra", "P-91", f"{path}: nothing in the log renders to it"))
    return [*findings, *_arrivals(seen, local, files)]


def _is_late(seen: SeenDocuments, local: Local, path: str) -> bool:
    """Return whether a crashed rendering may have left a document like this: missing, or one of our renderings."""
    there = seen.digests.get(path)
    ours = there is None or (isinstance(there, str) and local.is_ours(seen.folder, path, there))
    return seen.cut_off and ours


def _arrivals(seen: SeenDocuments, local: Local, files: Collection[str]) -> Iterator[Finding]:
    """Yield the documents that the log does not know: git brought them or a person made them (P-91)."""
    known = {*local.rendered(seen.folder), *files}
    for path in seen.came:
        there = seen.digests.get(path)
        ours = isinstance(there, str) and local.is_rendering(seen.folder, path, there)
        if path not in known and not ours:
            message = f"{path} is not in the log: run muniment adopt to record it"
            yield Finding("document-unread", "P-91", message)


def _file_findings(seen: SeenDocuments, local: Local, path: str, wanted: str) -> list[Finding]:
    there = seen.digests.get(path)
    if there == wanted or _is_late(seen, local, path):
        return []
    if there is None:
        return [
            Finding("document-missing", "P-91", f"{path} is missing; run muniment replay to write it again")
        ]
    if isinstance(there, OSError):
        return [Finding("document-missing", "P-91", f"{path} cannot be read: {there.strerror}")]
    why = "an earlier rendering" if local.is_rendering(seen.folder, path, there) else EDITED
    return [Finding("document-drift", "P-91", f"{path} is not what the log renders to: {why}")]
