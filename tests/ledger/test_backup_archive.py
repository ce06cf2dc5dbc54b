"""A backup is complete and the same each time; nothing of a hostile one leaves its private folder (A-6)."""

from __future__ import annotations

import gzip
import io
import os
import stat
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from ledger import backup_archive
from ledger.backup_archive import ArchiveSource, Manifest, unpacked, write
from ledger.errors import ChainError, FormatError, NotFoundError, StorageError, UsageError
from ledger.verify import Expectation
from tests.ledger.world import World, flipped, lines_of, overwrite


def _source(world: World, **files: Path) -> ArchiveSource:
    expect = Expectation(world.genesis, None, world.mark.read())
    return ArchiveSource(world.path, world.identity, expect, files=files)


def _made(world: World, into: Path) -> Manifest:
    return write(_source(world), into, clock=world.clock)


def _members(path: Path) -> dict[str, bytes]:
    with tarfile.open(path) as tar:
        return {info.name: _read(tar, info) for info in tar}


def _read(tar: tarfile.TarFile, info: tarfile.TarInfo) -> bytes:
    content = tar.extractfile(info)
    assert content is not None
    return content.read()


def _packed(path: Path, members: list[tuple[str | tarfile.TarInfo, bytes]]) -> Path:
    """Make an archive as somebody else might."""
    with gzip.open(path, "wb") as packed, tarfile.open(fileobj=packed, mode="w") as tar:
        for name, data in members:
            info = name if isinstance(name, tarfile.TarInfo) else tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return path


def _changed(path: Path, into: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """Make the archive anew with another manifest."""
    members = _members(path)
    manifest = orjson.loads(members.pop("manifest.json"))
    change(manifest)
    return _packed(into, [("manifest.json", orjson.dumps(manifest)), *members.items()])


# --- writing ---


def test_a_backup_holds_the_chain_and_says_what_it_is(tmp_path: Path) -> None:
    """F-12: manifest first."""
    world = World(tmp_path)
    ids = world.fill("one", "two")
    manifest = _made(world, tmp_path / "b.tar.gz")
    assert (manifest.seq, manifest.id, manifest.genesis) == (2, ids[-1], world.genesis)
    assert manifest.ledger == world.identity
    members = _members(tmp_path / "b.tar.gz")
    assert list(members) == ["manifest.json", "chain.jsonl"]
    assert members["chain.jsonl"] == world.path.read_bytes()
    assert orjson.loads(members["manifest.json"])["tip"] == {"id": ids[-1], "seq": 2}


def test_a_backup_is_readable_by_its_owner_alone_whatever_the_umask(tmp_path: Path) -> None:
    """F-12: mode 0600."""
    world = World(tmp_path)
    before = os.umask(0)
    try:
        _made(world, tmp_path / "b.tar.gz")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "b.tar.gz").stat().st_mode) == 0o600


def test_the_same_ledger_at_the_same_instant_gives_the_same_bytes(tmp_path: Path) -> None:
    """F-12: nothing of the machine, its owner or its directory order gets in."""
    world = World(tmp_path)
    world.fill("one")
    for name in ("a.tar.gz", "b.tar.gz"):
        write(_source(world), tmp_path / name, clock=lambda: 0)
    assert (tmp_path / "a.tar.gz").read_bytes() == (tmp_path / "b.tar.gz").read_bytes()
    assert (tmp_path / "a.tar.gz").read_bytes()[4:8] == b"\0" * 4, "gzip notes when it was packed"


def test_what_stands_at_the_name_is_not_replaced_unless_asked_for(tmp_path: Path) -> None:
    """F-12: a backup that exists is safe from a second one of the same name."""
    world = World(tmp_path)
    target = tmp_path / "b.tar.gz"
    target.write_text("precious")
    with pytest.raises(UsageError, match="is there already"):
        _made(world, target)
    assert target.read_text() == "precious"
    write(_source(world), target, replace=True)
    assert backup_archive.is_archive(target)


def test_a_dangling_link_at_the_name_is_not_followed(tmp_path: Path) -> None:
    """F-12: a backup goes where it was asked for, or nowhere."""
    world = World(tmp_path)
    (tmp_path / "b.tar.gz").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError):
        _made(world, tmp_path / "b.tar.gz")
    assert not (tmp_path / "elsewhere").exists()


def test_a_line_that_is_being_written_is_left_out(tmp_path: Path) -> None:
    """F-12: the copy ends with the last whole line."""
    world = World(tmp_path)
    world.fill("one")
    whole = world.path.read_bytes()
    overwrite(world.path, whole + b'{"event":{"at"')
    assert _made(world, tmp_path / "b.tar.gz").seq == 1
    assert _members(tmp_path / "b.tar.gz")["chain.jsonl"] == whole


@pytest.mark.parametrize("damage", ["altered", "cut", "emptied"])
def test_a_chain_that_no_restore_would_take_is_not_backed_up(tmp_path: Path, damage: str) -> None:
    """F-12: a tampered or rolled back ledger must not replace good backups by a bad one."""
    world = World(tmp_path)
    world.fill("one", "two")
    lines = lines_of(world.path)
    lines[1] = flipped(lines[1], 40) if damage == "altered" else lines[1]
    overwrite(world.path, b"".join({"altered": lines, "cut": lines[:2], "emptied": []}[damage]))
    with pytest.raises(ChainError, match="no backup was made"):
        _made(world, tmp_path / "b.tar.gz")
    assert not list(tmp_path.glob("*.tar.gz"))
    assert not list(tmp_path.glob(".muniment-*"))


def test_a_folder_that_is_missing_is_named(tmp_path: Path) -> None:
    """A person sees which path failed, not a traceback."""
    world = World(tmp_path)
    with pytest.raises(StorageError, match="no backup was made"):
        _made(world, tmp_path / "missing" / "b.tar.gz")


# --- taking apart ---


@pytest.fixture
def good(tmp_path: Path) -> Path:
    """A good backup of two memories."""
    world = World(tmp_path)
    world.fill("one", "two")
    _made(world, tmp_path / "good.tar.gz")
    return tmp_path / "good.tar.gz"


def test_what_was_packed_comes_out_and_is_gone_afterwards(tmp_path: Path) -> None:
    """F-13: the private folder is private, and temporary."""
    world = World(tmp_path)
    world.fill("one")
    settings = tmp_path / "somewhere.toml"
    settings.write_bytes(b"[gc]")
    write(_source(world, **{"config.toml": settings}), tmp_path / "b.tar.gz")
    with unpacked(tmp_path / "b.tar.gz") as found:
        assert found.chain.read_bytes() == world.path.read_bytes()
        member = found.member("config.toml")
        assert member is not None
        assert member.read_bytes() == b"[gc]"
        assert found.member("local.db") is None
        assert stat.S_IMODE(found.folder.stat().st_mode) == 0o700
        folder = found.folder
    assert not folder.exists()


def _refused(path: Path, reason: str) -> None:
    with pytest.raises(FormatError, match=reason) as caught, unpacked(path):
        pytest.fail("it was taken")
    assert caught.value.rule == "F-13"
    assert "nothing was changed" in str(caught.value)


@pytest.mark.parametrize(
    "name",
    ["../evil", "/etc/evil", "keys/../../evil", "chain.jsonl/", "keys/x.key", "sub/chain.jsonl", "memory.db"],
)
def test_a_member_of_any_other_name_is_refused(tmp_path: Path, good: Path, name: str) -> None:
    """F-13: only the names of a backup come out, so no path leads anywhere else."""
    members = _members(good)
    manifest = members.pop("manifest.json")
    hostile = _packed(tmp_path / "h.tar.gz", [("manifest.json", manifest), (name, b"x"), *members.items()])
    _refused(hostile, "which a backup never does")


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE, tarfile.CHRTYPE]
)
def test_a_member_that_is_no_plain_file_is_refused(tmp_path: Path, good: Path, kind: bytes) -> None:
    """F-13: no links, no devices, no folders."""
    link = tarfile.TarInfo("chain.jsonl")
    link.type, link.linkname = kind, "/etc/passwd"
    hostile = _packed(
        tmp_path / "h.tar.gz", [("manifest.json", _members(good)["manifest.json"]), (link, b"")]
    )
    _refused(hostile, "which a backup never does")


def test_a_member_twice_is_refused(tmp_path: Path, good: Path) -> None:
    """F-13: the second one would be the one that nobody looked at."""
    members = list(_members(good).items())
    _refused(_packed(tmp_path / "h.tar.gz", [*members, members[-1]]), "which a backup never does")


@pytest.mark.parametrize(
    "name", ["config.toml", f"keys/{'ab' * 16}.key", "erasures/0123456789abcdef.receipt"]
)
def test_a_member_that_is_larger_than_any_of_its_name_is_refused_unread(
    tmp_path: Path, good: Path, name: str
) -> None:
    """F-13."""
    hostile = _packed(tmp_path / "h.tar.gz", [*_members(good).items(), (name, bytes((1 << 20) + 1))])
    _refused(hostile, "which a backup never does")


def test_a_header_that_asks_for_gigabytes_of_memory_is_refused(tmp_path: Path, good: Path) -> None:
    """F-13: a pax header is read whole, so its size is bounded."""
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, 1 << 33
    with gzip.open(tmp_path / "h.tar.gz", "wb") as packed:
        packed.write(header.tobuf(tarfile.GNU_FORMAT))
    _refused(tmp_path / "h.tar.gz", "too large")


def test_a_backup_without_a_chain_is_refused(tmp_path: Path, good: Path) -> None:
    """F-13."""
    members = _members(good)
    hostile = _packed(tmp_path / "h.tar.gz", [("manifest.json", members["manifest.json"])])
    _refused(hostile, "it holds no chain")


def test_every_cut_and_every_flipped_byte_is_refused_or_harmless(tmp_path: Path, good: Path) -> None:
    """F-13: a damaged archive never gives other members than the good one."""
    data = good.read_bytes()
    with unpacked(good) as found:
        expected = found.chain.read_bytes()
    target = tmp_path / "h.tar.gz"
    damaged = [data[:at] for at in range(0, len(data), 97)]
    damaged += [flipped(data, at, 0x40) for at in range(0, len(data), 31)]
    for variant in damaged:
        target.write_bytes(variant)
        try:
            with unpacked(target) as found:
                assert found.chain.read_bytes() == expected
        except (FormatError, StorageError):
            continue


def test_a_newer_format_is_named(tmp_path: Path, good: Path) -> None:
    """F-13: unknown is not the same as damaged."""
    _refused(_changed(good, tmp_path / "h.tar.gz", lambda value: value.update(format=2)), "newer muniment")


@pytest.mark.parametrize("data", [b"", b"hello", b'{"event":{}}\n', b"\x1f\x8bnothing"])
def test_what_is_no_archive_is_told_so(tmp_path: Path, data: bytes) -> None:
    """F-13: a chain file or a picture is no backup."""
    path = tmp_path / "file"
    path.write_bytes(data)
    _refused(path, "not a muniment backup|damaged or cut off")


def test_a_tar_of_somebody_elses_is_told_so(tmp_path: Path) -> None:
    """F-13: what does not begin with a manifest is none of ours."""
    _refused(_packed(tmp_path / "h.tar.gz", [("photo.jpg", b"x")]), "does not begin with a manifest")


def test_a_missing_file_is_told_so(tmp_path: Path) -> None:
    """The name that was typed is in the message."""
    with pytest.raises(NotFoundError, match="nowhere"), unpacked(tmp_path / "nowhere"):
        pytest.fail("it was taken")
