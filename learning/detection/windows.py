"""Windows of a conversation for a language model: the person's own words, and some of the text around them.

Implements specs/capture.md (K-112). Pure; decides which part of a turn the model sees.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from learning.detection.drafting import origin_of
from learning.detection.speech import sentences
from learning.turn import Turn
from ledger.memory import Provenance
from ledger.named_tuple import NamedTuple

Who = Literal["person", "assistant", "tool"]

_LONGEST: Mapping[Who, int] = {"person": 4_000, "assistant": 400, "tool": 300}
"""How many characters of a turn the model sees."""


class WindowLine(NamedTuple):
    """The part of one turn that the model sees, on one line, and where and when somebody said it."""

    who: Who
    text: str
    origin: Provenance = Provenance()
    at: str = ""


class Window(NamedTuple):
    """Lines of one conversation, in order; the first `context` lines were asked about before and only explain the rest."""

    lines: tuple[WindowLine, ...]
    context: int = 0

    @property
    def asks(self) -> bool:
        """Whether it has a person's line that was not asked about yet."""
        return any(line.who == "person" for line in self.lines[self.context :])


def line_of(turn: Turn, redact: Callable[[str], str]) -> WindowLine | None:
    """Return the line of a turn for the model, None for a program's words, a call that worked or was rejected.

    Args:
        turn: any.
        redact: removes secrets from a text.
    """
    if turn.role == "user":
        # Only the person's own words: the model must not see pasted or quoted text, memory sections, or text that may be
        # somebody else's (K-20, K-22, K-173).
        who: Who = "person"
        text = " ".join(sentence.text for sentence in sentences(redact(turn.text)) if sentence.sure)
    elif turn.role == "assistant":
        who, text = "assistant", redact(turn.text)
    elif turn.role == "tool" and turn.failed and not turn.rejected:
        who, text = "tool", redact(f"{turn.command or turn.tool} failed: {turn.text}")
    else:
        return None
    text = " ".join(text.split())[: _LONGEST[who]]
    return WindowLine(who, text, origin_of(turn), turn.at) if text else None
