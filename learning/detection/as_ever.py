"""Recognises that a person says something that they take to be known: "in German, like the rest of the site", "as ever".

Implements specs/capture.md (K-245). Such a sentence speaks of what stands, in few words; which memory that is, is for others to
find. Pure.
"""

# ruff: noqa: E501 - the lines of a pattern

from __future__ import annotations

import re

from language import pieces
from language.pieces import mark_runs
from ledger.lazy_pattern import lazy_pattern

_MARK = lazy_pattern(
    r"""(?:,\s*|\s+-+\s+|\s+|^)(?:and\s+|und\s+)?(?:of\s+course\s*,?\s+)?(?:
        (?:just\s+|same\s+)?as\s+(?:ever|always|usual|before|agreed)\b
      | (?:just\s+|same\s+)?as\s+(?:we|i|they|you)\s+(?:always\s+|usually\s+|normally\s+)?(?:do|have\s+it|did|like\s+it|know)\b(?:\s+(?:i|we)\s+(?:like|want|do|prefer)\s+(?:it|them))?
          (?:\s+(?:here|everywhere|always|in\s+\w+(?:\s+\w+)?|for\s+all\s+\w+))?
      | (?:just\s+)?like\s+(?:always|(?:on|in|with|for)?\s*(?:all|every|any)\s+(?:of\s+)?(?:the\s+)?(?:others?|rest|\w+)|(?:all\s+)?the\s+(?:rest|others)(?:\s+of\s+(?:the\s+)?\w+)?)
      | as\s+(?:with|in|on|for)\s+(?:all|every|any|the\s+(?:whole|entire|rest|others?)|everything)\b(?:\s+of)?(?:\s+(?:the\s+|our\s+)?\w+)?
      | (?:same\s+)?as\s+(?:everywhere|anywhere)(?:\s+(?:else|in\s+here|here))?(?:\s+(?:on|in)\s+(?:the|this|our)\s+\w+)?
      | you\s+know\s+(?:the\s+drill|how\s+it\s+(?:goes|works)|that|me|how\s+(?:i|we)\s+(?:like|do|want)\s+(?:it|them|things))
      | wie\s+(?:immer|gehabt|sonst(?:\s+auch)?|üblich|gewohnt|überall|(?:bei\s+)?alle[nms]?\s+\w+|der\s+rest(?:\s+\w+)*|du\s+weißt)
      | comme\s+(?:d'habitude|toujours|partout|d'hab|le\s+reste(?:\s+d[eu]\s+\w+)?|(?:pour\s+)?tous?\s+les\s+\w+|tu\s+sais)
      | como\s+(?:siempre|de\s+costumbre|en\s+todo\w*|todos?\s+l[oa]s\s+\w+|el\s+resto|sabes|sempre|de\s+costume|já\s+sabes)
    )(?=[\s,.;:!?)]|$)""",
    re.VERBOSE | re.IGNORECASE,
)
_MARKS = mark_runs("as like wie comme como know")
_STAYS = lazy_pattern(
    r"\b(?:stays?|remains?|bleib(?:t|en)|reste(?:nt)?|siguen?|fica(?:m)?)\b|^(?:(?:and|so|but|oh|please|und|also|aber)\s+)*(?:keep|stick\s+(?:to|with)|stay\s+with|"
    r"bleib(?:en\s+wir)?\s+(?:bei|dabei)|gardons|restons)\b|\b(?:so|and)\s+(?:please\s+)?keep\b",
    re.IGNORECASE,
)
_STAYING = mark_runs(
    """stay stays remain remains bleib bleibt bleiben reste restent siguen sigue fica ficam keep stick gardons restons"""
)
_CONTRARY = lazy_pattern(
    r"\b(?:not|never|n't|nicht|pas|no|não)\s+(?:just\s+)?(?:as|like|wie|comme|como)\b", re.IGNORECASE
)


def marks(said: str) -> bool:
    """Say whether a sentence says of itself that it is known: "as ever", "like all the others"."""
    if not pieces.marks(said) & _MARKS:
        return False
    plain = said.replace("’", "'")
    return _MARK.search(plain) is not None and _CONTRARY.search(plain) is None


def without_marks(said: str) -> str:
    """Return a sentence without what says that it is known."""
    if not pieces.marks(said) & _MARKS:
        return said
    return _MARK.sub(" ", said.replace("’", "'")).strip(" ,") or said


def stays(said: str) -> bool:
    """Say whether a sentence says that something stays as it is."""
    return bool(pieces.marks(said) & _STAYING) and _STAYS.search(said) is not None
