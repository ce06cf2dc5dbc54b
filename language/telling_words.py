"""The telling words of a text, which show its subject: without function words, as stems, with synonyms joined.

Implements specs/capture.md (K-137). Pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache

from language.likeness.vocabulary import canonical, tables
from language.stop_words import STOP_WORDS
from ledger.lazy_pattern import lazy_pattern

_STEM = 5
_EXACT = lazy_pattern(r"[\d_/.]")
"""A word with one of these is a name or a number, and every character of it counts."""
_ELIDED = lazy_pattern(r"'(?:s|re|ve|m|ll|d|t)$|^(?:[mtsljdnc]|qu)'(?=\w{2})")
WEAK = frozenset(
    """drink drinks drinking eat eats eating main primary default own current official whole usual general regular certain normal
    everywhere thing things stuff bit always never often usually everyone everybody anything something nothing ever also too just
    only still again already really simply directly straight please btw fyi heads yes yep okay hey well sure actually basically
    finally anyway back everything favourite favorite user users person project repo repository codebase team company here there
    today now new called named name like likes prefer prefers want wants love loves enjoy enjoys hate hates rather choice choose
    stop stopped avoid skip omit chose pick speak speaks remember know knows think mean keep kept happen happens exist exists work
    works working run runs running use used uses using utilize version number whatever onwards forward gets gotten may can allowed
    lieber now's these do did done make made has have had get got go goes going gone went come came take took taken give given put
    set let sit sits land lands live lives stay stays serve served start starts started begin begins move moved moves moving switch
    switched switching change changed migrate migrated replace replaced rename renamed shift shifted upgrade upgraded bumped drop
    dropped ditch ditched retire retired leave left quit sell sold vote voted decide decided agree agreed settle settled become
    became turn turned grew relocated relocate based reside settled rewrote rewritten rebuilt ported reworked call calls tool tools
    system systems platform provider solution software raised lowered year years month months week weeks day days time times
    yesterday tomorrow sprint quarter spring summer autumn winter christmas last next longer anymore nowadays instead since until
    immer bitte stets generell toujours siempre sempre favor nutzer benutzer utilisateur usuario usuária usuário max maximum min
    minimum required most least ports port listen listens oh ah hm ohne sans lass am liebsten mag nimmt nehme nehmen nur und oder
    mit der die das dem den ein eine einen eines einer one ones alte alten altes alter neu neue neuen neues ich wir du sie ihr mir
    mich dir dich uns kann kannst unsere unser verwende verwenden benutze benutzen können könnt soll will include includes including
    should must jetzt nun übrigens mehr seit ist sind haben hat habe wird werden auf aus bei unter über nach vom zum zur ab sondern
    liegt liegen lag steht läuft laufen nutzen nutzt gilt heißt je tu il elle nous vous ils peux peut maintenant désormais depuis
    est sont suis avec chez dans pour sur vont va ça être fait faire ancien ancienne vieux vieille bien yo tú ahora desde está están
    utilise usamos uso partir adelante con por para vez ya puedes puede es ser viejo vieja antiguo antigua agora""".split()
)
"""Words that do not distinguish subjects."""
_ALSO_NOUNS = frozenset(("car", "son"))
"""Function words of one language that are nouns in another."""
_SAME = """boss manager supervisor|home flat apartment house|job profession occupation|child kid children kids|spouse husband wife partner|
car auto vehicle|image picture photo|push pushed pushing|ticket tickets issue issues|
server backend|close shut shuts closed closes closing|meeting appointment appointments booking bookings book booked meetings|
flight flights fly flies flying|meal food|typing type types|standup stand-up|smoke smoking smokes"""
_SYNONYMS = {word: group.split()[0] for group in _SAME.replace("\n", "").split("|") for word in group.split()}
"""Synonyms, in addition to those of likeness (L-3)."""


def telling(words: Iterable[str]) -> frozenset[str]:
    """Return the stems of the telling words among lower-case words."""
    return frozenset(stem(part) for word in words for part in parts(word) if _tells(part))


def parts(word: str) -> list[str]:
    """Return the parts of a word with hyphens, without elisions; a name or number stays whole."""
    if _EXACT.search(word):
        return [word]
    return [part for part in _ELIDED.sub("", word).split("-") if part]


@cache
def _weak() -> frozenset[str]:
    return WEAK | {canonical(word) for word in WEAK if word.isascii() and len(word) > 3}


def _tells(word: str) -> bool:
    if _EXACT.search(word):
        return True
    known = canonical(word)
    frame = tables().frame
    return len(word) > 1 and not (
        (word in STOP_WORDS and word not in _ALSO_NOUNS) or {word, known} & _weak() or {word, known} & frame
    )


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """Return the common stem of a word, its inflections and its synonyms."""
    known = _SYNONYMS.get(word) or canonical(word)
    known = _SYNONYMS.get(known, known)
    return known if _EXACT.search(known) else known[:_STEM]
