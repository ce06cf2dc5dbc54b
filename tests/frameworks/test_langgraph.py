"""LangGraph's store on a ledger, through the real base class. Tests specs/frameworks.md (FW-1…FW-4, FW-30…FW-34)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledger.errors import RecordError, SecretError, WaitingError
from ledger.event import By
from muniment import MemoryLedger

base = pytest.importorskip("langgraph.store.base", reason="langgraph is not installed: make extras runs this")
in_memory = pytest.importorskip("langgraph.store.memory")

from frameworks.langgraph import LedgerStore  # noqa: E402 - it imports LangGraph

SECRET = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"
ADA = ("users", "ada")


@pytest.fixture
def store(memory: MemoryLedger) -> LedgerStore:
    return LedgerStore(memory, agent="helper", session="thread-1")


def test_an_item_is_a_memory_and_a_change_an_event(store: LedgerStore, memory: MemoryLedger) -> None:
    """FW-30, FW-31, FW-2."""
    store.put(ADA, "prefs", {"drink": "tea", "n": [1, 2.5, None, True], "ü": {"a\n": "```"}})
    (entry,) = memory.load_all()
    assert (entry.memory.text, entry.memory.topic) == ("users/ada/prefs", "langgraph/users/ada")
    assert entry.memory.body.startswith('```json\n{\n  "drink": "tea",')
    assert entry.by == By("langgraph", "agent", "library")
    assert entry.memory.provenance.to_payload() == {
        "session": "thread-1",
        "agent": "helper",
        "tool": "langgraph",
    }
    item = store.get(ADA, "prefs")
    assert item is not None
    assert item.value == {"drink": "tea", "n": [1, 2.5, None, True], "ü": {"a\n": "```"}}
    assert (item.namespace, item.key) == (ADA, "prefs")
    store.put(ADA, "prefs", {"drink": "cocoa"})
    store.put(ADA, "prefs", {"drink": "cocoa"})
    later = store.get(ADA, "prefs")
    assert later is not None
    assert later.created_at == item.created_at < later.updated_at
    store.delete(ADA, "prefs")
    store.delete(ADA, "prefs")
    assert store.get(ADA, "prefs") is None
    assert [row.kind for row in memory.log()][1:] == ["create", "supersede", "delete"]
    assert memory.upkeep.verify().sound


LABELS = st.sampled_from(["users", "a", "A", "a-b", "a b", "a/b", "%2F", "x" * 70, "ü\u2028"])
NAMESPACES = st.lists(LABELS, min_size=1, max_size=5).map(tuple)
KEYS = LABELS | st.sampled_from(["", "a.b", "\n"])
VALUES = st.dictionaries(
    st.sampled_from(["n", "word"]), st.integers(-3, 3) | st.sampled_from(["tea", ""]), max_size=2
)
FILTERS = (
    st.none()
    | VALUES
    | st.sampled_from([{"n": {"$gte": 0}}, {"n": {"$ne": 1, "$lt": 3}}, {"word": {"$eq": "tea"}}])
)


@given(
    batches=st.lists(
        st.lists(st.tuples(NAMESPACES, KEYS, st.none() | VALUES), min_size=1, max_size=4), max_size=4
    ),
    prefix=st.lists(LABELS, max_size=2).map(tuple),
    wanted=FILTERS,
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_it_holds_what_a_store_in_memory_holds(
    memory: MemoryLedger, batches: list[Any], prefix: tuple[str, ...], wanted: dict[str, Any] | None
) -> None:
    """FW-30, FW-32: after each batch of puts and deletions, for each filter that one can answer."""
    ours, theirs = LedgerStore(memory), in_memory.InMemoryStore()
    for entry in memory.load_all():  # of the example before
        memory.delete(entry.id)
    for batch in batches:
        for each in (ours, theirs):
            each.batch([base.PutOp(*put) for put in batch])
    for namespace, key, _ in (put for batch in batches for put in batch):
        items = [each.get(namespace, key) for each in (ours, theirs)]
        assert [item and item.value for item in items[:1]] == [item and item.value for item in items[1:]]
    try:
        expected = theirs.search(prefix, filter=wanted, limit=99)
    except (TypeError, ValueError):  # it compares numbers alone
        return
    found = ours.search(prefix, filter=wanted, limit=99)
    said = [sorted((hit.namespace, hit.key, str(hit.value)) for hit in hits) for hits in (found, expected)]
    assert said[0] == said[1]
    if not wanted:
        names = {hit.namespace for hit in found}
        assert {*ours.list_namespaces(prefix=prefix or None, limit=99)} == names


def test_the_words_of_a_query_find_values(store: LedgerStore) -> None:
    """FW-33: the best first, below the prefix alone; without a query the newest first."""
    store.put(ADA, "1", {"text": "likes green tea"})
    store.put(ADA, "2", {"text": "lives in Berlin"})
    store.put((*ADA, "deep"), "3", {"text": 'tea, tea and green tea: "type:x"'})
    store.put(("users", "adam"), "1", {"text": "likes tea"})
    hits = store.search(ADA, query='green tea "type:x"')
    assert hits[0].key == "3"
    assert hits[0].score >= hits[1].score > 0
    assert all(hit.namespace[:2] == ADA for hit in hits)
    assert [hit.key for hit in store.search(ADA, query="tea", filter={"text": "likes green tea"})] == ["1"]
    assert [hit.key for hit in store.search(ADA)] == ["3", "2", "1"]
    assert [hit.key for hit in store.search(ADA, limit=1, offset=1)] == ["2"]
    assert store.search(ADA, filter={"text": {"$gt": 3}}) == []
    with pytest.raises(ValueError, match=r"\$like"):
        store.search(ADA, filter={"text": {"$like": "x"}})


def test_namespaces_are_those_of_items(store: LedgerStore) -> None:
    """FW-34: by prefix and suffix with wildcards, cut at a depth, each once."""
    for namespace in (("a", "b", "v1"), ("a", "c", "v1"), ("a", "c", "v2"), ("b",)):
        store.put(namespace, "k", {})
    store.delete(("b",), "k")
    assert store.list_namespaces() == [("a", "b", "v1"), ("a", "c", "v1"), ("a", "c", "v2")]
    assert store.list_namespaces(suffix=("v1",)) == [("a", "b", "v1"), ("a", "c", "v1")]
    assert store.list_namespaces(prefix=("a", "*", "v2")) == [("a", "c", "v2")]
    assert store.list_namespaces(prefix=("a",), suffix=("c", "*"), max_depth=2) == [("a", "c")]
    assert store.list_namespaces(max_depth=2, limit=1, offset=1) == [("a", "c")]
    assert store.list_namespaces(prefix=("a", "b", "v1", "*")) == []


def test_a_batch_answers_first_and_writes_all_or_nothing(store: LedgerStore, memory: MemoryLedger) -> None:
    """FW-31, FW-1: a secret stops the whole batch; of two puts of one item the last counts."""
    with pytest.raises(SecretError):
        store.batch([base.PutOp(ADA, "a", {"n": 1}), base.PutOp(ADA, "b", {"token": SECRET})])
    assert memory.load_all() == []
    puts = [base.PutOp(ADA, "a", {"n": 1}), base.GetOp(ADA, "a"), base.PutOp(ADA, "a", {"n": 2})]
    assert store.batch(puts) == [None, None, None]
    item = store.get(ADA, "a")
    assert item is not None
    assert item.value == {"n": 2}


def test_a_batch_asks_for_its_items_once(
    store: LedgerStore, memory: MemoryLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """FW-31, FW-5: and reads no other, so that its time grows with their number alone."""
    read: list[int] = []
    load_all = memory.load_all

    def counted(*asked: Any, **how: Any) -> Any:
        found = load_all(*asked, **how)
        read.append(len(found))
        return found

    monkeypatch.setattr(memory, "load_all", counted)
    for n in range(2):
        puts = [base.PutOp((*ADA, each), str(key), {"n": n}) for each in ("a", "b") for key in range(20)]
        *_, item = store.batch([*puts, base.GetOp((*ADA, "a"), "7")])
        assert (item is None) == (n == 0)
    assert store.get((*ADA, "a"), "8") is not None
    assert read == [0, 40, 1]
    assert {item.value["n"] for item in store.search(ADA, limit=99)} == {1}


def test_it_answers_in_a_loop_too(store: LedgerStore) -> None:
    async def use() -> Any:
        await asyncio.gather(*(store.aput(ADA, str(n), {"n": n}) for n in range(5)))
        return await store.asearch(ADA, filter={"n": {"$gt": 2}})

    assert sorted(hit.key for hit in asyncio.run(use())) == ["3", "4"]


@pytest.mark.parametrize(
    ("put", "said"),
    [
        ((("a.b",), "k", {}), "cannot contain periods"),
        (((), "k", {}), "cannot be empty"),
        ((ADA, "k", {"at": object()}), "users/ada/k cannot be stored"),
        ((ADA, "k", {"n": float("nan")}), "values that JSON has"),
    ],
)
def test_what_is_no_item_is_refused(store: LedgerStore, put: tuple[Any, ...], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        store.put(*put)


def test_what_no_item_can_have_is_refused_or_not_found(store: LedgerStore) -> None:
    """FW-30: half a surrogate pair is no text."""
    assert store.get(ADA, "\ud800") is None
    with pytest.raises(RecordError, match="surrogates"):
        store.put(ADA, "\ud800", {})
    with pytest.raises(ValueError, match="must be 0 or more"):
        store.search(ADA, offset=-1)


def test_no_message_holds_a_secret(store: LedgerStore) -> None:
    """R-2."""
    with pytest.raises(ValueError, match="cannot be stored") as error:
        store.put(ADA, SECRET, {"at": object()})
    assert SECRET not in str(error.value)
    store.put(ADA, "k", {"n": 1})
    with pytest.raises(ValueError, match="unknown in a filter") as error:
        store.search(ADA, filter={"n": {"$eq": 1, SECRET: 1}})
    assert SECRET not in str(error.value)


def test_an_item_does_not_expire(store: LedgerStore) -> None:
    with pytest.raises(NotImplementedError, match="TTL"):
        store.put(ADA, "k", {}, ttl=1)


def test_a_value_that_a_person_edited_is_read_and_kept(store: LedgerStore, memory: MemoryLedger) -> None:
    """FW-3, FW-32: an edit that is no JSON any more is named, with what repairs it."""
    store.put(ADA, "prefs", {"drink": "tea"})
    document = memory.workspace.place.directory / "memories/langgraph/users/ada.md"
    document.write_text(document.read_text("utf-8").replace("tea", "green tea"), "utf-8")
    memory.documents.adopt()
    item = store.get(ADA, "prefs")
    assert item is not None
    assert item.value == {"drink": "green tea"}
    with pytest.raises(WaitingError, match="a person wrote"):
        store.put(ADA, "prefs", {"drink": "mud"})
    document.write_text(document.read_text("utf-8").replace('"green tea"', "green tea"), "utf-8")
    memory.documents.adopt()
    with pytest.raises(ValueError, match=r"is no longer JSON.*muniment edit"):
        store.get(ADA, "prefs")


def test_a_large_value_comes_back_whole(store: LedgerStore) -> None:
    value = {"lines": [f"line {n} äöü" for n in range(9000)], "long": "x" * 100_000}
    store.put(ADA, "big", value)
    item = store.get(ADA, "big")
    assert item is not None
    assert item.value == value
