"""All commands, with what each does: the help, completion and the loader of commands read it.

Implements specs/cli.md (X-1…X-3).
"""

from __future__ import annotations

COMMANDS: dict[str, dict[str, str]] = {
    "Start": {
        "init": "Make a ledger, or join a project's",
        "import": "Take in existing memory files",
    },
    "Remember": {
        "add": "Learn a memory",
        "capture": "Learn from transcripts of conversations",
        "edit": "Change a memory in your editor",
        "supersede": "Replace memories by a new one",
        "confirm": "Say that memories are still true",
        "review": "Decide on candidates and stale memories",
        "delete": "Take memories out of every view",
        "revert": "Undo what events did",
        "erase": "Blank what memories say, for good",
    },
    "Learn": {
        "checkpoint": "Make daily notes of the session buffer",
        "extract": "File what an agent's closing report is worth",
        "sync": "Learn what changed in an agent's own memory",
    },
    "Connect": {
        "install": "Connect Claude Code, Codex, OpenClaw or other agents",
        "uninstall": "Take what install put in out again",
        "mcp": "Serve an agent that speaks MCP",
        "hook": "Answer an event of an agent's program",
        "schedule": "Let checkpoint, curate and maintain run by themselves",
    },
    "Look": {
        "list": "List the memories that stand",
        "stale": "List what nobody confirmed for long",
        "show": "Show one memory, or one event, in full",
        "history": "Show all versions of a memory",
        "search": "Find memories by their words",
        "blame": "Say who wrote each line of a document",
        "diff": "Show what changed between two instants",
        "inject": "Print what an agent is told",
        "log": "Show the timeline: what, when, by whom, from where",
        "status": "Show how the ledger stands and what waits for you",
        "stats": "Count memories, events, bytes and uses",
        "export": "Write memories for other tools",
    },
    "Trust": {
        "key": "Show, rotate and protect the keys",
        "verify": "Check that nothing was changed, cut off or forged",
        "prove": "Write a file that proves one memory to others",
        "anchor": "Sign checkpoints for others to keep",
        "replay": "Make index and documents anew from the log",
        "recover": "Go on after damage or a rollback",
        "backup": "Put a ledger into one archive",
        "restore": "Bring a backup back",
        "doctor": "Explain every fault and how to mend it",
    },
    "Tidy": {
        "adopt": "Take what you changed in the documents into the log",
        "consolidate": "Merge memories that say the same",
        "curate": "Keep what lasts of a week's daily notes",
        "gc": "Archive what is old and unused",
        "maintain": "Verify, count and anchor, as once a week",
        "outbox": "Write what was learned and could not be written",
        "unarchive": "Show archived memories again",
        "completion": "Let your shell complete commands and ids",
    },
}
"""All commands with what they do, in the groups in which `--help` shows them."""

ALIASES = {"forget": "delete", "audit": "log"}
