"""Keeps apart texts in which another form of a word is another name: "run make test", "run make tests".

Implements specs/likeness.md (L-30, L-32, L-47). Inflections are one word for the rest of likeness; here are the places where
they are not: names, and words that serve as verb and as noun. Asked only about texts that everything else calls the
same. Pure; linear in the texts' lengths.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from language.likeness import vocabulary
from ledger.lazy_pattern import lazy_pattern
from ledger.named_tuple import NamedTuple

__all__ = ["names_another"]

_LEADS = frozenset(
    """table key module package target command branch class function method variable field column queue topic container
    script schema bucket namespace flag option named called import""".split()
)
"""What follows one of these is a name; what stands before one, too: `table user`, `the user table`."""
_BEFORE = (_LEADS | frozenset("file directory dir folder".split())) - {"named", "called", "import"}
_WITH = frozenset(
    "name names size sizes type types path paths value values length count order definition row rows level limit".split()
)
"""What goes with the word before it and is no name: `class names`."""
_TOOLS = frozenset(
    "make npm pnpm yarn cargo git npx just rake gradle mvn tox poetry uv go docker kubectl helm".split()
)
"""What follows one of these, or `run` after it, is a command of its own."""
_NOUNS = frozenset(("user", "users"))
_ARTICLES = frozenset("a an the this that these those our your my its their".split())
_AROUND = ".,;:!?\"'()[]{}<>*_"
_SPAN = lazy_pattern(r"`([\w.-]+)`")
_NOT_VERBS = frozenset("not never always please only just to and or is are be".split())
_ADJECTIVES = frozenset("first current actual maximum".split())


class _Word(NamedTuple):
    text: str
    opens: bool  # it opens a clause, articles and the like aside
    closes: bool  # it ends one
    exact: bool  # it is a code span of its own


def names_another(one: str, other: str) -> bool:
    """Say whether a name, or what a word is, differs in two texts whose words are the same but for inflection."""
    left, right = list(_words(one)), list(_words(other))
    mine, yours = {each.text for each in left}, {each.text for each in right}
    if mine != yours:
        forms = {_bare(word): word for word in mine - yours}
        others = {_bare(word): word for word in yours - mine}
        changed = [stem for stem in forms.keys() & others.keys() if _is_other_form(forms[stem], others[stem])]
        if changed or not _NOUNS.isdisjoint(mine ^ yours):
            named, called = set(_names(left)), set(_names(right))
            if any(forms[stem] in named or others[stem] in called for stem in changed):
                return True
            if not _NOUNS.isdisjoint((named | called) & (mine ^ yours)):
                return True  # `the users table`, `the table`
        if _is_proper(one, other):
            return True
    if _adjectives(left) != _adjectives(right):
        return True
    return _changed_kind(left, right) or _changed_kind(right, left)


def _words(text: str) -> Iterator[_Word]:
    opens = True
    for chunk in text.casefold().split():
        exact = "`" in chunk and _SPAN.search(chunk) is not None
        bare = chunk.strip(_AROUND + "`")
        closes = chunk.rstrip("\"')]}*_`")[-1:] in tuple(".,;:!?")
        if bare:
            yield _Word(bare, opens, closes, exact)
            opens = opens and (bare in _ARTICLES or bare in _NOT_VERBS or bare.endswith("n't"))
        opens = opens or closes


# --- names (L-30) ---


def _names(said: list[_Word]) -> Iterator[str]:
    imports = any(each.text in ("import", "imports", "imported") for each in said)
    for at, word in enumerate(said):
        if word.exact or not word.text.isalpha():
            if word.exact:
                yield word.text
            continue
        before = said[at - 1].text if at and not said[at - 1].closes else ""
        after = "" if word.closes or at + 1 == len(said) else said[at + 1].text
        second = said[at - 2].text if at > 1 else ""
        if word.text in vocabulary.GRAMMAR and word.text not in _NOUNS:
            continue
        led = before in _LEADS and word.text not in _WITH
        a_value = before in ("is", "from") and (second in _BEFORE or (second and imports)) and not after
        called = before == "it" and second == "call"
        if (
            led
            or called
            or a_value
            or after in _BEFORE
            or before in _TOOLS
            or (before == "run" and second in _TOOLS)
        ):
            yield word.text


def _bare(word: str) -> str:
    return vocabulary.stem(word).rstrip("e")


def _is_other_form(name: str, word: str) -> bool:
    """Say whether a word is a name with another ending: `user`, `users`; not another word for it."""
    short, long = sorted((name, word), key=len)
    return long.startswith(short[: max(3, len(short) - 1)])


# --- names that look like plurals (L-47) ---

_SINGULAR = frozenset("a an each every one".split())
_DAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday january".split())
_FINITE = frozenset("is has was does".split())


def _is_proper(one: str, other: str) -> bool:
    """Say whether a word of one text and its plural in the other are names: `ask William`, `ask Williams`."""
    left, right = _capitals(one), _capitals(other)
    for x in left.keys() - right.keys():
        for y in (f"{x}s", f"{x}es"):
            if y in right and y not in left and _are_names(left[x], right[y]):
                return True
    for x in right.keys() - left.keys():
        for y in (f"{x}s", f"{x}es"):
            if y in left and y not in right and _are_names(right[x], left[y]):
                return True
    return False


class _Form(NamedTuple):
    word: str
    before: tuple[str, ...]  # two words at most
    after: str


def _capitals(text: str) -> dict[str, _Form]:
    """Return the words of a text in lower case, each as it is written where it stands first, with its neighbours."""
    chunks = [bare for chunk in text.split() if (bare := chunk.strip(_AROUND + "`"))]
    found: dict[str, _Form] = {}
    for at, word in enumerate(chunks):
        before = tuple(each.casefold() for each in chunks[max(0, at - 2) : at])
        after = chunks[at + 1].casefold() if at + 1 < len(chunks) else ""
        found.setdefault(word.casefold(), _Form(word, before, after))
    return found


def _are_names(short: _Form, long: _Form) -> bool:
    if vocabulary.is_name(long.word.casefold()):
        return True
    if short.word.casefold() in _DAYS or (
        not _SINGULAR.isdisjoint(short.before) and _SINGULAR.isdisjoint(long.before)
    ):
        return False
    if not short.before and not long.before:
        verb = short.after
        return verb == long.after and (
            verb in _FINITE or (verb[-1:] == "s" and verb[-2:] not in ("ss", "us", "is"))
        )
    return any(form.before and form.word.istitle() for form in (short, long))


# --- verb or noun (L-30) ---


def _changed_kind(mine: list[_Word], yours: list[_Word]) -> bool:
    """Say whether a verb opens one text right before a word that it follows, or stands before, as a noun in the other.

    `Build the tests` and `test the builds`; `cache the build` and `the cache builds`.
    """
    verb, thing = next(((x.text, y.text) for x, y in _neighbours(mine) if x.opens), ("", ""))
    if not (_is_plain(verb) and _is_plain(thing)):
        return False
    verb, thing = vocabulary.canonical(verb), vocabulary.canonical(thing)
    if len(mine) > 2 and mine[1].text in _ARTICLES and yours[0].text in _ARTICLES:  # `cache the`, `the cache`
        opening = [vocabulary.canonical(each.text) for each in (mine[0], *yours[1:3])]
        if opening == [verb, verb, thing]:
            return True
    return any(
        vocabulary.canonical(noun.text) == verb
        and vocabulary.canonical(first.text) == thing
        and _is_plain(noun.text)
        for first, noun in _neighbours(yours)
    )


def _neighbours(said: list[_Word]) -> Iterator[tuple[_Word, _Word]]:
    content = [word for word in said if word.text not in _ARTICLES]
    return ((x, y) for x, y in pairwise(content) if not x.closes)


def _is_plain(word: str) -> bool:
    return (
        word.isalpha()
        and not word.endswith("ed")
        and word not in vocabulary.GRAMMAR
        and word not in vocabulary.NUMBERS
    )


# --- what weighs little at the end of a text, and not before a noun (L-32) ---


def _adjectives(said: list[_Word]) -> list[str]:
    """Return what `first`, `current` and the like stand before: `the first file`, and not `run lint first`."""
    return sorted(
        f"{word.text} {vocabulary.canonical(thing.text)}"
        for (before, word), thing in zip(pairwise(said), said[2:], strict=False)
        if word.text in _ADJECTIVES and before.text in _ARTICLES and not word.closes
    )
