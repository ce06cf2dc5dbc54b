"""What pyproject.toml, its lock files and the settings of Python's tools say.

Implements specs/capture.md (K-81, K-82).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from learning.project_facts.project_files import Fact, ProjectFiles, code, table, version

PYPROJECT = "pyproject.toml"
_LOCKS = {"uv.lock": "uv", "poetry.lock": "poetry", "pdm.lock": "pdm", "Pipfile.lock": "pipenv"}
_LINTERS = {"ruff": "ruff", "flake8": "flake8", "pylint": "pylint"}


def facts(checkout: ProjectFiles) -> Iterator[Fact]:
    """Give what the files of a Python project say."""
    project = checkout.toml(PYPROJECT)
    tools = table(project, "tool")
    found = [lock for lock in _LOCKS if checkout.has(lock)]
    manager = _LOCKS[found[0]] if len(found) == 1 else ""
    if manager:
        yield Fact(f"Use {manager} for packages and environments, not bare pip", found[0], "Tool Usage")
    yield from _version(checkout, project)
    if not project and not found:
        return
    yield from _tests(checkout, tools, manager)
    yield from _format(tools)
    mypy = table(tools, "mypy")
    if mypy.get("strict") is True:
        yield Fact("Types are checked with mypy, strict", PYPROJECT)
    elif "pyright" in tools or "basedpyright" in tools:
        mode = version(table(tools, "pyright").get("typeCheckingMode"))
        yield Fact(f"Types are checked with pyright{f', {mode}' if mode else ''}", PYPROJECT)


def _version(checkout: ProjectFiles, project: Mapping[str, Any]) -> Iterator[Fact]:
    said = table(project, "project").get("requires-python")
    if wanted := version(said or table(project, "tool", "poetry", "dependencies").get("python")):
        yield Fact(f"Python must be {wanted}", PYPROJECT, "Tool Usage")
    elif (wanted := version(checkout.text(".python-version"))) and wanted[0].isdigit():
        yield Fact(f"Python must be {wanted}", ".python-version", "Tool Usage")


def _tests(checkout: ProjectFiles, tools: Mapping[str, Any], manager: str) -> Iterator[Fact]:
    run = f"{manager} run " if manager else ""
    if "pytest" in tools or checkout.has("pytest.ini"):
        where = PYPROJECT if "pytest" in tools else "pytest.ini"
        yield Fact(f"Run the tests with {code(f'{run}pytest')}", where, "Tool Usage")
    elif checkout.has("tox.ini"):
        yield Fact(f"Run the tests with {code(f'{run}tox')}", "tox.ini", "Tool Usage")
    elif checkout.has("noxfile.py"):
        yield Fact(f"Run the tests with {code(f'{run}nox')}", "noxfile.py", "Tool Usage")


def _format(tools: Mapping[str, Any]) -> Iterator[Fact]:
    ruff, black = table(tools, "ruff"), table(tools, "black")
    if "black" in tools:
        length = version(black.get("line-length"))
        yield Fact(f"Code is formatted with black{f', {length} columns' if length else ''}", PYPROJECT)
    elif "ruff" in tools:
        length = version(ruff.get("line-length"))
        yield Fact(
            f"Code is linted and formatted with ruff{f', {length} columns' if length else ''}", PYPROJECT
        )
    for name, shown in _LINTERS.items():
        if name != "ruff" and name in tools:
            yield Fact(f"Code is linted with {shown}", PYPROJECT)
