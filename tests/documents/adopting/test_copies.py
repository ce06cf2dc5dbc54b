"""One project in several folders, and in the copies of several people: each shows all of it; with a real git."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.driver import run
from tests.documents.adopting.in_git import GRACE, ME, begun, git

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")


@pytest.fixture
def project(isolated: Path, tmp_path: Path) -> Path:
    """A project of mine in git, with two memories."""
    root = tmp_path / "house"
    begun(root)
    run("init", cwd=root).ok()
    run("add", "Use pnpm, not npm", cwd=root).ok()
    run("add", "Postgres listens on 5433", cwd=root).ok()
    git(root, "add", "-A")
    git(root, "commit", "-qm", "one")
    return root


def memory_file(root: Path) -> Path:
    """The project's MEMORY.md below a root."""
    return root / ".muniment" / "MEMORY.md"


def said(root: Path, env: dict[str, str] | None = None) -> set[str]:
    """Return what stands, as asked from a folder."""
    return {
        row["text"]
        for row in run("list", "--json", cwd=root, env=env).ok().json_lines
        if row["status"] == "active"
    }


def test_a_worktree_is_another_copy_of_the_same_documents(project: Path, tmp_path: Path) -> None:
    """D-2: an edit in a worktree descends from what git brought there; both folders show all of it."""
    git(project, "worktree", "add", "-q", str(tmp_path / "tree"), "-b", "side")
    run("add", "Learned in the house", cwd=project).ok()
    path = memory_file(tmp_path / "tree")
    path.write_text(path.read_text().replace("5433", "5434") + "- Typed in the worktree\n")
    run("adopt", cwd=tmp_path / "tree").ok()
    everything = {
        "Use pnpm, not npm",
        "Postgres listens on 5434",
        "Learned in the house",
        "Typed in the worktree",
    }
    assert said(tmp_path / "tree") == said(project) == everything
    run("replay", cwd=project).ok()
    run("replay", cwd=tmp_path / "tree").ok()
    assert memory_file(project).read_text() == path.read_text()
    assert all(f"- {text}\n" in path.read_text() for text in everything)


def test_two_peoples_copies_meet_in_git(project: Path, tmp_path: Path) -> None:
    """A-12, D-23…D-25: each has a chain; what one learned reaches the other as a candidate, or at once where trusted."""
    hers = {"MUNIMENT_HOME": str(tmp_path / "her/home"), "MUNIMENT_STATE": str(tmp_path / "her/state")}
    copy = tmp_path / "copy"
    git(project, "clone", "-q", ".", str(copy))
    git(copy, "config", "user.email", GRACE[1])
    run("init", cwd=copy, env=hers).ok()
    (Path(hers["MUNIMENT_HOME"]) / "config.toml").write_text(f'scripts = true\ntrust_git = ["{ME[1]}"]\n')
    for row in run("list", "--json", cwd=copy, env=hers).ok().json_lines:
        run("confirm", row["id"], cwd=copy, env=hers).ok()
    run("add", "Deploys go through Grace", cwd=copy, env=hers).ok()
    run("replay", cwd=copy, env=hers).ok()
    assert "- Deploys go through Grace\n" in memory_file(copy).read_text()
    git(copy, "commit", "-qam", "hers", who=GRACE)
    git(project, "pull", "-q", str(copy), "main")
    theirs = memory_file(project).read_text()
    run("add", "Node is at 20", cwd=project).ok()
    assert memory_file(project).read_text() == theirs
    (waiting,) = run("list", "--json", "--status", "candidate", cwd=project).ok().json_lines
    assert waiting["text"] == "Deploys go through Grace"
    assert "Node is at 20" in run("inject", cwd=project).ok().out
    assert "Grace" not in run("inject", "--task", "deploys of Grace", cwd=project).ok().out
    run("confirm", waiting["id"], cwd=project).ok()
    assert "- Deploys go through Grace\n- Node is at 20\n" in memory_file(project).read_text()
    git(project, "commit", "-qam", "mine")
    git(copy, "pull", "-q", str(project), "main", who=GRACE)
    run("adopt", cwd=copy, env=hers).ok()
    assert said(copy, hers) == said(project)
