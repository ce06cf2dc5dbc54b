"""The review queue that the viewer serves, over real HTTP on loopback.

Tests specs/report.md (H-25, H-26).
"""

from __future__ import annotations

import pytest

from ledger.event import By
from ledger.memory import Memory
from muniment import MemoryLedger
from projections.query import LogFilter
from report.viewer import Viewer
from tests.cli.driver import run
from tests.report.asking import candidate, post, queue_of


def test_the_queue_shows_what_waits_and_what_an_answer_does(viewer: Viewer, memory: MemoryLedger) -> None:
    """H-25: a no brings back what the candidate replaced before anybody agreed."""
    old = memory.store("Use npm", By("claude-code", "agent", "mcp")).id
    id_ = candidate(memory, "Use pnpm", old)
    [item] = queue_of(viewer)["items"]
    assert (item["id"], item["why"], item["text"]) == (id_, "candidate", "Use pnpm")
    assert (item["by"]["role"], item["from"]) == ("agent", {"kind": "conversation", "name": "c-1"})
    assert item["replaces"] == item["restores"] == [{"id": old, "text": "Use npm"}]
    assert f"brought back {old[:12]}" in post(viewer, {"id": id_, "answer": "delete"}).json["said"]
    assert [each.memory.text for each in memory.load_all()] == ["Postgres listens on 5433", "Use npm"]


def test_requests_are_counted_and_stay_in_the_terminal(viewer: Viewer, memory: MemoryLedger) -> None:
    """H-25."""
    waiting = run("erase", memory.entry("@1").id, "--yes", env={"CLAUDECODE": "1"})
    assert waiting.code == 15
    assert queue_of(viewer) == {"requests": 1, "items": []}


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ({"answer": "confirm"}, "confirm"),
        ({"answer": "delete"}, "delete"),
        ({"answer": "edit", "text": "Use spaces"}, "supersede"),
    ],
)
def test_an_answer_writes_the_event_of_the_command(
    viewer: Viewer, memory: MemoryLedger, said: list[str], answer: dict[str, str], kind: str
) -> None:
    """H-26: by the person at the terminal; it waits no more, and the terminal says what was done."""
    id_ = candidate(memory, "Use tabs")
    done = post(viewer, {"id": id_, **answer})
    assert done.code == 200
    [row] = memory.log(LogFilter(kinds=(kind,)))
    assert (row.name, row.role, row.via, row.targets) == ("ada", "user", "cli", (id_,))
    assert done.json["events"] == [row.id]
    assert said == [done.json["said"]]
    assert queue_of(viewer)["items"] == []


def test_confirming_replaces_what_an_agent_asked_to_replace(viewer: Viewer, memory: MemoryLedger) -> None:
    """X-291: the queue names it before, and the answer after."""
    old = memory.entry("@1").id
    assert run("supersede", old, "Postgres listens on 5434", env={"CLAUDECODE": "1"}).code == 15
    [item] = queue_of(viewer)["items"]
    assert [each["id"] for each in item["replaces"]] == [old]
    done = post(viewer, {"id": item["id"], "answer": "confirm"}).json
    assert f"supersedes {old[:12]}" in done["said"]
    assert [each.memory.text for each in memory.load_all()] == ["Postgres listens on 5434"]
    assert memory.entry(old).superseded_by == tuple(done["events"])


def test_a_wish_to_forget_is_settled_by_any_answer(viewer: Viewer, memory: MemoryLedger) -> None:
    """X-103, G-47: whoever keeps the memory is not asked again."""
    id_ = memory.entry("@1").id
    assert run("delete", id_, env={"CLAUDECODE": "1", "MUNIMENT_BY": "claude-code"}).code == 15
    [item] = queue_of(viewer)["items"]
    assert (item["id"], item["why"], item["wish"]["by"]) == (id_, "forget", "claude-code")
    assert post(viewer, {"id": id_, "answer": "confirm"}).code == 200
    assert queue_of(viewer)["items"] == []
    assert memory.entry(id_).status == "active"


def test_an_edit_is_taken_and_says_the_new_text(viewer: Viewer, memory: MemoryLedger) -> None:
    """H-26, X-105: all else stays as it was."""
    id_ = memory.store(Memory("Use tabs", status="candidate", tags=("style",))).id
    done = post(viewer, {"id": id_, "answer": "edit", "text": " Use spaces\n"}).json
    now = memory.entry(done["events"][0])
    assert (now.status, now.memory.text, now.memory.tags) == ("active", "Use spaces", ("style",))


REFUSALS = {
    "a secret": ({"answer": "edit", "text": "The key is AKIAIOSFODNN7EXAMPLR"}, "secret"),
    "the same text": ({"answer": "edit", "text": "Use tabs"}, "unchanged"),
    "no text": ({"answer": "edit"}, "text"),
    "another verb": ({"answer": "erase"}, "confirm, edit or delete"),
}


def test_what_the_ledger_refuses_is_said_and_it_waits_on(viewer: Viewer, memory: MemoryLedger) -> None:
    """H-26: in the sentence that the command would say."""
    id_ = candidate(memory, "Use tabs")
    for what, (given, words) in REFUSALS.items():
        answer = post(viewer, {"id": id_, **given})
        assert (answer.code, words in answer.json["error"]) == (409, True), what
        assert "AKIA" not in answer.json["error"]
        assert memory.entry(id_).status == "candidate", what


def test_what_somebody_decided_meanwhile_is_not_decided_again(viewer: Viewer, memory: MemoryLedger) -> None:
    id_ = candidate(memory, "Use tabs")
    memory.confirm([id_])
    answer = post(viewer, {"id": id_, "answer": "delete"})
    assert (answer.code, "meanwhile" in answer.json["error"]) == (409, True)
    assert memory.entry(id_).status == "active"


def test_what_does_not_wait_cannot_be_deleted(viewer: Viewer, memory: MemoryLedger) -> None:
    """The page decides on the queue alone."""
    id_ = memory.entry("@1").id
    assert post(viewer, {"id": id_, "answer": "delete"}).code == 409
    assert memory.entry(id_).status == "active"
