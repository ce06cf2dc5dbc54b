"""A backup: one archive of a ledger, with a manifest that says whose it is.

Implements specs/files.md (F-12, F-13). `write` packs a chain that was verified; `unpacked` takes an archive
apart in a private folder and believes nothing of it: only names of a backup, plain files only. Neither touches a ledger;
`ledger.restoring` puts in place what is unpacked here.
"""

from __future__ import annotations

import gzip
import io
import os
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import orjson

from ledger import durable, reader
from ledger.archive_names import CONFIG, LOCAL, limit_of, seal_name, shown_outside
from ledger.chain import CHAIN_NAME
from ledger.check import Link
from ledger.durable import storage_error
from ledger.errors import ChainError, FormatError, NotFoundError, StorageError, UsageError
from ledger.founding import identity_of
from ledger.instant import Clock, system_clock, written
from ledger.keys import KEY, NEXT, KeyDirectory
from ledger.ledger import Identity
from ledger.location import Home, Location
from ledger.mark import StateDirectory
from ledger.pin_check import known_of
from ledger.progress import Progress
from ledger.verify import ChainReport, Expectation, verify_chain

FORMAT = 1
MANIFEST = "manifest.json"
_MIB = 1 << 20
_HEADER_LIMIT = 1 << 16
"""Bytes that a manifest, or one header of the archive, may have."""
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Manifest:
    """The description in an archive: whose chain it is, up to which event, when it was made.

    `project` is the id of the project whose ledger it is, or "".
    """

    ledger: Identity
    project: str
    genesis: str
    seq: int
    id: str
    made: str

    def to_json(self) -> dict[str, Any]:
        """Return the manifest as it is in the archive."""
        return {
            "format": FORMAT,
            "genesis": self.genesis,
            "ledger": self.ledger._asdict(),
            "made": self.made,
            "project": self.project,
            "tip": {"id": self.id, "seq": self.seq},
        }


@dataclass(frozen=True, slots=True)
class Unpacked:
    """An archive that was taken apart: its manifest, and the folder in which its members of these names lie for now."""

    manifest: Manifest
    folder: Path
    names: frozenset[str]

    @property
    def chain(self) -> Path:
        """The chain file."""
        return self.folder / CHAIN_NAME

    @property
    def keys(self) -> KeyDirectory:
        """The private keys that came along; it may hold none."""
        return KeyDirectory(self.folder / "keys")

    def member(self, name: str) -> Path | None:
        """Return where a member lies, None if the archive has none of this name."""
        return self.folder / name if name in self.names else None


def is_archive(path: Path) -> bool:
    """Return whether a file begins as an archive does; a chain file never does.

    Raises:
        NotFoundError: there is no such file.
        StorageError: it cannot be read.
    """
    try:
        with path.open("rb") as file:
            return file.read(len(_GZIP)) == _GZIP
    except FileNotFoundError:
        raise NotFoundError(f"there is no file {path}") from None
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror}") from error


# --- writing ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ArchiveSource:
    """What goes into an archive: the chain and what it must agree with, and other files by member's name.

    Checkpoints and receipts are those that `directory` holds at that instant; None for none.
    """

    chain: Path
    identity: Identity
    expect: Expectation
    project: str = ""
    directory: Path | None = None
    files: Mapping[str, Path] = field(default_factory=dict)


def source_of(place: Location, home: Home, local: Path | None, *, keys: bool = False) -> ArchiveSource:
    """Return the parts of a ledger that go into an archive: existing files, and its private keys only on request.

    Args:
        place: where the ledger lies.
        home: the user's folders.
        local: a copy of the local state, if there is one.
        keys: whether the private keys go in.

    Raises:
        NoLedgerError, ChainError: there is no chain, or it does not begin with a good event.
        KeyFileError: the keys are asked for and are not here.
    """
    identity, _ = identity_of(place.chain)
    files = {CONFIG: place.directory / CONFIG}
    if local is not None:
        files[LOCAL] = local
    files |= {
        seal_name(path.name): path for path in StateDirectory(home.state).seals_of(identity.id).glob("*")
    }
    if keys:
        directory = KeyDirectory(home.keys)
        directory.stored(identity.id)
        paths = [directory.path_of(identity.id, name) for name in (KEY, NEXT)]
        files |= {f"keys/{path.name}": path for path in paths}
    there = {name: path for name, path in sorted(files.items()) if path.exists()}
    expect = known_of(place.chain, StateDirectory(home.state))
    return ArchiveSource(place.chain, identity, expect, place.project, place.directory, there)


def write(
    source: ArchiveSource,
    into: Path,
    *,
    replace: bool = False,
    clock: Clock = system_clock,
    progress: Progress | None = None,
) -> Manifest:
    """Make the archive `into` of a ledger, complete or not at all, mode 0600.

    Args:
        source: the ledger. Its chain is copied up to the last whole line at one instant.
        into: the file to make.
        replace: replace an existing file.
        clock: gives the present instant.
        progress: told of the bytes verified.

    Raises:
        UsageError: `into` exists and `replace` is false.
        NoLedgerError: there is no chain.
        ChainError: the chain is invalid, so no restore would accept it.
        StorageError: the disk refused; nothing is left behind.
    """
    if not replace and os.path.lexists(into):
        raise UsageError(f"{into} is there already: choose another name, or add --force to replace it")
    try:
        with _beside(into) as staged:
            signed = _copied(
                source.directory, staged
            )  # before the chain, so that it reaches every checkpoint
            _copy_chain(source.chain, staged / CHAIN_NAME)
            report = verify_chain(staged / CHAIN_NAME, source.expect, progress=progress)
            link = _sound_link(report)
            files = {CHAIN_NAME: staged / CHAIN_NAME, **source.files, **signed}
            manifest = Manifest(
                source.identity,
                source.project,
                link.chain,
                link.seq,
                link.id,
                written(clock()),
            )
            packed = staged / "archive"
            _pack(packed, manifest, files)
            _publish(packed, into, replace=replace)
    except FileExistsError:
        raise UsageError(f"{into} appeared meanwhile: choose another name, or add --force") from None
    except OSError as error:
        raise storage_error(error, "writing the backup", into, left="no backup was made") from error
    return manifest


@contextmanager
def _beside(into: Path) -> Iterator[Path]:
    """Yield a temporary folder beside a file, named after its purpose and process; it is removed afterwards."""
    staged = durable.beside(into)
    staged.mkdir(mode=0o700)
    try:
        yield staged
    finally:
        shutil.rmtree(staged, ignore_errors=True)


def _copied(directory: Path | None, staged: Path) -> dict[str, Path]:
    """Copy checkpoints and receipts, so that none changes while it is packed; return where each lies now."""
    copies = {}
    for name, path in shown_outside(directory) if directory else ():
        copies[name] = staged / name.replace("/", "-")
        shutil.copyfile(path, copies[name])
    return copies


def _copy_chain(chain: Path, into: Path) -> None:
    """Copy a chain up to its last whole line while no writer is at work."""
    with reader.opened(chain) as fd, reader.shared_lock(fd):
        end = reader.end_of_lines(fd, 0, os.fstat(fd).st_size)
        durable.write_new(into, durable.blocks(fd, 0, end), 0o600)


def _sound_link(report: ChainReport) -> Link:
    if report.sound and report.link:
        return report.link
    first = (*report.integrity.findings, *report.completeness.findings)[0]
    raise ChainError(
        f"no backup was made, because no restore would take this chain: {first}; muniment verify shows "
        "everything, muniment recover goes on with what is good"
    )


def _pack(path: Path, manifest: Manifest, files: Mapping[str, Path]) -> None:
    """Write the archive: manifest first, then the members in its order; nothing of this machine's owner."""
    body = orjson.dumps(manifest.to_json(), option=orjson.OPT_INDENT_2) + b"\n"
    with ExitStack() as stack:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        raw = stack.enter_context(os.fdopen(fd, "wb"))
        with (
            gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed,
            tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as tar,
        ):
            _add(tar, MANIFEST, len(body), io.BytesIO(body))
            for name, file in files.items():
                with os.fdopen(durable.open_file(file), "rb") as content:
                    _add(tar, name, os.fstat(content.fileno()).st_size, content)
        raw.flush()
        os.fsync(raw.fileno())


def _add(tar: tarfile.TarFile, name: str, size: int, content: IO[bytes]) -> None:
    info = tarfile.TarInfo(name)
    info.size, info.mode = size, 0o600
    tar.addfile(info, content)


def _publish(packed: Path, into: Path, *, replace: bool) -> None:
    if replace:
        packed.replace(into)
    else:
        durable.put_new(packed, into)
    durable.sync_directory(into.parent)


# --- taking apart -------------------------------------------------------------------------------------------


@contextmanager
def unpacked(path: Path) -> Iterator[Unpacked]:
    """Take an archive apart in a private folder, which is gone afterwards.

    Every member is as its manifest says; the chain itself is not verified yet.

    Raises:
        NotFoundError: there is no such file.
        FormatError: it is not an archive of ours, is damaged, or contains an unknown member.
        StorageError: it cannot be read, or there is no room for it.
    """
    if not is_archive(path):
        raise _refused(path, "it is not a muniment backup (for a chain file, use muniment recover --from)")
    with tempfile.TemporaryDirectory(prefix="muniment-") as scratch:
        folder = Path(scratch)
        try:
            with gzip.open(path, "rb") as packed:
                found = _take_apart(path, packed, folder)
        except (gzip.BadGzipFile, zlib.error, EOFError, tarfile.TarError) as error:
            raise _refused(path, f"it is damaged or cut off ({error})") from error
        except OSError as error:
            raise storage_error(error, "unpacking the backup", path, left="nothing was changed") from error
        yield found


@contextmanager
def chain_of(backup: Path | None) -> Iterator[Path | None]:
    """Yield the chain file that a backup is or contains; None without one. Raises as `unpacked` does."""
    if backup is None or not is_archive(backup):
        yield backup
        return
    with unpacked(backup) as found:
        yield found.chain


class _Bounded:
    """What tarfile reads from: it refuses a read as large as only a hostile header asks for."""

    def __init__(self, file: gzip.GzipFile) -> None:
        self._file = file
        self.seek, self.tell = file.seek, file.tell

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= 2 * _MIB:
            raise tarfile.ReadError("a header of it is too large")
        return self._file.read(size)


def _take_apart(path: Path, packed: gzip.GzipFile, folder: Path) -> Unpacked:
    names: set[str] = set()
    with tarfile.open(fileobj=_Bounded(packed), mode="r:") as tar:  # type: ignore[call-overload]
        first = tar.next()
        if first is None or first.name != MANIFEST or not _is_plain(first) or first.size > _HEADER_LIMIT:
            raise _refused(path, "it is not a muniment backup: it does not begin with a manifest")
        manifest = _manifest(path, _content(tar, first).read())
        while (info := tar.next()) is not None:
            if not _is_plain(info) or info.name in names or not _is_ours(info):
                raise _refused(path, f"it holds {info.name!r}, which a backup never does")
            names.add(info.name)
            _store(_content(tar, info), folder / info.name)
    while packed.read(_MIB):
        pass  # gzip compares its checksum at the end
    if CHAIN_NAME not in names:
        raise _refused(path, "it holds no chain")
    return Unpacked(manifest, folder, frozenset(names))


def _is_plain(info: tarfile.TarInfo) -> bool:
    return info.type in (tarfile.REGTYPE, tarfile.AREGTYPE) and not info.pax_headers


def _content(tar: tarfile.TarFile, info: tarfile.TarInfo) -> IO[bytes]:
    content = tar.extractfile(info)
    assert content is not None  # a plain file has content
    return content


def _is_ours(info: tarfile.TarInfo) -> bool:
    """Return whether a backup may contain a member of this name and size."""
    try:
        limit = limit_of(info.name)
    except ValueError:
        return False
    return limit is None or info.size <= limit


def _store(content: IO[bytes], target: Path) -> None:
    """Store one member under its own name, which was found to be one of ours."""
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fd = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "wb") as file:
        shutil.copyfileobj(content, file, _MIB)


def _manifest(path: Path, body: bytes) -> Manifest:
    try:
        value = orjson.loads(body)
        if value["format"] != FORMAT:
            raise _refused(path, f"its format {value['format']!r} is not known here: use a newer muniment")
        ledger = value["ledger"]
        identity = Identity(_text(ledger["id"]), _text(ledger["name"]), _text(ledger["scope"]))
        tip = value["tip"]
        return Manifest(
            identity,
            _text(value["project"]),
            _text(value["genesis"]),
            int(tip["seq"]),
            _text(tip["id"]),
            _text(value["made"]),
        )
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise _refused(path, "its manifest cannot be read") from error


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _refused(path: Path, why: str) -> FormatError:
    return FormatError("F-13", f"{path} cannot be restored: {why}; nothing was changed", code="archive")
