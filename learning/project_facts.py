"""Proposes facts from the files of a project that would change an agent's behaviour there.

Implements specs/capture.md (K-80…K-82, K-225). A file is read, not guessed: its facts are active at once, but a person's own
memory wins over them. A faulty file says nothing.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from documents.proposal import Proposal
from learning.intake import Taken, Taking
from learning.learned_messages import turned_down
from ledger.lazy_pattern import lazy_pattern
from ledger.memory import Memory, Provenance
from ledger.named_tuple import NamedTuple

CONFIDENCE = 0.75
"""Enough to be active, too little to replace what a person wrote (K-63)."""
MOST = 20
_MOST_BYTES = 256 * 1024
_MOST_WORDS = 160
_SHORT = 60
_PACKAGE, _PYPROJECT, _CARGO = "package.json", "pyproject.toml", "Cargo.toml"
_NODE_LOCKS = {
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn",
    "package-lock.json": "npm",
    "bun.lock": "bun",
    "bun.lockb": "bun",
}
_PYTHON_LOCKS = {"uv.lock": "uv", "poetry.lock": "poetry", "pdm.lock": "pdm", "Pipfile.lock": "pipenv"}
_VERBS = {
    "test": "Run the tests with",
    "check": "Check everything with",
    "lint": "Lint with",
    "fmt": "Format with",
    "format": "Format with",
    "typecheck": "Check types with",
    "dev": "Start it for development with",
    "build": "Build with",
}
"""How a fact begins, by the name of a script or target."""
_RELEASE = r"(?:[<>=^~!|]{1,2}|[<>=^~!|]*v?[\d*][\w.*-]{0,20})"
_VERSION = lazy_pattern(rf"[\w.<>=^~*!-]{{1,30}}|{_RELEASE}(?:[ ,]+{_RELEASE}){{0,6}}")
_GO = lazy_pattern(r"(?m)^go\s+(\d+(?:\.\d+)*)\s*$")
_TARGET = lazy_pattern(r"(?m)^([A-Za-z][\w-]*)\s*:(?!=)")


class Fact(NamedTuple):
    """One fact: its sentence, the file that says it, and its section."""

    text: str
    file: str
    section: str = "Tool Usage"


def learned(taking: Taking, root: Path) -> Iterator[Taken]:
    """Learn from the files of the project at `root`, except facts that were deleted since (K-225)."""
    wanted = []
    for proposal in proposals(root):
        if gone := turned_down(taking.scopes, proposal):
            yield gone
        else:
            wanted.append(proposal)
    yield from taking.take(wanted, together=True)


def proposals(root: Path) -> list[Proposal]:
    """Return the facts of the project at `root`, at most 20; none if it has no known file."""
    facts = [fact for reader in _READERS for fact in reader(root)]
    chosen: dict[str, Fact] = {}
    for fact in facts:  # one way of doing each thing: a Makefile's target replaces the commands behind it
        what = fact.text.partition("`")[0]
        if what not in chosen or "`make " in fact.text:
            chosen[what] = fact
    return [_proposal(fact) for fact in list(chosen.values())[:MOST]]


def _proposal(fact: Fact) -> Proposal:
    memory = Memory(
        fact.text,
        section=fact.section,
        category="project-pattern",
        confidence=CONFIDENCE,
        source="auto",
        provenance=Provenance(file=fact.file),
    )
    return Proposal("supersede", memory, scope="project", basis="stated", reason=f"{fact.file} says so")


# --- the facts of each kind of project ---


def _node(root: Path) -> Iterator[Fact]:
    package = _parsed(root, _PACKAGE, json.loads)
    if not package:
        return
    name, _, release = _word(package.get("packageManager")).partition("@")
    where = _PACKAGE
    if name not in _NODE_LOCKS.values():
        name, where, release = *_of_lock(root, _NODE_LOCKS), ""
    if name:
        others = " or ".join(other for other in ("npm", "yarn", "pnpm") if other != name)
        shown = f"{name} ({release})" if (release := _version(release.split("+")[0])) else name
        yield Fact(f"Use {shown} for packages, not {others}", where)
    if (wanted := _version(_table(package, "engines").get("node"))) and wanted != "*":
        yield Fact(f"Node.js must be {wanted}", _PACKAGE)
    elif (named := _version(_text(root, ".nvmrc"))) and named[-1].isdigit():
        yield Fact(f"Node.js must be {named.lstrip('v')}", ".nvmrc")
    for script, body in _table(package, "scripts").items():
        run = _code(
            f"{name or 'npm'} {script}"
            if script == "test" and name != "bun"
            else f"{name or 'npm'} run {script}"
        )
        if script in _VERBS and (body := _word(body)) and run and "no test specified" not in body:
            behind = f" ({_code(body)})" if len(body) <= _SHORT and _code(body) else ""
            yield Fact(f"{_VERBS[script]} {run}{behind}", _PACKAGE)


def _python(root: Path) -> Iterator[Fact]:
    project = _parsed(root, _PYPROJECT, tomllib.loads)
    tools = _table(project, "tool")
    manager, lock = _of_lock(root, _PYTHON_LOCKS)
    if manager:
        yield Fact(f"Use {manager} for packages and environments, not bare pip", lock)
    said = _table(project, "project").get("requires-python")
    if wanted := _version(said or _table(tools, "poetry", "dependencies").get("python")):
        yield Fact(f"Python must be {wanted}", _PYPROJECT)
    if "pytest" in tools:
        yield Fact(f"Run the tests with {_code(f'{manager} run pytest'.removeprefix(' run '))}", _PYPROJECT)
    for tool in ("black", "ruff"):
        if tool in tools:
            length = _version(_table(tools, tool).get("line-length"))
            columns = f", {length} columns" if length else ""
            yield Fact(f"Code is formatted with {tool}{columns}", _PYPROJECT, "Project Conventions")
            break
    if _table(tools, "mypy").get("strict") is True:
        yield Fact("Types are checked with mypy, strict", _PYPROJECT, "Project Conventions")


def _rust_and_go(root: Path) -> Iterator[Fact]:
    cargo = _parsed(root, _CARGO, tomllib.loads)
    package = _table(cargo, "package") or _table(cargo, "workspace", "package")
    if wanted := _version(package.get("rust-version")):
        yield Fact(f"Rust must be {wanted} or newer", _CARGO)
    if edition := _version(package.get("edition")):
        yield Fact(f"Rust edition {edition}", _CARGO, "Project Conventions")
    if found := _GO.search(_text(root, "go.mod")):
        yield Fact(f"Go must be {found[1]} or newer", "go.mod")


def _make(root: Path) -> Iterator[Fact]:
    for target in dict.fromkeys(_TARGET.findall(_text(root, "Makefile"))):
        if target in _VERBS:
            yield Fact(f"{_VERBS[target]} {_code(f'make {target}')}", "Makefile")


_READERS: tuple[Callable[[Path], Iterator[Fact]], ...] = (_node, _python, _rust_and_go, _make)


# --- files and their values, written by other people ---


def _text(root: Path, name: str) -> str:
    """Return the text of a file, "" if it is missing, too long, not UTF-8 or outside the project."""
    path = root / name
    try:
        inside = path.is_file() and path.resolve().is_relative_to(root.resolve())
        return path.read_text("utf-8-sig") if inside and path.stat().st_size <= _MOST_BYTES else ""
    except (OSError, ValueError):
        return ""


def _parsed(root: Path, name: str, parse: Callable[[str], Any]) -> Mapping[str, Any]:
    """Return the table in a file, {} if it has none."""
    try:
        return _table(parse(_text(root, name)))
    except (ValueError, RecursionError):
        return {}


def _of_lock(root: Path, locks: Mapping[str, str]) -> tuple[str, str]:
    """Return the package manager of the only lock file, and that file; none if there are several managers."""
    found = {name: lock for lock, name in locks.items() if (root / lock).is_file()}
    return next(iter(found.items())) if len(found) == 1 else ("", "")


def _table(value: object, *keys: str) -> Mapping[str, Any]:
    """Return the table below these keys, {} if there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def _word(value: object) -> str:
    """Return a value as a short text of one line, "" if that is impossible."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    text = " ".join(str(value).split()) if "\n" not in str(value).strip() else ""
    return text if text.isprintable() and len(text) <= _MOST_WORDS else ""


def _version(value: object) -> str:
    """Return a value that is a version or a range of versions, else ""."""
    text = _word(value)
    return text if _VERSION.fullmatch(text) else ""


def _code(command: str) -> str:
    """Return a command as a code span, or "" if it does not fit in one."""
    command = _word(command)
    return f"`{command}`" if command and "`" not in command else ""
