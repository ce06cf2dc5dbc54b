"""An S3 server for tests."""

from __future__ import annotations

import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.transports.places import TEAM
from tests.transports.servers import Server, free_port

os.environ.setdefault("AWS_ACCESS_KEY_ID", "anybody")
os.environ.setdefault("AWS_SECRET_ACCESS_KEY", "unchecked")


class Bucket:
    """A server that keeps a bucket as a folder."""

    def __init__(self, folder: Path) -> None:
        if find_spec("localbucket") is None:
            pytest.skip("localbucket is not installed")
        self.folder = folder / "buckets" / "memory"
        self.folder.mkdir(parents=True)
        port = free_port()
        self._url = f"http://127.0.0.1:{port}"
        command: list[str | Path] = [
            sys.executable,
            "-m",
            "localbucket",
            "--port",
            str(port),
            self.folder.parent,
        ]
        self._log = folder / "log"
        self.server = Server(command, self._log, self._answers)
        self.address = f"s3://memory/ours?endpoint={self._url}"

    def _answers(self) -> bool:
        try:
            with urlopen(f"{self._url}/memory?list-type=2", timeout=1):
                return True
        except OSError:
            return False

    def empty(self) -> None:
        """Remove all objects."""
        shutil.rmtree(self.folder / "ours", ignore_errors=True)

    def lose(self, chain: str, first: int) -> None:
        """Delete a segment."""
        (self.folder / "ours" / TEAM / "chains" / chain / f"{first:010d}.jsonl").unlink()

    def asked(self, name: str) -> int:
        """Return how often an object of this name was asked for."""
        requests = self._log.read_text().splitlines()
        return sum('"GET ' in each and name in each for each in requests)
