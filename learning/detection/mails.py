"""Finds mails and letters that somebody pasted, and where they end: what a person says below them is their own.

Implements specs/capture.md (K-168, K-177). Known by their headers, salutations and closings alone. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from language.cues import TASKS
from ledger.lazy_pattern import lazy_pattern

Whose = Literal["own", "doubt", "others"]

_HEADER = lazy_pattern(
    r"[ \t>*]*(?:From|To|Cc|Bcc|Subject|Sent|Date|Reply-To|Von|An|Betreff|Gesendet|Datum|De|À|Para|Objet|Asunto|"
    r"Assunto|Enviado|Da|A|Oggetto)\**\s?:\**\s*\S"
)
_SURE_HEADER = lazy_pattern(
    r"[ \t>*]*(?:From\s?:.*@|Subject\s?:|Betreff\s?:|Objet\s?:|Asunto\s?:|Assunto\s?:|Oggetto\s?:|Re\s?:|Fwd?\s?:)"
)
_FORWARDED = lazy_pattern(
    r"""[ \t>*_-]*(?:(?:begin\ )?forwarded\ message\b | original\ message\b | ursprüngliche\ nachricht |
        message\ d'origine | mensaje\ original
      | on\ [^\n]{4,80}\bwrote:\s*$ | am\ [^\n]{4,80}\bschrieb\b[^\n]*:\s*$ |
      le\ [^\n]{4,80}\ba\ écrit\b[^\n]*:\s*$ | el\ [^\n]{4,80}\bescribió\b[^\n]*:\s*$)""",
    re.VERBOSE | re.IGNORECASE,
)
_CLOSING = lazy_pattern(
    r"[ \t]*(?:(?:(?:best|kind|warm|many) )?(?:regards|wishes|greetings)|best|cheers|sincerely|yours(?: \w+)?|"
    r"thanks|many thanks|thank you|"
    r"viele grüße|mit freundlichen grüßen|liebe grüße|lg|mfg|cordialement|bien à vous|saludos|un saludo|abraços|"
    r"atenciosamente)"
    r"(?P<name>[,.!]?\s+(?-i:[A-Z])[\w.'-]*(?: (?-i:[A-Z])[\w.'-]*)?)?[,.!]?\s*$",
    re.IGNORECASE,
)
_NAME_ALONE = lazy_pattern(r"[ \t]*[-–—]*\s?[A-Z][\w.'-]*(?: [A-Z][\w.'-]*){0,2}\s*$")
_SALUTATION = lazy_pattern(
    r"\s*(?:hi|hello|hey|dear|liebe[rs]?|hallo|sehr geehrte[rs]?|bonjour|cher|chère|hola|estimad[oa]s?|olá|caro|"
    r"guten tag|good (?:morning|afternoon))"
    r"\b[^.?!\n]{0,40}[,!]\s*$",
    re.IGNORECASE,
)
_RULE = lazy_pattern(r"[ \t]*(?:-{3,}|={3,}|_{3,}|\*{3,}|~{3,})[ \t]*$")
_OF_THE_MAIL = lazy_pattern(
    r"[ \t]*(?:p\.?\s?s\b|n\.?b\b|sent\s+from\b|von\s+meinem\b|envoyé\s+de\b|enviado\s+(?:desde|do)\b|this\s+(?:e-?mail|message)\b|>|"
    r"--?\s*$|confidential|www\.|https?:|tel\b|phone\b|mobile\b|\+?\d)",
    re.IGNORECASE,
)
_TELLS = TASKS | frozenset(
    "answer reply respond refuse decline accept antworte schreib réponds responde responda".split()
)
_WORDS = lazy_pattern(r"[^\W\d_]+")
_SENTENCE = lazy_pattern(r"(?<=[.!?;,])\s+")
_NAMES = 5
"""A paragraph of so many words or fewer may be a signature's second line."""


def mark(lines: Sequence[str], found: list[Whose]) -> None:
    """Mark the lines of a mail or letter as others'.

    A mail begins with a header of two lines, one that only mails have, or a line that forwards.
    """
    for at, line in enumerate(lines):
        header = _HEADER.match(line) is not None
        below = lines[at + 1] if at + 1 < len(lines) else ""
        if (
            _FORWARDED.match(line)
            or (header and _HEADER.match(below))
            or (
                _SURE_HEADER.match(line)
                and (not below.strip() or _SALUTATION.match(below))
                and at + 1 < len(lines)
            )
        ):
            _mark(found, at, *_end(lines, at + 1))
            return
    greeted = next((at for at, line in enumerate(lines) if _SALUTATION.match(line)), None)
    if greeted is None:
        return
    closed = _closed(lines, greeted + 1)
    if closed is None:
        return
    end, below_it = _end(lines, greeted + 1)
    if below_it == "own" or any(map(str.strip, lines[:greeted])):
        _mark(found, greeted, end, below_it)


def _mark(found: list[Whose], begin: int, end: int, below: Whose) -> None:
    for at in range(begin, len(found)):
        if found[at] != "others":
            found[at] = "others" if at < end else below


def _closed(lines: Sequence[str], begin: int) -> int | None:
    """Return the line behind the first closing with a name, None where a text has none."""
    for at in range(begin, len(lines)):
        closing = _CLOSING.match(lines[at])
        if closing is None:
            continue
        if closing["name"]:
            return at + 1
        below = next((n for n in range(at + 1, len(lines)) if lines[n].strip()), None)
        if below is not None and _NAME_ALONE.match(lines[below]):
            return below + 1
    return None


def _end(lines: Sequence[str], begin: int) -> tuple[int, Whose]:
    """Return where a mail ends that began above, and whose the words below are.

    They are a person's own where they ask or order something; else nobody knows. It ends behind its closing and name, or at
    a rule; and goes to the end where what follows is of mails too.
    """
    closed = _closed(lines, begin)
    rule = next((at for at in range(begin, len(lines)) if _RULE.match(lines[at])), None)
    ends = [at for at in (closed, rule) if at is not None]
    if not ends:
        return len(lines), "others"
    at = max(ends)
    while at < len(lines) and (not lines[at].strip() or _RULE.match(lines[at])):
        at += 1
    rest = lines[at:]
    if not rest or (lines[at - 1].strip() and not _RULE.match(lines[at - 1])):
        return len(lines), "others"
    if any(_HEADER.match(line) or _FORWARDED.match(line) or _OF_THE_MAIL.match(line) for line in rest):
        return len(lines), "others"
    if _closed(rest, 0) is not None or len(" ".join(rest).split()) <= _NAMES:
        return len(lines), "others"
    return at, "own" if _asks(" ".join(rest)) else "doubt"


def _asks(text: str) -> bool:
    """Say whether a text asks or orders something, as a person does of an agent."""
    if "?" in text:
        return True
    for sentence in _SENTENCE.split(text):
        words = [word.casefold() for word in _WORDS.findall(sentence)[:3]]
        if any(word in _TELLS for word in words):
            return True
    return False
