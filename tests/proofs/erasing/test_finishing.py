"""Tests specs/erasure.md (Z-16, Z-9): what a killed process left is finished, or swept, by whoever comes next."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import muniment
from agents.hooks import handover, user_folders
from tests.agents.hooks.calling import event, hook, settled, spool
from tests.cli.driver import environment, run, run_process, user_ledger
from tests.forking import Forked, run_python
from tests.learning.transcripts.writing import jsonl, person
from tests.ledger.conftest import light_sealing as light_sealing  # noqa: PLC0414 - a fixture
from tests.proofs.erasing.test_erasing import OTHER, SECRET, holding

STEPS = ("erasure.noted", "erase.appended", "file.renamed")

KILLED = """
import os, signal, sys
from ledger import steps
from cli import main
from tests.forking import run_python
at, *arguments = sys.argv[1:]
def killed(step):
    if step == at:
        os.kill(os.getpid(), signal.SIGKILL)
def sync(fd, really=os.fsync):
    if at in os.readlink(f"/proc/self/fd/{fd}"):
        os.kill(os.getpid(), signal.SIGKILL)
    really(fd)
def rename(old, new, really=os.rename):
    if at in old:
        os.kill(os.getpid(), signal.SIGKILL)
    really(old, new)
if "/" in at:
    os.fsync, os.rename = sync, rename
steps.observer = killed
main.main(arguments)
"""


def killed_at(step: str, *arguments: object, given: str = "") -> None:
    """Run a command in a process of its own that is killed at a step, or before a file with such a path is complete."""
    done = run_python(["-c", KILLED, step, *arguments], env=environment(), input=given)
    assert done.returncode == -9, done.stderr


def _hook() -> None:
    hook(event("SessionStart", source="startup"))
    settled()


@pytest.mark.parametrize(
    "following",
    [
        *(lambda words=words: run(*words) for words in (["list"], ["verify"], ["adopt"])),
        _hook,
    ],
    ids=["list", "verify", "adopt", "hook"],
)
def test_whoever_comes_next_finishes_a_killed_erase(
    following: Callable[[], object], isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Z-16: be it one that only reads."""
    monkeypatch.chdir(tmp_path)
    home = user_ledger(SECRET, OTHER)
    killed_at("erase.blanked", "erase", "@1", "--yes")
    assert holding(home)
    following()
    assert holding(home, isolated) == []
    assert [path.suffix for path in (home / "erasures").iterdir()] == [".receipt"]
    with muniment.open() as memory:
        assert not memory.erasures.cleaning
    assert run("verify").code == 0


def test_doctor_names_an_erase_that_was_killed(
    isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Z-16: it mends nothing."""
    monkeypatch.chdir(tmp_path)
    user_ledger(SECRET, OTHER)
    killed_at("erase.blanked", "erase", "@1", "--yes")
    told = run("doctor")
    assert told.code == 1
    assert "erasure" in told.out


@pytest.mark.parametrize("step", STEPS)
def test_wherever_an_erase_was_killed_a_list_finishes_it(
    step: str, isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Z-16: all of it, or nothing where no event stands yet."""
    monkeypatch.chdir(tmp_path)
    home = user_ledger(SECRET, OTHER)
    killed_at(step, "erase", "@1", "--yes")
    stood = not run("log", "--kind", "erase", "--json").out
    listed = run("list").ok()
    assert "not finished" not in listed.err
    assert (SECRET in listed.out) is stood
    assert stood is bool(holding(home))
    run("verify").ok()


def test_one_that_cannot_be_finished_is_reported(
    tmp_path: Path, isolated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Z-16: by a command that only reads, which answers all the same."""
    monkeypatch.chdir(tmp_path)
    home = user_ledger(SECRET, OTHER)
    killed_at("erase.synced", "erase", "@1", "--yes")
    (home / "MEMORY.md").unlink()
    (home / "MEMORY.md").mkdir()
    (home / "MEMORY.md" / "in the way").touch()
    listed = run("list").ok()
    assert OTHER in listed.out
    assert SECRET not in listed.out


def test_an_erase_of_another_process_is_left_to_it(
    tmp_path: Path, isolated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Z-16: what is under way is no remains."""
    from proofs.erasing.erasures import alone

    monkeypatch.chdir(tmp_path)
    home = user_ledger(SECRET, OTHER)
    killed_at("erase.synced", "erase", "@1", "--yes")
    with alone(home):
        run("list").ok()
        with muniment.open() as memory:
            assert memory.erasures.cleaning
    run("list").ok()
    with muniment.open() as memory:
        assert not memory.erasures.cleaning


HELD = """
import sys
from pathlib import Path
from ledger import steps
from cli import main
at, reached, *arguments = sys.argv[1:]
def held(step):
    if step == at:
        Path(reached).touch()
        sys.stdin.read()
steps.observer = held
main.main(arguments)
"""


class Held:
    """An erase in a process of its own that stands still at a step until it is let go; `reached` is there when it does."""

    def __init__(self, step: str, reached: Path, target: str) -> None:
        self.reached = reached
        stdin, self._hold = os.pipe()
        with Path(os.devnull).open("wb") as nowhere:
            words = ["-c", HELD, step, reached, "erase", target, "--yes"]
            self.process = Forked(words, (stdin, nowhere.fileno(), nowhere.fileno()), env=environment())
        os.close(stdin)

    def until_reached(self) -> None:
        """Wait until it stands still."""
        while not self.reached.exists():
            assert self.process.poll() is None
            time.sleep(0.01)

    def let_go(self) -> None:
        """Let it go on."""
        os.close(self._hold)

    def ends_well(self) -> None:
        """Wait until it has ended, with code 0."""
        assert self.process.wait(120) == 0
        self.process.close()

    def kill(self) -> None:
        """Kill it where it stands."""
        self.process.kill()
        self.process.wait(120)
        self.process.close()
        os.close(self._hold)


@pytest.mark.parametrize(
    ("step", "first"),
    [
        ("erasure.noted", None),
        ("receipt.written", "erase.blanked"),
    ],
)
def test_of_two_erases_at_once_neither_takes_the_others_mark(
    step: str, first: str | None, isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Z-16: one waits for the other, be there the mark of a third that died; whoever dies then is finished for."""
    monkeypatch.chdir(tmp_path)
    third = "The bins go out on Tuesdays"
    home = user_ledger(SECRET, OTHER, third)
    if first:
        killed_at(first, "erase", "@3", "--yes")
    one = Held(step, tmp_path / "first", "@1")
    one.until_reached()
    two = Held("erase.blanked", tmp_path / "second", "@2")
    run("list").ok()
    with muniment.open() as memory:
        assert memory.erasures.cleaning
    one.let_go()
    two.until_reached()
    with muniment.open() as memory:
        assert memory.erasures.cleaning
    two.kill()
    one.ends_well()  # it waits for two where two came between its finishing for the third and its own erase
    run("list").ok()
    for text in (SECRET, OTHER):
        assert holding(home, isolated, text=text) == []
    with muniment.open() as memory:
        assert not memory.erasures.cleaning
    run("verify").ok()


# --- files for somebody else ---


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="which file is synced is asked of /proc")
@pytest.mark.parametrize(
    ("command", "following"),
    [("export", ["erase", "@1", "--yes"]), ("backup", ["list"]), ("prove", ["export", "-o", "another"])],
)
def test_what_a_killed_process_made_of_a_file_is_swept(
    command: str, following: list[str], isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Z-9: text and chain lie beside the file that never came; the next command takes them away."""
    monkeypatch.chdir(tmp_path)
    user_ledger(SECRET, OTHER)
    given = tmp_path / "given away"
    given.mkdir()
    target = given / "file.tar.gz"
    words = {
        "export": ["export", "-o", target],
        "backup": ["backup", target],
        "prove": ["prove", "@1", "-o", target],
    }
    killed_at(f"{given}/", *words[command])
    assert any(given.iterdir())
    run(*following).ok()
    assert list(given.iterdir()) == []


def test_what_another_process_is_making_is_named(
    tmp_path: Path, isolated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Z-9: it runs still, so nothing of it is removed, and the erase says where it lies."""
    monkeypatch.chdir(tmp_path)
    user_ledger(SECRET, OTHER)
    making = tmp_path / f".out.jsonl.{os.getppid()}-0.tmp"
    making.write_text(SECRET)
    with muniment.open() as memory:
        memory.workspace.local.note(f"coming {tmp_path / 'out.jsonl'}", "export")
    done = run("erase", "@1", "--yes")
    assert done.code == 1
    assert str(making) in done.err
    assert making.exists()


# --- what a person is shown ---


def test_at_a_terminal_the_first_words_are_shown_before_the_question(isolated: Path, tmp_path: Path) -> None:
    """X-30: of what is named by id, and by text."""
    long = "The code of the garden gate, which nobody must know, is written on the back of the third picture from the left"
    user_ledger(long, OTHER)
    for words, named in ((["@1"], "garden"), (["--match", "garden"], "[…]")):
        done = run("erase", *words, input="n\n", terminal=True)
        assert f"The code of the {named} gate, which nobody must know, is" in done.err
        assert "third picture" not in done.err


def test_elsewhere_nothing_is_shown_of_it(isolated: Path) -> None:
    """X-30: neither in a log, nor as JSON, nor where nobody is asked."""
    user_ledger(SECRET, OTHER)
    assert SECRET[:8] not in run("erase", "@1", "--json", input="n\n", terminal=True).err
    done = run("erase", "@1", "--yes")
    assert SECRET[:8] not in done.out + done.err


def test_a_second_erase_is_none(isolated: Path) -> None:
    """X-28: no event, no question, no error."""
    home = user_ledger(SECRET, OTHER)
    run("erase", "@1", "--yes").ok()
    before = (home / "chain.jsonl").read_bytes()
    again = run("erase", "@1", input="").ok()
    assert "already" in again.out
    assert (home / "chain.jsonl").read_bytes() == before


def test_the_name_of_a_topic_leaves_the_local_state(isolated: Path) -> None:
    """Z-30: of which nothing else stands."""
    home = user_ledger(OTHER)
    id_ = run("add", "she is ill", "--topic", "anna-and-her-illness").id
    run("add", "said later").ok()
    run("erase", id_, "--yes").ok()
    assert holding(home, text="anna-and-her-illness") == []


# --- keys ---


PHRASE = "correct horse battery"
needs_proc = pytest.mark.skipif(
    not Path("/proc/self/fd").is_dir(), reason="which file is synced is asked of /proc"
)


@pytest.fixture
def sealed_keys(light_sealing: None, isolated: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The keys of a ledger, sealed."""
    home = user_ledger(OTHER)
    _phrase(isolated, monkeypatch)
    run("key", "passphrase").ok()
    return sorted((home / "keys").iterdir())


def _phrase(isolated: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = isolated / "phrase"
    file.touch(mode=0o600)
    file.write_text(PHRASE)
    monkeypatch.setenv("MUNIMENT_PASSPHRASE", PHRASE)
    monkeypatch.setenv("MUNIMENT_NEW_PASSPHRASE_FILE", str(file))


def _sealed(path: Path) -> bool:
    return b'"seed"' not in path.read_bytes()


@needs_proc
def test_a_killed_removal_of_a_passphrase_leaves_no_open_key(sealed_keys: list[Path]) -> None:
    """N-23: killed before the first rename: what it made goes with the next command, and both keys stay sealed."""
    folder = sealed_keys[0].parent
    killed_at("/keys/.", "key", "passphrase", "--remove")
    (left,) = set(folder.iterdir()).difference(sealed_keys)
    assert not _sealed(left)
    run("list").ok()
    assert sorted(folder.iterdir()) == sealed_keys
    assert all(map(_sealed, sealed_keys))


def test_between_its_two_keys_the_same_command_goes_on(sealed_keys: list[Path]) -> None:
    """N-23: each key is what it was, or in the open as was asked for; none lies beside."""
    killed_at("passphrase.put", "key", "passphrase", "--remove")
    assert sorted(sealed_keys[0].parent.iterdir()) == sealed_keys
    assert [_sealed(path) for path in sealed_keys] == [False, True]
    run("key", "passphrase").ok()
    assert all(map(_sealed, sealed_keys))
    run("add", "signed on").ok()


# --- halves of files ---


def _coming(home: Path) -> list[Path]:
    return list((home / "keys").glob("*.coming"))


def test_the_key_of_a_rotation_that_never_came_is_swept(isolated: Path) -> None:
    """N-21: by the next write; the ledger signs and rotates on."""
    home = user_ledger(OTHER)
    killed_at("rotate.stored", "key", "rotate")
    assert _coming(home)
    run("list").ok()
    run("add", "signed on").ok()
    assert not _coming(home)
    run("key", "rotate").ok()
    run("add", "and with the next").ok()
    run("verify").ok()


def test_the_key_of_a_rotation_that_came_is_none_that_is_swept(isolated: Path) -> None:
    """N-21: its event stands, so the next write puts it in place."""
    home = user_ledger(OTHER)
    killed_at("append.synced", "key", "rotate")
    (coming,) = _coming(home)
    data = coming.read_bytes()
    run("add", "signed on").ok()
    assert not _coming(home)
    (following,) = (home / "keys").glob("*.next")
    assert following.read_bytes() == data


@needs_proc
def test_half_a_checkpoint_is_swept(isolated: Path) -> None:
    """Z-9."""
    home = user_ledger(OTHER)
    killed_at("/anchors/.", "anchor", "checkpoint")
    assert [path.suffix for path in (home / "anchors").iterdir()] == [".tmp"]
    run("list").ok()
    assert list((home / "anchors").iterdir()) == []


@pytest.mark.parametrize("following", [["list"], ["hook", "work"]])
def test_half_a_spool_file_is_swept_and_a_whole_one_is_worked_on(
    following: list[str], isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Z-9, G-8: what a person said and nobody learned yet stays until it is learned."""
    monkeypatch.chdir(tmp_path)
    user_ledger(OTHER)
    said = jsonl(person("Remember that the office in Oslo closes at six", uuid="m1", sessionId="s1"))
    (tmp_path / "s1.jsonl").write_bytes(said)
    told = json.dumps(event("Stop", transcript_path=str(tmp_path / "s1.jsonl"), stop_hook_active=False))
    folder = Path(user_folders.hooks()) / handover.SPOOL
    killed_at(f"{folder}/", "hook", "claude", given=told)
    (half,) = folder.iterdir()
    handover.put({"kind": "transcript", "program": "claude", "event": "Stop", "session": "s1", "cwd": str(tmp_path),
                 "transcript": str(tmp_path / "s1.jsonl")})  # fmt: skip
    (whole,) = spool()
    run_process(*following).ok()
    assert not half.exists()
    assert whole.exists() is (following == ["list"])
    run_process("hook", "work").ok()
    assert spool() == []
    assert "Oslo" in run("list").out


def test_what_another_process_is_making_stays(isolated: Path) -> None:
    """Z-9."""
    home = user_ledger(OTHER)
    (home / "anchors").mkdir()
    folders = (home / "anchors", home / "keys")
    making = [folder / f".x.{os.getppid()}-0.tmp" for folder in folders]
    died = [folder / f".x.{_died()}-0.tmp" for folder in folders]
    for path in (*making, *died):
        path.write_text("half")
    run("list").ok()
    assert [path.exists() for path in (*making, *died)] == [True, True, False, False]


def _died() -> str:
    """Return the id of a process that is no more."""
    return run_python(["-c", "import os; print(os.getpid())"]).stdout.strip()
