"""The jobs as each scheduler wants them: G-30, G-33…G-35."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.schedules import (
    JOBS,
    Runner,
    block,
    timers,
    units,
    with_block,
)
from ledger.errors import RecordError, UsageError

USER = Runner("/opt/bin/muniment", ("--scope", "user"))
ODD = Runner(
    '/opt/a b/%h/$X/"q"/muniment',
    ("--ledger", "/data/100% of it's"),
    {"MUNIMENT_HOME": '/h me/$Y/%d/"z"\\'},
    Path("/pro ject"),
    "abcd1234",
)
BLOCK = block(USER)

_ANALYZE = shutil.which("systemd-analyze")


def test_the_timers_of_a_user() -> None:
    """Written out: the calendar in UTC, and what was missed is made up for."""
    files = units(USER)
    assert sorted(files) == [f"muniment-{name}" for name in (
        "checkpoint.service", "checkpoint.timer", "curate.service", "curate.timer", "maintain.service",
        "maintain.timer",
    )]  # fmt: skip
    assert files["muniment-curate.service"].splitlines()[3:] == [
        "[Service]",
        "Type=oneshot",
        "ExecStart=/opt/bin/muniment --scope user daily curate --if-due",
    ]
    assert files["muniment-curate.timer"].splitlines()[3:] == [
        "[Timer]",
        "OnCalendar=Sun *-*-* 10:00:00 UTC",
        "Persistent=true",
        "",
        "[Install]",
        "WantedBy=timers.target",
    ]


def test_systemd_replaces_nothing_in_a_path() -> None:
    """`$` and `%` are doubled, but for a `$` in the program's own path, where it would stay doubled."""
    service = units(Runner("/a$b%c/muniment", ("--ledger", "/$HOME/%h"), {"X": "$Y%z"}))[
        "muniment-curate.service"
    ]
    assert "Environment=X=$Y%%z\n" in service
    assert "ExecStart=/a$b%%c/muniment --ledger /$$HOME/%%h daily curate --if-due\n" in service


@pytest.mark.skipif(_ANALYZE is None, reason="this machine has no systemd")
@pytest.mark.parametrize("calendar", [job.calendar for job in JOBS])
def test_systemd_understands_the_calendar(calendar: str) -> None:
    """And reads it in UTC, or in any zone where it is every half hour."""
    assert _ANALYZE is not None
    done = subprocess.run([_ANALYZE, "calendar", calendar], capture_output=True, text=True, check=True)
    assert f"rmalized form: {'Sun ' if 'Sun' in calendar else '*-*-* *:00/30'}" in done.stdout


@pytest.mark.skipif(_ANALYZE is None, reason="this machine has no systemd")
def test_systemd_reads_odd_paths_as_they_are(tmp_path: Path) -> None:
    """Spaces, percent and dollar signs and quotes: systemd finds no fault. Of a program with quotes it would."""
    program = tmp_path / "a b %h $HOME" / "muniment"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    runner = Runner(str(program), ODD.options, ODD.environment, tmp_path, "x")
    for name, text in units(runner).items():
        (tmp_path / name).write_text(text)
    command = [str(_ANALYZE), "verify", "--user", *(str(tmp_path / name) for name in units(runner))]
    done = subprocess.run(
        command, capture_output=True, text=True, env={"XDG_RUNTIME_DIR": str(tmp_path), "HOME": str(tmp_path)}
    )
    assert (done.returncode, done.stderr) == (0, "")
    service = (tmp_path / "muniment-curate-x.service").read_text()
    (tmp_path / "muniment-curate-x.service").write_text(service.replace("/muniment", "/gone"))
    done = subprocess.run(
        command, capture_output=True, text=True, env={"XDG_RUNTIME_DIR": str(tmp_path), "HOME": str(tmp_path)}
    )
    assert "gone" in done.stderr  # it does look at the path
    with pytest.raises(UsageError, match="crontab"):
        units(Runner("/a'b/muniment"))


def test_a_cron_line_runs_in_sh_with_the_very_words(tmp_path: Path) -> None:
    """Cron turns an escaped percent sign back, and gives the rest to sh; what fails is printed, and nothing else."""
    program = tmp_path / "a b %h $HOME 'q'" / "muniment"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nprintf "%s|" "$MUNIMENT_HOME" "$PWD" "$@" >&2\nexit ${CODE:-0}\n')
    program.chmod(0o755)
    runner = Runner(str(program), ODD.options, ODD.environment, tmp_path, ODD.mark)
    line = next(
        line for line in block(runner).splitlines() if line.endswith('echo "$out"') and "curate" in line
    )
    assert "%" not in line.replace("\\%", "")
    command = line.split(" ", 5)[5].replace("\\%", "%")
    said = "|".join(
        [ODD.environment["MUNIMENT_HOME"], str(tmp_path), *ODD.options, "daily", "curate", "--if-due", ""]
    )
    for code, printed in ((0, ""), (1, f"{said}\n")):
        done = subprocess.run(
            ["/bin/sh", "-c", command], capture_output=True, text=True, env={"CODE": str(code)}
        )
        assert (done.stdout.replace("\\\\", "\\"), done.stderr) == (printed, "")


def test_a_command_that_cron_would_cut_is_refused() -> None:
    """Rather than run in part."""
    with pytest.raises(UsageError, match="systemd"):
        block(Runner("/" + "x" * 1000, ("--scope", "user")))


_LINES = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r\n\0"), max_size=20), max_size=6)


@given(before=_LINES, after=_LINES, end=st.sampled_from(["\n", "\r\n"]))
def test_other_lines_of_a_crontab_keep_their_bytes(before: list[str], after: list[str], end: str) -> None:
    """Put in, put in again, replaced in place, and taken out."""
    crontab = "".join(f"{line}{end}" for line in before)
    once = with_block(crontab, "", BLOCK)
    assert once == crontab + BLOCK
    assert with_block(once, "", BLOCK) == once
    rest = "".join(f"{line}{end}" for line in after)
    assert with_block(once + rest, "", "new\n") == f"{crontab}new\n{rest}"
    assert with_block(once + rest, "", "") == crontab + rest
    assert with_block(crontab, "", "") == crontab


def test_a_last_line_without_an_end_gets_one() -> None:
    """Cron takes no file without."""
    assert with_block("5 4 * * * x", "", BLOCK) == f"5 4 * * * x\n{BLOCK}"


def test_the_blocks_of_two_ledgers_stand_side_by_side() -> None:
    """Each is found by its own mark."""
    both = with_block(with_block("", "", BLOCK), ODD.mark, block(ODD))
    assert with_block(both, "", "") == block(ODD)
    assert with_block(both, ODD.mark, "") == BLOCK


@pytest.mark.parametrize("order", [(0,), (-1,), (-1, 0), (0, 0, -1)])
def test_a_mark_that_stands_alone_is_refused(order: tuple[int, ...]) -> None:
    """Nobody knows what it enclosed."""
    marks = [BLOCK.splitlines()[at] for at in order]
    with pytest.raises(RecordError, match="line 2"):
        with_block("\n".join(["x", *marks, ""]), "", "")


@pytest.mark.parametrize("path", ["/a\nb", "/a\x1bb", "/a\0"])
def test_a_control_character_is_refused(path: str) -> None:
    """A line end in a path would be a line of the scheduler's."""
    with pytest.raises(UsageError):
        Runner(path)


def test_names_tell_ledgers_apart() -> None:
    """The user's own has none behind it."""
    assert timers(USER)[0] == "muniment-checkpoint.timer"
    assert timers(ODD)[0] == "muniment-checkpoint-abcd1234.timer"
