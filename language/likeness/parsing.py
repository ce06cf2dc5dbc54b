"""Reads a text for comparison: its words and facts, each with its sign, its place, and its side of an order.

Implements specs/likeness.md (L-3…L-7). It cuts a sentence into clauses and a clause into parts; the parity of a part's
negations is its sign. Linear in the text's length; no I/O.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from language.likeness import vocabulary
from language.likeness.phrases import spelled_out
from language.likeness.plain import made_plain
from language.likeness.token import ClauseKind, ClausePart, Kept, PreparedText, Token
from ledger.lazy_pattern import lazy_pattern

_NUMBER = lazy_pattern(r"[v=^~$€£#]*(\d+(?:,\d{3})+(?!\d)|\d+(?:[.:]\d+)*)((?:\.x)?)([a-z%]*)(\+?)")
_ENDS_SENTENCE = (".", "!", "?", ";")
_ORDINAL = lazy_pattern(r"\(?(\d{1,3})[.)]")
_RELEASE = lazy_pattern(r"v\d.*|\d+\.\d+\.\d+.*")
"""A release at the beginning of a clause names one of many, and is not a value."""
_DETERMINERS = frozenset(
    "the a an this that these those my our your his her its i we you he she it they all every do never".split()
)
_BE = frozenset("is are be been being was were get gets got".split())


@lru_cache(maxsize=256)
def read(text: str) -> PreparedText:
    """Return the text prepared for comparison (L-3…L-7); cached, since it may be compared with many."""
    plain = made_plain(text)
    reader = _Reader()
    for chunk in spelled_out(plain.phrased).split():
        reader.take(chunk)
    return reader.finish(plain.flat, plain.spans, plain.text)


class _Reader:
    """Reads a text word by word, and tracks the clause and part of each word."""

    def __init__(self) -> None:
        self.tables = vocabulary.tables()
        self.done: dict[str, Token] = {}
        self.limits: set[str] = set()
        self.deeds: set[str] = set()
        self.negations = 0
        self.parts: list[ClausePart] = [ClausePart("main")]
        self.last = ""  # the word before
        self.break_before = False  # a comma stood before this word
        self.place = ""
        self.side = ""
        self.passive = False  # the relation is in the passive, and its subject follows `by`
        self.number = ""  # a number whose unit may follow
        self.preferring = False
        self.item = False  # the word before names one of many, as `task` does
        self.narrowing = False  # `only` waits for the word that it narrows
        self.label: list[str] = []  # the text before the colon that opened this clause

    def take(self, chunk: str) -> None:
        """Add the token between two spaces."""
        bare = chunk.lstrip("\"'([{<").rstrip("\"')]}>,;:.!?")
        bare = bare.removesuffix("(")
        if chunk in (";", "-"):
            self._end_clause()
            return
        if not self.done and not self.parts[-1].tokens and (ordinal := _ORDINAL.fullmatch(chunk)):
            self.item = True
            self._put(f"no.{ordinal[1]}", fact=True)
            self._end_clause()
            return
        if chunk.startswith("("):
            self._end_clause()
        bare = bare.removesuffix("'s")
        if any(map(str.isalnum, bare)):
            self._word(bare)
        elif any(unicodedata.category(sign) == "So" for sign in bare):
            self._put(bare, fact=True)  # a mark such as done or open
        tail = chunk[chunk.rfind(bare) + len(bare) :] if bare else chunk
        if not tail:
            return
        if any(sign in tail for sign in _ENDS_SENTENCE) or (")" in tail and "(" not in chunk[1:]):
            self._end_clause()
        elif "," in tail:
            self.break_before = True
        elif ":" in tail:
            if not any(part.negations for part in self.parts):
                self._as_subject(self.parts[-1])
                label = [each.key for each in self.parts[-1].tokens if each.key not in self.done]
                self._end_clause()
                self.label = label
            self.place = "is"

    def _word(self, word: str) -> None:  # noqa: PLR0912 - one decision after another, in the order of L-5…L-7
        part = self.parts[-1]
        canonical = vocabulary.canonical(word)
        if word == "but":
            self._end_clause()
            return
        if word in _DETERMINERS and self._has_phrase_in_front():
            self._open("main")
            part = self.parts[-1]
        negates = word in vocabulary.NEGATORS or canonical in self.tables.negators
        if self.break_before:
            if negates or part.kind != "main":
                self._open("main")
        elif self.last == "and" and negates:
            self._open("main")
        self.break_before = False
        part = self.parts[-1]
        if word in vocabulary.DENIALS and part.negations and len(part.tokens) > part.denied:
            self._open("main")  # "do not x and do not y": the second denies y, and does not cancel the first
            part = self.parts[-1]
        if word == "insteadof" or (word == "over" and self.preferring) or word in vocabulary.OTHERWISE:
            self._open("contrast", word)
        elif word in vocabulary.CONDITIONS:
            self._open("condition", word)
        elif negates or word == "off":
            self._negate(part)
        elif canonical in self.tables.relations:
            self._relate(passive=word.endswith(("ed", "en")) and self.last in _BE)
            self._keep(word, canonical)
        elif word == "then":
            for each in self.parts:
                each.tokens = _sided(each.tokens, "<")
            self.side = ">"
        elif word in vocabulary.NEGATED:
            self._negate(part)
            self._keep(vocabulary.NEGATED[word], vocabulary.canonical(vocabulary.NEGATED[word]))
        else:
            self._keep(word, canonical)
        self._note(word, part)
        if canonical in ("prefer", "favor", "favour", "choos"):
            self.preferring = True
        self._lead(word)
        self.last = word
        listed = self.item and (word in ("and", "or", "&") or word[0] in "#0123456789")
        self.item = listed or canonical in self.tables.items or word in self.tables.items

    def _negate(self, part: ClausePart) -> None:
        part.negations += 1
        part.denied = len(part.tokens)
        part.predicated = self.place == "is" and part.negations == 1

    def _has_phrase_in_front(self) -> bool:
        """Return whether the clause so far is only `without x`, which a new subject ends (L-51)."""
        if len(self.parts) != 2 or self.parts[1].opener != "without":
            return False
        return bool(self.parts[1].tokens) and not self.parts[0].tokens and self.last not in vocabulary.GRAMMAR

    def _note(self, word: str, part: ClausePart) -> None:
        """Note whether a word permits, acts or limits, in addition to its other roles."""
        if word in vocabulary.PERMISSION:
            part.permits = True
        if word in vocabulary.DEEDS:
            self.deeds.add(vocabulary.DEEDS[word])
        if word in vocabulary.OUTCOMES:
            part.tokens[-3:] = [
                each._replace(place="name") if each.fact and each.key[0] == "#" else each
                for each in part.tokens[-3:]
            ]
        if word in vocabulary.PRESCRIBED and self.place == "is":
            near = part.tokens[-6:]
            part.tokens[-6:] = [each._replace(place=each.place.replace("subject", "")) for each in near]
        if word in vocabulary.LIMITS:
            self.limits.add(word)
            self.narrowing = word == "only"

    def _lead(self, word: str) -> None:
        if word in ("from", "to"):
            self._transfer(word)
        if word == "by" and self.passive:
            self.side, self.passive = "l", False
        if word in vocabulary.SCOPES:
            placed = word in vocabulary.VALUE_LEADS and (self.last in ("is", "are") or _is_placed(self.last))
            verb = "is" if self.last == "are" else vocabulary.canonical(self.last)
            self.place = f"{verb} {word}" if placed else "scope"
        elif word in ("use", "uses", "using"):
            self.place = "use"
        elif word in ("with", "via", "through"):
            self.place = f"{vocabulary.canonical(self.last)} with" if _is_placed(self.last) else "with"
        elif word in ("is", "are", "was", "were"):
            self.place = "is"
            part = self.parts[-1]
            part.about = part.about or len(part.tokens)
            self._as_subject(part)

    def _as_subject(self, part: ClausePart) -> None:
        """Mark the words so far as the subject of the rest."""
        new = part.tokens[part.topics :]
        part.tokens[part.topics :] = [each if each.place else each._replace(place="subject") for each in new]
        part.topics = len(part.tokens)

    def _transfer(self, word: str) -> None:
        """Separate the words after `from` and after `to`, if a part has both (L-7)."""
        part = self.parts[-1]
        if word == "from" and part.to is not None:
            part.tokens[part.to :] = _sided(part.tokens[part.to :], "r")
        if word == "from":
            self.side = "l"
        elif self.side == "l":
            self.side = "r"
        else:
            part.to = len(part.tokens)

    def _open(self, kind: ClauseKind, opener: str = "") -> None:
        self.parts.append(ClausePart(kind, opener))
        self.place = "scope" if kind == "condition" else ""
        self.side = self.number = ""

    def _relate(self, *, passive: bool = False) -> None:
        part = self.parts[-1]
        part.tokens = _sided(part.tokens, "r" if passive else "l")
        self.side = "r"
        self.passive = passive

    def _keep(self, word: str, canonical: str) -> None:
        """Keep a meaningful word: a fact, or a word outside the frame."""
        number = _NUMBER.fullmatch(word)
        if word in vocabulary.NUMBERS and (
            word != "one" or self.last not in ("the", "this", "that", "which", "no", "any")
        ):
            if self.item:
                self._put(f"no.{vocabulary.NUMBERS[word]}", fact=True)
            else:
                self._number(vocabulary.NUMBERS[word], "")
        elif number and (self.item or word[0] == "#"):
            self._put(f"no.{number[1]}", fact=True)
        elif number and (not number[3] or number[3] in vocabulary.UNITS):
            if number[4]:
                self.limits.add("atleast")
            self.item = not self.parts[-1].tokens and _RELEASE.fullmatch(word) is not None
            self._number(number[1].replace(",", ""), number[3])
        elif self.number and word in vocabulary.UNITS:
            self._unit(word)
        elif "-" in word and not vocabulary.is_known(word) and not word.startswith("-"):
            self._hyphened(word)
        elif _is_fact(word) and not vocabulary.is_known(word):
            self._put(_fact(word), fact=True)
        elif not (word in vocabulary.FRAME or canonical in self.tables.frame or word in vocabulary.LIMITS):
            self._put(canonical, fact=False)

    def _hyphened(self, word: str) -> None:
        pieces = [piece for piece in word.split("-") if piece]
        if len(pieces) == 2 and pieces[0] == "non":
            self._put(f"non-{vocabulary.canonical(pieces[1])}", fact=False)
        elif all(piece.isalpha() and len(piece) > 2 for piece in pieces) or (
            pieces and pieces[0].isdigit() and pieces[-1].isalpha()
        ):
            for piece in pieces:
                self._word(piece)
        else:
            self._put(_fact(word), fact=True)

    def _number(self, digits: str, unit: str) -> None:
        if ":" in digits:
            digits = digits.lstrip("0")
        self.number = digits
        self._put(f"#{digits}", fact=True)
        self.number = digits
        if unit:
            self._unit(unit)

    def _unit(self, name: str) -> None:
        """Attach a unit to the number before it; times become milliseconds."""
        factor, unit = vocabulary.UNITS[name]
        digits = self.number
        if factor > 1 and digits.count(".") <= 1 and ":" not in digits and len(digits) < 12:
            digits = f"{float(digits) * factor:.15g}"
        kept = self.parts[-1].tokens
        kept[-1] = kept[-1]._replace(key=f"#{digits} {unit}".rstrip())
        self.number = ""

    def _put(self, key: str, *, fact: bool) -> None:
        self.number = ""
        if self.narrowing:
            self.limits.add(f"only {key}")
            self.narrowing = False
        place = "name" if fact and self.item else self.place
        self.parts[-1].tokens.append(Kept(key, self.side, place, fact))

    def _end_clause(self) -> None:
        """Settle the signs and sides of the clause that ends here (L-5…L-7)."""
        mains = [part for part in self.parts if part.kind == "main"]
        time = next((part.opener for part in self.parts if part.opener in ("before", "after")), "")
        sign = 1
        for at, part in enumerate(self.parts):
            own = -1 if part.negations % 2 else 1
            self.negations += part.negations + (part.kind == "contrast" or part.opener == "unless")
            if part.kind == "main":
                sign = own
            elif part.kind == "contrast":
                base = sign if any(p.kind == "main" and p.tokens for p in self.parts[:at]) else _sign(mains)
                own = -base * own
            elif part.opener == "unless":
                own = -own
            if part.permits and own > 0:
                self.limits.add("may")
            if own < 0 and at == 0 and self.label:
                self._deny(self.label, said=bool(part.tokens))
            said = part.predicated and any(each.place != "scope" for each in part.tokens[part.about :])
            about = part.about if said else 0
            for nth, (key, side, place, fact) in enumerate(part.tokens):
                if time and not side:
                    side = "<" if (part.opener == time) == (time == "after") else ">"  # noqa: PLW2901
                topic = nth < about
                condition = topic or part.kind == "condition"
                self._settle(key, Token(1 if topic else own, condition, side, place, fact))
        self.parts = [ClausePart("main")]
        self.label = []
        self.item = False
        self.place = self.side = self.number = ""
        self.preferring = self.break_before = self.passive = False

    def _deny(self, label: list[str], *, said: bool) -> None:
        """Reset the sign of a label: `x: not y` (`said` is true) denies only y, `x: no` denies x."""
        for key in label:
            before = self.done[key]
            self.done[key] = before._replace(condition=True) if said else before._replace(sign=-1)

    def _settle(self, key: str, token: Token) -> None:
        before = self.done.get(key)
        if before is None or (before.condition and not token.condition):
            self.done[key] = token
        elif before.place != token.place == "is" and vocabulary.are_rivals(key, key):
            self.done[f"{key}="] = token  # `the main branch is main`
        elif before.condition == token.condition and (before.sign, before.side) != (token.sign, token.side):
            sign = before.sign if before.sign == token.sign else 0
            self.done[key] = Token(sign, before.condition, "", before.place, before.fact)

    def finish(self, flat: str, spans: frozenset[str], text: str) -> PreparedText:
        """Return the prepared text."""
        self._end_clause()
        return PreparedText(
            flat,
            self.done,
            self.negations % 2 == 1,
            frozenset(self.limits),
            frozenset(self.deeds),
            spans,
            text,
        )


def _sided(tokens: list[Kept], side: str) -> list[Kept]:
    """Return the tokens with this side, unless they already have one."""
    return [each if each.side else each._replace(side=side) for each in tokens]


def _sign(mains: list[ClausePart]) -> int:
    return -1 if mains and mains[-1].negations % 2 else 1


def _is_placed(word: str) -> bool:
    """Return whether a verb opens a value together with the next preposition (L-8)."""
    return word in vocabulary.PLACED or vocabulary.canonical(word) in vocabulary.tables().placed


def _is_fact(word: str) -> bool:
    """Return whether a word is an identifier: a path, a flag, a dotted or underscored name, one with digits."""
    return not word.replace("'", "").isalpha()


def _fact(word: str) -> str:
    """Return an identifier for comparison, without the signs that only mark it as one."""
    word = word.removesuffix("()").lstrip("@")
    if "/" in word:
        return "/".join(["", *(piece for piece in word.split("/") if piece not in ("", "."))]) or word
    return word
