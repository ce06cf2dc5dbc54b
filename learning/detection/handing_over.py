"""Knows a request that hands a text over: "answer this customer: …", "too stiff? make it friendlier", "proofread" and a paragraph.

Implements specs/capture.md (K-279). The text stands behind the request's colon or in the paragraphs below it, or above it where
the request comes last and points back; it has no mark of its own. It ends where the person clearly speaks again. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from language.cues import TASKS
from learning.detection.mails import Whose
from ledger.lazy_pattern import lazy_pattern

_TEXT = r"""(?:(?:bug|error|user|voice|cover|press|blog|system|job|dating|status|design|one-star|chat|support)[ -])?
    (?:e-?mails?|mails?|letters?|messages?|tickets?|reports?|reviews?|comments?|prompts?|repl(?:y|ies)|posts?|tweets?|threads?|
      complaints?|inquir(?:y|ies)|enquir(?:y|ies)|transcripts?|statements?|profiles?|bios?|diary|speech|essays?|poems?|stor(?:y|ies)|
      quotes?|announcements?|newsletters?|memos?|petitions?|texts?|paragraphs?|sentences?|clauses?|articles?|abstracts?|drafts?|
      note|chats?|conversations?|discussions?|invitations?|lyrics|verses?|testimonials?|
      nachricht|brief|absatz|satz|texte?|lettre|courriel|correo|carta|mensaje|mensagem|texto)"""
"""What people hand over as text. No code is among it, and nothing of which a person states how they want it (rules, settings)."""
_POINTS = r"(?:this|that|it|these|those|them|the\s+following|das|dies\w*|den|ça|ceci|cela|esto|eso|isto|isso)"
_WHOSE = r"(?:this|that|these|those|the|my|his|her|their|our|an?|dies\w*|den|dem|der|die|das|cette|ce|este|esta|[\w-]+['’]s)"
_A_TEXT = rf"(?:{_WHOSE}\s+)(?:[\w-]+\s+){{0,2}}?{_TEXT}\b"
_LEAD = r"""\s*(?:(?:(?:can|could|would|will)\s+(?:you|u)|please|pls|plz|hey|hi|ok|and|now|just|help\s+me(?:\s+to)?|
    i\s+need\s+(?:you\s+)?to|bitte|kannst\s+du|peux-tu|puedes|por\s+favor|claude|assistant)[\s,:]+)*"""
_WORK = rf"""(?:
      (?:translate|proof-?read|re-?write|rephrase|paraphrase|reword|polish|shorten|condense|summari[sz]e|sum\s+up|simplify|
        copy-?edit|transcribe|übersetz\w*|traduis|traduire|traduce|traduz\w*|resume|résume|korrigier\w*|corrige|reformule)
        (?:\s+(?:{_POINTS}|{_A_TEXT}|for\s+me|mir|me|as|in|into|to|for|like|für|auf|ins|en|al|em|para)\b[^:\n]{{0,40}})?
    | fass\w*\s+[^:\n]{{0,40}}\bzusammen\b | tl;?dr\b[^:\n]{{0,40}}
    | (?:reply|respond|answer|write\s+back|antworte|réponds|responde)(?:\s+to|\s+à|\s+a)?\s+
        (?!(?:me|us|in|with|only|always|never|as|by|every|all|any)\b)
        (?:{_POINTS}|him|her|ihm|ihr|{_WHOSE}\s+[\w-]+(?:\s+[\w-]+){{0,3}}?|[\w-]+)(?:\s+(?:that|politely|kindly|shortly|with|in|for)\b[^:\n]{{0,40}})?
    | (?:draft|write)\s+(?:me\s+)?(?:an?|the)\s+(?:\w+\s+)?(?:answer|reply|response)\s+to\s+[^:\n]{{0,40}}
    | make\s+(?:{_POINTS}|{_A_TEXT})\s+(?:sound\b|read\b|(?:a\s+bit\s+|much\s+|more\s+|less\s+)*(?:formal|informal|friendl\w+|polite\w*|
        nice\w*|short\w*|long\w*|simpl\w+|clear\w*|punch\w+|concise|professional|casual|warm\w*|soft\w*|kind\w*|funn\w+|readable|stiff))[^:\n]{{0,40}}
    | (?:turn|convert|put|rework)\s+(?:{_POINTS}|{_A_TEXT})\s+(?:in)?to\s+(?:an?\s+)?(?:[\w-]+\s+)?(?:bullets?|bullet\s+points|table|list|
        summary|agenda|story|english|german|french|spanish|{_TEXT})\b[^:\n]{{0,40}}
    | (?:check|correct|fix|improve|mend|mark)\s+(?:{_WHOSE}\s+)?(?:grammar|spelling|wording|punctuation|typos|english|german|french|
        spanish|tone|phrasing|homework|{_TEXT}\b)[^:\n]{{0,40}}
    | (?:edit|review|rate|grade|critique|comment\s+on|assess|analy[sz]e|evaluate|explain|interpret|look\s+over|read|have\s+a\s+look\s+at)\s+
        (?:{_A_TEXT}|the\s+(?:tone|style)\s+of\s+{_POINTS}|what\s+{_A_TEXT}\s+means)\b[^:\n]{{0,40}}
    | (?:parse|make|write|format|put|turn|convert|rework|build)\s+(?:\w+\s+){{0,3}}?(?:(?:{_POINTS}|{_A_TEXT})\s+(?:in)?to|
        (?:of|from|out\s+of)\s+(?:{_POINTS}|{_A_TEXT}))\b[^:\n]{{0,40}}
    | (?:say|tell|sing)\s+(?:it|this|that)\s+(?:like|as|in|so)\b[^:\n]{{0,40}} | into\s+(?:\w+\s+)?[A-Z]\w+
    | extract\s+(?:the|all)\s+(?:\w+\s+)?(?:items|points|dates|names|requirements|constraints|facts|tasks|questions|
        decisions)\b[^:\n]{{0,40}}
    )"""
_DOUBTFUL = rf"""(?:
      what\s+(?:do|would|can|should)\s+(?:you|i|we)\s+(?:think|make|say|answer|reply|write)(?:\s+(?:of|about|to)\s+(?:{_A_TEXT}|{_POINTS}|him|her))?
    | what\s+(?:does|did|do)\s+(?:he|she|they|this|that|it|{_WHOSE}\s+\w+)\s+(?:want|mean|say|need|ask)\b[^:\n]{{0,40}}
    | (?:is|was)\s+(?:{_POINTS}|the\s+(?:tone|wording)|{_A_TEXT})\s+(?:\w+\s+){{0,2}}?(?:ok|okay|fine|rude|polite|clear|correct|spam|scam|
        phishing|legit|harsh|friendly|formal|well\s+written|too\s+\w+)\b[^:\n]{{0,40}}
    | does\s+(?:{_POINTS}|{_A_TEXT})\s+(?:read|sound)\b[^:\n]{{0,40}} | (?:any\s+)?(?:typos|thoughts)\b[^:\n]{{0,40}}
    | how\s+(?:do|should|would|can)\s+(?:i|we)\s+(?:answer|reply|respond)\b[^:\n]{{0,40}}
    | (?:worum\s+geht|was\s+(?:will|meint)|que\s+veut|qu['’]est-ce\s+qu['’](?:il|elle)\s+veut|qué\s+quiere)\b[^:\n]{{0,40}}
    | (?:[\w-]+\s+){{0,3}}?{_TEXT}\b[^:\n,]{{0,30}},\s+(?:(?:\w+er|more\s+\w+|less\s+\w+)(?:\s+please)?|
        (?:make|write|answer|reply|rewrite|cluster|sort|summari[sz]e)\b[^:\n]{{0,40}})
    | (?:too|zu)\s+(?:long|short|harsh|formal|stiff|rude|soft|much|little|lang|kurz)\b[^:\n]{{0,40}}
    )"""
_NAMED = rf"""(?:
      (?:(?:here(?:['’]s|\s+is|\s+are)|this\s+is|below\s+is|got|from)\s+)?(?:(?:the|an?|another|one|my|our|their|this)\s+)?(?:[\w-]+\s+){{0,2}}?{_TEXT}\s+
        (?:of|from|by)\s+(?!(?:me|us|myself|mine|ours|our\s+side|(?:the|our|this)\s+(?:team|project|repo|codebase|day|week)|today|yesterday|now)\b)
        [^:\n.!?]{{1,80}}
    | (?:his|her|their|(?!(?:let|here|that|it|what|there|today|tomorrow|tonight|this|project|repo|team|one)['’])[\w-]+(?:\s+\w+)?['’]s)\s+
        (?:[\w-]+\s+){{0,2}}?{_TEXT}\b(?<!s)[^:\n.!?]{{0,50}}
    )"""
_FLAGS = re.VERBOSE | re.IGNORECASE
_INLINE = lazy_pattern(rf"{_LEAD}(?:{_WORK}|{_DOUBTFUL}|{_NAMED})\s*:\s+(?=\S)", _FLAGS)
_HANDS = lazy_pattern(rf"{_LEAD}{_WORK}\s*[:.?!…]*\s*$", _FLAGS)
_MAY_HAND = lazy_pattern(rf"{_LEAD}(?:{_DOUBTFUL}\s*[:.?!…]*|{_NAMED}\s*[:.?!…]+)\s*$", _FLAGS)
_BACK = lazy_pattern(
    rf"""{_LEAD}(?:
      (?:translate|proof-?read|re-?write|rephrase|paraphrase|reword|polish|shorten|condense|summari[sz]e|simplify|übersetz\w*|traduis|
        traduce|traduz\w*|correct|answer|reply\s+to|respond\s+to|make|turn|convert)\s+(?:{_POINTS}|him|her)\b
    | (?:reply|answer|write\s+back)\b(?=\s*(?:[.!]|$|that\b|politely\b|kindly\b))
    | (?:check|correct|fix|mend)\s+(?:{_WHOSE}\s+)?(?:grammar|spelling|wording|punctuation|typos)\b
    | how\s+(?:do|should|would|can)\s+(?:i|we)\s+(?:answer|reply|respond)\b | what\s+(?:do|should|would)\s+(?:i|we)\s+(?:answer|reply)\b
    | wie\s+antworte\s+ich\b | cómo\s+(?:le\s+)?contesto\b | que\s+répondre\b )[^\n]*$""",
    _FLAGS,
)
"""A request below a text that points back to it."""
_AGAIN = lazy_pattern(
    r"""[ \t]*(?:(?:also|and|ok(?:ay)?|thanks|thank\s+you|now|anyway|btw|by\s+the\s+way|p\.?\s?s\b|for\s+the\s+record|besides|oh|
      one\s+more\s+thing|außerdem|übrigens|danke|und|merci|sinon|et|gracias|además|y|obrigad[oa]|e)(?!['’\w])|\(|[–—-]{1,2}\s|-{3,}|={3,})""",
    _FLAGS,
)
"""How somebody opens who speaks again, behind a text that they handed over."""
_WORDS = lazy_pattern(r"[^\W\d_]+")
_QUOTATION = lazy_pattern(r"\"[^\"]*\"|“[^”]*”|„[^“”]*[“”]|«[^»]*»")
_LONGEST = 160
_MOST_WORDS = 16


def behind_colon(text: str, begin: int, end: int) -> int:
    """Return where the text begins that a request or a name hands over behind a colon, 0 where none does."""
    colon = text.find(": ", begin, min(end, begin + _LONGEST))
    found = _INLINE.match(text, begin, min(end, begin + _LONGEST + 2)) if colon >= 0 else None
    return 0 if found is None else found.end()


def behind_quotation(text: str, begin: int, end: int) -> int:
    """Return where the quotation ends that a handed text consists of, `end` where it is none: then it goes on to there."""
    found = _QUOTATION.match(text, begin, end)
    return end if found is None else found.end()


def mark(lines: Sequence[str], found: list[Whose]) -> None:
    """Mark the paragraphs that a request hands over, above it or below it, up to where the person speaks again."""
    begins = [at for at, line in enumerate(lines) if line.strip() and (not at or not lines[at - 1].strip())]
    if not begins:
        return
    last = begins[-1]
    alone = len(begins) > 1 and last == len(lines) - 1 - _blanks_at_end(lines)
    if alone and _is_short(lines[last]) and _BACK.match(lines[last]):
        _mark(found, 0, last, "doubt")
    for at in begins:
        if at + 1 >= len(lines) or not _is_short(lines[at]):
            continue
        if lines[at + 1].strip() and not lines[at].rstrip().endswith(":"):
            continue
        hands = _HANDS.match(lines[at]) is not None
        if hands or _MAY_HAND.match(lines[at]):
            _mark(found, at + 1, _end(lines, at + 1, begins), "others" if hands else "doubt")
            return


def _end(lines: Sequence[str], begin: int, begins: Sequence[int]) -> int:
    """Return where the person speaks again below a request: behind a quotation, at a paragraph that goes on, or orders something."""
    for at in begins:
        if at >= begin:
            if _speaks_again(lines[at]):
                return at
            if _QUOTATION.fullmatch(lines[at].strip().rstrip(".")) is not None:
                return at + 1
    return len(lines)


def _speaks_again(line: str) -> bool:
    if _AGAIN.match(line):
        return True
    words = [word.casefold() for word in _WORDS.findall(line)[:2]]
    return bool(words) and (words[0] in TASKS or (words[0] in ("please", "pls") and words[-1] in TASKS))


def _blanks_at_end(lines: Sequence[str]) -> int:
    return next((count for count, line in enumerate(reversed(lines)) if line.strip()), 0)


def _is_short(line: str) -> bool:
    return len(line) <= _LONGEST and len(line.split()) <= _MOST_WORDS


def _mark(found: list[Whose], begin: int, end: int, whose: Whose) -> None:
    for at in range(begin, end):
        if found[at] != "others":
            found[at] = whose
