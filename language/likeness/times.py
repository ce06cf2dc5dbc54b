"""Keeps apart texts of which one was so, one is so, and one will be so: "Redis was slow", "Redis is slow".

Implements specs/likeness.md (L-26, L-27). What has ended is read as denied (L-26) before this is asked; here the times
of two texts are compared that everything else calls the same or contrary. Pure; linear in the texts' lengths.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Literal

from language.likeness import vocabulary
from language.likeness.phrases import has_ended
from ledger.lazy_pattern import lazy_pattern

__all__ = ["hold_at_other_times"]

Time = Literal["present", "ended", "past", "would", "future"]

_SUBJECT = r"\b(?:i|we|you|he|she|they|it|who|user)"
_WENT = "used|liked|loved|wanted|needed|preferred|worked|lived|owned|hated|managed|required|kept|held|made"
_PAST = lazy_pattern(
    r"\b(?:ran|wrote|went|chose|was|were|wasn't|weren't|had|hadn't|did|didn't)\b|\b(?:has|have|'ve)(?: \w+)? been (?!\w+ing\b)"
    rf"|{_SUBJECT}(?: (?:always|also|once|often|never|only))? (?:{_WENT})\b(?! to be\b)"
)
_FUTURE = lazy_pattern(
    r"\b(?:will(?! not\b)|(?<!\bi )(?<!\bwe )(?<!\buser )(?:will not|won't|wont)|gonna|going to(?! (?:the|a|an|our)\b))\b|\w'll\b"
)
_WOULD = lazy_pattern(r"\b(?:would|wouldn't)\b(?! (?:like|love|prefer|rather|want)\b)")
_TELLING = lazy_pattern(
    r"\b(?:was|were|had|did|been|will|would|won|wasn|weren|hadn|didn|wouldn|going|gonna|used to|formerly|previously|until"
    r"|till|ran|wrote|went|chose|made|built|kept|held|done)\b|\w'll\b|\b\w+ed\b"
)
"""Without a word of these in which they differ, two texts are of one time."""
_WAS_SO = lazy_pattern(
    r"\b(?:was|were)\b(?! (?:not |already |just )?(?:\w+ed|\w+en|built|made|set|put|found|kept|done|run)\b)"
    rf"|\bhad\b(?! (?:\w+ed|been)\b)|{_SUBJECT} (?:used|liked|loved|wanted|needed|preferred|worked|lived|owned)\b"
)
"""A state of the past, of which another one may have come since; not what was done, and holds."""
_SPAN = lazy_pattern(r"`[^`]*`")


def hold_at_other_times(one: str, other: str, *, contrary: bool) -> bool:
    """Say whether two texts speak of other times, so that neither stands for the other, or against it (L-27).

    Args:
        one: a text.
        other: a text that is the same as `one`, or contradicts it, but for its time.
        contrary: they contradict each other; then only states and what is to come count.
    """
    one, other = one.casefold(), other.casefold()
    if "`" in one or "`" in other:
        one, other = _SPAN.sub("x", one), _SPAN.sub("x", other)
    if _TELLING.findall(one) == _TELLING.findall(other):
        return False
    mine, yours = _time(one), _time(other)
    if contrary:
        return mine != yours and any(
            time in ("future", "would") or (time == "past" and _WAS_SO.search(text) is not None)
            for time, text in ((mine, one), (yours, other))
        )
    if mine != yours:
        texts = {mine: one, yours: other}
        return not (_goes_on(texts) or _is_told_otherwise(texts))
    return mine == "present" and _is_told_and_ordered(one.split(), other.split())


def _time(text: str) -> Time:
    if has_ended(text):
        return "ended"
    if _FUTURE.search(text):
        return "future"
    if _WOULD.search(text):
        return "would"
    return "past" if _PAST.search(text) else "present"


def _goes_on(texts: dict[Time, str]) -> bool:
    """Say whether one text says that something was so, the other that it is so no longer, which is the same."""
    return (
        texts.keys() == {"ended", "present"}
        and re.search(r"\bno longer\b|\bany ?more\b", texts["present"]) is not None
    )


def _is_told_otherwise(texts: dict[Time, str]) -> bool:
    """Say whether one text tells in the passive what the other tells: `the schema was reviewed by Alice`."""
    if texts.keys() != {"past", "present"}:
        return False
    told, said = _spoken(texts["past"].split()), _spoken(texts["present"].split())
    done = {_verb(word) for (last, _), (word, _) in pairwise(told) if last in ("was", "were", "been")}
    return any(
        _is_past(word) and _verb(word) in done and (opens or _before(said, at) not in _BE)
        for at, (word, opens) in enumerate(said)
    )


# --- the past of a verb that the other text has in the present (L-27) ---

_BE = frozenset("is are be being get gets been am was were isn't aren't".split())
_HAVE = frozenset("has have hasn't haven't i've we've they've you've who've".split())
_SPEAKERS = frozenset("i we you he she they it who user team".split())
_PASSED = frozenset(
    "always also never just already then not no longer yet still recently once often only now a an the".split()
)
_MODAL = frozenset("should must will can may shall to do does did has have had needs need".split())
_GONE = {
    "done": "do",
    "used": "use",
    "ran": "run",
    "wrote": "write",
    "kept": "keep",
    "held": "hold",
    "made": "make",
    "built": "build",
    "chose": "choose",
}
_NO_PAST = frozenset("need feed seed speed exceed proceed succeed embed indeed shed breed".split())
_FAR = 12
"""So many words before a verb are looked at."""
_AROUND = ".,;:!?\"'()[]{}<>*_`"


def _is_told_and_ordered(one: list[str], other: list[str]) -> bool:
    """Say whether one text tells what was done, and the other of the same verb what is done or is to be done."""
    left, right = _spoken(one), _spoken(other)
    return _tells(left, right) or _tells(right, left)


def _tells(mine: list[tuple[str, bool]], yours: list[tuple[str, bool]]) -> bool:
    seen: set[str] = set()
    others: dict[str, list[int]] = {}
    for at, (word, _) in enumerate(yours):
        others.setdefault(_verb(word), []).append(at)
    for at, (word, opens) in enumerate(mine):
        if not _is_past(word) or (stem := _verb(word)) not in others or stem in seen:
            continue
        seen.add(stem)
        if any(_is_past(yours[place][0]) for place in others[stem]):
            continue
        before = "" if opens else _before(mine, at)
        if before in _BE:
            continue
        if before in _HAVE or before in _SPEAKERS:
            return True
        if _is_said_with_is(mine, at):
            continue
        after = "" if at + 1 == len(mine) or mine[at + 1][1] else mine[at + 1][0]
        if not (after or word in vocabulary.PRESCRIBED):
            return True  # `keys rotated`
        if not before:
            if after in vocabulary.GRAMMAR or any(_opens_with(yours, place, after) for place in others[stem]):
                return True
        elif any(_verb(before) == _verb(_before(yours, place, _BE)) for place in others[stem]):
            return True
    return False


def _is_said_with_is(said: list[tuple[str, bool]], at: int) -> bool:
    """Say whether *is* or its like stands anywhere before a word in its clause: `PRs are squash merged`."""
    least = max(0, at - _FAR)
    while at > least and not said[at][1]:
        at -= 1
        if said[at][0] in _BE:
            return True
    return False


def _opens_with(said: list[tuple[str, bool]], at: int, thing: str) -> bool:
    """Say whether a verb opens a clause and this word follows, articles aside: `pin numpy`, of `pinned numpy`."""
    after = next((word for word, _ in said[at + 1 : at + _FAR] if word not in _PASSED), "")
    return said[at][1] and _verb(after) == _verb(thing)


def _spoken(chunks: list[str]) -> list[tuple[str, bool]]:
    """Return the words of a text, and of each whether it opens a clause."""
    found, opens = [], True
    for chunk in chunks:
        if word := chunk.strip(_AROUND):
            found.append((word, opens))
            opens = False
        opens = opens or chunk[-1] in ".,;:!?"
    return found


def _before(said: list[tuple[str, bool]], at: int, passed: frozenset[str] = frozenset()) -> str:
    """Return the word before a verb, adverbs and modal verbs left out; "" where the verb opens its clause."""
    least = max(0, at - _FAR)
    while at > least and not said[at][1]:
        at -= 1
        word = said[at][0]
        if word in _HAVE or word not in _PASSED | _MODAL | passed:
            return word
    return ""


def _is_past(word: str) -> bool:
    return word in _GONE or (
        len(word) > 3 and word.endswith("ed") and word.isalpha() and word not in _NO_PAST
    )


def _verb(word: str) -> str:
    return vocabulary.canonical(_GONE.get(word, word)).rstrip("e")
