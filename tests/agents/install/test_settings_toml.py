"""Tests agents/install/settings_toml.py against specs/doors.md (G-21, G-24)."""

from __future__ import annotations

import json
import re
import tomllib

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from agents.install.host import UnreadableError
from agents.install.settings_toml import SERVER, put, take

PIECES = (
    "# mine, [mcp_servers.muniment]\n",
    "\n",
    "   \n",
    'model = "gpt-5" # the best\n',
    "sandbox_mode   =  'read-only'\n",
    "[tui]\nnotifications = true\n",
    "  [ features ]  # on\n  hooks = true\n",
    '[mcp_servers.other]\ncommand = "other"\nargs = [\n  "x", # why\n]\n',
    '[mcp_servers.other.env]\nKEY = "[mcp_servers.muniment]"\n',
    '[mcp_servers."muniment-old"]\ncommand = "muniment"\nargs = ["mcp"]\n',
    "[[hooks.Stop]]\nx = nan\n",
    "[profiles.fast]\nmodel_reasoning_effort = 'low'\n",
    "when = 2026-11-22T10:00:00Z\n",
)


@st.composite
def files(draw: st.DrawFn) -> str:
    """Return a TOML file of pieces, in any order that is TOML, with any line ends."""
    text = "".join(draw(st.lists(st.sampled_from(PIECES), max_size=6, unique=True)))
    text = text if draw(st.booleans()) else text.rstrip("\n")
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        assume(False)
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


def plainly(said: object) -> str:
    """Return what a file says, without the order; a NaN is like another."""
    return json.dumps(said, sort_keys=True, default=str)


def installed(text: str) -> str:
    return put(text.encode()).decode()


def uninstalled(text: str) -> str | None:
    left = take(text.encode())
    return None if left is None else left.decode()


@given(files())
def test_what_is_put_in_stands_behind_all_else(text: str) -> None:
    """Not one byte of the file changes; it says the same, and ours; twice is once; ours has the file's line ends."""
    new = installed(text)
    assert new.startswith(text)
    said = tomllib.loads(new)
    assert said["mcp_servers"].pop("muniment") == SERVER
    before = tomllib.loads(text)
    assert plainly(said) == plainly({"mcp_servers": {}} | before)
    assert installed(new) == new
    assert not ("\r\n" in text and re.search(r"(?<!\r)\n", new))


@given(files())
def test_in_and_out_again_is_the_file_of_before(text: str) -> None:
    """Byte for byte, where its last line has an end; without one the backup knows better."""
    left = uninstalled(installed(text))
    if not text.strip():
        assert left is None
    elif text.endswith("\n"):
        assert left == text
    else:
        assert left is not None
        assert left.rstrip("\r\n") == text


@given(files(), st.sampled_from(PIECES))
def test_ours_is_taken_out_of_the_middle(text: str, more: str) -> None:
    """With the tables below it; what others wrote behind it stays, the comments above that too."""
    assume(text.endswith("\n"))
    new = installed(text) + "[mcp_servers.muniment.env]\nA = 'b'\n\n# about x\n[x]\n" + more
    try:
        before = tomllib.loads(new)
    except tomllib.TOMLDecodeError:
        assume(False)
    left = uninstalled(new)
    assert left is not None
    assert "\n# about x\n[x]\n" + more in left
    del before["mcp_servers"]["muniment"]
    if not before["mcp_servers"]:
        del before["mcp_servers"]
    assert plainly(tomllib.loads(left)) == plainly(before)


def test_a_table_of_ours_that_a_person_changed_is_left_as_it_is() -> None:
    """A longer patience for it, say; it goes with uninstall."""
    text = '[mcp_servers.muniment]\ncommand = "/opt/bin/muniment"\nargs = ["mcp"]\nstartup_timeout_sec = 60\n'
    assert installed(text) == text
    assert uninstalled(text) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = 1\nb = \n", "line 2: is not TOML"),
        (
            '\n[mcp_servers.muniment]\ncommand = "other"\n',
            "line 2: mcp_servers.muniment is somebody else's",
        ),
        ("x = 1\nmcp_servers = {}\n", "line 2: is written in a way"),
        ("mcp_servers = 3\n", "line 1: mcp_servers.muniment is somebody else's"),
    ],
)
def test_what_cannot_be_changed_is_refused_with_its_line(text: str, said: str) -> None:
    with pytest.raises(UnreadableError) as caught:
        installed(text)
    assert str(caught.value).startswith(said)


def test_what_is_written_in_another_way_is_not_taken_out_by_halves() -> None:
    """An inline table of ours, or a text that resembles one: the person is told to do it by hand."""
    quoted = 'notes = """\n[mcp_servers.muniment]\ncommand = "muniment"\n"""\n'
    with pytest.raises(UnreadableError, match=r"line 2: .* by hand"):
        uninstalled(installed(quoted))
    text = 'mcp_servers = {muniment = {command = "muniment", args = ["mcp"]}, b = {command = "b"}}\n'
    with pytest.raises(UnreadableError, match=r"line 1: .* by hand"):
        uninstalled(text)


def test_somebody_elses_table_is_not_taken_out() -> None:
    text = '[mcp_servers.muniment]\ncommand = "other"\n'
    assert uninstalled(text) == text
