"""Tests of ledger/durable.py: files come whole or not at all; a refusal is said in words (C-5, C-16)."""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger import durable
from ledger.durable import replace_file, storage_error, write_new
from tests.ledger.world import mounted


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def test_a_new_file_has_its_bytes_and_its_mode(tmp_path: Path) -> None:
    """Bytes or blocks of bytes arrive whole; nobody else may read them."""
    write_new(tmp_path / "one", b"all of it")
    write_new(tmp_path / "two", iter([b"all ", b"of ", b"it"]))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes() == b"all of it"
    assert (tmp_path / "one").stat().st_mode & 0o777 == 0o600
    assert names(tmp_path) == ["one", "two"]


def test_a_new_file_never_replaces_one(tmp_path: Path) -> None:
    """What stands there keeps its bytes, and nothing is left beside it."""
    (tmp_path / "key").write_bytes(b"old")
    with pytest.raises(FileExistsError):
        write_new(tmp_path / "key", b"new")
    assert (tmp_path / "key").read_bytes() == b"old"
    assert names(tmp_path) == ["key"]


def test_steps_of_a_new_file_come_in_order(tmp_path: Path) -> None:
    """Written, synced, renamed: the name appears with the last one only."""
    seen: list[tuple[str, bool]] = []
    path = tmp_path / "file"
    write_new(path, b"x", step=lambda step: seen.append((step, path.exists())))
    assert seen == [("written", False), ("synced", False), ("renamed", True)]


@pytest.mark.parametrize("put", [write_new, replace_file])
def test_a_file_is_on_the_disk_before_it_has_its_name(
    tmp_path: Path, put: Callable[[Path, bytes], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """C-16: the bytes are synced first, then the name appears, then the folder is synced."""
    path = tmp_path / "file"
    seen: list[tuple[str, bool]] = []
    fsync = os.fsync

    def watched(fd: int) -> None:
        is_folder = stat.S_ISDIR(os.fstat(fd).st_mode)
        seen.append(("folder" if is_folder else "file", path.exists()))
        fsync(fd)

    monkeypatch.setattr(os, "fsync", watched)
    put(path, b"x")
    assert seen == [("file", False), ("folder", True)]


@pytest.mark.parametrize("put", [write_new, replace_file])
def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, put: Callable[[Path, bytes], None]) -> None:
    """Where the bytes do not fit, no part of a file stays, under no name."""
    with mounted(tmp_path / "disk", "size=16k") as disk:
        with pytest.raises(OSError, match="No space left"):
            put(disk / "file", b"x" * 40_000)
        assert names(disk) == []


def test_a_failed_replacement_keeps_the_old_file(tmp_path: Path) -> None:
    """The old bytes stand until the new ones are whole."""
    with mounted(tmp_path / "disk", "size=16k") as disk:
        replace_file(disk / "file", b"old")
        with pytest.raises(OSError, match="No space left"):
            replace_file(disk / "file", b"x" * 40_000)
        assert (disk / "file").read_bytes() == b"old"
        assert names(disk) == ["file"]


def test_threads_that_replace_one_file_never_mix_their_bytes(tmp_path: Path) -> None:
    """Each writer has a temporary file of its own."""
    path = tmp_path / "file"
    faults: list[Exception] = []

    def work(letter: bytes) -> None:
        try:
            for _ in range(60):
                replace_file(path, letter * 50_000, sync=False)
                assert len(set(path.read_bytes())) == 1
        except Exception as error:  # noqa: BLE001 - a thread's faults are looked at in the end
            faults.append(error)

    threads = [threading.Thread(target=work, args=(letter,)) for letter in (b"a", b"b", b"c", b"d")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults
    assert names(tmp_path) == ["file"]


def test_a_leftover_with_a_second_name_is_not_written_through(tmp_path: Path) -> None:
    """A process that died between link and unlink left a second name of the file: it is not truncated."""
    first = tmp_path / "chain"
    first.write_bytes(b"precious")
    before, number = durable.beside(first).stem.rsplit("-", 1)
    leftover = tmp_path / f"{before}-{int(number) + 1}.tmp"
    os.link(first, leftover)
    assert durable.beside(tmp_path / "chain") == leftover
    assert not leftover.exists()
    assert first.read_bytes() == b"precious"


def test_a_file_system_without_hard_links_still_refuses_to_replace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where link is not allowed (FAT), a rename takes its place, after a look."""

    def no_link(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", no_link)
    write_new(tmp_path / "file", b"first")
    with pytest.raises(FileExistsError):
        write_new(tmp_path / "file", b"second")
    assert (tmp_path / "file").read_bytes() == b"first"
    assert names(tmp_path) == ["file"]


def test_blocks_give_a_range_of_bytes(tmp_path: Path) -> None:
    """From the offset to the end, or to where they are told to stop."""
    path = tmp_path / "file"
    path.write_bytes(b"0123456789" * 300_000)
    with path.open("rb") as file:
        assert b"".join(durable.blocks(file.fileno(), 7)) == path.read_bytes()[7:]
        assert b"".join(durable.blocks(file.fileno(), 3, 12)) == b"345678901"
        assert list(durable.blocks(file.fileno(), 5, 5)) == []


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "the disk is full"),
        (errno.EDQUOT, "quota"),
        (errno.EROFS, "read-only"),
        (errno.EACCES, "permission denied"),
        (errno.EFBIG, "file size limit"),
        (errno.EIO, os.strerror(errno.EIO)),
    ],
)
def test_the_disks_refusals_are_said_in_words(number: int, words: str) -> None:
    """The message says what failed, why, where, and in what state things are."""
    message = str(storage_error(OSError(number, os.strerror(number)), "appending", Path("/here")))
    assert message.startswith("appending failed: ")
    assert words in message
    assert message.endswith("(/here); nothing was acknowledged")
