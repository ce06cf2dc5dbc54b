"""What other memory programs keep becomes memories with their origin: I-31…I-38."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.other_memories.chatgpt_conversations import is_conversations, read_conversations
from documents.other_memories.foreign_records import LeftOut
from ledger.errors import FormatError, LedgerError, NotFoundError, RecordError, StorageError
from ledger.memory import Memory
from tests.cli.driver import ROOT
from tests.documents.other_memories.golden_files import (
    HERE,
    NAMES,
    conversation,
    golden,
    memories,
    written,
)


def _by_text(found: list[Memory], text: str) -> Memory:
    [one] = [memory for memory in found if memory.text == text]
    return one


def test_the_history_of_mem0_gives_the_newest_texts(tmp_path: Path) -> None:
    """I-33: an update counts once, as it reads now, and what was deleted is counted alone."""
    found, said = memories("mem0", golden(tmp_path, "mem0/history.db"))
    assert [memory.text for memory in found] == [
        "Ada prefers pnpm to npm",
        "The staging database listens on 5433",
        "Noted.",
        "Ada is allergic to peanuts.",
        "Deploys happen on Mondays",
        "Bob likes tea",
    ]
    assert said == ["1 deleted there, and left out"]
    assert found[3].body == "She carries an injector."
    origin = found[4].provenance
    assert (origin.tool, origin.file, origin.date[:10]) == ("mem0", "history.db", "2026-11-29")
    assert len(origin.message) == 36


def test_the_export_of_mem0_has_ids_and_metadata(tmp_path: Path) -> None:
    """I-33: as mem0's adapter stores them."""
    found, said = memories("mem0", golden(tmp_path, "mem0/get_all.json"))
    assert (len(found), said) == (5, [])
    one = _by_text(found, "The staging database listens on 5433")
    origin = one.provenance
    assert (origin.conversation, origin.agent, origin.session) == ("ada", "helper", "run-7")
    assert one.tags == ("mem0", "user_id=ada", "agent_id=helper", "run_id=run-7")
    assert one.topic == "mem0/user-ada/agent-helper/run-run-7"
    assert (one.details, one.extra) == (('{"category": "infra"}',), "")
    assert one.source == "auto"


def test_a_page_of_an_export_is_called_one(tmp_path: Path) -> None:
    """I-33: the hosted service gives pages; rows without a text are named."""
    rows = [{"id": "a", "memory": "one"}, {"id": "b", "memory": None}, 3]
    page = written(tmp_path / "page.json", {"count": 90, "next": "https://example.org/2", "results": rows})
    found, said = memories("mem0", page)
    assert [memory.text for memory in found] == ["one"]
    assert said == [
        "1 page of several; export the other pages, and import them too",
        "2 without a text that can be read; left out (number 2, number 3)",
    ]


def test_notes_of_basic_memory_give_their_observations(tmp_path: Path) -> None:
    """I-34: each in its own words, with the note's topic; the rest of the note is one memory, and nothing is lost."""
    folder = golden(tmp_path, "basic-memory")
    found, said = memories("basic-memory", folder)
    note = (folder / "ops" / "Deploying the shop.md").read_text("utf-8")
    assert said == []
    rest, *observed = [memory for memory in found if memory.topic == "ops/deploying-the-shop"]
    assert [(memory.type, memory.text) for memory in observed] == [
        ("decision", "[decision] Deploys happen on Mondays #release #ops (after the outage in May)"),
        ("fact", "[fact] The staging database listens on 5433"),
        ("preference", "[preference] Ada prefers pnpm to npm #tooling"),
        ("fact", "plain bullet #tagged"),
    ]
    assert (rest.title, rest.tags) == ("Deploying the shop", ("release", "shop"))
    assert "permalink: main/ops/deploying-the-shop" in rest.extra
    lines = {line for line in note.split("---\n", 2)[2].splitlines() if line.strip()}
    assert lines == {*filter(None, rest.body.splitlines()), *(f"- {memory.text}" for memory in observed)}
    assert {memory.provenance.tool for memory in found} == {"basic-memory"}


def test_a_note_of_observations_alone_is_its_observations(tmp_path: Path) -> None:
    """I-34: its headings are no memory, and its other fields go to the first of them."""
    (tmp_path / "a.md").write_text(
        "---\ntitle: A\npermalink: main/a\n---\n\n# A\n\n- [tip] one\n- [00:10] two\n- [commitment] three\n  more\n"
        "- [x] four #tag\n"
    )
    (tmp_path / "b.md").write_text("---\ntitle: B\npermalink: main/b\n---\n\n# B\n\n- [idea] one\n")
    found, _ = memories("basic-memory", tmp_path)
    assert [memory.text for memory in found] == ["A", "[tip] one", "[idea] one"]
    assert found[2].extra.strip() == "permalink: main/b"
    assert all(line in found[0].body for line in ("[00:10] two", "  more", "[x] four #tag"))


def test_a_note_that_cannot_be_read_stops_no_other(tmp_path: Path) -> None:
    """I-34: it is named."""
    folder = golden(tmp_path, "basic-memory")
    (folder / "bad.md").write_bytes(b"- [fact] \xff\n")
    found, said = memories("basic-memory", folder)
    assert len(found) == 6
    assert "bad.md: not UTF-8" in said[0]


def test_claude_mem_gives_decisions_and_days(tmp_path: Path) -> None:
    """I-35: a decision stays, everything else is a note of its day and project; prompts are only counted."""
    found, said = memories("claude-mem", golden(tmp_path, "claude-mem.db"))
    assert [(memory.tier, memory.type, memory.section, memory.provenance.date) for memory in found] == [
        ("daily", "fact", "shop", "2026-05-04"),
        ("curated", "decision", "", "2026-05-04T09:30:00.000Z"),
        ("daily", "episode", "shop", "2026-05-04"),
        ("daily", "episode", "blog", "2026-05-05"),
        ("daily", "episode", "shop", "2026-05-04"),
    ]
    first, summary = found[0], found[4]
    assert first.details == ("The tax service answers in 90 ms", "It accepts a list of items")
    assert first.body.startswith("A basket of 40 items makes 40 calls\n\nThe loop in basket.py")
    assert first.provenance.to_payload() == {
        "message": "observation 1",
        "session": "c-1",
        "agent": "claude",
        "tool": "claude-mem",
        "file": "claude-mem.db",
        "date": "2026-05-04",
    }
    assert '"files_read":["shop/basket.py"]' in first.extra
    assert (summary.text, summary.body.count("Learned: ")) == ("Make the checkout fast", 1)
    assert "memories of 2 projects go to one ledger: shop (4), blog (1)" in said[0]
    assert said[1:] == [
        "1 without a text that can be read; left out (summary 2)",
        "2 typed as prompts, and left out; muniment capture learns from the transcripts",
    ]


def test_a_fact_that_is_no_detail_stands_in_the_body(tmp_path: Path) -> None:
    """I-35: because it has several lines, or is too long for one."""
    path = golden(tmp_path, "claude-mem.db")
    with sqlite3.connect(path) as db:
        db.execute("UPDATE observations SET facts = ? WHERE id = 1", (json.dumps(["one\ntwo", "three"]),))
    db.close()
    first = memories("claude-mem", path)[0][0]
    assert first.details == ()
    assert first.body.endswith("- one\ntwo\n- three")


def test_a_graph_gives_observations_and_relations(tmp_path: Path) -> None:
    """I-36: with the name of what was observed before each."""
    found, said = memories("server-memory", golden(tmp_path, "memory.jsonl"))
    assert [(memory.text, memory.body, memory.section) for memory in found] == [
        ("Ada: Prefers pnpm to npm", "", "People & Roles"),
        ("Ada: Carries an injector:", "she is allergic to peanuts", "People & Roles"),
        ("shop: Deploys happen on Mondays", "", ""),
        ("shop: The staging database listens on 5433", "", ""),
        ("Ada maintains shop", "", ""),
        ("shop depends_on Payments Service", "", ""),
    ]
    assert said == ["1 without an observation; left out (line 3)"]
    assert found[0].extra == 'metadata: {"entity":"Ada","entityType":"person"}\n'
    assert found[0].provenance.message == "Ada"


@given(st.integers(0, 4), st.integers(1, 60), st.text(max_size=3))
def test_a_damaged_line_of_a_graph_costs_itself_alone(at: int, cut: int, more: str) -> None:
    """I-31, I-36: it is named by its number, and every other line is read as before."""
    lines = (HERE / "memory.jsonl").read_text("utf-8").split("\n")
    damaged = [*lines]
    damaged[at] = (
        lines[at][:-cut] + more.replace("\n", "").replace("\r", "").encode("utf-8", "ignore").decode()
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.jsonl"
        path.write_text("\n".join(lines[:at] + lines[at + 1 :]), "utf-8")
        others = [memory.text for memory in memories("server-memory", path)[0]]
        path.write_text("\n".join(damaged), "utf-8", newline="")
        found, said = memories("server-memory", path)
    read = damaged[at] == lines[at]
    assert [text for text in others if text not in [memory.text for memory in found]] == []
    assert read or any(f"line {at + 1}" in each for each in said)


@given(
    st.sampled_from(["mem0/history.db", "mem0/get_all.json", "claude-mem.db", "memory.jsonl"]),
    st.floats(0, 0.999),
    st.binary(max_size=64),
    st.booleans(),
)
def test_a_damaged_file_is_one_clear_error_or_what_can_be_stored(
    name: str, share: float, put: bytes, cut: bool
) -> None:
    """I-31: whatever stands in it; and reading changes nothing, in the file or beside it."""
    program = next(each for each in NAMES if each in name or NAMES[each] == name)
    with tempfile.TemporaryDirectory() as folder:
        path = golden(Path(folder), name)
        data = path.read_bytes()
        at = int(len(data) * share)
        path.write_bytes(data[:at] + put + (b"" if cut else data[at + len(put) :]))
        before = path.read_bytes()
        try:
            found, said = memories(program, path)
        except LedgerError as error:
            assert f"{path} " in str(error) and "nothing" in str(error)  # noqa: PT017, PT018 - both may come
        else:
            assert all(isinstance(each, str) for each in said)
            for memory in found:
                _is_storable_or_refused(memory)
        assert path.read_bytes() == before
        assert [each.name for each in Path(folder).iterdir()] == [path.name]


def _is_storable_or_refused(memory: Memory) -> None:
    try:
        json.dumps(memory.to_payload(), ensure_ascii=False).encode()
    except RecordError as error:
        assert str(error)  # noqa: PT017 - the ledger says which member, and import goes on


@pytest.mark.parametrize("cut", [1, 200, 1700])
def test_json_that_was_cut_off_gives_nothing(cut: int, tmp_path: Path) -> None:
    """I-31: a half list is not imported as if it were whole."""
    path = golden(tmp_path, "mem0/get_all.json")
    path.write_bytes(path.read_bytes()[:-cut])
    with pytest.raises(FormatError, match=r"get_all\.json is not whole JSON .*nothing of it was imported"):
        memories("mem0", path)


@pytest.mark.parametrize(
    ("program", "name", "said"),
    [
        ("mem0", "claude-mem.db", "has no table history"),
        ("claude-mem", "mem0/history.db", "has no table observations"),
        ("claude-mem", "memory.jsonl", "is not a SQLite database"),
        ("server-memory", "mem0/get_all.json", "holds no entity and no relation"),
        ("server-memory", "claude-mem.db", "is not UTF-8"),
        ("mem0", "memory.jsonl", "is not whole JSON"),
        ("chatgpt", "claude-mem.db", "is not UTF-8"),
    ],
)
def test_another_programs_file_is_named_with_the_right_one(
    program: str, name: str, said: str, tmp_path: Path
) -> None:
    """I-31: the sentence ends with what to give."""
    with pytest.raises(FormatError, match=f"{said}.*; give .*usually|{said}.*; give a text file"):
        memories(program, golden(tmp_path, name))


@pytest.mark.parametrize("program", ["mem0", "claude-mem", "server-memory", "chatgpt"])
def test_a_folder_and_nothing_are_named(program: str, tmp_path: Path) -> None:
    """I-31: with what to give instead."""
    with pytest.raises(StorageError, match="is a folder; give "):
        memories(program, tmp_path)
    with pytest.raises(NotFoundError, match=r"there is no .*; give "):
        memories(program, tmp_path / "none")


def test_a_database_in_use_is_read_with_its_log(tmp_path: Path) -> None:
    """I-31: what is committed counts, and neither the database nor its log is changed."""
    path = golden(tmp_path, "claude-mem.db")
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("PRAGMA wal_autocheckpoint=0")
    writer.execute("UPDATE observations SET title = 'Written just now' WHERE id = 1")
    files = path, path.with_name("claude-mem.db-wal")
    before = [each.read_bytes() for each in files]
    assert memories("claude-mem", path)[0][0].text == "Written just now"
    assert [each.read_bytes() for each in files] == before
    writer.close()


def test_a_text_that_is_not_utf_8_is_named_by_its_record(tmp_path: Path) -> None:
    """I-31: and the others are read."""
    path = golden(tmp_path, "claude-mem.db")
    with sqlite3.connect(path) as db:
        db.execute("UPDATE observations SET title = CAST(x'fffe' AS TEXT) WHERE id = 3")
    db.close()
    found, said = memories("claude-mem", path)
    assert len(found) == 4
    assert "2 without a text that can be read; left out (observation 3, summary 2)" in said


ENDLESS = (
    "CREATE VIEW history AS WITH RECURSIVE c(rowid) AS (SELECT 1 UNION ALL SELECT rowid + 1 FROM c) "
    "SELECT rowid, 'a' AS memory_id, 'b' AS new_memory, 'ADD' AS event, '' AS created_at, '' AS updated_at FROM c"
)
VIRTUAL = "CREATE VIRTUAL TABLE history USING fts5(memory_id, new_memory, event, created_at, updated_at)"
COMPUTED = (
    "UPDATE sqlite_master SET sql = rtrim(sql, ') ' || char(10)) || ', x{} AS (hex(zeroblob(400000000))))' "
    "WHERE name = 'history'"
)
"""Adds a column to the table, without a change of its rows."""


def _limited(program: str, path: Path) -> str:
    """Run a reader in a process that has little time and memory; return what it gives, or its error."""
    code = (
        "import resource, sys; from pathlib import Path\n"
        "from ledger.errors import LedgerError; from tests.documents.other_memories.golden_files import memories\n"
        "resource.setrlimit(resource.RLIMIT_CPU, (10, 10)); resource.setrlimit(resource.RLIMIT_DATA, (256 << 20,) * 2)\n"
        "try: print([memory.text for memory in memories(sys.argv[1], Path(sys.argv[2]))[0]])\n"
        "except LedgerError as error: print(error)"
    )
    command = [sys.executable, "-c", code, program, str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (["DROP TABLE history", ENDLESS], "has no table history"),
        (["DROP TABLE history", VIRTUAL], "has no table history"),
        (["PRAGMA writable_schema = ON", COMPUTED.format("")], "Bob likes tea"),
        (["PRAGMA writable_schema = ON", COMPUTED.format(" NOT NULL")], "cannot be read as a database"),
        (['ALTER TABLE history ADD COLUMN "a ""b" TEXT'], "Bob likes tea"),
    ],
)
def test_a_database_makes_us_run_nothing(made: list[str], said: str, tmp_path: Path) -> None:
    """I-31: neither an endless view, nor a column whose values nobody has the memory for."""
    path = golden(tmp_path, "mem0/history.db")
    db = sqlite3.connect(path, isolation_level=None)
    for each in made:
        db.execute(each)
    db.close()
    assert said in _limited("mem0", path)


def test_of_a_large_database_only_its_beginning_is_read_to_know_it(tmp_path: Path) -> None:
    """I-31: a file of a gigabyte needs no gigabyte of memory."""
    path = golden(tmp_path, "mem0/history.db")
    os.truncate(path, 1 << 30)
    assert "Bob likes tea" in _limited("mem0", path)
    with pytest.raises(FormatError, match="has no table observations"):
        memories("claude-mem", path)


def test_a_record_that_is_nested_too_deeply_is_left_out_alone(tmp_path: Path) -> None:
    """I-31: and counted."""
    deep: object = "x"
    for _ in range(900):
        deep = [deep]
    rows = [{"id": "a", "memory": "one", "metadata": {"x": deep}}, {"id": "b", "memory": "two"}]
    found, said = memories("mem0", written(tmp_path / "all.json", rows))
    assert ([memory.text for memory in found], said) == (
        ["two"],
        ["1 nested too deeply; left out (number 1)"],
    )
    entities = [
        {"type": "entity", "name": name, "entityType": kind, "observations": ["one"]}
        for name, kind in (("a", deep), ("b", "x"))
    ]
    path = tmp_path / "memory.jsonl"
    path.write_text("\n".join(map(json.dumps, entities)))
    found, said = memories("server-memory", path)
    assert ([memory.text for memory in found], said) == (
        ["b: one"],
        ["1 nested too deeply; left out (line 1)"],
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "User likes tea.\n\nUser sells hats.\nAnd caps.\n",
            [("User likes tea.", ""), ("User sells hats.", "And caps.\n")],
        ),
        ("User likes tea.\r\nUser sells hats.", [("User likes tea.", ""), ("User sells hats.", "")]),
        ("\n\n", []),
        ("\ufeffone\n", [("one", "")]),
    ],
)
def test_a_list_of_chatgpt_gives_paragraphs_or_lines(
    text: str, found: list[tuple[str, str]], tmp_path: Path
) -> None:
    """I-37: lines where no line is blank."""
    path = tmp_path / "memories.txt"
    path.write_bytes(text.encode())
    read, said = memories("chatgpt", path)
    assert [(memory.text, memory.body) for memory in read] == found
    assert said == []
    assert not is_conversations(path)


def test_the_branch_that_was_shown_is_read(tmp_path: Path) -> None:
    """I-38: the earliest conversation first; hidden, tool and edited messages are none."""
    hidden = {"metadata": {"is_visually_hidden_from_conversation": True}}
    later = conversation("later", 1777900000.5, [("user", "two", {}), ("assistant", "Yes.", {})])
    sooner = conversation(
        "sooner",
        1777800000.5,
        [
            ("system", "you help", hidden),
            ("user", "about me", {"content": {"content_type": "user_editable_context"}}),
            ("user", "one", {}),
            ("assistant", "to a tool", {"recipient": "bio"}),
            ("tool", "done", {}),
            ("user", "", {"content": {"content_type": "multimodal_text", "parts": [{"x": 1}, "a picture"]}}),
        ],
        unused="one, but edited",
    )
    path = written(tmp_path / "conversations.json", [later, sooner, {"mapping": {}}])
    left_out = LeftOut()
    lines = [json.loads(line)["messages"] for line in read_conversations(path, left_out)]
    assert [[each["content"] for each in said] for said in lines] == [["one", "a picture"], ["two", "Yes."]]
    assert lines[0][0] == {
        "role": "user",
        "content": "one",
        "id": "sooner-2",
        "conversation_id": "sooner",
        "created_at": "2026-05-03T09:20:02.500000+00:00",
    }
    assert left_out.warnings() == ["1 without a message that can be read; left out (conversation 3)"]
    assert is_conversations(path)


_PLAIN = st.none() | st.booleans() | st.integers(-9, 10**12) | st.text()
_MEMBERS = "mapping current_node a message parent author content parts create_time".split()


@given(st.recursive(_PLAIN, lambda some: st.lists(some) | st.dictionaries(st.sampled_from(_MEMBERS), some)))
def test_any_json_is_conversations_or_one_error(value: object) -> None:
    """I-38: also a tree that goes in a circle."""
    with tempfile.TemporaryDirectory() as folder:
        path = written(
            Path(folder) / "conversations.json",
            [value, {"mapping": {"a": {"parent": "a"}}, "current_node": "a"}],
        )
        assert read_conversations(path, LeftOut()) == []
        written(path, {"a": value})
        with pytest.raises(FormatError, match="holds no conversation"):
            read_conversations(path, LeftOut())
