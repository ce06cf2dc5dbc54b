"""A JetStream stream as a transport, with real servers: what it announces, refuses and survives (TM-78)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.transports import servers
from tests.transports.nats_accounts import NatsAccounts
from tests.transports.nats_server import Nats
from tests.transports.places import ADA, BEN, TEAM, Place, lines
from tests.transports.putting import Sender, race
from tests.writers.machines import Machine, joined
from transports.nats_transport import NatsTransport
from transports.protocol import MOST_NOTE_BYTES, Segment, Transport, UnreachableError


@pytest.fixture
def place(nats: Nats, tmp_path: Path) -> Iterator[Place]:
    """A server with an empty stream."""
    made = Place("nats", tmp_path, nats)
    yield made
    made.close()


def _holds(reader: Transport, chain: str, acknowledged: int) -> bool:
    """Say whether a reader finds all lines that were acknowledged, each put by itself."""
    found = [each.first for each in reader.since(chain, 0)]
    return reader.heads()[chain] >= acknowledged and found[:acknowledged] == list(range(acknowledged))


def test_a_server_without_the_stream_names_the_command(place: Place, nats: Nats) -> None:
    nats.empty()
    with pytest.raises(UnreachableError, match="run muniment team init"):
        place.at("one").heads()


def test_messages_of_other_forms_are_ignored(place: Place, nats: Nats) -> None:
    one = place.at("one")
    one.put_note("roster", "a..b", b"note")
    for subject in (
        f"chains.{ADA.upper()}.0000000000.1",
        f"chains.{ADA}.0.1",
        f"chains.{ADA}.0000000000.257",
        "notes.roster._",
    ):
        nats.publish(subject, b"x\n")
    nats.publish("notes.roster.c", b"x" * (MOST_NOTE_BYTES + 1))
    nats.publish("notes.roster.d", b"")
    assert one.heads() == {}
    assert list(one.since(ADA, 0)) == []
    assert list(one.notes("roster")) == [("a..b", b"note")]


def test_it_works_where_an_event_loop_runs(place: Place) -> None:
    """As in a notebook."""

    async def heads() -> dict[str, int]:
        return place.at("one").heads()

    assert asyncio.run(heads()) == {}


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


def test_who_may_sign_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the file that an operator hands out."""
    accounts = NatsAccounts()
    creds = tmp_path / "ada.creds"
    made = Nats(tmp_path, more=accounts.config)
    with made.running():
        at = NatsTransport(made.address, TEAM, create=True)
        with pytest.raises(UnreachableError, match="NATS_CREDS"):
            at.heads()
        monkeypatch.setenv("NATS_CREDS", str(creds))
        with pytest.raises(UnreachableError, match=r"No such file .*ada\.creds"):
            at.heads()
        creds.write_text("-----BEGIN NATS USER JWT-----\neyJ0\n")
        with pytest.raises(UnreachableError, match=r"ada\.creds is not a credentials file of NATS"):
            at.heads()
        creds.write_text(accounts.credentials)
        assert at.heads() == {}
        at.close()


def test_a_user_with_a_password_may_sign_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Nats(tmp_path, more="authorization { user: ada, password: hush }")
    monkeypatch.setenv("NATS_USER", "ada")
    monkeypatch.setenv("NATS_PASSWORD", "hush")
    with made.running():
        at = NatsTransport(made.address, TEAM, create=True)
        assert at.heads() == {}
        at.close()


@pytest.fixture(scope="module")
def cluster() -> Iterator[Nats]:
    """Three nodes, of which each stream has a copy."""
    with servers.scratch() as folder:
        made = Nats(folder, nodes=3)
        with made.running():
            yield made


@pytest.mark.soak
def test_a_cluster_loses_nothing_when_its_leaders_die(cluster: Nats, tmp_path: Path) -> None:
    """The leader of the stream is killed, or stands still, again and again."""
    place = Place("nats", tmp_path, cluster)
    with Sender(place.at("sender"), ADA) as sender, Sender(place.at("other"), BEN) as other:
        for number in range(6):
            leader = cluster.leader()
            if number % 3:
                leader.kill()
            else:
                leader.stop()
            sender.acknowledges(5)
            other.acknowledges(5)
            leader.go_on()
            leader.start()
            sender.acknowledges(20)
    for each, chain in ((sender, ADA), (other, BEN)):
        assert _holds(place.at("reader"), chain, each.acknowledged)
    place.close()


@pytest.mark.soak
def test_a_cluster_without_a_majority_is_unreachable_and_comes_back(cluster: Nats, tmp_path: Path) -> None:
    place = Place("nats", tmp_path, cluster)
    with Sender(place.at("sender"), ADA) as sender:
        sender.acknowledges(20)
        for each in cluster.servers[1:]:
            each.kill()
        sender.fails()
        with pytest.raises(UnreachableError):
            place.at("reader").heads()
        for each in cluster.servers[1:]:
            each.start()
        sender.acknowledges(20)
        for each in cluster.servers:
            each.kill()
        sender.fails()
        for each in cluster.servers:
            each.start()
        sender.acknowledges(20)
    assert _holds(place.at("reader"), ADA, sender.acknowledged)
    place.close()


@pytest.mark.soak
def test_in_a_cluster_one_of_eight_senders_wins(cluster: Nats, tmp_path: Path) -> None:
    place = Place("nats", tmp_path, cluster)
    for first in range(0, 50, 2):
        sent = [lines(first, 1 + number % 2, word=f"racer{number}") for number in range(8)]
        ended = race(place, 8, _sends(sent))
        [winner] = [number for number, error in enumerate(ended) if error is None]
        assert {error.data for error in ended if error} == {sent[winner].data}
        assert next(place.at("reader").since(ADA, first)) == sent[winner]
    place.close()


def _sends(segments: list[Segment]) -> Callable[[Transport, int], None]:
    return lambda racer, number: racer.put(ADA, [segments[number]])
