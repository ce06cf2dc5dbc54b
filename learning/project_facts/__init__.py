"""Proposes what the files of a project say and what would change an agent's behaviour there.

Implements specs/capture.md (K-80…K-82, K-85). A file's word is read, not guessed: it is active at once, and gives way to what a
person wrote. A fact that changed replaces the one that was learned from these files before.
"""

from __future__ import annotations

from pathlib import Path

from documents.proposal import Proposal
from learning.project_facts import node, others, python
from learning.project_facts.project_files import Fact, ProjectFiles
from ledger.memory import Memory, Provenance

CONFIDENCE = 0.75
"""Enough to be active, too little to replace what a person wrote (K-63)."""
MOST = 20
_READERS = (node.facts, python.facts, others.rust, others.go, others.make, others.ci)


def proposals(root: Path) -> list[Proposal]:
    """Return what the project at `root` says of itself, at most 20 things; none where no file is known."""
    checkout = ProjectFiles(root)
    facts = list(dict.fromkeys(fact for reader in _READERS for fact in reader(checkout)))
    return [_proposal(fact) for fact in _without_repetitions(facts)[:MOST]]


def _without_repetitions(facts: list[Fact]) -> list[Fact]:
    """Keep one way of doing each thing: what a Makefile offers stands for the commands behind it."""
    chosen: dict[str, Fact] = {}
    for fact in facts:
        what = (
            fact.text.split("`", maxsplit=1)[0]
            if " with `" in fact.text and not fact.text.startswith("CI")
            else fact.text
        )
        if what not in chosen or fact.text.find("`make ") >= 0:
            chosen[what] = fact
    return list(chosen.values())


def _proposal(fact: Fact) -> Proposal:
    memory = Memory(
        fact.text,
        section=fact.section,
        category="project-pattern",
        confidence=CONFIDENCE,
        source="auto",
        provenance=Provenance(file=fact.file),
    )
    return Proposal("supersede", memory, scope="project", basis="stated", reason=f"{fact.file} says so")
