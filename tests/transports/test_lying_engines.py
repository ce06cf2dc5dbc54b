"""Places whose host lies: no event is lost, and each lie is healed or named (specs/team.md TM-6, TM-71, TM-72)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from ledger.ledger import Identity
from tests.team.faulty_transport import flipped
from tests.transports.places import TEAM, Place
from tests.writers.machines import Machine, joined
from transports.protocol import Segment, Transport

ENGINES = ["postgres", "nats", "s3"]
IDENTITY = Identity(TEAM, "team", "project")
SAID = ["Use pnpm", "The port is 5433", "Answer in French"]


@pytest.fixture(
    params=[
        "folder",
        *(pytest.param(each, marks=pytest.mark.soak) for each in ("git", *ENGINES)),
    ]
)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """A place where nothing stands yet."""
    kind = request.param
    made = Place(kind, tmp_path, request.getfixturevalue(kind) if kind in ENGINES else None)
    yield made
    made.close()


@pytest.fixture
def pair(place: Place) -> Iterator[tuple[Machine, Machine]]:
    """Two members; the second knows all that the first one said, and said something itself."""
    laptop, desk = (Machine(place.root, name, identity=IDENTITY) for name in ("laptop", "desk"))
    laptop.memory.team.init(place.address)
    joined(laptop.memory, desk)
    for text in SAID:
        laptop.memory.store(text)
        laptop.memory.team.sync()
    desk.memory.team.sync()
    desk.memory.store("The tests need ARM")
    desk.memory.team.sync()
    yield laptop, desk
    laptop.close()
    desk.close()


Held = list[Segment]
Lie = Callable[[Place, Transport, str, Held, Held], None]
"""What a host does with the segments of a chain; the last are those of another one."""


def drop_the_tail(place: Place, _host: Transport, chain: str, held: Held, _other: Held) -> None:
    for each in held[-2:]:
        place.lose(chain, each.first)


def drop_everything(place: Place, _host: Transport, chain: str, held: Held, _other: Held) -> None:
    for each in held:
        place.lose(chain, each.first)


def swap_two_segments(_place: Place, host: Transport, chain: str, held: Held, _other: Held) -> None:
    host.blank(chain, Segment(held[-1].first, held[-2].data))
    host.blank(chain, Segment(held[-2].first, held[-1].data))


def give_lines_of_another_chain(_place: Place, host: Transport, chain: str, held: Held, other: Held) -> None:
    host.blank(chain, Segment(held[-1].first, other[-1].data))


def alter_a_byte(_place: Place, host: Transport, chain: str, held: Held, _other: Held) -> None:
    first, data = held[-1]
    host.blank(chain, Segment(first, flipped(data, Random(0))))


def add_a_line(_place: Place, host: Transport, chain: str, held: Held, _other: Held) -> None:
    host.put(chain, [Segment(held[-1].end, held[-1].data)])


HEALED = [drop_the_tail, pytest.param(drop_everything, marks=pytest.mark.soak)]
NAMED = [
    alter_a_byte,
    *(
        pytest.param(each, marks=pytest.mark.soak)
        for each in (swap_two_segments, give_lines_of_another_chain, add_a_line)
    ),
]


def told(lie: Lie, place: Place, laptop: Machine, desk: Machine) -> list[str]:
    """Let the host lie about the laptop's chain, and both go on; return what they find."""
    host = place.at("host")
    host.heads()
    held, other = (list(host.since(each.genesis, 0)) for each in (laptop, desk))
    lie(place, host, laptop.genesis, held, other)
    found: list[str] = []
    laptop.memory.store("Deploy on Mondays")
    desk.memory.store("The logs are in UTC")
    for each in (desk, laptop, desk, laptop):
        found += each.memory.team.sync().findings
    return found


def texts(machine: Machine) -> list[str]:
    """Return the texts of the current memories."""
    return sorted(each.memory.text for each in machine.memory.load_all())


EVERYTHING = sorted([*SAID, "The tests need ARM", "Deploy on Mondays", "The logs are in UTC"])


@pytest.mark.parametrize("lie", HEALED)
def test_what_a_host_forgets_is_there_again_for_a_newcomer(
    place: Place, pair: tuple[Machine, Machine], lie: Lie
) -> None:
    laptop, desk = pair
    assert told(lie, place, laptop, desk) == []
    assert texts(laptop) == texts(desk) == EVERYTHING
    late = joined(laptop.memory, Machine(place.root, "late", identity=IDENTITY))
    assert texts(late) == EVERYTHING
    late.close()


@pytest.mark.parametrize("lie", NAMED)
def test_what_a_host_alters_is_healed_or_named_and_nobody_believes_it(
    place: Place, pair: tuple[Machine, Machine], lie: Lie
) -> None:
    """A newcomer has all of it, or is told what of that chain is bad; at another address nothing is missing."""
    laptop, desk = pair
    told(lie, place, laptop, desk)
    late = joined(laptop.memory, Machine(place.root, "late", identity=IDENTITY))
    found = late.memory.team.sync().findings
    assert found or texts(late) == EVERYTHING
    assert texts(laptop) == EVERYTHING
    assert {*SAID, "The tests need ARM"} <= set(texts(desk)) <= set(EVERYTHING)
    assert set(texts(late)) <= set(EVERYTHING)
    for each in (laptop, desk, late):
        each.memory.team.move(f"folder:{place.root / 'elsewhere'}")
    assert texts(laptop) == texts(desk) == texts(late) == EVERYTHING
    late.close()
