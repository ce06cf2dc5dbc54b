"""One JetStream stream: put a message where none stands, read the newest of a subject, list subjects, remove, listen.

Implements specs/team.md (TM-78). Requests go to the stream's leader, so that what was acknowledged is seen.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
from collections import deque
from collections.abc import Sequence
from typing import Any, NamedTuple

from nats.aio.client import Client
from nats.aio.subscription import Subscription
from nats.errors import ConnectionClosedError, Error

from transports.nats_sign_in import signed_in

_CONNECTS_WITHIN = 5.0
"""Seconds for one of the servers."""
_NO_STREAM, _NO_MESSAGE, _ONE_NODE, _OTHER_STREAM = 10059, 10037, 10074, 10058
"""Error codes of JetStream's API."""
_TAKEN = frozenset({10071, 10164})
"""Those for a place that is taken; a cluster gives the second while another message for it is on its way."""


class ApiError(Exception):
    """JetStream refused; `code` is its own code for why."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(str(error.get("description", "")))
        self.code = int(error.get("err_code", 0))

    @property
    def is_without_stream(self) -> bool:
        """Whether there is no such stream."""
        return self.code == _NO_STREAM


class StoredMessage(NamedTuple):
    """A message as it stands in the stream."""

    seq: int
    subject: str
    data: bytes


class NatsStream:
    """A stream with the subjects `<root>.>`; stored messages are announced on `<root>-new.>`, outside it.

    Args:
        servers: URLs, any of which leads to the cluster.
        name: the stream's.
        root: the first tokens of its subjects.
        create: make it if it does not exist.
        patience: seconds that one answer may take.
    """

    def __init__(
        self, servers: Sequence[str], name: str, root: str, *, create: bool, patience: float
    ) -> None:
        self._servers, self._name, self._root = deque(servers), name, root
        self._create, self._patience = create, patience
        self._client: Client | None = None
        self._gone: asyncio.Future[None] | None = None
        self._news: Subscription | None = None

    async def subjects(self, pattern: str) -> list[str]:
        """Return the subjects below the root that match and have a message, in order."""
        found: list[str] = []
        while True:
            asked = {"subjects_filter": f"{self._root}.{pattern}", "offset": len(found)}
            answer = await self._ask("STREAM.INFO", asked)
            page = answer["state"].get("subjects") or {}
            found += page
            if not page or len(found) >= answer.get("total", 0):
                return sorted(each.removeprefix(f"{self._root}.") for each in found)

    async def newest(self, pattern: str) -> StoredMessage | None:
        """Return the newest message on a subject that matches."""
        try:
            answer = await self._ask("STREAM.MSG.GET", {"last_by_subj": f"{self._root}.{pattern}"})
        except ApiError as error:
            if error.code == _NO_MESSAGE:
                return None
            raise
        found = answer["message"]
        subject = str(found["subject"]).removeprefix(f"{self._root}.")
        return StoredMessage(int(found["seq"]), subject, base64.b64decode(found.get("data", "")))

    async def newest_of(self, subjects: Sequence[str]) -> list[StoredMessage | None]:
        """Return the newest message on each of a few subjects."""
        return await asyncio.gather(*map(self.newest, subjects))

    async def put(self, subject: str, data: bytes, only_if_none: str) -> bool:
        """Store a message, unless one stands on a subject that matches a pattern. Return whether it was stored."""
        headers = {
            "Nats-Expected-Stream": self._name,
            "Nats-Expected-Last-Subject-Sequence": "0",
            "Nats-Expected-Last-Subject-Sequence-Subject": f"{self._root}.{only_if_none}",
        }
        client = await self._connected()
        try:
            await self._request(client, f"{self._root}.{subject}", data, headers)
        except ApiError as error:
            if error.code in _TAKEN:
                return False
            raise
        return True

    async def remove(self, seq: int) -> None:
        """Remove a message, and overwrite its bytes in the stream's files."""
        await self._ask("STREAM.MSG.DELETE", {"seq": seq})

    async def listens(self) -> bool:
        """Listen to what is stored from now on; return whether it did so before."""
        client = await self._connected()
        if self._news is not None:
            return True
        self._news = await client.subscribe(f"{self._root}-new.>")
        await client.flush()
        return False

    async def hear(self, seconds: float) -> bool:
        """Wait until something was stored; False if nothing was in so many seconds."""
        assert self._news is not None
        try:
            await self._news.next_msg(seconds)
            while self._news.pending_msgs:
                await self._news.next_msg(seconds)
        except TimeoutError:
            return False
        return True

    async def close(self) -> None:
        """Close the connection."""
        if self._client is not None:
            client, self._client = self._client, None
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(client.close(), 1)

    async def _ask(self, what: str, body: dict[str, Any]) -> dict[str, Any]:
        client = await self._connected()
        return await self._request(client, f"$JS.API.{what}.{self._name}", json.dumps(body).encode())

    async def _request(
        self, client: Client, subject: str, data: bytes, headers: dict[str, str] | None = None
    ) -> dict[str, Any]:
        asking = asyncio.create_task(client.request(subject, data, timeout=self._patience, headers=headers))
        assert self._gone is not None
        await asyncio.wait((asking, self._gone), return_when=asyncio.FIRST_COMPLETED)
        if not asking.done():
            asking.cancel()
            raise ConnectionClosedError
        try:
            answer = json.loads(asking.result().data)
        except TimeoutError:
            await self.close()  # the next request goes to another server
            raise
        if error := answer.get("error"):
            raise ApiError(error)
        return dict(answer)

    async def _connected(self) -> Client:
        """Return the client, connected to the next server that answers."""
        if self._client is not None and self._client.is_connected:
            return self._client
        await self.close()
        self._news = None
        failed: Exception = Error("no server is named")
        for _ in range(len(self._servers)):
            self._servers.rotate(-1)
            try:
                self._client = await self._connect(self._servers[0])
            except (Error, OSError) as error:
                failed = error
                continue
            if self._create:
                await self._make(self._client)
            return self._client
        raise failed

    async def _connect(self, server: str) -> Client:
        options = signed_in()
        client, gone = Client(), asyncio.get_running_loop().create_future()

        async def failed(error: Exception) -> None:
            if not client.is_connected and self._gone is not gone:
                raise error  # the client would try the same server again and again

        async def closed() -> None:
            gone.set_result(None)

        try:
            connecting = client.connect(
                server,
                error_cb=failed,
                closed_cb=closed,
                allow_reconnect=False,
                name="muniment",
                **options,
            )
            await asyncio.wait_for(connecting, min(self._patience, _CONNECTS_WITHIN))
        except BaseException:
            await client.close()
            raise
        self._gone = gone
        return client

    async def _make(self, client: Client) -> None:
        """Make the stream, with three copies where there is a cluster."""
        for copies in (3, 1):
            wanted = {
                "name": self._name,
                "subjects": [f"{self._root}.>"],
                "retention": "limits",
                "storage": "file",
                "num_replicas": copies,
                "republish": {"src": f"{self._root}.>", "dest": f"{self._root}-new.>", "headers_only": True},
            }
            try:
                await self._request(
                    client, f"$JS.API.STREAM.CREATE.{self._name}", json.dumps(wanted).encode()
                )
            except ApiError as error:
                if error.code == _ONE_NODE and copies > 1:
                    continue
                if error.code != _OTHER_STREAM:  # it stands, as somebody else configured it
                    raise
            return
