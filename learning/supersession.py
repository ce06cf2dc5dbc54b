"""Finds which memory a change that a person tells of takes the place of, though it says it in other words.

Implements specs/capture.md (K-137, K-138, K-247, K-249). "The api has moved to 8088" is about "The API listens on port 8000": one matter,
a value of one kind, another value. Pure; whether the person tells of a change at all, the detector has said.
"""

from __future__ import annotations

import re

from language.likeness.tool_kinds import are_of_other_kinds
from language.likeness.vocabulary import canonical
from learning import value_kinds
from learning.subject import Matter, of_kind, read, stem
from ledger.lazy_pattern import lazy_pattern

_CLAUSE = lazy_pattern(
    r"(?:[,;:.!?]|\s[–—-])\s+|\s+(?=(?:so|because|but|and|since|damit|weil|denn|sondern|pour|car|parce|pero|porque|para que)\b)"
)
_POINTS_BACK = lazy_pattern(
    r"^(?:so |and |but )?(?:it|that|this|they|we|i|the user)(?:'s|'re|'m|\b)", re.IGNORECASE
)
_INDENTATION = "indentation, indent"
"""Of this a project mostly has one, whatever else a memory of it names."""
_LENGTH = "length, "
"""How long answers are has nothing to do with the language that they are in."""
_DENIED_BY = 2
"""So many telling words at least are said again where they are denied, and so many at most beside."""
_BESIDES = lazy_pattern(
    r"\b(?:also|as well|too|another|additional\w*|an? (?:second|third|new|extra)|besides|both|either|except|only for|but only|auch|"
    r"aussi|también)\b",
    re.IGNORECASE,
)
"""What is said beside these is one more, and takes no place."""
NAMED = 9
"""How sure it is of what is named as over."""
_COUNTED = frozenset(("number", "clock"))
"""Kinds of which anything may have a value: what it is of must be the same."""
_CALLED = lazy_pattern(
    r"\b(?:re)?(?:named|called)\b|\b(?:heißt|heissen|heißen|s'appelle|se\s+llama|se\s+chama)\b", re.IGNORECASE
)
_SHAPES = (
    ("number", lazy_pattern(r"\d")),
    ("code", lazy_pattern(r"`[^`]+`|\w_\w|\w/[\w<{]|\w\.\w|[a-z][A-Z]|--\w")),
    ("name", lazy_pattern(r"(?<=\S )[A-Z][^\W\d_]+")),
)
"""How values look of which no table knows: what takes the place of one looks like it."""
_RELATIONS = (
    (
        "lives living based wohnt home city town",
        lazy_pattern(
            r"^(?:the user )?(?:and \w+ )?(?:lives?|living|is based|based|resides?|is from|habite|vive)\b|\b(?:wohnt|lebt)\b|"
            r"\bhome (?:town|city)\b",
            re.IGNORECASE,
        ),
        lazy_pattern(
            r"\b(?:the user|they|we|I)(?:'ve| have| has)? (?:now )?(?:lives? (?:\w+ ){0,2}?(?:in|near|at)|(?:just |recently |"
            r"finally )?(?:relocated (?:to|in)|moved (?:house|flat|home|in with|back to|into (?:a|an|our|my|the) (?:\w+ )?(?:flat|"
            r"house|apartment|place|home))))\b|^lives? (?:in|near)\b"
            r"|\bkeys to (?:the|our|my|their) (?:\w+ )?(?:flat|house|apartment|place|home)\b|\b(?:wohnen|leben|wohne|lebe) (?:wir|"
            r"ich)\b|\b(?:ich|wir) (?:wohnen?|leben?)\b|\bnew (?:flat|house|apartment|home) (?:is )?in\b",
            re.IGNORECASE,
        ),
    ),
    (
        "works job profession employed studies teaches user",
        lazy_pattern(
            r"^(?:the user )?(?:works?|is employed|is an? [\w -]*(?:engineer|developer|designer|nurse|doctor|teacher|lawyer|"
            r"architect|accountant|"
            r"scientist|student|manager|analyst|writer|researcher|professor|programmer|consultant|freelancer|journalist|chef|cook|"
            r"baker|carpenter|"
            r"mechanic|translator|editor|photographer|driver|librarian|assistant|clerk|curator|intern|lead|director|\w+ist)|teaches|"
            r"studies|runs an?|owns an?)\b"
            r"|\b(?:job|employer|profession)\b",
            re.IGNORECASE,
        ),
        lazy_pattern(
            r"\b(?:changed jobs|new job|new employer|(?:left|quit|resigned|was laid off)\b.*\b(?:work|works|teach|teaches|run|runs|"
            r"join\w*|freelanc\w*)|"
            r"no longer (?:at|with|an?)|(?:started|joined|starting) (?:at|as)|retired\b|(?:got |was )?promoted|"
            r"(?:they|the user|I) (?:now )?(?:works?|teach(?:es)?|freelances?|runs?|studies)\b|^(?:works|teaches) )",
            re.IGNORECASE,
        ),
    ),
)  # fmt: skip


def strength(new: str, stands: str, about: str = "") -> int:
    """Say how surely a change takes the place of a memory: 0 not at all, the more the surer.

    Args:
        new: what is so now, in the person's words.
        stands: the memory's text.
        about: what the person says is over, "" where they name nothing.
    """
    now, old = read(new), read(stands)
    if about:
        over = read(about)
        if _is_said(over, old):
            return NAMED if _is_of_one_matter(now, old, over.all) else 0
        if over.all & old.all:
            return 0
    best = max((_by_kind(now, old, kind) for kind in old.values), default=0)
    if best := best or (0 if _BESIDES.search(new) else _by_relation(new, stands)):
        return best
    clauses = [read(clause) for clause in _CLAUSE.split(new) if clause and _BESIDES.search(clause) is None]
    return max((max(_by_words(one, old), _by_denial(one, old)) for one in (now, *clauses)), default=0)


def _is_said(over: Matter, old: Matter) -> bool:
    """Say whether a memory says all of what is over, other names for a value among it."""
    same = all(
        kind in old.values and set(names) <= set(old.values[kind]) for kind, names in over.values.items()
    )
    beside = over.stems.difference(*(of_kind(kind) for kind in over.values))
    return bool(over.all) and (over.all <= old.all or (same and bool(over.values) and beside <= old.all))


def asked_for(new: str) -> list[str]:
    """Return words, in groups, by which memories are found whose place a change may take, though they share none with it."""
    now = read(new)
    groups = [" ".join((*value_kinds.others(kind), *value_kinds.nouns(kind))) for kind in now.values]
    return groups + [words for words, _, says in _RELATIONS if says.search(new) is not None]


def _is_of_one_matter(now: Matter, old: Matter, over: frozenset[str]) -> bool:
    """Say whether what is over is what the memory says, and not something that it says by the way."""
    beside = old.all - over - now.all
    return len(beside) <= 2 or bool((old.all - over) & now.all)


def _by_kind(now: Matter, old: Matter, kind: str) -> int:
    """Compare two texts that name values of one kind: 0 where these are the same, or of other things."""
    clauses = [read(clause) for clause in _CLAUSE.split(now.text) if clause]
    best = 0
    for at, clause in enumerate(clauses):
        here = f"{clauses[at - 1].text} {clause.text}" if at else clause.text
        if _says_otherwise(clause, old, kind) and _BESIDES.search(here) is None:
            before = clauses[at - 1] if at and _POINTS_BACK.match(clause.text) else None
            best = max(best, _by_clause(now, clause, before, old, kind))
    return best


def _by_clause(now: Matter, clause: Matter, before: Matter | None, old: Matter, kind: str) -> int:
    """Say how surely a clause with another value is of the same thing: by what stands beside the values."""
    here, there = _beside(clause, kind), old.beside(kind)
    own = here
    if before is not None:
        here |= before.all - of_kind(kind)
    shared = (here or now.beside(kind)) & there
    if shared:
        if kind in _COUNTED and 2 * len(shared & own) < len(own):
            return 0
        return 2 + len(shared) if 2 * len(shared) >= len(there) else 0
    if kind in _COUNTED or here:
        return 0
    if clause.stems & old.stems & of_kind(kind):
        return 2
    return 2 if not there else 1 if len(there) == 1 and kind == _INDENTATION else 0


def _says_otherwise(now: Matter, old: Matter, kind: str) -> bool:
    ours, theirs = {name for akin in _akin(now, kind) for name in now.values[akin]}, set(old.values[kind])
    return bool(ours) and not ours & theirs and len(theirs) == 1 and now.denied == old.denied


def _akin(now: Matter, kind: str) -> list[str]:
    """Return the kinds of a text's values that may stand in the place of one: a database in that of a cache."""
    if kind in _COUNTED:
        return [kind] if kind in now.values else []
    return [
        other
        for other in now.values
        if other == kind
        or (of_kind(other) & of_kind(kind) and not any(each.startswith(_LENGTH) for each in (other, kind)))
    ]


def _beside(now: Matter, kind: str) -> frozenset[str]:
    return now.beside(kind).difference(*(now.named[akin] for akin in _akin(now, kind)))


def _by_denial(now: Matter, old: Matter) -> int:
    """Compare two texts of which one denies what the other says: all telling words of the memory are said again."""
    if now.denied == old.denied or len(old.all) < _DENIED_BY or not old.all <= now.all:
        return 0
    return 3 if len(now.all - old.all) <= _DENIED_BY else 0


def _by_relation(new: str, stands: str) -> int:
    if not any(holds.search(stands) and says.search(new) for _, holds, says in _RELATIONS):
        return 0
    now = read(new)
    if any(kind.partition(" ")[0] not in _OF_ANYTHING for kind in now.values):
        return 0
    return 3 if len(now.all - _OF_CHANGES) > 0 else 0


def _by_words(now: Matter, old: Matter) -> int:
    """Compare two texts by what they are about alone: all that a memory says but its value is said again, with another value."""
    matter, value = _split(old.text)
    if not matter or not value or not matter <= now.all or value & now.all:
        return 0
    rest = now.all - matter
    if not rest or len(rest) > 4:
        return 0
    looks = [shape for _, shape in _SHAPES if shape.search(old.text)]
    if looks and not any(shape.search(now.text) for shape in looks):
        return 0
    if are_of_other_kinds(*(map(canonical, value_kinds.tokens(each.text)) for each in (old, now))):
        return 0
    called = _CALLED.search(now.text) is not None and _CALLED.search(old.text) is not None
    if len(matter) == 1 and not ((called or matter <= _OF_PEOPLE) and looks):
        return 0
    return 1 + len(matter)


_OF_ANYTHING = frozenset("day month order number clock length, language, rhythm diet, time".split())
"""How the names of the kinds begin that any sentence may have a value of; who names others speaks of work."""
_OF_CHANGES = frozenset(stem(word) for word in "job home employer city town house flat keys".split())
"""What is changed, of which it still has to be said for what."""
_OF_PEOPLE = frozenset(
    stem(word)
    for word in """manager lead mentor teacher doctor dentist therapist landlord trainer accountant lawyer vet hairdresser
    spouse partner girlfriend boyfriend roommate flatmate neighbour name surname nickname pronouns car bike phone employer""".split()
)
"""What a person mostly has one of."""
_LEADS_TO_VALUE = lazy_pattern(
    r"^(?P<matter>.+?)\s+(?:is|are|is called|are called|is named|are named|heißt|ist|est|es|=|is in|are in|is on|are on|is at|"
    r"are at|lives? in|drives?|owns?|"
    r"(?:\w+ed|go|goes|runs?|lives?|sits?|lies|happens?|stored|kept) (?:to|in|on|at|with|by|from|via|through))\s+(?P<value>.+)$",
    re.IGNORECASE,
)


def _split(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return what a memory is about and what it says of that, as far as its sentence shows."""
    found = _LEADS_TO_VALUE.match(text)
    if found is None:
        return frozenset(), frozenset()
    return read(found["matter"]).all, read(found["value"]).all
