"""Seeded histories of teams: whatever a transport loses, doubles or alters, all machines come to the same (specs/team.md).

A history that fails is named by its seed: `SIMULATION_SEED=4711 make simulation ARGS="-k one_seed"` repeats it alone.
"""

from __future__ import annotations

import os

import pytest

from tests.team.simulation import History, Teams

FEW, MANY, ALL = range(12), range(24, 224), range(224, 10_224)
AT_ONCE = 50
"""So many histories are one test: enough workers share them."""
SEED = os.environ.get("SIMULATION_SEED")
"""The one history that `test_one_seed` lives."""


@pytest.fixture(scope="module")
def teams(tmp_path_factory: pytest.TempPathFactory) -> Teams:
    return Teams(tmp_path_factory.mktemp("teams"))


def live(seed: int, teams: Teams) -> None:
    """Live one history; a failure shows its seed and all its steps."""
    history = History(seed, teams)
    try:
        history.run()
    except Exception as error:
        error.add_note("\n".join([f"SIMULATION_SEED={seed}", *history.log]))
        raise


@pytest.mark.parametrize("seed", FEW)
def test_a_history(teams: Teams, seed: int) -> None:
    live(seed, teams)


@pytest.mark.simulation
@pytest.mark.parametrize("first", MANY[::AT_ONCE])
def test_many_histories(teams: Teams, first: int) -> None:
    for seed in range(first, first + AT_ONCE):
        live(seed, teams)


@pytest.mark.soak
@pytest.mark.parametrize("first", ALL[::AT_ONCE])
def test_all_histories(teams: Teams, first: int) -> None:
    for seed in range(first, first + AT_ONCE):
        live(seed, teams)


@pytest.mark.simulation
@pytest.mark.skipif(SEED is None, reason="SIMULATION_SEED names no history")
def test_one_seed(teams: Teams) -> None:
    assert SEED is not None
    live(int(SEED), teams)
