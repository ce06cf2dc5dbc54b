"""Founds a ledger and opens one: keys, genesis, pin and mark in an order that a crash cannot turn into a lie.

Implements specs/chain.md (C-15, C-16, C-22) and specs/files.md (F-2, F-3). Founding does: keys; genesis; mark; pin. Until
genesis stands there is no ledger; a key that was left by a founding which died is used again.
"""

from __future__ import annotations

import os
from pathlib import Path

from ledger import reader
from ledger.chain import CHAIN_NAME, Chain
from ledger.check import LineChecker
from ledger.errors import ChainError, KeyFileError, LedgerExistsError, RecordError
from ledger.event import By
from ledger.instant import Clock, system_clock
from ledger.keys import KeyDirectory
from ledger.ledger import Identity, Ledger, Random, build_genesis
from ledger.mark import Pin, StateDirectory
from ledger.memory import SLUG
from ledger.redaction import Redactor
from ledger.signing import SigningKey
from ledger.view import View


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
        LedgerExistsError: a chain stands there, or one stood there and is gone; nothing was touched.
        RecordError: the name is no slug.
        StorageError: a folder cannot be written.
    """
    if not SLUG.fullmatch(identity.name):
        raise RecordError(f"the name {identity.name!r} is no slug: use a-z, 0-9, . _ and -, at most 64")
    path = directory / CHAIN_NAME
    if path.exists():
        raise LedgerExistsError(f"a chain stands at {path} already; it is not touched")
    pin = state.pin_of(directory)
    if pin is not None:
        raise LedgerExistsError(
            f"a ledger was founded in {directory} and its chain is gone: bring it back (memledger restore BACKUP), or choose another directory"
        )
    key = _key(keys, identity.id, random)
    following = keys.load(identity.id, following=True)
    genesis = build_genesis(identity, key, following.public, by, clock=clock, random=random)
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    Chain.create(directory, genesis)
    chain = Chain(directory, state.mark_of(identity.id), genesis.id)
    with chain.locked():
        pass  # reading the first event moves the mark to it
    state.pin(directory, Pin(identity.id, genesis.id))
    return genesis.id


def _key(keys: KeyDirectory, ledger_id: str, random: Random) -> SigningKey:
    if not keys.has(ledger_id):
        keys.store(ledger_id, SigningKey(random(32)))
    key = keys.load(ledger_id)
    try:
        keys.load(ledger_id, following=True)
    except KeyFileError:
        keys.store(ledger_id, SigningKey(random(32)), following=True)
    return key


def identity_of(path: Path) -> tuple[Identity, str]:
    """Return what the genesis of the chain file at `path` says, and its id.

    Raises:
        NoLedgerError: there is no chain.
        ChainError: its first line is not a good genesis.
    """
    checker = LineChecker()
    with reader.opened(path) as fd:
        line = next(reader.lines(fd), None)
        checked = checker.take(line.raw) if line else None
    if checked is None:
        reason = str(checker.findings[0]) if checker.findings else "it is empty"
        raise ChainError(f"{path} does not begin with a good event ({reason}): bring a backup back with memledger restore")
    ledger = checked.head["ledger"]
    return Identity(ledger["id"], ledger["name"], ledger["scope"]), checked.id


def open_ledger(
    directory: Path,
    keys: KeyDirectory,
    state: StateDirectory,
    *,
    view: View | None = None,
    redactor: Redactor | None = None,
    clock: Clock = system_clock,
    random: Random = os.urandom,
) -> Ledger:
    """Open the ledger in `directory`.

    A directory without a pin is taken as ours only where our key signs its chain; the pin is then made anew.

    Raises:
        NoLedgerError: there is no chain and never was one here.
        ChainError: the chain is gone, emptied or does not begin with a good genesis.
    """
    pin = state.pin_of(directory)
    path = directory / CHAIN_NAME
    if pin is not None and not path.exists():
        mark = state.mark_of(pin.ledger).read()
        acknowledged = f"event @{mark.seq} was acknowledged here" if mark else "a ledger was founded here"
        raise ChainError(f"{path} is gone, but {acknowledged}: bring a backup back with memledger restore")
    identity, genesis = identity_of(path)
    chain = Chain(directory, state.mark_of(pin.ledger if pin else identity.id), pin.genesis if pin else None)
    if pin is None and keys.has(identity.id):
        with chain.locked() as held:
            keys.load(identity.id, held.tip.link.key)
        state.pin(directory, Pin(identity.id, genesis))
        chain.genesis = genesis
    return Ledger(chain, identity, keys, view=view, redactor=redactor, clock=clock, random=random)
