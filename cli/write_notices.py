"""What every command says after it has written: secrets that were cut out, documents that were left alone.

Implements specs/cli.md (X-9, X-22, X-23, X-350). Printed on stderr, behind the result.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cli.app import App
from language.printable import few, plain, short
from muniment import MemoryLedger
from writers.counted import writers_of


def say(app: App, memory: MemoryLedger, redacted: Iterable[str] = ()) -> None:
    """Name the rules by which secrets were cut out, the documents that a person edited, and who decides on what was written."""
    if rules := ", ".join(dict.fromkeys(redacted)):
        app.note(f"stored with [redacted:RULE] in place of what {rules} matched; if it was real, rotate it")
    if memory.documents.adopted:
        from cli.commands.adopt import hint, removed, told

        for each in memory.documents.adopted:
            if not each.paused:
                how = "came" if each.came else "git changed" if each.by_git else "was edited"
                app.note(f"recorded from {plain(each.path)}, which {how}: {told(each)}{hint(each)}")
        for line in removed(memory, memory.documents.adopted):
            app.note(line)
    for path, ids in memory.documents.outcome.brought_back.items() if memory.documents.outcome else ():
        app.note(f"{plain(path)} was an earlier rendering, set back by git or a copy: {brought_back(ids)}")
    for path, ids in memory.documents.outcome.taken_away.items() if memory.documents.outcome else ():
        number = "1 deleted memory is" if len(ids) == 1 else f"{len(ids)} deleted memories are"
        named = few(map(short, ids))
        app.note(
            f"{plain(path)} was set back, and {number} out of it again; run muniment revert {named} to restore"
        )
    if memory.documents.outcome:
        app.report_paused(memory.documents.outcome.paused)
    if memory.workspace.acknowledged and writers_of(memory.workspace.place.directory).waits >= 0:
        app.note("it waits for a person of the team, who confirms it with muniment review on their machine")


def brought_back(ids: Sequence[str]) -> str:
    """Return which memories are in a document again that it lacked, and how to remove one for good."""
    named = few(map(short, ids))
    number = "1 memory is" if len(ids) == 1 else f"{len(ids)} memories are"
    return f"{number} in it again ({named}); run muniment delete ID to remove one for good"
