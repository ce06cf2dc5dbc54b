"""The ledger: validates commands against the state as it is now, keeps secrets out, signs, and appends.

Implements specs/state.md (S-8, S-9), specs/redaction.md, and specs/chain.md (C-19, C-20) above the file.
Every write of every door goes through `Ledger.write`, so nothing is signed that redaction has not seen or
that a verifier would refuse.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ledger import preconditions, redaction
from ledger.canonical import b64, encode
from ledger.chain import Chain, Held
from ledger.check import Link
from ledger.command import Anchor, Command, Confirm, Create, Delete, Erase, Supersede, Written
from ledger.draft import (
    Draft,
    checked_targets,
    erase_drafts,
    note_payload,
    of_first,
    record_drafts,
    target_drafts,
    with_twins,
)
from ledger.errors import RecordError
from ledger.event import ROTATE_PREFIX, Built, By, build_line, next_key_commitment
from ledger.instant import Clock, parsed, system_clock, written
from ledger.keys import KeyDirectory
from ledger.memory import Memory, record_fault
from ledger.named_tuple import NamedTuple
from ledger.schema import FORMAT_VERSION, by_fault, event_fault
from ledger.signing import SigningKey
from ledger.steps import reached
from ledger.view import LinePlace, View, statement_key

FOREIGN_LEAD = 600_000_000
"""Microseconds by which a target in another chain may raise an event's time above the clock (TM-4)."""
Random = Callable[[int], bytes]
"""Returns as many random bytes as it is asked for."""


class Identity(NamedTuple):
    """What genesis fixes: the ledger's id (32 hex digits), name (a slug) and scope."""

    id: str
    name: str
    scope: str


def build_genesis(
    identity: Identity,
    key: SigningKey,
    following: bytes,
    by: By,
    *,
    clock: Clock = system_clock,
    random: Random = os.urandom,
) -> Built:
    """Return the first event of a ledger, signed with `key`, committed to the public key `following`.

    Raises:
        RecordError: the identity or the writer breaks the format.
    """
    event = {
        "v": FORMAT_VERSION,
        "seq": 0,
        "prev": None,
        "ts": written(clock()),
        "kind": "genesis",
        "epoch": 0,
        "by": by._asdict(),
        "key": key.public.hex(),
        "next": next_key_commitment(following),
        "nonce": b64(random(16)),
        "ledger": {"id": identity.id, "name": identity.name, "scope": identity.scope},
    }
    return _built(event, None, b"", key)


def _built(event: dict[str, Any], payload: dict[str, Any] | None, salt: bytes, key: SigningKey) -> Built:
    """Build and sign a line, unless a verifier would refuse it."""
    line = build_line(event, payload, salt, key.sign)
    # Of a create's members the caller decides `by` alone, which `write` has checked.
    if event["kind"] != "create" and (fault := event_fault(line.event)):
        raise RecordError(fault)
    return line


class _Work(NamedTuple):
    """A command whose texts redaction has seen: its drafts, the rules that hit, the key of what it states."""

    command: Command | Anchor
    drafts: list[Draft]
    rules: tuple[str, ...]
    statement: str = ""


class _Batch:
    """The events of one call's commands, and what later commands must know of earlier ones.

    `gone` maps memories and events that the view still holds as live to their end, `said` a statement to
    its id; `spoken_of` are the targets of new events.
    """

    def __init__(self, link: Link, seen: Sequence[str]) -> None:
        self.link = link
        self._seen = list(seen)
        self.built: list[Built] = []
        self.links: list[Link] = []
        self.results: list[Written] = []
        self.to_blank: list[LinePlace] = []
        self.gone: dict[str, str] = {}
        self.said: dict[str, str] = {}
        self.spoken_of: set[str] = set()

    def seeing(self, draft: Draft) -> Draft:
        """Return the first draft of all with what was seen of other chains (TM-3), any other as it is."""
        if not self._seen:
            return draft
        seen, self._seen = self._seen, []
        return draft._replace(members={**draft.members, "seen": seen})

    def known(self, view: View, work: _Work) -> str | None:
        """Return the id that makes a create superfluous, from the batch or from the view (S-9)."""
        if not isinstance(work.command, Create):
            return None
        said = self.said.get(work.statement) or view.same(work.command.memory)
        return None if said in self.gone else said

    def note(self, work: _Work, first: str, places: Sequence[LinePlace]) -> None:
        """Remember what a command of the batch, now built, changes for those after it."""
        command = work.command
        self.results.append(Written(first, redacted=work.rules, erased=tuple(place.id for place in places)))
        if work.statement:
            self.said[work.statement] = first
        if isinstance(command, Erase):
            self.to_blank += places
            self.gone.update((place.id, "erased") for place in places)
        elif not isinstance(command, Create | Anchor):
            self.spoken_of.update(command.targets)
        if isinstance(command, Supersede | Delete):
            status = "superseded" if isinstance(command, Supersede) else "deleted"
            self.gone.update((id_, status) for id_ in command.targets)


class Ledger:
    """One ledger, open for reading and writing.

    Args:
        chain: its chain file.
        identity: what its genesis says.
        keys: where its private key is; read at the first write.
        view: the state to validate against; a ledger without one is recovered or rotated, and not written to.
        clock: gives the present instant.
        random: gives random bytes, for salts.
    """

    def __init__(
        self,
        chain: Chain,
        identity: Identity,
        keys: KeyDirectory,
        *,
        view: View | None = None,
        clock: Clock = system_clock,
        random: Random = os.urandom,
    ) -> None:
        self.chain = chain
        self.identity = identity
        self._view = view
        self.keys = keys
        self.random = random
        self._clock = clock
        self._key: SigningKey | None = None
        self._clean_names: set[str] = set()
        self.acknowledged: list[str] = []
        """The ids of the events that `write` appended, in their order: whatever fails afterwards, they stand."""

    @property
    def view(self) -> View:
        """The state to validate against.

        Raises:
            RuntimeError: the ledger was opened without one.
        """
        if self._view is None:
            raise RuntimeError("this ledger was opened without a view: it cannot be written to")
        return self._view

    @property
    def path(self) -> Path:
        """The chain file."""
        return self.chain.path

    def write(
        self,
        commands: Sequence[Command | Anchor],
        by: By,
        *,
        redact: bool = False,
        timeout: float | None = None,
    ) -> list[Written]:
        """Carry out commands as one batch: one write, one sync. Where one of them is refused, none is done.

        Args:
            commands: what to do, in order; none can target an event that another of them creates.
            by: who asks, and through which door.
            redact: store `[redacted:RULE]` in place of a secret instead of refusing.
            timeout: seconds to wait for another process's lock; None is `ledger.chain.PATIENCE`.

        Returns:
            One result a command, in order.

        Raises:
            SecretError: the text holds a secret and `redact` is false.
            RecordError: a record, a reason or the writer breaks the format.
            NotFoundError, StateError: a target is unknown, deleted, erased or superseded.
            KeyFileError: the private key is not here, or not the one in force.
            ViewUnavailableError: the view cannot answer now.
            ChainError, StorageError, BusyError: see `Chain.locked` and `Held.append`.
        """
        if fault := by_fault(by._asdict()):
            raise RecordError(f"by {fault}")
        if by.name not in self._clean_names:
            if found := redaction.findings({"by": by.name}):  # a head can never be erased
                raise redaction.refusal(found, can_be_cut=False)
            self._clean_names.add(by.name)
        works = [_drafted(command, *self.screened(_said_by(command), redact)) for command in commands]
        if not self.keys.rotating(self.identity.id):
            self.signing_key()  # a person may have to be asked for a passphrase: not while others wait for the lock
        with self.chain.locked(timeout) as held:
            view = self._followed(held)
            batch = self._planned(held, view, works, by)
            if batch.built:
                events = held.append(batch.built, batch.links)
                self.acknowledged += [event.id for event in events]
                view.apply(events, batch.link)
            if batch.to_blank:
                reached("erase.appended")
                held.erase(batch.to_blank)
                view.erased([place.id for place in batch.to_blank])
            return batch.results

    # --- before the lock ---

    def screened(
        self, payload: dict[str, Any] | None, redact: bool
    ) -> tuple[dict[str, Any] | None, tuple[str, ...]]:
        """Return a payload without secrets, and the names of the rules that hit.

        Raises:
            SecretError: it holds a secret and `redact` is false.
        """
        if payload is None:
            return None, ()
        found = redaction.findings(payload)
        if not found:
            return payload, ()
        if not redact:
            raise redaction.refusal(found)
        return redaction.redact_value(payload), tuple(dict.fromkeys(finding.rule for finding in found))

    def signing_key(self, link: Link | None = None) -> SigningKey:
        """Return the private key, read once; with `link`, the one that is in force after that event.

        Raises:
            KeyFileError: it is not here, or another key is in force.
        """
        if link is not None:
            self.keys.settle(self.identity.id, link.key, link.next_key)
        if self._key is None or (link is not None and self._key.public != link.key):
            self._key = self.keys.load(self.identity.id, link.key if link else None)
        return self._key

    def settle_keys(self) -> Link:
        """Put the key files in order after a rotation that a crash cut short; return the newest event's link.

        Raises:
            ChainError, StorageError, BusyError: as `Chain.locked`.
        """
        with self.chain.locked() as held:
            link = held.tip.link
            self.keys.settle(self.identity.id, link.key, link.next_key)
            return link

    # --- under the lock ---

    def _followed(self, held: Held) -> View:
        """Return the view, which is at the tip now."""
        self.view.follow(self.path, held.tip)
        return self.view

    def _finish_erasures(self, held: Held, view: View) -> int:
        """Finish what a crash left half erased (C-20)."""
        unfinished = view.unfinished_erasures()
        if unfinished:
            held.erase(unfinished)
            view.erased([place.id for place in unfinished])
        return len(unfinished)

    def finish_erasures(self) -> int:
        """Blank what erase events name and a crash left standing; return how many payloads that concerned."""
        with self.chain.locked() as held:
            return self._finish_erasures(held, self._followed(held))

    def _planned(self, held: Held, view: View, works: Sequence[_Work], by: By) -> _Batch:
        """Validate all commands against the state as it is now, and build their events; none is written."""
        self._finish_erasures(held, view)
        batch = _Batch(held.tip.link, view.unseen_tips())
        key = self.signing_key(batch.link)
        for work in works:
            known = batch.known(view, work)
            if known:
                batch.results.append(Written(known, known=True, redacted=work.rules))
                continue
            self._plan(batch, view, work, key, by)
        return batch

    def _plan(self, batch: _Batch, view: View, work: _Work, key: SigningKey, by: By) -> None:
        """Validate one command and build its events onto the batch."""
        drafts, places, floor = work.drafts, list[LinePlace](), 0
        if isinstance(work.command, Erase):
            places = preconditions.places_to_erase(view, batch.gone, batch.spoken_of, work.command, by)
            drafts = erase_drafts([place.id for place in places], drafts[0])
        elif not isinstance(work.command, Create | Anchor):
            floor = preconditions.newest_target(view, batch.gone, work.command, by)
            if not isinstance(work.command, Confirm):
                drafts = [with_twins(drafts[0], view.twins), *drafts[1:]]
        first = ""
        for draft in drafts:
            batch.link, line = self.build(
                batch.seeing(of_first(draft, first)), batch.link, by, key, floor=floor
            )
            first = first or line.id
            batch.built.append(line)
            batch.links.append(batch.link)
        batch.note(work, first, places)

    def build(
        self,
        draft: Draft,
        link: Link,
        by: By,
        key: SigningKey,
        *,
        floor: int = 0,
        old: SigningKey | None = None,
    ) -> tuple[Link, Built]:
        """Build and sign the event that follows `link`; nothing is written.

        Args:
            draft: what it says.
            link: the event before it.
            by: who writes it.
            key: the key in force; of a rotate, the new one.
            floor: the newest instant among its targets, in microseconds since 1970.
            old: the key that a rotate replaces, which then proves it.

        Raises:
            RecordError: it cannot be encoded, is too long, or breaks the format.
        """
        clock = self._clock()
        now = ts = written(clock)
        # Instants as written sort as they pass. A floor above the event before is another chain's.
        if ts <= link.ts or clock <= floor:
            ts = written(max(clock, parsed(link.ts) + 1, min(floor + 1, clock + FOREIGN_LEAD)))
        event: dict[str, Any] = {
            "v": FORMAT_VERSION,
            "seq": link.seq + 1,
            "prev": link.id,
            "ts": ts,
            "kind": draft.kind,
            "epoch": link.epoch + (draft.kind == "recover"),
            "by": by._asdict(),
            **draft.members,
        }
        if ts != now:
            event["at"] = now
        if old is not None:
            event["proof"] = b64(old.sign(ROTATE_PREFIX + encode(event)))
        line = _built(event, draft.payload, self.random(16), key)
        committed = event.get("next", link.next_key)
        after = Link(event["seq"], line.id, ts, event["epoch"], key.public, committed, link.chain)
        return after, line


def _said_by(command: Command | Anchor) -> dict[str, Any] | None:
    """Return the payload that a command asks for. Raises RecordError where it breaks the format."""
    if isinstance(command, Create | Supersede):
        payload = command.memory.to_payload()
        if command.reason:
            payload["reason"] = command.reason
            if fault := record_fault(payload):
                raise RecordError(fault)
        return payload
    if isinstance(command, Anchor):
        return dict(command.payload)
    return note_payload(command.reason, command.provenance)


def _drafted(command: Command | Anchor, payload: dict[str, Any] | None, rules: tuple[str, ...]) -> _Work:
    """Draft the events of a command that says `payload`; `rules` are those whose hits were cut out of it."""
    if isinstance(command, Anchor):
        return _Work(command, [Draft("anchor", {}, payload)], rules)
    if not isinstance(command, Create | Supersede):
        return _Work(command, target_drafts(command, payload), rules)
    payload = payload or {}
    if rules:
        if fault := record_fault(payload):
            raise RecordError(f"with the secret cut out, {fault}")
        command = command._replace(memory=Memory.from_payload(payload))
    members = {"targets": checked_targets(command)} if isinstance(command, Supersede) else {}
    kind = "supersede" if isinstance(command, Supersede) else "create"
    try:
        statement = statement_key(command.memory)
    except TypeError as error:  # a lone surrogate
        raise RecordError(f"cannot be stored: {error}") from None
    return _Work(command, record_drafts(kind, members, payload), rules, statement)
