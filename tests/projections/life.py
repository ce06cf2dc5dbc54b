"""A scripted life of a project's ledger that two roots show, led by a process that kills itself at a step.

Run as `python -m tests.projections.life BASE ACT STEP OCCURRENCE`, which does one act and dies in it. Each act
opens the ledger anew, as a command does.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import orjson

import muniment
from ledger import location
from ledger.command import Create, Delete
from muniment import Memory, MemoryLedger
from projections import output_files
from tests.observing import kill_at
from tests.projections.house import BY, START, Clock

PROJECT = "0123456789abcdef" * 2
SECRETS = ("Quixotry in a bullet", "Quixotry in a topic", "Quixotry on a day", "Quixotry in a detail")
"""What the erase takes away; no other text says any of it."""

TYPED = b"# Mine\n\nThis a person typed by hand.\n"
ITEMS = tuple(f"item {number} of a long list" for number in range(22))


@dataclass(frozen=True, slots=True)
class Life:
    """The folders below `base`; the environment says where HOME and the state lie."""

    base: Path

    def root(self, name: str) -> Path:
        """Return one of the two roots, `a` and `b`."""
        return self.base / name

    @contextmanager
    def opened(self, name: str = "a", day: int = 0) -> Iterator[MemoryLedger]:
        """Open the ledger as a command in that root does, on a day of the life."""
        place, _ = muniment.locate("project", start=self.root(name))
        with MemoryLedger(place, muniment.home(), by=BY, clock=Clock(START + day * 86_400_000_000)) as memory:
            yield memory

    def found(self) -> None:
        """Make the ledger, and bind both roots to it."""
        home = muniment.home()
        for name in ("a", "b"):
            folder = self.root(name) / ".muniment"
            folder.mkdir(parents=True)
            (folder / "project.toml").write_text(f'id = "{PROJECT}"\n')
            location.bind(home, self.root(name), PROJECT)
        (home.path / "config.toml").write_text("max_lines_per_file = 20\n")
        muniment.init(scope="project", start=self.root("a"), by=BY).close()


def ids_of(memory: MemoryLedger, *texts: str) -> list[str]:
    """Return the ids of the memories that say these texts."""
    return [entry.id for entry in memory.load_all() if entry.memory.text in texts]


def _memory(life: Life) -> None:
    with life.opened() as memory:
        memory.store(Memory(SECRETS[0], details=(SECRETS[3],)))


def _topic(life: Life) -> None:
    with life.opened() as memory:
        memory.store(Memory(SECRETS[1], topic="build/cache"))


def _daily(life: Life) -> None:
    with life.opened() as memory:
        memory.write([Create(Memory(text, tier="daily")) for text in (SECRETS[2], "noted on a day")])


def _overflow(life: Life) -> None:
    with life.opened() as memory:
        memory.write([Create(Memory(text)) for text in ITEMS])


def _search(life: Life) -> None:
    with life.opened() as memory:
        assert memory.search("Quixotry")


def _elsewhere(life: Life) -> None:
    with life.opened("b") as memory:
        memory.documents.render()


def _archive(life: Life) -> None:
    with life.opened(day=40) as memory:
        memory.store(Memory("learned much later", topic="of-its-own"))


def _shrink(life: Life) -> None:
    with life.opened(day=40) as memory:
        memory.write([Delete(tuple(ids_of(memory, text)), "") for text in ITEMS])


def _gone(life: Life) -> None:
    with life.opened(day=40) as memory:
        memory.delete(ids_of(memory, "learned much later"))


def _forgotten(life: Life) -> None:
    """local.db is lost: what stands rendered becomes known again."""
    for path in muniment.home().project(PROJECT).glob("local.db*"):
        path.unlink()
    with life.opened() as memory:
        memory.documents.render()


def _edited(life: Life) -> None:
    (life.root("a") / ".muniment" / "MEMORY.md").write_bytes(TYPED)
    with life.opened(day=40) as memory:
        memory.workspace.current.own.rebuild(memory.workspace.chain)
        memory.documents.render(everything=True, overwrite=True)


def _damaged(life: Life) -> None:
    path = muniment.home().project(PROJECT) / "memory.db"
    path.write_bytes(b"no database at all" * 1000)
    with life.opened(day=40) as memory:
        memory.load_all()


def _leftover(life: Life) -> None:
    """As a death between the writing of a document and its rename leaves the folder."""
    folder = life.root("a") / ".muniment"
    (folder / "memory" / "archive" / ".2026-01-05.md.4711-0.tmp").write_text(SECRETS[2])
    (muniment.home().project(PROJECT) / "render.lock").write_bytes(os.fsencode(folder))
    with life.opened(day=40) as memory:
        memory.store(Memory("after a death"))


def _refresh(life: Life) -> None:
    """Both roots show what is to be erased, and so do the full text and copies of every kind."""
    with life.opened("b", day=40) as memory:
        memory.documents.render()
        assert memory.search("Quixotry")
        _plant(life, memory)


def _plant(life: Life, memory: MemoryLedger) -> None:
    """Put a copy of every kind there as our own commands leave them."""
    directory, state = memory.workspace.place.directory, memory.workspace.home.state
    chain = memory.workspace.chain.read_bytes()
    plants = {
        directory / "chain.jsonl.torn-20260101T000000.000000Z": chain + chain[: len(chain) // 2],
        state / "outbox" / memory.workspace.ledger.identity.id / "0.json": orjson.dumps({"text": SECRETS[0]}),
        state / "hooks" / "spool" / "0.json": orjson.dumps(
            {"kind": "transcript", "said": f"So: {SECRETS[1]}."}
        ),
        life.base / "given.jsonl": b"".join(
            orjson.dumps({"id": one.id, "text": one.memory.text}) + b"\n" for one in memory.load_all()
        ),
    }
    for path, data in plants.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    output_files.note_given(memory.workspace.local, life.base / "given.jsonl", output_files.EXPORT)


def _erase(life: Life) -> None:
    with life.opened(day=40) as memory:
        memory.erasures.erase(ids_of(memory, *SECRETS), "not ours to keep")


ACTS: Mapping[str, Callable[[Life], None]] = MappingProxyType(
    {
        "memory": _memory,
        "topic": _topic,
        "daily": _daily,
        "overflow": _overflow,
        "forgotten": _forgotten,
        "search": _search,
        "elsewhere": _elsewhere,
        "archive": _archive,
        "shrink": _shrink,
        "gone": _gone,
        "edited": _edited,
        "damaged": _damaged,
        "leftover": _leftover,
        "refresh": _refresh,
        "erase": _erase,
    }
)


def texts_after(act: str) -> list[str]:
    """Return the texts that stand once this act is done, sorted; "" is the beginning."""
    done = list(ACTS)[: list(ACTS).index(act) + 1] if act else []
    changes: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
        "memory": ((SECRETS[0],), ()),
        "topic": ((SECRETS[1],), ()),
        "daily": ((SECRETS[2], "noted on a day"), ()),
        "overflow": (ITEMS, ()),
        "archive": (("learned much later",), ()),
        "shrink": ((), ITEMS),
        "gone": ((), ("learned much later",)),
        "leftover": (("after a death",), ()),
        "erase": ((), SECRETS),
    }
    standing: set[str] = set()
    for name in done:
        new, old = changes.get(name, ((), ()))
        standing = standing.difference(old).union(new)
    return sorted(standing)


def main(base: Path, act: str, step: str, occurrence: int) -> None:
    """Do one act of the life, whose earlier ones are done, and die at the given occurrence (from 1) of a step."""
    kill_at(step, occurrence)
    ACTS[act](Life(base))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]))
