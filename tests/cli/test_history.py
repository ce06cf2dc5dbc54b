"""muniment history tells all versions of one memory."""

from __future__ import annotations

from muniment import Memory, MemoryLedger, Provenance
from tests.cli.driver import run, run_at_terminal, run_process


def test_a_process_tells_versions_oldest_first(memory: MemoryLedger) -> None:
    """From whichever version one asks: when, who, text, what changed, and why it went."""
    one = memory.store(Memory("Use npm", provenance=Provenance(conversation="c-1"))).id
    memory.confirm([one], "asked")
    two = memory.supersede([one], Memory("Use pnpm", tags=("js",)), reason="no, pnpm").id
    memory.delete([two], "project is over")
    done = run_process("show", "--history", one[:10]).ok()
    assert done.out == run("show", "--history", two).ok().out
    lines = done.out.splitlines()
    assert lines[0].startswith(f"v1  {one[:12]}  ")
    assert lines[0].endswith("+05:45  library (system, library)")
    assert lines[1:3] == ["    Use npm", "    conversation c-1"]
    assert lines[3].startswith("    confirmed ")
    assert lines[3].endswith(": asked")
    assert lines[4].startswith(f"v2  {two[:12]}  ")
    assert lines[4].endswith("  [deleted]")
    assert lines[5:7] == ["    Use [-npm-]{+pnpm+}", "    tags: {+js+}"]
    assert lines[7] == "    because no, pnpm"
    assert lines[8].endswith(": project is over")


def test_json_lines_number_the_versions(memory: MemoryLedger) -> None:
    """Each with what it replaced, what it changed, and what was said of it."""
    one, two = (memory.store(Memory(text)).id for text in ("Use npm", "Use yarn"))
    three = memory.supersede([one, two], Memory("Use pnpm")).id
    memory.confirm([three], "asked")
    rows = run("show", "--history", three, "--json").ok().json_lines
    assert [(row["version"], row["id"], row["replaces"], row["changed"]) for row in rows] == [
        (1, one, [], []),
        (2, two, [], []),
        (3, three, [1, 2], ["text"]),
    ]
    assert rows[2]["changes"] == {"text": [["same", "Use "], ["went", "npm"], ["came", "pnpm"]]}
    assert [event["what"] for event in rows[2]["events"]] == ["asked"]
    assert "replaces v1, v2" in run("show", "--history", one).out


def test_show_history_excludes_what_is_of_one_version(memory: MemoryLedger) -> None:
    """X-59: --raw and --as-of are usage errors, --json is not."""
    one = memory.store(Memory("Use npm")).id
    assert run("show", "--history", one, "--raw").code == 2
    assert run("show", "--history", one, "--as-of", "@1").code == 2
    assert (
        run("show", one, "--history", "--json").ok().out == run("show", "--history", one, "--json").ok().out
    )


def test_an_event_of_one_memory_stands_for_it(memory: MemoryLedger) -> None:
    """The id of a delete is what a person has at hand after one."""
    one = memory.store(Memory("Use npm")).id
    gone = memory.delete([one], "old").id
    assert run("show", "--history", gone).ok().out == run("show", "--history", one).ok().out


def test_an_event_of_none_or_several_is_refused(memory: MemoryLedger) -> None:
    """Exit code 3, and the memories that it is about."""
    ids = [memory.store(Memory(text)).id for text in ("one", "two")]
    both = memory.delete(ids).id
    done = run("show", "--history", both)
    assert (done.code, all(id_[:12] in done.err for id_ in ids)) == (3, True)
    assert run("show", "--history", "@0").code == 3


def test_an_erased_version_says_nothing(memory: MemoryLedger) -> None:
    """Nor what it changed."""
    one = memory.store(Memory("hunter2")).id
    two = memory.supersede([one], Memory("hunter3")).id
    memory.erasures.erase([two], "leaked")
    out = run("show", "--history", two).ok().out
    assert out.count("(erased)") == 2
    assert "hunter" not in out
    assert "changed" not in out


def test_of_a_long_body_the_lines_that_changed_are_shown(memory: MemoryLedger) -> None:
    """Word by word; the text itself did not change and stands as it is."""
    one = memory.store(Memory("Release", topic="release", body="Tag.\nBuild on Monday.\nShip.\n")).id
    memory.supersede([one], Memory("Release", topic="release", body="Tag.\nBuild on Friday.\nShip.\n"))
    lines = run("show", "--history", one).ok().out.splitlines()
    assert lines[-3:] == ["    Release", "    body:", "      Build on [-Monday-]{+Friday+}."]


def test_a_terminal_shows_colours_beside_the_signs(memory: MemoryLedger) -> None:
    """X-323: red for what went, green for what came."""
    one = memory.store(Memory("Use npm")).id
    memory.supersede([one], Memory("Use pnpm"))
    shown = run_at_terminal("show", "--history", one).out
    assert "\x1b[31m[-npm-]\x1b[0m\x1b[32m{+pnpm+}\x1b[0m" in shown
