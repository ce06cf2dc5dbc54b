"""Writes texts so that CommonMark reads them back as they are meant: escapes lines, frames verbatim blocks.

Implements specs/projections.md (P-10…P-15). Knows no memory and no document. The CommonMark parser is
imported only for the few blocks that a look at their lines does not decide.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from ledger.hidden_characters import referred, unreferred
from ledger.lazy_pattern import lazy_pattern

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

TITLE = "Auto-Memories"
BLANK = "&#32;"
"""Written for a blank sub-bullet; an empty one would underline the line before it."""
GUARD = "<!-- -->\n\n"
"""Keeps an indented block apart from the list item above it (P-14)."""

_BLOCK_TAGS = """
    address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div
    dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe
    legend li link main menu menuitem nav noframes ol optgroup option p param search section summary table
    tbody td tfoot th thead title tr track ul
"""
_BLOCK_TAG = "|".join(_BLOCK_TAGS.split())
_ATTRIBUTE = r"""\s+[a-z_:][a-z0-9:._-]*(?:\s*=\s*(?:[^"'=<>`\x00-\x20]+|'[^']*'|"[^"]*"))?"""
_LINK_TITLE = r""" "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*' | \((?:[^()\\]|\\.)*\) """

# What begins another block than a paragraph where a paragraph would begin, behind any number of backslashes:
# a line that looks escaped already needs one backslash more, or two texts would be written alike.
_STRUCTURE = lazy_pattern(
    rf"""\\*(?:
        \#{{1,6}}(?=[ \t]|$)                                   # a heading
      | [-+*](?=[ \t]|$) | >                                   # a bullet, a quote
      | -[- \t]*$ | ([*_])(?:[ \t]*\1){{2,}}[ \t]*$            # a rule; "- --" is one too
      | `{{3,}}(?=[^`]*$) | ~{{3,}}                            # a fence
      | <(?: !-- | \? | !\[CDATA\[ | ![a-z]                    # HTML of kinds 2 to 5,
           | (?:script|pre|style|textarea)(?=[\s>]|$)          # 1,
           | /?(?:{_BLOCK_TAG})(?=\s|/?>|$)                    # 6
           | (?:[a-z][a-z0-9-]*(?:{_ATTRIBUTE})*\s*/?|/[a-z][a-z0-9-]*\s*)>\s*$ )  # and 7
      | \[(?:[^\[\]\\]|\\.)*\]:[ \t]*(?:<[^<>]*>|[^ \t]+)       # a link definition
            (?:[ \t]+(?:{_LINK_TITLE}))?\s*$
      | \[\?\](?=[ \t])                                        # our own mark of what is stale
      | {re.escape(BLANK)}$
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_NUMBER = lazy_pattern(r"([0-9]{1,9})(\\*[.)](?:[ \t].*)?)")
_ESCAPED_NUMBER = lazy_pattern(r"([0-9]{1,9})\\(\\*[.)](?:[ \t].*)?)")
_CLOSING = lazy_pattern(r"(?:^|(?<=[ \t]))(?=#+$)")

_SPACE = " \t\r\n"
_LINE = lazy_pattern(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_MARKED = lazy_pattern(r"^ {0,3}(?:#{1,6}|[-+*])(?=[ \t\n]|\Z)", re.MULTILINE)
_LISTED = lazy_pattern(r"^ {0,3}(?:[-+*]|[0-9]{1,9}[.)])(?=[ \t\n])", re.MULTILINE)
_ITEM = lazy_pattern(r" {0,3}[-+*] {1,4}(?=[^ \t\n])")
_RULE = lazy_pattern(r" {0,3}([-*])(?:[ \t]*\1){2,}[ \t]*(?:\n|\Z)")
_FRONTMATTER = lazy_pattern(
    r"""---[ \t]*\n ["']?\w[\w\ .-]*["']?[ \t]*:(?=[ \t\n])
        (?:(?!\n---[ \t]*\n|\n\ {0,3}\#).)* \n---[ \t]*\n""",
    re.VERBOSE | re.DOTALL,
)
_ROW = lazy_pattern(r"[ \t]*\|.*")
_UNDERLINED = lazy_pattern(r"^ {0,3}\S.*\n {0,3}(?:=+|-+)[ \t]*$", re.MULTILINE)
_TITLE_OR_RULE = lazy_pattern(r" {0,3}(?:#{1,6}(?:[ \t].*)?|([-*_=])(?:[ \t]*\1)*[ \t]*)")
_HTML_ENDS = ("-->", "?>", "]]>", "</pre>", ">")


def escape(text: str) -> str:
    """Return one line of text as the content of a list item or paragraph (P-10).

    Outer spaces and tabs are removed. A backslash goes before anything that would begin another block; an
    invisible character becomes a reference (P-209).
    """
    text = referred(text.strip(" \t"))
    if not text:
        return BLANK
    if text[0].isalpha():
        return text
    if _STRUCTURE.match(text):
        return "\\" + text
    return _NUMBER.sub(r"\1\\\2", text) if _NUMBER.fullmatch(text) else text


def unescape(line: str) -> str:
    """Reverse `escape`; a line that it never produces is returned as it is (P-11)."""
    if line == BLANK:
        return " "
    if line.startswith("\\") and _STRUCTURE.match(line, 1):
        return unreferred(line[1:])
    return unreferred(_ESCAPED_NUMBER.sub(r"\1\2", line) if _ESCAPED_NUMBER.fullmatch(line) else line)


def escape_heading(text: str) -> str:
    """Return one line of text as the content of a heading, with closing signs escaped (P-12)."""
    heading = referred(text.strip(" \t"))
    return _CLOSING.sub(r"\\", heading, count=1) if "#" in heading else heading


def trimmed(body: str) -> str:
    """Return the body without blank lines around it, its last line ended; "" if it is blank (P-13, P-209)."""
    body = referred(body, literal=False)
    inner = body.strip(_SPACE)
    if not inner:
        return ""
    start = len(body) - len(body.lstrip(_SPACE))
    begin = max(body.rfind("\n", 0, start), body.rfind("\r", 0, start)) + 1
    rest_of_line = _LINE.match(body, start + len(inner))
    kept = body[begin : rest_of_line.end()] if rest_of_line else body[begin:]
    return kept if kept.endswith("\n") else kept + "\n"


def indented(body: str) -> str:
    """Return a trimmed body as further content of a list item: two columns in, except blank lines (P-15)."""
    return "".join("  " + line if line.strip(_SPACE) else line for line in _LINE.findall(body))


def verbatim(body: str) -> str | None:
    """Return a trimmed body as a block of its own, closed if it was open; None if it is several blocks (P-13).

    It is one block if it parses to no section heading, and to no bullet or to a single bullet alone.
    """
    return closed(body) if _is_one_block(_plain_ends(body)) else None


def closed(body: str) -> str:
    """Return a trimmed body with the line that closes its open fence or HTML, so that it swallows nothing below (P-14)."""
    if "```" not in body and "~~~" not in body and "<" not in body:
        return body
    end = _end_of(_plain_ends(body))
    return f"{body}{end}\n" if end else body


def guard(before: str, block: str) -> str:
    """Return the separator that keeps the second block out of a list in the first, or "" (P-14).

    Args:
        before: the block before, trimmed, at the top level.
        block: a trimmed block.
    """
    before = _plain_ends(before)
    if block[0] not in " \t" or not _LISTED.search(before):
        return ""
    line = before.count("\n") + 1
    begins = (
        t for t in _parse(f"{before}\n{block}") if t.nesting >= 0 and t.map is not None and t.map[0] == line
    )
    apart = any(t.level == 0 or (t.level == 1 and t.type == "list_item_open") for t in begins)
    return "" if apart else GUARD


def is_frontmatter(body: str) -> bool:
    """Return whether a trimmed body is frontmatter alone, without a line that begins with `#` (P-8)."""
    return body.startswith("---") and _FRONTMATTER.fullmatch(_plain_ends(body)) is not None


def _plain_ends(body: str) -> str:
    return body.replace("\r\n", "\n").replace("\r", "\n") if "\r" in body else body


# --- blocks that are left open ---


@lru_cache(maxsize=256)
def _end_of(text: str) -> str:
    """Return the line that closes an open block at the end, or "": a heading after it parses as a heading.

    Only the last fence, or HTML of kinds 1 to 5, can be open; one of these lines closes it.
    """
    if _is_closed(f"{text}\n"):
        return ""
    fences = [token.markup for token in _parse(text) if token.type == "fence" and token.level == 0]
    return next((end for end in (*fences[-1:], *_HTML_ENDS) if _is_closed(f"{text}{end}\n\n")), "")


def _is_closed(text: str) -> bool:
    line = text.count("\n")
    headings = (
        token for token in _parse(f"{text}# x\n") if token.type == "heading_open" and token.level == 0
    )
    return any(token.map is not None and token.map[0] == line for token in headings)


# --- blocks that are more than one ---


def _is_one_block(text: str) -> bool:
    if not _MARKED.search(text):
        return True
    item = None if _RULE.match(text) else _ITEM.match(text)
    if item and _all_inside(text, item.end()):
        return True
    return _is_one_block_by_parsing(text)


def _all_inside(text: str, column: int) -> bool:
    """Return whether every further line belongs to the list item whose content begins at this column."""
    margin = " " * column
    return all(line.startswith(margin) or not line.strip(" \t") for line in text.split("\n")[1:])


@lru_cache(maxsize=256)
def _is_one_block_by_parsing(text: str) -> bool:
    tokens = _parse(text)
    top = [(at, token) for at, token in enumerate(tokens) if token.level == 0 and token.nesting >= 0]
    bullets = sum(t.type == "list_item_open" and t.level == 1 and t.markup in ("-", "+", "*") for t in tokens)
    if bullets:
        return bullets == 1 and len(top) == 1 and not _lines_outside(text, top[0][1])
    for at, token in top:
        if token.type == "heading_open" and token.markup.startswith("#"):
            begins = token.map is not None and token.map[0] == 0
            if not begins or token.markup == "##" or tokens[at + 1].content == TITLE:
                return False
    return True


def _lines_outside(text: str, token: Token) -> bool:
    """Return whether there are lines beside the only block that gave no token (link definitions)."""
    start, end = token.map or (0, 0)
    lines = text.split("\n")
    return any(line.strip(" \t") for line in (*lines[:start], *lines[end:]))


def _parse(text: str) -> list[Token]:
    return block_parser().parse(text)


@cache
def block_parser() -> MarkdownIt:
    """Return a parser of CommonMark with tables that asks for block structure alone."""
    # 40 ms to import: only texts that need it pay.
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table").disable("inline")


def is_bare(body: str, *, with_tables: bool = False) -> bool:
    """Return whether a body has no sentence: only headings and rules, and with `with_tables` rows of tables."""
    lines = _UNDERLINED.sub("", _plain_ends(body)).split("\n")
    return all(
        not line.strip() or _TITLE_OR_RULE.fullmatch(line) or (with_tables and _ROW.fullmatch(line))
        for line in lines
    )
