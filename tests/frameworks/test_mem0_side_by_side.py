"""The same calls on mem0 itself and on a ledger give answers of one shape. Tests specs/frameworks.md (FW-10…FW-16).

mem0 runs with its own embedder for tests and its store in the memory of this process; no model is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from frameworks.mem0 import Memory
from muniment import MemoryLedger

pytestmark = pytest.mark.filterwarnings("ignore")  # those of mem0 and its libraries

Call = Callable[[Any, list[str]], Any]
ADA = {"user_id": "ada"}
LONG = "firstname.lastname." * 20 + "@example.com"
WITH_A_CALL = [
    {"role": "system", "content": "You help."},
    {"role": "user", "content": "Remember that I use zsh", "name": "Ada"},
    {"role": "assistant", "content": None, "tool_calls": []},
    {"role": "assistant"},
    {"role": "tool", "content": "done"},
    {"role": "user", "content": [{"type": "text", "text": "See"}, {"type": "image_url"}, {"type": "text", "text": "this"}]},
    {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}]},
    {"role": "user", "content": {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}},
]  # fmt: skip
METADATA = {
    "n": 3,
    "tags": ["a", "b"],
    "word": "Tea time",
    "role": "assistant",
    "actor_id": "root",
    "user_id": "eve",
}


def _found(**filters: Any) -> Call:
    return lambda m, _: m.get_all(filters=filters)


def _searched(**filters: Any) -> Call:
    return lambda m, _: m.search("tea", filters=filters, threshold=0)


CALLS: dict[str, Call] = {
    "a text": lambda m, _: m.add("I like tea", user_id="ada", infer=False),
    "a conversation with a call": lambda m, _: m.add(WITH_A_CALL, user_id="ada", infer=False),
    "with metadata": lambda m, _: m.add("Tea time", user_id="ada", run_id="r1", metadata=METADATA, infer=False),
    "of another user": lambda m, _: m.add("I like tea", user_id="bob", infer=False),
    "a long id": lambda m, _: m.add("I like tea", user_id=LONG, infer=False),
    "nothing": lambda m, _: m.add([], user_id="ada", infer=False),
    "a number": lambda m, _: m.add(5, user_id="ada", infer=False),
    "made before": lambda m, _: m.add("Old tea", user_id="cy", metadata={"created_at": "2020-01-01T00:00:00+00:00"}, infer=False),
    "when": lambda m, _: m.get_all(filters={"user_id": "cy"})["results"][0]["created_at"][:10],
    "get": lambda m, ids: m.get(ids[0]),
    "get what was said by a name": lambda m, ids: m.get(ids[1]),
    "get with metadata": lambda m, ids: m.get(ids[4]),
    "get nothing": lambda m, _: m.get("11111111-1111-1111-1111-111111111111"),
    "all": _found(**ADA),
    "all of a long id": _found(user_id=LONG),
    "all of anybody": _found(user_id="*"),
    "all of a run": _found(user_id="ada", run_id="r1"),
    "search": _searched(user_id="bob"),
    "any": _found(n="*", **ADA),
    "equal": _found(n=3, **ADA),
    "one of a list": _found(tags="b", **ADA),
    "a list": _found(n=[3, 4], **ADA),
    "eq": _found(n={"eq": 3}, **ADA),
    "ne": _found(n={"ne": 3}, **ADA),
    "ne of another": _found(n={"ne": 4}, **ADA),
    "gt": _found(n={"gt": 2, "lte": 3}, **ADA),
    "gt of a text": _found(word={"gt": 2}, **ADA),
    "lt": _found(n={"lt": 3}, **ADA),
    "in": _found(n={"in": [1, 3]}, **ADA),
    "nin": _found(n={"nin": [3]}, **ADA),
    "contains": _found(word={"contains": "Tea"}, **ADA),
    "role": _found(role="tool", **ADA),
    "AND": _found(AND=[{"n": 3}, {"word": "Tea time"}], **ADA),
    "OR": _found(OR=[{"n": 4}, {"run_id": "r1"}], **ADA),
    "NOT": _found(NOT=[{"n": 3}], **ADA),
    "search with an operator": _searched(n={"gte": 3}, **ADA),
    "unknown operator": _searched(n={"over": 3, "eq": 3}, **ADA),
    "OR of nothing": _searched(OR=[], **ADA),
    "no id": _found(n=3),
    "no text to search": lambda m, _: m.search(None, filters=ADA),
    "a threshold above 1": lambda m, _: m.search("tea", filters=ADA, threshold=2),
    "update": lambda m, ids: m.update(ids[0], "I like cocoa", metadata={"a": [None], "created_at": "2020", "role": "user"}),
    "get what was updated": lambda m, ids: m.get(ids[0]),
    "expire": lambda m, ids: m.update(ids[0], expiration_date="2020-01-01"),
    "all that have not expired": _found(**ADA),
    "expire no more": lambda m, ids: m.update(ids[0], expiration_date=None),
    "get what expires no more": lambda m, ids: m.get(ids[0]),
    "delete": lambda m, ids: m.delete(ids[0]),
    "history": lambda m, ids: m.history(ids[0]),
    "delete again": lambda m, ids: m.delete(ids[0]),
    "delete all": lambda m, _: m.delete_all(user_id="ada"),
    "none left": _found(**ADA),
    "delete all of nobody": lambda m, _: m.delete_all(),
    "reset": lambda m, _: m.reset(),
    "nothing of anybody": _found(user_id="*"),
}  # fmt: skip
"""Done in this order on one memory; `ids` are those that `add` gave."""


@pytest.fixture
def real(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("MEM0_DIR", str(tmp_path / "mem0"))
    monkeypatch.setenv("MEM0_TELEMETRY", "False")
    pytest.importorskip(
        "qdrant_client", reason="mem0ai is not installed with its store: make extras runs this"
    )
    pytest.importorskip("mem0", reason="mem0ai is not installed: make extras runs this")
    from mem0.embeddings.mock import MockEmbeddings
    from mem0.memory import main, notices

    monkeypatch.setattr(main.EmbedderFactory, "create", lambda *_: MockEmbeddings())
    monkeypatch.setattr(notices, "_REMOTE_CONFIG_URL", "data:,")  # its news are not fetched
    store = {"path": str(tmp_path / "qdrant"), "embedding_model_dims": 10}
    configuration = {
        "vector_store": {"provider": "qdrant", "config": store},
        "llm": {"provider": "openai", "config": {"api_key": "none"}},
        "history_db_path": str(tmp_path / "history.db"),
    }
    with main.Memory.from_config(configuration) as memory:
        yield memory
        memory.vector_store.client.close()


def _shape(value: Any, ids: list[str], name: str = "") -> Any:
    """Return an answer without what two programs cannot have alike: ids, times, scores, and the order of memories."""
    if isinstance(value, dict):
        return {key: _shape(each, ids, key) for key, each in value.items()}
    if isinstance(value, list):
        shapes = [_shape(each, ids) for each in value]
        return sorted(shapes, key=repr) if name == "results" else shapes
    if name == "memory_id":
        return ids.index(value)
    if name in {"id", "created_at", "updated_at", "score"} and value is not None:
        return name
    return value


def _answer(memory: Any, call: Call, ids: list[str]) -> Any:
    from mem0.exceptions import ValidationError

    try:
        said = call(memory, ids)
    except (ValueError, ValidationError):
        return "refused"
    if isinstance(said, dict):
        ids += [each["id"] for each in said.get("results", []) if "event" in each]
    return _shape(said, ids)


def test_each_call_has_an_answer_of_the_shape_of_mem0s(real: Any, memory: MemoryLedger) -> None:
    ours = Memory(real.config, ledger=memory)
    ids: tuple[list[str], list[str]] = ([], [])
    for name, call in CALLS.items():
        assert (name, _answer(ours, call, ids[0])) == (name, _answer(real, call, ids[1]))
    assert len(ids[0]) == len(ids[1]) == 8
    assert memory.upkeep.verify().sound
