"""Tests transports/choose.py and transports/git_address.py: what an address means, and what people see of it (TM-73)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ledger.errors import UsageError
from team.reaching import reaching
from tests.transports.places import TEAM, bare
from transports.choose import opened
from transports.folder_transport import FolderTransport
from transports.git_address import GitAddress
from transports.git_transport import GitTransport
from transports.nats_transport import NatsTransport
from transports.postgres_transport import PostgresTransport
from transports.s3_transport import S3Transport


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: it holds a folder, a bare repository without the usual ending, and a checkout."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "share").mkdir()
    bare(tmp_path / "bare")
    (tmp_path / "checkout" / ".git").mkdir(parents=True)
    return tmp_path


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("git@example.org:ada/memory.git", "git@example.org:ada/memory.git"),
        ("ada@host:memory", "ada@host:memory"),
        ("host:ada/memory.git", "git:host:ada/memory.git"),
        ("git:host:memory", "git:host:memory"),
        ("ssh://git@host:22/memory", "ssh://git@host:22/memory"),
        ("ssh://git:secret@host/memory", "ssh://git@host/memory"),
        ("https://host/memory", "https://host/memory"),
        ("https://ada:secret@host/memory.git", "https://host/memory.git"),
        ("https://secret@host/memory.git", "https://host/memory.git"),
        ("git:https://secret@host/memory.git", "https://host/memory.git"),
        ("git://host/memory", "git://host/memory"),
        ("file:///srv/memory.git", "file:///srv/memory.git"),
        ("/srv/memory.git", "git:/srv/memory.git"),
        ("memory.git", "git:HERE/memory.git"),
        ("git:memory", "git:HERE/memory"),
        ("bare", "git:HERE/bare"),
        ("checkout", "git:HERE/checkout"),
        ("git:share", "git:HERE/share"),
        ("~/memory.git", "git:HOME/memory.git"),
    ],
)
def test_what_git_is_given(here: Path, isolated: Path, address: str, shown: str) -> None:
    made = opened(address, TEAM, here / "cache")
    assert isinstance(made, GitTransport)
    assert made.address == shown.replace("HERE", str(here)).replace("HOME", str(isolated))
    assert opened(made.address, TEAM, here / "cache").address == made.address


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("share", "folder:HERE/share"),
        ("folder:share", "folder:HERE/share"),
        ("folder:bare", "folder:HERE/bare"),
        ("folder:missing", "folder:HERE/missing"),
        ("folder:/srv/memory", "folder:/srv/memory"),
        ("folder:~/memory", "folder:HOME/memory"),
    ],
)
def test_what_a_folder_is(here: Path, isolated: Path, address: str, shown: str) -> None:
    made = opened(address, TEAM, here / "cache")
    assert isinstance(made, FolderTransport)
    assert made.address == shown.replace("HERE", str(here)).replace("HOME", str(isolated))
    assert opened(made.address, TEAM, here / "cache").address == made.address


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://ada@db:5432/memory?sslmode=verify-full",
        "postgres://one,two:5433/memory",
        "postgresql://db",
    ],
)
def test_what_a_database_is(tmp_path: Path, address: str) -> None:
    made = opened(address, TEAM, tmp_path)
    assert isinstance(made, PostgresTransport)
    assert made.address == address


@pytest.mark.parametrize("address", ["nats://one", "nats://one:4222,two,three:4223", "tls://one:4222"])
def test_what_a_stream_is(tmp_path: Path, address: str) -> None:
    made = opened(address, TEAM, tmp_path)
    assert isinstance(made, NatsTransport)
    assert made.address == address


@pytest.mark.parametrize(
    "address",
    ["s3://memory", "s3://memory/team/one?endpoint=https://s3.example.org:9000&region=eu-central-1"],
)
def test_what_a_bucket_is(tmp_path: Path, address: str) -> None:
    made = opened(address, TEAM, tmp_path)
    assert isinstance(made, S3Transport)
    assert made.address == address


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://ada:hush@db/memory",
        "postgresql://ada:@db/memory",
        "postgresql://ada@db/memory?password=hush",
        "postgresql://ada@db/memory?sslpassword=hush",
        "postgresql://ada@db/memory?host=hush",
        "postgresql://ada@db/hush\nDROP",
        "postgresql://ada@db/memory hush",
        "postgresql://ada@db/memory#hush",
        "postgresql://[hush/memory",
        "postgresql:///hush",
        "nats://ada:hush@db",
        "nats://hush@db",
        "nats://one,ada:hush@two",
        "nats://db?token=hush",
        "nats://db/hush",
        "s3://key:hush@memory",
        "s3://hush@memory",
        "s3://memory?secret_access_key=hush",
        "s3://memory?endpoint=https://key:hush@host",
        "s3://memory?endpoint=https://hush@host",
        "s3://memory?endpoint=hush",
        "s3:///hush",
    ],
)
def test_the_address_of_a_server_holds_no_secret(tmp_path: Path, address: str) -> None:
    """TM-76…TM-78: an invitation has it, and every message shows it; so it is not repeated."""
    with pytest.raises(ValueError, match=r"^the address of a server") as refused:
        opened(address, TEAM, tmp_path)
    assert "hush" not in str(refused.value)


@pytest.mark.parametrize(
    ("address", "client", "extra"),
    [
        ("postgresql://db/memory", "psycopg", "postgres"),
        ("nats://db", "nats.errors", "nats"),
        ("s3://memory", "obstore", "s3"),
    ],
)
def test_a_client_that_is_not_installed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, client: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, client, None)
    monkeypatch.delitem(sys.modules, f"transports.{extra}_transport", raising=False)
    with pytest.raises(UsageError, match=rf"muniment\[{extra}\]"), reaching(address, TEAM, tmp_path):
        pass


@pytest.mark.parametrize("address", ["missing", "", "s3:bucket", "foldr:share", "share/file", "bare/HEAD"])
def test_an_address_that_means_nothing_names_both_forms(here: Path, address: str) -> None:
    (here / "share" / "file").touch()
    with pytest.raises(ValueError, match="write git:ADDRESS or folder:DIR"):
        opened(address, TEAM, here / "cache")


@pytest.mark.parametrize(
    "address",
    [
        "git:",
        "git:--upload-pack=touch x",
        "--upload-pack=x.git",
        "-x",
        "git:ext::sh -c 'touch x'",
        "ext::sh.git",
        "git:fd::7",
        "git:host:memory\n.git",
        "folder:",
        "folder:a\nb",
        "git:a\x1b[2Jb",
    ],
)
def test_an_address_that_could_run_something_is_refused(here: Path, address: str) -> None:
    with pytest.raises(ValueError, match=r"address|folder"):
        opened(address, TEAM, here / "cache")


@pytest.mark.parametrize("team", ["", "5eed", "5EED" * 8, "../" + "a" * 29])
def test_a_team_has_an_id(here: Path, team: str) -> None:
    for address in ("share", "bare"):
        with pytest.raises(ValueError, match="a team id has 32 hex digits"):
            opened(address, team, here / "cache")


@pytest.mark.parametrize(
    ("address", "said", "shown"),
    [
        ("https://ada:s%40crt@host/x", "fatal: 'https://ada:s%40crt@host/x' failed", "fatal: 'https://host/x' failed"),
        ("https://ada:s%40crt@host/x", "password s@crt of ada", "password … of …"),
        ("https://token@host/x", "could not read Password for 'https://token@host'", "could not read Password for 'https://host'"),
        ("ssh://git:pw1@host/x", "git@host: pw1 denied", "git@host: … denied"),
        ("git@host:x", "remote: \x1b[31mno\x1b[0m\r\n\r\nfatal: end\n", "remote: [31mno[0m; fatal: end"),
        ("git@host:x", "ssh: no host\nfatal: Could not read.\n\nPlease make sure you have\nrights.", "ssh: no host; fatal: Could not read"),
        ("/srv/x.git", "x" * 1000, "x" * 300),
    ],
)  # fmt: skip
def test_what_git_says_is_shown_without_credentials(address: str, said: str, shown: str) -> None:
    """On one line, and not without end."""
    assert GitAddress(address).words(said) == shown
