"""The words of a sentence as a set: what no word of a pattern is in needs no pattern.

Implements specs/capture.md (K-46). A set is made once a sentence; asking it costs a tenth of a search. Pure.
"""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"[^\W\d_]+(?:'[a-z]+)?")


@lru_cache(maxsize=512)
def word_set(said: str) -> frozenset[str]:
    """Return the words of a sentence in lower case, contractions whole."""
    return frozenset(_WORD.findall(said.lower().replace("’", "'")))
