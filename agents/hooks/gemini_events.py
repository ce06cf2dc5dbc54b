"""Gemini CLI's events, under the names that the rooms know: those of Claude Code.

Implements specs/doors.md (G-82).
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from agents.hooks.hook_event import HookEvent

_NAMES = {"BeforeAgent": "UserPromptSubmit", "AfterAgent": "Stop", "PreCompress": "PreCompact"}
_CONTEXT, _CONTEXT_ENDS = "<hook_context>", "</hook_context>"
"""Encloses what hooks said at a session's start, which precedes the prompt if there is no terminal."""
_FILES = "\n--- Content from referenced files ---\n"
"""Before the files that a prompt names with an @."""


def translated(name: str, event: HookEvent) -> tuple[str, HookEvent]:
    """Return the name and the event as Claude Code would write them; a member of a wrong type stays as it is."""
    known = dict(event)
    if isinstance(prompt := event.get("prompt"), str):
        known["prompt"] = _typed(prompt)
    known["last_assistant_message"] = event.get("prompt_response")
    return _NAMES.get(name, name), known


def escaped(name: str, said: str) -> str:
    """Return what an event is answered; at a session's start Gemini CLI would read the files that a memory names by @."""
    return said.replace("@", "\\@") if name == "SessionStart" else said


def _typed(prompt: str) -> str:
    """Return what of a prompt somebody typed."""
    if prompt.startswith(_CONTEXT):
        prompt = prompt.partition(_CONTEXT_ENDS)[2].lstrip()
    return prompt.partition(_FILES)[0]
