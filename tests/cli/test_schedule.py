"""muniment schedule: G-30, G-33…G-35, G-37. Stand-ins answer as systemctl and crontab do."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.driver import run, run_at_terminal, uncolored

_CRONTAB = """\
#!/bin/sh
case "$1" in
-l) if [ -f "$SPOOL" ]; then cat "$SPOOL"; else echo "no crontab for ada" >&2; exit 1; fi ;;
-r) rm "$SPOOL" ;;
-) cat > "$SPOOL" ;;
esac
"""
_SYSTEMCTL = '#!/bin/sh\necho "$@" >> "$SPOOL"\n'
Stand = Callable[[str, str], None]


@pytest.fixture
def stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stand:
    """Put programs on PATH, and nothing else: `muniment` is one of them."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setenv("SPOOL", str(tmp_path / "spool"))
    monkeypatch.delenv("MUNIMENT_HOME")
    monkeypatch.delenv("MUNIMENT_STATE")
    monkeypatch.delenv("XDG_STATE_HOME")

    def put(name: str, script: str) -> None:
        (folder / name).write_text(script)
        (folder / name).chmod(0o755)

    put("muniment", "#!/bin/sh\n")
    return put


@pytest.fixture
def spool(tmp_path: Path) -> Path:
    """What the stand-in keeps."""
    return tmp_path / "spool"


def test_it_prints_and_writes_nothing(ledger: Path, stand: Stand, spool: Path, tmp_path: Path) -> None:
    """In each format, with the path of muniment on PATH."""
    stand("systemctl", _SYSTEMCTL)
    assert "OnCalendar=Sun *-*-* 10:00:00 UTC" in run("upkeep", "schedule").ok().out
    assert (
        run("upkeep", "schedule", "--format", "crontab")
        .ok()
        .out.count(f"{tmp_path}/bin/muniment --scope user ")
        == 3
    )
    assert not spool.exists()
    assert not (Path.home() / ".config").exists()


def test_the_json_of_what_is_printed(ledger: Path, stand: Stand) -> None:
    """Files of systemd by path."""
    value = run("upkeep", "schedule", "--format", "systemd", "--json").ok().json
    assert len(value["files"]) == 6
    assert all(path.endswith((".service", ".timer")) for path in value["files"])


def test_a_crontab_keeps_its_other_lines(ledger: Path, stand: Stand, spool: Path) -> None:
    """Installed, installed again, removed."""
    stand("crontab", _CRONTAB)
    spool.write_text("# mine\n5 4 * * 1 /bin/true\n")
    done = run("upkeep", "schedule", "--format", "crontab", "--install", "--yes").ok()
    assert "+*/30 * * * * out=$(" in done.out
    put = spool.read_text()
    assert put.startswith("# mine\n5 4 * * 1 /bin/true\n# muniment: begin")
    again = run("upkeep", "schedule", "--format", "crontab", "--install", "--yes").ok()
    assert (again.out, spool.read_text()) == ("", put)
    assert "nothing to change" in again.err
    run("upkeep", "schedule", "--format", "crontab", "--remove", "--yes").ok()
    assert spool.read_text() == "# mine\n5 4 * * 1 /bin/true\n"


def test_an_empty_crontab_is_empty_again(ledger: Path, stand: Stand, spool: Path) -> None:
    """What was not there before is not there after."""
    stand("crontab", _CRONTAB)
    run("upkeep", "schedule", "--format", "crontab", "--install", "--yes").ok()
    assert spool.exists()
    assert (
        run("upkeep", "schedule", "--format", "crontab", "--remove", "--yes", "--json").ok().json["did"]
        == "removed"
    )
    assert not spool.exists()


def test_a_broken_block_is_left_alone(ledger: Path, stand: Stand, spool: Path) -> None:
    """A mark that stands alone is code 5, and the crontab is as it was."""
    stand("crontab", _CRONTAB)
    spool.write_text("# muniment: end\n")
    done = run("upkeep", "schedule", "--format", "crontab", "--install", "--yes")
    assert (done.code, spool.read_text()) == (5, "# muniment: end\n")


def test_without_a_yes_nothing_is_changed(ledger: Path, stand: Stand, spool: Path) -> None:
    """Nobody to ask is code 2; a person is asked, and may say no."""
    stand("crontab", _CRONTAB)
    done = run("upkeep", "schedule", "--format", "crontab", "--install")
    assert done.code == 2
    assert "--yes" in done.err
    said = run_at_terminal("upkeep", "schedule", "--format", "crontab", "--install", answers=["n"])
    assert said.code == 130
    assert "[y/N]" in uncolored(said.out)
    assert not spool.exists()
    assert run_at_terminal("upkeep", "schedule", "--format", "crontab", "--install", answers=["y"]).code == 0
    assert spool.exists()


def test_the_timers_of_systemd_are_written_and_started(ledger: Path, stand: Stand, spool: Path) -> None:
    """Six files; removed, none is left."""
    stand("systemctl", _SYSTEMCTL)
    run("upkeep", "schedule", "--install", "--yes").ok()
    folder = Path.home() / ".config" / "systemd" / "user"
    names = sorted(path.name for path in folder.iterdir())
    assert len(names) == 6
    timers = "muniment-checkpoint.timer muniment-curate.timer muniment-maintain.timer"
    assert spool.read_text().splitlines() == ["--user daemon-reload", f"--user enable --now {timers}"]
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    run("upkeep", "schedule", "--install", "--yes").ok()
    assert before == {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    run("upkeep", "schedule", "--remove", "--yes").ok()
    assert list(folder.iterdir()) == []
    assert f"--user disable --now {timers}" in spool.read_text()


def test_systemd_that_does_not_listen_gets_its_files(ledger: Path, stand: Stand) -> None:
    """In a container, or over a connection without a session: the command to type is named."""
    stand("systemctl", "#!/bin/sh\necho Created symlink. >&2\necho Failed to connect to bus >&2\nexit 1\n")
    done = run("upkeep", "schedule", "--install", "--yes").ok()
    assert (
        "Failed to connect to bus; the files are as they should be: run systemctl --user enable" in done.err
    )
    assert len(list((Path.home() / ".config" / "systemd" / "user").iterdir())) == 6


def test_a_scheduler_that_refuses_is_named(ledger: Path, stand: Stand) -> None:
    """With its last line, which says why."""
    stand("crontab", "#!/bin/sh\necho you are not allowed >&2\nexit 1\n")
    done = run("upkeep", "schedule", "--format", "crontab", "--install", "--yes")
    assert (done.code, done.err) == (9, "muniment: crontab -l failed (1): you are not allowed\n")


def test_a_machine_without_the_scheduler_is_told(
    ledger: Path, tmp_path: Path, stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With another way."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    done = run("upkeep", "schedule", "--format", "crontab", "--install", "--yes")
    assert done.code == 12
    assert "muniment: " in done.err


def test_a_project_is_scheduled_in_its_root(ledger: Path, stand: Stand, tmp_path: Path) -> None:
    """Its jobs have a name of their own, and run where the project is found."""
    root = tmp_path / "a project"
    root.mkdir()
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    run("init", cwd=root).ok()
    below = root / "src"
    below.mkdir()
    text = run("upkeep", "schedule", "--format", "crontab", cwd=below).ok().out
    assert f"cd '{root}' && out=$({tmp_path}/bin/muniment --scope project daily curate --if-due" in text
    assert "# muniment: begin;" not in text
    value = run("upkeep", "schedule", "--format", "systemd", "--json", cwd=root).ok().json
    assert all(
        f"WorkingDirectory={root}\n" in text for path, text in value["files"].items() if "service" in path
    )


def test_a_directory_and_moved_folders_are_repeated(ledger: Path, stand: Stand, tmp_path: Path) -> None:
    """A scheduler knows no variables of a shell, and no present folder."""
    run("init", "--ledger", tmp_path / "here").ok()
    text = run("upkeep", "schedule", "--format", "crontab", "--ledger", "here", cwd=tmp_path).ok().out
    assert f" --ledger {tmp_path / 'here'} daily checkpoint " in text
    moved = {"MUNIMENT_HOME": str(tmp_path / "m"), "XDG_STATE_HOME": str(tmp_path / "s")}
    text = run("upkeep", "schedule", "--format", "crontab", "--scope", "user", env=moved).ok().out
    assert f"MUNIMENT_HOME={tmp_path}/m MUNIMENT_STATE={tmp_path}/s/muniment " in text


def test_no_ledger_and_no_program_are_refused(
    stand: Stand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Jobs that could do nothing are not put in place."""
    monkeypatch.chdir(tmp_path)
    stand("crontab", _CRONTAB)
    done = run("upkeep", "schedule", "--format", "crontab", "--install", "--yes")
    assert done.code == 3
    assert "muniment init" in done.err
    run("init", "--scope", "user").ok()
    (tmp_path / "bin" / "muniment").unlink()
    done = run("upkeep", "schedule", "--format", "crontab", "--install", "--yes")
    assert done.code == 2
    assert "PATH" in done.err
