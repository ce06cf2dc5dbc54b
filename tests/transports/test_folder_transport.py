"""Tests transports/folder_transport.py against specs/team.md (TM-74): what stands in a folder, whoever put it there."""

from __future__ import annotations

import errno
import os
import signal
from pathlib import Path

import pytest

from tests.forking import ROOT, run_python
from tests.transports.places import ADA, TEAM, lines
from transports.folder_transport import FolderTransport
from transports.protocol import MOST_BYTES, Segment, TakenError, UnreachableError


@pytest.fixture
def at(tmp_path: Path) -> FolderTransport:
    """A folder with three lines of one chain."""
    made = FolderTransport(tmp_path, TEAM)
    made.put(ADA, [lines(0, 2), lines(2)])
    made.put_note("roster", "a", b"text")
    return made


@pytest.fixture
def chain(tmp_path: Path) -> Path:
    """Where its segments lie."""
    return tmp_path / TEAM / "chains" / ADA


def _all(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_a_segment_is_a_file_that_its_place_names(at: FolderTransport, tmp_path: Path, chain: Path) -> None:
    assert _all(tmp_path) == [
        f"{TEAM}/chains/{ADA}/0000000000.jsonl",
        f"{TEAM}/chains/{ADA}/0000000002.jsonl",
        f"{TEAM}/notes/roster/a",
    ]
    assert (chain / "0000000002.jsonl").read_bytes() == lines(2).data


def test_other_members_may_read_what_is_put_there(at: FolderTransport, chain: Path) -> None:
    """As far as the person's umask allows it."""
    mask = os.umask(0o027)
    try:
        at.put(ADA, [lines(3)])
    finally:
        os.umask(mask)
    assert (chain / "0000000003.jsonl").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize(
    "name",
    [
        "0000000003.sync-conflict-20261128-175612-ABCDEFG.jsonl",
        "0000000003.jsonl.tmp",
        "0000000003.jsonl~",
        ".0000000003.jsonl.4f2a.tmp",
        "~syncthing~0000000003.jsonl.tmp",
        "0000000003 (conflicted copy).jsonl",
        "3.jsonl",
        "00000000003.jsonl",
        "٠٠٠٠٠٠٠٠٠٣.jsonl",
    ],
)
def test_strange_names_are_ignored(at: FolderTransport, chain: Path, name: str) -> None:
    for folder in (chain, chain.parent, chain.parent.parent / "notes" / "roster"):
        (folder / name).write_bytes(lines(3).data)
    assert at.heads() == {ADA: 3}
    assert list(at.since(ADA, 0)) == [lines(0, 2), lines(2)]
    assert set(dict(at.notes("roster"))) <= {"a", "3.jsonl", "00000000003.jsonl"}


def test_what_is_no_segment_counts_for_nothing_and_is_not_overwritten(
    at: FolderTransport, chain: Path
) -> None:
    """A file that lost its end, a pipe that nobody writes to, a link, a folder, too many lines, too many bytes."""
    (chain / "0000000003.jsonl").write_bytes(b"line 3\nlin")
    os.mkfifo(chain / "0000000004.jsonl")
    (chain / "0000000005.jsonl").symlink_to("/dev/zero")
    (chain / "0000000006.jsonl").mkdir()
    (chain / "0000000007.jsonl").write_bytes(b"\n" * 257)
    (chain / "0000000008.jsonl").write_bytes(b"x" * MOST_BYTES + b"\n")
    (chain / "0000000009.jsonl").touch()
    assert at.heads() == {ADA: 3}
    assert list(at.since(ADA, 2)) == [lines(2)]
    for first in range(3, 10):
        with pytest.raises(TakenError):
            at.put(ADA, [lines(first)])
    assert (chain / "0000000003.jsonl").read_bytes() == b"line 3\nlin"


@pytest.mark.parametrize("ask", ["heads", "since", "put", "put_note", "notes", "blank"])
def test_a_folder_that_does_not_exist_is_unreachable(tmp_path: Path, ask: str) -> None:
    """A share that is not mounted is not made anew on the disk below."""
    missing = FolderTransport(tmp_path / "share", TEAM)
    arguments = {"since": (ADA, 0), "put": (ADA, [lines(0)]), "notes": ("join",), "blank": (ADA, lines(0))}
    with pytest.raises(UnreachableError, match="does not exist: mount the share"):
        getattr(missing, ask)(*arguments.get(ask, ("join", "a", b"x") if ask == "put_note" else ()))
    assert not (tmp_path / "share").exists()


def test_a_folder_is_made_where_that_is_asked_for(tmp_path: Path) -> None:
    made = FolderTransport(tmp_path / "a" / "share", TEAM, create=True)
    assert made.heads() == {}
    made.put(ADA, [lines(0)])
    assert FolderTransport(tmp_path / "a" / "share", TEAM).heads() == {ADA: 1}


def test_what_the_system_refuses_is_told_in_words(tmp_path: Path) -> None:
    (tmp_path / TEAM).write_text("a file")
    at = FolderTransport(tmp_path, TEAM)
    with pytest.raises(UnreachableError, match=r"cannot be used: .*; check that it is mounted"):
        at.put(ADA, [lines(0)])
    assert at.heads() == {}


def test_a_link_that_cannot_be_made_leaves_nothing_behind(at: FolderTransport, chain: Path) -> None:
    (chain / "0000000003.jsonl").symlink_to("nowhere")
    with pytest.raises(TakenError):
        at.put(ADA, [lines(3)])
    assert not [path for path in chain.iterdir() if path.suffix == ".tmp"]


def test_a_file_system_without_hard_links_will_do(
    at: FolderTransport, chain: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """None is to be had in a test: the system call refuses as one does."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", refuse)
    at.put(ADA, [lines(2), lines(3)])
    assert at.heads() == {ADA: 4}
    with pytest.raises(TakenError):
        at.put(ADA, [lines(3, word="other")])
    assert sorted(path.name for path in chain.iterdir()) == [f"000000000{first}.jsonl" for first in (0, 2, 3)]


def test_a_blanked_text_is_left_in_no_file_of_a_dead_sender(at: FolderTransport, chain: Path) -> None:
    (chain / ".0000000002.jsonl.4f2a.tmp").write_bytes(lines(2).data)
    assert at.blank(ADA, Segment(2, b"blank\n")) == ""
    assert not [path for path in chain.rglob("*") if b"line 2" in path.read_bytes()]


def test_copies_of_a_sync_service_are_named_as_residue(
    at: FolderTransport, chain: Path, tmp_path: Path
) -> None:
    conflict = "0000000002.sync-conflict-20261128-175612-ABCDEFG.jsonl"
    (chain / conflict).write_bytes(lines(2).data)
    (tmp_path / ".stversions").mkdir()
    said = at.blank(ADA, Segment(2, b"blank\n"))
    assert conflict in said
    assert str(tmp_path / ".stversions") in said
    assert (chain / conflict).exists()


_DIES = """
import os, signal, sys
from pathlib import Path
from tests.forking import ROOT, run_python
from tests.transports.places import ADA, TEAM, lines
from transports.folder_transport import FolderTransport
folder, at = Path(sys.argv[1]), int(sys.argv[2])
def watch(event, arguments):
    global at
    changes = event in ("os.rename", "os.remove") or (event == "open" and ".tmp" in str(arguments[0]))
    if changes and str(arguments[0]).startswith(str(folder)):
        at -= 1
        if not at:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(watch)
FolderTransport(folder, TEAM).compact(ADA, lines(0, 4))
"""


def test_who_dies_while_joining_loses_no_line_and_leaves_no_text(tmp_path: Path) -> None:
    """TM-79: at each step all lines stand, and what is blanked afterwards, or was before, is in no file."""
    for step in range(1, 20):
        folder = tmp_path / str(step)
        at = FolderTransport(folder, TEAM, create=True)
        at.put(ADA, [lines(0, 2), lines(2), lines(3)])
        died = run_python(["-c", _DIES, folder, step], cwd=ROOT).returncode == -signal.SIGKILL
        assert at.heads() == {ADA: 4}
        for each in list(at.since(ADA, 0)):
            at.blank(ADA, each._replace(data=each.data.replace(b"line 2", b"blanks")))
        at.compact(ADA, Segment(0, lines(0, 4).data.replace(b"line 2", b"blanks")))
        assert at.heads() == {ADA: 4}
        assert [path for path in folder.rglob("*.*") if b"line 2" in path.read_bytes()] == []
        if not died:
            break
    assert step > 4
