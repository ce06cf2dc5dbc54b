"""Decodes disguised text: escapes, base64, hexadecimal, rot13, letters with spaces between, digits for letters.

Implements specs/projections.md (P-205). The result is searched for signs like any text; an encoding alone is not a
sign. Pure; linear in the text's length.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
from collections.abc import Iterator
from urllib.parse import unquote

from ledger.lazy_pattern import lazy_pattern

_LONGEST = 20_000
"""How much of a text is decoded, in characters."""
_MOST = 20
"""How many blobs of one text are decoded."""
_BLOB = lazy_pattern(r"(?<![A-Za-z0-9+/_-])(?=[A-Za-z0-9+/_-]{0,200}[A-Z])[A-Za-z0-9+/_-]{16,4000}={0,2}")
_BYTES = lazy_pattern(r"(?<![0-9a-fA-F])(?:[0-9a-fA-F]{2}[ :]?){8,2000}(?![0-9a-fA-F])")
_ESCAPE = lazy_pattern(r"\\x([0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\([0-7]{3})")
_ENTITY = lazy_pattern(r"&(?:#\d{2,6}|#[xX][0-9a-fA-F]{2,5}|[a-zA-Z]{2,8});")
_PARTED = lazy_pattern(r"(?<!\S)(?:\S {1,3}){7,2000}\S(?!\S)")
_GAP = lazy_pattern(r"(?<=\S) (?=\S)")
_LEET = lazy_pattern(
    r"(?<![\w/.-])(?=[a-zA-Z0-9@$]{0,30}[a-zA-Z])(?=[a-zA-Z0-9@$]{0,30}[013457@$])[a-zA-Z0-9@$]{2,30}(?![\w/-])"
)
_LETTERS = str.maketrans("013457@$", "oieastas")
_ROTATED = lazy_pattern(r"rot-?13|\bcaesar\b", re.IGNORECASE)
_REVERSED = lazy_pattern(r"\bbackwards?\b|\brevers(?:ed?|ing)\b|\bmirrored\b", re.IGNORECASE)
_PRINTED = 0.95


def decoded(text: str) -> Iterator[str]:
    """Yield a text decoded from each disguise that it may have; unprintable characters become dots."""
    for said in _undisguised(text[:_LONGEST]):
        yield "".join(char if char.isprintable() or char == "\n" else "\u00b7" for char in said)


def _undisguised(text: str) -> Iterator[str]:
    if "\\" in text and (plain := _ESCAPE.sub(_unescaped, text)) != text:
        yield plain
    if "%" in text and (plain := unquote(text, errors="ignore")) != text:
        yield plain
    if "&" in text and _ENTITY.search(text) and (plain := html.unescape(text)) != text:
        yield plain
    if (plain := _LEET.sub(lambda word: word.group().translate(_LETTERS), text)) != text:
        yield plain
    for parted in _PARTED.findall(text)[:_MOST]:
        yield _GAP.sub("", parted)
    if _ROTATED.search(text):
        yield codecs.encode(text, "rot13")
    if _REVERSED.search(text):
        yield text[::-1]
    yield from filter(None, map(_from_base64, _BLOB.findall(text)[:_MOST]))
    yield from filter(None, map(_from_bytes, _BYTES.findall(text)[:_MOST]))


def _unescaped(match: re.Match[str]) -> str:
    digits, base = (match[3], 8) if match[3] else (match[1] or match[2], 16)
    return chr(int(digits, base))


def _from_base64(blob: str) -> str:
    bare = blob.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return _readable(base64.b64decode(bare + "=" * (-len(bare) % 4)))
    except binascii.Error:
        return ""


def _from_bytes(digits: str) -> str:
    bare = digits.replace(" ", "").replace(":", "")
    return _readable(bytes.fromhex(bare[: len(bare) // 2 * 2]))


def _readable(data: bytes) -> str:
    """Return bytes as text if they look like words, else ""."""
    text = data.decode("utf-8", "ignore")
    shown = sum(char.isprintable() or char.isspace() for char in text)
    return text if len(text) > 7 and shown >= _PRINTED * len(data) else ""
