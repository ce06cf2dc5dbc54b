"""Tests learning/retrying.py through Python's public face; tests/cli/test_outbox.py has the rest."""

from __future__ import annotations

from pathlib import Path

import muniment
from learning.outbox import Outbox
from tests.learning.taking_in import said


def test_what_waits_is_written_from_python(isolated: Path) -> None:
    """K-73, X-160, X-161: what can be read is written and goes; what cannot be read stays and is named."""
    with muniment.init() as memory:
        outbox = Outbox(memory.workspace.home.state, memory.workspace.ledger.identity.id)
        kept = [outbox.keep(said(text)) for text in ("Use pnpm", "Use tabs")]
        kept[1].write_bytes(b"{torn")
        done = memory.learning.retry()
        assert [each.outcome for each in done.taken] == ["created"]
        assert [(each.path, bool(each.fault)) for each in done.left] == [(kept[1], True)]
        assert [entry.memory.text for entry in memory.load_all()] == ["Use pnpm"]
        assert not kept[0].exists()
