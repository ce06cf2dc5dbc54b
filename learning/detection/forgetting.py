"""Recognises what a person asks to forget: "Forget what I said about Redpanda, we run real Kafka".

Implements specs/capture.md (K-41). Names what is meant; whether something of the sort is known, and a yes, are others' business. Pure.
"""

from __future__ import annotations

import re

from language.word_sets import word_set, words_in
from ledger.lazy_pattern import lazy_pattern
from ledger.named_tuple import NamedTuple


class Asked(NamedTuple):
    """What is to be forgotten, in the person's words, and what else the sentence says ("" for nothing)."""

    about: str
    rest: str


_TOLD = r"(?:I|we)(?:'ve|\s+have|\s+had)?\s+(?:just\s+|once\s+|ever\s+)?(?:said|told\s+you|mentioned|wrote|gave\s+you|taught\s+you|shared)"
_VERB = (
    r"(?:forget|delete|remove|drop|scrap|erase|wipe|discard|unlearn|clear|ditch|bin|trash|dump|lose|purge|strike|let\s+go\s+of|"
    r"get\s+rid\s+of|do\s+away\s+with|throw\s+(?:out|away))"
)
_STORED = r"(?:saved|stored|noted|remembered|recorded|learned)"
_NOTED = r"(?:note|notes|memory|memories|bit|thing|things|part|stuff|entry|entries|fact|rule|preference|plan|info(?:rmation)?|line)"
_MEMORY = r"(?:memor(?:y|ies)|notes|list|records?|head|mind)"
_YOU_HAVE = (
    r"you(?:'ve|\s+have|\s+had)?\s+(?:still\s+)?(?:got\s+)?(?:saved|stored|noted|written|remembered|recorded|learned|down|on\s+file|know|remember|there)"
    r"(?:\s+down)?"
)
_OUT_OF_DATE = (
    r"(?:(?:is|are|was|'s|has\s+become|isn't|aren't|is\s+not|are\s+not)\s+(?:\w+\s+){0,2}?(?:out\s+of\s+date|outdated|out-of-date|obsolete|stale|wrong|true|valid|"
    r"right|correct|accurate|current|history|incorrect|superseded|moot|irrelevant|relevant|nonsense|rubbish|no\s+more)|(?:no\s+longer|doesn't|don't|does\s+not)\s+"
    r"(?:holds?|appl(?:y|ies)|stands?|counts?|matters?)|no\s+longer\s+(?:true|valid|right|correct|accurate|relevant))"
)
_WHAT = rf"""
    (?: (?:what(?:ever)?|everything|anything|all(?:\s+(?:that|of\s+what))?|the\s+{_NOTED}|that\s+{_NOTED}|
    my\s+{_NOTED}|stuff)\s+(?:that\s+)?
        (?:{_TOLD}|you\s+(?:have\s+|'ve\s+)?(?:saved|stored|know|noted|remember(?:ed)?|learned|wrote(?:\s+down)?))
        (?:\s+(?:down|away))?(?:\s+(?:about|on|of|regarding|concerning|with|for))? \s*
      | (?:the|that|this|my|your|any|those|all)\s+(?:\w+\s+)?{_NOTED}\s+(?:that\s+)?(?:about|on|of|regarding|with|
      saying|where|from)\s+
      | everything\s+(?:about|on|you\s+know\s+about)\s+
      | (?:the|that|this|any|your|my)\s+{_STORED}\s+{_NOTED}\s+(?:(?:that|which)\s+)?(?:says?\s+(?:that\s+)?|about\s+|
        on\s+|of\s+|regarding\s+|with\s+)?
      | (?:the|that|this|your)\s+{_NOTED}\s+(?:that|which)\s+(?:says?|claims?|tells?|reads?)\s+(?:that\s+)?
      | that\s+(?=(?:I|we|my|our)\b)
      | (?=(?:my|our|the)\s+(?:\w+\s+){{0,4}}(?:rule|preference|thing|number|address|plan|name|password|note|bit|
      setup|convention|decision)\b)
    )"""
_FORGET = lazy_pattern(
    rf"\b(?<!n't\s)(?<!not\s)(?<!never\s){_VERB}\s+(?:from\s+(?:your\s+)?memory\s+)?{_WHAT}(?P<about>(?:[^,.;!?]|[.](?=\w))+)(?P<rest>.*)",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_FROM_MEMORY = lazy_pattern(
    rf"\b{_VERB}\s+(?P<about>(?:[^,.;!?]|[.](?=\w))+?)\s+from\s+(?:your\s+|the\s+)?memor(?:y|ies)\b(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_OF_MEMORY = lazy_pattern(
    rf"\b{_VERB}\s+from\s+(?:your\s+|the\s+)?memor(?:y|ies)\s+(?:that\s+)?(?P<about>(?:[^,.;!?]|"
    rf"[.](?=\w))+)(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_NO_MORE = lazy_pattern(
    r"\b(?:don't|do\s+not|stop)\s+remember(?:ing)?\s+(?P<about>(?:that|my|our|the|"
    r"what)\b[^,.;!?]+?)(?:\s+any\s?more)?(?P<rest>[,.;!?].*|$)",
    re.IGNORECASE | re.DOTALL,
)
_NEED_NOT = lazy_pattern(
    r"\b(?:(?:no|any)\s+(?:need|reason|point)\s+(?:to|in|for\s+you\s+to)|you\s+(?:needn't|need\s+not|don't\s+(?:need|have)\s+to|can\s+stop|may\s+stop|"
    r"should\s+stop|no\s+longer\s+(?:need|have)\s+to)|\bI\s+(?:don't|do\s+not|no\s+longer)\s+(?:\w+\s+)?(?:want|need|like)\s+you\s+(?:to|knowing)|stop|quit)\s+"
    r"(?:(?:know|remember|keep|hold|stor|sav|hav|bear|track|carry)(?:e|ing)?|remembering)\s+(?:(?:on\s+to|onto|hold\s+of|track\s+of|in\s+mind|about|of|that)\s+)*"
    r"(?P<about>(?:[^,.;!?]|[.](?=\w))+?)"
    r"(?=\s+(?:in|on)\s+(?:mind|file|memory|your\s+\w+)|\s+any\s?(?:more|longer)|[,.;!?]|$)(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_OUT_OF_MEMORY = lazy_pattern(
    rf"\b(?:take|strike|cross|cut|get|clear|pull|kick|throw|wipe|leave|scratch)\s+(?P<about>(?:[^,.;!?]|[.](?=\w))+?)\s+"
    rf"(?:out\s+of|from|off)\s+your\s+{_MEMORY}\b(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_NOT_TRUE = lazy_pattern(
    rf"\b(?:(?:the|that|this|your|my)\s+(?:\w+\s+)?{_NOTED}\s+(?:that\s+)?(?:{_YOU_HAVE}\s+)?(?:about|on|of|regarding|saying|with)|"
    rf"what\s+{_YOU_HAVE}\s+(?:about|on|of|regarding)|what\s+{_TOLD}\s+(?:about|on|of|regarding))\s+"
    rf"(?P<about>(?:[^,.;!?]|[.](?=\w))+?)\s*{_OUT_OF_DATE}\b(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_LINE_IN_MEMORY = lazy_pattern(
    rf"\b(?:in|among)\s+(?:your|the)\s+(?:memor(?:y|ies)|notes)\s+(?:there(?:'s|\s+is|\s+are)?|you\s+(?:have|still\s+have))\s+"
    rf"(?:still\s+)?(?:an?|some|the)\s+(?:\w+\s+)?{_NOTED}\s+(?:about|on|saying|that\s+says|of|regarding)\s+(?:that\s+)?"
    rf"(?P<about>[^;!?]+?)[,;.]\s*(?:please\s+|and\s+|pls\s+|can\s+you\s+)*{_VERB}\b(?P<rest>)",
    re.IGNORECASE,
)
_BEFORE_IT = lazy_pattern(
    rf"^(?:please\s+|pls\s+|so\s+|and\s+|then\s+|now\s+|you\s+can\s+|can\s+you\s+|bitte\s+|just\s+)*(?:{_VERB}\s+(?:that|it|this|them|those)\s+"
    r"(?:one\s+)?(?:from|out\s+of)\s+(?:your\s+|the\s+)?(?:memor(?:y|ies)|notes)|"
    r"(?:lösch|lösche|streich|vergiss)\s+(?:das|es)(?:\s+bitte)?\s+(?:aus\s+(?:deinem|dem)\s+gedächtnis|wieder)|"
    r"(?:efface|supprime|oublie)(?:\s|-)(?:ça|le|la)\s+de\s+ta\s+mémoire|(?:borra|olvida)\s+(?:eso|esto)\s+de\s+tu\s+memoria|"
    r"bórralo\s+de\s+tu\s+memoria|apag[au]e?\s+isso\s+da\s+(?:sua\s+|tua\s+)?memória)\b",
    re.IGNORECASE,
)
_TOPIC = lazy_pattern(
    r"^(?:(?:you|we|I|it|there)(?:'s|'re)?\s+(?:keep\s+\w+ing\s+(?:me\s+)?)?)?(?:(?:don't|do\s+not|doesn't|needn't|shouldn't|no)\s+)?(?:need|have|want|is|isn't|are)?\s*"
    r"(?:to\s+)?(?:know|keep|remember|store|save|longer\s+true|matter)?\s*(?:about\s+)?(?P<about>(?:my|our|the|that|where|what|how)\b[^.;!?]+)",
    re.IGNORECASE,
)
_OTHERS = lazy_pattern(
    r"(?:^|\b)(?:(?:vergiss|lösch\w*|streich\w*)[,\s]+(?:bitte)?[,\s]*(?:\s*(?:dass|daß)(?:\s+(?:der|die|das|ich|wir|mein\w*|unser\w*))?|"
    r"(?:die|das|den|deine)\s+(?:notiz|eintrag|erinnerung|merker)\s+(?:über|zu|von|mit))|"
    r"(?:oublie|efface|supprime)\s+(?:que|la\s+note\s+(?:sur|qui\s+dit\s+que)|ce\s+que\s+tu\s+sais\s+(?:sur|de)|(?=m(?:on|a|es)\s))|"
    r"(?:olvida|borra|elimina)\s+(?:que|la\s+nota\s+(?:sobre|de|que\s+dice\s+que)|lo\s+que\s+(?:sabes|guardaste)\s+(?:sobre|de)|(?=mis?\s))|"
    r"(?:esquece|esqueça|apaga|apague)\s+(?:que|a\s+nota\s+(?:sobre|de)|o\s+que\s+(?:você\s+)?(?:sabe|guardou)\s+(?:sobre|de)|(?=m(?:eu|inha)s?\s))|"
    r"vergiss\s+(?:bitte\s+)?(?:,?\s*was\s+ich\s+(?:dir\s+)?(?:über|zu|von)|alles\s+(?:über|zu))|"
    r"oublie\s+(?:ce\s+que\s+j'ai\s+dit|tout)\s+(?:sur|de|à\s+propos\s+d[eu'])|"
    r"olvida\s+(?:lo\s+que\s+(?:te\s+)?(?:dije|he\s+dicho)|todo)\s+(?:sobre|de)|"
    r"esqueça?\s+(?:o\s+que\s+(?:eu\s+)?(?:disse|falei)|tudo)\s+(?:sobre|de))\s+"
    r"(?P<about>(?:[^,.;!?]|[.](?=\w))+?)(?:\s+(?:gesagt|erzählt)\s+habe)?(?P<rest>[,.;!?].*|$)",
    re.IGNORECASE | re.DOTALL,
)
_NOBODY_ASKED = lazy_pattern(
    r"\bI\s+(?:\w+\s+)?(?:forget|forgot|don't\s+remember|can't\s+remember)\b|^(?:did|do|does)\b|"
    r"\bfrom\s+(?:the\s+)?(?!(?:your\s+|the\s+)?memor)"
    r"[\w./`-]+(?:\s+(?:file|form|page|table|list|readme))?[.!?]?$",
    re.IGNORECASE,
)
_REST = lazy_pattern(r"^\s*(?:in\s+mind|on\s+file)?\s*(?:any\s?more|any\s+longer)?", re.IGNORECASE)
_LETS_GO = lazy_pattern(
    rf"\b{_VERB}\b|\b(?:stop|quit|needn't|no\s+need|no\s+point|take|cross|cut|kick|want\s+you\s+to|(?:have|need)\s+to\s+(?:know|keep|remember|hold|store|save)|"
    rf"vergiss\w*|vergessen|lösch\w*|streich\w*|entfern\w*|oubli\w*|efface\w*|supprim\w*|retire\w*|olvid\w*|borr\w*|elimin\w*|esque[cç]\w*|apag\w*|"
    rf"remov\w*)\b|\b{_OUT_OF_DATE}\b|\b(?:any\s?more|any\s+longer|no\s+longer|nicht\s+mehr)\b",
    re.IGNORECASE,
)
_VERBS = word_set(
    """forget delete remove drop scrap erase wipe discard unlearn clear ditch bin trash dump lose purge strike rid let away throw out take
    cross cut get pull kick leave scratch vergiss vergessen vergesst lösch lösche löschen streich streiche streichen oublie oublier efface
    effacer supprime supprimer olvida olvidar borra borrar bórralo elimina eliminar esquece esqueça apaga apague"""
)
_NEEDLESS = word_set("need needn't want stop quit no point reason longer don't can may should")
_HOLDS = word_set(
    """remember remembering know knowing keep keeping store storing save saving have having hold holding track bear bearing
    carry"""
)
_NOTES = word_set(
    "note notes memory memories bit thing things part stuff entry entries fact rule preference plan info information line what you"
)
_OF_OVER = """outdated date obsolete stale wrong true valid right correct accurate current history incorrect superseded moot irrelevant
    relevant nonsense rubbish more longer hold holds apply applies stand stands count counts matter matters"""
_OVER = word_set(_OF_OVER)
_MEMORIES = word_set("memory memories")
_PATTERNS: tuple[tuple[frozenset[str], re.Pattern[str]], ...] = (
    (word_set("memory memories notes"), _LINE_IN_MEMORY),
    (word_set(_OF_OVER), _NOT_TRUE),
    (_MEMORIES, _OF_MEMORY),
    (_MEMORIES, _FROM_MEMORY),
    (word_set("your"), _OUT_OF_MEMORY),
    (
        word_set(
            """forget delete remove drop scrap erase wipe discard unlearn clear ditch bin trash dump lose purge strike let rid away
            throw"""
        ),
        _FORGET,
    ),
    (word_set("need needn reason point stop quit longer don want like"), _NEED_NOT),
    (word_set("remember remembering"), _NO_MORE),
)
"""Each with the words of which a sentence has one that it finds something in."""
_IN_OTHER_LANGUAGES = lazy_pattern(
    r"vergiss|vergess|lösch|streich|entfern|oubli|effac|supprim|retire|olvid|borr|elimin|esque|apag"
)
_LETTING_GO = word_set(
    """forget delete remove drop scrap erase wipe discard unlearn clear ditch bin trash dump lose purge strike go rid away throw stop quit
    needn't no need point take cross cut kick want know keep remember hold store save longer anymore more nicht mehr outdated date
    obsolete stale wrong true valid right correct accurate current history incorrect superseded moot irrelevant relevant nonsense
    rubbish holds apply applies stands counts matters hold stand count matter
    vergiss vergessen vergesst lösch lösche löschen streich streiche streichen entferne entfernen oublie oublier oubliez efface
    effacer effacez supprime supprimer supprimez retire retirer olvida olvidar olvide borra borrar borre borralo elimina eliminar
    elimine esquece esqueça
    esqueca esquecer apaga apague apagar"""
)
"""The words of which a sentence has one that wants something let go."""
_SPEAKS_OF_MEMORY = lazy_pattern(
    rf"\b(?:(?:from|in)\s+(?:your|the)\s+(?:memor(?:y|ies)|notes)\b.*\b{_VERB}|{_VERB}\b.*\b(?:from|in)\s+your\s+(?:memor(?:y|ies)|notes)|"
    r"(?:don't|do\s+not|never|no\s+need\s+to)\s+(?:remember|memori[sz]e|save|store|note)\b(?!.*\b(?:to|as|in)\s+\w+$))"
    r"|^(?:bitte\s+)?(?:vergiss|vergesst)\b(?!\s+(?:nicht|nie))|^(?:oublie|olvida|esqueça|esquece)\b|^forget\b|"
    r"^(?:please\s+|pls\s+)?(?:forget|unlearn)\s+(?:the|that|what|my|our)\b",
)
_DROPPED = lazy_pattern(
    r"(?:^|\s)(?:about|in|of|for|that|please|now|again|too|though|altogether|completely|entirely|,|it|is|"
    r"are|was|were|from\s+(?:your\s+)?memory)$",
    re.IGNORECASE,
)
_EMPTY = frozenset(
    (
        "it",
        "that",
        "this",
        "them",
        "me",
        "everything",
        "all",
        "the last message",
        "my last message",
        "the above",
    )
)


def asked(said: str, before: str = "") -> Asked | None:
    """Return what a sentence asks to forget, or None: "forget it" and "don't forget to …" ask nothing of the sort.

    `before` is the sentence before it, which tells what "that" is in "erase that from your memory".
    """
    said = said.replace("’", "'")
    if _BEFORE_IT.match(said) is not None:
        topic = _TOPIC.match(before.replace("’", "'"))
        about = _trimmed(topic["about"]) if topic is not None else ""
        return Asked(about, "") if about else None
    has = words_in(said)
    patterns = [pattern for needed, pattern in _PATTERNS if has & needed]
    if _IN_OTHER_LANGUAGES.search(said.lower()) is not None:
        patterns.append(_OTHERS)
    for pattern in patterns:
        if (found := pattern.search(said)) is None:
            continue
        about = _trimmed(found["about"])
        if about and about.casefold() not in _EMPTY:
            if _NOBODY_ASKED.search(said) is not None:
                return None
            return Asked(about, _REST.sub("", found["rest"]).strip(" ,.;!?-–—"))
    return None


def _trimmed(about: str) -> str:
    about = about.strip(" '\"`,.")
    while (end := _DROPPED.search(about)) is not None:
        about = about[: end.start()].rstrip(" ,")
    about = re.sub(r"\bbeing\s", "", about)
    return re.sub(
        r"^(?:that|what|the fact that|everything about|about|the note (?:about|on)|using|(?:der|die|das|ich|mein|meine|mon|ma|mes|mi|mis|"
        r"meu|minha|el|la|le)(?=\s\w))\s+",
        "",
        about,
        flags=re.IGNORECASE,
    )


def may_ask(said: str) -> bool:
    """Say by its words whether a sentence can be one that `asked` understands."""
    has = words_in(said)
    if has & _VERBS:
        return True
    return bool((has & _NEEDLESS and has & _HOLDS) or (has & _NOTES and has & _OVER))


def may_let_go(said: str) -> bool:
    """Say whether a sentence may be a wish that something be known no longer, in whatever words (K-140)."""
    if not words_in(said) & _LETTING_GO and _IN_OTHER_LANGUAGES.search(said.lower()) is None:
        return False
    return _LETS_GO.search(said.replace("’", "'")) is not None


def is_order_to_memory(said: str) -> bool:
    """Say whether a sentence speaks of what is remembered: such an order is no memory, even where it is not understood (K-41)."""
    return _SPEAKS_OF_MEMORY.search(said.lower()) is not None
