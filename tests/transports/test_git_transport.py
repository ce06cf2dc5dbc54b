"""Tests transports/git_transport.py against specs/team.md (TM-73, TM-75): hosts that refuse, lose or lie, and caches that break."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.loopback import serving
from tests.transports.places import ADA, BEN, TEAM, Place, git, lines
from transports.git_transport import GitTransport
from transports.protocol import Segment, TakenError, UnreachableError


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A bare repository."""
    return Place("git", tmp_path)


@pytest.fixture
def branches(tmp_path: Path) -> Place:
    """A bare repository whose host accepts branches alone."""
    return Place("branches", tmp_path)


def _at(place: Place, machine: str) -> GitTransport:
    return GitTransport(str(place.path), TEAM, place.root / machine)


def _script(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def _holds(folder: Path, text: bytes) -> bool:
    """Say whether an object of a repository has this text, reachable or not."""
    listed = git(folder, "cat-file", "--batch-all-objects", "--batch-check")
    blobs = [line.split()[0] for line in listed.splitlines() if " blob " in line]
    return any(text.decode() in git(folder, "cat-file", "blob", blob) for blob in blobs)


# --- what stands there ---


def test_a_chain_is_a_ref_and_its_segments_are_files(place: Place) -> None:
    at = _at(place, "one")
    at.put(ADA, [lines(0, 2), lines(2, 256), lines(1000), lines(1_234_567)])
    at.put_note("roster", "a.note", b"text")
    refs = git(place.path, "for-each-ref", "--format=%(refname)").splitlines()
    assert refs == [f"refs/muniment/{TEAM}/{ADA[:40]}", f"refs/muniment/{TEAM}/notes"]
    assert git(place.path, "ls-tree", "-r", "--name-only", refs[0]).splitlines() == [
        "0000000/0000000000.jsonl",
        "0000000/0000000002.jsonl",
        "0000001/0000001000.jsonl",
        "0001234/0001234567.jsonl",
    ]
    assert git(place.path, "log", "-1", "--format=%B|%an|%ae|%cn|%ce", refs[0]).split("|") == [
        ADA,
        *["muniment", "muniment@localhost"] * 2,
    ]
    assert git(place.path, "ls-tree", "-r", "--name-only", refs[1]) == "roster/a.note"
    git(place.path, "fsck", "--strict")


def test_updates_keep_the_history(place: Place) -> None:
    """So a push sends what is new alone."""
    at = _at(place, "one")
    for seq in range(3):
        at.put(ADA, [lines(seq)])
    assert git(place.path, "rev-list", "--count", place.ref(ADA)) == "3"


def test_what_is_no_chain_is_ignored(place: Place) -> None:
    """Other refs, files and folders, a tag, a blob, and what is larger than a segment may be."""
    at = _at(place, "one")
    at.put(ADA, [lines(0)])
    giant = git(place.path, "hash-object", "-w", "--stdin", given=b"x" * (1 << 20) + b"\n")
    torn = git(place.path, "hash-object", "-w", "--stdin", given=b"line 2\nli")
    good = git(place.path, "hash-object", "-w", "--stdin", given=lines(1).data)
    first = git(place.path, "rev-parse", f"{place.ref(ADA)}:0000000/0000000000.jsonl")
    place.stand(
        ADA,
        {
            "0000000/0000000000.jsonl": first,
            "0000000/0000000001.jsonl": giant,
            "0000000/0000000002.jsonl": torn,
            "0000000/1.jsonl": good,
            "0000000001.jsonl": good,
            "x/0000000001.jsonl": good,
            "0000001/0000001000.jsonl/0": good,
        },
    )
    git(place.path, "update-ref", f"refs/muniment/{TEAM}/junk", place.ref(ADA))
    git(place.path, "update-ref", f"refs/muniment/{TEAM}/{BEN[:40]}", place.ref(ADA))
    git(place.path, "update-ref", f"refs/muniment/{TEAM}/{'c' * 40}", giant)
    git(place.path, "update-ref", f"refs/muniment/{TEAM}/notes", place.ref(ADA))
    reader = _at(place, "other")
    assert reader.heads() == {ADA: 1}
    assert list(reader.since(ADA, 0)) == [lines(0)]
    assert list(reader.notes("x")) == [("0000000001.jsonl", lines(1).data)]
    assert list(reader.notes("roster")) == []
    with pytest.raises(TakenError) as found:
        reader.put(ADA, [lines(1)])
    assert found.value.data in (b"", b"x" * (1 << 20) + b"\n")


def test_a_remote_that_went_back_is_refilled(place: Place) -> None:
    """TM-75: fetched refs are forced; a holder that saw more puts it there again."""
    one, other = _at(place, "one"), _at(place, "other")
    one.put(ADA, [lines(0)])
    old = git(place.path, "rev-parse", place.ref(ADA))
    one.put(ADA, [lines(1)])
    assert other.heads() == {ADA: 2}
    git(place.path, "update-ref", place.ref(ADA), old)
    assert other.heads() == one.heads() == {ADA: 1}
    other.put(ADA, [lines(1)])
    git(place.path, "update-ref", "-d", place.ref(ADA))
    assert one.heads() == {}
    one.put(ADA, [lines(0), lines(1)])
    assert other.heads() == {ADA: 2}


def test_other_teams_in_the_same_repository_are_not_seen(place: Place) -> None:
    _at(place, "one").put(ADA, [lines(0)])
    stranger = GitTransport(str(place.path), "0" * 32, place.root / "stranger")
    assert stranger.heads() == {}
    stranger.put(ADA, [lines(0, word="other")])
    assert _at(place, "one").heads() == {ADA: 1}


# --- hosts that refuse ---


def test_the_host_that_refuses_our_refs_is_asked_once(branches: Place) -> None:
    """TM-75: the cache remembers it, and a reader needs no refusal to find the branches."""
    one = _at(branches, "one")
    before = one.on_branches
    one.put(ADA, [lines(0)])
    assert (before, one.on_branches) == (False, True)
    one.put(ADA, [lines(1)])
    again = _at(branches, "one")
    again.put_note("roster", "a", b"text")
    assert again.on_branches
    assert (branches.path / "refused").read_text().splitlines() == [f"refs/muniment/{TEAM}/{ADA[:40]}"]
    reader = _at(branches, "reader")
    assert reader.heads() == {ADA: 2}
    assert list(reader.notes("roster")) == [("a", b"text")]
    assert not reader.on_branches


def test_what_one_may_put_nowhere_else_is_read_in_both_places(branches: Place) -> None:
    """One member may push our refs, another branches alone: they read each other."""
    (branches.path / "hooks" / "update").rename(branches.path / "hooks" / "off")
    one, other = _at(branches, "one"), _at(branches, "other")
    one.put(ADA, [lines(0)])
    one.put_note("join", "a", b"one")
    (branches.path / "hooks" / "off").rename(branches.path / "hooks" / "update")
    other.heads()
    other.put(ADA, [lines(0), lines(1)])
    other.put_note("join", "b", b"other")
    for each in (one, other):
        assert each.heads() == {ADA: 2}
        assert list(each.since(ADA, 0)) == [lines(0), lines(1)]
        assert list(each.notes("join")) == [("a", b"one"), ("b", b"other")]
    with pytest.raises(TakenError):
        other.put(ADA, [lines(0, word="forged")])


def test_a_host_that_accepts_nothing_is_named_with_its_reason(place: Place) -> None:
    _script(place.path / "hooks", "pre-receive", "echo no room for you >&2; exit 1")
    at = _at(place, "one")
    with pytest.raises(
        UnreachableError, match=r"refuses refs/heads/muniment/.*no room for you.*ask who runs it"
    ):
        at.put(ADA, [lines(0)])
    assert not at.on_branches
    (place.path / "hooks" / "pre-receive").unlink()
    at.put(ADA, [lines(0)])
    assert git(place.path, "for-each-ref", "--format=%(refname)") == place.ref(ADA)


def test_a_host_that_refuses_forced_pushes_cannot_blank(branches: Place) -> None:
    at = _at(branches, "one")
    at.put(ADA, [lines(0)])
    git(branches.path, "config", "receive.denyNonFastForwards", "true")
    with pytest.raises(UnreachableError, match=r"refuses .*non-fast-forward"):
        at.blank(ADA, lines(0, word="blank"))


# --- erasing ---


def test_a_blanked_text_is_gone_from_every_cache_and_from_a_swept_remote(
    place: Place, isolated: Path
) -> None:
    """The caches sweep themselves, whatever a person's git keeps; the remote's own objects are the residue that is named."""
    (isolated / ".gitconfig").write_text("[core]\nlogAllRefUpdates = always\n[gc]\nbigPackThreshold = 1\n")
    git(place.path, "config", "core.logAllRefUpdates", "false")
    git(place.path, "config", "gc.bigPackThreshold", "0")
    one, other = _at(place, "one"), _at(place, "other")
    one.put(ADA, [lines(0), lines(1, word="secret")])
    one.put(ADA, [lines(2)])
    other.heads()
    other.put(ADA, [lines(3)])
    git(place.root / "other" / "repository.git", "repack", "--quiet", "-a", "-d")
    [pack] = (place.root / "other" / "repository.git" / "objects" / "pack").glob("*.pack")
    pack.with_suffix(".keep").touch()
    assert one.heads() == {ADA: 4}
    said = one.blank(ADA, lines(1, word="blank"))
    assert str(place.path) in said
    assert "collects garbage" in said
    assert git(place.path, "rev-list", "--count", place.ref(ADA)) == "1"
    assert other.heads() == {ADA: 4}
    for cache in ("one", "other"):
        assert not _holds(place.root / cache / "repository.git", b"secret")
    assert _holds(place.path, b"secret")
    git(place.path, "gc", "--quiet", "--prune=now")
    assert not _holds(place.path, b"secret")


def test_a_sender_that_did_not_see_the_erase_does_not_bring_the_text_back(place: Place) -> None:
    one, other = _at(place, "one"), _at(place, "other")
    one.put(ADA, [lines(0, word="secret")])
    other.blank(ADA, lines(0, word="blank"))
    one.put(ADA, [lines(1)])
    assert list(_at(place, "reader").since(ADA, 0)) == [lines(0, word="blank"), lines(1)]
    git(place.path, "gc", "--quiet", "--prune=now")
    assert not _holds(place.path, b"secret")
    one.heads()
    assert not _holds(place.root / "one" / "repository.git", b"secret")


def test_two_erases_at_once_both_hold(place: Place) -> None:
    one, other = _at(place, "one"), _at(place, "other")
    one.put(ADA, [lines(0), lines(1)])
    other.heads()
    one.blank(ADA, lines(0, word="blank"))
    other.blank(ADA, lines(1, word="blank"))
    assert list(_at(place, "reader").since(ADA, 0)) == [lines(0, word="blank"), lines(1, word="blank")]


def test_both_places_of_a_chain_are_blanked(branches: Place) -> None:
    (branches.path / "hooks" / "update").rename(branches.path / "hooks" / "off")
    one, other = _at(branches, "one"), _at(branches, "other")
    one.put(ADA, [lines(0)])
    (branches.path / "hooks" / "off").rename(branches.path / "hooks" / "update")
    other.put(ADA, [lines(1)])
    (branches.path / "hooks" / "update").unlink()
    other.blank(ADA, lines(0, word="blank"))
    one.blank(ADA, lines(1, word="blank"))
    assert list(_at(branches, "reader").since(ADA, 0)) == [
        lines(0, word="blank"),
        lines(1, word="blank"),
    ]


# --- the person's own git ---


def test_no_setting_of_a_person_changes_what_is_done(
    place: Place, isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither hooks nor signatures, nor an identity that is missing, nor variables of a git that calls us."""
    for hook in ("pre-push", "reference-transaction", "post-checkout", "pre-auto-gc"):
        _script(tmp_path / "hooks", hook, f"touch {tmp_path / 'ran'}; exit 1")
    (isolated / ".gitconfig").write_text(
        f"[core]\nhooksPath = {tmp_path / 'hooks'}\n[push]\ngpgSign = true\nfollowTags = true\n[commit]\ngpgSign = true\n"
        "[user]\nuseConfigOnly = true\n[fetch]\nprune = false\n[init]\ndefaultObjectFormat = sha256\n"
    )
    # The remote is a host of its own, whose settings are not the person's.
    git(place.path, "config", "core.hooksPath", str(place.path / "hooks"))
    at = _at(place, "one")
    for name in ("DIR", "INDEX_FILE", "OBJECT_DIRECTORY", "COMMON_DIR", "NAMESPACE", "TRACE"):
        monkeypatch.setenv(f"GIT_{name}", str(tmp_path / "elsewhere"))
    at.put(ADA, [lines(0)])
    assert at.heads() == {ADA: 1}
    at.close()
    assert not (tmp_path / "ran").exists()
    assert not (tmp_path / "elsewhere").exists()


def test_an_empty_sync_changes_nothing(place: Place) -> None:
    at = _at(place, "one")
    at.put(ADA, [lines(0)])
    at.heads()
    before = {path: path.stat().st_mtime_ns for path in place.root.rglob("*") if path.is_file()}
    assert at.heads() == {ADA: 1}
    assert list(at.since(ADA, 1)) == []
    at.put(ADA, [lines(0)])
    assert {path: path.stat().st_mtime_ns for path in place.root.rglob("*") if path.is_file()} == before


# --- failures ---


def test_a_missing_git_is_named(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "none").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "none"))
    with pytest.raises(UnreachableError, match=r"git is not installed: .* needs git 2\.39 or newer"):
        _at(place, "one").heads()


@pytest.mark.parametrize("version", ["git version 2.38.9", "no version"])
def test_an_old_git_is_named(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    _script(tmp_path / "bin", "git", f"echo {version}")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    with pytest.raises(UnreachableError, match=rf"git is too old \({version}\)"):
        _at(place, "one").heads()


def test_a_repository_that_does_not_exist_is_unreachable(tmp_path: Path) -> None:
    at = GitTransport(str(tmp_path / "none.git"), TEAM, tmp_path / "cache")
    for ask in (at.heads, lambda: at.put(ADA, [lines(0)]), lambda: list(at.since(ADA, 0))):
        with pytest.raises(
            UnreachableError, match=r"git cannot fetch from git:.*none\.git: .*; check the address"
        ):
            ask()


def test_a_host_that_hangs_is_left_with_all_that_git_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ssh = _script(tmp_path, "ssh", f"(exec sleep 3{os.getpid()}) & wait")
    monkeypatch.setenv("GIT_SSH_COMMAND", str(ssh))
    at = GitTransport("ssh://host/x", TEAM, tmp_path / "cache", patience=0.5)
    with pytest.raises(UnreachableError, match=r"git did not finish within 0\.5 seconds"):
        at.heads()
    for _ in range(200):
        if f"sleep 3{os.getpid()}" not in subprocess.check_output(["ps", "-eo", "args"], text=True):
            break
        time.sleep(0.05)  # it was killed, and is about to end
    else:
        pytest.fail("what git had started goes on")


@pytest.fixture
def host() -> Iterator[str]:
    """The name and port of a host that wants a password, whatever it is given."""
    with serving(lambda _: (401, b"", {"WWW-Authenticate": "Basic realm=x"})) as address:
        yield address.removeprefix("http://")


@pytest.mark.parametrize("user", ["tok3n@", "ada:s3%20cret@"])
def test_no_message_shows_credentials(host: str, user: str, tmp_path: Path) -> None:
    """TM-73: and nobody is asked for any."""
    at = GitTransport(f"http://{user}{host}/x.git", TEAM, tmp_path / "cache")
    with pytest.raises(UnreachableError, match=rf"git cannot fetch from http://{host}/x\.git: ") as failed:
        at.heads()
    told = f"{failed.value} {failed.value.__cause__} {at.address}"
    for part in ("tok3n", "s3cret", "s3%20cret", "s3 cret", "ada"):
        assert part not in told
    for path in (tmp_path / "cache").rglob("*"):
        assert not path.is_file() or not {b"tok3n", b"s3"} & {*path.read_bytes().split(b":")}


# --- the cache ---


def test_the_cache_may_be_removed_at_any_time(place: Place) -> None:
    at = _at(place, "one")
    at.put(ADA, [lines(0)])
    shutil.rmtree(place.root / "one")
    at.put(ADA, [lines(1)])
    assert at.heads() == {ADA: 2}


@pytest.mark.parametrize("part", ["objects", "HEAD", "refs"])
def test_a_damaged_cache_is_made_anew(place: Place, part: str) -> None:
    one = _at(place, "one")
    one.put(ADA, [lines(0)])
    one.heads()
    _at(place, "other").put(ADA, [lines(1)])
    for path in sorted((place.root / "one" / "repository.git").glob(f"{part}/**/*")):
        if path.is_file():
            path.chmod(0o600)
            path.write_bytes(b"")
    if part == "HEAD":
        (place.root / "one" / "repository.git" / "HEAD").unlink()
    (place.root / "one" / "memory.json").write_text('{"spans": 7}')
    again = _at(place, "one")
    assert again.heads() == {ADA: 2}
    again.put(ADA, [lines(2)])
    assert list(again.since(ADA, 0)) == [lines(0), lines(1), lines(2)]


def test_locks_of_a_killed_git_are_removed(place: Place) -> None:
    one = _at(place, "one")
    one.put(ADA, [lines(0)])
    one.heads()
    repository = place.root / "one" / "repository.git"
    for name in ("packed-refs.lock", "HEAD.lock", f"{place.ref(ADA)}.lock", "refs/made.lock"):
        (repository / name).touch()
    _at(place, "other").put(ADA, [lines(1)])
    assert _at(place, "one").heads() == {ADA: 2}
    one.put(ADA, [lines(2)])


def test_processes_take_turns_at_one_cache(place: Place) -> None:
    def push(number: int) -> None:
        at = _at(place, "shared")
        at.put(f"{number}" * 64, [lines(0)])
        assert at.heads()[f"{number}" * 64] == 1

    threads = [threading.Thread(target=push, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(_at(place, "reader").heads()) == 4


def test_a_cache_that_cannot_be_written_is_named(place: Place) -> None:
    (place.root / "one").write_text("a file")
    with pytest.raises(UnreachableError, match=r"one cannot be used: .*check that it may be written"):
        _at(place, "one").heads()


def test_many_small_pushes_are_packed_on_close(place: Place) -> None:
    at = _at(place, "one")
    at.put(ADA, [Segment(seq, b"%d\n" % seq) for seq in range(30)])
    at.heads()
    git(place.root / "one" / "repository.git", "config", "gc.auto", "1")
    at.close()
    assert _at(place, "one").heads() == {ADA: 30}
