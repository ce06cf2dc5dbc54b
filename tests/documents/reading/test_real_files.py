"""Reads the memory documents of public repositories and checks that nothing in them is lost (I-6, I-10…I-16, I-18…I-22).

The files are kept beside the repository, not in it; without them these tests are skipped.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from documents.reading.any_document import Document, read_document, read_documents
from documents.reading.blocks import BOM, split_blocks
from documents.reading.memory_file import OUR_TITLE
from ledger.errors import RecordError
from ledger.memory import Memory
from tests.documents.reading.accounting import indented, rendered, unaccounted
from tests.documents.real_files import FOLDER as DATA
from tests.documents.real_files import each_of

FILES = sorted(path for path in DATA.rglob("*") if path.is_file())
DAMAGED = {
    "Gavin0099__ai-governance-framework/memory/2026-04-10.md": (220, 6),
    "Gavin0099__ai-governance-framework/memory/2026-05-04.md": (835, 15),
}
"""Files with bytes that are not UTF-8: the offset and line of the first."""


def _name(path: Path) -> str:
    return path.relative_to(DATA).as_posix()


pytestmark = pytest.mark.skipif(not FILES, reason="the collected memory files are not beside this repository")
SOUND = [path for path in FILES if _name(path) not in DAMAGED]
every_file = each_of(SOUND)


def _read(path: Path) -> tuple[str, Document]:
    text = path.read_bytes().decode("utf-8").removeprefix(BOM)
    return text, read_document(path, _name(path))


@every_file
def test_the_blocks_of_every_file_joined_are_the_file(path: Path) -> None:
    data = path.read_bytes()
    blocks = split_blocks(data)
    assert "".join(block.source for block in blocks).encode() == data
    for block in blocks:
        assert data.startswith(block.source.encode(), block.offset)
        assert block.kind == "bom" or block.line == 1 + _line_ends(data[: block.offset])


def _line_ends(data: bytes) -> int:
    return len(re.findall(rb"\r\n|\n|\r", data))


@every_file
def test_every_line_of_a_file_is_in_one_proposal_in_order_and_under_its_heading(path: Path) -> None:
    text, document = _read(path)
    if document.kind == "topic":
        assert topic_faults(text, [p.memory for p in document.proposals if p.memory]) == []
    else:
        title = path.name[:10] if document.kind == "daily" else OUR_TITLE
        assert unaccounted(text, document.proposals, title) == []


@every_file
def test_every_memory_of_a_file_can_be_encoded(path: Path) -> None:
    for proposal in _read(path)[1].proposals:
        assert proposal.memory is not None
        assert proposal.memory.to_payload()["provenance"]["file"] == _name(path)


@every_file
def test_bodies_keep_their_bytes(path: Path) -> None:
    text, document = _read(path)
    at = 0
    for memory in (p.memory for p in document.proposals if p.memory and p.memory.body.strip()):
        source = memory.body if memory.type == "note" or memory.topic else indented(memory.body)
        at = text.index(source, at) + len(source)


@every_file
def test_importing_a_rendering_of_what_was_imported_adds_nothing(path: Path, tmp_path: Path) -> None:
    _, document = _read(path)
    if document.kind == "topic":
        pytest.skip("topic files are rendered from their fields")
    headings = [block.text for block in split_blocks(path.read_bytes()) if block.level == 2]
    if len(set(headings)) < len(headings):
        pytest.skip(
            "a section stands twice: it is rendered once, and notes that meet there become one (I-24)"
        )
    title = path.name[:10] if document.kind == "daily" else OUR_TITLE
    again = tmp_path / path.name
    again.write_bytes(rendered(document.proposals, title).encode())
    keys = Counter(p.key for p in document.proposals)
    assert Counter(p.key for p in read_document(again, path.name).proposals) == keys


@pytest.mark.parametrize("name", DAMAGED)
def test_a_file_that_is_not_utf_8_is_refused_with_its_name_and_place(name: str) -> None:
    offset, line = DAMAGED[name]
    with pytest.raises(RecordError, match=rf"{re.escape(name)}: not UTF-8 at byte {offset} \(line {line}\)"):
        list(read_documents([DATA / name]))


def test_the_folder_is_read_whole_but_for_the_damaged_files() -> None:
    refused: list[str] = []
    documents = list(read_documents([DATA], lambda path, _: refused.append(_name(path))))
    assert sorted(refused) == sorted(DAMAGED)
    assert [_name(document.path) for document in documents] == [_name(p) for p in SOUND]
    kinds = Counter(document.kind for document in documents)
    assert kinds == {"memory": 29, "daily": 11, "topic": 9}
    assert all(document.warnings == () for document in documents)


def topic_faults(text: str, memories: list[Memory]) -> list[str]:
    """Return the lines of a topic file of one record that its memory does not hold."""
    (memory,) = memories
    _, front, body = re.split(r"^---[ \t]*\r?\n", text, maxsplit=2, flags=re.MULTILINE)
    held = {memory.title, *memory.when_to_use, *memory.tags, memory.importance}
    held |= set(memory.provenance.to_payload().values())
    kept = memory.extra.splitlines()
    faults = [] if memory.body == body.strip("\r\n") or memory.body.strip() == body.strip() else ["the body"]
    for line in front.splitlines():
        value = re.sub(r"^[\w-]+:|^\s*-", "", line).strip().strip("\"'")
        if line.strip() and line not in kept and f"# {line}" not in kept and value not in held | {""}:
            faults.append(line)
    return faults
