"""What README.md shows is what happens: its terminal session, its Python, its links and its make targets."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import memledger
from docs import session
from tests.cli.driver import ROOT

README = (ROOT / "README.md").read_text("utf-8")


def test_the_terminal_session_is_real() -> None:
    """Each command gives what the page shows, ids and times aside; `make docs` writes it anew."""
    shown = session.session_of(README)
    fresh = session.run(shown)
    assert session.same(fresh, shown), f"README.md is out of date, run make docs; now it prints:\n{fresh}"
    assert shown.count("$ memledger") >= 7


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("4 events", "5 events"),
        lambda text: text.replace("sound", "valid", 1),
        lambda text: text + "more\n",
        lambda text: text.replace(session._ID.findall(text)[0], "0123456789ab", 1),
    ],
)
def test_a_session_that_says_something_else_is_not_the_same(change: object) -> None:
    """The comparison can fail: on a number, a word, a line, or an id that is another one elsewhere."""
    assert callable(change)
    shown = session.session_of(README)
    assert not session.same(shown, change(shown))


def test_other_ids_and_times_are_the_same() -> None:
    """The comparison can hold."""
    assert session.same(
        "$ x\n0123456789ab at 2026-11-20 15:00:00Z\nabout 01234567\n",
        "$ x\nba9876543210 at 2027-01-02 03:04:05Z\nabout ba987654\n",
    )


def test_the_python_works(isolated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The block is run as it stands, in an empty home after init."""
    memledger.init().close()
    code = re.search(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert code is not None
    exec(compile(code.group(1), "README.md", "exec"), {})
    assert "Deploys happen on Mondays" in capsys.readouterr().out


def test_links_lead_somewhere() -> None:
    """Every relative link of the page and of the index of the specs is a file or a folder."""
    for page in ("README.md", "specs/README.md"):
        text = (ROOT / page).read_text("utf-8")
        for target in re.findall(r"\]\(([^)#]+)\)", text):
            assert (ROOT / page).parent.joinpath(target).exists(), f"{page}: {target}"


def test_make_targets_exist() -> None:
    """`make demo`, `make test` and whatever else the page tells a person to make."""
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    told = {word for line in re.findall(r"make ([a-z ]+)", README) for word in line.split()[:3]}
    assert {"demo", "test"} <= targets & told


def test_the_first_screen_says_what_it_is() -> None:
    """Name, sentence, picture and quick start come before line 45."""
    first = "\n".join(README.splitlines()[:45])
    for wanted in ("# memledger", "chain.jsonl", "make demo", "make test", "pipx install ."):
        assert wanted in first
