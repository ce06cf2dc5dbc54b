"""Keeps lines in their document while the document to which they move cannot be written.

Implements specs/projections.md (P-195). Otherwise no document would have them for a while, and a
commit in that time would tell everybody else that they were removed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from documents.writing.markdown import DocumentPiece
from ledger.fold import Entry
from ledger.named_tuple import NamedTuple

WRITTEN_AGAIN = (
    "lines would move between it and {path}, which was deleted: restore it with muniment replay {path},"
    " or remove its memories with muniment adopt --accept {path}"
)
WAITS = "lines of it would move to {path}, which cannot be written now: fix that, and both are written"


class PendingDocument(NamedTuple):
    """A document to be written or removed: its bytes on disk, and its new pieces.

    `ids` are the remembered id prefixes of the entries that it shows on disk.
    """

    path: str
    data: bytes
    ids: frozenset[str]
    pieces: tuple[DocumentPiece, ...] = ()


class Homeless:
    """The entries that belong into documents that cannot be written now and do not have them.

    Args:
        entry_of: returns a memory by its id or a prefix of it, or None.
        missing: the paths of entries in documents that somebody deleted, by id prefix.
    """

    def __init__(self, entry_of: Callable[[str], Entry | None], missing: Mapping[str, str]) -> None:
        self._entry_of = entry_of
        self._missing = dict(missing)
        self._texts: dict[str, tuple[bytes, str]] = {}

    def __bool__(self) -> bool:
        return bool(self._texts or self._missing)

    def add(
        self, path: str, pieces: Iterable[DocumentPiece], there: bytes | None, *, deleted: bool = False
    ) -> None:
        """Note a document that is not written now and has the bytes `there`."""
        lines = _lines(there or b"")
        for id_, text in pieces:
            if id_ and text and (block := _lines(text.encode())) not in lines:
                self._texts[id_[:32]] = block, path
                if deleted:
                    self._missing[id_[:32]] = path

    def why(self, document: PendingDocument) -> str:
        """Return why a document must keep its lines, or "".

        A document with an erased text must not keep them: it is rewritten at once.
        """
        new = {piece.id[:32] for piece in document.pieces if piece.id}
        old = document.ids
        if crossing := sorted((old ^ new) & self._missing.keys() if document.data else ()):
            return WRITTEN_AGAIN.format(path=self._missing[crossing[0]])
        lost = old - new
        for id_ in sorted(lost):
            entry = self._entry_of(id_)
            if entry is not None and entry.status == "erased":
                return ""
        lines = _lines(document.data)
        said = {id_ for id_, (text, _) in self._texts.items() if id_ not in new and text in lines}
        going = (heir for id_ in sorted(lost | said) for heir in self._heirs(id_) if heir not in new)
        to = next((self._texts[heir][1] for heir in going if heir in self._texts), "")
        return WAITS.format(path=to) if to else ""

    def _heirs(self, id_: str) -> Iterable[str]:
        """Yield the id prefixes of a memory and of those that replaced it."""
        todo, seen = [id_], set[str]()
        while todo:
            if (one := todo.pop()[:32]) in seen:
                continue
            seen.add(one)
            yield one
            entry = self._entry_of(one)
            todo += entry.superseded_by if entry is not None else ()


def _lines(text: bytes) -> bytes:
    """Return a text between line feeds, so that a search finds only whole lines."""
    return b"\n" + text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").strip(b"\n") + b"\n"
