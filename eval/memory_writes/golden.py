"""Conversations, what stood in memory before them, and what a good memory writes of them.

Implements specs/capture.md (K-120). The files' form is told in eval/data/memory-writes/README.md.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast, get_args

from learning.turn import Role
from ledger.memory import SOURCES, STATUSES, TYPES

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

_MEMBERS = frozenset("id category genre hard seed turns expect".split())
_OF_A_SEED = frozenset("scope text type source status".split())
_OF_A_TURN = frozenset("role text session tool command failed rejected".split())
_OF_AN_EXPECTATION = frozenset("op turn scope type says never of optional".split())
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
                row = json.loads(line)
                faults = list(faults_of(row))
            except ValueError as error:
                raise ValueError(f"{path}, line {number}: {error}") from None
            if faults:
                raise ValueError(f"{path}, line {number}: {'; '.join(faults)}")
            found.append(_conversation(row, half))
    if not found:
        raise ValueError(f"{folder} holds no conversations: tuned.jsonl and held-out.jsonl are looked for")
    return found


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    for half in HALVES:
        first = folder / f"{half}.jsonl"
        for path in (first, *sorted(folder.glob(f"{half}-*.jsonl"))):
            if path.is_file():
                yield half, path


def faults_of(row: Any) -> Iterable[str]:
    """Give a sentence for each way in which a line is not of the form that the README describes (K-120)."""
    if not isinstance(row, dict) or set(row) != _MEMBERS:
        yield f"a conversation has the members {', '.join(sorted(_MEMBERS))}"
        return
    yield from _one_of("category", row["category"], CATEGORIES)
    yield from _one_of("genre", row["genre"], GENRES)
    if not isinstance(row["hard"], bool):
        yield "hard is true or false"
    if not row["turns"] or not any(turn.get("role") == "user" for turn in row["turns"]):
        yield "nobody speaks"
    for turn in row["turns"]:
        yield from _members("a turn", turn, _OF_A_TURN, {"role", "text"})
        yield from _one_of("role", turn.get("role"), get_args(Role))
    for seed in row["seed"]:
        yield from _members("a seed", seed, _OF_A_SEED, _OF_A_SEED)
        yield from _one_of("scope", seed.get("scope"), SCOPES)
        yield from _one_of("type", seed.get("type"), TYPES)
        yield from _one_of("source", seed.get("source"), SOURCES)
        yield from _one_of("status", seed.get("status"), STATUSES)
    for expected in row["expect"]:
        yield from _faults_of_expectation(expected, row)


def _faults_of_expectation(expected: Any, row: Mapping[str, Any]) -> Iterable[str]:
    yield from _members("an expectation", expected, _OF_AN_EXPECTATION, {"op", "turn"})
    op = expected.get("op")
    yield from _one_of("op", op, get_args(Operation))
    if expected.get("turn") not in range(len(row["turns"])):
        yield f"there is no turn {expected.get('turn')}"
    if op in TEXTUAL:
        yield from _one_of("scope", expected.get("scope"), SCOPES)
        yield from _one_of("type", expected.get("type"), TYPES)
        if not expected.get("says"):
            yield "what is saved is recognised by what it says"
    if op not in {"save", "candidate"} and expected.get("of") not in range(len(row["seed"])):
        yield f"a {op} is of one of the seeds"


def _one_of(name: str, value: object, choices: Sequence[str]) -> Iterable[str]:
    if value not in choices:
        yield f"{name} is one of {', '.join(choices)}, not {value!r}"


def _members(
    what: str, row: Any, allowed: frozenset[str], needed: frozenset[str] | set[str]
) -> Iterable[str]:
    if not isinstance(row, dict) or not needed <= set(row) <= allowed:
        yield f"{what} has the members {', '.join(sorted(needed))} and no others than {', '.join(sorted(allowed))}"


def _conversation(row: Mapping[str, Any], half: str) -> Conversation:
    return Conversation(
        row["id"],
        half,
        row["category"],
        row["genre"],
        row["hard"],
        tuple(Said(**turn) for turn in row["turns"]),
        tuple(Seed(**seed) for seed in row["seed"]),
        tuple(_expected(each) for each in row["expect"]),
    )


def _expected(row: Mapping[str, Any]) -> Expected:
    lists = {name: tuple(row.get(name) or ()) for name in ("says", "never")}
    return Expected(**cast("dict[str, Any]", {**row, **lists}))
