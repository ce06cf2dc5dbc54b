"""Splits a markdown document into blocks without losing a byte.

Implements specs/import.md (I-3, I-6, I-7, I-9, I-14, I-26). CommonMark decides where a block begins; the source of every
block is a slice of the document's own lines, so that joining them gives the document back. This module does not know
memories.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from ledger.errors import RecordError
from ledger.hidden_characters import unreferred
from ledger.lazy_pattern import lazy_pattern
from ledger.memory import record_fault
from projections.commonmark import block_parser

if TYPE_CHECKING:
    from markdown_it.token import Token

BlockKind = Literal["bom", "frontmatter", "heading", "bullet", "verbatim", "blank"]

BOM = "\ufeff"
MAX_SUMMARY = 200
MAX_BULLET_BYTES = 16_384
"""A longer bullet is kept verbatim: only bodies can be split when an event line passes its limit (I-9)."""

# markdown-it ends a line at LF, CRLF or CR and nowhere else; str.splitlines knows eight more line ends.
_LINE = lazy_pattern(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_FENCE = lazy_pattern(r"---[ \t]*")
# No two neighbours in a pattern match the same character: a long line must not take quadratic time.
_YAML_KEY = lazy_pattern(r"""["']?\w[\w .-]*["']?:(?:\s|$)""")
_BULLET = lazy_pattern(r"[ \t]*[-*+][ \t]+")
_MARKERS = lazy_pattern(r"(?:\s|<!--|[>|]|[-*+](?=\s)|#+(?=\s)|\d+[.)](?=\s))+")
_CODE_OR_TABLE = lazy_pattern(r"\s*(?:```|~~~|\|)")
_CODE_FENCE = lazy_pattern(r" {0,3}(?:`{3}|~{3})")
_ESCAPED_CLOSING = lazy_pattern(r"(?:^|(?<=[ \t]))\\(?=#+$)")
_CONTROL = lazy_pattern(r"[\x00-\x08\n-\x1f\x7f-\x9f\ud800-\udfff]")
_BREAK = lazy_pattern(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]")
_CONFLICT = tuple(lazy_pattern(mark, re.MULTILINE) for mark in ("^<{7} ", r"^={7}[ \t\r]*$", "^>{7} "))


@dataclass(frozen=True, slots=True)
class Block:
    """One stretch of whole lines.

    `source` is its text, line ends and all; `line` counts from 1 and `offset` in bytes of UTF-8 from 0, both
    in the whole document. `text` is a heading's words, or the one line of a simple bullet; `details` are the
    lines of its sub-bullets, `body` is the text below them after a blank line, without its indent. `level`
    is 1 to 6 in a heading, else 0. A bullet is `simple` if `text`, `details` and `body` have all of it.
    """

    kind: BlockKind
    source: str
    line: int
    offset: int
    level: int = 0
    text: str = ""
    details: tuple[str, ...] = ()
    body: str = ""
    simple: bool = False


@dataclass(frozen=True, slots=True)
class _Span:
    """A block before it is cut: lines[start:end]."""

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    text: str = ""
    details: tuple[str, ...] = ()
    body: str = ""
    simple: bool = False


def decode(data: bytes, name: str) -> str:
    """Decode a document strictly; a byte-order mark stays as its first character.

    Raises:
        RecordError: the bytes are not UTF-8, or hold U+0000 or a merge conflict; the message names document
            and place (I-3).
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = len(split_lines(data[: error.start].decode("utf-8") + "x"))
        raise RecordError(
            f"{name}: not UTF-8 at byte {error.start} (line {line}); nothing of it was imported;"
            " convert the file to UTF-8 and import it again"
        ) from None
    if (at := text.find("\x00")) >= 0:
        line = len(split_lines(text[: at + 1]))
        raise RecordError(
            f"{name}: line {line} holds U+0000; nothing of it was imported;"
            " remove the character and import it again"
        )
    if (at := _conflict(text)) >= 0:
        line = len(split_lines(text[:at] + "x"))
        raise RecordError(
            f"{name}: a merge conflict begins in line {line} (<<<<<<<); nothing of it was imported;"
            " settle it (or indent the marks, if they are an example) and import the file again"
        )
    return text


def _conflict(text: str) -> int:
    """Return where a merge conflict of git begins, -1 if there is none."""
    begin = at = -1
    for mark in _CONFLICT:
        if (found := mark.search(text, at + 1)) is None:
            return -1
        at = found.start()
        begin = at if begin < 0 else begin
    return begin


def split_lines(text: str) -> list[str]:
    """Return the lines with their ends; LF, CRLF and CR end a line, as in CommonMark."""
    return _LINE.findall(text)


def split_blocks(data: bytes, name: str = "document") -> tuple[Block, ...]:
    """Split a document; the sources of the blocks, joined and encoded, are `data` again (I-6).

    Raises:
        RecordError: as `decode`.
    """
    text = decode(data, name)
    blocks: list[Block] = []
    offset = 0
    if text.startswith(BOM):
        text, offset = text[1:], len(BOM.encode())
        blocks.append(Block("bom", BOM, 1, 0))
    lines = split_lines(text)
    for span in _keep_apart(list(_fill_gaps(_spans(lines), lines)), lines):
        source = "".join(lines[span.start : span.end])
        said = (span.level, span.text, span.details, span.body, span.simple)
        blocks.append(Block(span.kind, source, span.start + 1, offset, *said))
        offset += len(source.encode())
    return tuple(blocks)


def frontmatter_end(lines: Sequence[str], start: int = 0) -> int | None:
    """Return the index after the closing `---` of a frontmatter that opens at `start`, or None (I-7).

    A document may well begin with a rule, so the line after the opening one must not be blank (as in Pandoc)
    and the first line that is not a comment must look like a YAML key.
    """
    if start + 1 >= len(lines) or not is_fence(lines[start]) or is_blank(lines[start + 1]):
        return None
    end = next((i for i in range(start + 1, len(lines)) if is_fence(lines[i])), None)
    if end is None:
        return None
    first = next((s for s in lines[start + 1 : end] if not is_blank(s) and not s.startswith("#")), "")
    return end + 1 if _YAML_KEY.match(first) else None


def is_fence(line: str) -> bool:
    """Return whether the line opens or closes a frontmatter: three hyphens, then spaces or tabs only."""
    return _FENCE.fullmatch(line.rstrip("\r\n")) is not None


def is_blank(line: str) -> bool:
    """Return whether CommonMark calls the line blank: spaces and tabs only."""
    return not line.strip(" \t\r\n")


def summary(source: str) -> str:
    """Return one line of at most 200 characters that describes a verbatim block, or "" (I-14).

    It is the first line with a letter or digit, without the markers before it, cut at a space if one is near. A line
    that opens a code fence counts only if there is no other.
    """
    said = first = ""
    for line in filter(None, map(_one_line, split_lines(source))):
        first = first or line
        words = line[marks.end() :] if (marks := _MARKERS.match(line)) else line
        if any(c.isalnum() for c in words):
            opens_code = _CODE_FENCE.match(words)
            said = words if said == "" or not opens_code else said
            if not opens_code:
                break
    said = said.removesuffix("-->").rstrip() or first
    if len(said) <= MAX_SUMMARY:
        return said
    cut = said[: MAX_SUMMARY - 1]
    return (cut[: cut.rfind(" ")] if " " in cut[MAX_SUMMARY // 2 :] else cut).rstrip() + "…"


def summary_of_note(source: str) -> str:
    """Return the summary of a note: of the text below its headings, unless that is code or a table (I-14)."""
    lines = split_lines(source)
    at = 0
    while (end := _end_of_heading(lines, at)) and (below := trimmed(lines[end:])):
        if _CODE_OR_TABLE.match(below):
            break
        at = end
    return summary("".join(lines[at:]))


def _end_of_heading(lines: Sequence[str], start: int) -> int:
    """Return the index after the heading that begins at `start`, 0 if none begins there."""
    while start < len(lines) and is_blank(lines[start]):
        start += 1
    end = next((at for at in range(start, len(lines)) if is_blank(lines[at])), len(lines))
    tokens = block_parser().parse("".join(lines[start:end]))
    span = tokens[0].map if tokens and tokens[0].type == "heading_open" else None
    return start + span[1] if span else 0


def trimmed(lines: Sequence[str]) -> str:
    """Return the lines joined, without the blank ones before and after."""
    start, end = 0, len(lines)
    while start < end and is_blank(lines[start]):
        start += 1
    while end > start and is_blank(lines[end - 1]):
        end -= 1
    return "".join(lines[start:end])


def without_blanks(blocks: Sequence[Block]) -> Sequence[Block]:
    """Return the blocks without the blank ones before and after."""
    start, end = 0, len(blocks)
    while start < end and blocks[start].kind == "blank":
        start += 1
    while end > start and blocks[end - 1].kind == "blank":
        end -= 1
    return blocks[start:end]


def unescape_heading(words: str) -> str:
    """Return a heading's words without the backslash before closing signs at its end (I-10)."""
    return unreferred(_ESCAPED_CLOSING.sub("", words, count=1))


def has_control(text: str) -> bool:
    """Return whether the text holds a control character other than a tab, or half a surrogate pair (I-9)."""
    return _CONTROL.search(text) is not None


def _one_line(text: str) -> str:
    return " ".join(_BREAK.sub(" ", text).split())


def _spans(lines: list[str]) -> Iterator[_Span]:
    """Yield the top-level blocks of CommonMark in order; `_fill_gaps` fills the gaps."""
    body = frontmatter_end(lines) or 0
    if body:
        yield _Span("frontmatter", 0, body)
    tokens = block_parser().parse("".join(lines[body:]))
    for index, token in enumerate(tokens):
        if token.map is None:
            continue
        start, end = token.map[0] + body, token.map[1] + body
        if token.level == 1 and token.type == "list_item_open" and token.markup in ("-", "*", "+"):
            yield _bullet(_until_close(tokens, index), lines, start, end, body)
        elif token.level > 0 or token.type == "bullet_list_open":
            continue
        elif token.type == "heading_open" and token.markup.startswith("#"):
            words = unescape_heading(tokens[index + 1].content)
            yield _Span("heading", start, end, level=len(token.markup), text=words)
        else:
            # An underlined (setext) heading is verbatim as well: a frontmatter that a rendering put in the
            # middle of a document reads as one, and must not open a section (I-6).
            yield _Span("verbatim", start, end)


def _fill_gaps(spans: Iterator[_Span], lines: list[str]) -> Iterator[_Span]:
    """Yield spans that cover every line once: runs of blank lines as blank spans, lines without a token verbatim.

    A block gives up its blank last lines; link definitions leave no token and come out as verbatim lines.
    """
    at = 0
    for span in spans:
        yield from _uncovered(lines, at, span.start)
        end = span.end
        while end > span.start and is_blank(lines[end - 1]):
            end -= 1
        yield replace(span, end=end)
        at = end
    yield from _uncovered(lines, at, len(lines))


def _uncovered(lines: list[str], start: int, end: int) -> Iterator[_Span]:
    while start < end:
        blank = is_blank(lines[start])
        stop = start + 1
        while stop < end and is_blank(lines[stop]) == blank:
            stop += 1
        yield _Span("blank" if blank else "verbatim", start, stop)
        start = stop


def _keep_apart(spans: list[_Span], lines: list[str]) -> list[_Span]:
    """Clear `simple` of a bullet that would swallow the next block if it were written as `- text` (I-9).

    The words of `*   text` begin in column 4, so that a block indented by two or three spaces stands beside
    it; behind `- text` the same block would belong to the bullet.
    """
    kept: list[_Span] = []
    swallowed = False
    for span in reversed(spans):
        if span.simple and swallowed:
            span = _Span("bullet", span.start, span.end)  # noqa: PLW2901
        if span.kind != "blank":
            first = lines[span.start]
            swallowed = not span.simple and first.expandtabs(4).startswith("  ")
        kept.append(span)
    return kept[::-1]


def _until_close(tokens: list[Token], index: int) -> list[Token]:
    """Return the tokens inside the list item that opens at `index`."""
    level = tokens[index].level
    end = next(i for i in range(index + 1, len(tokens)) if tokens[i].level == level)
    return tokens[index + 1 : end]


def _bullet(inside: list[Token], lines: list[str], start: int, end: int, shift: int) -> _Span:
    texts = _one_line_texts(inside, lines, shift)
    said = sum(not is_blank(line) for line in lines[start:end])
    if texts and len(texts) == said and _fits_record(texts[0], texts[1:]):
        return _Span("bullet", start, end, text=texts[0], details=tuple(texts[1:]), simple=True)
    return _bullet_with_body(lines, start, end) or _Span("bullet", start, end)


def _bullet_with_body(lines: list[str], start: int, end: int) -> _Span | None:
    """Read a bullet as a rendering writes one with a body: `- text`, sub-bullets, a blank line, the body (I-26).

    Every line of the body that is not blank must be indented by two columns, so that a rendering can write it back
    byte for byte.
    """
    item = lines[start:end]
    at = next((i for i, line in enumerate(item) if is_blank(line)), 0)
    head, rest = item[:at], item[at:]
    if not head or not head[0].startswith("- ") or any(not line.startswith("  - ") for line in head[1:]):
        return None
    if any(not is_blank(line) and not line.startswith("  ") for line in rest):
        return None
    tokens = block_parser().parse("".join(head))
    texts = _one_line_texts(_until_close(tokens, 1), head, 0)
    body = trimmed([line if is_blank(line) else line[2:] for line in rest])
    if not body or len(texts) != len(head) or not _fits_record(texts[0], texts[1:]):
        return None
    return _Span("bullet", start, end, text=texts[0], details=tuple(texts[1:]), body=body, simple=True)


def _one_line_texts(inside: list[Token], lines: list[str], shift: int) -> list[str]:
    """Return the lines of a list item that holds a one-line paragraph and plain sub-bullets only; else []."""
    top = inside[0].level if inside else 0
    shape = [(t.type, t.level - top) for t in inside if t.nesting >= 0 and t.type != "inline"]
    if shape[:1] != [("paragraph_open", 0)]:
        return []
    rest = iter(shape[1:])
    for opening in rest:
        if opening == ("bullet_list_open", 0):
            continue
        if opening != ("list_item_open", 1) or next(rest, None) != ("paragraph_open", 2):
            return []
    texts: list[str] = []
    for token in inside:
        if token.type != "inline" or token.map is None:
            continue
        # The words come from the source: markdown-it strips every kind of space from its copy.
        line = lines[token.map[0] + shift]
        marker = _BULLET.match(line)
        if marker is None:
            return []
        texts.append(line[marker.end() :].rstrip(" \t\r\n"))
    return texts


def _fits_record(text: str, details: list[str]) -> bool:
    """Return whether a record can hold the lines as they are, without a body (I-9)."""
    if sum(len(line.encode()) for line in (text, *details)) > MAX_BULLET_BYTES:
        return False
    return record_fault({"text": text, "details": details}) is None
