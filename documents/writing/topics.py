"""Topic files: one frontmatter that is the union of its entries, then the entries in the order learned.

Implements specs/projections.md (P-23…P-27). The frontmatter's bytes are those of PyYAML's safe dump; a scalar
that matches the pattern of plain ones is written without PyYAML, which would cost more than everything else.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from documents.writing.entry_lines import STALE
from documents.writing.markdown import DocumentPiece
from ledger.fold import Entry
from ledger.lazy_pattern import lazy_pattern
from ledger.memory import IMPORTANCES
from ledger.named_tuple import NamedTuple
from projections import commonmark
from projections.layout import (
    Lookup,
    arrange,
    day_of,
    nowhere,
    order_key,
)
from projections.settings import RenderSettings

FIELDS = ("title", "whenToUse", "tags", "importance", "discoveredAt", "discoveredBy", "discoveredIn")
"""Our fields in their order; no custom field can have their names."""

_PLAIN = lazy_pattern(r"[^\W\d_](?:[\w ,.;/()\[\]{}*?!&'\"@%+=<>|~$^`\\-]*[^\W_])?")
_DAY = lazy_pattern(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_RESERVED = frozenset({"yes", "no", "true", "false", "on", "off", "null", "y", "n"})

_SIMPLE_FIELD = lazy_pattern(
    r"""([A-Za-z][\w-]*|"[\w -]+"):[ ](?:[A-Za-z](?:[\w ./-]*\w)?|[1-9][0-9]{0,14}|"[ !#-\[\]-~]*")\n?""",
    re.ASCII,
)
_DOCUMENT_MARK = lazy_pattern(r"(?:^|[\r\n\x85\u2028\u2029])(?:---|\.\.\.)|^\ufeff")
_YAML_BREAKS = lazy_pattern("[\r\n\x85\u2028\u2029]+")
_NOT_YAML = lazy_pattern("[^\t -~\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NAME_SIGNS = lazy_pattern(r"[-_]")
_TITLE = "title"


def topic_pieces(
    topic: str, entries: Iterable[Entry], settings: RenderSettings, as_of: int, lookup: Lookup = nowhere
) -> Iterator[DocumentPiece]:
    """Yield the pieces of a topic file (P-23…P-27).

    Args:
        topic: the slug path.
        entries: the topic's active entries, at least one, in any order.
        settings: `decay` and `decay_days` are read.
        as_of: microseconds since 1970; decides what is stale.
        lookup: finds memories that are no longer current.
    """
    learned = sorted(entries, key=order_key)
    yield DocumentPiece("", f"---\n{frontmatter(topic, learned)}---\n")
    stale_before = settings.stale_before(as_of)
    for entry in arrange(learned, lookup):
        yield DocumentPiece("", "\n")
        yield DocumentPiece(entry.id, _entry_text(entry, stale_before))


def byline(entry: Entry, stale_before: str) -> str:
    """Return the byline of an entry, its author and day, with the mark if it is stale (P-27)."""
    mark = STALE if entry.fresh_since < stale_before else ""
    name, day = discovered(entry)
    return f"{mark}*by {name}, {day}*\n"


def discovered(entry: Entry) -> tuple[str, str]:
    """Return the name and the day for the byline of an entry (P-27)."""
    where = entry.memory.provenance
    return where.agent.strip() or entry.by.name, day_of(where.date, entry.learned)


def _entry_text(entry: Entry, stale_before: str) -> str:
    memory = entry.memory
    text = memory.text
    title = memory.title if memory.title.strip() else text
    parts = [f"## {commonmark.escape_heading(title)}\n\n{byline(entry, stale_before)}"]
    if text.strip(" \t") != title.strip(" \t"):
        parts.append(f"\n{commonmark.escape(text)}\n")
    if memory.details:
        parts.append("\n" + "".join([f"- {commonmark.escape(detail)}\n" for detail in memory.details]))
    if memory.body and (body := commonmark.trimmed(memory.body)):
        guard = commonmark.guard("- x\n", body) if memory.details else ""
        parts.append(f"\n{guard}{commonmark.closed(body)}")
    return "".join(parts)


# --- frontmatter ---


def frontmatter(topic: str, learned: Sequence[Entry]) -> str:
    """Return the YAML between the two lines of hyphens (P-23…P-26).

    Args:
        topic: the slug path.
        learned: the entries in the order in which they were learned, at least one.
    """
    memories = [entry.memory for entry in learned]
    first, where = learned[0], learned[0].memory.provenance
    own = [_parts(extra) for extra in dict.fromkeys(m.extra for m in memories if m.extra)]
    titles = [each.title for each in own if each.title]
    titles += [memory.title for memory in memories if memory.title.strip()]
    whens = dict.fromkeys(when for memory in memories for when in memory.when_to_use)
    tags = dict.fromkeys(tag for memory in memories for tag in memory.tags)
    lines = [f"title: {_scalar(titles[0] if titles else named(topic))}\n"]
    for name, items in (("whenToUse", whens), ("tags", tags)):
        if items:
            lines.append(f"{name}:\n")
            lines += [f"- {_scalar(item)}\n" for item in items]
    lines.append(f"importance: {max({memory.importance for memory in memories}, key=IMPORTANCES.index)}\n")
    lines.append(f"discoveredAt: {_scalar(where.date or first.learned[:10])}\n")
    lines.append(f"discoveredBy: {_scalar(where.agent or first.by.name)}\n")
    if found_in := where.task or where.conversation or where.session:
        lines.append(f"discoveredIn: {_scalar(found_in)}\n")
    return "".join(lines) + _custom_fields(own)


def named(topic: str) -> str:
    """Return the title of a topic whose entries have none (P-23)."""
    return topic.rpartition("/")[2].replace("-", " ").capitalize()


def _scalar(text: str) -> str:
    """Return a text of one line as PyYAML's safe dump writes it as a value (P-24)."""
    if _PLAIN.fullmatch(text) and text.lower() not in _RESERVED:
        return text
    if _DAY.fullmatch(text):
        return f"'{text}'"
    return _dumped(text)


@lru_cache(maxsize=4096)
def _dumped(text: str) -> str:
    # Always the pure dumper: libyaml escapes more, so bytes would depend on the machine.
    yaml = _yaml()
    dumped: str = yaml.dump(
        [text], Dumper=yaml.SafeDumper, allow_unicode=True, width=sys.maxsize, default_flow_style=False
    )
    return dumped[2:-1]


def _yaml() -> Any:
    # PyYAML carries no types of its own; 12 ms to import, which most topics never need.
    return importlib.import_module("yaml")


# --- custom fields ---


class _Extra(NamedTuple):
    """An entry's own YAML: comments before its first field, its fields by name, or the whole as comments.

    `title` is what its field of that name says: the title of the whole file (P-23).
    """

    comments: str
    fields: tuple[tuple[str, str], ...] = ()
    title: str = ""


def _parts(text: str) -> _Extra:
    return _simple(text) or _parsed(text)


def _custom_fields(extras: Iterable[_Extra]) -> str:
    """Return the fields and comments of all entries' own YAML, a field as its first entry has it (P-25)."""
    taken = {_spelling(name) for name in FIELDS}
    written: dict[str, None] = {}
    for extra in extras:
        if extra.comments:
            written.setdefault(extra.comments)
        for name, lines in extra.fields:
            if _spelling(name) not in taken:
                taken.add(_spelling(name))
                written.setdefault(lines)
    return "".join(written)


def _spelling(name: str) -> str:
    """Return a name in the form in which readers of topic files compare it: without case, hyphens and underscores."""
    return _NAME_SIGNS.sub("", name).casefold()


def _simple(text: str) -> _Extra | None:
    """Read YAML that has only `name: word` lines and no title; return None for anything else."""
    fields = []
    for line in text.splitlines(keepends=True):
        match = _SIMPLE_FIELD.fullmatch(line)
        if match is None or _spelling(match[1].strip('"')) == _TITLE:
            return None
        fields.append((match[1].strip('"'), line if line.endswith("\n") else f"{line}\n"))
    names = [name for name, _ in fields]
    return _Extra("", tuple(fields)) if len(set(names)) == len(names) else None


@lru_cache(maxsize=4096)
def _parsed(text: str) -> _Extra:
    """Read YAML; comment out whatever could break the frontmatter or change its meaning (P-26)."""
    yaml = _yaml()
    try:
        extra = _checked(yaml, text)
    except (yaml.YAMLError, ValueError, TypeError, OverflowError, RecursionError):
        extra = None
    return extra or _Extra(_as_comments(text))


def _checked(yaml: Any, text: str) -> _Extra | None:
    if _DOCUMENT_MARK.search(text):
        return None
    banned = (yaml.AliasToken, yaml.AnchorToken, yaml.TagToken, yaml.DirectiveToken)
    if any(isinstance(token, banned) for token in yaml.scan(text)):
        return None
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    if root is None:
        return _Extra(_ended(text) if text.strip() else "")
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        return None
    names = [name for name, _ in root.value]
    if any(not isinstance(name, yaml.ScalarNode) or name.start_mark.column for name in names):
        return None
    if any(name.value == "<<" for name in names) or len({name.value for name in names}) < len(names):
        return None
    yaml.safe_load(text)  # an invalid date or a number with too many digits: readers of the file would fail
    starts = [name.start_mark.index for name in names]
    ends = [*starts[1:], len(text)]
    slices = ((name.value, _ended(text[a:b])) for name, a, b in zip(names, starts, ends, strict=True))
    said = (str(node.value) for name, node in root.value if name.value == _TITLE and node.id == "scalar")
    title = next(said, "").strip()
    return _Extra(text[: starts[0]], tuple(slices), "" if _YAML_BREAKS.search(title) else title)


def _ended(lines: str) -> str:
    return lines if lines.endswith("\n") else f"{lines}\n"


def _as_comments(text: str) -> str:
    lines = (_NOT_YAML.sub("\ufffd", line) for line in _YAML_BREAKS.split(text))
    return "".join(f"# {line}\n" for line in lines if line.strip())
