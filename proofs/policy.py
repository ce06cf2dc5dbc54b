"""Whom a verifier trusts: policy files with logs, witnesses, groups and a quorum.

Implements specs/proofs.md (T-60…T-62), as c2sp.org/tlog-policy writes them:

    log VKEY [URL]
    witness NAME VKEY [URL]
    group NAME all|any|K NAME…
    quorum NAME|none

Lines are ended by LF, items separated by spaces and tabs; empty lines and those that begin with # say nothing. URLs
are never asked.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ledger import note
from ledger.errors import FormatError
from ledger.lazy_pattern import lazy_pattern
from ledger.note import NoteKey

MAX_BYTES = 1 << 20
MAX_LINES = 1000
_CONTROL = lazy_pattern(rb"[\x00-\x08\x0b-\x1f\x7f]")
_NUMBER = lazy_pattern(r"[1-9][0-9]{0,4}")


@dataclass(frozen=True, slots=True)
class WitnessGroup:
    """A group: it has seen a checkpoint where at least `least` of its members have."""

    least: int
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Policy:
    """Logs that are accepted, witnesses by their names, groups in the order of the file, and the quorum ("none": nobody)."""

    logs: tuple[NoteKey, ...]
    witnesses: Mapping[str, NoteKey]
    groups: Mapping[str, WitnessGroup]
    quorum: str

    def seen_by(self, keys: Collection[NoteKey]) -> list[str]:
        """Return the names of the witnesses whose keys are among `keys`."""
        return [name for name, key in self.witnesses.items() if key in keys]

    def is_met(self, keys: Collection[NoteKey]) -> bool:
        """Return whether cosignatures by these keys make the quorum."""
        if self.quorum == "none":
            return True
        met = set(self.seen_by(keys))
        for name, group in self.groups.items():  # members stand before the groups that name them
            if sum(member in met for member in group.members) >= group.least:
                met.add(name)
        return self.quorum in met


def parse(data: bytes) -> Policy:
    """Return the policy that a file spells.

    Raises:
        FormatError: it is none; the message names the line.
    """
    if len(data) > MAX_BYTES or data.count(b"\n") > MAX_LINES:
        raise _fault(0, f"it is longer than {MAX_BYTES} bytes or {MAX_LINES} lines")
    if _CONTROL.search(data):
        raise _fault(0, "a control character stands in it")
    if data and not data.endswith(b"\n"):
        raise _fault(data.count(b"\n") + 1, "no line feed ends the line")
    reading = _Reading()
    for number, line in enumerate(data.decode("utf-8", "surrogateescape").split("\n"), 1):
        items = [item for item in re.split(r"[ \t]+", line) if item]
        if items and not items[0].startswith("#"):
            reading.take(number, items)
    return reading.policy()


class _Reading:
    """The lines taken so far."""

    def __init__(self) -> None:
        self._logs: list[NoteKey] = []
        self._witnesses: dict[str, NoteKey] = {}
        self._groups: dict[str, WitnessGroup] = {}
        self._members: set[str] = set()
        self._quorum: str | None = None

    def take(self, number: int, items: list[str]) -> None:
        match items:
            case ["log", vkey, *url] if len(url) <= 1:
                self._logs.append(_key(number, vkey, note.ED25519, self._logs))
            case ["witness", name, vkey, *url] if len(url) <= 1:
                self._check_new(number, name)
                self._witnesses[name] = _key(number, vkey, note.COSIGNATURE, self._witnesses.values())
            case ["group", name, least, *members] if members:
                self._check_new(number, name)
                self._groups[name] = self._group(number, least, members)
            case ["quorum", name]:
                if self._quorum is not None:
                    raise _fault(number, "a second quorum line")
                if name != "none":
                    self._check_known(number, name)
                self._quorum = name
            case _:
                raise _fault(number, "it is not a valid log, witness, group or quorum line")

    def _group(self, number: int, least: str, members: list[str]) -> WitnessGroup:
        for member in members:
            self._check_known(number, member)
            if member in self._members:
                raise _fault(number, f"{_shown(member)} is a member already")
            self._members.add(member)
        count = {"all": len(members), "any": 1}.get(least) or (int(least) if _NUMBER.fullmatch(least) else 0)
        if not 1 <= count <= len(members):
            raise _fault(number, f"a group asks for all, any, or 1 to {len(members)} of its members")
        return WitnessGroup(count, tuple(members))

    def _check_new(self, number: int, name: str) -> None:
        if name == "none" or name in self._witnesses or name in self._groups:
            raise _fault(number, f"the name {_shown(name)} is taken")

    def _check_known(self, number: int, name: str) -> None:
        if name not in self._witnesses and name not in self._groups:
            raise _fault(number, f"{_shown(name)} is on no line before")

    def policy(self) -> Policy:
        if self._quorum is None:
            raise _fault(0, "it has no quorum line")
        return Policy(tuple(self._logs), self._witnesses, self._groups, self._quorum)


def _key(number: int, vkey: str, type_: int, others: Collection[NoteKey]) -> NoteKey:
    try:
        key = NoteKey.from_vkey(vkey)
    except (FormatError, UnicodeEncodeError) as error:
        raise _fault(number, str(error)) from None
    if key.type != type_:
        raise _fault(number, "a log's key is of type 01, a witness's of type 04")
    if any(key.public == other.public for other in others):
        raise _fault(number, "the same key is on a line before")
    return key


def _shown(name: str) -> str:
    return name.encode("utf-8", "backslashreplace").decode()[:64]


def _fault(number: int, what: str) -> FormatError:
    where = f"line {number} of the policy" if number else "the policy"
    return FormatError("T-60", f"{where} cannot be taken: {what}", code="policy-malformed")
