"""Distinguishes texts by signs, or by the case of a word in code: "a && b", "a || b"; `-s`, `-S`.

Implements specs/likeness.md (L-16, L-22…L-24). Pure; linear in the texts' lengths.
"""

from __future__ import annotations

from language.likeness import vocabulary
from language.likeness.phrases import spelled_out
from language.likeness.plain import AROUND, CODE_SPAN, made_plain
from ledger.lazy_pattern import lazy_pattern

_EITHER_CASE = frozenset(
    "api sql ui ux cli gui html xml cpu gpu ssl tls ssh http https jwt orm sdk ide csv pdf qa ai llm ok tdd".split()
)
"""Names that people write in either case."""
_STRESSED = vocabulary.GRAMMAR - {"us", "it", "who"}
"""Capitals only emphasise these words."""


def is_written_otherwise(one: str, other: str) -> bool:
    """Return whether two texts have different signs, or a word whose case changes its meaning."""
    return _signs(one) != _signs(other) or _is_in_other_case(one, other)


def _is_in_other_case(one: str, other: str) -> bool:
    """Return whether a code span, a path, an option or a word in capitals differs in case (L-16)."""
    mine, yours = _forms(one), _forms(other)
    return any(
        mine[word].strip("`") != yours[word].strip("`") and (_is_exact(mine[word]) or _is_exact(yours[word]))
        for word in mine.keys() & yours.keys()
    )


def _forms(text: str) -> dict[str, str]:
    """Return each word in lower case with its written form; code spans begin with a backtick."""
    chunks = [chunk.strip(AROUND) for chunk in CODE_SPAN.sub("", text).split()]
    spans = {
        " ".join(span.split()).casefold(): f"`{' '.join(span.split())}" for span in CODE_SPAN.findall(text)
    }
    if (len(chunks) > 1 and text.isupper()) or any(
        len(form) > 1 and form.isupper() and form.casefold() in _STRESSED for form in chunks
    ):
        return spans
    return {form.casefold(): form for form in chunks if form} | spans


def _is_exact(form: str) -> bool:
    if not form.isalpha():
        return form[0] in "`-" or any(sign in form for sign in "./_")
    word = form.casefold()
    known = vocabulary.is_known(word) or word in _EITHER_CASE or word in _STRESSED
    return len(form) > 1 and form.isupper() and not known


_EMPHASIS = lazy_pattern(r"(?<![\w*_])(\*{1,3}|_{1,3})(?=[^\s*_./])(.{1,200}?)(?<=[^\s*_])\1(?![\w*])")
_WRITTEN = tuple(
    (lazy_pattern(pattern), text)
    for pattern, text in (
        (r"<([a-z][\w+.-]{1,20}://[^\s<>]{1,500})>", r"\1"),
        (r"(?<=\w)[.!?]+$", ""),
        (r"(?<=\w\w) [&+] (?=\w\w)", " and "),
        (r"(?<=\d) ?(?:%|percent\b)", "%"),
        (r"(?<=\d)\+(?!\S)", " atleast "),
        (r"(?<!\S)#(?=\d)|\*{2}|`", ""),
        (r"(?<![-<])-{1,2}>", "→"),
    )
)
_BOUNDS = frozenset("atleast atmost morethan lessthan".split())
_HARMLESS = frozenset(".,:;!?'\"/…·•。、()[]{}“”-_")
"""Punctuation beside or within a word."""
_MARKUP = frozenset("- * + • > # ## ### ; / – —".split())


def _signs(text: str) -> list[str]:
    """Return the signs of a text except punctuation and markup, and its bounds, in order (L-22…L-24)."""
    text = _EMPHASIS.sub(r"\2", made_plain(text).text.casefold())
    for pattern, written in _WRITTEN:
        text = pattern.sub(written, text)
    found: list[str] = []
    for at, chunk in enumerate(spelled_out(text).split()):
        bare = chunk.lstrip("\"'([{").rstrip("\"')]},;:!?.")
        core = bare.lstrip(".-~^$€£*!")
        if chunk in _BOUNDS:
            found.append(chunk)
        elif not any(map(str.isalnum, chunk)):
            found += [bare or chunk] if (chunk not in _MARKUP or (at and chunk not in "-;/–—")) else []
        else:
            lead = bare[: len(bare) - len(core)]
            signs = "".join(sign for sign in core if not sign.isalnum() and sign not in _HARMLESS)
            signs += "--" if core.endswith("--") else ""
            found += [f"{lead} {signs}"] if signs or (lead and bare[:2] not in ("./", "..")) else []
    return found
