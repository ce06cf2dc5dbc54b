"""Tests documents/reading/any_document.py: which files are read, in which order, by which reader.

Rules I-1…I-4, I-16 and I-21 of specs/import.md.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from documents.reading.any_document import MAX_BYTES, Document, read_document, read_documents
from ledger.errors import NotFoundError, RecordError, StorageError


def tree(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    return root


def names(documents: list[Document]) -> list[str]:
    return [p.memory.provenance.file for d in documents for p in d.proposals[:1] if p.memory]


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("MEMORY.md", "- a\n", "memory"),
        ("MEMORY.md", "---\ntitle: x\n---\n- a\n", "memory"),
        ("Claude.md", "---\ntitle: x\n---\n- a\n", "memory"),
        ("other.md", "- a\n", "memory"),
        ("other.md", "---\nglobs: x\n---\n- a\n", "topic"),
        ("other.md", "\ufeff---\r\nglobs: x\r\n---\r\n", "topic"),
        ("other.md", "---\n\ntitle: x\n---\n", "memory"),
        ("rule.mdc", "---\nalwaysApply: true\n---\nx", "topic"),
        ("2026-01-02.md", "---\ntitle: x\n---\n- a\n", "daily"),
        ("2026-13-02.md", "- a\n", "memory"),
        ("notes.txt", "- a\n", "memory"),
    ],
)
def test_name_and_frontmatter_decide_the_kind(tmp_path: Path, name: str, text: str, kind: str) -> None:
    (document,) = read_documents([tree(tmp_path, {name: text}) / name])
    assert (document.path, document.kind, document.warnings) == (tmp_path / name, kind, ())
    assert document.proposals


def test_a_folder_is_read_in_the_order_of_its_names(tmp_path: Path) -> None:
    files = ["MEMORY.md", "a.md", "b/Z.md", "b/c/x.MD", "b/d.mdc", "b.md"]
    tree(tmp_path, dict.fromkeys([*files, "b/notes.txt", "e.md.gz", "b/.hidden.md", ".git/x.md"], "- a\n"))
    tree(
        tmp_path,
        dict.fromkeys([".claude/x.md", ".cursor/rules/x.mdc", ".serena/x.md", ".rawko/x.md"], "- a\n"),
    )
    assert names(list(read_documents([tmp_path]))) == [
        ".claude/x.md",
        ".cursor/rules/x.mdc",
        ".rawko/x.md",
        ".serena/x.md",
        "MEMORY.md",
        "a.md",
        "b/Z.md",
        "b/c/x.MD",
        "b/d.mdc",
        "b.md",
    ]


def test_a_session_buffer_is_no_document_of_a_folder(tmp_path: Path) -> None:
    """I-1: checkpoint takes it; who names it wants it all the same."""
    (tmp_path / "session-buffer.md").write_text("- 14:05 Decided to use PostgreSQL\n")
    (tmp_path / "notes.md").write_text("- Use tabs\n")
    assert [document.path.name for document in read_documents([tmp_path])] == ["notes.md"]
    [named] = read_documents([tmp_path / "session-buffer.md"])
    assert len(named.proposals) == 1


def test_what_is_given_by_name_is_read_hidden_or_not(tmp_path: Path) -> None:
    tree(tmp_path, {".hidden/.x.md": "- a\n", ".hidden/y.md": "- a\n"})
    assert names(list(read_documents([tmp_path / ".hidden" / ".x.md"]))) == [".x.md"]
    assert names(list(read_documents([tmp_path / ".hidden"]))) == ["y.md"]


def test_a_file_is_read_once(tmp_path: Path) -> None:
    tree(tmp_path, {"a.md": "- a\n", "b/c.md": "- a\n"})
    (tmp_path / "z.md").symlink_to("a.md")
    (tmp_path / "link").symlink_to("b", target_is_directory=True)
    (tmp_path / "b" / "up").symlink_to("..", target_is_directory=True)
    paths = [tmp_path / "b" / "c.md", tmp_path, tmp_path / "a.md", tmp_path / "b"]
    assert names(list(read_documents(paths))) == ["c.md", "a.md"]


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    tree(tmp_path, {"a/x.md": "- a\n"})
    (tmp_path / "a" / "loop").symlink_to("../a", target_is_directory=True)
    (tmp_path / "self.md").symlink_to("self.md")
    assert names(list(read_documents([tmp_path]))) == ["a/x.md"]


def test_a_link_out_of_the_folder_is_named_and_not_followed(tmp_path: Path) -> None:
    tree(tmp_path, {"in/a.md": "- a\n", "out/secret.md": "- secret\n", "out/more/x.md": "- more\n"})
    (tmp_path / "in" / "b.md").symlink_to("../out/secret.md")
    (tmp_path / "in" / "c").symlink_to("../out/more", target_is_directory=True)
    documents = list(read_documents([tmp_path / "in"]))
    assert names(documents) == ["a.md"]
    assert [w.rsplit("; ", 1)[0] for d in documents for w in d.warnings] == [
        f"{tmp_path}/in/b.md: is a link that leads out of the folder",
        f"{tmp_path}/in/c: is a link that leads out of the folder",
    ]
    assert names(list(read_documents([tmp_path / "in", tmp_path / "out" / "secret.md"]))) == [
        "a.md",
        "secret.md",
    ]
    assert names(list(read_documents([tmp_path / "in" / "b.md"]))) == ["b.md"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("none.md", "no such file or folder"),
        ("none/", "no such file or folder"),
        ("round", "is a broken link"),
        ("dangling.md", "is a broken link"),
    ],
)
def test_a_path_that_leads_to_nothing_is_an_error_before_anything_is_read(
    tmp_path: Path, name: str, said: str
) -> None:
    (tmp_path / "bad.md").write_bytes(b"\xff")
    (tmp_path / "round").symlink_to("round")
    (tmp_path / "dangling.md").symlink_to("gone")
    with pytest.raises(NotFoundError, match=said):
        read_documents([tmp_path / "bad.md", tmp_path / name])


def test_a_pipe_or_device_is_refused_alone_and_never_waited_for(tmp_path: Path) -> None:
    tree(tmp_path, {"in/a.md": "- a\n"})
    os.mkfifo(tmp_path / "in" / "pipe.md")
    (tmp_path / "in" / "gone.md").symlink_to("nothing")
    (tmp_path / "in" / "round.md").symlink_to("round.md")
    told: list[str] = []
    given = [tmp_path / "in" / "pipe.md", Path(os.devnull), tmp_path / "in"]
    documents = list(read_documents(given, lambda _, error: told.append(str(error))))
    assert names(documents) == ["a.md"]
    is_pipe = "is a pipe, socket or device, not a file; save what it gives to a file and import that"
    assert told == [f"{tmp_path}/in/pipe.md: {is_pipe}", f"{os.devnull}: {is_pipe}"]
    assert [warning for document in documents for warning in document.warnings] == [
        f"{tmp_path}/in/gone.md: is a broken link; it was skipped",
        f"{tmp_path}/in/pipe.md: {is_pipe}",
        f"{tmp_path}/in/round.md: is a broken link; it was skipped",
    ]


def test_a_file_that_became_a_pipe_meanwhile_is_not_waited_for(tmp_path: Path) -> None:
    reading = read_documents([tree(tmp_path, {"a.md": "- a\n"})])
    (tmp_path / "a.md").unlink()
    os.mkfifo(tmp_path / "a.md")
    with pytest.raises(StorageError, match=r"a\.md: is a pipe, socket or device"):
        next(reading)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_merge_conflict_refuses_its_file_alone_and_names_the_line(tmp_path: Path, end: str) -> None:
    """I-3."""
    conflict = end.join(["# T", "- a", "<<<<<<< HEAD", "- b", "=======", "- c", ">>>>>>> theirs", ""])
    tree(tmp_path, {"a.md": "- a\n", "b.md": conflict, "2026-01-02.md": conflict})
    tree(tmp_path, {"t.md": f"---{end}title: t{end}---{end}{conflict}"})
    told: list[str] = []
    assert names(list(read_documents([tmp_path], lambda _, error: told.append(str(error))))) == ["a.md"]
    assert [message.split(";")[0].removeprefix(f"{tmp_path}/") for message in told] == [
        "2026-01-02.md: a merge conflict begins in line 3 (<<<<<<<)",
        "b.md: a merge conflict begins in line 3 (<<<<<<<)",
        "t.md: a merge conflict begins in line 6 (<<<<<<<)",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Title\n=======\n",
        "<<<<<<< HEAD\n- b\n>>>>>>> x\n",
        "=======\n<<<<<<< HEAD\n>>>>>>> x\n",
        "  <<<<<<< HEAD\n  =======\n  >>>>>>> x\n",
        "<<<<<<<\n=======\n>>>>>>>\n",
        "<<<<<<< a\n======= b\n>>>>>>> c\n",
    ],
)
def test_marks_that_are_no_conflict_are_text(tmp_path: Path, text: str) -> None:
    (document,) = read_documents([tree(tmp_path, {"a.md": text})])
    assert document.proposals


@pytest.mark.parametrize(
    ("files", "warning"),
    [
        ({"notes.txt": "- a\n"}, "{}: the folder holds no .md or .mdc file"),
        ({"empty.md": ""}, "{}/empty.md: holds nothing to import"),
        ({"blank.md": "\ufeff \n\n"}, "{}/blank.md: holds nothing to import"),
    ],
)
def test_a_folder_or_file_with_nothing_in_it_is_a_warning(
    tmp_path: Path, files: dict[str, str], warning: str
) -> None:
    (document,) = read_documents([tree(tmp_path, files)])
    assert (document.proposals, document.warnings) == ((), (warning.format(tmp_path),))


def test_a_file_that_cannot_be_read_ends_the_reading_or_is_told(tmp_path: Path) -> None:
    tree(tmp_path, {"a.md": "- a\n", "c.md": "x\0", "d.md": "- a\n"})
    (tmp_path / "b.md").write_bytes(b"a\n\xff")
    with (tmp_path / "big.md").open("wb") as stream:
        stream.truncate(MAX_BYTES + 1)
    told: list[tuple[str, str]] = []
    documents = list(read_documents([tmp_path], lambda path, error: told.append((path.name, str(error)))))
    assert names(documents) == ["a.md", "d.md"]
    assert [(name, message.split(";")[0]) for name, message in told] == [
        ("b.md", f"{tmp_path}/b.md: not UTF-8 at byte 2 (line 2)"),
        ("big.md", f"{tmp_path}/big.md: is larger than 8 MiB"),
        ("c.md", f"{tmp_path}/c.md: line 1 holds U+0000"),
    ]
    reading = read_documents([tmp_path])
    assert next(reading).path.name == "a.md"
    with pytest.raises(RecordError, match=r"b\.md: not UTF-8"):
        next(reading)


def test_a_file_of_8_mib_is_read(tmp_path: Path) -> None:
    (tmp_path / "x.md").write_bytes(b"x" * MAX_BYTES)
    (document,) = read_documents([tmp_path])
    (proposal,) = document.proposals
    assert proposal.memory is not None
    assert len(proposal.memory.body) == MAX_BYTES


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_a_storage_error(tmp_path: Path) -> None:
    tree(tmp_path, {"a.md": "- a\n"}).joinpath("a.md").chmod(0)
    with pytest.raises(StorageError, match="cannot be read"):
        list(read_documents([tmp_path]))


def test_a_file_that_is_gone_is_a_storage_error(tmp_path: Path) -> None:
    reading = read_documents([tree(tmp_path, {"a.md": "- a\n"})])
    (tmp_path / "a.md").unlink()
    with pytest.raises(StorageError, match=r"a\.md: cannot be read \(No such file"):
        next(reading)


def test_provenance_is_relative_and_one_line(tmp_path: Path) -> None:
    tree(tmp_path, {"d/a\nb.md": "- a\n", f"{'x' * 200}/{'y' * 200}/{'z' * 200}.md": "- a\n"})
    os.makedirs(os.fsencode(tmp_path) + b"/e")  # noqa: PTH103
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/e/\xff.md")).write_text("- a\n", encoding="utf-8")
    found = names(list(read_documents([tmp_path])))
    assert found == ["d/a\ufffdb.md", "e/\ufffd.md", f"{'x' * 95}/{'y' * 200}/{'z' * 200}.md"]
    assert len(found[2]) == 500


@pytest.mark.parametrize(
    ("given", "file", "topic"),
    [
        (".", "repo/memories/auth/x.md", "auth/x"),
        ("repo", "memories/auth/x.md", "auth/x"),
        ("repo/memories", "auth/x.md", "auth/x"),
        ("repo/memories/auth", "x.md", "auth/x"),
        ("repo/memories/auth/x.md", "x.md", "auth/x"),
        ("repo/docs", "deep/x.md", "deep/x"),
        ("repo/docs/deep/x.md", "x.md", "x"),
    ],
)
def test_the_path_as_given_makes_the_topic(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str, file: str, topic: str
) -> None:
    front = "---\ntitle: x\n---\n"
    tree(tmp_path, {"repo/memories/auth/x.md": front, "repo/docs/deep/x.md": front})
    monkeypatch.chdir(tmp_path)
    memories = [p.memory for d in read_documents([Path(given)]) for p in d.proposals if p.memory]
    assert (file, topic) in [(m.provenance.file, m.topic) for m in memories]


def test_links_are_left_out_where_their_files_are_in_the_same_run(tmp_path: Path) -> None:
    text = "## A\n- a\n\n## Links\n- [B](memory/b.md)\n"
    tree(tmp_path, {"MEMORY.md": text, "memory/b.md": "- b\n"})
    together = next(d for d in read_documents([tmp_path]) if d.path.name == "MEMORY.md")
    (alone,) = read_documents([tmp_path / "MEMORY.md"])
    assert [len(d.proposals) for d in (together, alone)] == [1, 2]
    assert read_document(tmp_path / "MEMORY.md", "MEMORY.md") == alone


def test_importing_twice_gives_the_same_keys(tmp_path: Path) -> None:
    tree(
        tmp_path,
        {"MEMORY.md": "- a\n- a\n", "memories/x.md": "---\ntitle: x\n---\ny\n", "2026-01-02.md": "z\n"},
    )
    first, second = ([p.key for d in read_documents([tmp_path]) for p in d.proposals] for _ in range(2))
    assert first == second
    assert len(set(first)) == len(first) - 1


def test_the_parsers_are_loaded_only_when_a_document_is_read() -> None:
    code = "import documents.reading.any_document, sys; print({'markdown_it', 'yaml', 'frontmatter'} & set(sys.modules))"
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
