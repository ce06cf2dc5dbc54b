"""What the files declare by which a project runs its tasks: package.json, Makefile, justfile, deno.json.

Implements specs/projections.md (P-145, P-146). Pure; a file whose names cannot all be known gives None, so that nobody
calls a task missing that may be there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from ledger.lazy_pattern import lazy_pattern

# A dependency's command that does not have its package's name.
_COMMANDS = {
    "typescript": "tsc",
    "@angular/cli": "ng",
    "@nestjs/cli": "nest",
    "@playwright/test": "playwright",
    "vue-tsc": "vue-tsc",
    "storybook": "sb",
}
_DEPENDENCIES = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")


def package_scripts(text: str) -> frozenset[str] | None:
    """Return the names of the scripts in a package.json."""
    return _keys_of(text, "scripts")


def package_commands(text: str) -> frozenset[str] | None:
    """Return the scripts of a package.json, and what its dependencies bring: `yarn run` and `bun run` know both."""
    found = _keys_of(text, "scripts")
    for member in _DEPENDENCIES:
        packages = _keys_of(text, member)
        if found is None or packages is None:
            return None
        found |= packages | {name.rpartition("/")[2] for name in packages}
        found |= {command for name, command in _COMMANDS.items() if name in packages}
    return found


def package_dependencies(text: str) -> frozenset[str] | None:
    """Return the packages that a package.json names, whose files code imports by their paths there."""
    packages = [_keys_of(text, member) for member in _DEPENDENCIES]
    named = [each for each in packages if each is not None]
    return frozenset().union(*named) if len(named) == len(packages) else None


def deno_tasks(text: str) -> frozenset[str] | None:
    """Return the names of the tasks in a deno.json; of one with comments nobody can tell."""
    return _keys_of(text, "tasks")


def _keys_of(text: str, member: str) -> frozenset[str] | None:
    try:
        value = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return None
    found = value.get(member, {}) if isinstance(value, dict) else None
    return frozenset(found) if isinstance(found, dict) else None


_CONTINUED = lazy_pattern(r"\\\r?\n")
_RULE = lazy_pattern(r"^ *(?![ \t#])([^:=#\n]+?)[ \t]*&?::?(?!=)(?![^\n]*:=)", re.MULTILINE)
_COMPUTED = lazy_pattern(r"^[ \t]*(?:-|s)?include\b|^[ \t]*\$[({](?:eval|call|foreach)\b", re.MULTILINE)
_VARIABLE = lazy_pattern(r"\$(?:\([^()$]*\)|\{[^{}$]*\}|\w)")


def make_targets(text: str) -> frozenset[str] | None:
    """Return the targets of a Makefile, a variable in one as `%`; None where others are included or computed."""
    text = _CONTINUED.sub(" ", text)
    if _COMPUTED.search(text):
        return None
    rules = (_VARIABLE.sub("%", rule) for rule in _RULE.findall(text))
    found = {target for rule in rules for target in rule.split()}
    return None if any("$" in target for target in found) else frozenset(found)


_RECIPE = lazy_pattern(r"^@?([A-Za-z_][\w-]*)(?:[ \t][^:\n]*)?:(?!=)", re.MULTILINE)
_ALIAS = lazy_pattern(r"^alias[ \t]+([\w-]+)[ \t]*:=", re.MULTILINE)
_ELSEWHERE = lazy_pattern(r"^(?:import|mod)\b", re.MULTILINE)


def just_recipes(text: str) -> frozenset[str] | None:
    """Return the recipes and aliases of a justfile; None where others are imported."""
    if _ELSEWHERE.search(text):
        return None
    return frozenset(_RECIPE.findall(text)) | frozenset(_ALIAS.findall(text))


Declared = Callable[[str], frozenset[str] | None]

DECLARED: dict[str, tuple[frozenset[str], Declared]] = {
    "package": (frozenset({"package.json"}), package_scripts),
    "binary": (frozenset({"package.json"}), package_commands),
    "dependency": (frozenset({"package.json"}), package_dependencies),
    "make": (frozenset({"Makefile", "makefile", "GNUmakefile"}), make_targets),
    "just": (frozenset({"justfile", "Justfile", ".justfile"}), just_recipes),
    "deno": (frozenset({"deno.json", "deno.jsonc"}), deno_tasks),
}
"""For each kind of name that a project declares: the files that do it, and how they are read."""

MAKES_MAKEFILES = frozenset(
    "CMakeLists.txt configure configure.ac configure.in Makefile.in Makefile.am Makefile.PL meson.build".split()
)
"""Where one of these stands, a Makefile may be made that is not there yet."""
