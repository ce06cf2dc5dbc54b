"""Tests erasing/ against specs/erasure.md (Z-30): who has all that is left cannot guess what was erased.

The guesser has every file below HOME, STATE and the folders of the project, and a backup made afterwards. Of what was
erased they know everything but a code of four digits: each document as it stood, each sentence, who said it and where.
They try all 10,000 with every hash that our code makes of texts and documents, with every key that they find.
"""

from __future__ import annotations

import gzip
import hashlib
import re
import shutil
import tarfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from blake3 import blake3

import muniment
from capture.proposal import memory_key
from ledger.memory import Memory
from ledger.view import statement_key
from tests.capture.transcripts.writing import jsonl, person
from tests.cli.driver import run
from tests.cli.hooks.calling import event, hook, settled
from tests.learning.agents_folder import make, memory_of, write

CODE = "4921"
CODES = [f"{number:04}" for number in range(10_000)]
_SEEN, _HEX = 8, 12
"""So many bytes of a digest, or hex digits of one, are found again."""


class Guesser:
    """Knows what documents and sentences looked like, but for the code."""

    def __init__(self) -> None:
        self.known: set[str] = set()
        self.said: set[str] = set()

    def watch(self, *folders: Path) -> None:
        """Look at every document as it stands: whole, and block by block."""
        for path in (path for folder in folders for path in folder.rglob("*.md") if path.is_file()):
            text = path.read_text()
            blocks = text.split("\n\n")
            parts = {text, *blocks, *(f"{block}\n" for block in blocks), *text.splitlines()}
            self.known |= {part for part in parts if CODE in part}

    def tell(self, *said: str) -> None:
        """Tell them a sentence, and so whatever is made of one."""
        for text in said:
            self.known |= {text, f"user {text}", f"- {text}", f"s1\n{text}"}
            self.said.add(text)

    def guess(self, *folders: Path) -> set[str]:
        """Return the codes that something in these folders tells apart from the others."""
        raw, written, keys = _haystack(folders)
        found = set()
        for code in CODES:
            texts = [each.replace(CODE, code).encode() for each in self.known]
            for digest in (each for text in texts for each in _digests(text, keys)):
                if digest[:_SEEN] in raw or digest.hex()[:_HEX] in written:
                    found.add(code)
            for each in self.said:
                for key in _statements(each.replace(CODE, code)):
                    digests = [key, *(each.hex() for each in _digests(key.encode(), keys))]
                    if any(digest[:_HEX] in written for digest in digests):
                        found.add(code)
        return found


def _statements(text: str) -> Iterator[str]:
    """Give the keys by which memories are compared that say it."""
    for section in ("", "User Preferences"):
        yield memory_key(Memory(text, section=section))
        yield statement_key(Memory(text, section=section))


def _digests(text: bytes, keys: Iterable[bytes]) -> Iterator[bytes]:
    """Give every digest that our code makes of something: of all of it, and without the blank lines around it."""
    for data in (text, text.strip(b"\n")) if text.strip(b"\n") != text else (text,):
        yield blake3(data).digest()
        yield hashlib.sha256(data).digest()
        for size in (6, 12, 16):  # the size is part of a BLAKE2 digest
            yield hashlib.blake2b(data, digest_size=size).digest()
        for key in keys:
            yield blake3(data, key=key).digest()
            for size in (8, 12, 16):
                yield hashlib.blake2b(data, key=key, digest_size=size).digest()


def _haystack(folders: Iterable[Path]) -> tuple[set[bytes], set[str], set[bytes]]:
    raw, written, keys = set[bytes](), set[str](), set[bytes]()
    for data in _contents(folders):
        keys |= {bytes.fromhex(key.decode()) for key in re.findall(rb"secret of blocks([0-9a-f]{64})", data)}
        for run_ in re.findall(rb"[0-9a-fA-F]{12,}", data):
            digits = run_.decode().lower()
            written |= {digits[at : at + _HEX] for at in range(len(digits) - _HEX + 1)}
        if data.startswith((b"SQLite", b"\x37\x7f")) or b"\0" in data:
            windows = (data[at : at + _SEEN] for at in range(len(data) - _SEEN + 1))
            raw |= {window for window in windows if window.count(0) < 3}
    return raw, written, keys


def _contents(folders: Iterable[Path]) -> Iterator[bytes]:
    for path in [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]:
        if path.name.endswith(".tar.gz"):
            with tarfile.open(path) as archive:
                yield from (stream.read() for member in archive if (stream := archive.extractfile(member)))
        else:
            data = path.read_bytes()
            yield gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


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


def _in_a_topic(guesser: Guesser, home: Path, base: Path) -> None:
    run("add", f"It opens with {CODE}", "--topic", "front-door", "--when", "the door").ok()
    guesser.tell(f"It opens with {CODE}")


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
    _added,
    _replaced,
    _typed,
    _in_a_topic,
    _prompted,
    _captured,
    _in_the_buffer,
    _of_an_agent,
    _given_away,
)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("named", ["its id", "its text"])
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
        home = memory.place.directory
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
