"""Tests projections/vectors/endpoint.py against a server on this machine (P-224)."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ledger.errors import OutsideError, UsageError
from muniment import MemoryLedger
from projections.configuration import load
from projections.vectors.embedder import KEY_VARIABLE, chosen
from projections.vectors.endpoint import EndpointEmbedder
from tests.loopback import Reply, Request, serving
from tests.projections.house import learn
from tests.projections.vectors.topics import Topics

pytest.importorskip("numpy", reason="numpy is not installed: make test installs it")


class Endpoint:
    """Answers with the vectors of `Topics`, in the wrong order; `answer` replaces them. A person would set its `address`."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str | None, dict[str, Any]]] = []
        self.address, self.status, self.answer = "", 200, b""

    def reply(self, request: Request) -> Reply:
        said = json.loads(request.body)
        self.asked.append((request.path, request.headers.get("Authorization"), said))
        rows = [list(map(float, row)) for row in Topics().embed(said["input"])]
        data = [{"index": n, "embedding": row} for n, row in enumerate(rows)][::-1]
        answer = self.answer or json.dumps({"data": data}).encode()
        return self.status, answer, {"Location": f"{self.address}/elsewhere"}


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """A server that ends with the test."""
    made = Endpoint()
    with serving(made.reply) as base:
        made.address = f"{base}/v1"
        yield made


def test_it_is_asked_as_its_documentation_says(endpoint: Endpoint) -> None:
    """P-224: and its answer is put into order."""
    embedder = EndpointEmbedder(endpoint.address, "small", "a key")
    rows = embedder.embed(["car", "dog", "car"])
    assert endpoint.asked == [
        ("/v1/embeddings", "Bearer a key", {"model": "small", "input": ["car", "dog", "car"]})
    ]
    assert (rows[0] == rows[2]).all()
    assert rows[0] @ rows[0] == pytest.approx(1)
    assert rows[0] @ rows[1] < 0.5


@pytest.mark.parametrize("ending", ["", "/", "/embeddings"])
def test_an_address_may_name_the_last_step(endpoint: Endpoint, ending: str) -> None:
    """P-224."""
    EndpointEmbedder(endpoint.address + ending).embed(["car"])
    assert [(path, key) for path, key, _ in endpoint.asked] == [("/v1/embeddings", None)]


@pytest.mark.parametrize(
    "answer", [b"{}", b"no JSON", b'{"data": []}', b'{"data": [{"index": 0, "embedding": ["x"]}]}', b"[1]"]
)
def test_an_answer_without_vectors_is_refused(endpoint: Endpoint, answer: bytes) -> None:
    """P-224."""
    endpoint.answer = answer
    with pytest.raises(OutsideError, match="one vector for each text"):
        EndpointEmbedder(endpoint.address).embed(["car"])


@pytest.mark.parametrize("status", [302, 401, 500])
def test_an_error_and_a_redirect_are_reported(endpoint: Endpoint, status: int) -> None:
    """P-224: nothing is sent to another address."""
    endpoint.status = status
    with pytest.raises(OutsideError, match=f"status {status}"):
        EndpointEmbedder(endpoint.address).embed(["car"])
    assert len(endpoint.asked) == 1


@pytest.mark.parametrize("address", ["", "localhost", "ftp://x/", "http://[", "http://127.0.0.1:99999/"])
def test_what_is_no_address_is_reported(address: str) -> None:
    """P-224: like an endpoint that cannot be reached."""
    with pytest.raises(OutsideError, match="cannot be reached"):
        EndpointEmbedder(address).embed(["car"])


def test_a_ledger_searches_with_it(
    ledger: MemoryLedger, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P-224: the settings name it, the environment has the key."""
    monkeypatch.setenv(KEY_VARIABLE, "from outside")
    settings = ledger.workspace.readable_configuration._replace(
        vectors_address=endpoint.address, vectors_model="small"
    )
    ledger.workspace.embed_with(chosen(settings).embedder)
    learn(ledger, "The automobile needs oil")
    assert [hit.memory.text for hit in ledger.search("car")] == ["The automobile needs oil"]
    assert {(key, said["model"]) for _, key, said in endpoint.asked} == {("Bearer from outside", "small")}


def test_words_are_compared_where_it_does_not_answer(ledger: MemoryLedger) -> None:
    """P-224: one sentence names the address."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        ledger.workspace.embed_with(EndpointEmbedder(address))
        learn(ledger, "The automobile needs oil")
        assert [hit.memory.text for hit in ledger.search("oil")] == ["The automobile needs oil"]
    assert ledger.workspace.vectors is not None
    said = ledger.workspace.vectors.trouble
    assert said.startswith(f"the embedding endpoint {address} cannot be reached (")
    assert said.endswith("): search compares words alone")


def test_a_model_of_another_size_rebuilds_the_vectors(ledger: MemoryLedger, endpoint: Endpoint) -> None:
    """P-221: an address may get another model under the same name."""
    ledger.workspace.embed_with(EndpointEmbedder(endpoint.address))
    learn(ledger, "The automobile needs oil")
    ledger.search("car")
    endpoint.answer = json.dumps({"data": [{"index": 0, "embedding": [1.0, 0.0]}]}).encode()
    assert ledger.search("car") == []
    learn(ledger, "A hound")
    assert ledger.search("car") == []
    endpoint.answer = b""
    ledger.search("car")
    assert ledger.search("car")[0].memory.text == "The automobile needs oil"


@pytest.mark.parametrize("line", ['address = "http://127.0.0.1/v1"', 'model = "small"'])
def test_a_repository_cannot_set_it(tmp_path: Path, line: str) -> None:
    """P-224, F-10: only the person's own file names an address."""
    file = tmp_path / "config.toml"
    file.write_text(f"[vectors]\n{line}\n", "utf-8")
    assert load(file)
    with pytest.raises(UsageError, match="allowed only in your own"):
        load(tmp_path / "own.toml", file)
