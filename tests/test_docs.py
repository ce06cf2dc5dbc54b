"""docs/commands.md is what the commands say of themselves, and says it of all of them."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from cli import main, memory_chain
from cli.catalogue import ALIASES, COMMANDS
from docs import make
from tests.cli.driver import ROOT, run

GUIDES = [ROOT / "docs" / "quickstart.md", *sorted((ROOT / "docs" / "guides").glob("*.md"))]
NAMES = [name for names in COMMANDS.values() for name in names]


def test_the_page_is_what_the_commands_say() -> None:
    """`make docs` writes it anew."""
    page = (ROOT / "docs" / "commands.md").read_text("utf-8")
    assert page == make.commands_page(), "docs/commands.md is out of date: run make docs"


def test_every_command_is_documented_once() -> None:
    """A command without documentation does not exist; a file without a command neither."""
    page = (ROOT / "docs" / "commands.md").read_text("utf-8")
    headings = [line.removeprefix("### ") for line in page.splitlines() if line.startswith("### ")]
    assert headings == NAMES
    files = {path.stem.rstrip("_") for path in (ROOT / "cli" / "commands").glob("[!_]*.py")}
    assert files == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_help_teaches_and_fits(name: str) -> None:
    """One sentence that a list can show, examples that begin with the command's name, at most 100 columns."""
    text = make.help_of(name)
    assert max(map(len, text.splitlines())) <= 100
    examples = [line for line in text.splitlines() if f"muniment {name}" in line][1:]
    assert examples or name in {"list", "completion"}, "no example"
    result = run(name, "--help").ok()
    assert result.out.startswith(f"Usage: muniment {name}")


@pytest.mark.parametrize("name", NAMES)
def test_the_help_begins_with_the_line_of_the_list(name: str) -> None:
    """X-332: the same sentence in both places."""
    (does,) = [names[name] for names in COMMANDS.values() if name in names]
    assert make.help_of(name).splitlines()[2] == f"  {does}."


def test_what_a_verb_does_stands_whole_in_80_columns() -> None:
    """Of every group, and of groups in groups: no line of the list of verbs is cut."""
    groups: list[tuple[str, click.Group]] = [("muniment", main.cli), ("memory-chain", memory_chain.group)]
    seen = []
    while groups:
        name, group = groups.pop()
        context = click.Context(group, info_name=name, terminal_width=80, max_content_width=80)
        listed = group.get_help(context).partition("\nOptions:\n")[2]
        assert listed
        assert "..." not in listed, f"{name}:\n{listed}"
        assert max(map(len, listed.splitlines())) <= 80, name
        seen.append(name)
        verbs = {verb: group.get_command(context, verb) for verb in group.list_commands(context)}
        groups += [(f"{name} {verb}", each) for verb, each in verbs.items() if isinstance(each, click.Group)]
    assert {"muniment key", "muniment anchor", "muniment anchor ots"} <= {*seen}


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_a_test_file(name: str) -> None:
    """tests/cli mirrors cli/commands."""
    assert (ROOT / "tests" / "cli" / f"test_{name}.py").exists()


def test_no_help_stands_twice_on_the_page() -> None:
    """The verbs of a command with verbs, too: one block each."""
    page = (ROOT / "docs" / "commands.md").read_text("utf-8")
    usages = [line for line in page.splitlines() if line.startswith("Usage: ")]
    assert len(usages) > len(NAMES)
    assert [usage for usage in usages if usages.count(usage) > 1] == []
    assert page.count("```text\nUsage: ") == len(usages)


def test_aliases_are_named() -> None:
    """Who looks for `forget` finds `delete`."""
    page = (ROOT / "docs" / "commands.md").read_text("utf-8")
    assert all(f"`{alias}`" in page for alias in ALIASES)


def test_a_page_that_is_out_of_date_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`make docs ARGS=--check` exits with 1 and changes nothing."""
    stale = tmp_path / "commands.md"
    stale.write_text("old", "utf-8")
    monkeypatch.setattr(make, "COMMANDS_PAGE", stale)
    monkeypatch.setattr("sys.argv", ["make.py", "--check"])
    monkeypatch.setattr("docs.session.run", lambda shown, _beginning: shown)
    assert make.main() == 1
    assert stale.read_text("utf-8") == "old"
    monkeypatch.setattr("sys.argv", ["make.py"])
    assert make.main() == 0
    assert stale.read_text("utf-8") == make.commands_page()


def told_to_run(page: str) -> list[list[str]]:
    """Return the words of each `muniment …` in a page's blocks of commands, without its comment."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    lines = [line.partition("muniment ")[1:] for block in blocks for line in block.splitlines()]
    return [shlex.split(rest, comments=True) for found, rest in lines if found]


@pytest.mark.parametrize("name", [path.name for path in GUIDES])
def test_what_a_guide_tells_to_run_exists(name: str) -> None:
    """Each command, verb and option of its blocks."""
    (page,) = [path for path in GUIDES if path.name == name]
    commands = told_to_run(page.read_text("utf-8"))
    assert commands or name == "connect-agents.md"
    for line in commands:
        command: click.Command = main.cli
        words = line
        context = click.Context(command, info_name="muniment")
        while isinstance(command, click.Group) and words and not words[0].startswith(("-", ">")):
            found = command.get_command(context, words[0])
            assert found is not None, f"{name}: {line}"
            command, words = found, words[1:]
            context = click.Context(command, info_name=command.name, parent=context)
        options = {option for each in command.get_params(context) for option in each.opts}
        told = {word.partition("=")[0] for word in words if re.match("--?[a-z]", word)}
        assert told <= options, f"{name}: {line}"


def test_the_map_of_the_house_names_what_is_there() -> None:
    """docs/architecture.md sends nobody to a file that has moved."""
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    named = set(re.findall(r"`((?:[a-z_]+/)+(?:[a-z_]+\.(?:py|md|txt|json))?)`", page))
    assert len(named) > 30
    assert sorted(name for name in named if not (ROOT / name).exists()) == []
