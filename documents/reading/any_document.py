"""Finds the memory documents under some paths and reads each with the reader of its kind.

Implements specs/import.md (I-1…I-4, I-18, I-21) and specs/cli.md (X-141). It opens files for reading only; the
other readers, except that of exports, get their text.
"""

from __future__ import annotations

import csv
import os
import stat
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from documents.proposal import Proposal
from documents.reading.blocks import Block, split_blocks
from documents.reading.memory_file import DocumentContext, day_of, read_memory_file
from documents.reading.topic_files import has_root, read_topic_file, topic_of
from documents.session_buffer import BUFFER_NAME
from ledger.errors import NotFoundError, RecordError, StorageError
from ledger.lazy_pattern import lazy_pattern
from ledger.memory import MAX_LINE

DocumentKind = Literal["memory", "daily", "topic"]
KINDS: tuple[DocumentKind, ...] = ("memory", "daily", "topic")
OnError = Callable[[Path, RecordError | StorageError], None]
Unescape = Callable[[str], str]

MAX_BYTES = 8 * 1024 * 1024
ENDINGS = (".md", ".mdc")
_TABLES = (".csv", ".tsv")
_COLUMN = lazy_pattern(r"\w[\w-]*")
_FEWEST_COLUMNS = 3
"""A line with fewer columns may be a sentence."""
HIDDEN_BUT_READ = frozenset({".claude", ".cursor", ".rawko", ".serena"})
_JSON = lazy_pattern(rb"(?:\xef\xbb\xbf)?\s*(?:\[\s*)?\{\s*(?:\"[^\"\n]*\"\s*:|\})")
INDEX_NAMES = frozenset({"memory.md", "agents.md", "claude.md"})
"""Files that are read as sections of bullets even if they begin with a frontmatter (I-2)."""


@dataclass(frozen=True, slots=True)
class Document:
    """One document: its proposals in its own order, and warnings for a person.

    For a folder without documents and a link that was not followed there is a document of kind memory without
    proposals.
    """

    path: Path
    kind: DocumentKind
    proposals: tuple[Proposal, ...]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Found:
    """A file to read, with its name relative to the given path; or the reason why it cannot be read."""

    path: Path
    name: str = ""
    warning: str = ""
    error: StorageError | None = None


def read_documents(
    paths: Iterable[Path], on_error: OnError | None = None, unescape: Unescape = str
) -> Iterator[Document]:
    """Read every document under the paths, folders in sorted order, each file once (I-1).

    Args:
        paths: files of any name, and folders that are searched for `.md` and `.mdc` files.
        on_error: called for each file that cannot be read, and the rest is read; without it the error is raised.
        unescape: as in `read_document`.

    Raises:
        NotFoundError: a path does not exist; raised at once, before anything is read.
        RecordError: I-3 refuses a file (while iterating).
        StorageError: a file or folder may not be read, or is a pipe or device (while iterating).
    """
    return _read_all([item for path in paths for item in _find(Path(path))], on_error, unescape)


def _read_all(found: Sequence[_Found], on_error: OnError | None, unescape: Unescape) -> Iterator[Document]:
    once: dict[str, _Found] = {}
    for item in found:
        once.setdefault(os.path.realpath(item.path) if item.name else f"{item.path}\n{item.warning}", item)
    for item in once.values():
        try:
            if item.error:
                raise item.error
            if item.warning:
                yield Document(item.path, "memory", (), (item.warning,))
            else:
                yield read_document(
                    item.path, item.name, lambda path: os.path.realpath(path) in once, unescape
                )
        except (RecordError, StorageError) as error:
            if on_error is None:
                raise
            on_error(item.path, error)


def read_document(
    path: Path,
    name: str,
    is_imported: Callable[[Path], bool] = lambda _: False,
    unescape: Unescape = str,
) -> Document:
    """Read one file with the reader of its kind (I-2).

    Args:
        path: the file.
        name: its relative name, with `/`, for the memories' provenance.
        is_imported: tells whether another file is imported in the same run.
        unescape: removes from a line the escapes of our renderings (specs/projections.md P-11); by default none. It is
            passed in because a reader may not import a writer.

    Raises:
        RecordError: it is JSON or a table, is not UTF-8, holds U+0000 or a merge conflict, or is larger than 8 MiB.
        StorageError: it cannot be read, or is a pipe or device.
    """
    data = _read(path)
    if is_table(path, data):
        raise RecordError(
            f"{path}: is a table and no memory document; nothing of it was imported; write what to keep as "
            "bullets in a .md file, or move a whole ledger with muniment backup and restore"
        )
    if path.suffix.lower() not in ENDINGS and _JSON.match(data):
        raise RecordError(
            f"{path}: is JSON and no memory document; nothing of it was imported; "
            "use muniment backup and restore to move a ledger"
        )
    blocks = split_blocks(data, str(path))
    file = _provenance_name(name)
    warnings: tuple[str, ...] = ()
    kind = kind_of(path.name, blocks)
    if kind == "daily":
        day = day_of(path.name)
        proposals = read_memory_file(blocks, DocumentContext(file, title=day, day=day, unescape=unescape))
    elif kind == "topic":
        proposals, warnings = read_topic_file(data, file, _topic(path, name), unescape)
    else:
        page = DocumentContext(
            file, is_imported=lambda link: is_imported(path.parent / link), unescape=unescape
        )
        proposals = read_memory_file(blocks, page)
    if not proposals:
        warnings = (*warnings, f"{path}: holds nothing to import")
    return Document(path, kind, proposals, warnings)


def is_table(path: Path, data: bytes) -> bool:
    """Return whether a file is a table (CSV or TSV), by its ending, or else by its header and first row.

    As markdown, the whole table would be one memory.
    """
    ending = path.suffix.lower()
    if ending in _TABLES or ending in ENDINGS:
        return ending in _TABLES
    return any(_has_rows(data, separator) for separator in ",;\t")


def _has_rows(data: bytes, separator: str) -> bool:
    """Return whether the first line has only names of columns, and a row with as many cells follows."""
    header, _, rest = data.partition(b"\n")
    columns = header.decode("utf-8", "replace").removeprefix("\ufeff").strip().split(separator)
    if len(columns) < _FEWEST_COLUMNS or not all(_COLUMN.fullmatch(column.strip('"')) for column in columns):
        return False
    rows = csv.reader(rest.decode("utf-8", "replace").splitlines(keepends=True), delimiter=separator)
    try:
        return len(next(rows, ())) == len(columns)
    except csv.Error:
        return True  # a cell is larger than csv allows: no sentence is


def kind_of(name: str, blocks: Sequence[Block]) -> DocumentKind:
    """Return the kind of a document from its file's name and its blocks (I-2)."""
    if day_of(name):
        return "daily"
    has_front = any(block.kind == "frontmatter" for block in blocks[:2])
    return "topic" if has_front and name.casefold() not in INDEX_NAMES else "memory"


def _topic(path: Path, name: str) -> str:
    """Return the topic: the path as given below a folder for memories, else the relative name (I-21)."""
    given = [*path.parts[:-1], path.stem]
    return topic_of(given if has_root(given) else [*Path(name).parts[:-1], path.stem])


def _provenance_name(name: str) -> str:
    """Return the name as one line of at most 500 characters, its end rather than its beginning (I-4)."""
    readable = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    odd = ("Cc", "Cs", "Zl", "Zp")
    return "".join("\ufffd" if unicodedata.category(c) in odd else c for c in readable)[-MAX_LINE:]


def _read(path: Path) -> bytes:
    try:
        # A pipe may have replaced the file since it was found: opening it must not wait for a writer.
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise StorageError(_no_file(path))
            data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise StorageError(f"{path}: cannot be read ({error.strerror}); check its permissions") from error
    if len(data) > MAX_BYTES:
        raise RecordError(
            f"{path}: is larger than 8 MiB; nothing of it was imported; split it and import the parts"
        )
    return data


def _find(path: Path) -> Iterator[_Found]:
    """Yield the files of a given path; the path itself may be hidden or a link, since a person typed it (I-1)."""
    if path.is_dir():
        found = list(_walk(path, path, set()))
        yield from found or [_Found(path, warning=f"{path}: the folder holds no .md or .mdc file")]
    elif path.is_file():
        yield _Found(path, path.name)
    elif path.exists():
        yield _Found(path, error=StorageError(_no_file(path)))
    elif path.is_symlink():
        raise NotFoundError(f"{path}: is a broken link; nothing was imported; check its target")
    else:
        raise NotFoundError(f"{path}: no such file or folder; nothing was imported; check the path")


def _no_file(path: Path) -> str:
    return f"{path}: is a pipe, socket or device, not a file; save what it gives to a file and import that"


def _walk(folder: Path, top: Path, seen: set[str]) -> Iterator[_Found]:
    """Yield a folder's documents in the order of their names; no folder is entered twice.

    A warning names a link out of the given folder, and it is not followed: the folder's author must not choose which
    of the reader's other files become signed memories.
    """
    seen.add(os.path.realpath(folder))
    try:
        paths = sorted(folder.iterdir(), key=lambda path: path.name)
    except OSError as error:
        reason = f"{folder}: cannot be listed ({error.strerror}); check its permissions"
        yield _Found(folder, error=StorageError(reason))
        return
    for path in paths:
        is_folder = path.is_dir()
        if path.name.startswith(".") and not (is_folder and path.name in HIDDEN_BUT_READ):
            continue
        if not is_folder and (path.suffix.lower() not in ENDINGS or path.name == BUFFER_NAME):
            continue
        if not is_folder and not path.is_file():
            there = path.exists()
            reason = _no_file(path) if there else f"{path}: is a broken link; it was skipped"
            yield _Found(path, warning=reason)
            continue
        real = Path(os.path.realpath(path))
        if path.is_symlink() and not real.is_relative_to(os.path.realpath(top)):
            reason = f"{path}: is a link that leads out of the folder; import its target by its own path"
            yield _Found(path, warning=reason)
        elif not is_folder:
            yield _Found(path, path.relative_to(top).as_posix())
        elif str(real) not in seen:
            yield from _walk(path, top, seen)
