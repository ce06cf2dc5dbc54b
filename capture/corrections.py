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
_ANSWERED = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # "no dicts, pydantic models for responses": a thing, and another one, but not "no luck, same error"
        (
            r"^(?:please\s+|but\s+|hm+,?\s+)?no\s+(?!it|that|this|we|i|there|they|you|he|she|one|more|longer|need|wait|luck|dice|change|difference|effect|errors?|success|"
            r"output|result|problem|worries|idea|clue|joke|way|rush|hurry|pressure|wonder|doubt|thanks|thank|please|really|just|the\b)"
            rf"{_REJECTED}\s*[,;:—–-]\s*(?!same|still|it\b|that\b|this\b|great|good|nice|thanks|but\b|so\b|and\b|why\b|what\b|i\b|we\b)(?P<wanted>[\w@`][^.;!?]*)"
        ),
        # what somebody says who has just been given something: the words alone would not be a correction
        rf"^not\s+(?:with\s+|in\s+|as\s+|the\s+|a\s+)?{_REJECTED}\s*[,;:—–-]\s*{_WANTED}{_END}",
        (
            rf"\b(?:don'?t|do not|never|stop)\s+(?:ever\s+)?(?:\w+\s+(?:with|in|through|by|to|into|on)\s+)?{_REJECTED}\s*[,;:—–-]\s*"
            rf"(?:please\s+|but\s+|rather\s+|just\s+)*(?P<wanted>[\w@`][^.;!?]*)"
        ),
        (
            r"\byou(?:'ve)?\s+(?:\w+\s+){0,5}?(?:in|with|as|by|using|used|via|through)\s+(?P<rejected>[\w@/+#'.-]+)[,;:]?\s+(?:please\s+)?"
            r"(?:(?:please\s+)?(?:don'?t|no|stop|not\s+that))[\s,;:]+(?P<wanted>[\w@`][^.;!?]*)"
        ),
        r"\byou\s+(?:shouldn'?t|should\s+not)\s+(?:have\s+)?(?P<rejected>\w+(?:\s+\w+){0,4}?)\s*[,;:—–-]\s*(?:please\s+)?(?P<wanted>[\w@`][^.;!?]*)",
        r"^(?:wir|ich|bitte|hier)?\s*(?:nicht|kein\w*)\s+(?P<rejected>\w+)\s*[,;:—–-]\s*(?:sondern\s+)?(?P<wanted>[\w@`][^.;!?]*)",
        r"^pas\s+(?:de\s+|d')?(?P<rejected>\w+)\s*[,;:—–-]\s*(?P<wanted>[\w@`][^.;!?]*)",
    )
)
_OPENS_REJECTING = re.compile(
    r"^(?:(?:no|nope|nah|ok|hey|again|and|but|wait|hm+|nein|non|please|ugh|argh|sorry|still|i\s+said)[\s,;:!.…]+)*"
    r"(?:not?\b|don'?t\b|do\s+not\b|never\b|stop\b|without\b|avoid\b|drop\b|leave\s+out\b|skip\b|you\s+shouldn'?t\b|you\s+should\s+not\b|"
    r"\w+!+\s+not\b|but\s+you\b|you\s+(?:used|wrote|put|added|keep)\b|less\b|fewer\b|too\s+(?:many|much)\b|kein\w*\b|nicht\b|ohne\b|pas\b|sans\b|sin\b|sem\b|nada\s+de\b)",
    re.IGNORECASE,
)
_NO_FIRST = re.compile(r"^(?:no|nope|nah|nein|non|não|wrong|falsch)[,;:!.—–-]+\s+\w+", re.IGNORECASE)
_AGAIN = re.compile(
    r"\b(?:again|as\s+before|as\s+(?:i\s+)?(?:already\s+)?said|already\s+(?:said|told|asked)|told\s+you|like\s+(?:i\s+said|last\s+time|before)|once\s+more|"
    r"i\s+(?:said|asked\s+for|told|wanted)\b|remember\s*\?|still\s+(?:a|an|no|in)\b|missing\s+again|je\s+t'ai\s+(?:déjà\s+)?dit|ich\s+hab\w*\s+(?:doch\s+|schon\s+)*gesagt|there\s+it\s+is|still\s+(?:the|with|using)|how\s+many\s+times|you\s+keep|(?:second|third)\s+time|another\s+time|same\s+(?:thing|mistake|remark|as)|"
    r"schon\s+(?:gesagt|wieder|mal|erwähnt)|wieder|nochmal|noch\s+einmal|wie\s+gesagt|encore|déjà\s+dit|je\s+l'ai\s+dit|otra\s+vez|ya\s+(?:te\s+)?(?:lo\s+)?dije|"
    r"de\s+nuevo|de\s+novo|outra\s+vez|já\s+(?:disse|falei))\b|!!|^again\b",
    re.IGNORECASE,
)
_OF_THIS_RESULT = re.compile(
    r"\b(?:that|it|this)(?:'s|\s+is|\s+was)\s+(?:still\s+)?(?:not|wrong|broken|fine|ok|it)\b|\b(?:this|that)\s+(?:one|file|line|test|branch|function)\b|"
    r"\b(?:yet|now|for\s+now|at\s+all|i\s+already|never\s+mind|line\s+\d+|the\s+other\s+one|wait)\b|\?\s*$|"
    r"\b(?:idea|problem|worries|need|thanks|clue|longer|wonder|matter)\b",
    re.IGNORECASE,
)
_MOST_IN_A_REJECTION = 16
_STEM = 4
_TELLING = re.compile(r"[^\W_][\w+#.-]{2,}")
_SAYS_LITTLE = frozenset(
    """the and not don't dont use using used with without please again that this there it's its before said already told you your for from
    into stop never always nein nicht non pas just keep have has had was were are been being them they what when where which who why how
    make write wrote put add added drop leave skip open get got one something else only still same time more very here now then too
    bitte die der das ein eine hatte ich schon gesagt und auf mit les des une est""".split()
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
_SETS_ASIDE = re.compile(r"stop|don|do not|never|no more|quit|avoid")
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
_NOT_A_THING = frozenset(
    """sure yet really only just always now it that this me you so too bad much many all if a the to be do done there
    here great happy again true right fair wrong what ok fine correct mine""".split()
)
_NOT_WANTED = _NOT_A_THING | {"that's", "it's", "thats", "is", "are", "was", "they"}


_STANDS = re.compile(
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
            if wanted and rejected and first not in _NOT_A_THING and wanted.lower() not in _NOT_WANTED:
                return Contrast(wanted, rejected)
    if _SETS_ASIDE.search(plain) is not None and (found := _REJECTS.search(said)) is not None:
        return Contrast("", found["rejected"].strip())
    return None


def answer(said: str) -> Contrast | None:
    """Return what a short answer to somebody's work wants otherwise, None where it rejects but that one result (K-32)."""
    if len(said.split()) > _MOST_IN_A_REJECTION or (
        _OPENS_REJECTING.match(said) is None and _AGAIN.search(said) is None
    ):
        return None
    for pattern in _ANSWERED:
        if (found := pattern.search(said)) is not None:
            wanted, rejected = found["wanted"].strip(" ,;'\".!"), found["rejected"].strip(" ,;'\"")
            first = rejected.lower().partition(" ")[0]
            if (
                wanted
                and rejected
                and first not in _NOT_A_THING
                and not _OF_THIS_RESULT.search(said)
                and not _is_file(wanted)
            ):
                return Contrast(wanted, rejected)
    return None


def is_reminder(said: str) -> bool:
    """Say whether a question only reminds of what was said: "pnpm, remember?", "cups again?"."""
    return len(said.split()) <= _MOST_IN_A_REMINDER and _REMINDS.search(said) is not None


def wish(wishes: deque[tuple[str, str]], message: str, said: str) -> None:
    """Note what somebody said in short behind a piece of work, whatever it is (K-145)."""
    if len(said.split()) <= _MOST_IN_A_WISH and stems(said):
        wishes.append((message, said))


def wished(wishes: Iterable[tuple[str, str]], message: str, said: str) -> str:
    """Return what was wished in an earlier message that a short rejection, or an "again", shares a telling word with."""
    told = stems(said)
    if _OF_THIS_RESULT.search(said) or _OF_A_STATE.search(said):
        return ""
    for earlier, wanted in reversed(list(wishes)):
        if earlier != message and told & stems(wanted) and not _OF_THIS_RESULT.search(wanted):
            return wanted
    return ""


def rejects_a_thing(said: str, work: str) -> bool:
    """Say whether a short answer rejects a thing that the work before it shows: "no select *" (K-32)."""
    found = _NO_THING.match(said)
    if found is None or len(said.split()) > _MOST_IN_A_WISH or _OF_THIS_RESULT.search(said):
        return False
    things = stems(found["thing"])
    return bool(things) and things <= stems(work)


def wants_otherwise(said: str, work: str) -> Contrast | None:
    """Return what a short answer sets against something that the work before it shows: "grams please, not cups" (K-32)."""
    if len(said.split()) > _MOST_IN_A_REJECTION or said.rstrip().endswith("?") or _OF_THIS_RESULT.search(said):
        return None
    found = contrast(said)
    if found is None and (set_aside := _DO_NOT.match(said)) is not None:
        found = Contrast(set_aside["wanted"].strip(), set_aside["rejected"].strip())
    if found is None or not found.wanted or is_of_files(found) or _POINTS.match(found.wanted):
        return None
    words = stems(found.rejected)
    return found if words and words <= stems(work) else None


def sets_aside(said: str) -> bool:
    """Say whether a short answer sets aside a way of doing things: "no docstrings on helpers", "celsius, not fahrenheit"."""
    if len(said.split()) > _MOST_IN_A_REJECTION or not is_manner(said):
        return False
    return _OPENS_REJECTING.match(said) is not None or contrast(said) is not None


def rejects(said: str) -> bool:
    """Say whether a short answer says no to a way of doing things, or says that it was said before."""
    if len(said.split()) > _MOST_IN_A_REJECTION or said.rstrip().endswith("?"):
        return False
    return (
        is_again(said)
        or _NO_FIRST.match(said) is not None
        or (_OPENS_REJECTING.match(said) is not None and len(said.split()) > 1)
    )


def is_manner(said: str) -> bool:
    """Say whether a rejection may be of a way of doing things: known again, it is a correction (K-35)."""
    return not is_again(said) and _OF_THIS_RESULT.search(said) is None and bool(stems(said))


def is_again(said: str) -> bool:
    """Say whether a sentence says that it repeats another one."""
    return _AGAIN.search(said) is not None


def is_of_files(found: Contrast) -> bool:
    """Say whether one file, path or name of something is set against another: that is of this task, no rule."""
    if _is_file(found.wanted) and _is_file(found.rejected):
        return True
    wanted, rejected = found.wanted.casefold(), found.rejected.casefold()
    return _NAME.fullmatch(found.wanted) is not None and (rejected in wanted or wanted in rejected)


def _is_file(word: str) -> bool:
    return re.fullmatch(r"[`'\"]?(?:[\w.@~-]*/[\w.@/-]*|[\w-]+\.[a-z]{1,5})[`'\"]?", word.strip()) is not None


_MOST_IN_A_REMINDER, _MOST_IN_A_WISH = 5, 12
_REMINDS = re.compile(r"\b(?:remember|again|wieder|encore|otra\s+vez|de\s+novo)\s*\?+\s*$", re.IGNORECASE)
_OF_A_STATE = re.compile(r"\b(?:not|isn't|aren't|still)\s+(?:not\s+)?(?:\w+ly\s+)?\w+(?:ed|en|ing)\s*[.!]*$", re.IGNORECASE)
_NO_THING = re.compile(
    r"^(?:(?:please|but|and|hm+|ok|also|again|wait)[\s,]+)*(?:no|fewer|less|without|too\s+(?:many|much)|leave\s+out|skip|kein\w*|ohne|pas\s+de|sin|sem)\s+"
    r"(?:the\s+|any\s+|those\s+|all\s+)?(?P<thing>[\w.+#/-]+(?:\s(?!please\b|here\b|in\b|on\b|for\b)[\w.+#/*-]+)?)",
    re.IGNORECASE,
)
_DO_NOT = re.compile(
    rf"^(?:no[\s,]+|please\s+|but\s+|hm+[\s,]+)*(?P<wanted>[\w@`][\w\s.+#/-]{{0,40}}?)\s*(?:,|;|—|–)\s*(?:and\s+|please\s+|we\s+)*"
    rf"(?:don'?t|do\s+not|never|no|not)\s+(?:use\s+|do\s+|the\s+)?(?P<rejected>{_ITEM}){_END}",
    re.IGNORECASE,
)
_POINTS = re.compile(r"(?:the|this|that|these|those|my|your|i|it)\b", re.IGNORECASE)
_NAME = re.compile(r"\w+_\w+|[a-z]+[A-Z]\w*")


def stems(text: str) -> frozenset[str]:
    """Return the beginnings of the telling words of a text, by which the same thing is known in other words."""
    return frozenset(
        word[:_STEM].rstrip("s")
        for word in _TELLING.findall(text.casefold().replace("’", "'"))
        if word not in _SAYS_LITTLE
    )


def mended(found: Contrast, before: str) -> str:
    """Return the sentence before with what was meant in the place of what was said, "" where it does not say that (K-33)."""
    word = re.compile(rf"(?<![\w-]){re.escape(found.rejected)}(?![\w-])", re.IGNORECASE)
    return word.sub(lambda _: found.wanted, before, count=1) if word.search(before) is not None else ""


def is_meant(said: str) -> bool:
    """Say whether a sentence mends what the person said themselves: "I mean Y, not X"."""
    return _MEANT.search(said) is not None


_SAYS_WHAT_WAS_DONE = re.compile(
    r"^(?:(?:no|nope|but|and|nein|non)[,\s]+)*(?:not|you|nicht|pas)\b", re.IGNORECASE
)
_ORDERS = re.compile(
    r"^(?:use|leave|go|keep|write|put|take|make|do|let|ask|call|return|run|show|stick|prefer|start|end|follow|set|add|name)\b",
    re.IGNORECASE,
)


def line(said: str, found: Contrast | None) -> str:
    """Return the line that a correction would be; of "I mean Y, not X" it is Y alone (K-33)."""
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
        """Return the correction of another message that a short rejection makes again in other words (K-35).

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
                if known.conversation == conversation and word and known.wanted.casefold().partition(" ")[0] == word
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
