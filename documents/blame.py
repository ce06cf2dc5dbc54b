"""Finds for each line of a document the version of a memory that last changed it.

Implements specs/projections.md (P-95, P-96). Pure, over any Source; the file on disk is given as text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from documents.writing.daily import day_pieces
from documents.writing.every_document import group_pages, pages_of
from documents.writing.markdown import DocumentPiece, memory_pieces
from documents.writing.overflow import Selection, select
from documents.writing.topics import topic_pieces
from ledger.errors import AmbiguousIdError, NotFoundError
from ledger.fold import Entry, age
from projections.layout import (
    DAILY,
    MEMORY,
    MEMORY_FILE,
    TOPIC,
    DocumentKey,
    DocumentSource,
    path_of,
)
from projections.settings import RenderSettings

NOBODY, KNOWN, UNKNOWN = "nobody", "known", "unknown"
_MOST_PAIRS = 25_000_000
"""How many pairs of lines of two versions are compared; beyond that, all differing lines belong to the newer version."""


@dataclass(frozen=True, slots=True)
class BlamedLine:
    """One line of a document with its end, counted from 1.

    `state` is known (then `version` last changed it and `memory` is the current one), nobody (a heading, a
    blank line), or unknown (the log does not know it).
    """

    number: int
    text: str
    state: str = NOBODY
    version: Entry | None = None
    memory: str = ""


class RenderedDocuments:
    """The documents that the log renders as of an instant, with the version of each of their lines.

    Args:
        source: the memories.
        settings: how they are rendered.
        as_of: microseconds since 1970.
    """

    def __init__(self, source: DocumentSource, settings: RenderSettings, as_of: int) -> None:
        self._source, self._settings, self._as_of = source, settings, as_of
        self._selection = select(source, settings)
        keys = [DocumentKey(MEMORY, group) for group in self._selection.overflow]
        keys += [DocumentKey(TOPIC, topic) for topic in source.topics()]
        keys += [DocumentKey(DAILY, day) for day in source.days()]
        paths = {path_of(key, as_of, settings): key for key in keys}
        self.keys: Mapping[str, DocumentKey] = {MEMORY_FILE: DocumentKey(MEMORY, "")} | paths
        """All documents by their paths."""

    def at(self, *names: str) -> str:
        """Return the path of the first document with one of the names: its path or the last part of it, also without `.md`.

        Raises:
            NotFoundError: the log renders no document of that name.
            AmbiguousIdError: several documents have the name; the error lists them.
        """
        for name in names:
            for wanted in (name, f"{name}.md", f"memories/{name}.md"):
                if wanted in self.keys:
                    return wanted
        typed = names[-1]
        found = [path for path in self.keys if path.rpartition("/")[2] in (typed, f"{typed}.md")]
        if len(found) == 1:
            return found[0]
        if found:
            raise AmbiguousIdError(
                f"{typed} is the name of several documents: {', '.join(found)}: give more of the path",
                tuple(found),
            )
        raise NotFoundError(
            f"the log has no document {typed}: give MEMORY.md, or a file in memory/ or memories/ beside it"
        )

    def blame(self, path: str) -> list[BlamedLine]:
        """Return the lines of the document at a path as the log renders it, each with its version."""
        key, source, settings = self.keys[path], self._source, self._settings
        stale_before = settings.stale_before(self._as_of)
        unmarked = settings._replace(decay=False)
        shown = self._pieces(key)
        standing = {entry.id: entry for entry in source.memories([piece.id for piece in shown if piece.id])}
        versions = _Versions(
            lambda id_: standing.get(id_) or source.entry(id_),
            lambda entry: _alone(entry, unmarked, self._as_of, key),
        )
        owned: list[tuple[str, Entry | None, str]] = []
        for id_, text in shown:
            parts = lines_of(text)
            owners: Sequence[Entry | None] = [None] * len(parts)
            if id_:
                entry = standing.get(id_)
                lines = versions.alone(entry) if entry and entry.fresh_since < stale_before else parts
                found = versions.owners(id_, lines)
                if len(found) == len(parts):
                    owners = [
                        owner if line.strip() else None for owner, line in zip(found, lines, strict=True)
                    ]
                else:  # never: the stale mark is part of a line
                    owners = [source.entry(id_)] * len(parts)
            owned += [(part, owner, id_ if owner else "") for part, owner in zip(parts, owners, strict=True)]
        return list(_numbered(owned))

    def _pieces(self, key: DocumentKey) -> list[DocumentPiece]:
        source, settings, as_of = self._source, self._settings, self._as_of
        if key.kind != MEMORY:
            pages = pages_of(source, [key], settings, as_of)
        elif key.name:
            pages = group_pages(source, self._selection, [key.name], settings, as_of)
        else:
            return list(memory_pieces(self._selection, source.topic_count(), settings, as_of))
        return [piece for _, pieces in pages for piece in pieces]


def _numbered(owned: Iterable[tuple[str, Entry | None, str]]) -> Iterator[BlamedLine]:
    """Yield lines; a piece without a final LF continues in the next one."""
    number, text, version, memory = 1, "", None, ""
    for part, owner, id_ in owned:
        text += part
        if version is None:
            version, memory = owner, id_
        if text.endswith("\n"):
            yield BlamedLine(number, text, KNOWN if version else NOBODY, version, memory)
            number, text, version, memory = number + 1, "", None, ""
    if text:
        yield BlamedLine(number, text, KNOWN if version else NOBODY, version, memory)


def on_disk(lines: Sequence[BlamedLine], text: str) -> list[BlamedLine]:
    """Return the lines of a file that should be the document of `lines`.

    Args:
        lines: as `blame` returns them.
        text: the content of the file.
    """
    theirs = lines_of(text)
    matched: dict[int, BlamedLine] = {}
    for begin, at, size in _common([_bare(line.text) for line in lines], list(map(_bare, theirs))):
        matched |= {at + step: lines[begin + step] for step in range(size)}
    found = []
    for at, line in enumerate(theirs):
        if at in matched:
            found.append(replace(matched[at], number=at + 1, text=line))
        elif not line.strip():
            found.append(BlamedLine(at + 1, line))
        else:
            found.append(BlamedLine(at + 1, line, UNKNOWN))
    return found


def _bare(line: str) -> str:
    return line.removeprefix("\ufeff").rstrip("\r\n")


def lines_of(text: str) -> list[str]:
    """Return the lines of a text with their ends; only LF ends a line, so that joining them gives the text."""
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _common(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int, int]]:
    """Return the common runs of two lists of lines, as (position in old, position in new, length)."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    before, after = old[head : len(old) - tail], new[head : len(new) - tail]
    found = [(0, 0, head), (len(old) - tail, len(new) - tail, tail)]
    if before and after and len(before) * len(after) <= _MOST_PAIRS:
        blocks = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
        found += [(head + begin, head + at, size) for begin, at, size in blocks]
    return found


def _alone(entry: Entry, settings: RenderSettings, as_of: int, key: DocumentKey) -> list[str]:
    """Return the lines of a version in a document that has nothing else."""
    if entry.status == "erased":
        return []
    if key.kind == TOPIC:
        pieces = topic_pieces(key.name, [entry], settings, as_of)
    elif key.kind == DAILY:
        pieces = day_pieces(key.name, [entry], settings, as_of)
    else:
        pieces = memory_pieces(Selection((entry,)), 0, settings, as_of)
    return lines_of("".join(text for id_, text in pieces if id_))


# --- the versions of one memory ---


class _Versions:
    """Finds the version that last changed each line of a memory.

    Args:
        lookup: finds memories by full id.
        alone: returns the lines of a version.
    """

    def __init__(self, lookup: Callable[[str], Entry | None], alone: Callable[[Entry], list[str]]) -> None:
        self._lookup = lookup
        self.alone = alone

    def owners(self, id_: str, lines: Sequence[str]) -> list[Entry]:
        """Return the version of each of the lines of the version with this id."""
        entry = self._lookup(id_)
        if entry is not None and not entry.supersedes:
            return [entry] * len(lines)
        said: dict[str, list[str]] = {}
        owners: dict[str, list[Entry]] = {}
        for version in self._lineage(id_):
            said[version.id] = list(lines) if version.id == id_ else self.alone(version)
            owners[version.id] = self._inherited(version, said, owners)
        return owners[id_]

    def _lineage(self, id_: str) -> list[Entry]:
        """Return the version and all that it supersedes, step by step, the oldest first."""
        found: dict[str, Entry] = {}
        todo = [id_]
        while todo:
            entry = self._lookup(todo.pop())
            if entry is not None and entry.id not in found:
                found[entry.id] = entry
                todo += entry.supersedes
        return sorted(found.values(), key=age)

    @staticmethod
    def _inherited(
        version: Entry, said: Mapping[str, Sequence[str]], owners: Mapping[str, Sequence[Entry]]
    ) -> list[Entry]:
        own = said[version.id]
        result: list[Entry | None] = [None] * len(own)
        for target in version.supersedes:
            for begin, at, size in _common(said.get(target, ()), own):
                for step in range(size):
                    if result[at + step] is None:
                        result[at + step] = owners[target][begin + step]
        return [owner or version for owner in result]
