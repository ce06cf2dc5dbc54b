"""Replaces phrases by shorter forms: contractions, comparisons, compounds, negations of several words.

Implements specs/likeness.md (L-3, L-5, L-10, L-26). Each pattern reads a bounded stretch, so that the time is linear in the
text's length.
"""

from __future__ import annotations

from ledger.lazy_pattern import compiled

_NEEDLESS = (
    r"\bnot? (?:need(?:ed)?|have to|required?|necessary|mandatory|obliged)(?: (?:to|for))?\b|\bneed not\b"
)
_INSTEAD = r"\b(?:instead|in place) of\b|\brather than\b|\bas opposed to\b"
_ACCUSTOMED = "".join(
    rf"(?<!{before} )"
    for before in r"\bis \bare \bbe \bam \bget \bgets \bgot \balso \bbeen \bgetting 'm 's 're n't \bnot".split()
)
_IN_NO_NAME = r"(?<!\bthe )(?<!\ba )(?<!\bas )"
_PERSON = "".join(rf"|(?<=\b{who} )" for who in "i we he she they user was were had".split())
_ENDED = (
    rf"(?:{_ACCUSTOMED}\bused to\b(?![^,.;:]{{0,60}}(?: is | are |:(?!\d)))|{_IN_NO_NAME}\bformerly\b"
    rf"|(?:^{_PERSON})previously\b(?! \w+ing\b|[^.;:]{{0,60}} (?:is|are|must|should|can) )"
    r"|\b(?:until|till) (?:last (?:year|month|week|summer|winter|spring|quarter)|recently|yesterday)\b)"
)
"""Something that has ended (L-26). After *is* and similar words, *used to* has another meaning, and also before *is* or a
colon: "uv is used to install packages", "the tool used to format code is black"."""
_FIGURE = r"v?\d[\d.:]{0,12}(?:am|pm)?"

_PHRASES = tuple(
    (tuple(triggers.split("|")), pattern, text)
    for triggers, pattern, text in (
        ("till", r"\b(?:up )?till\b", "until"),
        ("can't|cant|cannot", r"\b(?:can'?t|cannot)\b", "can not"),
        ("won't|wont|shan", r"\b(?:won'?t|shan'?t)\b", "will not"),
        (
            "n't|nt",
            r"\b(does|do|did|is|are|was|were|should|would|could|must|need|has|have|had|ai)n'?t\b",
            r"\1 not",
        ),
        ("'m ", r"\bi'm\b", "i am"),
        ("'re ", r"\b(we|you|they)'re\b", r"\1 are"),
        ("'ve ", r"\b(i|we|you|they|who)'ve\b", r"\1 have"),
        ("'ll ", r"\b(\w+)'ll\b", r"\1 will"),
        ("going to", r"\b(?:is|are|am|be) going to\b(?! (?:the|a|an|our)\b)", "will"),
        ("neither", r"\bneither (.{1,60}?) nor\b", r"not \1 or"),
        (
            " but ",
            r"\b(all|any\w*|every\w*|no ?one|nobody|nothing|none)((?: \w+)?) but (?!not|never|also|only)",
            r"\1\2 except ",
        ),
        (
            "every|each",
            r"\b(?:every|each) (?=\d|(?:two|three|four|five|six|seven|eight|nine|ten|twelve) )",
            "interval ",
        ),
        ("not only|not just", r"\bnot (?:only|just)\b(?=.*\bbut\b)", ""),
        (" than ", r"\b(?:no|not) (?:longer|more|larger|bigger|higher|greater) than\b", "atmost"),
        (" than ", r"\b(?:no|not) (?:less|fewer|shorter|smaller|lower) than\b", "atleast"),
        ("used to", rf"{_ENDED} be\b", "is not"),
        ("used to|formerly|previously|ntil |till ", _ENDED, "not"),
        ("no longer|not yet", r"\bno longer\b|\bnot yet\b", "not"),
        (" more", r"\bany ?more\b", ""),
        ("anymore", r"\banymore\b", ""),
        ("optional", r"\bnot optional\b", "required"),
        ("need|have|requir|necess|mandat|oblig", _NEEDLESS, "not optional"),
        ("optional", r"\b(?<!not )optional\b", "not optional"),
        ("hardly|barely|scarcely", r"\b(?:hardly|barely|scarcely) any\b", "few"),
        ("hardly|barely|scarcely|seldom", r"\b(?:(?:hardly|barely|scarcely) ever|seldom)\b", "rarely"),
        ("for the ", r"\bfor the (?:moment|time being|meantime|present|interim)\b", "for now"),
        (
            "exactly|precisely",
            r"\b(?:exactly|precisely) (?=\d|(?:one|two|three|four|five|six|seven|eight|nine|ten) )",
            "",
        ),
        ("majority", r"\b(?:the|a) (?:vast |great |large )?majority of\b", "most"),
        (
            "forward|from now|henceforth",
            r"\b(?:going|moving) forward\b|\bfrom now on\b|\bhenceforth\b",
            "always",
        ),
        ("solely|purely|exclusively|merely", r"\b(?:solely|purely|exclusively|merely)\b", "only"),
        (" alone", r"\b(\w+) alone (?=(?:may|can|must|should|is|are|has|have)\b)", r"only \1 "),
        (" only", r"(?<![.,;:] )\b(\w+) only(?=$|[.,;])", r"only \1"),
        ("am|pm|a.m|p.m", r"(?<=\d) ?(?:(a)|(p))\.?m\b\.?", r"\1\2m"),
        (
            " to | through ",
            rf"(?<!from )(?<![\w.,/-])({_FIGURE}) (?:to|through) ({_FIGURE})(?![\w/-])",
            r"\1-\2",
        ),
        ("between ", rf"\bbetween ({_FIGURE}) and ({_FIGURE})(?![\w/-])", r"\1-\2"),
        ("twice", r"\btwice\b", "two times"),
        ("at least|minimum of|>=", r"\bat least\b|\bminimum of\b|>= ?", " atleast "),
        ("at most|maximum of|up to|<=", r"\bat most\b|\bmaximum of\b|\bup to (?=\d)|<= ?", " atmost "),
        (
            "over|above|than|>",
            r"(?:\b(?:over|above|(?:more|greater|longer|larger|higher) than) |> ?)(?=\d)",
            "morethan ",
        ),
        (
            "under|below|than|<",
            r"(?:\b(?:under|below|(?:less|fewer|shorter|smaller|lower) than) |< ?)(?=\d)",
            "lessthan ",
        ),
        ("or |and ", r"\b(?:or|and) (?:newer|later|higher|above|more|greater|up)\b", " atleast "),
        ("or |and ", r"\b(?:or|and) (?:older|earlier|lower|below|less|fewer)\b", " atmost "),
        (" alone", r"\b(?:leave|let) (.{1,40}?) alone\b", r"not edit \1"),
        (" off", r"\b(?:turn|turned|turns|switch|switched|switches) off\b", "disable"),
        ("stop|quit", r"\b(?:stop|stops|stopped|quit)(?= \w+ing\b)", "not"),
        ("instead of|rather than|place of|opposed", _INSTEAD, "insteadof"),
        ("prefer", r"\b(prefer\w*) (\S+) to (?!be\b)(\S+)$", r"\1 \2 insteadof \3"),
        ("time zone", r"\btime zone", "timezone"),
        (" request", r"\b(pull|merge) request", r"\1-request"),
        ("step by step", r"\bstep by step\b", "step-by-step"),
        ("end to end", r"\bend to end\b", "end-to-end"),
        ("case", r"\b(upper|lower|camel|snake|pascal|kebab)[ _-]?case\b", r"\1-case"),
        (" var", r"\b(?:environment|env) var(?:iable)?s?\b", "env-var"),
    )
)
"""Triggers, a pattern and its replacement; the pattern runs only if the text has one of the triggers."""


def spelled_out(text: str) -> str:
    """Return a lower-case text with each of these phrases replaced, in the table's order."""
    for triggers, pattern, replacement in _PHRASES:
        for trigger in triggers:
            if trigger in text:
                text = compiled(pattern).sub(replacement, text)
                break
    return text


def has_ended(text: str) -> bool:
    """Return whether a lower-case text says that something has ended (L-26)."""
    return compiled(rf"{_ENDED}|(?:n't|not) use to\b").search(text) is not None
