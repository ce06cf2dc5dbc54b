"""Says whether two texts speak of different places: staging and production, two services, two persons' machines.

Implements specs/capture.md (K-176, K-249). A change on staging leaves what is said of production as it is. Pure.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ledger.lazy_pattern import lazy_pattern

_ENVIRONMENTS = {
    **dict.fromkeys("production prod live produktion producción produção".split(), "production"),
    **dict.fromkeys("staging stage preprod pre-prod".split(), "staging"),
    **dict.fromkeys("dev development".split(), "development"),
    **dict.fromkeys("sandbox qa uat preview canary demo locally".split(), ""),
}
"""Where a system runs; the word stands for itself where no other is given."""
_NO_ENVIRONMENT = lazy_pattern(
    r"`[^`]*`|\b(?:live\s+(?:in|at|with|on|near|off|by|alone)|(?:i|we|they|you|to|user)\s+live|"
    r"dev\s+(?:dependenc\w+|server|team|mode|tools?|shells?)|stage\s+(?:of|\d)|preview\s+\w+s\b|dev\s+containers?)",
    re.IGNORECASE,
)
_PART = lazy_pattern(
    r"\b(?=(?P<which>[\w-]+)[ -](?P<part>services?|apps?|apis?|repos?|repository|clusters?|box|boxes|servers?|sites?|workers?|"
    r"teams?|packages?|modules?|pipelines?|backends?|frontends?|clients?|databases?|db|machine|laptop|desktop|pc|phone|tablet|"
    r"office|house|flat|branch|kitchen|car|bike|school)\b(?!['’]s?\b))",
    re.IGNORECASE,
)
_NO_NAME = frozenset(
    """the a an our my your this that these those its their his her one each every all any some no both other another same new old
    main whole own current former first second last next and or in on of for to with from by is are was as at into via per which
    user's default only big small also public company der die das den dem unser unsere mein meine le la les notre mon ma el
    nuestro mi o nosso meu""".split()
)
_PERSON = lazy_pattern(
    r"^(?:(?:btw|also|and|so|but|lol|oh|fyi)[\s,]+)*(?P<who>[A-Z][a-zà-ÿ]+)\s+(?:has\s+|just\s+|now\s+|finally\s+|recently\s+)*"
    r"(?:moved|switched|changed|left|dropped|went|gave|quit|started|joined|sold|bought|uses|prefers|likes|hates|works|lives|became|"
    r"got|stopped|ditched|hat|ist|a\s+(?:quitté|changé)|se)\b"
)
_WHOSE = lazy_pattern(
    r"^(?:(?:btw|also|and|so|but|oh|fyi)[\s,]+)*(?P<who>[A-Z][a-zà-ÿ]+)['’]s\s+(?!(?:been|got|moved|gone|now|not|no|a|an|the)\b)[a-z]"
)
_NOBODY = frozenset(
    """Let What There Here We They You He She It This That These Those There Everyone Everything Nobody Somebody Someone
    Production Staging What Which Who
    When Where Why How Since Today Now Then Just Finally Recently Yesterday Already Also And But So Oh Well Yes No Not Use Uses
    Wir Sie Es Er Das Die Der On Nous Vous Ils Elles Il Elle Nosotros Ellos Nós Eles""".split()
)
_THE_PERSON = lazy_pattern(
    r"^(?:the user(?:'s)?\b|i\b|we\b|prefers\b|uses\b|edits\b|lives\b|works\b|likes\b)", re.IGNORECASE
)
_WORD = lazy_pattern(r"[\w-]+")


def are_apart(new: str, stands: str) -> bool:
    """Say whether what a text tells to have changed is of another place than a memory, or of one place of several.

    A memory that names no environment holds for all of them: a change in one does not take its place.
    """
    now, old = _environments(new), _environments(stands)
    if now and not now & old:
        return True
    parts, others = _parts(new), _parts(stands)
    if any(parts[part].isdisjoint(others[part]) for part in parts.keys() & others.keys()):
        return True
    who = _person(new)
    return bool(who) and who not in stands and _THE_PERSON.match(stands) is not None


@lru_cache(maxsize=512)
def _environments(text: str) -> frozenset[str]:
    found = _WORD.findall(_NO_ENVIRONMENT.sub(" ", text).casefold())
    return frozenset(_ENVIRONMENTS[word] or word for word in found if word in _ENVIRONMENTS)


@lru_cache(maxsize=512)
def _parts(text: str) -> dict[str, frozenset[str]]:
    """Return by kind of part (service, app …) which ones a text names."""
    found: dict[str, frozenset[str]] = {}
    for one in _PART.finditer(text.casefold()):
        if one["which"] not in _NO_NAME:
            part = one["part"].rstrip("s")
            found[part] = found.get(part, frozenset()) | {one["which"]}
    return found


def _person(text: str) -> str:
    found = _PERSON.match(text) or _WHOSE.match(text)
    return found["who"] if found is not None and found["who"] not in _NOBODY else ""
