"""Recognises sentences whose words alone are certain: requests to remember, standing orders, plans, questions.

Implements specs/capture.md (K-42, K-43, K-146, K-166, K-179). The linear model judges all others. Pure.
"""

# ruff: noqa: E501 - the lines of a pattern

from __future__ import annotations

import re

from ledger.lazy_pattern import lazy_pattern

_OPENING = (
    r"(?:(?:hey|hi|hello|ok|okay|so|and|also|but|oh|well|right|actually|yes|yeah|sure|no|please|pls|plz|now|btw|by\ the\ way|fyi|claude|codex|"
    r"one\ more\ thing|just|hallo|bitte|und|also|übrigens|bonjour|salut|et|alors|au\ fait|hola|y|por\ favor|oye|olá|oi|e)\b[\s,.!:—–-]*)*"
)
_POLITELY = r"(?:(?:can|could|would|will)\ you\ (?:please\ )?|(?:i|we)(?:'d|\ would)?\ (?:want|need|like)\ you\ to\ |you\ should\ |let's\ )?(?:please\ )?"
_ASKED = (
    lazy_pattern(
        rf"""^{_OPENING}{_POLITELY}(?:
        (?:always\ )?(?:remember|memori[sz]e|do\ not\ forget|don't\ forget|never\ forget)\ *(?:(?:for\ (?:later|the\ future|next\ time)|please)\ *)?(?:,?\ *that\b|:|,|—|–|\ -\ |(?=\ *(?:my|our|i|i'm|we|we're|always|never)\b))
      | (?:keep|bear)\ in\ mind\ *(?:that\b|:|,)
      | (?:(?:make|take)\ a\ (?:mental\ )?note|note\ down|write\ down|jot\ down)\ *(?:(?:for\ (?:later|the\ future|next\ time)|please)\ *)?(?:that\b|:)
      | (?:save|store|add|put|commit)\ (?:this|that|it|the\ following)?\ ?(?:to|in|into)\ (?:your\ |the\ |long.term\ )?memor(?:y|ies)\ *(?:that\b|:|(?<!\ in\ memory),)
    )\s*(?P<kept>.+)$""",
        re.VERBOSE | re.IGNORECASE,
    ),
    lazy_pattern(
        rf"""^{_OPENING}{_POLITELY}(?:
        (?:merk(?:e)?\ dir|denk(?:e)?\ dran|vergiss\ nicht|notier(?:e)?(?:\ dir)?)\ *(?:bitte\ *)?(?:,?\ *dass\b|:|,)
      | (?:souviens-toi|rappelle-toi|retiens|n'oublie\ pas|note(?=\ +qu|\ bien)(?:\ bien)?)\ *(?:que\b|qu'|:)
      | (?:recuerda|acuérdate\ de|ten\ en\ cuenta|no\ olvides|apunta)\ *(?:que\b|:)
      | (?:lembre(?:-se)?|lembra(?:-te)?|não\ (?:se\ )?esqueça|anota|guarda)\ *(?:de\ )?(?:que\b|:)
      | (?:запомни|помни|не\ забудь|учти)\ *(?:,?\ *что\b|:|,)
      | (?:请?记住|请?记得|覚えておいて|覚えて)[，,：:、\s]*
    )\s*(?P<kept>.+)$""",
        re.VERBOSE | re.IGNORECASE,
    ),
)
"""Requests in English, then in other languages; the second pattern compiles only if the first finds nothing."""
_OF_YOU = lazy_pattern(r"\b(?:can|could|would|will)\s+you\b", re.IGNORECASE)
_BEFORE = lazy_pattern(
    rf"""^{_OPENING}(?:(?:can|could|would|will)\ you\ )?(?:please\ )?(?:remember\ (?:that|this|it)|keep\ (?:that|this|it)\ in\ mind|(?:make\ a\ )?note\ (?:that|this|it|of\ (?:that|this|it))(?:\ down)?|
      (?:save|store|put|add)\ (?:that|this|it)\ (?:to|in|into)\ (?:your\ )?memor(?:y|ies)|hold\ on\ to\ (?:that|this)|don't\ forget\ (?:that|this|it)|merk\ dir\ das|retiens(?:-le|\ ça)|recuérdalo|recuerda\ eso|lembra\ disso)
      (?:\ (?:for\ (?:me|later|next\ time|the\ future|good)|next\ time|always|please|pls|too|from\ now\ on|in\ future))*[.!?\s]*$""",
    re.VERBOSE | re.IGNORECASE,
)
_LIST = lazy_pattern(
    rf"""^{_OPENING}(?:(?:can|could|would|will)\ you\ )?(?:please\ )?(?:remember|memori[sz]e|note(?:\ down)?|keep\ in\ mind|
      (?:save|store|add|put|commit)\ [^.?!:]{{0,30}}(?:to|in|into)\ (?:your\ |the\ )?memor(?:y|ies))
      (?:\ (?:all|both|of|these|this|the\ following|those|things?|facts?|rules?|points?|conventions?|preferences?|notes?|about\ (?:me|us)|for\ (?:later|me|us|next\ time|the\ future)|please|down))*:\s*$""",
    re.VERBOSE | re.IGNORECASE,
)
_STANDING = lazy_pattern(
    rf"""^{_OPENING}(?:
        (?:from\ (?:now|here|today|this\ point)\ on(?:wards?)?|going\ forward|henceforth|in\ (?:the\ )?future|for\ (?:all\ )?future\ \w+|as\ a\ (?:general\ )?rule|as\ a\ standing\ rule)\b
        (?![\s.,!]*$)(?!,?\ (?:the|this|that|these|an?|it|its|there|in|on|at|when|if|users?|every|each|all)\b)
      | (?:whenever|every\ time|each\ time)\ (?:you|i\ (?:ask|say|tell))\b
      | (?:please\ always|always\ please|always\b.*\bplease[.!]*$|please\ never|never\ ever)\b
      | ab\ (?:jetzt|sofort|heute)\b | künftig\b | in\ zukunft\b | von\ nun\ an\b | (?:bitte\ )?(?:immer|nie(?:mals)?)\ bitte\b
      | (?:désormais|dorénavant|à\ partir\ de\ maintenant|à\ l'avenir)\b
      | (?:a\ partir\ de\ ahora|de\ ahora\ en\ adelante|en\ adelante|a\ partir\ de\ agora|de\ agora\ em\ diante|daqui\ (?:em|para)\ (?:diante|frente))\b
      | (?:отныне|впредь|с\ этого\ момента)\b | 从现在(?:开始|起) | 以后(?:都|请) | 今後は? | これからは?
    )
    | (?<=\S\s)(?:from\ now\ on|ab\ jetzt|ab\ sofort|désormais|dorénavant|a\ partir\ de\ ahora|a\ partir\ de\ agora)[\s,]*(?:please|bitte|stp|por\ favor)?[.!]*$""",
    re.VERBOSE | re.IGNORECASE,
)
_ALL_OF_IT = lazy_pattern(r"^(?:please\s+)?(?:always|never(?!\s+mind\b))\s+\w+", re.IGNORECASE)
"""A standing order, if the message says nothing else."""
_PLAN = lazy_pattern(
    r"""\b(?:(?:i|we)(?:'m|'re|\ am|\ are)\ (?:\w+\ )?(?:thinking\ (?:about|of)|considering|planning\ (?:on|to)|toying\ with|leaning\ (?:towards?|to)|going\ to\ (?:use|switch\ to|move\ to|adopt|go\ with|migrate\ to))|
      (?:i|we)\ (?:might|may)\ (?:switch|move|use|try|go)|ich\ überlege|je\ pense\ à|estoy\ pensando\ en)\b""",
    re.VERBOSE | re.IGNORECASE,
)
_REPORTS = lazy_pattern(
    r"^(?:he|she|they|\w+)\s+(?:says?|said|wrote|told|claims?|asks?|asked)\b|\b(?:as\s+if|what\s+if|suppose|imagine|pretend)\b",
    re.IGNORECASE,
)
_OF_MACHINE = lazy_pattern(
    r"\b(?:on|for|of)\s+(?:this|my)\s+(?:machine|laptop|computer|box|checkout|clone)\b|\bauf\s+diesem\s+rechner\b|\bsur\s+cette\s+machine\b|\ben\s+esta\s+m[aá]quina\b",
    re.IGNORECASE,
)
_ENDS = " \t.,;!。"
_SAYS_LITTLE = frozenset(("that", "this", "it", "later", "everything", "me", "us"))


def kept(said: str) -> str:
    """Return the text that a sentence asks to remember, or ""."""
    plain = said.replace("’", "'")
    found = next(filter(None, (asked.match(plain) for asked in _ASKED)), None)
    if found is None:
        return ""
    what = found["kept"].strip(" \t,:").rstrip("?" if said.rstrip().endswith("?") else "")
    return (
        ""
        if what.strip(_ENDS).casefold() in _SAYS_LITTLE or not what.strip(_ENDS) or what.endswith(":")
        else what
    )


def doubts_that_it_asks(said: str) -> bool:
    """Return whether a question mentions remembering but does not ask for it: "remember that film where …?"."""
    return is_question(said) and _OF_YOU.search(said) is None


def keeps_before(said: str) -> bool:
    """Return whether a sentence asks to remember the sentence before it: "keep that in mind"."""
    return _BEFORE.match(said.replace("’", "'")) is not None


def keeps_list(said: str) -> bool:
    """Return whether a sentence asks to remember the lines below it: "remember these:"."""
    return said.rstrip().endswith(":") and _LIST.match(said.replace("’", "'")) is not None


def is_standing(said: str, message: str) -> bool:
    """Return whether the words of a sentence make it a standing order: "from now on", "whenever you …", "please always …"."""
    if is_question(said) or _REPORTS.search(said) is not None:
        return False
    if _STANDING.search(said.replace("’", "'")) is not None:
        return True
    return _ALL_OF_IT.match(said) is not None and message.strip(_ENDS) == said.strip(_ENDS)


def is_plan(said: str) -> bool:
    """Return whether a person only thinks of doing something."""
    return _PLAN.search(said.replace("’", "'")) is not None


def is_question(said: str) -> bool:
    """Return whether a sentence asks something."""
    return said.rstrip("\"')*_ ").endswith(("?", "？", "吗", "呢"))


def is_of_machine(said: str) -> bool:
    """Return whether a sentence is about this machine or checkout only."""
    return _OF_MACHINE.search(said) is not None
