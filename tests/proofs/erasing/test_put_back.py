"""A text that was erased and stands in the chain again: noted by verify, blanked by what is asked next.

Tests projections/restored_payloads.py and keeping.py against specs/chain.md (C-20) and specs/cli.md (X-28, X-80).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from proofs.erasing import erasure_receipt
from tests.cli.driver import run, user_ledger
from tests.ledger.world import lines_of, overwrite
from tests.proofs.erasing.dying import erase_and_die

SECRET, OTHER = "zyxwvutsrq31415 opens the cellar", "the bicycle stands in the yard"


@pytest.fixture
def back(isolated: Path) -> tuple[Path, Callable[[], None]]:
    """A ledger of which @1 is erased, and what puts its text back into the chain."""
    home = user_ledger(SECRET, OTHER)
    chain = home / "chain.jsonl"
    before = lines_of(chain)[1]
    run("erase", "@1", "--yes").ok()

    def put() -> None:
        lines = lines_of(chain)
        overwrite(chain, b"".join([lines[0], before, *lines[2:]]))
        assert SECRET.encode() in chain.read_bytes()

    put()
    return home, put


def stands(home: Path) -> bool:
    return SECRET.encode() in (home / "chain.jsonl").read_bytes()


@pytest.mark.parametrize("asked", [("@1",), ("--match", SECRET)])
def test_the_same_erase_blanks_it_again_without_another_event(
    back: tuple[Path, Callable[[], None]], asked: tuple[str, ...]
) -> None:
    """X-28: it was refused as erased already, and the text stood."""
    home, _ = back
    (home / "chain.jsonl.torn-20260101T000000.000000Z").write_bytes(lines_of(home / "chain.jsonl")[1])
    events = len(lines_of(home / "chain.jsonl"))
    (named,) = [each["id"] for each in run("log", "--kind", "erase", "--json").json_lines]
    done = run("erase", *asked, "--yes", "--json").ok().json
    assert (done["id"], len(done["erased"]), stands(home)) == (named, 1, False)
    assert [each["kind"] for each in done["cleaned"]] == ["torn tail"]
    assert len(lines_of(home / "chain.jsonl")) == events
    run("verify", next((home / "erasures").iterdir())).ok()
    run("verify").ok()
    again = run("erase", *asked, "--yes")
    assert again.code == (3 if asked[0] == "--match" else 0), "a second time is none (X-28)"
    assert len(lines_of(home / "chain.jsonl")) == events


def test_an_erase_of_something_else_blanks_it_too(back: tuple[Path, Callable[[], None]]) -> None:
    """X-28: each event has its own receipt."""
    home, _ = back
    run("erase", "@2", "--yes").ok()
    assert not stands(home)
    said = [erasure_receipt.parse(path.read_bytes())[0] for path in sorted((home / "erasures").iterdir())]
    assert sorted(seq for each in said for _, seq in each.targets) == [1, 2]
    assert all(len(each.targets) == 1 for each in said)
    run("verify").ok()


def test_the_receipt_says_that_the_text_stands(back: tuple[Path, Callable[[], None]]) -> None:
    """Z-24: with a key and without; a chain that was cut before the erase lacks its event."""
    home, _ = back
    (path,) = (home / "erasures").iterdir()
    vkey = run("key", "show", "--json").ok().json["vkey"]
    for key in ((), ("--key", vkey)):
        done = run("verify", path, *key)
        assert (done.code, "(@1) is in the chain" in done.out) == (1, True)
    lines = lines_of(home / "chain.jsonl")
    overwrite(home / "chain.jsonl", b"".join(lines[:3]))
    done = run("verify", path)
    assert (done.code, "the chain has no erase event" in done.out) == (1, True)
    overwrite(
        home / "chain.jsonl", b"".join([lines[0], lines[1].replace(b'"seq":1', b'"seq":2'), *lines[2:]])
    )
    done = run("verify", path, "--key", vkey).ok()
    assert "it was compared with no ledger" in done.out
    assert "the ledger here is not sound" in done.err


def test_verify_notes_it_and_changes_nothing(back: tuple[Path, Callable[[], None]]) -> None:
    """X-80: the next command of any kind blanks it (Z-16)."""
    home, put = back
    assert run("verify").code == 1
    assert stands(home)
    assert "a text is still there" not in run("status").out
    assert not stands(home)
    put()
    run("replay").ok()
    assert not stands(home)


def test_an_erase_that_died_has_a_receipt_of_its_own_beside_the_next_ones(
    isolated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Z-16: the next command may be an erase, too."""
    home = user_ledger(SECRET, OTHER)
    erase_and_die("@1", monkeypatch)
    run("erase", "@2", "--yes").ok()
    said = [erasure_receipt.parse(path.read_bytes())[0] for path in (home / "erasures").iterdir()]
    assert sorted((each.targets[0][1], each.searched) for each in said) == [
        (1, "before"),
        (2, "before and behind"),
    ]
