"""Only the chain module writes the chain: read from the source, not from a run of it (specs/chain.md)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet

import pytest

from tests.test_imports import ROOT, called, modules

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
_NAMED = re.compile(r"chain\.jsonl|CHAIN_NAME|chain_path|chain\.path")
"""Without one of these a source cannot name the chain's path."""


def chain_writes(source: str) -> list[int]:
    """Return the lines on which `source` opens chain.jsonl for writing, replaces or removes it.

    Follows the name through assignments in one function, through `self` attributes and module constants. A
    path that arrives as a parameter with another name than `chain_path` is beyond it.
    """
    if not _NAMED.search(source):
        return []
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
            found |= {"." * isinstance(each, ast.Attribute) + called(each) for each in targets}
    return found


def _is_chain(node: ast.expr, names: AbstractSet[str]) -> bool:
    """Say whether an expression is the path or the file name of the chain itself, not of a file beside it."""
    match node:
        case ast.Constant(value=str(text)):
            return text.rpartition("/")[2] == "chain.jsonl"
        case ast.Name(id=name):
            return name in names or name in ("CHAIN_NAME", "chain_path")
        case ast.Attribute(value=owner, attr=name):
            of_chain = name == "path" and called(owner).endswith("chain")
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
        case ast.Call(func=function, args=args) if called(function) in _SAME_FILE:
            before = [function.value] if isinstance(function, ast.Attribute) else []
            return any(_is_chain(each, names) for each in (*before, *args))
        case ast.IfExp(body=body, orelse=other):
            return _is_chain(body, names) or _is_chain(other, names)
    return False


def _writes(call: ast.Call, names: AbstractSet[str]) -> bool:
    method = called(call.func)
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    mode = named.pop("mode", None) or named.pop("flags", None)
    chains = [_is_chain(each, names) for each in (*call.args, *named.values())]
    itself = isinstance(call.func, ast.Attribute) and _is_chain(call.func.value, names)
    if method == "open" and (itself or any(chains[:1])):
        modes = [*([mode] if mode else []), *call.args[0 if itself else 1 :]]
        return bool(modes) and not _only_reads(modes[0])
    return (
        (itself and method in _ON_ITSELF)
        or (method in _ON_FIRST and any(chains[:1]))
        or (method in _ON_SECOND and any(chains[1:2]))
    )


def _only_reads(mode: ast.expr) -> bool:
    """Say whether an open mode or flags certainly cannot write; what is not literal may."""
    if isinstance(mode, ast.Constant):
        return isinstance(mode.value, str) and not set(mode.value) & set("wax+")
    flags = [called(node) for node in ast.walk(mode) if isinstance(node, ast.Name | ast.Attribute)]
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
        "path.withcalled(f'{chain.path.name}.torn').write_bytes(data)",
        "def f(d):\n    path = d / CHAIN_NAME\ndef g(path):\n    path.write_text('')",
        "raise ChainError(f'{directory / CHAIN_NAME} is empty')",
    ],
)
def test_reading_the_chain_or_writing_another_file_is_not_found(source: str) -> None:
    """The check leaves readers alone, and files that only have the chain's name in theirs."""
    assert not chain_writes(source)
