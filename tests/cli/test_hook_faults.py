"""What doctor says of hooks (specs/doors.md G-2), and the log that it reads."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from agents.hooks import fault_log, handover, user_folders
from tests.agents.hooks.calling import hook
from tests.cli.driver import run

pytestmark = pytest.mark.usefixtures("ledger")  # seen from an empty folder


def told(env: dict[str, str] | None = None) -> list[tuple[str, str]]:
    found = run("doctor", "--json", env=env).json
    return [(one["level"], one["message"]) for one in found if one["check"] == "hooks"]


def test_faults_are_told_by_kind_with_the_newest_time() -> None:
    """G-2: those of the last day are faults, those of the last week advice, older ones are not told."""
    assert told() == [("ok", "no hook failed in the last 7 days")]
    for _ in range(3):
        hook(b"no JSON")
    with Path(fault_log.log()).open("a") as log:
        for days, what in ((3, "older"), (9, "oldest")):
            at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - days * 86400))
            log.write(json.dumps({"at": at, "program": "codex", "event": "Stop", "what": what}) + "\n")
        log.write('not a JSON\n{"at": 7}\n[]\n')
    (level, message), (other, older) = told()
    assert (level, other) == ("fault", "advice")
    assert message.startswith("claude: the event is not JSON (3 times, last 20")
    assert older.startswith("codex Stop: older (once, last 20")
    assert run("doctor").code == 1


def test_what_waits_for_long_is_advice() -> None:
    """G-2."""
    handover.put({"kind": "transcript"})
    assert told()[0][0] == "ok"
    for path in (Path(user_folders.hooks()) / handover.SPOOL).iterdir():
        os.utime(path, (0, 0))
    ((level, message),) = told()
    assert level == "advice"
    assert message.startswith("1 events of agents' sessions wait")


def test_the_log_is_cut_to_its_newest_half() -> None:
    """G-2."""
    for number in range(2000):
        fault_log.note("claude", "Stop", f"{number} {'x' * 150}")
    lines = [json.loads(line) for line in Path(fault_log.log()).read_text().splitlines()]
    assert Path(fault_log.log()).stat().st_size <= fault_log.MOST_BYTES
    numbers = [int(line["what"].split()[0]) for line in lines]
    assert numbers == list(range(numbers[0], 2000))
    assert Path(fault_log.log()).stat().st_mode & 0o777 == 0o600


def test_an_error_is_told_without_its_words() -> None:
    """G-2: never a word of a prompt."""
    with pytest.raises(KeyError) as caught:
        raise KeyError("the secret word")
    assert fault_log.said_of(caught.value).startswith("KeyError at test_hook_faults.py:")
    assert fault_log.said_of(OSError(28, "words", "/path")).startswith("OSError (No space left on device)")
