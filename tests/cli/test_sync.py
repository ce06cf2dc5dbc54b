"""muniment sync and import --from claude-code: another agent's own memory on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

import muniment
from learning.agent_memory import BY
from tests.cli.driver import run, run_process
from tests.learning.agents_folder import make, memory_of, write
from tests.projections.house import tree


@pytest.fixture
def shop(isolated: Path) -> Path:
    """A project's folder, of which Claude Code has a memory."""
    return make(isolated / "shop")


def test_a_process_takes_it_in_as_the_agents_words_and_touches_nothing(shop: Path) -> None:
    """G-26, G-63: by whom, from which file; the index's way to a file that is read, and the title, say nothing."""
    run("init", "--scope", "user").ok()
    before = tree(memory_of(shop))
    assert "4 new, 0 known" in run_process("import", "--from", "claude-code", cwd=shop).ok().out
    assert "0 new, 4 known" in run("import", "--from", "claude-code", cwd=shop).ok().out
    assert tree(memory_of(shop)) == before
    with muniment.open(scope="user") as memory:
        said = {entry.memory.text: entry for entry in memory.load_all()}
    assert set(said) == {
        "[Not here](elsewhere.md) — kept: it leads nowhere",
        "Run `make ship` to deploy",
        "Postgres listens on 5433",
        "Integration tests must hit a real database",
    }
    assert {entry.by for entry in said.values()} == {BY}
    assert {(e.memory.provenance.agent, e.memory.source) for e in said.values()} == {("claude-code", "auto")}
    kept = said["Integration tests must hit a real database"].memory
    assert (kept.type, kept.provenance.file) == ("preference", "memory/feedback_testing.md")


def test_a_secret_is_left_out_and_named(shop: Path) -> None:
    """G-26: the rest is taken, and the exit code is 6."""
    run("init", "--scope", "user").ok()
    write(shop, "- Postgres", "- token ghp_" + "a1B2" * 9 + "\n- Redis too\n- Postgres")
    done = run("import", "--from", "claude-code", cwd=shop)
    assert (done.code, "5 new" in done.out, "ghp_" in done.out + done.err) == (6, True, False)
    assert "Redis too" in run("list").ok().out


def test_its_words_are_its_own_to_name(shop: Path) -> None:
    """G-26: no option says that somebody else wrote them."""
    run("init", "--scope", "user").ok()
    assert run("import", "--from", "claude-code", "--author", "ada", cwd=shop).code == 2
    assert run("import").code == 2


def test_what_changed_and_what_is_gone_is_said(shop: Path) -> None:
    """G-64, G-65: in words, and as JSON."""
    run("init", "--scope", "user").ok()
    run("import", "--from", "claude-code", cwd=shop).ok()
    write(shop, "- Run `make ship` to deploy\n", "")
    write(shop, "5433", "5434")
    dry = run("sync", "--from", "claude-code", "--dry-run").ok()
    assert "would learn" in dry.out
    assert "1 changed" in dry.out
    assert "1 memory is gone there, and stays here: muniment delete" in dry.err
    (folder,) = run("sync", "--from", "claude-code", "--json").ok().json["folders"]
    assert (len(folder["gone"]), sum(each["changed"] for each in folder["files"])) == (1, 1)
    assert "Postgres listens on 5434" in run("list").ok().out
