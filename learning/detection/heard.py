"""What a detector keeps of a conversation that it hears, and how sentences hang together.

Implements specs/capture.md (K-21, K-22, K-46).
"""

from __future__ import annotations

import re
from collections import OrderedDict, deque
from dataclasses import dataclass, field

from language import signals
from learning.detection import earnest, forgetting, guessing, memory_sections, replacing, speech, unwanted
from learning.detection.failures import Failures
from ledger.lazy_pattern import lazy_pattern

SHOWN = 2_000
"""So many lines of memory sections are remembered of one conversation."""
LONGEST_WORK = 2_000
"""So many characters of somebody's work are remembered."""
KEPT_WISHES = 12
SHORTEST = 4
"""What is shorter is no memory."""

_SCOPE_AT_END = lazy_pattern(r"\s*\((?:user|project|local)\)$|^\[\?\]\s*")
_WORDS = lazy_pattern(r"[\w./+#-]+")
_ASKED_TO_KEEP = lazy_pattern(
    r"^(?:(?:hey|hi|ok|so|and|please)[\s,]+)*(?:can|could|would|will)\s+you\s+(?:please\s+)?(?:remember|save|store|keep|note(?:\s+down)?|memori[sz]e)\s+"
    r"(?P<what>(?:my|our|the)\s[^?]+?)(?:\s+(?:for\s+me|please|for\s+later))?\?$",
    re.IGNORECASE,
)
_IT_IS = lazy_pattern(r"^(?:it|that|this|she|he)(?:'s|’s|\s+is)\s+", re.IGNORECASE)
_SHORT_END = 30
_WAS = lazy_pattern(r"(?:it\s+|that\s+)?used\s+to\s+be\b|(?:früher|vorher)\s+war\b", re.IGNORECASE)
"""How a sentence begins that says what was before what the last one tells."""
_INSTEAD = lazy_pattern(r"\b(?:from\s+(?:now|here)\s+on|instead|going\s+forward|henceforth)\b", re.IGNORECASE)
"""What a person wants of whom the sentence before says what they want no more."""
_ASKS_FOR_LIST = lazy_pattern(
    r"^(?:(?:hey|hi|ok|so|and|also|please|pls|now|claude)[\s,]+|(?:can|could|would|will)\s+you\s+)*"
    r"(?:remember|memori[sz]e|note(?:\s+down)?|save|store|keep|add|put|commit)\b(?P<what>[^.?!:]{0,60}):$",
    re.IGNORECASE,
)
_OF_MEMORY = lazy_pattern(r"\b(?:memory|memories|mind|remember)\b", re.IGNORECASE)
_SPEAKS_OF_MEMORY = frozenset(("forget", "not_forget", "recall", "remember", "notice", "deny"))
_NAMES_LIST = lazy_pattern(
    r"^\s*(?:(?:all|both)\s+(?:of\s+)?)?(?:these|this|the\s+following|those|that)?(?:\s+(?:\w+\s+)?(?:things?|facts?|rules?|points?|conventions?|preferences?|notes?))?(?:\s+(?:about\s+(?:me|us)|for\s+(?:later|me|us|next\s+time|the\s+future)|please|down))*\s*$",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Conversation:
    """What a detector keeps of one conversation."""

    failures: Failures = field(default_factory=Failures)
    shown: OrderedDict[str, None] = field(default_factory=OrderedDict)
    said: OrderedDict[str, int] = field(default_factory=OrderedDict)
    stated: OrderedDict[str, str] = field(default_factory=OrderedDict)
    answers: bool = False
    """Whether what a person says next answers somebody's work."""
    work: str = ""
    """The beginning of that work: what an assistant said, or what a tool was told."""
    wanted: str = ""
    """The beginning of what the person said in the message before."""
    wishes: deque[tuple[str, str]] = field(default_factory=lambda: deque(maxlen=KEPT_WISHES))
    """What was said in short behind somebody's work, with its message: said again, it is a correction (K-145)."""
    game: bool = False
    asked: str = ""
    """The last question of the person which of several things to take, until that is settled (K-143)."""
    before: str = ""
    """The sentence before this one, of a person."""


def joined(spoken: list[str]) -> list[str]:
    """Return the sentences, those that only say something together as one (K-21)."""
    if len(spoken) < 2:
        return spoken
    joined: list[str] = []
    for said in spoken:
        before = joined[-1] if joined else ""
        if (
            before.endswith("?")
            and (asked := _ASKED_TO_KEEP.match(before)) is not None
            and _IT_IS.match(said)
        ):
            joined[-1] = f"remember that {asked['what']} {_IT_IS.sub('is ', said, count=1)}"
        elif before and (_ends(before, said) or _is_unwanted(before, said)):
            joined[-1] = f"{before.rstrip('.!?…')}, {said}"
        else:
            joined.append(said)
    return joined


def _is_unwanted(before: str, said: str) -> bool:
    """Say whether a sentence orders to let go what the one before names as remembered (K-242)."""
    return unwanted.is_order(said) and unwanted.speaks_of_memory(before)


def _ends(before: str, said: str) -> bool:
    """Say whether one of two neighbouring sentences says what is over, and the other what is so instead."""
    if len(before) < _SHORT_END and before.endswith(".") and replacing.given_up(before):
        return True
    if replacing.changes_mind(before) and _INSTEAD.search(said) is not None:
        return True
    return _WAS.match(said) is not None


def listed(text: str, spoken: list[speech.Sentence]) -> list[str]:
    """Return the sentences; what stands in a list that the person asks to remember ("remember these:") is asked for each (K-166)."""
    if ":\n" not in text:
        return [sentence.text for sentence in spoken]
    said: list[str] = []
    asked = False
    for sentence in spoken:
        line = text[text.rfind("\n", 0, sentence.start) + 1 : sentence.start]
        in_list = memory_sections.BULLET.fullmatch(line) is not None
        found = _ASKS_FOR_LIST.match(sentence.text)
        begins = found is not None and _is_for_memory(sentence.text, found)
        asked = begins or (asked and in_list)
        said.append(f"remember: {sentence.text}" if asked and in_list else sentence.text)
    for at in range(len(said) - 1):
        if said[at + 1].startswith("remember: ") and _ASKS_FOR_LIST.match(said[at]):
            said[at] = ""
    return [one for one in said if one]


def _is_for_memory(said: str, found: re.Match[str]) -> bool:
    verb = said[: found.start("what")].rpartition(" ")[2].casefold()
    if _OF_MEMORY.search(found["what"]):
        return True
    return (
        verb.startswith(("remember", "memori", "note", "down", "store"))
        and _NAMES_LIST.match(found["what"]) is not None
    )


def show(conversation: Conversation, text: str, *, whole: bool) -> None:
    """Note the lines of memory sections: of a turn of the system all of it counts (K-42)."""
    lines = memory_sections.memories_in(text)
    if whole and not lines:
        lines = [line.strip(" -*+>\t") for line in text[: speech.MAX_MESSAGE].splitlines()]
    for line in lines:
        if len(plain := bare(_SCOPE_AT_END.sub("", line))) >= SHORTEST:
            conversation.shown[plain] = None
    while len(conversation.shown) > SHOWN:
        conversation.shown.popitem(last=False)


def echoes(conversation: Conversation, said: str) -> bool:
    """Say whether a sentence repeats what the conversation was shown as a memory, or a part of it."""
    if not conversation.shown:
        return False
    plain = bare(said)
    if plain in conversation.shown:
        return True
    return len(plain) >= 12 and any(
        plain in shown or (len(shown) >= 20 and shown in plain) for shown in conversation.shown
    )


def is_not_meant(conversation: Conversation, said: str, cues: signals.Signals) -> bool:
    """Say whether a sentence is an echo, no lasting truth of the person, a conclusion, or an order to memory."""
    return (
        echoes(conversation, said)
        or not earnest.is_meant(said)
        or guessing.concludes(said)
        or (bool(cues & _SPEAKS_OF_MEMORY) and forgetting.is_order_to_memory(said))
    )


def bare(text: str) -> str:
    """Return the words of a text without their signs, in lower case."""
    return " ".join(_WORDS.findall(text.casefold()))
