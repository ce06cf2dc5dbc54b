"""Conversations, what stood in memory before them, and what a good memory writes of them.

Implements specs/capture.md (K-120). The files' form is told in eval/data/memory-writes/README.md.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from learning.turn import Role
from ledger.memory import TYPES

DATA = Path(__file__).parents[1] / "data" / "memory-writes"
HALVES = ("tuned", "held-out")
SCOPES = ("user", "project", "local")
CATEGORIES = (
    "explicit", "preference", "project-fact", "decision", "correction", "repeated-correction", "error-fix", "user-fact",
    "local", "supersede", "delete", "confirm", "candidate", "several", "none",
)  # fmt: skip
GENRES = ("coding", "other")

Operation = Literal["save", "supersede", "delete", "confirm", "candidate"]
TEXTUAL = frozenset[Operation](("save", "supersede", "candidate"))
"""What is recognised by what the memory says; the others by the seed that they are about."""

_SPACES = re.compile(r"\s+")
_QUOTES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"'})


@dataclass(frozen=True, slots=True)
class Seed:
    """A memory that stands before the conversation begins."""

    scope: str
    text: str
    type: str
    source: str
    status: str


@dataclass(frozen=True, slots=True)
class Said:
    """One turn; the members are those of `learning.turn.Turn`."""

    role: Role
    text: str
    session: str = "1"
    tool: str = ""
    command: str = ""
    failed: bool = False
    rejected: bool = False


@dataclass(frozen=True, slots=True)
class Expected:
    """One write that is right: what is done, at which turn it is learned, and how its text is recognised.

    `says` must all stand in it, each a choice of words separated by `|`; of `never` none may. `of` is the index of the
    seed that is replaced, deleted or confirmed. An optional one may be left out.
    """

    op: Operation
    turn: int
    scope: str = ""
    type: str = ""
    says: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    of: int | None = None
    optional: bool = False

    def is_said_by(self, text: str) -> bool:
        """Say whether a memory's text is one that is meant here."""
        plain = folded(text)
        return all(_holds(plain, choice) for choice in self.says) and not any(
            _holds(plain, choice) for choice in self.never
        )


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation of the set."""

    id: str
    half: str
    category: str
    genre: str
    hard: bool
    turns: tuple[Said, ...]
    seeds: tuple[Seed, ...] = ()
    expected: tuple[Expected, ...] = ()


def folded(text: str) -> str:
    """Return a text as the words of an expectation are looked for in it: without case, with plain spaces and quotes."""
    plain = unicodedata.normalize("NFC", text).translate(_QUOTES).casefold()
    return _SPACES.sub(" ", plain)


def _holds(plain: str, choice: str) -> bool:
    return any(folded(words) in plain for words in choice.split("|") if words)


def conversations(folder: Path = DATA) -> list[Conversation]:
    """Read a set: of each half its file and those whose names begin with that of the half and a hyphen.

    Raises:
        ValueError: a line is not what the README says (the message names file and line), or there is none.
    """
    found = []
    for half, path in _files(folder):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if not line.strip():
                continue
            try:
                found.append(_conversation(json.loads(line), half))
            except (KeyError, TypeError, ValueError) as error:
                raise ValueError(f"{path}, line {number}: {error}") from None
    if not found:
        raise ValueError(f"{folder} holds no conversations: tuned.jsonl and held-out.jsonl are looked for")
    return found


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    for half in HALVES:
        first = folder / f"{half}.jsonl"
        for path in (first, *sorted(folder.glob(f"{half}-*.jsonl"))):
            if path.is_file():
                yield half, path


def _conversation(row: Mapping[str, Any], half: str) -> Conversation:
    """Return the conversation of a line.

    Raises:
        KeyError, TypeError, ValueError: it is not of the form that the README describes (K-120).
    """
    turns = tuple(Said(**turn) for turn in row["turns"])
    seeds = tuple(Seed(**seed) for seed in row["seed"])
    expected = tuple(
        Expected(**{**each, **{name: tuple(each.get(name) or ()) for name in ("says", "never")}})
        for each in row["expect"]
    )
    told = Conversation(row["id"], half, row["category"], row["genre"], row["hard"], turns, seeds, expected)
    if fault := _fault_of(told):
        raise ValueError(fault)
    return told


def _fault_of(told: Conversation) -> str:
    """Return what a conversation names that there is not, "" for nothing."""
    named = [
        ("category", told.category, CATEGORIES),
        ("genre", told.genre, GENRES),
        *(("role", turn.role, get_args(Role)) for turn in told.turns),
        *(("scope", seed.scope, SCOPES) for seed in told.seeds),
        *(("type", seed.type, TYPES) for seed in told.seeds),
        *(("op", each.op, get_args(Operation)) for each in told.expected),
        *(("turn", each.turn, range(len(told.turns))) for each in told.expected),
    ]
    for each in told.expected:
        if each.op in TEXTUAL:
            named += [
                ("scope", each.scope, SCOPES),
                ("type", each.type, TYPES),
                ("says", bool(each.says), (True,)),
            ]
        if each.op not in {"save", "candidate"}:
            named.append(("of", each.of, range(len(told.seeds))))
    return next((f"{what} is {value!r}" for what, value, choices in named if value not in choices), "")
