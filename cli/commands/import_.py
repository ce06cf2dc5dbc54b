"""muniment import: take existing memory documents into signed events.

Implements specs/cli.md (X-32…X-36), specs/import.md (I-25 for events that were set aside, I-31) and specs/doors.md (G-51).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from cli import person_only, write_notices
from cli.app import App, common_options
from cli.commands.sync import code_of, tell
from cli.options import Verb, option
from cli.progress import ProgressBar
from documents.other_memories.chatgpt_conversations import is_conversations
from documents.other_memories.readers import READERS
from language.printable import plain, redacted
from learning.agent_memory import import_
from learning.file_proposals import Imported
from learning.importing import Wishes, errors_of, import_foreign, import_paths
from ledger.errors import LedgerError, SecretError, UsageError
from ledger.memory import SOURCES, Memory

ORIGINS = (*READERS, "claude-code")


@click.command("import", cls=Verb)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="PATH...")
@option("--from", "origin", type=click.Choice(ORIGINS), help="The program that PATH belongs to.")
@option(
    "--source",
    type=click.Choice(SOURCES),
    help="Record this source for all of them (default: as they are marked).",
)
@option("--author", metavar="NAME", help="Their author, if it is not you.")
@option("--redact", is_flag=True, help="Store [redacted:RULE] in place of a secret instead of refusing.")
@option("--dry-run", is_flag=True, help="Only list what would be stored.")
@common_options
def command(  # noqa: PLR0917 - click passes them by name
    app: App,
    paths: tuple[Path, ...],
    origin: str | None,
    source: str | None,
    author: str | None,
    redact: bool,
    dry_run: bool,
) -> int:
    """Import existing memory files.

    PATH is a MEMORY.md, a daily note, a topic file, or a folder of them. Importing twice is the same as
    importing once. Lines that look like secrets are skipped and named by file and line, and the exit code is
    then 6. If you edited a document of this ledger, your edits are imported, candidates in it are confirmed,
    and the document is rewritten. From a file that recover set aside, import restores the valid events.

    With --from memory-chain, PATH is the folder of a memory-chain (~/.openclaw/memory-chain). Nothing is
    imported if any of its hashes, signatures or texts is invalid.

    With --from mem0, basic-memory, claude-mem, server-memory or chatgpt, PATH is what that program stores: mem0's
    history.db or the JSON of get_all, a folder of basic-memory's notes, claude-mem.db, the memory.jsonl of
    server-memory, or a text file with ChatGPT's list of saved memories. From conversations.json of ChatGPT's data
    export, muniment learns as muniment capture does.

    With --from claude-code, PATH is Claude Code's own memory of a project (default: the current project's
    ~/.claude/projects/<slug>/memory). The agent is recorded as the author; muniment sync imports later changes.

    \b
    Examples:
      muniment import MEMORY.md
      muniment import --dry-run ~/notes/memory ~/project/.rawko/memories
      muniment import CLAUDE.md --source manual --author ada
      muniment import chain.jsonl.torn-20261120T151100.123456Z
      muniment import --from memory-chain ~/.openclaw/memory-chain
      muniment import --from mem0 ~/.mem0/history.db
      muniment import --from claude-mem ~/.claude-mem/claude-mem.db
      muniment import --from chatgpt conversations.json
      muniment import --from claude-code
    """
    if origin == "claude-code":
        return _agents(app, paths, source or author or redact, dry_run=dry_run)
    if origin == "chatgpt" and (said := [path for path in paths if is_conversations(path)]):
        if source or author or redact or len(said) < len(paths):
            raise UsageError(
                "conversations are read as muniment capture reads transcripts: leave --source, --author and "
                "--redact out, and give lists of memories in a command of their own"
            )
        from cli.exported_conversations import learn

        return learn(app, paths, dry_run=dry_run)
    if not paths:
        raise UsageError(
            f"give the PATH that is to be imported{f': {READERS[origin].usual}' if origin else ''}"
        )
    memory = app.memory()
    errors: list[LedgerError] = []

    def unreadable(_path: Path, error: LedgerError) -> None:
        errors.append(error)
        app.note(str(error))

    with ProgressBar("importing") as progress:
        wishes = Wishes(
            app.by()._replace(via="import"),
            _change(source, author),
            redact=redact,
            dry_run=dry_run,
            agrees=not person_only.is_nobody(app),
            progress=progress,
        )
        if origin is None:
            files = import_paths(memory.scope, paths, wishes, unreadable)
        else:
            files = import_foreign(memory.scope, origin, paths, wishes, unreadable)
    errors.extend(errors_of(files))
    _say(app, files)
    if app.json:
        app.emit(_as_json(files, dry_run=dry_run))
    else:
        _print(app, files, dry_run=dry_run)
    if not dry_run:
        write_notices.say(app, memory)
    return code_of(errors)


def _agents(app: App, paths: tuple[Path, ...], refused: object, *, dry_run: bool) -> int:
    """Take in an agent's own memory (specs/doors.md, G-26)."""
    if refused:
        raise UsageError(
            "--from claude-code already gives source and author: leave out --source, --author and --redact"
        )
    done = import_(app.memory().scope, paths, start=Path.cwd(), dry=dry_run)
    return tell(app, done, dry_run=dry_run)


def _change(source: str | None, author: str | None) -> Any:
    def change(memory: Memory) -> Memory:
        if source:
            memory = memory._replace(source=source)
        if author:
            memory = memory._replace(provenance=memory.provenance._replace(author=author))
        return memory

    return change


def _say(app: App, files: list[Imported]) -> None:
    """Name on stderr what was not imported, and what a person should know."""
    for done in files:
        for warning in done.warnings:
            app.note(redacted(warning))
        for refused in done.refused:
            where = f"{done.path}:{refused.line}" if refused.line else str(done.path)
            where += f" ({refused.record})" if refused.record else ""
            app.note(redacted(f"{where}: not imported: {refused.why}"))


def _print(app: App, files: list[Imported], *, dry_run: bool) -> None:
    """Print a line for each file, and the totals."""
    width = max((len(str(done.path)) for done in files), default=0)
    for done in files:
        said = "a document of this ledger" if done.ours else _counts([done])
        app.line(f"{plain(str(done.path)):<{width}}  {said}")
        for memory in done.planned:
            app.line(f"  {_place(memory)}: {plain(memory.text)}")
    verb = "would import" if dry_run else "imported"
    if len(files) != 1 or dry_run:
        app.line(f"{verb} {_counts(files)}")
    if titles := sum(done.titles for done in files):
        more = "1 block of titles or rules was" if titles == 1 else f"{titles} blocks of titles or rules were"
        app.note(f"{more} not imported: they contain nothing to remember")
    for done in files:
        if done.adopted:
            app.note(f"{done.path} is in the ledger now and was rewritten")
        if done.gone:
            app.note(
                f"{done.path}: {done.gone} left out, deleted or replaced since: muniment log shows by what, "
                "muniment revert brings back"
            )


def _place(memory: Memory) -> str:
    return plain(memory.topic or memory.effective_section)


def _counts(files: list[Imported]) -> str:
    new, known = sum(done.new for done in files), sum(done.known for done in files)
    rare = {name: sum(getattr(done, name) for done in files) for name in ("confirmed", "redacted")}
    rare["refused"] = sum(len(done.refused) for done in files)
    rare["not taken"] = sum(done.untaken for done in files)
    return ", ".join(
        [f"{new} new", f"{known} known", *(f"{count} {name}" for name, count in rare.items() if count)]
    )


def _as_json(files: list[Imported], *, dry_run: bool) -> dict[str, Any]:
    return {
        "dry_run": dry_run,
        **{
            name: sum(getattr(done, name) for done in files)
            for name in ("new", "known", "confirmed", "redacted")
        },
        "refused": sum(len(done.refused) for done in files),
        "files": [_file_json(done) for done in files],
    }


def _file_json(done: Imported) -> dict[str, Any]:
    return {
        "path": str(done.path),
        "kind": done.kind,
        "new": done.new,
        "known": done.known,
        "confirmed": done.confirmed,
        "left_out": done.gone,
        "titles": done.titles,
        "would_store": [
            {"text": memory.text, "type": memory.type, "place": memory.topic or memory.effective_section}
            for memory in done.planned
        ],
        "redacted": done.redacted,
        "refused": [
            {
                "line": refused.line,
                "rules": list(refused.error.rules) if isinstance(refused.error, SecretError) else [],
                "why": refused.why,
            }
            for refused in done.refused
        ],
        "warnings": [redacted(warning) for warning in done.warnings],
        "written_anew": done.adopted,
        "not_taken": done.untaken,
    }
