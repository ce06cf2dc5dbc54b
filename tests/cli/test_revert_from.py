"""`revert --from SOURCE` undoes what came from a source and what was built on it (specs/report.md H-50…H-53)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.driver import run, run_at_terminal

pytestmark = pytest.mark.usefixtures("ledger")


def standing() -> list[str]:
    return sorted(entry["text"] for entry in run("list", "--json").json_lines)


def poisoned() -> dict[str, str]:
    """Learn from a conversation, replace what it said, make a memory from that, and one that has nothing to do with it."""
    good = run("add", "deploy from main").id
    bad = run("supersede", good, "deploy from evil", "--conversation", "c1").id
    new = run("add", "the mirror is evil.example", "--conversation", "c1").id
    edited = run("supersede", new, "the mirror is https://evil.example").id
    made = run("add", "fetch packages from the mirror", "--from", edited).id
    further = run("add", "the mirror serves wheels", "--from", made).id
    kept = run("add", "lint before every commit").id
    return {
        "good": good, "bad": bad, "new": new, "edited": edited, "made": made, "further": further, "kept": kept
    }  # fmt: skip


def test_what_was_built_on_a_conversation_goes_with_it_in_one_batch(ledger: Path) -> None:
    ids = poisoned()
    events = len((ledger / "chain.jsonl").read_bytes().splitlines())
    done = run("revert", "--from", "conversation:c1", "--yes", "--json").ok().json
    assert [id_[:12] for id_ in done["came"]] == [ids["bad"], ids["new"]]
    assert [id_[:12] for id_ in done["built"]] == [ids["edited"], ids["made"], ids["further"]]
    assert standing() == ["deploy from main", "lint before every commit"]
    assert len((ledger / "chain.jsonl").read_bytes().splitlines()) == events + len(done["events"])
    run("revert", *done["events"]).ok()
    assert "the mirror serves wheels" in standing()


def test_a_second_time_nothing_is_left(ledger: Path) -> None:
    """H-52: what brought the old memory back is not built on the poison."""
    poisoned()
    run("revert", "--from", "conversation:c1", "--yes").ok()
    before = (ledger / "chain.jsonl").read_bytes()
    again = run("revert", "--from", "conversation:c1", "--yes").ok()
    assert "nothing is left to undo" in again.err
    assert (ledger / "chain.jsonl").read_bytes() == before


def test_it_is_shown_first_and_a_no_changes_nothing(ledger: Path) -> None:
    ids = poisoned()
    before = (ledger / "chain.jsonl").read_bytes()
    shown = run("revert", "--from", "conversation:c1", "--dry-run").ok().out
    assert "2 came from it:" in shown
    [line] = [
        line
        for line in shown.splitlines()
        if line.endswith("fetch packages from the mirror") and "create" in line
    ]
    assert line.startswith(f"  create     {ids['made']}  ")
    assert "(script)  fetch packages" in line
    assert shown.index(ids["new"]) < shown.index("3 built on it:") < shown.index(ids["edited"])
    assert run("revert", "--from", "conversation:c1").code == 2
    said = run_at_terminal("revert", "--from", "conversation:c1", answers=["n"])
    assert "Undo these 5 events?" in said.out
    assert (ledger / "chain.jsonl").read_bytes() == before


def test_an_agents_wish_waits_for_a_person(ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """X-290: also with --yes."""
    poisoned()
    before = (ledger / "chain.jsonl").read_bytes()
    monkeypatch.setenv("CLAUDECODE", "1")
    assert run("revert", "--from", "conversation:c1", "--yes").code == 15
    assert (ledger / "chain.jsonl").read_bytes() == before


def test_a_source_is_all_that_it_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """H-50."""
    run("add", "a", "--session", "s1").ok()
    run("add", "b", "--session", "s1", "--conversation", "c,7", "--agent", "bot").ok()
    run("add", "c", "--by", "ann").ok()
    with monkeypatch.context() as agent:
        agent.setenv("CLAUDECODE", "1")
        run("add", "d", "--by", "bot").ok()
    for source, came in (
        ("session:s1", ["a", "b"]),
        ("session:s1,conversation:c,7", ["b"]),
        ("author:ann", ["c"]),
        ("agent:bot", ["b", "d"]),
        ("agent:bot,since:today,until:today", ["b", "d"]),
    ):
        done = run("revert", "--from", source, "--dry-run", "--json").ok().json
        assert [run("show", id_, "--json").json["text"] for id_ in done["came"]] == came, source
    assert run("revert", "--from", "agent:bot,since:2000-01-01,until:2000-02-01").code == 3


def test_what_is_no_source_is_refused() -> None:
    """H-50: by code 2."""
    for source in ("", "c1", "topic:x", "session:", "x,session:s", "tool:a,tool:b", "since:whenever"):
        assert run("revert", "--from", source).code == 2, source


def test_since_now_has_no_later_parts_of_a_body() -> None:
    """H-51: the parts of a long body go with the first."""
    run("add", "long", "-F", "-", input="a line of a long body\n" * 9000).ok()
    done = run("revert", "--from", "since:1h", "--yes", "--json").ok().json
    assert len(done["deleted"]) == 1
    assert not standing()


def test_an_edit_that_nobody_adopted_is_undone_with_what_it_changed(ledger: Path) -> None:
    """H-51, D-15: it was built on what came from the source, and is shown before."""
    run("add", "Deploy on Fridays", "--conversation", "c9").ok()
    [path] = ledger.rglob("MEMORY.md")
    path.write_text(path.read_text().replace("on Fridays", "on Fridays, late"))
    done = run("revert", "--from", "conversation:c9", "--yes").ok()
    assert "1 came from it" in done.out
    assert "1 built on it" in done.out
    assert standing() == []
    assert "Fridays" not in path.read_text()
