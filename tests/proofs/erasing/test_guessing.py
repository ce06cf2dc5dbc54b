"""Tests proofs/erasing/ against specs/erasure.md (Z-30): who has all that is left cannot guess what was erased."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import muniment
from tests.agents.hooks.calling import event, hook, settled
from tests.cli.driver import run
from tests.learning.agents_folder import make, memory_of, write
from tests.learning.transcripts.writing import jsonl, person
from tests.proofs.erasing.guesser import CODE, Guesser

# --- ways in which a ledger learns it ---


def _added(guesser: Guesser, home: Path, base: Path) -> None:
    run("add", f"The door code is {CODE}").ok()
    guesser.tell(f"The door code is {CODE}")


def _replaced(guesser: Guesser, home: Path, base: Path) -> None:
    id_ = run("add", f"The door code is {CODE}").id
    guesser.watch(home)
    run("add", "something between").ok()
    guesser.watch(home)
    run("supersede", id_, "The door code changed").ok()
    guesser.tell(f"The door code is {CODE}")


def _typed(guesser: Guesser, home: Path, base: Path) -> None:
    document = home / "MEMORY.md"
    document.write_text(document.read_text() + f"\n- The door code is {CODE}\n")
    guesser.watch(home)
    run("adopt").ok()
    guesser.tell(f"The door code is {CODE}")


def _prompted(guesser: Guesser, home: Path, base: Path) -> None:
    hook(event("UserPromptSubmit", prompt=f"Remember that the door code is {CODE}."))
    settled()
    guesser.tell(f"Remember that the door code is {CODE}.", f"The door code is {CODE}")


def _captured(guesser: Guesser, home: Path, base: Path) -> None:
    said = f"Remember that the door code is {CODE}."
    transcript = base / "transcript.jsonl"
    transcript.write_bytes(jsonl(person(said)))
    run("capture", transcript).ok()
    guesser.known.add(transcript.read_text())
    guesser.tell(said)
    transcript.unlink()


def _in_the_buffer(guesser: Guesser, home: Path, base: Path) -> None:
    buffer = home / "session-buffer.md"
    buffer.write_text(f"- The door code is {CODE}\n")
    run("checkpoint").ok()
    guesser.known |= {buffer.read_text(), f"The door code is {CODE}"}
    buffer.unlink()


def _of_an_agent(guesser: Guesser, home: Path, base: Path) -> None:
    shop = make(base / "shop")
    write(shop, "- Run `make ship` to deploy", f"- The door code is {CODE}")
    run("sync", "--from", "claude-code", memory_of(shop)).ok()
    guesser.tell(f"The door code is {CODE}")
    write(shop, f"- The door code is {CODE}\n", "")


def _given_away(guesser: Guesser, home: Path, base: Path) -> None:
    _added(guesser, home, base)
    for name, command in (("out.csv", ["export"]), ("a.proof", ["prove", "@3"])):
        path = base / name
        run(*command, "-o", path).ok()
        guesser.known |= {text for text in [path.read_text()] if CODE in text}
        path.unlink()


WAYS = (
    _replaced,
    _typed,
    _prompted,
    _captured,
    _in_the_buffer,
    _of_an_agent,
    _given_away,
)


@pytest.mark.parametrize(
    ("way", "named"), [(way, ("its id", "its text")[at % 2]) for at, way in enumerate(WAYS)]
)
def test_a_guesser_cannot_tell_the_right_code(
    way: Callable[[Guesser, Path, Path], None],
    named: str,
    isolated: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Z-30: not by what the ledger kept, nor by a backup of it."""
    monkeypatch.chdir(tmp_path)
    base = tmp_path / "elsewhere"
    base.mkdir()
    with muniment.init() as memory:
        home = memory.workspace.place.directory
    for text in ("Use pnpm, not npm", "The bicycle stands in the yard"):
        run("add", text).ok()
    guesser = Guesser()
    way(guesser, home, base)
    guesser.watch(home)
    run("inject", "--task", "open the door").ok()
    run("add", "said later").ok()
    guesser.watch(home)
    assert guesser.guess(isolated) == {CODE}, "the guesser does not know how to look"
    shutil.copy(home / "local.db", home / "local.db.damaged-20260101T000000.000000Z")
    ids = [each["id"] for each in run("list", "--status", "all", "--json").json_lines if CODE in each["text"]]
    assert ids
    done = run("erase", *(ids if named == "its id" else ["--match", CODE]), "--yes")
    assert done.code == 0, done.err
    run("add", "said after it").ok()
    run("backup", tmp_path / "after.tar.gz").ok()
    assert guesser.guess(isolated, tmp_path) == set()
    assert run("verify").code == 0
