"""Tests projections/vectors: what is found by meaning, when it is embedded, and what is removed (P-220…P-223, Z-34)."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ledger.command import Delete, Erase, Supersede
from ledger.memory import Memory
from muniment import MemoryLedger
from projections.search import Hit
from projections.vectors.vector_search import AT_A_SEARCH
from projections.vectors.vector_store import VECTORS_NAME, VectorStore
from tests.projections.house import learn, reopen
from tests.projections.vectors.topics import Topics

pytest.importorskip("numpy", reason="numpy is not installed: make test installs it")


@pytest.fixture
def model(ledger: MemoryLedger) -> Topics:
    """The model that the ledger compares with."""
    model = Topics()
    ledger.workspace.embed_with(model)
    return model


def store_of(ledger: MemoryLedger) -> VectorStore:
    return VectorStore(ledger.workspace.place.directory)


def texts(found: list[Hit]) -> list[str]:
    """Return what was found itself, without what is shown beside it."""
    return [hit.memory.text for hit in found if hit.why[0].kind != "beside"]


# --- what is found ---


@pytest.mark.usefixtures("model")
def test_a_memory_is_found_by_its_meaning_alone(ledger: MemoryLedger) -> None:
    """P-222: and says so."""
    learn(ledger, "The automobile needs oil", "Use tabs", "Deploy on Mondays")
    found = ledger.search("my car")
    assert texts(found) == ["The automobile needs oil"]
    hit = found[0]
    assert [(why.kind, why.said) for why in hit.why] == [("meaning", "1.00")]


@pytest.mark.usefixtures("model")
def test_what_has_nothing_to_do_with_a_query_is_not_found(ledger: MemoryLedger) -> None:
    """P-222: the closest one may still be far away."""
    learn(ledger, "The automobile needs oil", "Use tabs")
    assert ledger.search("gardening") == []


@pytest.mark.usefixtures("model")
def test_meaning_decides_between_two_matches_of_words(ledger: MemoryLedger) -> None:
    """P-222: by score, so that the better match of words can lose."""
    near = "In winter the automobile that stands in the garage wants a new battery"
    learn(ledger, "New battery", near, *[f"other {n}" for n in range(9)])
    ledger.workspace.embed_with(None)
    assert texts(ledger.search("car battery"))[0] == "New battery"
    ledger.workspace.embed_with(Topics())
    assert texts(ledger.search("car battery")) == [near, "New battery"]


@pytest.mark.usefixtures("model")
def test_all_words_still_come_first(ledger: MemoryLedger) -> None:
    """P-222."""
    learn(ledger, "the puppy of Anna", "hound", "dog Anna")
    assert texts(ledger.search("dog Anna"))[0] == "dog Anna"


@pytest.mark.usefixtures("model")
def test_a_phrase_must_be_there(ledger: MemoryLedger) -> None:
    """P-222, P-102."""
    learn(ledger, "The automobile needs oil", "my car is red")
    assert texts(ledger.search('"my car"')) == ["my car is red"]


@pytest.mark.usefixtures("model")
def test_a_filter_narrows_what_is_found_by_meaning(ledger: MemoryLedger) -> None:
    """P-222: and is no part of what is compared."""
    learn(ledger, "The automobile needs oil", Memory("A vehicle", type="decision"))
    assert texts(ledger.search("type:decision car")) == ["A vehicle"]


def test_the_past_compares_words_alone(ledger: MemoryLedger, model: Topics) -> None:
    """P-222."""
    learn(ledger, "The automobile needs oil")
    with ledger.recall.at("@1") as past:
        assert past.search("car") == []
    assert model.embedded == []


def test_a_prompt_compares_words_alone(ledger: MemoryLedger, model: Topics) -> None:
    """P-222: an agent waits for it."""
    learn(ledger, "The automobile needs oil")
    assert ledger.recall.search("car", by_meaning=False) == []
    assert model.embedded == []


# --- keeping up ---


def test_a_write_embeds_nothing_and_a_search_a_few(ledger: MemoryLedger, model: Topics) -> None:
    """P-223: those without a vector are found by their words, and the next search goes on."""
    learn(ledger, "The automobile needs oil", *[f"other {n}" for n in range(AT_A_SEARCH)])
    assert model.embedded == []
    assert ledger.search("car") == []
    assert texts(ledger.search("oil")) == ["The automobile needs oil"]
    assert texts(ledger.search("car")) == ["The automobile needs oil"]


def test_upkeep_embeds_the_rest_once(ledger: MemoryLedger, model: Topics) -> None:
    """P-223."""
    learn(ledger, *[f"fact {n}" for n in range(70)])
    assert ledger.upkeep.maintain().vectors == "every memory has a vector"
    assert sorted(model.embedded) == sorted(f"fact {n}" for n in range(70))
    assert ledger.workspace.vectors is not None
    assert ledger.workspace.vectors.missing() == ledger.workspace.vectors.bring_up() == 0
    assert len(model.embedded) == 70


def test_what_no_longer_stands_has_no_vector(ledger: MemoryLedger, model: Topics) -> None:
    """P-223: replaced, deleted, archived."""
    one, two, three, four = learn(ledger, "car one", "car two", "car three", "car four")
    ledger.search("car")
    ledger.workspace.append([Supersede((one,), Memory("automobile one")), Delete((two,), "gone")])
    ledger.workspace.local.archive({three: "unused"}, ledger.workspace.clock())
    found = ledger.search("car")
    assert store_of(ledger).ids() == {hit.id for hit in found} == {found[0].id, found[1].id}
    assert four in store_of(ledger).ids()
    ledger.workspace.local.unarchive(three)
    ledger.search("car")
    assert three in store_of(ledger).ids()
    assert model.embedded.count("car three") == 2


def test_the_file_can_be_deleted_at_any_time(ledger: MemoryLedger, model: Topics) -> None:
    """P-221: the next search makes it again."""
    learn(ledger, "The automobile needs oil")
    ledger.search("car")
    store_of(ledger).path.unlink()
    assert texts(ledger.search("car")) == ["The automobile needs oil"]
    assert model.embedded.count("The automobile needs oil") == 2


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize("damage", [b"no database", b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_file_is_rebuilt(ledger: MemoryLedger, damage: bytes) -> None:
    """P-221: a search says so and compares words, the next one is whole again."""
    learn(ledger, "The automobile needs oil")
    ledger.search("car")
    store_of(ledger).path.write_bytes(damage)
    assert texts(ledger.search("oil")) == ["The automobile needs oil"]
    assert ledger.workspace.vectors is not None
    assert "is damaged" in ledger.workspace.vectors.trouble
    assert texts(ledger.search("car")) == ["The automobile needs oil"]
    assert ledger.workspace.vectors.trouble == ""


@pytest.mark.usefixtures("model")
def test_another_model_rebuilds_all(ledger: MemoryLedger) -> None:
    """P-221."""
    learn(ledger, "The automobile needs oil")
    ledger.search("car")
    other = Topics("others")
    ledger.workspace.embed_with(other)
    assert texts(ledger.search("car")) == ["The automobile needs oil"]
    assert "The automobile needs oil" in other.embedded


@pytest.mark.usefixtures("model")
def test_another_process_sees_what_was_embedded(ledger: MemoryLedger) -> None:
    """P-221: and a process that has the vectors in memory sees what another one adds."""
    learn(ledger, "The automobile needs oil")
    ledger.search("car")
    other, _ = reopen(ledger.workspace.place.directory)
    with other:
        theirs = Topics()
        other.workspace.embed_with(theirs)
        assert texts(other.search("car")) == ["The automobile needs oil"]
        assert theirs.embedded == ["car"]
        learn(ledger, "A new vehicle")
        ledger.search("car")
        assert set(texts(other.search("car"))) == {"The automobile needs oil", "A new vehicle"}
        assert theirs.embedded == ["car", "car"]


@pytest.mark.usefixtures("model")
def test_vectors_are_nothing_that_verify_or_replay_looks_at(ledger: MemoryLedger) -> None:
    """P-221."""
    learn(ledger, "The automobile needs oil")
    ledger.search("car")
    store_of(ledger).path.write_bytes(b"no database")
    assert ledger.upkeep.verify().sound
    ledger.documents.replay()
    assert store_of(ledger).path.read_bytes() == b"no database"


# --- erasing ---


def bytes_of(ledger: MemoryLedger, id_: str) -> bytes:
    """Return the vector of a memory."""
    return dict(store_of(ledger).rows())[id_]


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize("installed", [True, False])
def test_erase_takes_the_vector_away(ledger: MemoryLedger, *, installed: bool) -> None:
    """Z-34: its bytes too, and without a model; the receipt names the file, the others stay."""
    gone, stays = learn(ledger, "The automobile of Anna", "A hound")
    ledger.search("car")
    vector = bytes_of(ledger, gone)
    assert vector in store_of(ledger).path.read_bytes()
    if not installed:
        ledger.workspace.embed_with(None)
    ledger.erasures.erase([gone], "private")
    assert store_of(ledger).ids() == {stays}
    assert vector not in store_of(ledger).path.read_bytes()
    assert ledger.erasures.last is not None
    assert "vectors" in {copy.kind for copy in ledger.erasures.last.cleaned}
    assert not ledger.erasures.last.named


@pytest.mark.usefixtures("model")
def test_erase_removes_a_damaged_file(ledger: MemoryLedger) -> None:
    """Z-34: nobody can say what it holds."""
    (gone,) = learn(ledger, "The automobile of Anna")
    store_of(ledger).path.write_bytes(b"The vector of Anna")
    ledger.erasures.erase([gone], "private")
    assert not store_of(ledger).path.exists()


def test_what_is_erased_while_it_is_embedded_gets_no_vector(ledger: MemoryLedger, model: Topics) -> None:
    """P-223: the erase comes between the text and the row."""
    gone, stays = learn(ledger, "The automobile of Anna", "A hound")

    def erase(embedded: object) -> None:
        model.on_embed = lambda _: None
        ledger.workspace.append([Erase((gone,), "private")])

    model.on_embed = erase
    ledger.search("car")
    assert store_of(ledger).ids() == {stays}


# --- the file ---


@pytest.mark.usefixtures("model")
def test_a_link_is_replaced_and_not_written_through(ledger: MemoryLedger, tmp_path: Path) -> None:
    """P-221, F-19."""
    theirs = tmp_path / "theirs.db"
    with closing(sqlite3.connect(theirs)) as db:
        db.execute("CREATE TABLE mine (x)")
    before = theirs.read_bytes()
    learn(ledger, "The automobile needs oil")
    (ledger.workspace.place.directory / VECTORS_NAME).symlink_to(theirs)
    assert texts(ledger.search("car")) == ["The automobile needs oil"]
    assert theirs.read_bytes() == before
    assert store_of(ledger).path.stat().st_mode & 0o777 == 0o600


@pytest.mark.usefixtures("model")
def test_a_file_that_another_process_writes_is_read_as_it_is(
    ledger: MemoryLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P-223: new memories are then found by their words, and one sentence says so."""
    monkeypatch.setattr("projections.vectors.vector_store._BUSY_SECONDS", 0.05)
    learn(ledger, "The automobile needs oil")
    ledger.search("car")
    learn(ledger, "A new vehicle")
    with closing(sqlite3.connect(store_of(ledger).path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert texts(ledger.search("car")) == ["The automobile needs oil"]
    assert ledger.workspace.vectors is not None
    assert "cannot be updated" in ledger.workspace.vectors.trouble
