"""Values that only the word before them gives away: `password=…`, `my token is …`, `client_secret: …`.

Implements specs/redaction.md (R-9). Words are found by their literals in the lower-cased text. Each is then
looked at in its place: does its name go on, what follows it, and is that a secret
(ledger/redaction_value.py)?
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ledger.lazy_pattern import compiled
from ledger.named_tuple import NamedTuple
from ledger.redaction_value import STORED, assigned_word, password_like, random_like

PASSWORD = "password"  # noqa: S105
NAMED_SECRET = "named-secret"  # noqa: S105


class _Word(NamedTuple):
    start: int
    end: int
    rule: str


class _Value(NamedTuple):
    """Where a value stands; of a very long one (`is_begun`) only the beginning."""

    start: int
    end: int
    is_begun: bool


_NOUNS = """
    access account admin api app auth bot client consumer deploy encryption global hmac license master private
    root secret service shared signing subscription webhook
"""
_KEY_OF = "|".join(rf"(?<={noun}key)|(?<={noun}[ _-]key)" for noun in _NOUNS.split())
_WORDS: tuple[tuple[str, str, str], ...] = (
    (
        "pass",
        PASSWORD,
        r"pass(?:w(?:or)?[dt]|phrase|code|(?<![a-z]pass)(?<![a-z] pass)(?=[\"'`*]{0,3}\s?[=:]))",
    ),
    ("kennwort", PASSWORD, r"kennwort"),
    ("contrase", PASSWORD, r"contrase[ñn]a"),
    ("mot de passe", PASSWORD, r"mot de passe"),
    ("senha", PASSWORD, r"senha"),
    ("pwd", PASSWORD, r"pwd(?<![a-z]pwd)"),
    ("cred", PASSWORD, r"cred(?:s\b|entials?)"),
    ("token", NAMED_SECRET, r"token(?<!publickeytoken)(?<!public key token)"),
    ("secret", NAMED_SECRET, r"secret"),
    ("auth", NAMED_SECRET, r"auth(?:orization|(?<![a-z]auth)(?=[\"']?\s?[=:]))"),
    ("key", NAMED_SECRET, rf"key(?:{_KEY_OF})"),
)
"""A literal, the rule, the whole word; the literal comes first, so that the engine can skip to it."""
ANCHORS = tuple(literal for literal, _, _ in _WORDS)
"""The literals without which, in lower case, a text holds no named value."""

_PUBLIC = "".join(rf"(?<!{kind}_KEY)" for kind in ("PUBLIC", "PRIMARY", "FOREIGN", "CACHE", "ANON"))
_CONSTANT = rf"_KEY(?<=[A-Z0-9]_KEY){_PUBLIC}(?![A-Za-z0-9_])"
"""A constant such as `STRIPE_KEY`."""

_ABOUT = """
    algo algorithm alias arn at audience budget bucket class cache column cost count created csrf digest doc
    docs endpoint env expires expiration expiry field fields file fingerprint format hash hashes hashing
    header hint id ids index issuer kind label length len limit limits manager max min name names page param
    path pattern policy position prefix price provider rate ref regex reset rotation scope scopes service
    size source status storage store strength suffix template ttl type updated uri url usage validator var
    vars vault version
"""
_ABOUT_A_SECRET = frozenset(_ABOUT.split())
"""A name that ends so says something about a secret: `token_url`, `secret_name`, `passwordHash`."""

_MARKS = r"[\\\"'`*_\])]{0,4}"
_OPEN = r"(?P<open>[\\\"'`*]{0,4})"
_MAX_VALUE = 256
_VALUE = rf"(?P<v>[^\s\"'`\0]{{1,{_MAX_VALUE}}})"
_TYPE = r"(?::[ \t]?[A-Za-z\[\]]{2,16}[ \t]?(?==))?"
_SIGN = r"(?P<op>:=|=>|->|→|=(?!=)|:(?![:/])|\||>|(?<=[ \t])[-–—](?=[ \t]))"
_EQUALS = rf"[ \t]{{0,4}}{_SIGN}[*_]{{0,2}}[ \t]{{0,8}}"
_NOW = r"(?:(?:now|currently|still|set to|just|simply|literally)[ \t:]{1,2})?"
_IS = rf"[ \t]{{1,2}}(?P<op>is|was|are|to|as|ist|war|lautet|es|era|est|é)[ \t:]{{1,3}}{_NOW}"
_FOR = r"(?: (?:for|of|on|in|at|to|from|used|für|von|vom|des|der|del|de|du|para|pour|do|da) [^\n:=|\0]{1,48}?| \([^()\n\0]{1,40}\))"
_FOLLOWING = (
    rf"{_MARKS}{_TYPE}{_EQUALS}{_OPEN}{_VALUE}",
    rf"{_MARKS}{_IS}{_OPEN}{_VALUE}",
    rf"{_MARKS}{_FOR}{_EQUALS}{_OPEN}{_VALUE}",
    rf"{_MARKS}{_FOR}{_IS}{_OPEN}{_VALUE}",
)
"""The text between a name and its value: a sign, a verb, or a few words and one of these."""

_SUFFIX = r"(?i)(?:[_-]?(?:\d{1,2}|ci|dev|live|local|prod|production|qa|stage|staging|test))?$"
"""What a password's own name may end in; any other ending may name a setting (`password_encryption`)."""

_PREFIXED = r"[A-Za-z0-9_.-](?<!\b1)(?<!(?i:\bone))$"
_LINE_START = r"(?:^|[\n\r\0])[ \t>*+-]{0,16}[\"'`*_]{0,3}$"
_LINE_END = r"[ \t]{0,40}(?:[\n\r\0]|\Z|#)"

_BESIDE = rf"[ \t]{{1,2}}{_OPEN}{_VALUE}"


def named_values(text: str, low: str) -> Iterator[tuple[str, int, int]]:
    """Yield rule, start and end of each secret that a word announces; a word that fails hides no later one.

    Args:
        text: the text.
        low: the same text in lower case, character by character, so that positions agree.
    """
    reached = 0  # where the newest very long value ends; looking for that again at each word in it would be a square
    for word in _words(text, low):
        tail = _tail(text, word.end)
        if not _goes_on(text[word.end : tail]) and (found := _following(text, word, tail)):
            start, end = found.start, found.end
            if found.is_begun:
                end = reached = reached if start < reached else _run_end(text, end)
            yield word.rule, start, end


def announces(name: str) -> bool:
    """Return whether a member's name announces a secret, as `db_password` does and `token_url` does not."""
    text = f"{name}="
    words = _words(text, text.lower()) if text.isascii() else ()
    return any(not _goes_on(text[word.end : _tail(text, word.end)]) for word in words)


def _words(text: str, low: str) -> list[_Word]:
    if "[redacted:" in low:  # the rule's name in a redacted text is not a word of the text
        text, low = _blanked(text), _blanked(low)
    found = [
        _Word(*match.span(), rule)
        for literal, rule, pattern in _WORDS
        if literal in low
        for match in compiled(pattern).finditer(low)
    ]
    if "_KEY" in text:
        found += [_Word(*match.span(), NAMED_SECRET) for match in compiled(_CONSTANT).finditer(text)]
    return sorted(found)


def _blanked(text: str) -> str:
    return compiled(STORED).sub(lambda match: "#" * len(match[0]), text)


def _tail(text: str, start: int) -> int:
    """Return the end of the identifier that a word begins or is part of."""
    end = compiled(r"[A-Za-z0-9_-]{0,40}+").match(text, start)
    return end.end() if end else start


def _goes_on(tail: str) -> bool:
    """Return whether a name continues as another word (`tokenizer`) or names something else (`token_url`)."""
    tail = tail.rstrip("-_")
    if not compiled(r"(?:s|\d{1,2})?(?:$|[_-]|(?<![A-Z])[A-Z])").match(tail):
        return True
    parts = compiled(r"[A-Z]?[a-z]+|[A-Z]+").findall(tail)
    return bool(parts) and parts[-1].lower() in _ABOUT_A_SECRET


def _following(text: str, word: _Word, tail: int) -> _Value | None:
    option = compiled(r"--[\w-]{0,24}$").search(text, max(0, word.start - 24), word.start) is not None
    for pattern in _FOLLOWING:
        match = compiled(pattern).match(text, tail)
        if match:
            value = _trimmed(match["v"])
            if _judged(word.rule, value, assigned=option or _assigned(match)):
                return _value_of(match, value)
            if _plainly_assigned(text, word, tail, match) and assigned_word(value[:80]):
                return _value_of(match, value)
    beside = compiled(_BESIDE).match(text, tail)
    if beside is None:
        return None
    value = _trimmed(beside["v"])
    least, plain = (8, value.isalnum()) if word.rule == PASSWORD else (20, True)
    if _judged(word.rule, value, assigned=True) if option else plain and random_like(value, least, 3):
        return _value_of(beside, value)
    return None


def _value_of(match: re.Match[str], value: str) -> _Value:
    start = match.start("v")
    return _Value(start, start + len(value), len(match["v"]) >= _MAX_VALUE)


def _run_end(text: str, start: int) -> int:
    """Return the end of a very long value that continues at `start`."""
    rest = compiled(r"[^\s\"'`<\0]*+").match(text, start)
    return rest.end() if rest else start


def _assigned(match: re.Match[str]) -> bool:
    sign = match["op"]
    return sign in (":=", "=>", "=") or (sign in (":", ">") and not set("\"'").isdisjoint(match["open"]))


def _plainly_assigned(text: str, word: _Word, tail: int, match: re.Match[str]) -> bool:
    """Return whether a place is one for a password and not for prose, so that a word is one too (R-11).

    `password=value` is; with a space or a colon the value is in quotes of its own or ends its line, and a
    colon without quotes follows a longer name (`db_password: value`) or one that begins its line.
    """
    sign, name = match["op"], text[word.start : tail].lower()
    if word.rule != PASSWORD or sign not in ("=", ":=", "=>", ":") or name.startswith("cred"):
        return False
    if compiled(_SUFFIX).match(text[word.end : tail]) is None:
        return False
    end = match.end("v")
    spaced = text[match.start("op") - 1].isspace() or text[match.end("op") : match.end("op") + 1].isspace()
    tight = sign in ("=", ":=") and not spaced
    if not tight and name.startswith("pass") and not name.startswith(("passw", "passp", "passc")):
        return False  # `pass: …` tells of tests and rounds
    if not {'"', "'"}.isdisjoint(match["open"]):
        return text[end : end + 1] in ('"', "'", "", "\0")
    if tight:
        return True
    if match["v"][-1] in ",;" or compiled(_LINE_END).match(text, end + (text[end : end + 1] == "`")) is None:
        return False
    before = max(0, word.start - 24)
    return sign != ":" or any(
        compiled(pattern).search(text, before, word.start) for pattern in (_PREFIXED, _LINE_START)
    )


def _judged(rule: str, value: str, *, assigned: bool) -> bool:
    value = value[:80]  # enough to tell, and a hostile text stays cheap
    if rule == PASSWORD:
        return password_like(value, assigned=assigned)
    return random_like(value, 12, 3) if assigned else random_like(value, 16, 4)


def _trimmed(value: str) -> str:
    """Cut a value at markup and at the next `name=`; leave its sentence's punctuation outside."""
    if not value.startswith("<"):
        value = value.partition("<")[0]
    return compiled(r"[&;,][A-Za-z_]\w*=").split(value, maxsplit=1)[0].rstrip(".,;:)]}\\|*")
