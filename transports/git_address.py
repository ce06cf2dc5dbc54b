"""The address of a git remote: which ones are refused, and what people see of it.

Implements specs/team.md (TM-73). A message never shows credentials, neither those of the address nor those that git repeats.
"""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

_URL = re.compile(r"([a-z][a-z0-9+.-]*)://(?:([^/@]*)@)?(.*)", re.IGNORECASE | re.DOTALL)
_SSH = re.compile(r"[\w.-]+@[\w.-]+:.+", re.ASCII)
_HELPER = re.compile(r"[\w+.-]+::")
_USER_INFO = re.compile(r"(?<=://)[^/@\s']*@")
_MOST = 300
"""Characters of git's own words in a message."""


class GitAddress:
    """An address that git may be given.

    Args:
        text: a URL, `user@host:path`, or the path of a repository, relative to the current folder.

    Raises:
        ValueError: git would take it for an option or run a program for it.
    """

    def __init__(self, text: str) -> None:
        if not text or text.startswith("-") or not text.isprintable():
            raise ValueError(
                "the address of a git repository is not empty, begins with no `-` and is one line"
            )
        if _HELPER.match(text):
            raise ValueError("an address of the form NAME:: makes git run a program; give a URL or a path")
        is_path = not _URL.fullmatch(text) and ":" not in text.partition("/")[0]  # as git decides
        self.text = str(Path(text).expanduser().absolute()) if is_path else text
        """What git is given."""

    @property
    def shown(self) -> str:
        """The address without credentials, in a form that `opened` takes: of a URL for ssh the user stays."""
        found = _URL.fullmatch(self.text)
        if not found:
            return self.text if is_remote(self.text) else f"git:{self.text}"
        scheme, user, rest = found.groups()
        kept = (user or "").partition(":")[0] if "ssh" in scheme.lower() else ""
        return f"{scheme}://{kept}{'@' if kept else ''}{rest}"

    def words(self, said: str) -> str:
        """Return what git or the host said as one line for a message, without credentials, and without git's advice at the end."""
        found = _URL.fullmatch(self.text)
        user, _, password = ((found[2] if found else "") or "").partition(":")
        parts = [password] if found and "ssh" in found[1].lower() else [password, user]
        said = _USER_INFO.sub("", said)
        for secret in {each for part in parts for each in (part, unquote(part)) if each}:
            said = said.replace(secret, "…")
        lines = ["".join(filter(str.isprintable, line)).strip() for line in said.splitlines()]
        last = next((at for at, line in enumerate(lines) if line.startswith("fatal:")), len(lines))
        return "; ".join(line for line in lines[: last + 1] if line).rstrip(".")[:_MOST]


def is_remote(text: str) -> bool:
    """Return whether an address is a URL or has the form `user@host:path`."""
    return _URL.fullmatch(text) is not None or _SSH.fullmatch(text) is not None
