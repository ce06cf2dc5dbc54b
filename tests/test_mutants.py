"""The mutants of tests/mutants.py still fit the code; `make mutants` shows that the tests kill them."""

from __future__ import annotations

import pytest

from tests.mutants import MUTANTS, ROOT, Mutant, applied


@pytest.mark.parametrize("mutant", MUTANTS, ids=[f"{n}-{each.path}" for n, each in enumerate(MUTANTS)])
def test_a_mutant_changes_one_place_and_names_tests_that_exist(mutant: Mutant) -> None:
    source = (ROOT / mutant.path).read_text()
    assert applied(mutant, source) != source
    assert all((ROOT / name).exists() for name in mutant.tests.split())


def test_there_are_forty() -> None:
    assert len(MUTANTS) == 40
