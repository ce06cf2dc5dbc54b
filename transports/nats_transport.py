"""A transport that is a NATS JetStream stream, in which each segment and each note is the newest message on a subject of its own.

Implements specs/team.md (TM-72, TM-78). The server stores a message only if none stands for the same first line, so one of two
senders wins. What it stored it announces to who watches.

```
muniment.<team id>.chains.<genesis>.<first, 10 digits>.<lines>
muniment.<team id>.notes.<kind>.<name, with _ for each dot>
```
"""

from __future__ import annotations

import contextlib
import json
import re
import secrets
import time
from collections.abc import Coroutine, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

from nats.errors import Error

from transports.nats_stream import ApiError, NatsStream, StoredMessage
from transports.places import (
    check_chain,
    check_kind,
    check_note,
    check_team,
    checked_segments,
    is_note,
    reached,
)
from transports.private_loop import PrivateLoop
from transports.protocol import MOST_BYTES, MOST_LINES, MOST_NOTE_BYTES, Segment, TakenError, UnreachableError
from transports.server_address import checked_address, one_line

PATIENCE = 10.0
"""Seconds that one answer may take: a cluster elects a new leader in less."""
_AT_ONCE = 32
"""Messages that are read at once."""
_TRIES = 8

_ELSEWHERE = (
    "The old bytes may stay in the replication logs of {} until these are compacted, and in its backups."
)

_SEGMENT = re.compile(r"chains\.([0-9a-f]{64})\.([0-9]{10})\.([1-9][0-9]{0,2})")

_T = TypeVar("_T")


class NatsTransport:
    """The segments and notes of one team in a JetStream stream.

    Args:
        address: `nats://HOST:PORT`, or `tls://`, with more hosts of the same cluster behind commas.
        team: the team id.
        create: make the stream if it does not exist.
        patience: seconds that one answer may take.
    """

    remark = ""

    def __init__(self, address: str, team: str, *, create: bool = False, patience: float = PATIENCE) -> None:
        check_team(team)
        self.address = checked_address(address)
        url = urlsplit(address)
        if "@" in url.netloc or url.path:
            raise ValueError(
                "the address of a server of NATS is its name alone, without a user, a token or a path"
            )
        servers = [f"{url.scheme}://{each}" for each in url.netloc.split(",")]
        self._stream = NatsStream(
            servers, f"muniment-{team}", f"muniment.{team}", create=create, patience=patience
        )
        self._patience = patience
        self._loop = PrivateLoop()

    def heads(self) -> dict[str, int]:
        """List the subjects, which name everything stored."""
        spans: dict[str, list[tuple[int, int]]] = {}
        for subject in self._ask(self._stream.subjects("chains.*.*.*")):
            if found := _span(subject):
                spans.setdefault(found.chain, []).append((found.first, found.end))
        return {chain: head for chain, each in spans.items() if (head := reached(each))}

    def since(self, chain: str, seq: int) -> Iterator[Segment]:
        """Ask for the subjects of the chain, then read the messages, some at a time."""
        check_chain(chain)
        subjects = self._ask(self._stream.subjects(f"chains.{chain}.*.*"))
        wanted = [each for each in subjects if (found := _span(each)) and found.end > seq]
        messages = self._messages(wanted, MOST_BYTES)
        return (Segment(found.first, each.data) for each in messages if (found := _span(each.subject)))

    def put(self, chain: str, segments: Sequence[Segment]) -> None:
        """Put the segments one after the other."""
        for first, data in checked_segments(chain, segments):
            self._put(*_subject(chain, Segment(first, data)), data, of=(chain, first))

    def blank(self, chain: str, segment: Segment) -> str:
        """Remove the message, whose bytes the server overwrites, and put the other. If this dies between both, any sync puts one."""
        [segment] = checked_segments(chain, [segment])
        subject, place = _subject(chain, segment)
        for _ in range(_TRIES):
            standing = self._ask(self._stream.newest(place))
            if standing is not None and standing.data != segment.data:
                self._ask(self._stream.remove(standing.seq))
                standing = None
            if standing is not None or self._ask(self._stream.put(subject, segment.data, place)):
                return _ELSEWHERE.format(self.address)
        raise self._outpaced()

    def compact(self, chain: str, segment: Segment) -> None:
        """Do nothing: the server lists the subjects fast enough."""

    def put_note(self, kind: str, name: str, data: bytes) -> None:
        """Put a message as for a segment."""
        check_note(kind, name, data)
        subject = f"notes.{kind}.{name.replace('.', '_')}"
        self._put(subject, subject, data, of=(f"{kind}/{name}", 0))

    def notes(self, kind: str) -> Iterator[tuple[str, bytes]]:
        """Ask for the subjects of the kind, then read the messages, some at a time."""
        check_kind(kind)
        found = self._messages(self._ask(self._stream.subjects(f"notes.{kind}.*")), MOST_NOTE_BYTES)
        named = {each.subject.rpartition(".")[2].replace("_", "."): each.data for each in found if each.data}
        return ((name, data) for name, data in sorted(named.items()) if is_note(name))

    def wait(self, seconds: float) -> bool:
        """Wait for an announcement."""
        end = time.monotonic() + seconds
        try:
            return not self._ask(self._stream.listens()) or self._ask(self._stream.hear(seconds))
        except UnreachableError:
            time.sleep(max(0.0, end - time.monotonic()))
            return False

    def close(self) -> None:
        """Close the connection and end the thread."""
        with contextlib.suppress(UnreachableError):
            self._ask(self._stream.close())
        self._loop.close()

    def _put(self, subject: str, place: str, data: bytes, *, of: tuple[str, int]) -> None:
        """Put a message, or find the same bytes in its place; `of` names that in a TakenError."""
        for attempt in range(_TRIES):
            if self._ask(self._stream.put(subject, data, place)):
                return
            if (standing := self._ask(self._stream.newest(place))) is not None:
                if standing.data != data:
                    raise TakenError(*of, standing.data if len(standing.data) <= MOST_NOTE_BYTES else b"")
                return
            time.sleep(secrets.randbelow(10 << attempt) / 1000)  # what was faster is on its way
        raise self._outpaced()

    def _messages(self, subjects: Sequence[str], most: int) -> Iterator[StoredMessage]:
        """Yield the newest message on each subject, if it is not too large."""
        for at in range(0, len(subjects), _AT_ONCE):
            for each in self._ask(self._stream.newest_of(subjects[at : at + _AT_ONCE])):
                if each is not None and len(each.data) <= most:
                    yield each

    def _outpaced(self) -> UnreachableError:
        return UnreachableError(
            f"Other machines write to {self.address} at the same time, {_TRIES} times: try again."
        )

    def _ask(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Return what the stream answers; raise what goes wrong as an UnreachableError."""
        try:
            return self._loop.run(work)
        except ApiError as error:
            if error.is_without_stream:
                raise UnreachableError(
                    f"{self.address} holds no team: run muniment team init, or team move, with this address first."
                ) from error
            raise self._unusable(error) from error
        except (Error, OSError, json.JSONDecodeError) as error:
            raise self._unusable(error) from error

    def _unusable(self, error: Exception) -> UnreachableError:
        slow = isinstance(error, TimeoutError)
        said = (
            f"no answer within {self._patience:g} seconds" if slow else one_line(error).removeprefix("nats: ")
        )
        return UnreachableError(
            f"{self.address} cannot be used: {said}; check that it runs with JetStream, that most of its nodes do, and that "
            "NATS_CREDS, or NATS_USER and NATS_PASSWORD, let you in."
        )


def _subject(chain: str, segment: Segment) -> tuple[str, str]:
    """Return the subject of a segment, and the pattern of all that have the same first line."""
    place = f"chains.{chain}.{segment.first:010d}"
    return f"{place}.{segment.end - segment.first}", f"{place}.*"


class _Span(NamedTuple):
    """The lines of a chain in a segment: the seq of the first, and the one after the last."""

    chain: str
    first: int
    end: int


def _span(subject: str) -> _Span | None:
    """Return what the subject of a segment says; None for another subject."""
    found = _SEGMENT.fullmatch(subject)
    if not found or int(found[3]) > MOST_LINES:
        return None
    return _Span(found[1], int(found[2]), int(found[2]) + int(found[3]))
