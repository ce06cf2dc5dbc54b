"""muniment status says how a ledger stands, and what waits for a person."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from language.dates import moment
from ledger.instant import DAY, system_clock
from ledger.memory import Memory
from muniment import MemoryLedger
from projections.index import INDEX_NAME
from tests.cli.driver import run, run_process
from tests.documents.adopting.in_git import begun, git


@pytest.fixture
def memory(memory: MemoryLedger) -> MemoryLedger:
    """The same with one memory."""
    memory.store(Memory("Use pnpm"))
    return memory


def facts() -> dict[str, object]:
    found: dict[str, object] = run("status", "--json").ok().json
    return found


def test_a_process_tells_a_calm_story_where_nothing_waits(memory: MemoryLedger) -> None:
    """Scope, place, size, counts, mark, last verify."""
    lines = run_process("status").ok().out.splitlines()
    assert lines[0] == "user ledger memory"
    shown = dict(line.strip().split("  ", 1) for line in lines[1:-2])
    assert {
        name: value.strip() for name, value in shown.items() if name not in ("id", "chain", "key", "next key")
    } == {
        "in": str(memory.workspace.place.directory),
        "memories": "1 active",
        "acknowledged": "up to @1 (the newest)",
        "verified": "never on this machine: run muniment verify",
    }
    assert shown["chain"].strip().endswith(f"newest @1 of {moment(memory.entry('@1').learned)}")
    assert lines[-2:] == ["", "nothing waits for you"]


def test_json_is_one_document_with_all_facts(memory: MemoryLedger) -> None:
    """What waits in the outbox is counted."""
    outbox = memory.workspace.home.state / "outbox" / memory.workspace.ledger.identity.id
    outbox.mkdir(parents=True)
    (outbox / "1.json").write_bytes(b"{}")
    found = facts()
    size = memory.workspace.chain.stat().st_size
    identity = memory.workspace.ledger.identity
    assert found["ledger"] == {"id": identity.id, "name": "memory", "scope": "user"}
    assert found["directory"] == found["documents"] == str(memory.workspace.place.directory)
    newest = {"seq": 1, "id": memory.recall.resolve("@1"), "at": memory.entry("@1").learned}
    assert found["chain"] == {"events": 2, "bytes": size, "newest": newest}
    assert found["mark"] == {"state": "equal", "seq": 1, "id": newest["id"]}
    assert found["memories"] == {
        "active": 1,
        "candidate": 0,
        "superseded": 0,
        "deleted": 0,
        "erased": 0,
        "stale": 0,
        "compromised": 0,
        "archived": 0,
    }
    assert [found[name] for name in ("edited", "set_aside", "bound", "outbox")] == [{}, [], [], 1]
    assert [found[name] for name in ("verified", "fault", "behind")] == [None, None, False]


def test_candidates_and_stale_memories_wait_for_a_person(memory: MemoryLedger) -> None:
    """With the command that comes next."""
    memory.store(Memory("maybe", status="candidate"))
    clock = system_clock() - 200 * DAY
    with MemoryLedger(memory.workspace.place, memory.workspace.home, clock=lambda: clock) as past:
        past.store(Memory("old"))
    out = run("status").ok().out
    assert "2 active, 1 candidate, 1 stale\n" in out
    assert "1 candidate waits for you\n  (run muniment review to decide" in out
    assert "1 memory not confirmed for a long time\n  (run muniment review to decide" in out
    assert "nothing waits" not in out


def test_edited_and_missing_documents_are_named(memory: MemoryLedger) -> None:
    """Before and after a rendering that left them alone."""
    memory.store(Memory("Auth", topic="code/auth"))
    document = memory.workspace.place.documents / "MEMORY.md"
    document.write_text(document.read_text() + "\nmine\n")
    (memory.workspace.place.documents / "memories/code/auth.md").unlink()
    out = run("status").ok().out
    assert (
        "1 document not as it was written here:\n    MEMORY.md  edited by hand: 1 new\n  (run muniment adopt"
        in out
    )
    assert "1 document missing:\n    memories/code/auth.md\n  (run muniment replay" in out
    document.write_bytes(b"caf\xe9\n")
    memory.store(Memory("more"))
    edited = facts()["edited"]
    assert isinstance(edited, dict)
    assert edited["memories/code/auth.md"] == "missing"
    assert edited["MEMORY.md"].startswith("not UTF-8 at byte 3")


def test_documents_that_were_not_rendered_yet_are_behind(memory: MemoryLedger) -> None:
    """As after a crash between the log and the files."""
    from ledger.command import Create

    memory.workspace.append([Create(Memory("not rendered"))])
    assert facts()["behind"] is True
    assert "(run muniment replay to write them)" in run("status").out


def test_a_lost_event_is_told(memory: MemoryLedger) -> None:
    """The chain is shorter than the mark: recover comes next."""
    data = memory.workspace.chain.read_bytes()
    memory.workspace.chain.write_bytes(data[: data.index(b"\n") + 1])
    done = run("status").ok()
    assert "acknowledged  up to @1 (which is not in the chain)" in done.out
    assert "(muniment recover" in done.out
    mark = facts()["mark"]
    assert isinstance(mark, dict)
    assert mark["state"] == "lost"


def test_a_mark_that_is_behind_or_missing_is_no_finding(memory: MemoryLedger) -> None:
    """The next write moves it, or makes it."""
    (mark,) = (memory.workspace.home.state / "marks").iterdir()
    before = mark.read_bytes()
    memory.store(Memory("two"))
    mark.write_bytes(before)
    assert "up to @1 (the next write moves it)" in run("status").ok().out
    mark.unlink()
    out = run("status").ok().out
    assert "no high-water mark here" in out
    assert "nothing waits for you" in out


def test_a_chain_that_cannot_be_read_is_told_and_the_rest_as_well(memory: MemoryLedger) -> None:
    """Exit 0: verify judges."""
    memory.close()
    for path in memory.workspace.place.directory.glob(f"{INDEX_NAME}*"):
        path.unlink()
    memory.workspace.chain.write_bytes(
        memory.workspace.chain.read_bytes().replace(b"Use pnpm", b"Use npmm").replace(b'"seq":1', b'"seq":7')
    )
    done = run("status").ok()
    assert "the chain cannot be read" in done.out
    assert "(run muniment doctor for a fix)" in done.out
    assert facts()["memories"] is None


def test_a_chain_that_is_gone_is_no_missing_ledger(memory: MemoryLedger) -> None:
    """init would be the wrong advice."""
    memory.workspace.chain.unlink()
    done = run("status").ok()
    assert "is gone" in done.out
    assert "restore" in done.out
    assert "init" not in done.out


def test_a_folder_that_is_gone_is_no_missing_ledger(memory: MemoryLedger) -> None:
    """What was acknowledged here is remembered elsewhere."""
    memory.close()
    shutil.rmtree(memory.workspace.place.directory)
    for command in ("status", "list"):
        done = run(command)
        assert (done.code, "is gone" in done.err, "init" in done.err) == (7, True, False)


def test_the_last_verify_is_told(memory: MemoryLedger) -> None:
    """How long ago in events, and with what result."""
    run("verify").ok()
    memory.store(Memory("two"))
    assert ": sound, 1 event since" in run("status").ok().out
    memory.workspace.chain.write_bytes(memory.workspace.chain.read_bytes().replace(b"Use pnpm", b"Use npmm"))
    assert run("verify").code == 1
    out = run("status").ok().out
    assert ": with findings" in out
    assert "(run muniment verify to see them)" in out


def test_files_that_were_set_aside_are_named(memory: MemoryLedger) -> None:
    """Torn bytes, a damaged local state, an edited copy."""
    document = memory.workspace.place.documents / "MEMORY.md"
    document.write_text("mine\n")
    memory.documents.render(everything=True, overwrite=True)
    torn = memory.workspace.place.directory / "chain.jsonl.torn-20261120T000000"
    torn.write_bytes(b"{")
    aside = [str(memory.workspace.place.documents / "MEMORY.md.edited-1"), str(torn)]
    assert facts()["set_aside"] == aside
    out = run("status").out
    assert "2 files set aside:" in out
    assert "muniment import FILE brings back the good events of chain.jsonl.torn-*" in out


def test_an_unfinished_erasure_is_told(memory: MemoryLedger) -> None:
    """The next write finishes it."""
    one = memory.recall.resolve("@1")
    memory.workspace.index.connection().execute("INSERT INTO unfinished VALUES (?)", (one,))
    assert facts()["unfinished_erasures"] == 1
    assert "(the next write finishes it)" in run("status").out


def test_a_project_names_its_roots(isolated: Path, tmp_path: Path) -> None:
    """Also one that is not there now."""
    root, other = tmp_path / "work", tmp_path / "moved"
    root.mkdir()
    run("init", "--scope", "project", cwd=root).ok()
    found = run("status", "--json", cwd=root).ok().json
    assert found["ledger"]["scope"] == "project"
    assert found["bound"] == [str(root)]
    root.rename(other)
    run("init", cwd=other).ok()
    out = run("status", cwd=other).ok().out
    assert f"bound to      {root} (missing)" in out
    assert f"bound to      {other}\n" in out


# --- a folder where nothing was rendered yet ---


def worktree(tmp_path: Path) -> Path:
    """The documents of a new worktree of a project with rules and a topic, one rule of which was learned since."""
    root, tree = tmp_path / "house", tmp_path / "tree"
    begun(root)
    run("init", cwd=root).ok()
    for rule in ("Alpha rule one", "Beta rule two", "Gamma rule three"):
        run("add", rule, cwd=root).ok()
    for n in range(3):
        text = f"About queue number {n}"
        run("add", text, "--topic", "infra/queue", "--title", f"Q{n}", cwd=root).ok()
    git(root, "add", "-A")
    git(root, "commit", "-qm", "one")
    run("add", "Learned since", cwd=root).ok()
    git(root, "worktree", "add", "-q", str(tree), "-b", "side")
    return tree / ".muniment"


TOPIC = "memories/infra/queue.md"
EDITS = {
    "taken out": ("MEMORY.md", "- Beta rule two\n", "", "1 taken out"),
    "changed": ("MEMORY.md", "rule two", "rule two, on Mondays", "1 changed"),
    "new": ("MEMORY.md", "- Beta", "- Typed by hand\n- Beta", "1 new"),
    "topic entry": (TOPIC, "About queue number 1", "About queue number 7", "1 changed"),
    "document": ("memory/hand.md", "", "# Hand\n\n- From my hand\n", "new"),
}


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")
@pytest.mark.parametrize("names", [[*EDITS][1:], ["taken out", "topic entry"]])
def test_in_a_new_worktree_status_names_what_adopt_takes_in(
    isolated: Path, tmp_path: Path, names: list[str]
) -> None:
    """X-145: the same documents, with the same counts."""
    documents = worktree(tmp_path)
    assert run("status", "--json", cwd=documents).ok().json["edited"] == {}
    for path, old, new, _ in map(EDITS.__getitem__, names):
        file = documents / path
        file.parent.mkdir(exist_ok=True)
        text = file.read_text() if file.exists() else ""
        assert old in text
        file.write_text(text.replace(old, new, 1) if old else new)
    named = run("status", "--json", cwd=documents).ok().json["edited"]
    shown = run("status", cwd=documents).ok().out
    assert "do not show the newest changes" not in shown
    assert all(
        f"{path}  " in shown and EDITS[name][3] in named[path] for name in names for path in [EDITS[name][0]]
    )
    doctor = run("doctor", cwd=documents).out
    adopted = run("adopt", cwd=documents).ok().out.splitlines()
    assert {path: why.partition(": ")[2] for path, why in named.items()} == dict(
        line.split(": ", 1) for line in adopted
    )
    assert all(f"{path}: {why}" in doctor for path, why in named.items())
    assert run("status", "--json", cwd=documents).ok().json["edited"] == {}
