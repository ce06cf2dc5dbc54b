"""SessionStart: what the agent is told of the memories of its folder.

Implements specs/doors.md (G-3, G-4, G-5).
"""

from __future__ import annotations

import gc

from agents.hooks import fault_log, handover, session_notes, session_watch
from agents.hooks.hook_event import MOST_CHARACTERS, text_of
from language.token_estimate import estimate_tokens

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from typing import Any

    from agents.hooks.folder_scopes import Told


_MALFORMED = (
    "muniment: a config.toml is malformed, so its settings are not used. Tell the user to run muniment doctor"
)
"""The agent's message then (F-21); without the file's text, which somebody else may have committed."""
_SOURCES = frozenset({"startup", "resume", "clear", "compact"})
"""Why a session starts, as programs say it."""


def answer(program: str, event: dict[str, Any]) -> str:
    """Return the prompt section of the scopes of the session's folder."""
    gc.disable()  # the process ends in a moment; looking for garbage while modules are loaded costs a tenth of it
    session, cwd = text_of(event, "session_id"), text_of(event, "cwd")
    from agents.hooks.folder_scopes import ANY, home, readings, told, within
    from projections.injection import inject
    from projections.prompt_questions import HEARD

    watched = session_watch.changed(cwd)
    scopes = told(home(), cwd)
    if not scopes:
        return watched
    from agents.hooks.session_adoption import taken_in

    line = "\n".join(filter(None, (watched, taken_in(scopes, text_of(event, "source")))))
    room = MOST_CHARACTERS - len(line.encode("utf-16-le")) // 2 - 2
    try:
        for scope in scopes:
            scope.catch_up()
        estimate = within(scopes[0].budget, room)
        section = inject(readings(scopes), estimate=estimate, behind=ANY, answered=HEARD)
    finally:
        for scope in scopes:
            scope.close()
    fault_log.attempt(
        "SessionStart", session_notes.Session(session, list(section.shown), list(section.asked)).save
    )
    source = text_of(event, "source")
    why = f"session start ({source})" if source in _SOURCES else "session start"
    seen = {"program": program, "session": session, "event": "SessionStart", "why": why}
    fault_log.attempt("SessionStart", note_used, scopes, cwd, seen, section.text)
    waits = (
        "late"
        if any(scope.late for scope in scopes)
        else "sync"
        if any(scope.sync_is_due for scope in scopes)
        else ""
    )
    if waits:
        fault_log.attempt("SessionStart", handover.put, {"kind": waits, "cwd": cwd})
        handover.start()
    said = "\n\n".join(filter(None, (line, section.text.strip())))
    whole = f"{said}\n\n{_MALFORMED}".strip()
    return whole if section.faults and len(whole) <= MOST_CHARACTERS else said


def note_used(scopes: list[Told], cwd: str, seen: dict[str, str], text: str) -> None:
    """Spool which memories were shown; the worker counts and records them (H-42)."""
    used = {str(scope.place.directory): scope.used for scope in scopes if scope.used}
    if used:
        handover.put({"kind": "shown", "cwd": cwd, "used": used, **seen, "tokens": estimate_tokens(text)})
