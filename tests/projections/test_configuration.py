"""Configuration is checked: a mistake is named with its file and key, and a project cannot set what is the user's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ledger.errors import UsageError
from projections.configuration import TEMPLATE, Configuration, load

ROOT = Path(__file__).resolve().parents[2]
TABLES = {"detector", "limits", "episodes"}


def write(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


def test_without_files_every_setting_has_its_default(tmp_path: Path) -> None:
    assert load(tmp_path / "config.toml") == Configuration()


def test_the_template_sets_nothing(tmp_path: Path) -> None:
    assert load(write(tmp_path / "config.toml", TEMPLATE)) == Configuration()


def test_the_users_own_wins_over_the_projects(tmp_path: Path) -> None:
    own = write(tmp_path / "own.toml", "[decay]\ndays = 10\n")
    committed = write(
        tmp_path / "committed.toml", "max_lines_per_file = 50\n[decay]\ndays = 20\nenabled = false\n"
    )
    merged = load(own, committed)
    assert (merged.decay_days, merged.decay_enabled, merged.max_lines_per_file) == (10, False, 50)
    assert merged.render_settings().max_lines == 50


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "max_linesperfile = 3",
            "max_linesperfile is not a setting; did you mean max_lines_per_file or max_bytes_per_file?",
        ),
        ("[decay]\nday = 3", "decay.day is not a setting"),
        ("[decay]\ndays = 'many'", "decay.days is 'many'; it must be a whole number"),
        ("[decay]\ndays = -1", "decay.days is -1"),
        (f"[decay]\ndays = {10**400}", "it must be a whole number from 0 to 1000000000"),
        ("[max]\nlines_per_file = 7", "max.lines_per_file is not a setting"),
        ("[injection_token]\nbudget = 7", "injection_token.budget is not a setting"),
        (
            "gc_max_age_days = 1\n[gc]\nmax_age_days = 9",
            "gc_max_age_days is not a setting; did you mean [gc] max_age_days?",
        ),
        ('"gc.max_age_days" = 1', "gc.max_age_days is not a setting; did you mean [gc] max_age_days"),
        ("[gc.max]\nage_days = 1", "gc.max is not a setting"),
        ("gc = 3", "gc is not a setting"),
        ("idle = ['x']", "idle is not a setting; these are: enabled, policy, "),
        ("[gc]\nthreshold = 1.5", "gc.threshold is 1.5; it must be a number from 0 to 1"),
        ("min_confidence = 7", "min_confidence is 7; it must be a number from 0 to 1"),
        ("ask_confidence = 'low'", "ask_confidence is 'low'"),
        ("[detector]\nmax_per_turn = true", "detector.max_per_turn is True; it must be a whole number"),
        ("[limits]\nper_hour = 0.5", "limits.per_hour is 0.5"),
        ("[episodes]\nexchanges = nan", "episodes.exchanges is nan"),
        ("[episodes]\nexchanges = inf", "episodes.exchanges is inf"),
        ("trust_git = 'ada'", "trust_git is 'ada'; it must be a list of texts"),
        ("trust_git = ['']", "trust_git is ['']"),
        ("render = 3", "render is 3; it must be memory = a folder"),
        ("[render]\nclaude = 3", "render is {'claude': 3}"),
        ("[decay]\nenabled = 1", "decay.enabled is 1; it must be true or false"),
        ("max_lines_per_file = 2.5", "max_lines_per_file is 2.5"),
        ("not toml", "cannot be read"),
    ],
)
def test_a_mistake_is_named_with_file_and_key(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        load(write(tmp_path / "config.toml", text))
    assert says in str(caught.value)
    assert "config.toml" in str(caught.value)


def test_every_setting_is_read_by_somebody() -> None:
    """F-11: none is there for its own sake."""
    sources = [
        path
        for top in ("agents", "cli", "documents", "learning", "projections", "proofs")
        for path in (ROOT / top).rglob("*.py")
    ]
    sources += [path for path in ROOT.glob("*.py") if path.stem != "hatch_build"]
    read = re.compile(
        r"\b(?:self|[a-z_]*configuration|settings|merged|load\(own\)|load\(.*CONFIG_NAME\))\.(\w+)\b(?!\()"
    )
    names = {name for path in sources for name in read.findall(path.read_text("utf-8"))}
    assert set(Configuration._fields) - names == set()


@pytest.mark.parametrize("text", ['trust_git = ["mallory"]', '[render]\nmemory = "/etc"'])
def test_a_project_cannot_set_paths_or_whom_to_trust(tmp_path: Path, text: str) -> None:
    committed = write(tmp_path / "committed.toml", text)
    with pytest.raises(UsageError, match="allowed only in your own"):
        load(tmp_path / "none.toml", committed)
    assert load(committed) != Configuration()
