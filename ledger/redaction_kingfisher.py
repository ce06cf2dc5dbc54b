"""The optional second opinion: kingfisher's rules, in process, where the extra `secrets` is installed.

Implements specs/redaction.md (R-13). Only its `Rules` and `Scanner` are used, which never reach the
network. The classes that ask providers whether a credential is live are others, `Validator` and `Revoker`;
no code here names them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from ledger.redaction_rules import Hit

if TYPE_CHECKING:
    from kingfisher_sdk import Scanner

_LEFT_OUT = frozenset({"betterleaks.generic-credential-uri"})
"""Refuses `postgres://user:password@localhost`, as set-up notes have it; `url-password` knows such words."""


@cache
def kingfisher_hits() -> Callable[[str], Iterator[Hit]] | None:
    """Return a function that finds kingfisher's hits in a text, or None where the package is not installed.

    Looking for the package costs next to nothing; its rules are loaded when the function is first called.
    """
    return _hits if find_spec("kingfisher_sdk") else None


@cache
def _scanner() -> Scanner:
    """Build the scanner, once a process: 0.3 s with kingfisher's cache of compiled rules, 3 s without."""
    from kingfisher_sdk import Rules, Scanner

    return Scanner(Rules(confidence="medium"))


def _hits(text: str) -> Iterator[Hit]:
    data = text.encode("utf-8", "replace")  # a lone surrogate becomes one "?", so positions hold
    for finding in _scanner().scan(data):
        if (
            finding.visible and finding.rule_id not in _LEFT_OUT
        ):  # invisible: half of a pair, such as an account's id
            place = finding.location
            start, end = place["start_offset"], place["end_offset"]
            name = re.sub(r"[^a-z0-9.]+", "-", finding.rule_id.lower()).strip("-.")
            yield Hit(name, _points(data, start), _points(data, end))


def _points(data: bytes, offset: int) -> int:
    """Return how many code points stand before a byte; kingfisher counts bytes of UTF-8."""
    return len(data[:offset].decode("utf-8", "ignore"))
