"""What is drawn from the index gives the very prompt that all memories would give; and it is drawn only from
an index that holds the whole chain."""

from __future__ import annotations

import itertools
import random
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest

from language.token_estimate import Estimate, estimate_tokens
from ledger.command import Command, Confirm, Create, Delete, Supersede
from ledger.memory import IMPORTANCES, SECTIONS, Memory, Provenance
from muniment import MemoryLedger
from projections import index_schema, prompt_source
from projections.index import INDEX_NAME
from projections.patterns import TaskContext
from projections.prompt import Injection, render_prompt
from projections.prompt_explanation import Trace
from projections.prompt_source import Drawn, caught_up, draw
from projections.query import Filter, entries
from projections.settings import DEFAULTS
from tests.projections.house import build

Ledgers = dict[str, MemoryLedger]
Task = str | TaskContext
NOTHING: set[str] = set()

WORDS = "auth cache docker login port postgres queue redis retry session timeout token 缓存 café".split()
HEADINGS = (*SECTIONS, "House rules", "Zoo", "Attic", "Links", "", "")
TASKS: tuple[Task, ...] = (
    "",
    "fix the login timeout",
    "postgres port",
    "redis cache and the session queue of docker auth tokens",
    "缓存 of the café",
    "of the and",
    TaskContext("", "login-reviewer"),
    TaskContext("the postgres port", "docker"),
    "nothing that any memory names",
)
BUDGETS = (0, 7, 40, 150, 600, 2000, 20_000)


def cheap(text: str) -> int:
    """Let so much fit that the prompt's looks run out before its tokens do."""
    return len(text) // 100


RIVALS = (
    "Use npm",
    "Use pnpm",
    "Use yarn",
    "The database port is 5432",
    "The database port is 5433",
    "Never use npm",
    "Use pnpm.",
)
"""What one scope says and another denies, or says in other words."""
PHRASES = (r"\b(login|logout)\b.*", "docker|redis", "foo|", r"(?=x)token", "reviewing", "a" * 400)


def some_text(rng: random.Random, number: int) -> str:
    if rng.random() < 0.15:
        return rng.choice(RIVALS)
    words = " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, 8)))
    return f"{words} {number}" if rng.random() < 0.8 else words


def some_memory(rng: random.Random, number: int) -> Memory:
    memory = Memory(
        some_text(rng, number),
        section=rng.choice(HEADINGS),
        importance=rng.choice(IMPORTANCES),
        tags=tuple(rng.sample([word for word in WORDS if word.isascii()], rng.randint(0, 2))),
        status="candidate" if rng.random() < 0.1 else "active",
    )
    if rng.random() < 0.3:
        phrases = tuple(some_text(rng, number) for _ in range(rng.randint(0, 2)))
        phrases = (*phrases, rng.choice(PHRASES)) if rng.random() < 0.5 else phrases
        memory = memory._replace(topic=f"area/{rng.choice('abc')}", title="About it", when_to_use=phrases)
    if rng.random() < 0.2:
        memory = memory._replace(tier="daily", provenance=Provenance(date="2026-01-05"))
    if rng.random() < 0.2:
        memory = memory._replace(
            details=(some_text(rng, number), "docker"), body="a line\n" * rng.randint(0, 60)
        )
    return memory


def some_ledger(directory: Path, rng: random.Random, shared: Sequence[Memory], count: int) -> MemoryLedger:
    """Build a ledger of random memories, of which some are also in others, and some are gone again."""
    ledger, clock = build(directory)
    said = [some_memory(rng, number) for number in range(count)] + rng.sample(list(shared), len(shared) // 2)
    rng.shuffle(said)
    ids = [done.id for done in ledger.workspace.append([Create(memory) for memory in said])]
    ids = list(dict.fromkeys(ids))
    rng.shuffle(ids)
    gone, replaced, kept = ids[:3], ids[3:6], ids[6:9]
    commands: list[Command] = [Delete((id_,)) for id_ in gone]
    commands += [Confirm((id_,)) for id_ in kept]
    commands += [Supersede((id_,), some_memory(rng, 1000 + at)) for at, id_ in enumerate(replaced)]
    clock.pass_days(rng.choice((1, 100)))
    ledger.workspace.append(commands)
    assert ledger.workspace.index.newest() > 0
    return ledger


def in_full(ledgers: Ledgers, hidden: set[str], task: Task, budget: int, estimate: Estimate) -> Injection:
    wanted = Filter(statuses=("active",))
    found = [(name, entries(ledger.workspace.index, wanted, hidden)) for name, ledger in ledgers.items()]
    settings = DEFAULTS._replace(token_budget=budget)
    return render_prompt(found, task, settings, moment(ledgers), estimate=estimate)


def as_drawn(ledgers: Ledgers, hidden: set[str], task: Task, budget: int, estimate: Estimate) -> Injection:
    asked = task if isinstance(task, TaskContext) else TaskContext(task)
    found, more = [], 0
    for name, ledger in ledgers.items():
        drawn = drawn_from(ledger, asked, hidden)
        found.append((name, drawn.entries))
        more += drawn.more
    settings = DEFAULTS._replace(token_budget=budget)
    return render_prompt(found, task, settings, moment(ledgers), estimate=estimate, more=more)


def drawn_from(ledger: MemoryLedger, asked: TaskContext, hidden: set[str] = NOTHING) -> Drawn:
    db = caught_up(ledger.workspace.place.directory, ledger.workspace.chain)
    assert db is not None
    with closing(db):
        return draw(db, asked, 6_000, hidden)


def assert_same(
    ledgers: Ledgers,
    task: Task,
    budget: int = 2000,
    hidden: set[str] = NOTHING,
    estimate: Estimate = estimate_tokens,
) -> Injection:
    drawn = as_drawn(ledgers, hidden, task, budget, estimate)
    assert drawn == in_full(ledgers, hidden, task, budget, estimate)
    return drawn


def moment(ledgers: Ledgers) -> int:
    return max(ledger.workspace.clock() for ledger in ledgers.values()) // 10**9 * 10**9


@contextmanager
def house(tmp_path: Path, seed: int, names: Sequence[str]) -> Iterator[tuple[Ledgers, set[str]]]:
    rng = random.Random(seed)
    shared = [some_memory(rng, 5000 + number) for number in range(20)]
    with ExitStack() as stack:
        ledgers = {
            name: stack.enter_context(some_ledger(tmp_path / name, rng, shared, rng.choice((12, 40))))
            for name in names
        }
        ids = [
            row[0]
            for one in ledgers.values()
            for row in one.workspace.index.connection().execute("SELECT id FROM events")
        ]
        yield ledgers, set(rng.sample(ids, len(ids) // 10))


HOUSES = pytest.mark.parametrize(
    ("seed", "names"), [(0, ["user"]), (1, ["user", "project"]), (2, ["user", "local", "project"])]
)


@HOUSES
def test_the_prompt_is_that_of_all_memories(tmp_path: Path, seed: int, names: list[str]) -> None:
    """Whatever the task, the budget, the scopes and what is archived: text, ids and the number left out.

    Every task meets every budget in one of the houses; what is archived and how tokens are counted take turns.
    """
    assert_same_in(tmp_path, seed, names, list(itertools.product(TASKS, BUDGETS))[seed::3])


@pytest.mark.soak
@HOUSES
def test_the_prompt_is_that_of_all_memories_in_every_house(
    tmp_path: Path, seed: int, names: list[str]
) -> None:
    """Every task meets every budget in each of the houses."""
    assert_same_in(tmp_path, seed, names, list(itertools.product(TASKS, BUDGETS)))


def assert_same_in(tmp_path: Path, seed: int, names: list[str], asked: Sequence[tuple[Task, int]]) -> None:
    with house(tmp_path, seed, names) as (ledgers, hidden):
        counts: tuple[Estimate, Estimate] = (estimate_tokens, cheap)
        turns = itertools.cycle(itertools.product((NOTHING, hidden), counts))
        for (task, budget), (archived, estimate) in zip(asked, turns, strict=False):
            assert_same(ledgers, task, budget, archived, estimate)


def test_the_prompt_is_the_same_where_it_is_explained(tmp_path: Path) -> None:
    """P-130: with every entry once, and with candidates beside."""
    with house(tmp_path, 5, ["user", "local", "project"]) as (ledgers, _):
        found = [(name, entries(ledger.workspace.index, Filter())) for name, ledger in ledgers.items()]
        settings = DEFAULTS._replace(token_budget=600)
        for task in TASKS:
            told = in_full(ledgers, NOTHING, task, 600, estimate_tokens)
            explained = render_prompt(found, task, settings, moment(ledgers), trace=Trace())
            assert explained._replace(explained=()) == told
            assert tuple(each.id for each in explained.explained if each.why == "shown") == told.shown
            assert sum(each.why == "budget" for each in explained.explained) == told.left_out
            every = sorted((name, entry.id) for name, all_ in found for entry in all_)
            assert sorted((each.scope, each.id) for each in explained.explained) == every


@pytest.mark.parametrize("task", ["", "fix the cache"])
def test_those_of_the_highest_rank_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, task: str
) -> None:
    """P-36: the newest, for a task too; a critical one ranks before them."""
    monkeypatch.setattr(prompt_source, "LEAST", 3)
    monkeypatch.setattr(prompt_source, "TOKENS", 6_000)
    ledger, _ = build(tmp_path)
    ledger.store(Memory("The cache is never shared", section="Workflow", importance="critical"))
    for number in range(6):
        ledger.store(Memory(f"The cache has shelf {number}", section="Workflow"))
    drawn = drawn_from(ledger, TaskContext(task))
    told = {entry.memory.text for entry in drawn.entries}
    assert told == {"The cache is never shared", "The cache has shelf 4", "The cache has shelf 5"}
    assert drawn.more == 4


def test_in_a_topic_the_newest_of_one_importance_is_first_whatever_its_section(tmp_path: Path) -> None:
    """P-36: a section makes no class of its own within a topic, neither drawn nor in full."""
    ledger, _ = build(tmp_path)
    for text, section in (("Pull it", "Workflow"), ("Push it", "Corrections"), ("Tag it", "Workflow")):
        patterns = ("docker",) if text == "Pull it" else ()
        ledger.store(Memory(text, section=section, topic="area/a", title="Docker", when_to_use=patterns))
    told = assert_same({"user": ledger}, "docker", 4, estimate=cheap)
    assert [ledger.entry(id_).memory.text for id_ in told.shown] == ["Tag it"]


def test_a_scope_whose_every_memory_a_more_local_one_says_still_has_a_say(tmp_path: Path) -> None:
    """That several scopes speak decides how entries are labelled."""
    ledgers = {}
    for name in ("user", "project"):
        ledgers[name], _ = build(tmp_path / name)
        ledgers[name].store(Memory("Use pnpm"))
    assert "(project)" in assert_same(ledgers, "").text


def test_a_daily_note_that_has_nothing_to_do_with_the_task_hides_no_other(tmp_path: Path) -> None:
    """Tags are not part of a statement, but of what it is about."""
    ledgers = {}
    for name, tags in (("project", ()), ("user", ("login",))):
        ledgers[name], _ = build(tmp_path / name)
        ledgers[name].store(Memory("Met on Monday", tier="daily", tags=tags))
    assert "Met on Monday (user)" in assert_same(ledgers, "fix the login").text


def test_an_empty_ledger_says_nothing(tmp_path: Path) -> None:
    """Genesis alone is no memory."""
    ledger, _ = build(tmp_path)
    assert ledger.workspace.index.newest() == 0
    assert assert_same({"user": ledger}, "cache") == Injection("")


# --- an index that is behind ---


@pytest.fixture
def ledger(tmp_path: Path) -> MemoryLedger:
    made, _ = build(tmp_path / "ledger")
    made.store(Memory("Use pnpm"))
    assert made.workspace.index.newest() == 1
    return made


def is_caught_up(ledger: MemoryLedger) -> bool:
    db = caught_up(ledger.workspace.place.directory, ledger.workspace.chain)
    if db is not None:
        db.close()
    return db is not None


def test_an_index_at_the_end_of_the_chain_is_drawn_from(ledger: MemoryLedger) -> None:
    """The usual case."""
    assert is_caught_up(ledger)


def test_a_longer_chain_is_not(ledger: MemoryLedger) -> None:
    """Another process has written, or bytes were torn."""
    with ledger.workspace.chain.open("ab") as chain:
        chain.write(b"{")
    assert not is_caught_up(ledger)


def test_a_chain_whose_last_event_was_changed_is_not(ledger: MemoryLedger) -> None:
    """Same length, another event: the line is hashed again."""
    data = ledger.workspace.chain.read_bytes()
    ledger.workspace.chain.write_bytes(data.replace(b'"via":"library"', b'"via":"librarz"'))
    assert not is_caught_up(ledger)


def test_a_missing_chain_is_not(ledger: MemoryLedger) -> None:
    """The index alone is no truth."""
    ledger.workspace.chain.unlink()
    assert not is_caught_up(ledger)


def test_a_missing_index_is_not_made(ledger: MemoryLedger) -> None:
    """Opening for reading makes no file."""
    ledger.close()
    index = ledger.workspace.place.directory / INDEX_NAME
    for path in index.parent.glob(f"{INDEX_NAME}*"):
        path.unlink()
    assert not is_caught_up(ledger)
    assert not index.exists()


def test_a_damaged_index_is_not(ledger: MemoryLedger) -> None:
    """It is mended by the way that may write."""
    ledger.close()
    (ledger.workspace.place.directory / INDEX_NAME).write_bytes(b"no database" * 500)
    assert not is_caught_up(ledger)


def test_an_index_of_another_version_is_not(ledger: MemoryLedger) -> None:
    """Its columns may be others."""
    ledger.close()
    with closing(sqlite3.connect(ledger.workspace.place.directory / INDEX_NAME)) as db:
        db.execute(f"PRAGMA user_version = {index_schema.VERSION + 1}")
    assert not is_caught_up(ledger)
