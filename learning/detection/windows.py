"""A window of a conversation for a language model: a person's own words, and some of the text around them.

Implements specs/capture.md (K-112). Pure values; what is shown of a turn is decided here.
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
"""So many characters of a turn are shown."""


class WindowLine(NamedTuple):
    """The part of one turn that the model sees, on one line, and where and when somebody said it."""

    who: Who
    text: str
    origin: Provenance = Provenance()
    at: str = ""


class Window(NamedTuple):
    """Lines of one conversation, in order; the first `context` ones were asked about before and only explain the rest."""

    lines: tuple[WindowLine, ...]
    context: int = 0

    @property
    def asks(self) -> bool:
        """Whether a person says anything in it that was not asked about yet."""
        return any(line.who == "person" for line in self.lines[self.context :])


def line_of(turn: Turn, redact: Callable[[str], str]) -> WindowLine | None:
    """Return what is shown of a turn, None for nothing: a program's words, a call that worked, what was rejected.

    Args:
        turn: any.
        redact: takes secrets out of a text.
    """
    if turn.role == "user":
        # The person's own words alone: what they paste or quote, sections of memories, and what may be somebody else's, a model
        # is not shown (K-20, K-22, K-173).
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
