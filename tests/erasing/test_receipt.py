"""Tests erasing/receipt.py and `memledger verify FILE.receipt` against specs/erasure.md (Z-19…Z-27) and specs/cli.md (X-280, X-281)."""

from __future__ import annotations

from pathlib import Path

import pytest

import memledger
from erasing import receipt
from ledger.errors import FormatError
from proofs import note
from proofs.note import NoteKey
from tests.cli.driver import run, user_ledger
from tests.ledger.world import lines_of, overwrite

SECRET = "zyxwvutsrq31415 opens the cellar"


@pytest.fixture
def erased(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """A user's ledger of which one memory is erased, and the receipt that was given for it."""
    monkeypatch.chdir(tmp_path)
    home = user_ledger(SECRET, "the bicycle stands in the yard")
    path = tmp_path / "given.receipt"
    run("erase", "@1", "--receipt", path, "--yes").ok()
    return home, path


def vkey() -> str:
    return str(run("anchor", "checkpoint", "--json").ok().json["vkey"])


def test_a_stranger_can_check_it(erased: tuple[Path, Path], tmp_path: Path) -> None:
    """X-281, Z-23: by the key alone; without it that is an error, and not a verdict."""
    home, path = erased
    nobody = {"MEMLEDGER_HOME": str(tmp_path / "no"), "MEMLEDGER_STATE": str(tmp_path / "no-state")}
    done = run("verify", path, "--key", vkey(), "--json", env=nobody).ok()
    assert (done.json["compared"], done.json["searched"]) == (False, "before and behind")
    assert [each["seq"] for each in done.json["targets"]] == [1]
    assert done.json["beyond_reach"] == list(receipt.BEYOND)
    assert run("verify", path, env=nobody).code == 2
    other = NoteKey(done.json["origin"], bytes(range(32))).vkey
    assert run("verify", path, "--key", other, env=nobody).code == 5
    assert path.read_bytes() == next((home / "erasures").iterdir()).read_bytes()
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_key_of_another_epoch_is_the_same_ledgers(erased: tuple[Path, Path], tmp_path: Path) -> None:
    """Z-23: after a recover `key show` names it so; a key of another ledger by the same bytes is none."""
    nobody = {"MEMLEDGER_HOME": str(tmp_path / "no"), "MEMLEDGER_STATE": str(tmp_path / "no-state")}
    key = NoteKey.from_vkey(vkey())
    later = NoteKey(f"{key.name.rpartition('/')[0]}/7", key.public)
    run("verify", erased[1], "--key", later.vkey, env=nobody).ok()
    other = NoteKey(f"memledger/{'ab' * 32}/0", key.public)
    assert run("verify", erased[1], "--key", other.vkey, env=nobody).code == 5


def test_the_ledger_here_is_compared(erased: tuple[Path, Path]) -> None:
    """Z-24: a payload that is put back speaks against it."""
    home, path = erased
    assert "the ledger here agrees" in run("verify", path).ok().out
    said = receipt.parse(path.read_bytes())[0]
    chain = home / "chain.jsonl"
    assert receipt.against_chain(said, chain) == []
    lines = lines_of(chain)
    overwrite(chain, b"".join(lines[:3]))
    assert len(receipt.against_chain(said, chain)) == 2


def test_it_never_holds_the_text(erased: tuple[Path, Path]) -> None:
    """Z-6."""
    assert SECRET[:15].encode() not in erased[1].read_bytes()


def test_every_changed_byte_is_refused(erased: tuple[Path, Path]) -> None:
    """Z-20: text, blank line, signature."""
    data = erased[1].read_bytes()
    key = NoteKey.from_vkey(vkey())
    assert receipt.verify(data, [key]).searched == "before and behind"
    for at in range(0, len(data), 7):
        changed = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        with pytest.raises(FormatError):
            receipt.verify(changed, [key])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("searched before and behind\n", ""),
        ("searched before and behind\n", "searched before and behind\nsearched before\n"),
        ("beyond reach: ", "within reach: "),
        ("target ", "cleaned x y\ntarget "),
        (receipt.TITLE, "memledger erasure receipt v2"),
    ],
)
def test_a_text_of_other_lines_is_none(erased: tuple[Path, Path], old: str, new: str) -> None:
    """Z-20: whoever signed it."""
    parsed = note.parse(erased[1].read_bytes())
    text = parsed.text.decode().replace(old, new, 1).encode()
    with pytest.raises(FormatError):
        receipt.parse(note.Note(text, parsed.signatures).encode())


def test_a_checkpoint_is_no_receipt_and_a_receipt_no_checkpoint(
    erased: tuple[Path, Path], tmp_path: Path
) -> None:
    """Z-21."""
    made = tmp_path / "x.checkpoint"
    made.write_text(run("anchor", "checkpoint").ok().out)
    with pytest.raises(FormatError):
        receipt.parse(made.read_bytes())
    assert run("verify", "--checkpoint", erased[1]).code == 5


def test_a_receipt_replaces_no_file(erased: tuple[Path, Path]) -> None:
    """X-280: and then nothing is erased."""
    assert run("erase", "@2", "--receipt", erased[1], "--yes").code == 2
    assert "bicycle" in run("list").out


def test_after_a_rotation_an_old_receipt_still_verifies(erased: tuple[Path, Path]) -> None:
    """Z-23: by every key that was in force."""
    run("key", "rotate").ok()
    run("verify", erased[1]).ok()


# --- what a plain erase cleans (Z-26, Z-27) ---


def _said(folder: Path) -> receipt.Receipt:
    (path,) = (folder / "erasures").iterdir()
    return receipt.parse(path.read_bytes())[0]


OWN = ("index with full text and freed pages memory.db", "payload chain.jsonl")


def test_payload_index_and_each_document_that_held_it_stand_in_it(isolated: Path) -> None:
    """Z-26, Z-27: by paths from the ledger's folder; of two equal texts the document that has the other is named too."""
    directory = user_ledger("the cellar code is 4417 zeta", "something else")
    run("add", "the cellar code is 4417 zeta", "--section", "Elsewhere").ok()
    run("add", "the cellar code is 4417 zeta", "--topic", "house/cellar", "--title", "Cellar").ok()
    run("add", "nothing of it", "--topic", "house/yard", "--title", "Yard").ok()
    run("erase", "@1", "--yes").ok()
    said = _said(directory)
    assert said.cleaned == ("document MEMORY.md", *OWN)
    assert said.named == ()
    (path,) = (directory / "erasures").iterdir()
    assert b"4417" not in path.read_bytes()


def test_a_topic_file_that_went_with_it_is_not_named(isolated: Path) -> None:
    """Z-27: only what was erased gave it its name."""
    directory = user_ledger("something else")
    made = run("add", "the cellar code is 4417 zeta", "--topic", "house/cellar", "--title", "Cellar").ok()
    run("erase", made.id, "--yes").ok()
    assert not (directory / "memories" / "house" / "cellar.md").exists()
    said = _said(directory)
    assert f"document {receipt.WITHHELD}" in said.cleaned
    assert "cellar" not in "".join(said.cleaned)


def test_in_a_project_documents_stand_by_their_path_from_its_root(tmp_path: Path, isolated: Path) -> None:
    """Z-27: a receipt that is given away says nothing of where somebody's folders lie."""
    root = tmp_path / "work"
    root.mkdir()
    run("init", "--scope", "project", cwd=root).ok()
    run("add", "the cellar code is 4417 zeta", cwd=root).ok()
    run("erase", "@1", "--yes", "--receipt", tmp_path / "r", cwd=root).ok()
    said = receipt.parse((tmp_path / "r").read_bytes())[0]
    assert said.cleaned == ("document .memledger/MEMORY.md", *OWN)


def test_a_document_that_a_person_holds_back_is_named_and_not_called_cleaned(isolated: Path) -> None:
    """Z-8, Z-26: what somebody typed around it stays theirs."""
    directory = user_ledger("the cellar code is 4417 zeta", "something else")
    (directory / "MEMORY.md").unlink()
    (directory / "MEMORY.md").mkdir()
    (directory / "MEMORY.md" / "x").write_text("mine")
    run("erase", "@1", "--yes")
    assert _said(directory).cleaned == OWN


def test_after_a_death_the_next_write_says_what_was_cleaned(
    isolated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Z-16, Z-26: by the digests that the note has; before the event nothing is said."""

    class Died(BaseException):
        pass

    def dies(step: str) -> None:
        if step == "erase.synced":
            raise Died

    directory = user_ledger("the cellar code is 4417 zeta", "something else")
    with memledger.open() as memory, monkeypatch.context() as patch:
        patch.setattr("ledger.steps.observer", dies)
        with pytest.raises(Died):
            memory.erase(["@1"], "")
    run("add", "later").ok()
    said = _said(directory)
    assert (said.cleaned, said.searched) == (("document MEMORY.md", *OWN), "before")
