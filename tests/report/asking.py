"""Requests to a viewer over real HTTP, as our page sends them, or with a part of them another way."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ledger.command import Create, Supersede
from ledger.event import By
from ledger.memory import Memory, Provenance
from muniment import MemoryLedger
from report.viewer import Viewer
from tests.report.page_data import data_of


class Answer(NamedTuple):
    """What the server sent."""

    code: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def ask(
    viewer: Viewer,
    method: str = "GET",
    path: str | None = None,
    headers: Mapping[str, str | None] | None = None,
    body: bytes | None = None,
) -> Answer:
    """Send one request; `path` is the page's by default, and a header that is None is left out."""
    place = urlsplit(viewer.address)
    wanted: dict[str, str | None] = {"Host": place.netloc, **(headers or {})}
    if body is not None:
        wanted = {"Content-Length": str(len(body)), **wanted}
    connection = http.client.HTTPConnection("127.0.0.1", place.port or 0, timeout=20)
    try:
        connection.putrequest(method, place.path if path is None else path, skip_host=True)
        for name, value in wanted.items():
            if value is not None:
                connection.putheader(name, value)
        connection.endheaders(body)
        response = connection.getresponse()
        return Answer(response.status, response.headers, response.read())
    finally:
        connection.close()


def post(viewer: Viewer, given: Any, headers: Mapping[str, str | None] | None = None) -> Answer:
    """Answer the review as our page does."""
    place = urlsplit(viewer.address)
    own: dict[str, str | None] = {
        "Origin": f"http://{place.netloc}",
        "Content-Type": "application/json",
        "Sec-Fetch-Site": "same-origin",
    }
    body = given if isinstance(given, bytes) else json.dumps(given).encode()
    return ask(viewer, "POST", f"{place.path}review", {**own, **(headers or {})}, body)


def queue_of(viewer: Viewer) -> Any:
    return json.loads(data_of(ask(viewer).body.decode(), "rest"))["review"]


def candidate(memory: MemoryLedger, text: str, *replaced: str) -> str:
    """Have an agent propose a memory, in the place of others where they are named."""
    made = Memory(text, status="candidate", provenance=Provenance(conversation="c-1"))
    command = Supersede(replaced, made) if replaced else Create(made)
    return memory.write([command], By("claude-code", "agent", "mcp"))[0].id
