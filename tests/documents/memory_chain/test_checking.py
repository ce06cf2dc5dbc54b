"""A memory-chain is checked by its own rules: G-51…G-53."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledger.errors import FormatError, LedgerError, NotFoundError, StorageError, UsageError
from tests.documents.memory_chain.chains import GOLDEN, copy_of, is_valid, needs_node, read, signed


def _lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "chain.jsonl").read_text("utf-8").split("\n")[:-1]]


def _put(folder: Path, lines: list[dict[str, Any]]) -> None:
    text = "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)
    (folder / "chain.jsonl").write_text(text, "utf-8")


def _fault(folder: Path) -> str:
    with pytest.raises(FormatError) as caught:
        read(folder)
    return str(caught.value)


def test_a_chain_of_another_program_passes() -> None:
    """Signed by JavaScript, with metadata that languages write differently."""
    chain = read(GOLDEN)
    assert [entry.seq for entry in chain.entries] == list(range(13))
    assert chain.content(chain.entries[2]) == "User prefers dark mode"
    assert chain.content(chain.entries[10]) is None


def _swap(lines: list[dict[str, Any]]) -> None:
    lines[3], lines[4] = lines[4], lines[3]


def _without(lines: list[dict[str, Any]]) -> None:
    del lines[4]


def _member(name: str, value: object) -> Callable[[list[dict[str, Any]]], None]:
    def change(lines: list[dict[str, Any]]) -> None:
        lines[3][name] = value

    return change


def _metadata(lines: list[dict[str, Any]]) -> None:
    lines[3]["metadata"]["z"] = 2


def _unlinked_first(lines: list[dict[str, Any]]) -> None:
    del lines[0]["prev_hash"]


_ZEROS = f"sha256:{'0' * 64}"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_swap, "line 4: its seq is not 3"),
        (_without, "line 5: its seq is not 4"),
        (_member("prev_hash", _ZEROS), "line 4: its prev_hash is not the hash"),
        (_member("prev_hash", None), "line 4: its prev_hash is not the hash"),
        (_member("content_hash", _ZEROS), "line 4: its signature is not by agent.pub"),
        (_member("content_hash", "sha256:../../../etc/passwd"), "line 4: its content_hash is not"),
        (_member("tier", "ephemeral"), "line 4: its signature is not by agent.pub"),
        (_member("type", "identity"), "line 4: its signature is not by agent.pub"),
        (_member("ts", "2026-02-01T02:03:03.005Z"), "line 4: its signature is not by agent.pub"),
        (_member("ts", "2025-02-01T02:03:03.005Z"), "line 4: its ts is not after"),
        (_member("ts", "2026-02-01T02:02:02.002Z"), "line 4: its ts is not after"),
        (_member("ts", "soon"), "line 4: its ts is not a date"),
        (_member("ts", 7), "line 4: ts is missing or no text"),
        (_member("seq", True), "line 4: its seq is not 3"),
        (_member("metadata", "x"), "line 4: its metadata is not an object"),
        (_member("signature", "ed25519:00"), "line 4: its signature is not by agent.pub"),
        (_unlinked_first, "line 1: its prev_hash is not null"),
        (_metadata, "line 4: its signature is not by agent.pub"),
    ],
)
def test_what_was_changed_is_named_with_its_line(
    change: Callable[[list[dict[str, Any]]], None], said: str, tmp_path: Path
) -> None:
    """Each rule, each alone."""
    folder = copy_of(tmp_path)
    lines = _lines(folder)
    change(lines)
    _put(folder, lines)
    assert said in _fault(folder)


def test_a_text_that_was_changed_is_named(tmp_path: Path) -> None:
    """The head is signed, and so is the hash of the text."""
    folder = copy_of(tmp_path)
    path = folder / "content" / _lines(folder)[2]["content_hash"][7:]
    path.write_text("User prefers light mode", "utf-8")
    assert "line 3: the text in content/" in _fault(folder)
    path.write_bytes(b"x" * (8 << 20) + b"y")
    assert "line 3" in _fault(folder)


def test_another_key_signs_nothing(tmp_path: Path) -> None:
    """Every line is named, three in words."""
    folder = copy_of(tmp_path)
    (folder / "agent.pub").write_text("0" * 63 + "1")
    assert _fault(folder).endswith("line 3: its signature is not by agent.pub; and 10 more")


def test_a_torn_last_line_is_no_json(tmp_path: Path) -> None:
    """The program of before cannot read such a file either."""
    folder = copy_of(tmp_path)
    path = folder / "chain.jsonl"
    path.write_bytes(path.read_bytes()[:-40])
    assert "line 13: it is not JSON" in _fault(folder)


def test_empty_lines_marks_and_carriage_returns_are_passed_over(tmp_path: Path) -> None:
    """As JavaScript does when it reads the file."""
    folder = copy_of(tmp_path)
    path = folder / "chain.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n") + b"\n\n")
    assert len(read(folder).entries) == 13


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("agent.pub", None, NotFoundError),
        ("agent.pub", b"not hex", FormatError),
        ("chain.jsonl", None, NotFoundError),
        ("chain.jsonl", b'{"event":{"v":1},"sig":"x"}\n', UsageError),
        ("chain.jsonl", b"\xff\xfe\n", FormatError),
        ("chain.jsonl", b"[1]\n", FormatError),
        ("chain.jsonl", b"[" * 100_000 + b"\n", FormatError),
    ],
)
def test_what_is_no_memory_chain_is_one_line(
    name: str, data: bytes | None, kind: type[LedgerError], tmp_path: Path
) -> None:
    """Missing, of our own, or something else."""
    folder = copy_of(tmp_path)
    (folder / name).unlink()
    if data is not None:
        (folder / name).write_bytes(data)
    with pytest.raises(kind) as caught:
        read(folder)
    assert "\n" not in str(caught.value)


def test_a_pipe_is_never_waited_for(tmp_path: Path) -> None:
    """In place of the chain, or of a text."""
    folder = copy_of(tmp_path)
    path = folder / "content" / _lines(folder)[2]["content_hash"][7:]
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(StorageError, match="is not a file"):
        read(folder)


def test_an_empty_chain_has_no_entries(tmp_path: Path) -> None:
    """It is valid by its own rules."""
    folder = copy_of(tmp_path)
    (folder / "chain.jsonl").write_text("\n")
    assert read(folder).entries == []


_METADATA = st.dictionaries(
    st.text(max_size=5).filter(lambda key: key != "__proto__") | st.integers(0, 99).map(str),
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=9),
    max_size=4,
)


@needs_node
@given(entries=st.lists(st.tuples(st.text(max_size=40), st.none() | _METADATA), max_size=5))
@settings(
    max_examples=settings().max_examples // 8, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_whatever_the_other_program_signs_passes(
    entries: list[tuple[str, dict[str, Any] | None]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Any text, any metadata."""
    steps = [{"content": text} | ({"metadata": said} if said is not None else {}) for text, said in entries]
    folder = signed(tmp_path_factory.mktemp("chain"), steps)
    assert len(read(folder).entries) == len(entries) + 1


@needs_node
@given(data=st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_the_other_program_refuses_is_refused(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Any byte of the chain, or of a text, changed: what it finds invalid never passes here."""
    folder = copy_of(tmp_path_factory.mktemp("spoiled"))
    files = [folder / "chain.jsonl", *sorted((folder / "content").iterdir())]
    path = data.draw(st.sampled_from([files[0], files[0], *files]))
    spoiled = bytearray(path.read_bytes())
    at = data.draw(st.integers(0, len(spoiled) - 1))
    spoiled[at] = data.draw(st.integers(0, 255))
    path.write_bytes(spoiled)
    try:
        read(folder)
    except LedgerError:
        return
    assert is_valid(folder)


@needs_node
def test_the_golden_chain_is_what_the_writer_writes(tmp_path: Path) -> None:
    """Byte for byte, texts included."""
    steps = json.loads((GOLDEN.parent / "golden.json").read_text("utf-8"))
    made = signed(tmp_path / "chain", steps)
    names = sorted(path.relative_to(made) for path in made.rglob("*") if path.is_file())
    assert names == sorted(path.relative_to(GOLDEN) for path in GOLDEN.rglob("*") if path.is_file())
    assert all((made / name).read_bytes() == (GOLDEN / name).read_bytes() for name in names)
