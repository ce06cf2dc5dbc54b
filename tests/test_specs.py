"""Every rule of specs/ has an id; what the code and the tests cite is defined, and what is defined is cited.

A rule's paragraph begins with its id, `**[E-12]**`. Code and tests cite it as E-12, or a range of rules as
E-1…E-14. Decision records (specs/adr/) tell history and take no part.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PARTS = (
    "training",
    "transports",
    "ledger",
    "language",
    "writers",
    "projections",
    "documents",
    "proofs",
    "learning",
    "agents",
    "frameworks",
    "report",
    "cli",
    "eval",
    "tests",
    "benchmarks",
    "demo",
    "specs",
)

DEFINED = re.compile(r"^\*\*\[([A-Z]+-[1-9][0-9]*)\]\*\*", re.MULTILINE)
CITED = re.compile(
    r"""(?<![\w./+-]) ([A-Z]+)-([1-9][0-9]*)                # E-12, not the end of another word
        (?: \s?(?:…|\.\.\.?|–)\s? (?:\1-)? ([1-9][0-9]*) )?  # …E-14 or …14
        (?![\w+-])""",
    re.VERBOSE,
)


def defined(spec: str) -> list[str]:
    """Return the ids of the rules that a page of the specs states, in its order."""
    return DEFINED.findall(spec)


def cited(text: str, series: Collection[str], *, fill: bool = True) -> Iterator[str]:
    """Yield each rule id that `text` cites, ranges filled in, or their ends alone.

    A single letter is always a rule's; longer names only where a spec has rules of that name (`series`), so
    that UTF-8 or SHA-256 is none.
    """
    for letters, first, last in _citations(text):
        if len(letters) == 1 or letters in series:
            numbers = range(int(first), int(last or first) + 1)
            yield from (f"{letters}-{number}" for number in (numbers if fill else {numbers[0], numbers[-1]}))


@cache
def _citations(text: str) -> list[tuple[str, str, str]]:
    return CITED.findall(text)


def _order(id_: str) -> tuple[str, int]:
    letters, _, number = id_.partition("-")
    return letters, int(number)


def _series(ids: Collection[str]) -> set[str]:
    return {id_.partition("-")[0] for id_ in ids}


def _specs() -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in sorted((ROOT / "specs").glob("*.md"))}


def _code() -> dict[str, str]:
    files = [path for part in PARTS for path in sorted((ROOT / part).rglob("*.py"))]
    files += [*sorted(ROOT.glob("*.py")), *sorted((ROOT / "report" / "browser" / "src").rglob("*.ts"))]
    return {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in files if path != Path(__file__)}


def _all_defined() -> list[str]:
    return [id_ for spec in _specs().values() for id_ in defined(spec)]


def test_no_rule_is_defined_twice() -> None:
    """One id names one rule."""
    ids = _all_defined()
    assert ids
    assert not [id_ for id_, times in Counter(ids).items() if times > 1]


def test_every_citation_has_its_rule() -> None:
    """What a source file, a test or a spec names stands in a spec; a rule amid a range may be gone."""
    ids = set(_all_defined())
    faults = []
    for name, text in {**_code(), **_specs()}.items():
        if unknown := sorted({*cited(text, _series(ids), fill=False)} - ids, key=_order):
            faults.append(f"{name} cites {', '.join(unknown)}, which no spec defines")
    assert not faults, "\n".join(faults)


def test_every_rule_is_cited() -> None:
    """A rule that neither code nor test names is a rule that nobody keeps."""
    ids = _all_defined()
    used = {id_ for text in _code().values() for id_ in cited(text, _series(ids))}
    uncited = [id_ for id_ in ids if id_ not in used]
    assert not uncited, f"defined in specs/ but cited by no source and no test: {', '.join(uncited)}"


@pytest.mark.parametrize(
    ("spec", "ids"),
    [
        ("**[E-1]** A line MUST end.\n\n**[E-2]** It MUST begin.", ["E-1", "E-2"]),
        ("**[PR-10]** Longer names are allowed.", ["PR-10"]),
        ("As **[E-1]** says, or [E-2], or E-3.", []),
        ("**[E-01]** is no number, **[e-1]** no letter", []),
    ],
)
def test_a_definition_is_found_where_a_paragraph_begins(spec: str, ids: list[str]) -> None:
    """An id inside a sentence is a citation, not a definition."""
    assert defined(spec) == ids


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("the rule (E-12).", ["E-12"]),
        ("specs/chain.md (C-2…C-4, C-7)", ["C-2", "C-3", "C-4", "C-7"]),
        ("C-2…4 and C-6..C-7 and C-8–C-9", ["C-2", "C-3", "C-4", "C-6", "C-7", "C-8", "C-9"]),
        ("C-9…E-11", ["C-9", "E-11"]),
        ("def test_e():\n    '''E-3: a line'''", ["E-3"]),
        ("PR-1 but not UTF-8, SHA-256, ISO-8601 or RFC-2119", ["PR-1"]),
        ("Z-1 is cited although nothing of Z is defined", ["Z-1"]),
        ("sk-E-12, xE-12, E-12x, E-12-3, E-0, E-, 1E-12, a/E-1, +E-1", []),
        ("'E-4'", ["E-4"]),
        ("E-4; E-5: E-6, [E-7] (E-8) `E-9`.", ["E-4", "E-5", "E-6", "E-7", "E-8", "E-9"]),
    ],
)
def test_a_citation_is_found(text: str, ids: list[str]) -> None:
    """Ids alone and in ranges are citations; what only looks like one is not."""
    assert list(cited(text, {"E", "C", "PR"})) == ids
