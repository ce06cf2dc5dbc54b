"""What a memory names of its project that is not there any more: paths, scripts, targets in its code spans.

Implements specs/projections.md (P-144…P-147). Pure: a `ProjectContents` says what exists. Only what was
clearly a path or a script of the project counts; what could be anything else (a branch, a URL, a placeholder, an
output) is left alone, since one false alarm costs more trust than one gone file that is not named.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ledger.lazy_pattern import lazy_pattern
from ledger.memory import Memory

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

PATH, PACKAGE, BINARY, MAKE, JUST, DENO = "path", "package", "binary", "make", "just", "deno"
DEPENDENCY = "dependency"
"""What can be named: a path; a package.json script (`binary`: or what a dependency brings); a target, recipe, task."""


@dataclass(frozen=True, slots=True)
class Reference:
    """One thing that a code span names.

    `said` is the span. One that is not `sure` is a path only where the folder that it begins with stands in the root;
    one that is `here` was written with `./`.
    """

    kind: str
    name: str
    said: str
    sure: bool = True
    here: bool = False


class ProjectContents(Protocol):
    """What exists in a project; None wherever nobody can tell."""

    def has(self, path: str) -> bool | None:
        """Say whether a file or folder has this relative path, from the root or from any folder below it."""

    def has_folder(self, name: str) -> bool:
        """Say whether a folder of this name stands in the root."""

    def names(self, kind: str) -> frozenset[str] | None:
        """Return what all files that declare them name: scripts, targets, recipes, tasks; packages (DEPENDENCY)."""


def gone(memory: Memory, project: ProjectContents) -> tuple[Reference, ...]:
    """Return what a memory names and the project does not have, in the order of the text, each once."""
    named = dict.fromkeys(mentions(memory))
    return tuple(mention for mention in named if _is_gone(mention, project))


def sentence(mention: Reference) -> str:
    """Return what is missing, as people read it."""
    no = {
        PACKAGE: "no package.json has a script",
        BINARY: "no package.json has a script",
        MAKE: "no Makefile has a target",
        JUST: "no justfile has a recipe",
        DENO: "no deno.json has a task",
    }.get(mention.kind)
    return f"{no} {mention.name}" if no else f"{mention.name} is not there"


def _is_gone(mention: Reference, project: ProjectContents) -> bool:
    if mention.kind != PATH:
        names = project.names(mention.kind)
        return (
            names is not None
            and mention.name not in names
            and not any(_fits(mention.name, pattern) for pattern in names)
            and (mention.kind != MAKE or project.has(mention.name) is False)
        )
    first, _, _ = mention.name.partition("/")
    if first[0] == "." and first != ".github" and not project.has_folder(first):
        return False  # what tools keep in hidden folders is seldom the project's
    if not mention.sure and not (project.has_folder(first) and project.has(mention.name.rpartition("/")[0])):
        return False
    if not mention.here and _is_import(mention.name, first, project):
        return False
    return project.has(mention.name) is False


def _is_import(path: str, first: str, project: ProjectContents) -> bool:
    """Say whether a path is what code imports from a package: `react-dom/client.js` (P-145)."""
    if not path.endswith(_IMPORTED) or project.has_folder(first):
        return False
    packages = project.names(DEPENDENCY)
    if packages is None or first in packages:
        return True
    return first.lower() not in _USUAL and project.has(first) is False


def _fits(name: str, pattern: str) -> bool:
    """Say whether a make pattern (`%.o`) covers a target."""
    return "%" in pattern and fnmatchcase(name, pattern.replace("%", "?*"))


# --- code spans ---

_MOST = 100
_BEFORE = lazy_pattern(
    r"""\b(?: remov | delet | renam | drop | replac | mov(?=e|i) )\w* (?:\W+(?:\w+\W+){0,2})?$
      | \b(?: creat | generat | scaffold | planned | add(?=s|ing|\b) )\w*
          (?:\W+(?:an?|the|new|empty|file|script|it|them|as|into)\b){0,3} \W*$
      | \b(?: instead\ of | rather\ than | formerly | used\ to\ be | there\ (?:is|are|was|were)\ no | without
          | (?:writ\w+|sav\w+|outputs?|logs?|goes|go)\ (?:to|into|in|as)
          | e\.g\. | for\ example | such\ as | (?:no|old) )\W*(?:an?\ |the\ )?\W*$""",
    re.VERBOSE | re.IGNORECASE,
)
_AFTER = lazy_pattern(
    r"""^[\s,(*_]*(?: (?: → | -> | => )
      | (?: (?:was|were|is|are|be|been|has|have|got|get|gets|will|file|script|which|that|now|since|then) \s+ ){0,4}
        (?: remov | delet | renam | moved | dropp | gone\b | replaced | generated | created | retired | planned | no\ longer | missing
          | not\ there | (?:does|do|did)(?:\ not|n.t)\ exist | (?:is|are|was)n.t ) )""",
    re.VERBOSE | re.IGNORECASE,
)


def mentions(memory: Memory) -> Iterator[Reference]:
    """Give what the code spans of a memory name, at most a hundred; what its words call absent or made is left out."""
    found = 0
    for said in _spans(memory):
        for mention in _of_span(said):
            if found == _MOST:
                return
            found += 1
            yield mention


def _spans(memory: Memory) -> Iterator[str]:
    for line in (memory.text, memory.title, *memory.details):
        if "`" in line:
            yield from _spans_of(_parser().parseInline(line))
    if "`" in memory.body:
        yield from _spans_of(_parser().parse(memory.body))


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table")


def _spans_of(tokens: Iterable[Token]) -> Iterator[str]:
    """Give the code spans whose neighbouring words do not say that the thing is gone, or yet to be made."""
    for token in tokens:
        children = token.children or []
        for place, child in enumerate(children):
            if child.type != "code_inline":
                continue
            before = "".join(_words(each) for each in children[max(place - 3, 0) : place])
            after = "".join(_words(each) for each in children[place + 1 : place + 4])
            if not _BEFORE.search(before[-60:]) and not _AFTER.match(after[:80]):
                yield child.content


def _words(token: Token) -> str:
    return token.content if token.type == "text" else "" if token.nesting else " "


# --- commands ---

_BETWEEN = lazy_pattern(r"\s*(?:&&|\|\||[;|])\s*")
_ASSIGNMENT = lazy_pattern(r"[A-Za-z_]\w*=\S*")
_NAME = lazy_pattern(r"[A-Za-z0-9][\w:.-]*")
_TARGET = lazy_pattern(r"[A-Za-z0-9][\w.-]*")
_LAUNCHER = lazy_pattern(r"(?:(?:(?:uv|poetry|pipenv|pdm|hatch) run|time|sudo|exec) )+")
_INTERPRETERS = frozenset(
    "bash sh zsh dash fish source . python python3 node tsx ts-node ruby perl php lua".split()
)
_PACKAGERS = frozenset({"npm", "pnpm", "yarn", "bun"})
_QUIET = frozenset({"--silent", "-s", "--if-present", "--ignore-scripts"})


class _Named(NamedTuple):
    """What a command names, as in Mention."""

    kind: str
    name: str
    sure: bool = True
    here: bool = False


def _of_span(said: str) -> Iterator[Reference]:
    for part in _BETWEEN.split(said.strip()):
        words = _LAUNCHER.sub("", part).split()
        while words and _ASSIGNMENT.fullmatch(words[0]):
            del words[0]
        if words and words[0] in ("cd", "pushd"):
            return  # what follows is said of another folder
        yield from (Reference(said=said, **each._asdict()) for each in _of_command(words))


def _of_command(words: list[str]) -> Iterator[_Named]:
    head, rest = (words[0], words[1:]) if words else ("", [])
    if head in _PACKAGERS:
        yield from _of_packager(head, rest)
    elif head in ("make", "gmake"):
        yield from _of_make(rest)
    elif head == "just" and rest and _NAME.fullmatch(rest[0]):
        yield _Named(JUST, rest[0])
    elif head == "deno" and len(rest) > 1 and rest[0] == "task" and _NAME.fullmatch(rest[1]):
        yield _Named(DENO, rest[1])
    elif head == "pytest" or words[:3] in (["python", "-m", "pytest"], ["python3", "-m", "pytest"]):
        yield from (found for word in words if ".py" in word for found in _sure_path(word))
    elif head in _INTERPRETERS:
        yield from _sure_path(rest[0] if rest else "")
    elif len(words) == 1:
        yield from _path(head)
    else:
        yield from _sure_path(head)
        if all(list(_sure_path(word)) for word in words):
            yield from (found for word in rest for found in _sure_path(word))


def _of_packager(head: str, rest: list[str]) -> Iterator[_Named]:
    """Give the script that npm, pnpm, yarn or bun is told to run; none where it is told to do so elsewhere."""
    words = [word for word in rest if word not in _QUIET]
    if len(words) > 1 and words[0] in ("run", "run-script") and _NAME.fullmatch(words[1]):
        own = words[: words.index("--")] if "--" in words else words
        if not any(word.startswith("-") for word in own) and "." not in words[1]:
            yield _Named(PACKAGE if head in ("npm", "pnpm") else BINARY, words[1])
    elif words == ["test"] and head != "bun":
        yield _Named(PACKAGE, "test")


def _of_make(rest: list[str]) -> Iterator[_Named]:
    wanted = [word for word in rest if "=" not in word and not re.fullmatch(r"-(?:[BikKns]+|j\d*)", word)]
    if all(_TARGET.fullmatch(word) for word in wanted):
        yield from (_Named(MAKE, word) for word in wanted)


# --- paths ---

_SUFFIXES = frozenset(
    """
    py pyi ipynb js jsx mjs cjs ts tsx mts cts json jsonc json5 yaml yml toml md mdx rst txt sh bash zsh fish ps1 bat
    rb go rs java kt kts scala c cc cpp cxx cs fs swift m mm php pl lua sql html htm css scss sass less vue svelte
    astro ini cfg xml proto graphql gql tf tfvars r jl ex exs erl hs ml nix gradle csv svg
    """.split()
)
_WORD = lazy_pattern(r"\.?[\w@+-][\w.@+-]*")
_BEHIND = lazy_pattern(r"(?:::.*|#.*|(?::\d+(?:[-:]\d+)*)|:\w+)$")
_IMPORTED = (".js", ".mjs", ".cjs", ".d.ts", ".css", ".scss", ".sass", ".less")
"""What code imports by its path in a package."""
_USUAL = frozenset(
    """
    src source lib libs app apps packages pkg modules features scripts script tools bin test tests spec specs e2e docs doc
    config configs server client web www frontend backend api services components pages views layouts hooks store utils
    util helpers shared common core ui public static assets styles css js types models db migrations examples internal
    """.split()
)
"""What projects call their folders: one that is not there any more was one."""
_BRANCHES = frozenset(
    """
    feature feat fix bugfix hotfix release releases docs doc chore test tests refactor ci build style perf origin upstream
    remotes refs heads tags user users dependabot renovate wip experiment main master develop claude codex copilot
    """.split()
)
_MADE = frozenset(
    """
    artifacts dist build out output outputs target coverage tmp temp log logs cache caches node_modules bower_components
    venv env site-packages __pycache__ reports results generated vendor .git .venv .cache .next .nuxt .tox .env .idea .vscode
    """.split()
)
_STAND_INS = frozenset(
    """
    path foo bar baz qux xxx yyy zzz your my some file filename name dir folder directory something whatever placeholder
    example id slug topic
    """.split()
)
_STAND_IN = lazy_pattern(r"Y{4}|MM-DD|N{3}|X{3}|your[-_]|my[-_]")


def _sure_path(word: str) -> Iterator[_Named]:
    yield from (found for found in _path(word) if found.sure)


def _path(word: str) -> Iterator[_Named]:
    """Give the path that a word is, if it is one; sure where its end or its `./` shows it."""
    backward = "\\" in word and "/" not in word
    if backward:
        word = word.replace("\\", "/")
    here = word.startswith("./")
    path = _BEHIND.sub("", word.removeprefix("./"))
    folder = path.endswith("/")
    parts = path.removesuffix("/").split("/")
    if not all(map(_WORD.fullmatch, parts)):
        return
    stem, dot, suffix = parts[-1].rpartition(".")
    if path[0] == "@" or "..." in path or (re.search(r"\w\.\w", parts[0]) and len(parts) > 1):
        return  # a package's scope, a host's name
    if not _MADE.isdisjoint(parts) or _STAND_IN.search(path) or (stem == "x" and not here):
        return
    is_file = bool(dot) and not folder and suffix.lower() in _SUFFIXES
    alone = folder and not here and parts[0].lower() not in _BRANCHES and parts[0][0] != "."
    if (len(parts) < 2 and not (here and is_file) and not alone) or (backward and not is_file):
        return
    if parts[0] in ("memory", "memories") and (folder or suffix == "md"):
        return  # documents of a ledger, which come and go
    if not _STAND_INS.isdisjoint(part.lower() for part in (*parts, stem)):
        return
    if folder or is_file or here:
        yield _Named(PATH, "/".join(parts), here=here)
    elif parts[0].lower() not in _BRANCHES and "api" not in parts:  # a route: api/users/list
        yield _Named(PATH, "/".join(parts), sure=False)
