"""Reads a document like MEMORY.md: sections of bullets, and any text between them.

Implements specs/import.md (I-10…I-16). The same reading, with another `DocumentContext`, serves daily notes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from documents.proposal import Proposal
from documents.reading.blocks import Block, split_blocks, summary_of_note
from ledger.lazy_pattern import lazy_pattern
from ledger.memory import CATEGORIES, MAX_LINE, SECTIONS, Memory, Provenance, record_fault
from projections.layout import is_day

MAX_SECTION = 100
OUR_TITLE = "Auto-Memories"
LINKS = "Links"

_AUTO = lazy_pattern(r"[ \t]*<!--[ \t]*auto:([^<>]*?)[ \t]*-->")
_STALE = lazy_pattern(r"(?:\[\?\][ \t]+)+(?=\S)")
_LINK = lazy_pattern(
    r"\[[^\[\]]*\]\((?:\./)?(memory/[^()\s]+\.md)\)"
    r"(?: (?:—|-) \d+(?: more)? \w+(?:: “[^“”]+”(?:, “[^“”]+”)?)?)?"
)
_FOLDER_LINK = lazy_pattern(
    r"\[Topics\]\(memories/\) — \d+ topic files?, read when (?:its|their) whenToUse match(?:es)?"
    r"|\[More\]\(memory/\) — \d+ more entr(?:y|ies) in \d+ files?"
)
_GUARD = lazy_pattern(r"<!-- -->\r?\n\r?\n(?=[ \t])")
_WORD = lazy_pattern(r"\w+")
_NAME_OF_DAY = lazy_pattern(r"(\d{4}-\d{2}-\d{2})(?:-.+)?\.mdc?", re.IGNORECASE)

TYPE_OF_SECTION: Mapping[str, str] = MappingProxyType(
    {
        "User Preferences": "preference",
        "Architecture Decisions": "decision",
        "People & Roles": "identity",
    }
)
"""The type of a bullet under a fixed heading; under any other heading it is a fact (I-11)."""


@dataclass(frozen=True, slots=True)
class DocumentContext:
    """The known facts of a document besides its bytes.

    `file` is its relative name, which goes into the provenance; `title` is the first-level heading that our
    rendering writes, so it is not a person's; `day` is set in a daily note
    (`2026-01-02`). `is_imported` tells of a path relative to the document's folder whether that file is
    imported in the same run. `unescape` removes the escapes of a rendering from a bullet's line
    (specs/projections.md P-11).
    """

    file: str
    title: str = OUR_TITLE
    day: str = ""
    is_imported: Callable[[str], bool] = field(default=lambda _: False)
    unescape: Callable[[str], str] = str


def read_memory_file(blocks: Sequence[Block], page: DocumentContext) -> tuple[Proposal, ...]:
    """Return the creates for a document's blocks in the document's order (I-10).

    Args:
        blocks: the whole document, as `documents.reading.blocks.split_blocks` returns it.
        page: the context of the document.
    """
    reading = MemoryFileReading(page)
    for block in without_links(blocks, page):
        reading.take(block)
    return reading.finish()


class MemoryFileReading:
    """One pass over a document: the section that is open, and the verbatim blocks not yet made a note."""

    def __init__(self, page: DocumentContext) -> None:
        self.page = page
        self.section = ""
        self.opened: dict[str, int] = {}  # own heading -> number of memories before it
        self.pending: list[Block] = []
        self.memories: list[Memory] = []

    def take(self, block: Block) -> None:
        """Take the next block."""
        if block.kind == "heading":
            self.flush()
            self.take_heading(block)
        elif block.kind == "bullet":
            self.flush()
            if block.simple and (memory := self.read_bullet(block)):
                self.memories.append(memory)
            else:
                # A bullet of many lines stays one item to correct or forget; it is not merged with its neighbours.
                self.pending.append(block)
                self.flush()
        elif block.kind == "frontmatter":
            self.pending.append(block)
            self.flush()
        elif block.kind == "verbatim" or (block.kind == "blank" and self.pending):
            self.pending.append(block)

    def take_heading(self, block: Block) -> None:
        """Open a section, or begin a note with the heading as its first line (I-10, I-13)."""
        if block.level == 2:
            if self.opens(block):
                if self.page.day or self.section not in SECTIONS:
                    self.opened.setdefault(self.section, len(self.memories))
                return
        elif block.level == 1:
            self.section = ""
            if block.text == self.page.title:
                return
        self.pending = [block]

    def opens(self, block: Block) -> bool:
        """Open the section of a second-level heading; return whether the section's name has all of its words (I-10)."""
        self.section = section_name(block.text, own_words=bool(self.page.day))
        return bool(self.section) and len(block.text) <= MAX_SECTION

    def flush(self) -> None:
        """Make one note of the text since the last bullet or heading (I-13)."""
        while self.pending and self.pending[-1].kind == "blank":
            self.pending.pop()
        body = without_guard("".join(block.source for block in self.pending))
        self.pending = []
        if text := summary_of_note(body):
            self.memories.append(self.stand(Memory(text, body=body, type="note")))

    def read_bullet(self, block: Block) -> Memory | None:
        """Return a simple bullet's memory, without its marks; None if it is not a simple bullet (I-11, I-15)."""
        text, auto = block.text, None
        if comment := _last(_AUTO, text):
            text, auto = text[: comment.start()], comment[1]
        if mark := _STALE.match(text):
            text = text[mark.end() :]
        if text != block.text and not is_plain(text):
            return None
        kind = TYPE_OF_SECTION.get(self.section, "fact")
        text, *details = map(self.page.unescape, (text, *block.details))
        memory = self.stand(Memory(text, details=tuple(details), body=block.body, type=kind))
        return memory if auto is None else with_auto_comment(memory, auto)

    def stand(self, memory: Memory) -> Memory:
        """Return the memory with its section, tier and provenance."""
        where = Provenance(file=self.page.file, date=self.page.day)
        tier = "daily" if self.page.day else "curated"
        return memory._replace(section=self.section, tier=tier, provenance=where)

    def finish(self) -> tuple[Proposal, ...]:
        """Return all proposals; a person's own heading with nothing below it gets a blank note (I-12)."""
        self.flush()
        filled = {memory.section for memory in self.memories}
        for name, index in reversed(self.opened.items()):
            if name not in filled:
                self.section = name
                blank = Memory(name, body="\n", type="note", importance="low")
                self.memories.insert(index, self.stand(blank))
        return tuple(creates(self.memories))


def day_of(name: str) -> str:
    """Return the day that a file's name begins with (`2026-01-02.md`, `2026-01-02-slug.md`), or "" (I-18)."""
    match = _NAME_OF_DAY.fullmatch(name)
    return match[1] if match and is_day(match[1]) else ""


def is_marked(bullet: Block) -> bool:
    """Return whether a bullet has the stale mark."""
    return _STALE.match(bullet.text) is not None


def is_our_link(section: str, bullet: Block) -> bool:
    """Return whether a bullet is a rendering's link to other documents (I-16)."""
    if section.casefold() != LINKS.casefold() or not _is_one_line(bullet):
        return False
    return _LINK.fullmatch(bullet.text) is not None or _FOLDER_LINK.fullmatch(bullet.text) is not None


def _is_one_line(bullet: Block) -> bool:
    """Return whether a bullet has nothing below its line."""
    return bullet.simple and not bullet.details and not bullet.body


def creates(memories: Iterable[Memory]) -> Iterator[Proposal]:
    """Wrap memories into create proposals that carry the date on which each was learned."""
    for memory in memories:
        yield Proposal("create", memory, date=memory.provenance.date)


def section_name(heading: str, *, own_words: bool = False) -> str:
    """Return the section that a second-level heading opens, or "" if a record cannot hold it (I-10).

    A heading that differs from a fixed section only in case, signs, emoji and plural is that section; with `own_words`
    it stays as written. A heading that is too long is cut, and its line is also kept as a note.
    """
    fixed = _FIXED.get(_plain(heading))
    if fixed and not own_words:
        return fixed
    name = heading if len(heading) <= MAX_SECTION else heading[: MAX_SECTION - 1].rstrip() + "…"
    return "" if record_fault({"text": "x", "section": name}) else name


def _plain(heading: str) -> tuple[str, ...]:
    words = _WORD.findall(heading.casefold())
    return tuple(word.removesuffix("s") for word in words if word != "and")


_FIXED = {_plain(name): name for name in SECTIONS}


def with_auto_comment(memory: Memory, comment: str) -> Memory:
    """Return the memory with the members of a `<!-- auto:… -->` comment (I-15).

    `comment` is the text after `auto:`: `name=value` pairs with commas between them. An unknown member, or
    an invalid value, goes to `extra`, so that nothing is lost.
    """
    provenance, rest = memory.provenance, []
    memory = memory._replace(source="auto")
    for pair in filter(None, (part.strip() for part in comment.split(","))):
        name, _, value = (part.strip() for part in pair.partition("="))
        if name == "confidence" and (number := _confidence(value)) is not None:
            memory = memory._replace(confidence=number)
        elif name == "category" and value in CATEGORIES:
            memory = memory._replace(category=value)
        elif name == "date" and is_day(value) and memory.tier != "daily":
            provenance = provenance._replace(date=value)
        elif name == "session" and 0 < len(value) <= MAX_LINE:
            provenance = provenance._replace(session=value)
        elif name != "stale":
            rest.append(f"{json.dumps(name, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False)}\n")
    return memory._replace(provenance=provenance, extra="".join(rest))


def without_guard(body: str) -> str:
    """Return a block without the guard that a rendering puts between a list and an indented block."""
    guard = _GUARD.match(body)
    return body[guard.end() :] if guard else body


def _confidence(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return round(number, 2) if 0 <= number <= 1 else None


def is_plain(text: str) -> bool:
    """Return whether `- text` is a simple bullet that says just this."""
    blocks = split_blocks(f"- {text}\n".encode())
    return len(blocks) == 1 and blocks[0].simple and blocks[0].text == text


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """Return the match that ends where the text ends."""
    return next((m for m in pattern.finditer(text) if m.end() == len(text)), None)


def without_links(blocks: Sequence[Block], page: DocumentContext) -> Iterator[Block]:
    """Leave out a `## Links` section of a tool if all files that it links are imported (I-16)."""
    at = 0
    while at < len(blocks):
        end = at + 1
        if _is_links_heading(blocks[at]):
            while end < len(blocks) and not (blocks[end].kind == "heading" and blocks[end].level <= 2):
                end += 1
            if _only_imported(blocks[at + 1 : end], page):
                at = end
                continue
        yield from blocks[at:end]
        at = end


def _is_links_heading(block: Block) -> bool:
    return block.kind == "heading" and block.level == 2 and block.text.casefold() == LINKS.casefold()


def _only_imported(blocks: Sequence[Block], page: DocumentContext) -> bool:
    inside = [block for block in blocks if block.kind != "blank"]
    if not inside or not all(map(_is_one_line, inside)):
        return False
    texts = [block.text for block in inside if not _FOLDER_LINK.fullmatch(block.text)]
    return all((link := _LINK.fullmatch(text)) is not None and page.is_imported(link[1]) for text in texts)
