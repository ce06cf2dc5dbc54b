"""Reads the labelled messages and cuts them into the sentences that the model learns from.

Implements specs/capture.md (K-56). `data/SOURCES.md` says where each file comes from.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from learning.detection.speech import sentences

DATA = Path(__file__).with_name("data")
WISHES = "forgetting.jsonl"
WEIGHTS = {"plain.jsonl": 0.3}
"""What a message of a file counts, where that is not 1: cleaner than life, these lower recall on real ones."""
TYPES = {
    "preference": "preference",
    "instruction": "preference",
    "fact": "fact",
    "reference": "fact",
    "convention": "convention",
    "decision": "decision",
}
"""The type that a label's word stands for; words that say no type (correction, remember, forget) teach none."""


class Message(NamedTuple):
    """One labelled message.

    `durable` are the parts of `text` that last, none where nothing does; `group` is its repository, or the file that it
    was written for; `weight` is what it counts;
    `is_natural` says that a person really sent it, and that nobody looked for it by its words.
    """

    text: str
    durable: tuple[str, ...]
    type: str
    scope: str
    corrects: bool
    group: str
    weight: float = 1.0
    is_natural: bool = False
    forgets: bool = False


class Example(NamedTuple):
    """A sentence of a message, whether it is durable, and whether it asks that something be forgotten; None where that is not known."""

    sentence: str
    durable: bool | None
    message: Message
    forget: bool | None = False


def messages(data: Path = DATA) -> list[Message]:
    """Return the messages of all files that are surely durable or surely not, in the order of the files' names."""
    files = (file for file in sorted(data.glob("*.jsonl")) if file.name != WISHES)
    return [message for file in files for message in _read(file)]


def wishes(data: Path = DATA) -> Iterator[Example]:
    """Give what asks to forget something, and what only looks so."""
    for line in (data / WISHES).read_text("utf-8").splitlines():
        row = json.loads(line)
        message = Message(row["text"], (), "", "", corrects=False, group=WISHES)
        said = " ".join(each.text for each in sentences(row["text"]))
        yield Example(said, None, message, row["label"] == "forget")


def digest(data: Path = DATA) -> str:
    """Return the SHA-256 of the files of messages, in the order of their names."""
    found = hashlib.sha256()
    for file in sorted(data.glob("*.jsonl")):
        found.update(file.read_bytes())
    return found.hexdigest()


def examples(message: Message) -> Iterator[Example]:
    """Give the sentences of a message; one is durable that shares half of its words with a durable part."""
    said = [each.text for each in sentences(message.text)]
    durable = [any(_overlap(one, part) for part in message.durable) for one in said]
    if message.durable and len(said) == 1:
        durable = [True]
    for one, lasts in zip(said, durable, strict=True):
        yield Example(one, lasts, message, lasts or None if message.forgets else False)


def _read(file: Path) -> Iterator[Message]:
    for line in file.read_text("utf-8").splitlines():
        row = json.loads(line)
        is_durable = row["label"] in ("pos", "yes")
        if not is_durable and row["label"] not in ("neg", "no"):
            continue
        part = row.get("span") or row.get("durable") or row.get("memory") or ""
        parts = [each.text for each in sentences(part)] or [part]
        scope = row["scope"] if row["scope"] in ("user", "project") else ""
        group = row.get("source", "") if file.name in ("natural.jsonl", "targeted.jsonl") else file.stem
        yield Message(
            row["text"],
            tuple(parts) if is_durable else (),
            TYPES.get(row["type"], ""),
            scope,
            bool(row.get("corrects") or row.get("replaces") or row["type"] == "correction"),
            f"{group} (looked for)" if file.name == "targeted.jsonl" else group,
            WEIGHTS.get(file.name, 1.0),
            file.name == "natural.jsonl",
            row["type"] == "forget",
        )


def _overlap(one: str, other: str) -> bool:
    one, other = one.casefold(), other.casefold()
    if one in other or other in one:
        return True
    ours, theirs = set(one.split()), set(other.split())
    return 2 * len(ours & theirs) >= min(len(ours), len(theirs))
