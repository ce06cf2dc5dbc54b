"""Reads topic files: records of YAML frontmatter and markdown, one or several in a file, as rawko has them.

Implements specs/import.md (I-19…I-24); `documents.reading.topic_entries`
reads our own renderings further, since they hold several memories each. A field that is a member of a memory is read into
it; every other line of the frontmatter goes to `extra` unchanged.
"""

from __future__ import annotations

import hashlib
import importlib
import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any

from documents.proposal import Proposal
from documents.reading.blocks import decode, frontmatter_end, has_control, split_lines, summary, trimmed
from documents.reading.memory_file import creates
from documents.reading.topic_entries import Frontmatter, begins_entries, read_entries
from ledger.lazy_pattern import lazy_pattern
from ledger.memory import MAX_SLUG, TYPES, Memory, Provenance, record_fault

ROOTS = frozenset({"memories", "memory", "agent-memory"})
MAX_SEGMENTS = 4
MAX_FRONT_BYTES = 16_384
"""A longer frontmatter might pass an event line's limit beside the body, and only bodies are split (I-23)."""

# Spellings without case, `-` and `_`: whenToUse, when_to_use and when-to-use are one field (I-20).
MEMBERS = {
    "title": "title",
    "name": "title",
    "whentouse": "when_to_use",
    "readwhen": "when_to_use",
    "tags": "tags",
    "importance": "importance",
    "discoveredby": "agent",
    "discoveredin": "task",
    "discoveredat": "date",
}
SUMMARIES = ("description", "summary")
_ORIGIN = ("agent", "task", "date")

_SAYS_WHEN = {"pattern": None, "description": None}.keys()
_GLOBS = lazy_pattern(r"^(globs:[ \t]*)(\*[^\"\\\r\n]*?)(?=[ \t]*$)", re.MULTILINE)
"""Cursor's pattern lists are not YAML: a star opens a name."""
_CODE_FENCE = lazy_pattern(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_FIELD = lazy_pattern(r"""["']?([\w-]+)["']?[ \t]*:(?:[ \t\r\n]|$)""")
_COMMENT = lazy_pattern(r"(?:^|(?<=[ \t]))#[^\r\n]*", re.MULTILINE)
_UNSLUG = lazy_pattern(r"[^a-z0-9]+")


def read_topic_file(
    data: bytes, file: str, topic: str, unescape: Callable[[str], str] = str
) -> tuple[tuple[Proposal, ...], tuple[str, ...]]:
    """Return the creates of a topic file in its order, and warnings for a person (I-19, I-27).

    Args:
        data: the document; it begins with a frontmatter, after a byte-order mark at most.
        file: its relative name, for the provenance.
        topic: the slug path that all its records share.
        unescape: as in `documents.reading.any_document.read_document`.

    Raises:
        RecordError: as `documents.reading.blocks.decode`.
    """
    lines = split_lines(decode(data, file).removeprefix("\ufeff"))
    memories: list[Memory] = []
    warnings: list[str] = []
    for start, body, end in _records(lines):
        front_lines, body_lines = lines[start:body], lines[body:end]
        front = read_front("".join(front_lines[1:-1]), start + 2)
        if isinstance(front, str):
            warnings.append(f"{file}: line {start + 1}: the frontmatter was kept as text, unread: {front}")
            front, body_lines = Frontmatter(said=summary("".join(body_lines))), [*front_lines, *body_lines]
        warnings += [f"{file}: line {start + 1}: {partly}" for partly in front.partly]
        text = trimmed(body_lines)
        memories += read_entries(front, text, file, topic, unescape) or [
            record_memory(front, text, file, topic)
        ]
    return tuple(creates(memories)), tuple(warnings)


def topic_of(parts: Sequence[str]) -> str:
    """Return the topic of a file from the parts of its path, the last one without its ending (I-21).

    Parts before a folder named memories, memory or agent-memory do not count; of more than four parts
    the last four do.
    """
    roots = [index for index, part in enumerate(parts[:-1]) if part.casefold() in ROOTS]
    below = parts[roots[-1] + 1 :] if roots else parts
    return "/".join(_slug(part) for part in below[-MAX_SEGMENTS:])


def has_root(parts: Sequence[str]) -> bool:
    """Return whether the path contains a folder for memories (I-21)."""
    return any(part.casefold() in ROOTS for part in parts[:-1])


def _slug(part: str) -> str:
    ascii_only = unicodedata.normalize("NFKD", part).encode("ascii", "ignore").decode().lower()
    slug = _UNSLUG.sub("-", ascii_only).strip("-")[:MAX_SLUG].strip("-")
    # Nothing remains of a name in another script; its hash still tells two of them apart.
    return slug or "t-" + hashlib.sha256(part.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _records(lines: list[str]) -> list[tuple[int, int, int]]:
    """Return (start of frontmatter, start of body, end) of each record (I-22).

    A `---` further down opens a record only outside of code fences, and only if a frontmatter with a field of ours
    follows; otherwise it is a rule, or underlines a heading. In one of our own renderings, another rendering must
    follow: the bodies of entries belong to people (I-27).
    """
    first = frontmatter_end(lines) or 0
    openings = [(0, first)]
    at, fence = first, ""
    while at < len(lines):
        if code := _CODE_FENCE.match(lines[at]):
            mark = code[1]
            if not fence:
                fence = mark
            elif mark.startswith(fence) and not lines[at].strip().strip(mark[0]):
                fence = ""
        elif not fence and (end := _record_front(lines, at)):
            openings.append((at, end))
            at = end
            continue
        at += 1
    if begins_entries(lines, first):
        openings = [opening for opening in openings if begins_entries(lines, opening[1])]
    ends = [start for start, _ in openings[1:]] + [len(lines)]
    return [(start, body, end) for (start, body), end in zip(openings, ends, strict=True)]


def _record_front(lines: list[str], at: int) -> int | None:
    """Return the end of the frontmatter with a field of ours that opens at a line, or None."""
    end = frontmatter_end(lines, at)
    fields = map(_FIELD.match, lines[at + 1 : end - 1] if end else ())
    return end if any(name and _plain(name[1]) in MEMBERS for name in fields) else None


def record_memory(front: Frontmatter, body: str, file: str, topic: str) -> Memory:
    """Return the memory of a record; its provenance is removed from the frontmatter's members (I-19)."""
    where = {name: front.members.pop(name) for name in _ORIGIN if name in front.members}
    title = front.members.get("title", "").strip()
    text = front.said or title or summary(body) or topic.rsplit("/", 1)[-1].replace("-", " ")
    provenance = Provenance(file=file, **where)
    extra = "".join(front.extra)
    return Memory(
        text,
        body=body,
        topic=topic,
        type=front.kind,
        extra=extra if extra.strip() else "",
        provenance=provenance,
        **front.members,
    )


def read_front(text: str, first_line: int = 2) -> Frontmatter | str:
    """Read the YAML between two `---` lines, or return its fault (I-20, I-23).

    Every scalar stays text as written: 1.10 is not a number, and 2026-01-02 is not a date. `first_line` is the number of
    its first line in the document.
    """
    text = _GLOBS.sub(r'\1"\2"', text)
    if len(text.encode()) > MAX_FRONT_BYTES:
        return f"it is longer than {MAX_FRONT_BYTES} bytes"
    # PyYAML carries no types of its own and is imported on first use, as only topic files need it. BaseLoader
    # builds text, lists and mappings only: no object of any other kind can come out of a document.
    yaml: Any = importlib.import_module("yaml")
    try:
        marks = (yaml.AliasToken, yaml.AnchorToken, yaml.TagToken, yaml.DirectiveToken)
        if any(isinstance(token, marks) for token in yaml.scan(text, Loader=yaml.BaseLoader)):
            return "it uses YAML anchors or tags"
        loader = yaml.BaseLoader(text)
        root = loader.get_single_node()
        values = {} if root is None else loader.construct_document(root)
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        what = getattr(error, "problem", None) or getattr(error, "reason", None) or "it is nested too deeply"
        return f"{what} (line {mark.line + first_line})" if mark else str(what)
    if root is None:
        return Frontmatter(extra=[text])
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        return "it is not a block of `name: value` lines"
    starts = [_line_start(text, name.start_mark.index) for name, _ in root.value]
    if len(set(starts)) < len(starts) or any(not isinstance(name, yaml.ScalarNode) for name, _ in root.value):
        return "it is not a block of `name: value` lines"
    return _fields(text, root.value, starts, values)


def _fields(
    text: str, nodes: list[tuple[Any, Any]], starts: list[int], values: dict[str, Any]
) -> Frontmatter:
    """Sort each field's lines into members and extra, without losing a line or a comment."""
    front = Frontmatter(extra=[text[: starts[0]]])
    names = [name.value for name, _ in nodes]
    titled = any(_plain(name) == "title" for name in names)
    for (name, node), start, end in zip(nodes, starts, [*starts[1:], len(text)], strict=True):
        lines, value = text[start:end], values[name.value]
        member = MEMBERS.get(_plain(name.value), "")
        if not member or (titled and _plain(name.value) == "name"):
            _hint(front, name.value, value)
            front.extra.append(lines)
        elif names.count(name.value) == 1 and (value in ("", [], {}) or _set_member(front, member, value)):
            front.extra.append(_comments(lines, start, name, node))
        else:
            # A comment, because the member's own name is written again beside it.
            if names.count(name.value) == 1 and member == "when_to_use" and isinstance(value, list):
                _set_member(front, member, _readable(value))
                front.partly.append(
                    f"{name.value} holds more than texts and patterns: it is kept as a comment too"
                )
            front.extra.append("".join(f"# {line}" for line in split_lines(lines)))
    return front


def _set_member(front: Frontmatter, member: str, value: Any) -> bool:
    """Set the member if it can hold the value; a second spelling adds to a list, but not to a text."""
    read: tuple[str, ...] | str
    payload: dict[str, Any]
    if member in ("when_to_use", "tags"):
        items = _items(value, split=member == "tags")
        texts = [*front.members.get(member, ()), *(items or ())]
        read, payload = tuple(texts), {member: texts}
    elif isinstance(value, str):
        read = value.strip().casefold() if member == "importance" else value
        items = texts = [] if member in front.members else [read]
        payload = {"provenance": {member: read}} if member in _ORIGIN else {member: read}
    else:
        return False
    if not items or any(map(has_control, texts)) or record_fault({"text": "x", **payload}):
        return False
    front.members[member] = read
    return True


def _items(value: Any, *, split: bool) -> list[str] | None:
    """Return texts from one text, a list of texts, or of objects of `pattern: …` and `description: …`; else None."""
    if isinstance(value, str):
        return [item for part in value.split(",") if (item := part.strip())] if split else [value]
    if not isinstance(value, list):
        return None
    items = [
        said
        for item in value
        for said in (item.values() if isinstance(item, dict) and item.keys() <= _SAYS_WHEN else (item,))
    ]
    return items if all(isinstance(item, str) for item in items) else None


def _readable(value: list[Any]) -> list[str]:
    """Return the texts, patterns and descriptions of a list, and ignore everything else in it."""
    said = [
        each
        for item in value
        for each in ([item.get(name) for name in _SAYS_WHEN] if isinstance(item, dict) else [item])
    ]
    return [item for item in said if isinstance(item, str)]


def _hint(front: Frontmatter, name: str, value: Any) -> None:
    """Note the summary or the type that a field in extra gives the memory."""
    if name in SUMMARIES and isinstance(value, str) and not front.said:
        line = " ".join(value.split())
        front.said = line if not has_control(line) and not record_fault({"text": line}) else summary(value)
    if name == "type" and value in TYPES:
        front.kind = value


def _comments(lines: str, start: int, name: Any, node: Any) -> str:
    """Return the comments in a field's lines, a line each; reading the field must not lose them (I-20)."""
    masked = list(lines)
    for scalar in (name, *_scalars(node)):
        for index in range(scalar.start_mark.index - start, scalar.end_mark.index - start):
            if masked[index] not in "\r\n":
                masked[index] = "x"
    return "".join(comment + "\n" for comment in _COMMENT.findall("".join(masked)))


def _scalars(node: Any) -> list[Any]:
    if isinstance(node.value, str):
        return [node]
    below = [item for entry in node.value for item in (entry if isinstance(entry, tuple) else (entry,))]
    return [scalar for item in below for scalar in _scalars(item)]


def _line_start(text: str, index: int) -> int:
    return max(text.rfind("\n", 0, index), text.rfind("\r", 0, index)) + 1


def _plain(name: str) -> str:
    return re.sub(r"[-_]", "", name).casefold()
