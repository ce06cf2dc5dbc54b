"""A write changes the lines that it is about, and the documents are those that a replay renders (P-58)."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from documents.replayed_documents import replayed
from documents.writing import folder, patching
from documents.writing.markdown import DocumentPiece
from ledger.command import Create
from muniment import Memory, MemoryLedger
from projections.configuration import CONFIG_NAME
from tests.projections.house import Clock, build, reopen, tree

SECTIONS = st.sampled_from(["Workflow", "Tool Usage", "Corrections", "My own"])
TAGS = st.sampled_from([(), (), ("db",), ("ui",)])
TEXTS = st.sampled_from(["a", "ab", "a b", "[?] a", "# a", "1. a", "ä", "*a*", "-", "&#32;"])
DETAILS = st.sampled_from([(), (), ("a",), ("a", "b")])
BODIES = st.sampled_from(["", "", "", "", "one line\n", "    code\n", "```\nopen\n"])


class Writing(RuleBasedStateMachine):
    """Writes of every kind to documents that overflow; after each they are those of a replay."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.house, self.clock = build(self.folder / "ledger")
        self.made: list[str] = []
        self.number = 0

    def teardown(self) -> None:
        self.house.close()
        shutil.rmtree(self.folder)

    @initialize(own=st.booleans())
    def fill(self, own: bool) -> None:
        (self.house.workspace.place.directory / CONFIG_NAME).write_text(
            "max_lines_per_file = 20\n[decay]\ndays = 30\n"
        )
        memories = [Memory(f"old {n}", section=("Workflow", "Tool Usage")[n % 2]) for n in range(40)]
        memories += [Memory(f"tagged {n}", tags=("db",)) for n in range(8)]
        memories += [Memory("mine", section="My own")] if own else []
        self.made += [done.id for done in self.house.write([Create(memory) for memory in memories])]

    def _text(self, text: str) -> str:
        self.number += 1
        return f"{text} {self.number}" if self.number % 3 else text * self.number

    @rule(text=TEXTS, section=SECTIONS, tags=TAGS, details=DETAILS, body=BODIES, waits=st.booleans())
    def store(  # noqa: PLR0917 - a rule's strategies
        self, text: str, section: str, tags: tuple[str, ...], details: tuple[str, ...], body: str, waits: bool
    ) -> None:
        status = "candidate" if waits else "active"
        memory = Memory(self._text(text), details, body=body, section=section, tags=tags, status=status)
        self.made.append(self.house.store(memory).id)

    @rule(which=st.integers(0, 10**6), text=TEXTS, section=SECTIONS, tags=TAGS)
    def supersede(self, which: int, text: str, section: str, tags: tuple[str, ...]) -> None:
        if (id_ := self._standing(which)) is not None:
            self.made.append(
                self.house.supersede([id_], Memory(self._text(text), section=section, tags=tags)).id
            )

    @rule(which=st.integers(0, 10**6))
    def delete(self, which: int) -> None:
        if (id_ := self._standing(which)) is not None:
            self.house.delete([id_])

    @rule(which=st.integers(0, 10**6))
    def confirm(self, which: int) -> None:
        if (id_ := self._standing(which)) is not None:
            self.house.confirm([id_])

    @rule(which=st.integers(0, 10**6))
    def erase(self, which: int) -> None:
        if (id_ := self._standing(which)) is not None:
            self.house.erasures.erase([id_], "a test")

    @rule(days=st.sampled_from([0.5, 1, 31]))
    def wait(self, days: float) -> None:
        self.clock.pass_days(days)
        self.house.documents.render()

    @rule(many=st.integers(2, 12), section=SECTIONS)
    def batch(self, many: int, section: str) -> None:
        texts = [self._text("batch") for _ in range(many)]
        written = self.house.write([Create(Memory(text, section=section)) for text in texts])
        self.made += [done.id for done in written]

    @rule(section=SECTIONS)
    def behind(self, section: str) -> None:
        """Another process writes, and leaves the documents to the next write."""
        other, _ = reopen(self.house.workspace.place.directory, self.clock)
        with other:
            (done,) = other.write([Create(Memory(self._text("other"), section=section))])
            self.made.append(done.id)
        self.house.documents.render()

    @rule(name=st.sampled_from(["MEMORY.md", "memory/workflow.md", "memory/db.md"]), last=st.booleans())
    def edit(self, name: str, last: bool) -> None:
        """A person types a line behind a bullet, or takes the last one out."""
        path = self.house.workspace.place.documents / name
        if not path.exists():
            return
        lines = path.read_text().splitlines(keepends=True)
        bullets = [at for at, line in enumerate(lines) if line.startswith("- old")]
        if not bullets:
            return
        if last:
            del lines[bullets[-1]]
        else:
            lines.insert(bullets[0] + 1, f"- {self._text('typed')}\n")
        path.write_text("".join(lines))
        self.house.documents.adopt()

    def _standing(self, which: int) -> str | None:
        ids = [id_ for id_ in self.made if self.house.entry(id_).live]
        return ids[which % len(ids)] if ids else None

    @invariant()
    def documents_are_those_of_a_replay(self) -> None:
        if self.made:
            assert tree(self.house.workspace.place.documents) == replayed(self.house.workspace)


TestWriting = Writing.TestCase
TestWriting.settings = settings(max_examples=settings().max_examples // 6, stateful_step_count=14)


@pytest.fixture
def full(tmp_path: Path) -> tuple[MemoryLedger, Clock]:
    """Return a ledger whose overflow file is plain and holds some three hundred memories."""
    house, clock = build(tmp_path / "ledger")
    house.write([Create(Memory(f"fact {number:03}", section="Workflow")) for number in range(500)])
    return house, clock


def _drawn(monkeypatch: pytest.MonkeyPatch, write: Callable[[], object]) -> int:
    """Return how many documents with known changes a write draws as a whole all the same."""
    drawn: list[patching.DrawnPage] = []

    class Noted(patching.DrawnPage):
        @property
        def pieces(self) -> list[DocumentPiece]:
            if self.changes is not None:
                drawn.append(self)
            return super().pieces

    with monkeypatch.context() as patch:
        patch.setattr(folder, "DrawnPage", Noted)
        write()
    return len(drawn)


def test_what_comes_goes_and_changes_is_put_between_the_lines(
    full: tuple[MemoryLedger, Clock], monkeypatch: pytest.MonkeyPatch
) -> None:
    house, _ = full
    (second,) = house.write([Create(Memory("second", section="Workflow"))])
    ids = {entry.memory.text: entry.id for entry in house.load_all()}
    writes: list[Callable[[], object]] = [
        lambda: house.store(Memory("one more", section="Workflow")),
        lambda: house.delete([ids["fact 004"]]),
        lambda: house.supersede([ids["fact 007"]], Memory("another", section="Workflow")),
        lambda: house.delete([second.id]),
    ]
    for write in writes:
        assert _drawn(monkeypatch, write) == 0
        assert tree(house.workspace.place.documents) == replayed(house.workspace)
    house.close()


def test_a_file_with_more_than_bullets_is_drawn_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    house, _ = build(tmp_path / "ledger")
    memories = [
        Memory("with a body", body="loose\n"),
        *(Memory(f"fact {number:03}") for number in range(500)),
    ]
    (_, going, *_) = house.write([Create(memory) for memory in memories])
    assert _drawn(monkeypatch, lambda: house.delete([going.id])) > 0
    assert tree(house.workspace.place.documents) == replayed(house.workspace)
    house.close()


def test_the_work_of_a_write_does_not_grow_with_the_ledger(tmp_path: Path) -> None:
    calls = {}
    for many in (300, 1200):
        house, _ = build(tmp_path / str(many))
        house.write([Create(Memory(f"fact {number}", section="Workflow")) for number in range(many)])
        for number in range(3):
            house.store(Memory(f"warm {number}", section="Workflow"))
        count = 0

        def noted(_frame: object, event: str, _argument: object) -> None:
            nonlocal count
            count += event in ("call", "c_call")

        sys.setprofile(noted)
        try:
            house.store(Memory("one more", section="Workflow"))
        finally:
            sys.setprofile(None)
        calls[many] = count
        house.close()
    assert calls[1200] < 1.25 * calls[300]
