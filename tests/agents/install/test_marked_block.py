"""Tests agents/install/marked_block.py against specs/doors.md (G-24)."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.install.host import UnreadableError
from agents.install.marked_block import BEGIN, END, put, take

LINES = (
    "# Rules",
    "",
    "- Use pnpm",
    "```",
    "<!-- other: begin -->",
    "see `muniment: end`",
    "ü 🙂",
    "   ",
    "\ttab",
)


@st.composite
def files(draw: st.DrawFn) -> str:
    end = draw(st.sampled_from(["\n", "\r\n"]))
    text = end.join(draw(st.lists(st.sampled_from(LINES), max_size=6)))
    mark = draw(st.sampled_from(["", "\ufeff"])) if text else ""
    return mark + text + draw(st.sampled_from(["", end]))


@given(files())
def test_a_block_stands_behind_the_text_and_goes_again(text: str) -> None:
    """The text keeps its bytes; the block has its line ends; twice is once."""
    new = put(text.encode(), "one\ntwo\n").decode()
    assert new.startswith(text)
    assert re.search(f"{re.escape(BEGIN)}\r?\none\r?\ntwo\r?\n{re.escape(END)}\r?\n\\Z", new)
    assert not ("\r\n" in text and re.search(r"(?<!\r)\n", new))
    assert put(new.encode(), "one\ntwo").decode() == new
    left = take(new.encode())
    if not text.strip("\ufeff \t\r\n"):
        assert left is None
    else:
        assert left is not None
        assert left.decode() in (text, text + "\n", text + "\r\n")
        assert left.decode() == text or not text.endswith("\n")


@given(files(), files(), st.booleans())
def test_a_block_is_rewritten_in_place(above: str, below: str, last: bool) -> None:
    """What stands above and below keeps its bytes, whatever the block said."""
    below = "" if last else f"\n{below}"
    text = f"{above}\n{BEGIN}\nold\n{END}{below}"
    new = put(text.encode(), "new").decode()
    assert new.startswith(f"{above}\n{BEGIN}")
    assert new.endswith(f"{END}{below}")
    assert "old" not in new.partition(BEGIN)[2].partition(END)[0]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"a\n{BEGIN}\nb\n", 2),
        (f"a\n\n{END}\n", 3),
        (f"{END}\n{BEGIN}\n", 1),
        (f"{BEGIN}\n{BEGIN}\n{END}\n", 1),
        (f"{BEGIN}\n{END}\n{END}\n", 1),
        (f"{BEGIN}\n{END}\n{BEGIN}\n{END}\n", 1),
    ],
)
def test_a_mark_that_stands_alone_is_refused(text: str, line: int) -> None:
    for change in (lambda data: put(data, "x"), take):
        with pytest.raises(UnreadableError, match=f"line {line}: the mark"):
            change(text.encode())


def test_what_is_not_utf_8_is_refused() -> None:
    with pytest.raises(UnreadableError, match="line 2: is not UTF-8"):
        put(b"a\n\xff\n", "x")
