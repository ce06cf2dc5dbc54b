"""What `export` wrote is read back by `import`: the same memories, each once. Tests specs/import.md (I-30)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import orjson
import pytest

import muniment
from muniment import Memory, Provenance
from tests.cli.driver import run

LIFE = ("id", "seq", "fresh_since", "learned", "by", "supersedes", "archived", "stale")
"""What an import makes anew, or what is this machine's."""


def _rows(*options: str) -> list[dict[str, Any]]:
    return run("export", *options).ok().json_lines


def _said(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name not in LIFE} for row in rows]


def _dated(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**row, "provenance": {"date": row["learned"][:10], **row["provenance"]}} for row in rows]


def _documents(ledger: Path) -> dict[str, str]:
    """Return its documents, but for who wrote what names nobody: that is who imported it."""
    return {
        path.name: re.sub("discoveredBy: .*|by [a-z]+,", "", path.read_text())
        for path in ledger.rglob("*.md")
    }


@pytest.fixture
def exported(ledger: Path) -> Path:
    """A ledger with memories of every shape, exported as `e.jsonl` and `e.json`."""
    house = muniment.open(directory=ledger)
    origin = Provenance(
        conversation="c-1", session="s", agent="a", task="t", tool="x", file="f.md", author="ada"
    )
    old = house.store(Memory("Use npm")).id
    house.supersede(
        [old], Memory("Use pnpm", details=("a", "b"), tags=("js",), provenance=origin, confidence=0.5)
    )
    house.store(Memory("Prose", body="one\r\n\r\ntwo\n", type="note", section="House rules", inferred=True))
    house.store(Memory("Met the team", tier="daily"))
    house.store(
        Memory("How auth works", title="Auth", body="# A\n" * 9000, topic="code/auth", when_to_use=("login",))
    )
    house.store(Memory("Proposed", status="candidate"))
    gone = house.store(Memory("Gone")).id
    house.delete([gone])
    house.close()
    run("export", "--all", "-o", "e.jsonl").ok()
    Path("e.json").write_bytes(orjson.dumps(_rows("--all")))
    return ledger


@pytest.mark.parametrize("format_", ["jsonl", "json"])
def test_an_export_read_back_where_it_came_from_changes_nothing(exported: Path, format_: str) -> None:
    before = (exported / "chain.jsonl").read_bytes()
    done = run("import", f"e.{format_}", "--json").ok().json
    assert (done["new"], done["known"], done["confirmed"], done["files"][0]["left_out"]) == (0, 5, 0, 2)
    assert (exported / "chain.jsonl").read_bytes() == before


def test_what_was_taken_out_since_comes_not_back(exported: Path) -> None:
    (row,) = [row for row in _rows() if row["text"] == "Use pnpm"]
    run("delete", row["id"], terminal=True).ok()
    assert run("import", "e.jsonl", "--json").ok().json["new"] == 0
    assert "Use pnpm" not in [row["text"] for row in _rows()]


@pytest.mark.parametrize("format_", ["jsonl", "json"])
def test_an_export_in_a_new_ledger_gives_the_same_memories_once(
    exported: Path, tmp_path: Path, format_: str
) -> None:
    before = _rows()
    documents = _documents(exported)
    muniment.init(tmp_path / "other").close()
    other = ("--ledger", str(tmp_path / "other"))
    assert run("import", f"e.{format_}", *other, "--json").ok().json["new"] == 5
    after = _rows(*other)
    assert _said(after) == _said(_dated(before))
    assert _documents(tmp_path / "other") == documents
    assert run("import", f"e.{format_}", *other, "--json").ok().json["new"] == 0
    assert _rows(*other) == after


def test_a_row_that_was_broken_is_refused_alone(exported: Path) -> None:
    rows = [orjson.loads(line) for line in Path("e.jsonl").read_bytes().splitlines()]
    good = {**rows[1], "id": "0" * 64, "text": "A good one"}
    bad = [{**good, "importance": "huge"}, {**good, "details": "x"}, {**good, "provenance": {"nobody": "x"}}]
    Path("x.txt").write_bytes(b"\n".join(map(orjson.dumps, [rows[0], *bad, 7, good])) + b'\n{"id": "cut\n')
    done = run("import", "x.txt", "--json")
    assert (done.code, done.json["new"], done.json["refused"]) == (5, 1, 5)
    assert [each["line"] for each in done.json["files"][0]["refused"]] == [2, 3, 4, 5, 7]
