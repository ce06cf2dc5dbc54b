"""The receipt of an erasure: specs/erasure.md (Z-19, Z-20, Z-23…Z-27) and specs/cli.md (X-281)."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from ledger import note
from ledger.errors import FormatError
from ledger.note import NoteKey
from ledger.signing import SigningKey
from proofs.erasing import erasure_receipt
from tests.cli.driver import run, user_ledger
from tests.ledger.world import lines_of, overwrite
from tests.proofs.erasing.dying import erase_and_die

SECRET = "zyxwvutsrq31415 opens the cellar"


@pytest.fixture
def erased(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """A user's ledger of which one memory is erased, and the receipt that was given for it."""
    monkeypatch.chdir(tmp_path)
    home = user_ledger(SECRET, "the bicycle stands in the yard")
    path = tmp_path / "given.receipt"
    path.write_bytes(Path(run("erase", "@1", "--yes", "--json").ok().json["receipt"]).read_bytes())
    return home, path


def vkey() -> str:
    return str(run("anchor", "checkpoint", "--json").ok().json["vkey"])


def test_a_stranger_can_check_it(erased: tuple[Path, Path], tmp_path: Path) -> None:
    """X-281, Z-23: by the key alone; without it that is an error, and not a verdict."""
    home, path = erased
    nobody = {"MUNIMENT_HOME": str(tmp_path / "no"), "MUNIMENT_STATE": str(tmp_path / "no-state")}
    done = run("verify", path, "--key", vkey(), "--json", env=nobody).ok()
    assert (done.json["compared"], done.json["searched"]) == (False, "before and behind")
    assert [each["seq"] for each in done.json["targets"]] == [1]
    assert done.json["beyond_reach"] == list(erasure_receipt.BEYOND)
    assert run("verify", path, env=nobody).code == 2
    other = NoteKey(done.json["origin"], bytes(range(32))).vkey
    assert run("verify", path, "--key", other, env=nobody).code == 5
    assert path.read_bytes() == next((home / "erasures").iterdir()).read_bytes()


def test_a_key_of_another_epoch_is_the_same_ledgers(erased: tuple[Path, Path], tmp_path: Path) -> None:
    """Z-23: after a recover `key show` names it so; a key of another ledger by the same bytes is none."""
    nobody = {"MUNIMENT_HOME": str(tmp_path / "no"), "MUNIMENT_STATE": str(tmp_path / "no-state")}
    key = NoteKey.from_vkey(vkey())
    later = NoteKey(f"{key.name.rpartition('/')[0]}/7", key.public)
    run("verify", erased[1], "--key", later.vkey, env=nobody).ok()
    other = NoteKey(f"muniment/{'ab' * 32}/0", key.public)
    assert run("verify", erased[1], "--key", other.vkey, env=nobody).code == 5


def test_the_ledger_here_is_compared(erased: tuple[Path, Path]) -> None:
    """Z-24: a payload that is put back speaks against it."""
    home, path = erased
    assert "the ledger here agrees" in run("verify", path).ok().out
    chain = home / "chain.jsonl"
    said, signers = erasure_receipt.verify(path.read_bytes(), [NoteKey.from_vkey(vkey())])
    assert erasure_receipt.against_chain(said, chain, signers) == []
    lines = lines_of(chain)
    overwrite(chain, b"".join(lines[:3]))
    assert len(erasure_receipt.against_chain(said, chain, signers)) == 2


def test_it_never_holds_the_text(erased: tuple[Path, Path]) -> None:
    """Z-6."""
    assert SECRET[:15].encode() not in erased[1].read_bytes()


def test_every_changed_byte_is_refused(erased: tuple[Path, Path]) -> None:
    """Z-20: text, blank line, signature."""
    data = erased[1].read_bytes()
    key = NoteKey.from_vkey(vkey())
    assert erasure_receipt.verify(data, [key])[0].searched == "before and behind"
    for at in range(0, len(data), 7):
        changed = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        with pytest.raises(FormatError):
            erasure_receipt.verify(changed, [key])


def test_a_text_of_other_lines_is_none(erased: tuple[Path, Path]) -> None:
    """Z-20: whoever signed it."""
    parsed = note.parse(erased[1].read_bytes())
    for old, new in (
        ("searched before and behind\n", ""),
        ("searched before and behind\n", "searched before and behind\nsearched before\n"),
        ("beyond reach: ", "within reach: "),
        ("target ", "cleaned x y\ntarget "),
        (erasure_receipt.TITLE, "muniment erasure receipt v2"),
    ):
        text = parsed.text.decode().replace(old, new, 1).encode()
        with pytest.raises(FormatError):
            erasure_receipt.parse(note.Note(text, parsed.signatures).encode())


def test_a_checkpoint_is_no_receipt_and_a_receipt_no_checkpoint(
    erased: tuple[Path, Path], tmp_path: Path
) -> None:
    """Z-20."""
    made = tmp_path / "x.checkpoint"
    made.write_text(run("anchor", "checkpoint").ok().out)
    with pytest.raises(FormatError):
        erasure_receipt.parse(made.read_bytes())
    assert run("verify", "--checkpoint", erased[1]).code == 5


def test_after_a_rotation_an_old_receipt_still_verifies(erased: tuple[Path, Path]) -> None:
    """Z-23: by every key that was in force."""
    run("key", "rotate").ok()
    run("verify", erased[1]).ok()


# --- what a plain erase cleans (Z-26, Z-27) ---


def _said(folder: Path) -> erasure_receipt.ErasureReceipt:
    (path,) = (folder / "erasures").iterdir()
    return erasure_receipt.parse(path.read_bytes())[0]


OWN = ("index with full text and freed pages memory.db", "payload chain.jsonl")


def test_payload_index_and_documents_stand_in_it(isolated: Path) -> None:
    """Z-26, Z-27: by paths from the ledger's folder."""
    directory = user_ledger("the cellar code is 4417 zeta", "something else")
    run("add", "the cellar code is 4417 zeta", "--section", "Elsewhere").ok()
    run("add", "the cellar code is 4417 zeta", "--topic", "house/cellar", "--title", "Cellar").ok()
    run("add", "nothing of it", "--topic", "house/yard", "--title", "Yard").ok()
    run("erase", "@1", "--yes").ok()
    said = _said(directory)
    assert said.cleaned == ("documents .", *OWN)
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
    assert "cellar" not in "".join(said.cleaned)


def test_in_a_project_documents_stand_by_their_path_from_its_root(tmp_path: Path, isolated: Path) -> None:
    """Z-27: a receipt that is given away says nothing of where somebody's folders lie."""
    root = tmp_path / "work"
    root.mkdir()
    run("init", "--scope", "project", cwd=root).ok()
    run("add", "the cellar code is 4417 zeta", cwd=root).ok()
    receipt = Path(run("erase", "@1", "--yes", "--json", cwd=root).ok().json["receipt"])
    said = erasure_receipt.parse(receipt.read_bytes())[0]
    assert said.cleaned == ("documents .muniment", *OWN)


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
    """Z-16, Z-26."""
    directory = user_ledger("the cellar code is 4417 zeta", "something else")
    erase_and_die("@1", monkeypatch)
    run("add", "later").ok()
    said = _said(directory)
    assert (said.cleaned, said.searched) == (("documents .", *OWN), "before")


# --- what the chain says against it (Z-24) ---


def resigned(path: Path, old: str, new: str, key: SigningKey) -> Path:
    """Put a receipt beside one that says something else in one place, signed by `key`."""
    said, parsed = erasure_receipt.parse(path.read_bytes())
    text = parsed.text.decode()
    assert old in text
    text = text.replace(old, new, 1)
    forged = path.with_name("forged.receipt")
    data = text.encode()
    forged.write_bytes(note.Note(data, (note.sign(data, said.origin, key),)).encode())
    return forged


def own_key(home: Path) -> SigningKey:
    (path,) = (home / "keys").glob("*.key")
    return SigningKey(bytes.fromhex(orjson.loads(path.read_bytes())["seed"]))


@pytest.mark.parametrize(
    ("what", "at", "said"),
    [
        ("erase", 2, "is another in the chain"),
        ("target", 1, "another place"),
    ],
)
def test_another_place_or_time_than_the_chains_is_a_finding(
    erased: tuple[Path, Path], what: str, at: int, said: str
) -> None:
    """Z-24: whoever signed it; the id alone would leave its seq and time to whoever wrote the receipt."""
    home, path = erased
    line = next(each for each in path.read_text().splitlines() if each.startswith(f"{what} "))
    words = line.split(" ")
    words[at + 1] = "9" if at == 1 else "2001-01-01T00:00:00.000000Z"
    done = run("verify", resigned(path, line, " ".join(words), own_key(home)))
    assert (done.code, said in done.out) == (1, True)


def test_a_target_that_the_chain_does_not_have_is_a_finding(erased: tuple[Path, Path]) -> None:
    """Z-24."""
    home, path = erased
    done = run("verify", resigned(path, "target ", f"target {'ab' * 32} 7\ntarget ", own_key(home)))
    assert (done.code, "the chain has no event abababababab (@7)" in done.out) == (1, True)


def test_a_key_that_was_out_of_use_signs_no_receipt(erased: tuple[Path, Path]) -> None:
    """Z-24: a plain rotation ends what the old key says of later erasures; of earlier ones it stands."""
    home, path = erased
    old = own_key(home)
    run("key", "rotate").ok()
    run("verify", path).ok()
    later = Path(run("erase", "@2", "--yes", "--json").ok().json["receipt"])
    run("verify", later).ok()
    done = run("verify", resigned(later, "at 2", "at 2", old))
    assert (done.code, "was not in force" in done.out) == (1, True)


@pytest.mark.parametrize(("since", "code"), [("@3", 1), ("@4", 0)])
def test_what_a_stolen_key_signed_is_no_good_receipt(
    erased: tuple[Path, Path], since: str, code: int
) -> None:
    """Z-24, N-24: where the erase itself is disowned, so is the receipt; one of before the theft stands."""
    _, path = erased
    run("add", "something later").ok()
    run("key", "rotate", "--stolen", "--first", since).ok()
    assert run("verify", path).code == code


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("searched before and behind\n", "searched everywhere\n"),
        ("at 2", "at the end of 2"),
    ],
)
def test_what_is_not_spelt_as_it_must_be_is_none(erased: tuple[Path, Path], old: str, new: str) -> None:
    """Z-20: by the right key, too."""
    home, path = erased
    assert run("verify", resigned(path, old, new, own_key(home))).code == 5


def test_a_strangers_receipt_turns_no_writing_on_a_terminal(erased: tuple[Path, Path]) -> None:
    """A-9: a path may have such signs; it is printed without."""
    home, path = erased
    forged = resigned(path, "beyond reach: git", "beyond reach: \u202egit", own_key(home))
    done = run("verify", forged).ok()
    assert "\u202e" not in done.out
    assert "beyond reach: <U+202E>git" in done.out
