"""Learns from what hooks handed over of one folder: transcripts, failures, what was shown, a line for the session buffer.

Implements specs/doors.md (G-3, G-7, G-8). It wires what `muniment capture` wires, in the name of the hook (capture.md
K-275), and prints nothing.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from agents.hooks import digest, exporting, fault_log, session_notes, spool
from agents.hooks import written_documents as wrote
from agents.hooks.fault_log import HookError
from agents.hooks.folder_scopes import opened
from agents.hooks.heard_prompts import HINDERED, HeardAtOnce
from agents.hooks.hook_event import AGENTS
from agents.hooks.spool import Spooled
from learning.authorship import home_of, project_of
from learning.conversations import Conversations, in_order, turns_of
from learning.detection.detector import LearningDetector
from learning.episodes import Gathered
from learning.intake import Taking
from learning.transcripts.person_text import persons
from learning.transcripts.records import clipped
from learning.turn import Turn
from ledger.actor import session_in
from ledger.instant import written
from ledger.lazy_pattern import lazy_pattern
from muniment import MemoryLedger
from projections import showing
from projections.seen import Sighting
from team.last_sync import is_due

_WAITS = 60.0
"""So many seconds the worker waits for a ledger that another process holds; nobody waits for the worker."""

_WITHOUT_FILES = frozenset(("openclaw", "opencode"))
"""Programs that keep sessions in a database."""

_ID = lazy_pattern("[0-9a-f]{64}")
_MOST_TOKENS = 1_000_000

_EMBEDDED = 1000
"""So many memories without a vector are embedded when a session ends; it takes some ten seconds."""


def learn(cwd: str, batch: list[Spooled]) -> bool:
    """Do what the spool files of one folder say; say whether nothing hindered what was to be learned."""
    with ExitStack() as stack:
        scopes = opened(cwd, stack)
        if not scopes:
            return True
        home = home_of(scopes)
        if not home.workspace.configuration.enabled:
            return True
        _count(scopes, batch)
        if any(each.kind == "late" for each in batch):
            for memory in scopes.values():
                _tried(partial(_catch_up, memory))
        ended = _exported(batch, stack)
        learned = _tried(lambda: _converse(scopes, home, batch, ended))
        _tried(lambda: digest.append(project_of(scopes), batch))
        for each in batch:
            if learned and each.text("event") == "SessionEnd":
                _tried(partial(_end, home, each.text("session")))
        if any(each.kind == "late" or each.text("event") == "SessionEnd" for each in batch):
            for memory in scopes.values():
                _tried(partial(_embed, memory))
        for memory in scopes.values():
            _tried(partial(_anchor_days, memory))
            _tried(partial(_sync, memory))
    return learned


def _catch_up(memory: MemoryLedger) -> None:
    memory.workspace.index  # noqa: B018 - catches up


def _sync(memory: MemoryLedger) -> None:
    if is_due(
        memory.workspace.place.directory, memory.workspace.readable_configuration.team_interval, time.time()
    ):
        memory.team.sync()


def _embed(memory: MemoryLedger) -> None:
    if (vectors := memory.workspace.vectors) is not None:
        vectors.bring_up(_EMBEDDED)


def _end(home: MemoryLedger, session: str) -> None:
    HeardAtOnce(home).forget(session)
    if session:
        Path(session_notes.path_of(session)).unlink(missing_ok=True)


def _tried(work: Callable[[], object]) -> bool:
    """Do one of several things; what hinders it is noted, and the next one is done."""
    try:
        work()
    except (HookError, *HINDERED) as error:
        fault_log.note("muniment", "hook work", fault_log.said_of(error))
        return False
    return True


def _count(scopes: dict[str, MemoryLedger], batch: list[Spooled]) -> None:
    """Count the memories that a hook showed, and record which session saw them (H-42)."""
    by_directory = {str(memory.workspace.place.directory): memory for memory in scopes.values()}
    for each in batch:
        used = each.entry.get("used") if each.kind == "shown" else None
        for directory, ids in used.items() if isinstance(used, dict) else ():
            memory = by_directory.get(directory)
            if memory is not None and isinstance(ids, list):
                known = [id_ for id_ in ids if isinstance(id_, str) and _ID.fullmatch(id_)]
                memory.workspace.local.count(known, injected=True)
                showing.note(memory.workspace, _sighting(each, tuple(known)))


def _sighting(each: Spooled, ids: tuple[str, ...]) -> Sighting:
    """Return the record of what a hook showed."""
    agent, door = AGENTS.get(each.text("program"), "hook"), f"hook {session_in(each.text('event'))}"
    said = each.entry.get("tokens")
    tokens = said if type(said) is int and 0 <= said <= _MOST_TOKENS else 0
    at = written(int(spool.stem(os.path.basename(each.path)).partition("-")[0]) // 1000)
    return Sighting(
        agent, session_in(each.text("session")), door.strip(), session_in(each.text("why")), tokens, ids, at
    )


def _anchor_days(memory: MemoryLedger) -> None:
    if showing.unanchored(memory.workspace):
        memory.anchors.anchor_seen()


# --- conversations ---


def _exported(batch: list[Spooled], stack: ExitStack) -> set[Path]:
    """Have files of sessions that are in a database (G-69, G-105), until the stack closes; return the files of sessions that ended.

    One that cannot be exported is dropped: the next event of the session exports all of it again.
    """
    ended = set()
    for each in batch:
        if each.text("event") == "SessionEnd" and each.text("transcript"):
            ended.add(Path(each.text("transcript")))
        if each.text("program") not in _WITHOUT_FILES or each.text("transcript"):
            continue
        try:
            file = stack.enter_context(exporting.exported(each))
        except (HookError, OSError) as error:
            fault_log.note(each.text("program"), each.text("event"), fault_log.said_of(error))
            continue
        if file is not None:
            each.entry["transcript"] = str(file)
            if each.text("event") == "SessionEnd":
                ended.add(file)
    return ended


def _converse(
    scopes: dict[str, MemoryLedger], home: MemoryLedger, batch: list[Spooled], ended: set[Path]
) -> None:
    taking = Taking({name: each.scope for name, each in scopes.items()}, home.workspace.by)
    taking.writer.longest = _WAITS
    taking.take_up()
    detector = LearningDetector(max_per_turn=home.workspace.configuration.detector_max_per_turn)
    heard = HeardAtOnce(home)
    for each in batch:
        if each.kind == "disowned":
            _disown(heard, each)
    conversations = Conversations(
        taking,
        detector,
        home.workspace.local,
        on_fault=lambda error: fault_log.note("muniment", "hook work", fault_log.said_of(error)),
        still_to_hear=_still_to_hear(heard),
    )
    paths = [
        Path(each.text("transcript"))
        for each in batch
        if each.kind == "transcript" and each.text("transcript")
    ]
    for path in in_order(
        path for path in paths if os.path.isfile(path)
    ):  # unlike Path.is_file it never raises
        try:
            done = conversations.file(path)
            if not done.kind and not done.nothing_new and done.broken_count:
                raise HookError("a transcript has no known format")
            if done.turns or path in ended:
                said = _remember(project_of(scopes), path, ended=path in ended)
                for each in batch:
                    if _says_nothing(each) and each.text("transcript") == str(path):
                        each.entry["said"] = said  # as Claude Code's Stop tells it (G-11)
        except (HookError, *HINDERED) as error:
            fault_log.note("muniment", "hook work", fault_log.said_of(error))
    if conversations.trouble:
        raise HookError("how far a transcript was read cannot be noted")


def _says_nothing(each: Spooled) -> bool:
    """Return whether only the transcript has what the agent said last."""
    program, event = each.text("program"), each.text("event")
    return program == "openclaw" or (program, event) == ("copilot", "Stop")


def _disown(heard: HeardAtOnce, each: Spooled) -> None:
    if said := clipped(persons(each.text("prompt"))):
        heard.note(each.text("session_id"), said, each.text("prompt_id"), done=True)


def _still_to_hear(heard: HeardAtOnce) -> Callable[[Turn], Turn | None]:
    """Return what says of a turn what is still to be heard; it knows of prompts that nobody said up to that moment.

    One may have come after the batch was taken and stand in the transcript already, since that is read to its end: but
    its spool file was there before it (G-6).
    """
    seen: set[str] = set()

    def still_to_hear(turn: Turn) -> Turn | None:
        if turn.role == "tool":
            wrote.note_turn(turn)
        if turn.role == "user":
            for each in spool.came_since(seen):
                if each.kind == "disowned":
                    _disown(heard, each)
                    spool.discard(each.path)
        return heard.still_to_hear(turn)

    return still_to_hear


def _remember(memory: MemoryLedger, path: Path, *, ended: bool) -> str:
    """Write the episodes of what a transcript says, from its beginning; return what the agent said last."""
    whole, last = Gathered(), ""
    for turn in turns_of(path):
        whole.hear(turn)
        last = turn.text if turn.role == "assistant" and turn.text.strip() else last
    quiet = math.inf if ended else time.time() - path.stat().st_mtime
    whole.remember(memory.scope, memory.workspace.by, quiet_for=quiet, timeout=_WAITS)
    return last
