"""Makes up memory documents for property tests: lines that people write, in any order, with any line ends."""

from __future__ import annotations

from hypothesis import strategies as st

from documents.reading.blocks import BOM

TIDY = (
    "- one fact",
    "* starred",
    "+ with plus",
    "-   wide",
    "- [?] stale",
    "- [ ] task",
    "- seen <!-- auto:confidence=0.85,date=2026-01-10,version=3 -->",
    "- \u4f60\u597d, \u043c\u0438\u0440",
    "  - under it",
    "   * three in",
    " - one in",
    "\t- by tab",
    "  goes on",
    "lazy words",
    "- - nested",
    "- # head",
    "- 1. first",
    "- [?] # odd",
    "-",
    "1. numbered",
    "   1. numbered, three in",
    "> quoted",
    "| a | b |\n|---|---|\n| c | d |",
    "```python\n- code\n## code\n```",
    "  ~~~\n  x\n  ~~~",
    "<!-- said aside -->",
    "<!--\n- hidden\n-->",
    "<div>\n- inside\n</div>",
    "    indented",
    "[ref]: /there",
    "key: value",
    "---",
    "***",
    "===",
    "## User Preferences",
    "## \U0001f527 tool usages:",
    "## Corrections",
    "## Our own words",
    "## " + "long " * 30,
    "## C #",
    "## #tag",
    "##",
    "### deeper",
    "# A title",
    "# Auto-Memories",
    "",
    "",
    "",
    " \t",
)
"""Lines, and small blocks that close what they open."""

WILD = (
    "```",
    "~~~~",
    "<!--",
    "-->",
    "<script>",
    "- ```",
    "\u00a0",
    "\x0c",
    "- a\u2028b",
    "- bell \x07",
    "\ufeff- x",
)
"""Lines that may open what nothing closes, or hold characters that people do not see."""


ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)


def wild_documents() -> st.SearchStrategy[str]:
    """Return documents of any lines with any line ends; the last may lack its own. No U+FEFF comes first."""
    line = st.one_of(st.sampled_from(TIDY), st.sampled_from(TIDY + WILD), ANY_TEXT)
    ends = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"])
    whole = st.lists(st.tuples(line, ends), max_size=14).map(_joined)
    return st.builds(lambda text, bare: text.rstrip("\r\n") if bare else text, whole, st.booleans())


def tidy_documents() -> st.SearchStrategy[str]:
    """Return documents in which everything that is opened is closed, with LF at the end of every line."""
    return st.lists(st.tuples(st.sampled_from(TIDY), st.just("\n")), max_size=14).map(_joined)


def _joined(lines: list[tuple[str, str]]) -> str:
    return "".join(line + end for line, end in lines).lstrip(BOM)


def marked(text: str, bom: bool) -> bytes:
    """Return the bytes of a document, with or without a byte-order mark."""
    return ((BOM if bom else "") + text).encode()
