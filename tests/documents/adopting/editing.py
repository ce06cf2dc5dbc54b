"""Edits documents of a ledger as a person does with an editor, and takes the edits in."""

from __future__ import annotations

from pathlib import Path

from documents import adopting
from muniment import MemoryLedger

TITLE = "# Auto-Memories\n"


def document(house: MemoryLedger) -> Path:
    """MEMORY.md."""
    return house.workspace.place.documents / "MEMORY.md"


def edit(house: MemoryLedger, old: str, new: str) -> str:
    """Replace a text of MEMORY.md as an editor does; return the whole."""
    return replace_in(document(house), old, new)


def replace_in(path: Path, old: str, new: str) -> str:
    """Replace a text, which stands there once, in a document as an editor does; return the whole."""
    text = path.read_bytes().decode()
    assert text.count(old) == 1, text
    text = text.replace(old, new)
    path.write_bytes(text.encode())
    return text


def leave_only_the_log(house: MemoryLedger, path: Path) -> None:
    """Take the index and a document away, so that `replay` has to make them of the log alone."""
    for index in house.workspace.place.directory.glob("memory.db*"):
        index.unlink()
    path.unlink()


def adopted(house: MemoryLedger, *, accept: bool = False) -> adopting.Adoption:
    """Take the one edit in."""
    (done,) = house.documents.adopt(accept=accept)
    return done


def texts(house: MemoryLedger) -> list[str]:
    """Return what stands, in order."""
    return [entry.memory.text for entry in house.load_all()]


def stands_in_order(wanted: list[str], there: list[str]) -> bool:
    """Say whether all lines are there in their order, whatever stands between them."""
    rest = iter(there)
    return all(any(line == each for each in rest) for line in wanted)
