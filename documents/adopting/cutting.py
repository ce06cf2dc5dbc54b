"""Cuts a document into units by the blocks of its remembered renderings, and compares it with one of them.

Implements specs/editing.md (D-19…D-21, D-47) on the ledger's side.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from documents.adopting.descent import CompareShown, Renderings
from documents.proposal import Proposal
from documents.reading.blocks import frontmatter_end, split_lines
from documents.reading.edits import Edit, compare
from documents.reading.memory_file import DocumentContext, day_of
from documents.reading.memory_units import Unit, read_units
from documents.reading.shown_entries import Shown
from documents.reading.topic_edits import TopicBase, compare_topic, headings_in
from documents.reading.topic_entries import Frontmatter
from documents.reading.topic_files import read_front
from documents.reading.topic_units import read_topic_units
from documents.writing.topics import discovered, frontmatter, named
from ledger.errors import RecordError
from ledger.lazy_pattern import lazy_pattern
from projections import commonmark
from projections.layout import order_key, topic_of_path
from projections.shown_blocks import key_maker

if TYPE_CHECKING:
    from projections.workspace import Workspace

_DAY_TITLE = lazy_pattern(rb"\s*# ([0-9]{4}-[0-9]{2}-[0-9]{2})[ \t]*\r?$", re.MULTILINE)

Stranger = Callable[[Sequence[int]], str]
"""Return the untrusted author of one of some lines of a document (from 1), or "" (D-23)."""


def read_document(
    memory: Workspace, data: bytes, path: str, renderings: Renderings, stranger: Stranger
) -> tuple[Sequence[Unit], CompareShown]:
    """Return a document's units, and a function that compares it with a rendering.

    Args:
        memory: the ledger.
        data: the document's bytes.
        path: its path in its folder; it tells the kind.
        renderings: its remembered renderings.
        stranger: names the untrusted author of one of some lines.

    Raises:
        RecordError: D-16 refuses the document.
    """
    key = key_maker(memory.local.secret())
    if topic := topic_of_path(path):
        return _read_topic(memory, data, topic, renderings, stranger)
    day = day_of(Path(path).name)
    title = day or commonmark.TITLE
    if day and not renderings.known and (was := _DAY_TITLE.match(data)):
        title = was[1].decode()  # the note of another day, moved here (D-47)
    page = DocumentContext(path, title=title, day=day, unescape=commonmark.unescape)
    units, headings = read_units(data, page, key, renderings.keys)
    units = [unit for unit in units if not renderings.is_erased(unit.key)]

    def compared(base: Sequence[Shown]) -> list[Edit]:
        here = {shown.id for shown in base}
        elsewhere = {unit.key for unit in units if renderings.of_another(unit.key, here)}
        returned = _returned(memory, units, base)
        return compare(units, headings, base, document=path, elsewhere=elsewhere, returned=returned)

    return units, compared


def units_in(memory: Workspace, data: bytes, path: str, known: Collection[bytes]) -> Sequence[Unit]:
    """Return the content of a document version, cut at blocks with the keys `known`."""
    key = key_maker(memory.local.secret())
    topic = topic_of_path(path)
    with contextlib.suppress(RecordError):
        if topic:
            found, _ = read_topic_units(
                data, path, topic, key, known=known, headings=(), unescape=commonmark.unescape
            )
            return found
        day = day_of(Path(path).name)
        page = DocumentContext(path, title=day or commonmark.TITLE, day=day, unescape=commonmark.unescape)
        units, _ = read_units(data, page, key, known)
        return units
    return ()


def _read_topic(
    memory: Workspace, data: bytes, topic: str, renderings: Renderings, stranger: Stranger
) -> tuple[Sequence[Unit], CompareShown]:
    path = renderings.path
    found, front = read_topic_units(
        data,
        path,
        topic,
        key_maker(memory.local.secret()),
        known=renderings.keys,
        headings=headings_in(renderings.bodies()),
        unescape=commonmark.unescape,
    )
    units = [unit for unit in found if not renderings.is_erased(unit.key)]
    lines = split_lines(data.decode())
    lines = lines[: frontmatter_end(lines) or 0]

    def compared(shown: Sequence[Shown]) -> list[Edit]:
        base, was = _topic_base(memory, topic, shown)
        author = ""
        if (
            front is not None and "".join(lines[1:-1]) != was
        ):  # a stranger's change to all entries waits (D-25)
            known = {line.strip() for line in was.splitlines()}
            author = stranger([at for at, line in enumerate(lines, 1) if line.strip() not in {*known, "---"}])
        returned = _returned(memory, units, shown)
        edits = compare_topic(units, None if author else front, base, document=path, returned=returned)
        if author and base.learned:
            edits.append(Edit(Proposal("confirm", None, (base.learned[0],)), 1, waits=author))
        return edits

    return units, compared


def _returned(memory: Workspace, units: Sequence[Unit], base: Sequence[Shown]) -> set[int]:
    """Return the lines of units that are missing in a rendering and repeat something deleted."""
    known = {shown.key for shown in base}
    come = [unit for unit in units if base and unit.key not in known]
    if not come:
        return set()
    index = memory.index  # catch up once, not for each unit
    return {unit.line for unit in come if index.deleted_same(unit.memory)}


def _topic_base(memory: Workspace, topic: str, shown: Sequence[Shown]) -> tuple[TopicBase, str]:
    """Return a rendering of a topic file with its frontmatter and bylines, and the frontmatter's lines."""
    entries = [memory.index.entry(each.id) for each in shown if each.memory is not None]
    learned = sorted((entry for entry in entries if entry is not None), key=order_key)
    text = frontmatter(topic, learned) if learned else ""
    front = read_front(text) if learned else Frontmatter()
    front = Frontmatter() if isinstance(front, str) else front  # ours can be read
    names = {entry.id: discovered(entry) for entry in learned}
    return TopicBase(shown, front, [entry.id for entry in learned], names, named(topic)), text
