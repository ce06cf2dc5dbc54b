"""What hooks hand over is learned, once, whoever dies and however many come at once (specs/doors.md G-8, G-11)."""

from __future__ import annotations

import json
import os
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from agents.hooks import handover, spool_learning, user_folders, worker
from agents.hooks.spool import Spooled, batch
from projections.vectors.embedder import Choice
from tests.agents.hooks.calling import event, faults, hook, settled, spool
from tests.cli.driver import command_line, environment, run, run_process
from tests.learning.transcripts.writing import claude, jsonl, person
from tests.projections.vectors.topics import Topics

pytestmark = pytest.mark.usefixtures("ledger")  # seen from an empty folder


TOWNS = "Oslo Bern Rome Paris Kyiv Lima Cairo Quito Delhi Tokyo Seoul Hanoi Accra Dakar Tunis Rabat Sofia Riga Minsk Baku".split()


def talk(number: int) -> Path:
    """Write the transcript of a session in which a person says where a sister of theirs lives."""
    path = Path(f"talk-{number}.jsonl").absolute()
    said = f"Remember that the office in {TOWNS[number]} closes at {number + 1} o'clock"
    path.write_bytes(jsonl(person(said, uuid=f"m{number}", sessionId=f"s{number}")))
    return path


def stop(number: int, **more: object) -> dict[str, object]:
    return event("Stop", f"s{number}", transcript_path=str(talk(number)), stop_hook_active=False, **more)


def texts() -> list[str]:
    return [one["text"] for one in run("list", "--json").json_lines]


def test_twenty_hooks_at_once_lose_nothing() -> None:
    """G-8: all return, one worker works, each session is learned once, and the chain is sound."""
    with ThreadPoolExecutor(20) as threads:
        assert {done.out for done in threads.map(hook, map(stop, range(20)))} == {""}
    settled()
    assert not faults()
    found = texts()
    for town in TOWNS:
        assert sum(town in text for text in found) == 1, town
    assert run("verify").code == 0


def test_what_died_in_between_is_found_by_the_next_event() -> None:
    """G-8: a worker that is killed leaves the spool file; what was said is learned once."""
    held = handover.lock()
    assert held is not None
    hook(stop(0))
    assert len(spool()) == 1
    os.close(held)
    dying = subprocess.Popen(command_line("hook", "work"), env=environment())
    while not any(path.name.count(".") == 2 for path in spool()):
        assert dying.poll() is None
        time.sleep(0.005)
    dying.kill()
    dying.wait()
    assert len(spool()) == 1
    hook(stop(1))
    settled()
    assert sorted(text.split(" closes")[0].rsplit(" ", 1)[1] for text in texts()) == ["Bern", "Oslo"]


def test_what_ends_the_worker_every_time_is_dropped() -> None:
    """G-8: three times tried, the others are worked on."""
    folder = Path(user_folders.hooks()) / handover.SPOOL
    folder.mkdir(parents=True)
    (folder / f"{1:020d}-7.3.json").write_text("{}")
    (folder / f"{2:020d}-7.json").write_text("not JSON")
    (folder / f"{3:020d}-7.json").write_text("[]")
    (folder / f"{4:020d}-7.json").write_text(
        json.dumps({"kind": ["x"], "cwd": 7, "transcript": {}, "used": "x"})
    )
    (folder / f"{5:020d}-7.json").symlink_to("/dev/zero")
    hook(stop(0))
    settled()
    assert len(texts()) == 1
    whats = [line["what"] for line in faults()]
    assert whats[:3] == [
        "the worker ended three times at one spool file, which was dropped",
        "a spool file is not JSON",
        "a spool file is not a JSON object",
    ]
    assert len(whats) == 4


def test_what_a_ledger_hindered_is_left_for_the_next_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """G-8: once in a run, and three times in all."""
    answers: list[bool] = []

    def learn(_cwd: str, batch: list[Spooled]) -> bool:
        answers.append(True)
        if len(answers) == 1:
            handover.put({"kind": "transcript", "cwd": "/later"})  # an event that comes meanwhile
        return batch[0].text("cwd") == "/later"

    monkeypatch.setattr(spool_learning, "learn", learn)
    monkeypatch.setattr(worker, "SETTLES", 0)
    handover.put({"kind": "transcript", "cwd": "/now"})
    handover.put({"kind": "shown", "cwd": "/now"})
    for tries in (1, 2, 3):
        worker.work(handover.lock())
        assert [path.name.split(".")[1] for path in spool()] == [str(tries)]
    assert len(answers) == 4
    worker.work(handover.lock())
    assert not spool()


def test_a_transcript_that_is_none_hinders_nothing() -> None:
    """G-8: the next session is learned from all the same."""
    paths: dict[str, str | None] = {
        kind: str(Path(f"{kind}.jsonl").absolute()) for kind in ("missing", "folder", "pipe", "empty", "junk")
    }
    Path("folder.jsonl").mkdir()
    os.mkfifo("pipe.jsonl")
    Path("empty.jsonl").touch()
    Path("junk.jsonl").write_bytes(os.urandom(5000))
    for path in (*paths.values(), None, "../x\x00y", f"/{'x' * 300}"):
        hook(event("Stop", transcript_path=path))
    hook(event("SessionEnd", transcript_path=paths["junk"]))
    hook(stop(3))
    settled()
    assert any("Paris" in text for text in texts())


def test_a_growing_transcript_is_read_from_where_it_was_read_last() -> None:
    """G-8 (K-74), and the folder of the session decides whose ledgers learn."""
    path = talk(0)
    for _ in range(2):
        hook(event("Stop", "s0", transcript_path=str(path)))
        settled()
    with path.open("ab") as file:
        file.write(jsonl(person("Remember that my cat's name is Luna", uuid="m9", sessionId="s0")))
    hook(event("Stop", "s0", transcript_path=str(path), cwd="/no/such/folder"))
    settled()
    assert len(texts()) == 2
    assert not faults()


def test_the_buffer_gets_one_line_of_what_was_done(ledger: Path) -> None:
    """G-11: no code, no secret, nothing twice, and no link is followed."""
    secret = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"
    said: list[Any] = [
        f"```\nrm -rf everything at once\n```\n## Done with the login page\n\nThe token is {secret} from now on.",
        "Ok.",
        "Done with the login page",
        f"{'Very long words are said. ' * 60}",
        7,
    ]
    for each in said:
        hook(event("Stop", "s 1/x", last_assistant_message=each))
    hook(event("PreCompact", custom_instructions="keep the open questions in mind"))
    settled()
    lines = (ledger / "session-buffer.md").read_text().splitlines()
    assert [line.split(" ", 3)[-1] for line in lines if line.startswith("- ")] == [
        "Done with the login page",
        "Very long words are said.",
        "before compacting: keep the open questions in mind",
    ]
    assert [line for line in lines if not line.startswith("- ")] == ["session: s1"]
    noted = run("checkpoint", "--json").ok()
    assert "Done with the login page" in noted.out

    (ledger / "session-buffer.md").unlink()
    (ledger / "elsewhere").write_text("mine\n")
    (ledger / "session-buffer.md").symlink_to(ledger / "elsewhere")
    hook(event("Stop", last_assistant_message="This is written through no link"))
    settled()
    assert (ledger / "elsewhere").read_text() == "mine\n"


def test_limits_hold_for_what_hooks_learn() -> None:
    """K-68, K-275: a conversation teaches ten memories, whoever the agent is."""
    path = Path("long.jsonl").absolute()
    said = [f"Remember that the office in {town} closes at {at + 1} o'clock" for at, town in enumerate(TOWNS)]
    path.write_bytes(jsonl(*(person(text, uuid=f"m{at}", sessionId="s1") for at, text in enumerate(said))))
    hook(event("Stop", transcript_path=str(path)), env={"CLAUDECODE": "1"})
    settled()
    assert len([one for one in run("list", "--json").json_lines if one["type"] != "episode"]) == 10


def test_what_gemini_hands_over_is_learned_once() -> None:
    """G-82, K-291: the session's file, whose conversation is the hook's, so that a prompt heard at once is not heard again."""
    path = Path("session.jsonl").absolute()
    said = ["Remember: I use zsh", "Remember that the office in Oslo closes at 5 o'clock"]
    line = {"timestamp": "2026-01-02T03:04:05.000Z", "type": "user"}
    head = {"sessionId": "s1", "projectHash": "00", "kind": "main"}
    hook(event("BeforeAgent", prompt=said[0], transcript_path=str(path)), "gemini")
    path.write_bytes(
        jsonl(head, *({**line, "id": f"m{at}", "content": [{"text": text}]} for at, text in enumerate(said)))
    )
    for name in ("AfterAgent", "SessionEnd"):
        hook(event(name, transcript_path=str(path)), "gemini")
        settled()
    assert not faults()
    found = run("list", "--json").json_lines
    assert sorted("zsh" in one["text"] for one in found) == [False, True]
    assert {one["provenance"]["agent"] for one in found} == {"gemini"}
    report = {
        **line,
        "type": "gemini",
        "id": "m9",
        "content": "The build fails because Node 20 is required here.",
    }
    path.write_bytes(path.read_bytes() + jsonl(report))
    assert "Node 20" in run("extract", "--dry-run", str(path)).ok().out


def test_a_full_spool_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """G-8: where no worker can run, hooks fill no disk."""
    monkeypatch.setattr(handover, "MOST_FILES", 2)
    handover.put({"kind": "shown"})
    handover.put({"kind": "shown"})
    with pytest.raises(Exception, match="too much waits in the spool"):
        handover.put({"kind": "shown"})


def test_old_notes_and_halves_of_files_are_swept_away() -> None:
    """G-8."""
    for name, old in (
        ("sessions/a.json", True),
        ("sessions/b.json", False),
        ("spool/.x.json.4194305-0.tmp", False),
    ):
        path = Path(user_folders.hooks()) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
        if old:
            os.utime(path, (0, 0))
    run_process("hook", "work").ok()
    found = sorted(path.name for path in Path(user_folders.hooks()).rglob("*") if path.is_file())
    assert found == ["b.json", "worker.lock"]


def test_an_assistant_speaks_to_nobody() -> None:
    """K-2, G-8: what the agent says of itself is not learned as the person's."""
    path = Path("agent.jsonl").absolute()
    path.write_bytes(jsonl(claude("assistant", "Remember that the user loves cobol")))
    hook(event("Stop", transcript_path=str(path)))
    settled()
    assert texts() == []


def test_the_end_of_a_session_embeds_what_has_no_vector(monkeypatch: pytest.MonkeyPatch) -> None:
    """P-223: in the worker, for which nobody waits."""
    pytest.importorskip("numpy", reason="numpy is not installed: make test installs it")
    model = Topics()
    monkeypatch.setattr("projections.vectors.embedder.chosen", lambda _: Choice(model, ""))
    held = handover.lock()
    assert held is not None
    run("add", "The automobile needs oil").ok()
    hook(stop(0))
    assert spool_learning.learn(str(Path.cwd()), batch(set()))
    assert "The automobile needs oil" not in model.embedded
    hook(event("SessionEnd", "s0", transcript_path=str(talk(0))))
    assert spool_learning.learn(str(Path.cwd()), batch(set()))
    assert "The automobile needs oil" in model.embedded
    os.close(held)
