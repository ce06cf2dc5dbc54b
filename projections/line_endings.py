"""The line ends of a document: an editor or git changes them in a whole file, which is not an edit.

Implements specs/projections.md (P-99) and specs/editing.md (D-18). A rendering has LF, no byte-order mark, and a line end at
its end; a file in a folder keeps its own style when it is written again. Pure.
"""

from __future__ import annotations

from ledger.named_tuple import NamedTuple

_BOM = b"\xef\xbb\xbf"


class Style(NamedTuple):
    """Whether a file begins with a byte-order mark, ends all its lines with CRLF, and its last line with nothing."""

    bom: bool = False
    crlf: bool = False
    open_end: bool = False


PLAIN = Style()


def style_of(data: bytes) -> Style:
    """Return a file's style; mixed line ends belong to the text."""
    text = data.removeprefix(_BOM)
    ends = text.count(b"\r\n")
    crlf = ends > 0 and text.count(b"\n") == ends == text.count(b"\r")
    return Style(data.startswith(_BOM), crlf, bool(text) and not text.endswith((b"\n", b"\r")))


def plain(data: bytes, style: Style) -> bytes:
    """Return a file of this style as a rendering would write it."""
    text = data.removeprefix(_BOM) if style.bom else data
    text = text.replace(b"\r\n", b"\n") if style.crlf else text
    return text + b"\n" if style.open_end else text


def styled(data: bytes, style: Style) -> bytes:
    """Return a rendering in this style."""
    if style.open_end:
        data = data.removesuffix(b"\n").removesuffix(b"\r")
    if style.crlf:
        data = data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    return _BOM + data if style.bom else data
