"""Tests hatch_build.py (specs/adr/0001): how imports and a tree are mapped under `muniment`, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hatch_build import MappingError, map_imports, map_tree
from tests.test_wheel import OURS


@pytest.mark.parametrize(
    ("source", "mapped"),
    [
        ("from ledger import event", "from muniment.ledger import event"),
        ("from documents import join", "from muniment.documents import join"),
        ("from ledger.event import (\n    Event,\n)", "from muniment.ledger.event import (\n    Event,\n)"),
        ("from ledger.event import *", "from muniment.ledger.event import *"),
        ("import ledger.event as e", "import muniment.ledger.event as e"),
        (
            "import ledger as l, os, cli.main as m",
            "import muniment.ledger as l, os, muniment.cli.main as m",
        ),
        ("import os; from cli import main; x = 1", "import os; from muniment.cli import main; x = 1"),
        ("from\\\n  ledger . event import x", "from\\\n  muniment.ledger . event import x"),
        ("from\tledger import x", "from\tmuniment.ledger import x"),
        ("é = 'ü'; from ledger import x", "é = 'ü'; from muniment.ledger import x"),
        ("def f():\n    from cli import main", "def f():\n    from muniment.cli import main"),
        ("if TYPE_CHECKING: from ledger import x", "if TYPE_CHECKING: from muniment.ledger import x"),
        ("x = 1\r\nfrom ledger import x\r\n", "x = 1\r\nfrom muniment.ledger import x\r\n"),
        ("'''a\rb\r\nc'''\nfrom ledger import x", "'''a\rb\r\nc'''\nfrom muniment.ledger import x"),
        ("\ufefffrom ledger import x", "\ufefffrom muniment.ledger import x"),
        ("x = '\f'\n\f\nfrom ledger import x", "x = '\f'\n\f\nfrom muniment.ledger import x"),
    ],
)
def test_an_import_of_ours_moves_under_muniment(source: str, mapped: str) -> None:
    """Every form of import, wherever it stands, is moved; not one other byte changes."""
    assert map_imports(source.encode(), "x.py", OURS).decode() == mapped


@pytest.mark.parametrize(
    "source",
    [
        "from muniment import open\nimport muniment",
        "from . import event\nfrom .ledger import x\nfrom .. import ledger",
        "import os.path, ledgers.x\nfrom ledger_x import ledger\nfrom x.ledger import y",
        "'from ledger import x'  # from ledger import x\n'''\nfrom ledger import x\n'''",
        "import_module('.add', 'cli')\nimport_module(f'.{name}', __package__)\nfiles(__package__)\nledger.x",
        "",
    ],
)
def test_everything_else_keeps_its_bytes(source: str) -> None:
    """Strings, comments, relative imports and other people's modules stay as they are."""
    assert map_imports(source.encode(), "x.py", OURS).decode() == source


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("x = 1\nimport ledger.event", "a/b.py:2: `import ledger.event` binds"),
        ("def f():\n\n    import os, cli", "a/b.py:3: `import cli` binds"),
        ("import ledger.x\nimport ledger.y", "a/b.py:2: `import ledger.y` binds"),
        ("x\nimport_module('cli.add')", "a/b.py:2: the module name 'cli.add' as text"),
        ("importlib.import_module(f'cli.{name}')", "a/b.py:1: the module name 'cli.' as text"),
        ("resources.files('ledger')", "a/b.py:1: the module name 'ledger' as text"),
        ("from ledger import", "a/b.py:1: is not valid Python"),
        ("# coding: latin-1\nx = 1", "a/b.py:1: is encoded as iso-8859-1"),
        ("x = '\udcff'", "a/b.py:1: is not valid Python"),
    ],
)
def test_what_cannot_be_moved_is_refused_with_its_place(source: str, message: str) -> None:
    """An import that would mean something else in the wheel stops the build, naming file and line."""
    with pytest.raises(MappingError, match=re.escape(message)):
        map_imports(source.encode("utf-8", "surrogateescape"), "a/b.py", OURS)


def test_a_tree_is_mapped_without_caches_and_leftovers(tmp_path: Path) -> None:
    """Sources and data files go in; caches, hidden files and editors' backups stay out."""
    names = [
        "muniment.py",
        "py.typed",
        "ledger/__init__.py",
        "ledger/rules.toml",
        "ledger/deep/er.py",
        "x.py",
    ]
    names += ["ledger/p/.claude-plugin/plugin.json", "ledger/p/.mcp.json"]  # a plugin's own names
    left_out = ["ledger/__pycache__/x.py", "ledger/x.pyc", "ledger/.x.py", "ledger/.d/x.py", "ledger/x.py~"]
    for name in names + left_out:
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_text("import ledger.x as x\n")
    map_tree(tmp_path / "in", tmp_path / "out", ["ledger"], ["x"])
    got = {
        str(path.relative_to(tmp_path / "out")): path
        for path in (tmp_path / "out").rglob("*")
        if path.is_file()
    }
    assert set(got) == {"__init__.py", *names[1:]}
    assert got["ledger/deep/er.py"].read_text() == "import muniment.ledger.x as x\n"
    assert got["ledger/rules.toml"].read_text() == "import ledger.x as x\n"


def test_every_missing_or_wrong_file_is_listed(tmp_path: Path) -> None:
    """One build shows all that has to be mended."""
    (tmp_path / "ledger").mkdir()
    (tmp_path / "ledger/a.py").write_text("import ledger")
    (tmp_path / "ledger/b.py").write_text("\n!")
    with pytest.raises(MappingError) as caught:
        map_tree(tmp_path, tmp_path / "out", ["ledger", "cli"], ["x"])
    places = [line.partition(" ")[0] for line in str(caught.value).splitlines()]
    assert places == [
        "muniment.py:",
        "py.typed:",
        "x.py:",
        "ledger/a.py:1:",
        "ledger/b.py:2:",
        "cli/__init__.py:",
    ]
