"""The paths that a memory names and that its project no longer has.

Implements specs/projections.md (P-144, P-145). Pure: a `ProjectContents` tells what exists. A false alarm costs more trust
than an unreported missing file, so only clear paths of the project count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from ledger.lazy_pattern import lazy_pattern
from ledger.memory import Memory

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_MOST = 100
_SUFFIXES = frozenset(
    """
    py pyi ipynb js jsx mjs cjs ts tsx mts cts json jsonc json5 yaml yml toml md mdx rst txt sh bash zsh fish ps1 bat
    rb go rs java kt kts scala c cc cpp cxx cs fs swift m mm php pl lua sql html htm css scss sass less vue svelte
    astro ini cfg xml proto graphql gql tf tfvars r jl ex exs erl hs ml nix gradle csv svg
    """.split()
)
_PART = lazy_pattern(r"\.?[\w@+-][\w.@+-]*")
_PLACE_IN_IT = lazy_pattern(r"(?:::.*|#.*|(?::\d+(?:[-:]\d+)*)|:\w+)$")
_STAND_IN = lazy_pattern(r"Y{4}|MM-DD|N{3}|X{3}")
_GONE_OR_MADE = lazy_pattern(
    r"""\b(?: remov | delet | renam | mov[ei] | dropp | replac | retire | planned | creat(?:e|ing)\b | generat | gone\b
            | add(?:s|ing)?\b | missing\b | no\ longer | not\ (?:there|exist) | doesn.t\ exist | instead | former | old\b
            | there\ (?:is|are|was|were)\ no | writ\w+\ (?:to|into) | outputs?\b | e\.g\. | for\ example | such\ as
        ) | → | -> | =>""",
    re.VERBOSE | re.IGNORECASE,
)
_NEAR = 40
"""The number of characters on either side of a code span that are read."""


class ProjectContents(Protocol):
    """The files and folders of a project."""

    def has(self, path: str) -> bool | None:
        """Return whether a file or folder has this relative path, from the root or any folder below it; None if that is unknown."""


def gone(memory: Memory, project: ProjectContents) -> tuple[str, ...]:
    """Return the paths that a memory names and the project lacks, in the order of the text, each once."""
    return tuple(path for path in dict.fromkeys(mentions(memory)) if _is_gone(path, project))


def _is_gone(path: str, project: ProjectContents) -> bool:
    """Return whether a path is missing in a folder of the project; paths that begin elsewhere do not count."""
    first, _, rest = path.removeprefix("./").partition("/")
    is_ours = path.startswith("./") or (bool(rest) and project.has(first) is True)
    return is_ours and project.has(path.removeprefix("./")) is False


def mentions(memory: Memory) -> Iterator[str]:
    """Yield the paths in the code spans of a memory, at most a hundred; those called removed or new are left out."""
    yield from islice((path for said in _spans(memory) if (path := _path(said))), _MOST)


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
    """Yield the code spans whose neighbouring words do not call them removed, or still to be made."""
    for token in tokens:
        children = token.children or []
        for place, child in enumerate(children):
            if child.type == "code_inline":
                before = "".join(each.content for each in children[max(place - 3, 0) : place])
                after = "".join(each.content for each in children[place + 1 : place + 4])
                if not _GONE_OR_MADE.search(f"{before[-_NEAR:]} | {after[:_NEAR]}"):
                    yield child.content


def _path(said: str) -> str:
    """Return the path in a code span: the span itself, or the script that it runs; "" without one."""
    words = said.split()[:2]
    return next(filter(None, map(_path_of, words)), "")


def _path_of(word: str) -> str:
    """Return a word without its line number if it is a path: several parts or `./`, and a known ending or `/`."""
    path = _PLACE_IN_IT.sub("", word.replace("\\", "/"))
    parts = path.removeprefix("./").removesuffix("/").split("/")
    suffix = parts[-1].rpartition(".")[2].lower()
    if not all(map(_PART.fullmatch, parts)) or ".." in path or _STAND_IN.search(path):
        return ""
    if parts[0] in ("memory", "memories"):
        return ""  # documents of a ledger, which come and go
    is_path = path.endswith("/") or suffix in _SUFFIXES
    return path.removesuffix("/") if is_path and (len(parts) > 1 or path.startswith("./")) else ""
