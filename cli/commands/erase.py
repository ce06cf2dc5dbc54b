"""memledger erase: blank what memories say, for good.

Implements specs/cli.md (X-28…X-31); what says a text is found by `projections.matches`. What waits outside of the
ledger goes by `learning.erased` (specs/capture.md K-130…K-133).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from capture.session_buffer import BUFFER_NAME
from cli.app import App, common_options, short
from cli.consent import ask
from cli.record_options import read_text
from cli.typed import answer
from learning.erased import contained, forms, take_away, that_wait
from ledger.chain import CHAIN_NAME
from ledger.command import Written
from ledger.errors import NotFoundError, UsageError
from memledger import MemoryLedger
from projections.index_schema import INDEX_NAME
from projections.matches import (
    MIN_LINE,
    cannot_be_read,
    document_files,
    events_that_say,
    files_with,
    ledger_files,
    traces,
)
from projections.query import event

_SHOWN = 20
_AFTERWARDS = (
    "if it was a secret, rotate it now: git history, backups, snapshots and other copies keep it, "
    "and only this ledger was looked at"
)


@click.command("erase")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option(
    "--match",
    "matches",
    multiple=True,
    metavar="TEXT",
    help="Every event that contains TEXT; - reads it from standard input.",
)
@click.option("-m", "--reason", metavar="REASON", default="", help="Why; it stays in the history.")
@click.option("--yes", is_flag=True, help="Do it without asking.")
@common_options
def command(app: App, ids: tuple[str, ...], matches: tuple[str, ...], reason: str, yes: bool) -> int:
    """Blank what memories say, for good: all their versions and reasons, or every event that contains TEXT.

    Signatures and links stay valid; that something stood there, and when, stays visible. Shows first what
    would go, never its text. Index and documents are cleaned in every folder that shows this ledger; a file
    that still holds the text afterwards is named, and the exit code is 1.

    \b
    Examples:
      memledger erase 3f2a9c81 -m "not ours to keep"
      memledger erase --match - -m "a token"       asks for the text: no shell history keeps it
      pass show old/token | memledger erase --match - --yes
    """
    if bool(ids) == bool(matches):
        raise UsageError("give ids, or --match TEXT")
    if len(matches) > 1:
        raise UsageError("give --match once: each text is looked for, and asked about, by itself")
    memory = app.memory()
    text = _text_to_match(matches[0], reason) if matches else None
    if text is None:
        targets = tuple(dict.fromkeys(map(memory.resolve, ids)))
        going = [place.id for place in memory.index.family(targets)]
        said = list(_said(memory, going))
        wanted, waiting = traces(line for line in said if len(line) >= MIN_LINE), forms(said)
    else:
        going, wanted, waiting = _that_say(app, memory, text), traces([text]), contained(text)
        if not going:
            return _nothing_says_it(app, memory, wanted, waiting)
        targets = tuple(going)
    _show(app, memory, going)
    ask(f"Blank {_counted(len(going))} for good?", yes=yes)
    _take_away(memory, waiting)  # before the event: after a crash nobody would know what to look for
    written = memory.erase(targets, reason, family=text is None)
    left = [*_left(memory, wanted, exactly=text is not None), *_take_away(memory, waiting)]
    _print(app, memory, written, left)
    return 1 if left else 0


def _text_to_match(match: str, reason: str) -> str:
    if match == "-" and sys.stdin is not None and sys.stdin.isatty():
        text = answer("Text to erase: ", hidden=True)
    else:
        text = read_text(match)
    if not text.strip():
        raise UsageError("the text to look for is empty")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError("the text to look for is not UTF-8: convert it first") from None
    if text in reason:
        raise UsageError("the reason contains the text that is to be erased: give another")
    return text


def _that_say(app: App, memory: MemoryLedger, text: str) -> list[str]:
    memory.index.seq()  # catches up, and so verifies what is new
    found = events_that_say(memory.chain, text)
    if found.named:
        has = "has" if found.named == 1 else "have"
        app.note(f"{_counted(found.named)} {has} it in a name, which is signed and cannot be erased")
    return list(found.ids)


def _take_away(memory: MemoryLedger, waiting: Sequence[bytes]) -> list[Path]:
    return take_away(memory.home.state, memory.ledger.identity.id, waiting)


def _nothing_says_it(
    app: App, memory: MemoryLedger, wanted: Sequence[bytes], waiting: Sequence[bytes]
) -> int:
    """Finish an earlier erasure that was hindered, and name the files that still hold a text that no event says.

    What waits and says it stays, and is named: nobody was asked.

    Raises:
        NotFoundError: none does.
    """
    if memory.cleaning or memory.index.unfinished_erasures():
        memory.finish_cleaning()
    left = [
        *_left(memory, wanted, exactly=True),
        *that_wait(memory.home.state, memory.ledger.identity.id, waiting),
    ]
    if not left:
        raise NotFoundError("no event of this ledger contains that text; nothing was erased")
    if app.json:
        app.emit({"id": None, "erased": [], "documents": [], "still_in": [str(path) for path in left]})
    app.note("no event of this ledger contains that text; nothing was erased")
    _name(app, memory, left)
    return 1


def _said(ledger: MemoryLedger, ids: Sequence[str]) -> Iterator[str]:
    """Give the lines that are about to go."""
    index = ledger.index
    for id_ in ids:
        if entry := index.entry(id_):
            memory = entry.memory
            for said in (memory.text, memory.title, *memory.details, memory.body):
                yield from said.splitlines()
        elif row := event(index, id_):
            yield row.what


def _show(app: App, memory: MemoryLedger, ids: Sequence[str]) -> None:
    """Say on stderr what would go: when, which event, of what kind; never what it says."""
    for id_ in ids[:_SHOWN]:
        if row := event(memory.index, id_):
            app.note(f"  {row.at[:16].replace('T', ' ')}Z  {row.kind:<9}  {short(id_)}")
    if len(ids) > _SHOWN:
        app.note(f"  and {len(ids) - _SHOWN} more")


def _counted(number: int) -> str:
    return f"{number} event{'s' if number != 1 else ''}"


def _left(memory: MemoryLedger, wanted: Iterable[bytes], *, exactly: bool) -> list[Path]:
    """Return the files that still hold what was erased.

    With `exactly` whatever holds it counts. Otherwise another memory may well say the same line, so only
    files that could not be cleaned count: torn tails, edited documents and copies of them, and what another
    process or the disk kept from being cleaned. An index of which that cannot be said is among them.
    """
    folders = memory.document_folders()
    hindered = set(memory.outcome.paused) if memory.outcome and memory.cleaning else set()
    documents = [path for folder in folders for path in document_files(folder)]
    files = list(ledger_files(memory.place.directory))
    if not exactly:
        paused = {folder / path for folder in folders for path in memory.local.paused(folder)}
        paused |= {path for path in documents if any(str(above) in hindered for above in path.parents)}
        documents = [path for path in documents if path in paused or path.suffix != ".md"]
        files = [path for path in files if _is_set_aside(memory, path)]
    kept = dict.fromkeys([*folders, memory.place.own_folder])
    buffers = [folder / BUFFER_NAME for folder in kept]  # read and never written (K-90)
    found = files_with([*files, *documents, *buffers], wanted)
    return found if memory.index_is_clean() else list(dict.fromkeys([*found, *_index_files(memory)]))


def _index_files(memory: MemoryLedger) -> Iterator[Path]:
    directory = memory.place.directory
    return (path for name in (INDEX_NAME, f"{INDEX_NAME}-wal") if (path := directory / name).is_file())


def _is_set_aside(memory: MemoryLedger, path: Path) -> bool:
    """Say whether a file of the ledger is one that nothing of ours writes to any more."""
    aside = path.name.startswith(f"{CHAIN_NAME}.") or "damaged" in path.name
    return aside or path.parent != memory.place.directory


def _remedy(memory: MemoryLedger, path: Path) -> str:
    """Say how a text leaves a file that still holds it."""
    if path == memory.chain:
        return "it stands in a signed head, which nothing can erase: never edit the chain"
    if path.name.startswith(INDEX_NAME):
        return "run memledger replay once no other process uses it"
    return "take it out there yourself"


def _print(app: App, memory: MemoryLedger, written: Written, left: Sequence[Path]) -> None:
    outcome = memory.outcome
    if app.json:
        result: dict[str, Any] = {
            "id": written.id,
            "erased": list(written.erased),
            "documents": sorted([*outcome.written, *outcome.removed]) if outcome else [],
            "still_in": [str(path) for path in left],
        }
        app.emit(result)
    else:
        app.line(f"{short(written.id)}  erased {_counted(len(written.erased))}")
    _name(app, memory, left)
    paused = outcome.paused if outcome else {}
    app.report_paused({path: why for path, why in paused.items() if Path(path) not in left})
    app.note(_AFTERWARDS)


def _name(app: App, memory: MemoryLedger, left: Sequence[Path]) -> None:
    """Name the files that still hold a text, or may."""
    paused = memory.outcome.paused if memory.outcome else {}
    for path in left:
        if why := cannot_be_read(path):
            text = (
                f"STILL THERE? {path} cannot be read ({why}): make it readable, and look whether it holds it"
            )
        else:
            why = f" ({paused[str(path)]})" if str(path) in paused else ""
            holds = "may hold it" if path.name.startswith(INDEX_NAME) else "holds it"
            text = f"STILL THERE: {path}{why} {holds}; {_remedy(memory, path)}"
        app.note(app.style(text, fg="red"))
