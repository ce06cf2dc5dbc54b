"""The door of all hooks: reads one event from stdin, gives it to the room that answers it, and exits with 0.

Implements specs/doors.md (G-1, G-3, G-4, G-5, G-9). Whatever happens, the agent's program gets one JSON object or nothing. Nothing
is imported here that a hook without anything to do would pay for.
"""

from __future__ import annotations

import os
import signal

from agents.hooks import fault_log, user_folders
from agents.hooks.fault_log import HookError

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from types import FrameType
    from typing import NoReturn

    from agents.hooks.hook_event import HookEvent

PROGRAMS = ("claude", "codex", "copilot", "cursor", "gemini", "openclaw", "opencode")
"""The programs whose events are known."""
MOST_BYTES = 8 << 20
PATIENCE = 20
"""Seconds after which a hook gives up, whatever holds it; programs give up themselves after 30 and more."""
_A_MOMENT = 2
"""Seconds that noting a fault may take."""
_TO_DO = "programs call muniment hook claude, codex, copilot, cursor, gemini, openclaw or opencode; muniment install lets them"

_CLAUDE = {
    "SessionStart": "session_start",
    "UserPromptSubmit": "prompt",
    "PostToolUse": "written",
    "PreCompact": "handing",
    "Stop": "handing",
    "SubagentStop": "handing",
    "SessionEnd": "handing",
}
ROOMS = {
    "claude": _CLAUDE,
    "codex": _CLAUDE,
    "copilot": {event: room for event, room in _CLAUDE.items() if event != "SubagentStop"},
    "cursor": {"sessionStart": "session_start", "afterFileEdit": "written", "sessionEnd": "handing"},
    "gemini": {
        "SessionStart": "session_start",
        "BeforeAgent": "prompt",
        "AfterAgent": "handing",
        "PreCompress": "handing",
        "SessionEnd": "handing",
    },
    "openclaw": {"PreCompact": "handing", "SessionEnd": "handing"},  # by its hook's handler
    "opencode": {
        event: room for event, room in _CLAUDE.items() if event not in {"PreCompact", "SubagentStop"}
    },
}
"""The room that answers an event, by program; any other event is a no-op."""
_BARE = {"copilot": "additionalContext", "cursor": "additional_context"}
"""The member of the answer in which a program takes context, if no other member is there."""
_OF_SUBAGENTS = frozenset({"SubagentStop", "PostToolUse"})
"""Events that are heard though they are a subagent's."""


class TooLong(BaseException):
    """The hook took longer than anybody would wait for it."""


def main(program: str) -> NoReturn:
    """Answer one event, and exit with 0; to a program that is not known nothing is answered, "" being none."""
    if program not in PROGRAMS:
        turn_away("the command line names no program that is known")
    name = ""
    try:
        signal.signal(signal.SIGALRM, give_up)
        signal.alarm(PATIENCE)
        out = _out()
        data = _input()
        if _may_be_answered(program, data):
            from agents.hooks import hook_event

            event = hook_event.read(data)
            name = hook_event.name_of(event, ROOMS[program])
            if name and _concerns(program, event, name):
                _put(out, hook_event.answer_of(name, _answer(program, name, event), _BARE.get(program, "")))
    except BaseException as error:  # noqa: BLE001 - an agent must never break because of us
        _note(program, name, error)
    finally:
        os._exit(0)


def turn_away(why: str) -> NoReturn:
    """Answer nothing to a command line that cannot bring an event: code 2 would stop an agent (G-1).

    A person at a terminal is told what to do; a program's pipe is read to its end, so that it does not break.
    """
    try:
        signal.signal(signal.SIGALRM, give_up)
        signal.alarm(PATIENCE)
        fault_log.note("muniment", "hook", why)
        if os.isatty(2):
            os.write(2, f"muniment: {why}; {_TO_DO}\n".encode())
        if not os.isatty(0):
            _input()
    except BaseException:  # noqa: BLE001, S110 - there is nobody left to tell
        pass
    finally:
        os._exit(0)


def _note(program: str, name: str, error: BaseException) -> None:
    try:
        signal.alarm(_A_MOMENT)
        fault_log.note(program, name, fault_log.said_of(error))
    except BaseException:  # noqa: BLE001, S110 - there is nobody left to tell
        pass


def give_up(_number: int, _frame: FrameType | None) -> None:
    """Raise out of what a hook has waited for too long (G-2); a handler of the alarm.

    Raises:
        TooLong: always.
    """
    raise TooLong


# --- streams ---


def _out() -> int:
    """Return a descriptor of stdout for the answer alone: what any library prints goes nowhere."""
    null = os.open(os.devnull, os.O_RDWR)
    while null <= 2:  # a standard stream is closed: no file of ours may get its number
        null = os.open(os.devnull, os.O_RDWR)
    out = os.dup(1)
    os.dup2(null, 1)
    os.dup2(null, 2)
    return out


def _input() -> bytes:
    """Return what stdin has.

    Raises:
        HookError: it has more than an event can have; it is read to its end all the same, so that nobody's pipe breaks.
    """
    pieces: list[bytes] = []
    size = 0
    while piece := os.read(0, 1 << 20):
        size += len(piece)
        pieces = [*pieces, piece] if size <= MOST_BYTES else []
    if size > MOST_BYTES:
        raise HookError(f"the event has more than {MOST_BYTES >> 20} MiB")
    return b"".join(pieces)


def _put(out: int, data: bytes) -> None:
    while data:
        data = data[os.write(out, data) :]


# --- the event ---


def _may_be_answered(program: str, data: bytes) -> bool:
    """Return whether it is worth the time to read an event: the name of one that a room answers stands somewhere in it."""
    return b'"hook_event_name"' not in data or any(name.encode() in data for name in ROOMS[program])


def _concerns(program: str, event: HookEvent, name: str) -> bool:
    """Say whether anything is to be done: there is a ledger, it is not switched off, and no subagent speaks.

    Copilot CLI runs Claude Code's hooks too, and drops what they answer: it has its own (G-90).
    """
    if program == "claude" and "timestamp" in event and os.environ.get("COPILOT_CLI"):
        return False
    if not user_folders.is_founded() or user_folders.is_off():
        return False
    return name in _OF_SUBAGENTS or not event.get("agent_id")


def _answer(program: str, name: str, event: HookEvent) -> str:
    room = ROOMS[program][name]
    if program == "gemini":
        from agents.hooks import gemini_events

        return gemini_events.escaped(name, _said(room, program, *gemini_events.translated(name, event)))
    if program == "cursor":
        from agents.hooks import cursor_events

        name, event = cursor_events.translated(name, event)
    elif program == "copilot":
        from agents.hooks import copilot_events

        event = copilot_events.translated(event)
    return _said(room, program, name, event)


def _said(room: str, program: str, name: str, event: HookEvent) -> str:
    if room == "session_start":
        from agents.hooks import session_start

        return session_start.answer(program, event)
    if room == "prompt":
        from agents.hooks import user_prompt

        return user_prompt.answer(program, event)
    if room == "written":
        from agents.hooks import written_documents

        written_documents.note(program, event)
    else:
        from agents.hooks import handover

        handover.hand_over(program, name, event)
    return ""
