"""The labelled messages that the linear model learns from, and what must hold of them.

Implements specs/capture.md (K-56). Each file of `data/durable/` is one writer's; a line is one message with the
clauses in it that are durable. All of it was written for this project.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from language.features import Context
from language.word_classes import FUNCTION_WORDS
from learning.detection import speech

DATA = Path(__file__).parent / "data" / "durable"
HELD_OUT = DATA / "held-out"
"""Messages that nothing is trained or tuned on (K-59)."""
GENRES = ("coding", "other")
TYPES = ("fact", "preference", "decision", "identity", "commitment")
SCOPES = ("user", "project", "local")

LEAST = 4_000
"""Sentences that there must be."""
MOST_OF_A_FRAME = 5
MOST_ALIKE = 0.02
ALIKE = 0.7
"""Two sentences are near-duplicates from this share of common four-character pieces on."""

_TELLING = 5
"""Shorter messages ("run it again") may well be typed twice."""
_WORD = re.compile(r"[\w']+")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a message, and whether it is durable."""

    text: str
    durable: bool


@dataclass(frozen=True, slots=True)
class Message:
    """What one person typed at once."""

    writer: str
    text: str
    genre: str
    durable: bool
    sentences: tuple[Sentence, ...]
    """Of what the person says in their own words (K-20), the pasted part left out."""
    context: Context


def writers(data: Path = DATA) -> list[str]:
    """Return the names of the writers, each of them a file."""
    return sorted(path.stem for path in data.glob("*.jsonl"))


def messages(data: Path = DATA) -> list[Message]:
    """Read every writer's messages, in the order of names and lines."""
    return [
        _message(writer, json.loads(line))
        for writer in writers(data)
        for line in (data / f"{writer}.jsonl").read_text("utf-8").splitlines()
    ]


def digest(data: Path = DATA) -> str:
    """Return the SHA-256 of all files, names included: what the weights were made from."""
    found = hashlib.sha256()
    for writer in writers(data):
        content = (data / f"{writer}.jsonl").read_bytes()
        found.update(f"{writer} {len(content)}\n".encode() + content)
    return found.hexdigest()


def _message(writer: str, row: dict[str, Any]) -> Message:
    text = row["text"]
    spans = [(at, at + len(one["span"])) for one in row["durable"] if (at := text.find(one["span"])) >= 0]
    sentences = tuple(
        Sentence(one.text, any(_covers(one.start, one.end, *span) for span in spans))
        for one in speech.sentences(text)
    )
    return Message(writer, text, row["genre"], bool(row["durable"]), sentences, Context.of(text))


def _covers(start: int, end: int, first: int, last: int) -> bool:
    """Whether a sentence and a durable span share at least half of the shorter one."""
    common = min(end, last) - max(start, first)
    return common > 0 and 2 * common >= min(end - start, last - first)


def faults(data: Path = DATA) -> list[str]:
    """Return what is wrong with the data, a line each: rows that break the schema, and what K-56 asks of the whole."""
    kept = {one.text for one in messages(HELD_OUT) if len(one.text.split()) >= _TELLING}
    found = [
        f"{writer}.jsonl:{number}: {fault}"
        for writer in writers(data)
        for number, line in enumerate((data / f"{writer}.jsonl").read_text("utf-8").splitlines(), 1)
        for fault in _row_faults(line, kept)
    ]
    return found or _whole_faults(messages(data))


def _row_faults(line: str, kept: Container[str]) -> Iterable[str]:
    try:
        row = json.loads(line)
    except ValueError as error:
        yield f"is not JSON: {error}"
        return
    if row.get("text") in kept:
        yield "is held out: nothing may be trained on it (K-59)"
    if row.get("genre") not in GENRES:
        yield f"genre must be one of {', '.join(GENRES)}"
    for span in [*(one.get("span", "") for one in row["durable"]), *row.get("forget", [])]:
        if not span or span not in row["text"]:
            yield f"the span {span[:40]!r} is not in the text"
    for one in row["durable"]:
        if one.get("type") not in TYPES or one.get("scope") not in SCOPES or not one.get("memory"):
            yield "a durable entry needs type, scope and memory"


def _whole_faults(every: Sequence[Message]) -> list[str]:
    texts = [sentence.text for message in every for sentence in message.sentences]
    durable = sum(sentence.durable for message in every for sentence in message.sentences)
    coding = sum(len(message.sentences) for message in every if message.genre == "coding")
    faults = []
    if len(texts) < LEAST:
        faults.append(f"{len(texts)} sentences; {LEAST} are needed")
    if not 0.25 <= durable / max(1, len(texts)) <= 0.40:
        faults.append(f"{durable / max(1, len(texts)):.0%} are durable; a third should be")
    if not 0.45 <= coding / max(1, len(texts)) <= 0.65:
        faults.append(f"{coding / max(1, len(texts)):.0%} are coding work; half should be")
    for frame, count in frames(texts).items():
        if count > MOST_OF_A_FRAME:
            faults.append(f"{count} sentences have the frame “{frame}”; at most {MOST_OF_A_FRAME} may")
    if (share := alike(texts)) > MOST_ALIKE:
        faults.append(f"{share:.1%} of the sentences are near-duplicates; at most {MOST_ALIKE:.0%} may be")
    return faults


def frames(texts: Iterable[str]) -> Counter[str]:
    """Count the frames: a sentence's function words in order, with `*` for what stands between them.

    A frame of fewer than four function words says too little to be a template and is not counted.
    """
    found: Counter[str] = Counter()
    for text in texts:
        frame: list[str] = []
        for word in _WORD.findall(text.lower()):
            kept = word if word in FUNCTION_WORDS else "*"
            if kept != "*" or frame[-1:] != ["*"]:
                frame.append(kept)
        if len(frame) - frame.count("*") >= 4:
            found[" ".join(frame)] += 1
    return found


def alike(texts: Iterable[str]) -> float:
    """Return the share of sentences of four or more words that nearly repeat an earlier one.

    Compared with the three earlier ones that share most four-character pieces with it; pieces that more than 400
    sentences have lead to the last 400 of these only.
    """
    seen: list[frozenset[str]] = []
    holders: dict[str, list[int]] = defaultdict(list)
    total = repeated = 0
    for text in texts:
        total += 1
        if len(_WORD.findall(text)) < 4:
            continue
        plain = re.sub(r"\W+", " ", text.lower())
        pieces = frozenset(plain[at : at + 4] for at in range(max(1, len(plain) - 3)))
        shared = Counter(one for piece in pieces for one in holders[piece][-400:])
        repeated += any(
            count / (len(pieces) + len(seen[one]) - count) >= ALIKE for one, count in shared.most_common(3)
        )
        for piece in pieces:
            holders[piece].append(len(seen))
        seen.append(pieces)
    return repeated / max(1, total)
