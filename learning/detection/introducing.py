"""Reads the line that a person types above a text: what it says of the words below it, and whose they are.

Implements specs/capture.md (K-20, K-168…K-170). Where such a text ends is found in `learning.detection.speech`, what it is built like
in `learning.detection.pasted`. Pure.
"""

from __future__ import annotations

import re

from ledger.lazy_pattern import lazy_pattern

_INTRODUCES = lazy_pattern(
    r"""\b(?:says?|said|wrote|writes|written|reads|goes|replied|answered|asked|posted|complain(?:s|ed)|quot(?:e|
      es|ing|ed)|
        e-?mail|mail|log|logs|output|docs?|documentation|readme|error|prompt|article|message|blog|post|template|
        text|
        paste[ds]?|pasting|guidelines?|tickets?|issue|description|transcript|translat\w+|summari[sz]e|proofread|
        rewrite|
        rephrase|paraphrase|grammar|reword|polish|below|snippet|excerpt|paragraph|prints?|letter|draft|tweet|
        trace|stacktrace|
        diff|lyrics|poem|
        übersetze?|schreibt|schrieb|traduis|traduire|corrige|traduce|traduz\w*|escribió|escreveu)\b
        [^:\n]{0,60}:\s*$""",
    re.VERBOSE | re.IGNORECASE,
)
_WORKS_ON = lazy_pattern(
    r"\s*(?:(?:can|could|would|will) you |please |pls |hey,? |now |and )*"
    r"(?:translate|proofread|rewrite|rephrase|paraphrase|reword|polish|shorten|summari[sz]e|spell-?check|"
    r"correct (?:the|this|my)|fix (?:the|my) (?:grammar|english|wording|spelling)|improve (?:the|this|my)|"
    r"explain (?:this|the) "
    r"(?:sentence|text|message|quote|rule|line)|übersetze?|traduis|traduce|traduz\w*|analy[sz]e (?:this|the)|"
    r"what does (?:this|that|the)|make this)\b[^:\n]{0,80}:\s*",
    re.IGNORECASE,
)
_OTHERS_RULES = lazy_pattern(
    r"""\s*(?:lol\s|so\s|ok\s)?(?:here'?s|here\ (?:is|are)|below(?:\ is|\ are)?|this\ is|these\ are|look\ at|found|got|check\ out)\b[^\n]*?
        \b(?:some|an?)?\ ?(?:other|another|their|his|her|its|competitor(?:'s)?|someone(?:'s|\ else'?s?)?|somebody(?:'s|\ else'?s?)?|
        friend(?:'s)?|colleague(?:'s)?|old\ job|reviewer|review|bot|linter|ci|vendor(?:'s)?|client(?:'s)?|customer(?:'s)?|
        thread|minutes|chat|comments?|feedback|style\ ?guide|guidelines|job\ (?:ad|post|posting)|email|letter|list)\b[^\n]*[:?.,]?\s*$
      | \s*[^\n]{0,80}\b(?:summari[sz]e|translate|proofread|review|rate|grade|rank|critique|explain)\ (?:this|these|
        the|their|his|her|it|following)\b[^\n]*[:?.]\s*$
      | \s*(?:the\ |our\ )?(?:review(?:er)?s?|bot|ci|linter|copilot|coderabbit|sonar\w*|dependabot|
        codecov)(?:'s)?\ (?:\w+\ ){0,3}(?:says?|said|comments?|complain\w*|wrote|reports?|output|findings|
        feedback)\b[^\n]*[:.]?\s*$""",
    re.VERBOSE | re.IGNORECASE,
)
"""A line that says of the list below it that it is somebody else's."""

_ADDRESSES = lazy_pattern(
    r"""\b(?:remember|memori[sz]e|keep\ (?:\w+\ ){0,3}in\ mind|stick\ to|follow|learn|note\ (?:these|this|down)|
        respect|apply|obey|
        from\ now\ on|going\ forward|(?:these|this|here|those|below|following)\ (?:are|is|come)\ (?:our|my|the|
        some|how\ (?:we|i))|here'?s\ (?:our|my|the|how\ (?:we|i))|
        (?:our|my)\ (?:\w+\ ){0,2}(?:rules|conventions|preferences|standards|setup|habits|guidelines|principles|
        stack|defaults|house\ rules)|
        rules\ for\ you|for\ you\ to|you\ should\ know|so\ you\ know|merk\ dir|denk\ daran|retiens|recuerda|
        lembre)\b""",
    re.VERBOSE | re.IGNORECASE,
)
_HANDS_OVER = lazy_pattern(
    r"""\b(?:summari[sz]e|translate|proofread|review|rewrite|rephrase|paraphrase|shorten|polish|critique|rate|
        explain|check|reply\ to|respond\ to|answer|
        read|analy[sz]e|look\ at|see|what\ (?:do\ you|does|did|is|are)|is\ (?:this|that)|does\ (?:this|that)|
        any\ (?:thoughts|typos|issues)|thoughts|compare|
        found|got|received|forwarded|posted|pasted|wrote|sent|convert|format|fix|improve|make\ sense)\b""",
    re.VERBOSE | re.IGNORECASE,
)
_DOCUMENT_NAMED = lazy_pattern(
    r"\b(?:e-?mail|mail|description|message|letter|thread|chat|conversation|discussion|transcript|ticket|issue|docs?|"
    r"document(?:ation)?|page|article|post|comments?|review|"
    r"notes|polic(?:y|ies)|guidelines?|guide|spec|read\s?me|contributing|changelog|minutes|paragraph|text|draft|"
    r"announcement|prompt|excerpt|snippet|feedback|"
    r"tweet|bio|cv|resume|section|chapter|memo|contract|terms|log|file|handbook|wiki|story|poem|ad|newsletter|"
    r"slack|whatsapp|discord)\b",
    re.IGNORECASE,
)

_LOGGED = lazy_pattern(r"\b(?:logs?|errors?|output|traces?|stack\s?traces?|diff|prints?)\b", re.IGNORECASE)
_WHAT_THEY_WROTE = lazy_pattern(
    r"\bwhat\s(?!(?:I|we|you)\b)(?:[\w'’.-]+\s){1,4}?(?:texted|wrote|said|sent|posted|replied|answered|told|mailed|messaged)\b[^\n.!?]{0,40}[:.]?\s*$",
    re.IGNORECASE,
)
_THEIR_TEXT = lazy_pattern(
    r"\b(?:his|her|their|(?!(?:let|here|that|it|what|there|today|tomorrow|yesterday|tonight|this|project|repo|team|one|user)\b)\w+['’]s)\s(?:[\w-]+\s){0,2}"
    r"(?:notes|list|rules|wishes|preferences|requirements|guidelines|conventions|profile|answers?|words|instructions|letter|diary|prompt)\s?:\s*$",
    re.IGNORECASE,
)
_TAKEAWAYS = lazy_pattern(
    r"\b(?:takeaways|minutes|summary|recap|highlights|notes|outcomes?|results?|decisions|action\sitems)\s(?:from|of)\s[^\n:]{0,30}"
    r"\b(?:meeting|call|standup|stand-up|retro|sync|workshop|interview|session|talk|planning|review|board)\b[^\n:]{0,20}:\s*$",
    re.IGNORECASE,
)


def _ends_in_colon(line: str) -> bool:
    return line.rstrip().endswith(":")


def announces(line: str) -> bool:
    """Say whether a line says that somebody's words, or a program's, stand below it: "the docs say:"."""
    return _ends_in_colon(line) and _INTRODUCES.search(line) is not None


def work_on(text: str, begin: int, end: int) -> int:
    """Return where the text begins that is given to be worked on ("translate this: …"), 0 where none is."""
    found = _WORKS_ON.match(text, begin, end)
    return 0 if found is None else found.end()


def is_of_others_rules(line: str) -> bool:
    """Say whether a line says that the list below it is somebody else's."""
    return _OTHERS_RULES.match(line) is not None


def is_to_keep_to(above: str) -> bool:
    """Say whether what stands above a document hands it to the agent as what to keep to: "our conventions:"."""
    return _ADDRESSES.search(above) is not None and not _DOCUMENT_NAMED.search(_ADDRESSES.sub("", above))


def names_work(above: str) -> bool:
    """Say whether what stands above a document names what is to be done with it, or whence it came."""
    return _HANDS_OVER.search(above) is not None


def is_prose(line: str) -> bool:
    """Say whether a line introduces a text of sentences, which may have several paragraphs, and no log."""
    return _DOCUMENT_NAMED.search(line) is not None and _LOGGED.search(line) is None


def tells_what_somebody_wrote(line: str) -> bool:
    """Say whether a line says that somebody else's words stand below it: "here is what Ana texted", "her notes:"."""
    if "what" in line.lower() and _WHAT_THEY_WROTE.search(line) is not None:
        return True
    return _ends_in_colon(line) and _THEIR_TEXT.search(line) is not None


def sums_up(line: str) -> bool:
    """Say whether a line says that what was said at a meeting stands below it."""
    return _ends_in_colon(line) and _TAKEAWAYS.search(line) is not None


def hands_over(line: str) -> bool:
    """Say whether a line gives the text below it to be worked on: "can you check this mail?" (K-170)."""
    return (
        _HANDS_OVER.search(line) is not None
        and _DOCUMENT_NAMED.search(line) is not None
        and re.search(
            r"\b(?:this|these|that|the|following|attached|below|his|her|their|our|my|an?)\b",
            line,
            re.IGNORECASE,
        )
        is not None
        and line.rstrip()[-1:] in ":?."
    )
