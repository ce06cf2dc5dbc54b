"""muniment anchor ots: stamp, upgrade, verify, and what verify of the ledger makes of it.

Tests specs/cli.md (X-274), specs/anchors.md (W-20…W-23, W-60…W-62) and specs/verification.md (V-41, V-42).
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from proofs import checkpoint, ots
from tests.cli.driver import run
from tests.loopback import serving
from tests.proofs.outside import Calendar, calendar


def test_stamped_upgraded_and_verified_by_a_header(
    ledger: Path, one_calendar: Calendar, tmp_path: Path
) -> None:
    """From a promise to a time, each step by a command, and nothing is claimed before it is shown."""
    stamped = run("anchor", "ots", "stamp", one_calendar.uri, "--json").ok().json
    file = Path(stamped["file"])
    assert file == ledger / "anchors/0-3.ots"
    text = checkpoint.parse((ledger / "anchors/0-3.checkpoint").read_bytes())[0].text()
    assert ots.read(file.read_bytes()).digest == hashlib.sha256(text).digest()
    said = run("verify").ok().out
    assert "time          not checked" in said
    assert f"the promise of {one_calendar.uri}: not checked: in no block yet" in said

    early = run("anchor", "ots", "upgrade", one_calendar.uri).ok().out
    assert "nothing new" in early
    assert "Pending confirmation" in early
    one_calendar.mine()
    assert "1 block new" in run("anchor", "ots", "upgrade", one_calendar.uri).ok().out

    said = run("verify").ok().out
    assert f"the header of block {one_calendar.height} is not given (--headers)" in said
    headers = tmp_path / "headers"
    headers.write_text(f"# from my node\n{one_calendar.height} {one_calendar.header.hex()}\n")
    value = run("verify", "--headers", headers, "--json").ok().json
    assert value["time"]["state"] == "sound"
    assert value["evidence"][0]["time"] == "2026-09-21T14:13:20.000000Z"
    assert "not checked: the proof of work" in value["evidence"][0]["message"]
    assert f"confirmed by the block {one_calendar.height} of Bitcoin" in value["completeness"]["sentence"]


def test_a_header_of_another_block_and_another_checkpoint_do_not_hold(
    ledger: Path, one_calendar: Calendar, tmp_path: Path
) -> None:
    file = run("anchor", "ots", "stamp", one_calendar.uri, "--json").ok().json["file"]
    one_calendar.mine()
    run("anchor", "ots", "upgrade", one_calendar.uri).ok()
    other = bytearray(one_calendar.header)
    other[50] ^= 1
    headers = tmp_path / "headers"
    headers.write_text(f"{one_calendar.height} {other.hex()}\n")
    found = run("verify", "--headers", headers, "--json")
    assert found.code == 1
    assert found.json["time"]["findings"][0]["code"] == "anchor-wrong"
    run("add", "three").ok()
    run("anchor", "checkpoint").ok()
    (ledger / "anchors/0-5.ots").write_bytes(Path(file).read_bytes())
    assert "0-5.ots: it is of another digest than the checkpoint's" in run("verify").out


def test_two_calendars_and_an_event_each_stamp(ledger: Path, one_calendar: Calendar) -> None:
    """A second stamp of the same checkpoint goes into the same file: only anchors came since."""
    with calendar() as two:
        run("anchor", "ots", "stamp", one_calendar.uri, two.uri).ok()
        run("anchor", "ots", "stamp", two.uri).ok()
    assert [path.name for path in sorted((ledger / "anchors").iterdir())] == ["0-3.checkpoint", "0-3.ots"]
    events = run("log", "--kind", "anchor", "--json").ok().json_lines
    assert len(events) == 2
    raw = json.loads(run("show", events[0]["id"], "--raw").ok().out)
    assert raw["payload"]["where"] == f"{one_calendar.uri} {two.uri}"


def test_a_calendar_that_fails_leaves_nothing_but_the_checkpoint(
    ledger: Path, one_calendar: Calendar
) -> None:
    before = (ledger / "chain.jsonl").read_bytes()
    with serving(lambda _: (200, b"\xff" * 5000)) as address:
        done = run("anchor", "ots", "stamp", one_calendar.uri, address)
    assert (done.code, done.out, done.err.count("\n")) == (14, "", 1)
    assert (ledger / "chain.jsonl").read_bytes() == before
    assert not list((ledger / "anchors").glob("*.ots"))


def test_an_upgrade_asks_only_whom_the_person_names(ledger: Path, one_calendar: Calendar) -> None:
    run("anchor", "ots", "stamp", one_calendar.uri).ok()
    with calendar() as other:
        done = run("anchor", "ots", "upgrade", other.uri)
        assert done.code == 3
        assert f"no timestamp is pending at {other.uri}" in done.err
        assert not other.asked


def test_a_damaged_file_is_a_finding_and_no_crash(ledger: Path, one_calendar: Calendar) -> None:
    file = Path(run("anchor", "ots", "stamp", one_calendar.uri, "--json").ok().json["file"])
    whole = file.read_bytes()
    for damaged in (b"", whole[:-3], b"x" * 100, whole + b"\0"):
        file.write_bytes(damaged)
        done = run("verify")
        assert done.code == 1
        assert "[anchor-wrong, V-42]" in done.out
    file.write_bytes(b"\0" * (2 << 20))
    done = run("verify")
    assert "more than 1048576 bytes" in done.out


def test_a_headers_file_that_is_none_is_refused_with_its_line(ledger: Path, tmp_path: Path) -> None:
    headers = tmp_path / "headers"
    for text in ("900000 00ff\n", "x " + "00" * 80 + "\n", "00" * 80 + "\n"):
        headers.write_text("# mine\n" + text)
        done = run("verify", "--headers", headers)
        assert done.code == 2
        assert f"{headers}: line 2 of the headers" in done.err
    assert run("verify", "--headers", tmp_path / "none").code == 2
