# ruff: noqa: RUF001 - other scripts have letters like ours
"""Function words, which say nothing about the subject of a question; a search leaves them out.

Implements specs/projections.md (P-66). Covers some languages with spaces between words. A function word of one
language may be a name in another (usa). So the words of a Latin-script language other than English count only in a query
in that language. A word in capitals (IT, US) is a name, unless all words are in capitals.
"""

from __future__ import annotations

from collections.abc import Sequence

_ENGLISH = """
a about again all also am an and any are aren as at be because been being but by can could couldn did didn do
does doesn doing don done during each else ever every few for from further get gets getting give goes going got
had hadn has hasn have haven having he her here hers him his how i if in into is isn it its itself just know let
ll lot many me might more most much must mustn my need needs no nor not now of off on one only or other
our ours out over own please re really s same say says she should shouldn so some something still such t tell than
that the their theirs them then there these they this those to too under until up us use used using ve
very want wants was wasn way we were weren what when where whether which while who whom whose why will with won
would wouldn yes yet you your yours d m
"""
_GERMAN = """
aber als am auch auf aus bei bis das dass dem den der des dich die doch ein eine einem einen einer eines er es
fuer für habe haben hat ich ihm ihn ihr im ist ja kann kein keine mein mich mir muss nach nicht noch nur oder
ob seine sich sie sind soll sollen sollte und uns unser unsere vom von warum wann wenn wer werden wie wir wird wo wurde
zu zum zur über welche welchen welcher welches wofür womit wieso
"""
_ROMANCE = """
al avec aux ce ces cette como con cual cuál cuando cuándo da dans de del della di dos e el elle en es esta este et
eu fait gli il ils je la las le les leur lo los mais mas mes mi muy na ne no nos notre nous não o ou où para pas
pero perché por pour pourquoi porque qual quale quand quando que quel quelle quels quelles qui quién qué quoi se ses si
sobre son sont su sur tu um uma un una une unos vous y à é è ça cómo dónde donde usa utiliza utilise
"""
_RUSSIAN = """
а без бы был была были было быть в вам вас во вот все всё вы где да для до его ее её если есть еще ещё же за и из или
им их к как какая какие какой какую ко когда которые который кто ли мне мы на над надо нам нас наш не нет но ну о об
он она они от по под почему при про с со так такой там то тоже только ты у уже чем что чтобы это эта эти этот я
"""
_DUTCH = """
het een niet voor naar wat waar hoe wij
"""
_SWEDISH = """
och att det inte som för på är hur var
"""
_TURKISH = """
ve bir bu için mi ne nasıl
"""
_OTHER_SCRIPTS = """
في من على إلى عن هل ما ماذا متى أين كيف لماذا هو هي هذا هذه التي الذي أن إن لا مع
का के की को में से है हैं पर और क्या कौन कब कहाँ कैसे किस हम यह वह ने
"""

_ALWAYS = frozenset(" ".join((_ENGLISH, _RUSSIAN, _OTHER_SCRIPTS)).split())
_LATIN = tuple(frozenset(words.split()) for words in (_GERMAN, _ROMANCE, _DUTCH, _SWEDISH, _TURKISH))
_ENOUGH = 2
"""A query is in a language if it has so many of its function words, and no fewer than of English."""

STOP_WORDS = _ALWAYS.union(*_LATIN)


def content_words(words: Sequence[str], stop_words: frozenset[str] = STOP_WORDS) -> list[str]:
    """Return the words that carry a query's subject; may be empty.

    Args:
        words: as typed.
        stop_words: the words of STOP_WORDS to leave out.
    """
    said = {word.lower() for word in words}
    english = len(said & _ALWAYS)
    spoken = [language for language in _LATIN if len(said & language) >= max(_ENOUGH, english)]
    left_out = _ALWAYS.union(*spoken) & stop_words
    shouted = all(word.isupper() or not word.isalpha() for word in words)
    return [
        word
        for word in words
        if word.lower() not in left_out or (word.isupper() and len(word) > 1 and not shouted)
    ]
