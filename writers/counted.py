"""Whose chains count beside our own, and where their copies lie.

Implements specs/team.md (TM-2, TM-5, TM-7, TM-14, TM-25). Hooks and every command ask this, so the answer lies ready in a file, which
`writers.team_folder` derives from the rosters.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from ledger.durable import read_file
from ledger.named_tuple import NamedTuple

TEAM_FOLDER = "team"
"""The folder beside chain.jsonl that holds what is known of a team."""
CHAINS = "chains"
MEMBERS = "members.json"
SUFFIX = ".jsonl"
DIGITS = 8
"""So many digits of a writer's id are shown, and must be typed at least."""


class Other(NamedTuple):
    """Another writer: the id of their genesis, their name, their copy and its size in bytes.

    Events after the seq `until` do not count; -1 says that all do. Those from the seq `waits` on are proposals; -1 says
    that none is (TM-25). `number` is by what rows of the index name them; 0 before they have one.
    """

    id: str
    name: str
    path: Path
    size: int
    until: int = -1
    waits: int = -1
    number: int = 0


class Writers(NamedTuple):
    """Whose events count: our own, which are proposals from the seq `waits` on (-1: none is), and the others, in the order of their ids."""

    waits: int = -1
    others: Sequence[Other] = ()


def copy_of(directory: Path, chain: str) -> Path:
    """Return where the copy of the chain with this genesis id lies."""
    return directory / TEAM_FOLDER / CHAINS / f"{chain}{SUFFIX}"


def copies_in(directory: Path) -> Sequence[Path]:
    """Return all copies of other chains, whether they count or not, in the order of their ids."""
    return sorted((directory / TEAM_FOLDER / CHAINS).glob(f"*{SUFFIX}"))


def others_of(directory: Path) -> Sequence[Other]:
    """Return the writers whose events count beside our own and whose copies are here, in the order of their ids."""
    return writers_of(directory).others


def writers_of(directory: Path) -> Writers:
    """Return whose events count, of those whose copies are here."""
    folder = directory / TEAM_FOLDER
    try:
        value = json.loads(read_file(folder / MEMBERS))
        waits, counted = int(value["waits"]), value["counted"]
        rows = [(str(row["id"]), str(row["name"]), int(row["until"]), int(row["waits"])) for row in counted]
    except (OSError, ValueError, KeyError, TypeError):
        return Writers()  # no team, or damage: verify reports it, and the next sync rewrites the file
    found = []
    for id_, name, until, own in rows:
        path = copy_of(directory, id_)
        try:
            size = path.stat().st_size
        except OSError:
            continue
        found.append(Other(id_, name, path, size, until, own))
    return Writers(waits, found)


def label_of(name: str, id_: str) -> str:
    """Return how a writer is shown: the name, if one is known, and the first digits of the id (TM-2)."""
    return f"{name}/{id_[:DIGITS]}" if name else id_[:DIGITS]
