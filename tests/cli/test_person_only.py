"""What only a person may do waits for one where an agent or a script asks: nothing is done, and review does it.

Tests specs/cli.md (X-290…X-292) and specs/state.md (S-12) through the command line.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import muniment
from ledger.errors import WaitingError
from ledger.event import By
from muniment import Memory
from projections import requests
from tests.cli.driver import Result, run, run_at_terminal, uncolored, user_ledger

AGENT = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "session-of-claude"}
TEXT = "The door code is 4921"


@pytest.fixture
def directory() -> Path:
    """A user's ledger."""
    return user_ledger()


def persons(text: str = TEXT) -> str:
    """Store what a person says at a terminal; return its id."""
    id_: str = run("add", text, "--json", terminal=True).ok().json["id"]
    return id_


def status_of(id_: str) -> str:
    status: str = run("show", id_, "--json").ok().json["status"]
    return status


def waits(done: Result, *words: str) -> None:
    """Assert that nothing was done, and that this is said with the way on."""
    assert done.code == 15
    assert done.out == ""
    assert "muniment: waiting for a person: " in done.err
    assert "; a person decides with muniment review" in done.err
    for word in words:
        assert word in done.err


def reviewed(*answers: str) -> str:
    done = run("review", input="".join(f"{answer}\n" for answer in answers), terminal=True).ok()
    return uncolored(done.err + done.out)


def test_an_agents_erase_waits_and_a_person_does_it(directory: Path) -> None:
    id_ = persons()
    waits(run("erase", id_, "--yes", env=AGENT))
    assert TEXT in (directory / "chain.jsonl").read_text()
    (listed,) = run("review", "--json").ok().json_lines
    assert (listed["why"], listed["verb"], listed["ids"]) == ("request", "erase", [id_])
    shown = reviewed("y", "y")
    assert f"muniment erase {id_} -m " in shown
    assert TEXT not in (directory / "chain.jsonl").read_text()
    assert run("review", "--json").ok().json_lines == []


def test_a_text_that_is_to_be_erased_is_noted_nowhere(directory: Path) -> None:
    persons()
    done = run("erase", "--match", "4921", "--yes", env=AGENT)
    assert (done.code, "1 event would be erased permanently" in done.err) == (15, True)
    assert TEXT in (directory / "chain.jsonl").read_text()
    with muniment.open() as memory:
        assert requests.waiting(memory.workspace) == []
        assert "4921" not in str(memory.workspace.local.facts("request "))


def test_an_agents_delete_of_a_persons_memory_waits(directory: Path) -> None:
    mine, scripts = persons(), run("add", "Use tabs").ok().id
    agents = run("add", "The build is slow", env=AGENT).ok().id
    waits(run("delete", mine, scripts, agents, env=AGENT), "a person wrote")
    assert {status_of(each) for each in (mine, scripts, agents)} == {"active"}
    run("delete", agents, env=AGENT).ok()
    listed = run("review", "--json").ok().json_lines
    assert {each["id"][:12] for each in listed} == {mine[:12], scripts[:12]}
    assert {each["why"] for each in listed} == {"forget"}
    reviewed("d", "y", "c")
    assert sorted([status_of(mine), status_of(scripts)]) == ["active", "deleted"]


def test_an_agents_words_take_the_place_of_a_persons_after_a_yes_alone(directory: Path) -> None:
    """X-291: as a candidate beside it, which review and confirm put in its place."""
    old = persons()
    waits(run("supersede", old, "The door code is 1111", env=AGENT), old[:12])
    (listed,) = run("review", "--json").ok().json_lines
    assert (listed["why"], listed["status"], listed["text"]) == (
        "candidate",
        "candidate",
        "The door code is 1111",
    )
    assert [each["id"] for each in listed["replaces"]] == [old]
    assert status_of(old) == "active"
    waits(run("confirm", listed["id"], env=AGENT))
    done = run("confirm", listed["id"], terminal=True).ok()
    assert f"supersedes {old[:12]}  {TEXT}" in done.out
    assert status_of(old) == "superseded"
    assert [each["text"] for each in run("list", "--json").json_lines] == ["The door code is 1111"]


def test_the_same_in_review(directory: Path) -> None:
    old = persons()
    waits(run("supersede", old, "The door code is 1111", env=AGENT))
    assert re.search(f"replaces +- {old[:12]}", reviewed("c"))
    assert status_of(old) == "superseded"


def test_an_agents_rotation_waits(directory: Path) -> None:
    before = run("key", "show", "--json").ok().json["key"]
    waits(run("key", "rotate", env=AGENT))
    assert run("key", "show", "--json").ok().json["key"] == before
    assert "muniment key rotate" in reviewed("y")
    assert run("key", "show", "--json").ok().json["key"] != before


def test_an_agents_recovery_waits(directory: Path) -> None:
    persons()
    chain = directory / "chain.jsonl"
    damaged = chain.read_bytes() + b"no event\n"
    chain.write_bytes(damaged)
    waits(run("recover", "-m", "broken", "--yes", env=AGENT), "Continue from the last good event?")
    assert chain.read_bytes() == damaged
    shown = reviewed("y", "y")
    assert "recovered: writing continues from here" in shown
    run("verify").ok()


def test_an_agents_uninstall_waits(directory: Path, isolated: Path) -> None:
    run("install", "claude-code", "--yes").ok()
    settings = isolated / ".claude" / "settings.json"
    before = settings.read_bytes()
    waits(run("uninstall", "claude-code", "--yes", env=AGENT), "claude-code")
    assert settings.read_bytes() == before
    run("uninstall", "claude-code", "--dry-run", env=AGENT).ok()
    reviewed("y", "y")
    assert not settings.exists()


@pytest.mark.no_scripts
def test_a_script_acts_for_nobody_where_the_users_own_file_says_nothing(
    directory: Path, isolated: Path, tmp_path: Path
) -> None:
    """X-292: the same commands of the same script pass once it does; an agent's never do."""
    id_, guess = persons(), run("add", "A guess", "--candidate").ok().id
    commands: list[tuple[str, ...]] = [
        ("confirm", guess),
        ("delete", id_),
        ("erase", id_, "--yes"),
        ("key", "rotate"),
    ]
    for command in commands:
        waits(run(*command))
    assert (status_of(id_), status_of(guess)) == ("active", "candidate")
    (directory / "config.toml").write_text("scripts = true\n")
    for command in commands:
        waits(run(*command, env=AGENT))
    for command in commands:
        run(*command).ok()


@pytest.mark.no_scripts
def test_no_folder_but_the_users_own_says_that_scripts_may(directory: Path, tmp_path: Path) -> None:
    """X-292, F-10: neither a project's committed file nor that of a folder that --ledger names."""
    named = tmp_path / "named"
    run("init", "--ledger", named).ok()
    guess = run("add", "A guess", "--candidate", "--ledger", named).ok().id
    (named / "config.toml").write_text("scripts = true\n")
    waits(run("confirm", guess, "--ledger", named), f"muniment review --ledger {named}")
    (tmp_path / "work" / ".git").mkdir(parents=True)
    run("init", "--scope", "project", cwd=tmp_path / "work").ok()
    (tmp_path / "work" / ".muniment" / "config.toml").write_text("scripts = true\n")
    said = run("list", "--scope", "project", cwd=tmp_path / "work")
    assert (said.code, "allowed only in your own config.toml" in said.err) == (0, True)
    guess = run("add", "A guess", "--candidate", "--scope", "project", cwd=tmp_path / "work").ok().id
    waits(
        run("confirm", guess, "--scope", "project", cwd=tmp_path / "work"), "muniment review --scope project"
    )


@pytest.mark.no_scripts
def test_no_other_verb_does_it(directory: Path, tmp_path: Path) -> None:
    """X-292: neither an undo, nor a merge, nor an import."""
    id_ = persons("Prefers concise answers")
    persons("User prefers answers to be concise")
    guess = run("add", "Use tabs", "--candidate", "--section", "Notes", terminal=True).ok().id
    document = tmp_path / "notes.md"
    document.write_text("# Memory\n\n## Notes\n\n- Use tabs\n")
    for env in ({}, AGENT):
        waits(run("revert", id_, env=env))
        merging = run("consolidate", "--yes", "--json", env=env)
        assert (merging.code, "waiting for a person" in merging.err) == (15, True)
        assert run("import", document, "--json", env=env).ok().json["confirmed"] == 0
    assert {"Prefers concise answers", "User prefers answers to be concise", "Use tabs"} <= {
        each["text"] for each in run("list", "--json").json_lines
    }
    assert status_of(guess) == "candidate"
    assert run("import", document, "--json", terminal=True).ok().json["confirmed"] == 1


def test_the_ledger_itself_takes_nothing_of_the_sort_from_an_agent(directory: Path) -> None:
    """S-12: whatever the door."""
    agent = By("bot", "agent", "library")
    with muniment.open() as memory:
        id_ = memory.store(Memory("Use pnpm"), By("ada", "user", "cli")).id
        with pytest.raises(WaitingError, match="waiting for a person"):
            memory.delete([id_], "", agent)
        with pytest.raises(WaitingError, match="waiting for a person"):
            memory.supersede([id_], Memory("Use npm"), agent)
        with pytest.raises(WaitingError, match="waiting for a person"):
            memory.erasures.erase([id_], "", agent)
        assert memory.entry(id_).status == "active"


def test_a_terminal_of_an_agent_is_no_persons(directory: Path) -> None:
    """X-108: an agent that opens one cannot review."""
    waits(run("erase", persons(), "--yes", env=AGENT))
    assert run_at_terminal("review", answers=[], env=AGENT).code == 2


def test_a_command_that_was_asked_for_twice_waits_once(directory: Path) -> None:
    id_ = persons()
    for _ in range(2):
        waits(run("erase", id_, env=AGENT))
    assert len(run("review", "--json").ok().json_lines) == 1
    run("erase", id_, "--yes", terminal=True).ok()
    assert run("review", "--json").ok().json_lines == []  # moot


def test_what_is_proposed_did_not_fail_and_says_what_it_stored(directory: Path) -> None:
    """X-291: the candidate is stored, so nothing says that nothing was done."""
    mine = persons()
    done = run("supersede", mine, "The door code is 1111", env=AGENT)
    assert done.code == 15
    assert "Until then nothing changes" in done.err
    assert "failed" not in done.err
    assert "Nothing was done" not in done.err


def test_an_agent_is_not_told_to_confirm_its_candidate(directory: Path) -> None:
    """X-15: it could not."""
    run("add", TEXT, "--candidate", env=AGENT).ok()
    assert "a person confirms it with" in run("add", TEXT, env=AGENT).ok().err
    assert "to make it active" in run("add", TEXT, terminal=True).ok().err


@pytest.mark.no_scripts
@pytest.mark.parametrize("env", [AGENT, {}], ids=["an agent", "a script"])
def test_a_restore_that_gives_up_events_is_a_persons(
    directory: Path, tmp_path: Path, env: dict[str, str]
) -> None:
    """X-85, X-290: else who removes the chain takes a person's newest words away with an old backup."""
    backup = tmp_path / "old.tar.gz"
    run("backup", backup).ok()
    mine = persons()
    whole = (directory / "chain.jsonl").read_bytes()
    (directory / "chain.jsonl").unlink()
    args = ("restore", backup, "-m", "the disk died", "--yes")
    done = run(*args, env=env)
    assert done.code == 15
    assert not (directory / "chain.jsonl").exists()
    (directory / "chain.jsonl").write_bytes(whole)
    assert status_of(mine) == "active"
    (directory / "chain.jsonl").unlink()
    run(*args, terminal=True).ok()


@pytest.mark.parametrize("words", [("MEMORY.md",)], ids=["a file"])
def test_an_agent_does_not_put_a_persons_edit_aside(directory: Path, words: tuple[str, ...]) -> None:
    """X-82, D-81: the edit waits where it is; a person may have ours in its place."""
    persons()
    document = directory / "MEMORY.md"
    document.write_text(document.read_text() + "- The key is under the mat\n")
    edit = document.read_bytes()
    done = run("replay", *words, env=AGENT)
    assert (done.code, document.read_bytes()) == (15, edit)
    assert "was edited by hand" in done.err
    run("replay", *words, terminal=True).ok()


@pytest.mark.parametrize("verb", ["delete", "supersede"])
def test_what_a_person_took_out_an_agent_does_not_bring_back(directory: Path, verb: str) -> None:
    """X-293: its revert is a request, and review undoes it."""
    agents = run("add", "The build is slow", env=AGENT).ok().id
    words = ("The build is fast",) if verb == "supersede" else ()
    run(verb, agents, *words, terminal=True).ok()
    newest = run("log", "--json").ok().json_lines[-1]["id"]
    before = (directory / "chain.jsonl").read_bytes()
    run("revert", newest, "--dry-run", env=AGENT).ok()
    waits(run("revert", newest, env=AGENT))
    assert (directory / "chain.jsonl").read_bytes() == before
    (listed,) = run("review", "--json").ok().json_lines
    assert (listed["verb"], listed["ids"]) == ("revert", [newest])
    assert f"muniment revert {newest} -m " in reviewed("y")
    assert [each["text"] for each in run("list", "--json").json_lines] == ["The build is slow"]


def test_nor_does_its_supersede(directory: Path) -> None:
    """X-293: it is a candidate."""
    agents = run("add", "The build is slow", env=AGENT).ok().id
    run("delete", agents, terminal=True).ok()
    waits(run("supersede", agents, "The build is slow again", env=AGENT))
    assert status_of(agents) == "deleted"
    (listed,) = run("review", "--json").ok().json_lines
    assert (listed["why"], listed["text"]) == ("candidate", "The build is slow again")


def test_an_agent_takes_its_own_deletion_back(directory: Path) -> None:
    """X-293: nobody else's decision is undone by that."""
    agents = run("add", "The build is slow", env=AGENT).ok().id
    run("delete", agents, env=AGENT).ok()
    newest = run("log", "--json").ok().json_lines[-1]["id"]
    run("revert", newest, env=AGENT).ok()
    assert [each["text"] for each in run("list", "--json").json_lines] == ["The build is slow"]


@pytest.mark.no_scripts
@pytest.mark.parametrize("env", [AGENT, {}], ids=["an agent", "a script"])
@pytest.mark.parametrize("words", [(), ("--remove",)], ids=["a new one", "none"])
def test_the_passphrase_of_the_keys_is_a_persons(
    directory: Path, isolated: Path, words: tuple[str, ...], env: dict[str, str]
) -> None:
    """X-255: else an agent takes it off, or shuts a person out."""
    keys = isolated / ".muniment" / "keys"
    before = {path: path.read_bytes() for path in keys.iterdir()}
    done = run("key", "passphrase", *words, env={**env, "MUNIMENT_NEW_PASSPHRASE": "a new passphrase"})
    assert done.code == 15
    assert "a person" in done.err
    assert {path: path.read_bytes() for path in keys.iterdir()} == before


@pytest.mark.no_scripts
@pytest.mark.parametrize("env", [AGENT, {}], ids=["an agent", "a script"])
def test_the_next_key_leaves_the_machine_by_a_persons_hand(
    directory: Path, isolated: Path, tmp_path: Path, env: dict[str, str]
) -> None:
    """X-253: who has it and the key in use has the ledger, and without it nobody rotates."""
    keys = isolated / ".muniment" / "keys"
    before = {path: path.read_bytes() for path in keys.iterdir()}
    away = tmp_path / "away.next"
    done = run("key", "export-next", away, env=env)
    assert done.code == 15
    assert "with muniment key export-next" in done.err
    assert not away.exists()
    assert {path: path.read_bytes() for path in keys.iterdir()} == before
    assert run("review", "--json").ok().json_lines == []
    run("key", "export-next", away, terminal=True).ok()
    assert away.exists()


@pytest.mark.no_scripts
@pytest.mark.parametrize("env", [AGENT, {}], ids=["an agent", "a script"])
def test_a_candidate_is_not_promoted_by_saying_it_again(directory: Path, env: dict[str, str]) -> None:
    """S-13: neither under another heading nor after it was deleted; a person's word counts."""
    guess = run("add", TEXT, "--candidate", "--source", "auto", env=AGENT).ok().id
    again = run("add", TEXT, "--section", "Notes", env=env).ok()
    assert "is a candidate" in again.err
    run("delete", guess, env=AGENT).ok()
    run("delete", again.id, terminal=True).ok()
    third = run("add", TEXT, env=env).ok().id
    assert {status_of(each) for each in (guess, again.id)} == {"deleted"}
    assert status_of(third) == "candidate"
    run("delete", third, terminal=True).ok()
    assert status_of(run("add", TEXT, terminal=True).ok().id) == "active"


def test_what_a_person_had_taken_is_no_candidate_again(directory: Path) -> None:
    """S-13: it was one no more when it was deleted."""
    guess = run("add", TEXT, "--candidate", env=AGENT).ok().id
    run("confirm", guess, terminal=True).ok()
    run("delete", guess, terminal=True).ok()
    assert status_of(run("add", TEXT, env=AGENT).ok().id) == "active"


@pytest.mark.no_scripts
def test_a_command_without_a_terminal_is_shown_as_its_persons_script_and_stays_limited(
    tmp_path: Path,
) -> None:
    """X-322: in every view; what is signed is the role system, and X-292 holds."""
    muniment.init().close()
    one = run("add", "Use pnpm", "--by", "anna").ok().id
    for view in (("log",), ("show", one), ("show", "--history", one), ("blame", "MEMORY.md"), ("diff", "@0")):
        assert "anna (script)" in run(*view).ok().out, view
        assert "anna (system" not in run(*view).out, view
    assert run("show", one, "--json").json["by"] == {"name": "anna", "role": "system", "via": "cli"}
    typed = run("add", "Use npm", "--by", "anna", terminal=True).ok().id
    assert "anna (user, cli)" in run("show", typed).out
    assert run("delete", typed, "--by", "anna").code == 15
