"""Detects whether bytes still contain an erased text, however a file of ours or of a person spells it.

Implements specs/erasure.md (Z-1…Z-6). Pure: bytes in, a word out. Both what was erased and what is searched are
folded: blanks, quotes, backslashes and the marks before a line go, so that a wrapped bullet, a JSON string in a JSON
string, a doubled quote of CSV or YAML and a document all read alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from ledger.event import MAX_LINE_BYTES
from ledger.lazy_pattern import lazy_pattern

LONG = 16
"""A folded line of so many characters shows itself wherever it stands; a shorter one only as a whole line or string."""
PIECE = 32
"""So many folded characters in a row of a longer line are a piece of it."""
CUT = 8
"""So many folded characters with which a line begins are a piece of it where the bytes are cut off behind them."""
WHOLE, PART, NOTHING = "holds it", "holds a piece of it", ""

_BLOCK = PIECE // 2
_DEEPEST = 3
_MARKS = lazy_pattern(r"^[ \t]*(?:(?:[-*+>#|]+|\[\?\])[ \t]*)+", re.MULTILINE)
_DROPPED = lazy_pattern(r"[\s\"'`\\\u200b\ufeff\x00]+")
_SIGNS = b" \t\n\r\v\f\x1c\x1d\x1e\x1f\x00\"'`\\-*+>#|[?]"
_WIDE = "\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u200b\u2028\u2029\u202f\u205f\u3000\ufeff"
"""All that `_MARKS` and `_DROPPED` take out: what is ASCII, and what is not."""
_ESCAPE = lazy_pattern(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_STRING = lazy_pattern(r"[\n\"]")


def fold(text: str) -> str:
    """Return a text without blanks, quotes, backslashes and the marks before its lines, in one case (Z-2)."""
    return _DROPPED.sub("", _MARKS.sub("", text)).casefold()


def views(data: bytes) -> Iterator[str]:
    """Yield what bytes say as text: as they are, and as JSON strings, up to three of them inside each other (Z-3)."""
    text = _decoded(data)
    yield text
    for _ in range(_DEEPEST):
        if "\\" not in text:
            return
        text = _ESCAPE.sub(_unescaped, text)
        if not text.isascii():  # a character beyond 16 bits is two escapes
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        yield text


def _unescaped(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16)) if escape[1] else _CONTROLS.get(escape[2], escape[2])


def _decoded(data: bytes) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    start = data[:512]
    for odd, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        if len(start) > 8 and start[odd::2].count(0) > len(start) // 3 > start[1 - odd :: 2].count(0):
            return data.decode(encoding, "replace")
    return data.decode("utf-8", "replace")


def _unsigned(text: str) -> str:
    """Return a text without any sign that folding may take out, wherever it stands: what a folded text holds, this holds.

    So what it does not hold need not be folded, which takes twenty times as long.
    """
    data = text.encode("utf-8", "surrogatepass").translate(None, _SIGNS)
    bare = data.decode("utf-8", "surrogatepass")
    if not bare.isascii():
        for sign in _WIDE:
            bare = bare.replace(sign, "")
    return bare.casefold()


class Residue:
    """What shows that bytes hold one of some texts.

    Args:
        texts: what was erased; each of their lines is looked for.
        anywhere: a line of any length counts wherever it is: a person gave this very text.
        standing: returns the ledger's current texts, or those of them that `may_stand_in` finds; their words
            are not residue (Z-5). Called when something was found.
    """

    def __init__(
        self,
        texts: Iterable[str],
        *,
        anywhere: bool = False,
        standing: Callable[[], Iterable[str]] = tuple,
    ) -> None:
        lines = [line.strip() for text in texts for line in text.splitlines() if line.strip()]
        folded = {fold(line): line for line in lines}
        folded.pop("", None)
        self._bare = tuple(line for line in lines if not fold(line))
        self._long = tuple(line for line in folded if anywhere or len(line) >= LONG)
        self._short = frozenset(folded) - frozenset(self._long)
        self._anywhere = anywhere
        self._spelt = folded
        pieces = set() if anywhere else {line for line in self._long if len(line) > PIECE}
        parts = [block for line in pieces for block in _blocks(line)]
        self._signs = tuple(set(map(_unsigned, [*(line for line in folded if line not in pieces), *parts])))
        self._give = standing
        self._standing: str | None = None

    def __bool__(self) -> bool:
        return bool(self._long or self._short or self._bare)

    def look(self, data: bytes, *, cut: bool = False) -> str:
        """Return WHOLE, PART or NOTHING; with `cut` a line may be cut off where the bytes end."""
        part = NOTHING
        for text in views(data):
            if not cut and not self._may_say(text):
                continue
            folded = fold(text)
            if self._whole(text, folded):
                return WHOLE
            if not part and ((not self._anywhere and self._piece(folded)) or (cut and self._cut(folded))):
                part = PART
        return part

    def may_stand_in(self, data: bytes) -> bool:
        """Say, sooner than `look`, whether bytes that are not cut off may hold any of it, standing texts included."""
        return any(self._may_say(text) for text in views(data))

    def _may_say(self, text: str) -> bool:
        bare = _unsigned(text)
        return any(sign in bare for sign in self._signs) or any(line in text for line in self._bare)

    def _whole(self, text: str, folded: str) -> bool:
        if any(line in text for line in self._bare):  # nothing but signs
            return True
        if any(self._stands_in(folded, line) for line in self._long):
            return not self._anywhere or self._as_spelt(text)
        short = {line for line in self._short if line in folded}
        if not short:
            return False
        return any(fold(each) in short and not self._is_said(fold(each)) for each in _STRING.split(text))

    def _as_spelt(self, text: str) -> bool:
        """Return whether a text that a person named stands here in its own case."""
        dropped = _DROPPED.sub("", _MARKS.sub("", text))
        return any(_DROPPED.sub("", _MARKS.sub("", self._spelt[line])) in dropped for line in self._long)

    def _stands_in(self, folded: str, line: str) -> bool:
        at = folded.find(line)
        if at < 0:
            return False
        excuses = self._excuses(line)
        while at >= 0:
            if not any(folded.startswith(said, at - k) for said, k in excuses if at >= k):
                return True
            at = folded.find(line, at + 1)
        return False

    def _excuses(self, line: str) -> list[tuple[str, int]]:
        """Return the standing lines that hold a line, and where in them it begins."""
        said = self._said()
        found, at = [], said.find(line)
        while at >= 0:
            start, end = said.rfind("\n", 0, at) + 1, said.find("\n", at)
            found.append((said[start:end], at - start))
            at = said.find(line, at + 1)
        return found

    def _is_said(self, line: str) -> bool:
        return f"\n{line}\n" in self._said()

    def _said(self) -> str:
        if self._standing is None:
            said = (line for text in self._give() for line in text.splitlines())
            lines = {fold(line) for line in said if self._may_say(line)}
            self._standing = "\n" + "".join(f"{line}\n" for line in sorted(lines))
        return self._standing

    def _piece(self, folded: str) -> bool:
        for line in self._long:
            if len(line) <= PIECE:
                continue
            for number, block in enumerate(_blocks(line)):
                at = folded.find(block)
                while at >= 0:
                    run = _run(line, number * _BLOCK, folded, at)
                    if len(run) >= PIECE and run not in self._said():
                        return True
                    at = folded.find(block, at + 1)
        return False

    def _cut(self, folded: str) -> bool:
        longest = MAX_LINE_BYTES
        end = folded[-longest:]
        for line in (*self._long, *self._short):
            for size in range(min(len(line), len(end)), CUT - 1, -1):
                if end.endswith(line[:size]):
                    return True
        return False


def _blocks(line: str) -> list[str]:
    """Return the parts of a line of which each of its pieces holds one."""
    return [line[at : at + _BLOCK] for at in range(0, len(line) - _BLOCK + 1, _BLOCK)]


def _run(line: str, start: int, folded: str, at: int) -> str:
    """Return the longest run that both have in common around a block that they share."""
    left, right = 0, _BLOCK
    while start - left > 0 and at - left > 0 and line[start - left - 1] == folded[at - left - 1]:
        left += 1
    while (
        start + right < len(line) and at + right < len(folded) and line[start + right] == folded[at + right]
    ):
        right += 1
    return line[start - left : start + right]
