"""What a person types into a document is in the log before the document is written again, and stays in its place."""

from __future__ import annotations

import itertools
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import adopting
from ledger import steps
from ledger.command import Create, Supersede
from ledger.event import By
from memledger import Memory, MemoryLedger
from tests.projections.house import build, reopen

TITLE = "# Auto-Memories\n"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[MemoryLedger]:
    """A ledger with three conventions and a preference, rendered."""
    memory, _ = build(tmp_path / "ledger")
    for text in ("Use pnpm, not npm", "Postgres listens on 5433", "Deploy with make ship"):
        memory.store(Memory(text))
    memory.store(Memory("Prefers short answers", type="preference"))
    yield memory
    memory.close()


def document(house: MemoryLedger) -> Path:
    """MEMORY.md."""
    return house.place.documents / "MEMORY.md"


def edit(house: MemoryLedger, old: str, new: str) -> str:
    """Replace a text of MEMORY.md as an editor does; return the whole."""
    text = document(house).read_bytes().decode()
    assert text.count(old) == 1
    text = text.replace(old, new)
    document(house).write_bytes(text.encode())
    return text


def kinds(house: MemoryLedger, since: int) -> list[str]:
    """Return the kinds of the events after this seq."""
    return [row.kind for row in house.log() if row.seq > since]


def adopted(house: MemoryLedger, *, accept: bool = False) -> adopting.Adoption:
    """Take the one edit in."""
    (done,) = house.adopt(accept=accept)
    return done


def texts(house: MemoryLedger) -> list[str]:
    """Return what stands, in order."""
    return [entry.memory.text for entry in house.load_all()]


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
    memory.render()
    assert "- [?] Old habit\n" in document(memory).read_text()
    edit(memory, "[?] ", "")
    done = adopted(memory)
    assert done.counts() == {"confirmed": 1}
    assert document(memory).read_text().endswith("- Old habit\n")
    memory.close()


def test_a_bullet_that_was_moved_to_another_section_changes_its_section(house: MemoryLedger) -> None:
    """D-7."""
    edit(house, "- Use pnpm, not npm\n", "")
    whole = edit(house, "- Prefers short answers\n", "- Prefers short answers\n- Use pnpm, not npm\n")
    assert adopted(house).counts() == {"changed": 1}
    assert document(house).read_text() == whole
    (entry,) = [each for each in house.load_all() if "pnpm" in each.memory.text]
    assert entry.memory.section == "User Preferences"


def test_what_was_deleted_comes_back_as_a_restore(house: MemoryLedger) -> None:
    """D-11."""
    (gone,) = [entry.id for entry in house.load_all() if "pnpm" in entry.memory.text]
    house.delete([gone])
    edit(house, "- Deploy with make ship\n", "- Deploy with make ship\n- Use pnpm, not npm\n")
    adopted(house)
    (entry,) = [each for each in house.load_all() if "pnpm" in each.memory.text]
    assert entry.supersedes == (gone,)


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
    """D-4…D-6."""
    whole = edit(house, "- Postgres", f"{VERBATIM}\n- Postgres").replace("npm\n\n\n", "npm\n\n")
    adopted(house)
    assert document(house).read_bytes().decode() == whole
    for path in house.place.directory.glob("memory.db*"):
        path.unlink()
    document(house).unlink()
    again, _ = reopen(house.place.directory)
    again.replay()
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
    before = house.index.seq()
    assert adopted(house).counts() == {}
    assert house.index.seq() == before
    house.store(Memory("From the agent"))
    now = path.read_bytes()
    assert b"- From the agent" in now
    assert saved(now.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").removesuffix(b"\n") + b"\n") == now
    assert house.verify().sound
    for index in house.place.directory.glob("memory.db*"):
        index.unlink()
    path.unlink()
    again, _ = reopen(house.place.directory)
    again.replay()
    assert path.read_bytes() == now
    end = b"\r\n" if b"\r\n" in now else b"\n"
    path.write_bytes(now + end + end.join([b"- Typed", b"", b"Prose.", b""]))
    again.adopt()
    assert {"Typed", "Prose."} <= {entry.memory.text for entry in again.load_all()}
    path.write_bytes(path.read_bytes().removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n"))
    again.store(Memory("And more"))
    assert b"\r" not in path.read_bytes()
    assert not path.read_bytes().startswith(b"\xef\xbb\xbf")
    again.close()


def test_text_before_the_first_section_stays_there(house: MemoryLedger) -> None:
    """D-5."""
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


def test_a_daily_note_is_a_document_too(house: MemoryLedger) -> None:
    """D-7: added lines."""
    house.store(Memory("Met Ada", tier="daily"))
    (path,) = (house.place.documents / "memory").glob("20*.md")
    path.write_text(path.read_text() + "- Met Grace\n")
    house.store(Memory("Met Alan", tier="daily"))
    assert path.read_text().endswith("- Met Ada\n- Met Grace\n- Met Alan\n")


# --- against the log as it is ---


def test_taking_an_edit_in_twice_is_the_same_as_once(house: MemoryLedger) -> None:
    """D-12: as after a crash before the document was written."""
    edit(house, "5433", "5434")
    edit(house, "- Use pnpm, not npm\n", "- Brand new\n")
    first = adopting.examine(house, house.place.documents, "MEMORY.md")
    house.write(first.commands, render=False)
    again = adopting.examine(house, house.place.documents, "MEMORY.md")
    assert (first.counts() != {}, again.counts()) == (True, {})


def test_an_erased_text_does_not_come_back_from_an_edited_document(house: MemoryLedger) -> None:
    """D-2: not even by a document that somebody edited besides."""
    secret = house.store(Memory("The vault is behind the mirror")).id
    before = document(house).read_text()
    house.erase([secret], "leaked")
    document(house).write_text(before + "- typed now\n")
    adopted(house)
    assert "mirror" not in document(house).read_text()
    assert "mirror" not in house.chain.read_text()
    assert "typed now" in texts(house)


def test_an_erased_text_stays_away_however_old_the_document_is(house: MemoryLedger) -> None:
    """D-2: its key is remembered for good, the text is not."""
    secret = house.store(Memory("Mario lives in Via Roma 7")).id
    old = document(house).read_text()
    for number in range(20):
        house.store(Memory(f"number {number}"))
    house.erase([secret], "asked to")
    document(house).write_text(old + "- note\n")
    adopted(house, accept=True)
    assert "Mario" not in house.chain.read_text() + document(house).read_text()
    assert "note" in texts(house)


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
    house.adopt()
    assert sorted(texts(house)) == [
        "Deploy with make ship",
        "Postgres listens on 5433",
        "Prefers short answers",
        "Use pnpm, not npm",
    ]
    assert sorted(
        line[2:] for line in document(house).read_text().splitlines() if line[:2] == "- "
    ) == sorted(texts(house))


def test_both_survive_where_an_agent_writes_while_a_person_types(house: MemoryLedger) -> None:
    """D-15, P-82: saved right before our rename."""
    path = document(house)
    saved = [path.read_text() + "- typed while the agent wrote\n"]

    def save(step: str) -> None:
        if step == "file.written" and saved:
            path.write_text(saved.pop())

    steps.observer = save
    try:
        house.store(Memory("From the agent"))
    finally:
        steps.observer = None
    assert {"From the agent", "typed while the agent wrote"} <= set(texts(house))
    assert all(f"- {text}\n" in path.read_text() for text in texts(house))


class _DeathError(BaseException):
    """Ends everything at once, as a kill does."""


@pytest.mark.parametrize("step", ["file.noted", "file.written", "file.renamed", "file.settled"])
def test_an_edit_after_a_death_at_any_step_is_taken_in(house: MemoryLedger, step: str) -> None:
    """D-2, D-13, P-81: whatever stood there when the writer died."""

    def die(reached: str) -> None:
        if reached == step:
            raise _DeathError

    steps.observer = die
    try:
        with pytest.raises(_DeathError):
            house.store(Memory("Learned before the death"))
    finally:
        steps.observer = None
    house.close()
    again, _ = reopen(house.place.directory)
    text = document(again).read_text().replace("5433", "5434").replace("- Use pnpm, not npm\n", "")
    document(again).write_text(text + "- Typed after it\n")
    again.store(Memory("And another"))
    wanted = ["Deploy with make ship", "Postgres listens on 5434", "Prefers short answers"]
    wanted += ["Learned before the death", "Typed after it", "And another"]
    assert sorted(texts(again)) == sorted(wanted)
    assert all(f"- {text}\n" in document(again).read_text() for text in wanted)
    assert again.adopt() == []
    again.close()


def test_a_change_of_what_was_replaced_meanwhile_is_a_conflict_and_both_stand(house: MemoryLedger) -> None:
    """D-12, S-6."""
    (old,) = [entry.id for entry in house.load_all() if "5433" in entry.memory.text]
    edit(house, "5433", "5434")
    house.ledger.write([Supersede((old,), Memory("Postgres listens on 5435"))], house.by)
    adopted(house)
    found = [entry for entry in house.load_all() if "Postgres" in entry.memory.text]
    assert sorted(entry.memory.text[-4:] for entry in found) == ["5434", "5435"]


def test_a_buffer_that_is_older_than_what_an_agent_wrote_takes_nothing_away(house: MemoryLedger) -> None:
    """D-2: the document only adds to an earlier rendering, so that is what its writer had seen."""
    buffer = document(house).read_text()
    (old,) = [entry.id for entry in house.load_all() if "5433" in entry.memory.text]
    agent = By("claude", "agent", "cli")
    house.supersede([old], Memory("Postgres listens on 5435"), agent)
    house.store(Memory("From the agent"), agent)
    document(house).write_text(buffer + "- typed meanwhile\n")
    adopted(house)
    assert {"From the agent", "Postgres listens on 5435", "typed meanwhile"} <= set(texts(house))
    assert "5433" not in document(house).read_text()
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
    with house.local.transaction() as db:
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


def test_a_repetition_may_stand_above_what_it_repeats(house: MemoryLedger) -> None:
    """D-27."""
    edit(house, "- Use pnpm", "---\n\n- Use pnpm")
    adopted(house)
    edit(house, "---\n", "***\n\n---\n\n***\n\n---\n")
    adopted(house)
    assert document(house).read_text().count("---") == 2
    assert document(house).read_text().count("***") == 2


def test_another_file_written_over_it_is_held_back(house: MemoryLedger) -> None:
    """D-16: though as many lines came as went."""
    for number in range(6):
        house.store(Memory(f"number {number}"))
    other = "".join(
        f"- {word} something else\n"
        for word in ("Alpha", "Berta", "Caesar", "Dora", "Emil", "Friedrich", "Gustav")
    )
    text = document(house).read_text()
    document(house).write_text(text[: text.index("- Use pnpm")] + other)
    assert "or writes something else over them" in adopted(house).paused


def test_what_i_wrote_myself_i_have_seen(house: MemoryLedger) -> None:
    """D-2: taking out the newest line and changing another is just that."""
    house.store(Memory("My own"))
    text = document(house).read_text().replace("- My own\n", "").replace("make ship", "make deploy")
    document(house).write_text(text)
    assert adopted(house).counts() == {"changed": 1, "taken out": 1}


def test_a_line_that_an_agent_proposed_is_confirmed_by_typing_it(house: MemoryLedger) -> None:
    """D-11."""
    proposed = house.store(Memory("Maybe use bun", status="candidate")).id
    document(house).write_text(document(house).read_text() + "- Maybe use bun\n")
    assert adopted(house).counts() == {"confirmed": 1}
    assert house.entry(proposed).status == "active"
    assert "- Maybe use bun\n" in document(house).read_text()


def test_many_changed_lines_take_no_square_of_time(house: MemoryLedger) -> None:
    """D-3: a thousand bullets that `sed` changed are changed one by one, in order."""
    house.write([Create(Memory(f"Rule {number} says so", section="Workflow")) for number in range(150)])
    path = document(house)
    path.write_text(path.read_text().replace("- Rule", "- The rule"))
    assert adopted(house).counts() == {
        "changed": len([1 for line in path.read_text().splitlines() if "The rule" in line])
    }


# --- guards ---


def test_an_emptied_document_takes_nothing_away_until_a_person_says_so(house: MemoryLedger) -> None:
    """D-16."""
    document(house).write_bytes(b"")
    done = adopted(house)
    assert "adopt --accept" in done.paused
    assert (len(texts(house)), document(house).read_bytes()) == (4, b"")
    house.store(Memory("The log goes on"))
    assert document(house).read_bytes() == b""
    assert adopted(house, accept=True).counts() == {"taken out": 4}
    assert texts(house) == ["The log goes on"]


def test_a_deleted_document_takes_nothing_away_until_a_person_says_so(house: MemoryLedger) -> None:
    """D-16, P-85: it stays away; replay brings it back."""
    whole = document(house).read_bytes()
    document(house).unlink()
    done = adopted(house)
    assert "it was deleted" in done.paused
    assert "adopt --accept MEMORY.md" in done.paused
    house.store(Memory("The log goes on"))
    assert house.outcome is not None
    assert "it was deleted" in house.outcome.paused["MEMORY.md"]
    assert not document(house).exists()
    house.replay()
    assert b"The log goes on" in document(house).read_bytes()
    assert len(document(house).read_bytes()) > len(whole)
    document(house).unlink()
    assert adopted(house, accept=True).counts() == {"taken out": 5}
    assert document(house).read_text() == TITLE


def test_taking_out_more_than_half_of_many_is_held_back(house: MemoryLedger) -> None:
    """D-16: five of nine may go, six of ten not."""
    for number in range(6):
        house.store(Memory(f"number {number}"))
    text = document(house).read_text()
    for number in range(6):
        text = text.replace(f"- number {number}\n", "")
    document(house).write_text(text)
    assert "it takes out 6 of 10 entries" in adopted(house).paused
    document(house).write_text(text + "- number 3\n")
    assert adopted(house).counts() == {"taken out": 5}


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"caf\xe9\n", "not UTF-8"),
        (b"<<<<<<< ours\n- a\n=======\n- b\n>>>>>>> theirs\n", "merge conflict"),
        (b"- x\n" * 300_000, "larger than 1 MiB"),
        (b"a\0b\n", "U+0000"),
    ],
)
def test_what_cannot_be_read_is_left_to_the_person(house: MemoryLedger, data: bytes, why: str) -> None:
    """D-16: the document is not touched and the log goes on."""
    document(house).write_bytes(data)
    house.store(Memory("The log goes on"))
    assert house.outcome is not None
    assert why in house.outcome.paused["MEMORY.md"]
    assert document(house).read_bytes() == data
    assert len(texts(house)) == 5


def test_a_line_with_a_secret_stays_unsigned_and_is_named(house: MemoryLedger) -> None:
    """D-17: the rest is taken in."""
    secret = "ghp_" + "Zx8" * 12
    edit(house, "- Postgres", f"- token {secret}\n- Brand new\n- Postgres")
    done = adopted(house)
    assert (done.counts(), list(done.held)) == ({"new": 1}, [10])
    assert secret not in done.paused
    assert secret in document(house).read_text()
    assert secret not in house.chain.read_text()
    assert "Brand new" in texts(house)
    edit(house, f"- token {secret}\n", "")
    assert adopted(house).paused == ""


def test_a_line_may_stand_twice(house: MemoryLedger) -> None:
    """D-27: a person means another thing each time."""
    block = "**Task {n}**\n\n- Action: CLOSE\n- Risk: low\n\n"
    whole = edit(house, "- Postgres", "\n" + "".join(block.format(n=n) for n in range(3)) + "- Postgres")
    whole = edit(
        house, "- Deploy with make ship\n", "- Deploy with make ship\n- Action: CLOSE\n- Action: CLOSE\n"
    )
    adopted(house)
    wanted = [line for line in whole.splitlines() if line]
    assert [line for line in document(house).read_text().splitlines() if line] == wanted
    assert house.adopt() == []


# --- elsewhere ---


def test_a_bullet_that_was_moved_to_another_document_is_not_lost(tmp_path: Path) -> None:
    """D-7: from an overflow file into MEMORY.md."""
    memory, _ = build(tmp_path / "ledger")
    (memory.place.directory / "config.toml").write_text("max_lines_per_file = 12\n")
    memory.close()
    memory, _ = reopen(tmp_path / "ledger")
    for number in range(10):
        memory.store(Memory(f"number {number}"))
    overflow = memory.place.documents / "memory" / "project-conventions.md"
    line = next(line for line in overflow.read_text().splitlines(keepends=True) if line.startswith("- "))
    overflow.write_text(overflow.read_text().replace(line, ""))
    document(memory).write_text(
        document(memory)
        .read_text()
        .replace("## Project Conventions\n\n", f"## Project Conventions\n\n{line}")
    )
    memory.adopt()
    assert sorted(texts(memory)) == sorted(f"number {number}" for number in range(10))
    memory.close()


# --- whatever a person does ---

BLOCKS = st.sampled_from(
    [
        "A paragraph {n}.",
        "- bullet {n}",
        "- bullet {n}\n  - detail {n}",
        "1. one {n}\n2. two",
        "> quote {n}",
        "```\ncode {n}\n```",
        "| a{n} | b |\n|---|---|\n| 1 | 2 |",
        "<!-- comment {n} -->",
        "### sub {n}",
        "- nested {n}\n  - a\n    - b",
        "    indented {n}",
        "- [ ] task {n}",
        "línea ünïcode 😀 {n}",
        "## Own {n}\n\n- below {n}",
    ]
)
EDITS = st.lists(
    st.one_of(
        st.tuples(st.just("insert"), st.integers(0, 200), BLOCKS),
        st.tuples(st.just("delete"), st.integers(0, 200), st.just("")),
        st.tuples(st.just("change"), st.integers(0, 200), st.just("")),
        st.tuples(st.just("move"), st.integers(0, 200), st.just("")),
    ),
    min_size=1,
    max_size=4,
)


def typed(text: str, edits: list[tuple[str, int, str]], numbers: Iterator[int]) -> str:
    """Apply edits to a document, line by line, as a person would."""
    lines = text.splitlines()
    for what, at, block in edits:
        bullets = [number for number, line in enumerate(lines) if line.startswith("- bullet")]
        if what == "insert":
            place = 1 + at % len(lines)
            lines[place:place] = ["", *block.format(n=next(numbers)).splitlines(), ""]
        elif bullets:
            chosen = bullets[at % len(bullets)]
            line = lines.pop(chosen)
            if what == "change":
                lines.insert(chosen, f"{line} changed {next(numbers)}")
            elif what == "move":
                lines.insert(1 + at % len(lines), line)
    return "\n".join(lines) + "\n"


def by_heading(text: str) -> dict[str, list[str]]:
    """Return the lines that are not blank below each heading of the second level."""
    found: dict[str, list[str]] = {"": []}
    heading = ""
    for line in text.splitlines():
        if line.startswith("## "):
            heading = line
            found.setdefault(heading, [])
        elif line.strip() and line != TITLE.strip():
            found[heading].append(line.strip())
    return found


def stands_in_order(wanted: list[str], there: list[str]) -> bool:
    """Say whether all lines are there in their order, whatever stands between them."""
    rest = iter(there)
    return all(any(line == each for each in rest) for line in wanted)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(rounds=st.lists(st.tuples(EDITS, st.booleans()), min_size=1, max_size=3))
def test_every_line_of_a_person_is_there_in_its_order_after_a_rebuild(
    rounds: list[tuple[list[tuple[str, int, str]], bool]],
) -> None:
    """D-4…D-9: under the same heading, whatever an agent learns between; and a second look finds nothing."""
    numbers = itertools.count(1)
    folder = Path(tempfile.mkdtemp())
    try:
        house, _ = build(folder / "ledger")
        for _ in range(2):
            house.store(Memory(f"bullet {next(numbers)}"))
        after = ""
        for edits, agent in rounds:
            mine = typed(document(house).read_text(), edits, numbers)
            document(house).write_text(mine)
            if agent:
                house.store(Memory(f"from the agent {next(numbers)}"))
            house.adopt(accept=True)
            after = document(house).read_text()
            for heading, wanted in by_heading(mine).items():
                assert stands_in_order(wanted, by_heading(after).get(heading, [])), (mine, after)
            assert house.adopt() == []
        for path in house.place.directory.glob("memory.db*"):
            path.unlink()
        document(house).unlink()
        house.replay()
        assert document(house).read_text() == after
        house.close()
    finally:
        shutil.rmtree(folder)


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
