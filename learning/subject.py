"""Reads what a memory or a sentence is about: its telling words, the values that it names, what it denies.

Implements specs/capture.md (K-137). Looser than likeness, which asks whether two texts are one: here it is asked whether
they speak of one matter. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from language.likeness.vocabulary import FRAME, canonical
from language.stop_words import STOP_WORDS
from learning import value_kinds
from ledger.lazy_pattern import lazy_pattern

_STEM = 5
_EXACT = lazy_pattern(r"[\d_/.]")
"""What has one of these is a name or a number, of which every sign counts."""
_ELIDED = lazy_pattern(r"'(?:s|re|ve|m|ll|d|t)$|^(?:[mtsljdnc]|qu)'(?=\w{2})")
WEAK = frozenset(
    """main primary default own current official whole usual general regular certain normal everywhere thing things stuff bit always never
    often usually everyone everybody anything something nothing ever also too just only still again already really simply directly straight
    please btw fyi heads yes yep okay hey well sure actually basically finally anyway back everything favourite favorite
    user users person persons project repo repository codebase team company here there today now new old former previous called named name
    like likes prefer prefers want wants love loves hate rather choice choose chose pick
    remember know knows think mean keep kept happen happens exist exists work works working run runs running use used uses using
    version number
    do did done make made has have had get got go goes going gone went come came take takes took taken give given put set let
    sit sits land lands live lives stay stays serve served start starts started begin begins
    move moved moves moving switch switched switching change changed migrate migrated replace replaced rename renamed shift shifted upgrade
    upgraded drop dropped ditch ditched retire retired leave left quit sell sold vote voted decide decided agree agreed settle settled
    become became turn turned
    year years month months week weeks day days time times yesterday tomorrow sprint quarter spring summer autumn winter christmas january
    february march april june july august september october november december friday saturday
    last next longer anymore nowadays instead since until
    immer bitte stets generell toujours siempre sempre favor nutzer benutzer utilisateur usuario usuária usuário
    max maximum min minimum required port ports listen listens
    oh ah hm ohne sans lass am liebsten mag nimmt nehme nehmen nur und oder mit der die das dem den ein eine einen eines einer
    one ones settled fyi alte alten altes alter neu neue neuen neues ich wir du sie ihr mir mich dir dich uns kann kannst
    können könnt soll will
    jetzt nun übrigens mehr seit ist sind haben hat habe wird werden auf aus bei unter über nach vom zum zur ab sondern
    liegt liegen lag steht läuft laufen nutzen nutzt gilt heißt je tu il elle nous vous ils peux peut maintenant désormais depuis est
    sont suis avec chez dans pour sur vont va ça être fait faire ancien ancienne vieux vieille bien yo tú ahora desde está están
    con por para vez ya puedes puede es ser viejo vieja antiguo antigua agora""".split()
)
"""Words that do not tell one matter from another."""

_SYNONYMS = {
    **dict.fromkeys("boss manager supervisor".split(), "manager"),
    **dict.fromkeys("flat apartment house home".split(), "home"),
    **dict.fromkeys("job profession occupation".split(), "job"),
    **dict.fromkeys("kid child children kids".split(), "child"),
    **dict.fromkeys("husband wife spouse partner".split(), "spouse"),
    **dict.fromkeys("car auto vehicle".split(), "car"),
    **dict.fromkeys("picture image photo".split(), "image"),
    **dict.fromkeys("drink drinks drank".split(), "drink"),
    **dict.fromkeys("eat eats ate".split(), "eat"),
    **dict.fromkeys("push pushed push".split(), "push"),
    **dict.fromkeys("ticket tickets issue issues".split(), "ticket"),
    **dict.fromkeys("backend server".split(), "server"),
    **dict.fromkeys("shut shuts close closed closes closing".split(), "close"),
    **dict.fromkeys(
        "appointment appointments booking bookings book booked meeting meetings".split(), "meeting"
    ),
    **dict.fromkeys("flight flights fly flies flying".split(), "flight"),
}
"""Words for one thing, beside those that likeness knows (L-3)."""

_DENIES = lazy_pattern(
    r"\b(?:no|not|never(?!\s+mind)|none|nothing|without|neither|nor|cannot|kein\w*|nicht|nie|ohne|pas|sans|jamais|sin|sem|nunca|não)\b|n[’']t\b|"
    r"\b(?:avoid|stop|hates?|can[’']t stand|dislikes?|drop|skip|spare me|leave out|enough of|too many|too much)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Matter:
    """What a text is about.

    `stems` are its telling words that name no value; `values` the names of values by kind; `named` of each kind the
    stems of the words that name its values; `denied` whether its negations are odd.
    """

    text: str
    stems: frozenset[str]
    values: Mapping[str, tuple[str, ...]]
    named: Mapping[str, frozenset[str]]
    denied: bool

    def beside(self, kind: str) -> frozenset[str]:
        """Return the stems of what it says beside the values of one kind, and beside what names that kind."""
        own = self.named.get(kind, frozenset())
        rest = [stems - own for other, stems in self.named.items() if other != kind]
        return self.stems.union(*rest) - of_kind(kind)

    @property
    def all(self) -> frozenset[str]:
        """The stems of all its telling words, values among them."""
        return self.stems.union(*self.named.values())


@lru_cache(maxsize=512)
def read(text: str) -> Matter:
    """Read what a text is about."""
    said = value_kinds.tokens(text)
    found: dict[str, tuple[str, ...]] = {}
    named: dict[str, frozenset[str]] = {}
    of_value: set[int] = set()
    for value in value_kinds.values(said):
        places = range(value.first, value.last + 1)
        found[value.kind] = (*found.get(value.kind, ()), value.name)
        parts = frozenset(stem(part) for at in places for part in _parts(said[at]))
        named[value.kind] = named.get(value.kind, frozenset()) | parts
        of_value.update(places)
    stems = frozenset(
        stem(part)
        for at, word in enumerate(said)
        if at not in of_value
        for part in _parts("golang" if word == "go" and _is_version(said[at + 1 : at + 2]) else word)
        if _tells(part)
    )
    return Matter(text, stems, found, named, _DENIES.search(text) is not None)


@lru_cache(maxsize=128)
def of_kind(kind: str) -> frozenset[str]:
    """Return the stems of the words that say which kind a value is of."""
    return frozenset(stem(word) for word in value_kinds.nouns(kind))


def _is_version(following: Sequence[str]) -> bool:
    return bool(following) and (following[0] == "version" or following[0][0].isdigit())


def _parts(word: str) -> list[str]:
    if _EXACT.search(word):
        return [word]
    word = _ELIDED.sub("", word)
    return [part for part in word.split("-") if part]


def _tells(word: str) -> bool:
    if _EXACT.search(word):
        return True
    return len(word) > 1 and not (
        word in STOP_WORDS or word in WEAK or word in FRAME or canonical(word) in WEAK
    )


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """Return what stands for a word, its inflections and its synonyms."""
    if word in _SYNONYMS:
        return _SYNONYMS[word]
    known = canonical(word)
    known = _SYNONYMS.get(known, known)
    return known if _EXACT.search(known) else known[:_STEM]
