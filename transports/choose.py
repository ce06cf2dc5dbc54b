"""Which transport an address means.

Implements specs/team.md (TM-73).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from transports.folder_transport import FolderTransport
from transports.git_address import is_remote
from transports.git_transport import GitTransport
from transports.protocol import Transport

_FOLDER, _GIT = "folder:", "git:"
_POSTGRES = ("postgresql://", "postgres://")
_NATS = ("nats://", "tls://")
_S3 = "s3://"


class MissingExtraError(Exception):
    """The address needs an extra of muniment that is not installed; `extra` is its name."""

    def __init__(self, extra: str) -> None:
        super().__init__(f"the address needs the extra {extra}")
        self.extra = extra


def opened(address: str, team: str, cache: Path, *, create: bool = False) -> Transport:
    """Return the transport at an address; nothing is connected yet.

    Args:
        address: `git:ADDRESS`, `folder:DIR`, `s3://…`, `postgresql://…` or `nats://…`; or, without its kind, another URL,
            `user@host:path`, a path that ends in `.git`, or the path of an existing repository or folder.
        team: the team id, 32 hex digits.
        cache: a folder that this address alone uses, for a private repository, or the line counts of a bucket.
        create: make a folder, table or stream that does not exist.

    Raises:
        ValueError: it is not plain what the address means, or the client may not be given it.
        MissingExtraError: its client is not installed.
    """
    if address.startswith(_POSTGRES):
        with _extra("postgres"):
            from transports.postgres_transport import PostgresTransport
        return PostgresTransport(address, team, create=create)
    if address.startswith(_NATS):
        with _extra("nats"):
            from transports.nats_transport import NatsTransport
        return NatsTransport(address, team, create=create)
    if address.startswith(_S3):
        with _extra("s3"):
            from transports.s3_transport import S3Transport
        return S3Transport(address, team, cache)
    if address.startswith(_FOLDER):
        return FolderTransport(_path(address.removeprefix(_FOLDER)), team, create=create)
    if address.startswith(_GIT) and not address.startswith("git://"):
        return GitTransport(address.removeprefix(_GIT), team, cache)
    if is_remote(address) or _is_repository(Path(address).expanduser()):
        return GitTransport(address, team, cache)
    if address and not address.startswith("-") and Path(address).expanduser().is_dir():
        return FolderTransport(Path(address), team)
    raise ValueError(f"{address!r} is neither a repository nor a folder: write git:ADDRESS or folder:DIR")


@contextmanager
def _extra(name: str) -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        raise MissingExtraError(name) from error


def _path(text: str) -> Path:
    if not text or not text.isprintable():
        raise ValueError("folder: needs the path of a folder, folder:DIR")
    return Path(text)


def _is_repository(path: Path) -> bool:
    """Return whether a path names a repository: by its ending, or by what lies there."""
    return (
        path.suffix == ".git"
        or (path / ".git").exists()
        or all((path / name).exists() for name in ("HEAD", "objects", "refs"))
    )
