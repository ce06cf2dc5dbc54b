"""One erasure: the copies before the event, the event, the copies behind it, and the receipt.

Implements specs/erasure.md (Z-7, Z-15, Z-16). The text to look for is known only until the payload is blank. So all
copies are cleaned first; the result is noted in local.db, and after a crash the next command writes the
receipt from it.
"""

from __future__ import annotations

import json
import sqlite3
import tarfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from documents.folders import document_folders
from ledger import reader
from ledger.chain import CHAIN_NAME
from ledger.durable import read_file
from ledger.errors import LedgerError, StorageError
from ledger.instant import written
from ledger.location import IGNORE_FILE, ROOTS, user
from ledger.steps import reached
from ledger.view import ViewUnavailableError
from projections import output_files
from projections.copy_places import (
    BOOKKEEPING,
    EVENTS,
    EXPORT,
    LOCAL,
    NAMED,
    PROOF,
    WORKTREE,
    Copy,
    CopyPlaces,
)
from projections.index_schema import INDEX_NAME
from projections.local import LOCAL_NAME, Local
from projections.local_erasure import ERASING
from projections.query import events_of
from projections.render_lock import LOCK_NAME
from projections.shown_blocks import digest
from projections.text_occurrences import (
    cannot_be_read,
    document_files,
    events_that_say,
    ledger_files,
    strings,
)
from projections.vectors.vector_store import VECTORS_NAME
from projections.workspace import Workspace
from proofs import proof
from proofs.erasing import erasure_receipt, residue, shown_places
from proofs.erasing.cleaning import Gone, clean, names, said_in
from proofs.erasing.erasure_receipt import CopyFound
from proofs.erasing.ledger_copies import copies
from proofs.erasing.residue import Residue

_WITHOUT_WORDS = frozenset({CHAIN_NAME, IGNORE_FILE, ROOTS, LOCK_NAME, VECTORS_NAME})
"""Files of a ledger's folder that only the program writes, and the chain, whose events are looked at one by one (Z-33)."""
_SAID = ("text", "title", "details", "body", "extra", "reason")


@dataclass(slots=True)
class Erasure:
    """What became of the copies of what was erased; `receipt` is where the receipt lies, None if there is none."""

    targets: tuple[str, ...] = ()
    found: dict[str, CopyFound] = field(default_factory=dict)
    clean: bool = False
    behind: bool = False
    receipt: Path | None = None

    @property
    def documents(self) -> list[str]:
        """The documents that say it still."""
        return [each.path for each in self.named if each.kind in (WORKTREE, shown_places.DOCUMENT)]

    @property
    def cleaned(self) -> list[CopyFound]:
        """The copies that are gone."""
        return [each for each in self.found.values() if not each.left]

    @property
    def named(self) -> list[CopyFound]:
        """The files that still hold it, or may."""
        return [each for each in self.found.values() if each.left]


class Erasing:
    """Looks for copies of what some events say.

    Args:
        memory: the ledger.
        targets: the full ids of the events to erase.
        text: the text that a person gave, "" if they gave events.
        places: other places with copies.
    """

    def __init__(
        self, memory: Workspace, targets: Sequence[str], text: str = "", *, places: Sequence[CopyPlaces]
    ) -> None:
        self._memory = memory
        self._places = places
        self._text = text
        self._going = frozenset(targets)
        texts = [text] if text else list(_texts_of(memory, self._going))
        self.residue = Residue(texts, anywhere=bool(text), standing=tuple if text else self._standing)
        self.erasure = Erasure(tuple(targets))

    def _standing(self) -> Iterator[str]:
        """Yield what the other events say of it, so that the other one of two equal texts stands (Z-5)."""
        for event in reader.events_where(self._memory.chain, self.residue.may_stand_in):
            if event.payload and event.id not in self._going:
                yield from strings(event.payload)

    def look(self, *, change: bool = True) -> None:
        """Clean or name every copy; without `change` name what could be cleaned, too."""
        if not self.residue:
            return
        with self._memory.on_progress("looking for copies") as progress:
            for done, copy in enumerate(copies(self._memory, self._memory.ledger.identity.id, self._places)):
                self._look_at(copy, change=change)
                progress(done + 1, 0)
        if change:
            self._look_at_local_state()
        reached("copies.cleaned")

    def _look_at_local_state(self) -> None:
        local = self._memory.local
        try:
            if local.erasures.blank(lambda value: self.residue.look(_bytes(value)) == residue.WHOLE):
                self.note(CopyFound(LOCAL, str(local.database.path)))
            for places in self._places:
                places.forget(self._memory, self._going, lambda path: str(path) in self.erasure.found)
            output_files.forget_changed(local)
        except (OSError, StorageError, sqlite3.Error) as error:
            self.note(CopyFound(LOCAL, str(local.database.path), "may hold it", str(error)))

    def _look_at(self, copy: Copy, *, change: bool) -> None:
        path = copy.path
        try:
            held = self._held(copy)
            if not held and not names(copy.way, path, self._going):
                return
            tried = change and copy.way != NAMED and (held != residue.PART or copy.way == EVENTS)
            if tried:
                clean(copy.way, path, Gone(self.residue, self._going))
                held = self._held(copy)
                if copy.way in (EXPORT, PROOF) and path.is_file():
                    output_files.note_given(self._memory.local, path, copy.kind)
            self.note(CopyFound(copy.kind, str(path), held))
        except FileNotFoundError:
            return
        except (OSError, sqlite3.Error, ValueError, KeyError) as error:
            why = cannot_be_read(path) or (
                str(error) if isinstance(error, sqlite3.Error) else type(error).__name__
            )
            self.note(CopyFound(copy.kind, str(path), "may hold it", why))

    def note(self, found: CopyFound) -> None:
        """Note what became of a file."""
        self.erasure.found[found.path] = found

    def _held(self, copy: Copy) -> str:
        if copy.kind == output_files.BACKUP:
            return self._in_backup(copy.path)
        if copy.kind == output_files.PROOF:
            return self.residue.look(proof.parse(copy.path.read_bytes()).payload or b"")
        if not copy.path.exists():
            return ""
        if copy.way == EVENTS:
            return said_in(copy.path, self.residue)
        return residue.WHOLE if copy.way == BOOKKEEPING else self.residue.look(copy.path.read_bytes())

    def _in_backup(self, path: Path) -> str:
        try:
            with tarfile.open(path) as archive:
                for member in archive:
                    stream = archive.extractfile(member)
                    if stream and (held := self.residue.look(stream.read())):
                        return held
        except tarfile.TarError as error:
            raise ValueError("no longer a backup") from error
        return ""

    def note_draft(self) -> None:
        """Note what was done so far, so that after a crash the receipt can still say it (Z-16)."""
        value = {
            "targets": list(self.erasure.targets),
            "found": [asdict(self._withheld(each)) for each in self.erasure.found.values()],
        }
        self._memory.local.note(ERASING, json.dumps(value))
        reached("erasure.noted")

    def _withheld(self, found: CopyFound) -> CopyFound:
        """Return what is noted without a path that says it itself."""
        if self._says(found.path):
            return CopyFound(found.kind, erasure_receipt.WITHHELD, found.left, found.why)
        return found

    def _says(self, path: str) -> bool:
        return self.residue.look(_bytes(path)) == residue.WHOLE

    def look_behind(self, *, clean: bool, paused: Iterable[str]) -> None:
        """Look once more, at index and documents too, then write the receipt.

        Args:
            clean: nothing hindered the cleaning.
            paused: what did.
        """
        memory = self._memory
        self.look()
        self.erasure.clean, self.erasure.behind = clean, True
        for path in self.left_by_the_ledger(paused):
            if str(path) not in self.erasure.found:
                kind = "ledger" if path.parent == memory.place.directory else "document"
                kind = "document" if path.suffix == ".md" else kind
                kind = "index" if path.name.startswith(INDEX_NAME) else kind
                self.note(CopyFound(kind, str(path), residue.WHOLE))
        found = [self._withheld(each) for each in self.erasure.found.values()]
        self.erasure.receipt = _write_receipt(memory, self.erasure, found)

    def look_in_the_ledger(self, *, paused: Iterable[str]) -> None:
        """Note the files of ledger and documents that hold it."""
        for path in self.left_by_the_ledger(paused):
            self.note(CopyFound("file", str(path), residue.WHOLE))

    def left_by_the_ledger(self, hindering: Iterable[str]) -> Iterator[Path]:
        """Yield what still holds it of index and documents, and where a person named the text of any ledger's file.

        Other memories may well say the same line, so by id only documents count that could not be cleaned.
        """
        memory = self._memory
        folders = document_folders(memory)
        hindered = set(hindering)
        documents = [path for folder in folders for path in document_files(folder)]
        files = [path for path in ledger_files(memory.place.directory) if self._text and _is_looked_at(path)]
        if self._text:
            said = events_that_say(memory.chain, self._text)
            if said.ids or said.named:
                yield memory.chain
        if not self._text:
            paused = {folder / path for folder in folders for path in memory.local.paused(folder)}
            paused |= {path for path in documents if any(str(above) in hindered for above in path.parents)}
            documents = [path for path in documents if path in paused]
        for path in dict.fromkeys([*files, *documents]):
            with suppress(FileNotFoundError):
                try:
                    events = path.suffix == ".jsonl" or ".jsonl." in path.name
                    if said_in(path, self.residue) if events else self.residue.look(path.read_bytes()):
                        yield path
                except OSError:
                    yield path
        if not memory.current.is_clean():
            directory = memory.place.directory
            yield from (
                path for name in (INDEX_NAME, f"{INDEX_NAME}-wal") if (path := directory / name).is_file()
            )


def _is_looked_at(path: Path) -> bool:
    """Return whether the bytes of a ledger's file can hold a person's words as they are (Z-33)."""
    return path.name not in _WITHOUT_WORDS and not path.name.startswith((INDEX_NAME, LOCAL_NAME))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def end(memory: Workspace, *, clean: bool, left: Iterable[str]) -> None:
    """Forget by what it could be guessed what was erased, here and of what the person's hooks heard (Z-30).

    Args:
        memory: the ledger.
        clean: nothing hindered that index and documents were cleaned.
        left: documents that said it still behind that.
    """
    standing = [path for path in left if _is_anothers(memory, Path(path))]
    with suppress(OSError, StorageError, ViewUnavailableError, sqlite3.Error):
        # one that died before its event was written erased nothing: current memories keep their keys
        whole = [place.id for place in memory.index.places(memory.local.erasures.erasing())]
        if (
            clean
            and not standing
            and _forgot_what_was_heard(memory)
            and memory.local.erasures.forget_erased(_now(memory), whole)
        ):
            return
    memory.local.erasures.note_hindered(standing)


def _is_anothers(memory: Workspace, path: Path) -> bool:
    """Return whether a document is not what we wrote there: somebody edited it, or git put it there."""
    try:
        return not memory.local.stands_rendered(str(path), digest(read_file(path)))
    except FileNotFoundError:
        return False
    except OSError:
        return True


def _forgot_what_was_heard(memory: Workspace) -> bool:
    mine = user(memory.home).directory
    if mine == memory.place.directory or not (mine / LOCAL_NAME).is_file():
        return True
    local = Local(mine)
    try:
        return local.erasures.forget_heard(_now(memory))
    finally:
        local.close()


def _now(memory: Workspace) -> str:
    return written(memory.clock())


def _texts_of(memory: Workspace, ids: frozenset[str]) -> Iterator[str]:
    """Yield what events say that a person would know again: not their tags, names and dates."""
    for event in events_of(memory.index, memory.chain, ids):
        if not event.payload:
            continue
        for name in _SAID:
            value = event.payload.get(name, "")
            yield from (value if isinstance(value, list) else [value])


def finish(memory: Workspace, *, clean: bool) -> None:
    """Write the receipt of an erasure that died before it did (Z-16); `clean` as in `Erasing.look_behind`."""
    noted = memory.local.fact(ERASING)
    if not noted:
        return
    draft: dict[str, Any] = json.loads(noted)
    found = [CopyFound(**each) for each in draft["found"]]
    erasure = Erasure(tuple(draft["targets"]), {str(n): each for n, each in enumerate(found)}, clean)
    with suppress(LedgerError):  # without a key or a place for it now, with one later
        _write_receipt(memory, erasure, found)


def _write_receipt(memory: Workspace, erasure: Erasure, found: Iterable[CopyFound]) -> Path | None:
    """Write the receipt, and drop the note; None if no erase names the targets: the process died before there was one."""
    events = erasure_receipt.erase_events(memory, erasure.targets)
    path = None
    if events:
        shown = shown_places.cleaned(memory, events[1], clean=erasure.clean, behind=erasure.behind)
        told = shown_places.told(memory, [*shown, *found])
        made = erasure_receipt.ErasureReceipt.of(
            events, told, behind=erasure.behind, at=written(memory.clock())
        )
        path = erasure_receipt.keep(memory, made)
        reached("receipt.written")
    memory.local.note(ERASING, "")
    return path
