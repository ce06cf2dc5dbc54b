"""The rules of the structure (specs/adr/0031)."""

from __future__ import annotations

import re
from pathlib import Path

import muniment
from tests.test_imports import LAYERS, ROOT, modules

FOR_DOORS = frozenset({"scope", "unfinished", "write"})
"""Names of a MemoryLedger that the doors of this repository use, and that are not promised to others."""

NAMED_FOR_OTHERS = frozenset({"agents.mcp.schemas", "frameworks.mem0"})
"""Modules whose names others read: the titles of what an MCP client is shown, and those of another program's classes."""

ONE_SUBJECT = frozenset({"episodes"})
"""Basenames of two modules outside `cli`: of a thing, and of what works with it."""

_TYPE = re.compile(r"^(?:class |(?=\w+ = )|    (?=\w+ = Literal\[))([A-Z]+[a-z]\w*)", re.MULTILINE)
"""The names of a module's classes and aliases, of which some are there for a type checker only."""


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
    assert public - FOR_DOORS | {"recall"} == methods  # `recall` is an attribute of each object
