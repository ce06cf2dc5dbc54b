"""Seeded histories in which a machine's disk goes back: nothing that was said is lost (specs/team.md TM-40, TM-41)."""

from __future__ import annotations

import pytest

from tests.team.forked_history import ForkedHistory
from tests.team.simulation import Teams

FEW, MANY = range(3), range(3, 43)
LENGTH = 4


@pytest.fixture(scope="module")
def teams(tmp_path_factory: pytest.TempPathFactory) -> Teams:
    return Teams(tmp_path_factory.mktemp("teams"))


def live(seed: int, teams: Teams) -> None:
    """Live one history; a failure shows its seed and all its steps."""
    history = ForkedHistory(seed, teams, LENGTH)
    try:
        history.run()
    except Exception as error:
        error.add_note("\n".join([f"seed {seed}", *history.log]))
        raise


@pytest.mark.parametrize("seed", FEW)
def test_a_history(teams: Teams, seed: int) -> None:
    live(seed, teams)


@pytest.mark.simulation
def test_many_histories(teams: Teams) -> None:
    for seed in MANY:
        live(seed, teams)
