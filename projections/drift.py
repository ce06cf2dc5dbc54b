"""The verdict *projections*: are they what the log replays to?

Implements specs/verification.md (V-15) and specs/projections.md (P-90…P-92, P-180). The index is compared row
by row with one that is made anew from the chain; each document with what it renders to as of the instant,
settings and event of its last rendering. Nothing that is checked is changed.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Collection, Iterator
from contextlib import closing
from pathlib import Path

from ledger import reader
from ledger.finding import Finding
from projections import full_text
from projections.arrivals import documents_in
from projections.documents import render_all
from projections.files import EDITED
from projections.index import INDEX_NAME, Check, Index
from projections.index_schema import EVENT_COLUMNS, MEMORY_COLUMNS
from projections.index_source import IndexSource
from projections.local import Local
from projections.settings import RenderSettings
from projections.shown import contents, digest
from projections.snapshot import opened_to_read
from projections.style import styled

_WHOLE = ("events", "memories", "edges", "tags", "patterns", "parts", "disowned", "unfinished")
_COMPARED = {name: ("*", name) for name in _WHOLE}
# The rest is bookkeeping: of the file writer, and which file was read, which a copied ledger's next command mends.
_COMPARED["documents"] = ("kind, name, entries", "documents WHERE entries > 0")
_COMPARED["cursor"] = ('seq, id, start, "end", ts, epoch, key, next_key, chain', "cursor")
_MOST = 20


def fresh_index(
    chain: Path, into: Path, end: int | None = None, verify: Check | None = None, until: str = ""
) -> Index:
    """Return an index of `chain` made anew in the folder `into`, of the events that end at or before the byte `end`.

    With `until`, a written time, only of those whose clock is not later (P-93).
    """
    index = Index(into, verify, until)
    index.follow(chain, None, end)
    return index


def index_findings(directory: Path, chain: Path, verify: Check | None = None) -> list[Finding]:
    """Compare memory.db in `directory` with what the chain replays to.

    A missing one is no fault, it is made by the next command.
    """
    path = directory / INDEX_NAME
    if not path.exists():
        return [Finding("index-missing", "P-50", f"{path} is missing; the next command makes it again")]
    try:
        end = _cursor_end(path)
        with tempfile.TemporaryDirectory() as scratch:
            fresh = fresh_index(chain, Path(scratch), end, verify)
            fresh.close()
            return _differences(path, Path(scratch) / INDEX_NAME)
    except sqlite3.DatabaseError as error:
        return [
            Finding(
                "index-damaged", "P-53", f"{path} cannot be read ({error}); muniment replay makes it again"
            )
        ]


def _cursor_end(path: Path) -> int:
    with closing(opened_to_read(path)) as db:
        row = db.execute('SELECT "end" FROM cursor').fetchone()
        return int(row[0]) if row else 0


def _differences(path: Path, fresh: Path) -> list[Finding]:
    findings = []
    with closing(opened_to_read(path)) as db:
        db.execute("ATTACH DATABASE ? AS fresh", (f"file:{fresh}?mode=ro",))
        for table, (columns, rows) in _COMPARED.items():
            for left, right, what in (
                ("main", "fresh", "is not what the log says"),
                ("fresh", "main", "is missing or differs"),
            ):
                ours, other = (f"SELECT {columns} FROM {side}.{rows}" for side in (left, right))
                query = f"{ours} EXCEPT {other} LIMIT {_MOST}"
                findings += [_row_finding(table, row, what) for row in db.execute(query)]
        if not findings and (fault := _full_text_fault(path)):
            findings.append(fault)
    return findings[:_MOST]


def _row_finding(table: str, row: tuple[object, ...], what: str) -> Finding:
    columns = {"events": list(EVENT_COLUMNS), "memories": list(MEMORY_COLUMNS)}.get(table)
    seq = row[columns.index("seq")] if columns else None
    id_ = row[columns.index("id")] if columns else None
    message = f"the index's table {table}: a row {what}; muniment replay makes it again"
    line = seq + 1 if isinstance(seq, int) else None
    return Finding(
        "index-drift", "P-52", message, line, seq if isinstance(seq, int) else None, str(id_) if id_ else None
    )


def _full_text_fault(path: Path) -> Finding | None:
    """Ask SQLite whether the full-text rows are those of the memories; works on a copy, since asking writes."""
    with (
        tempfile.TemporaryDirectory() as scratch,  # no copy in memory: the index is as large as the history
        closing(opened_to_read(path)) as db,
        closing(sqlite3.connect(Path(scratch) / INDEX_NAME)) as copy,
    ):
        db.backup(copy)
        if full_text.fault(copy):
            return Finding(
                "index-drift",
                "P-52",
                "the full-text index is not that of the memories; muniment replay makes it again",
            )
    return None


def document_findings(
    folder: Path, local: Local, chain: Path, settings: RenderSettings, verify: Check | None = None
) -> list[Finding]:
    """Compare the documents in `folder` with their last rendering, done again from the log."""
    last = local.rendering(folder)
    if last is None:
        return []
    with tempfile.TemporaryDirectory() as scratch:
        fresh = fresh_index(chain, Path(scratch), _end_of(chain, last.seq), verify)
        files = render_all(IndexSource(fresh), settings, last.as_of)
        fresh.close()
    findings = []
    for path, data in sorted(files.items()):
        findings += _file_findings(folder, local, path, styled(data, local.style(folder, path)))
    for path in sorted(local.rendered(folder).keys() - files.keys()):
        if (folder / path).exists():
            findings.append(
                Finding("document-extra", "P-91", f"{path}: nothing in the log renders to it any more")
            )
    return [*findings, *_arrivals(folder, local, files)]


def _arrivals(folder: Path, local: Local, files: Collection[str]) -> Iterator[Finding]:
    """Give the documents of which the log knows nothing: they came with git, or a person made them (P-180)."""
    known = {*local.rendered(folder), *files}
    for path in documents_in(folder, shared=local.is_shared(folder)):
        if path not in known and not local.is_rendering(folder, path, digest(contents(folder / path))):
            message = f"{path} is not in the log: muniment adopt takes it in"
            yield Finding("document-unread", "P-180", message)


def _file_findings(folder: Path, local: Local, path: str, data: bytes) -> list[Finding]:
    try:
        there = contents(folder / path)
    except FileNotFoundError:
        return [Finding("document-missing", "P-91", f"{path} is missing; muniment replay writes it again")]
    except OSError as error:
        return [Finding("document-missing", "P-91", f"{path} cannot be read: {error.strerror}")]
    if there == data:
        return []
    why = "an earlier rendering" if local.is_rendering(folder, path, digest(there)) else EDITED
    return [Finding("document-drift", "P-91", f"{path} is not what the log renders to: {why}")]


def _end_of(chain: Path, seq: int) -> int:
    """Return the byte after the line with this seq."""
    with reader.opened(chain) as fd:
        for number, line in enumerate(reader.lines(fd)):
            if number == seq:
                return line.end
    return 0
