"""Tests cli/commands/revert.py against specs/cli.md (X-24…X-27); its planning is tested with projections."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.driver import run, run_process

pytestmark = pytest.mark.usefixtures("ledger")


def standing() -> list[str]:
    return [entry["text"] for entry in run("list", "--json").json_lines]


def document(ledger: Path) -> str:
    return (ledger / "MEMORY.md").read_text()


def test_a_process_undoes_a_supersede(ledger: Path) -> None:
    one = run("add", "port 5432").id
    two = run("supersede", one, "port 5433").id
    before = document(ledger)
    done = run_process("revert", two).ok()
    back = run("list", "--json").json_lines[0]["id"][:12]
    assert done.out == f"+ restored  {back}  port 5432\n"
    assert f"muniment revert {back}" in done.err
    assert standing() == ["port 5432"]
    assert document(ledger) == before.replace("5433", "5432")
    run(*done.err.strip().split("muniment ")[-1].split()).ok()
    assert standing() == ["port 5433"]


def test_a_whole_session_is_undone_and_the_documents_are_as_before(ledger: Path) -> None:
    """X-25."""
    one, two, three = (run("add", text).id for text in ("one", "two", "three"))
    candidate = run("add", "maybe", "--candidate").id
    before = document(ledger)
    of = ("--session", "s1")
    run("add", "four", *of).ok()
    run("supersede", one, "one!", *of).ok()
    run("supersede", two, three, "two and three", *of).ok()
    auto = run("add", "five", *of).id
    run("supersede", auto, "five!", *of).ok()
    done = run("revert", "--session", "s1", "-m", "wrong branch", "--json").ok().json
    assert document(ledger) == before
    assert sorted(standing()) == ["maybe", "one", "three", "two"]
    assert [id_["was"][:12] for id_ in done["restored"]] == [two, three, one]
    assert len(done["undone"]) == 5
    assert len(done["deleted"]) == 2
    assert run("log", "--kind", "delete", "--json").json_lines[0]["what"] == "wrong branch"
    assert run("show", candidate, "--json").json["status"] == "candidate"


def test_a_conversation_is_undone_with_a_reason_of_its_own() -> None:
    run("add", "one", "--conversation", "c1").ok()
    run("revert", "--conversation", "c1").ok()
    assert run("log", "--kind", "delete", "--json").json_lines[0]["what"] == "revert of conversation c1"
    assert not standing()


def test_a_later_correction_of_a_persons_is_not_part_of_the_session() -> None:
    """X-19, X-26: it is named, and nothing is done until it is included."""
    one = run("add", "wrong", "--session", "s1").id
    two = run("supersede", one, "right").id
    done = run("revert", "--session", "s1")
    assert done.code == 4
    assert two in done.err
    assert standing() == ["right"]
    run("revert", one, two).ok()
    assert not standing()


def test_a_dry_run_says_the_same_and_does_nothing(ledger: Path) -> None:
    """X-27."""
    one = run("add", "one").id
    gone = run("add", "two").id
    event = run("delete", gone, "--json").json["id"]
    before = (ledger / "chain.jsonl").read_bytes()
    done = run("revert", one, event, "--dry-run").ok()
    assert done.out == f"+ would be restored  {gone}  two\n- would be deleted  {one}  one\n"
    assert (ledger / "chain.jsonl").read_bytes() == before
    assert run("revert", one, "--dry-run", "--json").ok().json["events"] == []


def test_a_second_revert_finds_nothing_and_says_why() -> None:
    """X-26."""
    one = run("add", "one").id
    run("revert", one).ok()
    again = run("revert", one).ok()
    assert again.out.startswith(f"skipped  {one}  ")
    assert "came later and acted on it (delete)" in again.out
    assert "nothing is left to undo" in again.err


def test_what_cannot_be_undone_is_an_error_by_id_and_skipped_in_a_session() -> None:
    """X-27."""
    assert run("revert", "@0").code == 4
    one, two = run("add", "one", "--session", "s1").id, run("add", "two", "--session", "s1").id
    erased = run("erase", two, "--yes", "--json").ok().json["id"]
    assert "cannot be undone" in run("revert", erased).err
    assert run("revert", "--session", "s1").ok().out.startswith(f"- deleted  {one}  one\n")
    assert run("revert", two).ok().out == f"skipped  {two}  it is erased\n"


def test_a_long_body_comes_back_whole() -> None:
    """X-25."""
    body = "a line of a long body\n" * 9000
    one = run("add", "long", "-F", "-", input=body).ok().id
    event = run("delete", one, "--json").json["id"]
    back = run("revert", event, "--json").ok().json["restored"][0]["id"]
    assert run("show", back, "--json").json["body"] == body
    assert run("verify").code == 0


def test_a_daily_note_comes_back_on_its_day(ledger: Path) -> None:
    """X-25."""
    path = run("import", "2020-02-02.md") if Path("2020-02-02.md").write_text("- met the team\n") else None
    assert path is not None
    assert path.code == 0
    note = ledger / "memory/archive/2020-02-02.md"
    before = note.read_bytes()
    event = run("delete", "@1", "--json").json["id"]
    assert not note.exists()
    run("revert", event).ok()
    assert note.read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([], 2),
        (["@1", "--session", "s"], 2),
        (["--session", "s", "--conversation", "c"], 2),
        (["--session", "nobody"], 3),
        (["@7"], 3),
    ],
)
def test_a_request_that_means_nothing_is_refused(arguments: list[str], code: int) -> None:
    run("add", "one").ok()
    assert run("revert", *arguments).code == code
