"""Requests that mean nothing are refused with code 2 and name the argument."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import muniment
from tests.cli.driver import run, run_process
from tests.ledger.secret_fakes import tokens


@pytest.fixture(autouse=True)
def ledger(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    muniment.init().close()
    run("add", "one").ok()
    return isolated / ".muniment"


@pytest.mark.parametrize("arguments", [("add", ""), ("add", "  "), ("add", "-"), ("supersede", "@1", "")])
def test_an_empty_text_is_refused(arguments: tuple[str, ...]) -> None:
    """X-11."""
    done = run(*arguments, input="")
    assert done.code == 2
    assert done.err.startswith("muniment: TEXT ")


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((b"add", b"caf\xe9"), "TEXT"),
        ((b"add", b"x", b"--tag", b"caf\xe9"), "--tag"),
        ((b"delete", b"@1", b"-m", b"caf\xe9"), "--reason"),
        ((b"search", b"caf\xe9"), "QUERY"),
        ((b"list", b"--section", b"caf\xe9"), "--section"),
        ((b"list", b"--by", b"caf\xe9"), "--by"),
    ],
)
def test_an_argument_that_is_no_text_is_named(arguments: tuple[bytes, ...], name: str) -> None:
    """X-11."""
    done = run_process(*map(os.fsdecode, arguments))
    assert done.code == 2, done.err
    assert "not valid UTF-8" in done.err or name == "--by"


def test_a_file_that_is_not_there_is_code_3_and_one_that_is_not_utf8_code_2(tmp_path: Path) -> None:
    """X-3, X-11."""
    done = run("add", "x", "-F", "/nope")
    assert (done.code, "/nope" in done.err) == (3, True)
    (tmp_path / "latin").write_bytes(b"caf\xe9")
    assert run("add", "x", "-F", "latin").code == 2


def test_an_empty_name_is_refused() -> None:
    for arguments in (("add", "x", "--by", ""), ("--by", "", "list"), ("log", "--author", "")):
        assert run(*arguments).code == 2, arguments
    assert len(run("list", "--json").json_lines) == 1
    assert run("list", env={"MUNIMENT_BY": ""}).code == 0


@pytest.mark.parametrize(
    ("arguments", "advised"),
    [
        (("delete", "@1", "-m", "{}"), False),
        (("confirm", "@1", "-m", "{}"), False),
        (("erase", "@1", "--yes", "-m", "{}"), False),
        (("add", "{}"), True),
        (("add", "x", "--by", "{by}"), False),
        (("supersede", "@1", "{}"), True),
    ],
)
def test_redact_is_advised_where_it_exists_and_helps(arguments: tuple[str, ...], advised: bool) -> None:
    """X-23."""
    secret = tokens(3)["github classic token"]
    done = run(*(each.replace("{}", secret).replace("{by}", secret.lower()) for each in arguments))
    assert done.code == (2 if "{by}" in arguments and done.code == 2 else 6), done.err
    assert ("--redact" in done.err) is advised
    assert secret not in done.err


def test_search_does_not_repeat_what_it_looked_for() -> None:
    """X-1."""
    secret = tokens(3)["github classic token"]
    done = run("search", secret).ok()
    assert "nothing found" in done.err
    assert secret not in done.err


def test_a_delete_without_a_reason_has_none() -> None:
    """X-58, X-59."""
    run("add", "two words").ok()
    run("delete", "@2").ok()
    run("delete", "@1", "-m", "because").ok()
    for command in (("show",), ("show", "--history")):
        (line,) = [line for line in run(*command, "@2").ok().out.splitlines() if "deleted 20" in line]
        assert "two words" not in line
        assert line.endswith("(script)")
        assert ": because" in run(*command, "@1").ok().out
    assert "two words" in run("log", "--kind", "delete").ok().out


def test_a_device_is_not_verified(tmp_path: Path) -> None:
    """X-81: it would never end."""
    done = run("verify", "/dev/zero")
    assert (done.code, "it is a device, not a regular file" in done.err) == (9, True)
    os.mkfifo(tmp_path / "pipe")
    assert run("verify", "pipe").code == 9
    assert run("verify", "nothing-there").code == 3


def test_a_path_that_is_missing_stops_an_import_before_anything_is_read(tmp_path: Path) -> None:
    """X-34, I-1."""
    (tmp_path / "M.md").write_text("- a fact\n")
    (tmp_path / "bad.md").write_bytes(b"caf\xe9")
    assert run("import", "M.md", "bad.md", "nofile").code == 3
    assert len(run("list", "--json").json_lines) == 1
    assert run("import", "M.md", "bad.md").code == 5
    assert len(run("list", "--json").json_lines) == 2
