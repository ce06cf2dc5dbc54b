"""What inject tells of a document that was imported, in its order and with its introductions (specs/projections.md P-34, P-36, P-207)."""

from __future__ import annotations

from pathlib import Path

import muniment
from ledger.command import Create
from muniment import Memory
from tests.cli.driver import run

DOCUMENT = """\
# CLAUDE.md

Read this first.

## Fix a failing build

Do these in turn:

- Fix one: clean the cache
- Fix two: pin the compiler
- Fix three: call Ada

---

| a | b |
|---|---|
| 1 | 2 |
"""


def test_a_document_is_told_in_its_order_without_titles_rules_and_tables(
    ledger: Path, tmp_path: Path
) -> None:
    """P-36, P-34: imported and typed alike."""
    (tmp_path / "CLAUDE.md").write_text(DOCUMENT)
    (ledger / "MEMORY.md").write_text(DOCUMENT)
    run("adopt").ok()
    typed = run("inject").ok().out
    told = [line for line in typed.splitlines() if line.startswith("- ")]
    assert told == [
        "- Read this first.", "- Do these in turn:", "- Fix one: clean the cache", "- Fix two: pin the compiler",
        "- Fix three: call Ada",
    ]  # fmt: skip
    assert "CLAUDE.md" not in typed
    assert "more are left out" not in typed


def test_what_search_finds_first_is_told_first_whatever_its_section(ledger: Path) -> None:
    """P-36: a hundred bullets of other sections keep nothing out that fits the task."""
    house = muniment.open(directory=ledger)
    house.write(
        [
            Create(Memory(f"The build of part {n} runs in the suite of the {n}th team", type="preference"))
            for n in range(120)
        ]
    )
    wanted = (
        "Run the test suite with tox",
        "tox -e lint checks the style",
        "A suite that hangs: delete .tox",
    )
    for text in wanted:
        house.store(Memory(text, section="Workflow"))
    found = [each["text"] for each in run("search", "run the test suite with tox", "--json").ok().json_lines]
    told = run("inject", "--task", "run the test suite with tox").ok().out.splitlines()
    assert [line[2:] for line in told if line.startswith("- ")][:10] == found
    assert set(wanted) <= set(found)
    house.close()


def test_a_bullet_brings_the_sentence_that_introduces_it(ledger: Path, tmp_path: Path) -> None:
    """P-207."""
    lines = "".join(
        f"- Filler {n} of the list, with many words that take up room in the prompt\n" for n in range(200)
    )
    text = (
        f"## Release\n\nNever do this before noon:\n\n- Tag a version\n- Push to main\n\n## Other\n\n{lines}"
    )
    (tmp_path / "CLAUDE.md").write_text(text)
    run("import", tmp_path / "CLAUDE.md").ok()
    told = run("inject", "--task", "push to main", "--budget", "200").ok().out.splitlines()
    at = told.index("- Push to main")
    assert told[at - 1] == "- Never do this before noon:"
    assert "- Tag a version" not in told[:at]
