"""What hooks know of edited documents: D-81, D-83 and D-86, by events of a program and by its transcript."""

from __future__ import annotations

import fcntl
import json
from pathlib import Path

import pytest

from agents.hooks import session_adoption, user_folders, written_documents
from documents import agent_writes
from documents.adopting import adoption_summary
from tests.agents.hooks.calling import context, event, faults, hook, settled
from tests.cli.driver import run


@pytest.fixture
def document(home: Path) -> Path:
    """MEMORY.md of a user's ledger of two memories; scripts are nobody's."""
    (home / "config.toml").write_text("")
    return home / "MEMORY.md"


def _type(document: Path, line: str) -> None:
    document.write_text(f"{document.read_text()}- {line}\n")


def _texts(status: str = "active") -> list[str]:
    return [each["text"] for each in run("list", "--json", "--status", status).json_lines]


def _start(source: str = "startup") -> str:
    return context(hook(event("SessionStart", source=source)))


def test_a_session_takes_in_what_was_typed_before_it(document: Path) -> None:
    """D-81, D-86: as the person's; the agent is told the memories and in one line that they were taken in, once."""
    _type(document, "Typed in an editor")
    _type(document, "Typed as well")
    line, _, rest = _start().partition("\n")
    assert line == "muniment: 2 edits of MEMORY.md were recorded"
    assert "Typed in an editor" in rest
    rows = [each["by"] for each in run("log", "--json").json_lines if each["by"]["via"] == "edit"]
    assert [each["role"] for each in rows] == ["user", "user"]
    assert "recorded" not in _start()
    assert faults() == []


def test_in_the_midst_of_a_session_nothing_is_taken_in(document: Path) -> None:
    """D-81: the agent was at work just now."""
    _type(document, "Planted")
    assert "Planted" not in _start("compact")
    assert "Planted" not in _texts()


def test_with_edits_review_a_session_takes_nothing_in_and_says_so(document: Path) -> None:
    """D-81, D-86."""
    (document.parent / "config.toml").write_text('edits = "review"\n')
    _type(document, "Typed in an editor")
    assert _start().startswith("muniment: edits of MEMORY.md wait for the user: muniment status\n")
    assert "Typed in an editor" not in _texts()
    assert "- Typed in an editor\n" in document.read_text()


def test_a_ledger_that_is_held_is_not_waited_for(document: Path) -> None:
    """D-81: the session begins with what was known, and the next one takes the edit in."""
    _type(document, "Typed in an editor")
    with (document.parent / "chain.jsonl").open("rb") as chain:
        fcntl.flock(chain, fcntl.LOCK_EX)
        said = _start()
    assert ("one" in said, "Typed in an editor" in said) == (True, False)
    assert "Typed in an editor" in _start()


@pytest.mark.parametrize("tool", ["Write", "Edit", "MultiEdit"])
def test_what_the_agents_tool_wrote_is_the_agents_at_the_next_session(document: Path, tool: str) -> None:
    """D-83, D-84: whatever the session begins with."""
    _type(document, "Push to main at once")
    hook(event("PostToolUse", tool_name=tool, tool_input={"file_path": str(document)}, tool_response={}))
    line = _start().partition("\n")[0]
    assert line == ("muniment: 1 edit of MEMORY.md was recorded; 1 waits for the user: muniment review")
    assert _texts("candidate") == ["Push to main at once"]
    assert faults() == []


def test_a_patch_names_the_documents_that_it_wrote(document: Path) -> None:
    """D-83: by Codex's tool, relative to the session's folder or not."""
    patch = f"*** Begin Patch\n*** Update File: {document}\n@@\n+- Push\n*** Add File: memory/new.md\n+x\n*** End Patch"
    assert list(written_documents.written_by("apply_patch", {"command": patch})) == [
        str(document),
        "memory/new.md",
    ]
    _type(document, "Push to main at once")
    hook(event("PostToolUse", tool_name="apply_patch", tool_input={"command": patch}), program="codex")
    _start()
    assert _texts("candidate") == ["Push to main at once"]


def test_what_is_no_document_leaves_no_note(document: Path, tmp_path: Path) -> None:
    """D-83: neither another file, nor a tool that only reads, nor an event that says something else than it should."""
    given = {"file_path": str(tmp_path / "main.py")}
    hook(event("PostToolUse", tool_name="Write", tool_input=given))
    hook(event("PostToolUse", tool_name="Read", tool_input={"file_path": str(document)}))
    hook(event("PostToolUse", tool_name="Write", tool_input=[str(document)]))
    assert not (Path(user_folders.hooks()) / agent_writes.FOLDER).exists()


def test_a_transcript_names_what_the_agents_tool_wrote(document: Path, tmp_path: Path) -> None:
    """D-83: where no event came, as from hooks that were installed before."""
    _type(document, "Push to main at once")
    begun = {
        "type": "user",
        "sessionId": "s1",
        "uuid": "u1",
        "timestamp": "2030-01-01T00:00:00.000Z",
        "cwd": str(tmp_path),
    }
    call = {"type": "tool_use", "id": "t1", "name": "Edit", "input": {"file_path": str(document)}}
    done = {"type": "tool_result", "tool_use_id": "t1", "content": "ok"}
    lines = [
        {**begun, "message": {"role": "user", "content": "go on"}},
        {**begun, "type": "assistant", "uuid": "u2", "message": {"role": "assistant", "content": [call]}},
        {**begun, "uuid": "u3", "message": {"role": "user", "content": [done]}},
    ]
    transcript = tmp_path / "s1.jsonl"
    transcript.write_text("".join(json.dumps(line) + "\n" for line in lines))
    hook(event("Stop", transcript_path=str(transcript)))
    settled()
    assert faults() == []
    _start()
    assert _texts("candidate") == ["Push to main at once"]


def test_both_ends_name_the_fact_alike() -> None:
    """D-86: the hook asks for it without loading what notes it."""
    assert session_adoption.BY_AGENT == adoption_summary.BY_AGENT
