"""A program of mem0 on a signed ledger. Tests specs/frameworks.md (FW-1…FW-5, FW-10…FW-18)."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from frameworks.mem0 import AsyncMemory, Memory
from ledger.errors import WaitingError
from ledger.event import By
from muniment import MemoryLedger
from tests.cli.driver import run_process
from tests.frameworks.conftest import SECRET

Change = Callable[[], object]
ROOT = Path(__file__).resolve().parents[2]


def texts(answer: dict[str, list[dict[str, Any]]]) -> list[str]:
    return [each["memory"] for each in answer["results"]]


def test_no_message_holds_a_secret(mem0: Memory) -> None:
    """R-2: a message that is none is named by its place."""
    block = {"role": "user", "content": {SECRET}}
    unknown: Any = {SECRET: 1}
    wrong: list[tuple[Change, str]] = [
        (lambda: mem0.add([{"role": "user", "content": "Hi"}, block], user_id="ada"), "message 2 of 2"),
        (lambda: mem0.add("Hi", user_id="ada", expiration_date=SECRET), "expiration_date"),
        (lambda: mem0.get_all(**unknown), "unknown"),
        (lambda: mem0.get_all(filters={"user_id": "ada", SECRET: {"over": 1}}), "the filter"),
        (lambda: mem0.get_all(filters={"user_id": "ada"}, top_k=SECRET), "top_k"),  # type: ignore[arg-type]
        (lambda: mem0.update(SECRET, "Hi"), "no memory of mem0"),
    ]
    for change, said in wrong:
        with pytest.raises(ValueError, match=said) as error:
            change()
        assert SECRET not in str(error.value)


def test_what_a_program_stores_does_not_hinder_what_agents_learn(mem0: Memory, memory: MemoryLedger) -> None:
    """FW-1, K-68."""
    for n in range(30):
        mem0.add(f"Fact {n}", user_id="ada", infer=False)
    event = {
        "hook_event_name": "UserPromptSubmit",
        "session_id": "s1",
        "cwd": str(Path.cwd()),
        "prompt": "Remember that the database listens on port 5433",
        "prompt_id": "p-1",
    }
    run_process("hook", "claude", input=json.dumps(event)).ok()
    assert [each.memory.text for each in memory.load_all() if "5433" in each.memory.text]


CHANGES = """
import sys
import muniment
from frameworks.mem0 import Memory

with muniment.open(scope="user") as ledger:
    memory = Memory(ledger=ledger)
    print("ready", flush=True)
    sys.stdin.readline()
    for n in range(20):
        memory.update(sys.argv[1], f"{sys.argv[2]} {n}")
"""


def test_of_two_processes_that_change_one_memory_the_last_one_wins(
    mem0: Memory, memory: MemoryLedger
) -> None:
    """FW-5: neither of them is refused because the other one was faster."""
    (one,) = mem0.add("I like tea", user_id="ada", infer=False)["results"]
    started = [
        subprocess.Popen(
            [sys.executable, "-c", CHANGES, one["id"], name],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in ("one", "other")
    ]
    for each in started:
        assert each.stdout is not None
        assert each.stdout.readline() == "ready\n"
    for each in started:
        assert each.stdin is not None
        each.stdin.write("go\n")
        each.stdin.flush()
    said = [each.communicate(timeout=120) for each in started]
    assert [each.returncode for each in started] == [0, 0], said
    assert len(memory.history(one["id"])) == 41
    assert mem0.get(one["id"]) is not None


def test_without_infer_each_message_is_stored_as_given(mem0: Memory, memory: MemoryLedger) -> None:
    """FW-10, FW-2: by an agent, with its ids in provenance and tags; no message of the system."""
    messages = [
        {"role": "system", "content": "You help."},
        {"role": "user", "content": "I like tea", "name": "Ada"},
        {"role": "assistant", "content": "Noted:\n\n- tea\n"},
    ]
    said = mem0.add(messages, user_id="ada", agent_id="helper", run_id="r1", infer=False)["results"]
    assert [(each["memory"], each["event"], each["role"], each["actor_id"]) for each in said] == [
        ("I like tea", "ADD", "user", "Ada"),
        ("Noted:\n\n- tea\n", "ADD", "assistant", None),
    ]
    first, second = memory.load_all()
    assert first.by == By("mem0", "agent", "library")
    assert first.memory.provenance.to_payload() == {
        "conversation": "ada",
        "session": "r1",
        "agent": "helper",
        "tool": "mem0",
    }
    assert first.memory.tags == ("mem0", "user_id=ada", "agent_id=helper", "run_id=r1")
    assert first.memory.topic == "mem0/user-ada/agent-helper/run-r1"
    assert (second.memory.text, second.memory.body) == ("Noted:", "Noted:\n\n- tea\n")
    got = mem0.get(said[1]["id"])
    assert got is not None
    assert (got["memory"], got["role"], got["user_id"]) == ("Noted:\n\n- tea\n", "assistant", "ada")
    assert memory.upkeep.verify().sound


def test_a_message_without_a_text_is_left_out(mem0: Memory) -> None:
    """FW-10: a conversation with a call or an image is learned from; parts are joined."""
    image = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": [{"type": "text", "text": "See this"}, image]},
        {"role": "assistant", "content": None, "tool_calls": []},
        {"role": "assistant", "content": ""},
        {"role": "user", "content": image},
        {
            "role": "user",
            "content": [{"type": "text", "text": "Please always"}, {"type": "text", "text": "use pnpm."}],
        },
    ]
    assert texts(mem0.add(messages, user_id="ada", infer=False)) == [
        "See this",
        "Please always use pnpm.",
    ]
    assert texts(mem0.add(messages, user_id="bob")) == ["Please always use pnpm"]


def test_metadata_cannot_say_who_spoke_or_whose_it_is(mem0: Memory) -> None:
    """FW-14: neither when it is stored nor later."""
    forged = {"role": "assistant", "actor_id": "root", "user_id": "eve", "agent_id": "eve", "n": 1}
    (made,) = mem0.add("I like tea", user_id="ada", infer=False, metadata=forged)["results"]
    mem0.update(made["id"], metadata=forged | {"n": 2})
    got = mem0.get(made["id"])
    assert got is not None
    assert (got["role"], got["user_id"], got["metadata"], got["score"]) == ("user", "ada", {"n": 2}, None)
    assert not got.keys() & {"actor_id", "agent_id"}


def test_filters_compare_metadata_as_mem0_does(mem0: Memory) -> None:
    """FW-17."""
    mem0.add("One", user_id="ada", infer=False, metadata={"n": 1, "tags": ["a", "b"], "word": "Tea"})
    mem0.add("Two", user_id="ada", run_id="r1", infer=False, metadata={"n": 2})
    mem0.add("Three", user_id="bob", infer=False, metadata={"n": 3})
    wanted: list[tuple[dict[str, Any], list[str]]] = [
        ({"n": {"gte": 1, "lt": 2}}, ["One"]),
        ({"n": {"ne": 1}}, ["Two"]),
        ({"n": {"gt": "0"}}, []),
        ({"n": {"in": [2, 3]}}, ["Two"]),
        ({"n": [1, 2]}, ["One", "Two"]),
        ({"tags": "b"}, ["One"]),
        ({"tags": {"nin": ["a", "b"]}}, []),
        ({"word": {"icontains": "tea"}}, ["One"]),
        ({"word": {"contains": "tea"}}, []),
        ({"word": "*"}, ["One", "Two"]),
        ({"OR": [{"n": 1}, {"run_id": "r1"}], "NOT": [{"word": "Tea"}]}, ["Two"]),
        ({"AND": [{"n": 1}, {"word": "Tea"}]}, ["One"]),
        ({"user_id": "*"}, ["One", "Two", "Three"]),
    ]
    for filters, found in wanted:
        assert texts(mem0.get_all(filters={"user_id": "ada"} | filters)) == found, filters


def test_a_long_id_is_kept_whole(mem0: Memory, memory: MemoryLedger) -> None:
    """FW-12: two that begin alike are two users, also after a person's edit."""
    users = ["a" * 200, "a" * 199 + "b", "a" * 56]
    for user in users:
        mem0.add("I like tea", user_id=user, agent_id="b" * 500, run_id="c" * 500, infer=False)
    for document in (memory.workspace.place.directory / "memories" / "mem0").rglob("*.md"):
        document.write_text(document.read_text("utf-8").replace("I like tea", "I like green tea"), "utf-8")
    memory.documents.adopt()
    for user in users:
        (only,) = mem0.search("green tea", filters={"user_id": user})["results"]
        assert (only["user_id"], only["agent_id"], only["run_id"]) == (user, "b" * 500, "c" * 500)


def test_reset_deletes_the_memories_of_all_users(mem0: Memory, memory: MemoryLedger) -> None:
    """FW-13: and nothing else of the ledger."""
    mem0.add("I like tea", user_id="ada", infer=False)
    mem0.add("I like rain", agent_id="bot", infer=False)
    memory.store("Use pnpm")
    mem0.reset()
    assert [entry.memory.text for entry in memory.load_all()] == ["Use pnpm"]


def test_what_was_imported_from_mem0_is_there(mem0: Memory, memory: MemoryLedger, tmp_path: Path) -> None:
    """FW-18, I-33: for its user, with its metadata; what the program says again is known, and it may change it."""
    rows = [
        {"id": "1", "memory": "I like tea", "user_id": "ada", "role": "user", "metadata": {"n": 1}},
        {"id": "2", "memory": "I like tea", "user_id": "bob", "actor_id": "Bob", "role": "assistant"},
        {"id": "3", "memory": "One\ntwo", "agent_id": "bot", "run_id": "r" * 300, "created_at": "2026-01-02"},
        {"id": "4", "memory": "Much", "user_id": "ada", "metadata": {"long": "x" * 2000}},
    ]
    path = tmp_path / "all.json"
    path.write_text(json.dumps({"results": rows}), "utf-8")
    for said in ("4 new, 0 known", "0 new, 4 known"):
        assert said in run_process("import", "--from", "mem0", path).ok().out
    assert {each.by for each in memory.load_all()} == {By("mem0", "agent", "import")}
    assert texts(mem0.get_all(filters={"user_id": "ada", "n": 1})) == ["I like tea"]
    (bobs,) = mem0.search("tea", filters={"user_id": "bob"})["results"]
    assert (bobs["actor_id"], bobs["role"]) == ("Bob", "assistant")
    (bots,) = mem0.get_all(filters={"agent_id": "bot"})["results"]
    mem0.update(bots["id"], metadata={"n": 1})
    assert [row["created_at"] for row in mem0.history(bots["id"])] == ["2026-01-02", "2026-01-02"]
    assert (mem0.get(bots["id"]) or {})["created_at"] == bots["created_at"] == "2026-01-02"
    assert texts(mem0.get_all(filters={"run_id": "r" * 300, "agent_id": "bot"})) == ["One\ntwo"]
    (much,) = [each.memory for each in memory.load_all() if each.memory.text == "Much"]
    assert '"long"' in much.extra
    again = mem0.add("I like tea", user_id="ada", infer=False, metadata={"n": 1})["results"]
    assert [each["event"] for each in again] == ["NONE"]
    mem0.update(bobs["id"], "I like cocoa")
    (entry,) = [each for each in memory.load_all() if each.memory.text == "I like cocoa"]
    assert (entry.memory.provenance.message, entry.memory.provenance.file) == ("2", "all.json")
    mem0.delete_all(user_id="bob")
    assert mem0.get_all(filters={"user_id": "bob"}) == {"results": []}


def test_with_infer_the_detector_keeps_the_users_sentences(mem0: Memory, memory: MemoryLedger) -> None:
    """FW-11: as they were written; what it is not sure of is a candidate."""
    said = mem0.add(
        [
            {"role": "user", "content": "Hi! I'm allergic to peanuts. What can I cook?"},
            {"role": "assistant", "content": "I like rice."},
            {"role": "user", "content": "Please always answer in French."},
        ],
        user_id="ada",
    )
    assert texts(said) == ["I'm allergic to peanuts", "Please always answer in French"]
    assert [entry.status for entry in memory.load_all()] == ["candidate", "active"]
    assert texts(mem0.search("peanuts", filters={"user_id": "ada"}))[0] == "I'm allergic to peanuts"
    assert mem0.add("Thank you!", user_id="ada") == {"results": []}
    assert "peanuts" not in memory.format_for_prompt().text


def test_the_same_words_of_two_users_are_two_memories(mem0: Memory) -> None:
    """FW-12: also where their ids differ in case, or in signs that no topic has; of one user they are known."""
    users = ["ada", "Ada", "ada@example.com", "ada-example-com"]
    for user in users:
        mem0.add("I like tea", user_id=user, infer=False)
    mem0.add("I like tea", user_id="ada", run_id="r1", infer=False)
    again = mem0.add("I like tea", user_id="ada", infer=False)["results"]
    assert [each["event"] for each in again] == ["NONE"]
    for user in users[1:]:
        (only,) = mem0.get_all(filters={"user_id": user})["results"]
        assert only["user_id"] == user
        assert texts(mem0.search("tea", filters={"user_id": user})) == ["I like tea"]
    assert len(mem0.get_all(filters={"user_id": "ada"})["results"]) == 2
    assert len(mem0.get_all(filters={"user_id": "ada", "run_id": "r1"})["results"]) == 1
    assert len(mem0.get_all(filters={"run_id": "r1"})["results"]) == 1


def test_a_query_cannot_reach_past_its_user(mem0: Memory) -> None:
    """FW-12: what looks like a filter of `muniment search` are words."""
    mem0.add("My PIN hint is otter", user_id="bob", infer=False)
    mem0.add("I like otters", user_id="ada", infer=False)
    for query in ('tag:"user_id=bob"', "conversation:bob otter", 'topic:mem0/user-bob "hint"', "?!"):
        assert all(
            each["user_id"] == "ada" for each in mem0.search(query, filters={"user_id": "ada"})["results"]
        )


def test_a_memory_keeps_its_id_through_versions(mem0: Memory, memory: MemoryLedger) -> None:
    """FW-13: an update is a supersede, a deletion a delete, and history has both."""
    (made,) = mem0.add("I like tea", user_id="ada", infer=False, metadata={"mood": "calm"})["results"]
    assert mem0.update(made["id"], "I like coffee", metadata={"n": 2}) == {
        "message": "Memory updated successfully!"
    }
    mem0.update(made["id"], data="I like cocoa")
    got = mem0.get(made["id"])
    assert got is not None
    assert (got["id"], got["memory"], got["metadata"]) == (
        made["id"],
        "I like cocoa",
        {"mood": "calm", "n": 2},
    )
    assert got["created_at"] < got["updated_at"]
    (hit,) = mem0.search("cocoa", filters={"user_id": "ada", "n": 2}, explain=True)["results"]
    assert (hit["id"], hit["score"]) == (made["id"], 1.0)
    assert hit["score_details"]["why"] == [["word", "cocoa"]]
    assert mem0.search("cocoa", filters={"user_id": "ada", "n": 3}) == {"results": []}
    assert mem0.delete(made["id"]) == {"message": "Memory deleted successfully!"}
    assert mem0.get(made["id"]) is None
    assert [(row["event"], row["old_memory"], row["new_memory"]) for row in mem0.history(made["id"])] == [
        ("ADD", None, "I like tea"),
        ("UPDATE", "I like tea", "I like coffee"),
        ("UPDATE", "I like coffee", "I like cocoa"),
        ("DELETE", "I like cocoa", None),
    ]
    assert [row.kind for row in memory.log()] == ["genesis", "create", "supersede", "supersede", "delete"]
    changes: list[Change] = [lambda: mem0.delete(made["id"]), lambda: mem0.update("f" * 64, "x")]
    for change in changes:
        with pytest.raises(ValueError, match="no memory of mem0 has the id"):
            change()


def test_all_memories_of_a_user_are_deleted(mem0: Memory, memory: MemoryLedger) -> None:
    for n in range(20):
        mem0.add(f"Fact {n}", user_id="ada", infer=False)
    mem0.add("I like tea", user_id="bob", infer=False)
    assert len(mem0.get_all(filters={"user_id": "ada"})["results"]) == 20
    mem0.delete_all(user_id="ada")
    assert [entry.memory.text for entry in memory.load_all()] == ["I like tea"]


def test_what_a_person_edited_is_left_to_that_person(mem0: Memory, memory: MemoryLedger) -> None:
    """FW-3: it keeps its id and its user; neither update nor delete_all takes it, nor anything beside it."""
    (made,) = mem0.add("I like tea", user_id="ada", infer=False, metadata={"mood": "calm"})["results"]
    mem0.add("I like rain", user_id="ada", infer=False)
    (document,) = (memory.workspace.place.directory / "memories" / "mem0").glob("*.md")
    document.write_text(document.read_text("utf-8").replace("I like tea", "I like green tea"), "utf-8")
    memory.documents.adopt()
    got = mem0.get(made["id"])
    assert got is not None
    assert (got["memory"], got["user_id"], got["metadata"]) == ("I like green tea", "ada", {"mood": "calm"})
    changes: list[Change] = [
        lambda: mem0.update(made["id"], "I like mud"),
        lambda: mem0.delete_all(user_id="ada"),
    ]
    for change in changes:
        with pytest.raises(WaitingError, match="a person"):
            change()
    assert len(mem0.get_all(filters={"user_id": "ada"})["results"]) == 2


def test_threads_may_share_a_ledger(memory: MemoryLedger) -> None:
    """FW-5: through one adapter or several; every memory is there, and the projections follow."""

    def add(n: int) -> None:
        for m in range(4):
            Memory(ledger=memory).add(f"Fact {n} {m}", user_id=str(n), infer=False)

    with ThreadPoolExecutor(5) as threads:
        list(threads.map(add, range(5)))
    assert len(memory.load_all()) == 20
    assert memory.upkeep.verify().sound


def test_a_program_that_awaits_has_the_same_methods(memory: MemoryLedger) -> None:
    """FW-16, FW-5: calls at the same time, too."""

    async def program() -> None:
        async with AsyncMemory.from_config({}) as mem0:
            await asyncio.gather(*(mem0.add(f"Fact {n}", user_id="ada", infer=False) for n in range(5)))
            assert len((await mem0.get_all(filters={"user_id": "ada"}))["results"]) == 5
            (hit, *_) = (await mem0.search("fact 3", filters={"user_id": "ada"}))["results"]
            assert hit["memory"] == "Fact 3"
            await mem0.update(hit["id"], "Fact 33")
            assert [row["event"] for row in await mem0.history(hit["id"])] == ["ADD", "UPDATE"]
            await mem0.delete(hit["id"])
            assert await mem0.get(hit["id"]) is None
            with pytest.raises(ValueError, match="whose memory"):
                await mem0.delete_all()
            await mem0.delete_all(user_id="ada")

    asyncio.run(program())
    assert memory.load_all() == []
    assert memory.upkeep.verify().sound


def test_what_has_expired_is_found_only_if_asked_for(mem0: Memory) -> None:
    (made,) = mem0.add("Sale ends", user_id="ada", infer=False, expiration_date="2020-01-01")["results"]
    ada = {"user_id": "ada"}
    assert mem0.get_all(filters=ada) == mem0.search("sale", filters=ada) == {"results": []}
    (found,) = mem0.get_all(filters=ada, show_expired=True)["results"]
    assert (found["expiration_date"], found["metadata"]) == ("2020-01-01", None)
    mem0.update(made["id"], expiration_date=None)
    assert texts(mem0.search("sale", filters=ada)) == ["Sale ends"]


def test_a_long_text_comes_back_whole(mem0: Memory) -> None:
    """FW-10: also one that needs several events."""
    text = (
        "First words\r\n\r\n## A heading\n\n" + "\n".join(f"- line {n} äöü" for n in range(9000)) + "  \n\n"
    )
    (made,) = mem0.add(text, user_id="ada", infer=False)["results"]
    got = mem0.get(made["id"])
    assert got is not None
    assert got["memory"] == text
