"""What renderings showed is kept as changes (P-211), and read back as it was noted."""

from __future__ import annotations

import random
import tempfile
from contextlib import closing
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from projections.local import Local, Settled
from projections.shown_blocks import BLOCK_SIZE
from projections.shown_rows import KEPT, Before

FOLDER = Path("/folder")


def blocks(numbers: list[int]) -> bytes:
    return b"".join(number.to_bytes(BLOCK_SIZE) for number in numbers)


def note(local: Local, digest: str, shown: bytes, before: Before | None) -> None:
    local.settle(FOLDER, [Settled("a.md", digest, 0, shown, (), before)])


def sizes(local: Local) -> list[int]:
    rows = local.database.connection().execute("SELECT length(blocks) FROM shown ORDER BY n").fetchall()
    return [size for (size,) in rows]


@given(st.randoms(use_true_random=False), st.integers(1, 60))
def test_every_rendering_is_read_as_it_was_noted(rng: random.Random, many: int) -> None:
    """Whatever came, went or came back, and whichever rendering it was made of."""
    with tempfile.TemporaryDirectory() as scratch, closing(Local(Path(scratch))) as local:
        _live(local, rng, many)


def _live(local: Local, rng: random.Random, many: int) -> None:
    noted: list[Before] = []
    numbers = list(range(40))
    for number in range(many):
        for _ in range(rng.randint(0, 3)):
            at = rng.randrange(len(numbers) + 1)
            numbers[at : at + rng.randint(0, 2)] = [rng.randrange(1000) for _ in range(rng.randint(0, 2))]
        now = Before(str(rng.choice([number, number, number, rng.randrange(number + 1)])), blocks(numbers))
        before = noted[rng.choice([-1, -1, -1, 0])] if noted else None
        note(local, *now, before)
        noted = [each for each in noted if each.digest != now.digest] + [now]
        assert local.shown_as(FOLDER, "a.md", now.digest) == now.blocks
    shown = local.shown(FOLDER, "a.md")
    assert shown == [tuple(each) for each in reversed(noted)][: len(shown)]
    assert min(len(noted), KEPT) <= len(shown) <= 2 * KEPT + 2
    assert local.shown_elsewhere(Path("/other"), "a.md") == shown


def test_the_cost_of_noting_follows_the_change(tmp_path: Path) -> None:
    local = Local(tmp_path)
    numbers = list(range(10_000))
    before = None
    for number in range(10):
        numbers.insert(5000, 10_000 + number)
        now = Before(str(number), blocks(numbers))
        note(local, *now, before)
        before = now
    whole, *changes = sizes(local)
    assert whole == 10_001 * BLOCK_SIZE
    assert max(changes) < 100
    local.close()


def test_what_nobody_can_read_is_no_rendering(tmp_path: Path) -> None:
    """P-64."""
    local = Local(tmp_path)
    one = Before("1", blocks(list(range(100))))
    note(local, *one, None)
    note(local, "2", blocks(list(range(101))), one)
    local.database.connection().execute("UPDATE shown SET blocks = x'00'")
    assert local.shown_as(FOLDER, "a.md", "2") == b""
    local.close()
