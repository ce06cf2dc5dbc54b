"""Whatever a person does to MEMORY.md: each of their lines is there after a rebuild, in order, under its heading."""

from __future__ import annotations

import itertools
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from muniment import Memory
from tests.documents.adopting.editing import TITLE, document, stands_in_order
from tests.projections.house import build

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


_BEGINNINGS = ("- ", "1. ", "2. ", ">", "```", "|", "<!--", "#")
"""What begins a block of its own right below a bullet."""


def by_heading(text: str) -> dict[str, list[str]]:
    """Return the lines that are not blank below each heading of the second level.

    Text right below a bullet goes on with it, as in CommonMark, so that both are one line.
    """
    found: dict[str, list[str]] = {"": []}
    heading, below_a_bullet = "", False
    for line in text.splitlines():
        said = line.strip()
        goes_on = below_a_bullet and bool(said) and not said.startswith(_BEGINNINGS)
        if line.startswith("## "):
            heading = line
            found.setdefault(heading, [])
        elif goes_on:
            found[heading][-1] += f" {said}"
        elif said and line != TITLE.strip():
            found[heading].append(said)
        below_a_bullet = line.startswith("- ") or goes_on
    return found


_TEXT = "A paragraph {n}."


@settings(max_examples=settings().max_examples // 3, suppress_health_check=[HealthCheck.too_slow])
@given(rounds=st.lists(st.tuples(EDITS, st.booleans()), min_size=1, max_size=3))
@example(  # a bullet came to stand right above a paragraph
    rounds=[([("delete", 0, ""), ("insert", 1, _TEXT), ("move", 121, "")], False)]
)
@example(  # what a paragraph follows was changed, and then moved away from it
    rounds=[
        ([("insert", 0, _TEXT), ("insert", 134, _TEXT)], True),
        ([("insert", 0, _TEXT), ("change", 1, "")], False),
        ([("insert", 0, _TEXT), ("move", 15, "")], False),
    ]
)
def test_every_line_of_a_person_is_there_in_its_order_after_a_rebuild(
    rounds: list[tuple[list[tuple[str, int, str]], bool]],
) -> None:
    """D-4, D-6…D-9: under the same heading, whatever an agent learns between; and a second look finds nothing."""
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
            house.documents.adopt(accept=True)
            after = document(house).read_text()
            for heading, wanted in by_heading(mine).items():
                assert stands_in_order(wanted, by_heading(after).get(heading, [])), (mine, after)
            assert house.documents.adopt() == []
        for path in house.workspace.place.directory.glob("memory.db*"):
            path.unlink()
        document(house).unlink()
        house.documents.replay()
        assert document(house).read_text() == after
        house.close()
    finally:
        shutil.rmtree(folder)
