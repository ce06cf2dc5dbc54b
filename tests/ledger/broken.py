"""Breaks a test's chain as disks and people do, and says whether it goes on after a recovery."""

from __future__ import annotations

from ledger.recovery import Recovered
from tests.ledger.world import World, flipped, lines_of, overwrite


def cut_to(world: World, lines: int) -> bytes:
    """Roll the chain back to so many lines; return the bytes that went."""
    whole = world.path.read_bytes()
    kept = b"".join(lines_of(world.path)[:lines])
    overwrite(world.path, kept)
    return whole[len(kept) :]


def damage(world: World, line: int, at: int = 60) -> bytes:
    """Change a byte of a line (from 0); return all bytes from that line on."""
    lines = lines_of(world.path)
    lines[line] = flipped(lines[line], at)
    overwrite(world.path, b"".join(lines))
    return b"".join(lines[line:])


def goes_on_after(world: World, done: Recovered, *texts: str) -> None:
    """Assert that the recover event stands in a new epoch, the chain is sound, and appends work again."""
    event = world.events()[-1]
    assert (event.id, event.kind, event.epoch) == (done.id, "recover", 1)
    assert world.codes() == []
    assert world.verify().completeness.state == "sound"
    world.goes_on(*texts)
    assert world.events()[-1].epoch == 1
