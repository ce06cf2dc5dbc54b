"""muniment show prints one memory in full, or one event."""

from __future__ import annotations

import orjson
import pytest

from language.dates import moment
from ledger.instant import DAY, system_clock
from muniment import Memory, MemoryLedger, Provenance
from tests.cli.driver import run, run_process


def fields(out: str) -> dict[str, str]:
    """Return the aligned names and values of a page."""
    rows = [line.split("  ", 1) for line in out.splitlines() if line and not line.startswith(" ")]
    return {row[0].strip(): row[1].strip() for row in rows if len(row) == 2}


def test_a_process_shows_everything_about_a_memory(memory: MemoryLedger) -> None:
    """What it says, where it comes from, its place in the chain."""
    one = memory.store(
        Memory(
            "Auth flow",
            details=("login first",),
            title="Auth",
            body="# Steps\n\nfirst\n",
            topic="code/auth",
            when_to_use=("login bugs",),
            tags=("auth", "login"),
            type="decision",
            importance="high",
            confidence=0.8,
            inferred=True,
            source="auto",
            category="project-pattern",
            provenance=Provenance(conversation="c-1", file="auth.py"),
            extra="owner: ada\n",
        )
    ).id
    done = run_process("show", one[:8]).ok()
    assert done.out.startswith("Auth flow\n  - login first\n\n  # Steps\n\n  first\n\n")
    shown = fields(done.out)
    learned = memory.entry(one).learned
    assert shown["learned"] == f"{moment(learned)} by library (system, library)"
    assert shown["chain"].startswith("@1, line 2, ")
    assert {name: shown[name] for name in ("id", "status", "section", "type", "topic", "title", "tags")} == {
        "id": one,
        "status": "active",
        "section": "Architecture Decisions",
        "type": "decision",
        "topic": "code/auth",
        "title": "Auth",
        "tags": "auth, login",
    }
    assert (shown["when to use"], shown["importance"], shown["confidence"]) == ("login bugs", "high", "0.80")
    assert (shown["inferred"], shown["source"], shown["category"]) == ("yes", "auto", "project-pattern")
    assert (shown["conversation"], shown["file"]) == ("c-1", "auth.py")
    assert done.out.endswith("frontmatter\n  owner: ada\n")


def test_what_is_usual_is_left_out(memory: MemoryLedger) -> None:
    """A plain memory makes a short page."""
    one = memory.store(Memory("Use pnpm")).id
    assert list(fields(run("show", one).ok().out)) == [
        *("id", "status", "section", "type", "source", "learned", "chain")
    ]


def test_its_life_is_told(memory: MemoryLedger) -> None:
    """What it replaced, what replaced it, who confirmed it, why it was deleted."""
    one = memory.store(Memory("Use npm")).id
    two = memory.supersede([one], Memory("Use pnpm")).id
    memory.confirm([two], "asked the team")
    memory.delete([two], "project is over")
    old, new = run("show", one).ok().out, run("show", two).ok().out
    assert f"superseded by  + {two[:12]}  Use pnpm" in old
    assert "since then" not in old
    assert f"supersedes  - {one[:12]}  Use npm" in new
    assert "since then  confirmed " in new
    assert ": asked the team" in new
    assert "since then  deleted " in new
    assert ": project is over" in new
    assert fields(new)["status"] == "deleted"


def test_what_it_was_made_from_is_named(memory: MemoryLedger) -> None:
    """X-58."""
    one = memory.store("The tide service is slow").id
    made = memory.store(Memory("Cache the tides", unknown={"from": [one]})).id
    [line] = [line for line in run("show", made).out.splitlines() if line.startswith("made from")]
    assert line.split(maxsplit=2)[2] == f"{one[:12]}  The tide service is slow"


def test_a_status_says_what_to_do(memory: MemoryLedger) -> None:
    """A candidate waits, a stale one wants a look, an archived one says why."""
    now = [system_clock() - 200 * DAY]
    memory.workspace.clock = lambda: now[0]
    old = memory.store(Memory("old")).id
    now[0] = system_clock()
    maybe = memory.store(Memory("maybe", status="candidate")).id
    memory.workspace.local.archive({old: "never used"}, now[0])
    assert f"muniment confirm {maybe[:12]}" in fields(run("show", maybe).out)["status"]
    status = fields(run("show", old).out)["status"]
    assert f"stale: muniment confirm {old[:12]}" in status
    assert "archived " in status
    assert "(never used)" in status


def test_json_holds_all_of_it_in_one_document(memory: MemoryLedger) -> None:
    """Also what was said of it, and where its line stands."""
    one = memory.store(Memory("Use npm")).id
    memory.confirm([one], "asked")
    memory.workspace.local.archive({one: "unused"}, system_clock())
    shown = run("show", one, "--json").ok().json
    assert (shown["kind"], shown["id"], shown["text"], shown["stale"]) == ("create", one, "Use npm", False)
    assert shown["archived"]["why"] == "unused"
    (event,) = shown["events"]
    assert (event["kind"], event["what"], event["targets"]) == ("confirm", "asked", [one])
    chain = shown["chain"]
    assert (chain["seq"], chain["line"]) == (1, 2)
    line = memory.workspace.chain.read_bytes()[chain["offset"] : chain["offset"] + chain["size"]]
    assert orjson.loads(line)["payload"]["text"] == "Use npm"


def test_showing_counts_as_a_use_and_never_as_a_confirmation(memory: MemoryLedger) -> None:
    """Reading keeps a memory from gc, but leaves it as stale as it is."""
    one = memory.store(Memory("Use npm")).id
    before = memory.entry(one).fresh_since
    run("show", one).ok()
    run("show", one, "--json").ok()
    assert memory.workspace.local.uses() == {one: 2}
    assert memory.entry(one).fresh_since == before
    assert len(memory.log()) == 2


def test_an_event_that_is_no_memory_is_shown_as_one(memory: MemoryLedger) -> None:
    """Its kind, its reason, what it is about; it counts as no use."""
    one = memory.store(Memory("Use npm")).id
    gone = memory.delete([one], "we use pnpm").id
    shown = run("show", gone[:10]).ok().out
    assert shown.startswith("delete: we use pnpm\n\n")
    assert fields(shown)["of"] == f"{one[:12]}  Use npm"
    assert fields(shown)["chain"] == "@2, line 3"
    assert run("show", "@0").ok().out.startswith("genesis: ledger memory (user)\n")
    assert run("show", gone, "--json").ok().json["targets"] == [one]
    assert memory.workspace.local.uses() == {}


def test_a_later_part_of_a_long_body_is_an_event(memory: MemoryLedger) -> None:
    """Its first part is the memory, and shows the whole body."""
    body = "".join(f"line {n} of a long body\n" for n in range(4000))
    one = memory.store(Memory("Long", body=body)).id
    assert "  line 3999 of a long body\n" in run("show", one).ok().out
    assert "create: Long (part 2 of " in run("show", "@2").ok().out


def test_an_erased_memory_says_nothing(memory: MemoryLedger) -> None:
    """Neither text nor details."""
    one = memory.store(Memory("Leaked hunter2", details=("hunter2",))).id
    memory.erasures.erase([one], "leaked hunter2 to the log")
    shown = run("show", one).ok()
    assert shown.out.startswith("(erased)\n")
    assert fields(shown.out)["status"] == "erased"
    assert "hunter2" not in run("show", one, "--json").ok().json["text"]
    assert "hunter2" not in shown.out.replace("leaked hunter2 to the log", "")


def test_raw_prints_the_signed_line(memory: MemoryLedger) -> None:
    """Byte for byte, so that a stranger's verifier can be fed."""
    one = memory.store(Memory("Use npm")).id
    raw = run_process("show", one, "--raw").ok().out
    assert raw == memory.workspace.chain.read_text("utf-8").splitlines(keepends=True)[1]


@pytest.mark.parametrize(
    ("typed", "code", "words"),
    [
        ("@99", 3, "there is no event @99"),
        ("0" * 12, 3, "no event has an id that begins with"),
        ("abc", 2, "too short"),
        ("not-an-id", 2, "is not an id"),
        ("@x", 2, "'@x' is not an id: after @ give the number of an event"),
    ],
)
def test_an_id_that_names_nothing_is_one_line(
    memory: MemoryLedger, typed: str, code: int, words: str
) -> None:
    """What is wrong, and what to do."""
    done = run("show", typed)
    assert done.code == code
    assert words in done.err
    assert len(done.err.splitlines()) == 1


def test_a_damaged_memory_is_not_passed_over_in_silence(memory: MemoryLedger) -> None:
    """X-89: it is not called erased, and every view that leaves it out says so."""
    one = memory.store(Memory("The port is 5433")).id
    memory.store(Memory("The other one"))
    memory.close()
    raw = memory.workspace.chain.read_bytes()
    memory.workspace.chain.write_bytes(raw.replace(b"port is 5433", b"port is 5432"))
    (memory.workspace.place.directory / "memory.db").unlink()
    page = run("show", one[:8]).ok().out
    assert page.startswith("(damaged: ")
    assert fields(page)["status"] == "damaged: run muniment doctor for a fix"
    assert run("show", one[:8], "--json").ok().json["damaged"] is True
    listed = run("list").ok()
    assert "5432" not in listed.out + listed.err
    assert listed.err == "muniment: 1 memory damaged and not listed: see muniment doctor\n"
    assert "1 memory damaged: the text in the chain is not what was signed" in run("status").out
    assert "5432" not in (memory.workspace.place.documents / "MEMORY.md").read_text()
