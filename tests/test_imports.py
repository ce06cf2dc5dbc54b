"""Who may import whom, and no rings: read from the source, not from a run of it.

Tests specs/adr/0001. An import inside a function or under TYPE_CHECKING counts like any
other, because it ties the packages together all the same.
"""

from __future__ import annotations

import ast
import graphlib
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent

LAYERS: Mapping[str, tuple[str, ...]] = {
    "ledger": (),
    "transports": (),
    "writers": ("ledger",),
    "language": ("ledger",),
    "projections": ("ledger", "writers", "language"),
    "documents": ("ledger", "writers", "language", "projections"),
    "proofs": ("ledger", "writers", "language", "projections", "documents"),
    "learning": ("ledger", "language", "projections", "documents"),
    "team": ("ledger", "transports", "writers", "projections", "documents"),
    "muniment": ("ledger", "language", "projections", "documents", "proofs", "learning", "team"),
    "agents": ("ledger", "language", "projections", "documents", "proofs", "learning", "team", "muniment"),
    "frameworks": ("ledger", "language", "projections", "documents", "learning", "muniment"),
    "report": ("ledger", "writers", "language", "projections", "documents", "learning", "proofs", "muniment"),
    "cli": (
        "ledger",
        "writers",
        "language",
        "projections",
        "documents",
        "proofs",
        "learning",
        "team",
        "muniment",
        "agents",
        "report",
    ),
    "training": ("ledger", "language", "learning"),
    "eval": ("ledger", "language", "projections", "documents", "learning", "training", "muniment"),
}
"""What each part may import beside itself, from the ground up; what the wheel ships never imports what it does not ship."""

FREE = frozenset({"benchmarks", "demo", "docs", "hatch_build", "specs", "tests"})
"""Parts that may import everything and that nothing in LAYERS imports."""


WAITS: Mapping[str, str] = {
    **dict.fromkeys(
        (
            "agents.hooks.dispatch",
            "agents.hooks.folder_scopes",
            "agents.hooks.handover",
            "agents.hooks.session_adoption",
            "agents.hooks.session_start",
            "agents.hooks.session_watch",
            "agents.hooks.user_prompt",
            "agents.hooks.worker",
            "agents.hooks.written_documents",
        ),
        "an agent waits for its hooks: an event loads the room that answers it",
    ),
    "agents.hooks.prompt_requests": "few prompts come with a transcript to read",
    "agents.mcp.front": "the server's libraries load while the first messages are answered",
    "cli.app": "few commands ask for all scopes",
    "cli.as_of": "few commands look at the past",
    "cli.commands.add": "the memory is stored before others that resemble it are looked for",
    "cli.commands.adopt": "every write names what it adopted, and few documents overflow",
    "cli.commands.capture": "one of two detectors is loaded",
    "cli.commands.daily": "a schedule writes notes every half hour and curates once a week",
    "cli.commands.import_": "few files are exported conversations",
    "cli.commands.list_": "the plain list does not look for stale memories",
    "cli.commands.mcp": "the server's libraries load while the first messages are answered",
    "cli.commands.report": "the page needs none of what finds faults",
    "cli.commands.team": "each verb loads what it needs",
    "cli.commands.upkeep": "a schedule asks every hour, and seldom verifies",
    "cli.examined_ledger": "status looks at a ledger as doctor does, and reads no edits",
    "cli.learning_run": "upkeep asks every hour, and learns nothing",
    "cli.main": "a command, or the overview, is loaded when it runs",
    "cli.program": "an agent waits for its hooks, which need no command line",
    "cli.write_notices": "few writes find an edited document",
    "documents.documents": "edits are read only where a document was edited: a write loads none of it",
    "documents.edited_documents": "a write names the documents that it looks at",
    "documents.replacements": "edits are read only where a document was edited: a write loads none of it",
    "documents.scope": "few projects' ledgers get another one beside them",
    "documents.targets": "an agent waits for its hooks, which ask whether a file is a document of ours",
    "documents.writing.every_document": "few memories belong to a topic",
    "documents.writing.files": "few documents were edited just now",
    "documents.writing.folder": "only the first rendering looks for documents that are there",
    "transports.choose": "a server's client is loaded, and installed, only where a team uses it",
    "training.__main__": "to compare the file with the data takes no scikit-learn",
    "eval.messages": "a report loads the program, or a model, that it measures",
    "language.printable": "a text is redacted only where a message shows one",
    "learning.detection.detector": "few conversations tell of a command that failed",
    "learning.intake": "few proposals ask to forget",
    "language.likeness.word_comparison": "few texts name two values of one kind",
    "learning.learned_messages": "few messages ask to forget",
    "learning.statement_times": "few memories were confirmed since",
    "learning.learning": "the public object opens a service when it is first asked for",
    "ledger.actor": "few commands are told a session, whose name is searched for secrets",
    "ledger.event": "an agent waits for its hooks, which read events and write none",
    "ledger.keys": "few keys have a passphrase",
    "muniment": "the public object opens a service when it is first asked for",
    "projections.index": "few events are checked on both cores",
    "projections.current_index": "the Workspace opens its parts when they are needed",
    "projections.injection": "an agent waits for its hooks: a session's start asks for no search",
    "projections.local": "the local database is opened to read only where it cannot be written",
    "projections.local_database": "the local database is opened to read only where it cannot be written",
    "projections.local_erasure": "shown blocks are read only where something is erased",
    "projections.prompt_questions": "an agent waits for its hooks, and few sessions start with a question",
    "projections.recall": "an agent waits for its hooks: a session's start asks for no search",
    "projections.render_lock": "a digest is needed only where a document is rendered",
    "projections.scope_merge": "texts are compared only where two scopes have some",
    "projections.similar_memories": "texts are compared only where a candidate shares words",
    "projections.vectors.embedder": "one of two models is loaded, and most installations have neither",
    "projections.workspace": "the Workspace opens its parts when they are needed",
}
"""The modules whose imports may wait for a call, and what start-up gains by it."""


class Import(NamedTuple):
    """One import: the dotted name, its line, whether it waits for a call (or for a type checker), and whether a function has it."""

    target: str
    line: int
    lazy: bool
    inside: bool


def modules() -> dict[str, Path]:
    """Return the dotted names of all modules under LAYERS, with their files."""
    files = [path for top in LAYERS for path in [ROOT / f"{top}.py", *(ROOT / top).rglob("*.py")]]
    return {_dotted(path.relative_to(ROOT)): path for path in files if path.is_file()}


def _dotted(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(source: str, module: str, known: Collection[str], *, package: bool = False) -> list[Import]:
    """Return the imports of our own parts in `source`, the code of `module`; `known` names all modules."""
    found = _imports_of_ours(source, module if package else module.rpartition(".")[0])
    return list(dict.fromkeys(each._replace(target=_existing(each.target, known)) for each in found))


@cache
def _imports_of_ours(source: str, base: str) -> tuple[Import, ...]:
    found: list[Import] = []
    calls = "import_module" in source or "__import__" in source  # else no expression imports anything
    _collect(ast.parse(source), lazy=False, inside=False, base=base, into=found, calls=calls)
    return tuple(each for each in found if _top(each.target) in {*LAYERS, *FREE})


def _collect(node: ast.AST, *, lazy: bool, inside: bool, base: str, into: list[Import], calls: bool) -> None:
    if isinstance(node, ast.Import):
        into += [Import(alias.name, node.lineno, lazy, inside) for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        above = base.split(".")[: len(base.split(".")) - node.level + 1] if node.level else []
        origin = ".".join([*above, *([node.module] if node.module else [])])
        into += [Import(f"{origin}.{alias.name}", node.lineno, lazy, inside) for alias in node.names]
    elif isinstance(node, ast.Call) and (name := _named_as_text(node)):
        into.append(Import(name, node.lineno, lazy=True, inside=False))
    inside = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    for field, value in ast.iter_fields(node):
        later = lazy or inside
        if isinstance(node, ast.If) and field == "body":
            later = later or called(node.test) == "TYPE_CHECKING"
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and (calls or not isinstance(child, ast.expr)):
                _collect(child, lazy=later, inside=inside, base=base, into=into, calls=calls)


def _named_as_text(call: ast.Call) -> str:
    """Return the literal that a call of `import_module` or `__import__` names, if it is absolute."""
    first: ast.expr | None = call.args[0] if call.args else None
    if isinstance(first, ast.JoinedStr) and first.values:
        first = first.values[0]
    if called(call.func) in ("import_module", "__import__") and isinstance(first, ast.Constant):
        return str(first.value).rstrip(".")
    return ""


def called(node: ast.expr) -> str:
    """Return `x` for both `x` and `a.b.x`, nothing for other expressions."""
    return str(getattr(node, "attr", "") or getattr(node, "id", ""))


def _existing(name: str, known: Collection[str]) -> str:
    """Return the module that `name` lies in: `ledger.memory` is one, `ledger.memory.Memory` lies in it."""
    while name not in known and "." in name and _top(name) not in FREE:
        name = name.rpartition(".")[0]
    return name


def _top(name: str) -> str:
    return name.partition(".")[0]


def wrong_arrows(module: str, found: Collection[Import]) -> list[str]:
    """Return a sentence for each import that LAYERS does not allow to `module`."""
    allowed = (_top(module), *LAYERS[_top(module)])
    return [
        f"{module}, line {line}: {_top(module)} may not import {target}"
        for target, line, _, _ in found
        if not any(target == name or target.startswith(f"{name}.") for name in allowed)
    ]


def cycle(sources: Mapping[str, str], packages: Collection[str] = ()) -> list[str]:
    """Return one ring of modules that import each other, or nothing; an import that waits for a call counts."""
    graph = {
        module: {
            each.target
            for each in imports(source, module, sources, package=module in packages)
            if each.target != module
        }
        for module, source in sources.items()
    }
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return list(error.args[1])
    return []


def _sources() -> dict[str, str]:
    return {module: path.read_text("utf-8") for module, path in modules().items()}


def _packages() -> set[str]:
    return {module for module, path in modules().items() if path.name == "__init__.py"}


def test_every_import_follows_the_package_table() -> None:
    """Each package imports only what lies below it (specs/adr/0031)."""
    sources, packages = _sources(), _packages()
    assert {_top(module) for module in sources} == {*LAYERS}
    faults = [
        fault
        for module, source in sources.items()
        for fault in wrong_arrows(module, imports(source, module, sources, package=module in packages))
    ]
    assert not faults, "\n".join(faults)


def test_no_modules_import_each_other_in_a_ring() -> None:
    """Data goes one way: no ring, imports inside functions and for a type checker included."""
    assert not cycle(_sources(), _packages())


def _at_start(module: str, tops: Mapping[str, Collection[str]]) -> set[str]:
    """Return all modules that importing `module` loads, itself and the packages around each of them included."""
    loaded: set[str] = set()
    waiting = [module]
    while waiting:
        if (name := waiting.pop()) in loaded or name not in tops:
            continue
        loaded.add(name)
        waiting += [*tops[name], name.rpartition(".")[0]]
    return loaded


def waiting_for_nothing(sources: Mapping[str, str], packages: Collection[str] = ()) -> list[str]:
    """Return a sentence for each import that waits, for a call or a type checker, though the module is loaded anyway."""
    found = {
        module: imports(source, module, sources, package=module in packages)
        for module, source in sources.items()
    }
    tops = {module: [each.target for each in some if not each.lazy] for module, some in found.items()}
    return [
        f"{module}, line {each.line}: {each.target} is loaded anyway: import it at the top"
        for module, some in found.items()
        for each in some
        if each.lazy and each.target in _at_start(module, tops)
    ]


def test_no_import_waits_for_a_module_that_is_loaded_anyway() -> None:
    """Imports stand at the top of a file unless start-up gains by it (specs/adr/0031)."""
    late = waiting_for_nothing(_sources(), _packages())
    assert not late, "\n".join(late)


def test_an_import_inside_a_function_is_listed_with_its_reason() -> None:
    """WAITS names every module that has one, and no other."""
    sources, packages = _sources(), _packages()
    having = {
        module
        for module, source in sources.items()
        if any(each.inside for each in imports(source, module, sources, package=module in packages))
    }
    assert having == {*WAITS}


@pytest.mark.parametrize(
    ("source", "late"),
    [
        ("from ledger.event import a\ndef f() -> None:\n    from ledger.memory import b", True),
        ("from ledger.event import a\nif TYPE_CHECKING:\n    from ledger.memory import b", True),
        ("def f() -> None:\n    from ledger.memory import b", False),
        ("def f() -> None:\n    import ledger", True),
        ("from ledger.memory import b", False),
    ],
)
def test_what_is_loaded_anyway_is_found_through_other_modules(source: str, late: bool) -> None:
    """`ledger.event` imports `ledger.memory` here, and a package is loaded with each of its modules."""
    sources = {
        "ledger": "",
        "ledger.event": "import ledger.memory",
        "ledger.memory": "",
        "ledger.fold": source,
    }
    assert bool(waiting_for_nothing(sources, {"ledger"})) is late


def test_every_python_folder_has_a_rule() -> None:
    """A new top-level folder or module cannot be forgotten in the table above."""
    folders = {path.name for path in ROOT.iterdir() if path.is_dir() and any(path.glob("*.py"))}
    files = {path.stem for path in ROOT.glob("*.py")}
    assert folders | files <= {*LAYERS, *FREE}


KNOWN = frozenset(
    {"ledger", "ledger.memory", "ledger.errors", "ledger.event", "projections", "projections.index"}
)
KNOWN |= {"learning", "learning.policy", "cli", "cli.main", "muniment", "eval"}


@pytest.mark.parametrize(
    ("module", "source", "wrong"),
    [
        ("ledger.event", "from ledger.memory import Memory\nimport os.path\nfrom typing import Any", []),
        ("ledger.event", "from projections.index import Index", ["projections.index"]),
        ("ledger.event", "import muniment", ["muniment"]),
        ("ledger.event", "def f() -> None:\n    from cli.main import main", ["cli.main"]),
        (
            "ledger.event",
            "if TYPE_CHECKING:\n    import learning.policy as p",
            ["learning.policy"],
        ),
        ("ledger.event", "try:\n    import eval\nexcept ImportError:\n    pass", ["eval"]),
        ("ledger.event", "importlib.import_module('projections.index')", ["projections.index"]),
        ("ledger.event", "importlib.import_module(f'cli.{name}')", ["cli"]),
        ("ledger.event", "'from cli import main'  # import cli", []),
        ("projections.index", "from ledger import event, errors", []),
        ("projections.index", "from learning import policy", ["learning.policy"]),
        ("projections.index", "from tests.ledger.build import chain", ["tests.ledger.build.chain"]),
        (
            "learning.policy",
            "from ledger.memory import Memory\nfrom ledger.errors import LedgerError",
            [],
        ),
        ("learning.policy", "from ledger import memory", []),
        ("learning.policy", "from . import index\nfrom .policy import x", []),
        ("cli.main", "import muniment\nfrom learning import policy\nfrom ledger import event", []),
        ("cli.main", "from benchmarks import run", ["benchmarks.run"]),
        ("muniment", "from learning import policy\nfrom projections.index import Index", []),
        ("muniment", "from cli.main import main", ["cli.main"]),
        ("eval", "from muniment import Memory", []),
        ("eval", "import cli", ["cli"]),
    ],
)
def test_a_wrong_arrow_is_found(module: str, source: str, wrong: list[str]) -> None:
    """The check sees imports of every form, wherever they stand, and takes none for another."""
    found = wrong_arrows(module, imports(source, module, KNOWN))
    assert [fault.rpartition(" ")[2] for fault in found] == wrong


A_AND_B = {"ledger.a", "ledger.b"}


@pytest.mark.parametrize(
    ("sources", "ring"),
    [
        ({"ledger.a": "import ledger.b as b", "ledger.b": ""}, set()),
        ({"ledger.a": "import ledger.b as b", "ledger.b": "from ledger.a import x"}, A_AND_B),
        ({"ledger": "from ledger.a import x", "ledger.a": "from ledger import x"}, {"ledger", "ledger.a"}),
        ({"ledger": "from ledger.a import x", "ledger.a": "from . import x"}, {"ledger", "ledger.a"}),
        ({"ledger.a": "class A:\n    import ledger.b", "ledger.b": "from ledger import a"}, A_AND_B),
        ({"ledger.a": "def f():\n    import ledger.b", "ledger.b": "import ledger.a"}, A_AND_B),
        (
            {"ledger.a": "if typing.TYPE_CHECKING:\n    import ledger.b", "ledger.b": "import ledger.a"},
            A_AND_B,
        ),
        ({"ledger.a": "if not TYPE_CHECKING:\n    import ledger.b", "ledger.b": "import ledger.a"}, A_AND_B),
        ({"ledger.a": "if not x:\n    import ledger.b", "ledger.b": "import ledger.a"}, A_AND_B),
    ],
)
def test_a_ring_is_found(sources: dict[str, str], ring: set[str]) -> None:
    """The check sees every import, wherever it stands."""
    assert set(cycle(sources, packages={"ledger"} & set(sources))) == ring
