"""Tests documents/adopting/examining.py: what an edit of MEMORY.md means, and what stays as it was typed (specs/editing.md)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.command import Create
from muniment import Memory, MemoryLedger
from tests.documents.adopting.editing import TITLE, adopted, document, edit, leave_only_the_log, texts
from tests.observing import dying_at, observed
from tests.projections.house import build, reopen

# --- what an edit means ---


def test_a_new_bullet_is_learned_in_its_place_with_its_details(house: MemoryLedger) -> None:
    """D-7, D-9, D-8."""
    whole = edit(house, "- Postgres", "- Ask before force-pushing\n  - on main\n- Postgres")
    adopted(house)
    assert document(house).read_bytes().decode() == whole
    (entry,) = [each for each in house.load_all() if each.memory.text == "Ask before force-pushing"]
    assert (entry.memory.details, entry.memory.source, entry.memory.provenance.file) == (
        ("on main",),
        "manual",
        "MEMORY.md",
    )
    assert (entry.by.role, entry.by.via) == ("user", "edit")


def test_a_changed_bullet_replaces_the_old_one(house: MemoryLedger) -> None:
    """D-7: and keeps what the document does not show."""
    old = house.store(Memory("Cache lives in redis", tags=("infra",), importance="high")).id
    edit(house, "Cache lives in redis", "Cache lives in valkey")
    adopted(house)
    (entry,) = [each for each in house.load_all() if "valkey" in each.memory.text]
    assert (entry.supersedes, entry.memory.tags, entry.memory.importance) == ((old,), ("infra",), "high")


def test_a_bullet_that_was_taken_out_is_deleted_even_if_it_was_the_newest(house: MemoryLedger) -> None:
    """D-7, D-13: the document is then what it was before, and yet an edit."""
    house.store(Memory("Junk"))
    edit(house, "- Junk\n", "")
    assert adopted(house).counts() == {"taken out": 1}
    assert "Junk" not in texts(house)
    assert "Junk" not in document(house).read_text()


def test_taking_the_mark_away_confirms(tmp_path: Path) -> None:
    """D-7: and nothing else does."""
    memory, clock = build(tmp_path / "ledger")
    memory.store(Memory("Old habit"))
    clock.pass_days(100)
    memory.documents.render()
    assert "- [?] Old habit\n" in document(memory).read_text()
    edit(memory, "[?] ", "")
    done = adopted(memory)
    assert done.counts() == {"confirmed": 1}
    assert document(memory).read_text().endswith("- Old habit\n")
    memory.close()


def test_taking_the_mark_of_a_stolen_key_away_vouches(tmp_path: Path) -> None:
    """N-25, N-26: whether or not memories grow stale here."""
    memory, _ = build(tmp_path / "ledger")
    (tmp_path / "ledger/config.toml").write_text("[decay]\nenabled = false\n")
    memory.close()
    memory, _ = reopen(tmp_path / "ledger")
    memory.store(Memory("Mine"))
    done = memory.store(Memory("By the thief"))
    memory.upkeep.rotate_key(since=2)
    assert document(memory).read_text().endswith("- Mine\n- [?] By the thief\n")
    assert memory.entry(done.id).compromised
    edit(memory, "[?] ", "")
    assert adopted(memory).counts() == {"confirmed": 1}
    assert not memory.entry(done.id).compromised
    assert document(memory).read_text().endswith("- Mine\n- By the thief\n")
    assert not memory.upkeep.verify().projections.findings
    memory.close()


def test_a_bullet_that_was_moved_to_another_section_changes_its_section(house: MemoryLedger) -> None:
    """D-7."""
    edit(house, "- Use pnpm, not npm\n", "")
    whole = edit(house, "- Prefers short answers\n", "- Prefers short answers\n- Use pnpm, not npm\n")
    assert adopted(house).counts() == {"changed": 1}
    assert document(house).read_text() == whole
    (entry,) = [each for each in house.load_all() if "pnpm" in each.memory.text]
    assert entry.memory.section == "User Preferences"


def test_a_bullet_that_was_moved_to_another_document_is_not_lost(tmp_path: Path) -> None:
    """D-7: from an overflow file into MEMORY.md."""
    memory, _ = build(tmp_path / "ledger")
    (memory.workspace.place.directory / "config.toml").write_text("max_lines_per_file = 12\n")
    memory.close()
    memory, _ = reopen(tmp_path / "ledger")
    for number in range(10):
        memory.store(Memory(f"number {number}"))
    overflow = memory.workspace.place.documents / "memory" / "project-conventions.md"
    line = next(line for line in overflow.read_text().splitlines(keepends=True) if line.startswith("- "))
    overflow.write_text(overflow.read_text().replace(line, ""))
    document(memory).write_text(
        document(memory)
        .read_text()
        .replace("## Project Conventions\n\n", f"## Project Conventions\n\n{line}")
    )
    memory.documents.adopt()
    assert sorted(texts(memory)) == sorted(f"number {number}" for number in range(10))
    memory.close()


def test_a_line_stays_behind_one_that_was_changed_again_and_again(house: MemoryLedger) -> None:
    """P-6: its place names a version between the first and the one that stands."""
    edit(house, "Use pnpm, not npm", "Use pnpm 9")
    adopted(house)
    edit(house, "- Use pnpm 9\n", "- Use pnpm 9\n- Placed behind\n")
    adopted(house)
    for version in (10, 11):
        whole = edit(house, f"Use pnpm {version - 1}", f"Use pnpm {version}")
        adopted(house)
        assert document(house).read_text() == whole


def test_many_changed_lines_take_no_square_of_time(house: MemoryLedger) -> None:
    """D-3: a thousand bullets that `sed` changed are changed one by one, in order."""
    house.write([Create(Memory(f"Rule {number} says so", section="Workflow")) for number in range(150)])
    path = document(house)
    path.write_text(path.read_text().replace("- Rule", "- The rule"))
    assert adopted(house).counts() == {
        "changed": len([1 for line in path.read_text().splitlines() if "The rule" in line])
    }


def test_a_daily_note_is_a_document_too(house: MemoryLedger) -> None:
    """D-7: added lines."""
    house.store(Memory("Met Ada", tier="daily"))
    (path,) = (house.workspace.place.documents / "memory").glob("20*.md")
    path.write_text(path.read_text() + "- Met Grace\n")
    house.store(Memory("Met Alan", tier="daily"))
    assert path.read_text().endswith("- Met Ada\n- Met Grace\n- Met Alan\n")


# --- what stays as it was typed ---

VERBATIM = """
Prose of mine, with *emphasis* and an emoji 🙂.

| a | b |
|---|---|
| 1 | 2 |

```sh
make ship  # - no bullet
```

1. first
2. second

> quoted

<!-- a comment -->

### A heading of mine

- nested
  - one
    - two

***
"""


def test_what_is_no_bullet_stays_to_the_byte_through_rebuilds(house: MemoryLedger) -> None:
    """D-4, D-6."""
    whole = edit(house, "- Postgres", f"{VERBATIM}\n- Postgres").replace("npm\n\n\n", "npm\n\n")
    adopted(house)
    assert document(house).read_bytes().decode() == whole
    leave_only_the_log(house, document(house))
    again, _ = reopen(house.workspace.place.directory)
    again.documents.replay()
    assert document(again).read_bytes().decode() == whole
    again.store(Memory("One more"))
    assert document(again).read_bytes().decode().replace("- One more\n", "") == whole
    again.close()


@pytest.mark.parametrize(
    "saved",
    [
        lambda data: b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"),
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: data[:-1],
        lambda data: b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n")[:-2],
    ],
)
def test_how_lines_end_is_no_change_and_is_kept(house: MemoryLedger, saved: Callable[[bytes], bytes]) -> None:
    """D-1, P-99: through what is learned, a replay, and back."""
    path = document(house)
    path.write_bytes(saved(path.read_bytes()))
    before = house.workspace.index.newest()
    assert adopted(house).counts() == {}
    assert house.workspace.index.newest() == before
    house.store(Memory("From the agent"))
    now = path.read_bytes()
    assert b"- From the agent" in now
    assert saved(now.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").removesuffix(b"\n") + b"\n") == now
    assert house.upkeep.verify().sound
    leave_only_the_log(house, path)
    again, _ = reopen(house.workspace.place.directory)
    again.documents.replay()
    assert path.read_bytes() == now
    end = b"\r\n" if b"\r\n" in now else b"\n"
    path.write_bytes(now + end + end.join([b"- Typed", b"", b"Prose.", b""]))
    again.documents.adopt()
    assert {"Typed", "Prose."} <= {entry.memory.text for entry in again.load_all()}
    path.write_bytes(path.read_bytes().removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n"))
    again.store(Memory("And more"))
    assert b"\r" not in path.read_bytes()
    assert not path.read_bytes().startswith(b"\xef\xbb\xbf")
    again.close()


def test_text_before_the_first_section_stays_there(house: MemoryLedger) -> None:
    """D-4."""
    whole = edit(house, TITLE, f"{TITLE}\nRead this first.\n\n- and this\n")
    adopted(house)
    assert document(house).read_text() == whole


def test_a_heading_of_ones_own_may_be_empty(house: MemoryLedger) -> None:
    """D-7, I-12: and goes when it is taken out."""
    path = document(house)
    path.write_text(path.read_text() + "\n## Ideas\n")
    adopted(house)
    assert path.read_text().endswith("\n## Ideas\n")
    edit(house, "\n## Ideas\n", "")
    adopted(house)
    assert "Ideas" not in path.read_text()


def test_a_line_may_stand_twice(house: MemoryLedger) -> None:
    """D-71: a person means another thing each time."""
    block = "**Task {n}**\n\n- Action: CLOSE\n- Risk: low\n\n"
    whole = edit(house, "- Postgres", "\n" + "".join(block.format(n=n) for n in range(3)) + "- Postgres")
    whole = edit(
        house, "- Deploy with make ship\n", "- Deploy with make ship\n- Action: CLOSE\n- Action: CLOSE\n"
    )
    adopted(house)
    wanted = [line for line in whole.splitlines() if line]
    assert [line for line in document(house).read_text().splitlines() if line] == wanted
    assert house.documents.adopt() == []


def test_a_repetition_may_stand_above_what_it_repeats(house: MemoryLedger) -> None:
    """D-71."""
    edit(house, "- Use pnpm", "---\n\n- Use pnpm")
    adopted(house)
    edit(house, "---\n", "***\n\n---\n\n***\n\n---\n")
    adopted(house)
    assert document(house).read_text().count("---") == 2
    assert document(house).read_text().count("***") == 2


# --- while others write, and where one dies ---


def test_both_survive_where_an_agent_writes_while_a_person_types(house: MemoryLedger) -> None:
    """D-15, P-82: saved right before our rename."""
    path = document(house)
    saved = [path.read_text() + "- typed while the agent wrote\n"]

    def save(step: str) -> None:
        if step == "file.written" and saved:
            path.write_text(saved.pop())

    with observed(save):
        house.store(Memory("From the agent"))
    assert {"From the agent", "typed while the agent wrote"} <= set(texts(house))
    assert all(f"- {text}\n" in path.read_text() for text in texts(house))


@pytest.mark.parametrize(
    "step", ["file.noted", "file.written", "file.exchanged", "file.renamed", "file.settled"]
)
def test_an_edit_after_a_death_at_any_step_is_taken_in(house: MemoryLedger, step: str) -> None:
    """D-2, D-13, P-81: whatever stood there when the writer died."""
    with dying_at(step):
        house.store(Memory("Learned before the death"))
    house.close()
    again, _ = reopen(house.workspace.place.directory)
    text = document(again).read_text().replace("5433", "5434").replace("- Use pnpm, not npm\n", "")
    document(again).write_text(text + "- Typed after it\n")
    again.store(Memory("And another"))
    wanted = ["Deploy with make ship", "Postgres listens on 5434", "Prefers short answers"]
    wanted += ["Learned before the death", "Typed after it", "And another"]
    assert sorted(texts(again)) == sorted(wanted)
    assert all(f"- {text}\n" in document(again).read_text() for text in wanted)
    assert again.documents.adopt() == []
    again.close()


def test_a_candidate_that_was_confirmed_stays_when_it_is_edited(house: MemoryLedger) -> None:
    """D-7: what a person types stands, whatever it was once."""
    guess = house.store(Memory("Beta two", status="candidate", source="auto")).id
    house.confirm([guess])
    edit(house, "Beta two", "Beta two and a half")
    assert adopted(house).counts() == {"changed": 1}
    assert "- Beta two and a half\n" in document(house).read_text()
    assert {entry.status for entry in house.load_all() if "Beta" in entry.memory.text} == {"active"}
