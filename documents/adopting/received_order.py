"""Makes MEMORY.md show the same entries as on the machine that it came from, if this log ranks them differently.

Implements specs/editing.md (D-65). A document shows neither which lines of one commit came first nor which are important,
so two machines may move different entries to overflow files next (specs/adr/0016). This module ranks entries again until
P-151 chooses the entries that the document shows: in each group they rank above those that overflow, and the group whose
next entry lacks room comes before the other groups that overflow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from documents.adopting.absence import DocumentHistory
from documents.adopting.adoption import Adoption
from documents.git.repository import Repository
from documents.writing.folder import group_of_path
from documents.writing.links import quoted, quotes_in
from documents.writing.overflow import Selection, group_of, lacking_room, select
from ledger.command import Supersede
from ledger.durable import read_file
from ledger.event import By
from ledger.fold import Entry
from ledger.instant import is_instant, parsed, written
from projections.index_source import IndexSource
from projections.layout import MEMORY_FILE, document_of, rank_key, tag_of, tag_of_group
from projections.settings import RenderSettings
from projections.shown_blocks import unpacked

if TYPE_CHECKING:
    from projections.workspace import Workspace


_ROUNDS = 8
"""How often the shown entries are checked after a new ranking: one change may move another."""


def follow(memory: Workspace, git: Repository, done: Sequence[Adoption]) -> None:
    """Rank entries again if documents from git show others than this log would.

    Args:
        memory: the ledger.
        git: the repository of the documents' folder.
        done: the edits that were just recorded.

    Raises:
        As `Ledger.write` does.
    """
    own = next((each for each in done if each.path == MEMORY_FILE), None)
    settings = memory.configuration.render_settings()
    if own is None or not settings.overflow or any(each.paused for each in done):
        return
    if not _came_with_git(memory, git, own, settings):
        return
    _write(memory, _tagged(memory, done))
    quotes = quotes_in(read_file(git.folder / own.path).decode("utf-8", "replace"))
    there = _There(set(own.ids), _overflow_there(memory, git.folder, done), quotes)
    for _ in range(_ROUNDS):
        commands = _ranked_anew(memory, there, settings)
        if not commands:
            return
        _write(memory, commands)


def _write(memory: Workspace, commands: Sequence[Supersede]) -> None:
    if commands:
        memory.append(commands, By(memory.by.name, "user", "git"))


def _tagged(memory: Workspace, done: Sequence[Adoption]) -> list[Supersede]:
    """Return supersedes that add a tag to the entries in its overflow file (P-150)."""
    found = []
    for each in done:
        tag = tag_of_group(group_of_path(each.path))
        for entry in _entries(memory, each.ids) if tag else ():
            if tag_of(document_of(entry), entry.memory.tags) != group_of_path(each.path):
                memory_ = entry.memory._replace(tags=(tag, *entry.memory.tags))
                found.append(_said_again(entry._replace(memory=memory_), _said(entry)))
    return found


@dataclass(slots=True)
class _There:
    """The content of the documents that came.

    `shown` and `overflow` are the id prefixes of the entries in MEMORY.md and in overflow files, `quotes` the quotes of
    each file in Links. `raised` collects the id prefixes of entries that became the newest here.
    """

    shown: set[str]
    overflow: set[str]
    quotes: Mapping[str, list[str]]
    raised: set[str] = field(default_factory=set)

    def is_quoted(self, selection: Selection) -> bool:
        """Return whether the log would quote the same."""
        ours = selection.summaries
        return all(
            ours.get(group_of_path(path), "") == ", ".join(each) for path, each in self.quotes.items() if each
        )


def _ranked_anew(memory: Workspace, there: _There, settings: RenderSettings) -> list[Supersede]:
    """Return supersedes that bring the log closer to what MEMORY.md shows; none if both are the same."""
    source = IndexSource(memory.index)
    selection = select(source, settings)
    standing = _entries(memory, there.shown)
    ours, theirs = ({entry.id for entry in entries} for entries in (selection.shown, standing))
    if not selection.overflow or (ours == theirs and there.is_quoted(selection)):
        return []
    out = [entry for entry in _entries(memory, there.overflow) if entry.id not in theirs and _moves(entry)]
    shown = [entry for entry in standing if _moves(entry)]
    kept = [entry for entry in shown if entry.id not in ours]
    hidden = [entry for entry in out if entry.id in ours]
    groups = _ShownGroups(shown, out, selection)
    if commands := [_said_again(entry, said) for entry, said in groups.quoted_last(there.quotes)]:
        return commands
    if not out or not (kept or hidden):
        return []
    ends = lacking_room(source, settings, standing, groups.tops())
    divided = groups.divided(ends)
    newest, lowered = groups.inverted(hidden, divided)
    newest |= {entry.id for entry in kept if groups.of[entry.id] != divided}
    lowered |= groups.behind(divided)
    if newest - {entry.id for entry in _entries(memory, there.raised)}:
        there.raised |= {id_[:32] for id_ in newest}
        commands = groups.newest(_entries(memory, there.raised), divided, memory.clock())
    elif hidden and not kept and not lowered:
        last = max(map(_said, out)) + 1
        lowered = {entry.id: last for entry in ends if groups.of[entry.id] == divided}
    return [*commands, *(_said_again(entry, lowered[entry.id]) for entry in out if entry.id in lowered)]


def _moves(entry: Entry) -> bool:
    """Return whether the rank of an entry depends on its time alone (P-5)."""
    return not rank_key(entry).rank_class


class _ShownGroups:
    """The entries of MEMORY.md and of its overflow files, group by group, the lowest rank first.

    Args:
        shown: the shown entries, without those that always come first.
        out: the entries that overflow.
        selection: it knows the groups.
    """

    def __init__(self, shown: Sequence[Entry], out: Sequence[Entry], selection: Selection) -> None:
        self.of = {entry.id: group_of(entry, selection.groups) for entry in (*shown, *out)}
        self._shown: dict[str, list[Entry]] = {}
        self._out: dict[str, list[Entry]] = {}
        for entries, by_group in ((shown, self._shown), (out, self._out)):
            for entry in entries:
                by_group.setdefault(self.of[entry.id], []).append(entry)

    def tops(self) -> list[Entry]:
        """Return the entry with the highest rank of each overflow file."""
        return [entries[-1] for entries in self._out.values()]

    def divided(self, lacking: Sequence[Entry]) -> str:
        """Return the group that ends the shown entries (P-19): its next entry lacks room, and most of the group is shown."""
        found = [self.of[entry.id] for entry in lacking]
        return max(found, key=lambda group: (len(self._shown.get(group, ())), self._begun(group)), default="")

    def inverted(self, hidden: Sequence[Entry], divided: str) -> tuple[set[str], dict[str, int]]:
        """Return the entries to make newest, and those to lower with their new instants, so that the shown entries rank highest.

        Shown entries rank above the rest of their group. All shown entries rank above a group of which the log shows too
        much, unless that group is `divided`. Whichever needs fewer changes is done: raising or lowering.
        """
        newest, lowered = set[str](), dict[str, int]()
        everything = [entry for entries in self._shown.values() for entry in entries]
        for group, out in self._out.items():
            outside = any(self.of[entry.id] == group for entry in hidden) and group != divided
            shown = everything if outside else self._shown.get(group, [])
            below = min(map(_said, shown), default=0)
            low = [entry for entry in shown if _said(entry) <= _said(out[-1])]
            if not low:
                continue
            high = _pressed(out, below)
            if len(low) < len(high):
                newest |= {entry.id for entry in low}
            else:
                lowered |= high
        return newest, lowered

    def quoted_last(self, quotes: Mapping[str, list[str]]) -> list[tuple[Entry, int]]:
        """Return the entries that Links quotes, with instants that give them the lowest rank (P-154)."""
        found: list[tuple[Entry, int]] = []
        for path, texts in quotes.items():
            out = self._out.get(group_of_path(path), [])
            by_quote = {quoted(entry.memory.text): entry for entry in reversed(out)}
            last = [by_quote[text] for text in texts if text in by_quote]
            if len(last) == len(texts) and last != out[: len(last)]:
                below = _said(out[0]) - len(last)
                found += [(entry, below + at) for at, entry in enumerate(last)]
        return found

    def newest(self, entries: Sequence[Entry], divided: str, now: int) -> list[Supersede]:
        """Return supersedes that make entries the newest.

        Entries of groups that overflow after `divided` come first, and of them those of the longest section: they take
        the least room. Then come those of `divided`.
        """
        sections = Counter(entry.memory.effective_section for entry in entries)

        def order(entry: Entry) -> tuple[int, int, str]:
            section, group = entry.memory.effective_section, self.of[entry.id]
            return (
                (group in self._out) + (group in self._out and group != divided),
                sections[section],
                section,
            )

        ordered = sorted(entries, key=order, reverse=True)
        return [_said_again(entry, now - at) for at, entry in enumerate(ordered, 1)]

    def behind(self, divided: str) -> dict[str, int]:
        """Return instants that make the other overflowing groups begin before `divided`, so that they come later (P-151)."""
        if not divided:
            return {}
        begun = self._begun(divided)
        before = [group for group in self._out if group != divided and self._begun(group) >= begun]
        last = min(map(self._begun, self._out))
        before.sort(key=self._begun, reverse=True)
        return {self._out[group][0].id: last - at for at, group in enumerate(before, 1)}

    def _begun(self, group: str) -> int:
        return min(_said(entries[0]) for by in (self._shown, self._out) if (entries := by.get(group)))


def _pressed(entries: Sequence[Entry], below: int) -> dict[str, int]:
    """Return instants below `below` for the entries above it, and for the entries that these would then pass."""
    found = {}
    for entry in reversed(entries):
        if _said(entry) < below:
            break
        below -= 1
        found[entry.id] = below
    return found


def _came_with_git(memory: Workspace, git: Repository, own: Adoption, settings: RenderSettings) -> bool:
    """Return whether git brought a MEMORY.md within the limits: a merge may exceed them."""
    try:
        data = read_file(git.folder / own.path)
    except OSError:
        return False
    if data.count(b"\n") > settings.max_lines or len(data) > settings.max_bytes:
        return False
    changed = own.status.st_mtime_ns if own.status else None
    return DocumentHistory(memory, git, own.path, data, changed).explains


def _overflow_there(memory: Workspace, folder: Path, done: Sequence[Adoption]) -> set[str]:
    """Return the id prefixes of the entries in overflow files."""
    found = {
        block.id
        for path, blocks in memory.local.shown_last(folder).items()
        if group_of_path(path) and path != MEMORY_FILE and (folder / path).is_file()
        for block in unpacked(blocks)
    }
    for each in done:
        if group_of_path(each.path) and each.path != MEMORY_FILE:
            found |= set(each.ids)
    return found


def _entries(memory: Workspace, prefixes: Iterable[str]) -> list[Entry]:
    """Return the current entries with these id prefixes, or those that replaced them, the lowest rank first."""
    index = memory.index
    found = {}
    for prefix in prefixes:
        for id_ in index.ids(prefix):
            entry = index.entry(id_)
            while entry is not None and entry.superseded_by:
                entry = index.entry(entry.superseded_by[-1])
            if entry is not None and entry.status == "active":
                found[entry.id] = entry
    return sorted(found.values(), key=rank_key)


def _said(entry: Entry) -> int:
    """Return the instant by which an entry ranks: that of its commit, or the beginning of its hour (P-5)."""
    said = rank_key(entry).said.partition(" ")[0]
    return parsed(said if is_instant(said) else f"{said}:00:00.000000Z")


def _said_again(entry: Entry, said: int) -> Supersede:
    """Return a supersede that repeats an entry with this instant (µs since 1970)."""
    where = entry.memory.provenance._replace(date=written(said))
    memory = entry.memory._replace(status="active", provenance=where)
    return Supersede((entry.id,), memory, reason="ranked as git brought it")
