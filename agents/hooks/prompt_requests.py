"""Hears one prompt at once: what a person asks to remember or to forget, and their yes or no to what was asked.

Implements specs/doors.md (G-6, G-7). It wires what the transcript's reader wires, for one turn, with the end of the transcript as what was
said before. A ledger that another process holds is waited for a quarter of a second; then the outbox has it.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agents.hooks.folder_scopes import opened
from agents.hooks.heard_prompts import HINDERED, HeardAtOnce
from agents.hooks.hook_event import AGENTS, text_of
from learning.detection import forgetting
from learning.detection.answers import answer
from learning.detection.detector import LearningDetector
from learning.forget_targets import named, quoted
from learning.intake import Taken, Taking
from learning.listening import LONGEST_WISH, Listener
from learning.transcripts.person_text import persons
from learning.turn import Turn
from ledger.command import Command, Confirm, Delete
from ledger.instant import system_clock, written
from ledger.memory import Provenance
from ledger.redaction import redact
from muniment import MemoryLedger
from projections.inert import inert

if TYPE_CHECKING:
    from agents.hooks.session_notes import Session

PATIENCE = 0.25
"""So many seconds a ledger is waited for."""
_EARLIER = 1 << 18
"""So many bytes at the end of the transcript are what was said before."""
_MOST_LINES = 8
_ID = 12
_SECRET = "what looks like a secret, and muniment keeps none: tell the user to keep it elsewhere"  # noqa: S105 - a sentence
_SAYS = {
    "created": "remembered",
    "promoted": "remembered",
    "confirmed": "confirmed, it was known",
    "superseded": "remembered",
    "candidate": "noted; ask the user, with the ID, whether to keep it: their next message, if it is a yes, does",
    "queued": "noted; it will be written as soon as the ledger is available",
    "known": "known already",
}
_REVERTIBLE = frozenset(("created", "superseded", "candidate"))
"""The id of these is that of the event, so that its revert takes back this alone."""
_NOT_KEPT = frozenset(("refused", "older", "unwritten"))
"""What of these is not told, the agent would believe to be kept."""


def hear(program: str, event: dict[str, Any], note: Session, *, asks: bool) -> str:
    """Learn from a prompt, which may ask for something (`asks`); return what the agent is told of it, a line each."""
    said = persons(text_of(event, "prompt"))
    if not said:
        return ""  # a program put it there
    session = redact(text_of(event, "session_id"))
    message = text_of(event, "prompt_id")[:128] or f"hook-{time.time_ns()}"
    with ExitStack() as stack:
        scopes = opened(text_of(event, "cwd"), stack)
        if not scopes:
            return ""
        for memory in scopes.values():
            memory.workspace.wait_at_most(PATIENCE)
        home = scopes.get("user") or next(iter(scopes.values()))
        if not home.workspace.configuration.enabled:
            return ""
        turn = Turn(
            "user",
            said,
            session,
            session,
            message,
            written(system_clock()),
            AGENTS.get(program, ""),
            text_of(event, "cwd"),
        )
        before = list(_before(event, said))
        if lines := _answered(scopes, note, turn, before):
            return lines
        once = HeardAtOnce(home)
        if not once.note(turn.conversation, turn.text, turn.message) and (
            "messages" in event or text_of(event, "transcript_path")
        ):
            return ""  # nobody would know that it was heard: it is left to the transcript's reader
        told = _heard(scopes, home, turn, before, once, note)
        return "\n".join([*told, *(_kept_out(turn.text, told) if asks else ())])


def _before(event: dict[str, Any], said: str) -> Iterator[Turn]:
    """Yield the turns before a prompt, from the event or else from the end of the transcript.

    Some programs write the prompt there first; it is left out.
    """
    path = Path(text_of(event, "transcript_path"))
    data = json.dumps(event["messages"]).encode() if "messages" in event else _end_of(path)
    if not data:
        return
    from learning.conversations import name_of
    from learning.transcripts.transcript_reader import read

    turns = [turn for turn, _ in read([data], name=name_of(path))]
    if turns and turns[-1].role == "user" and turns[-1].text.strip() == said.strip():
        turns.pop()
    yield from turns


def _end_of(path: Path) -> bytes:
    try:
        if not path.is_file():
            return b""
        with path.open("rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            data = os.pread(stream.fileno(), _EARLIER, max(0, size - _EARLIER))
    except (OSError, ValueError):
        return b""
    return data.partition(b"\n")[2] if size > _EARLIER else data


def _heard(  # noqa: PLR0917 - what one prompt is heard with
    scopes: dict[str, MemoryLedger],
    home: MemoryLedger,
    turn: Turn,
    before: list[Turn],
    once: HeardAtOnce,
    note: Session,
) -> list[str]:
    detector = LearningDetector(max_per_turn=home.workspace.configuration.detector_max_per_turn)
    for each in before:
        detector.heed(each._replace(conversation=turn.conversation))
    taking = Taking({name: each.scope for name, each in scopes.items()}, home.workspace.by)
    taking.writer.longest = PATIENCE
    listener = Listener(taking, detector, home=home.scope)
    for each in _since_the_last_prompt(before):
        listener.heed(each._replace(conversation=turn.conversation))
    taken = listener.hear(turn)
    if not taken:
        once.withdraw(turn.conversation, turn.text)
    elif all(each.outcome != "unwritten" for each in taken):
        once.done(turn.conversation, turn.text)
    if waiting := [each.id for each in taken if each.outcome == "candidate" and each.id]:
        note.asked += [id_ for id_ in waiting if id_ not in note.asked]
        note.save()
    lines = [line for each in taken[:_MOST_LINES] if (line := line_of(scopes, each))]
    if not taken and (line := _perhaps(scopes, turn.text)):
        lines = [line]
    return lines


def _perhaps(scopes: dict[str, MemoryLedger], said: str) -> str:
    """Return the message for a prompt that may ask to forget current memories, in words that no rule understands (K-140)."""
    if len(said) > LONGEST_WISH or not forgetting.may_ask(said):
        return ""
    found = [entry for memory in scopes.values() for entry in named(memory.workspace.index, said)][
        :_MOST_LINES
    ]
    meant = ", ".join(f"{_quoted(entry.memory.text)} (ID {entry.id[:_ID]})" for entry in found)
    return (
        f"muniment: nothing was forgotten. If the user means the memory {meant}, ask them whether to forget it, and quote "
        "it: their next message, if it is a yes, does it"
        if found
        else ""
    )


def _kept_out(said: str, lines: list[str]) -> list[str]:
    """Return what is told where a person asked for something, the prompt has a secret, and no line says so."""
    if any(_SECRET in line for line in lines) or redact(said) == said:
        return []
    what = "what else this prompt says was not" if lines else "nothing of this prompt was"
    return [f"muniment: {what} stored: it has {_SECRET}"]


def _since_the_last_prompt(before: list[Turn]) -> list[Turn]:
    """Return what the agent said to what the person said last; nothing if that is not known."""
    last = max((at for at, each in enumerate(before) if each.role == "user"), default=len(before))
    return [each for each in before[last:] if each.role == "assistant"]


def line_of(scopes: dict[str, MemoryLedger], taken: Taken) -> str:
    """Return what the agent may repeat of one proposal."""
    if taken.proposal.action == "delete":
        return _forgotten(scopes, taken)
    if taken.outcome in _NOT_KEPT and taken.proposal.memory is not None:
        text = taken.proposal.memory.text
        why = f"it has {_SECRET}" if redact(text) != text else inert(redact(taken.why))
        return f"muniment: not stored: {_quoted(text)}: {why}"
    if taken.proposal.memory is None or taken.outcome not in _SAYS:
        return ""
    named = f" (ID {taken.id[:_ID]})" if taken.id else ""
    back = f"; muniment revert {taken.id[:_ID]} takes it back" if taken.outcome in _REVERTIBLE else ""
    old = f", replacing {', '.join(map(_quoted, taken.replaced))}" if taken.replaced else ""
    return f"muniment: {_SAYS[taken.outcome]}: {_quoted(taken.proposal.memory.text)}{named}{old}{back}"


def _forgotten(scopes: dict[str, MemoryLedger], taken: Taken) -> str:
    if taken.outcome == "asked":
        meant = ", ".join(f"{_quoted(text)} (ID {id_[:_ID]})" for id_, text in _texts(scopes, taken))
        return (
            f"muniment: ask the user whether to forget {meant}: their next message, if it is a yes, does it"
        )
    if taken.outcome == "forgotten":
        ids = " ".join(id_[:_ID] for id_ in taken.targets)
        return f"muniment: forgotten ({ids})"
    if taken.outcome == "queued":
        return "muniment: it will be forgotten as soon as the ledger can be written"
    if taken.outcome == "discarded":
        return "muniment: no memory matches this request to forget"
    return ""


def _texts(scopes: dict[str, MemoryLedger], taken: Taken) -> Iterator[tuple[str, str]]:
    for id_ in taken.targets[:_MOST_LINES]:
        for memory in scopes.values():
            if (entry := memory.workspace.index.entry(id_)) is not None:
                yield id_, entry.memory.text
                break


def _quoted(text: str) -> str:
    """Return what a memory says as a prompt may have it: inert, and without what looks like a secret."""
    text = redact(text)
    return f"\u201c{inert(text).replace(chr(0x201C), chr(34)).replace(chr(0x201D), chr(34))}\u201d"


# --- what the prompt section asked about (projections.md P-170) ---


def _answered(scopes: dict[str, MemoryLedger], note: Session, turn: Turn, before: list[Turn]) -> str:
    """Do what a yes or a no to the one candidate says that the agent asked about in its last message."""
    if not note.asked or not (said := answer(turn.text)):
        return ""
    last = next((each for each in reversed(before) if each.role in ("assistant", "user")), None)
    if last is None or last.role != "assistant" or "?" not in last.text:
        return ""
    meant = {id_ for id_ in note.asked if id_[:_ID] in last.text} or set(note.asked) & set(
        quoted([each.scope for each in scopes.values()], last.text)
    )
    if len(meant) != 1:
        return ""
    (id_,) = meant
    found = next(((m, e) for m in scopes.values() if (e := m.workspace.index.entry(id_)) is not None), None)
    if found is None or found[1].status != "candidate":
        return ""
    memory, entry = found
    origin = Provenance(turn.conversation, turn.message, turn.session)
    reason = f"asked whether to remember it, and said {said}"
    command: Command = Confirm((id_,), reason, origin) if said == "yes" else Delete((id_,), reason, origin)
    try:
        memory.write([command], memory.workspace.by, timeout=PATIENCE)
    except HINDERED:
        return ""  # it is asked again
    HeardAtOnce(scopes.get("user") or memory).note(turn.conversation, turn.text, turn.message, done=True)
    done = "remembered" if said == "yes" else "forgotten"
    return f"muniment: {done}: {_quoted(entry.memory.text)} (ID {id_[:_ID]})"
