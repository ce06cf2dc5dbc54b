"""What a detector keeps of a conversation that it hears.

Implements specs/capture.md (K-22, K-46).
"""

from __future__ import annotations

from collections import OrderedDict

from learning.detection import memory_sections
from learning.detection.failures import Failures
from ledger.lazy_pattern import lazy_pattern

SHOWN = 2_000
"""So many lines of memory sections are remembered of one conversation."""
SHORTEST = 4
"""What is shorter is no memory."""
_LONGEST_LINES = 20_000
_PART = 12
"""A part of a line that is as long repeats it."""
_MOSTLY = 20
"""A line that is as long is repeated by what holds it."""
_SCOPE_AT_END = lazy_pattern(r"\s*\((?:user|project|local)\)$|^\[\?\]\s*")
_WORDS = lazy_pattern(r"[\w./+#-]+")


class Conversation:
    """What a detector keeps of one conversation."""

    def __init__(self) -> None:
        self.failures = Failures()
        self.has_fix = False
        """Whether a fix was proposed: one is enough (K-39)."""
        self._shown: OrderedDict[str, None] = OrderedDict()

    def show(self, text: str, *, whole: bool) -> None:
        """Note the lines of memory sections: of a turn of the system without one, all lines (K-22)."""
        lines = memory_sections.memories_in(text)
        if whole and not lines:
            lines = [line.strip(" -*+>\t") for line in text[:_LONGEST_LINES].splitlines()]
        for line in lines:
            if len(plain := bare(_SCOPE_AT_END.sub("", line))) >= SHORTEST:
                self._shown[plain] = None
        while len(self._shown) > SHOWN:
            self._shown.popitem(last=False)

    def echoes(self, said: str) -> bool:
        """Say whether a sentence repeats what the conversation was shown as a memory, or a part of it."""
        if not self._shown:
            return False
        plain = bare(said)
        if plain in self._shown:
            return True
        return len(plain) >= _PART and any(
            plain in shown or (len(shown) >= _MOSTLY and shown in plain) for shown in self._shown
        )


def bare(text: str) -> str:
    """Return the words of a text without their signs, in lower case."""
    return " ".join(_WORDS.findall(text.casefold()))
