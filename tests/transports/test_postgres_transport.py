"""A PostgreSQL database as a transport, with a real server: what it notifies, refuses and survives (TM-77)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.transports.places import ADA, BEN, TEAM, Place, lines
from tests.transports.postgres_server import Postgres
from tests.transports.putting import Sender
from tests.writers.machines import Machine, joined
from transports.choose import opened
from transports.postgres_transport import PostgresTransport
from transports.protocol import UnreachableError


@pytest.fixture
def place(postgres: Postgres, tmp_path: Path) -> Iterator[Place]:
    """A database with an empty table."""
    made = Place("postgres", tmp_path, postgres)
    yield made
    made.close()


def test_a_database_without_the_table_names_the_command(place: Place, postgres: Postgres) -> None:
    postgres.empty()
    with pytest.raises(UnreachableError, match="run muniment team init"):
        place.at("one").heads()


def test_who_makes_the_table_at_the_same_moment_succeeds(place: Place, postgres: Postgres) -> None:
    for _ in range(5):
        postgres.empty()
        with ExitStack() as stack:
            founders = [
                Sender(PostgresTransport(place.address, TEAM, create=True), f"{n:064x}") for n in range(8)
            ]
            for each in founders:
                stack.enter_context(each)
            for each in founders:
                each.acknowledges(1)
            assert not any(each.failures for each in founders)


def test_a_role_that_may_not_update_cannot_blank(place: Place, postgres: Postgres) -> None:
    postgres.run("DROP ROLE IF EXISTS ben")
    postgres.run("CREATE ROLE ben LOGIN")
    postgres.run("GRANT SELECT, INSERT ON muniment TO ben")
    ben = opened(place.address.replace("//postgres@", "//ben@"), TEAM, place.root)
    ben.put(ADA, [lines(0)])
    with pytest.raises(UnreachableError, match="permission denied for table muniment"):
        ben.blank(ADA, lines(0, word="blank"))
    ben.close()
    postgres.run("DROP OWNED BY ben")


def test_rows_of_other_forms_are_ignored(place: Place, postgres: Postgres) -> None:
    one = place.at("one")
    one.put_note("roster", "a", b"note")
    for name, first in (("roster/..", 0), ("roster/b", 0), ("roster", 0), (ADA.upper(), 0), (BEN, -1)):
        data = "" if name == "roster/b" else "x\n"
        postgres.run(
            f"INSERT INTO muniment (team, place, first, data) VALUES ('{TEAM}', '{name}', {first}, '{data}')"
        )
    assert one.heads() == {}
    assert list(one.notes("roster")) == [("a", b"note")]


def test_two_machines_share_a_memory(place: Place) -> None:
    laptop = Machine(place.root, "laptop")
    laptop.memory.team.init(place.address)
    desk = joined(laptop.memory, Machine(place.root, "desk"))
    with desk.memory.team.listening() as wait:
        wait(0)
        id_ = laptop.memory.store("The cache is warm").id
        laptop.memory.team.sync()
        assert wait(60)
    desk.memory.team.sync()
    assert desk.memory.workspace.index.entry(id_) is not None
    for each in (laptop, desk):
        each.close()


@pytest.mark.parametrize("damage", ["''", "repeat('\n', 300)::bytea", "overlay(data PLACING '!' FROM 200)"])
def test_a_row_that_was_altered_is_put_again(place: Place, postgres: Postgres, damage: str) -> None:
    """TM-72: by the machine that wrote it, as a file that a full disk cut off."""
    laptop = Machine(place.root, "laptop")
    laptop.memory.team.init(place.address)
    desk = joined(laptop.memory, Machine(place.root, "desk"))
    id_ = laptop.memory.store("The cache is warm").id
    laptop.memory.team.sync()
    postgres.run(
        f"UPDATE muniment SET data = {damage} WHERE place = '{laptop.genesis}' "
        f"AND first = (SELECT max(first) FROM muniment WHERE place = '{laptop.genesis}')"
    )
    desk.memory.team.sync()
    assert desk.memory.workspace.index.entry(id_) is None
    laptop.memory.team.sync()
    desk.memory.team.sync()
    assert desk.memory.workspace.index.entry(id_) is not None
    for each in (laptop, desk):
        each.close()
