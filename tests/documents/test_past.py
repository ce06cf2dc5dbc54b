"""Looking back at a real ledger: the same answers as then, and no trace of having looked (P-94…P-97)."""

from __future__ import annotations

from pathlib import Path

import pytest

from documents.document_blame import EDITED, MISSING, OLDER, SAME, blamed
from documents.replayed_documents import replayed
from ledger.command import Supersede
from ledger.errors import NotFoundError
from ledger.instant import parsed
from muniment import Memory, MemoryLedger, Provenance
from projections.past import between
from projections.query import Filter
from tests.projections.house import build, tree


@pytest.fixture
def lived(tmp_path: Path) -> MemoryLedger:
    """A ledger with a life of 200 days: bullets, a note, a topic, a day; corrections, a delete, a confirm."""
    memory, clock = build(tmp_path / "ledger")
    body = "| a | b |\r\n|---|---|\r\n| 1 | 2 |\r\n"
    one = memory.store(Memory("Use npm", details=("in CI", "locally"))).id
    memory.store(Memory("A table", body=body, type="note", section="Own"))
    clock.pass_days(50)
    memory.store(Memory("Tokens expire", topic="auth/tokens", tags=("auth",), body="After an hour.\n"))
    memory.store(Memory("Met Ada", tier="daily", provenance=Provenance(date="2026-02-24")))
    two = memory.supersede([one], Memory("Use pnpm", details=("in CI", "locally"))).id
    clock.pass_days(60)
    memory.delete([memory.store(Memory("A guess")).id])
    memory.confirm([two])
    clock.pass_days(90)
    memory.supersede([two], Memory("Use pnpm", details=("in CI", "everywhere"), topic="auth/tokens"))
    return memory


def events_of(memory: MemoryLedger) -> list[str]:
    """Return every event but the genesis, as @N."""
    return [f"@{row.seq}" for row in memory.log()][1:]


def test_the_blamed_lines_of_every_document_at_every_event_are_the_document(lived: MemoryLedger) -> None:
    """Joined, as `replay --as-of` writes it."""
    for instant in events_of(lived):
        documents = replayed(lived.workspace, instant)
        with lived.recall.at(instant) as past:
            for path, data in documents.items():
                found = blamed(past.source, path)
                assert "".join(line.text for line in found.lines).encode() == data, (instant, path)
                assert found.path == path


def test_the_present_is_blamed_as_it_stands_on_disk(lived: MemoryLedger) -> None:
    """Same, edited, an earlier rendering, missing; looking writes nothing."""
    folder = lived.workspace.place.documents
    path = folder / "memories" / "auth" / "tokens.md"
    for name, data in tree(folder).items():
        found = blamed(lived.workspace, name)
        assert (found.file, "".join(line.text for line in found.lines).encode()) == (SAME, data)
    ours = path.read_bytes()
    lived.store(Memory("Rotate them", topic="auth/tokens"))
    path.write_bytes(ours)
    assert blamed(lived.workspace, "tokens").file == OLDER
    path.write_bytes(ours + b"\ntyped\n")
    before = tree(folder)
    found = blamed(lived.workspace, "tokens")
    assert (found.file, "".join(line.text for line in found.lines).encode()) == (EDITED, path.read_bytes())
    assert [line.text for line in found.lines if line.state == "unknown"] == ["typed\n"]
    assert tree(folder) == before
    path.unlink()
    assert blamed(lived.workspace, "tokens").file == MISSING


def test_who_moved_and_corrected_a_line_is_told(lived: MemoryLedger) -> None:
    """The detail that changed is the third version's, the one that stayed the first's, in another document."""
    lines = blamed(lived.workspace, "tokens").lines
    said = {line.text.strip(): line.version.seq for line in lines if line.version}
    assert (said["- in CI"], said["- everywhere"], said["## Use pnpm"]) == (1, 9, 5)


def test_the_past_answers_as_the_present_did(tmp_path: Path) -> None:
    """At each step of a life, what is listed then and later is the same."""
    memory, clock = build(tmp_path / "ledger")
    answers: dict[str, list[tuple[str, str, str]]] = {}

    def listed(of: MemoryLedger | None = None, at: str | None = None) -> list[tuple[str, str, str]]:
        with (of or memory).recall.at(at) as then:
            return [(e.id, e.status, e.fresh_since) for e in then.load_all(Filter(statuses=()))]

    one = memory.store(Memory("one")).id
    answers["@1"] = listed()
    two = memory.write([Supersede((one,), Memory("two", status="candidate"))])[0].id
    answers["@2"] = listed()
    clock.pass_days(1)
    memory.confirm([two])
    answers["@3"] = listed()
    memory.delete([two])
    answers["@4"] = listed()
    for instant, answer in answers.items():
        assert listed(at=instant) == answer
    assert len({str(answer) for answer in answers.values()}) == 4


def test_looking_back_leaves_no_trace(lived: MemoryLedger) -> None:
    """No use is counted, no file is made, the index of now stays; afterwards the past is closed."""
    before = sorted(path.name for path in lived.workspace.place.directory.iterdir())
    with lived.recall.at("@1") as past:
        assert [entry.memory.text for entry in past.search("npm")] == ["Use npm"]
        assert past.source.index.newest() == 1
        with pytest.raises(NotFoundError):
            past.resolve("@2")
    assert lived.workspace.local.uses() == {}
    assert lived.workspace.index.newest() == 9
    assert sorted(path.name for path in lived.workspace.place.directory.iterdir()) == before


def test_every_three_events_cover_each_other(lived: MemoryLedger) -> None:
    """Read from indexes: what A and C differ in, A and B do, or B and C; and B and now are B and the last."""
    last = events_of(lived)[-1]

    def named(first: str, second: str | None) -> set[str]:
        found = between(lived.workspace, first, second).found
        news = [change.new for change in found.changed]
        olds = [old for change in found.changed for old in change.old]
        gone = [one.entry for one in found.forgotten]
        return {e.id for e in (*found.learned, *found.confirmed, *found.erased, *news, *olds, *gone)}

    for middle in events_of(lived)[1:-1]:
        assert named("@1", last) <= named("@1", middle) | named(middle, last)
        assert named(middle, last) == named(middle, None)


def test_an_event_whose_clock_was_wrong_hides_or_shows_itself_alone(tmp_path: Path) -> None:
    """P-93, E-16: by the clock that `log` shows; the `ts` of all that follows a clock of 2036 is of 2036."""
    memory, clock = build(tmp_path / "ledger")
    clock.pass_days(1)
    one = memory.store(Memory("one")).id
    right = clock.now
    clock.now = parsed("2036-01-01T00:00:00.000000Z")
    memory.store(Memory("ahead"))
    clock.now = parsed("1970-01-01T00:00:00.000000Z")
    memory.store(Memory("behind"))
    clock.now = right
    memory.supersede([one], Memory("one, corrected"))
    clock.pass_days(1)
    memory.store(Memory("two"))
    last = memory.log()[-1]
    assert last.at < "2027"

    def listed(at: str) -> list[str]:
        with memory.recall.at(at) as then:
            return sorted(entry.memory.text for entry in then.load_all())

    assert listed(last.at) == ["behind", "one, corrected", "two"]
    assert listed(memory.log()[-2].at) == ["behind", "one, corrected"]
    assert listed(memory.log()[1].at) == ["behind", "one"]
    assert listed("2036-01-02") == ["ahead", "behind", "one, corrected", "two"]
    assert listed("2000-01-01") == ["behind"]

    found = between(memory.workspace, memory.log()[1].at, last.at).found
    assert [entry.memory.text for entry in found.learned] == ["two"]
    assert [change.new.memory.text for change in found.changed] == ["one, corrected"]
    found = between(memory.workspace, last.at, "2036-01-02").found
    assert [entry.memory.text for entry in found.learned] == ["ahead"]
