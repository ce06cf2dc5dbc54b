"""Where passphrases and keys come from, who is asked, and that no word of either gets out.

Tests specs/keys.md (N-4, N-10…N-12, N-18).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ledger import passphrase
from ledger.errors import KeyFileError
from ledger.keys import VARIABLE, KeyDirectory, file_of
from ledger.memory import Memory
from ledger.signing import SigningKey
from tests.ledger.test_keys import everything_said
from tests.ledger.world import ADA, IDENTITY, World

ID = IDENTITY.id
RIGHT, WRONG = "correct horse", "battery staple"


@pytest.fixture(autouse=True)
def nothing_remembered(light_sealing: None) -> Iterator[None]:
    passphrase.forget()
    yield
    passphrase.forget()


@pytest.fixture
def keys(tmp_path: Path) -> KeyDirectory:
    keys = KeyDirectory(tmp_path / "keys")
    keys.put_new(keys.path_of(ID), file_of(ID, SigningKey(bytes(range(32))), RIGHT))
    return keys


def secret_file(path: Path, text: str, mode: int = 0o600) -> str:
    path.write_text(text)
    path.chmod(mode)
    return str(path)


def asks(*answers: str) -> tuple[Callable[[str], str], list[str]]:
    given, questions = iter(answers), list[str]()

    def ask(question: str) -> str:
        questions.append(question)
        return next(given)

    return ask, questions


def test_the_variable_counts_first_then_the_file_then_a_person(
    keys: KeyDirectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """N-10: whoever is asked sees which key is meant."""
    ask, questions = asks(RIGHT)
    assert KeyDirectory(keys.path, ask).load(ID).seed == bytes(range(32))
    assert questions == [f"Passphrase of {keys.path_of(ID)}: "]
    passphrase.forget()
    monkeypatch.setenv(passphrase.FILE_VARIABLE, secret_file(tmp_path / "phrase", f"{RIGHT}\r\nmore"))
    assert KeyDirectory(keys.path, asks()[0]).load(ID).seed == bytes(range(32))
    passphrase.forget()
    monkeypatch.setenv(passphrase.FILE_VARIABLE, str(tmp_path / "none"))
    monkeypatch.setenv(passphrase.VARIABLE, RIGHT)
    assert keys.load(ID).seed == bytes(range(32))


def test_it_is_asked_for_once_a_process(keys: KeyDirectory) -> None:
    ask, questions = asks(RIGHT)
    asking = KeyDirectory(keys.path, ask)
    assert asking.load(ID).public == asking.load(ID).public
    assert len(questions) == 1


def test_where_nobody_sits_nobody_is_asked(keys: KeyDirectory) -> None:
    """N-11: a hook is told what to set, at once."""
    with pytest.raises(KeyFileError, match="nobody can be asked here: set MUNIMENT_PASSPHRASE_FILE"):
        keys.load(ID)


def test_which_key_it_is_takes_no_passphrase(keys: KeyDirectory) -> None:
    """N-8: the public key stands in the open."""
    public = SigningKey(bytes(range(32))).public
    assert keys.stored(ID).public == public
    keys.check(ID, public, "")


@pytest.mark.parametrize(
    ("text", "mode", "words"),
    [
        ("x", 0o640, r"is open to others \(mode 640\)"),
        ("\nx", 0o600, "the first line of .* is empty"),
        (WRONG, 0o600, "the passphrase in .* does not open"),
    ],
    ids=["open", "empty", "wrong"],
)
def test_a_file_that_will_not_do(
    keys: KeyDirectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, text: str, mode: int, words: str
) -> None:
    """N-4, N-10: one line that names the file and not what it holds."""
    monkeypatch.setenv(passphrase.FILE_VARIABLE, secret_file(tmp_path / "phrase", text, mode))
    with pytest.raises(KeyFileError, match=words) as caught:
        keys.load(ID)
    assert "\n" not in str(caught.value)
    assert text.strip() == "x" or text not in everything_said(caught.value)


def test_a_swapped_public_key_does_not_open(keys: KeyDirectory) -> None:
    """A file that names another key than the one it seals is damaged."""
    path = keys.path_of(ID)
    ours, other = (SigningKey(bytes([n] * 32)).public.hex().encode() for n in (0, 1))
    mine = SigningKey(bytes(range(32))).public.hex().encode()
    path.write_bytes(path.read_bytes().replace(mine, other))
    with pytest.raises(KeyFileError, match="damaged"):
        KeyDirectory(keys.path, asks(RIGHT)[0]).load(ID)
    assert ours != other


# --- the environment's key (N-12) ---


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "world")


def test_a_machine_without_files_signs_with_the_environments_key(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed = world.keys.load(ID).seed
    world.keys.path_of(ID).unlink()
    with pytest.raises(KeyFileError, match="private key of this ledger is missing"):
        world.fill("one")
    monkeypatch.setenv(VARIABLE, seed.hex())
    world.fill("one")
    world.goes_on("one")


@pytest.mark.parametrize("value", ["x", "00" * 31, "00" * 33, "0x" + "00" * 31, "é" * 64], ids=ascii)
def test_what_is_no_seed_is_refused_unseen(world: World, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv(VARIABLE, value)
    with pytest.raises(KeyFileError, match=r"^MUNIMENT_KEY is not the 64 hex digits of a seed$") as caught:
        world.fill("one")
    assert value == "x" or value not in everything_said(caught.value)


def test_a_foreign_environments_key_gives_way_to_the_file(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be meant for another ledger of this machine; without a file it is named."""
    monkeypatch.setenv(VARIABLE, "07" * 32)
    world.fill("one")
    assert world.codes() == []
    world.keys.path_of(ID).unlink()
    with pytest.raises(
        KeyFileError, match="MUNIMENT_KEY does not hold the key that is in force, and the private key"
    ):
        world.fill("two")


def test_no_refusal_says_what_a_key_is(world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """N-18: neither seed nor passphrase, in no error that signing can meet."""
    seed = world.keys.load(ID).seed
    path = world.keys.path_of(ID)
    sealed = file_of(ID, SigningKey(seed), RIGHT)

    def refused() -> str:
        passphrase.forget()
        with pytest.raises(KeyFileError) as caught:
            world.open().create(Memory("x"), ADA)
        assert "\n" not in str(caught.value)
        return everything_said(caught.value)

    said = []
    for data in (sealed, sealed[:-9], b'{"seed":"' + seed.hex().encode() + b'"}', seed, seed.hex().encode()):
        path.write_bytes(data)
        said.append(refused())
    path.write_bytes(sealed)
    monkeypatch.setenv(passphrase.VARIABLE, WRONG)
    said.append(refused())
    path.chmod(0o644)
    said.append(refused())
    monkeypatch.setenv(VARIABLE, seed.hex()[:-1])
    said.append(refused())
    for secret in (seed.hex()[:16], WRONG, RIGHT):
        assert all(secret not in each for each in said)
