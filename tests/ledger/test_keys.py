"""Tests of ledger/keys.py: a key is never replaced, never made up, and never shown (N-4)."""

from __future__ import annotations

import traceback
from pathlib import Path

import orjson
import pytest

from ledger.errors import KeyFileError, LedgerError, LedgerExistsError, StorageError
from ledger.keys import KeyDirectory
from ledger.signing import SigningKey
from tests.ledger.world import mounted

LEDGER = "0123456789abcdef" * 2
KEY = SigningKey(bytes(range(32)))
NEXT = SigningKey(bytes(range(1, 33)))
SEED = KEY.seed.hex()


@pytest.fixture
def keys(tmp_path: Path) -> KeyDirectory:
    keys = KeyDirectory(tmp_path / "home" / "keys")
    keys.store(LEDGER, KEY)
    keys.store(LEDGER, NEXT, "next")
    return keys


def rewritten(keys: KeyDirectory, data: bytes) -> None:
    keys.path_of(LEDGER).write_bytes(data)


def test_both_keys_come_back(keys: KeyDirectory) -> None:
    """The current one and the one after it."""
    assert keys.has(LEDGER)
    assert keys.load(LEDGER).seed == KEY.seed
    assert keys.load(LEDGER, KEY.public).public == KEY.public
    assert keys.stored(LEDGER, "next").open().seed == NEXT.seed


def test_nobody_else_may_read_them(keys: KeyDirectory) -> None:
    """Files have mode 0600, their folder 0700, whatever the umask is."""
    assert keys.path.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in keys.path.iterdir()} == {0o600}


@pytest.mark.parametrize("mode", [0o604, 0o640, 0o660, 0o644, 0o602])
def test_a_key_open_to_others_is_refused(keys: KeyDirectory, mode: int) -> None:
    """The message names the mode and the remedy."""
    keys.path_of(LEDGER).chmod(mode)
    with pytest.raises(KeyFileError, match=rf"open to others \(mode {mode:o}\): run chmod 600"):
        keys.load(LEDGER)


def test_a_missing_key_is_an_error_and_is_not_made(keys: KeyDirectory) -> None:
    """A lost key must come from a backup; a fresh one would sign another chain."""
    keys.path_of(LEDGER).unlink()
    with pytest.raises(KeyFileError, match="private key of this ledger is missing"):
        keys.load(LEDGER)
    assert not keys.has(LEDGER)


def test_a_key_is_never_replaced(keys: KeyDirectory) -> None:
    """Storing where one stands is refused, and the old one stays."""
    with pytest.raises(LedgerExistsError, match="a key is there already"):
        keys.store(LEDGER, NEXT)
    assert keys.load(LEDGER).seed == KEY.seed


def test_another_key_than_the_chains_is_refused(keys: KeyDirectory) -> None:
    """With the public key in force given, only the key that belongs to it is returned."""
    with pytest.raises(KeyFileError, match="not the key that the chain is signed with now"):
        keys.load(LEDGER, NEXT.public)


def test_a_key_of_another_ledger_is_refused(keys: KeyDirectory) -> None:
    """A file that was copied to the wrong name says whose it is."""
    other = "f" * 32
    keys.path_of(LEDGER).rename(keys.path_of(other))
    with pytest.raises(KeyFileError, match="not the key of this ledger"):
        keys.load(other)


DAMAGED = {
    "empty": b"",
    "cut": orjson.dumps({"ledger": LEDGER, "public": KEY.public.hex(), "seed": SEED})[:-5],
    "not an object": orjson.dumps([SEED]),
    "seed too short": orjson.dumps({"ledger": LEDGER, "public": KEY.public.hex(), "seed": SEED[:-2]}),
    "seed not hex": orjson.dumps({"ledger": LEDGER, "public": KEY.public.hex(), "seed": SEED[:-1] + "x"}),
    "seed a number": orjson.dumps({"ledger": LEDGER, "public": KEY.public.hex(), "seed": 7}),
    "no seed": orjson.dumps({"ledger": LEDGER, "public": KEY.public.hex()}),
    "another public key": orjson.dumps({"ledger": LEDGER, "public": NEXT.public.hex(), "seed": SEED}),
    "not UTF-8": SEED.encode() + b"\xff\xfe",
}


@pytest.mark.parametrize("damage", DAMAGED.values(), ids=DAMAGED.keys())
def test_a_damaged_key_is_an_error_that_does_not_show_it(keys: KeyDirectory, damage: bytes) -> None:
    """No part of a key file stands in the error, in what caused it, or in anything that hangs on it."""
    rewritten(keys, damage)
    with pytest.raises(KeyFileError, match=r"cannot be read as a key|damaged") as caught:
        keys.load(LEDGER)
    assert SEED[:12] not in everything_said(caught.value)


def everything_said(error: BaseException) -> str:
    """Return all text that hangs on an error: causes, arguments, attributes, the traceback as printed."""
    said = ["".join(traceback.format_exception(error))]
    each: BaseException | None = error
    while each is not None:
        said.append(
            repr(each.args)
            + repr(vars(each))
            + repr([getattr(each, n) for n in ("doc", "object") if hasattr(each, n)])
        )
        each = each.__cause__ or each.__context__
    return "".join(said)


def test_a_folder_in_the_keys_place_is_an_error(keys: KeyDirectory) -> None:
    """Whatever stands there, it is said in words."""
    keys.path_of(LEDGER).unlink()
    keys.path_of(LEDGER).mkdir(mode=0o700)
    with pytest.raises(KeyFileError, match="cannot be read as a key"):
        keys.load(LEDGER)


def test_no_repr_shows_a_key(keys: KeyDirectory) -> None:
    """A debugger, a log or a failed assertion prints values; a seed is in none of them."""
    assert SEED not in repr(KEY) + str(KEY) + repr(keys) + f"{keys.load(LEDGER)}"
    assert KEY.public.hex() in repr(KEY)


def test_a_full_disk_leaves_no_half_key(tmp_path: Path) -> None:
    """A part of a key under its name would stand in the way of every later founding."""
    with mounted(tmp_path / "disk", "size=8k") as disk:
        keys = KeyDirectory(disk)
        (disk / "ballast").write_bytes(b"x" * 8192)
        with pytest.raises(StorageError, match="storing the key failed: the disk is full") as caught:
            keys.store(LEDGER, KEY)
        assert [path.name for path in disk.iterdir()] == ["ballast"]
        assert SEED not in everything_said(caught.value)
        (disk / "ballast").unlink()
        keys.store(LEDGER, KEY)
        assert issubclass(KeyFileError, LedgerError)
        assert keys.load(LEDGER).seed == KEY.seed


def test_the_bytes_are_those_of_the_spec(tmp_path: Path) -> None:
    """F-16: what a stranger writes is read, and ours is what a stranger expects."""
    keys, id_, seed = KeyDirectory(tmp_path / "keys"), "ab" * 16, bytes(range(32))
    public = SigningKey(seed).public.hex()
    keys.store(id_, SigningKey(seed))
    stored = keys.path_of(id_).read_bytes()
    assert stored == f'{{"ledger":"{id_}","public":"{public}","seed":"{seed.hex()}"}}\n'.encode()
    theirs = keys.path.joinpath(f"{id_}.next")
    theirs.write_text(
        f'{{ "seed": "{seed.hex().upper()}", "made": 1,\n "public": "{public}", "ledger": "{id_}" }}'
    )
    theirs.chmod(0o600)
    assert keys.stored(id_, "next").public.hex() == public
