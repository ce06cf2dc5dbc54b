"""Tests documents/adopting/descent.py: what an edit descends from, and so what its writer had seen (specs/editing.md D-2)."""

from __future__ import annotations

import pytest

from ledger.event import By
from muniment import Memory, MemoryLedger
from tests.documents.adopting.editing import adopted, document, edit, texts


def test_a_buffer_that_is_older_than_what_an_agent_wrote_takes_nothing_away(house: MemoryLedger) -> None:
    """D-2: the document only adds to an earlier rendering, so that is what its writer had seen."""
    agent = By("claude", "agent", "cli")
    old = house.store(Memory("Redis listens on 6379"), agent).id
    buffer = document(house).read_text()
    house.supersede([old], Memory("Redis listens on 6380"), agent)
    house.store(Memory("From the agent"), agent)
    document(house).write_text(buffer + "- typed meanwhile\n")
    adopted(house)
    assert {"From the agent", "Redis listens on 6380", "typed meanwhile"} <= set(texts(house))
    assert "6379" not in document(house).read_text()
    assert all(f"- {text}\n" in document(house).read_text() for text in texts(house))


def test_an_older_buffer_in_which_a_line_was_changed_takes_nothing_away(house: MemoryLedger) -> None:
    """D-2: within the hour; a person who saw the newest line for longer, and took it out, meant it."""
    buffer = document(house).read_text()
    agent = By("claude", "agent", "mcp")
    house.store(Memory("From the agent"), agent)
    house.store(Memory("And another"), agent)
    document(house).write_text(buffer.replace("Deploy with make ship", "Deploy with make deploy"))
    assert adopted(house).counts() == {"changed": 1}
    assert {"From the agent", "And another", "Deploy with make deploy"} <= set(texts(house))
    long_since = document(house).stat().st_mtime_ns - 2 * 3600 * 10**9
    with house.workspace.local.database.transaction() as db:
        db.execute("UPDATE settled SET changed = ?", (long_since,))
    document(house).write_text(
        document(house).read_text().replace("- And another\n", "").replace("make deploy", "make ship")
    )
    assert adopted(house).counts() == {"changed": 1, "taken out": 1}


def test_the_newest_line_may_go_and_another_come(house: MemoryLedger) -> None:
    """D-2: what I wrote myself I have seen."""
    house.store(Memory("Junk"))
    text = (
        document(house).read_text().replace("- Junk\n", "").replace("- Postgres", "- Brand new\n- Postgres")
    )
    document(house).write_text(text)
    assert adopted(house).counts() == {"new": 1, "taken out": 1}
    assert document(house).read_text() == text


def test_what_i_wrote_myself_i_have_seen(house: MemoryLedger) -> None:
    """D-2: taking out the newest line and changing another is just that."""
    house.store(Memory("My own"))
    text = document(house).read_text().replace("- My own\n", "").replace("make ship", "make deploy")
    document(house).write_text(text)
    assert adopted(house).counts() == {"changed": 1, "taken out": 1}


def rewritten(house: MemoryLedger, source: str, by: By) -> list[str]:
    """Let somebody write a line, and rewrite it as a person does who has it before them; return what stands then."""
    house.store(Memory("Redis listens on 6379", source=source), by)
    edit(house, "- Redis listens on 6379\n", "- The queue lives in Kafka since spring\n")
    adopted(house)
    return texts(house)


def test_a_line_of_my_own_script_is_rewritten_and_does_not_come_back(house: MemoryLedger) -> None:
    """D-2: within the hour; what a person's script said by hand is as their own."""
    assert "Redis listens on 6379" not in rewritten(house, "manual", By("ada", "system", "cli"))
    assert "The queue lives in Kafka since spring" in texts(house)
    assert "6379" not in document(house).read_text()


@pytest.mark.parametrize(
    ("source", "by"),
    [
        ("auto", By("ada", "system", "cli")),
        ("manual", By("ada", "system", "hook")),
        ("manual", By("claude", "agent", "cli")),
    ],
    ids=["found", "by a hook", "by an agent"],
)
def test_what_came_unasked_is_not_taken_away_by_an_older_buffer(
    house: MemoryLedger, source: str, by: By
) -> None:
    """D-2: nobody who sits at the editor need have seen it."""
    assert {"Redis listens on 6379", "The queue lives in Kafka since spring"} <= set(
        rewritten(house, source, by)
    )


def test_edits_go_on_while_a_secret_is_held_back(house: MemoryLedger) -> None:
    """D-17: what was taken in is what the next edit descends from."""
    secret = "ghp_" + "Zx8" * 12
    edit(house, "- Postgres", f"- Node is at 20\n- token {secret}\n- Postgres")
    adopted(house)
    edit(house, "Use pnpm, not npm", "Use yarn, not npm")
    adopted(house)
    edit(house, "Use yarn, not npm", "Use pnpm, not npm")
    edit(house, "- Node is at 20\n", "")
    adopted(house)
    edit(house, f"- token {secret}\n", "")
    house.documents.adopt()
    assert sorted(texts(house)) == [
        "Deploy with make ship",
        "Postgres listens on 5433",
        "Prefers short answers",
        "Use pnpm, not npm",
    ]
    assert sorted(
        line[2:] for line in document(house).read_text().splitlines() if line[:2] == "- "
    ) == sorted(texts(house))


def test_a_candidate_that_was_confirmed_since_was_seen(house: MemoryLedger) -> None:
    """D-2: it came where newer lines stood, and moved from nowhere; who takes it out means it."""
    script = By("ada", "system", "cli")
    guess = house.store(Memory("A guess", status="candidate"), script).id
    house.store(Memory("Newer"), script)
    house.confirm([guess], by=script)
    text = document(house).read_text()
    document(house).write_text(
        text.replace("- A guess\n", "").replace("make ship", "make deploy") + "\nNote.\n"
    )
    assert adopted(house).counts() == {"changed": 1, "new": 1, "taken out": 1}
