"""Whom a person trusts, as options: witnesses, authorities' roots, block headers; and a policy.

Implements specs/cli.md (X-275) and specs/anchors.md (W-62).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

import click

from proofs.evidence import TrustedParties
from proofs.trusting import trust, trust_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from muniment import MemoryLedger

F = TypeVar("F", bound="Callable[..., Any]")
_FILE = click.Path(path_type=Path)


class _Given(TypedDict):
    policy: Path | None
    witnesses: Sequence[str]
    roots: Path | None
    headers: Path | None


@dataclass(frozen=True, slots=True)
class TrustOptions:
    """What was typed; nothing is read before it is asked for."""

    policy: Path | None = None
    witnesses: tuple[str, ...] = ()
    roots: Path | None = None
    headers: Path | None = None

    def _given(self) -> _Given:
        return {
            "policy": self.policy,
            "witnesses": self.witnesses,
            "roots": self.roots,
            "headers": self.headers,
        }

    def alone(self) -> TrustedParties:
        """Return whom these options name. Raises UsageError."""
        return trust_of(**self._given())

    def for_ledger(self, memory: MemoryLedger) -> TrustedParties | None:
        """Return the same, and where they say nothing what config.toml in HOME names; None where none was typed.

        Raises:
            UsageError: a file cannot be used.
        """
        return trust(memory.workspace.home, **self._given()) if any(self._given().values()) else None


def trust_options(function: F) -> F:
    """Add the options `--witness`, `--roots` and `--headers`, for the arguments of these names."""
    witness = click.option(
        "--witness",
        "witnesses",
        multiple=True,
        metavar="VKEY",
        help="A witness that is trusted. May be repeated.",
    )
    roots = click.option(
        "--roots",
        type=_FILE,
        metavar="PEM",
        help="Root certificates of timestamping authorities that are trusted.",
    )
    headers = click.option(
        "--headers",
        type=_FILE,
        metavar="FILE",
        help="Bitcoin block headers that are trusted: lines HEIGHT HEX.",
    )
    return witness(roots(headers(function)))
