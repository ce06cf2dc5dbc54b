"""What Cargo.toml, go.mod, Makefiles and the files of CI say.

Implements specs/capture.md (K-81, K-82, K-85).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from learning.project_facts.project_files import Fact, ProjectFiles, code, table, version, word
from ledger.lazy_pattern import lazy_pattern

_GO = lazy_pattern(r"(?m)^go\s+(\d+(?:\.\d+)*)\s*$")
_MODULE = lazy_pattern(r"(?m)^module\s+(\S+)\s*$")
_TARGET = lazy_pattern(r"(?m)^(?P<name>[A-Za-z][\w-]*)\s*:(?!=)[^#\n]*(?:##\s*(?P<help>\S[^\n]*))?$")
_TARGETS = {
    "test": "Run the tests with",
    "check": "Check everything with",
    "lint": "Lint with",
    "fmt": "Format with",
    "format": "Format with",
    "build": "Build with",
    "dev": "Start it for development with",
}
_CI_FOLDER = ".github/workflows"
_GITLAB = ".gitlab-ci.yml"
_MOST_WORKFLOWS = 10
_CHECKS = lazy_pattern(
    r"\b(?:tests?|pytest|tox|nox|lint|ruff|eslint|mypy|pyright|tsc|typecheck|clippy|fmt|check|vitest|jest|golangci-lint)\b"
)
_NOT_A_CHECK = lazy_pattern(
    r"\b(?:install|add|ci|setup|checkout|upload|cache|echo|curl|apt|apt-get|brew|pip|sync)\b|[|&;$\\\n]"
)


def rust(checkout: ProjectFiles) -> Iterator[Fact]:
    """Give what Cargo.toml and the toolchain file say."""
    cargo = checkout.toml("Cargo.toml")
    package = table(cargo, "package") or table(cargo, "workspace", "package")
    if wanted := version(package.get("rust-version")):
        yield Fact(f"Rust must be {wanted} or newer", "Cargo.toml", "Tool Usage")
    if edition := version(package.get("edition")):
        yield Fact(f"Rust edition {edition}", "Cargo.toml")
    if channel := version(table(checkout.toml("rust-toolchain.toml"), "toolchain").get("channel")):
        yield Fact(f"The Rust toolchain is {channel}", "rust-toolchain.toml", "Tool Usage")


def go(checkout: ProjectFiles) -> Iterator[Fact]:
    """Give what go.mod says."""
    text = checkout.text("go.mod")
    if found := _GO.search(text):
        yield Fact(f"Go must be {found[1]} or newer", "go.mod", "Tool Usage")
    if (found := _MODULE.search(text)) and code(found[1]):
        yield Fact(f"The Go module is {code(found[1])}", "go.mod")


def make(checkout: ProjectFiles) -> Iterator[Fact]:
    """Give the targets of a Makefile by which a project is worked on."""
    name = next((name for name in ("Makefile", "makefile", "GNUmakefile") if checkout.has(name)), "")
    seen: set[str] = set()
    for found in _TARGET.finditer(checkout.text(name) if name else ""):
        target = found["name"]
        if target in _TARGETS and target not in seen:
            seen.add(target)
            yield Fact(f"{_TARGETS[target]} {code(f'make {target}')}", name, "Tool Usage")


def ci(checkout: ProjectFiles) -> Iterator[Fact]:
    """Give what CI runs to check a change: commands of one line, each once."""
    commands: dict[str, str] = {}
    for name in [*_workflows(checkout), *([_GITLAB] if checkout.has(_GITLAB) else [])]:
        for command in _commands(checkout.yaml(name)):
            line = word(command)
            if _CHECKS.search(line) and not _NOT_A_CHECK.search(line) and code(line):
                commands.setdefault(line, name)
    if commands:
        shown = [code(command) for command in list(commands)[:4]]
        yield Fact(f"CI checks a change with {', '.join(shown)}", next(iter(commands.values())), "Workflow")


def _workflows(checkout: ProjectFiles) -> list[str]:
    folder = checkout.root / _CI_FOLDER
    try:
        names = sorted(path.name for path in folder.iterdir() if path.suffix in (".yml", ".yaml"))
    except OSError:
        return []
    return [f"{_CI_FOLDER}/{name}" for name in names[:_MOST_WORKFLOWS]]


def _commands(value: Any, depth: int = 0) -> Iterator[str]:
    """Give the commands of a workflow, wherever its jobs hold them."""
    if depth > 6:
        return
    if isinstance(value, dict):
        for key, item in value.items():
            if key in ("run", "script") and isinstance(item, str):
                yield item
            elif key == "script" and isinstance(item, list):
                yield from (line for line in item if isinstance(line, str))
            else:
                yield from _commands(item, depth + 1)
    elif isinstance(value, list):
        for item in value:
            yield from _commands(item, depth + 1)
