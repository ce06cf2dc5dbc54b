"""Whether what stands in a secret's place is one, or a word, a placeholder, a reference, a piece of code.

Implements specs/redaction.md (R-9…R-11). Words like "password" are followed by prose far more often than by a
password, so the value decides. Pure functions of short strings; patterns are compiled when first needed.
"""

from __future__ import annotations

import binascii
import re
from functools import cache

STORED = r"\[redacted:[a-z0-9][a-z0-9.-]{0,80}\]"
"""What redaction leaves in a secret's place."""

_PLACEHOLDER = (
    r"(?i)example|(?<![a-z0-9])your|change[-_ ]?(?:me|it)|placeholder|redacted|(?-i:x{5}|X{5})|\*{2}|\.{3}|…"
    r"|•{2}|_{4}|[_-]here\b|^[<\[{(]|^\$\w+$|^\$[{(]|^%\w+%$|^%[({]|\$\{|\{\{|<\w"
)
"""What people write where a secret would stand (R-10)."""

_REFERENCE = (
    r"^(?:arn:|op:|vault:|ref:|file:|env:|ssm:|sm:|\.{1,2}/|~/|[A-Za-z]:\\|![A-Za-z]+$)|://"
    r"|^/(?:app|data|dev|etc|home|mnt|opt|proc|root|run|srv|tmp|usr|var|Users)/"
    r"|^(?:process|os|env|ENV|secrets?|settings|config|cfg|self|this|args|opts|options|request|req|ctx|params|data"
    r"|var|local|input|form|user|kwargs|state|props)[.\[(]|^[A-Za-z_][\w.]*[(\[]"
)
"""A path, an address, a variable, a call: where a secret is kept or comes from, not the secret (R-10)."""

_STEMS = """
    adr aes app appendix arg argon auth base bcrypt bug case chapter cl claude col db debian des ec ed env
    es field figure file fips float go gpt group hmac host hs http int ipv iso issue item java key layer
    level line llama log md milestone mongo mysql nist node note oauth option page param part pbkdf phase
    php pod port postgres pr ps py python redis release rfc row rs rsa rule scrypt section server sha slot
    sprint sqlite ssl stage step svc table test ticket tier tls tmp token type ubuntu uint user utf var
    version vm web week win day
"""
_NUMBERED = (
    rf"(?i)(?:{'|'.join(_STEMS.split())})-?\d{{1,5}}(?:[a-z]{{0,4}}|encoded|hash|hashed|sum|with\w*)$"
    r"|[a-z]\d{1,5}[a-z]?$|\d{1,4}(?:password\w*|[a-z]{1,7})$|(?:pbkdf2|hmac|sha|md5|aes)\w{0,16}$"
)
"""A part of ordinary technical words: `sha256`, `oauth2`, `step3`, `24h`, `base64url`, `1Password`, `v2`."""

_ARGUMENT = (
    r"(?i)(?:confirm_?)?(?:passw(?:or)?d|pass|pwd|pw|secret|token|arg|param|field|user|var|value|str|text|key)\d{1,2}$"
    r"|test\d{1,4}$"
)
"""A variable's name, or a test's stock value, where a password is assigned."""

_CHANGE = r"(?<=[a-z])[A-Z0-9]|(?<=[A-Z])[0-9]|(?<=[0-9])[A-Za-z]"
_CONSONANTS = r"(?i)[bcdfghjklmnpqrstvwxz]{6}"
_WORDS_IN_URLS = """
    admin api-key api_key apikey app bar baz db dev foo guest host key local login mariadb minio minioadmin
    mongo mongodb my-password my-secret my-token mypassword mysecret mysql mytoken none null oauth2 p pass
    passphrase passwd password port postgres pswd pw pwd rabbit rabbitmq redis root secret test testing
    token user username usr x x-oauth-basic
"""
_NO_URL_PASSWORDS = frozenset(_WORDS_IN_URLS.split())


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern when it is first used; all are literals of these modules, so they are few."""
    return re.compile(pattern)


def changes(value: str) -> int:
    """Count where neighbouring letters and digits change class; a small letter after a capital is no change.

    Words and camelCase have few. Random Base62 has 0.45 a character, random hex 0.47, random Base32 0.3.
    """
    return len(compiled(_CHANGE).findall(value))


def three_classes(value: str) -> bool:
    """Tell whether a value has a digit, a capital and a small letter."""
    return bool(
        compiled("[0-9]").search(value)
        and compiled("[A-Z]").search(value)
        and compiled("[a-z]").search(value)
    )


def placeholder(value: str) -> bool:
    """Tell whether a value only marks a secret's place: `YOUR_KEY`, `xxxx`, `<token>`, `***` (R-10)."""
    return compiled(_PLACEHOLDER).search(value) is not None or len(set(value)) < 4


def stand_in(body: str) -> bool:
    """Tell whether what follows a token's prefix is a placeholder or an ordinary hyphenated name (R-10)."""
    if compiled(_PLACEHOLDER).search(body) or set(body) <= set("xX0-_."):
        return True
    if compiled("[-_]").search(body):
        return changes(body) < 3
    return len(body) < 30 and body.islower() and body.isalpha()


def random_like(value: str, least: int, least_changes: int) -> bool:
    """Tell whether a value of at least `least` characters looks drawn at random, not written (R-11)."""
    if len(value) < least or _unlikely(value):
        return False
    if not compiled("[0-9]").search(value):
        return value.isalpha() and not _camel(value) and compiled(_CONSONANTS).search(value) is not None
    if compiled("(?:[0-9a-f]{32,}|[0-9A-F]{32,})$").match(value):
        return True
    count = changes(value)
    return count >= least_changes and count * 10 >= len(value)


def password_like(value: str, *, assigned: bool) -> bool:
    """Tell whether a value could be a password that a person chose (R-11).

    Args:
        value: what stands after the word, without quotes.
        assigned: it was assigned (`=`, a quoted member, a command's option), not told in a sentence.
    """
    if len(value) < 6 or _unlikely(value):
        return False
    if random_like(value, 12, 3):
        return True
    if assigned and (value.isdigit() or (len(value) >= 20 and value.islower() and value.isalpha())):
        return True
    parts = [part for part in compiled("[-_./:,]+").split(value) if part]
    if all(part.isalpha() or part.isdigit() for part in parts) and not _signs(value):
        return False
    if compiled(_ARGUMENT).match(value) or (not assigned and all(_technical(part) for part in parts)):
        return False
    digits, letters = compiled("[0-9]").search(value), compiled("[A-Za-z]").search(value)
    if digits and letters:
        return assigned or len(parts) == 1 or any(_compounded(part) for part in parts)
    return _signs(value) and not value.islower() and not value.isupper()


def url_password(user: str, value: str) -> bool:
    """Tell whether the password of an address is one: no placeholder, no stock name, not a port (R-6)."""
    plain = value.lower()
    if plain in _NO_URL_PASSWORDS or plain == user.lower() or placeholder(value):
        return False
    return not (value.isdigit() and len(value) < 6)


def basic_credentials(value: str) -> bool:
    """Tell whether a Base64 text says `user:password`, as the value of a Basic header does (R-7)."""
    try:
        plain = binascii.a2b_base64(value, strict_mode=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return False
    user, colon, password = plain.partition(":")
    return bool(colon and password) and plain.isprintable() and url_password(user, password)


def _signs(value: str) -> bool:
    """A sign inside that identifiers and sentences do not have."""
    return compiled("[!#$%^*?~]").search(value[1:-1]) is not None


def _unlikely(value: str) -> bool:
    """Tell whether a value is a placeholder, a reference, a name, or not in the letters of secrets."""
    return (
        max(value) > "\u024f"  # beyond the Latin letters: a sentence without spaces, an ellipsis, bullets
        or placeholder(value)
        or compiled(_REFERENCE).search(value) is not None
        or _name(value)
    )


def _name(value: str) -> bool:
    """A path, a dotted name or a constant: `docs/adr/0012.md`, `user2.password`, `DB_PASSWORD_2`."""
    parted = compiled(r"/|^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$|^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$").search(value)
    return parted is not None and all(
        _technical(part) or changes(part) < 2 for part in compiled("[/._]").split(value)
    )


def _technical(part: str) -> bool:
    return part.isalpha() or part.isdigit() or compiled(_NUMBERED).match(part) is not None


def _compounded(part: str) -> bool:
    """Letters and digits that interleave, unlike a word with a number at its end."""
    return changes(part) >= 2 and not _technical(part)


def _camel(value: str) -> bool:
    humps = compiled("[A-Z]?[a-z]+|[A-Z]+(?![a-z])").findall(value)
    return len(value) >= 4 * len(humps)
