# ruff: noqa: E501 - the lines of a pattern
"""Cuts a text into its clauses, and says of each what it denies, what it names as over, and whether it only adds.

Implements specs/capture.md (K-137, K-139). Questions, thoughts and what holds for a while are no clauses of what holds. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from ledger.lazy_pattern import lazy_pattern
from ledger.named_tuple import NamedTuple

_I = re.IGNORECASE
_SENTENCE = lazy_pattern(
    r"(?<=[.!?])(?<!Dr\.)(?<!Mr\.)(?<!Mrs\.)(?<!Ms\.)(?<!Prof\.)(?<!St\.)(?<!e\.g\.)(?<!i\.e\.)(?<!vs\.)\s+|\n+"
)
_NO_LASTING = lazy_pattern(
    r"\?\s*$|^(?:what|how|why|when|where|which|who|should|shall|could|would|can|do|does|did|is|are|if i|if we|what if|suppose|imagine|was|wie|warum|sollten|"
    r"si)\s+(?:(?:i|we|you|it|one|they|wir|ich|if)\b)|\b(?:(?:i|we|they)(?:'d| would| could| might| may| should)|you (?:could|might|would))(?: (?:maybe|perhaps|also|even))?\s+(?!like\b|rather\b|prefer\b|use\b|always\b|"
    r"never\b|not\b|create\b|write\b|push\b)|\b(?:maybe|perhaps|vielleicht|peut-être|quizás|what if|let's say|suppose|supposing|hypothetically|some ?day|one day|eventually|"
    r"(?:think|thought|talk)(?:ing|ed)? (?:about|of)|consider(?:ing|ed|s)?|wonder(?:ing|ed|s)?|toying with|plan(?:s|ning)? (?:to|on)|hop(?:e|es|ing) to|tempted|"
    r"want(?:s|ed)? (?:me |us )?to (?:try|move|switch|migrate)|try(?:ing)? out|(?:he|she|they|somebody|someone|\w+) (?:suggests?|suggested|recommends?|recommended|proposed?|proposes|says|said|"
    r"claims?) (?:we|that|I|to|using)|not sure|unless we|by the way how)\b|"
    r"\bfor (?:now|today|once|the moment|the time being|the demo|the test|the weekend|the rest of (?:the|this) (?:day|session|chat))\b|"
    r"\b(?:just |only )?(?:for|in|on|with|to) (?:this|that|these) (?:\w+ )?(?:one|files?|message|chat|session|time|task|commit|branch|pr|test|run|case|example|demo|script|answer|question|"
    r"reply|email|mail|letter|ticket|issue|shell|text|snippet|function|once|week|weekend|trip|experiment|spike|prototype|meeting|call|change|patch)\b|"
    r"\b(?:just )?this (?:once|time|week|weekend|morning|afternoon|evening)\b|\b(?:answer|explain|write|translate|do|make|keep|put) (?:this|that|it|the following) (?:one|in|into|with)\b|"
    r"\bused to (?:be|use|work|live|have|run|do|\w+) |"
    r"\b(?:the|this|that|my|your) (?:next|following|last|previous|first) (?:answer|reply|message|question|one|task|commit|pr|file|e?mail)\b|\b(?:in the experiment|on a branch|i wish)\b|"
    r"\b(?:in there|throwaway|scratch|this (?:pr|file|commit|ticket|function|test|message|answer|e?mail|letter))\b|\bthis one\b|(?<!from )(?<!as of )(?<!starting )(?<!since )(?<!seit )(?<!desde )\b(?:today|tonight|tomorrow|heute|hoy|aujourd'hui)\b|\b(?:right now|at the moment|temporar\w+|until (?!now)\w+|in the meantime|"
    r"one[- ]off|diesmal|vorerst|erstmal|pour l'instant|cette fois|por ahora|esta vez)\b",
    _I,
)
"""What is asked, only thought of, said by somebody else, or holds for a while."""
_CLAUSE = lazy_pattern(
    r"\s*[;:()]\s+|,\s+|\s+[–—-]+\s+|\s+(?=(?:but|because|since|as we|so that|so|aber|weil|sondern|mais|pero|porque)\s)|\s+(?:and|und|et|y)\s+(?=(?:we|i|it|the|our|my|never|don't|do not|use|"
    r"not|keep|write|run|put|no|joined|moved|switched|started|am)\b)",
    _I,
)
_ASIDE = lazy_pattern(
    r"^(?:because|since|as we|so that|so|after all|weil|porque|it's easier|thanks|btw|fyi|sorry|damit)\b", _I
)
_WAS = lazy_pattern(
    r"\b(?:was|were)\b(?! (?:re?named|moved|replaced|switched|changed|migrated|upgraded|raised|promoted|lowered|reduced|born))",
    _I,
)
_WISH = lazy_pattern(
    r"^(?:please )?(?:can|could|would|will) you (?:please )?(?P<rest>.*?\b(?:from (?:now|here) on|always|going forward|in (?:the )?future)\b.*?)\??$",
    _I,
)
"""An order for good that is put as a question."""
_CAUSE = lazy_pattern(r"^(?:because|since|so|as|but|and|aber|sondern|weil)\s+", _I)
_FRONT = lazy_pattern(r"^(?:for|in|on|when|whenever|if|unless|before|after|with|at|während|wenn|für)\b", _I)
_BESIDE = lazy_pattern(
    r"\b(?:also|as well|too|another|other|additional\w*|besides|both|either|except|only (?:for|in|on)|but only|auch|aussi|también|sometimes|manchmal|parfois|"
    r"(?:an? )?second(?!s)|additionally|in addition|on top|occasionally|partly)\b",
    _I,
)
"""What is said beside these is one more, and takes no place."""
_UNTIL = r"(?=\s+(?:to|onto|for|with|by|in favou?r of|and|now|since|last|entirely|completely|altogether|over to|auf|zu|à|anymore|any more|any longer)\b|[,;.!]|$)"
_THE = r"(?:(?:the|our|my|using|a|an|all|any) )*"
_OVER = lazy_pattern(
    rf"\b(?:instead of|rather than|in place of|anstatt|statt|au lieu de|en vez de|over(?! to| the| \d))\s+{_THE}(?P<a>\S+(?: \S+)?){_UNTIL}"
    rf"|\b(?:moved?|moving|switch(?:ed|ing)?|migrat(?:ed|ing)|went|gone|changed|got)\s+(?:over\s+|away\s+)?(?:from|off(?: of)?)\s+{_THE}(?P<b>.+?){_UNTIL}"
    rf"|\b(?:we|i|we've|i've|have|finally|just)\s+(?:just |finally )?(?:dropped|ditched|left|quit|abandoned|retired|scrapped|replaced|gave up(?: on)?|got rid of|stopped using|leave|are done with|gone off|come a?round on|had enough of|swapped(?: out)?|sold|gave away|cancell?ed)\s+"
    rf"{_THE}(?P<c>.+?){_UNTIL}"
    rf"|^(?:please )?(?:stop using|stop with|ditch)\s+{_THE}(?P<e>.+?){_UNTIL}"
    rf"|^{_THE}(?P<d>[\w.+#/-]+(?: [\w.+#/-]+)?)\s+(?:is|are|has been|got|'s)\s+(?:now |finally )?(?:gone|dead|retired|deprecated|decommissioned|history|being replaced|replaced|"
    r"dropped|abgeschafft|weg)\b",
    _I,
)
_NO = lazy_pattern(
    r"\b(?:no(?! (?:more|later|earlier|less|longer) than)|not(?! only)|never(?! mind)|none|nothing|neither|nor|cannot|kein\w*|nicht|nie|niemals|pas|jamais|aucun\w*|nunca|não|ningun\w*)\b|n't\b|\bya no\b|\bno longer\b",
    _I,
)
_STOPS = lazy_pattern(
    r"\b(?:avoid|stop(?:ped)?(?! using)|hates?|can't stand|dislikes?|drop|skip(?:ped|s|ping)?|spare me|leave out|leave off|enough of|omit|refrain|quit|lass)\b",
    _I,
)
_MORE = lazy_pattern(r"\b(?P<no>no )(?:longer|more)\b|\s(?:any ?more|any longer)\b", _I)
"""What only says that it was so before."""


class Clause(NamedTuple):
    """One clause of what holds.

    `text` is without what is over; `denied` says that it is not so; `over` are the things that are named as given up;
    `adds` that it stands beside what was said before.
    """

    text: str
    denied: bool
    over: tuple[str, ...]
    adds: bool


@lru_cache(maxsize=512)
def clauses(text: str) -> tuple[Clause, ...]:
    """Return the clauses of a text that say what holds, none of a question or of what holds for a while."""
    return tuple(
        each for said in _SENTENCE.split(text.replace("’", "'").strip()) for each in _of(said.strip())
    )


def holds(text: str) -> bool:
    """Say whether a text says what holds for good, as far as its words tell."""
    return bool(text.strip()) and _NO_LASTING.search(text.replace("’", "'")) is None


_LABEL = lazy_pattern(r"^((?:[\w'/-]+ ){0,4}[\w'/-]+): (\S+(?: \S+){0,2})$")
"""A heading and what stands under it: "Port of Postgres: 5432"."""
_WHEN = lazy_pattern(
    r",?\s*\b(?:(?:ever )?since|as of|starting(?: with| from)?|after|seit|depuis|desde|ab) (?:the |my |our |last |this |next |dem |der |le |la |el )?(?:new )?(?:january|february|march|april|may|june|july|august|"
    r"september|october|november|december|spring|summer|autumn|fall|winter|weekend|\w+day|easter|christmas|reorg\w*|migration|rewrite|incident|sprint|upgrade|move|merger|redesign|"
    r"relaunch|release|update|week|month|year|\w+tag|heute|januar|februar|märz|juni|juli|oktober|dezember|umzug|now|today|then)\b(?: \d+)?"
    r"|\b(?:last|over the|this) (?:week|month|year|summer|winter|spring|autumn|weekend|sprint|\w+day)\b|\b(?:a (?:week|month|year|while|few \w+)|\w+ (?:weeks|months|days|years)) ago\b",
    _I,
)
"""When something became so, which is no part of what is so."""
_PAST = lazy_pattern(r"\b(?:last (?:week|month|year|time|night|\w+day)|yesterday|ago|once)\b(?! a\b)", _I)
_MOVED = lazy_pattern(
    r"\b(?:mov(?:ed|ing)|switch(?:ed|ing)?|went|changed|migrated|upgraded|joined|started|left|replaced|dropped|became|become|rewr\w+|got|since|now)\b",
    _I,
)


def _of(sentence: str) -> Iterator[Clause]:
    if (wish := _WISH.match(sentence)) is not None:
        sentence = wish["rest"]
    if not holds(sentence):
        return
    front = ""
    if _PAST.search(sentence) and not _MOVED.search(sentence):
        return
    sentence = _LABEL.sub(r"\1 is \2", sentence)
    plain = _WHEN.sub("", _MORE.sub(lambda found: found["no"] or "", sentence))
    for found in _CLAUSE.split(plain):
        part = (found or "").strip(" .!")
        if not part or _WAS.search(part) or _ASIDE.match(part):
            continue
        whole = f"{front} {_CAUSE.sub('', part)}".strip()
        if _FRONT.match(whole) and not front and len(whole.split()) < len(sentence.split()):
            front = whole
            continue
        yield _clause(whole)


def _clause(part: str) -> Clause:
    over = tuple(thing for found in _OVER.finditer(part) for thing in found.groups() if thing)
    rest = _OVER.sub(" ", part) if over else part
    denied = (_NO.search(rest) is not None) != (_STOPS.search(rest) is not None)
    return Clause(rest, denied, over, _BESIDE.search(part) is not None)
