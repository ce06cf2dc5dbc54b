"""The address of a database or message server: which ones are refused, and how what the server said is shown.

Implements specs/team.md (TM-73). An address holds no password, so that it may be shown, kept and put into an invitation.
"""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import parse_qsl, urlsplit

_MOST = 300
"""Characters of a server's own words in a message."""


def checked_address(text: str, settings: Collection[str] = ()) -> str:
    """Return a URL that people may see and a client may be given.

    Args:
        text: the URL.
        settings: the names that may stand behind its `?`.

    Raises:
        ValueError: it has a password, another setting, or is not a URL of one line; the message repeats none of it.
    """
    try:
        url = urlsplit(text)
    except ValueError:
        url = urlsplit("")
    if not url.netloc or not text.isprintable() or " " in text or url.fragment:
        raise ValueError("the address of a server is a URL of one line, without spaces and without #")
    if ":" in url.netloc.rpartition("@")[0]:
        raise ValueError(
            "the address of a server holds no password: leave it out, and see docs/team.md where it belongs"
        )
    if unknown := {name for name, _ in parse_qsl(url.query, keep_blank_values=True)}.difference(settings):
        raise ValueError(
            f"the address of a server may not set {min(unknown)!r}; it may set {', '.join(settings) or 'nothing'}"
        )
    return text


def one_line(said: object) -> str:
    """Return what a server or its client said as one line for a message."""
    lines = ("".join(filter(str.isprintable, line)).strip() for line in str(said).splitlines())
    return "; ".join(line for line in lines if line)[:_MOST]
