"""A turn: one message or one tool call of a conversation, from any program.

Implements specs/capture.md (K-1…K-3). The readers of transcripts make turns; detectors see nothing else. Pure values.
"""

from __future__ import annotations

from typing import Literal

from ledger.named_tuple import NamedTuple

Speaker = Literal["user", "assistant", "tool", "system"]
"""The speaker; `user` is a person who types, never a program in a person's place (K-2)."""


class Turn(NamedTuple):
    """One message, or one call of a tool with its result (K-3).

    `text` is the message, or the tool's output. `conversation`, `session` and `message` are the program's ids, "" if
    it gives none; `at` is the instant as the program wrote it, "" if unknown; `agent` names the program, as
    `claude-code`; `folder` is its working directory, "" if unknown.

    For a tool: `tool` is its name; `command` is its command line or main argument, on one line; `failed` says whether
    it failed, None if unknown; `rejected` means that the person did not let it run.
    """

    role: Speaker
    text: str
    conversation: str = ""
    session: str = ""
    message: str = ""
    at: str = ""
    agent: str = ""
    folder: str = ""
    tool: str = ""
    command: str = ""
    failed: bool | None = None
    rejected: bool = False
