"""Random valid sets of events of one to three writers, made by hand: more than one chain can hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from ledger.event import By, Event
from ledger.instant import written
from ledger.schema import KINDS, MEMORY_KINDS
from tests.ledger.world import START

CHAINS = ("a" * 64, "b" * 64, "c" * 64)
UNKNOWN = ("e" * 64, "f" * 64)
ADA = By("ada", "user", "cli")


def event(
    number: int,
    kind: str,
    *targets: str,
    chain: int = 0,
    seq: int | None = None,
    seen: tuple[str, ...] = (),
    payload: Mapping[str, Any] | None = None,
    late: int = 0,
    since: int | None = None,
) -> Event:
    """Return an event with the id `id_of(number)`; ids and times rise with the number.

    Args:
        number: its place among all events of a test.
        kind: its kind.
        targets: the ids that it names.
        chain: whose chain it stands in.
        seq: its place in there; by default its number.
        seen: tips of other chains that its writer had read.
        payload: what it says; a create or supersede says its number by default.
        since: of a rotate, the first seq that it disowns.
        late: seconds that its writer's clock lags behind its `ts`.
    """
    if payload is None and kind in MEMORY_KINDS:
        payload = {"text": f"text {number}"}
    at = written(START + (number - late) * 1_000_000)
    place = number if seq is None else seq
    head: dict[str, Any] = {"kind": kind, **({"commit": "0" * 64} if payload is not None else {})}
    if since is not None:
        head["since"] = since
    return Event(
        id_of(number),
        place,
        kind,
        written(START + number * 1_000_000),
        at,
        0,
        ADA,
        targets,
        seen,
        payload,
        erased=False,
        chain=CHAINS[chain],
        offset=1000 * place,
        size=900,
        head=head,
    )


def id_of(number: int) -> str:
    """Return the id of the event with this number; no id is a prefix of the order in which they come."""
    return f"{(number * 2654435761) % 2**32:08x}{number:056x}"


def blank(each: Event) -> Event:
    """Return an event as it is read once its payload is blanked."""
    return each._replace(payload=None, erased=True) if each.payload is not None else each


@st.composite
def event_sets(draw: st.DrawFn, most: int = 14) -> list[Event]:
    """Draw events in an order that keeps each chain's own; targets may be unknown, of any kind and chain."""
    events: list[Event] = []
    lengths = [0, 0, 0]
    for number in range(draw(st.integers(1, most))):
        chain = draw(st.integers(0, 2))
        kind = draw(st.sampled_from(_DRAWN))
        known = [each.id for each in events]
        pool = st.sampled_from([*known, *known, *UNKNOWN])
        targets: tuple[str, ...] = ()
        if "targets" in KINDS[kind].required:
            targets = tuple(draw(st.lists(pool, min_size=1, max_size=3, unique=True)))
        seen = tuple(draw(st.lists(pool, max_size=2, unique=True))) if draw(st.booleans()) else ()
        payload = draw(_payloads(number, known)) if kind in MEMORY_KINDS else None
        late = draw(st.sampled_from([0, 0, 1, 50]))
        since = draw(st.none() | st.integers(0, 6)) if kind == "rotate" else None
        place = lengths[chain]
        made = event(
            number, kind, *targets, chain=chain, seq=place, seen=seen, payload=payload, late=late, since=since
        )
        lengths[chain] += 1
        events.append(made)
    return events


_DRAWN = (
    "create",
    "create",
    "create",
    "supersede",
    "supersede",
    "delete",
    "confirm",
    "erase",
    "anchor",
    "rotate",
)


@st.composite
def _payloads(draw: st.DrawFn, number: int, known: list[str]) -> dict[str, Any]:
    payload: dict[str, Any] = {"text": f"text {draw(st.integers(0, 3))}"}
    shape = draw(st.sampled_from(["plain", "plain", "candidate", "first part", "later part"]))
    if shape == "candidate":
        payload["status"] = "candidate"
    if shape == "first part":
        payload |= {"body": f"begins {number}\n", "part": {"n": 1, "of": 3, "first": None}}
    if shape == "later part":
        first = draw(st.sampled_from([*known, *UNKNOWN]))
        n = draw(st.integers(2, 3))
        payload |= {"body": f"goes on {number}\n", "part": {"n": n, "of": 3, "first": first}}
    return payload
