"""Findings for machines: what is wrong with a ledger, each with the file and line it is at, as JSON or SARIF 2.1.0.

Implements specs/report.md (H-17, H-18). Pure but for where suspicious memories stand.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from documents.document_blame import all_blamed
from ledger.finding import Finding
from muniment import MemoryLedger, __version__
from report.suspicions import suspicious

ERROR, WARNING = "error", "warning"
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


class MachineFinding(NamedTuple):
    """One finding: the rule it breaks and its subject, how serious it is, and where it is.

    `line` counts from 1, and is None for the file as a whole; `id` is the event's, or "".
    """

    rule: str
    about: str
    level: str
    message: str
    file: Path
    line: int | None = None
    id: str = ""

    @property
    def fingerprint(self) -> str:
        """What the same finding has in a later report, whatever line it is at then."""
        said = [self.rule, self.id or self.message]
        return hashlib.sha256("\n".join(said).encode()).hexdigest()[:32]


def of_verify(findings: Iterable[Finding], chain: Path) -> Iterator[MachineFinding]:
    """Yield what `verify` found; what concerns no line is at the file."""
    for each in findings:
        about = f"muniment verify: {each.code}"
        yield MachineFinding(
            f"verify/{each.code}", about, ERROR, f"{each.message} ({each.rule})", chain, each.line, each.id or ""
        )  # fmt: skip


def of_suspicions(memory: MemoryLedger) -> Iterator[MachineFinding]:
    """Yield the memories that read like instructions, each at its line in a document, else in its chain (P-132)."""
    found = suspicious(memory)
    places = _places(memory) if found else {}
    for entry, signs in found:
        file, line = places.get(
            entry.id, (memory.workspace.chain, entry.seq + 1 if entry.writer == 0 else None)
        )
        for sign in signs:
            about = f"A memory reads like an instruction to the model: {sign.name}"
            message = f"reads like an instruction ({sign.name}), in {sign.member}: {sign.words}"
            rule = f"injection/{sign.name.replace(' ', '-')}"
            yield MachineFinding(rule, about, WARNING, message, file, line, entry.id)


def _places(memory: MemoryLedger) -> Mapping[str, tuple[Path, int]]:
    """Return file and first line of each memory in a document."""
    workspace = memory.workspace
    folder = workspace.place.documents
    places: dict[str, tuple[Path, int]] = {}
    for document in all_blamed(workspace):
        for line in document.lines:
            if line.memory:
                places.setdefault(line.memory, (folder / document.path, line.number))
    return places


def as_json(findings: Sequence[MachineFinding], root: Path) -> dict[str, Any]:
    """Return the findings as one JSON-ready object."""
    rows = [
        {
            "rule": each.rule,
            "level": each.level,
            "message": _shown(each.message),
            "file": _uri(each.file, root),
            "line": each.line,
            "id": each.id or None,
            "fingerprint": each.fingerprint,
        }
        for each in findings
    ]
    return {"format": 1, "version": __version__, "findings": rows}


def as_sarif(findings: Sequence[MachineFinding], root: Path) -> dict[str, Any]:
    """Return the findings as a SARIF log with one run."""
    rules = {each.rule: each.about for each in findings}
    numbers = {rule: at for at, rule in enumerate(rules)}
    driver = {
        "name": "muniment",
        "semanticVersion": __version__,
        "rules": [{"id": rule, "shortDescription": {"text": about}} for rule, about in rules.items()],
    }
    results = [_result(each, numbers[each.rule], root) for each in findings]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(each: MachineFinding, rule: int, root: Path) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": _uri(each.file, root)}}
    if each.line is not None:
        place["region"] = {"startLine": each.line}
    return {
        "ruleId": each.rule,
        "ruleIndex": rule,
        "level": each.level,
        "message": {"text": _shown(each.message)},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"muniment/v1": each.fingerprint},
    }


def _uri(file: Path, root: Path) -> str:
    """Return a file below `root` relative to it, which is how a code host finds it; any other by its whole address."""
    whole, base = file.absolute().as_uri(), root.absolute().as_uri()
    return whole.removeprefix(f"{base}/")


def _shown(message: str) -> str:
    """Return a message without the half letters that a file's name may have."""
    return message.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
