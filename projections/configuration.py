"""Configuration: config.toml of the user and of a project, checked and merged.

Implements specs/files.md (F-9…F-11). The user's own wins over a project's committed one. Committed
configuration may set numbers and switches of this list only: never paths, addresses, commands or whom to
trust.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from ledger import location
from ledger.errors import UsageError
from projections.settings import RenderSettings

CONFIG_NAME = location.CONFIG_NAME


@dataclass(frozen=True, slots=True)
class Configuration:
    """All settings; names as in config.toml with dots as underscores. Days and counts are whole numbers."""

    enabled: bool = True
    scopes_user: bool = True
    scopes_project: bool = True
    scopes_local: bool = True
    min_confidence: float = 0.7
    ask_confidence: float = 0.5
    max_lines_per_file: int = 200
    max_bytes_per_file: int = 25_000
    injection_token_budget: int = 2000
    detector_max_per_turn: int = 3
    detector_history: int = 50
    decay_enabled: bool = True
    decay_days: int = 90
    overflow_enabled: bool = True
    gc_threshold: float = 0.2
    gc_max_age_days: int = 30
    limits_per_conversation: int = 10
    limits_per_hour: int = 25
    episodes_user_messages: int = 8
    episodes_exchanges: int = 15
    daily_archive_days: int = 30
    trust_git: tuple[str, ...] = ()
    render: dict[str, Any] = field(default_factory=dict)

    def render_settings(self) -> RenderSettings:
        """Return what the documents depend on."""
        return RenderSettings(
            max_lines=self.max_lines_per_file,
            max_bytes=self.max_bytes_per_file,
            overflow=self.overflow_enabled,
            decay=self.decay_enabled,
            decay_days=self.decay_days,
            archive_days=self.daily_archive_days,
            token_budget=self.injection_token_budget,
        )


_OWN_ONLY = frozenset({"trust_git", "render"})
_DEFAULTS = Configuration()
_KNOWN = {f.name: getattr(_DEFAULTS, f.name) for f in fields(Configuration)}


def load(own: Path, committed: Path | None = None) -> Configuration:
    """Return the configuration of a user's file and a project's committed one; a missing file sets nothing.

    Raises:
        UsageError: a file is no TOML, or sets something unknown, of a wrong type or out of its range; the
            message names file and key.
    """
    values = _read(committed, committed_file=True) if committed and committed != own else {}
    values.update(_read(own, committed_file=False))
    return Configuration(**values)


def _read(path: Path, *, committed_file: bool) -> dict[str, Any]:
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"{path} cannot be read: {reason}") from None
    return {name: _checked(path, name, value, committed_file) for name, value in _flat(table).items()}


def _flat(table: dict[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in table.items():
        if isinstance(value, dict) and name != "render":
            flat.update({f"{name}_{inner}": item for inner, item in value.items()})
        else:
            flat[name] = value
    return flat


def _checked(path: Path, name: str, value: Any, committed_file: bool) -> Any:
    shown = name.replace("_", ".", 1) if name.split("_", maxsplit=1)[0] in _TABLES else name
    if name not in _KNOWN:
        raise UsageError(f"{path}: {shown} is not a setting; specs/files.md lists them all")
    if committed_file and name in _OWN_ONLY:
        raise UsageError(f"{path}: {shown} may only stand in your own config.toml, not in a project's")
    default = _KNOWN[name]
    if isinstance(default, tuple):
        good = isinstance(value, list) and all(isinstance(item, str) for item in value)
        value = tuple(value) if good else value
    elif isinstance(default, bool):
        good = isinstance(value, bool)
    elif isinstance(default, int | float):
        good = isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
        good = good and (isinstance(default, float) or float(value).is_integer())
    else:
        good = isinstance(value, dict)
    if not good:
        kind = {bool: "true or false", tuple: "a list of texts", dict: "a table"}.get(
            type(default), "a number of at least 0"
        )
        raise UsageError(f"{path}: {shown} is {value!r}; it must be {kind}")
    return value


_TABLES = frozenset({"scopes", "detector", "decay", "overflow", "gc", "limits", "episodes", "daily"})

TEMPLATE = """\
# memledger settings; what is commented out shows the default. Every setting is described in specs/files.md.
# max_lines_per_file = 200
# max_bytes_per_file = 25000
# injection_token_budget = 2000

# [decay]
# enabled = true
# days = 90

# [gc]
# threshold = 0.2
# max_age_days = 30

# [daily]
# archive_days = 30
"""
