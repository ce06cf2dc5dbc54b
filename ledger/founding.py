"""Founds a ledger and opens one: keys, genesis, pin and mark in an order that a crash cannot turn into a lie.

Implements specs/chain.md (C-15, C-16) and specs/files.md (F-2, F-3). Founding does: keys; genesis;
mark; pin. Until genesis is written there is no ledger; a key left by a founding that died is used
again.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from ledger import reader, redaction
from ledger.chain import CHAIN_NAME, Chain
from ledger.chain_identity import COMES_BACK, NO_BEGINNING, gone
from ledger.check import LineChecker
from ledger.durable import private_folder, storage_error
from ledger.errors import ChainError, KeyFileError, LedgerExistsError, RecordError
from ledger.event import MAX_LINE_BYTES, By
from ledger.instant import Clock, system_clock
from ledger.keys import NEXT, KeyDirectory
from ledger.lazy_pattern import lazy_pattern
from ledger.ledger import Identity, Ledger, Random, build_genesis
from ledger.mark import Pin, StateDirectory
from ledger.memory import SLUG
from ledger.signing import SigningKey
from ledger.view import View

_LEDGER_ID = lazy_pattern("[0-9a-f]{32}")


def found(
    directory: Path,
    identity: Identity,
    by: By,
    keys: KeyDirectory,
    state: StateDirectory,
    *,
    clock: Clock = system_clock,
    random: Random = os.urandom,
) -> str:
    """Make a new ledger in `directory` and return its genesis id.

    Raises:
        LedgerExistsError: there is a chain, or one was there and is gone; nothing was touched.
        RecordError: the id, name, scope or writer breaks the format.
        StorageError: a folder cannot be written.
    """
    if not SLUG.fullmatch(identity.name):
        raise RecordError("the ledger's name is not a slug: use a-z, 0-9, . _ and -, at most 64")
    said = {"name": identity.name, "by": by.name}  # in a head, which can never be erased
    if found := redaction.findings(said):
        raise redaction.refusal(found, can_be_cut=False)
    if not _LEDGER_ID.fullmatch(identity.id):
        raise RecordError(f"the id {identity.id!r} is not 32 hex digits")
    refuse_existing(directory, identity.id, state)
    key = _key(keys, identity.id, random)
    following = keys.stored(identity.id, NEXT).public
    genesis = build_genesis(identity, key, following, by, clock=clock, random=random)
    try:
        private_folder(directory)
    except OSError as error:
        raise storage_error(error, "making the ledger's directory", directory) from error
    Chain.place(directory, (genesis.raw + b"\n",))
    chain = Chain(directory, state.mark_of(identity.id), genesis.id)
    with chain.locked():
        pass  # reading the first event moves the mark to it
    state.pin(directory, Pin(identity.id, genesis.id))
    return genesis.id


def refuse_existing(directory: Path, ledger_id: str, state: StateDirectory) -> None:
    """Refuse a directory, or a ledger's id, that has or had a chain on this machine.

    Raises:
        LedgerExistsError: it has one, or had one that is gone.
    """
    path = directory / CHAIN_NAME
    if path.exists():
        raise LedgerExistsError(f"there is a ledger already: {path}; it was not changed")
    pin = state.pin_of(directory)
    if pin is not None:
        lost = gone(path, state.mark_of(pin.ledger).read())
        raise LedgerExistsError(f"{lost}; or choose another directory")
    mark = state.mark_of(ledger_id).read()
    if mark is not None:
        raise LedgerExistsError(
            f"the ledger {ledger_id} has a chain on this machine already, in another folder, which reached event @{mark.seq}: use "
            f"that one. If it is gone, {COMES_BACK}"
        )


def _key(keys: KeyDirectory, ledger_id: str, random: Random) -> SigningKey:
    if not keys.has(ledger_id):
        keys.store(ledger_id, SigningKey(random(32)))
    key = keys.load(ledger_id)
    try:
        keys.stored(ledger_id, NEXT)
    except KeyFileError:
        keys.store(ledger_id, SigningKey(random(32)), NEXT)
    return key


def identity_of(path: Path) -> tuple[Identity, str]:
    """Return what the genesis of the chain file at `path` says, and its id.

    Raises:
        NoLedgerError: there is no chain.
        ChainError: its first line is not a good genesis.
    """
    checker = LineChecker()
    with reader.opened(path) as fd:
        line = next(reader.lines(fd, stop=MAX_LINE_BYTES + 1), None)
        checked = checker.take(line.raw) if line else None
    if checked is None:
        reason = str(checker.findings[0]) if checker.findings else "it is empty"
        raise ChainError(f"{path} does not begin with a good event ({reason}): {NO_BEGINNING}")
    ledger = checked.head["ledger"]
    return Identity(ledger["id"], ledger["name"], ledger["scope"]), checked.id


def open_ledger(
    directory: Path,
    keys: KeyDirectory,
    state: StateDirectory,
    *,
    view: View | None = None,
    clock: Clock = system_clock,
    random: Random = os.urandom,
) -> Ledger:
    """Open the ledger in `directory`.

    A directory without a pin is accepted only if our key signs its chain; the pin is then written again.

    Raises:
        NoLedgerError: there is no chain and never was one here.
        ChainError: the chain is gone, emptied or does not begin with a good genesis.
        KeyFileError: there is no pin, and the key here is not the chain's.
    """
    pin = state.pin_of(directory)
    path = directory / CHAIN_NAME
    if pin is not None and not path.exists():
        raise gone(path, state.mark_of(pin.ledger).read())
    identity, genesis = identity_of(path)
    if pin is not None:
        # A chain with another genesis is refused by the first write; its ledger id must not choose our key or
        # mark.
        identity = identity._replace(id=pin.ledger)
    elif keys.has(identity.id):
        pin = _vouched(path, identity, genesis, keys)
        state.pin(directory, pin)
    chain = Chain(directory, state.mark_of(identity.id), pin.genesis if pin else None)
    return Ledger(chain, identity, keys, view=view, clock=clock, random=random)


def _vouched(chain: Path, identity: Identity, genesis: str, keys: KeyDirectory) -> Pin:
    """Return the pin of a chain that nothing pins yet and that our own key signs.

    Raises:
        KeyFileError: the key here is not the one that signs it.
    """
    checker = LineChecker()
    with suppress(ChainError):  # where a line is damaged, the events before it tell the key
        for _ in reader.events(chain, checker=checker):
            pass
    if link := checker.link:
        keys.check(identity.id, link.key, link.next_key)
    return Pin(identity.id, genesis)


def refuse_elsewhere(directory: Path, genesis: str, state: StateDirectory) -> None:
    """Raise LedgerExistsError if the ledger with this genesis is in another directory of this machine."""
    for elsewhere, other in state.pins():
        same = os.path.realpath(elsewhere) == os.path.realpath(directory)
        if other.genesis == genesis and not same and (elsewhere / CHAIN_NAME).exists():
            raise LedgerExistsError(
                f"this ledger is in {elsewhere} already: use that one, since two copies that both write would fork"
            )
