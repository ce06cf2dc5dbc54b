"""Finds the rendering that an edited document descends from: the one that its writer edited.

Implements specs/editing.md (D-2) on the ledger's side: local.db remembers which entries renderings showed, the log has
their texts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from documents.git.checked_out import has_touched
from documents.git.committed import versions
from documents.git.repository import Repository
from documents.reading.edits import Edit
from documents.reading.matching import alike
from documents.reading.memory_file import day_of
from documents.reading.memory_units import Unit
from documents.reading.shown_entries import Shown
from ledger.errors import SecretError
from ledger.fold import Entry
from ledger.instant import written
from ledger.memory import Memory
from ledger.preconditions import is_persons
from projections.line_endings import styled
from projections.shown_blocks import ShownBlock, digest, unpacked

if TYPE_CHECKING:
    from projections.workspace import Workspace

_A_CHANGE = 0.5
"""The weight of a changed entry in the distance to a rendering; an added or removed one counts 1."""
_UNWATCHED = ("mcp", "hook", "library")
"""Doors through which agents write while no person watches."""
_HOUR = 3600 * 10**9
"""How long, in ns, an editor may show a document after it was rewritten on disk."""
_MOST = 100
"""How many of the memories that edits removed last are examined."""
_MUCH = 0.8
"""From this likeness on a change counts as a change; below it, as a removal and an addition."""


CompareShown = Callable[[Sequence[Shown]], list[Edit]]
"""Returns the edits that turn a rendering into the document."""


class Descent(NamedTuple):
    """A rendering, and the edits that turn it into a document."""

    base: list[Shown]
    edits: list[Edit]


class Renderings:
    """The remembered renderings of a document, the latest first; those of this folder before others."""

    def __init__(self, memory: Workspace, git: Repository, path: str) -> None:
        folder = git.folder
        self._git = git
        self._memory = memory
        self._index = memory.index
        self._local = memory.local
        self._folder = folder
        self.path = path
        own = memory.local.shown(folder, path)
        elsewhere = memory.local.shown_elsewhere(folder, path)
        foreign = memory.is_shared(folder) or (elsewhere and not git.tracks(path))
        elsewhere = (
            [] if foreign else elsewhere
        )  # the content of a shared folder does not descend from ours elsewhere
        self._own = len(own)
        self._digests = [digest for digest, _ in [*own, *elsewhere]]
        self._all = [unpacked(blocks) for _, blocks in [*own, *elsewhere]]
        self._entries: dict[str, tuple[str, Memory | None, str]] = {}
        self.keys = {block.key for blocks in self._all for block in blocks if block.key}

    @property
    def known(self) -> bool:
        """Whether any rendering is remembered, even an empty one."""
        return bool(self._all)

    def is_erased(self, key: bytes) -> bool:
        """Return whether a block with this key belonged to a memory that is erased now (D-2)."""
        id_ = self._local.id_of_block(key)
        return bool(id_) and self._entry(id_)[1] is None

    def of_another(self, key: bytes, here: Collection[str]) -> bool:
        """Return whether a block with this key belongs to a current memory other than these."""
        id_ = self._entry(prefix)[0] if (prefix := self._local.id_of_block(key)) else ""
        entry = self._index.entry(id_) if id_ and id_ not in here else None
        return entry is not None and entry.status == "active"

    def bodies(self) -> Iterator[str]:
        """Yield the bodies of all entries that a remembered rendering showed."""
        for id_ in {block.id for blocks in self._all for block in blocks}:
            memory = self._entry(id_)[1]
            if memory is not None and memory.body:
                yield memory.body

    def base_of(self, data: bytes, units: Sequence[Unit], compared: CompareShown, *, last: bool) -> Descent:
        """Return the rendering that a document descends from, and the edits since (D-2).

        Args:
            data: the document's bytes.
            units: the document's.
            compared: returns the edits that turn a rendering into the document.
            last: whether the document descends from the last rendering.
        """
        first = self._descent(self._all[0] if self._all else [], compared)
        if last or all(edit.proposal.action == "create" for edit in first.edits):
            return first
        if self._git_has_touched(data):
            committed = self._committed(units)
            return (
                self._closest(first, units, compared)
                if committed is None
                else self._descent(committed, compared)
            )
        if not self._may_be_older(units, first):
            return first
        there = Counter(unit.key for unit in units)
        typed = sum(number for key, number in there.items() if key not in self.keys)
        newest = {block.key for block in self._all[0]}
        if self._typed_again(there.keys() - newest):
            return first
        recent = self._recent()
        changed: Descent | None = None
        for at, blocks in enumerate(self._all[1:], 1):
            if at not in recent:
                break  # whoever saved it has seen a newer rendering than this one
            shown = Counter(block.key for block in blocks if block.key)
            if not shown or (newest - shown.keys()) & there.keys():
                continue
            if shown <= there:  # it only adds to this one
                return self._descent(blocks, compared) if self._by_agents(shown) else first
            if changed is None and (shown - there).total() <= typed and self._by_agents(shown, _UNWATCHED):
                older = self._descent(blocks, compared)
                changed = older if _only_changes(older) else None
        return changed or first

    def _typed_again(self, keys: Collection[bytes]) -> bool:
        """Return whether an edit removed a line with one of these keys lately: whoever typed it again saw the removal."""
        lately = written(self._memory.clock() - _HOUR // 1000)
        taken_out = self._index.taken_out_since(lately, _MOST)
        known = {prefix for key in keys if (prefix := self._local.id_of_block(key))}
        return any(id_.startswith(prefix) for id_ in taken_out for prefix in known)

    def _by_agents(self, shown: Collection[bytes], doors: Collection[str] = ()) -> bool:
        """Return whether agents wrote everything newer than `shown`, through these doors (by default any).

        The person here may not know of it. No person moved an older entry here if nobody ever confirmed it; the same
        holds for entries of an overflow file.
        """
        if self.path.startswith("memory/") and not day_of(Path(self.path).name):
            return True
        came = self._named(block.id for block in self._all[0] if block.key and block.key not in shown)
        before = self._named(self._local.id_of_block(key) for key in shown)
        newest = max((entry.n for entry in before if entry is not None), default=-1)
        return all(
            entry is not None
            and (
                (entry.n < newest and entry.fresh_since == entry.learned)
                or (not _is_own(entry) and (not doors or entry.by.via in doors))
            )
            for entry in came
        )

    def _named(self, prefixes: Iterable[str]) -> list[Entry | None]:
        return [self._index.entry(id_) for prefix in prefixes if prefix for id_ in self._index.ids(prefix)]

    def _recent(self) -> set[int]:
        """Return the positions of renderings that were on disk less than an hour before the document was saved (D-2)."""
        times = self._local.settled_times(self._folder, self.path)
        try:
            saved = (self._folder / self.path).stat().st_mtime_ns
        except OSError:
            return set()
        put = [times.get(digest, 0) for digest in self._digests[: self._own]]
        return {at + 1 for at, time in enumerate(put) if saved - time < _HOUR}

    def _git_has_touched(self, data: bytes) -> bool:
        since = self._local.settled_at(self._folder, self.path)
        return has_touched(self._git, self.path, data, since)

    def _may_be_older(self, units: Sequence[Unit], first: Descent) -> bool:
        """Return whether a document lacks the newest entries or has replaced ones, and also has typed text.

        If an edit only removes lines, its writer saw them.
        """
        said_before = {shown.id: shown.memory for shown in first.base}
        keys = {unit.line: unit.key for unit in units}
        typed = lacking = False
        for edit in first.edits:
            action, now = edit.proposal.action, edit.proposal.memory
            if action == "delete":
                lacking = True
            elif now is not None:
                known = keys.get(edit.line) in self.keys
                before = said_before.get(edit.proposal.targets[0]) if action == "supersede" else None
                lacking |= action == "supersede" and (known or before is None or not alike(before, now))
                typed |= not known and not secret_in(self._memory, now)
        return typed and lacking

    def _committed(self, units: Sequence[Unit]) -> list[ShownBlock] | None:
        """Return the rendering in git that a document descends from; None if git has none.

        It is at least as new as the newest committed one, and the earliest that has every rendered block of the
        document.
        """
        style = self._local.style(self._folder, self.path)
        known = {name: at for at, name in reversed(list(enumerate(self._digests)))}
        found = (
            known.get(digest(each))
            for version in versions(self._git, self.path, 16)
            for each in (version.data, styled(version.data, style))
        )
        newest = next((at for at in found if at is not None), None)
        if newest is None:
            return None
        there = {unit.key for unit in units}
        later: set[bytes] = set()
        earliest = None
        for at in range(newest + 1):
            keys = {block.key for block in self._all[at] if block.key}
            if not (later - keys) & there:
                earliest = at
            later |= keys
        return None if earliest is None else self._all[earliest]

    def _closest(self, best: Descent, units: Sequence[Unit], compared: CompareShown) -> Descent:
        """Return the rendering with the smallest distance to a document that git may have brought."""
        least = _distance(best)
        there = Counter(unit.key for unit in units)
        for blocks in self._all[1:]:
            unknown = (there - Counter(block.key for block in blocks)).total()
            if unknown * _A_CHANGE < least:  # else it cannot be closer
                other = self._descent(blocks, compared)
                if (distance := _distance(other)) < least:
                    best, least = other, distance
        return best

    def _descent(self, blocks: Sequence[ShownBlock], compared: CompareShown) -> Descent:
        base = [self._shown(block) for block in blocks]
        return Descent(base, compared(base))

    def _shown(self, block: ShownBlock) -> Shown:
        id_, memory, lineage = self._entry(block.id)
        after = memory.place.after if memory and memory.place else None
        follows = self._lineage(after) if after else ""
        return Shown(id_, block.key, memory, block.stale, block.gone, lineage, follows)

    def _lineage(self, id_: str) -> str:
        """Return the id that all versions of a memory share; for an unknown memory, its own id."""
        return self._entry(id_)[2] or id_

    def _entry(self, prefix: str) -> tuple[str, Memory | None, str]:
        """Return the full id of an entry, its memory (None if erased or unknown), and its lineage."""
        if prefix not in self._entries:
            ids = self._index.ids(prefix)
            entry = self._index.entry(ids[0]) if len(ids) == 1 else None
            stands = entry is not None and entry.status != "erased"
            said = entry.memory if entry and stands else None
            self._entries[prefix] = (ids[0] if ids else prefix, said, entry.order[1] if entry else "")
        return self._entries[prefix]


def secret_in(memory: Workspace, said_there: Memory) -> str:
    """Return the rules by which redaction refuses a typed text, or ""."""
    try:
        memory.ledger.screened(said_there.to_payload(), redact=False)
    except SecretError as error:
        return ", ".join(error.rules)
    return ""


def _is_own(entry: Entry) -> bool:
    """Return whether a person wrote a memory, by hand or by a script on the command line."""
    return is_persons(entry) and (entry.by.role == "user" or entry.by.via == "cli")


def _only_changes(descent: Descent) -> bool:
    """Return whether no entry of a rendering was removed or overwritten with something else."""
    before = {shown.id: shown.memory for shown in descent.base}
    for edit in descent.edits:
        new = edit.proposal.memory
        old = before.get(edit.proposal.targets[0]) if edit.proposal.targets else None
        if edit.proposal.action == "delete" or (new is not None and old is not None and not alike(old, new)):
            return False
    return True


def _distance(descent: Descent) -> float:
    """Return how far a document is from a rendering: 1 for each addition or removal, 0.5 for each change."""
    before = {shown.id: shown.memory for shown in descent.base}
    distance = 0.0
    for edit in descent.edits:
        proposal = edit.proposal
        if proposal.action == "supersede" and proposal.memory is not None:
            old = before.get(proposal.targets[0])
            distance += _A_CHANGE if old is not None and alike(old, proposal.memory, _MUCH) else 2
        else:
            distance += _A_CHANGE if proposal.action == "confirm" else 1
    return distance
