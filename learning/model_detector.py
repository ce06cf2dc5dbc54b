"""A detector that asks a language model about one window of a conversation at a time, and falls back on the rules.

Implements specs/capture.md (K-112, K-117, K-118). Certain proposals of the rules are returned at once. The rest waits until its
window is full or flushed; if the model gives no answer then, the proposals of the rules take its place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from documents.proposal import Basis, Proposal
from language.likeness import likeness
from learning.detection.detector import LearningDetector
from learning.detection.language_model import AskModel, ModelError
from learning.detection.model_extractor import MAX_PER_TURN, propose
from learning.detection.standing import SURELY_SAID
from learning.detection.windows import Window, WindowLine, line_of
from learning.turn import Turn

MESSAGES = 12
CHARACTERS = 12_000
"""A window is full when it has so many messages of the person, or so many characters in all."""
CONTEXT = 4
"""The last so many lines of a window are the context of the next one."""
GIVING_UP = 2
"""After this many faults in a row the model is no longer asked."""
_CERTAIN = frozenset[Basis](("asked", "fixed"))
"""These bases need no model: the words or the tools are clear."""


@dataclass(slots=True)
class _Open:
    """The window of a conversation that is being filled."""

    lines: list[WindowLine] = field(default_factory=list)
    context: int = 0
    messages: int = 0
    characters: int = 0
    settled: list[Proposal] = field(default_factory=list)
    otherwise: list[Proposal] = field(default_factory=list)


class ModelDetector:
    """Proposes what a language model finds worth remembering, and the certain proposals of the rules.

    Args:
        rules: the detector that needs no model.
        ask: asks the model a question.
        redact: removes secrets from a text; the model sees only redacted texts.
        name: the model's name, for `Proposal.why`; "" leaves that empty.
        max_per_turn: at most so many proposals a turn, and never more than three from the model.
    """

    def __init__(
        self,
        rules: LearningDetector,
        ask: AskModel,
        redact: Callable[[str], str],
        *,
        name: str = "",
        max_per_turn: int = MAX_PER_TURN,
    ) -> None:
        self._rules = rules
        self._ask = ask
        self._redact = redact
        self._name = name
        self._max_per_turn = max_per_turn
        self._open: dict[str, _Open] = {}
        self._in_a_row = 0
        self.faults: list[str] = []
        """Why there was no answer, one line for each window."""

    @property
    def pending(self) -> bool:
        """Whether the model was not asked yet about a message."""
        return any(window.messages for window in self._open.values())

    def recall(self, turn: Turn) -> None:
        """Hear a turn that was learned from before, as context for the rules (K-77)."""
        self._rules.analyze(turn)

    def analyze(self, turn: Turn) -> list[Proposal]:
        """Return the certain proposals of a turn and, if it fills a window, those of the model for that window."""
        found = self._rules.analyze(turn)
        now = [one for one in found if one.memory is None or one.basis in _CERTAIN]
        key = turn.conversation or turn.session
        window = self._open.setdefault(key, _Open())
        window.settled += now
        window.otherwise += [one for one in found if one not in now]
        line = line_of(turn, self._redact)
        if line is None:
            return now
        window.lines.append(line)
        window.messages += line.who == "person"
        window.characters += len(line.text)
        if window.messages >= MESSAGES or window.characters >= CHARACTERS:
            return now + self._closed(key)
        return now

    def flush(self) -> list[Proposal]:
        """Return the model's proposals for all windows that still wait."""
        return [proposal for key in list(self._open) for proposal in self._closed(key)]

    def _closed(self, key: str) -> list[Proposal]:
        """Close the window of a conversation; begin the next one with its last lines."""
        full = self._open.pop(key)
        last = full.lines[-CONTEXT:]
        self._open[key] = _Open(last, len(last))
        window = Window(tuple(full.lines), full.context)
        if not window.asks:
            return full.otherwise
        try:
            found = self._asked(window, full)
        except ModelError as error:
            self._in_a_row += 1
            self.faults.append(str(error))
            return full.otherwise
        self._in_a_row = 0
        return self._fitting(found, full.settled)

    def _asked(self, window: Window, full: _Open) -> list[Proposal]:
        if self._in_a_row >= GIVING_UP:
            raise ModelError("it was no longer asked")
        sure = [
            one.memory.text
            for one in full.otherwise
            if one.memory is not None and one.basis == "stated" and one.memory.confidence >= SURELY_SAID
        ]
        return propose(window, self._ask, sure=sure, name=self._name)

    def _fitting(self, found: list[Proposal], settled: list[Proposal]) -> list[Proposal]:
        """Leave out repetitions of the rules and of memory sections, and more proposals than a turn may have (K-40)."""
        kept: list[Proposal] = []
        for one in found:
            assert one.memory is not None
            text, origin = one.memory.text, one.memory.provenance
            beside = [each for each in (*settled, *kept) if each.memory is not None]
            here = [each for each in beside if each.memory and each.memory.provenance == origin]
            known = any(each.memory and likeness(each.memory.text, text) == "same" for each in beside)
            if known or len(here) >= self._max_per_turn or self._rules.echoes(origin.conversation, text):
                continue
            kept.append(one)
        return kept
