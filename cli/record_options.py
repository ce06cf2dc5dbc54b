"""The options by which a person states a memory record, shared by add, supersede and edit.

Implements specs/cli.md (X-11) and specs/memory.md for people.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from cli.options import option
from ledger.errors import NotFoundError, StorageError, UsageError
from ledger.memory import CATEGORIES, IMPORTANCES, SECTIONS, SOURCES, SPACES, TIERS, TYPES, Memory
from ledger.verbs import ORIGIN

F = TypeVar("F", bound=Callable[..., Any])


def record_options(function: F) -> F:
    """Add the record's options; the command gets them as one dict `record`."""
    return _with(_options(" (default: {})"), function)


def change_options(function: F) -> F:
    """Add the same options for a new version of a memory: what is not given stays as it is, so no default is told."""
    return _with(_options(""), function)


def _with(options: Sequence[Callable[[F], F]], function: F) -> F:
    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        record = {name: kwargs.pop(name) for name in _NAMES}
        return function(*args, record=record, **kwargs)

    made = cast("F", wrapped)
    for each in reversed(options):
        made = each(made)
    return made


def _options(default: str) -> tuple[Callable[[F], F], ...]:
    """Return the options, in the order of the help; `default` is the text for an omitted one."""
    return (
        option(
            "--type",
            type=click.Choice(TYPES),
            help=f"What kind of memory{default.format('fact')}.",
        ),
        option(
            "--section",
            metavar="HEADING",
            help=f"Its heading in MEMORY.md: {', '.join(SECTIONS)}, or your own.",
        ),
        option("--topic", metavar="PATH", help="Put it in a topic file, such as codebase/auth-module."),
        option("--title", help="Its heading inside the topic file."),
        option("--body", help="Markdown of any length below it."),
        option(
            "-F",
            "--file",
            "body_file",
            type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
            help="Read the body from a file; - reads standard input.",
        ),
        option("--detail", "details", multiple=True, help="A sub-bullet; may be repeated."),
        option(
            "--when",
            "when_to_use",
            multiple=True,
            metavar="PHRASE",
            help="When a topic is worth reading; may be repeated.",
        ),
        option("--tag", "tags", multiple=True, help="A tag; may be repeated."),
        option(
            "--importance",
            type=click.Choice(IMPORTANCES),
            help=f"How much it matters{default.format('medium')}.",
        ),
        option(
            "--tier",
            type=click.Choice(TIERS),
            help=f"A day's note, kept, or never archived{default.format('curated')}.",
        ),
        option(
            "--confidence",
            type=click.FloatRange(0, 1),
            help=f"How sure, 0 to 1{default.format('1')}.",
        ),
        option("--candidate", is_flag=True, help="Propose it: not shown to agents until confirmed."),
        option("--inferred", is_flag=True, help="It was implied, not said."),
        option(
            "--source",
            type=click.Choice(SOURCES),
            help=f"Learned automatically, or by a person{default.format('manual')}.",
        ),
        option("--category", type=click.Choice(CATEGORIES), help="What a detector called it."),
        *(option(f"--{name}", metavar="ID", help=f"Where it comes from: the {name}.") for name in ORIGIN),
    )


_NAMES = (
    "type", "section", "topic", "title", "body", "body_file", "details", "when_to_use", "tags", "importance",
    "tier", "confidence", "candidate", "inferred", "source", "category", *ORIGIN,
)  # fmt: skip
_TOLD_APART = frozenset({"body_file", "candidate", "inferred", *ORIGIN})
"""What does not become the member of its own name as it is."""


def read_text(text: str) -> str:
    """Return the text that an argument means: `-` reads standard input, whose last line end is dropped.

    Raises:
        UsageError: standard input is closed, or not UTF-8.
    """
    return _standard_input().rstrip("\r\n") if text == "-" else text


def _standard_input() -> str:
    if sys.stdin is None:
        raise UsageError(
            "standard input is closed: give it a file or a pipe, or write the text in place of -"
        )
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"standard input is not UTF-8 (byte {error.start + 1}): convert it first") from None


def build(record: dict[str, Any], text: str | None, base: Memory | None = None) -> Memory:
    """Return the memory that options and text say, on top of `base` where there is one.

    An empty value takes what `base` has away: `--topic ""`, `--tag ""`.

    Raises:
        UsageError: options that exclude each other, text that is empty or has several lines, or is not UTF-8.
        NotFoundError, StorageError: the file is not there, or cannot be read.
    """
    changes: dict[str, Any] = {
        name: _given(value)
        for name, value in record.items()
        if name not in _TOLD_APART and value not in (None, ())
    }
    if record["candidate"]:
        changes["status"] = "candidate"
    if record["inferred"]:
        changes["inferred"] = True
    if record["body_file"] is not None:
        if record["body"] is not None:
            raise UsageError("give --body or --file, not both")
        changes["body"] = _file_text(record["body_file"])
    origin = {name: record[name] for name in ORIGIN if record[name]}
    if text is not None:
        changes["text"] = _one_line(text)
    base = base or Memory("")
    return base.with_changes(provenance=base.provenance._replace(**origin), **changes)


def _given(value: Any) -> Any:
    return tuple(item for item in value if item) if isinstance(value, tuple) else value


def _one_line(text: str) -> str:
    lines = text.splitlines()
    if len(lines) > 1:
        raise UsageError(
            f"TEXT has {len(lines)} lines and can have one: put the rest into --detail or --body"
        )
    if not text.strip(SPACES):
        raise UsageError("TEXT is empty: say something that can be read")
    return text


def _file_text(path: Path) -> str:
    if str(path) == "-":
        return _standard_input()
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        raise NotFoundError(
            f"there is no file {path}; nothing was stored: check the path of --file"
        ) from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 (byte {error.start + 1}): convert it first") from None
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror}; nothing was stored") from None
