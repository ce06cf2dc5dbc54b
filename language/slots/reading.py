"""Reads the slots that a text fills: of what it says one thing, which attribute, and with which value.

Implements specs/capture.md (K-136, K-137). A value is a name that the table knows, a number with its unit, or what stands behind
"X is", "X lives in", "X goes to"; of what it is said are all the other telling words of its clause. Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from language.likeness.vocabulary import EVENTS, ITEMS
from language.slots import kinds
from language.slots.clauses import Clause, clauses
from language.slots.words import parts, stem, telling
from ledger.lazy_pattern import lazy_pattern


class Slot(NamedTuple):
    """What a text says one thing about, and what it says.

    `subject` are the stems of what it is said of; `attribute` is a kind of the table, a unit, or *is*, *called*, *in*; `said` are
    the stems of the value; `likes` says how it stands to it, where several may be liked, known or supported beside each other.
    """

    subject: frozenset[str]
    attribute: str
    value: str
    denied: bool = False
    likes: str = ""
    said: frozenset[str] = frozenset()
    adds: bool = False
    over: bool = False


class Deed(NamedTuple):
    """What a clause tells: its stems, whether it is denied, whether it only adds, and how it stands to that."""

    stems: frozenset[str]
    denied: bool
    adds: bool
    likes: str


@dataclass(frozen=True, slots=True)
class Reading:
    """The slots of a text, and all that it tells: the stems of each clause, and which of them the values imply."""

    slots: tuple[Slot, ...]
    stems: frozenset[str]
    implied: frozenset[str]
    deeds: tuple[Deed, ...]

    @property
    def values(self) -> frozenset[str]:
        """The stems of all its values that the table knows."""
        return frozenset[str]().union(*(each.said for each in self.slots if is_known(each)))


_I = re.IGNORECASE
_WHO = lazy_pattern(r"^(?:please,? |actually,? |btw,? |from now on,? |so )*(?:the )?user(?:'s)? (?=\w)|,? please$", _I)
_WHERE = lazy_pattern(
    r",? ?\b(?:in|for|on|of) (?:this|the|our) (?:project|repo|repository|codebase|code base)\b|\bfrom now on\b|\bab jetzt\b|\bmy own\b|"
    r",? (?:just )?(?:as (?:ever|always|usual|before)|like always|you know the drill|as with all the others|as everywhere|wie immer|comme d'habitude|como siempre)\b", _I
)
_PULLS = lazy_pattern(r"\b(?:pull|merge)[ -]requests?\b", _I)
_LETTER = lazy_pattern(r"(?<=\w )([A-HJ-Z])(?![\w'+#])")
_GO = lazy_pattern(r"(?<=\S )Go\b(?! to\b)|\bGo(?= (?:version\b|\d))")
_TOLD = (
    ("likes", lazy_pattern(r"\b(?:likes?|loves?|enjoys?|mag|aime|hates?|dislikes?|can't stand|fond of|fan of)\b(?<!'d like)(?<!would like)", _I)),
    ("knows", lazy_pattern(r"\b(?:knows?|learn\w*|stud(?:y|ies|ied|ying)|supports?|fluent|(?:i|user|we)(?: can| also)? speaks?|native|reading|grew up|visit\w*|parle|spricht|spreche)\b|^speaks?\b(?! to)", _I)),
    ("has", lazy_pattern(r"\b(?<!rather )(?:has|have|own|owns)\b(?! to\b| (?:\w+ly |now |just |finally )?(?:\w+ed|been|gone|come|become|left|got rid)\b)", _I)),
    ("works", lazy_pattern(r"\b(?:works?|working|job)\b", _I)),
    ("not me", lazy_pattern(r"\b(?:he|she|they|his|her|their|someone|somebody)\b", _I)),
)  # fmt: skip
"""Ways to stand to a value of which several are so at once, or of which one says nothing of the others."""
_NAME = r"((?-i:(?:Dr\. |Mrs?\. |Prof\. )?[A-ZÀ-Ý][\w'.-]*(?: (?:de |la |von )?[A-ZÀ-Ý][\w'.-]*){0,2}))"
_END = r"(?= |[,;.!]|$)"
_JOB = (
    r"((?:[\w-]+ ){0,2}?[\w-]*(?:er|or|ist|nurse|chef|cook|intern|architect|accountant|student|clerk|lawyer|analyst|lead|ian|assistant|"
    r"mechanic|consultant|freelancer|scientist|carpenter|baker|vet))(?=\s+(?:now|at|in|for|with|by|since|and|of)\b|[,.;!]|$)"
)
_OF_PEOPLE = tuple(
    (name, lazy_pattern(pattern, _I))
    for name, pattern in (
        ("name", rf"^(?:the |my |mein )?(?:user's )?(?:first |preferred |nick)?name (?:is|ist) (?:now )?{_NAME}{_END}|\b(?:call|address) (?:me|the user) {_NAME}{_END}|\b(?:i'm|user is|i am|i'd like to be|go(?:es)? by)(?: now)? called {_NAME}{_END}|"
                 rf"\bi go by {_NAME}{_END}|^je m'appelle {_NAME}|^ich heiße (?:jetzt )?{_NAME}"),
        ("employer", rf"^(?:the |that )?(?:i|user|we)?(?: now| just)? ?(?:works? (?:at|for)|joined|started (?:at|with)|(?:'m|am|is) (?:now )?(?:at|with|employed (?:at|by)))(?: now)? {_NAME}{_END}|\bemployer is (?:now )?{_NAME}{_END}"),
        ("job", rf"^(?:i |user )?(?:now )?(?:works?|working) (?:now )?as an? {_JOB}|^(?:i'm|i am|is|became|user is)(?: now)? an? {_JOB}|^(?:job|profession) is (?:now )?(?:an? )?{_JOB}"),
        ("car", rf"^(?:i |i'm |user )?(?:now )?driv(?:es?|ing) (?:an? |my )?{_NAME}{_END}"),
        ("lives", rf"^(?:i |i'm |user |we )?(?:now )?(?:lives?|living|based|am based|is based|wohne?|habite|vivo)(?: now)? (?:in|at|near|à|en) {_NAME}{_END}"),
    )
)  # fmt: skip
"""What a person has one of, and how it is said of them."""
_LIVES = lazy_pattern(r"\b(?:lives?|living|based|mov(?:ed|ing)|settled|relocat\w+|home|city|town|wohn\w*|habite|vivo|umgezogen|déménagé|mudé)\b", _I)
_STATES = lazy_pattern(
    r"^(?P<of>.+?)\s+(?:(?P<is>(?:is|are|was|got|were)?\s?(?:now )?(?:called|named|renamed(?: to)?)|heißt|se llama|is|are|became|becomes|ist|est|es|=)(?!\s+(?:now )?(?:[\w-]+ )?(?:in|on|at|under|to|with|by|via|through|as|from|auf|mit|unter|bei|dans|avec)\s)|"
    r"(?:(?:is|are|gets?|has|have|been|liegt|ist|sind|est|sont|est[áa]n?)\s(?:now |jetzt )?(?:[\w-]+(?:ed|ilt|tten|ept|ent|ut|one)\s)?|(?:now )?(?:lives?|go(?:es)?|runs?|lies?|sits?|reports?|starts?|begins?|ends?|"
    r"talks?|moved|went|changed|läuft|laufen|liegen|liegt)\s)(?:now |jetzt |over )?"
    r"(?P<in>in|on|at|under|to|with|by|via|through|as|from|auf|mit|unter|bei|dans|avec))\s+(?:now |jetzt )?(?:an? |the |our )?(?P<value>\S.*)$",
    _I,
)
_NOISE = lazy_pattern(
    r"\s+(?:now|these days|nowadays|since\b.*|any ?more|from now on|instead|again|already|(?:last|this) (?:week|month|year)|jetzt|maintenant|ahora|directories|directory|folder|files?)(?=\s|$)", _I
)
_MANY = frozenset(
    stem(word)
    for word in """child kid son daughter brother sister friend colleague cousin cat dog pet uncle aunt neighbour hobby hobbies allergy allergies language
    languages sibling grandchild niece nephew customer client user project goal skill member teammate plant guest topic twin
    bug error issue failure incident fault test note""".split()
)
"""Of whom, or of what, there may be several."""
_ONE = frozenset(stem(word) for word in """manager mentor doctor dentist therapist landlord trainer accountant lawyer vet hairdresser spouse girlfriend
    boyfriend roommate name surname nickname pronouns car bike phone employer colour color theme title birthday status owner""".split())
_FAVOURITE = lazy_pattern(r"\b(?:favou?rite|preferred|lieblings\w+)\b", _I)
_DATE = lazy_pattern(r"\d{4}-\d\d-\d\d")
_CODE = lazy_pattern(r"[\d_`\"/]|\w[./:-]\w")


def is_known(slot: Slot) -> bool:
    """Say whether the value of a slot is one of the table, or a number."""
    return not slot.attribute.startswith(("is", "in ")) and not slot.over


@lru_cache(maxsize=1024)
def read(text: str) -> Reading:
    """Read what a text says that holds."""
    slots: list[Slot] = []
    stems = implied = frozenset[str]()
    deeds: list[Deed] = []
    last = frozenset[str]()
    for clause in clauses(text.strip()):
        told = _Clause(clause, last)
        filled = tuple(told.slots())
        slots += filled
        if told.stems or filled:
            deeds.append(Deed(told.stems, clause.denied, clause.adds, told.likes))
        stems, implied = stems | told.stems | told.over, implied | told.implied
        last = told.subject
    return Reading(tuple(_single(slots)), stems, implied, tuple(deeds))


def slots_of(text: str) -> tuple[Slot, ...]:
    """Return the slots that a text fills; none of a question, a thought, or what holds for a while.

    Examples:
        >>> [(slot.value, slot.denied) for slot in slots_of("Use pnpm, not npm") if "manager" in slot.attribute]
        [('pnpm', False), ('npm', True)]
    """
    return read(text).slots


class _Clause:
    """One clause as it is read: its words, the values among them, and the stems of all the others."""

    def __init__(self, clause: Clause, before: frozenset[str]) -> None:
        self.clause, self.core, self._before = clause, core(clause.text), before
        self.words = kinds.tokens(_GO.sub("golang", self.core))
        self.values = [each for each in kinds.values(self.words) if not self._is_part_of_a_name(each)]
        at = {place for each in self.values for place in range(each.first, each.last + 1)}
        self._plain = telling([word for place, word in enumerate(self.words) if place not in at])
        said = frozenset[str]().union(*(self._said(each) for each in self.values))
        if _POINTS_BACK.match(self.core):
            self._plain |= before
        self.implied = frozenset(stem(noun) for each in self.values for noun in kinds.nouns(each.kind)) - said
        self.subject = self._plain - self.implied
        self.stems = self._plain | said
        self.over = telling([word for thing in clause.over for word in kinds.tokens(thing)])
        self._of_what = frozenset[str]().union(*(self._said(each) for each in self.values if self._says_of_what(each)))
        self.likes = next((name for name, told in _TOLD if told.search(self.core)), "")

    def slots(self) -> Iterator[Slot]:
        for value in self.values:
            if not self._says_of_what(value):
                yield self._of_table(value, denied=self.clause.denied)
        for thing in self.clause.over:
            words = kinds.tokens(_GO.sub("golang", thing))
            known = list(kinds.values(words))
            for value in known:
                said = frozenset(stem(each) for each in parts(words[value.first]))
                yield Slot(self.subject, self._attribute(value), value.name, denied=True, said=said, over=True)
            if self.over:
                yield Slot(self.subject, "over", " ".join(sorted(self.over)), denied=True, said=self.over, over=True)
        yield from self._of_people()
        yield from self._stated()

    def _of_table(self, value: kinds.Value, *, denied: bool) -> Slot:
        own = self._said(value)
        rest = [self._said(each) for each in self.values if (each.first, each.last) != (value.first, value.last)]
        subject = self._plain.union(*rest) - own - frozenset(map(stem, kinds.nouns(value.kind)))
        bare = not subject and self.clause.denied and len(self.words) <= value.last - value.first + 2
        likes = self.likes if not value.kind.startswith(("city", "number", "clock")) or self.likes == "not me" else ""
        if likes == "has" and value.kind.startswith(("phone", "os", "theme")):
            likes = ""
        if value.kind.startswith(_SEVERAL) and not subject and _CHOSEN.search(self.core) is None:
            likes = likes or "uses"
        return Slot(self._before if bare else subject, self._attribute(value), value.name, denied, likes, own, self.clause.adds)

    def _attribute(self, value: kinds.Value) -> str:
        if value.kind.startswith("city"):
            return "lives" if _LIVES.search(self.core) else "works in" if self.likes == "works" else "city"
        if value.kind != "number":
            return value.kind
        after = self.words[value.last + 1 : value.last + 2]
        return f"number {stem(after[0])}" if after and telling(after) else "number"

    def _said(self, value: kinds.Value) -> frozenset[str]:
        return frozenset(stem(part) for at in range(value.first, value.last + 1) for part in parts(self.words[at]))

    def _says_of_what(self, value: kinds.Value) -> bool:
        """Say whether a value is what another one is said of: "tabs in *Go*", "*Postgres* backups on Sunday"."""
        if value.kind.startswith(_ADJECTIVES):
            return False
        after, before = self.words[value.last + 1 : value.last + 2], self.words[max(0, value.first - 1) : value.first]
        nouns = frozenset(map(stem, kinds.nouns(value.kind)))
        of_more = self._plain & telling(after) - nouns
        earlier = any(each.last < value.first and each.kind != value.kind and each.kind not in _COUNTED for each in self.values)
        return bool(of_more) or (earlier and bool(_SCOPES.intersection(before)))

    def _is_part_of_a_name(self, value: kinds.Value) -> bool:
        """Say whether a number names one of several: "Worker 1 runs nightly"."""
        after = self.words[value.last + 1 : value.last + 2]
        before = self.words[value.first - 1 : value.first]
        is_item = bool(before) and (before[0] in ITEMS | EVENTS or before[0].removesuffix("s") in ITEMS)
        leads = value.first < 2 and bool(after) and after[0] in _VERBS
        return value.kind == "number" and (is_item or leads or value.first == 0 or f"#{value.name}" in self.core)

    def _of_people(self) -> Iterator[Slot]:
        for attribute, pattern in _OF_PEOPLE:
            found = pattern.search(self.core)
            value = next(filter(None, found.groups()), "") if found is not None else ""
            if value and not (attribute in ("employer", "lives") and list(kinds.values(kinds.tokens(value)))):
                yield self._told(attribute, value, frozenset())

    def _stated(self) -> Iterator[Slot]:
        found = _STATES.match(self.core)
        if found is None:
            return
        value = _NOISE.sub("", found["value"])
        of = telling(kinds.tokens(found["of"])) - self._of_what or (self._before if _POINTS_BACK.match(self.core) else frozenset())
        if not of or len(value.split()) > 4 or of & _MANY or telling(kinds.tokens(value)) & self._of_what or not value or _DATE.search(value):
            return
        is_named = "name" in (found["is"] or "") or "called" in (found["is"] or "")
        if _shape(value) == "word" and not (is_named or of & _ONE or _FAVOURITE.search(found["of"])):
            return
        told = self._told("is" if found["is"] else f"in {_shape(value)}", value, of)
        yield told._replace(subject=of | self.stems - told.said)

    def _told(self, attribute: str, value: str, of: frozenset[str]) -> Slot:
        words = kinds.tokens(_GO.sub("golang", value))
        said = telling(words) or frozenset(words)
        return Slot(of, attribute, " ".join(words), self.clause.denied, self.likes if of else "", said, self.clause.adds)


_COUNTED = ("number", "clock")
_ADJECTIVES = ("number", "clock", "answer", "day", "month", "date", "rhythm", "colour", "theme", "units", "quotes", "case", "spelling", "indentation", "city", "time zone")
"""Kinds whose values may stand before what has them."""
_SEVERAL = ("language, written", "config", "api", "containers")
"""Kinds of which a project uses several, unless it is said for what, or that one is preferred."""
_CHOSEN = lazy_pattern(r"\b(?:prefer\w*|favou?rite|written|write|main|default|primary|switch\w*|moved?|migrat\w*|my|i)\b", _I)
_SCOPES = frozenset("in for on within inside für pour para".split())
_POINTS_BACK = lazy_pattern(r"^(?:it|that|this|they|which|everything|all of it)(?:'s|'re| is| are| runs?| lives?| goes| go| has| listens)\b", _I)
_VERBS = frozenset("is runs are was has does handles listens uses needs writes".split())


def core(text: str) -> str:
    """Return a clause without who says it, and without where it holds, which its scope tells."""
    return _LETTER.sub(r"letter_\1", _PULLS.sub("prs", _WHERE.sub(" ", _WHO.sub("", text.strip())).strip()))


def _shape(value: str) -> str:
    if _CODE.search(value):
        return "code"
    words = kinds.tokens(value)
    known = bool(list(kinds.values(words)))
    return "name" if value[0].isupper() or known else "word"


def _single(slots: list[Slot]) -> Iterator[Slot]:
    """Give the slots, but for those of which a text names several values at once."""
    said = Counter(
        (subject, attribute)
        for subject, attribute, _ in {(each.subject, each.attribute, each.value) for each in slots if not each.denied}
    )
    for each in slots:
        yield each._replace(likes=each.likes or "several") if said[each.subject, each.attribute] > 1 else each
