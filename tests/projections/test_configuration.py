"""Configuration is checked: a mistake is named with its file and key, and a project cannot set what is the user's."""

from __future__ import annotations

from pathlib import Path

import pytest

from ledger.errors import UsageError
from projections.configuration import TEMPLATE, Configuration, load


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
        ("max_lines = 3", "max_lines is not a setting"),
        ("[decay]\nday = 3", "decay.day is not a setting"),
        ("[decay]\ndays = 'many'", "decay.days is 'many'; it must be a number"),
        ("[decay]\ndays = -1", "decay.days is -1"),
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


@pytest.mark.parametrize("text", ['trust_git = ["mallory"]', '[render]\nclaude = "/etc/passwd"'])
def test_a_project_cannot_set_paths_or_whom_to_trust(tmp_path: Path, text: str) -> None:
    committed = write(tmp_path / "committed.toml", text)
    with pytest.raises(UsageError, match="only stand in your own"):
        load(tmp_path / "none.toml", committed)
    assert load(committed) != Configuration()
