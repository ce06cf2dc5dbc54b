"""The page's verifier judges a part of a chain, and heads without payloads (specs/report.md H-5, H-6)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

import muniment
from ledger.memory import Memory
from ledger.note import NoteKey
from muniment import MemoryLedger
from tests.cli.driver import run
from tests.report.page_data import about_of, data_of
from tests.report.verifier import Ask, b64


@pytest.fixture
def memory(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MemoryLedger:
    """A ledger with memories before and after a rotation of its key, which is @3."""
    monkeypatch.chdir(tmp_path)
    made = muniment.init()
    made.store(Memory("Use npm"))
    made.store(Memory("Use tabs"))
    run("key", "rotate").ok()
    made.store(Memory("Use pnpm"))
    made.store(Memory("Use spaces"))
    return made


def judged(ask: Ask, page: str, *, change: bytes = b"", **given: Any) -> dict[str, Any]:
    """Return what the verifier says of a page's chain as the page asks it."""
    about, data = about_of(page), data_of(page, "chain-0")
    [chain] = about["chains"]
    known = {"mark": chain["mark"], "from": chain["from"], "texts": about["texts"], **given}
    [report] = ask("reports", [{"chain": b64(data.replace(change, change.upper())), "given": known}])
    return dict(report)


def since(memory: MemoryLedger, seq: int) -> str:
    line = orjson.loads(memory.workspace.chain.read_bytes().splitlines()[seq])
    return run("report", "-o", "-", "--since", line["event"]["ts"]).ok().out


def newest_key(memory: MemoryLedger) -> NoteKey:
    return NoteKey.from_vkey(run("key", "show", "--json").ok().json["vkey"])


@pytest.mark.parametrize("seq", [1, 3, 4, 5])
def test_a_part_is_verified_from_its_first_line(memory: MemoryLedger, ask_node: Ask, seq: int) -> None:
    """With the line numbers of the whole chain, up to the mark; what came before is named."""
    report = judged(ask_node, since(memory, seq))
    assert (report["integrity"]["state"], report["completeness"]["state"]) == ("sound", "sound")
    assert [line["line"] for line in report["lines"]] == list(range(seq + 1, 7))
    assert f"Events up to @{seq - 1} are not in this file" in report["integrity"]["sentence"]
    assert report["genesis"] == memory.recall.event("@0").id


def test_a_fault_in_a_part_is_named_as_in_the_whole(memory: MemoryLedger, ask_node: Ask) -> None:
    page = since(memory, 4)
    [fault] = judged(ask_node, page, change=b"pnpm")["integrity"]["findings"]
    chain = memory.workspace.chain
    chain.write_bytes(chain.read_bytes().replace(b"pnpm", b"PNPM"))
    [right] = run("verify", "--json").json["integrity"]["findings"]
    assert {name: fault[name] for name in ("code", "line", "seq", "id")} == {
        name: right[name] for name in ("code", "line", "seq", "id")
    }


def test_a_part_that_follows_another_event_is_not_sound(memory: MemoryLedger, ask_node: Ask) -> None:
    page = since(memory, 4)
    before = about_of(page)["chains"][0]["from"]
    report = judged(ask_node, page, **{"from": before | {"id": "0" * 64}})
    assert [each["code"] for each in report["integrity"]["findings"]] == ["prev"]


def test_a_key_counts_where_it_signed_the_part(memory: MemoryLedger, ask_node: Ask) -> None:
    """Whoever makes the file says what key and commitment come before it: nothing that rests on that alone counts."""
    newest = newest_key(memory)
    first = NoteKey(newest.name, bytes.fromhex(about_of(since(memory, 1))["chains"][0]["from"]["key"]))
    other = NoteKey(f"muniment/{'0' * 64}/0", newest.public)
    for seq, key, counts in ((4, newest, True), (3, newest, True), (1, first, False), (4, first, False)):
        report = judged(ask_node, since(memory, seq), vkey=key.vkey)
        assert ("error" not in report) == counts, (seq, key)
        assert not counts or (report["isKnown"], report["integrity"]["state"]) == (True, "sound")
    foreign = judged(ask_node, since(memory, 4), vkey=other.vkey)
    assert foreign["integrity"]["findings"][0]["code"] == "foreign-chain"


def test_heads_alone_are_sound_and_their_commitments_not_checked(memory: MemoryLedger, ask_node: Ask) -> None:
    """Up to the mark, whose place is that in this file; a page that promises texts lacks them."""
    page = run("report", "-o", "-", "--no-text").ok().out
    report = judged(ask_node, page)
    assert (report["integrity"]["state"], report["completeness"]["state"]) == ("sound", "sound")
    assert "Texts are not in this file" in report["integrity"]["sentence"]
    assert report["lines"][1]["checks"]["commitment"] == "not checked"
    assert report["payloads"]["present"] == 0
    lacking = judged(ask_node, page, texts=True)
    assert {each["code"] for each in lacking["integrity"]["findings"]} == {"payload-missing"}
