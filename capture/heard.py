"""What a detector keeps of a conversation that it hears, and how sentences hang together.

Implements specs/capture.md (K-21, K-22, K-46).
"""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import dataclass, field

from capture import memory_sections, replacing, speech
from capture.failures import Failures

SHOWN = 2_000
"""So many lines of memory sections are remembered of one conversation."""
SHORTEST = 4
"""What is shorter is no memory."""

_SCOPE_AT_END = re.compile(r"\s*\((?:user|project|local)\)$|^\[\?\]\s*")
_WORDS = re.compile(r"[\w./+#-]+")
_ASKED_TO_KEEP = re.compile(
    r"^(?:(?:hey|hi|ok|so|and|please)[\s,]+)*(?:can|could|would|will)\s+you\s+(?:please\s+)?(?:remember|save|store|keep|note(?:\s+down)?|memori[sz]e)\s+"
    r"(?P<what>(?:my|our|the)\s[^?]+?)(?:\s+(?:for\s+me|please|for\s+later))?\?$",
    re.IGNORECASE,
)
_IT_IS = re.compile(r"^(?:it|that|this|she|he)(?:'s|’s|\s+is)\s+", re.IGNORECASE)
_SHORT_END = 30


@dataclass(slots=True)
class Conversation:
    """What a detector keeps of one conversation."""

    failures: Failures = field(default_factory=Failures)
    shown: OrderedDict[str, None] = field(default_factory=OrderedDict)
    said: OrderedDict[str, int] = field(default_factory=OrderedDict)
    stated: OrderedDict[str, str] = field(default_factory=OrderedDict)
    answers: bool = False
    """Whether what a person says next answers somebody's work."""
    game: bool = False
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
        elif before and len(before) < _SHORT_END and before.endswith(".") and replacing.given_up(before):
            joined[-1] = f"{before[:-1]}, {said}"
        else:
            joined.append(said)
    return joined


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


def bare(text: str) -> str:
    """Return the words of a text without their signs, in lower case."""
    return " ".join(_WORDS.findall(text.casefold()))
