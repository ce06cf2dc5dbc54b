"""What a tool's error and the command that then worked teach, and what teaches nothing.

Tests specs/capture.md (K-36, K-37, K-39).
"""

from __future__ import annotations

import pytest

from documents.proposal import Proposal
from learning.detection.detector import LearningDetector
from learning.turn import Turn

Call = tuple[str, str, bool]

REFUSED = "Error: connect ECONNREFUSED 127.0.0.1:5432\n    at TCPConnectWrap.afterConnect"


def shown(*calls: Call, tool: str = "Bash", rejected: bool = False) -> list[Proposal]:
    detector = LearningDetector()
    found: list[Proposal] = []
    for at, (command, text, failed) in enumerate(calls):
        turn = Turn(
            "tool", text, conversation="c", message=f"m{at}", tool=tool, command=command, failed=failed, rejected=rejected
        )  # fmt: skip
        found += detector.analyze(turn)
    return found


@pytest.mark.parametrize(
    ("calls", "parts"),
    [
        (
            [("npm run migrate", REFUSED, True), ("docker compose up -d db", "done", False), ("npm run migrate", "ok", False)],
            ["`npm run migrate`", "ECONNREFUSED 127.0.0.1:5432", "`docker compose up -d db`"],
        ),
        (
            [("psql -p 5432 app", "could not connect to server: Connection refused", True), ("psql -p 5433 app", "psql 16", False)],
            ["`psql -p 5432 app`", "Connection refused", "`psql -p 5433 app`"],
        ),
        (
            [("pytest -q", "bash: pytest: command not found", True), ("uv run pytest -q", "12 passed", False)],
            ["`pytest -q`", "command not found", "`uv run pytest -q`"],
        ),
        (
            [("zig build --target arm-linux out", "ld: unrecognised target: arm", True), ("cross build --target arm-linux out", "", False)],
            ["unrecognised target", "`cross build --target arm-linux out`"],
        ),
        (
            [("xelatex cv.tex", "! fontspec Error: it requires either XeTeX or LuaTeX", True), ("latexmk -lualatex cv.tex", "", False)],
            ["requires either", "`latexmk -lualatex cv.tex`"],
        ),
        (
            [("tsc -b --noEmit", "error TS5094: Compiler option '--noEmit' may not be used with '--build'.", True), ("tsc -b", "", False)],
            ["may not be used with", "`tsc -b` works"],
        ),
        (
            [("node build.js", "Error: Cannot find module 'esbuild'", True), ("npm install", "added 12", False),
             ("node build.js", "built", False)],
            ["`node build.js`", "Cannot find module 'esbuild'", "`npm install`"],
        ),
        (
            [("git push origin feat", "remote: Permission denied (publickey).", True),
             ("git push https://host/x feat", "done", False)],
            ["Permission denied (publickey)"],
        ),
        (
            [("git rebase --continue", "error: you have unstaged changes", True),
             ("git add . && git rebase --continue", "Successfully rebased", False)],
            ["`git rebase --continue`", "`git add . && git rebase --continue`"],
        ),
        (
            [("cd web && curl localhost:3000", "curl: (7) Failed to connect: Connection refused", True),
             ("curl localhost:3001", "ok", False)],
            ["`curl localhost:3001`"],
        ),
        (
            [("eslint --fixx src", "Invalid option '--fixx'", True), ("ls src", "a.js", False), ("eslint --fix src", "", False)],
            ["`eslint --fixx src`", "`eslint --fix src`"],
        ),
    ],
)  # fmt: skip
def test_an_error_and_what_then_worked_is_one_memory(calls: list[Call], parts: list[str]) -> None:
    (proposal,) = shown(*calls)
    assert proposal.memory is not None
    assert all(part in proposal.memory.text for part in parts), proposal.memory.text
    assert (proposal.basis, proposal.memory.confidence, proposal.memory.inferred) == ("fixed", 0.6, True)
    assert (proposal.memory.category, proposal.memory.section) == ("error-pattern", "Error Patterns")
    assert proposal.scope == "project"
    proposal.memory.to_payload()


@pytest.mark.parametrize(
    "calls",
    [
        [("pytest -q", "E   AssertionError: assert 1 == 2\n1 failed", True), ("pytest -q", "1 passed", False)],
        [("pytest -q", "FAILED tests/a.py::b\n1 failed", True), ("pytest -q tests/a.py", "1 passed", False)],
        [("cargo build", "error[E0308]: mismatched types", True), ("cargo build --release", "Finished", False)],
        [("npm run migrate", REFUSED, True), ("npm run migrate", "ok", False)],
        [("npm run migrate", REFUSED, True), ("ls -la", "x", False), ("git status", "clean", False)],
        [("curl localhost:3000", "curl: (7) Failed to connect: Connection refused", True)],
        [("make", "done", False), ("make test", "done", False)],
        [("git checkout main", "fatal: 'main' is already used by worktree at '/w'", True), ("git push", "done", False)],
        [("docker build .", "unknown flag: --chek", True), ("docker rmi old", "Deleted", False)],
        [("rm build", "rm: cannot remove 'build': No such file or directory", True), ("mkdir build", "", False)],
        [("pip install torch", "error: externally-managed-environment", True), ("pip list", "pip 24", False)],
        [("git rebase --continue", "Rebasing (2/9)\rerror: could not apply 91ab04c... add a limit", True),
         ("git add -A && git rebase --continue", "Successfully rebased", False)],
        [("git merge dev", "Auto-merging a.py\nCONFLICT (content): Merge conflict in a.py", True),
         ("git checkout --ours a.py && git merge --continue", "ok", False)],
        [("git commit -m wip", "On branch dev\nnothing to commit, working tree clean", True),
         ("git commit -m wip --allow-empty", "ok", False)],
        [("make fetch", "Downloading 12%\rDownloading 80%", True), ("make fetch RETRY=1", "ok", False)],
        [("npm run pack", "[1/4] Resolving packages...", True), ("npm run pack -- --slow", "ok", False)],
    ],
)  # fmt: skip
def test_what_teaches_nothing(calls: list[Call]) -> None:
    assert shown(*calls) == []


def test_what_a_progress_line_was_written_over_with_is_the_error() -> None:
    error = "Fetching 40%\rFetching 90%\rfatal: unable to access 'https://x.example/r.git/': Could not resolve host"
    found = shown(
        ("git clone https://x.example/r.git", error, True), ("git clone git@x.example:r.git", "done", False)
    )
    assert len(found) == 1
    assert found[0].memory is not None
    assert "Fetching" not in found[0].memory.text
    assert "unable to access" in found[0].memory.text


def test_a_call_that_the_person_rejected_teaches_nothing() -> None:
    calls = [("psql -p 5432 app", "Connection refused", True), ("psql -p 5433 app", "psql 16", False)]
    assert shown(*calls, rejected=True) == []


def test_what_an_edit_mended_is_no_fix() -> None:
    detector = LearningDetector()
    turns = [
        Turn("tool", "Cannot find module './a'", conversation="c", message="1", tool="Bash", command="node x.js", failed=True),
        Turn("tool", "", conversation="c", message="2", tool="Edit", command="x.js", failed=False),
        Turn("tool", "", conversation="c", message="3", tool="Bash", command="npm install", failed=False),
        Turn("tool", "ok", conversation="c", message="4", tool="Bash", command="node x.js", failed=False),
    ]  # fmt: skip
    assert [found for turn in turns for found in detector.analyze(turn)] == []


def test_an_error_is_told_once_and_stays_in_its_conversation() -> None:
    detector = LearningDetector()
    calls = [("psql -p 5432 app", REFUSED, True), ("psql -p 5433 app", "psql 16", False)]
    for conversation, expected in (("a", 1), ("a", 0), ("b", 1)):
        found = []
        for command, text, failed in calls:
            turn = Turn(
                "tool",
                text,
                conversation=conversation,
                message="m",
                tool="bash",
                command=command,
                failed=failed,
            )
            found += detector.analyze(turn)
        assert len(found) == expected


def test_a_fix_comes_soon_or_not_at_all() -> None:
    calls: list[Call] = [("psql -p 5432 app", REFUSED, True)]
    calls += [(f"echo {at}", str(at), False) for at in range(12)]
    assert shown(*calls, ("psql -p 5433 app", "psql 16", False)) == []
