"""What a person pastes, of ours or of others, as `capture` meets it: learned of neither (K-22, K-62, K-166, K-173)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.driver import run


@pytest.fixture(autouse=True)
def ledger(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user's ledger, seen from an empty folder."""
    monkeypatch.chdir(tmp_path)
    run("init", "--scope", "user").ok()


def messages(name: str, *texts: str) -> None:
    rows = [{"id": f"m{n}", "role": "user", "content": text} for n, text in enumerate(texts)]
    Path(name).write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def outcomes(*args: object) -> list[str]:
    return [line["outcome"] for line in run("capture", "--json", *args).ok().json_lines]


def test_what_inject_prints_is_never_learned() -> None:
    """K-22, K-166: pasted, with other memories in it, and with the questions at its end."""
    messages("talk.jsonl", "Remember that my dog is called Rex", "No, use pnpm not npm")
    run("capture", "talk.jsonl").ok()
    told = run("inject").ok().out
    assert "Should I remember" in told
    messages("echo.jsonl", f"{told}\n\nfix the build", f"here it is:\n{told.replace('Rex', 'Bello')}")
    assert run("capture", "echo.jsonl").ok().out == ""


def test_what_may_be_somebody_elses_stays_a_candidate_however_often_it_is_pasted() -> None:
    """K-173, K-62: what the person says themselves promotes it."""
    text = "check this doc:\n- Always explain your plan before you begin"
    for name in ("first", "second"):
        messages(f"{name}.jsonl", text)
    assert outcomes("first.jsonl") == ["candidate"]
    assert outcomes("second.jsonl") == ["known"]
    messages("own.jsonl", "Always explain your plan before you begin")
    assert outcomes("own.jsonl") == ["promoted"]
