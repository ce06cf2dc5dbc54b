"""What an agent may save, replace and confirm, and what it may not.

Tests specs/doors.md (G-40, G-46), specs/capture.md (K-60…K-68) and specs/state.md (S-10) through the door.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ledger.event import By
from muniment import Memory, MemoryLedger
from tests.agents.mcp.talking import Agent, talk_here
from tests.cli.driver import run

SECRET = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"
ANIMALS = "otter lynx heron badger weasel raven viper gecko bison tapir marmot ibex".split()


def texts(memory: MemoryLedger, status: str = "active") -> list[str]:
    return [entry.memory.text for entry in memory.load_all() if entry.status == status]


BELIEVED: list[tuple[str, str, float | None, str]] = [
    ("Use tabs", "asked", None, "active"),
    ("Postgres listens on 5433", "stated", None, "active"),
    ("CI is slow on Mondays", "fixed", None, "candidate"),
    ("Deploys go through make ship", "observed", None, "candidate"),
    ("Reviews take two people", "observed", 0.95, "candidate"),
    ("The office closes at six", "stated", 0.6, "candidate"),
]


def test_it_is_believed_as_its_basis_is(memory: MemoryLedger) -> None:
    """G-46, K-61: a number of its own can only lower that."""

    async def save(agent: Agent) -> None:
        for text, basis, confidence, status in BELIEVED:
            saved = await agent.call("save_memory", text=text, basis=basis, confidence=confidence)
            assert saved["active"] is (status == "active"), text

    talk_here()(save)
    for entry, (text, basis, _, status) in zip(memory.load_all(), BELIEVED, strict=True):
        assert (entry.memory.text, entry.status, entry.memory.source) == (text, status, "auto")
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


def test_it_says_what_it_was_made_from(memory: MemoryLedger) -> None:
    """G-46: by full id, each once; what is no memory is refused."""
    note = memory.store(Memory("The mirror is at mirror.example")).id

    async def save(agent: Agent) -> None:
        given = {"from": [note[:12], note]}
        await agent.call("save_memory", text="Fetch wheels from the mirror", basis="stated", **given)
        await agent.refused("save_memory", text="Use tabs", basis="stated", **{"from": ["0123456789abcdef"]})

    talk_here()(save)
    assert memory.load_all()[-1].memory.unknown == {"from": [note]}


def test_the_programs_own_session_counts(memory: MemoryLedger, monkeypatch: pytest.MonkeyPatch) -> None:
    """G-40: where the program tells it by a variable."""
    variables = (
        "CLAUDE_CODE_SESSION_ID",
        "CODEX_THREAD_ID",
        "COPILOT_AGENT_SESSION_ID",
        "OPENCLAW_SESSION_KEY",
    )

    async def save(agent: Agent) -> None:
        animal = ANIMALS[len(memory.load_all())]
        await agent.call("save_memory", text=f"The {animal} service is in Rust", basis="stated")

    for variable in variables:
        with monkeypatch.context() as patch:
            patch.setenv(variable, f"thread of {variable}")
            talk_here()(save)
    assert [entry.memory.provenance.conversation for entry in memory.load_all()] == [
        f"thread of {variable}" for variable in variables
    ]


def test_the_session_that_a_request_names_counts(
    memory: MemoryLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """G-40: as Codex does; what is no name is passed over."""
    monkeypatch.setenv("CODEX_THREAD_ID", "by-variable")
    named: list[Any] = [
        {"sessionId": "s-1", "threadId": "t-1"},
        {"threadId": "t-1"},
        {"sessionId": 7, "threadId": "a\nb"},
    ]

    async def save(agent: Agent) -> None:
        for meta, animal in zip(named, ANIMALS, strict=False):
            said = {"text": f"The {animal} service is in Rust", "basis": "stated"}
            await agent.client.call_tool("save_memory", said, meta=meta)

    talk_here()(save)
    found = [entry.memory.provenance.conversation for entry in memory.load_all()]
    assert found == ["s-1", "t-1", "by-variable"]


def test_a_secret_is_refused_and_never_repeated(memory: MemoryLedger) -> None:
    """G-40, K-73: neither stored, nor kept in the outbox, nor said again."""
    said = f"the token is {SECRET}"

    async def save(agent: Agent) -> None:
        for member in ("text", "details", "reason", "tags", "section"):
            value: object = [said] if member in ("details", "tags") else said
            arguments = {"text": "Use the token for CI", "basis": "asked", member: value}
            line = await agent.refused("save_memory", **arguments)
            assert SECRET not in line
            if member in ("text", "details"):
                assert "looks like a secret" in line
                assert "leave it out" in line

    talk_here()(save)
    assert memory.load_all() == []
    assert SECRET.encode() not in b"".join(
        path.read_bytes() for path in memory.workspace.home.path.parent.rglob("*") if path.is_file()
    )


def test_contact_data_needs_to_be_asked_for(memory: MemoryLedger) -> None:
    """K-67."""

    async def save(agent: Agent) -> None:
        line = await agent.refused("save_memory", text="Eva is at eva@kontor.de", basis="stated")
        assert "e-mail" in line
        await agent.call("save_memory", text="Eva is at eva@kontor.de", basis="asked")

    talk_here()(save)
    assert len(memory.load_all()) == 1


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
