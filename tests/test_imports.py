"""Who may import whom, no rings, and who may write the chain: read from the source, not from a run of it.

Tests specs/adr/0001 and specs/chain.md. An import inside a function or under TYPE_CHECKING counts like any
other, because it ties the packages together all the same.
"""

from __future__ import annotations

import ast
import graphlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent

LAYERS: Mapping[str, tuple[str, ...]] = {
    "ledger": (),
    "language": ("ledger",),
    "projections": ("ledger", "language"),
    "documents": ("ledger", "language", "projections"),
    "proofs": ("ledger", "language", "projections", "documents"),
    "learning": ("ledger", "language", "projections", "documents"),
    "muniment": ("ledger", "language", "projections", "documents", "proofs", "learning"),
    "agents": ("ledger", "language", "projections", "documents", "proofs", "learning", "muniment"),
    "cli": ("ledger", "language", "projections", "documents", "proofs", "learning", "muniment", "agents"),
    "training": ("ledger", "language", "learning"),
    "eval": ("ledger", "language", "projections", "documents", "learning", "training", "muniment"),
}
"""What each part may import beside itself, from the ground up; what the wheel ships never imports what it does not ship."""

FREE = frozenset({"benchmarks", "demo", "docs", "hatch_build", "specs", "tests"})
"""Parts that may import everything and that nothing in LAYERS imports."""


WAITS: Mapping[str, str] = {
    "agents.hooks": "an agent waits for its hooks: an event loads the room that answers it",
    "agents.mcp.front": "the server's libraries load while the first messages are answered",
    "cli": "a command, or an option of it, loads its parts when it runs",
    "documents.adopting.cutting": "topic files are compared only where one was edited",
    "documents.documents": "edits are read only where a document was edited: a write loads none of it",
    "documents.replacements": "edits are read only where a document was edited: a write loads none of it",
    "documents.targets": "an agent waits for its hooks, which ask whether a file is a document of ours",
    "training.__main__": "to compare the file with the data takes no scikit-learn",
    "eval": "a report loads the program, or a model, that it measures",
    "language.printable": "a text is redacted only where a message shows one",
    "learning.curate": "what scores takes long to load, and is asked of few notes",
    "learning.learning": "the public object opens a service when it is first asked for",
    "ledger.event": "an agent waits for its hooks, which read events and write none",
    "ledger.keys": "few keys have a passphrase",
    "ledger.recovery": "a rotation is looked for only where recovery is under way",
    "muniment": "the public object opens a service when it is first asked for",
    "projections.catch_up_check": "an index that is hardly behind needs no worker",
    "projections.current_index": "the Workspace opens its parts when they are needed",
    "projections.injection": "an agent waits for its hooks: a session's start asks for no search",
    "projections.local": "the local database is opened to read only where it cannot be written",
    "projections.local_database": "the local database is opened to read only where it cannot be written",
    "projections.local_erasure": "shown blocks are read only where something is erased",
    "projections.patterns": "few topics have a regular expression",
    "projections.prompt_questions": "an agent waits for its hooks, and few sessions start with a question",
    "projections.recall": "an agent waits for its hooks: a session's start asks for no search",
    "projections.render_lock": "a digest is needed only where a document is rendered",
    "projections.scope_merge": "texts are compared only where two scopes have some",
    "projections.similar_memories": "texts are compared only where a candidate shares words",
    "projections.vectors.embedder": "one of two models is loaded, and most installations have neither",
    "projections.workspace": "the Workspace opens its parts when they are needed",
    "proofs": "a write keeps the tree; proofs, anchors and trust are asked for now and then",
}
"""The modules whose imports may wait for a call, by the beginning of their names, and what start-up gains by it."""


class Import(NamedTuple):
    """One import: the dotted name, its line, and whether it waits for a call (or for a type checker)."""

    target: str
    line: int
    lazy: bool


def modules() -> dict[str, Path]:
    """Return the dotted names of all modules under LAYERS, with their files."""
    files = [path for top in LAYERS for path in [ROOT / f"{top}.py", *(ROOT / top).rglob("*.py")]]
    return {_dotted(path.relative_to(ROOT)): path for path in files if path.is_file()}


def _dotted(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(source: str, module: str, known: Collection[str], *, package: bool = False) -> list[Import]:
    """Return the imports of our own parts in `source`, the code of `module`; `known` names all modules."""
    found: list[Import] = []
    base = module if package else module.rpartition(".")[0]
    _collect(ast.parse(source), lazy=False, base=base, into=found)
    ours = [each for each in found if _top(each.target) in {*LAYERS, *FREE}]
    return list(dict.fromkeys(each._replace(target=_existing(each.target, known)) for each in ours))


def _collect(node: ast.AST, *, lazy: bool, base: str, into: list[Import]) -> None:
    if isinstance(node, ast.Import):
        into += [Import(alias.name, node.lineno, lazy) for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        above = base.split(".")[: len(base.split(".")) - node.level + 1] if node.level else []
        origin = ".".join([*above, *([node.module] if node.module else [])])
        into += [Import(f"{origin}.{alias.name}", node.lineno, lazy) for alias in node.names]
    elif isinstance(node, ast.Call) and (name := _named_as_text(node)):
        into.append(Import(name, node.lineno, True))
    for field, value in ast.iter_fields(node):
        later = lazy or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        if isinstance(node, ast.If) and field == "body":
            later = later or _name(node.test) == "TYPE_CHECKING"
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                _collect(child, lazy=later, base=base, into=into)


def _named_as_text(call: ast.Call) -> str:
    """Return the literal that a call of `import_module` or `__import__` names, if it is absolute."""
    first: ast.expr | None = call.args[0] if call.args else None
    if isinstance(first, ast.JoinedStr) and first.values:
        first = first.values[0]
    if _name(call.func) in ("import_module", "__import__") and isinstance(first, ast.Constant):
        return str(first.value).rstrip(".")
    return ""


def _name(node: ast.expr) -> str:
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
        for target, line, _ in found
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
    having = {module for module, source in _sources().items() if _imports_in_functions(source)}
    unlisted = {module for module in having if not _reasons(module)}
    assert not unlisted
    assert {name for module in having for name in _reasons(module)} == {*WAITS}


def _reasons(module: str) -> list[str]:
    return [name for name in WAITS if f"{module}.".startswith(f"{name}.")]


def _imports_in_functions(source: str) -> bool:
    """Say whether a function of `source` imports a part of ours."""
    return any(
        isinstance(node, ast.Import | ast.ImportFrom) and any(_top(name) in LAYERS for name in _names(node))
        for function in ast.walk(ast.parse(source))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
    )


def _names(node: ast.Import | ast.ImportFrom) -> list[str]:
    return [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]


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


CHAIN_WRITERS = frozenset({"ledger/chain.py"})
"""The modules that may write chain.jsonl (specs/chain.md)."""

_READING = frozenset({"O_RDONLY", "O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK"})
_SAME_FILE = frozenset({"Path", "str", "fspath", "fsencode", "realpath", "abspath", "resolve", "absolute"})
_ON_ITSELF = frozenset({"write_text", "write_bytes", "touch", "unlink", "rename", "replace"})
_ON_FIRST = frozenset(
    {"truncate", "remove", "unlink", "rename", "replace", "move", "write_new", "replace_file"}
)
_ON_SECOND = frozenset({"rename", "replace", "move", "link", "symlink", "copy", "copy2", "copyfile"})
"""Calls that change the file that they are called on, or that their first or second argument names."""

_FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef


def chain_writes(source: str) -> list[int]:
    """Return the lines on which `source` opens chain.jsonl for writing, replaces or removes it.

    Follows the name through assignments in one function, through `self` attributes and module constants. A
    path that arrives as a parameter with another name than `chain_path` is beyond it.
    """
    tree = ast.parse(source)
    shared = {key for key in _assigned(ast.walk(tree), set()) if key.startswith(".") or key.isupper()}
    lines = set()
    for scope in ast.walk(tree):
        if isinstance(scope, ast.Module | _FUNCTION):
            nodes = list(_inside(scope))
            names = shared
            while (more := names | _assigned(nodes, names)) != names:
                names = more
            lines |= {node.lineno for node in nodes if isinstance(node, ast.Call) and _writes(node, names)}
    return sorted(lines)


def _inside(scope: ast.AST) -> Iterator[ast.AST]:
    """Yield what stands in one scope: not the insides of the functions in it."""
    for child in ast.iter_child_nodes(scope):
        yield child
        if not isinstance(child, _FUNCTION):
            yield from _inside(child)


def _assigned(nodes: Iterable[ast.AST], names: AbstractSet[str]) -> set[str]:
    """Return the names (attributes with a dot in front) to which `nodes` assign the chain's path."""
    found: set[str] = set()
    for node in nodes:
        if not isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr):
            continue
        if node.value and _is_chain(node.value, names):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {"." * isinstance(each, ast.Attribute) + _name(each) for each in targets}
    return found


def _is_chain(node: ast.expr, names: AbstractSet[str]) -> bool:
    """Say whether an expression is the path or the file name of the chain itself, not of a file beside it."""
    match node:
        case ast.Constant(value=str(text)):
            return text.rpartition("/")[2] == "chain.jsonl"
        case ast.Name(id=name):
            return name in names or name in ("CHAIN_NAME", "chain_path")
        case ast.Attribute(value=owner, attr=name):
            of_chain = name == "path" and _name(owner).endswith("chain")
            return of_chain or f".{name}" in names or name in ("CHAIN_NAME", "chain_path")
        case ast.BinOp(op=ast.Div() | ast.Add(), right=last) | ast.NamedExpr(value=last):
            return _is_chain(last, names)
        case ast.JoinedStr(values=[*_, ast.Constant(value=str(text))]):
            return text.endswith("/chain.jsonl")
        case ast.JoinedStr(values=[*before, ast.FormattedValue(value=last)]):
            whole = not before or (isinstance(before[-1], ast.Constant) and str(before[-1].value)[-1:] == "/")
            return whole and _is_chain(last, names)
        case ast.Call(func=ast.Attribute(attr="join" | "joinpath" | "with_name"), args=[*_, last]):
            return _is_chain(last, names)
        case ast.Call(func=function, args=args) if _name(function) in _SAME_FILE:
            before = [function.value] if isinstance(function, ast.Attribute) else []
            return any(_is_chain(each, names) for each in (*before, *args))
        case ast.IfExp(body=body, orelse=other):
            return _is_chain(body, names) or _is_chain(other, names)
    return False


def _writes(call: ast.Call, names: AbstractSet[str]) -> bool:
    called = _name(call.func)
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    mode = named.pop("mode", None) or named.pop("flags", None)
    chains = [_is_chain(each, names) for each in (*call.args, *named.values())]
    itself = isinstance(call.func, ast.Attribute) and _is_chain(call.func.value, names)
    if called == "open" and (itself or any(chains[:1])):
        modes = [*([mode] if mode else []), *call.args[0 if itself else 1 :]]
        return bool(modes) and not _only_reads(modes[0])
    return (
        (itself and called in _ON_ITSELF)
        or (called in _ON_FIRST and any(chains[:1]))
        or (called in _ON_SECOND and any(chains[1:2]))
    )


def _only_reads(mode: ast.expr) -> bool:
    """Say whether an open mode or flags certainly cannot write; what is not literal may."""
    if isinstance(mode, ast.Constant):
        return isinstance(mode.value, str) and not set(mode.value) & set("wax+")
    flags = [_name(node) for node in ast.walk(mode) if isinstance(node, ast.Name | ast.Attribute)]
    return all(flag in _READING or flag == "os" for flag in flags)


def test_only_the_chain_module_writes_the_chain() -> None:
    """Nothing outside ledger/chain.py opens chain.jsonl for writing, replaces or removes it."""
    faults = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in modules().values()
        if path.relative_to(ROOT).as_posix() not in CHAIN_WRITERS
        for line in chain_writes(path.read_text("utf-8"))
    ]
    assert not faults, "\n".join(faults)


def test_the_chain_module_is_seen_to_write_the_chain() -> None:
    """The check would see the real writer's own code, if it stood elsewhere."""
    for writer in CHAIN_WRITERS:
        assert chain_writes((ROOT / writer).read_text("utf-8"))


@pytest.mark.parametrize(
    "source",
    [
        "open('chain.jsonl', 'w')",
        "open('/x/chain.jsonl', mode='r+b')",
        "open(file='chain.jsonl', mode='a')",
        "open(directory / CHAIN_NAME, mode)",
        "(directory / CHAIN_NAME).open('ab')",
        "Path(directory, chain.CHAIN_NAME).write_bytes(data)",
        "os.open(self.chain.path, os.O_RDWR | os.O_CLOEXEC)",
        "os.open(f'{directory}/chain.jsonl', flags)",
        "os.open(f'{directory}/{CHAIN_NAME}', flags=os.O_WRONLY)",
        "os.open(os.path.join(directory, 'chain.jsonl'), os.O_WRONLY)",
        "path = directory / 'chain.jsonl'\nother = path\nother.write_text('')",
        "def f(d):\n    with open(path := d / CHAIN_NAME, 'rb+') as file:\n        pass",
        "class A:\n  def g(self, d):\n    self.p = d / CHAIN_NAME\n  def f(self):\n    self.p.unlink()",
        "os.replace(temporary, directory / CHAIN_NAME)",
        "temporary.replace(directory / CHAIN_NAME)",
        "shutil.copyfile(backup, chain_path)",
        "os.truncate(str(directory / CHAIN_NAME), 0)",
        "durable.replace_file(directory / CHAIN_NAME, data)",
        "NAME = 'chain.jsonl'\ndef f(d):\n    open(d / NAME, 'w')",
    ],
)
def test_writing_the_chain_is_found(source: str) -> None:
    """The check sees each way to open, replace or remove the file, however its path is made."""
    assert chain_writes(source)


@pytest.mark.parametrize(
    "source",
    [
        "open('chain.jsonl')",
        "open(directory / CHAIN_NAME, 'rb')",
        "(directory / CHAIN_NAME).read_bytes()",
        "os.open(chain.path, os.O_RDONLY | os.O_CLOEXEC)",
        "shutil.copyfile(directory / CHAIN_NAME, backup)",
        "open(directory / f'{CHAIN_NAME}.torn-{stamp}', 'xb')",
        "open(directory / f'.{CHAIN_NAME}', 'xb')",
        "open('chain.jsonl.bak', 'w')",
        "path.with_name(f'{chain.path.name}.torn').write_bytes(data)",
        "def f(d):\n    path = d / CHAIN_NAME\ndef g(path):\n    path.write_text('')",
        "raise ChainError(f'{directory / CHAIN_NAME} is empty')",
    ],
)
def test_reading_the_chain_or_writing_another_file_is_not_found(source: str) -> None:
    """The check leaves readers alone, and files that only have the chain's name in theirs."""
    assert not chain_writes(source)
