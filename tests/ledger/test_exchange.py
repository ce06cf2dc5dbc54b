"""A file is put in the place of one that others may save at any moment. Tests specs/projections.md (P-82)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ledger import durable, exchange

OURS, BEFORE, THEIRS = b"ours", b"before", b"theirs"


@pytest.fixture(params=["in one step", "without the system's help"])
def saving(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[list[Callable[[], object]]]:
    """What others do right before each of our steps, in turn."""
    todo: list[Callable[[], object]] = []
    real = exchange.exchanged

    def exchanged(one: bytes, other: bytes) -> bool:
        if todo:
            todo.pop(0)()
        return request.param == "in one step" and real(one, other)

    monkeypatch.setattr(exchange, "exchanged", exchanged)
    yield todo
    assert not todo


def _moved_over(path: Path, data: bytes) -> None:
    path.with_name("theirs").write_bytes(data)
    path.with_name("theirs").replace(path)


def test_what_stood_there_gives_way(tmp_path: Path, saving: list[Callable[[], object]]) -> None:
    path = tmp_path / "file"
    path.write_bytes(BEFORE)
    status = exchange.put(path, OURS, BEFORE)
    assert status is not None
    assert status.st_ino == path.stat().st_ino
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == OURS


@pytest.mark.parametrize("save", [Path.write_bytes, _moved_over])
def test_what_was_saved_meanwhile_goes_back(
    tmp_path: Path, saving: list[Callable[[], object]], save: Callable[[Path, bytes], object]
) -> None:
    path = tmp_path / "file"
    path.write_bytes(BEFORE)
    saving.append(lambda: save(path, THEIRS))
    assert exchange.put(path, OURS, BEFORE) is None
    assert path.read_bytes() == THEIRS
    assert list(tmp_path.iterdir()) == [path]


def test_a_second_save_while_the_first_goes_back_stays(
    tmp_path: Path, saving: list[Callable[[], object]]
) -> None:
    path = tmp_path / "file"
    path.write_bytes(BEFORE)
    saving += [lambda: _moved_over(path, THEIRS), lambda: _moved_over(path, b"theirs again")]
    assert exchange.put(path, OURS, BEFORE) is None
    assert path.read_bytes() == b"theirs again"
    assert list(tmp_path.iterdir()) == [path]


def test_what_was_taken_away_meanwhile_stays_away(tmp_path: Path, saving: list[Callable[[], object]]) -> None:
    path = tmp_path / "file"
    path.write_bytes(BEFORE)
    saving.append(path.unlink)
    assert exchange.put(path, OURS, BEFORE) is None
    assert not list(tmp_path.iterdir())


def test_nothing_is_put_where_something_came_to_stand(tmp_path: Path) -> None:
    path = tmp_path / "file"
    assert exchange.put(path, OURS, None) is not None
    assert exchange.put(path, THEIRS, None) is None
    assert path.read_bytes() == OURS
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_came_to_stand_there_stays(tmp_path: Path) -> None:
    path = tmp_path / "file"
    (path / "inside").mkdir(parents=True)
    assert exchange.put(path, OURS, BEFORE) is None
    assert (path / "inside").is_dir()
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_is_removed_only_as_it_was_known(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(THEIRS)
    assert not exchange.take(path, BEFORE)
    assert path.read_bytes() == THEIRS
    assert exchange.take(path, THEIRS)
    assert not exchange.take(path, THEIRS)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("stands", "came_out", "left"),
    [
        (OURS, BEFORE, {"file": OURS}),
        (OURS, THEIRS, {"file": THEIRS}),
        (None, BEFORE, {}),
        (None, THEIRS, {"file": THEIRS}),
        (b"theirs again", THEIRS, {"file": b"theirs again", "file.edited-2": THEIRS}),
    ],
)
def test_what_came_out_of_its_place_is_looked_at_later(
    tmp_path: Path, stands: bytes | None, came_out: bytes, left: dict[str, bytes]
) -> None:
    """P-82: ours goes, and what a person saved stands in the end, wherever a death was."""
    path, out, kept = tmp_path / "file", tmp_path / ".file.7-0.out", tmp_path / "file.edited-1"
    assert exchange.OUT.fullmatch(out.name)
    if stands is not None:
        path.write_bytes(stands)
    out.write_bytes(came_out)
    kept.write_bytes(b"kept before")
    exchange.recover(out, path, {OURS, BEFORE}.__contains__)
    kept.unlink()
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == left


def test_what_came_out_of_its_place_has_a_name_that_nothing_has(tmp_path: Path) -> None:
    """P-82: a process that died may have had our number, and left an edit."""
    path = tmp_path / "file"
    path.write_bytes(BEFORE)
    before, number = durable.beside(path).stem.rsplit("-", 1)
    edits = [tmp_path / f"{before}-{int(number) + more}.out" for more in range(1, 6)]
    for edit in edits:
        edit.write_bytes(THEIRS)
    assert exchange.put(path, OURS, BEFORE) is not None
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == {
        "file": OURS,
        **{edit.name: THEIRS for edit in edits},
    }
