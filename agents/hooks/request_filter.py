"""Whether a prompt may ask to remember or to forget: only then is anything imported that hears it.

Implements specs/doors.md (G-5).
"""

from __future__ import annotations

import re

from ledger.lazy_pattern import lazy_pattern

ASKS = lazy_pattern(
    r"remember|memori|forget|forgot|keep (?:\w+ ){0,2}in mind|bear in mind|(?:make|take) (?:a |yourself a )?(?:mental )?note|"
    r"note (?:that|to self|down)|don'?t lose|future reference|for later|from memory|your memory|jot|erase|unlearn|"
    r"(?:delet|remov|drop|discard|scrap|clear|wipe|get rid of)\w* (?:\S+ ){0,4}memory\b|memory (?:about|of|on|that|which|saying)\b|"
    r"write (?:this|that|it)? ?down|merk dir|merke|vergiss|vergessen|notier|souviens|retiens|oubli|recuerda|olvid|lembr|esque[cç]",
    re.IGNORECASE,
)
"""One of these words has who asks to remember or to forget; who says it otherwise is heard by the transcript's reader."""
