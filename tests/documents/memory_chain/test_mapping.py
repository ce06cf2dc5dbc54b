"""What memory an entry of a memory-chain is: G-51, G-54, G-55."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]

from documents.memory_chain.mapping import memories, memory_of
from documents.other_memories.foreign_records import LeftOut
from ledger.memory import Memory
from tests.documents.memory_chain.chains import GOLDEN, needs_node, read, signed


def _all(folder: Path) -> tuple[dict[str, Memory], list[str]]:
    left_out = LeftOut()
    return {said.text: said for _, said in memories(read(folder), left_out)}, left_out.warnings()


def test_types_and_tiers_are_mapped() -> None:
    """And every memory is one that the ledger takes."""
    said, _ = _all(GOLDEN)
    assert [(m.text.split()[0], m.type, m.tier, m.section) for m in said.values()] == [
        ("I", "identity", "committed", ""),
        ("User", "fact", "curated", ""),
        ("Agreed", "decision", "committed", ""),
        ("[session-distill]", "fact", "committed", ""),
        ("the", "fact", "daily", ""),
        ("Grüße", "fact", "curated", ""),
        ("Trust", "fact", "curated", ""),
        ("Dana", "fact", "curated", "People & Roles"),
    ]
    for memory in said.values():
        memory.to_payload()


def test_what_was_redacted_and_what_is_gone_is_left_out_and_counted() -> None:
    """The genesis and the redaction itself are no memories, and no loss."""
    _, warnings = _all(GOLDEN)
    assert [warning.split(",")[0] for warning in warnings] == [
        "1 redacted there",
        "1 without a text",
        "1 of a type or tier that is not known",
    ]


def test_where_it_came_from_is_kept() -> None:
    """Agent, date, the hash by which the old chain names it, session, and the metadata as it stood."""
    said, _ = _all(GOLDEN)
    decided = said["Agreed to always use TypeScript for this project"]
    origin = decided.provenance
    assert (origin.agent, origin.session, origin.tool, origin.file) == (
        "Atlas", "s-42", "memory-chain", "chain.jsonl"
    )  # fmt: skip
    assert origin.date == "2026-02-01T02:03:03.003Z"
    assert origin.message == read(GOLDEN).entries[3].hash
    assert decided.extra.startswith('metadata: {"9":"nine","10":"ten","context":"kick-off"')
    [odd] = [memory.extra for memory in said.values() if memory.text.startswith("Grüße")]
    assert yaml.safe_load(odd) == {"metadata": {"ключ": "значение", "emoji🎉": "\u2028"}}
    assert said["the tests are green again"].provenance.date == "2026-02-01"


def test_the_agents_word_is_auto_unless_it_is_marked() -> None:
    """Every entry is signed with the agent's key; metadata may say that a person said it."""
    said, _ = _all(GOLDEN)
    manual = [m.text.split()[0] for m in said.values() if m.source == "manual"]
    assert manual == ["Agreed"]


def test_several_lines_are_a_text_and_a_body() -> None:
    """Nothing of them is lost."""
    said, _ = _all(GOLDEN)
    distilled = said["[session-distill] ## 2026-02-01 Deploys"]
    assert distilled.body == "- moved the queue to Redis\n- 5433 is the port of Postgres\n"


@pytest.mark.parametrize(
    ("content", "text", "body"),
    [
        ("  one  ", "one", ""),
        ("\n\n  one\r\n\r\ntwo", "one", "two"),
        ("one\u2028two", "one", "two"),
        ("a" * 1000, "a" * 1000, ""),
        ("- " + "b" * 1001, "b" * 199 + "…", "- " + "b" * 1001),
    ],
)
def test_a_long_or_broken_text_fits_a_record(content: str, text: str, body: str) -> None:
    """The first line is the text; a line that is too long is summed up, and stands whole below."""
    memory = memory_of(content, "memory", "relationship")
    assert memory is not None
    assert (memory.text, memory.body) == (text, body)
    memory.to_payload()


def test_what_says_nothing_is_no_memory() -> None:
    """Spaces and line ends."""
    assert memory_of(" \n\t\r\n", "memory", "committed") is None
    assert memory_of("", "memory", "committed") is None


@needs_node
def test_what_is_said_again_after_a_redaction_is_a_memory(tmp_path: Path) -> None:
    """Text files are shared by their hash: the redacted entry stays out though its text is there again."""
    folder = signed(
        tmp_path / "chain",
        [
            {"content": "call me Ada"},
            {"content": '{"target_seq":1}', "type": "redaction", "lost": "call me Ada"},
            {"content": "call me Ada", "tier": "ephemeral"},
        ],
    )
    left_out = LeftOut()
    assert [entry.seq for entry, _ in memories(read(folder), left_out)] == [3]
    assert left_out.counts.total() == 1
