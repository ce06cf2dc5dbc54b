"""The third verdict names every projection that is not what the log replays to, and changes none."""

from __future__ import annotations

from pathlib import Path

import pytest

from ledger.verify import Verdict
from muniment import MemoryLedger
from projections.heads import trusted
from projections.local import LOCAL_NAME
from projections.verdict import judge
from tests.projections.house import build, bullet, reopen


@pytest.fixture
def memory(tmp_path: Path) -> MemoryLedger:
    """A ledger of two memories, in two documents."""
    memory, _ = build(tmp_path / "ledger")
    memory.store(bullet("one"))
    memory.store(bullet("two", topic="a/b"))
    memory.close()
    return memory


def _judged(memory: MemoryLedger) -> Verdict:
    return judge(memory.place, memory.chain, memory.configuration.render_settings(), trusted)


def test_what_equals_the_replay_is_sound_and_counted(memory: MemoryLedger) -> None:
    """V-15: the sentence says what was compared."""
    verdict = _judged(memory)
    assert (verdict.state, verdict.findings) == ("sound", ())
    assert verdict.sentence == "Index and 2 documents equal what the log replays to."


def test_every_difference_is_a_finding(memory: MemoryLedger) -> None:
    """V-15: two documents and the index, each by its name."""
    (memory.place.documents / "MEMORY.md").write_text("mine")
    (memory.place.documents / "memories/a/b.md").unlink()
    for path in memory.place.directory.glob("memory.db*"):
        path.unlink()
    verdict = _judged(memory)
    assert sorted(finding.code for finding in verdict.findings) == [
        "document-drift",
        "document-missing",
        "index-missing",
    ]
    assert verdict.sentence.startswith("3 findings")


def test_local_state_that_cannot_be_read_is_a_finding_and_stays(memory: MemoryLedger) -> None:
    """P-64, P-92: the next command sets it aside, verify does not."""
    path = memory.place.directory / LOCAL_NAME
    for old in memory.place.directory.glob(f"{LOCAL_NAME}*"):
        old.unlink()
    path.write_bytes(b"no database" * 500)
    verdict = _judged(memory)
    assert [finding.code for finding in verdict.findings] == ["local-damaged"]
    assert path.read_bytes() == b"no database" * 500


def test_a_ledger_that_rendered_nothing_yet_has_no_documents_to_judge(memory: MemoryLedger) -> None:
    """V-15: without local state nothing is known of documents, and none is called drifted."""
    for path in memory.place.directory.glob(f"{LOCAL_NAME}*"):
        path.unlink()
    (memory.place.documents / "MEMORY.md").write_text("mine")
    verdict = _judged(memory)
    assert verdict.sentence == "Index and 0 documents equal what the log replays to."
    assert not (memory.place.directory / LOCAL_NAME).exists()


def test_documents_without_a_folder_are_a_finding(memory: MemoryLedger, tmp_path: Path) -> None:
    """V-15, G-62: none was compared, and where they lay before they are compared still."""
    config = memory.place.directory / "config.toml"
    config.write_text(f"[render]\nmemory = '{tmp_path / 'gone'}'\n")
    own = memory.place.documents / "MEMORY.md"
    before = own.read_bytes()
    for said, codes in ((before, []), (b"mine", ["document-drift"])):
        own.write_bytes(said)
        opened, _ = reopen(memory.place.directory)
        verdict = opened.verify().projections
        opened.close()
        assert [finding.code for finding in verdict.findings] == ["documents-homeless", *codes]
        assert "is no folder: make it" in verdict.findings[0].message


def test_documents_that_did_not_move_yet_are_compared_where_they_lie(
    memory: MemoryLedger, tmp_path: Path
) -> None:
    """V-15, G-61: until then both stand, and the new folder has none."""
    (tmp_path / "new").mkdir()
    (memory.place.directory / "config.toml").write_text(f"[render]\nmemory = '{tmp_path / 'new'}'\n")
    opened, _ = reopen(memory.place.directory)
    verdict = opened.verify().projections
    opened.close()
    assert (verdict.state, verdict.sentence[:21]) == ("sound", "Index and 2 documents")
