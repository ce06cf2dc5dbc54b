"""Every kind of event that carries words goes through the real doors; a new kind fails here until all of them know it.

Tests specs/projections.md (P-1, P-52) and specs/cli.md (X-28).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ledger.draft import Draft
from ledger.schema import KINDS
from muniment import MemoryLedger
from tests.cli.driver import run, user_ledger
from tests.ledger.test_schema import BASE, OWN
from tests.projections.house import BY, reopen

CARRYING = [kind for kind, row in KINDS.items() if row.payload_fault]
POINTING = [kind for kind, row in KINDS.items() if "targets" in row.required]
MEMORY, WORD = "Use pnpm, not npm", "qxylophono"
PAYLOAD = {"text": WORD, "reason": WORD, "method": WORD}
"""What any kind needs; it keeps the members that it does not know (E-24)."""


def _said(kind: str) -> tuple[Path, str]:
    """Found a ledger in which an event of this kind follows a memory; return its folder and the memory's id."""
    directory = user_ledger(MEMORY)
    id_ = run("list", "--json").json_lines[0]["id"]
    memory, _ = reopen(directory)
    with memory:
        _append(memory, kind, id_)
    return directory, id_


def _append(memory: MemoryLedger, kind: str, target: str) -> None:
    """Sign and append an event of this kind; if it has targets, this memory is its target."""
    assert kind in OWN, f"add {kind} to OWN in tests/ledger/test_schema.py"
    members = {name: value for name, value in OWN[kind].items() if name not in {*BASE, "commit"}}
    if "targets" in members:
        members["targets"] = [target]
    ledger = memory.workspace.ledger
    with ledger.chain.locked() as held:
        link, line = ledger.build(Draft(kind, members, PAYLOAD), held.tip.link, BY, ledger.signing_key())
        held.append([line], [link])


def _asked(id_: str) -> list[str]:
    return [run(*words).ok().out for words in (("list",), ("show", id_), ("log",), ("log", "--json"))]


@pytest.mark.parametrize("kind", CARRYING)
@pytest.mark.usefixtures("isolated")
def test_each_kind_is_indexed_and_shown_and_a_replay_shows_the_same(kind: str) -> None:
    _, id_ = _said(kind)
    before = _asked(id_)
    assert kind in before[2], f"log does not show {kind}"
    run("replay").ok()
    assert _asked(id_) == before
    run("verify").ok()


@pytest.mark.parametrize("kind", sorted(set(POINTING) - {"erase"}))
@pytest.mark.usefixtures("isolated")
def test_an_erase_leaves_no_word_of_what_points_at_the_memory(kind: str) -> None:
    """X-28: a reason may repeat the erased text. Only an erase keeps its own reason."""
    directory, id_ = _said(kind)
    run("erase", id_, "--yes", "-m", "no longer ours").ok()
    chain = (directory / "chain.jsonl").read_text("utf-8")
    assert MEMORY not in chain
    assert WORD not in chain, f"add {kind} to what IndexQuestions.family finds"
    _asked(id_)
    run("replay").ok()
    run("verify").ok()
