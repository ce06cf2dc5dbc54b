"""Recognises corrections ("No, use pnpm not npm") and knows which of them were made before.

Implements specs/capture.md (K-32, K-34). A history is plain values that a caller stores as JSON between sessions. Pure.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from language.likeness import PreparedText, likeness, read
from learning.detection import rewriting
from ledger.lazy_pattern import lazy_pattern

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
ITEM = rf"(?:`[^`]+`|\"[^\"]+\"|{_WORD}(?:\s{_LEAST_WORDS}{_WORD}){{0,3}}?)"
END = r"(?=\s*(?:[.,;!?)]|$|\s(?:in|for|on|here|please|when|because|as|at|anymore|any\ more|again|from|everywhere|everywhere|thanks)\b))"
_MEANT = lazy_pattern(
    rf"\bI(?:'m| am)? mean(?:t)?:?\s+(?P<wanted>.+?),?\s+(?:and\s+)?not\s+(?P<rejected>{ITEM}){END}",
    re.IGNORECASE,
)
_WANTED, _REJECTED = rf"(?P<wanted>{ITEM})", rf"(?P<rejected>{ITEM})"
_NEGATED = r"(?:not|never|stop using|don'?t use|do not use|no more)"
_CONTRASTS = tuple(
    lazy_pattern(pattern + END, re.IGNORECASE)
    for pattern in (
        rf"{_WANTED}\s*(?:,|;|—|–|-)?\s+(?:and\s+)?not\s+(?:(?:with|in|on|to|the)\s+)?{_REJECTED}",
        rf"{_WANTED}\s+(?:instead of|rather than|over)\s+{_REJECTED}",
        rf"{_NEGATED}\s+{_REJECTED}\s*[,;:—–-]\s*(?:(?:but|use|it's|we use|please use)\s+)*{_WANTED}",
        rf"{_WANTED}\s*,?\s+(?:nicht|statt|pas|au lieu de|no|en vez de|não|em vez de)\s+{_REJECTED}",
    )
)
_STEM = 4
_TELLING = lazy_pattern(r"[^\W_][\w+#.-]{2,}")
_SAYS_LITTLE = frozenset(
    """the and not don't dont use using used with without please again that this there it's its before said already told you your for from
    into stop never always nein nicht non pas just keep have has had was were are been being them they what when where which who why how
    make write wrote put add added drop leave skip open get got one something else only still same time more very here now then too
    bitte die der das ein eine hatte ich schon gesagt und auf mit les des une est""".split()
)
_REJECTS = lazy_pattern(
    rf"\b(?:stop using|don'?t use|do not use|never use|no more|quit using|avoid)\s+(?P<rejected>{ITEM}){END}",
    re.IGNORECASE,
)
_VERB = lazy_pattern(
    r"^(?:(?:no|nope|nah|wrong|actually|please|it's|its|it is|we|i|said|use|using|with|want|take|the|a|an|"
    r"run|do|should|be|that's|nein|non|"
    r"benutze|nimm|utilise|usa|wir|nutzen|on|are|in|to|told|you|mean|meant)\s+)+",
    re.IGNORECASE,
)
_SETS_ASIDE = lazy_pattern(r"stop|don|do not|never|no more|quit|avoid")
_BY_WORDS = tuple(
    zip(
        (
            ("mean",),
            (" not ",),
            ("instead of", "rather than", " over "),
            ("not ", "never ", "stop using", "don't use", "dont use", "do not use", "no more"),
            ("nicht ", "statt ", " pas ", "au lieu de", " no ", "en vez de", "não ", "em vez de"),
        ),
        (_MEANT, *_CONTRASTS),
        strict=True,
    )
)
"""Each pattern with the words without one of which it finds nothing, since a search costs."""
NOT_A_THING = frozenset(
    """sure yet really only just always now it that this me you so too bad much many all if a the to be do done there
    here great happy again true right fair wrong what ok fine correct mine""".split()
)
_NOT_WANTED = NOT_A_THING | {"that's", "it's", "thats", "is", "are", "was", "they"}


_STANDS = lazy_pattern(
    r"(?:no|don't|do not|use|never|always|avoid|keine?|without)\s+(?!it\b|that\b|this\b|them\b)\w+",
    re.IGNORECASE,
)


def contrast(said: str) -> Contrast | None:
    """Return what is wanted and what is rejected, or None where the sentence sets nothing against something."""
    plain = said.casefold()
    for needed, pattern in _BY_WORDS:
        if any(word in plain for word in needed) and (found := pattern.search(said)) is not None:
            wanted = _VERB.sub("", found["wanted"].strip(" ,;'\"")).strip()
            rejected = found["rejected"].strip(" ,;'\"")
            first = rejected.lower().partition(" ")[0]
            if wanted and rejected and first not in NOT_A_THING and wanted.lower() not in _NOT_WANTED:
                return Contrast(wanted, rejected)
    if _SETS_ASIDE.search(plain) is not None and (found := _REJECTS.search(said)) is not None:
        return Contrast("", found["rejected"].strip())
    return None


def is_of_files(found: Contrast) -> bool:
    """Say whether one file, path or name of something is set against another: that is of this task, no rule."""
    if is_file(found.wanted) and is_file(found.rejected):
        return True
    wanted, rejected = found.wanted.casefold(), found.rejected.casefold()
    return _NAME.fullmatch(found.wanted) is not None and (rejected in wanted or wanted in rejected)


def is_file(word: str) -> bool:
    """Say whether a word is a file or a path."""
    return re.fullmatch(r"[`'\"]?(?:[\w.@~-]*/[\w.@/-]*|[\w-]+\.[a-z]{1,5})[`'\"]?", word.strip()) is not None


_NAME = lazy_pattern(r"\w+_\w+|[a-z]+[A-Z]\w*")


def stems(text: str) -> frozenset[str]:
    """Return the beginnings of the telling words of a text, by which the same thing is known in other words."""
    return frozenset(
        word[:_STEM].rstrip("s")
        for word in _TELLING.findall(text.casefold().replace("’", "'"))
        if word not in _SAYS_LITTLE
    )


def mended(found: Contrast, before: str) -> str:
    """Return the sentence before with what was meant in the place of what was said, "" where it does not say that (K-32)."""
    word = re.compile(rf"(?<![\w-]){re.escape(found.rejected)}(?![\w-])", re.IGNORECASE)
    return word.sub(lambda _: found.wanted, before, count=1) if word.search(before) is not None else ""


def is_meant(said: str) -> bool:
    """Say whether a sentence mends what the person said themselves: "I mean Y, not X"."""
    return _MEANT.search(said) is not None


_SAYS_WHAT_WAS_DONE = lazy_pattern(
    r"^(?:(?:no|nope|but|and|nein|non)[,\s]+)*(?:not|you|nicht|pas)\b", re.IGNORECASE
)
_ORDERS = lazy_pattern(
    r"^(?:use|leave|go|keep|write|put|take|make|do|let|ask|call|return|run|show|stick|prefer|start|end|follow|set|add|name)\b",
    re.IGNORECASE,
)


def line(said: str, found: Contrast | None) -> str:
    """Return the line that a correction would be; of "I mean Y, not X" it is Y alone (K-32)."""
    if found is not None and is_meant(said):
        return rewriting.stand_alone(found.wanted)
    if found is not None and found.wanted and _SAYS_WHAT_WAS_DONE.match(said) is not None:
        wanted = rewriting.stand_alone(found.wanted)
        return wanted if _ORDERS.match(wanted) is not None else f"Use {found.wanted}, not {found.rejected}"
    text = rewriting.stand_alone(said)
    if found is not None and found.wanted and len(text.split()) <= _MOST_WORDS:
        bare = text.partition(" ")[0].rstrip(",").casefold()
        orders = _ORDERS.match(found.wanted) is not None
        if bare == found.wanted.partition(" ")[0].casefold() and found.rejected in text and not orders:
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

    def earlier(self, said: str, conversation: str, message: str) -> Correction | None:
        """Return the correction of another message that a short rejection makes again in other words (K-34).

        One telling word of both is enough; of another conversation two, or all that it has.
        """
        told = stems(said)
        if not told:
            return None
        best: tuple[int, Correction] | None = None
        for known in reversed(self._made):
            here = known.conversation == conversation
            if here and known.message == message and message:
                continue
            shared = len(told & stems(f"{known.text} {known.wanted} {known.rejected}"))
            if shared >= (1 if here else min(2, len(told))) and (best is None or shared > best[0]):
                best = (shared, known)
        return best[1] if best is not None else None

    def wants_again(self, said: str, conversation: str) -> Correction | None:
        """Return the correction of which a sentence calls out what was wanted, and nothing else: "uv!"."""
        if not said.rstrip().endswith("!"):
            return None
        word = said.strip(" !.,").casefold()
        return next(
            (
                known
                for known in reversed(self._made)
                if known.conversation == conversation
                and word
                and known.wanted.casefold().partition(" ")[0] == word
            ),
            None,
        )

    def repeat(self, known: Correction, said: str, conversation: str, message: str) -> Correction:
        """Note that a correction was made again, and return it with the words that stand alone best."""
        self._made.remove(known)
        text = known.text
        if _STANDS.match(said) is not None and (
            known.text.casefold().startswith(("not ", "without ")) or not known.wanted
        ):
            text = said
        again = Correction(text, known.wanted, known.rejected, conversation, message, known.times + 1)
        self._made.append(again)
        return again

    def make(self, correction: Correction) -> Correction:
        """Note a correction; return it with how often it was made, and with the words that stand (K-34).

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
        return likeness(_read(known.text), _read(new.text))


@lru_cache(maxsize=2 * HISTORY)
def _read(text: str) -> PreparedText:
    """Read a correction once: it is compared with each that comes after it."""
    return read(text)


def _bare(*words: str) -> tuple[str, ...]:
    return tuple(word.strip("`\"'").casefold() for word in words)
