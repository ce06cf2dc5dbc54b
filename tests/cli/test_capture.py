"""Tests cli/commands/capture.py and cli/learning_run.py against specs/cli.md (X-150…X-153, X-155, X-157, K-78)."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from cli.learning_run import text_of
from documents.proposal import Proposal
from learning.listening import Listener
from learning.outcome import Taken
from learning.turn import Turn
from tests.cli.driver import ROOT, command_line, environment, run, run_process
from tests.learning.transcripts.writing import call, claude, jsonl, person, result

REAL = ROOT.parent / "shared" / "data" / "transcripts"
SECRET = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"

TALK = jsonl(
    person("Remember that my cat's name is Luna.", uuid="m1"),
    claude("assistant", "A fine name. Always use tabs."),
    person("From now on answer in French", uuid="m2"),
    person("thanks!", uuid="m3"),
)


@pytest.fixture(autouse=True)
def ledger(ledger: Path) -> Path:
    """The same, seen from a folder with one transcript."""
    Path("talk.jsonl").write_bytes(TALK)
    return ledger


def texts(*options: str) -> list[str]:
    return [entry["text"] for entry in run("list", "--json", *options).json_lines]


def test_a_process_learns_from_a_transcript(ledger: Path) -> None:
    """X-150, X-152, X-153."""
    done = run_process("capture", "talk.jsonl").ok()
    lines = [line.split(maxsplit=3) for line in done.out.splitlines()]
    assert [(line[0], line[2], line[3]) for line in lines] == [
        ("created", "0.90", "my cat's name is Luna"),
        ("created", "0.90", "Answer in French"),
    ]
    assert done.err.splitlines() == [
        "muniment: talk.jsonl: claude, 4 new turns",
        "muniment: 2 created",
    ]
    entry = run("show", lines[0][1], "--json").json
    assert entry["source"] == "auto"
    assert (entry["provenance"]["conversation"], entry["provenance"]["message"]) == ("s1", "m1")
    assert (ledger / "MEMORY.md").read_text().count("Luna") == 1
    assert run("verify").code == 0


def test_a_memory_of_go_beside_a_comment_stops_nothing() -> None:
    """K-283: a comment sign behind "go" is no version."""
    run("add", "Use go for services").ok()
    Path("go.jsonl").write_bytes(jsonl(person("From now on use go // and nothing else", uuid="m9")))
    done = run("capture", "go.jsonl", "talk.jsonl").ok()
    assert "internal error" not in done.err
    assert "Answer in French" in texts()


def test_an_internal_error_is_counted_and_shown_by_doctor(monkeypatch: pytest.MonkeyPatch) -> None:
    """K-283: one turn is skipped; the rest of the file and the other files are read."""
    hear = Listener.hear

    def stumble(self: Listener, turn: Turn) -> list[Taken]:
        if turn.message == "m1":
            raise IndexError("string index out of range")
        return hear(self, turn)

    monkeypatch.setattr(Listener, "hear", stumble)
    Path("more.jsonl").write_bytes(jsonl(person("From now on call me Ada", uuid="m7")))
    done = run("capture", "talk.jsonl", "more.jsonl").ok()
    assert "1 turn skipped after an internal error" in done.err
    assert [text for text in texts() if "French" in text or "Ada" in text] == texts()
    doctor = run("doctor")
    assert "IndexError" in doctor.out
    assert "out of range" not in doctor.out


def test_what_was_replaced_is_named() -> None:
    """K-284."""
    run("add", "Answer in German").ok()
    Path("now.jsonl").write_bytes(jsonl({"role": "user", "content": "From now on answer in French"}))
    done = run("capture", "now.jsonl").ok()
    assert "replaced      Answer in German" in done.out
    assert "Answer in German" not in texts()


def test_an_older_file_that_is_read_later_changes_nothing() -> None:
    """K-271: one clear line says so."""
    Path("new.jsonl").write_bytes(jsonl(said_on("2025-11-20", "From now on always use tabs")))
    Path("old.jsonl").write_bytes(jsonl(said_on("2025-11-10", "From now on never use tabs")))
    now = run("capture", "--scope", "user", "new.jsonl").ok().out.split()[1]
    late = run_process("capture", "--scope", "user", "old.jsonl").ok()
    assert (
        late.out
        == f"older                     0.90  Never use tabs  (said 2025-11-10, before the current one: {now} (Always use tabs))\n"
    )
    assert late.err.splitlines()[-1] == "muniment: 1 older"
    told = run("capture", "--scope", "user", "--anew", "--json", "old.jsonl").json_lines[0]
    assert (told["outcome"], told["written"], told["id"]) == ("older", False, None)
    assert [each[:12] for each in told["targets"]] == [now]
    assert texts() == ["Always use tabs"]


def said_on(day: str, text: str) -> Any:
    return {**person(text, uuid=day, sessionId=day), "timestamp": f"{day}T12:00:00.000Z"}


def test_twice_is_once_and_a_growing_file_costs_its_new_part() -> None:
    """X-150, K-74."""
    run("capture", "talk.jsonl").ok()
    again = run("capture", "talk.jsonl").ok()
    assert (again.out, "talk.jsonl: nothing new" in again.err) == ("", True)
    with Path("talk.jsonl").open("ab") as stream:
        stream.write(jsonl(person("I prefer Rust over Go", uuid="m4")))
    assert "1 new turn" in run("capture", "talk.jsonl").ok().err
    assert len(texts()) == 3


def test_who_writes_is_nobody_who_types(monkeypatch: pytest.MonkeyPatch) -> None:
    """X-151: not even at a terminal."""
    run("capture", "talk.jsonl", terminal=True).ok()
    assert {entry["by"]["role"] for entry in run("list", "--json").json_lines} == {"system"}


def test_under_an_agent_the_agent_writes() -> None:
    """X-151: so a made-up transcript promotes nothing that agents proposed."""
    agent = {"CLAUDECODE": "1"}
    run("add", "Answer in French", "--candidate", "--session", "x", env=agent).ok()
    run("capture", "talk.jsonl", env=agent).ok()
    assert texts("--status", "candidate") == ["Answer in French"]


def test_under_an_agent_a_candidate_is_said_to_wait_for_a_person() -> None:
    """X-151, X-200."""
    said = [person("I prefer short answers", uuid=name) for name in "ab"]
    Path("no.jsonl").write_bytes(jsonl(*said))
    done = run("capture", "no.jsonl", env={"CLAUDECODE": "1"}).ok()
    assert done.out.splitlines()[1].endswith(
        "(an agent may not promote: it waits for a person, muniment review)"
    )
    assert [line["status"] for line in run("list", "--status", "all", "--json").json_lines] == ["candidate"]


def test_what_a_limit_refused_can_be_learned_later() -> None:
    """X-200: it is said how, and it is so."""
    words = "boat car bike kite sled tram raft cart wagon lorry canoe kayak".split()
    Path("long.jsonl").write_bytes(
        jsonl(*(person(f"Remember that my {word} is called Q", uuid=word) for word in words))
    )
    done = run("capture", "long.jsonl").ok()
    assert done.out.count("refused") == 2
    assert "muniment capture --anew FILE" in done.err
    run("init", "--scope", "user")
    config = Path.home() / ".muniment" / "config.toml"
    config.write_text(f"{config.read_text()}\n[limits]\nper_conversation = 20\n")
    again = run("capture", "--anew", "long.jsonl").ok()
    assert [line.split()[0] for line in again.out.splitlines() if "episode" not in line] == ["known"] * 10 + [
        "created"
    ] * 2
    assert "--anew" not in again.err


def test_json_is_a_line_a_proposal() -> None:
    """X-152."""
    done = run("capture", "--json", "--explain", "talk.jsonl").ok()
    one, two = done.json_lines
    assert (one["outcome"], one["written"], one["conversation"], one["message"]) == (
        "created",
        True,
        "s1",
        "m1",
    )
    assert (two["text"], two["scope"], two["dry_run"], len(two["id"])) == (
        "Answer in French",
        "user",
        False,
        64,
    )
    assert two["at"] == "2026-01-02T03:04:05Z"
    assert all(isinstance(name, str) and isinstance(weight, float) for name, weight in one["features"])


def test_a_dry_run_writes_nothing(ledger: Path) -> None:
    """K-78."""
    before = (ledger / "chain.jsonl").read_bytes()
    done = run("capture", "--dry-run", "talk.jsonl").ok()
    assert done.out.count("created") == 2
    assert "would be: 2 created" in done.err
    assert (ledger / "chain.jsonl").read_bytes() == before
    assert run("capture", "talk.jsonl").ok().out.count("created") == 2


def test_files_are_read_in_the_order_in_which_they_were_said() -> None:
    """K-223: the file that changed last has the last word, whatever it is called."""
    for name, year, language in (("a", 2026, "Dutch"), ("b", 2024, "French"), ("c", 2025, "German")):
        said = person(
            f"Actually, from now on answer in {language}",
            sessionId=name,
            timestamp=f"{year}-01-05T10:00:00.000Z",
        )
        Path(f"{name}.jsonl").write_bytes(jsonl(said))
        os.utime(f"{name}.jsonl", (year, year))
    Path("none.jsonl").symlink_to("nowhere")
    done = run("capture", "--json", "none.jsonl", "a.jsonl", "-", "b.jsonl", "c.jsonl", "b.jsonl", input=b"")
    assert [line["text"].split()[-1] for line in done.json_lines] == ["French", "German", "Dutch"]
    standing = run("list", "--json").ok().json_lines
    assert [line["text"] for line in standing] == ["Answer in Dutch"]


def test_explain_names_the_features_that_spoke() -> None:
    """X-155."""
    lines = run("capture", "--dry-run", "--explain", "talk.jsonl").ok().out.splitlines()
    assert len(lines) == 4
    assert lines[1].strip().startswith("asked: ")
    assert "+" in lines[1]


def test_a_secret_is_neither_stored_nor_shown(ledger: Path) -> None:
    """X-152."""
    Path("talk.jsonl").write_bytes(jsonl(person(f"Remember that my token is {SECRET}")))
    for options in (("--dry-run", "--explain"), ("--json", "--explain"), ("--anew",)):
        done = run("capture", *options, "talk.jsonl")
        assert "refused" in done.out
        assert SECRET not in done.out + done.err
    assert not any(SECRET.encode() in path.read_bytes() for path in ledger.rglob("*") if path.is_file())


def test_what_was_not_read_is_told_on_stderr() -> None:
    """X-153."""
    extra = jsonl({"type": "new-kind", "sessionId": "s1"}) * 2 + b"{broken\n" + b'{"type": "user"'
    Path("talk.jsonl").write_bytes(TALK + extra)
    done = run("capture", "talk.jsonl").ok()
    assert (
        f"talk.jsonl: claude, 4 new turns; "
        f"1 broken line (at byte {len(TALK + extra) - 23}); the last line is not complete yet"
    ) in done.err
    assert done.out.count("\n") == 2


def test_a_file_that_is_no_transcript_is_named_and_the_others_are_read() -> None:
    """X-153."""
    Path("notes.md").write_text("# Notes\n\n- Always use tabs\n")
    Path("folder").mkdir()
    done = run("capture", "notes.md", "talk.jsonl")
    assert done.code == 5
    assert "notes.md: no conversation of a known format" in done.err
    assert done.out.count("created") == 2
    gone = run("capture", "gone.jsonl", "folder", "talk.jsonl")
    assert gone.code == 9
    assert "gone.jsonl cannot be read: No such file" in gone.err
    assert "folder cannot be read: it is a folder" in gone.err


def test_standard_input_is_read() -> None:
    """X-150: a list of messages."""
    chat = [{"role": "user", "content": "Remember that my cat's name is Luna."}]
    done = run_process("capture", "-", input=json.dumps(chat)).ok()
    assert "created" in done.out
    assert "stdin-" in done.err
    assert "known" in run_process("capture", "-", input=json.dumps(chat)).ok().out


def test_standard_input_is_learned_from_as_it_comes() -> None:
    """X-150: not only when whoever writes is done."""
    process = subprocess.Popen(
        command_line("capture", "-"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment()
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(TALK)
    process.stdin.flush()
    assert b"Luna" in process.stdout.readline()
    process.stdin.close()
    assert process.wait(60) == 0
    process.stdout.close()


def test_without_a_ledger_nothing_is_read(tmp_path: Path) -> None:
    """X-150."""
    other = {"MUNIMENT_HOME": str(tmp_path / "none"), "MUNIMENT_STATE": str(tmp_path / "state")}
    done = run("capture", "talk.jsonl", env=other)
    assert (done.code, "muniment init" in done.err) == (3, True)
    run("init", "--scope", "user", env=other).ok()
    assert run("capture", "talk.jsonl", env=other).ok().out.count("created") == 2


def test_one_ledger_takes_everything(tmp_path: Path) -> None:
    """X-150, K-70."""
    Path("talk.jsonl").write_bytes(jsonl(person("Always use pnpm in this project, never npm")))
    run("--ledger", "one", "init").ok()
    assert run("--ledger", "one", "capture", "talk.jsonl").ok().out.startswith("created")
    assert "not bound" in run("capture", "talk.jsonl").ok().out, "each ledger remembers what it read"


def test_a_file_can_be_read_anew() -> None:
    """X-157."""
    run("capture", "talk.jsonl").ok()
    assert run("capture", "--anew", "talk.jsonl").ok().out.count("known") == 2


def test_an_error_before_and_its_fix_behind_the_last_position_are_learned() -> None:
    """K-77: by two processes."""
    failing = [call("t1", "npm test"), result("t1", "Error: connect ECONNREFUSED 127.0.0.1:5432", error=True)]
    Path("talk.jsonl").write_bytes(jsonl(*failing))
    assert run("capture", "talk.jsonl").ok().out == ""
    fixing = [
        call("t2", "docker compose up -d db"),
        result("t2", "started"),
        call("t3", "npm test"),
        result("t3", "ok"),
    ]
    with Path("talk.jsonl").open("ab") as stream:
        stream.write(jsonl(*fixing))
    assert "ECONNREFUSED" in run("capture", "talk.jsonl").ok().out


def test_a_correction_in_two_sessions_is_known_the_second_time() -> None:
    """K-62: by two processes, and the second of them promotes the candidate."""
    Path("a.jsonl").write_bytes(jsonl(person("No, use pnpm, not npm", uuid="a", sessionId="s-a")))
    Path("b.jsonl").write_bytes(jsonl(person("no, use pnpm, not npm!", uuid="b", sessionId="s-b")))
    run("--ledger", "one", "init").ok()
    first = run("--ledger", "one", "capture", "a.jsonl", "--json").ok().json_lines
    assert [each["outcome"] for each in first] == ["candidate"]
    second = run("--ledger", "one", "capture", "b.jsonl", "--json").ok().json_lines
    assert [each["outcome"] for each in second] == ["promoted"]


def test_switched_off_it_reads_nothing(ledger: Path) -> None:
    """K-74: so that nothing is passed over that might be learned later."""
    (ledger / "config.toml").write_text("enabled = false\n")
    assert "switched off" in run("capture", "talk.jsonl").ok().err
    (ledger / "config.toml").write_text("")
    assert run("capture", "talk.jsonl").ok().out.count("created") == 2


@pytest.mark.skipif(not REAL.is_dir(), reason="real transcripts lie beside the repository, at ../shared/data")
def test_real_transcripts_are_captured_and_twice_is_once(ledger: Path) -> None:
    files = sorted(REAL.rglob("*.jsonl"))
    run("capture", *files)
    before = (ledger / "chain.jsonl").stat().st_size
    again = run("capture", "--json", *files)
    assert [line for line in again.out.splitlines() if json.loads(line)["written"]] == []
    assert (ledger / "chain.jsonl").stat().st_size == before
    assert run("verify").code == 0


def test_what_is_to_be_forgotten_is_said_where_nothing_names_it() -> None:
    """A yes, or an order that only points, is told in the person's words, else by what it deletes."""
    pointing = Proposal("delete", None, reason="out with it")
    assert text_of(pointing) == "forget what is meant by “out with it”"
    assert text_of(Proposal("delete", None, targets=("ab" * 32,))) == f"forget {'ab' * 6}"
    assert text_of(Proposal("delete", None, about="npm")) == "forget npm"


def test_who_names_themselves_is_the_writer() -> None:
    """X-151."""
    run("capture", "talk.jsonl", "--by", "nightly").ok()
    (first, _) = run("list", "--json").json_lines
    assert (first["by"]["name"], first["by"]["role"], first["by"]["via"]) == ("nightly", "system", "cli")


def long_talk(count: int, first: int = 0) -> bytes:
    """Return so many messages of a person, each with an answer."""
    rows = []
    for n in range(first, first + count):
        rows.append(person(f"Why does the billing parser drop row {n} of the invoice export?", uuid=f"q{n}"))
        rows.append(claude("assistant", f"Because row {n} has no currency."))
    return jsonl(*rows)


def test_a_long_conversation_becomes_an_episode_that_does_not_grow_with_each_word(ledger: Path) -> None:
    """X-164, K-103, K-106: also read in parts; and one from standard input."""
    path = Path("long.jsonl")
    path.write_bytes(long_talk(4))
    assert "episode" not in run("capture", "long.jsonl").ok().out
    path.write_bytes(long_talk(9))
    done = run("capture", "long.jsonl").ok()
    assert [line.split()[0] for line in done.out.splitlines()] == ["episode"]
    [episode] = [row for row in run("list", "--json").json_lines if row["type"] == "episode"]
    assert (episode["tier"], episode["provenance"]["conversation"]) == ("daily", "s1")
    path.write_bytes(long_talk(10))
    assert "episode" not in run("capture", "long.jsonl").ok().out
    path.write_bytes(long_talk(18))
    grown = run("capture", "--json", "long.jsonl").ok().json_lines
    assert [row["outcome"] for row in grown] == ["episode"]
    [episode] = [row for row in run("list", "--json").json_lines if row["type"] == "episode"]
    assert len(episode["supersedes"]) == 1
    messages = "\n".join(
        json.dumps({"role": "user", "content": f"Why is part {n} of the engine red?"}) for n in range(9)
    )
    assert run("capture", "-", input=messages).ok().out.startswith("episode")
