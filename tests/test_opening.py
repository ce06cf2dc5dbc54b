"""What a program that calls the library wrongly is told: one error of ours, and nothing is made or signed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import muniment
from muniment import Memory, RecordError, UsageError


def test_there_is_no_other_scope(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """F-7: a word that is none founds no project's ledger."""
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    for call in (muniment.init, muniment.open):
        with pytest.raises(UsageError, match="there is no scope 'projct': user, project and local are"):
            call(scope="projct")
    assert sorted(tmp_path.iterdir()) == before


def test_a_type_that_there_is_not_is_refused_as_a_record(isolated: Path) -> None:
    """M-4: as every other member is, also where its section would follow from it."""
    with muniment.init() as memory:
        memory.store(Memory("one"))
        for type_ in ("pref", ["fact"]):
            with pytest.raises(RecordError, match="type "):
                memory.store(Memory("two", type=type_))  # type: ignore[arg-type]
        assert [entry.memory.text for entry in memory.load_all()] == ["one"]


@pytest.mark.parametrize("member", ["tags", "details", "when_to_use"])
def test_a_text_is_no_list_of_letters(isolated: Path, member: str) -> None:
    """M-4: a comma that was forgotten is told of."""
    wrong: dict[str, Any] = {member: "abc"}
    with muniment.init() as memory:
        with pytest.raises(RecordError, match=member):
            memory.store(Memory("one", **wrong))
        assert memory.load_all() == []


def test_a_text_alone_is_one_id(isolated: Path) -> None:
    """X-6: what takes many takes one."""
    with muniment.init() as memory:
        one = memory.store(Memory("one")).id
        two = memory.supersede(one, Memory("two")).id
        memory.confirm("@2")
        memory.delete(two[:12])
        memory.erasures.erase(two, "not ours to keep")
        assert memory.load_all() == []


def test_a_text_alone_is_a_memory_that_says_it(isolated: Path) -> None:
    """S-8: what most who try the library out write first."""
    with muniment.init() as memory:
        one = memory.store("Deploys happen on Mondays").id
        memory.supersede(one, "Deploys happen on Tuesdays", reason="moved")
        assert [entry.memory for entry in memory.load_all()] == [Memory("Deploys happen on Tuesdays")]
