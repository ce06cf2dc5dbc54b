"""Distinguishes texts of the same content whose small words, signs or word forms differ in meaning.

Implements specs/likeness.md (L-15…L-50, as far as they distinguish texts). `word_comparison` compares the content first; this
module compares articles, prepositions, tenses, modal verbs, conjunctions, inflections, signs and case. Pure; linear in the texts' lengths.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from language.likeness import vocabulary
from language.likeness.phrases import has_ended, spelled_out
from language.likeness.plain import AROUND, CODE_SPAN, made_plain
from language.likeness.writing import is_written_otherwise
from ledger.lazy_pattern import lazy_pattern
from ledger.named_tuple import NamedTuple

_NUMBER = r"(?:\d|(?:one|two|three|four|five|six|seven|eight|nine|ten|all|every|each|no|none|always|never)\b)"
_UNIT = "(?:morning|afternoon|evening|night|week|weekend|month|quarter|year|sprint|session|release)"
_THING = "(?:time|once|pr|pull-request|branch|commit|task|ticket|issue|run|chat|conversation|file)"
_SHORTEST = 3
_WAS = lazy_pattern(r"\b(?:was|were|had|did|been)\b")
_WENT = frozenset("ran wrote went chose built made kept held sent".split())
_TELLING = tuple(
    lazy_pattern(pattern)
    for pattern in (
        r"\bwill\b|\bgonna\b",
        r"\bwould\b(?! (?:like|love|prefer|rather|want)\b)",
        rf"\b(?:about|around|roughly|approximately|nearly|almost|close to|some) (?={_NUMBER})",
        r"\b(?:except|apart from|other than|save for|aside from|barring)\b",
        r"\b(?:probably|perhaps|maybe|possibly|apparently|likely|ideally|preferably|consider|seems?|supposedly|try to)\b",
        r"\b(?:for now|for a while|temporarily|provisionally|meanwhile|in the meantime|at the moment)\b",
        r"\b(?:today|tonight|tomorrow|right now)\b",
        rf"\b(?:this|next|last) {_UNIT}\b|\b(?:this|the current) {_THING}\b(?! (?:is|are|has|uses|needs|must|should)\b)",
        r"\b(?:until|no later than)\b",
        r"\b(?:starting|beginning|effective|as of|as from|since)\b(?! now\b)|\bfrom (?!now\b)(?:\S+ ){1,3}?on\b(?=[,.;]|$)",
        r"\b(?:as|so) long as\b",
        r"\bjust (?:this )?once\b|\bfor once\b",
        r"\beven (?:if|when|while|after|before|once)\b",
        r"\bnot (?:all|every\w*|always|each|both)\b",
        r"\b(?:outside|out of)\b",
        r"\b(?:during|throughout)\b",
        r"\b(?:if|when|whenever|while|unless|once|provided|assuming)\b",
    )
)
"""If one text matches one of these, the other must match it, too; otherwise they are not the same."""
_MUST = lazy_pattern(r"\b(?:must|shall|ha(?:s|ve) to|needs?|needed|obliged|requir\w+)\b")
_SHOULD = lazy_pattern(r"\b(?:should|ought|supposed to|recommended|advisable|expected to)\b")
_WANTED = lazy_pattern(
    r"\b(?:must|shall|should|ought|need(?:s|ed|ing)?|requir\w+|demand\w*|mandatory|necessary|wants?|wanted|wish\w*|hopes?"
    r"|(?:would|'d) like|likes?|loves?|prefers?|enjoys?|supposed|ha(?:s|ve) to)\b"
)
_THERE = frozenset("has have owns lives live works uses is are".split())
_ASKED_FOR = frozenset("need required needed preferred".split())
_BE = frozenset("is are be being been am was were get gets got".split())
_BEFORE = frozenset(
    "a an the all any every each this that our your my please always never do not only".split()
)
_DONE = lazy_pattern(
    r"(?:(?:the|this|that|my|our|your|these|those) .{1,80}?|\w+ #?\d+) (?:is|are) (?:\w+ly |not |now |already |all )*(\w+)"
)
"""A definite thing, and what is done with it."""
_IRREGULAR = dict(
    pair.split(":")
    for pair in """built:build written:write rewritten:rewrite sent:send kept:keep made:make done:do taken:take broken:break
    chosen:choose held:hold frozen:freeze hidden:hide drawn:draw bought:buy paid:pay split:split""".split()
)
_NEGATED = lazy_pattern(
    r"\b(?:not|never|no|none|neither|nor|without|avoid|except|excluding|forbid\w*|ban)\b|n't\b"
)
_OR = lazy_pattern(r"\bor\b")
_AND = lazy_pattern(r"\b(?:and|both)\b|&")

_ANY = lazy_pattern(r"\bany\b")
_ALL = lazy_pattern(r"\b(?:all|every|each)\b")
_RANK = (
    "(?:manager|boss|lead|leader|supervisor|mentor|parent|child|mother|father|son|daughter|ancestor|descendant|owner|subset"
    "|superset|subclass|superclass|base|dependency|prerequisite|predecessor|successor|client|server|copy|fork|clone|replica"
    "|mirror|part|member|primary|secondary|source|subfolder|subdirectory|submodule|assistant)"
)
_ONE_WAY = lazy_pattern(
    r"\b(?:cop(?:y|ies)|moves?|compiles?|converts?|renames?|translates?|migrates?|transforms?|syncs?|promotes?|redirects?)"
    r" .* (?:to|into)\b|\b(?:replaces?|mounts?) .* (?:with|by|on|to)\b|\b(?:overrides?|beats?|outranks?|wins?|shadows?"
    r"|takes? precedence|mirrors?|inherits?|extends?|contains?|includes?|precedes?|feeds?|upstream|downstream|above|below)\b"
    rf"|\b{_RANK} of\b|'s {_RANK}\b"
    r"|^[^,;]* (for|in|on|is|uses?|when|at) [^,;]*[,;] [^,;]* \1 [^,;]*$"
)
"""Relations that hold in one direction only, or two halves of the same form."""
_LONGEST = 24
_STATE = lazy_pattern(r"\b(?:was|were|will|would)\b(?! \w+ed\b)")
_OWNER = lazy_pattern(r"(\w+)'s\b|(?<!because )\bof (?:the |a |an |our |my )?(\w+)")
_NO_MORE = lazy_pattern(r"\b(?:no longer|any ?more)\b")
_KIND_OF = lazy_pattern(r"\bare\b|\bis an?\b")
_JOINS = lazy_pattern(
    r"[,;:]|\b(?:is|and|or|always|never|only|both|also|please|in|on|at|to|by|with|without|for|of|from|before|after|when|if"
    r"|until|as|out|up|down|off|over|behind|under|first|then|again)\b|\w{3}ly\b"
)
_MARK = lazy_pattern(r"\?[\"')\]*_!.]*(?:\s|$)")
_INVERTED = lazy_pattern(
    r"\W{0,9}(?:(?:should|is|are|does|did|can|could|would|will|was|were|may|must|do|have|has) "
    r"(?:we|i|you|it|they|he|she|there|this|that|these|those|the|a|an|our|my|your|all|any|every|`\w+)"
    r"|(?:how|why|what|where|who|which|when) (?:do|does|did|is|are|can|could|should|would|will))\b",
    re.IGNORECASE,
)
"""The beginning of a question."""


class _Said(NamedTuple):
    """A text with its phrases spelled out, and its words."""

    text: str
    words: tuple[str, ...]


@lru_cache(maxsize=4096)
def _said(text: str) -> _Said:
    plain = spelled_out(made_plain(text).phrased)
    return _Said(plain, tuple(word for chunk in plain.split() if (word := chunk.strip(AROUND))))


def asks(text: str) -> bool:
    """Return whether a text asks something (L-15)."""
    if "?" in text and _MARK.search(CODE_SPAN.sub("x", text) if "`" in text else text):
        return True
    return _INVERTED.match(text) is not None and not text.casefold().startswith(
        ("do the", "do this", "do that")
    )


def differs(one: str, other: str) -> bool:
    """Return whether texts of the same content are not the same."""
    if is_written_otherwise(one, other):
        return True
    a, b = _said(one), _said(other)
    return (
        _holds_otherwise(one, other)
        or _is_other_form(a, b)
        or bool(_owners(a) - _owners(b) and _owners(b) - _owners(a))
        or _WHICH.findall(a.text) != _WHICH.findall(b.text)
        or _is_led_otherwise(a, b)
        or _is_ordered_otherwise(a, b)
    )


def is_reversed(one: str, other: str) -> bool:
    """Return whether two things changed places in a one-way relation: `copy a to b`, `copy b to a` (L-35)."""
    a, b = _said(one), _said(other)
    mine, yours = ([word.removesuffix("'s") for word in said.words] for said in (a, b))
    if (
        mine == yours
        or len(mine) > _LONGEST
        or Counter(mine) != Counter(yours)
        or _ONE_WAY.search(a.text) is None
    ):
        return False
    return _is_ordered_otherwise(a, b)


def speak_of_other_times(one: str, other: str) -> bool:
    """Return whether only one of two contradicting texts is about the past or future (L-27)."""
    return (_STATE.search(_said(one).text) is None) != (_STATE.search(_said(other).text) is None)


def _holds_otherwise(one: str, other: str) -> bool:
    """Return whether texts differ in time, in fact and wish, in completion, or in obligation."""
    a, b = _said(one), _said(other)
    if any((each.search(a.text) is None) != (each.search(b.text) is None) for each in _TELLING):
        return True
    if _is_past(a, b) != _is_past(b, a) or _has_ended(one, other) or _has_ended(other, one):
        return True
    return any(
        _is_there(x, y) or _is_done(x, y) or _is_turned(x, y) for x, y in ((a, b), (b, a))
    ) or _is_bound_otherwise(a.text, b.text)


def _has_ended(one: str, other: str) -> bool:
    one, other = one.casefold(), other.casefold()
    return has_ended(one) and not has_ended(other) and _NO_MORE.search(other) is None


def _is_past(a: _Said, b: _Said) -> bool:
    """Return whether a text is about the past, by a verb form that the other lacks: `was`, `reviewed`, not `is reviewed`."""
    if _WAS.search(a.text) is not None:
        return True
    was = _WAS.search(b.text) is not None  # `we moved x` is `x was moved`
    return (
        not _verbs(a, passive=False).isdisjoint(_verbs(b, passive=True))
        if was
        else bool(_verbs(a, passive=False) - set(b.words))
    )


def _verbs(said: _Said, *, passive: bool) -> set[str]:
    """Return the past verb forms after *is* and similar words (`passive`), or all others."""
    return {
        word
        for at, word in enumerate(said.words)
        if (word.endswith("ed") and len(word) > _SHORTEST) or word in _WENT
        if word not in _ASKED_FOR and _BE.isdisjoint(said.words[max(0, at - 2) : at]) != passive
    }


def _is_there(there: _Said, wanted: _Said) -> bool:
    """Return whether one text states a fact, and the other says that it is needed or wanted."""
    if _WANTED.search(wanted.text) is None or _WANTED.search(there.text) is not None:
        return False
    own = set(there.words) - set(wanted.words)
    return not own.isdisjoint(_THERE) or _opening(there) == _opening(wanted)


def _opening(said: _Said) -> str:
    """Return the stem of a text's first word, after articles and words such as *please*."""
    return vocabulary.canonical(next((word for word in said.words if word not in _BEFORE), ""))


def _is_done(done: _Said, ordered: _Said) -> bool:
    """Return whether one text orders something that the other says is done: `fix the bug`, `the bug is fixed`."""
    found = _DONE.match(done.text)
    if found is None or _WANTED.search(ordered.text) is not None:
        return False
    if not (found[1].endswith("ed") or found[1] in _IRREGULAR):
        return False
    verb = vocabulary.canonical(_IRREGULAR.get(found[1], found[1]))
    return verb == _opening(ordered)


def _is_turned(a: _Said, b: _Said) -> bool:
    """Return whether *any* replaces *all*, or *or* replaces *and*, which keeps the meaning only in a negation."""
    denied = _NEGATED.search(a.text) is not None and _NEGATED.search(b.text) is not None
    joins = len(_OR.findall(a.text)) > len(_OR.findall(b.text)) and _AND.search(b.text) is not None
    counts = _ALL.search(b.text) is not None and _ANY.search(b.text) is None and _MUST.search(a.text) is None
    goes = "out" in set(a.words) - set(b.words) and "in" in set(b.words) - set(a.words)
    return (counts and _ANY.search(a.text) is not None) or goes or (joins and not denied)


def _is_bound_otherwise(one: str, other: str) -> bool:
    """Return whether one text says *must* and the other *should*."""
    mine, yours = (
        (_MUST.search(each) is not None, _SHOULD.search(each) is not None) for each in (one, other)
    )
    return any(mine) and any(yours) and mine != yours


# --- forms of words, owners, prepositions, order ---


_LONGEST_ENDING = 3
_WHICH = lazy_pattern(r"\b(?:the|an?|our|my) (first|current|actual) (\w+)")


def _is_other_form(a: _Said, b: _Said) -> bool:
    """Return whether texts differ only in word forms, which then are names: `make test`, `make tests`."""
    left, right = sorted(set(a.words) - set(b.words)), sorted(set(b.words) - set(a.words))
    if any(vocabulary.is_name(word) and word[:-1] in (*left, *right) for word in (*left, *right)):
        return True  # `Pandas`, `a panda`
    return bool(left) and len(left) == len(right) and all(map(_is_form, left, right))


def _is_form(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return len(long) - len(short) <= _LONGEST_ENDING and long.startswith(short[: max(3, len(short) - 1)])


def _owners(said: _Said) -> set[str]:
    owners = {own or of for own, of in _OWNER.findall(said.text)} - vocabulary.GRAMMAR
    return set(map(vocabulary.canonical, owners))


_LEADS = frozenset(
    """in on at into inside within to for with via through using of from by as about against per
    after before until since""".split()
)
_TURNING = frozenset("as about against per by after before until since".split())
"""Each of these changes the meaning if it replaces another preposition; before a number every preposition does."""
_OF_USE = ({"with", "for"}, {"as", "for"})
"""To use something *with* or *as* a thing is to use it *for* that thing."""
_ARTICLES = frozenset("a an the this that these those our your my its their all any each every".split())


def _is_led_otherwise(a: _Said, b: _Said) -> bool:
    """Return whether a shared word follows prepositions of different meaning."""
    mine, yours = dict(_leads(a)), dict(_leads(b))
    leads = ((mine[word], yours[word]) for word in mine.keys() & yours.keys())
    using = all({"use", "uses", "used"} & set(each.words) for each in (a, b))
    return any(
        x != y
        and ("number" in x or not _TURNING.isdisjoint((x, y)) or {x, y} == {"with", "for"})
        and not (using and {x, y} in _OF_USE)
        for x, y in leads
    )


def _leads(said: _Said) -> Iterator[tuple[str, str]]:
    lead = ""
    for word in said.words:
        if word in _LEADS:
            lead = word
        elif word not in _ARTICLES:
            if lead:
                exact = word[0].isdigit() or word in vocabulary.NUMBERS
                word = vocabulary.NUMBERS.get(word, vocabulary.canonical(word))  # noqa: PLW2901
                yield word, f"{lead} number" if exact else lead
            lead = ""


_SYMMETRIC = frozenset("the be is are am was were and or & - insteadof".split())
"""The two sides of one of these may change places: `pnpm and npm`, `the port is 5432`."""
_DONE_BY = lazy_pattern(r"\b(?:is|are|was|were|be|been|being) (?:\w{1,30} ){1,2}?by\b")
_BY = lazy_pattern(r"\bby\b")
_PASSIVE = lazy_pattern(
    r"\b(?:is|are|was|were|be|been|being) (?:(?:\w{1,30} ){1,2}?(?:by|with|via)|required|needed)\b"
)


def _is_ordered_otherwise(a: _Said, b: _Said) -> bool:
    """Return whether two words changed places around a third, as subject and object do (L-17).

    If only one text is in the passive with *by*, the words must change places to mean the same.
    """
    left, right = _order(a), _order(b)
    kinds = _KIND_OF.search(a.text) and _KIND_OF.search(b.text)
    plain = Counter(a.words) == Counter(b.words) and not (_JOINS.search(a.text) or _JOINS.search(b.text))
    if (kinds or plain) and left != right and Counter(left) == Counter(right):
        return True
    order = _once(left)
    at = _once(right)
    places = [at[word] for word in order if word in at]
    lowest = list(places)
    for nth in range(len(lowest) - 2, -1, -1):
        lowest[nth] = min(lowest[nth], lowest[nth + 1])
    highest, changed = -1, False
    for place, least in zip(places, lowest[1:], strict=False):
        changed = changed or least < place < highest
        highest = max(highest, place)
    if changed:
        return (_PASSIVE.search(a.text) is None) == (_PASSIVE.search(b.text) is None)
    if _BY.search(a.text) is not None and _BY.search(b.text) is not None:
        return False  # `imports are sorted by name`
    return (_DONE_BY.search(a.text) is None) != (_DONE_BY.search(b.text) is None)


def _order(said: _Said) -> list[str]:
    bare = (word.removesuffix("'s") for word in said.words)
    return [vocabulary.canonical(word) for word in bare if word and word not in _SYMMETRIC]


def _once(order: Sequence[str]) -> dict[str, int]:
    """Return the places of the words that occur once, in order."""
    counts = Counter(order)
    return {word: place for place, word in enumerate(order) if counts[word] == 1}
