"""What of a week's notes is worth keeping: K-96…K-99."""

from __future__ import annotations

from dataclasses import replace

import pytest

from learning.detection.distilling import AUTOMATIC, DETECTED, MANUAL, DailyNote, Distilled, distil, kind_of


def note(
    text: str, day: int = 5, seq: int = 0, rank: int = AUTOMATIC, *, section: str = "", fresh: bool = True
) -> DailyNote:
    """Return a note of January 2026."""
    return DailyNote(f"{seq or day:064x}", text, f"2026-01-{day:02}", seq or day, rank, section, fresh=fresh)


def kept(distilled: list[Distilled]) -> list[tuple[str, str, str]]:
    """Return type, tier and text of each."""
    return [(m.type, m.tier, m.text) for each in distilled if (m := each.proposal.memory)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Decided to use PostgreSQL for the index", "decision"),
        ("We settled on trunk-based development", "decision"),
        ("Decision: releases are cut on Tuesdays", "decision"),
        ("We need to decide on a database", None),
        ("Not decided yet whether we use Redis", None),
        ("Maybe we will use Kafka", None),
        ("The user prefers short answers", "preference"),
        ("Use pnpm, not npm", "preference"),
        ("Never push to main", "preference"),
        ("The user's name is Ada", "identity"),
        ("The user works as a data engineer", "identity"),
        ("We promised the customer a demo", "commitment"),
        ("The importer must be delivered by Friday", "commitment"),
        ("I promise to write the migration guide", "commitment"),
        ("we'll ship the importer by the end of May", "commitment"),
        ("ran the tests, 214 passed", None),
        ("looked at the login page", None),
        ("Should we use Rust?", None),
    ],
)
def test_kinds_are_known_by_words(text: str, kind: str | None) -> None:
    """Decisions, preferences, identities, commitments; not what is hedged or open (K-97)."""
    assert kind_of(text) == kind


def test_headings_say_kinds_where_words_do_not() -> None:
    """A label counts before the words, the words before the heading (K-97)."""
    assert kind_of("Postgres, not MySQL", "Decisions") == "decision"
    assert kind_of("The user prefers tabs", "Decisions") == "preference"
    assert kind_of("Commitment: the user prefers tabs", "Decisions") == "commitment"


def test_what_is_said_again_on_another_day_is_kept() -> None:
    """Once is a note; on one day twice too; work that was done lasts no longer, however often (K-97)."""
    once = [note("The staging API runs on port 8080", 5, 1), note("Staging API runs on port 8080", 5, 2)]
    assert kept(distil(once)) == []
    again = [*once, note("The staging API runs on port 8080.", 6, 3)]
    assert kept(distil(again)) == [("fact", "curated", "The staging API runs on port 8080.")]
    assert kept(distil([note("Ran the tests of the API", 5), note("Ran the tests of the API", 6)])) == []


def test_a_model_that_is_sure_makes_a_candidate() -> None:
    """At a confidence that is asked for (K-97, K-98)."""
    notes = [note("Deploys go through ./scripts/deploy.sh")]
    assert kept(distil(notes, lambda _: 0.4)) == []
    [found] = distil(notes, lambda _: 0.9)
    assert found.proposal.memory is not None
    assert found.proposal.memory.confidence == 0.65


def test_what_is_for_good_goes_to_the_committed_tier() -> None:
    """In the words of the note, without time and label (K-98)."""
    [found] = distil([note("09:05 Decision: use PostgreSQL for the index", 5, 7)])
    record = found.proposal.memory
    assert record is not None
    assert (record.text, record.tier, record.type) == (
        "Use PostgreSQL for the index",
        "committed",
        "decision",
    )
    assert record.provenance.file == "memory/2026-01-05.md"
    assert "2026-01-05" in found.proposal.reason


def test_of_contradicting_notes_the_higher_rank_and_then_the_later_is_kept() -> None:
    """A person beats a detector, and that a session; among equals the newest (K-99)."""
    old, new = "Decided to deploy on port 5432", "Decided to deploy on port 5433"
    assert kept(distil([note(old, 5), note(new, 6)])) == [("decision", "committed", new)]
    for low, high in ((AUTOMATIC, DETECTED), (DETECTED, MANUAL)):
        assert kept(distil([note(old, 5, rank=high), note(new, 6, rank=low)])) == [
            ("decision", "committed", old)
        ]


def test_the_later_note_is_that_of_the_later_day() -> None:
    """In whatever order days stand in the buffer; of one day, as noted; a day to come is no later than today (K-99)."""
    old, new = "Decided to deploy on port 5432", "Decided to deploy on port 5433"
    assert kept(distil([note(new, 6, 1), note(old, 5, 2)])) == [("decision", "committed", new)]
    assert kept(distil([note(old, 6, 1), note(new, 6, 2)])) == [("decision", "committed", new)]
    ahead = replace(note(old, 28, 1), noted="2026-01-06")
    assert kept(distil([ahead, note(new, 6, 2)])) == [("decision", "committed", new)]
    again = [note("Decided to use NATS", 6, 1), note("decided to use NATS", 5, 2)]
    assert kept(distil(again)) == [("decision", "committed", "Decided to use NATS")]


def test_a_matter_without_a_new_note_was_decided() -> None:
    """It counts as context, and is not proposed again (K-96)."""
    seen = note("The staging API runs on port 8080", 5, fresh=False)
    assert distil([seen]) == []
    assert distil([seen, note("Staging API runs on port 8080", 6, fresh=False)]) == []
    assert len(distil([seen, note("The staging API runs on port 8080", 6)])) == 1


def test_what_reaches_a_person_is_no_memory() -> None:
    """An address in a decision keeps it a note (K-97, K-67)."""
    assert distil([note("Decided to send the invoices to bob@company.io")]) == []
