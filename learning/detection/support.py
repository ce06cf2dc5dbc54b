"""Says whether words stand in other words: what a model says of a text is believed as far as the text says it.

Implements specs/capture.md (K-115). Pure.
"""

from __future__ import annotations

from ledger.lazy_pattern import lazy_pattern

_SUPPORTED = 0.6
"""This share of a text's words must stand in the words that are quoted for it."""

_WORD = lazy_pattern(r"[^\W_]+(?:['’./:_@+#-]+[^\W_]+)*[+#]*")
_PIECE = lazy_pattern(r"\w+")
_CODE = lazy_pattern(r"`([^`]*)`")
_EXACT = lazy_pattern(r"[\d./:_@+#]")
_COMMON = frozenset(
    """a an and any are as at be been being by do does for from has have he her his how i if in into is it its me my of
    on or our she so than that the their them they this to us user user's use uses used using was we were what when
    where which who will with would you your always never not no don't prefers prefer likes wants all only should must
    project before after""".split()
)
_STEM = 4


def supported(text: str, said: str) -> bool:
    """Say whether a text says little that was not said: most of its words, and all in code, or with digits or signs in them."""
    there = _words(said)
    stems = {word[:_STEM] for word in there}
    telling = [word for word in _words(text) if word not in _COMMON]
    exact = {word for code in _CODE.findall(text) for word in _words(code)}
    exact.update(word for word in telling if _EXACT.search(word))
    if any(word not in there and word not in said.casefold() for word in exact):
        return False
    if not telling:
        return bool(there & set(_words(text)))
    found = sum(word in there or (len(word) > _STEM and word[:_STEM] in stems) for word in telling)
    return found >= _SUPPORTED * len(telling)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def stands(quote: str, said: str) -> bool:
    """Say whether the words of a quotation stand in a text, in this order and next to each other."""
    words, there = (" ".join(_PIECE.findall(text.casefold())) for text in (quote, said))
    return bool(words) and f" {words} " in f" {there} "
