"""Writes what is generated: docs/commands.md from each --help, the terminal session of README.md, first_answers.json.

make docs                  writes all
make docs ARGS=--check     changes nothing; exit code 1 where one of them is out of date
"""

from __future__ import annotations

import sys
from copy import copy
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import click  # noqa: E402 - the checkout must be importable first

from cli import memory_chain  # noqa: E402
from cli.catalogue import ALIASES, COMMANDS  # noqa: E402
from cli.main import cli  # noqa: E402
from docs import first_answers, session  # noqa: E402

COMMANDS_PAGE = ROOT / "docs" / "commands.md"
README = ROOT / "README.md"
WIDTH = 96

_INTRODUCTION = """\
# Commands

Every command with its help text. This page is generated (`make docs`).

Every command except `hook` also takes these options, before or after its name. They are listed below only if their default
differs.

```text
{common}
```

With `--json`, stdout is one JSON document, or one a line for lists ([members](json.md)); everything else goes to stderr.
Exit codes are in [specs/cli.md](../specs/cli.md).
"""

_OTHER_COMMAND = """\
## memory-chain

A second command, installed with muniment, for jobs that were written for a witness-memory-chain. It runs their verbs with
muniment.
"""
_HELP: dict[str, Any] = {"help_option_names": ["-h", "--help"]}
_COMMON = [option for option in cli.params if option.name != "version"]
"""The options that every command takes."""


def help_of(name: str) -> str:
    """Return what `muniment NAME --help` says, as wide as this page and without the options of every command."""
    return _helps_of(name)[0]


def _helps_of(name: str) -> list[str]:
    """Return the help of a command, and of the verbs below it."""
    parent = click.Context(cli, info_name="muniment", terminal_width=WIDTH, **cli.context_settings)
    command = cli.get_command(parent, name)
    if command is None:
        raise LookupError(name)
    return _helps(command, name, parent)


def _helps(command: click.Command, name: str, parent: click.Context) -> list[str]:
    command = copy(command)
    command.params = [option for option in command.params if not _is_common(option)]
    command._help_option = None  # click keeps the one of whoever asked first, under another parent perhaps
    context = click.Context(command, info_name=name, parent=parent)
    texts = [command.get_help(context)]
    group = command if isinstance(command, click.Group) else None
    for verb in group.list_commands(context) if group else ():
        if group and (found := group.get_command(context, verb)):
            texts += _helps(found, verb, context)
    return texts


def _is_common(option: click.Parameter) -> bool:
    """Return whether a command's option is the same for every command."""
    return isinstance(option, click.Option) and (option.name, option.help) in {
        (each.name, each.help) for each in _COMMON if isinstance(each, click.Option)
    }


def _common_options() -> str:
    """Return the options of every command, as a help text lists them."""
    context = click.Context(cli, terminal_width=WIDTH)
    formatter = context.make_formatter()
    formatter.write_dl([record for option in _COMMON if (record := option.get_help_record(context))])
    return formatter.getvalue().rstrip()


def commands_page() -> str:
    """Return docs/commands.md."""
    parts = [_INTRODUCTION.format(common=_common_options())]
    for group, names in COMMANDS.items():
        parts.append(f"## {group}\n")
        for name in names:
            aliases = [f"`{alias}` is `{of}`" for alias, of in ALIASES.items() if of.split()[0] == name]
            also = f"\nShort names: {', '.join(aliases)}.\n" if aliases else ""
            parts.append(f"### {name}\n{also}")
            parts += [f"```text\n{text}\n```\n" for text in _helps_of(name)]
    parts.append(_OTHER_COMMAND)
    for verb, other in memory_chain.group.commands.items():
        context = click.Context(memory_chain.group, info_name=memory_chain.PROGRAM, terminal_width=WIDTH)
        other._help_option = None
        text = other.get_help(click.Context(other, info_name=verb, parent=context, **_HELP))
        parts.append(f"```text\n{text}\n```\n")
    return "\n".join(parts)


def main() -> int:
    """Write the generated pages, or with --check compare them."""
    check = "--check" in sys.argv[1:]
    readme = README.read_text("utf-8")
    shown = session.session_of(readme)
    fresh = session.run(shown, session.beginning_of(readme))
    if "internal error" in fresh or "Traceback" in fresh:
        sys.exit(f"nothing was written, because a command of README.md's session fails:\n{fresh}")
    stale = [] if session.same(fresh, shown) else ["README.md"]
    page = commands_page()
    if not COMMANDS_PAGE.exists() or COMMANDS_PAGE.read_text("utf-8") != page:
        stale.append("docs/commands.md")
    answers = first_answers.page()
    if not first_answers.FILE.exists() or first_answers.FILE.read_text("utf-8") != answers:
        stale.append(first_answers.FILE.relative_to(ROOT).as_posix())
    if not check:
        COMMANDS_PAGE.write_text(page, "utf-8")
        first_answers.FILE.write_text(answers, "utf-8")
        if "README.md" in stale:
            README.write_text(session.with_session(readme, fresh), "utf-8")
    verb = "is out of date: run make docs" if check else "written"
    for name in stale:
        print(f"{name} {verb}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
