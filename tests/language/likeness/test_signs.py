"""Tests language/likeness/signs.py against specs/likeness.md (L-20, L-22…L-24): no sign but punctuation and markup is overlooked."""

from __future__ import annotations

import unicodedata
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.likeness import likeness

BETWEEN = (
    "< > <= >= ≤ ≥ = == === ≠ ≈ ≡ && || & | ^ << >> >>> += -= *= /= |= &= ^= %= ?? -> <- => <-> ∧ \u2228 ⊕ \u222a ∩ ⊂ ⊃ ∈ ∉"
    " + * × ÷ ± % @ # $ ~ \\ / .. :: := := :: ; , ! ⇔ … ✓ ✗"
).split()
HARMLESS = frozenset(("…",))
BEFORE = "~ ^ $ € £ @ # ! ¬ ± + - -- ++ < > <= >= ≤ ≥ = * ** & && | % √ ∑ ∂ .".split()
BEHIND = "++ -- * ** # ° % ‰ ² ³ ^ ~ $ € & ™ † \u2032".split()
ORDER = "before after during until since unless except without".split()
VERBS = "backups deploys tests builds migrations releases".split()
FRAMES = (
    "{}",
    "Retry if {}",
    "Always check that {}",
    "Never use {} in tests",
    "Use `{}` for search",
    "The rule is: {}.",
    '"{}" is fine',
    "Keep {} (always)",
    "- {}",
    "**Note:** {}",
)
frames = st.sampled_from(FRAMES)
words = st.sampled_from("a b x latency replicas min max cache 5 200 src/app.py user_id".split())


def once(signs: list[str]) -> list[str]:
    """Return signs without those that are punctuation between words."""
    return sorted(set(signs) - HARMLESS)


VARIANTS = ({"≤", "<="}, {"≥", ">="}, {"=>", "⇒"}, {"->", "→"})
"""Ways to write one sign."""


def is_one_sign(one: str, other: str) -> bool:
    """Say whether two signs are ways to write the same one."""
    return one == other or {one, other} in VARIANTS


@given(frames, words, words, st.sampled_from(once(BETWEEN)), st.sampled_from(once(BETWEEN)))
def test_another_sign_between_words_is_never_the_same(
    frame: str, x: str, y: str, one: str, other: str
) -> None:
    """L-23, L-24."""
    left, right = (frame.format(f"{x} {sign} {y}") for sign in (one, other))
    if not is_one_sign(one, other):
        assert likeness(left, right) == likeness(right, left) != "same"


@given(frames, words, words, st.sampled_from([sign for sign in once(BETWEEN) if sign not in ",;!#&*+"]))
def test_a_sign_between_words_or_none_is_never_the_same(frame: str, x: str, y: str, sign: str) -> None:
    """L-23."""
    left, right = frame.format(f"{x} {sign} {y}"), frame.format(f"{x} {y}")
    assert likeness(left, right) == likeness(right, left) != "same"


@given(frames, words, words, st.sampled_from(["", *BEFORE]), st.sampled_from(["", *BEFORE]))
def test_another_sign_before_a_word_is_never_the_same(
    frame: str, x: str, y: str, one: str, other: str
) -> None:
    """L-22, L-23."""
    left, right = (frame.format(f"the {y} of {sign}{x}") for sign in (one, other))
    if not is_one_sign(one, other) and not (x.isdigit() and {one, other} == {"", "#"}):
        assert likeness(left, right) == likeness(right, left) != "same"


@given(frames, words, words, st.sampled_from(["", *BEHIND]), st.sampled_from(["", *BEHIND]))
def test_another_sign_behind_a_word_is_never_the_same(
    frame: str, x: str, y: str, one: str, other: str
) -> None:
    """L-22, L-23."""
    left, right = (frame.format(f"{x}{sign} of the {y}") for sign in (one, other))
    if one != other:
        assert likeness(left, right) == likeness(right, left) != "same"


@given(
    frames,
    words,
    words,
    st.characters(categories=["Sm", "Sc", "So"]),
    st.characters(categories=["Sm", "Sc", "So"]),
)
def test_no_symbol_of_unicode_is_overlooked(frame: str, x: str, y: str, one: str, other: str) -> None:
    """L-23: a whitelist of what is harmless, not a list of what tells."""
    left, right = (frame.format(f"{x} {sign} {y}") for sign in (one, other))
    alike = unicodedata.normalize("NFKC", one) == unicodedata.normalize("NFKC", other)
    if not alike and not is_one_sign(one, other):
        assert likeness(left, right) != "same"


@given(
    frames,
    st.permutations(VERBS),
    st.permutations(ORDER),
    st.sampled_from(["{} run {} {}", "{1} {2}, run {0}", "run {} {} {}", "{} are safe {} the {}"]),
)
def test_another_word_of_order_is_never_the_same(
    frame: str, things: list[str], orders: list[str], shape: str
) -> None:
    """L-20."""
    left, right = (frame.format(shape.format(things[0], order, things[1])) for order in orders[:2])
    assert likeness(left, right) == likeness(right, left) != "same"


def test_while_is_no_before() -> None:
    """L-20: with a verb behind it."""
    for one, other in permutations(["while", "before", "after", "until", "unless", "without"], 2):
        assert likeness(f"Lint {one} building", f"Lint {other} building") != "same"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Keep latency ≤ 200 ms", "Keep latency <= 200 ms"),
        ("Use ≥ 5 replicas", "Use at least 5 replicas"),
        ("a ≠ b", "a != b"),
        ("lint → test", "lint -> test"),
        ("Lint + typecheck", "Lint and typecheck"),
        ("Tests & docs", "Tests and docs"),
        ("Use “pnpm”", 'Use "pnpm"'),
        ("Use pnpm – never npm", "Use pnpm — never npm"),
        ("Use pnpm ; never npm", "Use pnpm; never npm"),
        ("**Use** pnpm!", "Use _pnpm_."),
        ("> Use pnpm", "# Use pnpm"),
        ("Coverage is 80%", "Coverage is 80 percent"),
        ("Support Python 3.12+", "Support Python 3.12 and newer"),
        ("Use (only) pnpm", "Use only pnpm"),
        ("Docs are at <https://example.org/x>", "Docs are at https://example.org/x"),
        ("Lint before tests", "Tests after lint"),
        ("Ask before deleting files", "Never delete files without asking"),
    ],
)
def test_one_sign_written_otherwise_is_the_same(one: str, other: str) -> None:
    """L-20, L-23, L-24: punctuation, markup, typographic variants, and what is read as words."""
    assert likeness(one, other) == likeness(other, one) == "same"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Run git add .", "Run git add"),
        ("Separate fields with ; always", "Separate fields with , always"),
        ("Use `;` as the end", "Use `,` as the end"),
        ("Avoid SELECT *", "Avoid SELECT"),
        ("Use i--", "Use i"),
        ("--force is bad", "force is bad"),
        ("x >= 5, y <= 3", "x <= 5, y >= 3"),
        ("a < b and c > d", "a > b and c < d"),
        ("Error ± 5", "Error 5"),
        ("Use A* for search", "Use A for search"),
        ("x² is fine", "x2 is fine"),
        ("10⁶ rows", "106 rows"),
    ],
)
def test_a_sign_in_one_text_only_is_not_the_same(one: str, other: str) -> None:
    """L-23: also a pause that stands alone, where both have one."""
    assert likeness(one, other) == likeness(other, one) != "same"
