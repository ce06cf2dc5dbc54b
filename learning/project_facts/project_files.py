"""Reads the small files in which a project says how it is worked on; whatever is wrong with one, it says nothing.

Implements specs/capture.md (K-80). Bounded: at most 256 KiB a file, and none that a link leads out of the project to.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from ledger.lazy_pattern import lazy_pattern

_MOST_BYTES = 256 * 1024
_MOST_WORDS = 160


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that a project's files say: the sentence, the file that says it, and the section it belongs to."""

    text: str
    file: str
    section: str = "Project Conventions"


@dataclass(slots=True)
class ProjectFiles:
    """The files of one project, read when they are asked for, each once."""

    root: Path
    _texts: dict[str, str] = field(default_factory=dict)

    def has(self, name: str) -> bool:
        """Say whether a file stands in the project."""
        return self._inside(self.root / name)

    def text(self, name: str) -> str:
        """Return what a file says, "" where it is missing, too long, no UTF-8 or outside of the project."""
        if name not in self._texts:
            self._texts[name] = self._read(self.root / name)
        return self._texts[name]

    def _read(self, path: Path) -> str:
        try:
            if not self._inside(path) or path.stat().st_size > _MOST_BYTES:
                return ""
            return path.read_text("utf-8-sig")
        except (OSError, ValueError):
            return ""

    def _inside(self, path: Path) -> bool:
        try:
            return path.is_file() and path.resolve().is_relative_to(self.root.resolve())
        except OSError:
            return False

    def json(self, name: str) -> Mapping[str, Any]:
        """Return a file of JSON, also with comments and trailing commas, {} where it is none."""
        text = self.text(name)
        for attempt in (text, _plain_json(text)):
            try:
                value = json.loads(attempt)
            except ValueError:
                continue
            except RecursionError:
                return {}
            return value if isinstance(value, dict) else {}
        return {}

    def toml(self, name: str) -> Mapping[str, Any]:
        """Return a file of TOML, {} where it is none."""
        try:
            return tomllib.loads(self.text(name))
        except (tomllib.TOMLDecodeError, RecursionError):
            return {}

    def yaml(self, name: str) -> Mapping[str, Any]:
        """Return a file of YAML, {} where it is none; aliases are refused, since few bytes can say a lot with them."""
        text = self.text(name)
        if re.search(r"(?m)^\s*[^#\n]*[:-]\s+[&*]\w", text):
            return {}
        try:
            value = yaml.safe_load(text)
        except (yaml.YAMLError, ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}


_RELEASE = r"(?:[<>=^~!|]{1,2}|[<>=^~!|]*v?[\d*][\w.*-]{0,20})"
_VERSION = lazy_pattern(rf"[\w.<>=^~*!-]{{1,30}}|{_RELEASE}(?:[ ,]+{_RELEASE}){{0,6}}")
_JSONC = lazy_pattern(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])', re.DOTALL)


def _plain_json(text: str) -> str:
    return _JSONC.sub(lambda found: found[0] if found[0].startswith('"') else "", text)


def table(value: object, *keys: str) -> Mapping[str, Any]:
    """Return the table below these keys, {} where there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def word(value: object) -> str:
    """Return a value as a short text of one line, "" where it is none: what stands in files is other people's."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    text = " ".join(str(value).split())
    return text if text.isprintable() and len(text) <= _MOST_WORDS else ""


def version(value: object) -> str:
    """Return what can be a version or a range of them, "" for all else."""
    text = word(value)
    return text if _VERSION.fullmatch(text) else ""


def code(command: str) -> str:
    """Return a command as a code span, "" where it cannot stand in one."""
    command = word(command)
    return f"`{command}`" if command and "`" not in command else ""
