# ruff: noqa: E501 - the lines of a pattern
"""The ways in which English, and a little German, French and Spanish, says that something has a value.

Implements specs/capture.md (K-136). Patterns and lists of words; `reading` applies them. Pure.
"""

from __future__ import annotations

import re

from language import value_kinds as kinds
from language.slots.words import stem
from ledger.lazy_pattern import lazy_pattern

_I = re.IGNORECASE
_WHO = lazy_pattern(
    r"^(?:please,? |actually,? |btw,? |from now on,? |so )*(?:the )?user(?:'s)? (?=\w)|,? please$", _I
)
_WHERE = lazy_pattern(
    r",? ?\b(?:in|for|on|of) (?:this|the|our) (?:project|repo|repository|codebase|code base)\b|\bfrom now on\b|\bab jetzt\b|\bmy own\b|"
    r",? (?:just )?(?:as (?:ever|always|usual|before)|like always|you know the drill|as with all the others|as everywhere|wie immer|comme d'habitude|como siempre)\b",
    _I,
)
_PULLS = lazy_pattern(r"\b(?:pull|merge)[ -]requests?\b", _I)
_NAMES = lazy_pattern(r"\b(name)'s (?=[A-ZÀ-Ý])", _I)
_AT_WORK = lazy_pattern(
    r"(?:^|(?<=my )|(?<=the )|(?<=our )|(?<=a ))work (?=[a-z])(?!(?:in|at|for|on|as|with|from|is)\b)", _I
)
_LETTER = lazy_pattern(r"(?<=\w )([A-HJ-Z])(?![\w'+#])")
GO = lazy_pattern(r"(?<=\S )Go\b(?! to\b)|\bGo(?= (?:version\b|\d))")
_TOLD = (
    ("likes", lazy_pattern(r"\b(?:likes?|loves?|enjoys?|mag|aime|hates?|dislikes?|can't stand|fond of|fan of)\b(?<!'d like)(?<!would like)", _I)),
    ("knows", lazy_pattern(r"\b(?:knows?|learn\w*|stud(?:y|ies|ied|ying)|supports?|fluent|(?:i|user|we)(?: can| also| don't| do not| doesn't)? speaks?|native|reading|grew up|visit\w*|parle|spricht|spreche)\b|^speaks?\b(?! to)", _I)),
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
OF_PEOPLE = tuple(
    (name, lazy_pattern(pattern, _I))
    for name, pattern in (
        ("name", rf"^(?:the |my |mein )?(?:user's )?(?:first |preferred |nick)?name (?:is|ist) (?:now )?{_NAME}{_END}|\b(?:call|address) (?:me|the user) {_NAME}{_END}|\b(?:i'm|user is|i am|i'd like to be|go(?:es)? by)(?: now)? called {_NAME}{_END}|^(?:i |user )?(?:now )?go(?:es)? by {_NAME}{_END}|^je m'appelle {_NAME}|^ich heiße (?:jetzt )?{_NAME}"),
        ("employer", rf"^(?:the |that )?(?:i|user|we)?(?: now| just)? ?(?:works? (?:at|for)|joined|started (?:at|with)|(?:'m|am|is) (?:now )?(?:at|with|employed (?:at|by)))(?: now)? {_NAME}{_END}|\bemployer is (?:now )?{_NAME}{_END}|^(?:ich |je |yo |ahora )*(?:arbeite|travaille|trabajo) (?:jetzt |maintenant |ahora )?(?:bei|chez|en) {_NAME}{_END}"),
        ("job", rf"^(?:i |user )?(?:now )?(?:works?|working) (?:now )?as an? {_JOB}|^(?:i'm|i am|is|became|user is)(?: now)? an? {_JOB}|^(?:job|profession) is (?:now )?(?:an? )?{_JOB}"),
        ("car", rf"^(?:i |i'm |user )?(?:now )?driv(?:es?|ing) (?:an? |my )?{_NAME}{_END}"),
        ("lives", rf"^(?:i |i'm |user |we )?(?:now )?(?:lives?|living|based|am based|is based|wohne?|habite|vivo)(?: now)? (?:in|at|near|à|en) {_NAME}{_END}"),
    )
)  # fmt: skip
"""What a person has one of, and how it is said of them."""
LIVES = lazy_pattern(
    r"\b(?:lives?|living|based|mov(?:ed|ing)|settled|relocat\w+|home|city|town|wohn\w*|habite|vivo|umgezogen|déménagé|mudé)\b",
    _I,
)
STATES = lazy_pattern(
    r"^(?P<of>.+?)\s+(?:(?P<is>(?:is|are|was|got|were)?\s?(?:now )?(?:called|named|renamed(?: to)?)|heißt|se llama|is|are|became|becomes|ist|est|es|=)(?!\s+(?:now )?(?:[\w-]+ )?(?:in|on|at|under|to|with|by|via|through|as|from|auf|mit|unter|bei|dans|avec)\s)|"
    r"(?:(?:is|are|gets?|has|have|been|liegt|ist|sind|est|sont|est[áa]n?)\s(?:now |jetzt )?(?:[\w-]+(?:ed|ilt|tten|ept|ent|ut|one)\s)?|(?:now )?(?:lives?|go(?:es)?|runs?|lies?|sits?|reports?|starts?|begins?|ends?|"
    r"talks?|moved|went|changed|läuft|laufen|liegen|liegt)\s)(?:now |jetzt |over )?"
    r"(?P<in>in|on|at|under|to|with|by|via|through|as|from|auf|mit|unter|bei|dans|avec))\s+(?:now |jetzt )?(?:an? |the |our )?(?P<value>\S.*)$",
    _I,
)
_NOISE = lazy_pattern(
    r"\s+(?:now|these days|nowadays|since\b.*|any ?more|from now on|instead|again|already|(?:last|this) (?:week|month|year)|jetzt|maintenant|ahora|directories|directory|folder|files?)(?=\s|$)",
    _I,
)
MANY = frozenset(
    stem(word)
    for word in """child kid son daughter brother sister friend colleague cousin cat dog pet uncle aunt neighbour hobby hobbies allergy allergies language
    languages sibling grandchild niece nephew customer client user project goal skill member teammate plant guest topic twin
    bug error issue failure incident fault""".split()
)
"""Of whom, or of what, there may be several."""
ONE = frozenset(
    stem(word)
    for word in "name surname nickname pronouns colour color theme title birthday status image font size level".split()
)
"""What has one value, be it any word."""
FAVOURITE = lazy_pattern(r"\b(?:favou?rite|preferred|lieblings\w+)\b", _I)
_ONCE = lazy_pattern(
    r"(?:19|20)\d\d-?[01]\d-?[0-3]\d|\b(?=[a-f]*\d)[0-9a-f]{7,}\b|(?:[0-9a-f]+-){3,}|\b\d+/\d+\b|#\d"
)
"""A date, a hash, a tally: what happened once is no value."""
_CODE = lazy_pattern(r"[\d_`\"/]|\w[./:-]\w")

COUNTED = ("number", "clock")
ADJECTIVES = tuple(
    "number,clock,answer,rhythm,theme,units,quotes,case,spelling,indentation,time zone".split(",")
)
"""Kinds whose values may stand before what has them."""
TIMES = ("day", "month", "date")
SEVERAL = ("language, written", "config", "api", "containers")
"""Kinds of which a project uses several, unless it is said for what, or that one is preferred."""
CHOSEN = lazy_pattern(
    r"\b(?:prefer\w*|favou?rite|written|write|main|default|primary|switch\w*|moved?|migrat\w*|my|i|api)\b", _I
)
OF_PORTS = frozenset("port ports listens listen".split())
LEADS_TO_PORT = frozenset("on to from auf sur".split())
SCOPES = frozenset("in for on within inside für pour para".split())
QUALIFIES = SCOPES | frozenset("on at of from with near auf am bei de à en".split())
VERBS = frozenset(
    """is are runs run has have does handles listens listen uses use needs need writes write live lives go goes moved move works work
    answer reply respond speak deploy keep send format indent call put store switch i'm we're it's ist sind läuft laufen liegt est sont""".split()
)


def core(text: str) -> str:
    """Return a clause without who says it, and without where it holds, which its scope tells."""
    text = _NAMES.sub(r"\1 is ", text)
    text = _AT_WORK.sub("at_work ", _WHO.sub("", text.strip()))
    return _LETTER.sub(r"letter_\1", _PULLS.sub("prs", _WHERE.sub(" ", text).strip()))


def stance(text: str) -> str:
    """Return how a clause in which somebody is said to like, know or have something stands to that, "" for none of it."""
    return next((name for name, told in _TOLD if told.search(text)), "")


def tokens(text: str) -> list[str]:
    """Return the words of a text in small letters; the language Go is no verb."""
    return kinds.tokens(GO.sub("golang", text))


def without_noise(value: str) -> str:
    """Return a value without the words that only say that it is so now."""
    return _NOISE.sub("", value)


def shape(value: str) -> str:
    """Return what a value looks like: *code*, a *name*, or *word*; "" where it happened once."""
    if _ONCE.search(value) or not value:
        return ""
    if _CODE.search(value):
        return "code"
    known = any(True for _ in kinds.values(kinds.tokens(value)))
    return "name" if value[0].isupper() or known else "word"
