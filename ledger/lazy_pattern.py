"""A regular expression that is compiled when it is first used.

A command imports many modules and uses few of their patterns; compiling them all took a third of its start.
"""

from __future__ import annotations

import re
from functools import cache

_USED = ("search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn", "flags")


class _Pattern:
    """Stands in for `re.Pattern` until somebody asks it something; from then on it has that one's methods."""

    def __init__(self, source: str | bytes, flags: int) -> None:
        self.pattern = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # asked by copy, pickle and the like
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self._flags)
        # Later look-ups find these on the instance and do not come here.
        self.__dict__.update({each: getattr(compiled, each) for each in _USED})
        return getattr(compiled, name)


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Compile a literal of a module when a text first needs it."""
    return re.compile(pattern)


TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from typing import Any

    lazy_pattern = re.compile
else:

    def lazy_pattern(source: str | bytes, flags: int = 0) -> _Pattern:
        """Return what `re.compile` returns for these arguments, compiled at its first use."""
        return _Pattern(source, flags)
