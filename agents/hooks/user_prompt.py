"""UserPromptSubmit: tells the topics that match a prompt, and hears at once what a person asks of the memory itself.

Implements specs/doors.md (G-3, G-6, G-7). What hears costs a third of a second to load, so a prompt is first
looked at for the words without which nobody asks to remember or to forget; all other prompts are left to the transcript.
"""

from __future__ import annotations

import gc
import re

from agents.hooks import fault_log, handover, session_notes
from agents.hooks.fault_log import HookError
from agents.hooks.hook_event import MOST_CHARACTERS, text_of
from agents.hooks.session_notes import Session
from ledger.lazy_modules import let_wait
from ledger.lazy_pattern import lazy_pattern

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from typing import Any

    from agents.hooks.folder_scopes import Told

ASKS = lazy_pattern(
    r"remember|memori|forget|forgot|keep (?:\w+ ){0,2}in mind|bear in mind|(?:make|take) (?:a |yourself a )?(?:mental )?note|"
    r"note (?:that|to self|down)|don'?t lose|future reference|for later|from memory|your memory|jot|erase|unlearn|"
    r"(?:delet|remov|drop|discard|scrap|clear|wipe|get rid of)\w* (?:\S+ ){0,4}memory\b|memory (?:about|of|on|that|which|saying)\b|"
    r"write (?:this|that|it)? ?down|merk dir|merke|vergiss|vergessen|notier|souviens|retiens|oubli|recuerda|olvid|lembr|esque[cç]",
    re.IGNORECASE,
)
"""One of these words has who asks to remember or to forget; who says it otherwise is heard by the transcript's reader."""

MOST_SAID = 20_000
"""A longer prompt was pasted for the most part; the transcript has it."""
_SHORT = 200
"""A longer prompt is not a yes or no."""
_TOPICS_SHARE = 3
"""Topics get one part in so many of what a program takes."""
_ASKED = ("asked ", "may have asked ", "was offered ")
"""Facts by which the listener remembers that a yes may delete something."""
_PEOPLE = ("", "user")
_OWNERS = (*_PEOPLE, "sdk")
"""Sources that may be a person's; of `sdk` the transcript knows, which names the program that it was."""


_NOT_HEARD = (
    "muniment: could not store anything from this prompt, or could not find out what was stored. "
    "Tell the user to run muniment doctor"
)


def answer(program: str, event: dict[str, Any]) -> str:
    """Return what the agent is told beside the prompt."""
    gc.disable()
    said, session, cwd = (text_of(event, name) for name in ("prompt", "session_id", "cwd"))
    if not said.strip():
        return ""
    source = text_of(event, "source")
    let_wait()
    from agents.hooks.folder_scopes import home, told

    scopes = told(home(), cwd)
    if not scopes:
        return ""
    note = session_notes.load(session)
    lines = ""
    if source not in _OWNERS:
        _disown(program, event)
    asks = ASKS.search(said) is not None
    if source in _PEOPLE and len(said) <= MOST_SAID and (asks or _may_answer(scopes, note, said)):
        from agents.hooks import prompt_requests

        try:
            lines = prompt_requests.hear(program, event, note, asks=asks)
        except Exception as error:  # noqa: BLE001 - the topics are told all the same
            fault_log.note(program, "UserPromptSubmit", fault_log.said_of(error))
            if asks:
                lines = _NOT_HEARD
    topics = ""
    try:
        topics = _topics(program, scopes, note, said, cwd)
    except Exception as error:  # noqa: BLE001 - what was stored is told all the same (X-311)
        fault_log.note(program, "UserPromptSubmit", fault_log.said_of(error))
    finally:
        for scope in scopes:
            scope.close()
    return "\n\n".join(filter(None, (_whole(lines), topics)))


def _disown(program: str, event: dict[str, Any]) -> None:
    """Spool a prompt that no person said: in the transcript it may look as if one had."""
    from learning.transcripts.records import clipped

    entry = {name: text_of(event, name) for name in ("session_id", "cwd", "prompt_id")}
    try:
        handover.put({"kind": "disowned", **entry, "prompt": clipped(text_of(event, "prompt"))})
    except (HookError, OSError) as error:
        fault_log.note(program, "UserPromptSubmit", fault_log.said_of(error))


def _whole(lines: str) -> str:
    """Return the lines that fit beside the topics."""
    most, kept, size = MOST_CHARACTERS - MOST_CHARACTERS // _TOPICS_SHARE - 2, [], 0
    for line in lines.splitlines():
        size += len(line.encode("utf-16-le")) // 2 + 1
        if size > most:
            break
        kept.append(line)
    return "\n".join(kept)


def _topics(program: str, scopes: list[Told], note: Session, said: str, cwd: str) -> str:
    """Return the topics that match and were not told in this session."""
    if not any(scope.has_topics() for scope in scopes):
        return ""
    from agents.hooks.folder_scopes import ANY, readings, within
    from agents.hooks.session_start import note_used
    from projections.injection import inject

    budget = scopes[0].budget // _TOPICS_SHARE
    estimate = within(budget, MOST_CHARACTERS // _TOPICS_SHARE)
    found = inject(
        readings(scopes), said, budget=budget, estimate=estimate, behind=ANY, topics_but=frozenset(note.shown)
    )
    if not found.shown:
        return ""
    note.shown += found.shown
    fault_log.attempt("UserPromptSubmit", note.save)
    seen = {"program": program, "session": note.name, "event": "UserPromptSubmit", "why": "topics"}
    fault_log.attempt("UserPromptSubmit", note_used, scopes, cwd, seen, found.text)
    return found.text.strip()


def _may_answer(scopes: list[Told], note: Session, said: str) -> bool:
    """Return whether a prompt may answer a question that the agent was told to ask: it is short, and a question is open."""
    if len(said) > _SHORT or not note.name:
        return False
    if note.asked:
        return True
    return any(scope.has_facts(*(f"{kind}{note.name}" for kind in _ASKED)) for scope in scopes)
