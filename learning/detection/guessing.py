"""Knows what a person concludes, or has by appearance: "requests must be timing out", "we apparently use pnpm".

Implements specs/capture.md (K-281). By how the verb is built: *must* with what goes on or has happened is a conclusion, with what is to
be done it is a rule. Pure.
"""

from __future__ import annotations

import re

from ledger.lazy_pattern import lazy_pattern

_ASIDES = r"(?:(?:just|still|already|now|somehow|really|probably|simply|also|both|all|either|only|again)\s+)*"
_MUST = rf"\b(?:must|(?:has|have)(?:\s+got)?\s+to|gotta)\s+{_ASIDES}"
_GOES_ON = lazy_pattern(
    rf"""{_MUST}be\s+{_ASIDES}(?:
        (?!(?:\w*thing|\w*string|willing|outstanding)\b)[a-z]{{2,}}ing\b(?!-)
      | (?:broken(?!\s+(?:down|up|out|into|apart|off)\b)|flaky|stuck|down|wrong|missing|corrupt|corrupted)\b)""",
    re.VERBOSE | re.IGNORECASE,
)
_HAS_HAPPENED = lazy_pattern(
    rf"""(?:{_MUST}have|\bmust['’]?ve)\s+{_ASIDES}(?:
        (?:been|gone|got|gotten|become|begun|fallen|forgotten|grown|lost|run|come|broken|taken|thrown)\b
      | [a-z]{{2,}}ed(?=[.,;!)]|\s*$|\s+(?:an?|the|its|our|my|their|some|up|out|off|on|in|into|to|at|by|from|over|with|when|while|because|
          since|after|again|too|twice)\b))""",
    re.VERBOSE | re.IGNORECASE,
)
"""What is asked for has no such verb: "handlers must have named parameters"."""
_IS_ASKED_FOR = lazy_pattern(
    r"\b(?:always|never|before|unless|until|otherwise|first)\b|\brunning\s+(?:for|to|when|while|during|if|as)\b",
    re.IGNORECASE,
)
_EACH = lazy_pattern(r"(?:every|each|all|any|no|only)\b", re.IGNORECASE)
_APPEARS = lazy_pattern(
    r"\b(?:apparently|presumably|supposedly|evidently|seemingly|(?:seems?|appears?)\s+to"
    r"|it\s+(?:looks|seems|appears|sounds)\s+(?:like|that|as\s+if))\b",
    re.IGNORECASE,
)


_APPEARING = ("apparently", "presumably", "supposedly", "evidently", "seem", "appear", "looks", "sounds")
"""One of these stands in whatever `_APPEARS` finds."""


def concludes(said: str) -> bool:
    """Say whether a sentence concludes how something is: no rule, however much it sounds like one."""
    low = said.lower()
    if "must" not in low and "to be" not in low and "to have" not in low and "gotta" not in low:
        return False
    if _IS_ASKED_FOR.search(said) is not None:
        return False
    return _GOES_ON.search(said) is not None or (
        _HAS_HAPPENED.search(said) is not None and _EACH.match(said) is None
    )


def appears(said: str) -> bool:
    """Say whether a sentence gives something as it appears: the person does not know."""
    low = said.lower()
    return any(word in low for word in _APPEARING) and _APPEARS.search(low) is not None
