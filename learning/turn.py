"""A turn: one thing that was said or run in a conversation, whatever program held it.

Implements specs/capture.md (K-1…K-3). The readers of transcripts make turns; detectors look at nothing else. Pure values.
"""

from __future__ import annotations

from typing import Literal

from ledger.named_tuple import NamedTuple

Speaker = Literal["user", "assistant", "tool", "system"]
"""Who speaks; `user` is a person typing, never a program that speaks in a person's place (K-2)."""


class Turn(NamedTuple):
    """One message, or one call of a tool with what came of it (K-3).

    `text` is what was said, or what the tool printed. `conversation`, `session` and `message` are the ids that the
    program gave them, "" if it gave none; `at` is the instant as it was written, "" if unknown; `agent`
    names the program, as `claude-code`; `folder` is where it worked, "" if unknown.

    Of a tool: `tool` is its name, `command` what it was asked to do, on one line where it is a command line;
    `failed` says whether it did, None if nobody knows; `rejected` that the person did not let it run.
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
