"""Learns the content of Claude Code's own memory of a project, and later its changes. Never writes there.

Implements specs/doors.md (G-26, G-63…G-66). Digests under the ledger's local secret record each imported note. So a note
that a person changed or removed here does not come back, and a line that the agent drops removes nothing here.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path

import orjson

from documents.folders import document_folders
from documents.proposal import Proposal, memory_key
from documents.reading.any_document import Document
from documents.reading.claude_memory import AGENT, read_claude_memory
from documents.scope import Scope
from learning.agent_memory_records import TAKEN, Seen, followed, seen_in
from learning.outcome import against_what
from learning.proposal_relation import compared
from learning.writer import each_written
from ledger.command import Create, Supersede, Written
from ledger.errors import LedgerError, NotFoundError, RecordError, SecretError, UsageError
from ledger.event import By
from ledger.fold import Entry
from ledger.lazy_pattern import lazy_pattern
from ledger.location import git_common_directory, git_root
from ledger.memory import Memory
from ledger.path_names import name_of
from projections import commonmark
from projections.recall import Recall

BY = By(AGENT, "agent", "import")
"""The author of these notes: the person's agent."""

_ALIKE = 0.5
"""Two texts of one file with at least this ratio are one changed note; of two files, with at least `_MOVED`."""
_MOVED = 0.8
_MOST_PAIRS = 10_000
"""At most so many pairs of a removed and an added note are compared; beyond that, each added note is new."""


@dataclass(slots=True)
class FileOutcome:
    """The result for one file: how many memories are new, changed and known, and the errors of the refused ones.

    `away` counts memories that were imported before and changed or removed here since; they stay so. `waiting` counts
    the new ones that contradict a person's own memory, and so are candidates.
    """

    path: Path
    warnings: tuple[str, ...] = ()
    new: int = 0
    changed: int = 0
    known: int = 0
    away: int = 0
    waiting: int = 0
    refused: list[LedgerError] = field(default_factory=list)


@dataclass(slots=True)
class Synced:
    """The result for a folder; `gone` are the current memories here that the folder no longer has."""

    folder: Path
    files: list[FileOutcome] = field(default_factory=list)
    gone: list[Entry] = field(default_factory=list)
    errors: list[LedgerError] = field(default_factory=list)

    @property
    def wrote(self) -> bool:
        """Whether anything was learned."""
        return any(each.new or each.changed for each in self.files)


@dataclass(slots=True)
class _Said:
    """One memory of a file, its digest, the memory that it replaces (`target`), and its own id."""

    source: FileOutcome
    name: str
    memory: Memory
    digest: str
    target: str = ""
    id: str = ""
    against: str = ""
    """The person's memory that it contradicts, as the reason why it is a candidate."""


def sync(scope: Scope, folders: Sequence[Path] = (), *, start: Path, dry: bool = False) -> list[Synced]:
    """Learn the changes of folders, by default of those that were imported before (G-66); otherwise as `import_`."""
    scope.workspace.index  # noqa: B018 - a missing ledger is reported before a missing folder
    known = [folder for folder in followed(scope.workspace) if folder.is_dir()]
    return import_(scope, folders or known, start=start, dry=dry)


def import_(scope: Scope, folders: Sequence[Path] = (), *, start: Path, dry: bool = False) -> list[Synced]:
    """Learn from folders, by default that of the project that contains `start` (G-66).

    Raises:
        UsageError: no folder is given, and the project has none; otherwise as `take_in`.
    """
    if not folders:
        found = claude_memory(start)
        if found is None:
            raise UsageError(
                "Claude Code has no memory of this folder: give its DIR, ~/.claude/projects/<slug>/memory"
            )
        folders = [found]
    return [take_in(scope, folder, dry=dry) for folder in folders]


def take_in(scope: Scope, folder: Path, *, dry: bool = False) -> Synced:
    """Learn the notes of a folder that were not imported from it before.

    Args:
        scope: the ledger.
        folder: Claude Code's `projects/<slug>/memory`.
        dry: return what would be learned, and write nothing.

    Raises:
        NotFoundError: the folder does not exist.
        UsageError: it is a file, or contains the ledger's own documents.
        KeyFileError, ChainError, BusyError, StorageError: as `Scope.write`.
    """
    folder = _checked(scope, folder)
    done = Synced(folder)

    def unreadable(_path: Path, error: LedgerError) -> None:
        done.errors.append(error)

    seen = seen_in(scope.workspace, folder)
    secret = scope.workspace.local.secret()
    documents = list(read_claude_memory(folder, unreadable, commonmark.unescape))
    said = [
        each for document, memories in documents for each in _said(done, folder, document, memories, secret)
    ]
    news = _news(scope, said, seen)
    gone = list(_gone(scope, said, seen, unread=bool(done.errors)))
    _leave_to_a_person(scope, news)
    sure = [each for each in news if not each.against]
    left = _paired(sure, [(name, entry) for name, entry in gone if _is_theirs(entry)])
    done.gone = [entry for _, entry in gone if entry.id in left or not _is_theirs(entry)]
    _learn(scope, news, dry=dry)
    if not dry:
        _note(scope, folder, said, seen)
        if done.wrote:
            scope.documents.render_unless_held()
    return done


def _checked(scope: Scope, folder: Path) -> Path:
    real = Path(os.path.realpath(folder))
    if not real.is_dir():
        if real.exists():
            raise UsageError(
                f"{folder} is not a folder: give that of Claude Code's memory, or import the file itself"
            )
        raise NotFoundError(f"{folder}: no such folder; nothing was imported; check the path")
    if real in {Path(os.path.realpath(each)) for each in document_folders(scope.workspace)}:
        raise UsageError(f"{folder} has the ledger's own documents: run muniment adopt to record edits there")
    return real


def _said(
    done: Synced, folder: Path, document: Document, memories: Iterable[Memory], secret: bytes
) -> Iterator[_Said]:
    source = FileOutcome(document.path, document.warnings)
    done.files.append(source)
    name = os.path.relpath(document.path, folder)
    digests = set()
    for memory in memories:
        digest = hashlib.blake2b(memory_key(memory).encode(), key=secret, digest_size=12).hexdigest()
        if digest not in digests:
            digests.add(digest)
            yield _Said(source, name, memory, digest)


# --- new, changed and removed notes ---


def _news(scope: Scope, said: Iterable[_Said], seen: Seen) -> list[_Said]:
    """Return the notes that were not imported before and that no current memory repeats; count the others."""
    standing = {_words(entry.memory): entry.id for entry in Recall(scope.workspace).each(archived=True)}
    known = {memory_key(entry.memory): entry.id for entry in Recall(scope.workspace).each(archived=True)}
    news = []
    for each in said:
        each.id = seen.get(each.name, {}).get(each.digest, "")
        if each.id:
            entry = scope.workspace.index.entry(each.id)
            if entry is None or not _given_up(scope, entry):
                stands = entry is not None and entry.live
                each.source.known += stands
                each.source.away += not stands
                continue
        each.id = known.get(memory_key(each.memory), "") or standing.get(_words(each.memory), "")
        if each.id:
            each.source.known += 1
        else:
            standing[_words(each.memory)] = ""
            news.append(each)
    return news


def _leave_to_a_person(scope: Scope, news: Iterable[_Said]) -> None:
    """Turn notes that contradict a person's own memory into candidates (specs/capture.md, K-63)."""
    for each in news:
        found = compared(scope.workspace.index, Proposal("create", each.memory)).against
        if written := [entry for entry in found if entry.memory.source == "manual"]:
            each.against = against_what(written)
            each.memory = each.memory.with_changes(status="candidate")


def _given_up(scope: Scope, entry: Entry) -> bool:
    """Return whether only the agent replaced this note, which it now says again; a person's change stays."""
    newer = [scope.workspace.index.entry(id_) for id_ in entry.superseded_by]
    return bool(newer) and all(each is not None and each.live and _is_theirs(each) for each in newer)


def _words(memory: Memory) -> tuple[str, ...]:
    """Return the content by which two memories under different headings are the same."""
    text = " ".join(memory.text.split()).casefold()
    return (text, *memory.details, memory.body.strip(), memory.topic and memory.title)


def _gone(scope: Scope, said: Iterable[_Said], seen: Seen, *, unread: bool) -> Iterator[tuple[str, Entry]]:
    """Yield the current memories that their files no longer have; none if a file could not be read."""
    if unread:
        return
    there = {(each.name, each.digest) for each in said}
    still = {each.id for each in said if each.id}
    for name, taken in seen.items():
        for digest, id_ in taken.items():
            entry = scope.workspace.index.entry(id_)
            if (name, digest) not in there and id_ not in still and entry is not None and entry.live:
                yield name, entry


def _is_theirs(entry: Entry) -> bool:
    """Return whether only the agent said it. An agent's words never replace a person's, nor a memory that one confirmed."""
    return entry.status == "active" and entry.by == BY and entry.memory.status == "active"


def _paired(news: Sequence[_Said], gone: Sequence[tuple[str, Entry]]) -> set[str]:
    """Pair new memories with removed ones, the most alike first; return the ids of the removed ones without a pair."""
    free = {entry.id: (name, entry) for name, entry in gone}
    if len(news) * len(gone) <= _MOST_PAIRS:
        pairs = [
            (ratio, at, entry.id)
            for at, each in enumerate(news)
            for name, entry in gone
            if (ratio := _ratio(entry.memory, each.memory)) >= (_ALIKE if name == each.name else _MOVED)
        ]
        for _, at, id_ in sorted(pairs, key=lambda pair: (-pair[0], pair[1])):
            if id_ in free and not news[at].target:
                news[at].target = id_
                del free[id_]
    return set(free)


def _ratio(old: Memory, new: Memory) -> float:
    one, other = (" ".join((each.title, each.text, *each.details, each.body))[:4000] for each in (old, new))
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    if matcher.real_quick_ratio() < _ALIKE or matcher.quick_ratio() < _ALIKE:
        return 0.0
    return matcher.ratio()


# --- writing ---


def _learn(scope: Scope, news: Sequence[_Said], *, dry: bool) -> None:
    good = []
    for each in news:
        try:
            scope.workspace.ledger.screened(each.memory.to_payload(), redact=False)
        except (SecretError, RecordError) as error:
            each.source.refused.append(error)
        else:
            good.append(each)
    commands = [
        Supersede((each.target,), each.memory) if each.target else Create(each.memory, each.against)
        for each in good
    ]
    results = [None] * len(good) if dry else each_written(scope.workspace, commands, BY)
    _count(good, results)


def _count(some: Sequence[_Said], results: Sequence[Written | LedgerError | None]) -> None:
    for each, result in zip(some, results, strict=True):
        if isinstance(result, LedgerError):
            each.source.refused.append(result)
            continue
        each.id = result.id if result else ""
        each.source.known += bool(result and result.known)
        if not (result and result.known):
            each.source.changed += bool(each.target)
            each.source.new += not each.target
            each.source.waiting += bool(each.against)


# --- what was imported ---


def _note(scope: Scope, folder: Path, said: Iterable[_Said], before: Mapping[str, Mapping[str, str]]) -> None:
    """Record every imported note permanently, so that a note that comes back is not new."""
    value: Seen = {name: dict(taken) for name, taken in before.items()}
    still = set()
    for each in said:
        if each.id:
            value.setdefault(each.name, {})[each.digest] = each.id
            still.add(each.digest)
    for (
        taken
    ) in value.values():  # the digest of an erased and removed text would let somebody guess it (Z-30)
        for digest, id_ in list(taken.items()):
            entry = scope.workspace.index.entry(id_) if digest not in still else None
            if entry is not None and entry.status == "erased":
                del taken[digest]
    if value != before or not before:
        scope.workspace.local.note(f"{TAKEN}{name_of(folder)}", orjson.dumps(value).decode())


# --- where Claude Code keeps its own memory (G-66) ---

_SLUG = lazy_pattern(r"[^A-Za-z0-9]")


def claude_memory(start: Path) -> Path | None:
    """Return the folder of Claude Code's memory of the project that contains `start`, or None.

    The worktrees of a repository share the folder of the main one.
    """
    named = os.environ.get("CLAUDE_CONFIG_DIR")
    projects = (Path(named).expanduser() if named else Path.home() / ".claude") / "projects"
    found = (projects / _SLUG.sub("-", str(root)) / "memory" for root in _roots(start))
    return next((folder for folder in found if folder.is_dir()), None)


def _roots(start: Path) -> Iterator[Path]:
    start = Path(os.path.realpath(start))
    top = git_root(start)
    common = git_common_directory(top) if top is not None else None
    if common is not None and common.name == ".git":
        yield common.parent
    if top is not None:
        yield top
    yield start
