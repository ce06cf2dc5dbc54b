"""Tests cli/commands/confirm.py against specs/cli.md (X-21)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.driver import run, run_process

pytestmark = pytest.mark.usefixtures("ledger")


def test_a_process_makes_a_candidate_active_and_says_so(ledger: Path) -> None:
    one = run("add", "Use tabs", "--candidate", terminal=True).id
    assert "Use tabs" not in (ledger / "MEMORY.md").read_text()
    done = run_process("confirm", one, "-m", "asked the team").ok()
    assert done.out == f"confirmed {one}  Use tabs  (active now)\n"
    assert "Use tabs" in (ledger / "MEMORY.md").read_text()
    assert run("log", "--kind", "confirm", "--json").json_lines[0]["what"] == "asked the team"


def test_an_active_memory_becomes_fresh() -> None:
    one = run("add", "one", "--json").json["id"]
    before = run("show", one, "--json").json["fresh_since"]
    done = run("confirm", one, "--json").ok().json
    assert (done["confirmed"], done["promoted"], done["events"]) == ([one], [], [done["id"]])
    assert run("show", one, "--json").json["fresh_since"] > before


def test_several_at_once() -> None:
    ids = [run("add", f"number {n}", "--candidate", "--json", terminal=True).json["id"] for n in range(17)]
    done = run("confirm", *ids, "--json").ok().json
    assert (done["promoted"], len(done["events"])) == (ids, 2)


def test_what_does_not_stand_is_refused_and_nothing_is_done() -> None:
    one, two = run("add", "one", "--candidate").id, run("add", "two").id
    run("delete", two).ok()
    assert run("confirm", one, two).code == 4
    assert run("show", one, "--json").json["status"] == "candidate"
    assert run("confirm", "00000000").code == 3
    assert run("confirm").code == 2


def test_an_agent_cannot_agree_to_what_an_agent_filed() -> None:
    """S-10, S-11: through no verb; the message says how a person does, and one is enough to hinder a batch."""
    agent = {"CLAUDECODE": "1"}
    one = run("add", "Use tabs", "--candidate", env=agent).id
    two = run("add", "Use npm", "--candidate", terminal=True).id
    assert run("confirm", two, one, env=agent, terminal=True).code == 15
    assert "a person decides with muniment review in a terminal" in run("confirm", one, env=agent).err
    assert [run("show", id_, "--json").json["status"] for id_ in (one, two)] == ["candidate", "candidate"]
    assert run("confirm", two).ok().out == f"confirmed {two}  Use npm  (active now)\n"  # their own script
    assert run("confirm", one, terminal=True).ok().out == f"confirmed {one}  Use tabs  (active now)\n"
