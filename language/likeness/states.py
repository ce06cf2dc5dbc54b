"""Whether a thing works: "the build is broken" says what "the build doesn't work" says, and denies "the build works".

Implements specs/likeness.md (L-51, L-52). *Work* carries no matter for the rest of likeness, and that a fault is the opposite
of it is not in a single word. Asked only about texts that everything else calls contrary or different. Pure; linear in
the texts' lengths.
"""

from __future__ import annotations

from language.likeness import vocabulary
from language.likeness.token import PreparedText
from ledger.lazy_pattern import lazy_pattern

__all__ = ["is_same_fault", "is_sound_and_faulty"]

_FAULTS = frozenset(
    map(
        vocabulary.canonical,
        "broken fail fails breaks crashes down gone dead missing unusable hangs stuck".split(),
    )
)
"""What is one of these does not work."""
_SOUND = r"(?:works?|working|runs?|running|succeeds?|pass(?:es|ing)?|functions?|starts?|exists?|ok|okay|fine|up|there)"
_UNSOUND = lazy_pattern(rf"\b(?:not|no longer|cannot|can't|stopped|\w+n't)(?: \w+ly)? {_SOUND}\b")
_FAULTY_NOW = lazy_pattern(
    r"\b(?:is|are) (?:\w+ )?(?:broken|down|gone|dead|missing|unusable|stuck|failing|breaking|crashing|hanging)\b"
    r"|\b(?:fails?|breaks?|crash(?:es)?|hangs?)\b"
)
_WORKS = lazy_pattern(r"\b(?:works?|(?:is|are) working)\b")
_SUCCEEDS_NOW = lazy_pattern(r"\b(?:succeeds?|pass(?:es)?|(?:is|are) (?:passing|succeeding))\b")
_SUCCEEDS = frozenset(map(vocabulary.canonical, ("succeed", "pass")))


def is_same_fault(a: PreparedText, b: PreparedText) -> bool:
    """Say whether of two texts that seem contrary one names a fault, and the other leaves room for it.

    It denies that the thing works, or says that something else works: `x fails on Windows`, `x works on Linux`.
    """
    for faulty, sound in ((a, b), (b, a)):
        if faulty.negated or not _fault(faulty, sound):
            continue
        if _UNSOUND.search(sound.flat) is not None if sound.negated else _works(sound, faulty):
            return True
    return False


def is_sound_and_faulty(a: PreparedText, b: PreparedText) -> bool:
    """Say whether all that one text has beside the other is a fault, where that one says that the thing works."""
    if a.negated or b.negated or a.limits != b.limits or not a.tokens.keys() & b.tokens.keys():
        return False
    return any(
        len(faulty.tokens.keys() - sound.tokens.keys()) == 1
        and sound.tokens.keys() - faulty.tokens.keys() <= _SUCCEEDS
        and _fault(faulty, sound)
        and _works(sound, faulty)
        for faulty, sound in ((a, b), (b, a))
    )


def _works(sound: PreparedText, faulty: PreparedText) -> bool:
    """Say whether a text states that something works, where the other one states that something does not, both now."""
    if _FAULTY_NOW.search(faulty.flat) is None or _WORKS.search(faulty.flat) is not None:
        return False
    succeeds = sound.tokens.keys() & _SUCCEEDS - faulty.tokens.keys()
    if succeeds:
        here = not any(sound.tokens[key].condition for key in succeeds)
        return here and _SUCCEEDS_NOW.search(sound.flat) is not None
    return _WORKS.search(sound.flat) is not None


def _fault(has: PreparedText, lacks: PreparedText) -> bool:
    """Say whether a text states a fault of its own of the thing: after *is*, or as its verb."""
    return any(
        key in _FAULTS
        and key not in lacks.tokens
        and token.sign > 0
        and not token.condition
        and token.place in ("is", "")
        for key, token in has.tokens.items()
    )
