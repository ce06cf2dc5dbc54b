"""What stands in the place of our files and is no file, or is malformed, hangs nothing and costs no recall.

Tests specs/files.md (F-21…F-23).
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.driver import run, run_process
from tests.cli.unprivileged import needs_modes, run_unprivileged

COMMANDS = ("list", "search one", "inject", "status", "verify", "doctor", "adopt", "add three")
KINDS: dict[str, Callable[[Path], object]] = {"pipe": os.mkfifo, "folder": Path.mkdir}


def _in_place_of(path: Path, kind: str) -> None:
    path.unlink(missing_ok=True)
    KINDS[kind](path)


@pytest.mark.parametrize("kind", KINDS)
def test_a_chain_that_is_no_file_is_named_at_once(home: Path, kind: str) -> None:
    """F-22: each of these once waited for a writer of the pipe, forever."""
    _in_place_of(home / "chain.jsonl", kind)
    for line in COMMANDS:
        done = run(*line.split())
        said = done.out + done.err
        assert f"it is a {kind}, not a regular file" in said or "muniment doctor" in said, line
        assert done.code in {0, 1, 9}, (line, said)
        assert done.code or line == "status", line


@pytest.mark.parametrize("line", ["list", "add three", "verify"])
def test_a_chain_that_is_a_link_is_refused(home: Path, tmp_path: Path, line: str) -> None:
    """F-22: whoever owns the file that it leads to would be written through."""
    chain = home / "chain.jsonl"
    elsewhere = tmp_path / "elsewhere.jsonl"
    chain.rename(elsewhere)
    chain.symlink_to(elsewhere)
    before = elsewhere.read_bytes()
    done = run(*line.split())
    assert done.code in {1, 9}
    assert "symbolic link" in done.out + done.err
    assert elsewhere.read_bytes() == before


@pytest.mark.parametrize("kind", KINDS)
def test_a_database_or_lock_that_is_no_file_is_made_anew(home: Path, kind: str) -> None:
    for name in ("memory.db", "local.db", "render.lock"):
        _in_place_of(home / name, kind)
        run("list").ok()
        run("add", f"learned beside {name}").ok()
        assert f"- learned beside {name}\n" in (home / "MEMORY.md").read_text()
    run("verify").ok()


@pytest.mark.parametrize("kind", KINDS)
def test_a_key_that_is_no_file_is_named_at_once(home: Path, kind: str) -> None:
    (key,) = (home / "keys").glob("*.key")
    _in_place_of(key, kind)
    done = run("add", "three")
    assert (done.code, f"it is a {kind}, not a regular file" in done.err) == (8, True)
    run("list").ok()


def _malformed(path: Path) -> None:
    path.write_text("[garbage")


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir, _malformed])
def test_settings_that_cannot_be_read_cost_no_recall(home: Path, make: Callable[[Path], object]) -> None:
    """F-21: what asks goes on with a warning, what a person says is stored, what depends on a setting refuses."""
    settings = home / "config.toml"
    settings.unlink()
    make(settings)
    for line in ("list", "search one", "inject", "show @1", "list --stale"):
        done = run(*line.split()).ok()
        assert done.err.count("config.toml cannot be read") == 1, line
    assert "- one\n" in run("inject").out
    run("add", "three").ok()
    assert "- three\n" not in (home / "MEMORY.md").read_text()
    assert (run("adopt").code, run("archive", "unused").code) == (2, 2)
    settings.rmdir() if settings.is_dir() else settings.unlink()
    run("adopt").ok()
    assert "- three\n" in (home / "MEMORY.md").read_text()


def _hook(home: Path, name: str, prompt: str = "") -> bytes:
    event = {"hook_event_name": name, "session_id": "s", "cwd": str(home), "prompt": prompt, "prompt_id": "p"}
    return json.dumps(event).encode()


def test_hooks_tell_what_they_know_with_malformed_settings(home: Path) -> None:
    """F-21: what stands in the file is not told; a project's may be anybody's."""
    _malformed(home / "config.toml")
    told = run_process("hook", "claude", input=_hook(home, "SessionStart")).out
    assert "- one" in told
    assert "a config.toml is malformed" in told
    assert "garbage" not in told
    told = run_process("hook", "claude", input=_hook(home, "UserPromptSubmit", "Remember that it rains.")).out
    assert "could not store anything from this prompt" in told


def test_where_nothing_can_be_written_everything_can_be_read(home: Path, isolated: Path) -> None:
    """F-23: SQLite makes files beside a database even to read it, where it may."""
    needs_modes(isolated)
    folders = [path for path in isolated.rglob("*") if path.is_dir()]
    for path in [*isolated.rglob("*")]:
        path.chmod(0o500 if path.is_dir() else 0o400)
    try:
        for line in ("list", "search one", "inject", "verify", "status"):
            done = run_unprivileged(*line.split())
            assert done.code == 0, (line, done.err)
        assert run_unprivileged("add", "three").code == 9
        told = run_unprivileged("hook", "claude", input=_hook(home, "SessionStart")).out
        assert "- one" in told
        prompt = _hook(home, "UserPromptSubmit", "Remember that it rains.")
        told = run_unprivileged("hook", "claude", input=prompt).out
        assert "could be stored" in told or "not stored" in told
    finally:
        for path in folders:
            path.chmod(0o700)


def test_what_an_editor_put_into_a_chain_goes_as_doctor_says(home: Path) -> None:
    """X-56: line ends of Windows and a byte-order mark; every byte that was signed stays."""
    chain = home / "chain.jsonl"
    sound = chain.read_bytes()
    for damaged in (sound.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + sound):
        chain.write_bytes(damaged)
        said = run("doctor").out
        (line,) = {each for each in said.splitlines() if "fixed > chain.jsonl" in each}
        command = line[line.index("there: ") + len("there: ") : line.index(" leaves every byte")]
        subprocess.run(["sh", "-c", command], cwd=home, check=True)
        assert chain.read_bytes() == sound
        (home / "fixed").unlink()
    run("verify").ok()


def test_a_chain_that_was_cut_together_with_its_mark_is_no_zero(home: Path, isolated: Path) -> None:
    """X-56: nothing but the missing mark tells of it."""
    chain = home / "chain.jsonl"
    chain.write_bytes(b"".join(chain.read_bytes().splitlines(keepends=True)[:2]))
    for mark in (isolated / ".local" / "state" / "muniment" / "marks").iterdir():
        mark.unlink()
    done = run("doctor")
    assert done.code == 1
    assert "there is no high-water mark" in done.out


def test_the_folders_of_hooks_are_their_owners_alone(home: Path, isolated: Path) -> None:
    """G-80: a umask of nothing once left them open to all."""
    state = isolated / ".local" / "state" / "muniment"
    before = os.umask(0)
    try:
        run_process("hook", "claude", input=_hook(home, "SessionStart"))
        run_process("hook", "claude", input=_hook(home, "UserPromptSubmit", "Remember that it rains."))
    finally:
        os.umask(before)
    made = [path for path in (state / "hooks", *(state / "hooks").rglob("*")) if path.is_dir()]
    assert len(made) > 1
    assert {path.stat().st_mode & 0o777 for path in made} == {0o700}
