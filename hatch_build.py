"""The wheel's build hook: maps the source folders under the one package `muniment`, imports included.

Implements specs/adr/0001-wheel-maps-packages-under-muniment.md. Hatchling runs it for every wheel. It writes
the mapped tree into a temporary directory and leaves the checkout as it is. It inserts `muniment.` into
import statements at the positions that the parser gives and changes no other byte; what cannot be mapped is
refused with file and line.
"""

from __future__ import annotations

import ast
import re
import shutil
import tempfile
import tokenize
from collections.abc import Collection, Iterable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FACE = "muniment"
"""The wheel's package; in the source it is the module `muniment.py`, which becomes its `__init__.py`."""

_LOOKED_AT = (ast.Import, ast.ImportFrom, ast.Call)
BY_NAME = frozenset({"import_module", "__import__", "find_spec", "run_module", "files"})
"""Calls that take a module's name as text, which this hook does not rewrite."""

DOTTED = frozenset({".claude-plugin", ".mcp.json"})
"""Hidden names that ship: the programs that a plugin is for look for them."""

BUILT_FROM = "report/browser"
"""The page's source: what is built from it ships (`make page`), it does not."""

_PREFIX = f"{FACE}.".encode()
_LINE_END = re.compile(rb"\r\n|\r|\n")
_FROM = re.compile(rb"from(?:[ \t\f]|\\(?:\r\n|\r|\n))+")


class MappingError(ValueError):
    """An import has no equal under `muniment`; each line of the message names file, line and remedy."""


def map_imports(source: bytes, filename: str, packages: Collection[str]) -> bytes:
    """Return `source` with its absolute imports of `packages` moved under `muniment`.

    Lazy imports and those under TYPE_CHECKING are included; strings, comments, relative imports and all else
    keep their bytes.

    Args:
        source: a Python file's bytes, UTF-8.
        filename: how to call the file in errors.
        packages: the top-level names to move.

    Raises:
        MappingError: the file is not UTF-8 or not Python, an `import package.x` without `as` binds the
            top-level name, or a module of ours is imported by its absolute name as text.
    """
    try:
        encoding = tokenize.detect_encoding(BytesIO(source).readline)[0]
        if encoding not in ("utf-8", "utf-8-sig"):  # the parser counts columns in bytes of UTF-8
            raise MappingError(f"{filename}:1: is encoded as {encoding}; store it as UTF-8")
        tree = ast.parse(source, filename)
    except SyntaxError as error:
        raise MappingError(f"{filename}:{error.lineno or 1}: is not valid Python: {error.msg}") from error
    nodes = [node for node in ast.walk(tree) if isinstance(node, _LOOKED_AT)]
    if faults := [f"{filename}:{line}: {fault}" for line, fault in _faults(nodes, packages)]:
        raise MappingError("\n".join(faults))

    starts = [len(b"\xef\xbb\xbf") if encoding == "utf-8-sig" else 0]
    starts += [end.end() for end in _LINE_END.finditer(source)]
    mapped = bytearray(source)
    places = [(starts[node.lineno - 1] + node.col_offset, node) for node in _to_move(nodes, packages)]
    places.sort(key=lambda place: place[0], reverse=True)  # from the end, so that earlier offsets hold
    for offset, node in places:
        if isinstance(node, ast.ImportFrom):
            keyword = _FROM.match(source, offset)
            if keyword is None:
                raise MappingError(f"{filename}:{node.lineno}: has no `from` where the parser saw one")
            mapped[keyword.end() : keyword.end()] = _PREFIX
        else:
            mapped[offset:offset] = _PREFIX
    return bytes(mapped)


def _to_move(nodes: Iterable[ast.AST], packages: Collection[str]) -> Iterator[ast.ImportFrom | ast.alias]:
    """Yield the nodes that get the prefix: a from-import before its module, else each alias of ours."""
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            if node.level == 0 and _top(node.module) in packages:
                yield node
        elif isinstance(node, ast.Import):
            yield from (alias for alias in node.names if _top(alias.name) in packages)


def _faults(nodes: Iterable[ast.AST], packages: Collection[str]) -> Iterator[tuple[int, str]]:
    """Yield line and sentence for each import that cannot be mapped."""
    for node in nodes:
        if isinstance(node, ast.Import):
            for name in (alias.name for alias in node.names if alias.asname is None):
                if _top(name) in packages:
                    remedy = f"write `import {name} as …` or `from {name} import …`"
                    yield node.lineno, f"`import {name}` binds a name that the wheel does not have; {remedy}"
        elif isinstance(node, ast.Call) and _top(name := _module_as_text(node)) in packages:
            remedy = "use a relative name and `package=__package__`"
            yield node.lineno, f"the module name {name!r} as text is not mapped; {remedy}"


def _module_as_text(call: ast.Call) -> str:
    """Return the literal beginning of the module's name that `call` takes as text, else nothing."""
    called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    first: ast.expr | None = call.args[0] if called in BY_NAME and call.args else None
    if isinstance(first, ast.JoinedStr) and first.values:
        first = first.values[0]
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""


def _top(dotted: str | None) -> str:
    return (dotted or "").partition(".")[0]


def map_tree(root: Path, target: Path, packages: Collection[str], modules: Collection[str] = ()) -> None:
    """Write `packages`, `modules`, `muniment.py` and `py.typed` of the checkout `root` under `target`, imports mapped.

    Files that are not Python are copied; caches, hidden files and editors' backups are left out.

    Raises:
        MappingError: a file cannot be mapped, or a part of the source is missing; all faults are listed.
    """
    faults = []
    parts = [(root / f"{FACE}.py", target / "__init__.py"), (root / "py.typed", target / "py.typed")]
    parts += [(root / f"{module}.py", target / f"{module}.py") for module in modules]
    for package in packages:
        found = [path for path in sorted((root / package).rglob("*")) if _ships(path, root)]
        found = found or [root / package / "__init__.py"]
        parts += [(path, target / path.relative_to(root)) for path in found]
    for source, destination in parts:
        destination.parent.mkdir(parents=True, exist_ok=True)
        name = source.relative_to(root).as_posix()
        try:
            if source.suffix in (".py", ".pyi"):
                destination.write_bytes(map_imports(source.read_bytes(), name, {*packages, *modules}))
            else:
                shutil.copyfile(source, destination)
        except FileNotFoundError:
            faults.append(f"{name}: is missing from the source, so no wheel can be built")
        except MappingError as error:
            faults.append(str(error))
    if faults:
        raise MappingError("\n".join(faults))


def _ships(path: Path, root: Path) -> bool:
    if path.is_relative_to(root / BUILT_FROM):
        return False
    parts = {*path.relative_to(root).parts} - DOTTED
    hidden = any(part.startswith(".") or part == "__pycache__" for part in parts)
    return path.is_file() and not hidden and path.suffix != ".pyc" and not path.name.endswith("~")


class CustomBuildHook(BuildHookInterface[Any]):
    """Hands hatchling the mapped tree as the wheel's only content."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Map the source into a temporary tree; refuse an editable build, which would map at import time."""
        if version == "editable":
            self.app.abort(
                "muniment cannot be installed in editable mode, because the wheel maps the source folders "
                "under one package (specs/adr/0001): run `python -m cli` in a checkout, or leave out -e."
            )
        self._tree = tempfile.TemporaryDirectory(prefix="muniment-wheel-")
        target = Path(self._tree.name, FACE)
        try:
            map_tree(Path(self.root), target, self.config["packages"], self.config["modules"])
        except MappingError as error:
            self.app.abort(f"The wheel cannot be built:\n{error}")
        build_data["force_include"][str(target)] = FACE

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Remove the temporary tree."""
        self._tree.cleanup()
