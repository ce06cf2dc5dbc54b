"""Real servers that die, stand still or start again: nothing acknowledged is lost, and a watcher goes on (TM-71, TM-76…TM-78)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.transports.nats_server import Nats
from tests.transports.places import ADA, TEAM, Place, lines
from tests.transports.postgres_server import Postgres
from tests.transports.putting import Sender, insist
from tests.transports.s3_server import Bucket
from transports.nats_transport import NatsTransport
from transports.postgres_transport import PostgresTransport
from transports.protocol import Transport, UnreachableError
from transports.s3_transport import S3Transport

SOONER = 0.3
"""Seconds after which a client gives a server up in these tests."""
IMPATIENT: dict[str, Callable[[Place, str], Transport]] = {
    "postgres": lambda place, _: PostgresTransport(place.address, TEAM, patience=SOONER),
    "nats": lambda place, _: NatsTransport(place.address, TEAM, patience=SOONER),
    "s3": lambda place, name: S3Transport(place.address, TEAM, place.root / name, patience=SOONER),
}
WATCHED = pytest.mark.parametrize("engine", ["postgres", "nats"], indirect=True)


@pytest.fixture(params=IMPATIENT)
def engine(request: pytest.FixtureRequest) -> Postgres | Nats | Bucket:
    """A server."""
    made = request.getfixturevalue(request.param)
    assert isinstance(made, Postgres | Nats | Bucket)
    return made


@pytest.fixture
def place(engine: Postgres | Nats | Bucket, tmp_path: Path) -> Iterator[Place]:
    """What stands on it: nothing yet."""
    kind = {Postgres: "postgres", Nats: "nats", Bucket: "s3"}[type(engine)]
    made = Place(kind, tmp_path, engine)
    yield made
    made.close()


@WATCHED
def test_a_wait_ends_when_another_machine_puts_something(place: Place) -> None:
    one, other = place.at("one"), place.at("other")
    assert other.wait(60)  # something may have come before it listened
    assert not other.wait(0.01)
    one.put(ADA, [lines(0)])
    assert other.wait(60)
    one.put_note("join", "a", b"note")
    assert other.wait(60)
    one.blank(ADA, lines(0, word="blank"))
    assert other.wait(60)
    one.put(ADA, [lines(0, word="blank")])
    one.blank(ADA, lines(0, word="blank"))
    assert not other.wait(0.01), "nothing changed"


@pytest.mark.parametrize("times", [1, pytest.param(40, marks=pytest.mark.soak)])
def test_what_is_acknowledged_survives_a_killed_server(
    place: Place, engine: Postgres | Nats | Bucket, times: int
) -> None:
    """TM-71: and whoever puts meanwhile is told so."""
    with Sender(
        place.at("sender") if place.kind != "s3" else IMPATIENT["s3"](place, "sender"), ADA
    ) as sender:
        for _ in range(times):
            sender.acknowledges(20)
            engine.server.kill()
            sender.fails()
            engine.server.start()
        sender.acknowledges(20)
    reader = place.at("reader")
    assert reader.heads()[ADA] >= sender.acknowledged
    found = [each.first for each in reader.since(ADA, 0)]
    assert found[: sender.acknowledged] == list(range(sender.acknowledged))


@WATCHED
def test_a_wait_goes_on_after_a_restart(place: Place, engine: Postgres | Nats) -> None:
    one, other = place.at("one"), place.at("other")
    other.wait(0)
    engine.server.kill()
    assert not other.wait(0.01)
    engine.server.start()
    assert any(other.wait(0.1) for _ in range(100)), "it listens anew"
    one.put(ADA, [lines(0)])
    assert other.wait(60)


def test_a_server_that_stands_still_is_left(place: Place, engine: Postgres | Nats | Bucket) -> None:
    """Its connections stay open, so that nothing but the time tells."""
    before, after = (IMPATIENT[place.kind](place, name) for name in ("before", "after"))
    insist(lambda: before.put(ADA, [lines(0)]))
    engine.server.stop()
    try:
        for each in (before, after):
            with pytest.raises(UnreachableError, match=r"^\S+://\S+ cannot be used: "):
                each.put(ADA, [lines(1)])
    finally:
        engine.server.go_on()
    for each in (before, after):
        insist(partial(each.put, ADA, [lines(1)]))
        each.close()
    assert place.at("reader").heads()[ADA] == 2
