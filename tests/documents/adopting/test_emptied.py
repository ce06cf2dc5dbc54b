"""A heading whose entries went elsewhere stays where a person left it. Tests specs/projections.md (P-8)."""

from __future__ import annotations

from pathlib import Path

import pytest

from muniment import Memory
from tests.documents.adopting.editing import leave_only_the_log
from tests.projections.house import build, reopen


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("## Two\n\n- c\n", "## Two\n\n## Two and a half\n\n- c\n"),
        ("## One\n\n- a\n- b\n", "## One\n\n## One and a half\n\n- a\n- b\n"),
        ("## Two\n\n- c\n", "## Empty\n\n## Two\n\n- c\n"),
    ],
    ids=["last", "first", "new"],
)
def test_an_emptied_heading_stays_where_it_is(tmp_path: Path, old: str, new: str) -> None:
    house, _ = build(tmp_path / "ledger")
    for text, section in (("x", ""), ("a", "One"), ("b", "One"), ("c", "Two"), ("d", "Three")):
        house.store(Memory(text, section=section))
    document = house.workspace.place.documents / "MEMORY.md"
    wanted = document.read_text().replace(old, new)
    assert wanted != document.read_text()
    document.write_text(wanted)
    house.documents.adopt()
    assert document.read_text() == wanted
    assert house.documents.adopt() == []
    house.store(Memory("e", section="Three"))
    wanted = document.read_text()
    assert wanted.index("## Three") > wanted.index(new)
    leave_only_the_log(house, document)
    again, _ = reopen(house.workspace.place.directory)
    again.documents.replay()
    assert document.read_text() == wanted
    again.close()
