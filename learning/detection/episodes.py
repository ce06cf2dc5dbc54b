"""Writes episodes of a conversation in its own words: its subject, its decisions and its open questions.

Implements specs/capture.md (K-103, K-104, K-276). Extractive and deterministic: an episode quotes sentences and names their
speakers. `unfit` keeps sentences out. Pure: no model, no clock.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime

from language.printable import shortened
from language.stop_words import content_words
from learning.detection.speech import sentences
from learning.turn import Turn
from ledger.lazy_pattern import lazy_pattern
from ledger.memory import MAX_LINE, Memory, Provenance, one_line
from ledger.named_tuple import NamedTuple

WINDOW = 100
"""An episode covers at most so many messages."""
_POINTS, _DECISIONS, _QUESTIONS = 5, 5, 4
_LONGEST = 240
_LONGEST_TOPIC = 120
_LONG_MESSAGE = 1_500
"""Characters; most of a longer message is pasted text."""

_WORD = lazy_pattern(r"[^\W\d_][\w'’-]{2,}")
_DECIDES = lazy_pattern(
    r"\b(?:(?:i|we)(?:'ve| have)? (?:just )?(?:decided|agreed|chose|settled)|(?:let's|let us|lets) (?:use|"
    r"go|keep|stick|drop|switch|make|do|"
    r"leave|call|take|start|stay|move|ship|merge)|(?:i'll|we'll|we will|i will|i'm going to|"
    r"we're going to|we are going to) (?:use|go with|keep|"
    r"stick|drop|switch|take|stay)|go(?:ing)? (?:ahead )?with|stick with|switch(?:ing)? to|"
    r"(?:the )?decision (?:is|was)|decided|"
    r"we should use|option [a-d1-9]\b|from now on|never mind the)\b",
    re.IGNORECASE,
)
_OPEN = lazy_pattern(
    r"\b(?:still (?:need|have|open|unclear|to do|don't know|not sure)|open (?:question|issue|point)s?|"
    r"to ?do\b|follow[- ]up|later we|"
    r"(?:do|look at|fix|check|decide|discuss) (?:that|this|it) (?:later|tomorrow|next)|next (?:step|time|"
    r"session)|not sure (?:yet|if|whether)|"
    r"remains? (?:open|unclear)|tbd|left to do)\b",
    re.IGNORECASE,
)
_FENCED = lazy_pattern(r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_MARKS = lazy_pattern(r"^[ \t]*(?:#{1,6}|[-*+>]|\d{1,3}[.)])[ \t]+|\*\*", re.MULTILINE)
_END = lazy_pattern(r"(?<=[.!?:])\s+(?=[^\s\d])|\n+")


class _Said(NamedTuple):
    """One sentence with the number of its message, who said it, and the message's id."""

    text: str
    at: int
    who: str
    message: str


Unfit = Callable[[str], bool]
"""Returns whether a text must not be quoted, such as a secret."""


class Gathering:
    """One conversation, heard turn by turn from its beginning; keeps the text of one window only (K-276)."""

    def __init__(self, unfit: Unfit) -> None:
        self.user_messages = 0
        self.exchanges = 0
        self._unfit = unfit
        self._before = ""
        self._first = 1
        self._window: list[Turn] = []
        self._made: list[Memory] = []

    def hear(self, turn: Turn) -> None:
        """Hear the next turn; a full window becomes an episode when the next message comes."""
        said = bool(turn.text.strip())
        self.user_messages += turn.role == "user" and said
        self.exchanges += turn.role == "assistant" and self._before in ("user", "tool")
        self._before = turn.role if turn.role != "system" else self._before
        if turn.role not in ("user", "assistant") or not said:
            return
        if len(self._window) == WINDOW:
            self._made += self._closed()
            self._first += WINDOW
            self._window.clear()
        self._window.append(turn)

    def episodes(self, user_messages: int = 8, exchanges: int = 15) -> list[Memory]:
        """Return the episodes so far, one for each hundred messages, in order; none for a short conversation.

        Args:
            user_messages: a conversation with so many messages of the person is long enough (K-103).
            exchanges: one with so many answers is long enough, too.
        """
        if self.user_messages < user_messages and self.exchanges < exchanges:
            return []
        return [*self._made, *self._closed()]

    def _closed(self) -> list[Memory]:
        if not any(turn.role == "user" for turn in self._window):
            return []
        return [_episode(self._first, self._window, self._unfit)]


def _episode(number: int, window: Sequence[Turn], unfit: Unfit) -> Memory:
    """Return the episode of messages, numbered from `number` on."""
    said = [each for each in _spoken(number, window) if not unfit(each.text)]
    answered = [each for each in _answer(number, window) if not unfit(each.text)]
    weights = Counter(word for _, word in {(each.at, word) for each in said for word in _words(each.text)})
    decisions = _matching(said, _DECIDES)[-_DECISIONS:]
    asked = [each for each in answered if each.text.endswith("?")][-1:]
    questions = [*_matching(said, _OPEN)[1 - _QUESTIONS :], *asked]
    points = _points([each for each in said if each not in (*decisions, *questions)], weights)
    told = [each for each in answered if len(_words(each.text)) >= 3 and not each.text.endswith(("?", ":"))]
    parts = (
        _list("Key points", points),
        _list("Decisions", decisions),
        _list("Open questions", questions),
        _list("The assistant's last word, not checked", told[:1]),
        _range(number, window),
    )
    first, times = window[0], _times(window)
    telling = [each for each in said if len(_words(each.text)) >= 2] or said
    about = f"“{shortened(telling[0].text, _LONGEST_TOPIC)}”" if telling else "a conversation"
    count = f"{len(window)} messages, {sum(turn.role == 'user' for turn in window)} of the user"
    return Memory(
        f"{_when(times)}: {about}; {count}",
        type="episode",
        section="Episodes",
        tier="daily",
        importance="low",
        source="auto",
        body="\n\n".join(filter(None, parts)),
        provenance=Provenance(
            conversation=first.conversation[:MAX_LINE],
            message=first.message[:MAX_LINE] or f"message {number}",
            session=first.session[:MAX_LINE],
            agent=first.agent[:MAX_LINE],
            date=times[0][:10] if times else "",
        ),
    )


# --- sentences ---


def _spoken(number: int, window: Iterable[Turn]) -> Iterator[_Said]:
    """Yield the person's own sentences; of a long, mostly pasted message only the first two and the last."""
    for at, turn in enumerate(window, number):
        if turn.role == "user":
            spoken = [text for each in sentences(turn.text) if _is_prose(text := one_line(each.text))]
            if len(turn.text) > _LONG_MESSAGE:
                spoken = [*spoken[:2], *spoken[2:][-1:]]
            yield from (_Said(text, at, "the user", turn.message) for text in spoken)


def _answer(number: int, window: Sequence[Turn]) -> Iterator[_Said]:
    """Yield the sentences of the assistant's last message, without its code."""
    for at, turn in reversed([*enumerate(window, number)]):
        if turn.role == "assistant":
            pieces = _END.split(_MARKS.sub("", _FENCED.sub("\n", turn.text)))
            yield from (
                _Said(line, at, "the assistant", turn.message)
                for piece in pieces
                if (line := one_line(piece))
            )
            return


def _is_prose(text: str) -> bool:
    """Return whether a text looks like a typed sentence of more than one word."""
    letters = sum(sign.isalpha() or sign in " ,.'’?!`-" for sign in text)
    plain = text[:1].isalpha() or text[:1] in "`\"'“"
    return plain and letters * 10 >= len(text) * 8 and " " in text


def _words(text: str) -> set[str]:
    return {word.casefold() for word in content_words(_WORD.findall(text))}


def _points(said: Sequence[_Said], weights: Counter[str]) -> list[_Said]:
    """Return the sentences whose words recur most in the conversation, without repetitions, in their order."""

    def score(one: _Said) -> tuple[float, int]:
        words = _words(one.text)
        return -sum(weights[word] - 1 for word in words) / (4 + len(words)), one.at

    chosen: list[_Said] = []
    for each in sorted((one for one in said if len(_words(one.text)) >= 3), key=score):
        words = _words(each.text)
        beside = [_words(other.text) for other in chosen]
        if not each.text.endswith("?") and all(
            len(words & other) * 2 <= min(len(words), len(other)) for other in beside
        ):
            chosen.append(each)
    return sorted(chosen[:_POINTS], key=lambda each: each.at)


def _matching(said: Iterable[_Said], pattern: re.Pattern[str]) -> list[_Said]:
    """Return the sentences that match a pattern and are not questions, each text once."""
    found = {each.text: each for each in said if not each.text.endswith("?") and pattern.search(each.text)}
    return list(found.values())


# --- the text of an episode ---


def _list(title: str, said: Sequence[_Said]) -> str:
    lines = [
        f"- {each.who}: “{shortened(each.text, _LONGEST)}” (message {each.at}{_id(', ', each.message)})"
        for each in said
    ]
    return "\n".join([f"{title}:", "", *lines]) if said else ""


def _range(number: int, window: Sequence[Turn]) -> str:
    first, last = window[0], window[-1]
    ids = " to ".join(dict.fromkeys(_id("", turn.message) for turn in (first, last) if turn.message))
    where = _id(" of the conversation ", first.conversation)
    return f"Messages {number} to {number + len(window) - 1}{where}{_id(': ', ids, 140)}"


def _id(before: str, name: str, most: int = 64) -> str:
    return f"{before}{one_line(name)[:most]}" if name else ""


def _when(times: Sequence[str]) -> str:
    if not times:
        return "Without a time"
    first, last = times[0][:16], times[-1][:16]
    return first if first == last else f"{first} to {last[11:] if first[:10] == last[:10] else last}"


def _times(window: Iterable[Turn]) -> list[str]:
    """Return the times of the messages, in UTC; leave out invalid ones."""
    found = []
    for turn in window:
        try:
            moment = datetime.fromisoformat(turn.at)
            found.append((moment.astimezone(UTC) if moment.tzinfo else moment).isoformat(" "))
        except (ValueError, OverflowError):
            continue
    return found
