"""Finds text in a memory that reads like an instruction to the model.

Implements specs/projections.md (P-132, P-133, P-205). Anyone who can make an agent read a page can try to make it remember an
instruction. A person sees each finding with the author of the memory. Nothing is hidden or changed because of it,
since a rule knows words and not intentions.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from language.instruction_encodings import decoded
from language.instruction_screen import screen_of
from language.instruction_signs import SIGNS as PHRASES
from language.instruction_statements import TOLD
from ledger.lazy_pattern import lazy_pattern
from ledger.memory import Memory

SIGNS = PHRASES | TOLD
"""The pattern of each sign, by its name."""

_TAG_CHARACTERS = lazy_pattern("[\U000e0020-\U000e007f]{3,}")
_TURNED = lazy_pattern("[\u202a-\u202e\u2066-\u2069]")
_HIDDEN = "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2060-\u2064\u3164\ufe00-\ufe0f\ufeff\uffa0"
_WIDTHLESS = lazy_pattern(f"[{_HIDDEN}]")
_BETWEEN = lazy_pattern("\\w[\u200b\u2060\ufeff\u00ad\u180e]+\\w|[a-zA-Z][\u034f\ufe00-\ufe0f]+[a-zA-Z]")
_LINE_END = lazy_pattern(r"(?<![.!?:;,|`]) *\n *(?![\n#>|`*+-])")
"""A line end within a sentence."""
_FORBIDDEN = lazy_pattern(
    r"(?:\b(?:never|not|avoid|without|nobody may|no one may)|n't) (?:(?:ever|just|simply|blindly|also|even|to) )?"
    r"(?:(?:run|use|execute|pipe|call) [`\"']?)?$"
)
_PROHIBITIONS = frozenset(("secrecy", "told silence"))
_SPACES = lazy_pattern(r"[^\S\n]+")
_AROUND = 60
_LABELS = ("section", "tags")


@dataclass(frozen=True, slots=True)
class Sign:
    """One finding: the name of the sign, the member, and the words with a little text around them."""

    name: str
    member: str
    words: str


def signs_of(memory: Memory) -> list[Sign]:
    """Return the signs of an instruction to the model in a memory, each sign once (P-132)."""
    found: dict[str, Sign] = {}
    for member, text in _texts(memory):
        for name, words in _signs_in_label(text) if member in _LABELS else signs_in(text):
            found.setdefault(name, Sign(name, member, words))
    return list(found.values())


def signs_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the words of each sign in one text."""
    if text.isascii():  # it cannot hide characters
        yield from _signs_in_visible(text)
        return
    hidden = "".join(chr(ord(char) - 0xE0000) for char in "".join(_TAG_CHARACTERS.findall(text)))
    if hidden or _TURNED.search(text) or len(_BETWEEN.findall(text)) > 1:
        yield "hidden characters", hidden or _excerpt(_WIDTHLESS.sub("\u00b7", text), 0, 0)
    visible = unicodedata.normalize("NFKC", _WIDTHLESS.sub("", text)).replace("\u2019", "'")
    yield from _signs_in_visible(visible)
    if hidden:
        yield from ((name, words) for name, words in signs_in(hidden))


@lru_cache(1024)
def _signs_in_label(text: str) -> tuple[tuple[str, str], ...]:
    """Return the signs in a section or tag, which many memories share."""
    return tuple(signs_in(text))


def _signs_in_visible(text: str) -> Iterator[tuple[str, str]]:
    """Yield name and words of each sign in a text without hidden characters, as it stands or decoded."""
    yield from _signs_in_plain(text)
    for said in decoded(text):
        if found := next(_signs_in_plain(said), None):
            yield "encoded", found[1]
            break


def _signs_in_plain(text: str) -> Iterator[tuple[str, str]]:
    """Yield name and words of each sign in a text that hides nothing."""
    plain = _SPACES.sub(" ", text)
    joined = plain if "```" in plain else _LINE_END.sub(" ", plain)
    forms = [form for form in dict.fromkeys((plain, joined)) if not _screen()(form.lower())]
    for name, sign in SIGNS.items():
        for form in forms:
            said = form.lower()
            if match := _first(name, sign, said):
                yield name, _excerpt(form if len(form) == len(said) else said, match.start(), match.end())
                break


@cache
def _screen() -> Callable[[str], bool]:
    return screen_of(sign.pattern for sign in SIGNS.values())


def _first(name: str, sign: re.Pattern[str], said: str) -> re.Match[str] | None:
    """Return the first match of a sign that is not negated; secrecy is a negation itself."""
    found = sign.finditer(said)
    return next(
        (each for each in found if name in _PROHIBITIONS or not _is_forbidden(said, each.start())), None
    )


def _is_forbidden(said: str, at: int) -> bool:
    """Return whether the words at this place follow a `never` or `do not` (P-177)."""
    return _FORBIDDEN.search(said, max(at - _AROUND, 0), at) is not None


def _texts(memory: Memory) -> Iterator[tuple[str, str]]:
    yield "text", memory.text
    yield from (("details", detail) for detail in memory.details)
    if memory.title:
        yield "title", f"{memory.title}: {memory.text}"  # as in a prompt
    for name in ("body", "section", "extra"):
        if said := getattr(memory, name):
            yield name, said
    for name in ("tags", "when_to_use"):
        if values := getattr(memory, name):
            yield name, "\n".join(values)


def _excerpt(text: str, start: int, end: int) -> str:
    """Return the words from start to end with a little around them, in one line."""
    begin, stop = max(start - _AROUND // 2, 0), min(max(end, start + _AROUND), start + 3 * _AROUND)
    cut = " ".join(text[begin:stop].split())
    return ("\u2026" if begin else "") + cut + ("\u2026" if stop < len(text) else "")
