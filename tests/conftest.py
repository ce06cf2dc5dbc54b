"""What every test gets: a home of its own, an environment without agents, and repeatable property tests.

Nothing here knows muniment; builders of ledgers stand beside the tests that use them.
"""

from __future__ import annotations

import gc
import itertools
import os
import shutil
import signal
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import settings

# No deadlines: time is measured in benchmarks, never asserted. "ci" finds the same few examples in every run; "soak" looks for
# many new ones, in longer lives; HYPOTHESIS_PROFILE=dev looks for new ones and remembers what failed. A test whose examples cost much
# takes a share of its profile's number, never a number of its own.
settings.register_profile(
    "ci",
    deadline=None,
    max_examples=24,
    stateful_step_count=25,
    derandomize=True,
    database=None,
    print_blob=True,
)
settings.register_profile(
    "soak", deadline=None, max_examples=500, stateful_step_count=60, database=None, print_blob=True
)
settings.register_profile("dev", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

# Tests sync hundreds of thousands of times. If memory has room, all temporary folders lie in it: no test can see a loss of power.
_MEMORY, _ROOM = Path("/dev/shm"), 8 << 30
if os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > _ROOM:
    os.environ.setdefault("TMPDIR", str(_MEMORY))
    tempfile.tempdir = None  # pytest has asked for it before

# Of what is collected nothing goes before the end: no collection of cycles looks through it, now or later.
gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


# A shell starts what runs in its background with Ctrl-C ignored, and every child would inherit that.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# So does nohup with the end of the terminal.
if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

PLACES = {
    "HOME": "home",
    "MUNIMENT_HOME": "home/.muniment",
    "MUNIMENT_STATE": "home/.local/state/muniment",
    "XDG_STATE_HOME": "home/.local/state",
    "XDG_CONFIG_HOME": "home/.config",
    "XDG_DATA_HOME": "home/.local/share",
    "XDG_CACHE_HOME": "home/.cache",
    "LLM_USER_PATH": "home/.config/io.datasette.llm",
}
"""Variables that lead to a person's files, and where they lead in a test; only `home` itself exists."""

CLEARED = (
    "AGENT",
    "AI_AGENT",
    "AIDER",
    "ANTHROPIC_",
    "CLAUDE",
    "CODEX",
    "COPILOT",
    "CURSOR",
    "GEMINI",
    "GOOSE",
    "MUNIMENT",
    "OPENCLAW",
    "OPENCODE",
    "CLICOLOR",
    "COLUMNS",
    "EDITOR",
    "FORCE_COLOR",
    "GIT_",
    "LINES",
    "LLM_",
    "NO_COLOR",
    "OPENAI_",
    "PAGER",
    "PYTHONPATH",
    "TERM_PROGRAM",
    "VISUAL",
)
"""Variables that begin so are taken away: they say that an agent is at work, or change what is shown."""

_count = itertools.count()


@pytest.fixture(autouse=True)
def isolated(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Path:
    """Give the test an empty home and an environment that says nothing about this machine; return the home.

    The person's own file lets their scripts act for them (specs/cli.md X-292), since tests have no terminal; the mark
    `no_scripts` leaves it out. The directories are kept after a failure as pytest keeps `tmp_path`; `tmp_path` itself stays empty.
    """
    base = tmp_path_factory.getbasetemp() / "isolated" / str(next(_count))
    for name in list(os.environ):
        if name.startswith(CLEARED):
            monkeypatch.delenv(name)
    for name, place in PLACES.items():
        monkeypatch.setenv(name, f"{base}/{place}")
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("TZ", "NPT-05:45")  # what shows local time by mistake differs from UTC everywhere
    time.tzset()
    home = base / PLACES["HOME"]
    home.mkdir(parents=True)
    if not request.node.get_closest_marker("no_scripts"):
        own = base / PLACES["MUNIMENT_HOME"]
        own.mkdir(mode=0o700)
        (own / "config.toml").write_text("scripts = true\n")
    return home
