"""Lets MEMORY.md show what it shows on the machine that git brought it from, if this log ranks otherwise.

Implements specs/editing.md (D-65). A document does not show what one commit's lines were said first, nor what is
important: so two machines may differ in what moves to overflow files next (specs/adr/0016). This log is ranked again
until P-151 chooses what the document shows: in each group that ranks above what overflows, and the group whose next
entry lacks room comes before the others that overflow.
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
from ledger.event import By
from ledger.fold import Entry
from ledger.instant import is_instant, parsed, written
from projections.index_source import IndexSource
from projections.layout import MEMORY_FILE, document_of, rank_key, tag_of, tag_of_group
from projections.settings import RenderSettings
from projections.shown_blocks import contents, unpacked

if TYPE_CHECKING:
    from projections.workspace import Workspace


_ROUNDS = 8
"""How often the shown entries are checked after a new ranking: one change may move another."""


def follow(memory: Workspace, git: Repository, done: Sequence[Adoption]) -> None:
    """Rank again what documents from git show in another order than this log would.

    Args:
        memory: the ledger.
        git: what git knows of the folder where the documents lie.
        done: what was taken in just now.

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
    quotes = quotes_in(contents(git.folder / own.path).decode("utf-8", "replace"))
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
    """What documents that came show.

    `shown` and `overflow` are the beginnings of the ids of what MEMORY.md and the overflow files show, `quotes` what
    Links quotes of each file. `raised` are those of what was made the newest here; more are added.
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
    """Return supersedes that let the log show what MEMORY.md shows, none if it does."""
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
    """Return whether the rank of an entry depends on when it was said alone (P-5)."""
    return not rank_key(entry).rank_class


class _ShownGroups:
    """What MEMORY.md shows and what its overflow files show, group by group, the lowest rank first.

    Args:
        shown: what is shown, but what always comes first.
        out: what overflows.
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
        """Return what overflows and has the highest rank of its group."""
        return [entries[-1] for entries in self._out.values()]

    def divided(self, lacking: Sequence[Entry]) -> str:
        """Return the group that ends what is shown (P-19): its next entry lacks room, and most of it is shown."""
        found = [self.of[entry.id] for entry in lacking]
        return max(found, key=lambda group: (len(self._shown.get(group, ())), self._begun(group)), default="")

    def inverted(self, hidden: Sequence[Entry], divided: str) -> tuple[set[str], dict[str, int]]:
        """Return what to make newest, and what to lower to which instants, so that the shown entries rank highest.

        It ranks above the rest of its group. Everything shown ranks above a group of which the log shows too much,
        unless that group is `divided`. The fewer entries are raised or lowered.
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
        """Return the entries that Links quotes and the instants by which they have the lowest rank (P-154)."""
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

        First those of groups that overflow after `divided`, and of them those of the longest section: they take the
        least room. Then those of `divided`.
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
        """Return instants by which the other groups that overflow begin before `divided`: so they come later (P-151)."""
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
    """Return instants below this one for entries that are not, and for entries that these would pass."""
    found = {}
    for entry in reversed(entries):
        if _said(entry) < below:
            break
        below -= 1
        found[entry.id] = below
    return found


def _came_with_git(memory: Workspace, git: Repository, own: Adoption, settings: RenderSettings) -> bool:
    """Return whether git brought a MEMORY.md that keeps the limits: a merge may have made one that does not."""
    try:
        data = contents(git.folder / own.path)
    except OSError:
        return False
    if data.count(b"\n") > settings.max_lines or len(data) > settings.max_bytes:
        return False
    changed = own.status.st_mtime_ns if own.status else None
    return DocumentHistory(memory, git, own.path, data, changed).explains


def _overflow_there(memory: Workspace, folder: Path, done: Sequence[Adoption]) -> set[str]:
    """Return the beginnings of the ids in overflow files."""
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
    """Return the current entries with these beginnings of ids, or those that replaced them, the lowest rank first."""
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
    """Return the instant by which an entry ranks: of what a document brought that of git's, or the hour's beginning (P-5)."""
    said = rank_key(entry).said.partition(" ")[0]
    return parsed(said if is_instant(said) else f"{said}:00:00.000000Z")


def _said_again(entry: Entry, said: int) -> Supersede:
    """Return the supersede of an entry by itself, said at this instant (µs since 1970)."""
    where = entry.memory.provenance._replace(date=written(said))
    memory = entry.memory._replace(status="active", provenance=where)
    return Supersede((entry.id,), memory, reason="ranked as git brought it")
