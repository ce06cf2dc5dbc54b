"""The index is derived: whatever happens to it, it says what the log says, row for row."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from documents.drift import index_findings
from language.unspaced import indexed
from ledger.command import Command, Confirm, Create, Delete, Erase, Supersede
from ledger.errors import LedgerError, StateError
from ledger.fold import Entry
from ledger.memory import SECTIONS, Memory, Provenance
from ledger.reader import events
from ledger.rotation import rotate
from ledger.view import ViewUnavailableError
from muniment import MemoryLedger
from projections import index_fold, index_schema
from projections.index import INDEX_NAME, Index
from projections.index_source import IndexSource
from tests.forking import run_python
from tests.ledger.reference import fold
from tests.projections.house import BY, build, reopen

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def house(tmp_path: Path) -> Iterator[MemoryLedger]:
    ledger, _ = build(tmp_path / "ledger")
    yield ledger
    ledger.close()


def learn(house: MemoryLedger, *texts: str, **more: object) -> list[str]:
    commands = [Create(Memory(text, **more)) for text in texts]  # type: ignore[arg-type]
    return [written.id for written in house.workspace.append(commands)]


def entries(house: MemoryLedger) -> list[Entry]:
    rows = (
        house.workspace.index.connection()
        .execute("SELECT id FROM memories ORDER BY order_ts, order_id, ts, id")
        .fetchall()
    )
    found = [house.workspace.index.entry(id_) for (id_,) in rows]
    return [entry for entry in found if entry]


def folded(house: MemoryLedger) -> list[Entry]:
    return fold(events(house.workspace.chain)).entries()


def test_a_memory_comes_back_from_the_index_with_every_field(house: MemoryLedger) -> None:
    memory = Memory(
        "Deploys go out on Thursdays",
        details=("after standup", "never on holidays"),
        title="Deploys",
        body="# Why\r\nOn call is there.\n",
        topic="operations/deploys",
        when_to_use=("deploy", "release"),
        tags=("ops", "später"),
        type="decision",
        section="Team Rituals",
        tier="committed",
        importance="high",
        confidence=0.85,
        inferred=True,
        source="auto",
        status="candidate",
        category="project-pattern",
        provenance=Provenance(*[f"p{i}" for i in range(9)]),
        extra="owner: me\n",
        unknown={"later_member": [1, {"a": "b"}]},
    )
    id_ = house.workspace.append([Create(memory)])[0].id
    assert house.entry(id_).memory == memory
    assert house.entry(id_).status == "candidate"


def test_the_index_says_the_same_as_the_fold(house: MemoryLedger) -> None:
    a, b, c, d = learn(house, "a", "b", "c", "d", section="Workflow")
    merged = house.workspace.append([Supersede((a, b), Memory("a and b"))])[0].id
    house.workspace.append([Delete((c,), "no longer"), Confirm((d,))])
    back = house.workspace.append([Supersede((c,), Memory("c again"))])[0].id
    house.workspace.append([Erase((d,), "gone", True)])
    assert entries(house) == folded(house)
    assert {e.id: e.status for e in entries(house)} == {
        a: "superseded", b: "superseded", c: "superseded", d: "erased", merged: "active", back: "active",
    }  # fmt: skip
    assert house.entry(merged).order[1] == a, "a merge takes the place of its first target"


texts = st.sampled_from(["tabs", "spaces", "pnpm", "port 5432", "größe", "x" * 300])
SECTION = st.sampled_from([*SECTIONS, "My own"])
MEMORY = st.builds(
    partial(Memory),
    texts,
    section=SECTION,
    topic=st.sampled_from(["", "", "a/b", "c"]),
    tier=st.sampled_from(["daily", "curated"]),
    status=st.sampled_from(["active", "active", "candidate"]),
    tags=st.lists(st.sampled_from(["t1", "t2"]), unique=True).map(tuple),
    body=st.sampled_from(["", "", "body\n", "long line of a body\n" * 3500]),
)
STEP = st.tuples(
    st.sampled_from(["create", "create", "supersede", "delete", "confirm", "erase", "rotate"]),
    MEMORY,
    st.integers(0, 30),
    st.integers(0, 30),
)


_numbers = itertools.count()


@settings(max_examples=settings().max_examples // 2)
@given(steps=st.lists(STEP, min_size=1, max_size=14))
def test_catching_up_equals_a_rebuild_row_for_row(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, Memory, int, int]]
) -> None:
    house, _ = build(tmp_path_factory.getbasetemp() / "catch-up" / str(next(_numbers)))
    ids: list[str] = []
    for verb, memory, one, two in steps:
        if verb == "rotate":
            with contextlib.suppress(StateError):  # the genesis is never disowned
                rotate(house.workspace.ledger, BY, since=one % (two + 1))
            continue
        targets = tuple(dict.fromkeys(ids[n % len(ids)] for n in (one, two))) if ids else ()
        commands: dict[str, Command] = {
            "create": Create(memory),
            "supersede": Supersede(targets, memory, restore=True),
            "delete": Delete(targets, "why"),
            "confirm": Confirm(targets, "still"),
            "erase": Erase(targets, "out", True),
        }
        if verb != "create" and not targets:
            continue
        with contextlib.suppress(LedgerError):  # a target that is gone is refused, which other tests look at
            written = house.workspace.append([commands[verb]])[0]
            if verb in ("create", "supersede"):
                ids.append(written.id)
    house.workspace.index.newest()
    assert index_findings(house.workspace.place.directory, house.workspace.chain) == []
    assert entries(house) == folded(house)
    house.close()


def test_a_long_body_is_joined_once_for_all_its_parts(
    house: MemoryLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P-52: joining it for each of its twenty parts would take twenty times as long."""
    seen: list[int] = []

    def counted(texts: Iterable[str]) -> str:
        each = list(texts)
        seen.append(sum(map(len, each)))
        return indexed(each)

    monkeypatch.setattr(index_fold, "indexed", counted)
    body = "".join(f"line {n}\n" for n in range(100_000))
    (id_,) = learn(house, "long", body=body)
    assert max(seen) > len(body)
    assert sum(seen) < 2 * len(body)
    assert house.entry(id_).memory.body == body


@pytest.mark.parametrize(("lines", "left"), [(8_000, 0), (12_000, 2)])
def test_parts_and_their_erasure_are_folded_at_once_as_one_by_one(
    house: MemoryLedger, lines: int, left: int
) -> None:
    """P-52, M-9: a copy of another writer's chain may bring them together; a body that has one part again needs no list."""
    learn(house, "long", body="".join(f"line {n}\n" for n in range(lines)))
    came = list(events(house.workspace.chain))
    house.workspace.append([Erase((came[-1].id,), "out", family=False)])
    came += list(events(house.workspace.chain))[-1:]

    def folded_into(step: int) -> list[list[tuple[object, ...]]]:
        with contextlib.closing(sqlite3.connect(":memory:")) as db:
            index_schema.create(db)
            fold = index_fold.IndexFold(db)
            for n, event in enumerate(came, 1):
                fold.apply(event)
                if n % step == 0:
                    fold.flush()
            return [db.execute(f"SELECT * FROM {table}").fetchall() for table in ("memories", "parts")]

    assert folded_into(len(came)) == folded_into(1)
    assert len(folded_into(1)[1]) == left


def test_a_thiefs_yes_to_a_candidate_is_no_yes(house: MemoryLedger) -> None:
    """N-24, N-25: active by a disowned confirm alone it is compromised; a good one vouches, and that can be disowned."""
    maybe = house.workspace.append([Create(Memory("maybe", status="candidate"))])[0].id
    old = house.entry(maybe).fresh_since
    house.workspace.append([Confirm((maybe,))])
    assert house.entry(maybe).fresh_since > old
    rotate(house.workspace.ledger, BY, since=2)
    assert (house.entry(maybe).status, house.entry(maybe).compromised) == ("active", True)
    assert entries(house) == folded(house)
    house.workspace.append([Confirm((maybe,))])
    assert not house.entry(maybe).compromised
    rotate(house.workspace.ledger, BY, since=4)
    assert house.entry(maybe).compromised
    assert entries(house) == folded(house)
    assert index_findings(house.workspace.place.directory, house.workspace.chain) == []


def rows(house: MemoryLedger) -> list[tuple[object, ...]]:
    return house.workspace.index.connection().execute("SELECT * FROM memories ORDER BY n").fetchall()


@pytest.mark.parametrize("harm", ["deleted", "emptied", "garbage", "truncated", "page"])
def test_a_harmed_database_is_made_again_by_the_next_question(house: MemoryLedger, harm: str) -> None:
    learn(house, *[f"fact number {i}" for i in range(100)])
    before = rows(house)
    house.workspace.index.connection().execute("PRAGMA wal_checkpoint(TRUNCATE)")
    house.close()
    path = house.workspace.place.directory / INDEX_NAME
    data = path.read_bytes()
    for suffix in ("-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
    path.unlink()
    harmed = {
        "emptied": b"",
        "garbage": os.urandom(8192),
        "truncated": data[: len(data) // 2],
        "page": data[:8192] + os.urandom(4096) + data[12288:],
    }
    if harm != "deleted":
        path.write_bytes(harmed[harm])
    again, _ = reopen(house.workspace.place.directory)
    learn(again, "one more fact")
    if (
        harm == "page"
    ):  # damage that SQLite meets only when it reads there: replay mends it, and verify names it
        again.documents.replay()
    assert rows(again)[:-1] == before
    assert index_findings(again.workspace.place.directory, again.workspace.chain) == []
    again.close()


def test_a_database_deleted_while_it_is_open_is_made_again(house: MemoryLedger) -> None:
    learn(house, "first")
    (house.workspace.place.directory / INDEX_NAME).unlink()
    learn(house, "second")
    assert [e.memory.text for e in entries(house)] == ["first", "second"]


def test_a_locked_database_loses_nothing(house: MemoryLedger) -> None:
    learn(house, "before")
    holder = sqlite3.connect(house.workspace.place.directory / INDEX_NAME, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    command = Create(Memory("while it was locked"))
    written = house.workspace.ledger.write([command], BY)[0]  # the index stood at the newest event
    with pytest.raises(ViewUnavailableError):
        house.workspace.ledger.write([command], BY)
    holder.execute("ROLLBACK")
    holder.close()
    assert house.workspace.ledger.write([command], BY)[0].id == written.id
    assert [e.memory.text for e in entries(house)] == ["before", "while it was locked"]
    assert index_findings(house.workspace.place.directory, house.workspace.chain) == []


def test_another_versions_database_is_made_again(house: MemoryLedger) -> None:
    learn(house, "kept")
    house.workspace.index.connection().execute("PRAGMA user_version = 99")
    house.close()
    again, _ = reopen(house.workspace.place.directory)
    assert [e.memory.text for e in entries(again)] == ["kept"]
    again.close()


def test_other_columns_are_another_version() -> None:
    """P-50: an index with the columns of an older program would otherwise be read as a current one."""
    query = (
        "SELECT m.name, c.name, c.type FROM sqlite_master m JOIN pragma_table_info(m.name) c "
        "WHERE m.type = 'table' AND m.name NOT LIKE '%_fts_%' ORDER BY m.name, c.cid"
    )
    with contextlib.closing(sqlite3.connect(":memory:")) as db:
        index_schema.create(db)
        columns = hashlib.sha256(repr(db.execute(query).fetchall()).encode()).hexdigest()[:16]
    assert (index_schema.VERSION, columns) == (13, "880b0ef42e03aaba"), (
        "bump VERSION in index_schema.py, then write both here"
    )


def test_a_chain_that_was_replaced_is_read_from_its_beginning(house: MemoryLedger, tmp_path: Path) -> None:
    learn(house, "ours")
    other, _ = build(tmp_path / "other")
    learn(other, "theirs", "and more")
    index = Index(tmp_path)
    index.follow(house.workspace.chain)
    index.follow(other.workspace.chain)
    texts_ = [row[0] for row in index.connection().execute("SELECT text FROM memories ORDER BY n")]
    assert texts_ == ["theirs", "and more"]
    index.close()
    other.close()


def test_a_forged_row_is_found(house: MemoryLedger) -> None:
    (id_,) = learn(house, "Use tabs")
    house.workspace.index.connection().execute("UPDATE memories SET text = 'Use spaces'")
    found = index_findings(house.workspace.place.directory, house.workspace.chain)
    assert {f.code for f in found} == {"index-drift"}
    assert id_ in {f.id for f in found}


def test_a_forged_full_text_row_is_found(house: MemoryLedger) -> None:
    learn(house, "Use tabs")
    house.workspace.index.connection().execute("INSERT INTO memories_fts (rowid, text) VALUES (1, 'planted')")
    assert [f.code for f in index_findings(house.workspace.place.directory, house.workspace.chain)] == [
        "index-drift"
    ]


def test_nothing_after_a_bad_line_is_folded(house: MemoryLedger) -> None:
    learn(house, "good")
    learn(house, "and better")
    house.close()
    data = house.workspace.chain.read_bytes()
    house.workspace.chain.write_bytes(data.replace(b'"kind":"create"', b'"kind":"delete"', 1))
    (house.workspace.place.directory / INDEX_NAME).unlink()
    again, _ = reopen(house.workspace.place.directory)
    with pytest.raises(LedgerError, match="line 2"):
        again.load_all()
    again.close()


def test_an_erased_text_is_nowhere_in_the_database(house: MemoryLedger) -> None:
    (id_,) = learn(house, "the marker Zebrafink stands here", tags=("Zebrafink",), topic="zebrafink")
    learn(house, *[f"other {i}" for i in range(50)])
    house.workspace.append([Erase((id_,), "out", True)])
    for path in house.workspace.place.directory.glob("memory.db*"):
        assert b"ebrafin" not in path.read_bytes(), path
    assert house.search("Zebrafink", count=False) == []


@pytest.mark.parametrize("read", [IndexSource.group, IndexSource.topic, IndexSource.day])
def test_a_documents_memories_are_found_without_looking_at_all_others(
    house: MemoryLedger, read: Callable[[IndexSource, str], object]
) -> None:
    learn(house, "a", topic="a")
    connection, asked = house.workspace.index.connection(), list[str]()
    source = IndexSource(house.workspace.index)
    connection.set_trace_callback(asked.append)
    read(source, "a")
    connection.set_trace_callback(None)
    plans = [connection.execute(f"EXPLAIN QUERY PLAN {each}").fetchall() for each in asked]
    assert plans
    assert all("SCAN" not in row[3] for plan in plans for row in plan), plans


SCRIPT = """
import os, signal, sys
import ledger.steps as steps
from ledger.memory import Memory
from tests.projections.house import reopen
house, _ = reopen(__import__("pathlib").Path(sys.argv[1]))
house.store(Memory("acknowledged before"))
print("ready", flush=True)
def observer(step):
    if step == sys.argv[2]:
        os.kill(os.getpid(), signal.SIGKILL)
steps.observer = observer
house.store(Memory("in flight"))
print("survived", flush=True)
"""


@pytest.mark.parametrize(
    "step",
    [
        "index.begun",
        "index.applied",
        "index.committed",
        "file.noted",
        "file.written",
        "file.renamed",
        "file.recorded",
    ],
)
def test_a_process_killed_at_a_step_of_the_projections_leaves_work_that_the_next_finishes(
    tmp_path: Path, step: str
) -> None:
    house, _ = build(tmp_path / "ledger")
    house.close()
    done = run_python(["-c", SCRIPT, tmp_path / "ledger", step])
    assert done.returncode == -9, (done.stdout, done.stderr)
    assert done.stdout == "ready\n"
    again, _ = reopen(tmp_path / "ledger")
    texts_ = [e.memory.text for e in again.load_all()]
    assert texts_ == ["acknowledged before", "in flight"], (
        "the append was acknowledged before any projection began"
    )
    again.documents.render()
    assert again.documents.outcome is not None
    assert again.documents.outcome.paused == {}
    assert again.upkeep.verify().sound
    assert "in flight" in (tmp_path / "ledger" / "MEMORY.md").read_text()
    again.close()


def test_the_databases_are_for_their_owner_alone(house: MemoryLedger) -> None:
    house.store(Memory("private"))
    modes = {path.name: path.stat().st_mode & 0o777 for path in house.workspace.place.directory.glob("*.db*")}
    assert set(modes.values()) == {0o600}, modes
