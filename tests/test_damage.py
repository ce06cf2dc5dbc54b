"""Each way in which a chain file breaks has a message of its own, from `verify` and from the next writer.

Tests specs/verification.md (V-2) and specs/chain.md (C-9…C-12) as a person meets them: a ledger of three
memories, one fault, two commands. What each fault is to the code is tested where the code is.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cli.driver import run, user_ledger
from tests.ledger.world import lines_of, overwrite

Change = Callable[[list[bytes]], list[bytes]]


class Damage(NamedTuple):
    """A fault of the lines, a line of what verify says of it, and what the next `add` says.

    Without words the writer goes on: the fault is no acknowledged event's, or lies before the marked one,
    where only verify looks (C-12).
    """

    name: str
    change: Change
    verify: str
    add: str = ""


def edited(number: int, old: bytes, new: bytes) -> Change:
    """Change one place of a line (counted from 1)."""

    def change(lines: list[bytes]) -> list[bytes]:
        assert old in lines[number - 1]
        return [line.replace(old, new, 1) if n == number else line for n, line in enumerate(lines, 1)]

    return change


def flipped_after(number: int, place: bytes) -> Change:
    """Change the hex digit that follows a place of a line, and keep it one."""

    def change(lines: list[bytes]) -> list[bytes]:
        line = lines[number - 1]
        at = line.index(place) + len(place)
        digit = b"0" if line[at : at + 1] != b"0" else b"1"
        return [*lines[: number - 1], line[:at] + digit + line[at + 1 :], *lines[number:]]

    return change


def middle(lines: list[bytes], new: bytes) -> list[bytes]:
    """Put a line before the third."""
    return [*lines[:2], new, *lines[2:]]


ROLLED_BACK = "was rolled back: event @3 (ID) was acknowledged here, but "
ORDER = "lines are missing, doubled or out of order [seq, C-3]"
DAMAGES = (
    Damage(
        "cut tail",
        lambda lines: lines[:-1],
        "event @3 (ID) was acknowledged here, but the chain ends at @2 [rollback, V-9]",
        ROLLED_BACK + "the file has N bytes and ends before it does",
    ),
    Damage(
        "half of the last line",
        lambda lines: [*lines[:-1], lines[-1][:-60]],
        "line 4: the line does not end as an event does [framing, E-1]",
        ROLLED_BACK + "the file has N bytes and ends before it does",
    ),
    Damage(
        "emptied file",
        lambda _: [],
        "the chain file is empty: it was emptied, or its start is lost [empty-chain, C-2]",
        "does not begin with a good event (it is empty)",
    ),
    Damage(
        "swapped lines",
        lambda lines: [lines[0], lines[2], lines[1], lines[3]],
        f"line 2: seq is 2 where 1 must follow: {ORDER}",
    ),
    Damage(
        "duplicated line",
        lambda lines: middle(lines, lines[1]),
        f"line 3: seq is 1 where 2 must follow: {ORDER}",
        ROLLED_BACK + "another event is in its place",
    ),
    Damage(
        "deleted line",
        lambda lines: [lines[0], *lines[2:]],
        f"line 2: seq is 2 where 1 must follow: {ORDER}",
        ROLLED_BACK + "the file has N bytes and ends before it does",
    ),
    Damage(
        "LF missing at the end",
        lambda lines: [*lines[:-1], lines[-1][:-1]],
        "line 4: the last line lacks its line feed: a write was cut off (the next append repairs it) [missing-lf, C-1]",
    ),
    Damage(
        "CRLF",
        lambda lines: [line[:-1] + b"\r\n" for line in lines],
        "line 1: byte N of the line is a carriage return (was the file saved with CRLF?) [raw-control, E-3]",
        "carriage return (was the file saved with CRLF?)",
    ),
    Damage(
        "byte-order mark",
        lambda lines: [b"\xef\xbb\xbf" + lines[0], *lines[1:]],
        "line 1: a byte-order mark precedes the event [bom, E-3]",
        "a byte-order mark precedes the event",
    ),
    Damage(
        "blank line",
        lambda lines: middle(lines, b"\n"),
        "line 3: the line is blank [blank-line, C-1]",
        ROLLED_BACK + "other lines are in its place",
    ),
    Damage(
        "unknown member",
        edited(3, b'"v":1}', b'"u":1,"v":1}'),
        "line 3: a create has no member u [schema, E-14]",
        ROLLED_BACK + "other lines are in its place",
    ),
    Damage(
        "duplicate member",
        edited(3, b'"v":1}', b'"v":1,"v":1}'),
        "line 3: the event is not canonical: order of keys, spaces, escapes, or a key twice [not-canonical, E-7]",
        ROLLED_BACK + "other lines are in its place",
    ),
    Damage(
        "float",
        edited(3, b'"epoch":0', b'"epoch":0.0'),
        "line 3: the event is not canonical: a float (0.0); only integers are allowed [not-canonical, E-6]",
        ROLLED_BACK + "other lines are in its place",
    ),
    Damage(
        "keys in another order",
        edited(3, b'"epoch":0,"kind":"create"', b'"kind":"create","epoch":0'),
        "line 3: the event is not canonical: order of keys, spaces, escapes, or a key twice [not-canonical, E-7]",
    ),
    Damage(
        "line of 10 MB",
        lambda lines: middle(lines, b"x" * 10_000_000 + b"\n"),
        "line 3: the line is longer than the 65535 bytes that are allowed [line-too-long, E-2]",
        ROLLED_BACK + "other lines are in its place",
    ),
    Damage(
        "zeroed page in the middle",
        lambda lines: [lines[0], lines[1][:100] + bytes(200) + lines[1][300:], *lines[2:]],
        "line 2: byte N of the line is a zero byte (a lost disk page?) [raw-control, E-3]",
    ),
    Damage(
        "changed event",
        flipped_after(3, b'"commit":"'),
        "line 3: the signature does not match: the line was changed, or signed with another key [signature, E-9]",
    ),
    Damage(
        "changed id of the line before",
        flipped_after(3, b'"prev":"'),
        "line 3: prev is not the id of the line before: one of the two was changed [prev, C-3]",
    ),
    Damage(
        "changed text",
        edited(3, b'"two"', b'"tow"'),
        "line 3: the payload is not what was signed [payload-altered, E-12]",
    ),
)


@pytest.fixture
def chain() -> Path:
    """The chain of a user's ledger of three memories."""
    return user_ledger("one", "two", "three") / "chain.jsonl"


def plain(text: str) -> str:
    """Return output with ids, sizes and offsets left out."""
    text = re.sub(r"\([0-9a-f]{12}\)", "(ID)", text)
    return re.sub(
        r"(?<=has )\d+(?= bytes)|(?<=stands at )\d+|(?<=at byte )\d+|(?<=: byte )\d+(?= of)", "N", text
    )


def damaged(chain: Path, damage: Damage) -> None:
    before = lines_of(chain)
    after = damage.change(before)
    assert after != before
    overwrite(chain, b"".join(after))


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: str(damage.name))
def test_a_damage_is_told_with_its_line_and_what_to_do(chain: Path, damage: Damage) -> None:
    damaged(chain, damage)
    found = run("verify")
    assert found.code == 1
    assert f"  {damage.verify}" in plain(found.out).splitlines()
    added = run("add", "more")
    assert added.code == (7 if damage.add else 0)
    assert damage.add in plain(added.err)
    assert len(added.err.splitlines()) == (1 if damage.add else 0)
    assert not damage.add or "muniment re" in added.err  # recover, or restore


def test_no_two_damages_are_told_alike(chain: Path) -> None:
    """From what verify finds, all of it together, a person can tell what happened to the file."""
    good = chain.read_bytes()
    told: dict[str, str] = {}
    for damage in DAMAGES:
        damaged(chain, damage)
        findings = [line for line in plain(run("verify").out).splitlines() if line.startswith("  ")]
        overwrite(chain, good)
        other = told.setdefault("\n".join(findings), damage.name)
        assert other == damage.name
    assert run("verify").code == 0


@pytest.mark.parametrize("left", [1, 13, -1])
def test_a_write_that_was_killed_is_said_to_be_one_and_is_no_damage(
    chain: Path, isolated: Path, left: int
) -> None:
    """V-10: what it left was never acknowledged; whole but for its LF, too."""
    marks = isolated / ".local/state/muniment/marks"
    shutil.copytree(marks, isolated / "marks")
    run("add", "four").ok()
    shutil.rmtree(marks)
    (isolated / "marks").rename(marks)
    *before, line = lines_of(chain)
    overwrite(chain, b"".join([*before, line[:left]]))
    for path in chain.parent.glob("memory.db*"):
        path.unlink()
    run("list").ok()
    found = run("verify")
    size = len(line[:left])
    said = f"A write did not finish: {size} byte{'s' if size > 1 else ''} of it at the end; "
    assert said + "the next write removes or completes them." in found.out
    assert "integrity     sound" in found.out
    assert "completeness  sound" in found.out
    assert [
        each for each in run("doctor", "--json").json if each["check"] == "chain" and not each["ok"]
    ] == []
    run("add", "after").ok()
    assert "did not finish" not in run("verify").ok().out
