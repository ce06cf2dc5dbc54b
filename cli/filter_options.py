"""The options by which a person says which memories are meant, shared by list, search, export, stale and review.

Implements specs/cli.md (X-51).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import click

from cli.options import option
from ledger.memory import IMPORTANCES, SECTIONS, SOURCES, TIERS, TYPES
from projections.query import STATUSES, Filter

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = (
    option("--section", metavar="HEADING", help=f"{', '.join(SECTIONS)}, or your own."),
    option("--type", type=click.Choice(TYPES), help="With this type."),
    option("--tag", help="With this tag."),
    option("--topic", metavar="PATH", help="In this topic."),
    option("--tier", type=click.Choice(TIERS), help="In this tier."),
    option(
        "--status",
        "statuses",
        type=click.Choice(STATUSES),
        multiple=True,
        help="Default: active and candidate; may be repeated.",
    ),
    option("--source", type=click.Choice(SOURCES), help="Learned automatically, or by a person."),
    option("--importance", type=click.Choice(IMPORTANCES), help="With this importance."),
    option("--conversation", metavar="ID", help="Learned in this conversation."),
    option("--session", metavar="ID", help="Learned in this session."),
)
_NAMES = ("section", "type", "tag", "topic", "tier", "source", "importance", "conversation", "session")


def filter_options(function: F) -> F:
    """Add the filters; the command gets them as one Filter, `wanted`."""

    @functools.wraps(function)
    def wrapped(*args: Any, statuses: tuple[str, ...], **kwargs: Any) -> Any:
        given: dict[str, Any] = {name: kwargs.pop(name) or "" for name in _NAMES}
        chosen = statuses or Filter().statuses
        return function(*args, wanted=Filter(**given, statuses=() if "all" in chosen else chosen), **kwargs)

    for each in reversed(_OPTIONS):
        wrapped = each(wrapped)
    return wrapped  # type: ignore[return-value]
