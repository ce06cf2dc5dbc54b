"""Tests proofs/erasing/ against specs/erasure.md (Z-5…Z-19): no byte of ours holds it, and everything else stands.

Real files of every kind that our own commands leave, searched byte by byte.
"""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import muniment
from learning.outbox import Outbox
from ledger import reader
from muniment import Memory, MemoryLedger
from projections.local import Local
from proofs.erasing.erasure_receipt import WITHHELD
from tests.cli.driver import run, user_ledger
from tests.learning.taking_in import said

SECRET = "zyxwvutsrq31415 opens the cellar"
OTHER = "the bicycle stands in the yard"


def holding(*folders: Path, text: str = SECRET) -> list[str]:
    """Return the files below that hold a text: plain, or as JSON has it, or in a gzip archive."""
    forms = {
        text.encode(),
        json.dumps(text)[1:-1].encode(),
        json.dumps(text, ensure_ascii=False)[1:-1].encode(),
    }
    found = []
    for path in [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]:
        data = path.read_bytes()
        data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
        found += [path.name] if any(form in data for form in forms) else []
    return found


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, str]:
    """A user's ledger that says SECRET and OTHER; its home and the id of the first."""
    monkeypatch.chdir(tmp_path)
    home = user_ledger(SECRET, OTHER)
    (one,) = [entry["id"] for entry in run("list", "--json").json_lines if entry["text"] == SECRET]
    return home, one


def erase(one: str, code: int = 0) -> dict[str, list[object]]:
    done = run("erase", one, "--yes", "--json")
    assert done.code == code, done.err
    assert SECRET not in done.out + done.err
    return dict(done.json)


# --- each kind of copy (Z-8) ---


@pytest.mark.parametrize("cut", [0, 60, -2])
def test_a_torn_tail_loses_it_wherever_it_is_cut(two: tuple[Path, str], cut: int) -> None:
    """Z-10: a line that was never acknowledged, and is no event any more."""
    home, one = two
    line = (home / "chain.jsonl").read_bytes().splitlines()[1]
    torn = home / "chain.jsonl.torn-20260101T000000.000000Z"
    text_at = line.find(SECRET.encode())
    torn.write_bytes(line[:cut] if cut < 0 else line[: text_at + 8 + cut])
    size = torn.stat().st_size
    erase(one)
    assert torn.stat().st_size == size
    assert SECRET[:8].encode() not in torn.read_bytes()


def test_copies_that_recover_kept_lose_it(two: tuple[Path, str]) -> None:
    """Z-8: the index as it was before a recovery goes; what else the documents say stays."""
    home, one = two
    kept = home / "before-recover-20260101T000000.000000Z"
    kept.mkdir()
    run("search", "bicycle").ok()  # the full text, too
    for name in ("memory.db", "memory.db-wal", "MEMORY.md"):
        if (home / name).exists():
            shutil.copy(home / name, kept / name)
    erase(one)
    assert holding(home) == []
    assert OTHER in (kept / "MEMORY.md").read_text()
    assert sorted(path.name for path in kept.iterdir()) == ["MEMORY.md"]


def test_a_spool_file_keeps_what_else_it_says(two: tuple[Path, str]) -> None:
    """Z-8."""
    _, one = two
    spool = muniment.home().state / "hooks" / "spool" / "0.json"
    spool.parent.mkdir(parents=True)
    spool.write_text(json.dumps({"transcript": "/some/where", "said": f"Noted: {SECRET}"}))
    erase(one)
    assert json.loads(spool.read_text()) == {"transcript": "/some/where", "said": ""}


def test_local_state_loses_it(two: tuple[Path, str]) -> None:
    """Z-8: also in its free pages."""
    home, one = two
    local = Local(home)
    local.archive({one: f"says {SECRET}"}, 0)
    local.close()
    erase(one)
    assert holding(home) == []
    assert Local(home).archived()[one][1] == ""


def test_an_export_loses_its_row_and_nothing_else(two: tuple[Path, str], tmp_path: Path) -> None:
    """Z-9, Z-14: as if it had been written behind the erasure."""
    _, one = two
    run("export", "-o", tmp_path / "out").ok()
    assert [each["kind"] for each in erase(one)["cleaned"]] == ["export"]  # type: ignore[index]
    run("export", "-o", tmp_path / "anew").ok()
    assert (tmp_path / "out").read_bytes() == (tmp_path / "anew").read_bytes()
    third = run("add", "a third thing that is here").id
    run("export", "-o", tmp_path / "third").ok()
    assert [each["path"] for each in erase(third)["cleaned"]] == [str(tmp_path / "third")]  # type: ignore[index]


def test_a_proof_loses_its_text_and_still_proves(two: tuple[Path, str], tmp_path: Path) -> None:
    """Z-9, Z-14: that the event was there."""
    _, one = two
    vkey = run("anchor", "checkpoint", "--json").ok().json["vkey"]
    run("prove", one, "-o", tmp_path / "one.proof").ok()
    run("prove", "@2", "-o", tmp_path / "other.proof").ok()
    other = (tmp_path / "other.proof").read_bytes()
    assert [each["kind"] for each in erase(one)["cleaned"]] == ["proof"]  # type: ignore[index]
    shown = run("verify", tmp_path / "one.proof", "--key", vkey, "--json").ok().json
    assert (shown["id"], shown["payload"]) == (one, None)
    assert (tmp_path / "other.proof").read_bytes() == other


@pytest.mark.parametrize("typed", ["{}\n", '{"id": "mine", "text": "a row that is as good as ours"}\n'])
def test_an_export_that_somebody_changed_is_named_and_stays(
    two: tuple[Path, str], tmp_path: Path, typed: str
) -> None:
    """Z-8, X-31: data first; what could be cleaned as well as ours stays, too."""
    _, one = two
    run("export", "-o", tmp_path / "out").ok()
    with (tmp_path / "out").open("a") as file:
        file.write(typed)
    before = (tmp_path / "out").read_bytes()
    assert erase(one, 1)["still_in"] == [str(tmp_path / "out")]
    assert (tmp_path / "out").read_bytes() == before


def test_a_backup_is_named_and_stays(two: tuple[Path, str], tmp_path: Path) -> None:
    """Z-9: its members are searched."""
    _, one = two
    run("backup", tmp_path / "whole.tar.gz").ok()
    assert erase(one, 1)["still_in"] == [str(tmp_path / "whole.tar.gz")]
    other = run("add", "a third thing that is here").id
    assert erase(other)["still_in"] == []


def test_a_half_made_chain_loses_it(two: tuple[Path, str]) -> None:
    """Z-8: what a process that died in a recovery left."""
    home, one = two
    shutil.copy(home / "chain.jsonl", home / ".chain.jsonl.4711-0.tmp")
    erase(one)
    assert holding(home) == []


def test_a_local_state_that_was_set_aside_goes(two: tuple[Path, str]) -> None:
    """Z-8: it is bookkeeping, and what was erased could be guessed by it."""
    home, one = two
    damaged = home / "local.db.damaged-20260101T000000.000000Z"
    damaged.write_bytes(b"no database any more")
    assert erase(one)["cleaned"] == [{"kind": "damaged local state", "path": str(damaged)}]
    assert not damaged.exists()


def test_what_the_chain_says_twice_stays_once(two: tuple[Path, str], tmp_path: Path) -> None:
    """Z-5: row, line, full text, export and torn tail of the equal one."""
    home, one = two
    other = run("add", SECRET, "--section", "Elsewhere").id
    run("export", "-o", tmp_path / "out").ok()
    shutil.copy(home / "chain.jsonl", home / "chain.jsonl.torn-20260101T000000.000000Z")
    erase(one)
    assert [entry["id"][:12] for entry in run("list", "--json").json_lines if entry["text"] == SECRET] == [
        other
    ]
    assert (home / "MEMORY.md").read_text().count(SECRET) == 1
    assert other in run("search", "cellar").out
    assert (tmp_path / "out").read_text().count(SECRET) == 1
    assert run("verify").code == 0


def test_the_file_behind_a_linked_document_is_named(two: tuple[Path, str], tmp_path: Path) -> None:
    """Z-8: the link goes when the document is written (P-86), and what it led to stays."""
    home, one = two
    behind = tmp_path / "dotfiles.md"
    (home / "MEMORY.md").rename(behind)
    (home / "MEMORY.md").symlink_to(behind)
    assert str(behind) in erase(one, code=1)["still_in"]
    (receipt,) = (home / "erasures").iterdir()
    assert "named file behind a link" in receipt.read_text()


def test_what_git_checked_out_into_another_worktree_is_named(tmp_path: Path, isolated: Path) -> None:
    """Z-8: before anything of ours was written there; what is rendered there then is rid of it."""
    root, other = tmp_path / "root", tmp_path / "other"
    root.mkdir()

    def git(*words: str | Path) -> None:
        who = ("-c", "user.name=ada", "-c", "user.email=ada@example.org")
        subprocess.run(["git", "-C", root, *who, *words], check=True, capture_output=True)

    git("init", "-q")
    run("init", "--scope", "project", cwd=root).ok()
    run("add", SECRET, cwd=root).ok()
    git("add", "-A")
    git("commit", "-qm", "what is known")
    git("worktree", "add", "-q", other)
    document = other / ".muniment/MEMORY.md"
    assert SECRET in document.read_text()
    done = run("erase", "@1", "--yes", cwd=root)
    assert done.code == 1
    assert f"STILL THERE: {document} holds it; run muniment replay in that worktree" in done.err
    run("replay", cwd=other).ok()
    assert SECRET not in document.read_text()
    assert run("list", "--json", cwd=other).out == ""


def test_a_path_that_says_it_is_withheld(two: tuple[Path, str], tmp_path: Path) -> None:
    """Z-6, Z-27."""
    home, one = two
    run("backup", tmp_path / f"{SECRET}.tar.gz").ok()
    done = run("erase", one, "--yes")
    assert done.code == 1
    (receipt,) = (home / "erasures").iterdir()
    assert WITHHELD in receipt.read_text()
    assert SECRET not in receipt.read_text()


# --- any ledger (Z-5…Z-8) ---

_WORDS = st.lists(st.from_regex(r"[a-zäß][a-zäß\"\\'#*]{1,8}", fullmatch=True), min_size=4, max_size=9).map(
    " ".join
)


@settings(max_examples=settings().max_examples // 4, suppress_health_check=list(HealthCheck))
@given(
    texts=st.lists(_WORDS, min_size=2, max_size=6, unique=True),
    going=st.lists(st.integers(0, 5), min_size=1, max_size=3),
    equal=st.booleans(),
    daily=st.booleans(),
)
def test_no_byte_of_ours_holds_what_was_erased(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], going: list[int], *, equal: bool, daily: bool
) -> None:
    """Z-8: of ledger, documents and state; what was not erased is found where it was."""
    base = tmp_path_factory.mktemp("any")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MUNIMENT_HOME", str(base / "home"))
        patch.setenv("MUNIMENT_STATE", str(base / "state"))
        with muniment.init() as memory:
            ids = {
                text: memory.store(
                    Memory(text, details=(f"more of {text}",), tier="daily" if daily else "curated")
                ).id
                for text in texts
            }
            gone = {texts[each % len(texts)] for each in going}
            kept = [text for text in texts if text not in gone]
            _copies(memory, texts)
            twin = memory.store(Memory(min(gone), section="Elsewhere")).id if equal else ""
            assert memory.search("more") is not None
            memory.erasures.erase([ids[text] for text in gone], "")
            assert memory.erasures.last is not None
            assert memory.erasures.last.named == []
            stands = {entry.memory.text for entry in memory.load_all()}
            assert stands == {*kept, *([min(gone)] if equal else [])}
        for text in gone:
            if not (equal and text == min(gone)) and not any(
                text in other for other in [*kept, *(gone - {text})]
            ):
                assert holding(base, text=text) == [], text
        for text in kept:
            assert {"chain.jsonl", "memory.db"} & set(holding(base, text=text))
        payloads = {event.id: event.payload for event in reader.events(base / "home" / "chain.jsonl")}
        assert all(payloads[ids[text]] for text in kept)
        assert not twin or payloads[twin]
        with muniment.open(base / "home") as memory:
            assert memory.upkeep.verify().sound


def _copies(memory: MemoryLedger, texts: list[str]) -> None:
    """Leave what a torn write, a detector without a ledger and a hook leave."""
    directory = memory.workspace.place.directory
    (directory / "chain.jsonl.torn-20260101T000000.000000Z").write_bytes(
        memory.workspace.chain.read_bytes()[:-9]
    )
    outbox = Outbox(memory.workspace.home.state, memory.workspace.ledger.identity.id)
    for text in texts:
        outbox.keep(said(text))
    spool = memory.workspace.home.state / "hooks" / "spool" / "0.json"
    spool.parent.mkdir(parents=True)
    spool.write_text(json.dumps({"said": "\n".join(texts)}))
