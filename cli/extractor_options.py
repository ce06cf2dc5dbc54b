"""The options that choose how a text is read: by rules or by a language model. Shared by capture and extract.

Implements specs/cli.md (X-180).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from cli.options import option
from ledger.errors import UsageError

F = TypeVar("F", bound=Callable[..., Any])


def extractor_options(does: str) -> Callable[[F], F]:
    """Return a decorator that adds --extractor and --model to a command; `does` opens the help of --extractor."""
    extractor = option(
        "--extractor", type=click.Choice(["heuristic", "llm"]), default="heuristic", show_default=True,
        help=f"{does}, or a language model (muniment[llm]).",
    )  # fmt: skip
    model = option(
        "--model",
        metavar="NAME",
        default="",
        help="With --extractor llm: which model (default: the configured one).",
    )
    return lambda command: extractor(model(command))


def asks_a_model(extractor: str, model: str) -> bool:
    """Return whether a language model is to be asked.

    Raises:
        UsageError: a model is named that would not be.
    """
    if model and extractor != "llm":
        raise UsageError("--model goes with --extractor llm")
    return extractor == "llm"
