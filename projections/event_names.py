"""How a person names an event by its place in a chain: `@17` in our own, `desk/3f9c12ab@17` in another writer's.

Implements specs/team.md (TM-2). Only this module reads and writes such names. Light to import: hooks resolve ids too.
"""

from __future__ import annotations

from collections.abc import Sequence

from ledger.errors import AmbiguousIdError, NotFoundError, StateError, UsageError
from ledger.named_tuple import NamedTuple
from writers.counted import DIGITS, label_of

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from ledger.fold import Entry
    from projections.index_queries import IndexQuestions
    from projections.query import LogRow

    Placed = Entry | LogRow

_LONGEST = 15
"""The most digits of an event's number."""


class EventWriter(NamedTuple):
    """Another writer: their number in the index, the id of their genesis, and their name.

    A writer whose events do not count has the number 0 and the name "".
    """

    number: int
    id: str
    name: str

    def __str__(self) -> str:
        return label_of(self.name, self.id)


def writer_of(index: IndexQuestions, event: Placed) -> EventWriter | None:
    """Return the other writer whose chain holds an event, None for our own chain.

    It looks the event up by its id: an index of the past may number the writers otherwise.
    """
    if not event.writer:
        return None
    query = "SELECT w.number, w.id, w.name FROM events e JOIN writers w ON w.number = e.writer WHERE e.id = ? AND w.number > 0"
    row = index.connection().execute(query, (event.id,)).fetchone()
    return EventWriter(*row) if row else None


def named(index: IndexQuestions, event: Placed) -> str:
    """Return the name of an event by its place, as a person types it."""
    return f"{writer_of(index, event) or ''}@{event.seq}"


def writer_json(index: IndexQuestions, event: Placed) -> dict[str, str] | None:
    """Return that writer as a JSON-ready object, None for our own chain."""
    writer = writer_of(index, event)
    return {"id": writer.id, "name": writer.name} if writer else None


def refuse_others(index: IndexQuestions, event: Placed, command: str) -> None:
    """Refuse an action that only the machine of the event's writer can do; `command` is the command to run there.

    Raises:
        StateError: another writer's chain holds the event.
    """
    if writer := writer_of(index, event):
        raise StateError(f"{writer}@{event.seq} was written by {writer}: run {command} there")


def resolved(index: IndexQuestions, typed: str) -> str:
    """Return the full id of an event that a person named by its place.

    Raises:
        NotFoundError: there is no such writer or event.
        AmbiguousIdError: several writers' ids begin with the digits; it lists them.
        UsageError: the text is not such a name.
    """
    chain, _, number = typed.lower().rpartition("@")
    if not (number.isascii() and number.isdigit()):
        raise UsageError(f"{typed!r} is not an id: after @ give the number of an event")
    writer = _writer(index, typed, chain) if chain else 0
    found = index.at_seq(int(number), writer) if len(number) <= _LONGEST else None
    if found is None:
        raise NotFoundError(f"there is no event {typed}: see muniment log")
    return found


def _writer(index: IndexQuestions, typed: str, chain: str) -> int:
    """Return the number of the writer before the @: digits of the id, and optionally a name before them."""
    name, _, digits = chain.rpartition("/")
    if len(digits) < DIGITS or set(digits) - set("0123456789abcdef"):
        raise UsageError(
            f"{typed!r} is not an id: before @ give nothing, or {DIGITS} digits or more of a writer's id, as in desk/3f9c12ab@17"
        )
    found = [each for each in _writers(index) if each.id.startswith(digits)]
    if not found:
        raise NotFoundError(f"no writer has an id that begins with {digits}: muniment log shows all events")
    if len(found) > 1:
        ids = tuple(each.id for each in found)
        raise AmbiguousIdError(
            f"{digits} is the beginning of several writers' ids: {', '.join(ids)}: give more digits", ids
        )
    if name and found[0].number and found[0].name.lower() != name:
        raise NotFoundError(f"the writer {digits} is {found[0].name}, not {name}: name it {found[0]}")
    return found[0].number


def _writers(index: IndexQuestions) -> Sequence[EventWriter]:
    """Return all writers, ourselves first; the index does not know our own name in the team."""
    others = index.connection().execute("SELECT number, id, name FROM writers WHERE number > 0 ORDER BY id")
    return [EventWriter(0, index.at_seq(0) or "", ""), *(EventWriter(*row) for row in others)]
