"""Separates a person's words from text that a program wrote in the person's place.

Implements specs/capture.md (K-9, K-10). Programs mark such text by tags and fixed openings. Some add it to a person's text,
and then it is removed. A doubtful text is not a person's. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from learning.transcripts.records import Part, Utterance, clipped
from ledger.lazy_pattern import lazy_pattern

_PROGRAM_TAG = lazy_pattern(
    r"""<(?:command-|local-command-|bash-|task-|channel[\s>]|teammate-|agent-|cross-session|scheduled-|tick\b
          |user-prompt-submit-hook|session-start-hook|post-tool-use-hook|fork-|mcp-|skill-format|skill[\s>]
          |environment_context|user_instructions|user_action|user_shell_command|turn_aborted|subagent_|permissions\b
          |collaboration_mode|personality|apps_instructions|skills_instructions|plugins_instructions|model_switch
          |INSTRUCTIONS>|summary>|persisted-output|system_instruction|system-instruction|compaction|recommended_plugins)""",
    re.VERBOSE,
)
_PROGRAM_WORDS = (
    "[Request interrupted by user",
    "[SYSTEM NOTIFICATION",
    "[cron:",
    "[System Message",
    "[Inter-session message",
    "Caveat: The messages below were generated",
    "This session is being continued from a previous conversation",
    "Base directory for this skill:",
    "# AGENTS.md instructions for",
    "Another Claude session sent a message:",
    "Another language model started to solve this problem",
    "Read HEARTBEAT.md if it exists",
    "Pre-compaction memory flush",
    "Stop hook feedback:",
)
_SENT_MEANWHILE = "The user sent a new message while you were working:"
_BESIDE = lazy_pattern(
    r"<(system-reminder|system_reminder|ide_[a-z_]+|ide-[a-z-]+|environment_details|environment_context|new-diagnostics|"
    r"attached_files|attached-files|open_and_recently_viewed_files|user_info|git_status|project_layout|"
    r"user_instructions|user-prompt-submit-hook|session-start-hook|local-command-[a-z]+|task-notification|"
    r"relevant-memories|relevant_memories|memory-context|hook_context|session_context)\b[^<>\n]*>"
    r".*?(?:</\1>|\Z)",
    re.DOTALL,
)
_PICTURE = lazy_pattern(r"\[Image(?:\s#\d+|:\s[^\]\n]*)\]|\[Pasted text #\d+[^\]\n]*\]")
_NOTED = lazy_pattern(r"\s*<(user-memory-input|user_query|user-query|user_message)>(.*?)</\1>\s*", re.DOTALL)
_REQUEST = lazy_pattern(r"\A[\s\S]{0,60000}?^#+ My request for [\w ]+:\s*$", re.MULTILINE)
_OPENS_EDITOR_CONTEXT = "# Context from my IDE setup:"


def persons(text: str) -> str:
    """Return the person's own part of a text, "" if a program wrote all of it."""
    if _is_programs(text):
        return ""
    if "<" in text:
        text = _BESIDE.sub("\n", text)
        if (noted := _NOTED.fullmatch(text)) is not None:
            text = noted[2]
        if _is_programs(text):  # the text after a reminder
            return ""
    if text.startswith(_OPENS_EDITOR_CONTEXT):
        text = _REQUEST.sub("", text, count=1)
        if text.startswith(_OPENS_EDITOR_CONTEXT):
            return ""
    if "[" in text:
        text = _PICTURE.sub("", text)
    return text.strip()


def _is_programs(text: str) -> bool:
    """Return whether a text begins like a program's text."""
    said = text.strip()
    return (
        said.startswith(_PROGRAM_WORDS)
        or said == _SENT_MEANWHILE
        or (said.startswith("<") and _PROGRAM_TAG.match(said) is not None)
    )


def spoken(blocks: Iterable[str], *, person: bool = True) -> list[Part]:
    """Return the programs' texts as one part of the system, then the person's words as one part."""
    words: list[str] = []
    others: list[str] = []
    for block in blocks:
        own = persons(block) if person else ""
        if own:
            words.append(own)
            others += [found[0] for found in _BESIDE.finditer(block)] if "<" in block else []
        elif block.strip():
            others.append(block.strip())
    found: list[Part] = []
    if others:
        found.append(Utterance("system", clipped("\n".join(others))))
    if words:
        found.append(Utterance("user", clipped("\n".join(words))))
    return found
