"""Finds in a memory what reads like an instruction to the model instead of something learned.

Implements specs/projections.md (P-132, P-133). Whoever can make an agent read a page can try to make it remember
one. What is found is told to a person, with who wrote it; nothing is hidden or changed for it, since a rule knows
words and not intentions.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from ledger.memory import Memory

__all__ = ["SIGNS", "Sign", "signs_in", "signs_of"]

_SECRETS = (
    r"(?:api[ _-]?keys?|(?:access|auth|bearer|session|api)[ _-]?tokens?|secrets?|passwords?|credentials?|private keys?|"
    r"ssh keys?|id_rsa|\.env\b|env(?:ironment)?(?: variable|var)?s?\b|\.ssh\b|\.aws\b|system prompt|"
    r"conversation|chat (?:history|log)|memory file)"
)
_AWAY = r"(?:https?://|ftp://|\b[\w.+-]+@[\w-]+\.\w|\b(?:webhook|pastebin|attacker|my server)\b)"
_PEOPLE = r"(?:the )?(?:users?|humans?|owner|operator|developers?|person|anyone|anybody|them)\b"
_SHELL = r"(?:sudo )?(?:(?:ba|z|da|k)?sh|python3?|perl|ruby|node|php)\b"

SIGNS = {
    "override": re.compile(
        r"\b(?:ignore|disregard|forget|override|overrule|bypass)\b(?: \S+){0,4}? "
        r"(?:previous|prior|above|earlier|preceding|existing|other|all|any|your|these|those|system|safety)\b"
        r"(?: \S+){0,3}? ?\b(?:instructions?|prompts?|rules?|guidelines?|guardrails|directives?|directions|messages|"
        r"restrictions|safeguards)"
        r"|\b(?:ignore|disregard|forget) (?:everything|anything|all(?: of (?:this|that|it|the))?)(?: \S+){0,3}? "
        r"(?:above|before(?! (?:the|a|an|each|any|you)\b)|previous(?:ly)?|earlier|prior|preceding|so far)\b"
        r"|^\W*(?:please )?(?:ignore|disregard|forget) (?:all )?(?:the )?(?:previous|prior|above|preceding|earlier)\W*$"
        r"|[.!;:,] (?:please )?(?:ignore|disregard|forget) (?:all )?(?:the )?(?:previous|above)\W*$"
        r"|\bnew (?:system )?(?:instructions?|prompt|directives?) ?:|\b(?:system|hidden) override\b",
        re.MULTILINE,
    ),
    "role": re.compile(
        r"\byou are (?:now|no longer)\b|\bfrom now on,? you(?:r| are| will| must| should|'re)\b"
        r"|\bpretend (?:to be|that you|you(?:'re| are))\b|\b(?:act|behave|respond) as (?:if you (?:were|are|have)|an? "
        r"(?:unrestricted|uncensored|unfiltered|jailbroken))\b|\bdeveloper mode (?:on|enabled)\b|\bjailbreak|\bdo anything now\b"
    ),
    "secrecy": re.compile(
        rf"\b(?:do not|don't|dont|never|must not|should not|without|avoid)\b(?: \S+){{0,2}}? "
        rf"(?:tell|telling|inform|informing|mention|mentioning|reveal|revealing|notify|notifying|alert|alerting|let)\b"
        rf"(?: \S+){{0,4}}? {_PEOPLE}"
        rf"|\b(?:hide|conceal|keep)\b(?: \S+){{0,4}}? (?:secret |hidden )?from {_PEOPLE}|\bthe user must (?:not|never) know\b"
    ),
    "remote code": re.compile(
        rf"\b(?:curl|wget|iwr|invoke-webrequest|fetch)\b[^|;&\n]{{0,200}}(?:\||;|&&)\s*{_SHELL}"
        rf"|\b{_SHELL} (?:-c )?[\"'<(]*\$?\(?\s*(?:curl|wget)\b"
        rf"|\b(?:always|first|before|whenever|every time|each time|must|immediately)\b(?: \S+){{0,8}}? "
        rf"(?:run|running|execute|executing|call|invoke)\b(?: \S+){{0,3}}? [`\"']?(?:curl|wget|nc|ncat|netcat|powershell|eval)"
        rf"\b(?![^\n]{{0,80}}(?:localhost|127\.0\.0\.1))"
        rf"|\b(?:always|first|before|after|on|at|whenever|every|each|must)\b[^\n.]{{0,60}}[,:] [`\"']?(?:curl|wget) "
        rf"(?:-\S+ )*[\"']?https?://(?!localhost|127\.0\.0\.1)"
        rf"|\b(?:iex|invoke-expression)\b|powershell\S* [^\n]{{0,40}}-enc"
    ),
    "exfiltration": re.compile(
        rf"\b(?:send|post|upload|exfiltrate|forward|e-?mail|leak|transmit|submit|copy|append|include|push)\b"
        rf"[^\n]{{0,80}}{_SECRETS}[^\n]{{0,80}}{_AWAY}"
        rf"|\b(?:curl|wget|nc|ncat)\b[^\n]{{0,160}}(?:\$\(?\{{?(?:env\b|printenv|cat |[a-z_]*(?:key|token|secret|password))|"
        rf"@?(?:~/|\$home/)?\.(?:env|ssh|aws|netrc)\b|id_rsa)"
        rf"|(?:\bprintenv\b|\benv\b|\bcat [^\n|]{{0,60}}(?:\.env|id_rsa|\.netrc|credentials))[^\n|]{{0,40}}\|"
        rf"[^\n]{{0,40}}\b(?:curl|wget|nc|ncat)\b"
        rf"|!\[[^\]]{{0,200}}\]\(https?://[^)?\s]{{0,300}}\?[^)\s]{{0,300}}(?:\{{|<|=\$|data=|token=|secret=)"
    ),
    "prompt leak": re.compile(
        r"\b(?:reveal|print|repeat|output|show|disclose|recite|dump)\b(?: \S+){0,4}? "
        r"(?:system prompt|hidden (?:prompt|instructions)|initial instructions|your instructions)"
    ),
    "false leave": re.compile(
        r"\bthe user has (?:already |explicitly )?(?:approved|authori[sz]ed|consented|permitted|agreed|granted|given (?:you )?"
        r"(?:permission|consent|approval))\b(?: \S+){0,4}? (?:all|any|every|full|to (?:run|delete|push|send|share))\b"
        r"|\b(?:if|when|whenever) (?:the user|anyone|somebody|someone|asked)\b[^\n.]{0,80}\balways "
        r"(?:recommend|suggest|reply|respond|answer|say|link)\b"
    ),
    "encoded": re.compile(
        r"\bbase64 (?:-d|--decode|-di)\b[^\n]{0,40}\|\s*"
        + _SHELL
        + r"|\b(?:eval|exec)\(\s*(?:atob|base64|bytes\.fromhex|"
        r"codecs|__import__)|\b(?:decode|run|execute|eval)\b[^\n]{0,60}\b[a-z0-9+/]{60}"
        r"|(?<![a-z0-9+/])[a-z0-9+/]{60,}+={0,2}[^\n]{0,60}\b(?:decode|decoded|base64 -d|execute|eval)\b"
    ),
    "role marker": re.compile(
        r"<\|?/?(?:im_start|im_end|system|assistant|endoftext|start_header_id|eot_id)\b[^>]{0,40}>?"
        r"|\[/?(?:inst|sys)\]|<<sys>>|^(?:#+ ?)?(?:system|assistant|developer)(?: prompt| message)? ?:(?= ?\S)"
        r"|</?(?:system[-_](?:prompt|reminder|message)|memor(?:y|ies)|instructions|tool_result|function_results)\b[^>]{0,40}>",
        re.MULTILINE,
    ),
}
"""What each sign looks like, in a text without case; the name is what is told."""

_TAG_CHARACTERS = re.compile("[\U000e0020-\U000e007f]{3,}")
_TURNED = re.compile("[\u202a-\u202e\u2066-\u2069]")
_HIDDEN = "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2060-\u2064\u3164\ufe00-\ufe0f\ufeff\uffa0"
_WIDTHLESS = re.compile(f"[{_HIDDEN}]")
_BETWEEN = re.compile("\\w[\u200b\u2060\ufeff\u00ad\u180e]+\\w|[a-zA-Z][\u034f\ufe00-\ufe0f]+[a-zA-Z]")
_LINE_END = re.compile(r"(?<![.!?:;,|`]) *\n *(?![\n#>|`*+-])")
"""Within a sentence."""
_SPACES = re.compile(r"[^\S\n]+")
_AROUND = 60


@dataclass(frozen=True, slots=True)
class Sign:
    """What was found: the name of the sign, in which member, and the words with a little around them."""

    name: str
    member: str
    words: str


def signs_of(memory: Memory) -> list[Sign]:
    """Return what in a memory reads like an instruction to the model, each sign once (P-132)."""
    found: dict[str, Sign] = {}
    for member, text in _texts(memory):
        for name, words in signs_in(text):
            found.setdefault(name, Sign(name, member, words))
    return list(found.values())


def signs_in(text: str) -> Iterator[tuple[str, str]]:
    """Give name and words of each sign in one text."""
    hidden = "".join(chr(ord(char) - 0xE0000) for char in "".join(_TAG_CHARACTERS.findall(text)))
    if hidden or _TURNED.search(text) or len(_BETWEEN.findall(text)) > 1:
        yield "hidden characters", hidden or _excerpt(_WIDTHLESS.sub("\u00b7", text), 0, 0)
    plain = _SPACES.sub(" ", unicodedata.normalize("NFKC", _WIDTHLESS.sub("", text)).replace("\u2019", "'"))
    joined = plain if "```" in plain else _LINE_END.sub(" ", plain)
    for name, sign in SIGNS.items():
        for form in (plain, joined) if joined != plain else (plain,):
            said = form.lower()
            if match := sign.search(said):
                yield name, _excerpt(form if len(form) == len(said) else said, match.start(), match.end())
                break
    if hidden:
        yield from ((name, words) for name, words in signs_in(hidden))


def _texts(memory: Memory) -> Iterator[tuple[str, str]]:
    yield "text", memory.text
    yield from (("details", detail) for detail in memory.details)
    if memory.title:
        yield "title", f"{memory.title}: {memory.text}"  # as a prompt has it
    for name in ("body", "section", "extra"):
        if said := getattr(memory, name):
            yield name, said
    for name in ("tags", "when_to_use"):
        if values := getattr(memory, name):
            yield name, "\n".join(values)


def _excerpt(text: str, start: int, end: int) -> str:
    """Return the words from start to end with a little around them, in one line."""
    begin, stop = max(start - _AROUND // 2, 0), min(max(end, start + _AROUND), start + 3 * _AROUND)
    cut = " ".join(text[begin:stop].split())
    return ("\u2026" if begin else "") + cut + ("\u2026" if stop < len(text) else "")
