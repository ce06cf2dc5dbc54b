"""A backend for the memory tool of Anthropic's Python SDK: Claude's files below /memories are signed memories.

Implements specs/frameworks.md (FW-20…FW-25). Needs the extra `anthropic`. Nothing here touches a file: a path is a memory's
name, and a folder is there as long as something is in it.

    from anthropic import Anthropic
    from muniment.frameworks.anthropic_memory import LedgerMemoryTool

    client = Anthropic()
    client.beta.messages.tool_runner(tools=[LedgerMemoryTool()], …)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from documents.topic_segment import segment
from frameworks.framework_records import LONGEST, FrameworkRecords, deletes, one_at_a_time, saved
from language.printable import redacted
from ledger.errors import ChainError, FormatError, LedgerError, NoLedgerError
from ledger.fold import Entry
from muniment import MemoryLedger

try:
    from anthropic.tools import BetaAbstractMemoryTool, ToolError
except ImportError as error:
    raise ImportError("anthropic is not installed: pip install 'muniment[anthropic]'") from error

if TYPE_CHECKING:
    from anthropic.lib.tools import BetaFunctionToolResultType
    from anthropic.types.beta import (
        BetaMemoryTool20250818Command,
        BetaMemoryTool20250818CreateCommand,
        BetaMemoryTool20250818DeleteCommand,
        BetaMemoryTool20250818InsertCommand,
        BetaMemoryTool20250818RenameCommand,
        BetaMemoryTool20250818StrReplaceCommand,
        BetaMemoryTool20250818ViewCommand,
    )

NAME = "anthropic-memory"
ROOT = "/memories"
_DEPTH = 2
_AROUND = 2
_BOTH = 2


@contextmanager
def _told_to_the_model() -> Iterator[None]:
    """Tell the model why something cannot be done, without a secret that it put into a path (R-2).

    A ledger that is missing or broken is for the program, not for the model.
    """
    try:
        yield
    except (ChainError, FormatError, NoLedgerError):
        raise
    except (LedgerError, ToolError) as error:
        raise ToolError(redacted(str(error))) from None


class LedgerMemoryTool(BetaAbstractMemoryTool):
    """The tool `memory_20250818` on a ledger.

    A command that cannot be done raises ToolError, which the SDK's tool runner tells the model.

    Args:
        ledger: the ledger to write to; by default the one that a command would use in this folder.
        agent: the agent that writes, for the provenance.
        session: its session.
    """

    def __init__(self, ledger: MemoryLedger | None = None, *, agent: str = "", session: str = "") -> None:
        super().__init__()
        self._records = FrameworkRecords(NAME, ledger, agent=agent, session=session)

    def close(self) -> None:
        """Close the ledger if it was opened here."""
        self._records.close()

    @_told_to_the_model()
    @one_at_a_time
    def execute(self, command: BetaMemoryTool20250818Command) -> BetaFunctionToolResultType:
        """Do what the model asks for. Raises ToolError where that cannot be done."""
        return super().execute(command)

    # --- the commands ---

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Return a file's numbered lines, or what is in a folder, two levels deep, with sizes in bytes."""
        path = _checked(command.path)
        if found := self._records.named([path])[path]:
            return _numbered(path, found[-1].memory.body, command.view_range)
        files = self._files()
        if path != ROOT and not _within(path, files):
            raise ToolError(f"There is no file or directory {path}")
        return _listed(path, files)

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Make a file."""
        path = _checked(command.path)
        self._free(path, self._files())
        self._save(None, path, command.file_text)
        return f"Created {path}"

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a text that is in a file exactly once; return the lines around it."""
        path = _checked(command.path)
        entry = self._file(path)
        content = entry.memory.body
        found = content.count(command.old_str) if command.old_str else 0
        if found != 1:
            raise ToolError(
                f"old_str must be in {path} exactly once, but is there {found} times; nothing was replaced"
            )
        before, _, after = content.partition(command.old_str)
        new = before + command.new_str + after
        self._save(entry, path, new)
        first = before.count("\n")
        shown = range(max(first - _AROUND, 0), first + _AROUND + 1)
        return f"Edited {path}. The lines around the change:\n" + _lines(new, shown)

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert lines below a line of a file, or with 0 above all."""
        path = _checked(command.path)
        entry = self._file(path)
        lines = entry.memory.body.removesuffix("\n").split("\n") if entry.memory.body else []
        if not 0 <= command.insert_line <= len(lines):
            raise ToolError(f"insert_line is {command.insert_line}; {path} allows 0 to {len(lines)}")
        lines.insert(command.insert_line, command.insert_text.rstrip("\n"))
        self._save(entry, path, "\n".join(lines) + "\n")
        return f"Edited {path}"

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file, or a folder with all that is in it; history keeps them."""
        path = _checked(command.path)
        if path == ROOT:
            raise ToolError(f"{ROOT} itself cannot be deleted")
        moved = self._moved(path, self._files())
        self._records.write(
            deletes([entry for entry in self._records.standing() if entry.memory.text in moved])
        )
        return f"Deleted {path}"

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Return a file, or all files of a folder, another path."""
        old, new = _checked(command.old_path), _checked(command.new_path)
        files = self._files()
        moved = self._moved(old, files)
        if old == ROOT or f"{new}/".startswith(f"{old}/"):
            raise ToolError(f"{old} cannot be moved to {new}")
        self._free(new, files)
        twice = [e for e in self._records.standing() if e.memory.text in moved and e not in moved.values()]
        changes = [
            saved(entry, self._records.note(target, entry.memory.body, _topic(target)))
            for path, entry in moved.items()
            for target in [_checked(new + path.removeprefix(old))]
        ]
        self._records.write([*(change for change in changes if change), *deletes(twice)])
        return f"Renamed {old} to {new}"

    @_told_to_the_model()
    @one_at_a_time
    def clear_all_memory(self) -> str:
        """Delete all files; history keeps them."""
        self._records.write(deletes(self._records.standing()))
        return "Deleted all files"

    # --- files ---

    def _files(self) -> dict[str, Entry]:
        """Return all files by path; of two with one path, which two programs at once can make, the newer one."""
        return {entry.memory.text: entry for entry in self._records.standing()}

    def _file(self, path: str) -> Entry:
        if not (entries := self._records.named([path])[path]):
            raise ToolError(f"There is no file {path}")
        return entries[-1]

    def _moved(self, path: str, files: dict[str, Entry]) -> dict[str, Entry]:
        found = {path: files[path]} if path in files else _within(path, files)
        if not found and path != ROOT:
            raise ToolError(f"There is no file or directory {path}")
        return found

    def _free(self, path: str, files: dict[str, Entry]) -> None:
        """Raise ToolError where a new file cannot have this path."""
        if path == ROOT or path in files or _within(path, files):
            raise ToolError(f"{path} exists already")
        parts = path.split("/")
        if above := next((p for n in range(3, len(parts)) if (p := "/".join(parts[:n])) in files), ""):
            raise ToolError(f"{above} is a file, so nothing can be in it")

    def _save(self, entry: Entry | None, path: str, content: str) -> None:
        if len(content) > LONGEST:
            raise ToolError(
                f"{path} would have {len(content)} characters; at most {LONGEST} are allowed: split it into several files"
            )
        change = saved(entry, self._records.note(path, content, _topic(path)))
        self._records.write([change] if change else [])


def _checked(path: str) -> str:
    """Return a path below /memories, without a slash at its end.

    Raises:
        ToolError: it leads out of /memories, or holds a part that no file has.
    """
    parts = path.removesuffix("/").split("/")
    wrong = any(part in ("", ".", "..") for part in parts[1:]) or "\\" in path or not path.isprintable()
    if f"/{parts[1] if len(parts) > 1 else ''}" != ROOT or parts[0] or wrong:
        raise ToolError(f"{path!r} is not a path below {ROOT}: give one such as {ROOT}/notes.md")
    return "/".join(parts)


def _topic(path: str) -> str:
    return f"{NAME}/{segment(path.removeprefix(ROOT + '/'))}"


def _within(path: str, files: dict[str, Entry]) -> dict[str, Entry]:
    return {name: entry for name, entry in files.items() if name.startswith(f"{path}/")}


def _numbered(path: str, content: str, view_range: Sequence[int] | None) -> str:
    first, last = view_range if view_range and len(view_range) == _BOTH else (1, -1)
    end = content.count("\n") + 1 if last == -1 else last
    return f"The content of {path} with line numbers:\n" + _lines(content, range(max(first, 1) - 1, end))


def _lines(content: str, shown: range) -> str:
    lines = content.split("\n")
    return "\n".join(f"{n + 1:6}\t{lines[n]}" for n in shown if n < len(lines))


def _listed(path: str, files: dict[str, Entry]) -> str:
    """Return the lines of a folder: each path with the bytes that it holds, except hidden ones."""
    sizes = {path: 0}
    for name, entry in sorted(_within(path, files).items()):
        parts = name.removeprefix(f"{path}/").split("/")
        if any(part.startswith(".") for part in parts):
            continue
        for depth in range(min(len(parts), _DEPTH) + 1):
            shown = "/".join([path, *parts[:depth]]) + ("/" if 0 < depth < len(parts) else "")
            sizes[shown] = sizes.get(shown, 0) + len(entry.memory.body.encode())
    lines = [f"{size}\t{shown}" for shown, size in sizes.items()]
    return f"Files and directories in {path}, {_DEPTH} levels deep, with their sizes in bytes:\n" + "\n".join(
        lines
    )
