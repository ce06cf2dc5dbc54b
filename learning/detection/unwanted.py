"""Reads a wish to forget that names the thing first, and orders then: "that memory about semicolons, get rid of it".

Implements specs/capture.md (K-242). An order that only points back ("out with it", "nimm das raus") is heard as one to
memory where what it points to speaks of what is remembered. Pure.
"""

# ruff: noqa: E501 - the lines of a pattern

from __future__ import annotations

import re
from functools import lru_cache

from language.word_sets import word_set, words_in
from learning.detection.forgetting import Asked
from ledger.lazy_pattern import lazy_pattern

_IT = r"(?:it|that|this|them|those|these|both|all\s+(?:of\s+)?(?:it|that|them)|(?:that|this)\s+(?:one|memory|note|entry|thing)|those\s+ones|the\s+lot)"
_MEMORY = r"(?:memor(?:y|ies)|notes|list|records?|head|mind|storage|files|database)"
_FROM_MEMORY = rf"(?:\s+(?:from|out\s+of|off|in)\s+(?:your|the)\s+{_MEMORY})?"
_BEFORE = (
    r"(?:(?:please|pls|just|so|then|and|now|ok|okay|well|hey|also|simply|kindly|maybe|can\s+you|could\s+you|would\s+you|you\s+can|you\s+may|"
    r"let's|i\s+want\s+you\s+to|i'd\s+like\s+you\s+to|bitte|dann|also|und|ja|kannst\s+du|alors|et|donc|s'il\s+te\s+plaît|stp|tu\s+peux|por\s+favor|"
    r"pues|y|puedes|então|e|pode)\s+)*"
)
_BEHIND = (
    r"(?:\s+(?:please|pls|now|again|then|too|for\s+me|for\s+good|altogether|entirely|will\s+you|thanks|bitte|wieder|mal|doch|einfach|stp|"
    r"s'il\s+te\s+plaît|por\s+favor))*"
)
_DAS = r"(?:das|es|die|den|dies|diese\w?|sie|ihn|alles|beide\w?)"
_ORDER = lazy_pattern(
    rf"""{_BEFORE}(?:
        (?:forget|delete|remove|drop|scrap|erase|wipe|discard|unlearn|clear|ditch|bin|trash|dump|lose|purge|strike|scratch|toss|chuck|
           let\s+go\s+of|get\s+rid\s+of|do\s+away\s+with)(?:\s+about)?\s+{_IT}(?:\s+(?:out|away|off))?{_FROM_MEMORY}
      | (?:take|throw|cut|cross|strike|kick|chuck|pull|get|leave|wipe)\s+{_IT}\s+(?:out|away|off){_FROM_MEMORY}
      | (?:take|cut|cross|strike|clear|pull|get)\s+{_IT}\s+(?:from|out\s+of|off)\s+(?:your|the)\s+{_MEMORY}
      | (?:out|away|off)\s+with\s+{_IT} | (?:delete|forget|remove|erase|drop|bin|scrap)
      | (?:{_IT}\s+)?(?:can|may|should|must|has\s+to|have\s+to|needs?\s+to)\s+(?:go|be\s+(?:deleted|removed|dropped|forgotten|erased|wiped|scrapped))
      | (?:we|you|i)\s+can\s+do\s+without\s+{_IT}
      | (?:there's\s+|there\s+is\s+|you\s+have\s+)?no\s+(?:need|reason|point)\s+(?:to|in)\s+(?:keep|remember|know|store|hold|keeping|remembering|knowing|storing)(?:\s+on\s+to)?\s+
          {_IT}(?:\s+(?:in\s+mind|any\s?more|any\s+longer|around))?
      | (?:take|get|cut|cross|pull|throw|kick)\s+{_IT}\s+(?:out|off|away)(?:\s+of)?\s+(?:there|here)
      | (?:lösch|lösche|streich|streiche|vergiss|entfern|entferne)\s+{_DAS}(?:\s+(?:aus\s+(?:deinem|dem)\s+gedächtnis|aus\s+deinen\s+notizen|raus))?
      | (?:nimm|tu|wirf|schmeiß|hau)\s*(?:{_DAS}|'s)\s+(?:bitte\s+|ruhig\s+|wieder\s+|einfach\s+)*(?:raus|weg|heraus)
      | (?:weg|raus|fort)\s+damit
      | (?:{_DAS}\s+)?(?:kann|darf|soll)(?:st\s+du)?\s+(?:bitte\s+|ruhig\s+|jetzt\s+)*(?:weg|raus|gelöscht\s+werden|löschen|streichen|vergessen|rausnehmen)
      | (?:{_DAS}\s+)?(?:löschen|streichen|vergessen|rausnehmen|entfernen)
      | (?:oublie|efface|supprime|enlève|retire|vire)[\s-](?:le|la|les|ça|cela|tout)(?:\s+de\s+ta\s+mémoire)?
      | (?:l'|les\s+|tout\s+)?(?:oublier|effacer|supprimer|enlever|retirer)(?:\s+ça)?
      | (?:b[oó]rra|olv[ií]da|elim[ií]na|qu[ií]ta|s[aá]ca)(?:l[oa]s?|\s+(?:eso|esto|todo))(?:\s+de\s+tu\s+memoria)?
      | (?:apag|esque[cç]|remov|tir)\w{{1,2}}(?:-?[oa]s?|\s+(?:isso|isto|tudo))(?:\s+da\s+(?:tua\s+|sua\s+)?memória)?
    ){_BEHIND}""",
    re.VERBOSE | re.IGNORECASE,
)
_ORDERS = word_set(
    """forget delete remove drop scrap erase wipe discard unlearn clear ditch bin trash dump lose purge strike
    scratch toss chuck lösch lösche löschen streich streiche streichen vergiss vergessen entfern entferne
    entfernen raus weg heraus fort nimm rausnehmen gelöscht oublie oublier efface effacer supprime supprimer
    enlève enlever retire retirer vire borra bórra bórralo borralo bórrala olvida olvídalo olvidalo olvídala
    elimina elimínalo elimínala quita quítalo quitalo quítala saca sácalo apaga apague esquece esqueça esqueca
    remove remova tira tire rid"""
)
"""The words of which a clause has one that orders something to be let go."""

_NOTED = (
    r"(?:note|notes|memory|memories|bit|thing|things|part|stuff|entry|entries|fact|facts|rule|preference|info(?:rmation)?|line|item|"
    r"remark|idea|story|business)"
)
_KEPT = r"(?:saved|stored|noted|noted\s+down|written|written\s+down|remembered|recorded|learned|down|on\s+file|kept|got|gathered|picked\s+up)"
_TELLS = r"(?:repeat|tell|say|mention|bring\s+up|remind|claim|insist|quote|cite|raise|suggest|push|serve|recite|come\s+back\s+to|go\s+on\s+about)"
_TELLING = (
    r"(?:repeating|telling|saying|mentioning|bringing\s+up|reminding|claiming|insisting\s+on|quoting|citing|raising|bringing|coming\s+back\s+to|"
    r"going\s+on\s+about|talking|coming\s+up\s+with)"
)
_YOU_KEEP = (
    rf"you(?:'ve|\s+have|\s+had|'re|\s+are)?\s+(?:(?:still|always|apparently|seem\s+to|once)\s+)*(?:keep(?:\s+on)?\s+{_TELLING}|{_TELLS}|{_KEPT}|have|know|hold|keep|"
    rf"remember|save|wrote\s+down)(?:\s+(?:{_KEPT}|up))?(?:\s+(?:me|us))?"
)
_OF = r"(?:about|on|of|regarding|with|for|around|concerning|where|saying|that\s+says?|which\s+says?|that|how)"
_META = lazy_pattern(
    rf"""^(?:(?:ok|so|and|oh|hey|well|btw|also|now|separate\s+thing:?|one\s+more(?:\s+thing)?:?|another\s+thing:?|no\s+more\s+of)[\s,]+)*(?:
        (?:the|that|this|those|your|any|my|one)\s+(?:(?:old|stored|saved|little|whole|stale|noted|second|first|last|other)\s+)*
          {_NOTED}\s+(?:(?:that\s+|which\s+)?{_YOU_KEEP}\s+)?(?:that\s+)?{_OF}\s+
      | (?:what(?:ever)?|everything|anything|all)\s+(?:that\s+)?{_YOU_KEEP}\s+(?:about|on|of|regarding|for|with)\s+
      | you(?:'re|\s+are)?\s+(?:(?:still|always|also|apparently)\s+)*(?:keep(?:\s+on)?\s+{_TELLING}|(?:still|always)\s+{_TELLS})
          (?:\s+(?:me|us))?(?:\s+(?:that|about|of))?\s+
      | you\s+(?:still\s+|also\s+|apparently\s+|seem\s+to\s+)+(?:think|believe|assume|remember|know|have|say)(?:\s+it)?(?:\s+(?:that|about|of|down|noted|stored|saved))*\s+
      | you\s+(?:have|'ve\s+got)\s+(?:it\s+)?(?:down|noted|stored|saved|on\s+file)\s+(?:that\s+)?
      | (?:in|among)\s+your\s+(?:memor(?:y|ies)|notes)\s+(?:there(?:'s|\s+is|\s+are)|you\s+have|it\s+says|is)\s+(?:still\s+)?(?:something\s+about\s+|that\s+)?
      | your\s+{_NOTED}\s+(?=\w)
      | (?:das|die|der|den|deine?)\s+(?:(?:alte|gespeicherte|letzte)\s+)?(?:(?:notiz|eintrag|erinnerung|sache|punkt|ding|vermerk|info|regel|geschichte)\s+)?
          (?:mit|über|zu|von|wegen)\s+(?:(?:der|dem|den|die|das|meine[rmn]?|unsere[rmn]?)\s+)?
      | was\s+du\s+(?:(?:noch|immer|dir)\s+)*(?:über|zu|von)\s+
      | du\s+(?:denkst|glaubst|meinst|sagst|erzählst|erwähnst|weißt|hast)\s+(?:(?:immer|noch|ständig|wieder|mir|dauernd)\s+)+(?:,?\s*dass\s+|von\s+|über\s+)?
      | (?:la\s+note|l'histoire|le\s+truc|ce\s+que\s+tu\s+(?:as\s+noté|sais|gardes)|l'info)\s+(?:sur|de|du|des|avec|que)\s+
      | tu\s+(?:crois|penses|dis|répètes|rappelles)\s+(?:encore|toujours)\s+(?:que\s+)?
      | (?:lo|la\s+nota|el\s+dato|la\s+cosa|eso)\s+(?:del?|sobre|que)\s+
      | lo\s+que\s+(?:sabes|tienes|guardaste|guardas)\s+(?:de|sobre)\s+
      | (?:sigues|todavía|aún)\s+(?:\w+\s+)?(?:que|con)\s+
      | (?:a\s+nota|aquilo|a\s+história)\s+(?:de|da|do|sobre|que)\s+
    )(?P<about>\S.*)$""",
    re.VERBOSE | re.IGNORECASE,
)
"""What speaks of what is remembered, and names it."""
_NAMED = lazy_pattern(
    r"""^(?:
        (?:(?:das|die\s+sache)\s+(?:mit|über|wegen)\s+(?:(?:der|dem|den|die|das|meine[rmn]?|unsere[rmn]?)\s+)?)(?P<de>.+?)\s+
          (?:kannst\s+du|darfst\s+du|kann)\s+(?:bitte\s+|jetzt\s+|ruhig\s+)*(?:streichen|löschen|vergessen|rausnehmen|weg|raus)
      | (?:bitte\s+)?(?:vergiss|lösch\w*|streich\w*)\s+(?:bitte\s+)?(?:das|die\s+sache)\s+(?:mit|über|wegen)\s+(?:(?:der|dem|den|die|das|meine[rmn]?|unsere[rmn]?)\s+)?(?P<de2>.+)
      | (?:bitte\s+)?(?:nimm|lösch\w*|streich\w*|entfern\w*)\s+(?:bitte\s+)?(?:die\s+sache\s+mit\s+|das\s+mit\s+)?(?:(?:der|dem|den|die|das)\s+)?(?P<de3>.+?)\s+aus\s+(?:deinem\s+gedächtnis|deinen\s+(?:notizen|erinnerungen))(?:\s+(?:raus|heraus))?
      | (?:tu\s+peux\s+)?(?:oublie|oublier|efface|effacer|supprime|supprimer|enlève|enlever)\s+(?:l'histoire|le\s+truc|la\s+note|l'info)\s+(?:de|du|des|sur|avec|que)\s*(?P<fr>.+)
      | (?:tu\s+peux\s+)?(?:enlève|enlever|retire|retirer|efface|effacer|supprime|supprimer)\s+(?P<fr2>.+?)\s+de\s+ta\s+mémoire
      | (?:efface|supprime|enlève|retire)\s+de\s+ta\s+mémoire\s+(?:(?:le|la|les)\s+)?(?P<fr3>.+)
      | (?:por\s+favor\s+)?(?:quita|saca|borra|elimina)\s+de\s+tu\s+memoria\s+(?:lo\s+(?:del?\s+)?)?(?P<es>.+)
      | (?:por\s+favor\s+)?(?:quita|saca|borra|elimina|olvida|olvídate\s+de)\s+lo\s+(?:del?|que)\s+(?P<es2>.+)
      | (?:por\s+favor\s+)?(?:quita|saca|borra|elimina)\s+(?P<es3>.+?)\s+de\s+tu\s+memoria
      | (?:por\s+favor\s+)?(?:tira|apaga|remove)\w?\s+(?P<pt>.+?)\s+da\s+(?:tua\s+|sua\s+)?memória
    )(?:\s+(?:bitte|wieder|por\s+favor|s'il\s+te\s+plaît|stp))*$""",
    re.VERBOSE | re.IGNORECASE,
)
_IN_YOUR_NOTES = lazy_pattern(
    rf"^(?:the|that|this|my|our)\s+(?P<about>(?:\w+\s+){{1,5}}?)(?:thing\s+|stuff\s+|bit\s+|line\s+|memory\s+)?in\s+your\s+{_MEMORY}$|"
    r"^(?:no\s+more\s+of\s+)?(?:the|that|this)\s+(?P<about2>(?:\w+\s+){1,5}?)(?:memory|memory\s+entry)(?:\s+please)?$",
    re.IGNORECASE,
)
_YOURS = lazy_pattern(
    rf"^(?:(?:what(?:ever)?|everything)\s+{_YOU_KEEP}\s+(?:about|on|of)|(?:your|the|that)\s+(?:old\s+)?(?:note|notes|memory|memories|entry|entries)\s+"
    rf"(?:you\s+(?:have|keep|saved|stored)\s+)?(?:on|about|of))\s+(?P<about>[^,;!?]+?)\s+(?:can|may|should|must|has\s+to|needs\s+to)\s+"
    r"(?:go|be\s+(?:deleted|removed|dropped|forgotten|erased|scrapped))\b",
    re.IGNORECASE,
)
"""What of the memory can go, in one clause."""
_LEADS = lazy_pattern(r"^(?:(?:so|and|but|also|because|since|then)\s+)+", re.IGNORECASE)
"""An order that is to memory whatever it points to."""
_THEIRS = lazy_pattern(r"^(?:my|our|the)\s+", re.IGNORECASE)
_POINTERS = frozenset(("it", "that", "this", "them", "those", "these", "all", "both"))
_WHATEVER_YOU_KEEP = lazy_pattern(
    rf"""\b(?:forget|delete|remove|drop|scrap|erase|wipe|discard|clear|bin|purge|strike|take|cut|get|pull|leave|keep)\s+
        (?P<about>(?:[^\s,;!?]+\s+){{1,8}}?)(?:from|out\s+of|off)\s+
        (?:(?:what(?:ever)?|everything|anything|all)\s+(?:that\s+)?(?:you(?:'ve|\s+have)?\s+(?:still\s+)?(?:keep|have|know|hold|remember|{_KEPT})|is\s+(?:stored|saved|kept))\b
          | your\s+(?:memory|memories|notes|records|head|mind)\b)""",
    re.VERBOSE | re.IGNORECASE,
)
_OVER = lazy_pattern(
    r"\s+(?:is|are|was|'s|has\s+become|isn't|aren't)\s+(?:(?:now|long|all|no\s+longer|not|quite|simply|totally)\s+){0,2}"
    r"(?:out\s+of\s+date|outdated|obsolete|stale|wrong|true|valid|right|correct|accurate|history|incorrect|moot|irrelevant|relevant|nonsense|over|gone)\b.*$|"
    r"\s+(?:weißt|hast|gespeichert\s+hast|notiert\s+hast)$",
    re.IGNORECASE,
)
_CLAUSE = lazy_pattern(
    r"[,;:?!]\s+|\.\s+|\s+[–—-]\s+|\s+(?=and\s+(?:please\s+)?(?:get|drop|delete|remove|forget)\b)"
)
_OF_A_FILE = lazy_pattern(
    r"\b(?:in|from|of|to|on)\s+(?:the|this|that|our|my|dem|der|le|la|el|los)\s+(?:\w+\s+)?(?:readme|config|code|css|html|docs?|files?|scripts?|"
    r"tests?|repo|header|footer|page|table|document|letter|text|mail|email|draft|slides?|form|changelog|comments?|function|class|"
    r"pipeline|sheet|spreadsheet|[\w-]+\.\w+)\b|\b(?:im|in)\s+(?:readme|css|code|html)\b|\w/\w|\w\.\w{1,4}$",
    re.IGNORECASE,
)
"""Where something stands that is no memory."""
_MOST_CLAUSES = 12
_POINTS = lazy_pattern(r"\b(?:those|these|that|this|it|them|das|die|es|ça|eso|isso)\b", re.IGNORECASE)


_ORDERS_TOGETHER = tuple(
    (word_set(one), word_set(other))
    for one, other in (
        ("go", "can may should must has have need needs let"),
        ("out away off", "with take throw cut cross kick chuck pull get leave wipe strike do"),
        ("no", "need reason point"),
        ("be", "deleted removed dropped forgotten erased wiped scrapped"),
        ("do", "without"),
        (
            "take cut cross strike clear pull get",
            "memory memories notes list record records head mind storage files database",
        ),
        ("damit kann kannst", "weg raus fort"),
    )
)
"""Words of which only two of such a pair order something to be let go."""


@lru_cache(maxsize=256)
def _may_order(said: str) -> bool:
    has = words_in(said)
    if has & _ORDERS:
        return True
    for one, other in _ORDERS_TOGETHER:  # noqa: SIM110 - a generator costs more here
        if has & one and has & other:
            return True
    return False


@lru_cache(maxsize=256)
def named_first(said: str) -> Asked | None:
    """Return what a sentence wants forgotten that it names before the order, or that no order of `learning.detection.forgetting` names."""
    if not _may_order(said):
        return None
    said = said.replace("’", "'").strip()
    if (found := _WHATEVER_YOU_KEEP.search(said)) is not None:
        about = _THEIRS.sub("", found["about"].strip())
        if about.casefold() not in _POINTERS:
            return _unwanted(about, "")
    clauses = [part.strip(" .,;:!?") for part in _CLAUSE.split(said)[:_MOST_CLAUSES]]
    for at, clause in enumerate(clauses):
        if (named := _NAMED.match(clause)) is not None:
            return _unwanted(next(filter(None, named.groups())), ", ".join(clauses[at + 1 :]))
        if (named := _YOURS.match(_LEADS.sub("", clause))) is not None:
            return _unwanted(named["about"], ", ".join(clauses[at + 1 :]))
    order = next((at for at, clause in enumerate(clauses) if at and _ORDER.fullmatch(clause)), 0)
    for clause in clauses[:order]:
        opening = _LEADS.sub("", clause)
        found = _META.match(opening) or _IN_YOUR_NOTES.match(opening)
        if found is not None:
            about = next(filter(None, found.groups()))
            return _unwanted(_OVER.sub("", about), ", ".join(clauses[order + 1 :]))
    return None


def _unwanted(about: str, rest: str) -> Asked | None:
    about = re.sub(r"^(?:me|us)\s+(?=\w+ing\b)", "", about.strip(" '\"`,.")).strip()
    return Asked(about, rest) if len(about) > 1 and _OF_A_FILE.search(about) is None else None


@lru_cache(maxsize=256)
def is_order(said: str) -> bool:
    """Say whether a sentence is an order to let go that only points at what: "out with it"."""
    if not _may_order(said) or len(said) > 120:
        return False
    plain = said.replace("’", "'")
    return _ORDER.fullmatch(_CLAUSE.split(plain, maxsplit=1)[0].strip(" .,;:!?")) is not None


def speaks_of_memory(said: str) -> bool:
    """Say whether a sentence speaks of what is remembered, and names it: "you keep telling me about the bastion host"."""
    plain = said.replace("’", "'")
    clauses = _CLAUSE.split(plain)[:_MOST_CLAUSES]
    return any(_META.match(part.strip()) or _IN_YOUR_NOTES.match(part.strip(" .")) for part in clauses)


@lru_cache(maxsize=256)
def points_back(said: str) -> bool:
    """Say whether a message holds an order to let go that only points at what, beside no more than a reason."""
    if not _may_order(said):
        return False
    clauses = _CLAUSE.split(said.replace("’", "'"))[:_MOST_CLAUSES]
    return any(_ORDER.fullmatch(part.strip(" .,;:!?")) is not None for part in clauses)


def only_points(said: str) -> bool:
    """Say whether all that a sentence orders and states is of something that it only points at."""
    if not points_back(said):
        return False
    clauses = _CLAUSE.split(said.replace("’", "'"))[:_MOST_CLAUSES]
    others = [part for part in clauses if _ORDER.fullmatch(part.strip(" .,;:!?")) is None]
    return all(_POINTS.search(part) is not None for part in others)
