"""Machines whose logs order a document's lines otherwise come to one order; with a real git."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

from tests.adopting.machine import cloned, founded

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")


def test_an_order_that_was_committed_later_is_followed(tmp_path: Path) -> None:
    """D-79: what another machine put in an order that this one had before stays so, and nothing goes to and fro."""
    one = founded(tmp_path / "one" / "house", "Alpha queue rule.", "Beta cache rule.", "Gamma parser rule.")
    two = cloned(one, tmp_path / "two")
    first = one.read()
    moved = first.replace("- Gamma parser rule.\n", "").replace("- Alpha", "- Gamma parser rule.\n- Alpha")
    for here, other, text in ((one, two, moved), (two, one, first)) * 2:
        time.sleep(1.1)  # git tells seconds
        (here.folder / "MEMORY.md").write_text(text)
        here("adopt").ok()
        here.commit()
        other.git("pull", "-q", str(here.root), "main")
        other("adopt").ok()
        assert other.read() == text
        assert other.git("status", "--short") == ""
    assert not {"delete", "create"} & set(one.kinds()[4:])
