"""Copies of the files that other memory programs wrote, for tests to read and to spoil."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from documents.other_memories.readers import READERS
from ledger.errors import LedgerError
from ledger.memory import Memory

HERE = Path(__file__).resolve().parent / "golden"
NAMES = {
    "mem0": "mem0/history.db",
    "basic-memory": "basic-memory",
    "claude-mem": "claude-mem.db",
    "server-memory": "memory.jsonl",
}
"""The file or folder that a person of each program has."""


def golden(folder: Path, name: str) -> Path:
    """Return a copy of a golden file or folder in a folder."""
    source, path = HERE / name, folder / Path(name).name
    if source.is_dir():
        return Path(shutil.copytree(source, path))
    path.write_bytes(
        source.read_bytes() if source.exists() else gzip.decompress((HERE / f"{name}.gz").read_bytes())
    )
    return path


def memories(program: str, path: Path) -> tuple[list[Memory], list[str]]:
    """Return what the reader of a program gives for a path, and what it says that it left out."""
    found: list[Memory] = []
    said: list[str] = []

    def on_error(_path: Path, error: LedgerError) -> None:
        said.append(str(error))

    for source in READERS[program].read(path, on_error):
        found += [memory for _, memory in source.memories]
        said += [*source.warnings, *source.left_out.warnings()]
    return found, said


Turn = tuple[str, str, dict[str, Any]]
"""Who says it, what, and other members of the message."""


def conversation(id_: str, at: float, turns: Sequence[Turn], unused: str = "") -> dict[str, Any]:
    """Return a conversation as conversations.json has it; `unused` is a first question that was edited later."""
    tree: dict[str, Any] = {
        "root": {"id": "root", "message": None, "parent": None, "children": [f"{id_}-0"]},
    }
    said = [*turns, ("user", unused, {})] if unused else [*turns]
    for number, (role, text, more) in enumerate(said):
        is_unused = number == len(turns)
        node = f"{id_}-{number}"
        parent = f"{id_}-{number - 1}" if number and not is_unused else "root"
        tree[node] = {
            "id": node,
            "message": {
                "id": node,
                "author": {"role": role, "name": None, "metadata": {}},
                "create_time": at + number,
                "content": {"content_type": "text", "parts": [text]},
                "status": "finished_successfully",
                "metadata": {},
                "recipient": "all",
                **more,
            },
            "parent": parent,
            "children": [],
        }
    last = f"{id_}-{len(turns) - 1}"
    return {"title": id_, "create_time": at, "mapping": tree, "current_node": last, "conversation_id": id_}


def written(path: Path, value: object) -> Path:
    """Write JSON to a file and return its path."""
    path.write_text(json.dumps(value), "utf-8")
    return path
