"""All commands, with what each does: the help, completion and the loader of commands read it.

Implements specs/cli.md (X-1…X-3).
"""

from __future__ import annotations

COMMANDS: dict[str, dict[str, str]] = {
    "Start": {
        "help": "Explain a command, or list every command",
        "init": "Make a ledger, or join a project's",
        "import": "Import existing memory files",
    },
    "Remember": {
        "add": "Remember a fact or a rule",
        "capture": "Learn from transcripts of conversations",
        "edit": "Change a memory in your editor",
        "supersede": "Replace memories with a new one",
        "confirm": "Confirm that memories are still true",
        "review": "Decide on candidates and stale memories",
        "delete": "Remove memories from every view",
        "revert": "Undo events",
        "erase": "Permanently erase the text of memories",
    },
    "Learn": {
        "daily": "Write and curate daily notes",
        "extract": "Save what is worth keeping from an agent's report",
        "sync": "Import changes from an agent's own memory",
    },
    "Connect": {
        "install": "Connect Claude Code, Codex, Gemini CLI or other agents",
        "uninstall": "Remove what install added",
        "mcp": "Serve MCP clients",
        "hook": "Answer a hook event of an agent",
        "team": "Share one memory between several machines",
    },
    "Look": {
        "list": "List current memories",
        "show": "Show one memory, or one event, in full",
        "search": "Search memories",
        "blame": "Show who wrote each line of a document",
        "diff": "Show what changed between two points in time",
        "inject": "Print the memory section given to an agent",
        "log": "Show the timeline: what, when, by whom, from where",
        "status": "Show the state of the ledger and what is pending",
        "stats": "Count memories, events, bytes and uses",
        "export": "Export memories for other tools",
        "report": "Write an HTML page of the memory that proves what it shows",
        "view": "View memories in your browser, and review pending items",
    },
    "Verify and protect": {
        "key": "Show, rotate and protect the keys",
        "verify": "Check that nothing was changed, truncated or forged",
        "prove": "Export a proof of one memory",
        "anchor": "Sign checkpoints for others to keep",
        "replay": "Rebuild the index and documents from the log",
        "recover": "Recover from damage or a rollback",
        "backup": "Back up a ledger to one file",
        "restore": "Restore a backup",
        "doctor": "Diagnose problems and suggest fixes",
        "watch": "Report when files that steer agents change",
    },
    "Maintain": {
        "adopt": "Record your document edits in the log",
        "consolidate": "Merge duplicate memories",
        "archive": "Archive old, unused memories, or restore them",
        "upkeep": "Run weekly upkeep, schedule it, or retry failed writes",
        "completion": "Set up completion in your shell",
    },
}
"""All commands with what they do, in the groups in which `help --all` shows them."""

EVERYDAY = frozenset(
    "help init import add capture edit confirm review delete list show search log diff status install "
    "verify backup adopt doctor".split()
)
"""The commands that `--help` lists."""

EVERY = "muniment.every_command"
"""The key of the click context by which `help --all` asks for every command."""

ALIASES = {
    "forget": "delete",
    "audit": "log",
    "checkpoint": "daily checkpoint",
    "curate": "daily curate",
    "gc": "archive unused",
    "unarchive": "archive restore",
    "maintain": "upkeep run",
    "schedule": "upkeep schedule",
    "outbox": "upkeep retry",
}
"""Other names of commands, which work and are not listed."""
