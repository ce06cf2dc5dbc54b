"""muniment inject prints what an agent is told, over the three scopes."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import muniment
from language.token_estimate import estimate_tokens
from ledger.command import Create
from ledger.event import By
from muniment import Memory, MemoryLedger
from projections.index import INDEX_NAME
from tests.cli.driver import ROOT, command_line, environment, run, run_process


@pytest.fixture
def memory(memory: MemoryLedger) -> MemoryLedger:
    """The same with one memory."""
    memory.store(Memory("Use pnpm", type="preference"))
    return memory


@pytest.fixture
def project(memory: MemoryLedger, tmp_path: Path) -> Callable[[str], MemoryLedger]:
    """A project with a memory in each of its scopes, and a way to open them."""
    run("init", "--scope", "project", cwd=tmp_path).ok()
    run("init", "--scope", "local", cwd=tmp_path).ok()

    def opened(scope: str) -> MemoryLedger:
        return muniment.open(scope=scope, start=tmp_path)

    opened("project").store(Memory("Port 5433"))
    opened("local").store(Memory("My port is 5434"))
    return opened


def test_a_process_prints_the_section(memory: MemoryLedger) -> None:
    """And nothing else."""
    done = run_process("inject").ok()
    assert done.out.startswith("## Persistent Memories\n")
    assert done.out.endswith("### User Preferences\n\n- Use pnpm\n")
    assert done.err == ""


def test_three_scopes_are_merged(project: Callable[[str], MemoryLedger]) -> None:
    """Each entry with its scope; an option names one alone."""
    out = run("inject").ok().out
    for line in ("- Use pnpm (user)", "- Port 5433 (project)", "- My port is 5434 (local)"):
        assert f"{line}\n" in out
    assert run("inject", "--scope", "project").ok().out.endswith("- Port 5433\n")
    shown = run("inject", "--json").ok().json
    assert shown["scopes"] == ["local", "project", "user"]
    assert len(shown["shown"]) == 3
    assert shown["text"] == out
    assert shown["left_out"] == 0


def test_the_task_and_the_budget_choose(memory: MemoryLedger) -> None:
    """What matters for the task comes first; what does not fit is counted."""
    for number in range(50):
        memory.store(Memory(f"An unrelated fact, number {number}"))
    memory.store(Memory("Sessions time out after an hour"))
    memory.store(
        Memory("Auth", topic="code/auth", body="login first", when_to_use=("login or session bugs",))
    )
    out = run("inject", "--task", "fix the session bug of the login", "--budget", "300").ok().out
    assert "Sessions time out" in out
    assert "## Background Knowledge from Previous Runs" in out
    assert "more are left out" in out
    assert out.count("unrelated") < 25
    assert run("inject", "--budget", "0").ok().out == ""


def test_what_is_shown_counts_as_used(memory: MemoryLedger) -> None:
    """In its own scope; the past does not count."""
    one = memory.recall.resolve("@1")
    run("inject").ok()
    run("inject", "--json").ok()
    run("inject", "--as-of", "@1").ok()
    assert memory.format_for_prompt(count=False).shown == (one,)
    assert memory.workspace.local.uses() == {one: 2}


def test_what_gc_has_archived_is_not_shown(memory: MemoryLedger) -> None:
    """Nor is it asked about."""
    maybe = memory.store(Memory("maybe", status="candidate"))
    memory.workspace.local.archive({maybe.id: "unused"}, 0)
    memory.workspace.local.archive({memory.recall.resolve("@1"): "unused"}, 0)
    assert run("inject").ok().out == ""


def test_a_candidate_is_asked_about_and_an_answer_ends_that(memory: MemoryLedger) -> None:
    """X-131: as the prompt says, the user decides in a terminal."""
    maybe = memory.store(Memory("maybe", status="candidate", source="auto")).id
    perhaps = memory.store(Memory("perhaps", status="candidate", source="auto")).id
    out = run("inject").ok().out
    assert "they decide with `muniment review --scope NAME` in a terminal" in out
    assert f"- Should I remember that \u201cmaybe\u201d? (ID {maybe[:12]}, NAME user)\n" in out
    assert run("inject", "--json").ok().json["asked"] == [perhaps, maybe]
    why = run("inject", "--explain").ok().out
    assert re.search(
        rf"asked about: 2, about \d+ tokens\n    {perhaps[:12]} user  perhaps \[a candidate, ", why
    )
    run("review", "--scope", "user", input="c\nd\ny\n", terminal=True, env={"TERM": "dumb"}).ok()
    out = run("inject").ok().out
    assert "- maybe\n" in out
    assert "Should I" not in out
    assert "perhaps" not in out


def test_the_past_is_told_as_of_then(memory: MemoryLedger) -> None:
    """By event, in one scope, or by time, in all."""
    memory.supersede([memory.recall.resolve("@1")], Memory("Use yarn"))
    assert "Use pnpm" in run("inject", "--as-of", "@1").ok().out
    assert "Use yarn" in run("inject", "--as-of", "@2").ok().out
    at = memory.log()[1].at
    assert "Use pnpm" in run("inject", "--as-of", at).ok().out
    assert run("inject", "--as-of", "2001-01-01").ok().out == ""
    assert run("inject", "--as-of", "@99").code == 3
    assert run("inject", "--as-of", "soon").code == 2


def test_an_event_number_needs_one_scope(project: Callable[[str], MemoryLedger]) -> None:
    """@N counts the events of one ledger."""
    done = run("inject", "--as-of", "@1")
    assert (done.code, "--scope" in done.err) == (2, True)
    assert "Port 5433" in run("inject", "--as-of", "@1", "--scope", "project").ok().out


def test_a_scope_that_is_younger_has_no_past(project: Callable[[str], MemoryLedger]) -> None:
    """The others have theirs."""
    at = muniment.open(scope="user").log()[1].at
    out = run("inject", "--as-of", at).ok().out
    assert "Use pnpm" in out
    assert "Port" not in out


def test_the_configuration_switches_scopes_off(
    project: Callable[[str], MemoryLedger], isolated: Path
) -> None:
    """And all of it: then nothing is printed, and stderr says why."""
    config = isolated / ".muniment" / "config.toml"
    config.write_text("[scopes]\nuser = false\n")
    out = run("inject").ok().out
    assert "Use pnpm" not in out
    assert "Port 5433 (project)" in out
    config.write_text("enabled = false\n")
    done = run("inject").ok()
    assert (done.out, "switched off" in done.err) == ("", True)
    assert run("inject", "--json").ok().json["text"] == ""


def test_a_project_may_switch_the_user_scope_off(
    project: Callable[[str], MemoryLedger], tmp_path: Path
) -> None:
    """Its committed configuration may set switches."""
    (tmp_path / ".muniment" / "config.toml").write_text("[scopes]\nuser = false\n")
    done = run("inject", "--json").ok()
    assert "Use pnpm" not in done.json["text"]
    assert done.json["scopes"] == ["local", "project"]
    assert "the user scope is switched off: scopes.user = false in config.toml" in done.err


@pytest.mark.parametrize("fault", ["this is no TOML", 'trust_git = ["ada"]'])
def test_a_malformed_configuration_of_the_project_costs_no_memory(
    project: Callable[[str], MemoryLedger], tmp_path: Path, isolated: Path, fault: str
) -> None:
    """X-88, F-21: a mistake in what others committed, or in a person's own file, must not switch memory off."""
    committed = tmp_path / ".muniment" / "config.toml"
    committed.write_text(f"[scopes]\nuser = false\n[decay]\ndays = 1\n{fault}\n")
    for options in ((), ("--explain",), ("--as-of", "2100-01-01")):
        done = run("inject", *options).ok()
        assert "Use pnpm" in done.out
        assert str(committed) in done.err
        assert "settings are not used until it is corrected" in done.err
    assert str(committed) in run("list").ok().err
    own = isolated / ".muniment" / "config.toml"
    own.write_text("nope = 1\n")
    done = run("inject").ok()
    assert "Use pnpm" in done.out
    assert str(own) in done.err


def test_what_was_archived_then_is_not_shown_of_the_past(memory: MemoryLedger) -> None:
    """P-94."""
    then = memory.log()[-1].at
    memory.workspace.local.archive({memory.recall.resolve("@1"): "unused"}, 0)
    assert run("inject", "--as-of", then).ok().out == ""
    assert "archived" in run("inject", "--as-of", then, "--explain").ok().out


def test_a_budget_that_is_too_small_is_said(memory: MemoryLedger) -> None:
    """X-88: silence would say that nothing is known."""
    done = run("inject", "--budget", "9").ok()
    assert (done.out, "none of 1 memories fits the budget" in done.err) == ("", True)


@pytest.mark.parametrize(
    "options", [(), ("--json",), ("--task", "x"), ("--as-of", "2026-01-01"), ("--scope", "user")]
)
def test_without_a_ledger_a_hook_goes_on(isolated: Path, tmp_path: Path, options: tuple[str, ...]) -> None:
    """Nothing on stdout, a word on stderr, exit code 0."""
    done = run("inject", *options, cwd=tmp_path).ok()
    assert "muniment init" in done.err
    assert done.json["text"] == "" if "--json" in options else done.out == ""


def test_an_index_that_is_behind_or_damaged_changes_nothing(memory: MemoryLedger) -> None:
    """The quick way is left for the one that mends."""
    before = run("inject").ok().out
    memory.store(Memory("Use tabs", type="preference"))
    memory.close()
    index = memory.workspace.place.directory / INDEX_NAME
    after = run("inject").ok().out
    assert "Use tabs" in after
    for path in index.parent.glob(f"{INDEX_NAME}*"):
        path.unlink()
    assert run("inject").ok().out == after
    index.write_bytes(b"no database" * 1000)
    assert run("inject").ok().out == after
    assert before != after


def test_a_damaged_chain_is_an_error(memory: MemoryLedger) -> None:
    """Exit code 7, nothing on stdout."""
    memory.close()
    for path in memory.workspace.place.directory.glob(f"{INDEX_NAME}*"):
        path.unlink()
    memory.workspace.chain.write_bytes(memory.workspace.chain.read_bytes().replace(b'"seq":1', b'"seq":7'))
    done = run("inject")
    assert (done.code, done.out, len(done.err.splitlines())) == (7, "", 1)


def without_index(chain: Path) -> None:
    """Take the index away, so that the chain itself is read again."""
    for path in chain.parent.glob(f"{INDEX_NAME}*"):
        path.unlink(missing_ok=True)


def damage_line(chain: Path) -> None:
    without_index(chain)
    chain.write_bytes(chain.read_bytes().replace(b'"seq":1', b'"seq":7'))


def cut_last(chain: Path) -> None:
    chain.write_bytes(b"".join(chain.read_bytes().splitlines(keepends=True)[:-1]))


def put_another(chain: Path) -> None:
    without_index(chain)
    chain.write_bytes(next(chain.parents[2].glob("chain.jsonl")).read_bytes())


DAMAGE: dict[str, Callable[[Path], None]] = {
    "run muniment verify": damage_line,
    "was rolled back": cut_last,
    "is not the chain that was made here": put_another,
    "is gone": Path.unlink,
}


@pytest.mark.parametrize(("words", "damage"), DAMAGE.items(), ids=[one.__name__ for one in DAMAGE.values()])
def test_a_refused_scope_costs_nobody_the_others(
    project: Callable[[str], MemoryLedger], words: str, damage: Callable[[Path], None]
) -> None:
    """X-88: one line says which, why and what to do; by itself it is still an error."""
    damage(project("project").workspace.chain)
    for past in ((), ("--as-of", "2100-01-01")):
        done = run("inject", *past).ok()
        for line in ("Use pnpm (user)", "My port is 5434 (local)"):
            assert f"{line}\n" in done.out
        assert "Port 5433" not in done.out
        *when, said = done.err.splitlines()
        assert when == (["muniment: as of 2100-01-01 23:59:59+05:45"] if past else [])
        assert said.startswith("muniment: the project scope was left out: ")
        assert words in said
        assert said.endswith("; see muniment verify --scope project")
        shown = run("inject", "--json", *past).ok().json
        assert shown["text"] == done.out
        assert shown["scopes"] == ["local", "user"]
        [skipped] = shown["skipped"]
        assert (skipped["scope"], words in skipped["why"]) == ("project", True)
        alone = run("inject", "--scope", "project", *past)
        assert (alone.code, alone.out, words in alone.err) == (7, "", True)


def test_the_most_local_scope_may_be_refused_too(
    project: Callable[[str], MemoryLedger], isolated: Path
) -> None:
    """X-88: its configuration holds all the same, and what the others show counts as used."""
    (isolated / ".muniment" / "config.toml").write_text("[scopes]\nuser = false\n")
    cut_last(project("local").workspace.chain)
    done = run("inject").ok()
    assert done.out.endswith("- Port 5433\n")
    assert "the local scope was left out" in done.err
    assert list(project("project").workspace.local.uses().values()) == [1]
    assert project("user").workspace.local.uses() == {}


def test_where_no_scope_can_be_read_it_is_an_error(project: Callable[[str], MemoryLedger]) -> None:
    """X-88: the first one's, in one line."""
    for scope in ("local", "project", "user"):
        cut_last(project(scope).workspace.chain)
    for past in ((), ("--as-of", "2100-01-01")):
        done = run("inject", *past)
        assert (done.code, done.out, len(done.err.splitlines())) == (7, "", 1)
        assert str(project("local").workspace.chain) in done.err


def test_the_others_are_drawn_the_quick_way_again(
    project: Callable[[str], MemoryLedger], monkeypatch: pytest.MonkeyPatch
) -> None:
    """X-88: a scope that stays refused makes no injection read every memory of the others."""
    cut_last(project("project").workspace.chain)
    monkeypatch.setattr(MemoryLedger, "load_all", None)
    assert "Use pnpm (user)" in run("inject").ok().out


def test_what_it_imports_is_light(memory: MemoryLedger) -> None:
    """Neither the schema's library, nor markdown, YAML, signatures or the chain, where nothing new is there."""
    run("inject").ok()
    code = "import sys; from cli.main import run; run(['inject']); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    loaded = set(done.stderr.split())
    heavy = {"sqlite_utils", "markdown_it", "yaml", "frontmatter", "nacl", "logging", "multiprocessing"}
    ours = {"ledger.chain", "ledger.check", "ledger.view", "projections.index", "documents.writing.markdown"}
    assert sorted(loaded & (heavy | ours)) == []
    assert "projections.prompt_source" in loaded


def test_a_reader_that_goes_away_is_no_fault(memory: MemoryLedger) -> None:
    """`muniment inject | head -1`."""
    memory.store(Memory("x" * 900, body="y\n" * 50))
    shell = shlex.join(command_line("inject"))
    done = subprocess.run(
        ["bash", "-c", f"{shell} | head -1"], env=environment(), capture_output=True, text=True, cwd=ROOT
    )
    assert (done.stdout, done.stderr) == ("## Persistent Memories\n", "")


def test_the_agents_name_opens_topics(memory: MemoryLedger) -> None:
    """P-40: with and without a task, by phrase and by pattern."""
    memory.store(Memory("Check the tests first", topic="a", when_to_use=("reviewing code",)))
    memory.store(Memory("Ask before deleting", topic="b", when_to_use=("^(reviewer|auditor)$",)))
    assert "Background" not in run("inject", "--task", "fix the login").ok().out
    for options in ((), ("--task", "fix the login")):
        assert "Check the tests first" in run("inject", "--agent", "code-reviewer", *options).ok().out
        assert "Ask before deleting" in run("inject", "--agent", "Reviewer", *options).ok().out
    assert memory.format_for_prompt(agent="auditor", count=False).shown[-1] == memory.recall.resolve("@3")


def test_an_imported_pattern_opens_its_topic(memory: MemoryLedger, tmp_path: Path) -> None:
    """P-120: a string, a list, and rawko's list of `pattern:` objects."""
    head = "---\ntitle: {0}\nwhenToUse:{1}\n---\n\nKnown of {0}.\n"
    for name, when in (
        ("one", " 'deploy|release'"),
        ("two", "\n  - deploy.*prod"),
        ("three", "\n  - pattern: 'releas(e|ing)'\n  - pattern: foo|"),
    ):
        path = tmp_path / "memories" / "area" / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(head.format(name, when))
    run("import", str(tmp_path / "memories")).ok()
    out = run("inject", "--task", "the release").ok().out
    assert ("area/one" in out, "area/two" in out, "area/three" in out) == (True, False, True)
    assert "area/two" in run("inject", "--task", "deploy it to prod").ok().out
    assert "area/" not in run("inject", "--task", "write docs").ok().out


def test_it_says_why(project: Callable[[str], MemoryLedger]) -> None:
    """X-131: what is shown and what is left out, each with its reason; nothing counts as used."""
    user, ours = project("user"), project("project")
    loser = user.store(Memory("The database port is 5432"))
    winner = ours.store(Memory("The database port is 5433"))
    stranger = By("mallory", "user", "git")
    (maybe,) = ours.write([Create(Memory("Perhaps use tabs", status="candidate"))], by=stranger)
    old = user.store(Memory("Long ago"))
    user.workspace.local.archive({old.id: "unused"}, 0)
    user.store(Memory("Known", topic="a", when_to_use=("deploy|release",)))
    user.store(Memory("Unknown", topic="b", when_to_use=("review",)))
    user.store(Memory("Had lunch", tier="daily"))
    done = run("inject", "--task", "release the database", "--explain").ok()
    out = done.out
    assert out.startswith("shown: 5, about ")
    assert (
        f". {winner.id[:12]} project  The database port is 5433 [relevant: databas, importance medium, "
        in out
    )
    assert "  a (matches 'deploy|release')\n" in out
    for line in (
        f"{loser.id[:12]} user  The database port is 5432 [project memory {winner.id[:12]} contradicts it]",
        f"{maybe.id[:12]} project  Perhaps use tabs [a candidate: muniment confirm {maybe.id[:12]} accepts it]",
        f"{old.id[:12]} user  Long ago [archived: muniment archive restore {old.id[:12]} shows it again]",
        "user  Unknown [its topic matches neither task nor agent]",
        "user  Had lunch [a day's note that has nothing to do with the task]",
    ):
        assert line in out
    assert "left out: 5\n" in out
    tight = run("inject", "--explain", "--budget", "60").ok().out
    assert "[no room in the budget]" in tight
    shown = run("inject", "--task", "release the database", "--explain", "--json").ok().json
    assert shown["text"] == run("inject", "--task", "release the database", "--json").ok().json["text"]
    assert out.startswith(f"shown: 5, about {estimate_tokens(shown['text'])} tokens with headings\n")
    first = shown["explained"][0]
    assert (first["id"], first["why"], first["rank"]) == (shown["shown"][0], "shown", 1)
    lost = next(each for each in shown["explained"] if each["id"] == loser.id)
    assert (lost["why"], lost["other"], lost["other_scope"]) == ("contradicts", winner.id, "project")
    assert user.workspace.local.uses() == {
        each: 1 for each in shown["shown"] if each in user.workspace.local.uses()
    }


def test_the_past_is_explained_too(memory: MemoryLedger) -> None:
    """X-131: as of then."""
    memory.supersede([memory.recall.resolve("@1")], Memory("Use yarn"))
    out = run("inject", "--as-of", "@1", "--explain").ok().out
    assert "Use pnpm" in out
    assert "Use yarn" not in out


def test_without_a_ledger_there_is_nothing_to_explain(isolated: Path, tmp_path: Path) -> None:
    """And a hook goes on."""
    assert run("inject", "--explain", cwd=tmp_path).ok().out == "shown: 0, about 0 tokens\nleft out: 0\n"


def test_a_caller_brings_a_measure_of_its_own(memory: MemoryLedger) -> None:
    """P-32: a callable in place of the rule of thumb."""
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return len(text)

    told = muniment.inject([memory], budget=300, estimate=count)
    assert len(told.text) <= 300
    assert told.text in counted
    assert memory.format_for_prompt(budget=100, estimate=lambda text: 10 * len(text)).text == ""


@pytest.mark.parametrize("task", ['type:nonsense "push', "*:*", "who: pushes?", "x" * 9000])
def test_a_task_is_words_and_no_query(memory: MemoryLedger, task: str) -> None:
    assert run("inject", "--task", task).ok().err == ""


def test_a_note_that_is_a_table_is_shown_where_the_task_finds_it(memory: MemoryLedger) -> None:
    """P-34."""
    table = "| service | port |\n|---|---|\n| billing | 5433 |\n"
    memory.store(Memory("Ports of services", type="note", body=table))
    assert "5433" not in run("inject").ok().out
    assert "5433" in run("inject", "--task", "which port has billing").ok().out
