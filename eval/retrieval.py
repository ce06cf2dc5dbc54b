"""Scores `projections.search` over our own memories and questions, beside plain bm25 and each step between the two.

Implements specs/projections.md (P-112).
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

from eval.likeness import HALVES, half_of
from language.stop_words import STOP_WORDS
from ledger.command import Create
from ledger.event import By
from ledger.founding import found
from ledger.instant import DAY, SECOND, from_iso
from ledger.keys import KeyDirectory
from ledger.ledger import Identity
from ledger.location import Home, explicit
from ledger.mark import StateDirectory
from ledger.memory import Memory, Provenance
from muniment import MemoryLedger
from projections.configuration import Configuration
from projections.index import Index
from projections.ranking import PLAIN, RANKING, Ranking
from projections.search import Closest, search
from projections.vectors.embedder import chosen
from projections.vectors.vector_search import VectorSearch

DATA = Path(__file__).parent / "data"
MEMORIES, QUERIES = "retrieval_memories.txt", "retrieval_queries.tsv"
DEPTHS = (5, 10, 20)

_HEADER = re.compile(r"= (?P<name>\S+) \| (?P<by>\S+) \| (?P<day>\S+) \|\s*(?P<topic>\S*)")
_WORD = re.compile(r"\w+")

Finder = Callable[[str], Sequence[str]]
"""Returns the keys of what a query finds, best first, at most the greatest of DEPTHS."""


@dataclass(frozen=True, slots=True)
class Told:
    """One memory of the set; `key` is its conversation and number in it."""

    key: str
    text: str
    conversation: str
    by: str
    day: str
    topic: str


@dataclass(frozen=True, slots=True)
class Question:
    """A query, what kind it is of, and the keys of all memories that answer it."""

    kind: str
    query: str
    answers: tuple[str, ...]

    @property
    def half(self) -> str:
        """One chose the numbers of the ranking (P-112)."""
        return half_of(self.query)


@dataclass(frozen=True, slots=True)
class Score:
    """What came of some questions: mean recall at each of DEPTHS, and the mean of 1/rank of the first answer."""

    questions: int
    recall: Mapping[int, float]
    mrr: float


def told() -> list[Told]:
    """Read the memories, in the order in which they were learned."""
    found, header = [], {}
    for line in (DATA / MEMORIES).read_text("utf-8").splitlines():
        if match := _HEADER.match(line):
            header = match.groupdict()
        elif line and not line.startswith("#"):
            number, text = line.split(" ", 1)
            name = header["name"]
            found.append(Told(f"{name}.{number}", text, name, header["by"], header["day"], header["topic"]))
    return sorted(found, key=lambda each: each.day)


def questions() -> list[Question]:
    """Read the questions."""
    rows = (line.split("\t") for line in (DATA / QUERIES).read_text("utf-8").splitlines())
    return [Question(row[0], row[1], tuple(row[2].split())) for row in rows if not row[0].startswith("#")]


@contextmanager
def learned(memories: Iterable[Told], *, origins: bool = True) -> Iterator[tuple[Index, dict[str, str]]]:
    """Give the index of a ledger that learned these memories, and the key of each id.

    Without `origins` no memory says in which conversation it was learned, and none has a topic.
    """
    with tempfile.TemporaryDirectory() as scratch:
        home = Home.from_environment({"HOME": scratch, "MUNIMENT_HOME": f"{scratch}/home"})
        place = explicit(Path(scratch) / "ledger")
        identity = Identity("0" * 32, "eval", "user")
        found(
            place.directory,
            identity,
            By("eval", "system", "library"),
            KeyDirectory(home.keys),
            StateDirectory(home.state),
        )
        now = [0]

        def clock() -> int:
            now[0] += SECOND
            return now[0]

        keys = {}
        with MemoryLedger(place, home, clock=clock) as ledger:
            for one in memories:
                now[0] = max(now[0], from_iso(one.day))
                origin = Provenance(conversation=one.conversation) if origins else Provenance()
                created = Create(Memory(one.text, topic=one.topic if origins else "", provenance=origin))
                (written,) = ledger.workspace.append([created], By(one.by, "agent", "library"))
                keys[written.id] = one.key
            yield ledger.workspace.index, keys


def finders(index: Index, keys: Mapping[str, str]) -> dict[str, Finder]:
    """Return what is compared: plain bm25, and each step from it to what `search` does, on top of those before."""
    newest = index.connection().execute("SELECT max(learned) FROM memories").fetchone()[0]
    now = from_iso(newest) + DAY
    alone = replace(PLAIN, stop_words=STOP_WORDS)
    steps: dict[str, Ranking] = {
        "all words first, pieces": alone,
        "neighbours": replace(alone, neighbours=RANKING.neighbours),
        "developers' terms, times": replace(RANKING, importance=0, recency=0, use=0),
        "importance, recency": RANKING,
    }

    def finder(ranking: Ranking, closest: Closest | None = None) -> Finder:
        return lambda query: [
            keys[hit.id]
            for hit in search(index, query, limit=max(DEPTHS), now=now, ranking=ranking, closest=closest)
        ]

    vectors = _vectors(index)

    return {
        "plain bm25": lambda query: _plain(index, keys, query, frozenset()),
        "stop words dropped": lambda query: _plain(index, keys, query, STOP_WORDS),
        **{name: finder(ranking) for name, ranking in steps.items()},
        **({"meaning": finder(RANKING, vectors.closest)} if vectors else {}),
    }


def _vectors(index: Index) -> VectorSearch | None:
    """Return the vectors of all memories by the packaged model, or None if it is not installed."""
    embedder = chosen(Configuration()).embedder
    if embedder is None:
        return None
    vectors = VectorSearch(index.path.parent, lambda: index, frozenset, embedder)
    vectors.bring_up()
    return vectors


def _plain(index: Index, keys: Mapping[str, str], query: str, left_out: frozenset[str]) -> list[str]:
    """Find by bm25 over any of the words, as they stand, and nothing else."""
    words = _WORD.findall(query)
    kept = [word for word in words if word.lower() not in left_out] or words
    any_word = " OR ".join(f'"{word}"' for word in kept)
    db = index.connection()
    rows = db.execute(
        "SELECT m.id FROM memories_fts f CROSS JOIN memories m ON m.n = f.rowid WHERE memories_fts MATCH ? "
        "ORDER BY f.rank LIMIT ?",
        (f"- pieces : ({any_word})", max(DEPTHS)),
    )
    return [keys[id_] for (id_,) in rows]


def score(chosen: Sequence[Question], finder: Finder) -> Score:
    """Ask questions and compare what is found with their answers."""
    found = [(finder(one.query), frozenset(one.answers)) for one in chosen]
    return Score(
        len(chosen),
        {
            depth: fmean(len(answers.intersection(keys[:depth])) / len(answers) for keys, answers in found)
            for depth in DEPTHS
        },
        fmean(
            max((1 / (at + 1) for at, key in enumerate(keys) if key in answers), default=0.0)
            for keys, answers in found
        ),
    )


# --- the report ---

NO_ORIGINS = "no conversations"
"""What a half is called whose memories say neither in which conversation they were learned nor have a topic."""


def report(misses: bool = False) -> tuple[str, bool]:
    """Return a table for each half and each kind of question; the floors (P-112) are a test's.

    With `misses` also each question of which an answer is not among the first ten.
    """
    memories, asked = told(), questions()
    halves = {half: [one for one in asked if one.half == half] for half in HALVES}
    with learned(memories) as (index, keys):
        compared = finders(index, keys)
        tables = {name: _scored(chosen, compared) for name, chosen in halves.items()}
        ends = {name: compared[name] for name in (next(iter(compared)), list(compared)[-1])}
        kinds = {
            f"kind {kind}": _scored([one for one in asked if one.kind == kind], ends)
            for kind in dict.fromkeys(one.kind for one in asked)
        }
        missed = list(_missed(asked, list(compared.values())[-1])) if misses else []
    with learned(memories, origins=False) as (index, keys):
        compared = finders(index, keys)
        tables |= {f"{name}, {NO_ORIGINS}": _scored(chosen, compared) for name, chosen in halves.items()}
    lines = [f"{len(memories)} memories, {len(asked)} questions"]
    for name, table in {**tables, **kinds}.items():
        lines += ["", *_table(name, table)]
    return "\n".join([*lines, "", *missed]), True


def _scored(chosen: Sequence[Question], compared: Mapping[str, Finder]) -> dict[str, Score]:
    """Score the same questions with each of what is compared."""
    return {name: score(chosen, finder) for name, finder in compared.items()}


def _table(name: str, table: Mapping[str, Score]) -> list[str]:
    number = next(iter(table.values())).questions
    head = "".join(f"{f'recall@{depth}':>11}" for depth in DEPTHS)
    rows = [
        f"  {what:<26}" + "".join(f"{one.recall[depth]:>11.3f}" for depth in DEPTHS) + f"{one.mrr:>8.3f}"
        for what, one in table.items()
    ]
    return [f"{f'{name}: {number} questions':<28}{head}{'MRR':>8}", *rows]


def _missed(asked: Sequence[Question], finder: Finder) -> Iterator[str]:
    for one in asked:
        if keys := set(one.answers) - set(finder(one.query)[:10]):
            yield f"{one.half:<9} {one.kind:<11} {one.query!r} misses {', '.join(sorted(keys))}"
