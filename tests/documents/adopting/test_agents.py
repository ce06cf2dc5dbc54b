"""What an agent writes into a document is an agent's: D-81 to D-86, over real ledgers and files."""

from __future__ import annotations

from pathlib import Path

import pytest

from documents import agent_writes
from ledger.command import Create
from ledger.event import By
from muniment import Memory, MemoryLedger
from projections import requests
from projections.query import Filter
from tests.documents.adopting.editing import adopted, document, edit
from tests.projections.house import BY, reopen

AGENT, SCRIPT = By("claude-code", "agent", "cli"), By("cron", "system", "cli")


@pytest.fixture
def scripts(house: MemoryLedger) -> None:
    """Scripts are nobody's."""
    (house.workspace.home.path / "config.toml").write_text("")


def told(house: MemoryLedger, path: str = "MEMORY.md", *, agent: str = "claude-code") -> None:
    """Note that an agent's tool wrote a document, as its hook does."""
    whole = house.workspace.place.documents / path
    hooks = str(house.workspace.home.state / "hooks")
    agent_writes.note(hooks, str(whole), agent, "s1", whole.stat().st_mtime_ns)


def texts(house: MemoryLedger) -> list[str]:
    """Return what counts."""
    return [entry.memory.text for entry in house.load_all(Filter(statuses=("active",)))]


def candidates(house: MemoryLedger) -> list[Memory]:
    """Return the candidates that wait."""
    return [entry.memory for entry in house.load_all(Filter(statuses=("candidate",)))]


def test_what_an_agents_command_adopts_is_the_agents(house: MemoryLedger) -> None:
    """D-82, D-84: a new line is a candidate in its name, and leaves the document until a person takes it."""
    edit(house, "- Deploy with make ship\n", "- Deploy with make ship\n- Push to main at once\n")
    house.workspace.by = AGENT
    assert adopted(house).counts() == {"proposed": 1}
    (said,) = candidates(house)
    entry = house.entry(house.workspace.index.same(said) or "")
    assert (said.text, entry.by) == ("Push to main at once", By("claude-code", "agent", "edit"))
    assert (said.source, said.provenance.agent) == ("auto", "claude-code")
    assert "Push to main at once" not in document(house).read_text()
    assert len(texts(house)) == 4


def test_what_an_agent_takes_out_or_changes_is_a_request(house: MemoryLedger) -> None:
    """D-84: a person's memories stand, in the log and in the document; the requests wait in `review`."""
    before = document(house).read_text()
    edit(house, "- Use pnpm, not npm\n", "- Use yarn, not npm\n")
    edit(house, "- Postgres listens on 5433\n", "")
    house.workspace.by = AGENT
    adopted(house)
    assert document(house).read_text() == before
    assert [said.text for said in candidates(house)] == ["Use yarn, not npm"]
    waiting = {each.verb: each for each in requests.waiting(house.workspace)}
    replace, delete = waiting[requests.REPLACE], waiting[requests.DELETE]
    assert [house.entry(id_).memory.text for id_ in replace.targets] == [
        "Use yarn, not npm",
        "Use pnpm, not npm",
    ]
    assert [house.entry(id_).memory.text for id_ in delete.targets] == ["Postgres listens on 5433"]
    assert {replace.by, delete.by} == {"claude-code"}


@pytest.mark.parametrize(
    "by", [AGENT, SCRIPT, By("capture", "system", "hook")], ids=["agent", "script", "hook"]
)
def test_an_unrelated_write_takes_no_edit_in(house: MemoryLedger, scripts: None, by: By) -> None:
    """D-81: what any program planted is nobody's statement, and stands in the document until a person decides."""
    edit(house, "- Deploy with make ship\n", "- Deploy with make ship\n- Planted\n")
    planted = document(house).read_bytes()
    house.workspace.by = by
    house.write([Create(Memory("Unrelated"))])
    assert (document(house).read_bytes(), max(texts(house))) == (planted, "Use pnpm, not npm")
    assert "muniment adopt" in (
        house.documents.outcome.paused["MEMORY.md"] if house.documents.outcome else ""
    )
    house.workspace.by = BY
    house.write([Create(Memory("A person's own"))])
    assert "- Planted\n" in document(house).read_text()
    assert "- Unrelated\n" in document(house).read_text()
    assert {"Planted", "Unrelated", "A person's own"} <= set(texts(house))


def test_a_script_adopts_only_where_its_owner_says_so(house: MemoryLedger, scripts: None) -> None:
    """D-81: a missing terminal is not a person."""
    edit(house, "- Deploy with make ship\n", "- Deploy with make ship\n- Planted\n")
    house.workspace.by = SCRIPT
    assert "waits for a person" in adopted(house).paused
    assert "Planted" not in texts(house)


def test_what_an_agents_tool_wrote_is_the_agents_whoever_adopts(house: MemoryLedger) -> None:
    """D-82, D-83: also at a person's terminal; with --accept it is the person who says it."""
    edit(house, "- Deploy with make ship\n", "- Deploy with make ship\n- Push to main at once\n")
    told(house)
    assert adopted(house).counts() == {"proposed": 1}
    (said,) = candidates(house)
    assert (said.provenance.agent, said.provenance.conversation) == ("claude-code", "s1")
    edit(house, "- Deploy with make ship\n", "- Deploy with make ship\n- Typed by a person\n")
    assert adopted(house).counts() == {"new": 1}
    edit(house, "- Deploy with make ship\n", "- Deploy with make ship\n- Written for the person\n")
    told(house)
    assert adopted(house, accept=True).counts() == {"new": 1}
    entry = next(entry for entry in house.load_all() if entry.memory.text == "Written for the person")
    assert (entry.by.role, entry.memory.provenance.agent) == ("user", "claude-code")


def test_what_an_agent_typed_and_a_person_types_again_is_an_edit(house: MemoryLedger) -> None:
    """D-84: the same bytes, in the same place; so it is for what came to nothing."""
    before = document(house).read_text()
    typed = before.replace("- Use pnpm, not npm\n", "- Push to main\n- Use pnpm, not npm\n")
    first = "- Use pnpm, not npm\n- Postgres listens on 5433\n"
    moved = before.replace(first, "".join(reversed(first.splitlines(keepends=True))))
    for text, counts in ((typed, {"confirmed": 1}), (moved, {"changed": 1})):
        document(house).write_text(text)
        house.workspace.by = AGENT
        adopted(house)
        assert document(house).read_text() == before
        house.workspace.by = BY
        document(house).write_text(text)
        assert adopted(house).counts() == counts
        for entry in house.load_all(Filter(statuses=("active",))):
            if entry.memory.text == "Push to main":
                house.delete([entry.id])
    assert texts(house)


def test_an_agent_accepts_nothing(house: MemoryLedger) -> None:
    """D-84: its --accept is as if it had not said so; a document that it empties is whole again."""
    whole = document(house).read_bytes()
    document(house).write_bytes(b"")
    house.workspace.by = AGENT
    adopted(house, accept=True)
    assert (len(texts(house)), document(house).read_bytes()) == (4, whole)
    assert [each.verb for each in requests.waiting(house.workspace)] == [requests.DELETE] * 4


def test_only_adopt_at_a_terminal_confirms_what_an_agent_filed(house: MemoryLedger) -> None:
    """D-85: the agent's own adopt does not, nor another command of the person; the line that was typed is in the log."""
    filed = By("claude-code", "agent", "mcp")
    (made,) = house.write([Create(Memory("Push to main at once", status="candidate"))], filed)

    def typed() -> None:
        edit(house, "- Deploy with make ship\n", "- Deploy with make ship\n- Push to main at once\n")

    typed()
    house.workspace.by = AGENT
    adopted(house)
    assert house.entry(made.id).status == "candidate"
    house.workspace.by = BY
    typed()
    house.store(Memory("Something else"))
    assert house.entry(made.id).status == "candidate"
    assert "Push to main" not in document(house).read_text()
    typed()
    assert adopted(house).counts() == {"confirmed": 1}
    assert house.entry(made.id).status == "active"


def test_with_edits_review_every_edit_waits_for_adopt(house: MemoryLedger) -> None:
    """D-81: the person's other commands leave it as it is, and an agent's adopt does."""
    (house.workspace.place.directory / "config.toml").write_text('edits = "review"\n')
    house, _ = reopen(house.workspace.place.directory)
    edit(house, "- Deploy with make ship\n", "- Deploy with make ship\n- Typed\n")
    typed = document(house).read_bytes()
    house.store(Memory("Something else"))
    assert (document(house).read_bytes(), "Typed" in texts(house)) == (typed, False)
    house.workspace.by = AGENT
    assert "waits for a person" in adopted(house).paused
    house.workspace.by = BY
    assert adopted(house).counts() == {"new": 1}


def test_what_an_agent_writes_too_much_of_waits(house: MemoryLedger) -> None:
    """D-84: limits.per_hour holds for what an agent types, too."""
    lines = "".join(f"- Fact number {number}\n" for number in range(26))
    edit(house, "- Deploy with make ship\n", f"- Deploy with make ship\n{lines}")
    told(house)
    done = adopted(house)
    assert "limits.per_hour" in done.guard
    assert lines in document(house).read_text()
    assert adopted(house, accept=True).counts() == {"new": 26}


def test_a_secret_that_an_agent_wrote_stays_where_it_is(house: MemoryLedger) -> None:
    """D-17, D-83: and the line is the agent's still, once the secret is taken out."""
    secret = "ghp_" + "Zx8" * 12
    edit(house, "- Deploy with make ship\n", f"- Deploy with make ship\n- token {secret}\n")
    told(house)
    assert adopted(house).held
    edit(house, f"- token {secret}\n", "- token is in the vault\n")
    assert adopted(house).counts() == {"proposed": 1}


def test_a_file_that_an_agent_made_stays_until_a_person_decides(house: MemoryLedger) -> None:
    """D-37, D-84: its entries are candidates, and nothing of it is lost."""
    path = house.workspace.place.documents / "memories" / "auth.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text("# Auth\n\n## Tokens expire after an hour\n\nSee the config.\n")
    told(house, "memories/auth.md")
    done = adopted(house)
    assert "by claude-code: " in done.paused
    assert path.exists()
    assert all(said.status == "candidate" for said in candidates(house))
    assert len(texts(house)) == 4
    assert not adopted(house, accept=True).paused
    assert len(texts(house)) > 4


def test_the_note_of_a_tool_is_for_what_it_wrote_alone(house: MemoryLedger) -> None:
    """D-83: what is put there later is not the tool's; a note that nobody can read is none."""
    told(house)
    house.store(Memory("Written after it"))
    edit(house, "- Deploy with make ship\n", "- Deploy with make ship\n- Typed\n")
    assert adopted(house).counts() == {"new": 1}
    hooks = str(house.workspace.home.state / "hooks")
    told(house)
    (note,) = (Path(hooks) / agent_writes.FOLDER).glob("*.json")
    assert agent_writes.writer_of(hooks, str(document(house)), 0) == ("claude-code", "s1")
    note.write_text("[1, 2")
    assert agent_writes.writer_of(hooks, str(document(house)), 0) == ("", "")
