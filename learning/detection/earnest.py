"""Tells what is said but not meant as a lasting truth of the person: play, jokes, suppositions, other people's lives.

Implements specs/capture.md (K-47, K-48). Looks at one sentence; that a game goes on over several messages is kept by the detector. Pure.
"""

from __future__ import annotations

import re

from language.pieces import mark_runs, marks
from language.signals import signals
from ledger.lazy_pattern import lazy_pattern

_SUPPOSED = lazy_pattern(
    r"""^(?:(?:ok|okay|so|and|but|hm+|now|well)[\s,]+)*(?:
        hypothetical(?:ly)?\b | suppos(?:e|ing)\b | assuming\b(?=.*\bwould\b) | imagine\b | pretend\b | in\ theory\b
      | (?:let'?s\ )?say\ (?:we|I|that\ we|that\ I|you|the\ team)\b | what\ if\b | just\ curious\b
      | if\ (?:we|I|you|the\ \w+|everyone|someone)\ (?:\w+\ ){0,2}(?:were|had|would|did|went|used|decided|moved|
        switched|chose|dropped|\w{2,}ed)\b(?=.*\b(?:would|could|might)\b)
      | (?:mal\ )?angenommen\b | stell\ dir\ vor\b | supposons\b | imagine[zs]?\b | supon(?:gamos|iendo)?\b | suponha\b )""",
    re.VERBOSE | re.IGNORECASE,
)
_JOKE = lazy_pattern(
    r"""\b(?:(?:ha){2,}h?|(?:je|ja){3,}|(?:hi){2,}|(?:he){3,}|rofl|lmao|mdr|just\ kidding|jk|k{4,}|j/k)\b | ^lo+l\b
      | (?<!\*)\*(?:bows|winks|sighs|nods|laughs|grins|smiles|shrugs|curtsies|whispers|giggles|waves)\b[^*]*\*
      | \b(?:I'?m|I\ am|call\ me|(?:ich\ bin|je\ suis|(?:yo\ )?soy|eu\ sou))\ (?:now\ )?
        (?:the|a|der|die|die|le|la|el|o)?\ ?(?:pope|king|queen|emperor|empress|batman|santa|vampire|wizard|papst|könig|
        kaiser|pape|roi|reine|papa|rey|reina|rei|rainha)\b""",
    re.VERBOSE | re.IGNORECASE,
)
_OTHERS = (
    r"friend|neighbou?r|colleague|co-?worker|boss|buddy|mate|ex|acquaintance|landlord|landlady|teacher|classmate|manager|"
    r"client|customer|grandma|grandpa|grandmother|grandfather|great-\w+|old\ boss|late\ \w+|schoolmate|pen\ pal"
)
_SOMEONE = lazy_pattern(
    rf"""^(?:(?:and|but|so|btw|well|lol|also|oh)[\s,]+)*(?:
        (?:my|our|a|some|one\ of\ my|this)\ (?:old\ |best\ |late\ |former\ |good\ )?(?:{_OTHERS})s?(?:'s\ \w+)?\b(?!\ (?:is|
          are)\ (?:now\ |called\ |named\ )?(?-i:[A-Z]))
      | (?:someone|somebody|a\ guy|a\ woman|people|everyone|folks|he|she)\ (?:from|in|at|on|over|always|never|only|just|told|
        says?|said|prefers?|likes?|hates?|doesn't|does|did|has|had|is|was|will)\b
      | [A-Z][a-zà-ÿ]+(?:\ (?:from|in|at|of)\ (?:the\ )?\w+)?\ (?:says|said|thinks|told|claims|mentioned|insists|reckons)\b
      | [A-Z][a-zà-ÿ]+'s\ (?:\w+\ )?(?:project|team|repo|repository|company|setup|machine|laptop|code|app)\b
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_OURS = lazy_pattern(
    r"\b(?:us|we|me|we're|our|ours|I)\b|\b(?:reviews?|approves?|owns?|signs?|must|should)\b", re.IGNORECASE
)
_MERE_WORDS = lazy_pattern(
    r"""\b(?:
        (?:always|never|remember|prefer|from\ now\ on)\ (?:is|are|was)\ (?:mis|a\ word|spell|typo|written|wrong)
      | decided\ to\ \w+\ (?:this|that|it)\b
      | decided\ (?:on\ )?(?:nothing|neither|none)\b | (?:haven't|have\ not|hasn't|not|yet\ to)\ (?:yet\ )?(?:been\ )?(?:decide|settle)d?\b
      | (?:they|he|she|people|others)(?:'ve|\ have|\ has)?\ (?:decided|settled\ on|chose|picked|went\ with)\b
      | (?<=,\ )(?:so\ )?sorry\b
      | never\ in\ my\ life\b | line\ \d+\ (?:is|was|has|needs)\b
      | for\ comparison\b | right\ here\b | should\ be\ (?:over|done|fixed|back|gone)\ (?:by|until|in|soon|tomorrow|tonight)
      | (?:fix|do|show|finish|answer)\ (?:it|this|that)\ (?:rather\ )?than\b
      | supposed\ to\b | i\ (?:suspect|wonder)\b
      | not\ what\ i\ (?:asked|meant|said|wanted)\b | i\ asked\ (?:why|how|what|whether|if|for|about|you)\b )""",
    re.VERBOSE,
)
_MERE_OPENING = lazy_pattern(
    r"""(?:and\ |so\ |ok,?\ )?(?:from\ (?:now|here)\ on),?\ i(?:'ll|\ will)\ (?:paste|send|post|share|type|write|give|show|try|
      number|mark|split|copy|upload)\b
      | (?:i'?ve|i\ have)\ never\ (?:seen|heard|read|had)\b | below\ (?:is|are)\b
      | (?:don't|do\ not|never|please\ don't)\ (?:memori[sz]e|remember|save|store|note\ down|keep)\b
      | (?:is|was|are|do|does|isn't)\s.+\b(?:weird|true|normal|ok)\b.*\?$""",
    re.VERBOSE,
)
"""Both are looked for in the sentence in lower case, which is several times as fast as to ignore case."""
_TAGS = lazy_pattern(
    r"<(?P<tag>\w+)>\s*</(?P=tag)>|\b(?:in|into|inside|between|within|with|using|of)\s+(?:the\s+|an?\s+)?<\w+>\s*(?:tags?\b|and\s+</\w+>)",
    re.IGNORECASE,
)
"""Tags that hold one answer, as programs ask for it."""
_QUOTED = lazy_pattern(
    r"""(?<![\w"])"([^"\n]+)" | “([^”\n]+)” | «([^»\n]+)» | „([^“”\n]+)[“”] | \u2018([^\u2019\n]+)\u2019
      | (?<!\w)'(?=\S)((?:[^'\n]|(?<=\w)'(?=\w))+)'(?!\w)""",
    re.VERBOSE,
)
_ANY_QUOTE = lazy_pattern(r"[\"“«„\u2018]|(?<!\w)'|'(?!\w)")
_QUOTE_SIGNS = frozenset("\"'“«„\u2018")
_LEFT_OVER = lazy_pattern(r"""[.!?…,\w]["'”»]\s*[.!?]?$""")
_RULES_OF_OWN = frozenset(
    ("standing", "habit", "rule", "prefer", "remember", "order_rule", "wants", "dislike", "likes", "regular", "deny",
     "team", "correct", "is_named", "name")
)  # fmt: skip
_FOR_GOOD = frozenset(("standing", "habit", "regular", "project", "remember", "team", "rule"))
_QUOTED_WORDS = 4

_GAME = lazy_pattern(
    r"""\blet'?s\ (?:play\b(?!\ (?:it\ safe|with|around))|role-?\ ?play|pretend)
      | \brole-?\ ?play | \byou(?:\ are|'re|\ play|\ be)\ (?:a|an|the|my)\ [^.!?\n]{1,60}?\band\ I(?:'m|\ am|\ play|'ll\ (?:be|play))\b
      | \byou\ play\ (?:a|an|the|my)\b | \bmy\ character\b | \bpretend\ (?:that\ )?(?:you|I)(?:'re|'m|\ are|\ am)\b
      | \bI(?:'ll|\ will)\ (?:play|be)\ (?:a|an|the)\ (?:\w+\ )?(?:knight|wizard|king|queen|pirate|elf|dwarf|vampire|detective|villain)
      | \bwir\ spielen\b | \bdu\ bist\ (?:ein|eine)\ [^.!?\n]{1,60}\bund\ ich\ bin\b | \bjouons\b | \bjuguemos\b""",
    re.VERBOSE | re.IGNORECASE,
)
_OF_A_GAME = (
    "play", "pretend", "ou're", "ou are", "ou be", "character", "I'll", "I will", "spielen", "u bist", "joue", "jugue",
)  # fmt: skip
_GAME_OVER = lazy_pattern(
    r"""\b(?:stop|enough|game\ over|out\ of\ character|ooc|seriously|back\ to|no\ more\ games?|end\ of\ (?:the\ )?(?:game|scene|
      role-?play)|schluss|stopp|basta|real\ question)\b""",
    re.VERBOSE | re.IGNORECASE,
)
_LAUGHS = mark_runs(
    """lol lool looool rofl lmao mdr jk kidding pope king queen emperor empress batman santa vampire wizard papst könig kaiser pape roi
    reine papa rey reina rei rainha j"""
)
_LAUGHTER = lazy_pattern(r"h[aei](?:h[aei]|j[ae])|j[ae](?:h[aei]|j[ae])|kkkk|\*")


def is_meant(said: str) -> bool:
    """Say whether a sentence is the person's own and in earnest, as far as its words tell (K-47)."""
    said = said.replace("’", "'") if "’" in said else said
    low = said.lower()
    if _SUPPOSED.match(said) is not None:
        return False
    laughs = _LAUGHTER.search(low) is not None or marks(said) & _LAUGHS
    if laughs and _JOKE.search(said) is not None:
        return False
    if _MERE_OPENING.match(low) is not None or _MERE_WORDS.search(low) is not None:
        return False
    return not (_of_someone(said) or _quotes(said) or _asks_for_tags(said))


def begins_game(text: str) -> bool:
    """Say whether a message opens a game of roles (K-48)."""
    return any(map(text.__contains__, _OF_A_GAME)) and _GAME.search(text) is not None


def ends_game(text: str) -> bool:
    """Say whether a message leaves it."""
    return _GAME_OVER.search(text) is not None


def _asks_for_tags(said: str) -> bool:
    """Say whether a sentence says which tags an answer stands in, and not that it is so for good."""
    return "<" in said and _TAGS.search(said) is not None and not signals(said) & _FOR_GOOD


def _of_someone(said: str) -> bool:
    """Say whether a sentence tells of somebody who is neither the person nor one of those they work or live with."""
    found = _SOMEONE.match(said)
    if found is None:
        return False
    if re.match(r"[A-Z]", found.group()) is None and not found.group()[:1].islower():
        return False
    return _OURS.search(said, found.end()) is None or re.search(r"\bnot (?:us|ours|we)\b", said) is not None


def _quotes(said: str) -> bool:
    """Say whether what tells of something lasting stands within quotation marks, or behind a lost one."""
    if _QUOTE_SIGNS.isdisjoint(said) or _ANY_QUOTE.search(said) is None:
        return False
    rest = _QUOTED.sub(" “” ", said)
    if (
        any(
            len(next(filter(None, found.groups())).split()) >= _QUOTED_WORDS
            for found in _QUOTED.finditer(said)
        )
        and not signals(rest) & _RULES_OF_OWN
    ):
        return True
    plain = rest.replace(" “” ", " ")
    return (
        _LEFT_OVER.search(plain.strip()) is not None and re.search(r"\w+s'\s*[.!?]?$", plain.strip()) is None
    )
