"""A bucket that keeps versions, on another server than the other tests use (TM-76, TM-79)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from tests.transports import servers
from tests.transports.places import ADA, TEAM, lines
from tests.transports.servers import Server, free_port
from transports.protocol import TakenError
from transports.s3_transport import S3Transport

_VERSIONS = b"<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>"


def _done(url: str, data: bytes = b"") -> bool:
    try:
        with urlopen(Request(url, data, {"Content-Type": "text/xml"}, method="PUT"), timeout=2):
            return True
    except OSError:
        return False


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A bucket that keeps versions."""
    if find_spec("moto") is None or find_spec("flask_cors") is None:
        pytest.skip("moto is not installed: `make extras` installs it")
    port = free_port()
    url = f"http://127.0.0.1:{port}/memory"
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    with servers.scratch() as folder, Server(command, folder / "log", lambda: _done(url)).running():
        assert _done(f"{url}?versioning", _VERSIONS)
        yield f"s3://memory?endpoint=http://127.0.0.1:{port}"


def test_an_erase_names_the_version_that_stays(address: str, tmp_path: Path) -> None:
    one, other = (S3Transport(address, TEAM, tmp_path / name) for name in ("one", "other"))
    one.put(ADA, [lines(0, 2), lines(2)])
    other.put(ADA, [lines(0, 2)])
    with pytest.raises(TakenError):
        other.put(ADA, [lines(2, word="other")])
    assert other.heads() == {ADA: 3}
    assert f"{ADA}/{0:010d}.jsonl still holds the text" in one.blank(ADA, lines(0, 2, word="blank"))
    assert other.heads() == {ADA: 3}
    assert list(other.since(ADA, 0)) == [lines(0, 2, word="blank"), lines(2)]


def test_short_segments_are_deleted_once_one_has_their_lines(address: str, tmp_path: Path) -> None:
    one, other = (S3Transport(address, "feed" * 8, tmp_path / name) for name in ("one", "other"))
    one.put(ADA, [lines(0, 2), lines(2), lines(3), lines(4)])
    other.blank(ADA, lines(3, word="blank"))
    one.compact(ADA, lines(0, 4))
    for each in (one, other):
        assert each.heads() == {ADA: 5}
        assert list(each.since(ADA, 0)) == [lines(0, 4), lines(3, word="blank"), lines(4)]
