"""Every projection has one shape and knows every kind of event (specs/projections.md P-1, P-2)."""

from __future__ import annotations

import copy
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.writing import daily, markdown, topics
from ledger import fold
from ledger.errors import LedgerError
from ledger.memory import Memory
from ledger.schema import KINDS, MEMORY_KINDS
from projections import index_fold, timeline
from projections.settings import RenderSettings
from tests.projections.made_up import NOW, event, folded, id_of, logs

ROOT = Path(__file__).resolve().parents[3]
PROJECTIONS: tuple[ModuleType, ...] = (markdown, topics, daily, timeline)


def _of_kind(kind: str) -> Any:
    memory = Memory("text") if kind in MEMORY_KINDS else None
    targets = (id_of(1),) if kind in KINDS and "targets" in KINDS[kind].required else ()
    return event(kind, 7, *targets, memory=memory)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("projection", PROJECTIONS, ids=lambda module: module.__name__)
def test_every_kind_is_handled_or_ignored_on_purpose(projection: ModuleType, kind: str) -> None:
    """P-1: a kind that joins the catalogue is red here until the fold, the index and the timeline say what it means."""
    state = projection.apply(folded([event("create", 1, memory=Memory("first"))]), _of_kind(kind))
    assert kind in fold.HANDLERS
    assert kind in index_fold.HANDLERS
    assert kind in timeline.SUMMARIES
    rendered = projection.render(state, NOW)
    assert rendered == projection.render(state, NOW)


@pytest.mark.parametrize("projection", PROJECTIONS, ids=lambda module: module.__name__)
def test_an_unknown_kind_raises_and_erases_nothing(projection: ModuleType) -> None:
    state = folded([event("create", 1, memory=Memory("first"))])
    before = projection.render(copy.deepcopy(state), NOW)
    with pytest.raises(LedgerError, match="shred"):
        projection.apply(state, _of_kind("shred"))
    assert projection.render(state, NOW) == before


def test_nothing_is_known_of_kinds_that_the_catalogue_lacks() -> None:
    assert set(timeline.SUMMARIES) == set(index_fold.HANDLERS) == set(fold.HANDLERS) == set(KINDS)


@pytest.mark.parametrize("projection", PROJECTIONS, ids=lambda module: module.__name__)
def test_the_empty_state_can_be_rendered(projection: ModuleType) -> None:
    assert projection.render(projection.INITIAL(), NOW) is not None


@given(logs(), st.sampled_from([0, NOW, -(10**15), 10**17]), st.booleans())
def test_rendering_is_total_and_changes_no_state(log: list[Any], as_of: int, decay: bool) -> None:
    state = folded(log)
    untouched = copy.deepcopy(state)
    for projection in PROJECTIONS:
        settings = RenderSettings(decay=decay)
        assert projection.render(state, as_of, settings) == projection.render(untouched, as_of, settings)
    assert state == untouched


@given(logs(), logs())
def test_folding_on_is_folding_together(first: list[Any], second: list[Any]) -> None:
    """The fold of a+b is that of b onto the fold of a; so is what each projection makes of it."""
    later = [event(each.kind, each.seq + 50, *each.targets, payload=each.payload) for each in second]
    onto = folded(first)
    for each in later:
        onto = fold.apply(onto, each)
    for projection in PROJECTIONS:
        assert projection.render(onto, NOW) == projection.render(folded([*later, *first]), NOW)


def test_importing_the_prompt_costs_neither_yaml_nor_a_markdown_parser() -> None:
    code = (
        "import sys, projections.prompt, documents.writing.markdown, documents.writing.topics, documents.writing.daily;"
        "print([name for name in ('yaml', 'markdown_it', 'frontmatter', 'sqlite3') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"
