"""What package.json, its lock files and tsconfig.json say.

Implements specs/capture.md (K-81, K-82).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from learning.project_facts.project_files import Fact, ProjectFiles, code, table, version, word

PACKAGE, TSCONFIG = "package.json", "tsconfig.json"
_LOCKS = {
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn",
    "package-lock.json": "npm",
    "npm-shrinkwrap.json": "npm",
    "bun.lock": "bun",
    "bun.lockb": "bun",
}
_SCRIPTS = {
    "test": "Run the tests with",
    "lint": "Lint with",
    "format": "Format with",
    "typecheck": "Check types with",
    "dev": "Start the development server with",
    "build": "Build with",
}
_SHORT = 60
_PLACEHOLDER = "no test specified"
_FORMATTERS = ("prettier", "@biomejs/biome", "dprint", "standard")


def facts(checkout: ProjectFiles) -> Iterator[Fact]:
    """Give what the files of a JavaScript or TypeScript project say."""
    package = checkout.json(PACKAGE)
    if not package:
        return
    manager, where = _manager(checkout, package)
    if manager:
        others = ", ".join(other for other in ("npm", "yarn", "pnpm") if other != manager.split("@")[0])
        name, _, release = manager.partition("@")
        shown = f"{name} ({release})" if release else name
        yield Fact(f"Use {shown} for packages, not {others.replace(', ', ' or ')}", where, "Tool Usage")
    if node := _node(checkout, package):
        yield node
    runner = manager.split("@")[0] or "npm"
    scripts = table(package, "scripts")
    for name, says in _SCRIPTS.items():
        body = word(scripts.get(name))
        span = code(_call(runner, name))
        if body and span and _PLACEHOLDER not in body:
            behind = f" ({code(body)})" if len(body) <= _SHORT and code(body) else ""
            yield Fact(f"{says} {span}{behind}", PACKAGE, "Tool Usage")
    yield from _formatter(package, scripts)
    yield from _typescript(checkout)


def _manager(checkout: ProjectFiles, package: Mapping[str, object]) -> tuple[str, str]:
    """Return the package manager that a project settled on, and where: none where its files disagree."""
    name, _, release = word(package.get("packageManager")).partition("@")
    if name in set(_LOCKS.values()):
        release = version(release.split("+")[0])
        return f"{name}@{release}" if release else name, PACKAGE
    found = {manager: lock for lock, manager in _LOCKS.items() if checkout.has(lock)}
    if len(found) != 1:
        return "", ""
    return next(iter(found.items()))


def _node(checkout: ProjectFiles, package: Mapping[str, object]) -> Fact | None:
    wanted = version(table(package, "engines").get("node"))
    if wanted and wanted != "*":
        return Fact(f"Node.js must be {wanted}", PACKAGE, "Tool Usage")
    for name in (".nvmrc", ".node-version"):
        if (named := version(checkout.text(name))) and named[-1].isdigit():
            return Fact(f"Node.js must be {named.lstrip('v')}", name, "Tool Usage")
    return None


def _call(runner: str, script: str) -> str:
    if script == "test" and runner != "bun":
        return f"{runner} test"
    return f"{runner} {script}" if runner in ("yarn", "pnpm") else f"{runner} run {script}"


def _formatter(package: Mapping[str, object], scripts: Mapping[str, object]) -> Iterator[Fact]:
    if "format" in scripts:
        return
    known = {**table(package, "dependencies"), **table(package, "devDependencies")}
    for name in _FORMATTERS:
        if name in known:
            yield Fact(f"Code is formatted with {name.removeprefix('@biomejs/')}", PACKAGE)
            return


def _typescript(checkout: ProjectFiles) -> Iterator[Fact]:
    options = table(checkout.json(TSCONFIG), "compilerOptions")
    if options.get("strict") is True:
        extra = " with noUncheckedIndexedAccess" if options.get("noUncheckedIndexedAccess") is True else ""
        yield Fact(f"TypeScript is strict{extra}", TSCONFIG)
    aliases = [
        f"{code(alias)} is {code(target)}"
        for alias, targets in list(table(options, "paths").items())[:3]
        if isinstance(targets, list) and targets and (target := word(targets[0])) and code(alias)
    ]
    if aliases:
        yield Fact(f"Import paths: {', '.join(aliases)}", TSCONFIG)
