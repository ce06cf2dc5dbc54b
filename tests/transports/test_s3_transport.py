"""A bucket as a transport, with a real server: what it reads twice, refuses and survives (TM-76)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.transports.places import ADA, TEAM, Place, lines
from tests.transports.s3_server import Bucket
from tests.writers.machines import Machine, joined
from transports.choose import opened
from transports.protocol import UnreachableError


@pytest.fixture
def place(s3: Bucket, tmp_path: Path) -> Iterator[Place]:
    """A bucket that holds nothing of ours."""
    made = Place("s3", tmp_path, s3)
    yield made
    made.close()


def test_a_segment_is_read_once_however_often_heads_are_asked_for(place: Place, s3: Bucket) -> None:
    """Its lines are counted by its tag: another process goes on where this one ended, and sees what was replaced."""
    place.at("one").put(ADA, [lines(0, 3)])
    other = place.at("other")
    assert other.heads() == {ADA: 3}
    other.close()
    asked = s3.asked(f"{0:010d}.jsonl")
    assert asked
    again = place.at("other")
    assert again.heads() == {ADA: 3}
    assert s3.asked(f"{0:010d}.jsonl") == asked
    place.at("one").blank(ADA, lines(0, 2, word="blanked"))
    assert again.heads() == {ADA: 2}


def test_a_bucket_that_is_missing_is_named_with_what_to_check(s3: Bucket, tmp_path: Path) -> None:
    missing = opened(s3.address.replace("memory", "elsewhere"), TEAM, tmp_path)
    with pytest.raises(UnreachableError, match="check that the bucket exists"):
        missing.put(ADA, [lines(0)])


def test_a_team_travels_through_a_bucket(place: Place, s3: Bucket, tmp_path: Path) -> None:
    """TM-71: each machine gets what the other added, and what the bucket lost is put there again."""
    ada, ben = Machine(tmp_path, "ada"), Machine(tmp_path, "ben")
    ada.memory.team.init(place.address)
    joined(ada.memory, ben)
    ada.memory.store("The build runs on ARM")
    ada.memory.team.sync()
    ben.memory.team.sync()
    assert [each.memory.text for each in ben.memory.search("build")] == ["The build runs on ARM"]
    s3.empty()
    ben.memory.team.sync()
    again = opened(place.address, ada.memory.team.identity.id, tmp_path / "reader").heads()
    assert again[ada.genesis] == ada.memory.workspace.index.position() + 1
    for each in (ada, ben):
        each.close()


def test_without_a_key_nothing_is_asked(
    place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """TM-73: else the client looks for one at addresses of its own."""
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    with pytest.raises(UnreachableError, match="set AWS_SECRET_ACCESS_KEY"):
        opened(place.address, TEAM, tmp_path / "one").heads()
