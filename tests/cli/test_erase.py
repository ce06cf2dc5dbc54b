"""Tests cli/commands/erase.py and projections/text_occurrences.py against specs/cli.md (X-28…X-31)."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

import muniment
from ledger import reader
from ledger.draft import PART_BYTES
from ledger.memory import Memory
from projections.text_occurrences import strings
from tests.cli.driver import ROOT, Result, run, run_process

SECRET = "zyxwvutsrq31415"
"""Nothing that redaction knows; in lower case, so that full-text tokens of it would be found as well."""


pytestmark = pytest.mark.usefixtures("ledger")


def holding(*folders: Path, text: str = SECRET) -> list[str]:
    """Return the files below the folders that hold the text."""
    files = [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]
    return [path.name for path in files if text.encode() in path.read_bytes()]


def match(*args: object, text: str = SECRET) -> Result:
    return run("erase", "--match", "-", "--yes", *args, input=text + "\n")


# --- by id ---


def test_a_process_erases_a_memory_with_all_its_versions_and_reasons(ledger: Path) -> None:
    """X-28."""
    one = run("add", f"the {SECRET} code", "--tag", SECRET).id
    two = run("supersede", one, f"{SECRET} again", "--body", f"{SECRET}\n").id
    run("delete", two, "-m", f"{SECRET} is old").ok()
    other = run("add", "harmless").id
    assert holding(ledger)
    done = run_process("erase", two, "-m", "not ours", "--yes").ok()
    assert done.out.splitlines()[0].endswith("  erased 3 events")
    assert "revoke it" in done.err
    assert not holding(ledger)
    assert [entry["id"][:12] for entry in run("list", "--json").json_lines] == [other]
    assert run("verify").code == 0
    assert run("log", "--kind", "erase", "--json").json_lines[0]["what"] == "not ours"


def test_the_documents_lose_it_even_where_it_was_the_last_of_its_kind(ledger: Path) -> None:
    ids = [
        run("add", f"{SECRET} bullet").id,
        run("add", f"{SECRET} topic", "--topic", "a/b").id,
        run("add", f"{SECRET} daily", "--tier", "daily").id,
    ]
    assert len(holding(ledger)) >= 5
    done = run("erase", *ids, "--yes", "--json").ok().json
    assert [id_[:12] for id_ in done["erased"]] == ids
    assert not holding(ledger)
    assert len(done["documents"]) == 3


def test_what_would_go_is_shown_and_asked_for() -> None:
    """X-30, X-10: how it begins where a person is asked alone."""
    one = run("add", f"the {SECRET} code").id
    refused = run("erase", one)
    assert refused.code == 2
    assert f"create     {one}" in refused.err
    assert "--yes" in refused.err
    no = run("erase", one, input="n\n", terminal=True)
    assert no.code == 130
    assert no.err.endswith("muniment: that was not a yes: nothing was done\n")
    assert SECRET not in refused.err
    assert f"the {SECRET} code" in no.err
    assert SECRET in run("list").out
    assert run("erase", one, input="y\n", terminal=True).code == 0


def test_what_is_erased_already_is_said() -> None:
    one = run("add", "one").id
    done = run("erase", one, "--yes").ok()
    again = run("erase", one, "--yes").ok()
    assert again.out == f"{done.id}  erased already: nothing was left to blank\n"


def test_a_long_body_goes_with_all_its_parts(ledger: Path) -> None:
    one = run("add", "long", "-F", "-", input=f"{SECRET} line\n" * (3 * PART_BYTES // 20)).ok().id
    assert int(run("erase", one, "--yes").ok().out.split()[2]) > 2
    assert not holding(ledger)


def test_an_edited_document_that_still_says_it_is_named_loudly(ledger: Path) -> None:
    """X-31."""
    one = run("add", f"the {SECRET} code").id
    with (ledger / "MEMORY.md").open("a") as stream:
        stream.write("my own line\n")
    done = run("erase", one, "--yes")
    assert done.code == 1
    assert f"STILL THERE: {ledger / 'MEMORY.md'} (edited by hand)" in done.err
    assert run("list").out == ""


def test_the_same_line_of_another_memory_is_no_false_alarm(ledger: Path) -> None:
    one = run("add", "the very same line").id
    run("add", "the very same line", "--section", "Elsewhere").ok()
    assert run("erase", one, "--yes").code == 0


# --- by text ---


def test_everything_that_says_the_text_goes_and_nothing_else(ledger: Path) -> None:
    """X-28, X-29: texts, details, tags, provenance, unknown members, reasons."""
    run("add", f"a {SECRET}").ok()
    run("add", "b", "--detail", f"has {SECRET} inside").ok()
    run("add", "c", "--tag", SECRET, "--session", "s").ok()
    run("add", "d", "--session", f"session-{SECRET}").ok()
    kept = run("add", "e").id
    later = run("supersede", run("add", f"f {SECRET}").id, "f without").id
    run("delete", run("add", "g").id, "-m", f"because {SECRET}").ok()
    with muniment.open() as memory:
        memory.store(Memory("h", unknown={"hint": {"deep": [SECRET]}}))
        memory.store(Memory("i", extra=f"key: {SECRET}\n"))
        memory.store(Memory("j", unknown={f"x_{SECRET}": "named"}))
    done = match("-m", "a code got in", "--json").ok().json
    assert len(done["erased"]) == 9
    assert not holding(ledger)
    texts = [entry["text"] for entry in run("list", "--json").json_lines]
    assert texts == ["e", "f without"]
    assert run("show", kept, "--json").json["status"] == "active"
    assert run("show", later, "--json").json["text"] == "f without"
    assert run("verify").code == 0


def test_the_text_is_never_shown() -> None:
    """X-29."""
    run("add", f"a {SECRET}").ok()
    for done in (
        run("erase", "--match", SECRET),
        run("erase", "--match", SECRET, "-m", f"it was {SECRET}", "--yes"),
        match(),
        match(),
        run("erase", "--match", SECRET, "--json", "--yes"),
    ):
        assert SECRET not in done.out + done.err


def test_at_a_terminal_the_text_is_asked_for_in_secret(ledger: Path) -> None:
    """X-29: a real terminal shows nothing of it."""
    run("add", f"a {SECRET}").ok()
    master, slave = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "cli", "erase", "--match", "-"],
        stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    os.close(slave)
    shown = read_until(master, b"Text to erase: ")
    os.write(master, f"{SECRET}\n".encode())
    shown += read_until(master, b"for good? [y/N]: ")
    os.write(master, b"y\n")
    shown += read_until(master, b"revoke it")
    assert child.wait(60) == 0, shown
    os.close(master)
    assert SECRET.encode() not in shown
    assert not holding(ledger)


def read_until(fd: int, wanted: bytes) -> bytes:
    shown = b""
    while wanted not in shown:
        try:
            more = os.read(fd, 4096)
        except OSError:  # the other end is closed
            more = b""
        assert more, shown
        shown += more
    return shown


def test_a_text_with_signs_that_json_escapes_is_found(ledger: Path) -> None:
    text = 'say "hi"\\ äö'
    run("add", f"x {text} y", "--body", f'two\n{text}\n"').ok()
    match(text=text).ok()
    assert not holding(ledger, text=text)
    assert not run("list").out


def test_files_without_a_persons_words_are_not_looked_at(ledger: Path) -> None:
    """Z-33: what only the program writes tells nothing of a memory; what stands beside it may."""
    run("anchor", "checkpoint").ok()
    names = {".gitignore", "config.toml", "render.lock"}
    assert names <= {path.name for path in ledger.iterdir()}
    run("add", "my keys/").ok()
    match(text="keys/").ok()  # .gitignore holds it
    (ledger / "notes.txt").write_text("my key")
    with (ledger / "config.toml").open("a") as settings:
        settings.write("# my key\n")
    run("add", "my key").ok()
    done = match("--json", text="my key")
    assert (done.code, sorted(Path(each).name for each in done.json["still_in"])) == (
        1,
        ["config.toml", "notes.txt"],
    )


def test_case_counts() -> None:
    """X-29."""
    run("add", "Token ABCDEF").ok()
    assert match(text="abcdef").code == 3


def test_names_of_known_members_and_salts_say_nothing() -> None:
    """X-29: `text` is in every payload, but not in what it says."""
    assert list(strings({"text": "a", "salt": "b", "part": {"n": 1, "of": 2, "first": None}})) == ["a"]
    assert list(strings({"other": {"deep": ["c"]}})) == ["other", "deep", "c"]


def test_a_text_across_two_parts_of_a_body_takes_all_parts(ledger: Path) -> None:
    """X-29."""
    lines = [f"{n:08d} {'x' * 90}\n" for n in range(PART_BYTES * 2 // 100)]
    run("add", "long", "-F", "-", input="".join(lines)).ok()
    parts = run("log", "--kind", "create", "--json").json_lines
    assert len(parts) > 1
    bodies = [event.payload["body"] for event in reader.events(ledger / "chain.jsonl") if event.payload]
    across = bodies[0][-30:] + bodies[1][:30]
    assert all(across not in body for body in bodies)
    assert len(match("--json", text=across).ok().json["erased"]) == len(parts)


def test_what_was_set_aside_is_cleaned_and_what_a_person_wrote_is_named(ledger: Path) -> None:
    """X-31, Z-8: torn tails; copies of edited documents, documents that a person edited."""
    run("add", f"a {SECRET}").ok()
    torn = ledger / "chain.jsonl.torn-20260101T000000.000000Z"
    torn.write_text(f'{{"text":"{SECRET}"}}')
    (ledger / "MEMORY.md.edited-1").write_text(SECRET)
    (ledger / "MEMORY.md").write_text(f"- mine, and {SECRET}\n")
    done = match("--json")
    assert done.code == 1
    assert sorted(Path(path).name for path in done.json["still_in"]) == ["MEMORY.md", "MEMORY.md.edited-1"]
    assert [each["kind"] for each in done.json["cleaned"]] == ["torn tail"]
    assert done.err.count("STILL THERE") == 2
    assert holding(ledger) == ["MEMORY.md", "MEMORY.md.edited-1"]
    assert torn.read_text().strip() == ""


def test_what_was_set_aside_is_cleaned_for_an_id_too(ledger: Path) -> None:
    """Z-10."""
    one = run("add", f"a {SECRET}").id
    (ledger / "chain.jsonl.torn-20260101T000000.000000Z").write_text(f'{{"text":"a {SECRET}"}}')
    assert len(run("erase", one, "--yes", "--json").ok().json["cleaned"]) == 1
    assert not holding(ledger)


def test_what_only_files_say_is_named_too(ledger: Path) -> None:
    (ledger / "MEMORY.md").write_text(f"{SECRET}\n")
    done = match()
    assert (done.code, "MEMORY.md holds it" in done.err) == (1, True)


def test_a_name_that_says_it_stays_and_is_said(ledger: Path) -> None:
    """X-29: heads are signed and cannot be erased."""
    run("add", f"a {SECRET}", "--by", SECRET).ok()
    done = match()
    assert done.code == 1
    assert "1 event has it in a name" in done.err
    assert "chain.jsonl" in done.err


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([], ""),
        (["@1", "--match", "x"], ""),
        (["--match", ""], ""),
        (["--match", "-"], " \n"),
        (["--match", "one", "-m", "about one"], ""),
    ],
)
def test_a_request_that_means_nothing_is_refused(arguments: list[str], text: str) -> None:
    run("add", "one").ok()
    assert run("erase", *arguments, "--yes", input=text).code == 2
    assert "one" in run("list").out


# --- several folders ---


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with a project ledger, a worktree of it and a clone, all of which show the ledger."""
    root = tmp_path / "house"
    root.mkdir()
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run([*git, "init", "-q"], cwd=root, check=True)
    run("init", cwd=root).ok()
    subprocess.run([*git, "add", "-A"], cwd=root, check=True)
    subprocess.run([*git, "commit", "-qm", "x"], cwd=root, check=True)
    subprocess.run([*git, "worktree", "add", "-q", "../worktree"], cwd=root, check=True)
    subprocess.run([*git, "clone", "-q", str(root), str(tmp_path / "clone")], check=True)
    run("init", cwd=tmp_path / "clone").ok()
    return root


def test_every_folder_that_shows_the_ledger_is_cleaned(project: Path, tmp_path: Path, isolated: Path) -> None:
    """X-31: bound roots, and worktrees that were rendered."""
    folders = [project, tmp_path / "worktree", tmp_path / "clone"]
    for number, folder in enumerate(folders):
        run("add", f"{SECRET} {number}", cwd=folder).ok()
        run("replay", cwd=folder).ok()
    for folder in folders:
        run("replay", cwd=folder).ok()
        assert holding(folder) == ["MEMORY.md"]
    done = run("erase", "--match", "-", "--yes", "--json", input=SECRET, cwd=project).ok().json
    assert len(done["erased"]) == 3
    assert len(done["documents"]) == 3
    assert not holding(isolated, *folders)


def test_a_folder_that_is_another_projects_now_is_not_written(project: Path, tmp_path: Path) -> None:
    """X-31."""
    clone = tmp_path / "clone"
    run("replay", cwd=clone).ok()
    (clone / ".muniment/project.toml").write_text('id = "' + "0" * 32 + '"\n')
    before = (clone / ".muniment/MEMORY.md").read_bytes()
    one = run("add", f"{SECRET} one", cwd=project).id
    run("add", "harmless", cwd=project).ok()
    run("erase", one, "--yes", cwd=project).ok()
    assert (clone / ".muniment/MEMORY.md").read_bytes() == before


def test_two_texts_to_match_are_refused_before_anything_is_erased() -> None:
    run("add", "alpha one").ok()
    run("add", "beta two").ok()
    done = run("erase", "--match", "alpha", "--match", "beta", "--yes")
    assert done.code == 2
    assert "give --match once" in done.err
    assert len(run("list", "--json").json_lines) == 2
