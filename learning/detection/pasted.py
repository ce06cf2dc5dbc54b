"""Finds things within a message that somebody pasted: mails, chats, transcripts, forms, documents, prompts, data.

Implements specs/capture.md (K-168…K-170). They are known by how they are built (headers, speakers, time stamps, fields,
headings), never by what they say. Where that does not tell whose words they are, they are in doubt. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from learning.detection import commits, handing_over, introducing, mails
from learning.detection.mails import Whose
from learning.detection.speakers import addresses_agent, is_known, is_part, speaker
from ledger.lazy_pattern import lazy_pattern

_CLOCK = r"(?:\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?(?:\s?[AaPp]\.?[Mm]\.?)?)"
_DAY = (
    r"(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4},?\s+(?:at\s+)?|(?:today|yesterday|(?:mon|tues?|wed(?:nes)?|"
    r"thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?)\s+(?:at\s+)?)"
)
_WHEN = rf"[\[(]?(?:{_DAY})?{_CLOCK}[\])]?"
_WHO = r"<?[@+%~& ]?[^\W\d_][^\n:<>\[\]()|]{0,40}?>?"
_STAMPED = lazy_pattern(
    rf"""[ \t*_>-]*(?:
        {_WHEN}(?:\s?-->\s?{_WHEN})?\s*[-–—|*]*\s*(?:<{_WHO}>|{_WHO}\**\s?:)\**\s+\S
      | {_WHO}\**\s*{_WHEN}\**\s?:\s*\**\S
      | <[@+%~&\ ]?[^\W\d][\w.'|-]{{0,30}}>\s+[^\s<]
      | \*\s[\w-]+\ has\ (?:joined|left|quit)\b )""",
    re.VERBOSE | re.IGNORECASE,
)
_IN_STAMPED = lazy_pattern(r"[:<*](?:(?<=\d:)\d\d|(?<=[<*]))")
"""What `_STAMPED` matches holds one of these."""
_STAMP = lazy_pattern(rf"[ \t*_]*{_WHO}\**(?:\s+APP)?\s*[-–—•·|,]*\s*{_WHEN}\s*$", re.IGNORECASE)
_AGO = lazy_pattern(
    r"[ \t*_]*(?!(?:I|we|my|our|you|it|he|she|they|this|that|the|there|about|some|not|from|since|until|for)\b)"
    r"[^\n.!?:]{2,50}?\s(?:(?:commented|replied|wrote|posted|asked|answered|reviewed|opened|added\sa\scomment|left\sa\scomment|"
    r"requested\schanges)\b[^\n.!?]{0,40}|(?:an?|\d+)\s(?:min(?:ute)?s?|h(?:ou)?rs?|days?|weeks?|months?|years?)\sago)"
    r"(?:[^\n]{0,20}\bago|\s[AaPp]\.?[Mm]\.?|\d{4}|\byesterday|\btoday)?\s*$",
    re.IGNORECASE,
)
"""Who commented when, as the pages of programs show it above a comment."""
_SURE_STAMP = lazy_pattern(rf"{_DAY}|[AaPp]\.?[Mm]\.?[\])]?\s*$|[—•·|]|\sAPP\s", re.IGNORECASE)
_CUE_TIME = lazy_pattern(rf"\s*\d*\s*{_CLOCK}\s?-->\s?{_CLOCK}|\s*WEBVTT\b")

_FIELD = lazy_pattern(
    r"""[ \t*_#-]*(?P<name>title|summary|description|body|details|content|steps(?:\ to\ reproduce)?|expected(?:\ \w+)?|
        actual(?:\ \w+)?|priority|severity|assignee|assigned\ to|
        reporter|reported\ by|requester|labels?|component|environment|affected\ \w+|acceptance\ criteria|
        story\ points|epic|sprint|milestone|due\ date|
        ticket|ticket\ id|issue\ key|type\ of\ issue|comments?|reviewers?|approver|author|attendees|
        participants|present|absent|agenda|minutes|
        action\ items|next\ steps|invitees|organi[sz]er|facilitator|rating|order\ (?:no|number|id)|
        customer(?:\ \w+)?|contact|company|posted\ by|
        published|tags|category|scope|effective\ date|version|policy(?:\ \w+)?|owner|audience|status|resolution|
        as\ an?\ \w+)\**\s?:\**(?:\s+\S|\s*$)""",
    re.VERBOSE | re.IGNORECASE,
)
_MEETING = lazy_pattern(
    r"[ \t*_#-]*(?:attendees|participants|agenda|minutes(?: of)?|meeting (?:notes|minutes)|action items|"
    r"transcript)\b[^.!?\n]{0,60}:?\**\s*$"
    r"|[ \t*_#-]*(?:attendees|participants|invitees)\s?:\s",
    re.IGNORECASE,
)
_HEADED = lazy_pattern(
    r"[ \t]{0,3}#{1,6}[ \t]+(?P<hash>\S.*)|(?:\*\*|__)(?P<bold>[^*_\n]{2,80})(?:\*\*|__):?\s*$|"
    r"(?P<file>[\w./-]+\.(?:md|mdx|rst|txt|adoc|ya?ml|toml|json|ini|cfg))\s*:?\s*$"
)
_UNDERLINE = lazy_pattern(r"\s{0,3}(?:={3,}|-{3,})\s*$")
_DOCUMENT = lazy_pattern(
    r"""\b(?:contributing | read\ ?me | claude\.md | agents\.md | \w+\.(?:md|mdx|rst|txt|adoc|ya?ml|toml|json|
        ini|cfg) | change\ ?log | licen[cs]e |
        code\ of\ conduct | getting\ started | install(?:ation|ing)? | usage | quick\ ?start | prerequisites |
        requirements | faq | polic(?:y|ies) |
        hand\ ?book | table\ of\ contents | overview | introduction | style\ ?guide | guidelines? |
        pull\ requests? | development | documentation |
        runbook | playbook | onboarding | terms | appendix | chapter | section\ \d | release\ notes |
        api\ reference | security )\b""",
    re.VERBOSE | re.IGNORECASE,
)
_OWN_HEADING = lazy_pattern(r"\b(?:my|mine|i|me|i'm|how i)\b", re.IGNORECASE)
_NUMBERED = lazy_pattern(
    r"[ \t]*(?:§\s?\d|\d{1,2}\.\d{1,2}(?:\.\d{1,2})*\.?\s+[A-Z]|(?:article|section|"
    r"clause)\s+\d+(?:\.\d+)*[.:)]?\s+[A-Z])",
    re.IGNORECASE,
)
_FRONT_MATTER = lazy_pattern(r"\A\s*(?:---|\+\+\+)\s*\n(?=[\w-]+\s?[:=])")

_PROMPT = lazy_pattern(
    r"""(?:[^\n:]{0,80}:\s+)?\s*(?:\#+\s*)?(?:(?:system(?:\ prompt|\ message)?|prompt|instructions?|persona|
        role)\s?:\s*)?(?:you\ are|you're|du\ bist|tu\ es|eres|você\ é)\s(?:now\s)?
        (?:[A-Z]\w+,\s)?(?:an?\s|the\s|eine?\s|une?\s|una?\s|uma?\s)?(?:[\w-]+,?\s(?:and\s)?){0,4}?
        (?:assistant|agent|ai|a\.i\.|chat\s?bot|bot|language\ model|llm|model|copilot|expert|engineer|developer|
        reviewer|editor|translator|tutor|teacher|coach|
          consultant|analyst|writer|programmer|specialist|assistent|asistente)\b(?!\s*[?])""",
    re.VERBOSE | re.IGNORECASE,
)
_PERSONA = lazy_pattern(
    r"""\s*(?:\#+\s*)?(?:(?:you\ are|you're|you\ will\ be|your\ name\ is|du\ bist|dein\ name\ ist|tu\ es|tu\ t'appelles|eres|te\ llamas|
        você\ é)\ (?:now\ )?(?-i:(?!(?:Right|Wrong|Welcome|Great|Correct|OK|I)\b)[A-Z])
        [\w.'’-]*(?:\ (?-i:[A-Z])[\w.'’-]*)?(?:[.,;!:]|\ the\ |\s*$)(?P<named>)
      | (?:i\ want\ you\ to\ |i'd\ like\ you\ to\ |please\ |now\ )*
        (?:act|behave|respond|answer)\ (?:as|like)\ (?:an?|the)\ [\w\ -]{2,60}[.,;:!\n])""",
    re.VERBOSE | re.IGNORECASE,
)
"""A text that gives a model a name, or a part to play, and then tells it what to do."""
_MAY_OPEN = lazy_pattern(
    r"\s*(?:you|your|du|dein|tu|te|eres|você|(?:i want you to |i'd like you to |please |now )*"
    r"(?:act|behave|respond|answer) (?:as|like))\b|[ \t]*@?\S+\s(?:[–—]|--?)\s",
    re.IGNORECASE,
)
_SYSTEM = lazy_pattern(
    r"[\s\[(*#]*(?:(?:important|urgent|attention|new)\s)*(?:system|(?:system|developer|tool|function|assistant|admin|hook)\s"
    r"(?:notes?|notice|message|prompt|reminder|instructions?|override|alert|results?|output|response|call|to=\w+))\**\s?:",
    re.IGNORECASE,
)
_KEY = lazy_pattern(
    r"(?P<indent>[ \t]*)(?:-[ \t]+)?(?P<key>[\w.-]+)\s?(?P<sign>[:=])(?:\s+(?P<value>\S.*)|\s*)$"
)
_TABLE = lazy_pattern(r"\[{1,2}[\w.\"-]+\]{1,2}\s*$")

_OF_ONESELF = lazy_pattern(r"(?<![\w'])(?:I|I['’](?:m|ve|d|ll)|my|me|mine)(?!\w)", re.IGNORECASE)
_TALKS = lazy_pattern(
    r"[ *_]*(?:(?:ok(?:ay)?|and|but|so|well|yes|yeah|no|nope|hm+|lol|also|then|please|sure)[\s,]+)*"
    r"(?:I|I['’](?:m|ve|d|ll)|my|we|we['’](?:re|ve|d|ll)|our|you|your|let['’]s|can|could|hi|hey|hello|thanks|"
    r"haha|agreed|yes|no|sure|ok|remember)(?!\w)|.*\?\s*$",
    re.IGNORECASE,
)


_BOLD = lazy_pattern(r"[ \t]*(?:[-*•]\s+)?(?:\*\*|__)\S")
"""How transcripts set a speaker's name; nobody addresses an agent like that."""


def whose(lines: Sequence[str]) -> list[Whose]:
    """Return for each line of a message whether a person says it, somebody else, or nobody knows."""
    found: list[Whose] = ["own"] * len(lines)
    _prompts(lines, found)
    _labelled(lines, found)
    _stamped(lines, found)
    if len(lines) > 1:
        for look in (mails.mark, commits.mark, handing_over.mark, _forms, _documents, _data):
            look(lines, found)
    return found


def whose_line(text: str) -> Whose:
    """Return whose words a message of one line is."""
    if ":" not in text and not _MAY_OPEN.match(text):
        return "own"
    return whose([text])[0]


def is_prompt(text: str) -> bool:
    """Say whether a text tells a model who it is, as prompts of a system begin."""
    return _PROMPT.match(text) is not None or _SYSTEM.match(text) is not None


def _mark(found: list[Whose], begin: int, end: int, whose: Whose = "others") -> None:
    for at in range(begin, end):
        if found[at] != "others":
            found[at] = whose


def _prompts(lines: Sequence[str], found: list[Whose]) -> None:
    """A text that tells a model who it is; where it speaks of its writer too, a person may have typed it here."""
    first = next((at for at, line in enumerate(lines) if line.strip()), 0)
    persona = _PERSONA.match(lines[first]) if lines else None
    if persona is not None and any(map(str.strip, (lines[first][persona.end() :], *lines[first + 1 :]))):
        own = persona["named"] is None or any(_OF_ONESELF.search(line) for line in lines[first:])
        _mark(found, first, len(lines), "doubt" if own else "others")
        return
    for at, line in enumerate(lines):
        if is_prompt(line):
            end = len(lines) if not any(map(str.strip, lines[:at])) else _paragraph(lines, at)
            own = any(_OF_ONESELF.search(below) for below in lines[at:end])
            _mark(found, at, end, "doubt" if own else "others")
            return


def _paragraph(lines: Sequence[str], at: int) -> int:
    """Return where the paragraph ends that a line stands in."""
    while at < len(lines) and lines[at].strip():
        at += 1
    return at


def _stamped(lines: Sequence[str], found: list[Whose]) -> None:
    """Who spoke when, before the words or above them: the words are theirs, to the end where they stand below."""
    said = [at for at, line in enumerate(lines) if _IN_STAMPED.search(line) and _STAMPED.match(line)]
    if said:
        _mark(found, said[0], _paragraph(lines, said[-1]))
    stamps = [
        at
        for at, line in enumerate(lines[:-1])
        if _STAMP.match(line) and lines[at + 1].strip() and not _STAMP.match(lines[at + 1])
    ]
    if stamps and (len(stamps) > 1 or _SURE_STAMP.search(lines[stamps[0]]) or is_known(lines[stamps[0]])):
        _mark(found, stamps[0], len(lines))
    ago = next(
        (at for at, line in enumerate(lines[:-1]) if " ago" in line or "comment" in line if _AGO.match(line)),
        None,
    )
    if ago is not None:
        _mark(found, ago, len(lines))
    if any(_CUE_TIME.match(line) for line in lines):
        first = next(at for at, line in enumerate(lines) if _CUE_TIME.match(line))
        _mark(found, first, len(lines))


def _labelled(lines: Sequence[str], found: list[Whose]) -> None:
    """Lines that each name their speaker; of speakers that nobody knows only where they talk like people."""
    labels = [(at, name) for at, line in enumerate(lines) if (name := speaker(line))]
    if not labels:
        return
    first, last = labels[0][0], labels[-1][0]
    names = {name for _, name in labels}
    if len(labels) == 1:
        said = lines[first].partition(":")[2]
        if is_known(labels[0][1]):
            if not addresses_agent(labels[0][1]) or _BOLD.match(lines[first]):
                _mark(found, first, _paragraph(lines, first))
            elif is_part(labels[0][1]):
                _mark(found, first, _paragraph(lines, first), "doubt")
        elif _TALKS.match(said) and _OF_ONESELF.search(said):
            _mark(found, first, first + 1, "doubt")
    elif any(map(is_known, names)):
        _mark(found, first, _paragraph(lines, last))
    elif any(_TALKS.match(lines[at].partition(":")[2]) for at, _ in labels):
        _mark(found, first, _paragraph(lines, last), "others" if 1 < len(names) < len(labels) else "doubt")


def _forms(lines: Sequence[str], found: list[Whose]) -> None:
    """Two fields of a ticket, of minutes, of a policy's head: what follows is the form's."""
    fields = [
        (at, match["name"].casefold()) for at, line in enumerate(lines) if (match := _FIELD.match(line))
    ]
    if len({name for _, name in fields}) > 1:
        _mark(found, fields[0][0], len(lines))
        return
    for at, line in enumerate(lines):
        if _MEETING.match(line):
            _mark(found, at, len(lines))
            return


def _documents(lines: Sequence[str], found: list[Whose]) -> None:
    """Text under headings is a document's, unless the person hands it to the agent as what to keep to."""
    if _FRONT_MATTER.match("\n".join(lines[:6])):
        _mark(found, 0, len(lines))
        return
    numbered = [at for at, line in enumerate(lines) if _NUMBERED.match(line)]
    if numbered:
        _mark(found, numbered[0], _paragraph(lines, numbered[-1]))
    headings = [at for at, line in enumerate(lines) if _is_heading(lines, at)]
    if not headings:
        return
    first = headings[0]
    above = " ".join(lines[:first])
    named = any(_DOCUMENT.search(lines[at]) for at in headings)
    if introducing.is_to_keep_to(above):
        return
    if not above.strip() and _OWN_HEADING.search(lines[first]) and not named:
        return
    handed = bool(above.strip()) and introducing.names_work(above)
    _mark(found, first, len(lines), "others" if named or handed else "doubt")


def _is_heading(lines: Sequence[str], at: int) -> bool:
    line = lines[at]
    if (head := _HEADED.match(line)) is not None:
        return at + 1 < len(lines) or head["hash"] is not None
    return (
        bool(line.strip())
        and at + 1 < len(lines)
        and len(line) < 60
        and _UNDERLINE.match(lines[at + 1]) is not None
        and line.strip()[-1].isalnum()
    )


def _data(lines: Sequence[str], found: list[Whose]) -> None:
    """Keys with values as configuration has them: nested, or with a key that is no word."""
    keys = [(at, key) for at, line in enumerate(lines) if (key := _KEY.match(line)) is not None]
    tables = [at for at, line in enumerate(lines) if _TABLE.match(line)]
    nested = any(
        not key["value"] and at + 1 < len(lines) and re.match(r"[ \t]{2,}(?:- |[\w.-]+\s?:)", lines[at + 1])
        for at, key in keys
    )
    odd = [at for at, key in keys if "_" in key["key"] or key["sign"] == "=" or key["indent"]]
    if nested or (tables and keys) or (len(keys) > 1 and odd):
        places = [*tables, *(at for at, _ in keys)]
        _mark(found, min(places), _paragraph(lines, max(places)))
