"""Keeps apart texts that a sign turns: "a && b", "a || b"; "$5", "€5"; "~1.2", "^1.2"; "A*", "A".

Implements specs/likeness.md (L-22…L-24, L-20). Whatever is not known to be punctuation or markup says something. Asked only
about texts that everything else calls the same. Pure; linear in the texts' lengths.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

from language.likeness.phrases import spelled_out
from ledger.lazy_pattern import lazy_pattern

__all__ = ["by_sign"]


def by_sign(one: str, other: str) -> Literal["", "different", "contradicts"]:
    """Return what signs make of two texts that are the same but for them, "" for nothing."""
    if _has_no_sign(one) and _has_no_sign(other):
        return ""
    one, other = _plain(one), _plain(other)
    return _by_dress(one.split(), other.split()) or _by_telling(_chunks(one), _chunks(other))


_LETTERS = lazy_pattern(r"[^\W_]+(?:['’ ][^\W_]+)*\.?")
_BOUNDED = lazy_pattern(
    r"\b(?:at|than|over|under|above|below|up|exceed|minimum|maximum|or|and|least|most)\b", re.IGNORECASE
)


def _has_no_sign(text: str) -> bool:
    """Say whether a text is letters and digits alone, and no bound in words: there is nothing to compare."""
    return _LETTERS.fullmatch(text) is not None and _BOUNDED.search(text) is None


_EMPHASIS = lazy_pattern(r"(?<![\w*_])(\*{1,3}|_{1,3})(?=[^\s*_./])(.{1,200}?)(?<=[^\s*_])\1(?![\w*])")


def _plain(text: str) -> str:
    return _EMPHASIS.sub(r"\2", text.casefold())


# --- signs at a word that both have (L-22) ---

_DRESSED = lazy_pattern(r"([.*/~^$€£¥₹₽₩!≠±+\\]*)([^.*/~^$€£¥₹₽₩!≠±+\\].*)", re.DOTALL)
_TAIL = lazy_pattern(r"(?<=\w)(?:\+\+|[+#°‰])$|(?<=[._/-])\*+$")
_NO_SIGN = frozenset(("./", "..", "..."))


def _by_dress(left: list[str], right: list[str]) -> Literal["", "different", "contradicts"]:
    found: Literal["", "different"] = ""
    dressed, others = _dress(left), _dress(right)
    for core in dressed.keys() & others.keys():
        if dressed[core].isdisjoint(others[core]):
            if core[0].isdigit() and "" not in dressed[core] | others[core]:
                return "contradicts"
            found = "different"
    return found


def _dress(chunks: list[str]) -> dict[str, set[str]]:
    """Return with which signs before and behind it each word stands."""
    found: dict[str, set[str]] = {}
    for chunk in chunks:
        bare = chunk.lstrip("\"'([{<`").rstrip("\"')]}>`,;:!?.")
        if not (match := _DRESSED.fullmatch(bare)):
            continue
        before, core = match.groups()
        tail = _TAIL.search(core)
        behind = tail[0] if tail else ""
        core = core[: len(core) - len(behind)].rstrip("/%")
        if behind == "+" and core[-1:].isdigit():
            behind = ""
        if core:
            found.setdefault(core, set()).add(f"{'' if before in _NO_SIGN else before} {behind}".strip())
    return found


# --- all other signs (L-23, L-24) ---

_HARMLESS = frozenset(".,:;!?'\"`/…·•。、،؛؟।")
"""Punctuation beside or in a word; so are brackets, quotation marks, dashes and low lines, by their categories."""
_HARMLESS_KINDS = frozenset(("Ps", "Pe", "Pi", "Pf", "Pd", "Pc"))
_ENDS = ".,:;!?…。、،؛؟।"
_AFTER = lazy_pattern(r"[\"'`)\]}.,:;!?/…]+")
_MARKUP = frozenset("- * + • > # ## ### #### ##### ######".split())
"""What opens a line and says only what kind of line it is."""
_AND = frozenset("&+")
"""What stands for *and* between words."""
_BOUNDS = frozenset("atleast atmost morethan lessthan".split())
"""How `spelled_out` writes a bound, be it in words or in signs."""
_WRITTEN = tuple(
    (lazy_pattern(pattern), text)
    for pattern, text in (
        (r"<([a-z][\w+.-]{1,20}://[^\s<>]{1,500})>", r"\1"),
        (r"(?<![-<])-{1,2}>", "→"),
        (r"(?<![=<>])=>", "⇒"),
        (r"<-(?![-\d])", "←"),
        (r"(?<=\d) ?(?:%|percent\b)", "%"),
        (r"(?<=\d)((?:\.x)?[a-z%]{0,12})\+(?![\w+=])", r"\1 atleast "),
        (r"(?<!\S)([(\[\"'`]{0,3})#(?=\d)", r"\1"),
        (r"(?<=[\w%])[.,:;!?]{1,9}(?!\S)", ""),
    )
)
"""Ways to write one sign, and signs that are read as words or as part of a number."""


def _by_telling(one: list[str], other: list[str]) -> Literal["", "different"]:
    left, right = list(_telling(one)), list(_telling(other))
    if left != right and _without_and(left, other) != _without_and(right, one):
        return "different"
    mine, yours = list(_alone(one)), list(_alone(other))
    return "different" if mine and yours and mine != yours else ""


def _without_and(signs: list[str], other: list[str]) -> list[str]:
    """Return the signs without those that stand for *and*, where the other text has that word and none of them."""
    if "and" not in other or not _AND.isdisjoint(other):
        return signs
    return [sign for sign in signs if sign not in _AND]


def _telling(chunks: list[str]) -> Iterator[str]:
    """Give the signs of a text that are more than punctuation or markup, in order."""
    for at, chunk in enumerate(chunks):
        if chunk in _BOUNDS:
            yield chunk
        elif any(map(str.isalnum, chunk)):
            if not chunk.isalnum():
                yield from _beside(chunk)
        elif not _is_pause(chunk, last=at == len(chunks) - 1, only=len(chunks) == 1):
            yield _bare(chunk)


def _alone(chunks: list[str]) -> Iterator[str]:
    """Give the pauses of a text that stand between spaces, where they may be what it is about."""
    for chunk in chunks[:-1]:
        if not (any(map(str.isalnum, chunk)) or _is_dash(chunk)) and _is_pause(chunk, last=False, only=False):
            yield chunk


def _chunks(text: str) -> list[str]:
    for pattern, written in _WRITTEN:
        text = pattern.sub(written, text)
    chunks = spelled_out(text).split()
    first = next((at for at, chunk in enumerate(chunks) if chunk not in _MARKUP), 0)
    return chunks[first:]


def _is_pause(chunk: str, *, last: bool, only: bool) -> bool:
    """Say whether a chunk without letters is punctuation: a dash, dots, one sign, or several that end the text."""
    if only or _is_dash(chunk) or chunk.strip("…·•") == "" or (len(chunk) > 2 and chunk.strip(".") == ""):
        return not any(map(_tells, chunk))
    if any(map(_tells, chunk)) or chunk in (".", "/", "_"):
        return False
    if chunk[0] in ")]}":
        return True
    return len(chunk) == 1 or (last and "." not in chunk[:1])


def _is_dash(chunk: str) -> bool:
    return all(unicodedata.category(sign) == "Pd" for sign in chunk)


def _bare(chunk: str) -> str:
    """Return what stands alone without quotation marks and what punctuation ends with it."""
    inner = chunk.strip("\"'`()[]{}") or chunk
    return inner.rstrip(_ENDS + "\"'`)]}") if any(map(_tells, inner)) else inner


def _beside(chunk: str) -> Iterator[str]:
    """Give the telling signs before, in and behind a word."""
    places = [at for at, sign in enumerate(chunk) if not _is_sign(sign)]
    start, end = places[0], places[-1] + 1
    before = chunk[:start].lstrip("\"'`([{«“„¿¡.,:;!?/…")
    if before and (any(map(_tells, before)) or before[-1] in "-_"):
        yield f"{before}x"
    if inner := "".join(filter(_tells, chunk[start:end])):
        yield f"x{inner}x"
    behind = _AFTER.sub("", chunk[end:]) if end < len(chunk) else ""
    if any(map(_tells, behind)) or behind[:1] == "_" or behind[:2] == "--":
        yield f"x{behind}"


@lru_cache(maxsize=1024)
def _is_sign(sign: str) -> bool:
    return unicodedata.category(sign)[0] in "PS"


@lru_cache(maxsize=1024)
def _tells(sign: str) -> bool:
    """Say whether a sign is more than punctuation."""
    return _is_sign(sign) and sign not in _HARMLESS and unicodedata.category(sign) not in _HARMLESS_KINDS
