"""The rules of the structure (specs/adr/0031), and its sizes, which are a direction: a run of this file alone prints them."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import muniment
from tests.test_imports import LAYERS, ROOT, cycle, imports, modules

FOR_DOORS = frozenset({"scope", "unfinished", "write"})
"""Names of a MemoryLedger that the doors of this repository use, and that are not promised to others."""

LONG = 40
"""Lines of a function beyond which it is counted as long."""

NAMED_FOR_OTHERS = frozenset({"agents.mcp.schemas", "frameworks.mem0"})
"""Modules whose names others read: the titles of what an MCP client is shown, and those of another program's classes."""

ONE_SUBJECT = frozenset({"episodes"})
"""Basenames of two modules outside `cli`: of a thing, and of what works with it."""

_TYPE = re.compile(r"^(?:class |(?=\w+ = )|    (?=\w+ = Literal\[))([A-Z]+[a-z]\w*)", re.MULTILINE)
"""The names of a module's classes and aliases, of which some are there for a type checker only."""
_FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef


def shipped() -> dict[str, Path]:
    """Return the modules that the wheel ships, by their dotted names."""
    return {
        name: path for name, path in modules().items() if name.partition(".")[0] not in ("eval", "training")
    }


def floors() -> dict[str, int]:
    """Return the floor of each package: 1 for those that import nothing of ours, else one above the highest below."""
    found: dict[str, int] = {}
    for package in LAYERS:  # from the ground up
        found[package] = 1 + max((found[below] for below in LAYERS[package]), default=0)
    return found


def functions(tree: ast.Module) -> Iterator[_FUNCTION]:
    """Give all functions and methods of a module: of its statements, since no expression has one."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, _FUNCTION):
            yield node
        waiting += (child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr))


def figures() -> list[str]:
    """Return one line for each figure."""
    paths = shipped()
    sources = {name: path.read_text("utf-8") for name, path in paths.items()}
    trees = {name: ast.parse(source) for name, source in sources.items()}
    packages = {name for name, path in paths.items() if path.name == "__init__.py"}
    lines = Counter[str]()
    for name, source in sources.items():
        lines[name.partition(".")[0]] += source.count("\n")
    every = [(name, node) for name, tree in trees.items() for node in functions(tree)]
    long = [node for _, node in every if (node.end_lineno or node.lineno) - node.lineno >= LONG]
    most = sorted(((_parameters(node), f"{name}.{node.name}") for name, node in every), reverse=True)[:3]
    inside = sum(
        each.inside
        for name, source in sources.items()
        for each in imports(source, name, sources, package=name in packages)
    )
    return [
        f"rings: {'none' if not cycle(sources, packages) else 'some'}",
        f"floors: {max(floor for name, floor in floors().items() if name not in ('eval', 'training'))}",
        f"files: {len(paths)}",
        f"lines: {sum(lines.values())}",
        *(f"  {package}: {count}" for package, count in lines.most_common()),
        f"functions over {LONG} lines: {len(long)} of {len(every)}",
        f"imports inside functions: {inside}",
        "longest parameter lists: " + ", ".join(f"{name} ({count})" for count, name in most),
    ]


def _parameters(node: _FUNCTION) -> int:
    given = node.args
    return len(given.posonlyargs) + len(given.args) + len(given.kwonlyargs)


def test_the_house_has_eight_floors_at_most() -> None:
    """Each package stands above all that it imports."""
    assert max(floor for name, floor in floors().items() if name not in ("eval", "training")) <= 8


def test_only_the_public_module_and_the_build_hook_stand_at_the_root() -> None:
    """Everything else has a package."""
    assert {path.name for path in ROOT.glob("*.py")} == {"muniment.py", "hatch_build.py"}


def test_a_type_has_a_name_of_its_own() -> None:
    """A reader of `Receipt` knows which class or alias it is, in every module."""
    found: dict[str, set[str]] = {}
    for module, path in shipped().items():
        if module not in NAMED_FOR_OTHERS:
            for name in _TYPE.findall(path.read_text("utf-8")):
                found.setdefault(name, set()).add(module)
    assert {name: where for name, where in found.items() if len(where) > 1} == {}


def test_a_module_has_a_name_of_its_own() -> None:
    """A command may be named like what it calls; else a basename is one module's, so that a search finds one file."""
    found: dict[str, list[str]] = {}
    for module, path in shipped().items():
        if path.name != "__init__.py" and not module.startswith("cli."):
            found.setdefault(path.stem, []).append(module)
    assert {name for name, where in found.items() if len(where) > 1} == ONE_SUBJECT


def test_the_public_names_are_those_that_are_promised() -> None:
    """docs/compatibility.md lists them: taking one away, or adding one, changes that page, too."""
    page = (ROOT / "docs" / "compatibility.md").read_text("utf-8")
    names, methods = (
        set(block.split()) for block in re.findall(r"^```text\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    )
    assert names == set(muniment.__all__)
    public = {name for name in dir(muniment.MemoryLedger) if not name.startswith("_")}
    assert public - FOR_DOORS == methods


def test_the_sizes_are_printed(request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]) -> None:
    """Where this file is all that is run."""
    found = "\n".join(figures())
    assert "\nfunctions over 40 lines: " in found
    if all(item.path == request.path for item in request.session.items):
        with capsys.disabled():
            print(f"\n{found}")
