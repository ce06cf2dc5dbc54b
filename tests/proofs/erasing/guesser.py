"""A guesser of erased texts (specs/erasure.md, Z-30).

They have every file below some folders, and a backup made afterwards. Of what was erased they know everything but a code of
four digits from 4900 to 4929: each document as it stood, each sentence, who said it and where. They try all thirty with every
hash that our code makes of texts and documents, with every key that they find.
"""

from __future__ import annotations

import gzip
import hashlib
import re
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from blake3 import blake3

from documents.proposal import memory_key
from ledger.memory import Memory
from ledger.view import statement_key

CODE = "4921"
CODES = [f"49{number:02}" for number in range(30)]
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
            for part in re.split(rb"\0{3,}", data):
                raw |= {part[at : at + _SEEN] for at in range(len(part) - _SEEN + 1)}
    return raw, written, keys


def _contents(folders: Iterable[Path]) -> Iterator[bytes]:
    for path in [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]:
        if path.name.endswith(".tar.gz"):
            with tarfile.open(path) as archive:
                yield from (stream.read() for member in archive if (stream := archive.extractfile(member)))
        else:
            data = path.read_bytes()
            yield gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
