"""Tests documents/writing/daily.py: daily notes (specs/projections.md P-28, P-29)."""

from __future__ import annotations

from ledger.instant import DAY
from ledger.memory import Memory, Provenance
from projections.settings import DEFAULTS, RenderSettings
from tests.documents.writing.rendering import render_day
from tests.projections.made_up import NOW, START, entry, event, folded
from tests.projections.reference import daily_notes


def test_the_whole_form() -> None:
    """What has no section of its own comes first; sections come by their first entry."""
    text = render_day(
        "2023-11-14",
        [
            entry("a", 4, tier="daily", section="Corrections"),
            entry("closing", 5, tier="daily", section="Workflow"),
            entry("b", 3, tier="daily", section="Workflow", details=("more",)),
            entry("opened the day", 6, tier="daily"),
            entry("note", 7, tier="daily", type="note", body="Prose.\r\n"),
        ],
        DEFAULTS,
        NOW - 150 * DAY,
    ).decode()
    assert text == (
        "# 2023-11-14\n"
        "\n- opened the day\n\nProse.\r\n"
        "\n## Workflow\n\n- b\n  - more\n- closing\n"
        "\n## Corrections\n\n- a\n"
    )


def test_stale_bullets_are_marked() -> None:
    assert b"- [?] a\n" in render_day("2023-11-14", [entry("a")], DEFAULTS, NOW)


def test_old_days_are_rendered_into_the_archive() -> None:
    log = [
        event("create", 1, memory=Memory("new", tier="daily", provenance=Provenance(date="2023-11-10"))),
        event("create", 2, memory=Memory("old", tier="daily", provenance=Provenance(date="2023-01-10"))),
    ]
    files = daily_notes(folded(log), START, RenderSettings(archive_days=30))
    assert files == {
        "memory/2023-11-10.md": b"# 2023-11-10\n\n- new\n",
        "memory/archive/2023-01-10.md": b"# 2023-01-10\n\n- old\n",
    }
