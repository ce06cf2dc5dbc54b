"""Tells whose words a sentence gives: "customer wrote: call me Dr. Smith" is a customer's, "I said: use tabs" is not.

Implements specs/capture.md (K-171, K-172). Looks at one sentence: who is its subject, and whether it says what they
said. Pure.
"""

from __future__ import annotations

import re
from typing import Literal

from language.pieces import mark_pieces, marks
from ledger.lazy_pattern import lazy_pattern

_TOLD = (
    r"(?:wrote|said|says|asked|told|replied|answered|commented|mentioned|noted|posted|messaged|texted|e-?mailed|"
    r"pinged|slacked|demanded|demands|insists?|insisted|"
    r"announced|complained|suggested|suggests|requested|reminded|claimed|claims|stated|recommends|recommended|"
    r"responded|instructed|warned|proposed|schrieb|schreibt|"
    r"sagte?|meinte|a\ (?:dit|écrit)|dit|dijo|dice|escribió|disse|escreveu)"
)
_SAID = (
    rf"(?:{_TOLD}|writes|asks|tells|replies|mentions|reads|complains|yelled|shouted|whispered|warns|proposes)"
)
_LEAD = (
    r"(?:(?:and|no|nope|nah|yes|yeah|yep|wrong|sorry|again|remember|please|because|since|as|like|but|so|btw|"
    r"fyi|well|also|oh|ok(?:ay)?|hey|yesterday|today|then|now|look|see|lol|hm+)[\s,:.!]+)*"
)
_NAMED = (
    r"(?!(?:I|we|you|what|this|that|it|it's|there|being|having|if|when|nobody|"
    r"nothing)\b)(?-i:[A-Z])[\w'’-]+(?:\.?\s(?!I\b)(?-i:[A-Z])[\w'’.-]+){0,2}(?:\s(?:from|in|at|of)\s(?:the\s)?[\w-]+)?"
)
_PERSON = (
    r"(?:boss|manager|lead|tech\ lead|team\ lead|team|teammates?|cto|ceo|cfo|director|head\ of\ [\w-]+|legal|"
    r"security|compliance|ops|platform|infra|qa|hr|"
    r"management|architects?|colleagues?|co-?workers?|supervisor|professor|client|customer|partner|owner|po|pm|"
    r"teacher|coach|dev|developers?|reviewers?|admins?|consultants?|auditors?)"
)
_TEXT = (
    r"(?:comments?|notes?|messages?|feedback|repl(?:y|ies)|e-?mails?|mails?|quotes?|excerpts?|requests?|"
    r"questions?|answers?|posts?|tweets?|instructions?|statements?|letters?|memos?|"
    r"reminders?|voice\ ?mails?|sms|dms?|tickets?|snippets?|paragraphs?|sections?|lines?|announcements?|"
    r"complaints?|suggestions?|reviews?|transcripts?|captions?|nachricht|kommentar|mensaje)"
)
_SUBJECT = (
    r"(?:he|she|they|it|everyone|everybody|someone|somebody|people|(?:my|our|the|a|an|some|one\ of\ (?:my|our|"
    r"the)|another|this|that|his|her|their)\s(?:[\w'’.-]+\s){0,3}?[\w'’.-]+|"
    rf"{_NAMED}|@[\w.-]+|customers?|clients?|users?|boss|manager|reviewers?|reviewer\s\d|legal|security|"
    r"ops|infra|qa|hr|management|support|docs?|readme|handbook|wiki|policy|linter|bot|copilot|chatgpt|gpt|der|"
    r"die|das|mein\s\w+|meine\s\w+|mon\s\w+|ma\s\w+|mi\s\w+|meu\s\w+|minha\s\w+)"
)
_OPENING = lazy_pattern(_LEAD, re.IGNORECASE)
_OWN = lazy_pattern(r"(?:I|we|you|as\ I|like\ I|what\ I)\b", re.IGNORECASE)
_ALSO = (
    r"(?:\s(?:also|just|once|then|has|have|had|always|again|kindly|later|clearly|explicitly|literally|only|"
    r"even|already)){0,2}"
)
_ACTIVE = r"(?<!\sis\s)(?<!\sare\s)(?<!\swas\s)(?<!\swere\s)(?<!\sbeen\s)(?<!\sgot\s)"
"""What "is answered: …" nobody answers."""
_DIRECT = lazy_pattern(
    rf"{_LEAD}{_SUBJECT}{_ALSO}\s{_ACTIVE}(?:{_SAID}\b(?P<to>[^:\n.!?]{{0,50}}?)|goes|was\ like)\s?(?::|\s[–—-])\s+(?=\S)",
    re.VERBOSE | re.IGNORECASE,
)
_OF_TEXT = lazy_pattern(
    rf"{_LEAD}(?:(?:here'?s|this\ is|got|saw|there'?s|another|the|a|an|one|latest|new|last|"
    rf"from\ a)\s){{0,3}}(?:[\w-]+\s){{0,2}}?(?P<text>{_TEXT})\s(?:from|by)\s"
    r"(?!(?:me|us|my|our|mine|ours|myself|you|now|here|this|that)\b)(?:[^:\n.!?]{1,50}?)(?:\s?:|\s[–—-])\s+(?=\S)",
    re.VERBOSE | re.IGNORECASE,
)
_FROM_TEXT = lazy_pattern(
    rf"{_LEAD}(?:from|per|via|out\sof|as|quoting)\s(?:the|our|their|his|her|an?|this)?\s?(?:[\w-]+\s){{0,2}}?"
    r"(?:read\s?me|wiki|docs?|documentation|handbook|guide|manual|spec|policy|contributing|changelog|e-?mail|mail|letter|article|post|book|page|site|website|"
    r"ticket|issue|thread|chat|slack|memo|contract|newsletter|announcement)\b[^:\n]{0,30}:\s+(?=\S)|\S+\.(?:md|mdx|rst|txt|adoc)\s?(?:>|:|»)\s+(?=\S)",
    re.IGNORECASE | re.VERBOSE,
)
_QUOTES = lazy_pattern(
    rf"{_LEAD}(?:(?:quoting|to\ quote|quote\ from|verbatim)\b[^:\n]{{0,50}}|quote|zitat|citation|cita):\s+(?=\S)",
    re.IGNORECASE | re.VERBOSE,
)
_ACCORDING = lazy_pattern(
    rf"{_LEAD}(?:according\ to|as\ per|per)\s(?!me\b|my\b|our\b|usual|\w+\s(?:\d|of))(?:the\s|an?\s)",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_OF_ONESELF = lazy_pattern(r"(?<![\w'])(?:I|I['’](?:m|ve|d|ll)|my|mine|myself)(?!\w)")
_OF_TEAM = lazy_pattern(
    rf"{_LEAD}(?:(?:(?:my|our|the)\s)?(?:[\w-]+\s){{0,2}}?{_PERSON}|"
    rf"{_NAMED})\s(?:\w+\s)?{_TOLD}\b(?!\s(?:me\s(?:to|not)|on)\b)",
    re.VERBOSE | re.IGNORECASE,
)
_TO_WHOM = lazy_pattern(
    r"^(?:\s(?:me|us|everyone|all\sof\sus|the\steam))?\s?[:,–—-]?\s*(?:that\s)?(?:we\sare\stold\s)?",
    re.IGNORECASE,
)
_BINDS = lazy_pattern(
    r"\b(?:we|us|our|ours|the\ team|all\ of\ us|everyone|everybody|nobody|no\ one|all\ (?:\w+\ )?(?:prs|commits|"
    r"services|repos|code|changes|releases))\b",
    re.IGNORECASE,
)
_TELLS = mark_pieces(
    """wrote said says asked told replied answered commented mentioned noted posted messaged texted emailed
        e-mailed pinged slacked demanded demands insist insists
    insisted announced complained suggested suggests requested reminded claimed claims stated recommends
    recommended responded instructed warned proposed schrieb
    schreibt sagt sagte meinte dit écrit dijo dice escribió disse escreveu according per"""
)
"""One of these words stands in what tells of others' words without a colon."""

Whose = Literal["own", "doubt", "others"]


def whose(said: str) -> Whose:
    """Return whose words a sentence gives: the person's own, somebody else's, or a rule of others that may bind the person."""
    marked = ":" in said or " -" in said or "–" in said or "—" in said
    if not marked and ">" not in said and not marks(said) & _TELLS:
        return "own"
    opening = _OPENING.match(said)
    if opening is not None and _OWN.match(said, opening.end()):
        return "own"
    direct = _DIRECT.match(said) if marked else None
    if direct is not None:
        binds = _OF_TEAM.match(said) is not None and _BINDS.search(said, direct.end()) is not None
        return "doubt" if binds and not _OF_ONESELF.search(said, direct.end()) else "others"
    if marked and (text := _OF_TEXT.match(said)) is not None:
        return "doubt" if text["text"].endswith("s") and not text["text"].endswith("sms") else "others"
    if (marked and _QUOTES.match(said)) or ((marked or ">" in said) and _FROM_TEXT.match(said)):
        return "others"
    told = _OF_TEAM.match(said) or _ACCORDING.match(said)
    return "doubt" if told is not None and not _OF_ONESELF.search(said, told.end()) else "own"


def rule_in(said: str) -> str:
    """Return the rule that somebody of the team is said to have given, "" where a sentence reports none."""
    told = _OF_TEAM.match(said) or _ACCORDING.match(said)
    if told is None:
        return ""
    rule = _TO_WHOM.sub("", said[told.end() :], count=1)
    return rule if _BINDS.search(rule) else ""
