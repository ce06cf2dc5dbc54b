"""Every projection has one shape and knows every kind of event (specs/projections.md P-1, P-2)."""

from __future__ import annotations

import copy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.memory import Memory
from ledger.schema import KINDS, MEMORY_KINDS
from projections import index_fold
from projections.settings import RenderSettings
from tests.ledger.reference import INITIAL, apply
from tests.projections.made_up import NOW, event, folded, id_of, logs
from tests.projections.reference import daily_notes, memory_files, topic_files
from tests.projections.reference import timeline as timeline_rows

ROOT = Path(__file__).resolve().parents[3]
PROJECTIONS = (memory_files, topic_files, daily_notes, timeline_rows)


def _of_kind(kind: str) -> Any:
    memory = Memory("text") if kind in MEMORY_KINDS else None
    targets = (id_of(1),) if kind in KINDS and "targets" in KINDS[kind].required else ()
    return event(kind, 7, *targets, memory=memory)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_handled_or_ignored_on_purpose(kind: str) -> None:
    """P-1: a kind that joins the catalogue is red here until the index and the timeline say what it means."""
    state = apply(folded([event("create", 1, memory=Memory("first"))]), _of_kind(kind))
    assert kind in index_fold.HANDLERS
    for rendered in PROJECTIONS:
        assert rendered(state, NOW) == rendered(state, NOW)


def test_nothing_is_known_of_kinds_that_the_catalogue_lacks() -> None:
    assert set(index_fold.HANDLERS) == set(KINDS), "add a handler to HANDLERS in projections/index_fold.py"


@pytest.mark.parametrize("rendered", PROJECTIONS, ids=lambda each: each.__name__)
def test_the_empty_state_can_be_rendered(rendered: Callable[..., object]) -> None:
    assert rendered(INITIAL(), NOW) is not None


@settings(max_examples=settings().max_examples // 3)
@given(logs(), st.sampled_from([0, NOW, -(10**15), 10**17]), st.booleans())
def test_rendering_is_total_and_changes_no_state(log: list[Any], as_of: int, decay: bool) -> None:
    state = folded(log)
    untouched = copy.deepcopy(state)
    for rendered in PROJECTIONS:
        settings = RenderSettings(decay=decay)
        assert rendered(state, as_of, settings) == rendered(untouched, as_of, settings)
    assert state == untouched


@settings(max_examples=settings().max_examples // 4)
@given(logs(), logs())
def test_folding_on_is_folding_together(first: list[Any], second: list[Any]) -> None:
    """The fold of a+b is that of b onto the fold of a; so is what each projection makes of it."""
    later = [event(each.kind, each.seq + 50, *each.targets, payload=each.payload) for each in second]
    onto = folded(first)
    for each in later:
        onto = apply(onto, each)
    for rendered in PROJECTIONS:
        assert rendered(onto, NOW) == rendered(folded([*later, *first]), NOW)


def test_importing_the_prompt_costs_neither_yaml_nor_a_markdown_parser() -> None:
    code = (
        "import sys, projections.prompt, documents.writing.markdown, documents.writing.topics, documents.writing.daily;"
        "print([name for name in ('yaml', 'markdown_it', 'frontmatter', 'sqlite3') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"
