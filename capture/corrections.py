"""Recognises corrections ("No, use pnpm not npm") and knows which of them were made before.

Implements specs/capture.md (K-32…K-35). A history is plain values that a caller stores as JSON between sessions. Pure.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from capture import rewriting
from ledger.likeness import likeness

HISTORY = 50
_MOST_WORDS = 8


@dataclass(frozen=True, slots=True)
class Correction:
    """A correction that was made once: the line that it would be, what it wants and what it rejects, and where it was made.

    `wanted` and `rejected` are "" where the words do not say them. `times` counts the messages that made it.
    """

    text: str
    wanted: str = ""
    rejected: str = ""
    conversation: str = ""
    message: str = ""
    times: int = 1

    def to_json(self) -> dict[str, Any]:
        """Return the members as JSON values; `Correction(**stored)` is the correction again."""
        return asdict(self)


class Contrast(NamedTuple):
    """What a sentence wants and what it rejects, in the person's words."""

    wanted: str
    rejected: str


_WORD = r"\.?[\w@/+#'-]+(?:\.[\w@/+#'-]+)*"
_LEAST_WORDS = r"(?!not\b|instead\b|rather\b|over\b|and\b|but\b|in\b|for\b|on\b|please\b)"
_ITEM = rf"(?:`[^`]+`|\"[^\"]+\"|{_WORD}(?:\s{_LEAST_WORDS}{_WORD}){{0,3}}?)"
_END = r"(?=\s*(?:[.,;!?)]|$|\s(?:in|for|on|here|please|when|because|as|at|anymore|any\ more|again|from|everywhere|everywhere|thanks)\b))"
_MEANT = re.compile(
    rf"\bI(?:'m| am)? mean(?:t)?:?\s+(?P<wanted>.+?),?\s+(?:and\s+)?not\s+(?P<rejected>{_ITEM}){_END}",
    re.IGNORECASE,
)
_WANTED, _REJECTED = rf"(?P<wanted>{_ITEM})", rf"(?P<rejected>{_ITEM})"
_NEGATED = r"(?:not|never|stop using|don'?t use|do not use|no more)"
_CONTRASTS = tuple(
    re.compile(pattern + _END, re.IGNORECASE)
    for pattern in (
        rf"{_WANTED}\s*(?:,|;|—|–|-)?\s+(?:and\s+)?not\s+(?:(?:with|in|on|to|the)\s+)?{_REJECTED}",
        rf"{_WANTED}\s+(?:instead of|rather than|over)\s+{_REJECTED}",
        rf"{_NEGATED}\s+{_REJECTED}\s*[,;:—–-]\s*(?:(?:but|use|it's|we use|please use)\s+)*{_WANTED}",
        rf"{_WANTED}\s*,?\s+(?:nicht|statt|pas|au lieu de|no|en vez de|não|em vez de)\s+{_REJECTED}",
    )
)
_REJECTS = re.compile(
    rf"\b(?:stop using|don'?t use|do not use|never use|no more|quit using|avoid)\s+(?P<rejected>{_ITEM}){_END}",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"^(?:(?:no|nope|nah|wrong|actually|please|it's|its|it is|we|i|said|use|using|with|want|take|the|a|an|"
    r"run|do|should|be|that's|nein|non|"
    r"benutze|nimm|utilise|usa|wir|nutzen|on|are|in|to|told|you|mean|meant)\s+)+",
    re.IGNORECASE,
)
_NOT_A_THING = frozenset(
    """sure yet really only just always now it that this me you so too bad much many all if a the to be do done there
    here great happy again""".split()
)


def contrast(said: str) -> Contrast | None:
    """Return what is wanted and what is rejected, or None where the sentence sets nothing against something."""
    for pattern in (_MEANT, *_CONTRASTS):
        if (found := pattern.search(said)) is not None:
            wanted = _VERB.sub("", found["wanted"].strip(" ,;'\"")).strip()
            rejected = found["rejected"].strip(" ,;'\"")
            if wanted and rejected and rejected.lower().partition(" ")[0] not in _NOT_A_THING:
                return Contrast(wanted, rejected)
    if (found := _REJECTS.search(said)) is not None:
        return Contrast("", found["rejected"].strip())
    return None


def is_meant(said: str) -> bool:
    """Say whether a sentence mends what the person said themselves: "I mean Y, not X"."""
    return _MEANT.search(said) is not None


def line(said: str, found: Contrast | None) -> str:
    """Return the line that a correction would be; of "I mean Y, not X" it is Y alone (K-33)."""
    if found is not None and is_meant(said):
        return rewriting.stand_alone(found.wanted)
    text = rewriting.stand_alone(said)
    if found is not None and found.wanted and len(text.split()) <= _MOST_WORDS:
        bare = text.partition(" ")[0].rstrip(",").casefold()
        if bare == found.wanted.partition(" ")[0].casefold() and found.rejected in text:
            return f"Use {found.wanted}, not {found.rejected}"
    return text


class Corrections:
    """The corrections of this and earlier sessions, the newest last, at most `limit` (K-34)."""

    def __init__(self, history: Iterable[Correction] = (), limit: int = HISTORY) -> None:
        self._made: deque[Correction] = deque(history, maxlen=limit)

    @property
    def history(self) -> tuple[Correction, ...]:
        """The corrections in the order in which they were made or last repeated."""
        return tuple(self._made)

    def make(self, correction: Correction) -> Correction:
        """Note a correction; return it with how often it was made, and with the words that stand (K-35).

        One that was made in the same message counts once. The opposite of an earlier one takes its place.
        """
        for known in reversed(self._made):
            verdict = self._compared(known, correction)
            if verdict == "different":
                continue
            self._made.remove(known)
            if verdict == "contradicts":
                break
            same_message = (known.conversation, known.message) == (
                correction.conversation,
                correction.message,
            )
            again = known.times if same_message and known.message else known.times + 1
            text, wanted, rejected = max(
                ((one.text, one.wanted, one.rejected) for one in (known, correction)),
                key=lambda one: (bool(one[1]), bool(one[2])),
            )
            correction = Correction(
                text, wanted, rejected, correction.conversation, correction.message, again
            )
            break
        self._made.append(correction)
        return correction

    @staticmethod
    def _compared(known: Correction, new: Correction) -> str:
        if known.wanted and new.wanted and known.rejected and new.rejected:
            ours, theirs = _bare(known.wanted, known.rejected), _bare(new.wanted, new.rejected)
            if ours == theirs:
                return "same"
            if ours == theirs[::-1]:
                return "contradicts"
        elif _bare(known.rejected) == _bare(new.rejected) != ("",):
            return "same"
        return likeness(known.text, new.text)


def _bare(*words: str) -> tuple[str, ...]:
    return tuple(word.strip("`\"'").casefold() for word in words)
