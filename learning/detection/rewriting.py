"""Rewrites what a person said into one line that stands alone: "From now on answer in French" is "Answer in French".

Implements specs/capture.md (K-25, K-26). The person's own words stay, as far as they can: what only opens or closes a sentence goes, the
first person becomes "the user", code and quotations are not touched. Pure.
"""

from __future__ import annotations

import re
from functools import lru_cache

from language.cues import TASKS
from language.pieces import PAUSE, mark_runs, mark_words, marks
from language.signals import signals
from language.word_classes import FUNCTION_WORDS
from learning.detection.first_person import KEPT, in_third_person, kept
from ledger.lazy_pattern import lazy_pattern

LONGEST = 400
"""A longer line is cut where a clause ends: a memory is one line in a list."""

_LEADS = lazy_pattern(
    r"""(?:(?:
      ok(?:ay)? | hey(?:\ there)? | hi | hello | so | well | btw | by\ the\ way | also | and | but | fyi |
      please | pls | plz | right | alright | oh | ah
    | hm+ | actually | yes | yeah | yep
    | no(?=\s*[,;:.!…—–-]|\s+(?:no|use|it'?s|that's|we|i|don'?t|the|you|please|not|actually)\b)
    | nope | nah | sorry | look | listen | nb | p\.?s\.? | one\ (?:more|
    last)\ thing | quick\ note | one\ note
    | for\ the\ record | for\ (?:your\ )?future\ reference | for\ context | some\ context |
    (?:just\ )?so\ you\ know | just\ to\ be\ clear | to\ be\ clear
    | in\ general | generally | as\ I\ (?:already\ )?said | like\ I\ said | I\ (?:already\ )?(?:said|told\ you) |
    as\ a\ reminder | reminder
    | (?:(?:that|this|it|all|everything)(?:'s|\ is|\ looks?|\ sounds?|\ seems?)?\ |looks?\ |sounds?\ |seems?\ |works?\ )
      (?:all\ |very\ |really\ |pretty\ )?(?:fine|good|great|ok(?:ay)?|right|perfect|nice|cool)
      (?:\ (?:to|by|with|for)\ me)?(?=\s*[,;:.!…–—-]\s|\s+(?:but|and|though|just|so)\b)
    | lgtm
    | (?:once\ )?again | anyways? | correction | wrong | that's\ (?:wrong|not\ right) |
    decision(?:\ (?:made|taken))?(?=\s*[:,–—-]) | verdict | last\ thing | important | attention
    | (?:for\ the\ )?(?:second|third|fourth|last)\ time(?:\ today|\ now)? | thanks | thank\ you | great |
    perfect | cool | nice | sure | first\ of\ all | as\ a\ rule
    | übrigens | ach\ ja | bitte | nein | also | au\ fait | non | s'il\ te\ plaît | por\ cierto | por\ favor |
    não | a\ propósito | aliás
    )\b(?!\s(?:one|more|matter|longer|need|is|are|was|macros?|paid|idea|such)\b)[\s,:;.!…–—-]+)+""",
    re.VERBOSE | re.IGNORECASE,
)
_FRAMES = lazy_pattern(
    r"""(?:
      (?:(?:I\ (?:want|need)\ you\ to\ |you\ (?:should|must|can)\ |(?:can|could|would)\ you\ )?(?:please\ )?(?:
        (?:always\ )?remember(?:\ for\ (?:later|the\ future|next\ time))? | keep\ (?:it\ |this\ )?in\ mind |
        bear\ in\ mind | (?:do\ not|don'?t|never)\ forget
      | note\ to\ (?:self|yourself|the\ agent)(?:\ for\ [^:,;\n]{1,40}(?=:))?
      | (?:please\ |pls\ )?note(?:\ down)? | make\ a\ note | take\ a\ note | (?:write|note|
      jot)\ (?:this|that)\ down
      | (?:save|add|commit|store|put)\ (?:this|that|it)?\ ?(?:to|in|into)\ (?:your\ )?memory | memori[sz]e |
      (?:so\ |and\ )?(?:this|that|here)(?:\ one|'s\ (?:one|something)|\ is\ (?:one|something))?(?:\ (?:you|to|for|should|
        actually|please|must|can|I|want|really)){0,6}\ (?:store|save|keep|note|remember)(?:\ (?:down|for\ later|for\ good|
        in\ memory|in\ mind|this)){0,2}(?=:) | (?:store|save|keep|note)\ (?:this\ |that\ |it\ )?for\ (?:later|the\ future|next\ time)
      | (?:store|save)\ (?=(?:my|our)\b)
      | save\ this | you\ should\ know
      | it'?s\ worth\ remembering )(?:\ (?:this|that))?\s?[:,–—-]?\s*(?<=[\s:,–—-])(?:that\s+)? )
    | (?:merk(?:e)?\ dir|denk(?:e)?\ daran|vergiss\ nicht|zur\ info)(?:,?\ bitte)?[,:]?\s+(?:dass\s+)?
    | (?:souviens-toi|rappelle-toi|n'oublie\ pas|retiens|note|pour\ info)[,:]?\s+(?:que\s+|qu')?
    | (?:recuerda|no\ olvides|ten\ en\ cuenta|apunta|anota|para\ que\ sepas)[,:]?\s+(?:que\s+)?
    | (?:lembre-se|lembre|lembra|não\ (?:se\ )?esqueça|tenha\ em\ mente|anota\ aí)[,:]?\s+(?:de\ que\s+|que\s+)?
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_EVER = (
    r"(?:from\ now\ on(?:wards)?|from\ here\ on(?:\ out)?|from\ this\ point\ on|going\ forward|"
    r"moving\ forward|in\ (?:the\ )?future|"
    r"for\ the\ future|henceforth|ab\ jetzt|ab\ sofort|von\ jetzt\ an|in\ zukunft|künftig|désormais|dorénavant|"
    r"à\ partir\ de\ maintenant|à\ l'avenir|a\ partir\ de\ ahora|de\ ahora\ en\ adelante|en\ el\ futuro|"
    r"a\ partir\ de\ agora|"
    r"de\ agora\ em\ diante|daqui\ (?:para|em)\ (?:a\ )?(?:frente|diante))"
)
_OF_EVER = mark_runs(
    """now here point forward future henceforth jetzt sofort zukunft künftig désormais dorénavant maintenant avenir ahora adelante futuro
    agora diante frente"""
)
"""The words of which a sentence has one that `_EVER_WITHIN` finds something in."""
_EVER_FIRST = lazy_pattern(rf"(?:and\ |so\ )?{_EVER}(?:\s*[,:–—-]+)?\s+", re.VERBOSE | re.IGNORECASE)
_EVER_WITHIN = lazy_pattern(rf"[,\s](?:(?<=,)\s+|(?<=\s)\s*){_EVER}(?=[\s,.;!]|$),?", re.VERBOSE)
_WISHES = lazy_pattern(
    r"""(?:
      I(?:'d|\ would)\ (?:really\ |very\ much\ )?(?:like|love|prefer|
      appreciate)\ (?:it\ if\ )?(?:for\ )?you\ (?:to\ )?
    | I\ (?:really\ |always\ )?(?:want|need|expect)\ you\ to\ | I\ (?:really\ )?need\ you\ to\ | you\ (?:should|
    must|need\ to|have\ to|ought\ to)\ (?=\w)
    | (?:can|could|would|will)\ you\ (?:please\ |always\ )?(?:start\ )? | (?:please|pls|plz|bitte|kindly)\ |
    make\ sure\ (?:that\ )?you\ | make\ sure\ to\ | try\ to\ | be\ sure\ to\ | let's\ (?=use|keep|stick|always|
    never)
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_TAILS = lazy_pattern(
    r"""(?:[\s,;–—-]+(?:please|pls|plz|thanks(?:\ a\ lot|\ so\ much)?|thank\ you|thx|ty|cheers|ok(?:ay)?|btw|
      by\ the\ way|lol|haha+|fyi|remember(?:\ (?:that|this))?
      |got\ it|right|as\ before|(?:i'?ve\ )?already\ (?:said|told\ you)|i\ told\ you(?:\ so)?|
        hatte\ ich\ schon\ gesagt|wie\ gesagt|schon\ wieder|
      encore\ une\ fois|otra\ vez|now|actually|these\ days|nowadays|haha|right\?|for\ good|jokes\ aside|period|
        i\ (?:already\ )?(?:said|told\ you)|as\ (?:always|usual)|again|
      will\ you|would\ you|bitte|danke|merci|s'il\ te\ plaît|
      gracias|por\ favor|obrigad[oa]|keep\ (?:that|it)\ in\ mind|for\ (?:the\ record|future\ reference|
      what\ it's\ worth)|so\ you\ know|
      (?:second|third|fourth)\ time(?:\ (?:today|now))?|:[)d(p]|😅|🙂|🙏|👍))+[\s.!?…]*$""",
    re.VERBOSE,
)

_TAIL_ENDS = tuple(
    """please pls plz thanks lot much you thx ty cheers ok okay btw way lol aha aa fyi remember that this it right before said so gesagt
    wieder fois vez now actually days nowadays good aside period always usual again bitte danke merci plaît gracias favor obrigado obrigada
    mind record reference worth know time today :) :d :( :p 😅 🙂 🙏 👍""".split()
)
"""A text that ends in a tail ends in one of these."""

_FOR_ME = lazy_pattern(
    r"(?:(?<=\s)|^)(?P<what>\w+)\s+(?:that\s+|which\s+)?you\s+(?:write|make|give|send|produce|generate|create|show|suggest|propose|draft|prepare|hand|build)\s+(?:(?:for|to)\s+)?(?:me|us)(?=\s*(?:[,.;!]|$))",
    re.IGNORECASE,
)
"""Who is meant by "you" is plain only in the conversation, and says nothing of the thing that is wanted."""


def _what(found: re.Match[str]) -> str:
    """Leave out whom it is for behind a thing; behind "when" or "if" it is what the sentence says."""
    return found.group() if found["what"].lower() in FUNCTION_WORDS else found["what"]


_FOREIGN = frozenset(
    """ich nicht und nur läuft wird sind auch
    der das ist mein meine mir mich auf für ein eine einen mit immer nie keine kein wir unser dem den dass bei je j'ai
    mon ma mes est les des une pas toujours jamais nous notre vous c'est dans pour avec sur yo mi mis el los las una para por con siempre
    nunca nuestro es en que del al me llamo soy vivo
    não meu minha uma com sempre nosso nossa eu sou no os em um ao da do na pra moro você""".split()
)
_ENGLISH = frozenset(
    """the a an is are was and of to in it that this my i'm we our you your for with on use don't do not never always be by at from as have
    has
    i've me when if please it's prefer like run here there or but they he she should must can will call name remember""".split()
)
_SHORT = frozenset(
    (
        "to",
        "if",
        "at",
        "by",
        "no",
        "we",
        "in",
        "on",
        "it",
        "he",
        "my",
        "do",
        "be",
        "me",
        "le",
        "la",
        "el",
        "un",
        "os",
    )
)
_VOWEL = lazy_pattern("[aeiouyäöüáéíóúàèêãõ]")
_WORD = lazy_pattern(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")

_CLAUSES = lazy_pattern(
    r"""[;,\s](?: (?<=;)\s+ | (?<=,)\s+(?=(?:
      auch\ wenn|even\ if|even\ though|which|propose|fais|donne|écris|montre|dis|haz|dame|escribe|mach|zeig|schreib|gib|
      what|how|why|where|fix|add|write|make|run|show|give|find|start|port|plan|suggest|push|swap|update|refactor|change|skip|just)\b)
      | (?<=\s)\s*(?=(?:so\ (?:budget|you|i|we|it|the|that|this|don't|skip|just|recalculate|swap|fix|use|make|write|add|plan|
        give|no\ need)|which\ is\ why)\b) | (?<=\s)\s*[—–]\s* | (?<=\s)\s*--?\s+ | (?<=\s)\s*(?=\()
      | (?<=,)\s+(?=(?:btw|by\ the\ way|fyi)\b) | (?<=\s)\s*(?=(?:btw|by\ the\ way|fyi)\b)
      | (?<=,)\s+(?=(?:so|but|and|can\ you|could\ you|please|pls|therefore|because|since|then|which\ is\ why|hence|i|
      we|you|let's|otherwise)\b)
      | (?<=\s)\s*(?=(?:so\ please|so\ can\ you|so\ could\ you|so\ what|so\ why|so\ how|because|but\ please)\b)
    )""",
    re.VERBOSE,
)
"""Looked for in lower case. One set of signs begins it, so that all else is skipped; so it is with `_ASKS_THEN`."""


_SO = lazy_pattern(r"\s(?:so|and)\s")
_ASKS = TASKS | frozenset(
    """can could would will do does is are which what how why where who when any help please pls
    wie was warum wo wann welche welcher welches comment pourquoi quel quelle quels quelles
    cómo qué cuál cuándo dónde puedes hay qual quais""".split()
)
_ASKS_IN_TWO = {
    "hast": ("du",), "kannst": ("du",), "gibt": ("es", "s"), "est": ("ce",), "peux": ("tu",), "tu": ("peux", "connais", "as"),
    "como": ("posso", "faço", "se"), "você": ("pode", "conhece"),
}  # fmt: skip
_ASKING_WORDS = mark_words(_ASKS | {"gibt's", *_ASKS_IN_TWO})
"""A sentence that asks has one of these; some ask only with the word behind them."""
_TOLD = 3
"""A statement has so many words at least."""
_IS_NO_STATEMENT = frozenset(
    ("question", "asking", "ask", "order", "request", "hypothetical", "thanks", "assent")
)
_IF = lazy_pattern(
    r"(?:so\s+|and\s+|but\s+|ok\s+)*(?:if|unless|suppos\w+|assuming|imagine|wenn|falls|si|se|cuando|quand)\b",
    re.IGNORECASE,
)
_ASKS_THEN = lazy_pattern(
    r"[,;:\s](?:(?:(?<=[,;:])|(?<=\s)[–—-])\s+(?:(?:so|and|but|now|then|also)\s+)*"
    r"(?=(?P<asks>\w+)(?:[\s'-](?P<next>\w+))?)"
    r"|(?<=\s)\s*(?=(?:so|and)\s+(?P<then>can|could|would|will|what|which|how|where)\b))"
)
"""Where a sentence may begin to ask, if `asks` is a word that does; looked for in lower case."""


def stand_alone(said: str) -> str:
    """Return a sentence or clause as one line that can be read without the conversation (K-25, K-26)."""
    text = _shortened(said)
    if not is_foreign(text):
        text = in_third_person(_FOR_ME.sub(_what, text) if "you " in text else text)
        text = _smoothed(text)
    return _finished(text)


_IT_DOES = lazy_pattern(
    r"^(?:btw,?\s+|also,?\s+|and\s+|so\s+)?(?P<it>it|that|this|they)(?P<does>'s|\s+(?:runs?|lives?|is|uses?|listens?|needs?|only|has|have|are|requires?|belongs?|always|never|must|should))\s+(?!settled|official|decided|important|helps?|final|forbidden|mandatory|fine|ok|called|`)",
    re.IGNORECASE,
)
_SUBJECT = lazy_pattern(
    r"^(?:(?:where|what|how|when|who|which)(?:'s|\s+is|\s+are|\s+does|\s+do)\s+)?(?:(?:ok|so|hm+|btw|well|and|hey)[,\s]+)*(?P<noun>(?:the|our|my)\s+(?:[\w./-]+\s+){1,3}?)(?=(?:is|are|was|were|has|had|died|dies|fails?|failed|runs?|"
    r"broke|hangs?|keeps?|needs?|doesn't|won't|can't|still|lives?|uses?|crashe[sd]|takes?|stopped|got|just)\b)",
    re.IGNORECASE,
)


def resolved(said: str, before: str) -> str:
    """Return a sentence with what "it" stands for, from the sentence before; "" where that is not plain (K-25)."""
    found = _IT_DOES.match(said.replace("’", "'"))
    if found is None:
        return said
    subject = _SUBJECT.match(before)
    if subject is None:
        return ""
    return said[: found.start("it")] + subject["noun"].strip() + said[found.end("it") :]


def clauses(sentence: str) -> list[str]:
    """Cut a sentence where a new thought begins; joined they are the sentence (K-25)."""
    whole = kept(sentence)
    parts: list[str] = []
    begin = 0
    for found in _CLAUSES.finditer(_low(sentence)):
        at = found.end()
        if at <= begin or any(start < at < end for start, end in whole):
            continue
        parts.append(sentence[begin:at])
        begin = at
    parts.append(sentence[begin:])
    return parts


def told_before_asking(sentence: str) -> str:
    """Return what a sentence tells before it asks or orders something, "" where that is all or next to nothing (K-144).

    "Being a night nurse I sleep from nine to four, which of these could I make?"
    """
    has = marks(sentence)
    if not has & _ASKING_WORDS or not (has & PAUSE or _SO.search(sentence) is not None):
        return ""
    whole = kept(sentence)
    for found in _ASKS_THEN.finditer(_low(sentence)):
        asks = found["asks"]
        if asks and asks not in _ASKS and found["next"] not in _ASKS_IN_TWO.get(asks, ()):
            continue
        told = sentence[: found.start()]
        if any(start < found.start() < end for start, end in whole):
            continue
        if len(told.split()) >= _TOLD and signals(told).isdisjoint(_IS_NO_STATEMENT) and not _IF.match(told):
            return told
    return ""


@lru_cache(maxsize=256)
def is_foreign(text: str) -> bool:
    """Say whether a text is in another language than English, by its commonest words."""
    spoken = KEPT.sub(" ", text) if kept(text) else text
    return sum(map(_ABROAD.__getitem__, spoken.split())) > 0


class _Abroad(dict[str, int]):
    """How many more words of other languages than of English stand between two blanks; the same few pieces come again and again."""

    def __missing__(self, piece: str) -> int:
        if len(self) >= _MOST_PIECES:
            self.clear()
        words = _WORD.findall(piece.replace("’", "'").lower())
        found = self[piece] = sum((word in _FOREIGN) - (word in _ENGLISH) for word in words)
        return found


_MOST_PIECES = 50_000
_ABROAD = _Abroad()


def _shortened(said: str) -> str:
    """Take away what only opens and closes the sentence."""
    text = said.strip().replace("’", "'")
    while True:
        before = text
        if text.startswith("("):
            text = _ASIDE.sub(r"\1", text)
        for pattern in (_LEADS, _FRAMES, _EVER_FIRST, _WISHES):
            if (found := pattern.match(text)) is not None and len(text) - found.end() >= 2:
                text = text[found.end() :]
        if text == before:
            break
    text = text.rstrip(" .!?;,:…-–—")
    while (
        (low := _low(text)).endswith(_TAIL_ENDS)
        and (tail := _TAILS.search(low)) is not None
        and tail.start() > 1
    ):
        text = text[: tail.start()].rstrip(" .!?;,:…-–—")
    if not marks(said) & _OF_EVER:
        return text
    shorter = text
    for found in reversed(list(_EVER_WITHIN.finditer(_low(text)))):
        shorter = shorter[: found.start()] + shorter[found.end() :]
    return shorter.rstrip(" .!?;,:…-–—") if len(shorter) > 3 else text


def behind_openings(clause: str) -> str:
    """Return what a clause says behind what only opens a sentence ("btw", "from now on"); "" where that is all."""
    text, before = f"{clause.strip()} ", ""
    while text != before:
        before = text
        for pattern in (_LEADS, _FRAMES, _EVER_FIRST):
            if (found := pattern.match(text)) is not None:
                text = text[found.end() :]
    return text.strip(" ,:;.!…–—-")


_ASIDE = lazy_pattern(r"^\(([^()]*(?:\([^()]*\)[^()]*)*)\)[\s.!?;,:…–—-]*$")
"""A sentence that stands in parentheses as a whole."""


def _low(text: str) -> str:
    """Return a text in lower case, letter for letter: what is found in it stands at the same place in the text.

    To look there is several times as fast as to ignore case.
    """
    low = text.lower()
    return low if len(low) == len(text) else text.replace("İ", "I").lower()


_SMOOTH: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (lazy_pattern(pattern, re.IGNORECASE), put)
    for pattern, put in (
        (r"^call the user (.+)", r"The user is called \1"),
        (r"^the user goes by (.+)", r"The user is called \1"),
        (r"^the user's name's (.+)", r"The user's name is \1"),
        (r"^the user's ([\w ]+)'s name(?:'s| is) (.+)", r"The user's \1 is named \2"),
        (r"^(?:it|that)(?:'s| is) (?=`)", "Use "),
        (r"^(?:it|that)(?:'s| is) (?=.+(?:, not |\bnot\b))", ""),
        (r"^((?:use|with|want|take|prefer|via|through|on|in) \S+(?: \S+)?[^\s,]) not (?=\S+(?: \S+){0,3}$)", r"\1, not "),
        (r"^(\S+[^\s,]) not (?=\S+(?: \S+)?$)", r"\1, not "),
        (r"^the user has decided to (?=use|go|keep|stick|switch|move|drop)", "The user decided to "),
        (r"^dont\b", "Don't"),
        (r"^((?:vegan|vegetarian|colou?r-?blind|diabetic|lactose intolerant|dyslexic|left-handed|teetotal)\b.*)", r"The user is \1"),
    )
)  # fmt: skip


def _smoothed(text: str) -> str:
    for pattern, put in _SMOOTH:
        if pattern.match(text) is not None:
            text = pattern.sub(put, text, count=1)
    return text


def _finished(text: str) -> str:
    """Begin with a capital where a plain word begins, and keep the line short."""
    text = " ".join(text.split())
    if len(text) > LONGEST:
        cut = text[:LONGEST]
        at = max(cut.rfind("; "), cut.rfind(", "), cut.rfind(". "))
        text = cut[: at if at > LONGEST // 2 else cut.rfind(" ")].rstrip(" ,;.")
    first = text.partition(" ")[0].rstrip(",:;'")
    plain = first.replace("'", "")
    is_word = plain.isalpha() and plain.islower() and (len(plain) > 2 or plain in _SHORT)
    return text[0].upper() + text[1:] if is_word and _VOWEL.search(plain) else text
