"""Machines whose logs order a document's lines otherwise come to one order; with a real git."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

from tests.documents.adopting.machine import Machine, cloned, founded

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")


TEXTS = ("Alpha queue rule.", "Beta cache rule.", "Gamma parser rule.")


def handed_over(here: Machine, other: Machine, text: str) -> None:
    """Type and commit a text on one machine, pull it on the other, and see that that has nothing to change."""
    time.sleep(1.1)  # git tells seconds
    (here.folder / "MEMORY.md").write_text(text)
    here("adopt").ok()
    here.commit()
    other.git("pull", "-q", str(here.root), "main")
    other("adopt").ok()
    assert other.read() == text
    assert other.git("status", "--short") == ""


def test_an_order_that_was_committed_later_is_followed(tmp_path: Path) -> None:
    """D-79: what another machine put in an order that this one had before stays so, and nothing goes to and fro."""
    one = founded(tmp_path / "one" / "house", *TEXTS)
    two = cloned(one, tmp_path / "two")
    first = one.read()
    moved = first.replace("- Gamma parser rule.\n", "").replace("- Alpha", "- Gamma parser rule.\n- Alpha")
    for here, other, text in ((one, two, moved), (two, one, first)) * 2:
        handed_over(here, other, text)
    assert not {"delete", "create"} & set(one.kinds()[4:])


@pytest.mark.parametrize("where", ["in another order", "under another heading"])
def test_an_order_that_was_never_committed_gives_way(tmp_path: Path, where: str) -> None:
    """D-79: what HEAD has came from the rendering before, and yet stands where HEAD has it."""
    one = founded(tmp_path / "one" / "house", *TEXTS)
    two = cloned(one, tmp_path / "two")
    first = one.read()
    others = first.replace("- Gamma parser rule.\n", "")
    moved = others.replace("- Alpha", "- Gamma parser rule.\n- Alpha")
    if where == "under another heading":
        moved = f"{others}\n## Own\n\n- Gamma parser rule.\n"
    (one.folder / "MEMORY.md").write_text(moved)
    one("adopt").ok()
    one.git("checkout", "-q", ".")
    handed_over(two, one, f"{first}- Delta docs rule.\n")
    assert "delete" not in one.kinds()
