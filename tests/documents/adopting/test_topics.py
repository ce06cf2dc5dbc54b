"""What a person types into a topic file is in the log before the file is written again, and stays in its place."""

from __future__ import annotations

import itertools
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment import Memory, MemoryLedger
from tests.cli.driver import run
from tests.documents.adopting.editing import adopted, leave_only_the_log, replace_in, stands_in_order
from tests.projections.house import build

TOPIC = "code/auth"
BODY = "Some *prose*.\n\n## A heading of the body\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[MemoryLedger]:
    """A ledger with a topic of two entries, rendered."""
    memory, _ = build(tmp_path / "ledger")
    memory.store(
        Memory("Tokens are checked in middleware", topic=TOPIC, when_to_use=("auth", "login"), tags=("sec",))
    )
    memory.store(Memory("Refresh runs nightly", body=BODY, details=("by cron",), topic=TOPIC))
    yield memory
    memory.close()


def document(house: MemoryLedger) -> Path:
    """The topic file."""
    return house.workspace.place.documents / "memories" / f"{TOPIC}.md"


def edit(house: MemoryLedger, old: str, new: str) -> str:
    """Replace a text of the topic file as an editor does; return the whole."""
    return replace_in(document(house), old, new)


def of_topic(house: MemoryLedger) -> list[Memory]:
    """Return what stands in the topic, in the order learned."""
    return [entry.memory for entry in house.load_all() if entry.memory.topic == TOPIC]


def test_a_changed_entry_replaces_the_old_one_and_keeps_the_rest(house: MemoryLedger) -> None:
    """D-20: byline, patterns and the headings of its body."""
    whole = edit(house, "nightly", "weekly").replace("| 1 | 2 |", "| 1 | 3 |")
    document(house).write_text(whole)
    assert adopted(house).counts() == {"changed": 1}
    assert document(house).read_text() == whole
    first, second = of_topic(house)
    assert (second.text, second.details, second.source) == ("Refresh runs weekly", ("by cron",), "manual")
    assert second.body.rstrip().endswith("| 1 | 3 |")
    assert first.when_to_use == ("auth", "login")


def test_the_heading_of_a_titled_entry_is_its_title(house: MemoryLedger) -> None:
    """D-20."""
    house.store(Memory("Argon2id, 64 MiB", title="Hashing", topic=TOPIC))
    whole = edit(house, "## Hashing", "## Password hashing").replace("64 MiB", "128 MiB")
    document(house).write_text(whole)
    adopted(house)
    assert document(house).read_text() == whole.replace("title: Hashing", "title: Password hashing")
    assert (of_topic(house)[-1].title, of_topic(house)[-1].text) == ("Password hashing", "Argon2id, 128 MiB")


def test_a_new_heading_is_a_new_entry(house: MemoryLedger) -> None:
    """D-19: at the end, between two and behind a body that has headings of its own."""
    text = document(house).read_text()
    text = (
        text.replace("## Refresh", "## Sessions\n\nLive in redis.\n\n## Refresh")
        + "\n## Logout\n\n- everywhere\n- at once\n"
    )
    document(house).write_text(text)
    assert adopted(house).counts() == {"new": 2}
    found = {memory.text: memory for memory in of_topic(house)}
    assert found["Sessions"].body.strip() == "Live in redis."
    assert found["Logout"].details == ("everywhere", "at once")
    now = document(house).read_text().splitlines()
    assert stands_in_order(text.splitlines(), now)
    assert house.documents.adopt() == []


def test_an_entry_that_was_taken_out_is_deleted_and_its_patterns_stay_where_they_were_left(
    house: MemoryLedger,
) -> None:
    """D-7, D-21."""
    text = document(house).read_text()
    begin, end = text.index("## Tokens"), text.index("## Refresh")
    document(house).write_text(text[:begin] + text[end:])
    assert adopted(house).counts() == {"changed": 1, "taken out": 1}
    (left,) = of_topic(house)
    assert (left.text, left.when_to_use, left.tags) == ("Refresh runs nightly", ("auth", "login"), ("sec",))


def test_patterns_and_tags_are_those_of_the_frontmatter(house: MemoryLedger) -> None:
    """D-21: in the person's order."""
    house.store(Memory("Third", topic=TOPIC, when_to_use=("sso", "login"), tags=("web",)))
    whole = edit(house, "- auth\n- login\n- sso\n", "- sso\n- oauth\n- auth\n").replace("- sec\n", "")
    document(house).write_text(whole)
    adopted(house)
    assert document(house).read_text() == whole
    assert all("login" not in memory.when_to_use and "sec" not in memory.tags for memory in of_topic(house))


@pytest.mark.parametrize(
    ("said", "importances"), [("high", ["high", "medium", "medium"]), ("low", ["low", "low", "low"])]
)
def test_another_importance(house: MemoryLedger, said: str, importances: list[str]) -> None:
    """D-21: of all that are higher, or of the first."""
    house.store(Memory("Third", topic=TOPIC))
    whole = edit(house, "importance: medium", f"importance: {said}")
    adopted(house)
    assert document(house).read_text() == whole
    assert sorted(memory.importance for memory in of_topic(house)) == sorted(importances)


def test_a_title_and_fields_of_ones_own(house: MemoryLedger) -> None:
    """D-21: survive changes of the entries, and change again."""
    whole = edit(house, "title: Auth\n", "title: 'Auth: all of it'\n").replace(
        "discoveredBy: tester\n", "discoveredBy: luna\nowner: me  # for now\nrooms:\n  - a\n"
    )
    document(house).write_text(whole)
    adopted(house)
    assert document(house).read_text() == whole.replace("*by tester", "*by luna", 1)
    whole = edit(house, "'Auth: all of it'", "Authentication").replace("owner: me  # for now\n", "")
    document(house).write_text(whole)
    adopted(house)
    assert document(house).read_text() == whole
    document(house).write_text(whole.replace("title: Authentication", "title: Auth"))
    adopted(house)
    assert "title" not in of_topic(house)[0].extra
    assert "title: Auth\n" in document(house).read_text()


def test_a_byline_says_who_learned_it(house: MemoryLedger) -> None:
    """D-20; an edit of the text does not change it."""
    text = document(house).read_text()
    at = text.rindex("*by tester")
    document(house).write_text(
        text[:at] + text[at:].replace("*by tester, 2026-01-05*", "*by grace, 2025-12-24*")
    )
    adopted(house)
    where = of_topic(house)[1].provenance
    assert (where.agent, where.date) == ("grace", "2025-12-24")
    whole = edit(house, "nightly", "daily")
    adopted(house)
    assert document(house).read_text() == whole


def test_text_above_the_first_entry_is_an_entry(house: MemoryLedger) -> None:
    """D-19."""
    whole = edit(house, "---\n\n## Tokens", "---\n\nRead this first.\n\n## Tokens")
    adopted(house)
    assert stands_in_order(whole.splitlines(), document(house).read_text().splitlines())
    assert house.documents.adopt() == []


@pytest.mark.parametrize("front", ["title: [", "a: &x 1", "a: *y"])
def test_a_frontmatter_that_cannot_be_read_is_left_to_the_person(house: MemoryLedger, front: str) -> None:
    """D-21."""
    whole = edit(house, "importance: medium\n", f"{front}\n")
    done = adopted(house)
    assert "the frontmatter cannot be read" in done.paused
    house.store(Memory("The log goes on", topic=TOPIC))
    assert document(house).read_text() == whole


def test_a_frontmatter_that_is_gone_comes_back(house: MemoryLedger) -> None:
    """D-21."""
    text = document(house).read_text()
    document(house).write_text(text[text.index("## Tokens") :].replace("nightly", "weekly"))
    assert adopted(house).counts() == {"changed": 1}
    assert document(house).read_text() == text.replace("nightly", "weekly")


def test_an_entry_that_was_moved_to_another_topic_changes_its_topic(house: MemoryLedger) -> None:
    """D-7: one supersede, in one document."""
    house.store(Memory("Something else", topic="code/cache"))
    other = house.workspace.place.documents / "memories" / "code" / "cache.md"
    text = document(house).read_text()
    begin, end = text.index("## Tokens"), text.index("## Refresh")
    other.write_text(other.read_text() + "\n" + text[begin:end])
    document(house).write_text(text[:begin] + text[end:])
    house.documents.adopt()
    (moved,) = [entry for entry in house.load_all() if entry.memory.text.startswith("Tokens")]
    assert (moved.memory.topic, len(moved.supersedes)) == ("code/cache", 1)
    assert [memory.text for memory in of_topic(house)] == ["Refresh runs nightly"]


def test_the_mark_is_taken_from_a_byline(tmp_path: Path) -> None:
    """D-7: confirms."""
    memory, clock = build(tmp_path / "ledger")
    memory.store(Memory("Old habit", topic=TOPIC))
    clock.pass_days(100)
    memory.documents.render()
    edit(memory, "[?] *by", "*by")
    assert adopted(memory).counts() == {"confirmed": 1}
    memory.close()


# --- whatever a person does ---

BLOCKS = st.sampled_from(
    [
        "A paragraph {n}.",
        "- bullet {n}\n  - detail {n}",
        "1. one {n}\n2. two",
        "```\n## no heading {n}\n```",
        "| a{n} | b |\n|---|---|\n| 1 | 2 |",
        "<!-- comment {n} -->",
        "### sub {n}",
        "## Own {n}",
        "## Own {n}\n\nwith text",
        "# Big {n}",
        "línea ünïcode 😀 {n}",
    ]
)
EDITS = st.lists(
    st.tuples(
        st.sampled_from(["insert", "insert", "change", "pattern", "field"]), st.integers(0, 200), BLOCKS
    ),
    min_size=1,
    max_size=4,
)


def typed(text: str, edits: list[tuple[str, int, str]], numbers: Iterator[int]) -> str:
    """Apply edits to a topic file as a person would."""
    lines = text.splitlines()
    for what, at, block in edits:
        below = lines.index("---", 1) + 1
        number = next(numbers)
        if what == "insert":
            place = below + at % (len(lines) - below + 1)
            lines[place:place] = ["", *block.format(n=number).splitlines(), ""]
        elif what == "change":
            chosen = [
                k
                for k, line in enumerate(lines)
                if k >= below and line.startswith(("A par", "## Own", "Some"))
            ]
            if chosen:
                lines[chosen[at % len(chosen)]] += f" changed {number}"
        elif what == "field":
            lines.insert(below - 1, f"own{number}: value")
        elif "whenToUse:" in lines:
            lines.insert(lines.index("whenToUse:") + 1, f"- pattern {number}")
    return "\n".join(lines) + "\n"


@settings(max_examples=settings().max_examples // 3, suppress_health_check=[HealthCheck.too_slow])
@given(rounds=st.lists(st.tuples(EDITS, st.booleans()), min_size=1, max_size=3))
def test_every_line_of_a_person_is_there_in_its_order_after_a_rebuild(
    rounds: list[tuple[list[tuple[str, int, str]], bool]],
) -> None:
    """D-19…D-21: whatever an agent learns between; and a second look finds nothing."""
    numbers = itertools.count(1)
    folder = Path(tempfile.mkdtemp())
    try:
        house, _ = build(folder / "ledger")
        house.store(Memory("Tokens are checked", topic=TOPIC, when_to_use=("auth",)))
        house.store(Memory("Refresh runs nightly", body=BODY, topic=TOPIC))
        after = ""
        for edits, agent in rounds:
            mine = typed(document(house).read_text(), edits, numbers)
            document(house).write_text(mine)
            if agent:
                house.store(Memory(f"from the agent {next(numbers)}", topic=TOPIC))
            house.documents.adopt()
            after = document(house).read_text()
            wanted = [line for line in mine.split("---\n", 2)[2].splitlines() if line.strip()]
            assert stands_in_order(wanted, after.split("---\n", 2)[2].splitlines()), (mine, after)
            assert set(mine.split("---\n", 2)[1].splitlines()) <= set(
                after.split("---\n", 2)[1].splitlines()
            ), (mine, after)
            assert house.documents.adopt() == []
        leave_only_the_log(house, document(house))
        house.documents.replay()
        assert document(house).read_text() == after
        house.close()
    finally:
        shutil.rmtree(folder)


ORIGINALS = (
    "---\nname: style\ndescription: How code looks\ntype: feedback\nwhenToUse: python\n---\n\nUse ruff.\n\n- and mypy\n",
    "---\ndescription: Rules of TS\nglobs: *.ts,*.tsx\nalwaysApply: true\n---\n\n# TS\n\n## Strict\n\n- Use strict\n",
)


@pytest.mark.parametrize("original", ORIGINALS, ids=["claude", "cursor"])
def test_the_frontmatter_of_an_original_in_place_of_its_rendering_is_taken_in(
    tmp_path: Path, original: str
) -> None:
    """D-19: whoever restores the file that was imported changes nothing, and loses no field."""
    memory, _ = build(tmp_path / "ledger")
    (tmp_path / "memories").mkdir()
    source = tmp_path / "memories" / "style.md"
    source.write_text(original)
    assert run("import", source, "--ledger", memory.workspace.place.directory).code == 0
    path = memory.workspace.place.documents / "memories" / "style.md"
    rendered = path.read_text()
    path.write_text(original)
    memory.documents.adopt()
    assert path.read_text() == rendered
    path.write_text(original.replace("---\n\n", "more: yes\n---\n\nBefore all.\n\n", 1))
    memory.documents.adopt()
    said = path.read_text()
    fields = [
        line for line in original.splitlines() if ": " in line and "*" not in line and "whenToUse" not in line
    ]
    assert [line for line in fields if line.partition(": ")[2] not in said] == []
    assert "more: yes\n" in said
    assert "Before all." in said
    memory.close()
