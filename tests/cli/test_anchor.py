"""muniment anchor signs what a ledger holds, lists it, and shows that one checkpoint goes on from another.

Tests specs/cli.md (X-261…X-263).
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from ledger.note import NoteKey
from proofs import checkpoint
from tests.cli.driver import run, run_process, user_ledger
from tests.ledger.world import lines_of, overwrite


@pytest.fixture
def home() -> Path:
    return user_ledger("Use pnpm, not npm", "Postgres listens on 5433")


def signed(tmp_path: Path, name: str) -> Path:
    path = tmp_path / name
    path.write_text(run("anchor", "checkpoint").ok().out)
    return path


def test_a_checkpoint_goes_to_stdout_and_into_the_folder(home: Path) -> None:
    result = run_process("anchor", "checkpoint").ok()
    assert (home / "anchors" / "0-3.checkpoint").read_text() == result.out
    vkey = result.err.split()[-1]
    assert checkpoint.signatures(result.out.encode(), [NoteKey.from_vkey(vkey)])
    assert checkpoint.parse(result.out.encode())[0].size == 3
    assert "signed 3 events" in result.err
    again = run("anchor", "checkpoint").ok()
    assert again.out == result.out
    assert "nothing was learned" in again.err


def test_signing_makes_no_event(home: Path) -> None:
    """ADR 0020: nobody outside has answered yet."""
    before = (home / "chain.jsonl").read_bytes()
    run("anchor", "checkpoint").ok()
    assert (home / "chain.jsonl").read_bytes() == before


def test_json_says_what_the_text_says(home: Path) -> None:
    value = run("anchor", "checkpoint", "--json").ok().json
    made, _ = checkpoint.parse(value["checkpoint"].encode())
    assert (value["size"], value["root"], value["origin"]) == (made.size, made.root.hex(), made.origin)
    assert (value["new"], value["signatures"]) == (True, 1)
    assert Path(value["path"]).read_text() == value["checkpoint"]
    listed = run("anchor", "list", "--json").ok().json_lines
    assert [(each["size"], each["path"], each["receipts"]) for each in listed] == [(3, value["path"], [])]


def test_the_list_names_what_lies_beside(home: Path) -> None:
    assert "no checkpoint was signed" in run("anchor", "list").ok().err
    run("anchor", "checkpoint").ok()
    (home / "anchors" / "0-3.tsr").write_bytes(b"x")
    (home / "anchors" / "0-3-2.tsr").write_bytes(b"y")
    (home / "anchors" / "0-31.ots").write_bytes(b"z")
    (line,) = run("anchor", "list").ok().out.splitlines()
    assert "3 events  " in line
    assert "tsr, tsr" in line
    assert "ots" not in line
    (home / "anchors" / "0-3.checkpoint").unlink()
    assert "its file is gone" in run("anchor", "list").ok().out


def test_a_ledger_without_its_key_signs_nothing(home: Path) -> None:
    for path in (home / "keys").glob("*.key"):
        path.unlink()
    assert run("anchor", "checkpoint").code == 8
    assert not (home / "anchors").exists()


def test_a_chain_that_was_cut_is_not_signed(home: Path) -> None:
    run("anchor", "checkpoint").ok()
    chain = home / "chain.jsonl"
    overwrite(chain, b"".join(lines_of(chain)[:2]))
    result = run("anchor", "checkpoint")
    assert result.code == 7
    assert result.out == ""


def test_what_only_a_checkpoint_knows_of_is_given_up_by_recover(home: Path) -> None:
    """X-83: the chain is an older one, whole, and the mark is gone too; what refuses to sign says what helps, and it does."""
    run("anchor", "checkpoint").ok()
    chain = home / "chain.jsonl"
    overwrite(chain, b"".join(lines_of(chain)[:2]))
    shutil.rmtree(Path(os.environ["XDG_STATE_HOME"]) / "muniment" / "marks")
    refused = run("anchor", "checkpoint")
    assert (refused.code, refused.out) == (7, "")
    assert "muniment recover" in refused.err
    assert run("recover", "-m", "an old backup").code == 2  # nobody is there to be asked
    recovered = run("recover", "-m", "an old backup", "--yes").ok()
    assert "a checkpoint of 3 events was signed" in recovered.err
    assert checkpoint.parse(run("anchor", "checkpoint").ok().out.encode())[0].origin.endswith("/1")
    assert run("verify").ok().err == ""
    again = run("recover", "-m", "once more", "--yes")
    assert (again.code, "there is nothing to recover" in again.err) == (4, True)


def test_options_stand_before_or_after_the_verb(home: Path, tmp_path: Path) -> None:
    """X-2: of the command, of the verb, and of the program."""
    made = run("anchor", "checkpoint").ok().out
    for args in (("anchor", "--json", "checkpoint"), ("--json", "anchor", "checkpoint")):
        assert run(*args).ok().json["checkpoint"] == made
    assert run("anchor", "--ledger", tmp_path / "nothing", "checkpoint").code == 3


def test_an_unknown_verb_is_named(home: Path) -> None:
    assert run("anchor", "chekpoint").code == 2
