"""A transport that is an S3 bucket, of whatever maker: each segment and each note is an object.

Implements specs/team.md (TM-72, TM-76, TM-79). A put carries `If-None-Match: *`, so that one of two senders wins:

```
<prefix>/<team id>/chains/<genesis>/<first, 10 digits>.jsonl
<prefix>/<team id>/notes/<kind>/<name>
```
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError, NotFoundError
from obstore.store import S3Store

from transports.places import (
    check_chain,
    check_kind,
    check_note,
    check_team,
    checked_segments,
    first_of,
    is_chain,
    is_note,
    line_count,
    reached,
    repeated,
    segment_name,
)
from transports.protocol import MOST_BYTES, MOST_LINES, MOST_NOTE_BYTES, Segment, TakenError, UnreachableError
from transports.s3_memory import Counted, remember, remembered
from transports.server_address import checked_address, one_line

PATIENCE = 30.0
"""Seconds that the server may take for one answer."""
_SETTINGS = ("endpoint", "region")
_AT_ONCE = 16
"""So many objects are read at the same time."""
_HELD = 64 << 20
"""Bytes of segments that `heads` read and keeps for `since`."""
_VERSIONED = "The bucket keeps versions: an earlier one of {} still holds the text, or one of an object that it replaced."


class _Object(NamedTuple):
    """What a listing says of an object: its path, its tag, which changes with its bytes, and their number."""

    path: str
    tag: str
    size: int


class S3Transport:
    """The segments and notes of one team in a bucket.

    Args:
        address: `s3://BUCKET/PREFIX?endpoint=URL&region=NAME`; the keys come from the environment.
        team: the team id.
        cache: a folder that this address alone uses.
        patience: seconds that the server may take for one answer.
    """

    remark = ""

    def __init__(self, address: str, team: str, cache: Path, *, patience: float = PATIENCE) -> None:
        check_team(team)
        self.address = _checked(address)
        self._team = team
        self._patience = patience
        self._cache = cache
        self._counts = remembered(cache)
        self._opened: S3Store | None = None
        self._listed: dict[str, dict[int, _Object]] = {}
        self._held: dict[str, bytes] = {}

    def heads(self) -> dict[str, int]:
        """List all segments; those that were not seen before are read, for nothing else says how many lines they have."""
        self._held.clear()
        listed: dict[str, dict[int, _Object]] = {}
        for each in self._objects(f"{self._team}/chains"):
            *_, chain, name = each.path.split("/")
            if is_chain(chain) and (first := first_of(name)) is not None:
                listed.setdefault(chain, {})[first] = each
        lines = self._count([each for segments in listed.values() for each in segments.values()])
        self._listed = listed
        found = {
            chain: reached((first, first + lines[each.path]) for first, each in segments.items())
            for chain, segments in listed.items()
        }
        return {chain: head for chain, head in found.items() if head}

    def since(self, chain: str, seq: int) -> Iterator[Segment]:
        """Read the segments that the last listing named, some at a time, from the first that can hold line `seq`."""
        check_chain(chain)
        if chain not in self._listed:
            self.heads()
        wanted = [
            (first, each)
            for first, each in sorted(self._listed.get(chain, {}).items())
            if first > seq - MOST_LINES
        ]
        data = self._read([each for _, each in wanted], MOST_BYTES)
        for (first, _), text in zip(wanted, data, strict=True):
            if line_count(text) and (segment := Segment(first, text)).end > seq:
                yield segment

    def put(self, chain: str, segments: Sequence[Segment]) -> None:
        """Put each segment in its place, the oldest first."""
        for first, data in checked_segments(chain, segments):
            self._put(self._path(chain, first), data, of=(chain, first))
            self._listed.pop(chain, None)

    def blank(self, chain: str, segment: Segment) -> str:
        """Overwrite an object; a bucket that keeps versions keeps the old one, and says so."""
        [(first, data)] = checked_segments(chain, [segment])
        path = self._path(chain, first)
        with self._asking() as store:
            done = obstore.put(store, path, data, mode="overwrite", use_multipart=False)
        self._listed.pop(chain, None)
        return _VERSIONED.format(path) if done["version"] else ""

    def compact(self, chain: str, segment: Segment) -> None:
        """Overwrite the object with the first line, then delete the others."""
        [whole] = checked_segments(chain, [segment])
        standing = takewhile(lambda each: each.first < whole.end, self.since(chain, whole.first))
        pieces = repeated(whole, standing)
        if len(pieces) > 1:
            self.blank(chain, whole)
            with self._asking() as store:
                obstore.delete(store, [self._path(chain, first) for first in pieces[1:]])
            self._listed.pop(chain, None)

    def put_note(self, kind: str, name: str, data: bytes) -> None:
        """Put a note in its place as a segment is put."""
        check_note(kind, name, data)
        self._put(f"{self._team}/notes/{kind}/{name}", data, of=(f"{kind}/{name}", 0))

    def notes(self, kind: str) -> Iterator[tuple[str, bytes]]:
        """Read the notes of a kind, some at a time."""
        check_kind(kind)
        named = {each.path.rpartition("/")[2]: each for each in self._objects(f"{self._team}/notes/{kind}")}
        wanted = [(name, each) for name, each in sorted(named.items()) if is_note(name)]
        data = self._read([each for _, each in wanted], MOST_NOTE_BYTES)
        return ((name, text) for (name, _), text in zip(wanted, data, strict=True) if text)

    def wait(self, seconds: float) -> bool:
        """Wait: nothing tells of a change."""
        time.sleep(seconds)
        return False

    def close(self) -> None:
        """Nothing is open between two calls."""

    def _path(self, chain: str, first: int) -> str:
        return f"{self._team}/chains/{chain}/{segment_name(first)}"

    def _objects(self, folder: str) -> list[_Object]:
        with self._asking() as store:
            found = obstore.list(store, f"{folder}/", chunk_size=1000)
            return [
                _Object(each["path"], str(each["e_tag"] or each["last_modified"]), each["size"])
                for some in found
                for each in some
            ]

    def _count(self, objects: list[_Object]) -> dict[str, int]:
        """Return how many lines the segments have, by their paths; those that nobody counted yet are read."""
        tags = {each.path: each.tag for each in objects}
        known = {path: each for path, each in self._counts.items() if each.tag == tags.get(path)}
        new = [each for each in objects if each.path not in known]
        held = 0
        try:
            for each, data in zip(new, self._read(new, MOST_BYTES), strict=True):
                known[each.path] = Counted(each.tag, line_count(data))
                if (held := held + len(data)) <= _HELD:
                    self._held[each.path] = data
        finally:
            if known != self._counts:
                self._counts = known
                remember(self._cache, known)
        return {path: each.lines for path, each in known.items()}

    def _read(self, objects: list[_Object], most: int) -> Iterator[bytes]:
        """Yield the bytes of each object in turn; none of one that is gone, or has more than `most`."""

        def one(each: _Object) -> bytes:
            if each.path in self._held:
                return self._held.pop(each.path)
            return self._get(each.path, most) if each.size <= most else b""

        with ThreadPoolExecutor(_AT_ONCE) as pool:
            for at in range(0, len(objects), _AT_ONCE):
                yield from pool.map(one, objects[at : at + _AT_ONCE])

    def _get(self, path: str, most: int) -> bytes:
        with self._asking() as store:
            try:
                found = obstore.get(store, path)
            except NotFoundError:
                return b""
            return bytes(found.bytes()) if found.meta["size"] <= most else b""

    def _put(self, path: str, data: bytes, *, of: tuple[str, int]) -> None:
        with self._asking() as store:
            try:
                obstore.put(store, path, data, mode="create", use_multipart=False)
                return
            except AlreadyExistsError:
                pass
        if (standing := self._get(path, MOST_NOTE_BYTES)) != data:
            raise TakenError(*of, standing)

    @contextlib.contextmanager
    def _asking(self) -> Iterator[S3Store]:
        """Yield the bucket; raise what goes wrong as an UnreachableError."""
        try:
            if self._opened is None:
                self._check_keys()
                self._opened = _store(self.address, self._patience)
            yield self._opened
        except (BaseError, OSError) as error:
            raise UnreachableError(
                f"{self.address} cannot be used: {_said(error)}; check that the bucket exists, and that the key in "
                "AWS_ACCESS_KEY_ID may list, get and put there."
            ) from error

    def _check_keys(self) -> None:
        """Refuse to go on without keys: the client would ask addresses for them that nobody gave (TM-73)."""
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            if not os.environ.get(name):
                raise UnreachableError(
                    f"{self.address} needs a key: set {name} in the environment (see docs/team.md)."
                )


def _checked(address: str) -> str:
    """Refuse an address that holds keys, names no bucket, or asks for a server by anything but a plain URL."""
    url = urlsplit(checked_address(address, _SETTINGS))
    if "@" in url.netloc or ":" in url.netloc:
        raise ValueError(
            "the address of a server holds no key: leave it out, and see docs/team.md where it belongs"
        )
    for endpoint in parse_qs(url.query).get("endpoint", []):
        checked_address(endpoint)
        if urlsplit(endpoint).scheme not in ("http", "https") or "@" in endpoint:
            raise ValueError(
                "the address of a server has an http or https URL, without a key, as its endpoint"
            )
    return address


def _store(address: str, patience: float) -> S3Store:
    url = urlsplit(address)
    asked = {name: values[-1] for name, values in parse_qs(url.query).items()}
    settings: dict[str, Any] = {name: asked[name] for name in _SETTINGS if name in asked}
    limit = timedelta(seconds=patience)
    return S3Store(
        url.netloc,
        prefix=url.path.strip("/") or None,
        client_options={
            "allow_http": asked.get("endpoint", "").startswith("http:"),
            "timeout": limit,
            "connect_timeout": min(limit, timedelta(seconds=10)),
        },
        retry_config={"max_retries": 2, "retry_timeout": limit},
        **settings,
    )


def _said(error: Exception) -> str:
    """Return what the client says, without the listing of its own fields."""
    return one_line(str(error).partition("Debug source:")[0])
