"""Tests learning/importing.py and learning/file_proposals.py on documents of the ledger itself, edited or brought by git (X-36)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from learning.file_proposals import Imported, OwnDocuments
from tests.cli.driver import run
from tests.cli.imported import SECRET, texts, write

pytestmark = pytest.mark.usefixtures("ledger")


# --- as they are now, and as a person edited them ---


@pytest.mark.parametrize("typed", ["", "- two\n\nAnd prose.\n"])
def test_of_a_document_that_was_rendered_nothing_is_imported(ledger: Path, typed: str) -> None:
    """X-36: `adopt` adopts what a person typed there."""
    run("add", "one").ok()
    path = ledger / "MEMORY.md"
    path.write_text(path.read_text() + typed)
    events = len(run("log", "--json").json_lines)
    done = run("import", path).ok()
    assert done.out == f"{path}  a document of this ledger\n"
    assert "muniment adopt" in done.err
    assert len(run("log", "--json").json_lines) == events
    run("adopt").ok()
    assert path.read_text().endswith(f"- one\n{typed}")


def test_an_edit_is_taken_in_before_what_comes_after_it(ledger: Path) -> None:
    """D-15: so what is deleted or replaced then does not come back from the document."""
    one, two = run("add", "one").id, run("add", "two").id
    path = ledger / "MEMORY.md"
    path.write_text(path.read_text() + "- three\n")
    run("delete", one).ok()
    run("supersede", two, "two!").ok()
    assert sorted(texts()) == ["three", "two!"]
    assert run("import", path, "--json").ok().json["new"] == 0
    assert "- one" not in path.read_text()


def test_a_persons_own_memory_file_is_adopted_once_it_is_in_the_ledger(ledger: Path) -> None:
    path = write(str(ledger / "memory/2026-01-02.md"), "* one\n")
    done = run("import", path).ok()
    assert done.err == f"muniment: {path} is in the ledger now and was rewritten\n"


def test_a_document_with_a_refused_line_is_left_alone(ledger: Path) -> None:
    path = write(str(ledger / "memory/2026-01-02.md"), f"- one\n- password={SECRET}\n")
    before = path.read_bytes()
    assert run("import", path).code == 6
    assert path.read_bytes() == before


def test_a_document_with_a_warning_is_left_alone(ledger: Path) -> None:
    path = write(str(ledger / "memories/broken.md"), "---\ntitle: [\n---\n\nbody\n")
    before = path.read_bytes()
    assert "kept as text" in run("import", path).ok().err
    assert path.read_bytes() == before


def test_a_file_that_changed_while_it_was_imported_is_left_alone(
    ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = ledger / "memory" / "2026-01-02.md"
    path.parent.mkdir()
    path.write_text("- one\n")
    adopt = OwnDocuments.adopt

    def later(own: OwnDocuments, files: list[Imported]) -> list[str]:
        path.write_text("- one\n- typed just now\n")
        return adopt(own, files)

    monkeypatch.setattr(OwnDocuments, "adopt", later)
    assert "rewritten" not in run("import", path).ok().err
    assert path.read_text() == "- one\n- typed just now\n"


def test_a_file_in_the_folder_that_no_rendering_writes_is_left_alone(ledger: Path) -> None:
    path = ledger / "memory/notes.md"
    path.parent.mkdir()
    path.write_text("- one\n")
    run("import", path).ok()
    assert path.read_text() == "- one\n"
    run("add", "two").ok()
    assert path.read_text() == "- one\n"


# --- earlier renderings: git or a crash brought them, nobody typed them ---


def test_an_earlier_rendering_does_not_bring_a_deleted_text_back(ledger: Path) -> None:
    """X-36: status and doctor name it apart from an edit, and replay writes it anew."""
    secret = run("add", "the vault is behind the mirror").id
    path = ledger / "MEMORY.md"
    earlier = path.read_bytes()
    run("delete", secret, "-m", "moved").ok()
    path.write_bytes(earlier)
    os.utime(path, (1, 1))  # as a copy or a crash leaves it, which nobody typed
    before = (ledger / "chain.jsonl").read_bytes()
    for advice in (run("status").ok().out, run("doctor").out):
        assert "an earlier rendering" in advice
        assert "muniment replay" in advice
        assert "muniment import" not in advice
        assert "edited by hand" not in advice
    assert "muniment adopt" in run("import", path).ok().err
    assert (ledger / "chain.jsonl").read_bytes() == before
    run("replay").ok()
    assert "mirror" not in path.read_text()
    assert "nothing waits for you" in run("status").out


def test_a_pause_that_an_earlier_rendering_ended_is_none(ledger: Path) -> None:
    """X-36: it was edited, a write met the edit, and then git brought an earlier rendering."""
    run("add", "one").ok()
    path = ledger / "MEMORY.md"
    earlier = path.read_bytes()
    run("add", "two").ok()
    path.write_bytes(b"caf\xe9\n")
    run("add", "three").ok()
    path.write_bytes(earlier)
    os.utime(path, (1, 1))
    assert "edited by hand" not in run("status").ok().out + run("doctor").out


def test_an_earlier_rendering_in_another_worktree_says_nothing_either(tmp_path: Path) -> None:
    """X-36, X-39: git carries renderings from one root of a project to the next."""
    root, other = tmp_path / "root", tmp_path / "other"
    root.mkdir()
    run("init", "--scope", "project", cwd=root).ok()
    id_ = run("add", "the vault is behind the mirror", cwd=root).id
    earlier = (root / ".muniment/MEMORY.md").read_bytes()
    (other / ".muniment").mkdir(parents=True)
    (other / ".muniment/project.toml").write_bytes((root / ".muniment/project.toml").read_bytes())
    run("delete", id_, "-m", "moved", cwd=root).ok()
    (other / ".muniment/MEMORY.md").write_bytes(earlier)
    run("init", cwd=other).ok()
    assert "mirror" not in (other / ".muniment/MEMORY.md").read_text()
    (other / ".muniment/MEMORY.md").write_bytes(earlier)
    assert run("import", ".muniment/MEMORY.md", "--json", cwd=other).ok().json["new"] == 0
    assert run("import", other / ".muniment/MEMORY.md", "--json", cwd=root).ok().json["new"] == 0
