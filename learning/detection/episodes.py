"""Makes episodes of a conversation: what it was about, what was decided, what is open, by the words that were said.

Implements specs/capture.md (K-103, K-104, K-276). Extractive and deterministic: every sentence of an episode was said so, and it
says by whom. What `unfit` says of a sentence keeps it out. Pure: no model, no clock.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from learning.detection.personal import personal_in
from learning.detection.speech import sentences
from learning.turn import Turn
from ledger.lazy_pattern import lazy_pattern
from ledger.memory import MAX_LINE, Memory, Provenance

WINDOW = 100
"""So many messages are one episode at most."""
_POINTS, _DECISIONS, _QUESTIONS = 5, 5, 4
_KEYWORDS = 4
_LONGEST = 240
_LONGEST_TOPIC = 120
_LONG_MESSAGE = 1_500
"""Characters; in a longer message most is pasted."""

_WORD = lazy_pattern(r"[^\W\d_][\w'’-]{2,}")
_COMMON = frozenset(
    """about actually after again all also always and another any anything are around ask back because been before being below better
    both but can can't cannot change check could did didn't does doesn't doing done don't down each easy else even every everything
    few file files find first fix for from get give going good great had has have having hello help here hey how i'd i'll i'm i've
    instead into isn't it's its just keep know last later let let's like little look looks made make makes many maybe more most much
    must need needs never new next nice not nothing now off okay one only onto other our out over please put really right run same
    see set she should show since some something still sure take tell than thank thanks that that's the their them then there these
    they thing things think this those through time too try two under until update use used using very wait want wants was way we'll
    we're well went were what what's when where which while who why will with without won't work working works would write yes yet
    you you're your""".split()
)
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
_WEIGHTY = lazy_pattern(
    r"\b(?:must|need|only|never|always|instead|because|since|require[sd]?|important|problem|error|fails?|"
    r"broken|bug|should|don't|"
    r"no longer|actually|exactly|make sure)\b",
    re.IGNORECASE,
)
_SMALL_TALK = lazy_pattern(
    r"^(?:hi|hello|hey|thanks?|thank you|ok(?:ay)?|yes|no|yep|sure|great|nice|perfect|cool|go on|continue|"
    r"go ahead|good)\b[^a-z]*"
    r"(?:\w+[^a-z]*){0,3}$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Said:
    """One sentence with the number of its message, who said it, and the message's id."""

    text: str
    at: int
    role: str
    message: str


@dataclass(frozen=True, slots=True)
class _Window:
    """Messages of a conversation, numbered from `first` (1-based)."""

    first: int
    messages: tuple[Turn, ...]
    is_last: bool


Unfit = Callable[[str], bool]
"""Says that a text must not be chosen: a secret, say."""


def _is_personal(text: str) -> bool:
    return personal_in(text) is not None


class Gathering:
    """One conversation, heard turn by turn from its beginning; of its text no more is kept than of one window (K-276)."""

    def __init__(self, unfit: Unfit = _is_personal) -> None:
        self.user_messages = 0
        self.exchanges = 0
        self._unfit = unfit
        self._before = ""
        self._first = 1
        self._window: list[Turn] = []
        self._made: list[Memory] = []

    def hear(self, turn: Turn) -> None:
        """Hear the next turn; a window that is full becomes an episode when the next message comes."""
        said = bool(turn.text.strip())
        self.user_messages += turn.role == "user" and said
        self.exchanges += turn.role == "assistant" and self._before in ("user", "tool")
        self._before = turn.role if turn.role != "system" else self._before
        if turn.role not in ("user", "assistant") or not said:
            return
        if len(self._window) == WINDOW:
            self._made += self._closed(is_last=False)
            self._first += WINDOW
            self._window.clear()
        self._window.append(turn)

    def is_episode(self, user_messages: int = 8, exchanges: int = 15) -> bool:
        """Say whether it is long enough: by what the person said, or by exchanges (K-103)."""
        return self.user_messages >= user_messages or self.exchanges >= exchanges

    def episodes(self, user_messages: int = 8, exchanges: int = 15) -> list[Memory]:
        """Return its episodes as far as it was heard, one each hundred messages, in their order; none of a short one."""
        if not self.is_episode(user_messages, exchanges):
            return []
        return [*self._made, *self._closed(is_last=True)]

    def _closed(self, *, is_last: bool) -> Iterator[Memory]:
        if any(turn.role == "user" for turn in self._window):
            yield _episode(_Window(self._first, tuple(self._window), is_last), self._unfit)


def is_episode(turns: Iterable[Turn], user_messages: int = 8, exchanges: int = 15) -> bool:
    """Say whether a conversation is long enough (K-103)."""
    return _heard(turns, _is_personal).is_episode(user_messages, exchanges)


def episodes(
    turns: Iterable[Turn], *, user_messages: int = 8, exchanges: int = 15, unfit: Unfit = _is_personal
) -> list[Memory]:
    """Return the episodes of one conversation, given from its beginning.

    Args:
        turns: the conversation.
        user_messages: with so many messages of the person it is long enough,
        exchanges: or with so many answers.
        unfit: says that a text must not be chosen; a secret, say.
    """
    return _heard(turns, unfit).episodes(user_messages, exchanges)


def _heard(turns: Iterable[Turn], unfit: Unfit) -> Gathering:
    gathering = Gathering(unfit)
    for turn in turns:
        gathering.hear(turn)
    return gathering


def _episode(window: _Window, unfit: Unfit) -> Memory:
    said = [each for each in _sentences(window) if not unfit(each.text)]
    weights = _weights(said)
    topic = _topic(said, weights)
    decisions = _first(said, _DECIDES, _DECISIONS)
    questions = _questions(window, said, unfit)
    points = _points([each for each in said if each not in (*decisions, *questions)], weights)
    outcome = _outcome(window, unfit)
    body = "\n\n".join(
        part
        for part in (
            _list("Key points", points),
            _list("Decisions", decisions),
            _list("Open questions", questions),
            _list("The assistant's last word, not checked", outcome),
            _links(window),
        )
        if part
    )
    first = window.messages[0]
    about = f"“{topic}”" if topic else "a conversation"
    words = ", ".join(_keywords(weights, topic))
    return Memory(
        _line(f"{_when(window)}: {about}{f' ({words})' if words else ''}; {_count(window)}"),
        type="episode",
        section="Episodes",
        tier="daily",
        importance="low",
        source="auto",
        body=body,
        provenance=Provenance(
            conversation=first.conversation[:MAX_LINE],
            message=first.message[:MAX_LINE] or f"message {window.first}",
            session=first.session[:MAX_LINE],
            agent=first.agent[:MAX_LINE],
            date=_day(window),
        ),
    )


# --- what was said ---


def _sentences(window: _Window) -> Iterator[_Said]:
    """Give the person's own sentences; what an assistant says is no statement of theirs."""
    for number, turn in enumerate(window.messages, window.first):
        if turn.role == "user":
            spoken = [text for each in sentences(turn.text) if _is_prose(text := _line(each.text))]
            if len(turn.text) > _LONG_MESSAGE:
                # the most of it was pasted; a person writes before or behind that
                spoken = [*spoken[:2], *spoken[2:][-1:]]
            yield from (_Said(text, number, "user", turn.message) for text in spoken)


def _is_prose(text: str) -> bool:
    """Say whether a sentence is one that somebody typed, and more than small talk."""
    letters = sum(sign.isalpha() or sign in " ,.'’?!`-" for sign in text)
    plain = text[:1].isalpha() or text[:1] in "`\"'“"
    return plain and letters * 10 >= len(text) * 8 and " " in text and not _SMALL_TALK.fullmatch(text)


def _weights(said: Iterable[_Said]) -> Counter[str]:
    """Return how many messages have each telling word."""
    return Counter(word for _, word in {(each.at, word) for each in said for word in _words(each.text)})


def _words(text: str) -> set[str]:
    return {word for word in map(str.casefold, _WORD.findall(text)) if word.replace("’", "'") not in _COMMON}


def _topic(said: Sequence[_Said], weights: Counter[str]) -> str:
    """Return one of the first sentences, if it can be one of whose words the conversation returns to."""
    telling = [each for each in said if len(_words(each.text)) >= 2]
    if not telling:
        return _cut(said[0].text, _LONGEST_TOPIC) if said else ""
    returned_to = (each for each in telling[:4] if any(weights[word] > 1 for word in _words(each.text)))
    best = next(returned_to, telling[0])
    return _cut(best.text, _LONGEST_TOPIC)


def _score(text: str, weights: Counter[str]) -> float:
    words = _words(text)
    if not words:
        return 0.0
    shared = sum(weights[word] - 1 for word in words)
    return float(
        shared / (4 + len(words)) + (0.5 if _WEIGHTY.search(text) else 0.0) + min(len(words), 6) / 12
    )


def _points(said: Sequence[_Said], weights: Counter[str]) -> list[_Said]:
    """Return the sentences that say most, none of which says what another says, in their order."""
    chosen: list[_Said] = []
    for each in sorted(said, key=lambda one: (-_score(one.text, weights), one.at)):
        words = _words(each.text)
        of_message = sum(other.at == each.at for other in chosen)
        if len(words) < 3 or of_message == 2 or each.text.endswith("?"):
            continue
        if all(
            len(words & _words(other.text)) * 2 <= min(len(words), len(_words(other.text)))
            for other in chosen
        ):
            chosen.append(each)
        if len(chosen) == _POINTS:
            break
    return sorted(chosen, key=lambda each: each.at)


def _first(said: Sequence[_Said], pattern: re.Pattern[str], most: int) -> list[_Said]:
    """Return the last so many sentences of the person that a pattern knows, and that ask nothing."""
    found = {each.text: each for each in said if not each.text.endswith("?") and pattern.search(each.text)}
    return list(found.values())[-most:]


def _questions(window: _Window, said: Sequence[_Said], unfit: Unfit) -> list[_Said]:
    """Return what the person left open, what nobody answered, and what the assistant asked last."""
    found = _first(said, _OPEN, _QUESTIONS - 1)
    last = window.messages[-1]
    number = window.first + len(window.messages) - 1
    if not window.is_last:
        return found
    if last.role == "user":
        found += [each for each in said if each.at == number and each.text.endswith("?")][:1]
    elif asked := [text for text in _plain(last.text) if text.endswith("?") and not unfit(text)]:
        found.append(_Said(asked[-1], number, "assistant", last.message))
    return found


def _outcome(window: _Window, unfit: Unfit) -> list[_Said]:
    """Return the first telling sentence of the assistant's last message, as its words."""
    for number, turn in reversed(list(enumerate(window.messages, window.first))):
        if turn.role == "assistant":
            told = (
                text
                for text in _plain(turn.text)
                if len(_words(text)) >= 3 and not text.endswith(("?", ":")) and not unfit(text)
            )
            return [_Said(text, number, "assistant", turn.message) for text in told][:1]
    return []


_FENCED = lazy_pattern(r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_MARKS = lazy_pattern(r"^[ \t]*(?:#{1,6}|[-*+>]|\d{1,3}[.)])[ \t]+|\*\*", re.MULTILINE)
_END = lazy_pattern(r"(?<=[.!?:])\s+(?=[^\s\d])|\n+")


def _plain(text: str) -> list[str]:
    """Return the sentences of an assistant's markdown, without its code."""
    return [line for piece in _END.split(_MARKS.sub("", _FENCED.sub("\n", text))) if (line := _line(piece))]


def _keywords(weights: Counter[str], topic: str) -> list[str]:
    known = _words(topic)
    often = sorted(weights, key=lambda word: (-weights[word], word))
    return [word for word in often if weights[word] > 1 and word not in known][:_KEYWORDS]


# --- how it is written ---


def _list(title: str, said: Sequence[_Said]) -> str:
    if not said:
        return ""
    lines = [f"- {_who(each)}: “{_cut(each.text, _LONGEST)}” ({_where(each)})" for each in said]
    return "\n".join([f"{title}:", "", *lines])


def _who(said: _Said) -> str:
    return "the user" if said.role == "user" else "the assistant"


def _where(said: _Said) -> str:
    return f"message {said.at}{f', {_line(said.message)[:64]}' if said.message else ''}"


def _links(window: _Window) -> str:
    first, last = window.messages[0], window.messages[-1]
    numbers = f"{window.first} to {window.first + len(window.messages) - 1}"
    ids = " to ".join(dict.fromkeys(_line(turn.message)[:64] for turn in (first, last) if turn.message))
    where = f" of the conversation {_line(first.conversation)[:64]}" if first.conversation else ""
    return f"Messages {numbers}{where}{f': {ids}' if ids else ''}"


def _when(window: _Window) -> str:
    times = _times(window)
    if not times:
        return "Without a time"
    first, last = times[0][:16], times[-1][:16]
    if first == last:
        return first
    return f"{first} to {last[11:] if first[:10] == last[:10] and len(last) == 16 else last}"


def _times(window: _Window) -> list[str]:
    """Return when the messages were written, in UTC; what is no time is left out."""
    found = []
    for turn in window.messages:
        try:
            moment = datetime.fromisoformat(turn.at)
            found.append((moment.astimezone(UTC) if moment.tzinfo else moment).isoformat(" "))
        except (ValueError, OverflowError):
            continue
    return found


def _count(window: _Window) -> str:
    said = sum(turn.role == "user" for turn in window.messages)
    return f"{len(window.messages)} messages, {said} of the user"


def _day(window: _Window) -> str:
    return next((time[:10] for time in _times(window)), "")


def _line(text: str) -> str:
    return " ".join(text.replace("\x00", " ").split())


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    cut = text.rfind(" ", most // 2, most)
    return f"{text[: cut if cut > 0 else most].rstrip(' ,;:')}…"
