"""Drafts: the contents of a command's events, before any state or key is read.

Implements specs/memory.md (M-2, M-9) and specs/event.md (E-24) for writers. Pure; `ledger.ledger` validates,
builds and signs them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ledger.canonical import encode
from ledger.command import Confirm, Delete, Erase, OfTargets
from ledger.errors import RecordError
from ledger.memory import Provenance
from ledger.named_tuple import NamedTuple
from ledger.schema import MAX_TARGETS, note_fault

PART_BYTES = 48_000
"""Records longer than this (bytes of JSON) are split into parts, each well within one line."""

_LONGEST_ESCAPE = 6  # bytes of JSON that one code point can take: \u001f


class Draft(NamedTuple):
    """An event before it is built: its kind, its own members, its payload without salt."""

    kind: str
    members: dict[str, Any]
    payload: dict[str, Any] | None


def record_drafts(kind: str, members: dict[str, Any], payload: dict[str, Any]) -> list[Draft]:
    """Return the drafts of a memory: one of this kind, and creates for the later parts of a long body (M-9).

    The parts do not name the first one yet; the caller sets it with `of_first`.

    Raises:
        RecordError: the record cannot be stored.
    """
    body = payload.get("body", "")
    size = len(encode(payload)) if body else 0
    if size <= PART_BYTES:
        return [Draft(kind, members, payload)]
    rest = size - _size(body)
    first, *others = split_body(body, PART_BYTES, first=max(PART_BYTES - rest, PART_BYTES // 8))
    of = len(others) + 1
    drafts = [Draft(kind, members, {**payload, "body": first, "part": {"n": 1, "of": of, "first": None}})]
    for n, piece in enumerate(others, 2):
        part = {"n": n, "of": of, "first": ""}
        drafts.append(Draft("create", {}, {"text": payload["text"], "body": piece, "part": part}))
    return drafts


def of_first(draft: Draft, first: str) -> Draft:
    """Return a later part's draft with the id of its first part; any other draft as it is."""
    part = draft.payload.get("part") if draft.payload else None
    if not part or part["n"] == 1:
        return draft
    return Draft(draft.kind, draft.members, {**(draft.payload or {}), "part": {**part, "first": first}})


def with_twins(draft: Draft, twins: Callable[[str], list[str]]) -> Draft:
    """Return the draft of a supersede or delete with what says the same in other chains among its targets (TM-30)."""
    targets: list[str] = draft.members["targets"]
    others = [twin for target in targets for twin in twins(target)]
    every = list(dict.fromkeys([*targets, *others]))[:MAX_TARGETS]
    return draft._replace(members={**draft.members, "targets": every})


def target_drafts(command: Delete | Confirm | Erase, payload: dict[str, Any] | None) -> list[Draft]:
    """Return the draft of a delete or confirm; of an erase, the pattern that `erase_drafts` takes."""
    kind = {Delete: "delete", Confirm: "confirm", Erase: "erase"}[type(command)]
    return [Draft(kind, {"targets": checked_targets(command)}, payload)]


def erase_drafts(ids: Sequence[str], pattern: Draft) -> list[Draft]:
    """Return as many erase drafts like `pattern` as it takes to name all `ids`."""
    chunks = (list(ids[at : at + MAX_TARGETS]) for at in range(0, len(ids), MAX_TARGETS))
    return [Draft("erase", {"targets": chunk}, pattern.payload) for chunk in chunks]


def checked_targets(command: OfTargets | Erase) -> list[str]:
    """Return a command's targets, each once.

    Raises:
        RecordError: none, or more than fit in one event.
    """
    targets = list(dict.fromkeys(command.targets))
    if not targets:
        raise RecordError("name at least one memory")
    if len(targets) > MAX_TARGETS and not isinstance(command, Erase):
        raise RecordError(f"{len(targets)} targets; at most {MAX_TARGETS} fit in one event: do it in several")
    return targets


def note_payload(reason: str, provenance: Provenance) -> dict[str, Any] | None:
    """Return the payload of delete, confirm, erase or recover; None if there is nothing to say (E-24).

    Raises:
        RecordError: the reason or a member of the provenance is too long or cannot be stored.
    """
    payload: dict[str, Any] = {"reason": reason} if reason else {}
    if members := provenance.to_payload():
        payload["provenance"] = members
    if fault := note_fault(payload):
        raise RecordError(fault)
    return payload or None


def split_body(body: str, limit: int, *, first: int) -> list[str]:
    """Cut a text at line ends into pieces of at most `limit` bytes of JSON; a longer line is cut inside.

    Joined the pieces are the text again.

    Args:
        body: the text.
        limit: bytes of JSON a piece.
        first: the limit of the first piece.
    """
    pieces: list[str] = []
    current: list[str] = []
    size, room = 0, first
    for line in body.splitlines(keepends=True):
        for chunk in _cut(line, min(room, limit)):
            length = _size(chunk)
            if current and size + length > room:
                pieces.append("".join(current))
                current, size, room = [], 0, limit
            current.append(chunk)
            size += length
    if current:
        pieces.append("".join(current))
    return pieces


def _cut(line: str, limit: int) -> Iterable[str]:
    step = max(limit // _LONGEST_ESCAPE, 1)
    if len(line) <= step or _size(line) <= limit:
        return (line,)
    return (line[at : at + step] for at in range(0, len(line), step))


def _size(text: str) -> int:
    return len(encode(text)) - 2
