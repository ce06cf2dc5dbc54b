"""What an agent may save, replace and confirm, and what it may not.

Tests specs/doors.md (G-40, G-46), specs/capture.md (K-60…K-69) and specs/state.md (S-10) through the door.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ledger.event import By
from muniment import Memory, MemoryLedger
from tests.agents.mcp.talking import LEGACY, MODERN, Agent, Talk, talk, talk_here
from tests.cli.driver import run, run_process

SECRET = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"
ANIMALS = "otter lynx heron badger weasel raven viper gecko bison tapir marmot ibex".split()


def texts(memory: MemoryLedger, status: str = "active") -> list[str]:
    return [entry.memory.text for entry in memory.load_all() if entry.status == status]


@pytest.mark.parametrize(
    ("basis", "confidence", "status"),
    [
        ("asked", None, "active"),
        ("stated", None, "active"),
        ("fixed", None, "candidate"),
        ("observed", None, "candidate"),
        ("observed", 0.95, "candidate"),
        ("stated", 0.6, "candidate"),
    ],
)
def test_it_is_believed_as_its_basis_is(
    memory: MemoryLedger, basis: str, confidence: float | None, status: str
) -> None:
    """G-46, K-61: a number of its own can only lower that."""

    async def save(agent: Agent) -> None:
        saved = await agent.call("save_memory", text="Use tabs", basis=basis, confidence=confidence)
        assert saved["active"] is (status == "active")

    talk_here()(save)
    (entry,) = memory.load_all()
    assert entry.status == status
    assert entry.memory.source == "auto"
    assert entry.memory.inferred is (basis in ("fixed", "observed"))


def test_what_is_too_unsure_is_refused_with_what_would_do(memory: MemoryLedger) -> None:
    """K-61."""

    async def save(agent: Agent) -> None:
        line = await agent.refused("save_memory", text="Use tabs", basis="observed", confidence=0.2)
        assert "confidence 0.20 is below ask_confidence" in line
        assert "save what the user said" in line

    talk_here()(save)
    assert memory.load_all() == []


def test_where_it_comes_from_is_the_session_and_the_call(memory: MemoryLedger) -> None:
    """G-40, K-66: none of it is an argument, so an agent cannot be another session."""

    async def save(agent: Agent) -> None:
        await agent.call("save_memory", text="Use tabs", basis="stated")
        await agent.call("save_memory", text="Deploys happen on Fridays", basis="stated")

    talk_here(name="Claude Code (v2)")(save)
    first, second = (entry.memory.provenance for entry in memory.load_all())
    assert first.conversation == first.session == second.session
    assert first.session.startswith("mcp-")
    assert first.message != second.message
    assert (first.agent, first.tool) == ("claude-code-v2", "save_memory")


@pytest.mark.parametrize("variable", ["CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "OPENCLAW_SESSION_KEY"])
def test_the_programs_own_session_counts(
    memory: MemoryLedger, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    """G-40: where the program tells it by a variable."""
    monkeypatch.setenv(variable, "thread-7")

    async def save(agent: Agent) -> None:
        await agent.call("save_memory", text="Use tabs", basis="stated")

    talk_here()(save)
    assert memory.load_all()[0].memory.provenance.conversation == "thread-7"


@pytest.mark.parametrize(
    ("meta", "conversation"),
    [
        ({"sessionId": "s-1", "threadId": "t-1"}, "s-1"),
        ({"threadId": "t-1"}, "t-1"),
        ({"sessionId": 7, "threadId": "a\nb"}, "by-variable"),
    ],
)
def test_the_session_that_a_request_names_counts(
    memory: MemoryLedger, monkeypatch: pytest.MonkeyPatch, meta: Any, conversation: str
) -> None:
    """G-40: as Codex does; what is no name is passed over."""
    monkeypatch.setenv("CODEX_THREAD_ID", "by-variable")

    async def save(agent: Agent) -> None:
        await agent.client.call_tool("save_memory", {"text": "Use tabs", "basis": "stated"}, meta=meta)

    talk_here()(save)
    assert memory.load_all()[0].memory.provenance.conversation == conversation


def test_hooks_and_tools_of_a_session_share_its_limit(
    memory: MemoryLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """G-40, K-68: ten of a session, not ten by each door."""
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "one-session")
    event = {"hook_event_name": "UserPromptSubmit", "session_id": "one-session", "cwd": str(Path.cwd())}
    for number in range(5):
        event |= {
            "prompt": f"Remember that host{number} listens on port 90{number}0",
            "prompt_id": f"p-{number}",
        }
        run_process("hook", "claude", input=json.dumps(event)).ok()
    assert len(memory.load_all()) == 5

    async def save(agent: Agent) -> None:
        for number in range(5):
            await agent.call(
                "save_memory", text=f"Deploys of team {number} run on day {number}", basis="stated"
            )
        line = await agent.refused("save_memory", text="Reviews take two days", basis="stated")
        assert "nothing more is stored in this session" in line

    talk_here()(save)
    assert {entry.memory.provenance.conversation for entry in memory.load_all()} == {"one-session"}


@pytest.mark.parametrize("mode", [MODERN, LEGACY])
@pytest.mark.parametrize("member", ["text", "details", "reason", "tags", "section"])
def test_a_secret_is_refused_and_never_repeated(memory: MemoryLedger, mode: str, member: str) -> None:
    """G-40, K-73: neither stored, nor kept in the outbox, nor said again."""
    said = f"the token is {SECRET}"
    value: object = [said] if member in ("details", "tags") else said
    arguments = {"text": "Use the token for CI", "basis": "asked", member: value}

    async def save(agent: Agent) -> None:
        line = await agent.refused("save_memory", **arguments)
        assert SECRET not in line
        if member in ("text", "details"):
            assert "looks like a secret" in line
            assert "leave it out" in line

    talk_here(mode=mode)(save)
    assert memory.load_all() == []
    assert SECRET.encode() not in b"".join(
        path.read_bytes() for path in memory.workspace.home.path.parent.rglob("*") if path.is_file()
    )


@pytest.mark.parametrize(
    "arguments",
    [
        {"whenToUse": ["logging in"]},
        {"topic": "auth", "title": "Login", "whenToUse": ["x" * 600]},
        {"topic": "auth", "title": "Login", "whenToUse": 3},
    ],
)
def test_an_argument_is_named_as_the_client_knows_it(
    memory: MemoryLedger, arguments: dict[str, object]
) -> None:
    """G-45."""

    async def save(agent: Agent) -> None:
        line = await agent.refused("save_memory", text="Use tabs", basis="stated", **arguments)
        assert "whenToUse" in line
        assert "when_to_use" not in line

    talk_here()(save)


def test_contact_data_needs_to_be_asked_for(memory: MemoryLedger) -> None:
    """K-67."""

    async def save(agent: Agent) -> None:
        line = await agent.refused("save_memory", text="Eva is at eva@kontor.de", basis="stated")
        assert "e-mail" in line
        await agent.call("save_memory", text="Eva is at eva@kontor.de", basis="asked")

    talk_here()(save)
    assert len(memory.load_all()) == 1


def test_ten_a_session(memory: MemoryLedger) -> None:
    """K-68: supersedes count as well; another session goes on."""

    async def save(agent: Agent) -> None:
        ids = [
            (await agent.call("save_memory", text=f"The {name} service is written in Rust", basis="stated"))[
                "id"
            ]
            for name in ANIMALS[:9]
        ]
        await agent.call("supersede_memory", id=ids[0], text="The otter service is gone", basis="stated")
        for tool, more in (("save_memory", {}), ("supersede_memory", {"id": ids[1]})):
            line = await agent.refused(
                tool, text="The tapir service is down to one pod", basis="stated", **more
            )
            assert "limits.per_conversation" in line
            assert "muniment add" in line

    talk_here()(save)
    assert len(memory.load_all()) == 9

    async def again(agent: Agent) -> None:
        await agent.call("save_memory", text="The tapir service is written in Go", basis="stated")

    talk_here()(again)


def test_twenty_five_an_hour(memory: MemoryLedger) -> None:
    """K-68: whatever the client calls itself, and however often it starts anew."""
    refused: list[str] = []

    def saving(what: str) -> Talk:
        async def save(agent: Agent) -> None:
            for name in ANIMALS[:9]:
                arguments = {"text": f"The {name} service {what}", "basis": "stated"}
                done = await agent.client.call_tool("save_memory", arguments)
                refused.extend([str(done.content)] if done.is_error else [])

        return save

    for name, what in (
        ("blue", "is written in Rust"),
        ("green", "logs to stdout"),
        ("red", "has two owners"),
    ):
        talk_here(name=name)(saving(what))
    assert len(refused) == 2
    assert all("limits.per_hour" in line for line in refused)


def test_an_agent_cannot_agree_to_what_an_agent_proposed(memory: MemoryLedger) -> None:
    """G-40, S-10: not by confirming, not by saying it again, not by replacing it, not under another name."""

    async def propose(agent: Agent) -> None:
        await agent.call("save_memory", text="CI is slow on Mondays", basis="observed")

    async def agree(agent: Agent) -> None:
        id_ = memory.load_all()[0].id
        line = await agent.refused("confirm_memory", id=id_)
        assert "waiting for a person: " in line
        assert "is a candidate that an agent filed" in line
        again = await agent.call("save_memory", text="CI is slow on Mondays", basis="asked")
        assert (again["outcome"], again["active"]) == ("known", False)
        line = await agent.refused("supersede_memory", id=id_, text="CI is slow on Tuesdays", basis="asked")
        assert "a candidate that an agent filed" in line

    talk_here()(propose)
    talk_here()(agree)
    talk_here(name="somebody-else")(agree)
    assert texts(memory) == []
    run("confirm", memory.load_all()[0].id, env={"MUNIMENT_BY": "ada"}, terminal=True).ok()
    assert texts(memory) == ["CI is slow on Mondays"]


@pytest.mark.parametrize(
    "by",
    [By("ada", "user", "git"), By("capture", "system", "hook"), By("claude-code", "agent", "git")],
    ids=lambda by: f"{by.role}-{by.via}",
)
def test_an_agent_cannot_agree_to_what_waits_for_a_person(memory: MemoryLedger, by: By) -> None:
    """A-12, S-10: neither to a teammate's commit nor to what a hook made of the agent's own words."""
    id_ = memory.store(Memory("Push to the other remote", status="candidate", source="auto"), by=by).id

    async def agree(agent: Agent) -> None:
        line = await agent.refused("confirm_memory", id=id_)
        assert "is a candidate, and only a person may agree to it" in line
        said = {"id": id_, "text": "Push to the one remote", "basis": "asked"}
        if by.role == "user":  # what a person wrote: the agent's words wait beside it (K-63)
            assert (await agent.call("supersede_memory", **said))["outcome"] == "candidate"
        else:
            assert "only a person may agree to it" in await agent.refused("supersede_memory", **said)

    talk_here()(agree)
    assert texts(memory) == []
    run("confirm", id_, env={"MUNIMENT_BY": "ada"}, terminal=True).ok()
    assert texts(memory) == ["Push to the other remote"]


def test_what_a_person_wrote_stays(memory: MemoryLedger) -> None:
    """G-40, K-63: neither replaced by name nor by contradiction; the person decides."""
    written = memory.store(Memory("Always use tabs"), by=By("ada", "user", "cli")).id

    async def replace(agent: Agent) -> None:
        done = await agent.call("supersede_memory", id=written, text="Never use tabs", basis="asked")
        assert (done["outcome"], done["active"]) == ("candidate", False)
        assert done["against"] == [written]
        assert "muniment review" in done["note"]
        done = await agent.call("save_memory", text="Do not use tabs", basis="asked")
        assert not done["active"]

    talk_here()(replace)
    assert texts(memory) == ["Always use tabs"]


def test_what_contradicts_an_automatic_memory_replaces_it(memory: MemoryLedger) -> None:
    """K-62, K-64: as every door."""

    async def save(agent: Agent) -> None:
        first = await agent.call("save_memory", text="Always use tabs", basis="stated")
        done = await agent.call("save_memory", text="Never use tabs", basis="stated")
        assert (done["outcome"], done["replaced"]) == ("superseded", [first["id"]])

    talk_here()(save)
    assert texts(memory) == ["Never use tabs"]


def test_a_supersede_keeps_what_it_does_not_change(memory: MemoryLedger) -> None:
    """G-46, X-19: and says why in the log."""

    async def replace(agent: Agent) -> None:
        first = await agent.call(
            "save_memory", text="Postgres is on 5432", basis="stated", section="Tool Usage", tags=["db"],
            details=["on db-1"], importance="high",
        )  # fmt: skip
        await agent.call(
            "supersede_memory", id=first["id"], text="Postgres is on 5433", basis="stated", reason="moved"
        )

    talk_here()(replace)
    (entry,) = memory.load_all()
    kept = entry.memory
    assert (kept.text, kept.section, kept.tags, kept.importance) == (
        "Postgres is on 5433", "Tool Usage", ("db",), "high",
    )  # fmt: skip
    assert kept.details == ("on db-1",)
    assert entry.reason == "moved"
    assert kept.provenance.tool == "supersede_memory"


def test_several_become_one(memory: MemoryLedger) -> None:
    """G-46: also where they say nothing that is like the new text."""

    async def merge(agent: Agent) -> None:
        one = await agent.call("save_memory", text="Postgres is on 5432", basis="stated")
        two = await agent.call("save_memory", text="Redis runs beside it", basis="stated")
        done = await agent.call(
            "supersede_memory",
            id=one["id"],
            alsoReplaces=[two["id"]],
            text="All stores moved to the cloud",
            basis="stated",
        )
        assert sorted(done["replaced"]) == sorted([one["id"], two["id"]])
        again = await agent.call(
            "supersede_memory", id=done["id"], text="All stores moved to the cloud", basis="stated"
        )
        assert (again["outcome"], again["id"]) == ("known", done["id"])

    talk_here()(merge)
    assert texts(memory) == ["All stores moved to the cloud"]


def test_a_new_wording_is_a_new_version(memory: MemoryLedger) -> None:
    """G-46: what is named is replaced also where the new text says the same."""

    async def reword(agent: Agent) -> None:
        first = await agent.call("save_memory", text="Use pnpm", basis="stated")
        done = await agent.call("supersede_memory", id=first["id"], text="Please use pnpm", basis="stated")
        assert done["outcome"] == "superseded"
        line = await agent.refused("supersede_memory", id=first["id"], text="Use npm", basis="stated")
        assert f"was superseded by {done['id'][:12]}: name that one" in line

    talk_here()(reword)
    assert texts(memory) == ["Please use pnpm"]


def test_what_was_deleted_does_not_come_back_by_itself(memory: MemoryLedger) -> None:
    """G-46."""
    written = memory.store(Memory("Use tabs", source="auto")).id
    memory.delete([written])

    async def replace(agent: Agent) -> None:
        line = await agent.refused("supersede_memory", id=written, text="Use tabs again", basis="asked")
        assert "was deleted" in line

    talk_here()(replace)
    assert memory.load_all() == []


def test_a_project_has_its_own(memory: MemoryLedger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """G-44: inside of a project it is the default; what is to hold everywhere says so."""
    (tmp_path / ".git").mkdir()
    run("init", "--scope", "project").ok()

    async def save(agent: Agent) -> None:
        here = await agent.call("save_memory", text="The build uses make", basis="stated")
        there = await agent.call("save_memory", text="Answer in English", basis="stated", scope="user")
        assert (here["scope"], there["scope"]) == ("project", "user")
        found = await agent.call("memory_search", query="build english")
        assert {hit["scope"] for hit in found["results"]} == {"project", "user"}
        done = await agent.call("supersede_memory", id=there["id"], text="Answer in German", basis="stated")
        assert done["scope"] == "user"
        line = await agent.refused(
            "supersede_memory", id=here["id"], alsoReplaces=[done["id"]], text="x", basis="stated"
        )
        assert "several scopes" in line

    talk_here()(save)


def test_what_belongs_to_no_project_here_waits(memory: MemoryLedger) -> None:
    """K-70: and the answer says how to bind one."""

    async def save(agent: Agent) -> None:
        saved = await agent.call("save_memory", text="The build uses make", basis="stated", scope="project")
        assert (saved["outcome"], saved["scope"]) == ("candidate", "user")
        assert "muniment init --scope project" in saved["note"]

    talk_here()(save)


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("save_memory", {}, "save_memory: text: Field required; basis: Field required"),
        (
            "save_memory",
            {"text": "x", "basis": "because"},
            "save_memory: basis: Input should be 'asked', 'stated'",
        ),
        ("save_memory", {"text": " ", "basis": "stated"}, "text is empty"),
        ("save_memory", {"text": "a\nb", "basis": "stated"}, "text has 2 lines and can have one"),
        ("save_memory", {"text": "x" * 1001, "basis": "stated"}, "1000"),
        ("save_memory", {"text": "x", "basis": "stated", "body": "y"}, "give topic as well"),
        ("save_memory", {"text": "x", "basis": "stated", "topic": "No Slug"}, "topic"),
        (
            "save_memory",
            {"text": "x", "basis": "stated", "confidence": 2},
            "confidence: Input should be less",
        ),
        ("confirm_memory", {"id": "12"}, "is no id"),
        ("confirm_memory", {"id": "@0"}, "is no id"),
        ("confirm_memory", {"id": "00000000"}, "memory_search gives ids"),
        ("confirm_memory", {"id": "0" * 100_000}, "is no id: give 8 to 64 of its hex digits"),
        ("supersede_memory", {"id": "00000000", "text": "x", "basis": "stated"}, "memory_search gives ids"),
        (
            "save_memory",
            {"text": "Use tabs", "basis": "stated", "important": "high"},
            "save_memory: it takes no argument important; nothing was done: it takes text, basis, ",
        ),
        (
            "save_memory",
            {"text": "Use tabs", "basis": "stated", "": 1},
            "it takes no argument without a name; nothing",
        ),
        ("memory_search", {"query": "x", "max_results": 3}, "it takes no argument max_results"),
        ("memory_get", {"path": "MEMORY.md", "from_": 3}, "it takes no argument from_"),
        ("no_such_tool", {}, "there is no tool of that name; there are save_memory, "),
    ],
)
def test_what_is_wrong_is_one_line(
    memory: MemoryLedger, tool: str, arguments: dict[str, object], told: str
) -> None:
    """G-45."""

    async def fail(agent: Agent) -> None:
        assert told in await agent.refused(tool, **arguments)

    talk_here()(fail)
    assert memory.load_all() == []


def test_null_is_what_was_left_out(memory: MemoryLedger) -> None:
    """G-45: as clients send it that fill in every argument of a schema."""
    left = (
        "scope",
        "type",
        "section",
        "details",
        "importance",
        "tags",
        "topic",
        "title",
        "body",
        "whenToUse",
    )

    async def save(agent: Agent) -> None:
        nulls: dict[str, object] = dict.fromkeys((*left, "confidence", "reason"))
        saved = await agent.call("save_memory", text="Use tabs", basis="stated", **nulls)
        assert saved["outcome"] == "created"
        assert (await agent.call("memory_get", id=saved["id"], path=None, **{"from": None}))["content"]
        assert "text: Field required" in await agent.refused("save_memory", text=None, basis="stated")

    talk_here()(save)


def test_what_was_typed_is_not_repeated(memory: MemoryLedger) -> None:
    """G-45: an argument of the wrong type may be a secret."""

    async def fail(agent: Agent) -> None:
        for arguments in ({"text": {"a": SECRET}, "basis": SECRET}, {"text": [SECRET], "basis": "stated"}):
            assert SECRET not in await agent.refused("save_memory", **arguments)
        assert SECRET not in await agent.refused("confirm_memory", id=SECRET)
        assert SECRET not in await agent.refused("memory_get", path=SECRET)
        assert SECRET not in await agent.refused(SECRET)
        assert SECRET not in await agent.refused("memory_verify", **{SECRET: 1})
        assert SECRET[:9] not in await agent.refused("memory_verify", **{"a" * 90: 1, SECRET: 1})

    talk_here()(fail)


def test_where_it_is_switched_off_it_says_so(memory: MemoryLedger) -> None:
    """G-44."""
    (memory.workspace.place.directory / "config.toml").write_text("enabled = false\n", "utf-8")

    async def fail(agent: Agent) -> None:
        for tool, arguments in (
            ("save_memory", {"text": "x", "basis": "stated"}),
            ("memory_search", {"query": "x"}),
        ):
            assert "switched off" in await agent.refused(tool, **arguments)

    talk_here()(fail)


def test_a_ledger_that_is_held_gets_it_later(memory: MemoryLedger) -> None:
    """K-73: it waits in the outbox, in the agent's name."""
    import fcntl
    import os

    lock = os.open(memory.workspace.chain, os.O_RDWR)
    fcntl.flock(lock, fcntl.LOCK_EX)

    async def save(agent: Agent) -> None:
        saved = await agent.call("save_memory", text="Use tabs", basis="stated")
        assert (saved["outcome"], saved["id"]) == ("queued", "")
        assert "muniment upkeep retry" in saved["note"]

    try:
        talk_here()(save)
    finally:
        os.close(lock)
    run("outbox").ok()
    (entry,) = memory.load_all()
    assert (entry.memory.text, entry.by) == ("Use tabs", By("test-agent", "agent", "mcp"))


@pytest.mark.parametrize("text", ['["a", "b"]', '{"port": 5432}', "5432", "null", "true"])
def test_a_text_that_is_json_is_a_text(memory: MemoryLedger, text: str) -> None:
    """G-46: the SDK reads lists out of texts, where lists are meant."""

    async def save(agent: Agent) -> None:
        await agent.call("save_memory", text=text, basis="stated", tags='["x"]')

    talk_here()(save)
    (entry,) = memory.load_all()
    assert (entry.memory.text, entry.memory.tags) == (text, ("x",))


@pytest.mark.parametrize("mode", [MODERN, LEGACY])
def test_many_calls_at_once_are_counted_one_by_one(memory: MemoryLedger, mode: str) -> None:
    """G-44: a client may send them without waiting; the limit holds."""
    import anyio

    outcomes: list[bool] = []

    async def save(agent: Agent) -> None:
        async def one(name: str) -> None:
            text = f"The {name} service is written in Rust"
            outcomes.append(
                (await agent.client.call_tool("save_memory", {"text": text, "basis": "stated"})).is_error
            )

        async with anyio.create_task_group() as group:
            for name in ANIMALS:
                group.start_soon(one, name)

    talk(mode=mode)(save)
    assert outcomes.count(False) == 10
    assert len(memory.load_all()) == 10
