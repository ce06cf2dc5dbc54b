"""Puts "the user" in the place of the person who speaks: "I'd rather walk" is "the user would rather walk".

Implements specs/capture.md (K-26). A letter, a name or an identifier that only looks like the first person is
left as it is: "the request id", `my-app`, "Phase I is done". Pure.
"""

from __future__ import annotations

import re

from ledger.lazy_pattern import lazy_pattern

KEPT = lazy_pattern(r"""(`[^`]*`|"[^"]*"|“[^”]*”|«[^»]*»|https?://\S+)""")
"""What is kept to the letter: code, quotations and addresses."""


def kept(text: str) -> list[tuple[int, int]]:
    """Return where what is kept stands in a text."""
    if "`" in text or '"' in text or "“" in text or "«" in text or "://" in text:
        return [found.span() for found in KEPT.finditer(text)]
    return []


_ADVERBS = (
    r"always|never|usually|really|only|just|also|still|often|sometimes|actually|generally|personally|"
    r"mostly|currently|normally|typically|"
    r"rarely|now|even|already|recently|strongly|much|definitely|simply|mainly|both|truly|absolutely|"
    r"no\s+longer|seldom|hardly|almost|ever|kind\s+of|sort\s+of|probably|clearly|honestly|basically|possibly|already|then|first|"
    r"sincerely|quite|rather|exclusively|regularly|occasionally|frequently"
)
_PERSON = lazy_pattern(
    r"(?=[IiMm])(?<![\w/.=-])(?:"
    rf"(?P<i>[Ii])(?P<short>['’]?(?:m|ve|d|ll)(?!\w))?(?!\.e|[\w/=.-])"
    rf"(?P<adverbs>(?:\s+(?:{_ADVERBS}))*)(?:\s+(?P<verb>[a-z]+(?:['’]t)?)\b(?![./:=-]\w))?"
    r"|(?:(?P<my>[Mm]y|[Mm]ine|myself)|(?P<me>[Mm]e))(?![\w/=-]|\.\w))"
)
_MAY_BE_PERSON = lazy_pattern(r"\b(?:[Ii](?:['’]?(?:m|ve|d|ll))?|[Mm](?:y|ine|e)|myself)\b")

_LAST_WORD = lazy_pattern(r"[\w'’]+$")
_NAMES = frozenset(
    """the a an this each every no any variable variables letter letters drive column columns field index indices named called prefix
    suffix option flag type phase part world step level tier class grade section chapter appendix numeral vitamin key keys table disk with
    by request user order row session""".split()
)
"""After these a letter or an abbreviation is a name."""
_BEFORE_A_CLAUSE = frozenset(
    """and but so because cause since if when whenever that think guess while as though although honestly personally actually really also
    btw then or where what which unless until before after fyi well yeah yes no than how why whom who like""".split()
)
"""A short form without its apostrophe ("id rather", "ill take") comes after one of these, or begins a clause."""
_AFTER_WOULD = frozenset(
    """rather like love prefer say want go need appreciate hate suggest recommend choose avoid keep use expect have be sooner do not
    never always still still really much""".split()
)
_NO_VERB = frozenset(
    "and or from than with at in on of to for as is are has does but if not when so which who by the a an".split()
)
_NO_PERSONS_VERB = lazy_pattern(
    r"are|(?!(?:was|as|perhaps|besides|its|his|this|afterwards|towards)$)\w*[^\Wsu]s"
)
"""What ends so stands after he, she or it: "Phase I is done", "type I errors"."""

_IRREGULAR = {
    "am": "is", "have": "has", "do": "does", "don't": "doesn't", "dont": "doesn't", "haven't": "hasn't",
    "d": "would", "ll": "will", "m": "is", "ve": "has", "were": "was", "weren't": "wasn't", "go": "goes", "ain't": "isn't",
}  # fmt: skip
_UNCHANGED = frozenset(
    """can could will would should must may might shall can't cannot couldn't won't wouldn't shouldn't mustn't
    was wasn't had hadn't did didn't
    got went told said made took bought lost found left met ran saw kept built wrote broke chose grew gave knew came became began thought
    taught put cut set quit hit let felt held heard led paid sold sent spent stood swore threw understood won drove fell forgot
    ate blew bent bit bled bred brought burnt caught clung crept dealt dreamt drew drank dug fed fled flew forgave fought froze hid hung
    hurt laid leapt learnt lent lit meant mistook misunderstood overcame overslept rang rebuilt rewrote rode rose sang sank shook shot
    shrank shut slept slid sought spoke split sprang spread spun stole struck stuck swam swept swung tore underwent upheld withdrew
    woke wore wove
    and or but who which in on at to for with from as not if when so that""".split()
)
_PLURAL = {"am": "are", "m": "are", "ve": "have", "d": "would", "ll": "will", "was": "were"}


def in_third_person(text: str) -> str:
    """Return a text with "the user", then "they", in the place of who speaks; code and quotations are not touched."""
    if _MAY_BE_PERSON.search(text) is None:
        return text
    speaker = _Speaker()
    parts = KEPT.split(text)
    for at in range(0, len(parts), 2):
        parts[at] = _PERSON.sub(speaker.put, parts[at])
    return "".join(parts)


class _Speaker:
    """Names the person: "the user" the first time, "they" after that."""

    def __init__(self) -> None:
        self._named = False

    def put(self, found: re.Match[str]) -> str:
        """Return what stands in the place of a word of the first person."""
        if not _is_person(found):
            return found.group()
        again, self._named = self._named, True
        if found["my"] == "myself":
            return "themselves"
        if found["my"]:
            return ("theirs" if found["my"].lower() == "mine" else "their") if again else "the user's"
        if found["me"]:
            return "them" if again else "the user"
        conjugated = _plural if again else _single
        short, verb = (found["short"] or "").strip("'’"), found["verb"] or ""
        adverbs = found["adverbs"].strip()
        said = [conjugated(short), adverbs, verb] if short else [adverbs, conjugated(verb)]
        return " ".join(filter(None, ["they" if again else "the user", *said]))


def _is_person(found: re.Match[str]) -> bool:
    """Say whether what looks like the first person is no letter, name or verb ("mine the logs") instead."""
    before, after = found.string[: found.start()], found.string[found.end() :]
    word = _word_at_end(before)
    if found["my"] or found["me"]:
        is_verb = found["my"] in ("mine", "Mine") and re.match(r"\s+(?:the|a|an|some)\b", after) is not None
        return not is_verb and word not in ("the", "a", "an", "this", "each", "every")
    verb, short = found["verb"] or "", found["short"] or ""
    if word in _NAMES:
        return False
    if short[:1] in ("'", "’"):
        return True
    if short and word and word not in _BEFORE_A_CLAUSE:
        return False
    if short == "d":
        return verb in _AFTER_WOULD or (not verb and found["adverbs"] != "")
    if short == "ll":
        return bool(verb) and verb not in _NO_VERB
    if short:
        return True
    if verb and _NO_PERSONS_VERB.fullmatch(verb) is not None:
        return False
    return found["i"] == "I" or not word or bool(verb and verb not in _NO_VERB)


def _word_at_end(text: str) -> str:
    """Return the word before the blanks that a text ends in, in lower case, "" where it ends in no word and blanks."""
    if not text[-1:].isspace() or not (pieces := text.rsplit(None, 1)):
        return ""
    found = _LAST_WORD.search(pieces[-1])
    return found.group().lower() if found is not None else ""


def _single(verb: str) -> str:
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if not verb or verb in _UNCHANGED or verb.endswith("ed") or len(verb) < 2:
        return verb
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb + "es"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


def _plural(verb: str) -> str:
    return _PLURAL.get(verb, verb)
