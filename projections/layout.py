"""Gives each entry its document, its rank and its place there; defines the source that documents draw from.

Implements specs/projections.md (P-3…P-6). Pure; the index asks for the document and rank of every row.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, MutableMapping, Sequence
from datetime import date
from functools import lru_cache
from types import MappingProxyType

from ledger.fold import Entry
from ledger.instant import is_instant
from ledger.lazy_pattern import lazy_pattern
from ledger.memory import CORRECTIONS, SECTIONS
from ledger.named_tuple import NamedTuple
from projections.settings import DEFAULTS, RenderSettings

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object

MEMORY_FILE = "MEMORY.md"
OTHER = "other"
"""The group of a person's own headings: one overflow file holds them all."""

MEMORY, TOPIC, DAILY = "memory", "topic", "daily"
TAG = "tag"
"""The kind of a key that counts a group's entries with a tag: its name is `group/tag`."""

RANK = {section: rank for rank, section in enumerate(SECTIONS)}
"""The fixed sections, in their order."""

_OF_DOCUMENTS = frozenset({"import", "edit", "git"})
"""The doors by which a document brings many memories at once."""
_HOUR = len("2026-01-05T09")
_TURNED = str.maketrans("0123456789", "9876543210")

_ISO_DAY = lazy_pattern(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_NOT_SLUG = lazy_pattern(r"[^a-z0-9]+")
_TAG = lazy_pattern(r"#?[a-z0-9]+(?:[ _./:-]+[a-z0-9]+)*")


class DocumentKey(NamedTuple):
    """One document: `kind` is memory, topic or daily; `name` is the group, the topic or the day.

    The index counts with keys of the kind tag as well.
    """

    kind: str
    name: str


GROUP_OF_SECTION: Mapping[str, str] = MappingProxyType(
    {section: _NOT_SLUG.sub("-", section.lower()) for section in SECTIONS}
)
"""The overflow group of each fixed section; every other section belongs to OTHER."""

GROUPS = (*GROUP_OF_SECTION.values(), OTHER)
TITLE_OF_GROUP: Mapping[str, str] = MappingProxyType(
    {group: section for section, group in GROUP_OF_SECTION.items()} | {OTHER: "Other headings"}
)

LINKS = DocumentKey(MEMORY, "")
"""The Links section of MEMORY.md: it changes with the first and the last entry of a topic."""

SWEEP = DocumentKey("sweep", "")
"""Changes when a document has lost its last entry, so that its file must be removed."""

_MEMORY_KEYS = {section: DocumentKey(MEMORY, group) for section, group in GROUP_OF_SECTION.items()}
_OTHER_KEY = DocumentKey(MEMORY, OTHER)


def document_key(  # noqa: PLR0917 - the index calls it for every row, and keywords cost
    status: str, tier: str, topic: str, section: str, provenance_date: str, learned: str
) -> DocumentKey | None:
    """Return the document of a memory with these fields, or None if no document shows it (P-3).

    Args:
        status: as the fold gives it.
        tier: the record's tier.
        topic: the record's topic, or "".
        section: the effective section.
        provenance_date: the record's `provenance.date`, or "".
        learned: the instant at which it was learned, as written.
    """
    if status != "active":
        return None
    if topic:
        return DocumentKey(TOPIC, topic)
    if tier == DAILY:
        return DocumentKey(DAILY, day_of(provenance_date, learned))
    return _MEMORY_KEYS.get(section, _OTHER_KEY)


def tag_of(document: DocumentKey | None, tags: Sequence[str]) -> str:
    """Return the tag that may move a memory to another overflow file than its section's, or "".

    Args:
        document: the memory's, as `document_key` gives it.
        tags: the record's tags.
    """
    if not tags or document is None or document.kind != MEMORY or document == _MEMORY_KEYS[CORRECTIONS]:
        return ""
    return next(filter(None, map(_slug_of, tags)), "")


@lru_cache(maxsize=4096)
def _slug_of(tag: str) -> str:
    """Return the name of a tag's file, with `tag-` before it if a section or a day could have that name."""
    if not _TAG.fullmatch(tag.lower()):
        return ""
    slug = _NOT_SLUG.sub("-", tag.lower()).strip("-")
    return f"tag-{slug}" if slug in GROUPS or _ISO_DAY.fullmatch(slug) else slug


def tag_of_group(group: str) -> str:
    """Return the tag of a group, as far as its name tells; "" for a section's group."""
    if not group or group in GROUPS:
        return ""
    tag = group.removeprefix("tag-")
    return tag if tag in GROUPS or _ISO_DAY.fullmatch(tag) else group


def tag_key(group: str, tag: str) -> DocumentKey:
    """Return the key that counts the entries with a tag in a section's group."""
    return DocumentKey(TAG, f"{group}/{tag}")


def document_of(entry: Entry) -> DocumentKey | None:
    """Return the document that shows the entry, or None (P-3)."""
    memory = entry.memory
    section = memory.effective_section
    return document_key(
        entry.status, memory.tier, memory.topic, section, memory.provenance.date, entry.learned
    )


def day_of(provenance_date: str, learned: str) -> str:
    """Return the day (`YYYY-MM-DD`) of a memory: the day that it names, else the day on which it was learned."""
    day = provenance_date[:10]
    return day if day and is_day(day) else learned[:10]


@lru_cache(maxsize=4096)
def is_day(text: str) -> bool:
    """Return whether a text is an existing day, `YYYY-MM-DD`."""
    if not _ISO_DAY.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def path_of(key: DocumentKey, as_of: int, settings: RenderSettings = DEFAULTS) -> str:
    """Return the document's path relative to the folder that people edit, with `/` between the parts (P-4).

    Args:
        key: the document; for the kind memory, the overflow file of its group.
        as_of: microseconds since 1970; decides which daily notes are in the archive.
        settings: `archive_days` is read.
    """
    if key.kind == TOPIC:
        return f"memories/{key.name}.md"
    if key.kind == DAILY and key.name < settings.archived_before(as_of):
        return f"memory/archive/{key.name}.md"
    return f"memory/{key.name}.md"


def other_place(path: str) -> str:
    """Return the other of the two places of a day's note, or "" for other documents (P-4)."""
    folder, _, name = path.rpartition("/")
    if not is_day(name.removesuffix(".md")):
        return ""
    return {"memory": f"memory/archive/{name}", "memory/archive": f"memory/{name}"}.get(folder, "")


def topic_of_path(path: str) -> str:
    """Return the topic whose file is at `path`, or "" for other documents; the inverse of `path_of` (P-4)."""
    below, name = "memories/", path.removesuffix(".md")
    return name.removeprefix(below) if name != path and name.startswith(below) else ""


# --- rank and order ---


class RankKey(NamedTuple):
    """Sorts entries by rank, the highest first when reversed: the columns `rank_class`, `said`, `id` (P-5)."""

    rank_class: int
    said: str
    id: str


class Weight(NamedTuple):
    """The data that select entries for MEMORY.md: rank, lines, bytes, and where the entry belongs.

    `section` is the effective one, `group` is its group, and `tag` may give the entry another file.
    """

    rank: RankKey
    lines: int
    size: int
    section: str
    group: str
    tag: str


def rank_class_of(section: str, importance: str) -> int:
    """Return 1 if the effective section is Corrections or the importance is critical, else 0 (P-5)."""
    return 1 if section == CORRECTIONS or importance == "critical" else 0


def said_at(ts: str, via: str, date: str) -> str:
    """Return the instant for a memory's rank: that of its commit, else that of its event (P-5).

    Entries from a document rank by the commit or the hour, followed by their instant with inverted digits: the
    beginning of a document ranks highest.

    Args:
        ts: the event's instant, as written.
        via: the door by which it came.
        date: the date in its provenance; for the door git, the instant of the commit by its author's clock.
    """
    if via not in _OF_DOCUMENTS:
        return ts
    is_commit = via == "git" and len(date) == len(ts) and is_instant(date)
    return f"{min(ts, date) if is_commit else ts[:_HOUR]} {ts.translate(_TURNED)}"


def rank_key(entry: Entry) -> RankKey:
    """Return the rank of an entry; the greatest is the highest."""
    memory = entry.memory
    said = said_at(entry.ts, entry.by.via, memory.provenance.date)
    return RankKey(rank_class_of(memory.effective_section, memory.importance), said, entry.id)


def order_key(entry: Entry) -> tuple[tuple[str, str], str, str]:
    """Return the order of an entry in its document, before places are applied (P-6)."""
    return (entry.order, entry.ts, entry.id)


Lookup = Callable[[str], Entry | None]
"""Returns the memory with a full id, whatever its status."""


def nowhere(_id: str) -> Entry | None:
    """Find no memory: the Lookup for callers with current memories alone."""
    return None


def arrange(entries: Iterable[Entry], lookup: Lookup = nowhere) -> list[Entry]:
    """Return the entries of one section, or of a document without sections, in their order (P-6).

    They are in the order learned. Then an entry that a person placed moves behind the entry that it follows, or behind
    that entry's former place if it is gone. One sort, then linear.

    Args:
        entries: the active ones.
        lookup: finds former memories.
    """
    standing = sorted(entries, key=order_key)
    if all(entry.memory.place is None for entry in standing):
        return standing
    ghosts, versions = _ghosts(standing, lookup)
    gone = {entry.id for entry in ghosts}
    arranged = _with_places(sorted([*standing, *ghosts], key=order_key), versions)
    return [entry for entry in arranged if entry.id not in gone]


def _ghosts(standing: Sequence[Entry], lookup: Lookup) -> tuple[list[Entry], dict[str, str]]:
    """Return the former memories that entries name as their places, directly or through others.

    The second result gives the `order` of each that is an earlier version of a current one.
    """
    here = {name for entry in standing for name in (entry.id, entry.order[1], *entry.supersedes)}
    orders = {entry.order[1] for entry in standing}
    found: list[Entry] = []
    versions: dict[str, str] = {}
    todo = [entry.memory.place for entry in standing]
    while todo:
        place = todo.pop()
        if place is None or place.after is None or place.after in here:
            continue
        here.add(place.after)
        ghost = lookup(place.after)
        if ghost is not None and ghost.order[1] in orders:
            versions[ghost.id] = ghost.order[1]
        elif ghost is not None:
            found.append(ghost)
            todo.append(ghost.memory.place)
    return found, versions


def _with_places(standing: list[Entry], versions: Mapping[str, str]) -> list[Entry]:
    parents = _anchors(standing, versions)
    _cut_rings(parents)
    first: list[int] = []
    roots: list[int] = []
    followers: dict[int, list[int]] = {}
    for at, entry in enumerate(standing):
        anchor, place = parents[at], entry.memory.place
        if anchor is not None:
            followers.setdefault(anchor, []).append(at)
        elif place is not None and place.after is None:
            first.append(at)
        else:
            roots.append(at)

    def latest_first(indexes: list[int]) -> list[int]:
        return sorted(indexes, key=lambda at: (standing[at].ts, standing[at].id), reverse=True)

    arranged: list[Entry] = []
    todo = [*latest_first(first), *roots][::-1]
    while todo:
        at = todo.pop()
        arranged.append(standing[at])
        if at in followers:
            todo.extend(reversed(latest_first(followers[at])))
    return arranged


def _anchors(standing: list[Entry], versions: Mapping[str, str]) -> list[int | None]:
    """Return for each entry the index of the entry that its place names; None without one."""
    by_id: dict[str, int] = {}
    for at, entry in enumerate(standing):
        for older in entry.supersedes:
            by_id.setdefault(older, at)
    for at, entry in reversed(list(enumerate(standing))):
        by_id[entry.order[1]] = at
    by_id.update((id_, by_id[order]) for id_, order in versions.items())
    for at, entry in enumerate(standing):
        by_id[entry.id] = at
    places = (entry.memory.place for entry in standing)
    anchors = [by_id.get(place.after) if place and place.after is not None else None for place in places]
    return [None if anchor == at else anchor for at, anchor in enumerate(anchors)]


def _cut_rings(parents: list[int | None]) -> None:
    """Let the earliest entry of each ring (A follows B, B follows A) fall back to where it was learned."""
    seen = [0] * len(parents)  # the number of the first walk through here
    for start in range(len(parents)):
        at: int | None = start
        while at is not None and not seen[at]:
            seen[at] = start + 1
            at = parents[at]
        if at is not None and seen[at] == start + 1:
            ring = [at]
            while (after := parents[ring[-1]]) is not None and after != at:
                ring.append(after)
            parents[min(ring)] = None


# --- the source of documents ---


class DocumentSource(Protocol):
    """The source of the renderers: active entries only; those of one document come in any order."""

    @property
    def weights(self) -> MutableMapping[str, Weight]:
        """The known weights of entries, by id: `fitting` fills it."""

    def entry(self, id_: str) -> Entry | None:
        """Return the memory with this full id, whatever its status."""

    def memories(self, ids: Sequence[str]) -> list[Entry]:
        """Return the memories with these full ids, in their order."""

    def ranked(self) -> Iterator[RankKey]:
        """Yield the ranks of the entries of all memory groups, the highest first; lazy, as callers read few."""

    def entries(self, ranks: Iterable[RankKey]) -> Iterator[Entry]:
        """Yield the entries that have these ranks, in their order; lazy."""

    def texts(self, ids: Sequence[str]) -> Mapping[str, str]:
        """Return the texts of the memories with these full ids, by id."""

    def group(self, name: str, apart: Collection[str] = ()) -> list[Entry]:
        """Return the entries of one memory group: a tag of `apart`, else a section's without these tags."""

    def plain_group(self, name: str, apart: Collection[str]) -> Iterator[Entry] | None:
        """Return the entries of such a group in the order of its file, lazily; None if it is not plain, or unknown."""

    def highest(self, name: str, apart: Collection[str], below: RankKey) -> Iterator[RankKey]:
        """Yield the ranks of such a group's entries that are below `below`, the highest first; lazy."""

    def lowest(self, name: str, apart: Collection[str]) -> Iterator[RankKey]:
        """Yield the ranks of such a group's entries, the lowest first; lazy."""

    def group_counts(self) -> Mapping[str, int]:
        """Return how many entries each section's group holds; groups without any may be missing."""

    def tag_counts(self) -> Mapping[tuple[str, str], int]:
        """Return how many entries of each section's group have each tag."""

    def topic(self, name: str) -> list[Entry]:
        """Return the entries of one topic."""

    def topics(self) -> list[str]:
        """Return the topics that have entries, sorted."""

    def topic_count(self) -> int:
        """Return how many topics have entries."""

    def day(self, date: str) -> list[Entry]:
        """Return the entries of one daily note."""

    def days(self) -> list[str]:
        """Return the days that have entries, sorted."""
