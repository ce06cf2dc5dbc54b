"""Takes what a person changed in a document into the log, before the document is written again.

Implements specs/editing.md (D-8, D-10, D-15…D-17, D-22, D-25, D-35…D-37).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from adopting import arrival
from adopting.absence import Past
from adopting.descent import Renderings, read_document, secret_in
from adopting.elsewhere import Elsewhere, moved
from adopting.hands import Hand, Hands
from adopting.settling import given_up, proposed, settled
from capture.edits import Edit
from capture.forms import lines_said
from capture.matching import Shown, alike
from capture.memory_units import Unit
from ledger.command import Command, Confirm, Create, Delete, Supersede, Written
from ledger.errors import NotFoundError, RecordError, StateError
from ledger.event import By
from ledger.memory import Provenance
from projections.committed import NoAnswerError, is_tracked, under_way
from projections.edited import edited
from projections.files import digest
from projections.layout import MEMORY_FILE, topic_of_path
from projections.shown import ShownBlock, keys_of, packed
from projections.style import PLAIN, Style, plain, style_of

if TYPE_CHECKING:
    from keeping import Keeping

MAX_BYTES = 1024 * 1024
"""A larger document is left to the person (D-16)."""
MAX_LINES = 20_000
"""A longer one too: reading it would take as long as everything else together."""
MANY = 5
"""An edit that takes out more entries than this, and more than half, is one that a person must accept (D-16)."""

_LOOKS = 3
_UNREAD = (
    "{path} cannot be read, and what is missing here may stand there, so nothing was taken in:"
    " memledger adopt says what is wrong with it"
)
_ACCEPT = "memledger adopt --accept {path} takes the edit as it is, memledger replay {path} writes ours"


@dataclass(slots=True)
class Adoption:
    """What is to be learned from one edited document.

    `commands` are what it comes to as the log is now; `lines` the line (from 1, 0 where it is gone) that each
    comes from, `hands` whose they are; `held` the lines that hold a secret, with the rule; `waiting` what others
    changed through git and nobody took or refused yet: the line, whose, the entry that it changes or takes out;
    `status` is that of the file that was read, None where there is none; `guard` is why nothing of it is taken,
    "" where nothing stands in the way.
    """

    path: str
    digest: str
    status: os.stat_result | None
    commands: list[Command] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    hands: list[Hand] = field(default_factory=list)
    held: dict[int, str] = field(default_factory=dict)
    waiting: list[tuple[int, Hand, str]] = field(default_factory=list)
    guard: str = ""
    unread: bool = False
    """Whether it cannot be read, so that nobody knows what stands in it."""
    explained: bool = False
    """Whether a commit has these very bytes, and git put them there (D-45)."""
    unseen: list[str] = field(default_factory=list)
    """The ids of what it lacks and its writer did not see: it comes back."""
    past: list[str] = field(default_factory=list)
    """What it says and was deleted or replaced here since: it goes (D-46)."""
    ids: list[str] = field(default_factory=list)
    """The beginnings of the ids of what it says, once that was taken in."""
    came: bool = False
    """Whether this copy never put it there: all of it is new (D-37)."""
    style: Style = PLAIN
    units: Sequence[Unit] = field(default_factory=list)
    base: Sequence[Shown] = field(default_factory=list)
    entries: dict[bytes, str] = field(default_factory=dict)
    """The ids of the entries of the base by the keys of their blocks."""
    gone: dict[bytes, str] = field(default_factory=dict)
    """Of these the ones that the document has no more, be it that they were moved."""

    def compare(self, base: Sequence[Shown], units: Sequence[Unit], edits: Iterable[Edit]) -> None:
        """Note what stands in the document and in its base, and what it has no more."""
        self.units, self.base = units, base
        self.entries = {shown.key: shown.id for shown in base if shown.key}
        keys = {id_: key for key, id_ in self.entries.items()}
        gone = [edit.proposal.targets[0] for edit in edits if edit.proposal.action == "delete"]
        self.gone = {keys[id_]: id_ for id_ in gone if id_ in keys}

    def add(self, command: Command, line: int, hand: Hand) -> None:
        """Add what is to be written."""
        self.commands.append(command)
        self.lines.append(line)
        self.hands.append(hand)

    @property
    def paused(self) -> str:
        """Why the document is not written again, "" where it may be."""
        if self.guard:
            return self.guard
        if self.held:
            named = ", ".join(f"line {line} ({rule})" for line, rule in sorted(self.held.items()))
            return f"not taken in, it looks like a secret: {named}; take it out of the file, and rotate it"
        if self.waiting:
            names = ", ".join(dict.fromkeys(hand.author for _, hand, _ in self.waiting))
            number = len(self.waiting)
            units = {unit.line for unit in self.units}
            added = any(line in units and not id_ for line, _, id_ in self.waiting)
            return (
                f"{number} {'change waits' if number == 1 else 'changes wait'} for you, by {names} through git:"
                f" {'memledger review goes through what was added, ' if added else ''}memledger adopt --accept"
                f" {self.path} takes all, memledger replay {self.path} refuses all"
            )
        return ""

    def counts(self) -> dict[str, int]:
        """Return how many memories are new, changed, confirmed, taken out and proposed; those of none are left out."""
        names = {Create: "new", Supersede: "changed", Confirm: "confirmed", Delete: "taken out"}
        found: dict[str, int] = {}
        for command in self.commands:
            name = names.get(type(command), "")
            if isinstance(command, Create) and command.memory.status == "candidate":
                name = "proposed"
            found[name] = found.get(name, 0) + (len(command.targets) if isinstance(command, Delete) else 1)
        return found


def examine(
    memory: Keeping, folder: Path, path: str, *, accept: bool = False, elsewhere: Elsewhere | None = None
) -> Adoption:
    """Say what an edited document comes to; nothing is written.

    Args:
        memory: the ledger, whose index is caught up.
        folder: where the document lies.
        path: its path in it.
        accept: a person has said that what it takes out is meant.
        elsewhere: what other documents say; what stands there was moved, and not taken out.
    """
    status, data = _read(folder / path)
    adoption = Adoption(path, digest(data), status)
    renderings = Renderings(memory, folder, path)
    adoption.came = not renderings.known
    if why := _too_large(data, path) or _hindered(memory, folder, adoption):
        adoption.guard, adoption.unread = why, adoption.unread or bool(_too_large(data, path))
        return adoption
    adoption.style = style_of(data)
    text = plain(data, adoption.style)
    try:
        hands = Hands(memory, folder, path, text)

        def stranger(lines: Sequence[int]) -> str:
            hand = hands.of_lines(lines)
            return "" if hand.trusted or accept else hand.author

        units, compared = read_document(memory, text, path, renderings, stranger)
        if adoption.came:
            units = arrival.topic_units(memory, text, path, units)
            hands.of_all(arrival.front_of(text))
    except NoAnswerError as error:
        adoption.guard = str(error)
        return adoption
    except RecordError as error:
        adoption.guard, adoption.unread = _refusal(str(error), path), True
        return adoption
    base: list[Shown] = []
    set_back = not adoption.came and memory.local.is_rendering(folder, path, adoption.digest)
    if adoption.came:
        front = range(0) if path == MEMORY_FILE else arrival.front_of(text)
        came = arrival.kept_front(arrival.learned(compared(())), front)
        edits = arrival.created(units) if topic_of_path(path) else came
    else:
        base, edits = renderings.base_of(data, units, compared, last=set_back or not units)
    if not set_back and edits and base and status is not None:
        past = Past(memory, folder, path, data, status.st_mtime_ns)
        adoption.explained, adoption.unseen = past.explains, past.unseen(base, units)
        if adoption.unseen:
            base = [replace(shown, gone=True) if shown.id in adoption.unseen else shown for shown in base]
            edits = [
                edit for edit in compared(base) if set(adoption.unseen).isdisjoint(edit.proposal.targets)
            ]
    adoption.compare(base, units, edits)
    elsewhere = elsewhere or Elsewhere({}, path, folder, memory.local)
    if left := elsewhere.having(base, units, edits):  # what came in the place of what moved is another memory
        edits = compared([replace(shown, gone=True) if shown.id in left else shown for shown in base])
    if set_back and (out := memory.documents(folder).taken_out(path, data)):
        reverted = {shown.id for shown in base if shown.key in out}  # git set it back (D-38)
        edits = [edit for edit in edits if not reverted.isdisjoint(edit.proposal.targets)]
    edits = list(moved(edits, adoption, elsewhere, memory.index))
    if elsewhere.unread and any(edit.proposal.action == "delete" for edit in edits):
        adoption.guard = _UNREAD.format(path=elsewhere.unread[0])
        return adoption
    _settle(adoption, edits, memory, hands, accept=accept)
    if not accept:
        adoption.guard = _mass_deletion(adoption, edits)
    return adoption


def _too_large(data: bytes, path: str) -> str:
    """Return why a document is left to the person, "" where it is not (D-16)."""
    else_ = f", or memledger replay {path} writes ours; the log goes on meanwhile"
    if len(data) > MAX_BYTES:
        return f"larger than {MAX_BYTES >> 20} MiB: make it smaller{else_}"
    lines = data.count(b"\n")
    return f"longer than {MAX_LINES:,} lines: make it shorter{else_}" if lines > MAX_LINES else ""


def _hindered(memory: Keeping, folder: Path, adoption: Adoption) -> str:
    """Return why nothing of a document can be taken in now, whatever stands in it, "" where nothing hinders (D-26)."""
    path = adoption.path
    if (what := under_way(folder)) and is_tracked(folder, path):
        return f"git is in the middle of {what}: finish it; the log goes on meanwhile"
    if not adoption.came:
        return ""
    if why := arrival.misplaced(memory, folder, path, adoption.digest):
        adoption.unread = True
        return why
    return arrival.refusal(folder, path) or arrival.copied(memory, folder, path, adoption.digest)


def _read(path: Path) -> tuple[os.stat_result | None, bytes]:
    """Return the bytes of a document; of one that is not there no status and none."""
    try:
        with path.open("rb") as stream:
            return os.fstat(stream.fileno()), stream.read()
    except FileNotFoundError:
        return None, b""


def _refusal(why: str, path: str) -> str:
    """Return why a document cannot be read, in the words of who edits it."""
    for old, new in (
        (f"{path}: ", ""),
        ("imported", "taken in"),
        ("import it again", "go on"),
        ("import the file again", "go on"),
    ):
        why = why.replace(old, new)
    return f"{why}; or memledger replay {path} writes ours"


def _mass_deletion(adoption: Adoption, edits: Sequence[Edit]) -> str:
    """Return why an edit is held back that takes out, or writes something else over, most of a document (D-16)."""
    shown = {each.id: each.memory for each in adoption.base}
    still = {line for unit in adoption.units for line in lines_said(unit.memory)}
    out = [id_ for command in adoption.commands if isinstance(command, Delete) for id_ in command.targets]
    gone = sum(not (memory := shown.get(id_)) or not still.issuperset(lines_said(memory)) for id_ in out)
    for edit in edits:
        new = edit.proposal.memory if edit.proposal.action == "supersede" else None
        old = shown.get(edit.proposal.targets[0]) if new is not None else None
        gone += new is not None and old is not None and not alike(old, new)
    empty = not adoption.units
    if not gone or not (empty or (gone > MANY and gone * 2 > len(shown))):
        return ""
    what = "it was deleted" if adoption.status is None else "it is empty"
    what = (
        what if empty else f"it takes out {gone} of {len(shown)} entries, or writes something else over them"
    )
    return f"{what}, so nothing was taken in: {_ACCEPT.format(path=adoption.path)}"


# --- against the log as it is now ---


def _settle(
    adoption: Adoption, edits: Sequence[Edit], memory: Keeping, hands: Hands, *, accept: bool
) -> None:
    """Turn edits into commands, but for what the log says already; with `accept` everybody's."""
    index = memory.index
    units = {unit.line: unit for unit in adoption.units}
    base = {shown.id: shown for shown in adoption.base}
    gone: dict[Hand, list[str]] = {}
    for edit in edits:
        hand = Hand(edit.waits, trusted=False) if edit.waits else hands.of(edit, units, base)
        counts = hand.trusted or accept
        if edit.proposal.memory is not None and (rule := secret_in(memory, edit.proposal.memory)):
            adoption.held[edit.line] = rule
            gone.setdefault(hand, []).extend(given_up(index, edit) if counts else ())
            continue
        if edit.line in units and _is_known(adoption, memory, (edit, units[edit.line], hand), hands):
            continue
        if edit.waits:
            command, waits = None, True
        elif counts:
            command, waits = settled(index, edit, hand, accept=accept)
        else:
            command, waits = proposed(index, edit, hand)
        if waits:
            target = edit.proposal.targets[0] if edit.proposal.targets and not edit.waits else ""
            adoption.waiting.append((edit.line, hand, target))
        if isinstance(command, Delete):
            gone.setdefault(hand, []).extend(command.targets)
        elif command is not None:
            adoption.add(command, edit.line, hand)
    for hand, ids in gone.items():
        for at in range(0, len(ids), 16):
            where = Provenance(author=hand.author)
            adoption.add(Delete(tuple(ids[at : at + 16]), f"taken out of {adoption.path}", where), 0, hand)


def _is_known(adoption: Adoption, memory: Keeping, came: tuple[Edit, Unit, Hand], hands: Hands) -> bool:
    """Say whether the log has nothing to learn from a unit that git brought: it stands, or is past, and noted."""
    edit, unit, hand = came
    if adoption.came and arrival.is_settled(memory, unit):
        return True
    asked = adoption.came or (adoption.explained and hand.trusted)
    if asked and arrival.is_past(memory, edit, hand, hands.written_at(unit)):
        adoption.past.append(unit.memory.text)
        return True
    return False


# --- doing it ---


def adopt(
    memory: Keeping, folder: Path, paths: Iterable[str] | None = None, *, accept: bool = False
) -> list[Adoption]:
    """Take the edits of documents in; of each, say what was done. What is rendered then is the caller's.

    Args:
        memory: the ledger.
        folder: where the documents lie.
        paths: which of them; all that were rendered there by default.
        accept: take also what a guard would keep back.

    Raises:
        As `Ledger.write` does.
    """
    done = []
    for path, elsewhere in _edits(memory, folder, paths):
        done.append(_adopted(memory, folder, path, accept=accept, elsewhere=elsewhere))
    return done


def examined(
    memory: Keeping, folder: Path, paths: Iterable[str] | None = None, *, accept: bool = False
) -> Iterator[Adoption]:
    """Say what `adopt` would do; nothing is written."""
    for path, elsewhere in _edits(memory, folder, paths):
        yield examine(memory, folder, path, accept=accept, elsewhere=elsewhere)


def _edits(memory: Keeping, folder: Path, paths: Iterable[str] | None) -> Iterator[tuple[str, Elsewhere]]:
    """Give the edited documents among `paths`, each with what all the others say."""
    documents = memory.documents(folder)
    everywhere = list(edited(documents, memory.local))
    looks = {path: examine(memory, folder, path) for path in everywhere} if len(everywhere) > 1 else {}
    for path in everywhere if paths is None else list(edited(documents, memory.local, paths)):
        yield path, Elsewhere(looks, path, folder, memory.local)


def _adopted(memory: Keeping, folder: Path, path: str, *, accept: bool, elsewhere: Elsewhere) -> Adoption:
    """Take one document's edit in; look again where the log went on between the look and the write."""
    refused = ""
    for _ in range(_LOOKS):
        adoption = examine(memory, folder, path, accept=accept, elsewhere=elsewhere)
        if adoption.guard:
            return adoption
        results: list[Written] = []
        try:
            for via, commands in groupby(
                zip(adoption.commands, adoption.hands, strict=True), lambda each: each[1].via
            ):
                by = By(memory.by.name, "user", via)
                results += memory.write([command for command, _ in commands], by, render=False)
        except (NotFoundError, RecordError, StateError) as error:
            refused = str(error)
            continue
        _remember(memory, folder, adoption, results)
        return adoption
    adoption = examine(memory, folder, path, accept=accept, elsewhere=elsewhere)
    adoption.guard = f"not taken in: {refused}"
    return adoption


def _remember(memory: Keeping, folder: Path, adoption: Adoption, results: Sequence[Written]) -> None:
    """Note what the document says as what the next edit descends from, and that ours may take its place (D-2).

    Not of what is held back or waits: that is looked at again, and nothing takes its place.
    """
    new = {line: written.id for line, written in zip(adoption.lines, results, strict=True) if line}
    waiting = {line: id_ for line, _, id_ in adoption.waiting}
    old = {
        shown.id: ShownBlock(shown.id[:32], shown.key, shown.stale) for shown in adoption.base if shown.key
    }
    blocks = []
    for unit in adoption.units:
        if unit.line in waiting:
            blocks += [old[waiting[unit.line]]] if waiting[unit.line] in old else []
            continue
        id_ = new.get(unit.line) or adoption.entries.get(unit.key) or memory.index.same(unit.memory)
        if id_ and unit.line not in adoption.held:
            blocks.append(ShownBlock(id_[:32], unit.key, unit.stale))
    taken_out = [old[id_] for line, _, id_ in adoption.waiting if not line and id_ in old]
    blocks += [block._replace(gone=True) for block in taken_out]
    adoption.ids = [block.id for block in blocks]
    if adoption.came and adoption.paused:
        return  # it is read as a whole until all of it is taken
    if adoption.status is None:
        memory.local.unsettle(folder, adoption.path)
        return
    memory.local.note_style(folder, adoption.path, adoption.style)
    digest_ = "" if adoption.held or adoption.waiting else adoption.digest
    memory.local.settle(folder, adoption.path, digest_, adoption.status, packed(blocks), keys_of(blocks))
    if adoption.came and digest_:
        memory.local.note_standing(folder, adoption.path, digest_)
